"""What a client can know of the position from a state.

A state shows neither decks nor what has been played, nor which constructs have been used, nor
runes for Mechana constructs. The decks stay unknown; the rest follows from the moves that the
client itself has made in the turn. Which effect asks for a pending choice follows from the card and
the slot that the state names.

The server may be another's: whatever it sends, reading it either gives a position on which every
legal move can be made, or raises one of the errors that `read_position` names.
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
"""Runes or power of one turn. No game comes near it; a bot that plans for more would never end."""

LOSSES: dict[ChoiceKind, Effect] = {
    ChoiceKind.DESTROY_CONSTRUCT: LoseConstruct(),
    ChoiceKind.KEEP_CONSTRUCT: KeepConstruct(),
}
"""What Corrosive Widow and Sea Tyrant make the opponent choose, at the start of that one's turn."""

WORDS = {ChoiceKind.RESOURCE: {RUNE, POWER}, ChoiceKind.PUT_INTO_PLAY: {PLAY}}
"""The options of the choices that are not about cards."""


class TurnSoFar:
    """What the moves of a turn have come to that the state does not tell."""

    def __init__(self, is_known: bool = True) -> None:
        """`is_known` is False for a client that was not there when the turn began.

        It then takes all constructs for used: to use one a second time would be refused (A-Q17).
        """
        self._is_known = is_known
        self.restricted_runes = 0
        self.discount = 0
        self.has_defeated = False
        """Whether a monster of the row has been defeated."""
        self.played: list[CardName] = []
        self._used: Counter[tuple[CardName, Ability]] = Counter()

    def follow(self, move: Move, before: AscensionBoard) -> None:
        """The move has been made on that board."""
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
                # What banishes itself is not there any more to be used up.
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
        """The constructs, used as often as they were. Copies of one name are used one by one."""
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
                # A Courier puts one construct into play each turn; to decline does not use it up.
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
    """Return the choice that the turn owner must make, None if there is none that we understand.

    The key is our own addition to the protocol (A-Q15), so another server may mean anything by it.
    What we do not understand is left to the default, as by any client that knows no choices.
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
    # Only what is banished may come from one of two zones.
    return (card_of(option) if kind is ChoiceKind.BANISH else option) in CARDS


def _agenda(board: AscensionBoard, choice: Choice) -> tuple[Step, ...]:
    """Return the effect that asks for the choice, and what follows it on the same card.

    Empty if it cannot be known, or would not offer these options by the rules. A copied hero and a
    monster defeated for free ask in their own names. Of effects of other cards that still wait
    the state says nothing.
    """
    effects = _effects(board, choice)
    if not effects or not isinstance(asking := effects[0], Asking):
        return ()
    is_fitting = KINDS[type(asking)] is choice.kind and {*choice.options} <= {
        *options_for(Draft.of(board), asking)
    }
    return tuple(Step(choice.card, effect) for effect in effects) if is_fitting else ()


def _effects(board: AscensionBoard, choice: Choice) -> tuple[Effect, ...]:
    """Return the effects of the card from the one that asks on."""
    if choice.kind in LOSSES:
        return (LOSSES[choice.kind],)
    if choice.kind is ChoiceKind.PUT_INTO_PLAY:
        # What a Courier may put into play was acquired last, and lies in the discard pile.
        acquired = board.mine.discard[-1:]
        return tuple(PutIntoPlay(name) for name in acquired if CARDS[name].is_construct)
    effects = CARDS[choice.card].effects
    asking = [index for index, effect in enumerate(effects) if isinstance(effect, Asking)]
    is_known = 0 <= choice.slot < len(asking)
    return effects[asking[choice.slot] :] if is_known else ()
