"""Read and check the options of `gamehall arena`."""

import secrets
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from gamehall.arena.config import ArenaConfig, ArenaEntry, fingerprint, read_entries
from gamehall.arena.openings import (
    RANDOM,
    Book,
    OpeningBookError,
    default_book,
    read_book,
    read_random,
)
from gamehall.arena.runner import make_format
from gamehall.bots import BotError
from gamehall.bots.catalogue import all_bots
from gamehall.cli.shared import read_pair
from gamehall.core import Game, check_names_of_terms
from gamehall.engines.choice import BotChoiceError, choose_bot
from gamehall.engines.guarded import IsolatedBot, Limits
from gamehall.engines.own_bot import is_file_of_bot
from gamehall.games.catalogue import all_games
from gamehall.match.record import write_terms
from gamehall.storage.arenas import ArenaStore, StoredArena

GAMES_PER_PAIR, MAX_GAMES_PER_BOT, MAX_GAMES_OF_TEST = 100, 10_000, 100_000
"""The defaults of --games: as it is, with --until, and with --sprt."""


class ArenaOptions(NamedTuple):
    """The options of the command that become part of the configuration."""

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


def read_config(game_name: str | None, bots: Sequence[str], options: ArenaOptions) -> ArenaConfig:
    """Return the configuration of a new run, after starting each bot once.

    Raises UsageError and ValueError.
    """
    if game_name is None:
        raise click.UsageError("name a game and at least two bots")
    game = _read_game(game_name, options.terms)
    if len(bots) < 2:
        raise click.UsageError("name at least two bots")
    if options.sprt is not None and options.until is not None:
        raise click.UsageError("--sprt and --until cannot be combined: both say when to stop")
    entries = read_entries(bots, options.seconds)
    config = ArenaConfig(
        game=game.name,
        terms=write_terms(game),
        entries=entries,
        seed=secrets.randbits(53) if options.seed is None else options.seed,
        format=options.form,
        games=options.games or _default_games(options),
        in_pairs=options.in_pairs,
        rounds=options.rounds,
        sprt=None if options.sprt is None else _read_sprt(options, options.sprt),
        until=options.until,
        book=_read_book(options.book, game),
        limits=Limits(
            options.per_move, options.per_game, megabytes=options.memory, cpu_seconds=options.cpu
        ),
    )
    if config.in_pairs and config.games % 2:
        raise click.UsageError(
            f"--games {config.games}: each opening is played twice, so the number must be even:"
            f" write --games {config.games + 1}, or --no-pairs"
        )
    # Check that the format can be made.
    make_format(config)
    for entry in entries:
        _check_bot(entry, config, game)
    return config


def choose_run_name(store: ArenaStore, config: ArenaConfig, name: str | None) -> str:
    """Return the name of a new run: the given one, or one from the game and the time.

    Raises UsageError and StorageError.
    """
    if name is not None:
        if not name.isprintable() or not name.strip() or name.startswith("-"):
            raise click.UsageError(
                f"--name cannot be {name!r}: write some printable characters, the first not a -"
            )
        if store.find(name) is not None:
            raise click.UsageError(f"there is a run {name!r} already: choose another --name")
        return name
    base = f"{config.game}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    number, free = 1, base
    while store.find(free) is not None:
        number += 1
        free = f"{base}-{number}"
    return free


def find_run(
    store: ArenaStore, name: str | None, game: str | None, bots: Sequence[str]
) -> tuple[StoredArena, ArenaConfig]:
    """Return the run of this name, or the last one.

    Raises UsageError if there is none, or if it has another game or other bots. Raises
    StorageError.
    """
    if name is None:
        stored = next(iter(store.latest(1)), None)
        if stored is None:
            raise click.UsageError("there is no run to resume")
    else:
        stored = store.find(name)
        if stored is None:
            known = ", ".join(run.name for run in store.latest(5)) or "none"
            raise click.UsageError(f"there is no run {name!r}; the last ones are: {known}")
    try:
        config = msgspec.json.decode(stored.conditions, type=ArenaConfig)
    except msgspec.MsgspecError as error:
        raise click.UsageError(f"the run {stored.name} cannot be read: {error}") from None
    texts = [entry.text for entry in config.entries]
    if game is not None:
        given = [entry.text for entry in read_entries(bots, None)]
        if (game, given) != (config.game, texts):
            raise click.UsageError(
                f"the run {stored.name} is of {config.game} with {' '.join(texts)}: omit game and"
                " bots, or start a new run"
            )
    for entry in config.entries:
        if fingerprint(entry.text) != entry.fingerprint:
            raise click.UsageError(
                f"{entry.text} has changed since {stored.name} began: start a new run"
            )
    return stored, config


