"""The configuration of a run, as it is stored."""

from collections import defaultdict
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from gamehall.arena.openings import Book
from gamehall.core import Game
from gamehall.engines.bot_text import GTP, split_seconds
from gamehall.engines.guarded import Limits
from gamehall.engines.own_bot import is_file_of_bot
from gamehall.games.catalogue import all_games


class ArenaEntry(msgspec.Struct, frozen=True):
    """A bot that takes part."""

    name: str
    """A name that no other entry has."""
    text: str
    """The bot as it was written on the command line, without the seconds."""
    seconds_per_move: float | None = None
    """The thinking time, if it was set."""
    fingerprint: str = ""
    """A digest of the bot's file, empty if it has none."""

    @property
    def is_built_in(self) -> bool:
        """Whether the bot is from the catalogue; all others run in processes of their own."""
        return not (is_file_of_bot(self.text) or self.text.startswith(GTP))


class ArenaConfig(msgspec.Struct, frozen=True, rename={"entries": "contenders"}):
    """The bots, and everything else that the results of a run depend on."""

    game: str
    terms: dict[str, Any]
    entries: tuple[ArenaEntry, ...]
    seed: int
    format: str = "round-robin"
    games: int = 100
    """For each pair of bots. With `sprt` the limit in all, with `until` the limit for each bot."""
    in_pairs: bool = True
    rounds: int | None = None
    sprt: dict[str, str] | None = None
    until: str | None = None
    book: Book = Book()
    limits: Limits = Limits()

    @property
    def names(self) -> list[str]:
        """The names of the bots, in the order of the entries."""
        return [entry.name for entry in self.entries]

    @property
    def matches_per_encounter(self) -> int:
        # A pair is the same opening twice, with the seats swapped.
        return 2 if self.in_pairs else 1

    def make_game(self) -> Game[Any]:
        """Return the game on its terms. Raises msgspec.ValidationError for wrong terms."""
        game: Game[Any] = msgspec.convert(self.terms, all_games()[self.game])
        return game


def read_entries(texts: Sequence[str], seconds: float | None) -> tuple[ArenaEntry, ...]:
    """Return an entry for each bot, given as `perfect`, `mcts@0.5` or `my_bot.py:MyBot`.

    Classes of the same name in different files are called `file.Class`. Names that are still equal
    get a number, as in `perfect#2`.

    Args:
        texts: the bots.
        seconds: the thinking time per move of bots without one of their own.

    Raises:
        ValueError: the seconds after an @ are not a number.
    """
    files: defaultdict[str, set[str]] = defaultdict(set)
    for text in texts:
        files[_entry_name(text)].add(_file_of(text))
    found: list[ArenaEntry] = []
    taken: set[str] = set()
    for text in texts:
        words, own_seconds = split_seconds(text)
        base = _entry_name(text)
        if len(files[base]) > 1 and is_file_of_bot(text):
            base = f"{Path(_file_of(text)).stem}.{base}"
        name, number = base, 1
        while name in taken:
            number += 1
            name = f"{base}#{number}"
        taken.add(name)
        found.append(
            ArenaEntry(
                name=name,
                text=words,
                seconds_per_move=own_seconds or seconds,
                fingerprint=fingerprint(words),
            )
        )
    return tuple(found)


def _file_of(text: str) -> str:
    return text.partition(":")[0] if is_file_of_bot(text) else ""


def fingerprint(text: str) -> str:
    """Return a digest of the file of a bot; empty for bots that have none."""
    if not is_file_of_bot(text):
        return ""
    try:
        content = Path(_file_of(text)).read_bytes()
    except OSError:
        # Loading the bot will fail with a better message.
        return ""
    return blake2b(content, digest_size=8).hexdigest()


def _entry_name(text: str) -> str:
    if text.startswith(GTP):
        return Path(text.removeprefix(GTP).split(maxsplit=1)[0] if text != GTP else GTP).name
    return text.partition(":")[2] or text if is_file_of_bot(text) else text
