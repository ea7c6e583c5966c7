"""Choices that a client makes together with its move, or that are made for it.

A client may send the targets of a move with it (A-Q15): names in the order in which the card asks,
None to decline; choices within choices come depth first. `hand:` or `discard:` may precede a name;
without it, where both are possible, the discard pile comes first.

For a client that knows of no choices, `default_choice` chooses (RULES.md, 10). It declines what may
be declined, except that a Courier always puts its construct into play. Otherwise it chooses:

    to banish or discard        the card of the lowest cost
    to acquire or copy          the hero of the highest cost
    to defeat                   the monster of the highest reward
    to acquire or defeat        the card with the most honor on it, then of the highest cost
    rune or power               a rune
    a construct to lose         the one of the lowest cost
    a construct to keep         the one of the highest cost

and among equals the first by name. A lost construct keeps its honor for its owner and only its use
is lost, so constructs are compared by cost.
"""

from collections.abc import Callable, Sequence

from gamehall.core import IllegalMove, quoted
from gamehall.games.ascension import choices
from gamehall.games.ascension.board import AscensionBoard, Choice, ChoiceKind
from gamehall.games.ascension.cards import CARDS
from gamehall.games.ascension.choices import PLAY, RUNE, card_of
from gamehall.games.ascension.effects import Zone
from gamehall.games.ascension.moves import DECLINE, Ability, Activate, Choose, Move
from gamehall.games.ascension.notation import read_option
from gamehall.games.ascension.position import AscensionPosition


def with_targets(
    position: AscensionPosition, move: Move, targets: Sequence[str | None]
) -> list[Move]:
    """Return the move, followed by the choices that its targets make.

    Raise IllegalMove if the move or a target is wrong. But once the move has shown cards that the
    player could not know, a target that does not fit is no error: the list ends there, and the
    choice stays open.

    The move and the targets may be values of any type; what is none raises IllegalMove.
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
    """Return the move with the intended ability, power first, then honor (A-Q15)."""
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
    """Return the target in its canonical spelling. Raise IllegalMove if it can never be one."""
    if target is None:
        return None
    option = read_option(target) if isinstance(target, str) else None
    if option is None:
        raise IllegalMove(f"{quoted(target)} is neither a card nor a word that can be a target")
    return option


def _fitting(board: AscensionBoard, pending: Choice, option: str | None) -> Choose | None:
    """Return the choice that the target means, None if it does not fit."""
    if option is None:
        return DECLINE if pending.optional else None
    zone = choices.zone_asked(board)
    if zone in (Zone.HAND, Zone.DISCARD):
        # Only one zone is possible, and to name it is not needed.
        option = option.removeprefix(f"{zone.value}:")
    meanings = (option, choices.FROM_DISCARD + option, choices.FROM_HAND + option)
    return next((Choose(meant) for meant in meanings if meant in pending.options), None)


def _has_shown_cards(before: AscensionPosition, now: AscensionPosition) -> bool:
    """Return True if cards have been drawn, or have come into the row."""
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


def default_choice(position: AscensionPosition) -> Choose:
    """Return the default choice. Raise ValueError if no choice is pending."""
    pending = position.board.pending
    if pending is None:
        raise ValueError("no choice is pending here")
    if pending.kind is ChoiceKind.PUT_INTO_PLAY:
        return Choose(PLAY)
    if pending.optional:
        return DECLINE
    # The options are in alphabetical order, and the first of equals is taken.
    return Choose(max(pending.options, key=_MERITS[pending.kind]))


def _cost(option: str) -> tuple[int, ...]:
    return (CARDS[card_of(option)].cost,)


def _cheapness(option: str) -> tuple[int, ...]:
    return (-CARDS[card_of(option)].cost,)


def _honor(option: str) -> tuple[int, ...]:
    return (CARDS[card_of(option)].honor,)


def _honor_then_cost(option: str) -> tuple[int, ...]:
    return _honor(option) + _cost(option)


def _is_rune(option: str) -> tuple[int, ...]:
    return (option == RUNE,)


_MERITS: dict[ChoiceKind, Callable[[str], tuple[int, ...]]] = {
    ChoiceKind.BANISH: _cheapness,
    ChoiceKind.DISCARD: _cheapness,
    ChoiceKind.DESTROY_CONSTRUCT: _cheapness,
    ChoiceKind.ACQUIRE_TO_DECK: _cost,
    ChoiceKind.COPY_HERO: _cost,
    ChoiceKind.KEEP_CONSTRUCT: _cost,
    ChoiceKind.DEFEAT_FREE: _honor,
    ChoiceKind.ACQUIRE_OR_DEFEAT: _honor_then_cost,
    ChoiceKind.RESOURCE: _is_rune,
}
