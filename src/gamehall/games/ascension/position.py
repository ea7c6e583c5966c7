"""One moment of a game of Ascension, and what a move does to it."""

from collections.abc import Iterator
from typing import Self

from gamehall.core import Chance, IllegalMove, Outcome, Position, Seat
from gamehall.games.ascension import acts, diagram, legality, picture, turns, views
from gamehall.games.ascension.answers import answer
from gamehall.games.ascension.board import Board, Side, Supply
from gamehall.games.ascension.cards import (
    CARDS,
    CENTER,
    HEAVY_INFANTRY,
    MYSTIC,
    STARTERS,
)
from gamehall.games.ascension.draft import Draft
from gamehall.games.ascension.effects import Asking
from gamehall.games.ascension.moves import (
    Acquire,
    Activate,
    CardName,
    Choose,
    Defeat,
    EndTurn,
    Move,
    Play,
)
from gamehall.games.ascension.resolution import resolve_agenda

MOST_TURNS = 1000
"""Ten times as many as a long game has."""


class AscensionPosition(Position[Move], frozen=True):
    """The board, and the terms that matter at the end.

    `to_move` is who must move or choose.
    """

    board: Board
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
        """The first position: shuffled decks, hands of five, six cards in the row (AR-01)."""
        starters = tuple(card.name for card in STARTERS for _ in range(card.copies))
        center = tuple(card.name for card in CENTER for _ in range(card.copies))
        first, chance = _shuffled(Chance(seed), starters)
        second, chance = _shuffled(chance, starters)
        center_deck, chance = _shuffled(chance, center)
        size = turns.HAND_SIZE
        board = Board(
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
            return self._with(None, turns.outcome(board, self.ties), board)
        return self._with(board.pending.seat if board.pending else board.turn_owner, None, board)

    def seen_by(self, viewer: Seat | None) -> Self:
        """The position without the decks, what chance will bring, and the hands of others."""
        return self._with(self.to_move, self.outcome, views.of(self.board, viewer))

    def seen_with_open_hands(self) -> Self:
        """The position for everybody, where hands are played openly (A-Q18)."""
        return self._with(self.to_move, self.outcome, views.open_hands(self.board))

    def scores(self) -> tuple[int, int]:
        """What both would have if the game ended here."""
        return turns.scores(self.board)

    def picture(self) -> str:
        return picture.draw(self.board, self.outcome)

    def diagram(self) -> str:
        return diagram.write(self.board, self.outcome)

    def _with(self, to_move: Seat | None, outcome: Outcome | None, board: Board) -> Self:
        return type(self)(to_move, outcome, board, self.ties, self.most_turns)


def _make(draft: Draft, move: Move, most_turns: int) -> bool:
    """Does what the move says, up to what it puts onto the agenda; False if it ends the game."""
    match move:
        case Play(name):
            acts.play(draft, name)
        case Acquire(name):
            acts.acquire(draft, name)
        case Defeat(name):
            draft.power -= CARDS[name].cost
            acts.defeat(draft, name)
        case Activate(name, ability):
            acts.activate(draft, name, ability)
        case Choose(option):
            # While a choice is pending, what has asked for it is the first on the agenda; only
            # clients that were not told what has asked do not have it, nor what follows.
            asking, draft.agenda = draft.agenda[:1], draft.agenda[1:]
            draft.pending = None
            if asking and isinstance(asking[0].effect, Asking):
                answer(draft, asking[0].effect, option)
        case EndTurn():
            return turns.end_turn(draft, most_turns)
    return True


def _shuffled(chance: Chance, cards: tuple[CardName, ...]) -> tuple[tuple[CardName, ...], Chance]:
    order, chance = chance.shuffled(cards)
    return tuple(CardName(name) for name in order), chance
