"""Read the position from a state, as far as a client can know it.

A state shows neither the decks nor the played cards, nor which constructs have been used, nor runes
for Mechana constructs. The decks stay unknown; the rest follows from the client's own moves in the
turn. Which effect asks for a pending choice follows from the card and the slot in the state.

Any state of any server either gives a position in which every legal move can be made, or raises one
of the errors that `read_position` names.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from gamehall.core import Chance, Outcome, Seat
from gamehall.games.ascension import (
    CARDS,
    HIDDEN,
    Ability,
    Acquire,
    Activate,
    Ascension,
    AscensionBoard,
    AscensionPosition,
    CardName,
    Choice,
    ChoiceKind,
    Choose,
    Construct,
    Defeat,
    Move,
    PlayCard,
    Side,
    card_named,
)
from gamehall.games.ascension.board import Draft, Step, is_mechana, price
from gamehall.games.ascension.cards import CULTIST
from gamehall.games.ascension.choices import (
    KINDS,
    PLAY,
    POWER,
    RUNE,
    card_of,
    options_for,
)
from gamehall.games.ascension.effects import (
    Asking,
    Discount,
    Effect,
    ExtraTurn,
    Gain,
    KeepConstruct,
    LoseConstruct,
    PutIntoPlay,
)
from gamehall.games.ascension.notation import read_option
from gamehall.protocols.ascension_http import messages
from gamehall.protocols.ascension_http.messages import SEATS, TIE

CARDS_IN_CENTER = 100

LARGEST_NUMBER = 1_000_000_000
MOST_TO_SPEND = 1000
"""Runes or power of one turn. No game comes near it, and a bot could not plan for more."""

LOSSES: dict[ChoiceKind, Effect] = {
    ChoiceKind.DESTROY_CONSTRUCT: LoseConstruct(),
    ChoiceKind.KEEP_CONSTRUCT: KeepConstruct(),
}
"""The choices of the opponent after Corrosive Widow and Sea Tyrant, at the start of its turn."""

WORDS = {ChoiceKind.RESOURCE: {RUNE, POWER}, ChoiceKind.PUT_INTO_PLAY: {PLAY}}
"""The options of the choices that are not about cards."""


class TurnSoFar:
    """What follows from the client's own moves in a turn and is not in the state."""

    def __init__(self, is_known: bool = True) -> None:
        """Begin a turn.

        Args:
            is_known: False if the client connected during the turn. Then all constructs count as
                used, since using one twice would be refused (A-Q17).
        """
        self._is_known = is_known
        self.restricted_runes = 0
        self.discount = 0
        self.has_defeated = False
        """Whether a monster of the center row has been defeated."""
        self.played: list[CardName] = []
        self._used: Counter[tuple[CardName, Ability]] = Counter()

    def follow(self, move: Move, before: AscensionBoard) -> None:
        """Take over a move that was accepted on that board."""
        match move:
            case PlayCard(name):
                if CARDS[name].is_hero:
                    self._have_effect(name)
                    self.played.append(name)
            case Choose(option) if before.pending is not None:
                self._follow_choice(before.pending, option)
            case Defeat(name):
                self.has_defeated |= name != CULTIST
            case Activate(name, ability):
                # A construct with an extra turn banishes itself, so it is not counted as used.
                if ExtraTurn() not in CARDS[name].effects:
                    self._used[name, ability] += 1
                if ability is Ability.ORDINARY:
                    self._have_effect(name)
            case Acquire(name) if CARDS[name].is_construct:
                if is_mechana(CARDS[name], before.mine.constructs):
                    cost = price(CARDS[name], self.discount)
                    self.restricted_runes -= min(self.restricted_runes, cost)
                self.discount = 0
            case _:
                pass

    def ready(self, constructs: Iterable[Construct]) -> tuple[Construct, ...]:
        """Return the constructs with their uses. Copies of one name are used one by one."""
        left = self._used.copy()
        return tuple(self._as_used(construct, left) for construct in constructs)

    def _as_used(self, construct: Construct, left: Counter[tuple[CardName, Ability]]) -> Construct:
        used = {}
        for ability in Ability:
            times = left[construct.name, ability]
            used[ability] = times > 0 or not self._is_known
            left[construct.name, ability] = max(0, times - 1)
        return Construct(construct.name, used[Ability.ORDINARY], used[Ability.EXCHANGE])

    def _follow_choice(self, asked: Choice, option: str) -> None:
        card = CARDS.get(card_of(option))
        match asked.kind:
            case ChoiceKind.PUT_INTO_PLAY if option:
                # A Courier puts one construct into play each turn; declining does not use it up.
                self._used[asked.card, Ability.ORDINARY] += 1
            case ChoiceKind.COPY_HERO if card:
                self._have_effect(card.name)
            case ChoiceKind.ACQUIRE_OR_DEFEAT | ChoiceKind.DEFEAT_FREE if card:
                self.has_defeated |= card.is_monster and card.name != CULTIST
                if card.is_construct:
                    self.discount = 0
            case _:
                pass

    def _have_effect(self, name: CardName) -> None:
        for effect in CARDS[name].effects:
            match effect:
                case Gain(restricted_runes=runes):
                    self.restricted_runes += runes
                case Discount(runes):
                    self.discount += runes
                case _:
                    pass


