"""Openings of matches: random moves, or the lines of an opening book.

A book is a text file with an opening on each line: moves in the notation of the game, with
semicolons between them, as in `d1; d2; c1`. In games with chance a line may begin with `seed=17;`.
Comments begin with `#`. Blank lines are skipped.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from gamehall.core import Game, GamehallError, Position, SeededRandom

RANDOM = "random:"
MOST_RANDOM_MOVES = 100
TRIES = 100
"""How often random moves that end the match are drawn again."""
SEED = "seed="


class OpeningBookError(GamehallError):
    """The book cannot be used. The message names the line and the reason."""


class OpeningLine(msgspec.Struct, frozen=True):
    """A line of a book."""

    moves: tuple[str, ...]
    seed: int | None = None


class Book(msgspec.Struct, frozen=True):
    """The openings of a run: lines that are played in turn, or else a number of random moves."""

    random_moves: int = 0
    lines: tuple[OpeningLine, ...] = ()


class Opening(NamedTuple):
    """The opening of one encounter."""

    seed: int
    """The seed of the first position."""
    moves: list[Any]


def default_book(game: Game[Any]) -> Book:
    """Return two random moves, or none for a game whose first position is random."""
    return Book(0 if game.start(0) != game.start(1) else 2)


def read_random(text: str) -> Book:
    """Return the book that is written as `random:N`. Raises OpeningBookError."""
    digits = text.removeprefix(RANDOM)
    if not (digits.isascii() and digits.isdecimal() and int(digits) <= MOST_RANDOM_MOVES):
        raise OpeningBookError(f"{text!r}: write random:N with N from 0 to {MOST_RANDOM_MOVES}")
    return Book(int(digits))


def read_book(content: str, game: Game[Any]) -> Book:
    """Return the book with this content. Raises OpeningBookError for an illegal line."""
    lines: list[OpeningLine] = []
    for number, text in enumerate(content.splitlines(), 1):
        words = [word for word in map(str.strip, text.partition("#")[0].split(";")) if word]
        if words:
            try:
                lines.append(_read_line(words, game))
            except OpeningBookError as error:
                raise OpeningBookError(f"line {number}: {error}") from None
    if not lines:
        raise OpeningBookError("the file has no opening")
    return Book(lines=tuple(lines))


def draw_opening(book: Book, game: Game[Any], number: int, seed: int) -> Opening:
    """Return the opening of the encounter of this number, which has this seed."""
    if book.lines:
        line = book.lines[number % len(book.lines)]
        start = seed if line.seed is None else line.seed
        return Opening(start, [game.read_move(move) for move in line.moves])
    if not book.random_moves:
        return Opening(seed, [])
    chance = SeededRandom(seed)
    for _ in range(TRIES):
        moves = _random_moves(game.start(seed), book.random_moves, chance)
        if moves is not None:
            return Opening(seed, moves)
    # A game that ends so soon begins with its first position.
    return Opening(seed, [])


def _random_moves(position: Position[Any], count: int, chance: SeededRandom) -> list[Any] | None:
    """Return `count` random moves, None if they end the match."""
    moves: list[Any] = []
    for _ in range(count):
        moves.append(chance.pick(list(position.legal_moves())))
        position = position.after(moves[-1])
        if position.outcome is not None:
            return None
    return moves


def _read_line(words: Sequence[str], game: Game[Any]) -> OpeningLine:
    seed = None
    if words[0].startswith(SEED):
        digits = words[0].removeprefix(SEED)
        if not (digits.isascii() and digits.isdecimal()):
            raise OpeningBookError(f"{words[0]!r} is not a seed: write seed= and a number")
        seed, words = int(digits), words[1:]
    position = game.start(seed or 0)
    for word in words:
        try:
            position = position.after(game.read_move(word))
        except ValueError as error:
            raise OpeningBookError(f"{word}: {error}") from None
        if position.outcome is not None:
            raise OpeningBookError(f"the match is over after {word}")
    return OpeningLine(tuple(words), seed)
