"""What `gamehall arena` was asked for, checked and in writing."""

import dataclasses
import secrets
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from gamehall.arena.config import (
    ArenaConfig,
    ArenaEntry,
    fingerprint,
    read_entries,
)
from gamehall.arena.openings import (
    RANDOM,
    Book,
    OpeningBookError,
    read_book,
    read_random,
    usual_book,
)
from gamehall.arena.runner import make_format
from gamehall.bots import BotError
from gamehall.bots.catalogue import all_bots
from gamehall.cli.shared import read_pair
from gamehall.core import Game
from gamehall.engines.choice import BotChoiceError, choose_bot
from gamehall.engines.guarded import GuardedBot, Limits
from gamehall.engines.own_bot import is_file_of_bot
from gamehall.games.catalogue import all_games
from gamehall.match.record import write_terms
from gamehall.storage.arenas import ArenaStore, StoredArena

GAMES, GAMES_OF_EACH, GAMES_OF_TEST = 100, 10_000, 100_000
"""How many, unless somebody says: of each pair, of each bot until something is known, of a test."""


class Wanted(NamedTuple):
    """The options of the command that say what is played."""

    form: str
    games: int | None
    in_pairs: bool
    rounds: int | None
    sprt: tuple[str, str] | None
    alpha: float
    beta: float
    elo_model: str
    until: str | None
    book: str | None
    terms: Sequence[str]
    seconds: float | None
    per_move: float
    per_game: float | None
    memory: int
    cpu: int
    seed: int | None


def read(game_name: str | None, bots: Sequence[str], wanted: Wanted) -> ArenaConfig:
    """What is to be played; every bot is tried. Raises UsageError and ValueError."""
    if game_name is None:
        raise click.UsageError("say which game, and which bots")
    game = _read_game(game_name, wanted.terms)
    if len(bots) < 2:
        raise click.UsageError("name at least two bots")
    if wanted.sprt is not None and wanted.until is not None:
        raise click.UsageError("--sprt and --until both say when to stop: give one of them")
    entries = read_entries(bots, wanted.seconds)
    config = ArenaConfig(
        game=game.name,
        terms=write_terms(game),
        entries=entries,
        seed=secrets.randbits(53) if wanted.seed is None else wanted.seed,
        format=wanted.form,
        games=wanted.games or _usual_games(wanted),
        in_pairs=wanted.in_pairs,
        rounds=wanted.rounds,
        sprt=None if wanted.sprt is None else _sprt(wanted),
        until=wanted.until,
        book=_read_book(wanted.book, game),
        limits=Limits(
            wanted.per_move, wanted.per_game, megabytes=wanted.memory, cpu_seconds=wanted.cpu
        ),
    )
    make_format(config)
    for entry in entries:
        _try_out(entry, config, game)
    return config


def free_name(book: ArenaStore, config: ArenaConfig, wanted: str | None) -> str:
    """What a new run is called: as wanted, or by the game and the time.

    Raises UsageError and StorageError.
    """
    if wanted is not None:
        if not wanted.isprintable() or not wanted.strip() or wanted.startswith("-"):
            raise click.UsageError(f"{wanted!r} is no name for a run")
        if book.find(wanted) is not None:
            raise click.UsageError(f"there is a run {wanted!r} already: name this one otherwise")
        return wanted
    base = f"{config.game}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    number, free = 1, base
    while book.find(free) is not None:
        number += 1
        free = f"{base}-{number}"
    return free


def begin(book: ArenaStore, config: ArenaConfig, name: str) -> StoredArena:
    """A new run. Raises StorageError."""
    began = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return book.begin(name, msgspec.json.encode(config), began)


def take_up(
    book: ArenaStore, name: str | None, game: str | None, bots: Sequence[str]
) -> tuple[StoredArena, ArenaConfig]:
    """A run that is there, the last one if none is named. Raises UsageError and StorageError."""
    if name is None:
        kept = next(iter(book.latest(1)), None)
        if kept is None:
            raise click.UsageError("there is no run to go on with")
    else:
        kept = book.find(name)
        if kept is None:
            there = ", ".join(one.name for one in book.latest(5)) or "none"
            raise click.UsageError(f"there is no run {name!r}; the last ones are: {there}")
    try:
        config = msgspec.json.decode(kept.conditions, type=ArenaConfig)
    except msgspec.MsgspecError as error:
        raise click.UsageError(f"the run {kept.name} cannot be read: {error}") from None
    if game is not None and (game, _texts(bots)) != (config.game, _texts_of(config)):
        raise click.UsageError(
            f"the run {kept.name} is of {config.game} with"
            f" {' '.join(_texts_of(config))}: leave game and bots out, or begin a new one"
        )
    for entry in config.entries:
        if fingerprint(entry.text) != entry.fingerprint:
            raise click.UsageError(
                f"{entry.text} has changed since {kept.name} began: begin a new run"
            )
    return kept, config


