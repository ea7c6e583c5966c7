"""Find games, protocols and bots: in subpackages, and in entry points of installed packages."""

import importlib
import logging
import pkgutil
import re
from collections.abc import Callable, Collection, Mapping
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")

log = logging.getLogger(__name__)

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
"""The form of names of games, protocols and bots, which are used in URLs and on command lines."""
MAX_NAME_LENGTH = 40


def discover(
    package: ModuleType,
    attribute: str,
    read: Callable[[object], Mapping[str, T]],
    reserved: Collection[str] = (),
) -> dict[str, T]:
    """Return the objects of this package's subpackages and of installed packages, by name.

    A subpackage has its object in the attribute; installed packages have entry points in a group
    with the name of the package. An entry point that fails, or whose name is taken, is logged as
    a warning and left out, so that it does not prevent the others from loading.

    Args:
        read: checks the value of an attribute or entry point and returns the objects in it by
            name. Raises ValueError for a value that cannot be used.
        reserved: names that entry points may not have.
    """
    found: dict[str, T] = {}
    for folder in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if folder.ispkg:
            module = importlib.import_module(folder.name)
            if hasattr(module, attribute):
                _add(found, read(getattr(module, attribute)))
    for entry in sorted(entry_points(group=package.__name__), key=_sort_key):
        try:
            _add(found, read(entry.load()), reserved)
        except (Exception, SystemExit) as error:
            log.warning(
                "%s of %s is left out: %s",
                f"the entry point {entry.name!r} in {entry.group}",
                _distribution(entry) or entry.value,
                _error_text(error),
            )
            log.debug("the entry point %r failed", entry.name, exc_info=True)
    return found


def check_name(name: object) -> None:
    """Raise ValueError unless this can be the name of a game, a protocol or a bot."""
    if not isinstance(name, str) or not NAME.fullmatch(name) or len(name) > MAX_NAME_LENGTH:
        raise ValueError(
            "its name must consist of lower-case letters and digits, with single hyphens between"
            f" them, and have at most {MAX_NAME_LENGTH} characters, not {name!r}"
        )


def _add(found: dict[str, T], offered: Mapping[str, T], reserved: Collection[str] = ()) -> None:
    """Add the offered objects. Raises ValueError if a name is taken."""
    taken = ", ".join(name for name in offered if name in found or name in reserved)
    if taken:
        raise ValueError(f"the name {taken} is taken")
    found.update(offered)


def _sort_key(entry: EntryPoint) -> tuple[str, str]:
    """Return a key that does not depend on the order of Python's search path."""
    return entry.name, _distribution(entry)


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else ""


def _error_text(error: BaseException) -> str:
    words = " ".join(str(error).split())
    # `read` raises ValueError with a sentence; for other errors the type says more than the text.
    return words if type(error) is ValueError and words else f"{type(error).__name__}: {words}"
