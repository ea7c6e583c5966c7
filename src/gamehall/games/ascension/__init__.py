"""Ascension: Chronicle of the Godslayer, the base set, for two.

Both begin with a deck of eight Apprentices, who give runes, and two Militia, who give power. In a
turn one plays cards of the hand, acquires heroes and constructs for runes, and defeats monsters
with power, in any order. Six cards lie in the center row and are replaced as soon as they go;
Mystics, Heavy Infantry and the Cultist are always there. What is acquired goes to the discard pile,
which becomes the deck when that is empty. Heroes are played once, constructs stay. At the end of
the turn everything unspent is lost, and five cards are drawn.

Honor comes from a pool, by monsters and by some cards. When it is empty, the round is finished;
whoever has the most honor, that printed on all own cards included, has won. Where a card leaves
something to choose, its choice is a move of its own, and nothing else can be done before it. What
Corrosive Widow and Sea Tyrant make the opponent choose is asked at the start of that one's turn.

The rules do not end a game in which nobody can gain honor any more, because whatever gives runes or
power has been banished. So there is a term for it: after so many turns the round is the last.

The rules for players, every card, and the readings where the cards leave something open are in
RULES.md beside this module; `reading 7` in a comment is number 7 of its section 12.

Terms: `honor`, the size of the pool; `ties`, whether a game may end in a tie; `turns`, how many
there may be; `supply`, whether Mystics and Heavy Infantry run out (`counted`) or never do
(`endless`).
"""

import re
from dataclasses import dataclass
from typing import ClassVar

from gamehall.core import Game, check_text, clause, quoted
from gamehall.games.ascension import notation
from gamehall.games.ascension.board import (
    AscensionBoard,
    Choice,
    ChoiceKind,
    Construct,
    Side,
    Supply,
)
from gamehall.games.ascension.cards import CARDS, Card, Faction, Kind, card_named
from gamehall.games.ascension.moves import (
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
)
from gamehall.games.ascension.notation import explain
from gamehall.games.ascension.position import MOST_TURNS, AscensionPosition
from gamehall.games.ascension.targets import default_choice, with_targets

HONOR_TO_HONOR = re.compile(r"[0-9]+ honor to [0-9]+")
"""How the reason of a decided game reads."""

__all__ = [
    "CARDS",
    "GAME",
    "HIDDEN",
    "Ability",
    "Acquire",
    "Activate",
    "Ascension",
    "AscensionBoard",
    "AscensionPosition",
    "Card",
    "CardName",
    "Choice",
    "ChoiceKind",
    "Choose",
    "Construct",
    "Defeat",
    "EndTurn",
    "Faction",
    "Kind",
    "Move",
    "PlayCard",
    "Side",
    "Supply",
    "card_named",
    "default_choice",
    "with_targets",
]

MOST_HONOR = 1000


@dataclass(frozen=True, slots=True)
class Ascension(Game[Move]):
    """The rules of Ascension on agreed terms."""

    name: ClassVar[str] = "ascension"
    title: ClassVar[str] = "Ascension"

    honor: int = 60
    ties: bool = False
    turns: int = MOST_TURNS
    supply: Supply = Supply.COUNTED

    def __post_init__(self) -> None:
        Game.__post_init__(self)
        if not 1 <= self.honor <= MOST_HONOR:
            raise ValueError(f"honor must be 1 to {MOST_HONOR}, not {quoted(self.honor)}")
        if self.turns < 1:
            raise ValueError(f"turns must be at least 1, not {quoted(self.turns)}")

    def start(self, seed: int = 0) -> AscensionPosition:
        return AscensionPosition.start(seed, self.honor, self.ties, self.turns, self.supply)

    def write_move(self, move: Move) -> str:
        return notation.write(move)

    @classmethod
    def why_won(cls, reason: str, winner: str, loser: str) -> str:
        is_known = HONOR_TO_HONOR.fullmatch(reason) is not None
        return clause(winner, "has", reason) if is_known else reason

    def read_move(self, text: str) -> Move:
        check_text(text)
        return notation.read(text)

    def explain(self, name: str) -> str:
        check_text(name)
        return explain(name)


GAME = Ascension
