"""Two simple bots as baselines: one takes the most honor now, one buys Heavy Infantry."""

from typing import cast

from gamehall.bots.bot import Bot
from gamehall.core import Position, Seat
from gamehall.games.ascension import CARDS, AscensionPosition, default_choice
from gamehall.games.ascension.board import AscensionBoard, ChoiceKind, count_of
from gamehall.games.ascension.cards import CULTIST, HEAVY_INFANTRY
from gamehall.games.ascension.choices import card_of, zone_asked
from gamehall.games.ascension.effects import Passive, Zone
from gamehall.games.ascension.moves import (
    DECLINE,
    Ability,
    Acquire,
    Activate,
    Choose,
    Defeat,
    EndTurn,
    Move,
    PlayCard,
)


class GreedyAscensionBot(Bot[Move]):
    """Makes the move that adds the most to its honor, including the honor of its cards.

    First it plays all its cards in the order of its hand, and uses all its constructs. Then it
    compares what each move adds at once: for a card to acquire, its printed honor; for a monster,
    its reward, including that of Voidthirsters; for Yggdrasil Staff, the 3 honor for 4 runes. Among
    equals it takes the cheapest, then the first by name. It ends its turn when no move adds honor.

    In a choice, it acquires or defeats the card with the most honor, and banishes own cards without
    honor. It leaves other choices to the default.
    """

    def __init__(self, seed: int = 0) -> None:
        """The seed is ignored: the bot is deterministic."""

    def choose(self, position: Position[Move], seat: Seat, seconds_left: float | None) -> Move:
        seen = cast("AscensionPosition", position.seen_by(seat))
        if seen.board.pending:
            return _choice(seen)
        moves = list(seen.legal_moves())
        for move in moves:
            if isinstance(move, PlayCard):
                return move
        for move in moves:
            if isinstance(move, Activate) and move.ability is Ability.ORDINARY:
                return move
        best = max(moves, key=lambda move: _merit(seen.board, move))
        return best if _honor(seen.board, best) else EndTurn()


def _honor(board: AscensionBoard, move: Move) -> int:
    """Return the honor that the move adds at once."""
    match move:
        case Acquire(name):
            return CARDS[name].honor
        case Defeat(name):
            is_first = name in board.row and not board.has_defeated
            extra = count_of(Passive.HONOR_FOR_MONSTER, board.mine.constructs) if is_first else 0
            return CARDS[name].honor + extra
        case Activate(name, Ability.EXCHANGE):
            exchange = CARDS[name].exchange
            return exchange.honor if exchange else 0
        case _:
            return 0


def _merit(board: AscensionBoard, move: Move) -> tuple[int, int]:
    """Return the honor, and the negative cost."""
    cost = CARDS[move.card].cost if isinstance(move, Acquire | Defeat) else 0
    return _honor(board, move), -cost


def _choice(position: AscensionPosition) -> Choose:
    pending = position.board.pending
    if pending is None or pending.kind is not ChoiceKind.BANISH:
        return _most_honor(position)
    if zone_asked(position.board) is Zone.ROW:
        return DECLINE if pending.optional else default_choice(position)
    worthless = [option for option in pending.options if not CARDS[card_of(option)].honor]
    if worthless:
        return Choose(worthless[0])
    return DECLINE if pending.optional else default_choice(position)


def _most_honor(position: AscensionPosition) -> Choose:
    pending = position.board.pending
    if pending and pending.kind in (
        ChoiceKind.ACQUIRE_TO_DECK,
        ChoiceKind.ACQUIRE_OR_DEFEAT,
        ChoiceKind.DEFEAT_FREE,
    ):
        return Choose(max(pending.options, key=lambda option: CARDS[card_of(option)].honor))
    return default_choice(position)


class InfantryBot(Bot[Move]):
    """Plays all its cards, then buys Heavy Infantry and defeats Cultists as often as it can.

    It ignores the row, and leaves choices to the default.
    """

    def __init__(self, seed: int = 0) -> None:
        """The seed is ignored: the bot is deterministic."""

    def choose(self, position: Position[Move], seat: Seat, seconds_left: float | None) -> Move:
        seen = cast("AscensionPosition", position.seen_by(seat))
        if seen.board.pending:
            return default_choice(seen)
        if seen.board.mine.hand:
            return PlayCard(seen.board.mine.hand[0])
        wanted: tuple[Move, ...] = (Acquire(HEAVY_INFANTRY), Defeat(CULTIST))
        legal = set(seen.legal_moves())
        return next((move for move in wanted if move in legal), EndTurn())
