"""What bots need on other machines: their files, and how they are found there."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import msgspec

from gamehall.arena.conditions import ArenaConfig
from gamehall.engines.choice import GTP
from gamehall.engines.own_bot import is_file_of_bot


def gather(conditions: ArenaConfig, folder: Path) -> ArenaConfig:
    """The conditions as they are for workers, which stand in a copy of `folder`.

    The folders of people's own bots are linked into it, by numbers: their names may be the same.
    """
    places: dict[Path, str] = {}
    found = []
    for contender in conditions.contenders:
        text = contender.text
        if is_file_of_bot(text):
            name, colon, kind = text.partition(":")
            home = Path(name).parent.resolve()
            if home not in places:
                places[home] = str(len(places))
                (folder / places[home]).symlink_to(home, target_is_directory=True)
            text = f"{places[home]}/{Path(name).name}{colon}{kind}"
        elif text.startswith(GTP):
            text = GTP + _from_anywhere(text.removeprefix(GTP))
        found.append(msgspec.structs.replace(contender, text=text))
    return msgspec.structs.replace(conditions, contenders=tuple(found))


def _from_anywhere(command: str) -> str:
    """A command whose program is found from any folder, if it was found from this one."""
    words: Sequence[str] = shlex.split(command)
    if not words or "/" not in words[0]:
        return command
    return shlex.join([str(Path(words[0]).absolute()), *words[1:]])
