"""The JSON objects that are sent, in both directions."""

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
"""What `victor` says where nobody has won (A-Q23)."""

CARD_MOVES: dict[str, Callable[[CardName], Move]] = {
    "acquire": Acquire,
    "play": PlayCard,
    "defeat": Defeat,
    "activate": Activate,
}

BOM = b"\xef\xbb\xbf"
"""What some editors put before a text."""

MOST_WISHES = 256
"""Moves in one request: many more than a turn can have."""

LONGEST_SHOWN = 60
"""How much of what a client sent is quoted to it."""


class BodyError(GamehallError):
    """The body of a request is not what it should be, for this reason."""


def read_body(body: bytes) -> dict[str, Any]:
    """The JSON object in the body of a request. Raises BodyError."""
    try:
        value = msgspec.json.decode(body.removeprefix(BOM))
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise BodyError(f"the body is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise BodyError("the body must be a JSON object")
    return value


def read_player(value: object) -> Seat | None:
    """The seat of a player_index, None if it is none: numbers, also in quotes (A-Q08)."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    return {0: Seat.FIRST, 1: Seat.SECOND, "0": Seat.FIRST, "1": Seat.SECOND}.get(value)


def seat_of(value: object) -> Seat:
    """The seat of a player_index. Raises ValueError."""
    seat = read_player(value)
    if seat is None:
        raise ValueError("there is no such player")
    return seat


def read_wish(value: object, is_strict: bool) -> PlannedMove[Move] | UnreadableMove:
    """What one of the moves that a client sends is meant to be."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return UnreadableMove("a move is an object with a type and, mostly, a card_name")
    targets = value.get("targets") or []
    if not isinstance(targets, list):
        return UnreadableMove("targets must be a list")
    if not all(target is None or isinstance(target, str) for target in targets):
        return UnreadableMove("targets are names of cards, or null")
    move = _read_move(value["type"], value.get("card_name"), is_strict)
    return move if isinstance(move, UnreadableMove) else PlannedMove(move, tuple(targets))


def read_wishes(
    moves: list[object], is_strict: bool
) -> tuple[PlannedMove[Move] | UnreadableMove, ...]:
    """What the moves are meant to be, up to the first that is none: nothing after it counts."""
    wishes: list[PlannedMove[Move] | UnreadableMove] = []
    for move in moves:
        if len(wishes) == MOST_WISHES:
            wishes.append(UnreadableMove(f"{MOST_WISHES} moves at a time are enough"))
            break
        wishes.append(read_wish(move, is_strict))
        if isinstance(wishes[-1], UnreadableMove):
            break
    return tuple(wishes)


def _read_move(kind: str, name: object, is_strict: bool) -> Move | UnreadableMove:
    if kind == "end_turn":
        return EndTurn()
    if kind == "choose":
        if name is not None and not isinstance(name, str):
            return UnreadableMove("the card_name of choose must be a string or null")
        option = read_option(name) if name else ""
        return UnreadableMove(f"{quote(name)} is no option") if option is None else Choose(option)
    if kind not in CARD_MOVES:
        return UnreadableMove(
            f"there is no move {quote(kind)}: "
            "there are acquire, play, defeat, activate, choose, end_turn"
        )
    if not isinstance(name, str) or not name:
        return UnreadableMove(f"{kind} needs a card_name")
    known = card_named(name)
    if known is None or (is_strict and known != name):
        return UnreadableMove(f"there is no card {quote(name)}")
    return CARD_MOVES[kind](known)


def write_move(move: Move) -> tuple[str, str]:
    """The type of a move and its card_name, "" if it has none (A-Q28)."""
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


def write_wish(wish: PlannedMove[Move]) -> Mapping[str, object]:
    """One of the moves that a client sends."""
    kind, name = write_move(wish.move)
    written: dict[str, object] = {"type": kind}
    if kind != "end_turn":
        written["card_name"] = name
    targets = list(wish.targets)
    if isinstance(wish.move, Activate) and CARDS[wish.move.card].exchange:
        # Which of its two abilities is meant (A-Q15).
        targets = [wish.move.ability.value or POWER]
    if targets:
        written["targets"] = targets
    return written


def names(value: object, may_be_hidden: bool = False) -> tuple[CardName, ...]:
    """Return a list of names of cards; `may_be_hidden`: also of hidden ones. Raises ValueError."""
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError("a list of names of cards was expected")
    return tuple(_card(name, may_be_hidden) for name in value)


def _card(name: str, may_be_hidden: bool) -> CardName:
    known = HIDDEN if may_be_hidden and name == HIDDEN else card_named(name)
    if known is None:
        raise ValueError(f"there is no card {quote(name)}")
    return known


def quote(text: object) -> str:
    """The beginning of what a client said, as it can be shown to anybody."""
    return repr(str(text)[:LONGEST_SHOWN])
