"""What servers tell, in words for a person."""

import dataclasses
import math
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from typing import Any

from gamehall.core import Game, Outcome, Seat
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
"""What a person needs for a turn: a shorter limit was made for programs."""

LONGEST_TEXT = 500
SEAT_WORDS = {Seat.FIRST: "first player", Seat.SECOND: "second player"}


def harmless(text: str) -> str:
    """Text of somebody else as it can be shown: nothing in it moves the cursor or has colours."""
    short = text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "..."
    return "".join(letter if letter.isprintable() else "?" for letter in short)


def greeting(game: str, door: str, name: str, seconds_per_turn: float | None) -> list[Line]:
    """The first words. `seconds_per_turn` is None if there is no limit.

    No document has the server tell the limit: it is what doors are set to by default, or what the
    person has said with --set.
    """
    lines = [Line(LineKind.IMPORTANT, f"{game} at {door}, as {harmless(name)}.")]
    if seconds_per_turn is not None:
        lines.append(
            Line(
                LineKind.WARNING if seconds_per_turn < SECONDS_FOR_A_PERSON else LineKind.INFO,
                f"Turns at this door last {seconds_per_turn:g} seconds, unless its host has set"
                " another limit. A player who takes longer loses. If that is too fast for you,"
                " leave with Ctrl-C before the game begins.",
            )
        )
    waiting = "Type ? for help; Ctrl-C leaves. Waiting for the server and the others."
    return [*lines, Line(LineKind.HINT, waiting)]


def prompt_to_move(seconds_left: float | None) -> str:
    """What stands before the move that a person types, with the time that is left if it runs."""
    return "your move> " if seconds_left is None else f"your move ({math.ceil(seconds_left)} s)> "


def unseen_turn(how_to_write: str, own_moves: Sequence[str]) -> list[Line]:
    """What a person needs to know who is to move in a position that the server does not show."""
    words = [f"This server shows no board, so what you type is sent unchecked: {how_to_write}."]
    if own_moves:
        words.append(f"Your moves so far: {', '.join(own_moves)}.")
    return [Line(LineKind.INFO, line) for line in words]


def not_now(typed: str, is_over: bool) -> Line:
    """Why a move cannot be made by a player whose turn it is not."""
    if is_over:
        return Line(LineKind.ERROR, "The game is over.")
    return Line(
        LineKind.ERROR, f"{harmless(typed)}: it is not your turn, or no command (? for help)."
    )


def announce(notice: Notice[Any]) -> Line | None:
    """What the server says, as far as it can be said without knowing what was before."""
    match notice:
        case Seated(None):
            return Line(LineKind.INFO, "There is no free seat: you watch.")
        case Seated(Seat() as seat):
            return Line(LineKind.INFO, f"You are the {SEAT_WORDS[seat]}.")
        case TermsProposed(seat, game):
            return Line(
                LineKind.INFO,
                f"The terms: {_describe_terms(game)}; you are the {SEAT_WORDS[seat]}.",
            )
        case TermsAgreed():
            return Line(LineKind.INFO, "Both agree: the game begins.")
        case TournamentBegan(name):
            called = f": you are called {harmless(name)}" if name else ""
            return Line(LineKind.INFO, f"The tournament begins{called}.")
        case MatchBegan(opponent=opponent):
            against = f" against {harmless(opponent)}" if opponent else ""
            return Line(LineKind.INFO, f"A match{against} begins.")
        case TurnUnseen(is_placing):
            return Line(
                LineKind.IMPORTANT, "Your turn to place." if is_placing else "Your turn to move."
            )
        case EndUnseen():
            return Line(LineKind.RESULT, "The game is over; this server does not say who has won.")
        case TournamentEnded():
            return Line(LineKind.RESULT, _describe_tournament(notice))
        case ChatSent(name, text):
            return Line(LineKind.CHAT, harmless(text), harmless(name))
        case RequestRejected(reason) | MoveRefused(reason=reason):
            return Line(LineKind.ERROR, f"The server refuses: {harmless(reason)}")
        case Refused(refusal) if refusal is not Refusal.FULL:
            return Line(LineKind.ERROR, f"The server does not let you in: {refusal.value}.")
        case _:
            return None


def _describe_terms(game: Game[Any]) -> str:
    """The game and its terms, in words."""
    terms = dataclasses.fields(game)  # type: ignore[arg-type]
    written = [
        f"{term.name.replace('_', ' ')}: {_write(getattr(game, term.name))}" for term in terms
    ]
    return f"{game.title} ({', '.join(written)})" if written else game.title


def _describe_tournament(ended: TournamentEnded) -> str:
    """What a tournament has come to."""
    scores = Counter(win.winner for win in ended.wins).most_common()
    won = ", ".join(f"{harmless(name)} has won {count}" for name, count in scores)
    out = f"; sent away: {harmless(', '.join(ended.cheaters))}" if ended.cheaters else ""
    return f"The tournament is over: {won or 'nobody has won'}{out}."


def describe_result(
    result: Result,
    outcome: Outcome | None,
    seat: Seat | None,
    *,
    game: type[Game[Any]] = Game,
    opponent: str = "the other player",
) -> str:
    """How a match ended, for who sat in that seat; None watched, or was never told."""
    how = "" if result.ending in NAMED_BY_DETAIL else f" ({result.ending.value})"
    reason = outcome.reason if outcome else result.detail
    if result.winner is not None and result.ending is Ending.PLAYED_OUT:
        who = {Seat.FIRST: "the first player", Seat.SECOND: "the second player"}
        if seat is not None:
            who = {seat: "you", seat.other: opponent}
        reason = game.why_won(reason, who[result.winner], who[result.winner.other])
    why = f": {harmless(reason)}"
    if outcome is None and " " not in result.detail:
        # A single word, such as WINNER, only says again who has won.
        why = ""
    if result.winner is None and outcome is not None:
        return f"A draw{how}{why}."
    if result.winner is None:
        # Where the rules have decided, somebody may have won: the server has not said who.
        is_unknown = result.ending is Ending.PLAYED_OUT
        return f"{'The game is over' if is_unknown else 'Nobody wins'}{how}{why}."
    if seat is None:
        return f"The {SEAT_WORDS[result.winner]} has won{how}{why}."
    return f"You have {'won' if result.winner is seat else 'lost'}{how}{why}."


def _write(value: object) -> str:
    if isinstance(value, Seat):
        return value.name.lower()
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value.value) if isinstance(value, Enum) else str(value)
