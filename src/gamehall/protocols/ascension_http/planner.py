"""Turn the moves of a request into moves of the game, with the choices they need (A-Q15)."""

from typing import cast

from gamehall.core import Position, SeededRandom
from gamehall.games.ascension import (
    CARDS,
    Activate,
    AscensionPosition,
    Choose,
    Move,
    default_choice,
    with_choices,
)
from gamehall.games.ascension.choices import FROM_DISCARD, FROM_HAND
from gamehall.protocols.ascension_http.settings import Choices
from gamehall.rooms.polled_match import MovePlanner
from gamehall.rooms.requests import PlannedMove

DECLINE = ""


class AscensionMovePlanner(MovePlanner[Move]):
    """Makes choices by a move's targets, or by default before the next ordinary move."""

    def __init__(self, choices: Choices, shuffler: SeededRandom) -> None:
        self._choices = choices
        self._shuffler = shuffler

    def before(self, position: Position[Move], planned: PlannedMove[Move]) -> Move | None:
        pending = cast("AscensionPosition", position).board.pending
        if pending is None or isinstance(planned.move, Choose):
            return None
        if self._choices is Choices.DEFAULT:
            return default_choice(cast("AscensionPosition", position))
        declining = [DECLINE] if pending.optional else []
        return Choose(self._shuffler.pick([*pending.options, *declining]))

    def moves(self, position: Position[Move], planned: PlannedMove[Move]) -> list[Move]:
        asked = cast("AscensionPosition", position)
        move = planned.move
        if _activates_passive_construct(asked, move):
            return []
        if isinstance(move, Choose) and asked.board.pending is not None:
            move = _with_zone(move, asked.board.pending.options)
        return with_choices(asked, move, planned.targets)

    def turn(self, position: Position[Move]) -> int:
        return cast("AscensionPosition", position).board.turn


def _activates_passive_construct(position: AscensionPosition, move: Move) -> bool:
    """Return True if the move activates a construct in play that has nothing to activate.

    A client that does not know the cards activates all its constructs. A-Q17: this is accepted
    without effect, since a refusal would drop the rest of the moves. It is no move of the game.
    """
    if not isinstance(move, Activate) or CARDS[move.card].effects or CARDS[move.card].exchange:
        return False
    return any(construct.name == move.card for construct in position.board.mine.constructs)


def _with_zone(choice: Choose, options: tuple[str, ...]) -> Choose:
    """Add the zone that a choice lacks: the discard pile comes first (A-Q15)."""
    meanings = [choice.option, *(zone + choice.option for zone in (FROM_DISCARD, FROM_HAND))]
    return next((Choose(option) for option in meanings if option in options), choice)
