"""How matches begin: with some moves at random, or with those of a book.

A book is a text file. Every line is a beginning: moves in the notation of the game, with semicolons
between them, as in `d1; d2; c1`. A line may begin with `seed=17;` where the game knows chance. What
follows a `#` is a remark. Blank lines are skipped.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from gamehall.core import Game, GamehallError, Position, SeededRandom

RANDOM = "random:"
MOST_RANDOM_MOVES = 100
TRIES = 100
"""How often a random beginning that ends the match is drawn again."""
SEED = "seed="


class OpeningBookError(GamehallError):
    """A book that cannot be used. The text tells a person which line is wrong, and why."""


class OpeningLine(msgspec.Struct, frozen=True):
    """A beginning that is listed."""

    moves: tuple[str, ...]
    seed: int | None = None


class Book(msgspec.Struct, frozen=True):
    """How matches begin; by the rules alone, unless something is said."""

    random_moves: int = 0
    lines: tuple[OpeningLine, ...] = ()
    """Taken in turn; if there are any, nothing is random."""


class Opening(NamedTuple):
    """How one encounter begins."""

    seed: int
    moves: list[Any]


def usual_book(game: Game[Any]) -> Book:
    """Where no chance makes matches differ, two random moves do."""
    return Book(0 if game.start(0) != game.start(1) else 2)


def read_random(text: str) -> Book:
    """The book that is written `random:N`. Raises OpeningBookError."""
    digits = text.removeprefix(RANDOM)
    if not (digits.isascii() and digits.isdecimal() and int(digits) <= MOST_RANDOM_MOVES):
        raise OpeningBookError(f"{text!r}: write random:N with N from 0 to {MOST_RANDOM_MOVES}")
    return Book(int(digits))


def read_book(content: str, game: Game[Any]) -> Book:
    """The book that a file holds; every line is played through. Raises OpeningBookError."""
    lines: list[OpeningLine] = []
    for number, text in enumerate(content.splitlines(), 1):
        words = [word for word in map(str.strip, text.partition("#")[0].split(";")) if word]
        if words:
            try:
                lines.append(_read_line(words, game))
            except OpeningBookError as error:
                raise OpeningBookError(f"line {number}: {error}") from None
    if not lines:
        raise OpeningBookError("there is no line in it")
    return Book(lines=tuple(lines))


def draw_opening(book: Book, game: Game[Any], number: int, seed: int) -> Opening:
    """The beginning of the encounter of this number, whose chance is under this seed."""
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
    # A game that is over so soon begins by its rules.
    return Opening(seed, [])


def _random_moves(position: Position[Any], count: int, chance: SeededRandom) -> list[Any] | None:
    """So many moves, None if they end the match."""
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
            raise OpeningBookError(f"{words[0]!r} is no seed: write a number")
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
