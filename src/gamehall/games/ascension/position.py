"""Positions of Ascension: legal moves and their effects, and what each player may see."""

import re
from collections.abc import Collection, Iterator
from typing import Self

import msgspec

from gamehall.core import Chance, IllegalMove, Outcome, Position, Seat, counted, quoted
from gamehall.core.game import MAX_QUOTED_LENGTH
from gamehall.games.ascension import actions, moves, notation, picture
from gamehall.games.ascension.board import (
    AscensionBoard,
    Choice,
    Draft,
    Side,
    Supply,
    can_use,
    is_mechana,
    price,
)
from gamehall.games.ascension.cards import (
    CARDS,
    CENTER,
    CULTIST,
    HEAVY_INFANTRY,
    MYSTIC,
    STARTERS,
)
from gamehall.games.ascension.choices import FROM_HAND, zone_asked
from gamehall.games.ascension.effects import Asking, Zone
from gamehall.games.ascension.moves import DECLINE, HIDDEN, Ability, CardName, Move, is_move

UNKNOWN_CHANCE = Chance(0)

MAX_TURNS = 1000
"""Ten times the length of a long game."""


class AscensionPosition(Position[Move], frozen=True):
    """The board, and the terms of the end of the game."""

    board: AscensionBoard
    ties: bool
    """Whether the game may end in a tie."""
    max_turns: int = MAX_TURNS
    """After this number of turns the round is the last."""

    @classmethod
    def start(
        cls,
        seed: int,
        honor: int,
        ties: bool,
        max_turns: int,
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
        draft = Draft.of(board)
        draft.refill_row(0)
        return cls(Seat.FIRST, None, draft.finished(), ties, max_turns)

    def legal_moves(self) -> Iterator[Move]:
        return iter(()) if self.to_move is None else _legal_moves(self.board)

    def after(self, move: Move) -> Self:
        if self.to_move is None:
            reason = self.outcome.reason if self.outcome else ""
            raise IllegalMove(f"the game is over: {reason}")
        objection = _objection(self.board, move)
        if objection:
            raise IllegalMove(objection)
        draft = Draft.of(self.board)
        is_over = not _apply(draft, move, self.max_turns)
        actions.resolve_agenda(draft)
        board = draft.finished()
        if is_over:
            return self._with(None, actions.outcome(board, self.ties), board)
        return self._with(board.pending.seat if board.pending else board.turn_owner, None, board)

    def seen_by(self, viewer: Seat | None) -> Self:
        """Return the position without the decks, the seed, and the hands of other players."""
        # By identity, because any value may be passed as the viewer.
        own_hand = [seat for seat in Seat if seat is viewer]
        return self._with(self.to_move, self.outcome, _view(self.board, own_hand))

    def seen_with_open_hands(self) -> Self:
        """Return the view of all players and spectators where hands are open (A-Q18)."""
        return self._with(self.to_move, self.outcome, _view(self.board, list(Seat)))

    def scores(self) -> tuple[int, int]:
        """Return the scores of both players if the game ended here."""
        return actions.scores(self.board)

    def tally(self) -> str:
        if self.outcome is None:
            return ""
        # The cards may be hidden, but the reason has the totals, that of the winner first.
        totals = [int(number) for number in re.findall("[0-9]+", self.outcome.reason)]
        if not totals:
            return ""
        winner = self.outcome.winner or Seat.FIRST
        pairs = ((winner, totals[0]), (winner.other, totals[-1]))
        honor = ((self.board.side(seat).honor, total) for seat, total in pairs)
        return ", ".join(f"{tokens} + {total - tokens} on cards" for tokens, total in honor)

    def picture(self) -> str:
        return picture.draw(self.board, self.outcome, is_over=self.to_move is None)

    def diagram(self) -> str:
        return notation.write_diagram(self.board, self.outcome, is_over=self.to_move is None)

    def stopped(self) -> Self:
        return self._with(None, self.outcome, self.board)

    def _with(self, to_move: Seat | None, outcome: Outcome | None, board: AscensionBoard) -> Self:
        return type(self)(to_move, outcome, board, self.ties, self.max_turns)


def _apply(draft: Draft, move: Move, max_turns: int) -> bool:
    """Apply the move, without resolving the agenda. Return False if it ends the game."""
    match move:
        case moves.PlayCard(name):
            actions.play(draft, name)
        case moves.Acquire(name):
            actions.acquire(draft, name)
        case moves.Defeat(name):
            draft.power -= CARDS[name].cost
            actions.defeat(draft, name)
        case moves.Activate(name, ability):
            actions.activate(draft, name, ability)
        case moves.Choose(option):
            # The agenda begins with the effect that asks. Only a board from a wire that does not
            # send the effect has an empty agenda; there the answer has no effect.
            asking, draft.agenda = draft.agenda[:1], draft.agenda[1:]
            draft.pending = None
            if asking and isinstance(asking[0].effect, Asking):
                actions.answer(draft, asking[0].effect, option)
        case moves.EndTurn():
            return actions.end_turn(draft, max_turns)
    return True


def _shuffled(chance: Chance, cards: tuple[CardName, ...]) -> tuple[tuple[CardName, ...], Chance]:
    order, chance = chance.shuffled(cards)
    return tuple(CardName(name) for name in order), chance


def _legal_moves(board: AscensionBoard) -> Iterator[Move]:
    """Yield the legal moves: cards in the order of their zones, and the end of the turn last.

    Hidden cards are left out.
    """
    if board.pending:
        yield from map(moves.Choose, board.pending.options)
        if board.pending.optional:
            yield DECLINE
        return
    mine = board.mine
    yield from (moves.PlayCard(name) for name in dict.fromkeys(mine.hand) if name != HIDDEN)
    for name in dict.fromkeys((*board.row, MYSTIC, HEAVY_INFANTRY, CULTIST)):
        if name == HIDDEN:
            # In a view, the row is refilled from a hidden deck.
            continue
        if CARDS[name].is_monster:
            if CARDS[name].cost <= board.power:
                yield moves.Defeat(name)
        elif _runes_missing(board, name) <= 0 and _is_offered(board, name):
            yield moves.Acquire(name)
    for name in dict.fromkeys(construct.name for construct in mine.constructs):
        for ability in Ability:
            move = moves.Activate(name, ability)
            if _objection_to_use(board, move) is None:
                yield move
    yield moves.EndTurn()


def _objection(board: AscensionBoard, move: Move) -> str | None:
    """Return why the move is illegal, in words for the player, or None if it is legal.

    The value may be of any type.
    """
    if not is_move(move):
        return f"{quoted(move)} is not a move of Ascension"
    if board.pending or isinstance(move, moves.Choose):
        return _objection_to_choice(board, move)
    if isinstance(move, moves.EndTurn):
        return None
    if move.card not in CARDS:
        return f"there is no card called {move.card[:MAX_QUOTED_LENGTH]}"
    match move:
        case moves.PlayCard(name):
            return None if name in board.mine.hand else f"{name} is not in your hand"
        case moves.Acquire(name):
            return _objection_to_acquiring(board, name)
        case moves.Defeat(name):
            return _objection_to_defeating(board, name)
        case moves.Activate():
            return _objection_to_use(board, move)


def _objection_to_choice(board: AscensionBoard, move: Move) -> str | None:
    pending = board.pending
    if pending is None:
        return "there is nothing to choose now"
    if not isinstance(move, moves.Choose):
        return f"{pending.card} asks for a choice first: {pending.as_instruction}"
    if move.option in pending.options or (not move.option and pending.optional):
        return None
    chosen = move.option[:MAX_QUOTED_LENGTH] or "nothing"
    return f"{chosen} cannot be chosen for {pending.card}: {pending.as_instruction}"


def _objection_to_acquiring(board: AscensionBoard, name: CardName) -> str | None:
    if CARDS[name].is_monster:
        return f"{name} is a monster: it can be defeated, not acquired"
    if not _is_offered(board, name):
        if name in (MYSTIC, HEAVY_INFANTRY):
            return f"the pile of {name} is empty"
        return f"{name} is not in the center row"
    missing = _runes_missing(board, name)
    if missing > 0:
        return f"{name} costs {counted(missing, 'rune')} more than you have"
    return None


def _objection_to_defeating(board: AscensionBoard, name: CardName) -> str | None:
    card = CARDS[name]
    if not card.is_monster:
        return f"{name} is not a monster: only monsters are defeated"
    if name != CULTIST and name not in board.row:
        return f"{name} is not in the center row"
    if card.cost > board.power:
        return f"{name} takes {card.cost} power, and you have {board.power}"
    return None


def _objection_to_use(board: AscensionBoard, move: moves.Activate) -> str | None:
    name, card = move.card, CARDS[move.card]
    copies = [construct for construct in board.mine.constructs if construct.name == name]
    if not copies:
        return f"{name} is not among your constructs in play"
    if move.ability is Ability.ORDINARY and not card.effects:
        return f"{name} acts by itself and cannot be activated"
    if move.ability is Ability.EXCHANGE and not card.exchange:
        return f"{name} does not give honor for runes"
    if not any(can_use(construct, move.ability) for construct in copies):
        return f"{name} has been used this turn: each copy can be used once a turn"
    if move.ability is Ability.EXCHANGE and card.exchange and card.exchange.runes > board.runes:
        return f"{name} takes {counted(card.exchange.runes, 'rune')}, and you have {board.runes}"
    return None


def _is_offered(board: AscensionBoard, name: CardName) -> bool:
    """Return True if there is a card of this name to acquire."""
    if name == MYSTIC:
        return board.mystics > 0
    if name == HEAVY_INFANTRY:
        return board.heavies > 0
    return name in board.row


def _runes_missing(board: AscensionBoard, name: CardName) -> int:
    """Return how many runes are missing to pay for the card; 0 or less if none are."""
    card = CARDS[name]
    missing = price(card, board.discount) - board.runes
    if missing > 0 and board.restricted_runes and is_mechana(card, board.mine.constructs):
        missing -= board.restricted_runes
    return missing


def _view(board: AscensionBoard, open_hands: Collection[Seat]) -> AscensionBoard:
    """Return the board with only the hands of these seats visible, and without decks and seed.

    Names of hidden cards are replaced by HIDDEN. So boards that differ only in hidden cards have
    equal views.
    """
    first, second = (
        msgspec.structs.replace(
            side,
            deck=_hidden(side.deck),
            hand=side.hand if seat in open_hands else _hidden(side.hand),
        )
        for seat, side in zip(Seat, board.sides, strict=True)
    )
    pending = board.pending
    if pending and pending.seat not in open_hands:
        pending = _without_hand(board, pending)
    return msgspec.structs.replace(
        board,
        chance=UNKNOWN_CHANCE,
        sides=(first, second),
        center_deck=_hidden(board.center_deck),
        pending=pending,
    )


def _hidden(cards: tuple[CardName, ...]) -> tuple[CardName, ...]:
    return (HIDDEN,) * len(cards)


def _without_hand(board: AscensionBoard, pending: Choice) -> Choice:
    """Return the choice without options that are cards of the hand."""
    if zone_asked(board) is Zone.HAND:
        return msgspec.structs.replace(pending, options=())
    options = tuple(option for option in pending.options if not option.startswith(FROM_HAND))
    return msgspec.structs.replace(pending, options=options)
