"""A naive implementation of Ascension (AR-01 to AR-09), to compare with the real one.

It shares no code with the real game and prefers simple code to fast code: zones are lists of names,
everything is changed in place, and each card has a few lines of code under its name. A card with a
choice is a generator that yields the choice and is sent the answer, so a choice within a choice is
a `yield from`. Therefore a game with a pending choice cannot be copied.

Readings of what the cards leave open, as in section 12 of the game's RULES.md; a number in brackets
is another section of that page. Only the first is stricter here:

1.  Yggdrasil Staff: `activate` is the power of a copy that has not given it this turn; only when
    every copy has, it is the exchange of 4 runes for 3 honor, once per copy. With two copies both
    powers come first: taking them costs nothing and rules out nothing.
2.  The exchange cannot be paid with restricted runes (5: they pay for nothing else).
3.  Rocket Courier: the acquired card lies in the discard pile (5) and the row is refilled (7) while
    the question is open; "play" takes it out of the discard pile again.
4.  One question for an acquisition, however many Couriers are unused. "play" uses up one of them,
    to decline uses up none.
5.  Snapdragon's honor comes after the hero's own effect, as Voidthirster's comes after the reward
    (6). This matters only while Druids or Cetra wait for a choice.
6.  "First" is settled when the hero is played and when the monster is defeated: a Voidthirster that
    enters play through the reward of the turn's first monster gives nothing for that monster, and
    a monster defeated through the Avatar's reward is not the first.
7.  A card moves first, then the row is refilled: a monster just defeated or a card just banished
    is among those shuffled if the center deck is empty at that moment.
8.  A short row is filled up to six when the next card leaves it, not when the void gets a card.
9.  Avatar of the Fallen: "one other center-row card" leaves out the Avatar itself, which can be in
    the row again only by reading 7.
10. The choices of a copied or defeated card are asked in that card's name, not in Askara's or
    Templar's.
11. Runic Lycanthrope counts a second Lycanthrope as another hero; copied by Askara it counts the
    copied one.
12. Widow and Sea Tyrant see the constructs of the moment: with two or more when defeated they wait
    for the opponent's own next turn, and there each is asked, in order, if two or more are left,
    even if these have the same name; otherwise it resolves without a question.
13. Two Tablets' worth of extra turns in one turn (one Tablet, reshuffled from the void) are both
    taken. Choices owed by the opponent wait until his own turn.
14. The last turn ends like any other, with the draw of five. Choices still owed are never asked.
15. A construct that could do nothing useful may be activated (The All-Seeing Eye with no card left
    to draw). Burrower, Courier and Link Device can never be: a door may accept it (A-Q17), but
    it is no move.
16. Chance is called even for a single card, never for none, and gets the names sorted, except at
    the set-up, where they are in the order of the table below.
"""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

# A move is (type, card name); the answer to a choice is ("choose", option), "" to decline.
Move = tuple[str, str]

HERO = "Hero"
CONSTRUCT = "Construct"
MONSTER = "Monster"

BASIC = "None"
ENLIGHTENED = "Enlightened"
LIFEBOUND = "Lifebound"
MECHANA = "Mechana"
VOID = "Void"

HAND_SIZE = 5
ROW_SIZE = 6
HONOR_POOL = 60


class Card(NamedTuple):
    """What is printed on a card, and how many there are.

    cost is in power for a monster, in runes otherwise. honor is the reward of a monster; of the
    others it counts for the owner at the end. copies is per player for Apprentice and Militia.
    """

    type: str
    faction: str
    cost: int
    honor: int
    copies: int


STARTERS = {
    "Apprentice": Card(HERO, BASIC, 0, 0, 8),
    "Militia": Card(HERO, BASIC, 0, 0, 2),
}

ALWAYS_AVAILABLE = {
    "Mystic": Card(HERO, BASIC, 3, 1, 30),
    "Heavy Infantry": Card(HERO, BASIC, 2, 1, 29),
    "Cultist": Card(MONSTER, MONSTER, 2, 1, 1),
}

