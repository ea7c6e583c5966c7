"""What the planner does without looking ahead: a whole turn, move by move."""

from collections.abc import Callable, Sequence

from gamehall.bots.ascension.choosing import ranked_choices
from gamehall.bots.ascension.situation import Owned, Situation
from gamehall.bots.ascension.spending import Purse, Spending
from gamehall.bots.ascension.weights import Weights
from gamehall.games.ascension import CARDS, AscensionPosition
from gamehall.games.ascension.board import Board
from gamehall.games.ascension.cards import Card
from gamehall.games.ascension.effects import (
    AcquireToDeck,
    Banish,
    CopyHero,
    DefeatFree,
    DiscardToDraw,
    Draw,
    DrawIfConstructs,
    ExtraTurn,
    HonorPerFaction,
    PowerIfLifebound,
    RuneOrPower,
    Zone,
)
from gamehall.games.ascension.moves import Activate, Move, Play

ROUNDS_TO_KEEP = 1.5
"""How many rounds must be left for an extra turn to be worth waiting with."""


def _rank(card: Card) -> int:
    """When the card is played, the lowest first.

    What is put onto the deck can be drawn; what is drawn can be played, banished and discarded; and
    what asks for something does so best when the rest is known.
    """
    if card.is_construct:
        return 0
    kinds = {type(effect) for effect in card.effects}
    own = any(isinstance(effect, Banish) and effect.zone is not Zone.ROW for effect in card.effects)
    for rank, is_it in enumerate(
        (
            AcquireToDeck in kinds,
            Draw in kinds and not own,
            DiscardToDraw in kinds,
            Draw in kinds,
            own,
            not kinds & {*_LATE, CopyHero, DefeatFree, RuneOrPower},
            bool(kinds & _LATE),
            DefeatFree in kinds,
            CopyHero in kinds,
        ),
        start=1,
    ):
        if is_it:
            return rank
    return 10


_LATE = {PowerIfLifebound, HonorPerFaction, DrawIfConstructs}
"""Effects that depend on what was played before."""

RANKS = {name: _rank(card) for name, card in CARDS.items()}


def use_of_cards(board: Board) -> Move | None:
    """What is played or used next, None if all has been. Not while a choice is pending."""
    mine = board.mine
    if mine.hand:
        return Play(min(mine.hand, key=RANKS.__getitem__))
    for construct in mine.constructs:
        effects = CARDS[construct.name].effects
        if effects and not construct.used and not isinstance(effects[0], ExtraTurn):
            return Activate(construct.name)
    return None


def extra_turn(situation: Situation) -> Move | None:
    """The use of a construct that gives an extra turn, if it is time for that."""
    if situation.rounds >= ROUNDS_TO_KEEP:
        return None
    for construct in situation.mine.constructs:
        if any(isinstance(effect, ExtraTurn) for effect in CARDS[construct.name].effects):
            return Activate(construct.name)
    return None


def ranked_moves(situation: Situation, count: int) -> Sequence[Move]:
    """Up to so many moves that look best by the appraisal of cards, the best first.

    They are for when all cards have been used, or while a choice is pending.
    """
    board = situation.board
    if board.pending:
        return ranked_choices(situation, board.pending)[:count]
    extra = extra_turn(situation)
    if extra:
        return [extra]
    purse = Purse(board.runes, board.power, board.restricted_runes, board.discount)
    return Spending(situation).first_moves(purse, count)


def habitual_move(
    position: AscensionPosition, owned: Callable[[], Owned], weights: Weights
) -> Move:
    """The move that is made without looking ahead.

    `owned` says which cards each player has, and is asked only if that matters; beside that nothing
    is looked at that is hidden.
    """
    used = None if position.board.pending else use_of_cards(position.board)
    return used or ranked_moves(Situation(position, owned(), weights), 1)[0]