def command(config: ArenaConfig) -> str:
    """What is to be typed to play the same again, but for limits and a book in a file."""
    words = ["gamehall", "arena", config.game]
    for entry in config.entries:
        seconds = entry.seconds_per_move
        is_told = seconds is not None and entry.is_of_the_house
        words.append(f"{entry.text}@{seconds:g}" if is_told else entry.text)
    usual = write_terms(all_games()[config.game]())
    for term, value in config.terms.items():
        if usual.get(term) != value:
            words += ["--set", f"{term}={value}"]
    if config.sprt is not None:
        words += ["--sprt", *(f"{name}={config.sprt[name]}" for name in ("elo0", "elo1"))]
    elif config.until is not None:
        words += ["--until", config.until]
    else:
        words += ["--format", config.format]
    if config.rounds is not None:
        words += ["--rounds", str(config.rounds)]
    words += ["--games", str(config.games)]
    words += [] if config.in_pairs else ["--no-pairs"]
    if not config.book.lines:
        words += ["--book", f"{RANDOM}{config.book.random_moves}"]
    return shlex.join([*words, "--seed", str(config.seed)])


def _texts(bots: Sequence[str]) -> list[str]:
    return [entry.text for entry in read_entries(bots, None)]


def _texts_of(config: ArenaConfig) -> list[str]:
    return [entry.text for entry in config.entries]


def _usual_games(wanted: Wanted) -> int:
    if wanted.sprt is not None:
        return GAMES_OF_TEST
    return GAMES if wanted.until is None else GAMES_OF_EACH


def _sprt(wanted: Wanted) -> dict[str, str]:
    assert wanted.sprt is not None
    return {
        **dict(map(read_pair, wanted.sprt)),
        "alpha": str(wanted.alpha),
        "beta": str(wanted.beta),
        "model": wanted.elo_model,
    }


def _read_game(name: str, terms: Sequence[str]) -> Game[Any]:
    """The game on these terms. Raises UsageError."""
    catalogue = all_games()
    if name not in catalogue:
        close = get_close_matches(name, catalogue, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(catalogue)}"
        if is_file_of_bot(name) or any(name == kind.name for kind in all_bots()):
            hint = f"say first what is played, as in gamehall arena {next(iter(catalogue))} {name}"
        raise click.UsageError(f"there is no game {name!r}; {hint}")
    kind = catalogue[name]
    fields = {field.name for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    given = dict(map(read_pair, terms))
    for term in given:
        if term not in fields:
            there = ", ".join(sorted(fields)) or "none"
            raise click.UsageError(f"{name} has no term {term!r}; there are: {there}")
    try:
        game: Game[Any] = msgspec.convert(given, kind, strict=False)
        game.start(0)
    except (msgspec.ValidationError, ValueError) as error:
        raise click.UsageError(f"these are not terms of {name}: {error}") from None
    return game


def _read_book(text: str | None, game: Game[Any]) -> Book:
    """Raises UsageError."""
    try:
        if text is None:
            return usual_book(game)
        if text.startswith(RANDOM):
            return read_random(text)
        return read_book(Path(text).read_text(encoding="utf-8"), game)
    except OpeningBookError as error:
        raise click.UsageError(f"--book {text}: {error}") from None
    except UnicodeError:
        raise click.UsageError(f"--book {text}: this is no text") from None
    except OSError as error:
        raise click.UsageError(f"--book {text}: {error.strerror}") from None


def _try_out(entry: ArenaEntry, config: ArenaConfig, game: Game[Any]) -> None:
    """Whether there is such a bot, and it begins. Raises UsageError."""
    try:
        if entry.is_of_the_house:
            choose_bot(entry.text, game.name, _no_time, None)
            return
    except BotChoiceError as error:
        raise click.UsageError(str(error)) from None
    bot = GuardedBot(
        text=entry.text, game=game, limits=config.limits, seconds_per_move=entry.seconds_per_move
    )
    try:
        bot.begin(0)
    except BotError as fault:
        raise click.UsageError(str(fault).partition("\n")[0]) from None
    finally:
        bot.close()


def _no_time() -> float:
    """For a bot that is only looked up."""
    return 0.0
