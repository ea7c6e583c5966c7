"""What a client of document 004 can know of the position from a state dictionary.

The document shows neither decks nor what has been played, nor which constructs have been used, nor
runes for Mechana constructs. The decks stay unknown; the rest follows from the moves that the
client itself has made in the turn.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from gamehall.core import Chance, Seat
from gamehall.games.ascension import (
    CARDS,
    HIDDEN,
    Ability,
    Acquire,
    Activate,
    AscensionPosition,
    Board,
    CardName,
    Choice,
    ChoiceKind,
    Choose,
    Construct,
    Move,
    Play,
    Side,
)
from gamehall.games.ascension.constructs import is_mechana, price
from gamehall.games.ascension.effects import Discount, ExtraTurn, Gain
from gamehall.protocols.ascension_http import messages
from gamehall.protocols.ascension_http.messages import SEATS

CARDS_IN_CENTER = 100


class TurnSoFar:
    """What the moves of a turn have come to that the state does not tell."""

    def __init__(self) -> None:
        self.restricted_runes = 0
        self.discount = 0
        self.played: list[CardName] = []
        self._used: Counter[tuple[CardName, Ability]] = Counter()

    def follow(self, move: Move, before: Board) -> None:
        """The move has been made on that board."""
        match move:
            case Play(name):
                if CARDS[name].is_hero:
                    self._have_effect(name)
                    self.played.append(name)
            case Choose(option) if before.pending is not None and option in CARDS:
                self._follow_choice(before.pending.kind, CardName(option))
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
            used[ability] = times > 0
            left[construct.name, ability] = max(0, times - 1)
        return Construct(construct.name, used[Ability.ORDINARY], used[Ability.EXCHANGE])

    def _follow_choice(self, kind: ChoiceKind, name: CardName) -> None:
        if kind is ChoiceKind.COPY_HERO:
            self._have_effect(name)
        elif kind is ChoiceKind.ACQUIRE_OR_DEFEAT and CARDS[name].is_construct:
            self.discount = 0

    def _have_effect(self, name: CardName) -> None:
        for effect in CARDS[name].effects:
            match effect:
                case Gain(restricted_runes=runes):
                    self.restricted_runes += runes
                case Discount(runes):
                    self.discount += runes
                case _:
                    pass


def read_position(state: Mapping[str, Any], turn: TurnSoFar, ties: bool) -> AscensionPosition:
    """The position that a state shows. Raises ValueError, KeyError or TypeError if it is none."""
    board = state["board"]
    owner = messages.seat_of(board["current_player_index"])
    players = board["players"]
    first, second = (
        _read_side(player, turn if seat is owner else None)
        for seat, player in zip(SEATS, players, strict=True)
    )
    mover = players[SEATS.index(owner)]
    read = Board(
        Chance(0),
        (first, second),
        (HIDDEN,) * CARDS_IN_CENTER,
        messages.names(board["center"]),
        messages.names(board["void"]),
        int(board["mystics"]),
        int(board["heavy"]),
        int(board["honor_remaining"]),
        int(board["current_turn"]),
        owner,
        int(mover["runes_remaining"]),
        int(mover["power_remaining"]),
        turn.restricted_runes,
        turn.discount,
        pending=_read_pending(state.get("pending")),
    )
    return AscensionPosition(owner, None, read, ties)


def _read_side(player: Mapping[str, Any], turn: TurnSoFar | None) -> Side:
    constructs = tuple(Construct(name) for name in messages.names(player["constructs"]))
    return Side(
        int(player["honor"]),
        (),
        messages.names(player["hand"]),
        tuple(turn.played) if turn else (),
        turn.ready(constructs) if turn else constructs,
        messages.names(player["discard"]),
    )


def _read_pending(pending: Mapping[str, Any] | None) -> Choice | None:
    if pending is None:
        return None
    return Choice(
        messages.seat_of(pending["player_index"]),
        messages.card(str(pending["card_name"])),
        int(pending["slot"]),
        ChoiceKind(pending["kind"]),
        tuple(str(option) for option in pending["options"]),
        bool(pending["optional"]),
    )


def read_victor(board: Mapping[str, Any]) -> Seat | None:
    """Who has won, None if nobody has or the server does not say."""
    victor = board.get("victor")
    return SEATS[victor] if victor in (0, 1) else None