CENTER = {
    "Arha Initiate": Card(HERO, ENLIGHTENED, 1, 1, 3),
    "Arha Templar": Card(HERO, ENLIGHTENED, 4, 3, 2),
    "Ascetic of the Lidless Eye": Card(HERO, ENLIGHTENED, 5, 2, 2),
    "Master Dhartha": Card(HERO, ENLIGHTENED, 7, 3, 1),
    "Oziah the Peerless": Card(HERO, ENLIGHTENED, 6, 3, 1),
    "Seer of the Forked Path": Card(HERO, ENLIGHTENED, 2, 1, 3),
    "Temple Librarian": Card(HERO, ENLIGHTENED, 2, 1, 3),
    "Twofold Askara": Card(HERO, ENLIGHTENED, 4, 2, 1),
    "Tablet of Time's Dawn": Card(CONSTRUCT, ENLIGHTENED, 5, 2, 1),
    "The All-Seeing Eye": Card(CONSTRUCT, ENLIGHTENED, 6, 2, 1),
    "Cetra, Weaver of Stars": Card(HERO, LIFEBOUND, 7, 4, 1),
    "Druids of the Stone Circle": Card(HERO, LIFEBOUND, 4, 3, 2),
    "Flytrap Witch": Card(HERO, LIFEBOUND, 5, 2, 2),
    "Landtalker": Card(HERO, LIFEBOUND, 6, 3, 1),
    "Lifebound Initiate": Card(HERO, LIFEBOUND, 1, 1, 3),
    "Runic Lycanthrope": Card(HERO, LIFEBOUND, 3, 1, 2),
    "Snapdragon": Card(CONSTRUCT, LIFEBOUND, 5, 2, 2),
    "Wolf Shaman": Card(HERO, LIFEBOUND, 3, 1, 3),
    "Yggdrasil Staff": Card(CONSTRUCT, LIFEBOUND, 4, 2, 2),
    "Avatar Golem": Card(HERO, MECHANA, 4, 2, 2),
    "Burrower Mark II": Card(CONSTRUCT, MECHANA, 3, 3, 2),
    "Hedron Cannon": Card(CONSTRUCT, MECHANA, 8, 8, 1),
    "Hedron Link Device": Card(CONSTRUCT, MECHANA, 7, 7, 1),
    "Kor, the Ferromancer": Card(HERO, MECHANA, 3, 2, 1),
    "Mechana Initiate": Card(HERO, MECHANA, 1, 1, 3),
    "Reactor Monk": Card(HERO, MECHANA, 4, 2, 2),
    "Rocket Courier X-99": Card(CONSTRUCT, MECHANA, 4, 4, 2),
    "The Grand Design": Card(CONSTRUCT, MECHANA, 6, 6, 2),
    "Watchmaker's Altar": Card(CONSTRUCT, MECHANA, 5, 5, 2),
    "Arbiter of the Precipice": Card(HERO, VOID, 4, 1, 2),
    "Demon Slayer": Card(HERO, VOID, 4, 2, 2),
    "Emri, One with the Void": Card(HERO, VOID, 6, 3, 1),
    "Muramasa": Card(CONSTRUCT, VOID, 7, 4, 1),
    "Shade of the Black Watch": Card(HERO, VOID, 3, 1, 3),
    "Shadow Star": Card(CONSTRUCT, VOID, 3, 2, 2),
    "Spike Vixen": Card(HERO, VOID, 2, 1, 2),
    "Void Initiate": Card(HERO, VOID, 1, 1, 3),
    "Voidthirster": Card(CONSTRUCT, VOID, 5, 3, 2),
    "Avatar of the Fallen": Card(MONSTER, MONSTER, 7, 4, 1),
    "Corrosive Widow": Card(MONSTER, MONSTER, 4, 3, 4),
    "Earth Tyrant": Card(MONSTER, MONSTER, 6, 5, 2),
    "Mephit": Card(MONSTER, MONSTER, 3, 2, 3),
    "Mistake of Creation": Card(MONSTER, MONSTER, 4, 4, 4),
    "Samael's Trickster": Card(MONSTER, MONSTER, 3, 1, 4),
    "Sea Tyrant": Card(MONSTER, MONSTER, 5, 5, 3),
    "Tormented Soul": Card(MONSTER, MONSTER, 3, 1, 3),
    "Wind Tyrant": Card(MONSTER, MONSTER, 5, 3, 3),
    "Xeron, Duke of Lies": Card(MONSTER, MONSTER, 6, 3, 1),
}

