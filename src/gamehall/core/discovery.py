"""Find games, protocols and bots: in folders of this package, and in installed packages."""

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
"""What games, protocols and bots may be called: names stand in addresses and on command lines."""
LONGEST_NAME = 40


def discover(
    package: ModuleType,
    attribute: str,
    read: Callable[[object], Mapping[str, T]],
    reserved: Collection[str] = (),
) -> dict[str, T]:
    """Return what there is by name: of the package's folders first, then of installed packages.

    Each folder has it as the attribute; installed packages have entry points in the group that is
    called like the package. An entry point that fails, or whose names are taken, is left out with
    one warning, so that the rest can go on.

    Args:
        read: check the value of an attribute or an entry point, and return what it offers by name.
            Raises ValueError for what is not usable.
        reserved: names that no entry point may have.
    """
    found: dict[str, T] = {}
    for folder in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if folder.ispkg:
            module = importlib.import_module(folder.name)
            if hasattr(module, attribute):
                _add(found, read(getattr(module, attribute)))
    for entry in sorted(entry_points(group=package.__name__), key=_place_in_order):
        try:
            _add(found, read(entry.load()), reserved)
        except (Exception, SystemExit) as error:
            log.warning(
                "%s of %s is left out: %s",
                f"the entry point {entry.name!r} in {entry.group}",
                _distribution(entry) or entry.value,
                _in_one_line(error),
            )
            log.debug("the entry point %r failed", entry.name, exc_info=True)
    return found


def check_name(name: object) -> None:
    """Raise ValueError unless this may be the name of a game, a protocol or a bot."""
    if not isinstance(name, str) or not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise ValueError(
            f"its name must be small letters and digits with single hyphens between them, at most"
            f" {LONGEST_NAME} of them, not {name!r}"
        )


def _add(found: dict[str, T], offered: Mapping[str, T], reserved: Collection[str] = ()) -> None:
    """Add what is offered. Raises ValueError if a name is taken."""
    taken = ", ".join(name for name in offered if name in found or name in reserved)
    if taken:
        raise ValueError(f"the name {taken} is taken")
    found.update(offered)


def _place_in_order(entry: EntryPoint) -> tuple[str, str]:
    """The order does not depend on that of the folders that Python searches."""
    return entry.name, _distribution(entry)


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else ""


def _in_one_line(error: BaseException) -> str:
    words = " ".join(str(error).split())
    # What `read` says is a sentence; of anything else the type says more than the text.
    return words if type(error) is ValueError and words else f"{type(error).__name__}: {words}"
