"""Moves are made by pointing at pictures: what every game of the catalogue keeps to."""

import random
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import pytest

from gamehall.core import Game, Outcome, Position, Seat
from gamehall.games.ascension import Ascension
from gamehall.games.catalogue import all_games
from gamehall.games.connect_four import ConnectFour, Gravity
from gamehall.games.go import Go
from gamehall.games.santorini import Santorini
from tests.games.ascension_tables import after, table

IN_WORDS = {
    "connect-four": set[str](),
    "santorini": set[str](),
    "go": {"pass"},
    "ascension": {"end turn", "choose nothing", "choose rune", "choose power", "choose play"},
}
"""What the pictures do not have; of a game that is not here, that may be anything."""


class Countdown(Position[int], frozen=True):
    """How many stones are left; whoever takes the last has won."""

    left: int = 7

    def legal_moves(self) -> Iterator[int]:
        return iter(range(1, min(self.left, 3) + 1))

    def after(self, move: int) -> Self:
        assert self.to_move
        left = self.left - move
        outcome = None if left else Outcome(self.to_move, "has taken the last")
        return type(self)(self.to_move.other if left else None, outcome, left)

    def picture(self) -> str:
        return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'

    def diagram(self) -> str:
        return f"{self.left}\n"


@dataclass(frozen=True, slots=True)
class Taking(Game[int]):
    """A game that says nothing about pointing."""

    name: ClassVar[str] = "taking"
    title: ClassVar[str] = "Taking"

    def start(self, seed: int = 0) -> Countdown:
        return Countdown(Seat.FIRST, None)

    def write_move(self, move: int) -> str:
        return f"take {move}"

    def read_move(self, text: str) -> int:
        return int(text.removeprefix("take "))


GAMES: list[Game[Any]] = [
    *(kind() for kind in all_games().values()),
    ConnectFour(gravity=Gravity.FREE),
    ConnectFour(gravity=Gravity.STRICT),
    ConnectFour(gravity=Gravity.COLUMN),
    Santorini(board=6),
    Go(size=5, suicide=True),
    Go(size=25, handicap=3),
    Ascension(honor=200),
    Taking(),
]
every_game = pytest.mark.parametrize("game", GAMES, ids=repr)


def random_game(game: Game[Any], seed: int) -> Iterator[Position[Any]]:
    """The positions of a game of random moves in which somebody is to move."""
    chance = random.Random(seed)
    position = game.start(seed)
    while position.outcome is None:
        yield position
        position = position.after(chance.choice(list(position.legal_moves())))


def marked(position: Position[Any]) -> set[str]:
    """What can be pointed at in the picture that the player who is to move sees."""
    elements = ET.fromstring(position.seen_by(position.to_move).picture()).iter()
    return {target for element in elements if (target := element.get("data-target"))}


@every_game
def test_no_moves_targets_are_the_beginning_of_anothers(game: Game[Any]) -> None:
    for position in random_game(game, 1):
        all_targets = [game.targets(move) for move in position.legal_moves()]
        assert all(all_targets)
        beginnings = {
            targets[:length] for targets in all_targets for length in range(1, len(targets))
        }
        assert len(set(all_targets)) == len(all_targets)
        assert not beginnings & set(all_targets)


@every_game
def test_every_target_is_in_the_picture_or_is_meant_to_be_a_button(game: Game[Any]) -> None:
    in_words = IN_WORDS.get(game.name)
    if in_words is None:
        return
    # Large boards change little from move to move.
    step = 1 if game.name != "go" else 9
    for position in list(random_game(game, 2))[::step]:
        wanted = {target for move in position.legal_moves() for target in game.targets(move)}
        assert wanted - marked(position) == wanted & in_words


def test_a_game_that_says_nothing_is_played_by_its_written_moves() -> None:
    assert Taking().targets(2) == ("take 2",)


def test_a_worker_of_santorini_is_pointed_at_then_its_step_then_its_building() -> None:
    game = Santorini()
    assert game.targets(game.read_move("c3")) == ("c3",)
    assert game.targets(game.read_move("c3-c4+d4")) == ("c3", "c4", "d4")
    assert game.targets(game.read_move("c3-c4")) == ("c3", "c4")


def test_where_nothing_falls_every_free_cell_can_be_pointed_at() -> None:
    position = ConnectFour(gravity=Gravity.FREE).start(0)
    assert len(marked(position)) == 42


def test_a_construct_of_two_abilities_has_a_place_for_each() -> None:
    targets = marked(table(constructs="Yggdrasil Staff", runes=4))
    assert {"activate Yggdrasil Staff", "activate Yggdrasil Staff: honor"} <= targets


def test_only_what_is_asked_for_can_be_pointed_at() -> None:
    start = table(hand=["Void Initiate", "Militia"], discard="Mystic", constructs="Shadow Star")
    position = after(start, "play Void Initiate")
    assert marked(position) == {"choose hand:Militia", "choose discard:Mystic"}


def test_constructs_that_act_by_themselves_cannot_be_pointed_at() -> None:
    targets = marked(table(constructs=["Hedron Link Device", "Shadow Star"]))
    assert {target for target in targets if target.startswith("activate")} == {
        "activate Shadow Star"
    }
