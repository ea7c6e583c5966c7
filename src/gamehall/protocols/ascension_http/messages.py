"""Read and write the JSON objects of requests and states."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from gamehall.core import GamehallError, Seat
from gamehall.games.ascension import (
    CARDS,
    HIDDEN,
    Acquire,
    Activate,
    CardName,
    Choose,
    Defeat,
    EndTurn,
    Move,
    PlayCard,
    card_named,
)
from gamehall.games.ascension.choices import POWER
from gamehall.games.ascension.notation import read_option
from gamehall.rooms.requests import PlannedMove, UnreadableMove

SEATS = tuple(Seat)
INDEX = {seat: index for index, seat in enumerate(SEATS)}

NOT_READY, PLAYING, ENDED = "not ready", "playing", "ended"

TIE = "tie"
"""The value of `victor` in a tie (A-Q23)."""

CARD_MOVES: dict[str, Callable[[CardName], Move]] = {
    "acquire": Acquire,
    "play": PlayCard,
    "defeat": Defeat,
    "activate": Activate,
}

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

MOST_MOVES = 256
"""Moves in one request: many more than a turn can have."""

LONGEST_QUOTED = 60
"""How much of a client's input is quoted in an error."""


class BodyError(GamehallError):
    """The body of a request is not a JSON object."""


def read_body(body: bytes) -> dict[str, Any]:
    """Return the JSON object in the body of a request. Raises BodyError."""
    try:
        value = msgspec.json.decode(body.removeprefix(BYTE_ORDER_MARK))
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise BodyError(f"the body is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise BodyError("the body must be a JSON object")
    return value


def read_player(value: object) -> Seat | None:
    """Return the seat of a player_index, None if it is invalid. It may be in quotes (A-Q08)."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    return {0: Seat.FIRST, 1: Seat.SECOND, "0": Seat.FIRST, "1": Seat.SECOND}.get(value)


def seat_of(value: object) -> Seat:
    """Return the seat of a player_index. Raises ValueError."""
    seat = read_player(value)
    if seat is None:
        raise ValueError(f"player_index is 0 or 1, not {quote(value)}")
    return seat


def _read_planned_move(value: object, is_strict: bool) -> PlannedMove[Move] | UnreadableMove:
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return UnreadableMove("a move must be an object with a type and usually a card_name")
    targets = value.get("targets") or []
    if not isinstance(targets, list):
        return UnreadableMove("targets must be a list")
    if not all(target is None or isinstance(target, str) for target in targets):
        return UnreadableMove("targets must be card names or null")
    move = _read_move(value["type"], value.get("card_name"), is_strict)
    return move if isinstance(move, UnreadableMove) else PlannedMove(move, tuple(targets))


def read_moves(
    moves: list[object], is_strict: bool
) -> tuple[PlannedMove[Move] | UnreadableMove, ...]:
    """Return the moves of a request up to the first unreadable one, after which none counts."""
    planned: list[PlannedMove[Move] | UnreadableMove] = []
    for move in moves:
        if len(planned) == MOST_MOVES:
            planned.append(UnreadableMove(f"a request has at most {MOST_MOVES} moves"))
            break
        planned.append(_read_planned_move(move, is_strict))
        if isinstance(planned[-1], UnreadableMove):
            break
    return tuple(planned)


def _read_move(kind: str, name: object, is_strict: bool) -> Move | UnreadableMove:
    if kind == "end_turn":
        return EndTurn()
    if kind == "choose":
        if name is not None and not isinstance(name, str):
            return UnreadableMove("the card_name of choose must be a string or null")
        option = read_option(name) if name else ""
        if option is None:
            return UnreadableMove(f"{quote(name)} is not an option")
        return Choose(option)
    if kind not in CARD_MOVES:
        return UnreadableMove(
            f"unknown move type {quote(kind)}: "
            "use acquire, play, defeat, activate, choose or end_turn"
        )
    if not isinstance(name, str) or not name:
        return UnreadableMove(f"{kind} needs a card_name")
    known = card_named(name)
    if known is None or (is_strict and known != name):
        return UnreadableMove(f"there is no card {quote(name)}")
    return CARD_MOVES[kind](known)


def write_move(move: Move) -> tuple[str, str]:
    """Return the type of a move and its card_name, "" if it has none (A-Q28)."""
    match move:
        case PlayCard(name):
            return "play", name
        case Acquire(name):
            return "acquire", name
        case Defeat(name):
            return "defeat", name
        case Activate(name):
            return "activate", name
        case Choose(option):
            return "choose", option
        case EndTurn():
            return "end_turn", ""


def write_planned_move(planned: PlannedMove[Move]) -> Mapping[str, object]:
    """Return a move of a request as JSON."""
    kind, name = write_move(planned.move)
    written: dict[str, object] = {"type": kind}
    if kind != "end_turn":
        written["card_name"] = name
    targets = list(planned.targets)
    if isinstance(planned.move, Activate) and CARDS[planned.move.card].exchange:
        # A-Q15: a target tells which of the two abilities is meant.
        targets = [planned.move.ability.value or POWER]
    if targets:
        written["targets"] = targets
    return written


def names(value: object, may_be_hidden: bool = False) -> tuple[CardName, ...]:
    """Return a list of card names. Raises ValueError.

    Args:
        may_be_hidden: also accept "?" for hidden cards.
    """
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError("not a list of card names")
    return tuple(_card(name, may_be_hidden) for name in value)


def _card(name: str, may_be_hidden: bool) -> CardName:
    known = HIDDEN if may_be_hidden and name == HIDDEN else card_named(name)
    if known is None:
        raise ValueError(f"there is no card {quote(name)}")
    return known


def quote(text: object) -> str:
    """Return the beginning of a value, with control characters escaped."""
    return repr(str(text)[:LONGEST_QUOTED])