CARDS = STARTERS | ALWAYS_AVAILABLE | CENTER

# Constructs with only a permanent effect (section 8), which cannot be activated.
PASSIVE = ("Burrower Mark II", "Hedron Link Device", "Rocket Courier X-99")


class Chance(Protocol):
    """A random source."""

    def shuffled(self, names: Sequence[str]) -> list[str]:
        """Return the cards in random order. The first one is the top of the deck."""

    def pick(self, names: Sequence[str]) -> str:
        """Return a random card."""


class Choice(NamedTuple):
    """A choice that must be made before any other move, unless it is optional and declined."""

    player: int
    card: str
    kind: str
    options: list[str]
    optional: bool


# An effect: it yields its choices, is sent the answers, and returns nothing.
Steps = Generator[Choice, str, None]

# One choice: it returns the answer, or "" if it was declined or there were no options.
Question = Generator[Choice, str, str]


@dataclass(eq=False)
class Construct:
    """One copy of a construct in play; `used` has the abilities used this turn."""

    name: str
    used: set[str] = field(default_factory=set)


@dataclass
class Player:
    """The honor and cards of one player.

    deck[0] is drawn next. played has the heroes of this turn, in the order of playing.
    owed has the Widows and Sea Tyrants whose choices the player makes at the start of its turn.
    """

    honor: int = 0
    deck: list[str] = field(default_factory=list)
    hand: list[str] = field(default_factory=list)
    played: list[str] = field(default_factory=list)
    constructs: list[Construct] = field(default_factory=list)
    discard: list[str] = field(default_factory=list)
    owed: list[str] = field(default_factory=list)

    def count_of(self, construct: str) -> int:
        """Return how many constructs of that name are in play."""
        return sum(each.name == construct for each in self.constructs)

    def is_mechana(self, name: str) -> bool:
        """Return True if the card is a Mechana construct for this player (8)."""
        if CARDS[name].type != CONSTRUCT:
            return False
        return CARDS[name].faction == MECHANA or self.count_of("Hedron Link Device") > 0

    def cards(self) -> list[str]:
        """Return the names of all cards of the player, in all zones."""
        in_play = [construct.name for construct in self.constructs]
        return self.deck + self.hand + self.played + in_play + self.discard


def distinct(names: Iterable[str]) -> list[str]:
    return sorted(set(names))