def read_position(state: Mapping[str, Any], turn: TurnSoFar, game: Ascension) -> AscensionPosition:
    """Return the position that a state shows.

    Raises ValueError, KeyError, TypeError, IndexError or OverflowError if it shows none.
    """
    board = state["board"]
    owner = messages.seat_of(board["current_player_index"])
    players = board["players"]
    first, second = (
        _read_side(player, turn if seat is owner else None)
        for seat, player in zip(SEATS, players, strict=True)
    )
    mover = players[SEATS.index(owner)]
    read = AscensionBoard(
        chance=Chance(0),
        sides=(first, second),
        center_deck=(HIDDEN,) * CARDS_IN_CENTER,
        row=messages.names(board["center"]),
        void=messages.names(board["void"]),
        mystics=max(0, _number(board["mystics"])),
        heavies=max(0, _number(board["heavy"])),
        honor_pool=_number(board["honor_remaining"]),
        turn=_number(board["current_turn"]),
        turn_owner=owner,
        runes=_number(mover["runes_remaining"], 0, MOST_TO_SPEND),
        power=_number(mover["power_remaining"], 0, MOST_TO_SPEND),
        restricted_runes=turn.restricted_runes,
        discount=turn.discount,
        has_defeated=turn.has_defeated,
        supply=game.supply,
    )
    choice = _read_pending(state.get("pending"), owner)
    if choice is not None:
        read = msgspec.structs.replace(read, pending=choice, agenda=_agenda(read, choice))
    return AscensionPosition(
        to_move=owner, outcome=None, board=read, ties=game.ties, max_turns=game.turns
    )


def read_end(state: Mapping[str, Any], game: Ascension) -> AscensionPosition:
    """Return the last position of a match; it has an outcome only if the server says who has won.

    Raises what `read_position` raises.
    """
    position = read_position(state, TurnSoFar(), game)
    # Both keys are our own addition to the protocol (A-Q22): another server may lack them.
    victor, honor = state["board"].get("victor"), state["board"].get("final_honor")
    winner = messages.read_player(victor)
    if winner is None and victor != TIE:
        return position
    reason = "the server says so"
    if isinstance(honor, list) and [type(one) for one in honor] == [int, int]:
        is_tie = winner is None
        reason = f"both have {honor[0]} honor" if is_tie else f"{max(honor)} honor to {min(honor)}"
    return msgspec.structs.replace(position, to_move=None, outcome=Outcome(winner, reason))


def _read_side(player: Mapping[str, Any], turn: TurnSoFar | None) -> Side:
    constructs = tuple(Construct(name) for name in messages.names(player["constructs"]))
    return Side(
        honor=_number(player["honor"]),
        deck=(),
        hand=messages.names(player["hand"], may_be_hidden=True),
        played=tuple(turn.played) if turn else (),
        constructs=turn.ready(constructs) if turn else constructs,
        discard=messages.names(player["discard"]),
    )


def _number(value: object, least: int = -LARGEST_NUMBER, most: int = LARGEST_NUMBER) -> int:
    """Return a number of the state, also one in quotes.

    Raises TypeError, ValueError or OverflowError.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TypeError(f"a number was expected, not {messages.quote(value)}")
    number = int(value)
    if not least <= number <= most:
        raise ValueError(f"no game has such a number: {messages.quote(value)}")
    return number


def _read_pending(pending: object, owner: Seat) -> Choice | None:
    """Return the choice that the turn owner must make, None if there is none or it is unknown.

    The key is our own addition to the protocol (A-Q15), so another server may use it differently.
    An unknown choice is left to the server's default.
    """
    if not isinstance(pending, dict):
        return None
    try:
        seat = messages.seat_of(pending["player_index"])
        card = card_named(str(pending["card_name"]))
        kind = ChoiceKind(pending["kind"])
        written = [read_option(str(option)) for option in pending["options"]]
        slot, optional = int(pending["slot"]), bool(pending["optional"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    options = tuple(dict.fromkeys(option for option in written if option))
    if seat is not owner or card is None or not options or len(written) != len(options):
        return None
    if not all(_is_option(kind, option) for option in options):
        return None
    return Choice(seat=seat, card=card, slot=slot, kind=kind, options=options, optional=optional)


def _is_option(kind: ChoiceKind, option: str) -> bool:
    """Return whether a choice of this kind can have this option."""
    if kind in WORDS:
        return option in WORDS[kind]
    # Only a banished card may come from one of two zones.
    return (card_of(option) if kind is ChoiceKind.BANISH else option) in CARDS


def _agenda(board: AscensionBoard, choice: Choice) -> tuple[Step, ...]:
    """Return the effect that asks for the choice, and those after it on the same card.

    The result is empty if the effect is unknown, or would not offer these options by the rules. A
    copied hero and a monster defeated for free ask in their own names. Waiting effects of other
    cards are not in the state.
    """
    effects = _effects(board, choice)
    if not effects or not isinstance(asking := effects[0], Asking):
        return ()
    is_fitting = KINDS[type(asking)] is choice.kind and {*choice.options} <= {
        *options_for(Draft.of(board), asking)
    }
    return tuple(Step(choice.card, effect) for effect in effects) if is_fitting else ()


def _effects(board: AscensionBoard, choice: Choice) -> tuple[Effect, ...]:
    """Return the effects of the card, beginning with the one that asks."""
    if choice.kind in LOSSES:
        return (LOSSES[choice.kind],)
    if choice.kind is ChoiceKind.PUT_INTO_PLAY:
        # The construct that a Courier may put into play is the last card of the discard pile.
        acquired = board.mine.discard[-1:]
        return tuple(PutIntoPlay(name) for name in acquired if CARDS[name].is_construct)
    effects = CARDS[choice.card].effects
    asking = [index for index, effect in enumerate(effects) if isinstance(effect, Asking)]
    is_known = 0 <= choice.slot < len(asking)
    return effects[asking[choice.slot] :] if is_known else ()