def command_line(config: ArenaConfig) -> str:
    """Return the command that plays the same run again, without limits and without a book file."""
    words = ["gamehall", "arena", config.game]
    for entry in config.entries:
        seconds = entry.seconds_per_move
        has_seconds = seconds is not None and entry.is_built_in
        words.append(f"{entry.text}@{seconds:g}" if has_seconds else entry.text)
    defaults = write_terms(all_games()[config.game]())
    for term, value in config.terms.items():
        if defaults.get(term) != value:
            words += ["--set", f"{term}={value}"]
    if config.sprt is not None:
        words += ["--sprt", *(f"{name}={config.sprt[name]}" for name in ("elo0", "elo1"))]
        words += ["--alpha", config.sprt["alpha"], "--beta", config.sprt["beta"]]
        words += ["--elo-model", config.sprt["model"]]
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


def _default_games(options: ArenaOptions) -> int:
    if options.sprt is not None:
        return MAX_GAMES_OF_TEST
    return GAMES_PER_PAIR if options.until is None else MAX_GAMES_PER_BOT


def _read_sprt(options: ArenaOptions, bounds: tuple[str, str]) -> dict[str, str]:
    return {
        **dict(map(read_pair, bounds)),
        "alpha": str(options.alpha),
        "beta": str(options.beta),
        "model": options.elo_model,
    }


def _read_game(name: str, terms: Sequence[str]) -> Game[Any]:
    """Raises UsageError and ValueError."""
    catalogue = all_games()
    if name not in catalogue:
        close = get_close_matches(name, catalogue, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(catalogue)}"
        if is_file_of_bot(name) or any(name == kind.name for kind in all_bots()):
            hint = f"name the game first, as in gamehall arena {next(iter(catalogue))} {name}"
        raise click.UsageError(f"there is no game {name!r}; {hint}")
    kind = catalogue[name]
    given = dict(map(read_pair, terms))
    check_names_of_terms(kind, given)
    try:
        game: Game[Any] = msgspec.convert(given, kind, strict=False)
        game.start(0)
    except (msgspec.ValidationError, ValueError) as error:
        raise click.UsageError(f"wrong terms of {name}: {error}") from None
    return game


def _read_book(text: str | None, game: Game[Any]) -> Book:
    """Raises UsageError."""
    try:
        if text is None:
            return default_book(game)
        if text.startswith(RANDOM):
            return read_random(text)
        return read_book(Path(text).read_text(encoding="utf-8"), game)
    except OpeningBookError as error:
        raise click.UsageError(f"--book {text}: {error}") from None
    except UnicodeError:
        raise click.UsageError(f"--book {text}: not a text file in UTF-8") from None
    except OSError as error:
        raise click.UsageError(f"--book {text}: {error.strerror}") from None


def _check_bot(entry: ArenaEntry, config: ArenaConfig, game: Game[Any]) -> None:
    """Raise UsageError if there is no such bot, or if it does not start."""
    try:
        if entry.is_built_in:
            choose_bot(entry.text, game.name, lambda: 0.0, None)
            return
    except BotChoiceError as error:
        raise click.UsageError(str(error)) from None
    bot = IsolatedBot(
        text=entry.text, game=game, limits=config.limits, seconds_per_move=entry.seconds_per_move
    )
    try:
        bot.begin(0)
    except BotError as fault:
        raise click.UsageError(str(fault).partition("\n")[0]) from None
    finally:
        bot.close()
