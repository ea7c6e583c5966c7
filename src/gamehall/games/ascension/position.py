"""A position of Ascension: what a move does, and what each player may see of it."""

from collections.abc import Iterator
from typing import Self

import msgspec

from gamehall.core import Chance, IllegalMove, Outcome, Position, Seat
from gamehall.games.ascension import actions, legality, notation, picture
from gamehall.games.ascension.actions import answer, resolve_agenda
from gamehall.games.ascension.board import AscensionBoard, Choice, Draft, Side, Supply
from gamehall.games.ascension.cards import (
    CARDS,
    CENTER,
    HEAVY_INFANTRY,
    MYSTIC,
    STARTERS,
)
from gamehall.games.ascension.choices import FROM_HAND, zone_asked
from gamehall.games.ascension.effects import Asking, Zone
from gamehall.games.ascension.moves import (
    HIDDEN,
    Acquire,
    Activate,
    CardName,
    Choose,
    Defeat,
    EndTurn,
    Move,
    PlayCard,
)

UNKNOWN_CHANCE = Chance(0)


def _view_for(board: AscensionBoard, viewer: Seat | None) -> AscensionBoard:
    """Return what the player in that seat may see; None is a spectator, who sees no hand.

    Cards that a viewer may not know keep their number but not their names: the decks always, and
    the hand of the other player. So boards that differ only in these look the same.
    """
    first, second = board.sides
    sides = (
        _view_of_side(first, shows_hand=viewer is Seat.FIRST),
        _view_of_side(second, shows_hand=viewer is Seat.SECOND),
    )
    pending = board.pending
    if pending and pending.seat is not viewer:
        pending = _without_hand(board, pending)
    return _with_hidden_decks(board, sides, pending)


def _with_open_hands(board: AscensionBoard) -> AscensionBoard:
    """Return what everyone may see where hands are played openly (A-Q18)."""
    first, second = board.sides
    sides = (_view_of_side(first, shows_hand=True), _view_of_side(second, shows_hand=True))
    return _with_hidden_decks(board, sides, board.pending)


def _with_hidden_decks(
    board: AscensionBoard, sides: tuple[Side, Side], pending: Choice | None
) -> AscensionBoard:
    return msgspec.structs.replace(
        board,
        chance=UNKNOWN_CHANCE,
        sides=sides,
        center_deck=_backs(board.center_deck),
        pending=pending,
    )


def _view_of_side(side: Side, *, shows_hand: bool) -> Side:
    hand = side.hand if shows_hand else _backs(side.hand)
    return msgspec.structs.replace(side, deck=_backs(side.deck), hand=hand)


def _backs(cards: tuple[CardName, ...]) -> tuple[CardName, ...]:
    return (HIDDEN,) * len(cards)


def _without_hand(board: AscensionBoard, pending: Choice) -> Choice:
    """Return the choice without the options that are cards of the hand."""
    if zone_asked(board) is Zone.HAND:
        return msgspec.structs.replace(pending, options=())
    options = tuple(option for option in pending.options if not option.startswith(FROM_HAND))
    return msgspec.structs.replace(pending, options=options)


MOST_TURNS = 1000
"""Ten times the length of a long game."""


class AscensionPosition(Position[Move], frozen=True):
    """The board, and the terms that matter at the end.

    `to_move` is who must move or choose.
    """

    board: AscensionBoard
    ties: bool
    """Whether the game may end in a tie."""
    most_turns: int = MOST_TURNS
    """After how many turns it ends at the latest."""

    @classmethod
    def start(
        cls,
        seed: int,
        honor: int,
        ties: bool,
        most_turns: int,
        supply: Supply = Supply.COUNTED,
    ) -> Self:
        """Return the first position: shuffled decks, hands of five, six cards in the row."""
        starters = tuple(card.name for card in STARTERS for _ in range(card.copies))
        center = tuple(card.name for card in CENTER for _ in range(card.copies))
        first, chance = _shuffled(Chance(seed), starters)
        second, chance = _shuffled(chance, starters)
        center_deck, chance = _shuffled(chance, center)
        size = actions.HAND_SIZE
        board = AscensionBoard(
            chance,
            (
                Side(deck=first[size:], hand=first[:size]),
                Side(deck=second[size:], hand=second[:size]),
            ),
            center_deck=center_deck,
            row=(),
            void=(),
            mystics=CARDS[MYSTIC].copies,
            heavies=CARDS[HEAVY_INFANTRY].copies,
            honor_pool=honor,
            supply=supply,
        )
        draft = Draft(board)
        draft.refill_row(0)
        return cls(Seat.FIRST, None, draft.finished(), ties, most_turns)

    def legal_moves(self) -> Iterator[Move]:
        return iter(()) if self.to_move is None else legality.legal_moves(self.board)

    def after(self, move: Move) -> Self:
        if self.to_move is None:
            reason = self.outcome.reason if self.outcome else ""
            raise IllegalMove(f"the game is over: {reason}")
        objection = legality.objection(self.board, move)
        if objection:
            raise IllegalMove(objection)
        draft = Draft(self.board)
        goes_on = _make(draft, move, self.most_turns)
        resolve_agenda(draft)
        board = draft.finished()
        if not goes_on:
            return self._with(None, actions.outcome(board, self.ties), board)
        return self._with(board.pending.seat if board.pending else board.turn_owner, None, board)

    def seen_by(self, viewer: Seat | None) -> Self:
        """Return the position without the decks, the seed, and the hands of other players."""
        return self._with(self.to_move, self.outcome, _view_for(self.board, viewer))

    def seen_with_open_hands(self) -> Self:
        """Return the position for everyone, where hands are played openly (A-Q18)."""
        return self._with(self.to_move, self.outcome, _with_open_hands(self.board))

    def scores(self) -> tuple[int, int]:
        """Return both scores if the game ended here."""
        return actions.scores(self.board)

    def picture(self) -> str:
        return picture.draw(self.board, self.outcome)

    def diagram(self) -> str:
        return notation.write_diagram(self.board, self.outcome)

    def _with(self, to_move: Seat | None, outcome: Outcome | None, board: AscensionBoard) -> Self:
        return type(self)(to_move, outcome, board, self.ties, self.most_turns)


def _make(draft: Draft, move: Move, most_turns: int) -> bool:
    """Make the move, except for the effects on the agenda; return False if it ends the game."""
    match move:
        case PlayCard(name):
            actions.play(draft, name)
        case Acquire(name):
            actions.acquire(draft, name)
        case Defeat(name):
            draft.power -= CARDS[name].cost
            actions.defeat(draft, name)
        case Activate(name, ability):
            actions.activate(draft, name, ability)
        case Choose(option):
            # While a choice is pending, what has asked for it is the first on the agenda; only
            # clients that were not told what has asked do not have it, nor what follows.
            asking, draft.agenda = draft.agenda[:1], draft.agenda[1:]
            draft.pending = None
            if asking and isinstance(asking[0].effect, Asking):
                answer(draft, asking[0].effect, option)
        case EndTurn():
            return actions.end_turn(draft, most_turns)
    return True


def _shuffled(chance: Chance, cards: tuple[CardName, ...]) -> tuple[tuple[CardName, ...], Chance]:
    order, chance = chance.shuffled(cards)
    return tuple(CardName(name) for name in order), chance
