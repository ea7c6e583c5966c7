"""Ascension: Chronicle of the Godslayer, the base set, for two players.

Each player begins with a deck of eight Apprentices, which give runes, and two Militia, which give
power. In a turn, players play cards from their hand, acquire heroes and constructs for runes, and
defeat monsters with power, in any order. The center row has six cards, which are replaced at once;
Mystics, Heavy Infantry and the Cultist are always available. Acquired cards go to the discard
pile, which is shuffled into a new deck when the deck is empty. Heroes are played once, constructs
stay in play. At the end of the turn everything unspent is lost, and five cards are drawn.

Monsters and some cards give honor from a pool. When the pool is empty, the round is finished, and
the player with the most honor wins, including the honor printed on all cards that the player owns.
A choice that a card asks for is a move of its own, and no other move is legal before it. Choices
that Corrosive Widow and Sea Tyrant ask of the opponent are made at the start of the opponent's
turn.

The published rules do not end a game in which no player can gain honor any more because all cards
with runes or power are banished. So the term `turns` limits the length of a game.

RULES.md beside this module has the rules for players, every card, and the readings of what the
cards leave open; `reading 7` in a comment is number 7 of its section 12.

Terms: `honor`, the size of the pool; `ties`, whether a game may end in a tie; `turns`, the maximum
number of turns; `supply`, whether Mystics and Heavy Infantry run out (`counted`) or do not
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
from gamehall.games.ascension.cards import CARDS, card_named, explain
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
from gamehall.games.ascension.position import MAX_TURNS, AscensionPosition
from gamehall.games.ascension.sent_choices import default_choice, with_choices

WON_BY_HONOR = re.compile(r"[0-9]+ honor to [0-9]+")
"""The reason of an outcome with a winner (see actions.py)."""

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
    "CardName",
    "Choice",
    "ChoiceKind",
    "Choose",
    "Construct",
    "Defeat",
    "EndTurn",
    "Move",
    "PlayCard",
    "Side",
    "Supply",
    "card_named",
    "default_choice",
    "with_choices",
]

MOST_HONOR = 1000


@dataclass(frozen=True, slots=True)
class Ascension(Game[Move]):
    """The rules of Ascension on agreed terms."""

    name: ClassVar[str] = "ascension"
    title: ClassVar[str] = "Ascension"

    honor: int = 60
    ties: bool = False
    turns: int = MAX_TURNS
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
        is_known = WON_BY_HONOR.fullmatch(reason) is not None
        return clause(winner, "has", reason) if is_known else reason

    def read_move(self, text: str) -> Move:
        check_text(text)
        return notation.read(text)

    def explain(self, name: str) -> str:
        check_text(name)
        return explain(name)


GAME = Ascension