class NaiveAscension:
    """A game, which `do` changes in place.

    turn_owner is the player whose turn it is or, after the end, had the last turn.
    to_move is the player who must move or choose, None after the end.
    winner is None until the end. There is no draw: the later player wins a tie (11).
    runes, power, restricted_runes (for Mechana constructs only) and monk_discount are those of the
    turn owner. extra_turns is the number of turns that this player has before the other.
    """

    def __init__(self, chance: Chance, endless: bool = False) -> None:
        """Set up the game. Player 0 begins. If `endless` is true, the two piles never run out."""
        self.chance = chance
        self.endless = endless
        self.players = [Player(), Player()]
        for player in self.players:
            player.deck = self._shuffled(["Apprentice"] * 8 + ["Militia"] * 2)
        self.center_deck = self._shuffled(
            [name for name, card in CENTER.items() for _ in range(card.copies)]
        )
        self.row: list[str] = []
        self.void: list[str] = []
        self.mystics = ALWAYS_AVAILABLE["Mystic"].copies
        self.heavies = ALWAYS_AVAILABLE["Heavy Infantry"].copies
        self.honor_pool = HONOR_POOL
        self.runes = 0
        self.power = 0
        self.restricted_runes = 0
        self.monk_discount = 0
        self.row_monster_defeated = False
        self.extra_turns = 0
        self.turn_owner = 0
        self.over = False
        self.winner: int | None = None
        self.pending: Choice | None = None
        self.steps: Steps | None = None
        for player in self.players:
            self._draw(player, HAND_SIZE)
        self._refill_row()

    # State and moves

    @property
    def to_move(self) -> int | None:
        if self.over:
            return None
        return self.pending.player if self.pending else self.turn_owner

    @property
    def mine(self) -> Player:
        return self.players[self.turn_owner]

    @property
    def other(self) -> Player:
        return self.players[1 - self.turn_owner]

    def moves(self) -> list[Move]:
        """Return the legal moves, each once."""
        if self.over:
            return []
        if self.pending:
            options = self.pending.options + ([""] if self.pending.optional else [])
            return [("choose", option) for option in options]
        found = [("play", name) for name in distinct(self.mine.hand)]
        for name in [*distinct(self.row), "Mystic", "Heavy Infantry", "Cultist"]:
            if CARDS[name].type == MONSTER:
                if CARDS[name].cost <= self.power:
                    found.append(("defeat", name))
            elif self._is_there(name) and self._can_pay(name):
                found.append(("acquire", name))
        for name in distinct(construct.name for construct in self.mine.constructs):
            if self._next_use(name) is not None:
                found.append(("activate", name))
        found.append(("end_turn", ""))
        return found

    def do(self, move: Move) -> None:
        """Make a move. Raises ValueError if it is illegal."""
        if move not in self.moves():
            raise ValueError(f"not a legal move now: {move}")
        match move:
            case ("choose", option):
                self._answer(option)
            case ("play", name):
                self._begin(self._play(name))
            case ("acquire", name):
                self._begin(self._acquire(name))
            case ("defeat", name):
                self._begin(self._buy_defeat(name))
            case ("activate", name):
                self._activate(name)
            case _:
                self._begin(self._end_turn())

    def scores(self) -> tuple[int, int]:
        """Return the honor gained and printed on own cards of both players (AR-08)."""
        first, second = (
            player.honor + sum(CARDS[name].honor for name in player.cards())
            for player in self.players
        )
        return first, second

    def state(self) -> dict[str, object]:
        """Return the whole state, including hidden cards, as plain values."""
        return {
            "players": [
                {
                    "honor": player.honor,
                    "deck": list(player.deck),
                    "hand": sorted(player.hand),
                    "played": sorted(player.played),
                    "constructs": sorted(construct.name for construct in player.constructs),
                    "discard": sorted(player.discard),
                }
                for player in self.players
            ],
            "center_deck": list(self.center_deck),
            "row": sorted(self.row),
            "void": sorted(self.void),
            "mystics": self.mystics,
            "heavies": self.heavies,
            "honor_pool": self.honor_pool,
            "runes": self.runes,
            "power": self.power,
            "restricted_runes": self.restricted_runes,
            "monk_discount": self.monk_discount,
            "pending": self.pending._asdict() if self.pending else None,
            "turn_owner": self.turn_owner,
            "extra_turn_waiting": self.extra_turns,
        }

    # The parts of a turn

    def _begin(self, steps: Steps) -> None:
        """Run an effect to its end or to its first choice."""
        self.steps = steps
        self.pending = next(steps, None)

    def _answer(self, option: str) -> None:
        """Run the effect of the pending choice to its end or to its next choice."""
        assert self.steps is not None
        try:
            self.pending = self.steps.send(option)
        except StopIteration:
            self.pending = None

    def _ask(self, card: str, kind: str, names: Iterable[str], *, optional: bool) -> Question:
        """Ask the turn owner to choose one of the names, unless there are none."""
        options = distinct(names)
        if not options:
            return ""
        return (yield Choice(self.turn_owner, card, kind, options, optional))

    def _end_turn(self) -> Steps:
        """Discard, draw, and begin the next turn or end the game (sections 4 and 11)."""
        self.mine.discard += self.mine.hand + self.mine.played
        self.mine.hand = []
        self.mine.played = []
        self._draw(self.mine, HAND_SIZE)
        self.runes = 0
        self.power = 0
        self.restricted_runes = 0
        self.monk_discount = 0
        if self.extra_turns > 0:
            self.extra_turns -= 1
        elif self.honor_pool == 0 and self.turn_owner == 1:
            self.over = True
            first, second = self.scores()
            self.winner = 0 if first > second else 1
            return
        else:
            self.turn_owner = 1 - self.turn_owner
        yield from self._start_turn()

    def _start_turn(self) -> Steps:
        """Make constructs usable, then ask for the choices that are owed (section 10)."""
        self.row_monster_defeated = False
        for construct in self.mine.constructs:
            construct.used = set()
        while self.mine.owed:
            monster = self.mine.owed.pop(0)
            if len(self.mine.constructs) <= 1:
                self._lose_constructs_without_choice(self.mine, monster)
                continue
            names = [construct.name for construct in self.mine.constructs]
            if monster == "Corrosive Widow":
                lost = yield from self._ask(monster, "destroy_construct", names, optional=False)
                self._destroy(self.mine, lost)
            else:
                kept = yield from self._ask(monster, "keep_construct", names, optional=False)
                names.remove(kept)
                for name in names:
                    self._destroy(self.mine, name)

    # Effects

    def _gain_honor(self, amount: int) -> None:
        """Give the turn owner honor from the pool, then from the reserve (section 11)."""
        self.mine.honor += amount
        self.honor_pool = max(0, self.honor_pool - amount)

    def _draw(self, player: Player, count: int) -> None:
        """Draw cards. Reshuffle only if a card is needed and the deck is empty."""
        for _ in range(count):
            if not player.deck and player.discard:
                player.deck = self._shuffled(sorted(player.discard))
                player.discard = []
            if player.deck:
                player.hand.append(player.deck.pop(0))

    def _shuffled(self, names: list[str]) -> list[str]:
        return list(self.chance.shuffled(names))

    def _refill_row(self) -> None:
        """Fill the row up to six cards, from the void if the center deck is empty (AR-09)."""
        while len(self.row) < ROW_SIZE:
            if not self.center_deck:
                again = sorted(name for name in self.void if name in CENTER)
                if not again:
                    return
                self.void = [name for name in self.void if name not in CENTER]
                self.center_deck = self._shuffled(again)
            self.row.append(self.center_deck.pop(0))

    def _banish_from_row(self, card: str) -> Steps:
        """You may banish a card of the row, but never the Avatar (section 7)."""
        names = [name for name in self.row if name != "Avatar of the Fallen"]
        banished = yield from self._ask(card, "banish", names, optional=True)
        if banished:
            self.row.remove(banished)
            self.void.append(banished)
            self._refill_row()

    def _banish_from_hand_or_discard(self, card: str) -> Steps:
        """You may banish a card of your hand or discard pile."""
        options = [f"hand:{name}" for name in self.mine.hand]
        options += [f"discard:{name}" for name in self.mine.discard]
        answer = yield from self._ask(card, "banish", options, optional=True)
        if answer:
            zone, name = answer.split(":")
            (self.mine.hand if zone == "hand" else self.mine.discard).remove(name)
            self.void.append(name)

    def _destroy(self, player: Player, name: str) -> None:
        """Move a construct from play to its owner's discard pile (section 8)."""
        found = next(construct for construct in player.constructs if construct.name == name)
        player.constructs.remove(found)
        player.discard.append(name)

    def _lose_constructs_without_choice(self, player: Player, monster: str) -> None:
        """Apply Widow or Sea Tyrant to a player with at most one construct."""
        if monster == "Corrosive Widow":
            for construct in list(player.constructs):
                self._destroy(player, construct.name)

    # Playing

    def _play(self, name: str) -> Steps:
        """Play a card of the hand: a construct enters play, a hero has its effect."""
        self.mine.hand.remove(name)
        if CARDS[name].type == CONSTRUCT:
            self._enter_play(name)
            return
        earlier = list(self.mine.played)
        self.mine.played.append(name)
        snapdragons = self.mine.count_of("Snapdragon")
        yield from self._hero(name, earlier)
        if CARDS[name].faction == LIFEBOUND and not self._any_lifebound(earlier):
            self._gain_honor(snapdragons)

    def _enter_play(self, name: str) -> None:
        """Put a construct into play. Each unused Burrower, itself included, draws a card."""
        self.mine.constructs.append(Construct(name))
        if self.mine.is_mechana(name):
            for construct in self.mine.constructs:
                if construct.name == "Burrower Mark II" and not construct.used:
                    construct.used.add("draw")
                    self._draw(self.mine, 1)

    def _any_lifebound(self, names: list[str]) -> bool:
        return any(CARDS[name].faction == LIFEBOUND for name in names)

    def _hero(self, name: str, earlier: list[str]) -> Steps:
        """Apply a hero. `earlier` are the heroes played before it, or before Askara."""
        match name:
            case "Apprentice":
                self.runes += 1
            case "Militia":
                self.power += 1
            case "Mystic":
                self.runes += 2
            case "Heavy Infantry":
                self.power += 2
            case "Arha Initiate":
                self._draw(self.mine, 1)
            case "Arha Templar":
                yield from self._defeat_free(name, highest_cost=4)
            case "Ascetic of the Lidless Eye":
                self._draw(self.mine, 2)
            case "Master Dhartha":
                self._draw(self.mine, 3)
            case "Oziah the Peerless":
                yield from self._defeat_free(name, highest_cost=6)
            case "Seer of the Forked Path":
                self._draw(self.mine, 1)
                yield from self._banish_from_row(name)
            case "Temple Librarian":
                card = yield from self._ask(name, "discard", self.mine.hand, optional=False)
                if card:
                    self.mine.hand.remove(card)
                    self.mine.discard.append(card)
                    self._draw(self.mine, 2)
            case "Twofold Askara":
                copied = yield from self._ask(name, "copy_hero", earlier, optional=False)
                if copied:
                    yield from self._hero(copied, earlier)
            case "Cetra, Weaver of Stars":
                yield from self._acquire_hero_free(name, highest_cost=None)
            case "Druids of the Stone Circle":
                yield from self._acquire_hero_free(name, highest_cost=3)
            case "Flytrap Witch":
                self._gain_honor(2)
                self._draw(self.mine, 1)
            case "Landtalker":
                self.runes += 3
            case "Lifebound Initiate":
                self.runes += 1
                self._gain_honor(1)
            case "Runic Lycanthrope":
                self.runes += 2
                if self._any_lifebound(earlier):
                    self.power += 2
            case "Wolf Shaman":
                self.runes += 1
                self._draw(self.mine, 1)
            case "Avatar Golem":
                self.power += 2
                factions = {CARDS[construct.name].faction for construct in self.mine.constructs}
                self._gain_honor(len(factions))
            case "Kor, the Ferromancer":
                self.power += 2
                if len(self.mine.constructs) >= 2:
                    self._draw(self.mine, 1)
            case "Mechana Initiate":
                words = ["rune", "power"]
                word = yield from self._ask(name, "choose_resource", words, optional=False)
                if word == "rune":
                    self.runes += 1
                else:
                    self.power += 1
            case "Reactor Monk":
                self.runes += 2
                self.monk_discount += 1
            case "Arbiter of the Precipice":
                self._draw(self.mine, 2)
                card = yield from self._ask(name, "banish", self.mine.hand, optional=False)
                if card:
                    self.mine.hand.remove(card)
                    self.void.append(card)
            case "Demon Slayer":
                self.power += 3
            case "Emri, One with the Void":
                self.power += 4
            case "Shade of the Black Watch":
                self.power += 2
                yield from self._banish_from_hand_or_discard(name)
            case "Spike Vixen":
                self.power += 1
                self._draw(self.mine, 1)
            case "Void Initiate":
                self.runes += 1
                yield from self._banish_from_hand_or_discard(name)
            case _:
                raise AssertionError(f"no effect is written for the hero {name}")

    # Constructs

    def _next_use(self, name: str) -> Construct | None:
        """Return the copy that `activate` would use, or None if no copy can be activated."""
        if name in PASSIVE:
            return None
        copies = [construct for construct in self.mine.constructs if construct.name == name]
        for construct in copies:
            if "main" not in construct.used:
                return construct
        if name == "Yggdrasil Staff" and self.runes >= 4:
            for construct in copies:
                if "exchange" not in construct.used:
                    return construct
        return None

    def _activate(self, name: str) -> None:
        """Use a construct; of Yggdrasil Staff first the power, then the exchange (reading 1)."""
        construct = self._next_use(name)
        assert construct is not None
        if "main" in construct.used:
            construct.used.add("exchange")
            self.runes -= 4
            self._gain_honor(3)
            return
        construct.used.add("main")
        match name:
            case "Tablet of Time's Dawn":
                self.mine.constructs.remove(construct)
                self.void.append(name)
                self.extra_turns += 1
            case "The All-Seeing Eye":
                self._draw(self.mine, 1)
            case "Snapdragon":
                self.runes += 1
            case "Yggdrasil Staff":
                self.power += 1
            case "Hedron Cannon":
                in_play = [construct.name for construct in self.mine.constructs]
                self.power += sum(self.mine.is_mechana(each) for each in in_play)
            case "The Grand Design":
                self.restricted_runes += 2
            case "Watchmaker's Altar":
                self.restricted_runes += 1
            case "Muramasa":
                self.power += 3
            case "Shadow Star":
                self.power += 1
            case "Voidthirster":
                self.power += 1
            case _:
                raise AssertionError(f"no use is written for the construct {name}")

    # Acquiring

    def _is_there(self, name: str) -> bool:
        """Return True if there is a card of that name to acquire."""
        if name == "Mystic":
            return self.mystics > 0
        if name == "Heavy Infantry":
            return self.heavies > 0
        return name in self.row

    def _price(self, name: str) -> int:
        if CARDS[name].type == CONSTRUCT:
            return max(0, CARDS[name].cost - self.monk_discount)
        return CARDS[name].cost

    def _can_pay(self, name: str) -> bool:
        usable = self.runes
        if self.mine.is_mechana(name):
            usable += self.restricted_runes
        return self._price(name) <= usable

    def _acquire(self, name: str) -> Steps:
        """Acquire a card for runes, first restricted ones (section 5)."""
        price = self._price(name)
        if self.mine.is_mechana(name):
            restricted = min(price, self.restricted_runes)
            self.restricted_runes -= restricted
            price -= restricted
        self.runes -= price
        yield from self._take(name)

    def _take(self, name: str) -> Steps:
        """Move an acquired card to the discard pile. A Courier may put it into play."""
        self.mine.discard.append(name)
        self._remove_from_offer(name)
        if CARDS[name].type == CONSTRUCT:
            self.monk_discount = 0
        if self.mine.is_mechana(name):
            yield from self._courier(name)

    def _courier(self, name: str) -> Steps:
        """Ask whether a Rocket Courier puts the construct just acquired into play."""
        for courier in self.mine.constructs:
            if courier.name == "Rocket Courier X-99" and not courier.used:
                word = yield from self._ask(courier.name, "put_into_play", ["play"], optional=True)
                if word == "play":
                    courier.used.add("put into play")
                    self.mine.discard.remove(name)
                    self._enter_play(name)
                return

    def _acquire_hero_free(self, card: str, highest_cost: int | None) -> Steps:
        """Apply Druids or Cetra: acquire a hero for free, on top of the deck."""
        offer = [*self.row, "Mystic", "Heavy Infantry"]
        names = [
            name
            for name in offer
            if CARDS[name].type == HERO
            and self._is_there(name)
            and (highest_cost is None or CARDS[name].cost <= highest_cost)
        ]
        kind = "acquire_hero_to_deck_top"
        acquired = yield from self._ask(card, kind, names, optional=False)
        if acquired:
            self.mine.deck.insert(0, acquired)
            self._remove_from_offer(acquired)

    def _remove_from_offer(self, name: str) -> None:
        """Remove an acquired card from its pile, or from the row, which is refilled."""
        if self.endless and name in ("Mystic", "Heavy Infantry"):
            return
        if name == "Mystic":
            self.mystics -= 1
        elif name == "Heavy Infantry":
            self.heavies -= 1
        else:
            self.row.remove(name)
            self._refill_row()

    # Defeating

    def _buy_defeat(self, name: str) -> Steps:
        self.power -= CARDS[name].cost
        yield from self._defeat(name)

    def _defeat_free(self, card: str, highest_cost: int) -> Steps:
        """Apply Templar or Oziah: defeat a monster of the row or the Cultist for free."""
        names = [
            name
            for name in [*self.row, "Cultist"]
            if CARDS[name].type == MONSTER and CARDS[name].cost <= highest_cost
        ]
        defeated = yield from self._ask(card, "defeat_monster_free", names, optional=False)
        yield from self._defeat(defeated)

    def _defeat(self, name: str) -> Steps:
        """Move a monster to the void, refill the row, give reward and Voidthirster (section 6)."""
        if name == "Cultist":
            self._gain_honor(CARDS[name].honor)
            return
        # Whether it is the first monster is decided before the reward (reading 6).
        voidthirsters = 0 if self.row_monster_defeated else self.mine.count_of("Voidthirster")
        self.row_monster_defeated = True
        self.row.remove(name)
        self.void.append(name)
        self._refill_row()
        self._gain_honor(CARDS[name].honor)
        yield from self._reward(name)
        self._gain_honor(voidthirsters)

    def _reward(self, name: str) -> Steps:
        """Apply the effects of a monster of the row, besides its honor."""
        match name:
            case "Avatar of the Fallen":
                names = [each for each in self.row if each != name]
                chosen = yield from self._ask(name, "acquire_or_defeat", names, optional=False)
                if chosen and CARDS[chosen].type == MONSTER:
                    yield from self._defeat(chosen)
                elif chosen:
                    yield from self._take(chosen)
            case "Corrosive Widow" | "Sea Tyrant":
                if len(self.other.constructs) <= 1:
                    self._lose_constructs_without_choice(self.other, name)
                else:
                    self.other.owed.append(name)
            case "Earth Tyrant":
                self._draw(self.mine, 2)
            case "Mephit":
                yield from self._banish_from_row(name)
            case "Mistake of Creation":
                yield from self._banish_from_row(name)
                banished = yield from self._ask(name, "banish", self.mine.discard, optional=True)
                if banished:
                    self.mine.discard.remove(banished)
                    self.void.append(banished)
            case "Samael's Trickster":
                self.runes += 1
            case "Tormented Soul":
                self._draw(self.mine, 1)
            case "Wind Tyrant":
                self.runes += 3
            case "Xeron, Duke of Lies":
                if self.other.hand:
                    stolen = self.chance.pick(sorted(self.other.hand))
                    self.other.hand.remove(stolen)
                    self.mine.hand.append(stolen)
            case _:
                raise AssertionError(f"no reward is written for the monster {name}")
