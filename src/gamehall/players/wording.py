"""Notices and results in words."""

import dataclasses
import math
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from typing import Any

from gamehall.core import SEAT_NAMES, Game, Outcome, Seat
from gamehall.match import Ending, MoveRefused, Result
from gamehall.match.events import NAMED_BY_DETAIL
from gamehall.players.shown import Line, LineKind
from gamehall.rooms.notices import (
    ChatSent,
    EndUnseen,
    MatchBegan,
    Notice,
    Refusal,
    Refused,
    RequestRejected,
    Seated,
    TermsAgreed,
    TermsProposed,
    TournamentBegan,
    TournamentEnded,
    TurnUnseen,
)

SECONDS_FOR_A_PERSON = 60
"""A person is warned about a shorter limit for a turn."""

LONGEST_TEXT = 500


def sanitize(text: str) -> str:
    """Return text from another player, shortened and without control characters."""
    short = text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "..."
    return "".join(letter if letter.isprintable() else "?" for letter in short)


def greeting(game: str, door: str, name: str, seconds_per_turn: float | None) -> list[Line]:
    """Return the first lines. `seconds_per_turn` is None if there is no limit.

    In no protocol does the server send the limit: it is the default, or what the person has given
    with --set.
    """
    lines = [Line(LineKind.IMPORTANT, f"{game} at {door}, as {sanitize(name)}.")]
    if seconds_per_turn is not None:
        lines.append(
            Line(
                LineKind.WARNING if seconds_per_turn < SECONDS_FOR_A_PERSON else LineKind.INFO,
                f"A turn at this door lasts {seconds_per_turn:g} seconds, unless the server is set"
                " to another limit. A player who takes longer loses. If that is too fast for you,"
                " leave with Ctrl-C before the game begins.",
            )
        )
    waiting = "Type ? for help; Ctrl-C leaves. Waiting for the server and the others."
    return [*lines, Line(LineKind.HINT, waiting)]


def prompt_to_move(seconds_left: float | None) -> str:
    """Return the prompt for a move, with the time that is left if it is limited."""
    return "your move> " if seconds_left is None else f"your move ({math.ceil(seconds_left)} s)> "


def unseen_turn(how_to_write: str, own_moves: Sequence[str]) -> list[Line]:
    """Return what a person needs to know to move in a position that the server does not show."""
    words = [f"This server shows no board, so what you type is sent unchecked: {how_to_write}."]
    if own_moves:
        words.append(f"Your moves so far: {', '.join(own_moves)}.")
    return [Line(LineKind.INFO, line) for line in words]


def not_now(typed: str, is_over: bool) -> Line:
    """Return why a move cannot be made when it is not the player's turn."""
    if is_over:
        return Line(LineKind.ERROR, "The game is over.")
    return Line(
        LineKind.ERROR, f"{sanitize(typed)}: not a command, and it is not your turn (? for help)."
    )


def announce(notice: Notice[Any]) -> Line | None:
    """Return a notice in words. None if it has no words of its own, or needs to know the match."""
    match notice:
        case Seated(None):
            return Line(LineKind.INFO, "There is no free seat: you watch.")
        case Seated(Seat() as seat):
            return Line(LineKind.INFO, f"You are the {SEAT_NAMES[seat]}.")
        case TermsProposed(seat, game):
            return Line(
                LineKind.INFO,
                f"The terms: {_describe_terms(game)}; you are the {SEAT_NAMES[seat]}.",
            )
        case TermsAgreed():
            return Line(LineKind.INFO, "Both agree: the game begins.")
        case TournamentBegan(name):
            called = f": you are called {sanitize(name)}" if name else ""
            return Line(LineKind.INFO, f"The tournament begins{called}.")
        case MatchBegan(opponent=opponent):
            against = f" against {sanitize(opponent)}" if opponent else ""
            return Line(LineKind.INFO, f"A match{against} begins.")
        case TurnUnseen(is_placing):
            return Line(
                LineKind.IMPORTANT, "Your turn to place." if is_placing else "Your turn to move."
            )
        case EndUnseen():
            return Line(LineKind.RESULT, "The game is over; this server does not say who has won.")
        case TournamentEnded():
            return Line(LineKind.RESULT, _describe_tournament(notice))
        case ChatSent(text=text, is_from_server=True):
            return Line(LineKind.IMPORTANT, f"{sanitize(text)}.")
        case ChatSent(name, text):
            return Line(LineKind.CHAT, sanitize(text), sanitize(name))
        case RequestRejected(reason) | MoveRefused(reason=reason):
            return Line(LineKind.ERROR, f"The server refuses: {sanitize(reason)}")
        case Refused(refusal) if refusal is not Refusal.FULL:
            return Line(LineKind.ERROR, f"The server refuses this name: {refusal.value}.")
        case _:
            return None


def _describe_terms(game: Game[Any]) -> str:
    terms = dataclasses.fields(game)  # type: ignore[arg-type]
    written = [
        f"{term.name.replace('_', ' ')}: {_write(getattr(game, term.name))}" for term in terms
    ]
    return f"{game.title} ({', '.join(written)})" if written else game.title


def _describe_tournament(ended: TournamentEnded) -> str:
    scores = Counter(win.winner for win in ended.wins).most_common()
    won = ", ".join(f"{sanitize(name)} has won {count}" for name, count in scores)
    out = f"; removed: {sanitize(', '.join(ended.cheaters))}" if ended.cheaters else ""
    return f"The tournament is over: {won or 'no player has won'}{out}."


def describe_result(
    result: Result,
    outcome: Outcome | None,
    seat: Seat | None,
    *,
    game: type[Game[Any]] = Game,
    opponent: str = "the other player",
) -> str:
    """Return how a match ended, for the player in `seat`; None for a spectator, or if unknown."""
    how = "" if result.ending in NAMED_BY_DETAIL else f" ({result.ending.value})"
    reason = outcome.reason if outcome else result.detail
    if result.winner is not None and result.ending is Ending.PLAYED_OUT:
        who = {one: f"the {name}" for one, name in SEAT_NAMES.items()}
        if seat is not None:
            who = {seat: "you", seat.other: opponent}
        reason = game.why_won(reason, who[result.winner], who[result.winner.other])
    why = f": {sanitize(reason)}"
    if outcome is None and " " not in result.detail:
        # A single word, such as WINNER, only repeats who has won.
        why = ""
    if result.winner is None and outcome is not None:
        return f"A draw{how}{why}."
    if result.winner is None:
        # If the game was played to its end, there may be a winner that the server has not named.
        is_unknown = result.ending is Ending.PLAYED_OUT
        return f"{'The game is over' if is_unknown else 'Nobody wins'}{how}{why}."
    if seat is None:
        return f"The {SEAT_NAMES[result.winner]} has won{how}{why}."
    return f"You have {'won' if result.winner is seat else 'lost'}{how}{why}."


def _write(value: object) -> str:
    if isinstance(value, Seat):
        return value.name.lower()
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value.value) if isinstance(value, Enum) else str(value)
