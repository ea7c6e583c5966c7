"""Choices that a client sends with its move, and default choices.

A client may send the choices of a move with it (A-Q15), which the protocol calls targets: names in
the order in which the cards ask, and None to decline. Choices that follow from a choice come right
after it. `hand:` or `discard:` may precede a name; without it, the discard pile comes first where
both are possible.

`default_choice` chooses for clients that do not support choices, by the table in RULES.md, 10. It
declines optional choices, except that a Courier puts its construct into play.
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


def with_choices(position: AscensionPosition, move: Move, sent: Sequence[str | None]) -> list[Move]:
    """Return the move, followed by the choices that were sent with it.

    Raises IllegalMove if the move or a choice is wrong; both may be values of any type. But if the
    move has revealed cards that the player did not know, a choice that does not fit is not an
    error: the list ends before it, and the choice is left to the player.
    """
    if isinstance(sent, str) or not isinstance(sent, Sequence):
        raise IllegalMove(f"{quoted(sent)} is not a list of targets")
    move, sent = _with_ability(position, move, sent)
    options = [_option(choice) for choice in sent]
    moves, current = [move], position.after(move)
    for option in options:
        pending = current.board.pending
        if pending and pending.seat is not position.to_move:
            pending = None
        if pending is None and option is None:
            # Declining a choice that is not asked is harmless.
            continue
        choice = _matching_choice(current.board, pending, option) if pending else None
        if choice is None:
            if _has_revealed_cards(position, current):
                break
            raise IllegalMove(_objection(pending, option))
        moves.append(choice)
        current = current.after(choice)
    return moves


def _with_ability(
    position: AscensionPosition, move: Move, sent: Sequence[str | None]
) -> tuple[Move, Sequence[str | None]]:
    """Return the move with the ability that the client means, and the other choices.

    If no choice names the ability, it is power, then honor (A-Q15).
    """
    if not isinstance(move, Activate) or move.ability is not Ability.ORDINARY:
        return move, sent
    honor = Activate(move.card, Ability.EXCHANGE)
    first = sent[0] if sent else None
    match first.strip().casefold() if isinstance(first, str) else None:
        case Ability.EXCHANGE.value:
            return honor, sent[1:]
        case choices.POWER:
            return move, sent[1:]
        case _:
            is_power_used = not position.allows(move) and position.allows(honor)
            return (honor if is_power_used else move), sent


def _option(sent: object) -> str | None:
    """Return the choice in canonical spelling. Raises IllegalMove if it is not one."""
    if sent is None:
        return None
    option = read_option(sent) if isinstance(sent, str) else None
    if option is None:
        raise IllegalMove(f"{quoted(sent)} is neither a card nor a word that can be a target")
    return option


def _matching_choice(board: AscensionBoard, pending: Choice, option: str | None) -> Choose | None:
    """Return the choice that the option means, or None if it does not fit."""
    if option is None:
        return DECLINE if pending.optional else None
    zone = choices.zone_asked(board)
    if zone in (Zone.HAND, Zone.DISCARD):
        # The options of a single zone have no prefix.
        option = option.removeprefix(f"{zone.value}:")
    candidates = (option, choices.FROM_DISCARD + option, choices.FROM_HAND + option)
    return next((Choose(name) for name in candidates if name in pending.options), None)


def _has_revealed_cards(before: AscensionPosition, after: AscensionPosition) -> bool:
    """Return True if cards have been drawn, or have come into the row."""
    board, later = before.board, after.board
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
    return f"{option or 'nothing'} is not a target for {pending.card}: {pending.as_instruction}"


def default_choice(position: AscensionPosition) -> Choose:
    """Return the default choice. Raises ValueError if no choice is pending."""
    pending = position.board.pending
    if pending is None:
        raise ValueError("no choice is pending here")
    if pending.kind is ChoiceKind.PUT_INTO_PLAY:
        return Choose(PLAY)
    if pending.optional:
        return DECLINE
    # The options are in alphabetical order, and max returns the first of equals.
    return Choose(max(pending.options, key=_RANKINGS[pending.kind]))


def _cost(option: str) -> int:
    return CARDS[card_of(option)].cost


def _negative_cost(option: str) -> int:
    return -_cost(option)


def _honor(option: str) -> int:
    return CARDS[card_of(option)].honor


# The owner of a lost construct keeps its honor, so constructs are ranked by cost.
_RANKINGS: dict[ChoiceKind, Callable[[str], int | tuple[int, int]]] = {
    ChoiceKind.BANISH: _negative_cost,
    ChoiceKind.DISCARD: _negative_cost,
    ChoiceKind.DESTROY_CONSTRUCT: _negative_cost,
    ChoiceKind.ACQUIRE_TO_DECK: _cost,
    ChoiceKind.COPY_HERO: _cost,
    ChoiceKind.KEEP_CONSTRUCT: _cost,
    ChoiceKind.DEFEAT_FREE: _honor,
    ChoiceKind.ACQUIRE_OR_DEFEAT: lambda option: (_honor(option), _cost(option)),
    ChoiceKind.RESOURCE: lambda option: option == RUNE,
}
