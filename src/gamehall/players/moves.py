"""Parsing typed moves, and listing moves, in the notation of any game."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from gamehall.core import Game, GamehallError, IllegalMove, MoveT, Position

SEPARATED = re.compile(r"(.*[^A-Za-z0-9])([A-Za-z0-9]+)")
LETTERS_AND_NUMBER = re.compile(r"([A-Za-z]+)(\d+)")


class MoveTextError(GamehallError):
    """The typed text is not a possible move. The message says why."""


def written_moves(game: Game[MoveT], position: Position[MoveT]) -> dict[str, MoveT]:
    """Return the legal moves by their notation, in the position's own order."""
    return {game.write_move(move): move for move in position.legal_moves()}


def read_typed(game: Game[MoveT], position: Position[MoveT], text: str) -> MoveT:
    """Return the legal move that the text means. Raises MoveTextError.

    Case, spaces and punctuation do not matter. The last letter may be missing, and all words but
    the first may be shortened, as long as only one move begins like that.
    """
    legal = written_moves(game, position)
    typed = _squeezed(text)
    same = [written for written in legal if _squeezed(written) == typed]
    if len(same) == 1:
        return legal[same[0]]
    try:
        move = read_unchecked(game, text)
    except MoveTextError as error:
        return legal[_completed(list(legal), text, error)]
    if move in legal.values():
        return move
    raise MoveTextError(f"{game.write_move(move)} is not possible: {_rule(position, move)}")


def read_unchecked(game: Game[MoveT], text: str) -> MoveT:
    """Parse a move, legal or not. Raises MoveTextError."""
    try:
        return game.read_move(text)
    except ValueError as error:
        message = str(error)
    try:
        return game.read_move("".join(text.split()))
    except ValueError:
        raise MoveTextError(message) from None


def how_to_write(game: Game[Any]) -> str:
    """Return how to write moves of a game, taken from its error message for an invalid one."""
    try:
        game.read_move("?")
    except ValueError as error:
        return str(error).partition(": ")[2] or str(error)
    return ""


def example(game: Game[Any], position: Position[Any]) -> str:
    """Return a legal move as an example, "" if there is none."""
    written = list(written_moves(game, position))
    if not written:
        return ""
    # Moves in words are listed with the most usual first. On a board the middle is a good example.
    return written[0] if " " in written[0] else written[len(written) // 2]


def list_moves(game: Game[Any], position: Position[Any]) -> list[str]:
    """Return all legal moves, grouped by their beginning: `A1-9`, `c3-c4+b3,b5`, `play A, B`."""
    groups: dict[str, list[str]] = {}
    for written in written_moves(game, position):
        head, tail = _split(written)
        groups.setdefault(head, []).append(tail)
    return [_write_group(head, tails) for head, tails in groups.items()]


def _squeezed(text: str) -> str:
    """Return the letters and digits of a text in lower case."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _completed(legal: Sequence[str], text: str, error: MoveTextError) -> str:
    """Return the only legal move that the text abbreviates. Raises MoveTextError."""
    words = text.casefold().split()
    found = [written for written in legal if _is_short_for(words, written)]
    if len(found) == 1:
        return found[0]
    close = found or get_close_matches(text, legal, n=3)
    hint = f"; did you mean {' or '.join(close)}?" if 0 < len(close) <= 3 else ""
    raise MoveTextError(f"{error}{hint}")


def _is_short_for(words: list[str], written: str) -> bool:
    whole = written.casefold()
    begins = bool(words) and whole.startswith(" ".join(words))
    is_first_word_whole = bool(words) and whole.split()[0] == words[0]
    return begins and (is_first_word_whole or len(whole) - len(" ".join(words)) == 1)


def _rule(position: Position[MoveT], move: MoveT) -> str:
    """Return the rule that forbids a move."""
    try:
        position.after(move)
    except IllegalMove as rule:
        return str(rule)
    return "it is not a legal move"


def _split(written: str) -> tuple[str, str]:
    """Split a move into the part that similar moves share, and the rest."""
    if " " in written:
        head, blank, tail = written.partition(" ")
        return head + blank, tail
    found = SEPARATED.fullmatch(written) or LETTERS_AND_NUMBER.fullmatch(written)
    return (found[1], found[2]) if found else (written, "")


def _write_group(head: str, tails: list[str]) -> str:
    if all(tail.isdecimal() for tail in tails):
        return head + _ranges(sorted(map(int, tails)))
    return head + (", " if head.endswith(" ") else ",").join(tails)


def _ranges(numbers: list[int]) -> str:
    """Return sorted numbers with ranges: `1-4,6,8-9`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
