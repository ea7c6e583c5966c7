"""Which moves the rules allow, and why they forbid the others."""

from collections.abc import Iterator

from gamehall.core import quoted
from gamehall.games.ascension.board import AscensionBoard, can_use, is_mechana, price
from gamehall.games.ascension.cards import CARDS, CULTIST, HEAVY_INFANTRY, MYSTIC
from gamehall.games.ascension.moves import (
    DECLINE,
    HIDDEN,
    Ability,
    Acquire,
    Activate,
    CardName,
    Choose,
    Defeat,
    EndTurn,
    Move,
    PlayCard,
    is_move,
)
from gamehall.games.ascension.notation import counted

LONGEST_NAME = 60
"""How many letters of an unknown name an error message repeats."""


def legal_moves(board: AscensionBoard) -> Iterator[Move]:
    """Yield every legal move: cards in the order of their zones, the end of the turn last.

    Cards that a viewer cannot see are left out.
    """
    if board.pending:
        yield from map(Choose, board.pending.options)
        if board.pending.optional:
            yield DECLINE
        return
    mine = board.mine
    yield from (PlayCard(name) for name in dict.fromkeys(mine.hand) if name != HIDDEN)
    for name in dict.fromkeys((*board.row, MYSTIC, HEAVY_INFANTRY, CULTIST)):
        if name == HIDDEN:
            # What has come into the row of a view from its hidden deck.
            continue
        if CARDS[name].is_monster:
            if CARDS[name].cost <= board.power:
                yield Defeat(name)
        elif _runes_missing(board, name) <= 0 and _is_offered(board, name):
            yield Acquire(name)
    for name in dict.fromkeys(construct.name for construct in mine.constructs):
        for ability in Ability:
            move = Activate(name, ability)
            if _objection_to_use(board, move) is None:
                yield move
    yield EndTurn()


def objection(board: AscensionBoard, move: Move) -> str | None:
    """Return why the move is illegal, in words for a player, or None if it is legal.

    The value may be of any type; one that is no move is illegal.
    """
    if not is_move(move):
        return f"{quoted(move)} is not a move of Ascension"
    if board.pending or isinstance(move, Choose):
        return _objection_to_choice(board, move)
    if isinstance(move, EndTurn):
        return None
    if move.card not in CARDS:
        return f"there is no card called {move.card[:LONGEST_NAME]}"
    match move:
        case PlayCard(name):
            return None if name in board.mine.hand else f"{name} is not in your hand"
        case Acquire(name):
            return _objection_to_acquiring(board, name)
        case Defeat(name):
            return _objection_to_defeating(board, name)
        case Activate():
            return _objection_to_use(board, move)


def _objection_to_choice(board: AscensionBoard, move: Move) -> str | None:
    pending = board.pending
    if pending is None:
        return "there is nothing to choose now"
    if not isinstance(move, Choose):
        return f"{pending.card} asks for a choice first: {pending.in_words}"
    if move.option in pending.options or (not move.option and pending.optional):
        return None
    chosen = move.option[:LONGEST_NAME] or "nothing"
    return f"{chosen} cannot be chosen for {pending.card}: {pending.in_words}"


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


def _objection_to_use(board: AscensionBoard, move: Activate) -> str | None:
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
    """Return True if a card of that name can be acquired."""
    if name == MYSTIC:
        return board.mystics > 0
    if name == HEAVY_INFANTRY:
        return board.heavies > 0
    return name in board.row


def _runes_missing(board: AscensionBoard, name: CardName) -> int:
    """Return how many runes are missing to pay for the card; 0 or less if none."""
    card = CARDS[name]
    missing = price(card, board.discount) - board.runes
    if missing > 0 and board.restricted_runes and is_mechana(card, board.mine.constructs):
        missing -= board.restricted_runes
    return missing
