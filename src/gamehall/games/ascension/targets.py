"""Moves with their choices already made, as clients may send them (A-Q15).

Targets are names in the order in which the card asks, None to decline; choices within choices come
depth first. `hand:` or `discard:` may stand before a name; without it, where both are possible, the
discard pile comes first.
"""

from collections.abc import Sequence

from gamehall.core import IllegalMove, quoted
from gamehall.games.ascension import choices
from gamehall.games.ascension.board import Board, Choice
from gamehall.games.ascension.effects import Zone
from gamehall.games.ascension.moves import DECLINE, Ability, Activate, Choose, Move
from gamehall.games.ascension.notation import read_option
from gamehall.games.ascension.position import AscensionPosition


def with_targets(
    position: AscensionPosition, move: Move, targets: Sequence[str | None]
) -> list[Move]:
    """The move, and after it the choices that its targets say.

    Raises IllegalMove if the move or a target is wrong, so that nothing has been done. But once the
    move has shown cards that its player could not know, a target that does not fit is no fault:
    there the list ends, and the choice stays open.

    Any value is taken for a move or a target, and refused if it is none.
    """
    if isinstance(targets, str) or not isinstance(targets, Sequence):
        raise IllegalMove(f"{quoted(targets)} is not a list of targets")
    move, targets = _with_ability(position, move, targets)
    options = [_option(target) for target in targets]
    moves, now = [move], position.after(move)
    for option in options:
        pending = now.board.pending
        if pending and pending.seat is not position.to_move:
            pending = None
        if pending is None and option is None:
            # To decline what is not asked does no harm.
            continue
        fitting = _fitting(now.board, pending, option) if pending else None
        if fitting is None:
            if _has_shown_cards(position, now):
                break
            raise IllegalMove(_objection(pending, option))
        moves.append(fitting)
        now = now.after(fitting)
    return moves


def _with_ability(
    position: AscensionPosition, move: Move, targets: Sequence[str | None]
) -> tuple[Move, Sequence[str | None]]:
    """The move with the ability that is meant: power first, then honor (A-Q15)."""
    if not isinstance(move, Activate) or move.ability is not Ability.ORDINARY:
        return move, targets
    honor = Activate(move.card, Ability.EXCHANGE)
    first = targets[0] if targets else None
    match first.strip().casefold() if isinstance(first, str) else None:
        case Ability.EXCHANGE.value:
            return honor, targets[1:]
        case choices.POWER:
            return move, targets[1:]
        case _:
            is_power_used = not position.allows(move) and position.allows(honor)
            return (honor if is_power_used else move), targets


def _option(target: object) -> str | None:
    """The target in its canonical spelling. Raises IllegalMove if it can never be one."""
    if target is None:
        return None
    option = read_option(target) if isinstance(target, str) else None
    if option is None:
        raise IllegalMove(f"{quoted(target)} is neither a card nor a word that can be a target")
    return option


def _fitting(board: Board, pending: Choice, option: str | None) -> Choose | None:
    """The choice that the target means, None if it does not fit."""
    if option is None:
        return DECLINE if pending.optional else None
    zone = choices.zone_asked(board)
    if zone in (Zone.HAND, Zone.DISCARD):
        # Only one zone is possible, and to name it is not needed.
        option = option.removeprefix(f"{zone.value}:")
    meanings = (option, choices.FROM_DISCARD + option, choices.FROM_HAND + option)
    return next((Choose(meant) for meant in meanings if meant in pending.options), None)


def _has_shown_cards(before: AscensionPosition, now: AscensionPosition) -> bool:
    """Whether cards have been drawn, or have come into the row."""
    board, later = before.board, now.board
    return (
        later.chance != board.chance
        or later.center_deck != board.center_deck
        or any(
            len(side.deck) < len(earlier.deck)
            for side, earlier in zip(later.sides, board.sides, strict=True)
        )
    )


def _objection(pending: Choice | None, option: str | None) -> str:
    if pending is None:
        return f"{option} is one target too many"
    return f"{option or 'nothing'} is not a target for {pending.card}: {pending.in_words}"
