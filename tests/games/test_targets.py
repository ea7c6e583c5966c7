"""Moves are made by clicking parts of pictures, their targets, in every game of the catalogue."""

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
from tests.games.playing import random_game

IN_WORDS = {
    "connect-four": set[str](),
    "santorini": set[str](),
    "go": {"pass"},
    "ascension": {"end turn", "choose nothing", "choose rune", "choose power", "choose play"},
}
"""The targets that are buttons, not parts of the picture. Games that are not here may have any."""


class Countdown(Position[int], frozen=True):
    """The number of stones left. The player who takes the last stone wins."""

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
    """A game that does not override `targets`."""

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


def picture_targets(position: Position[Any]) -> set[str]:
    """Return the targets in the picture that the player to move sees."""
    elements = ET.fromstring(position.seen_by(position.to_move).picture()).iter()
    return {target for element in elements if (target := element.get("data-target"))}


@every_game
def test_the_targets_of_a_move_are_not_the_beginning_of_anothers(game: Game[Any]) -> None:
    for position in random_game(game, 1):
        if position.outcome:
            break
        all_targets = [game.targets(move) for move in position.legal_moves()]
        assert all(all_targets)
        beginnings = {
            targets[:length] for targets in all_targets for length in range(1, len(targets))
        }
        assert len(set(all_targets)) == len(all_targets)
        assert not beginnings & set(all_targets)


@every_game
def test_every_target_is_in_the_picture_or_is_a_button(game: Game[Any]) -> None:
    in_words = IN_WORDS.get(game.name)
    if in_words is None:
        return
    # Large boards change little from move to move.
    step = 1 if game.name != "go" else 9
    for position in list(random_game(game, 2))[::step]:
        wanted = {target for move in position.legal_moves() for target in game.targets(move)}
        assert wanted - picture_targets(position) == wanted & in_words


def test_the_default_target_is_the_move_in_notation() -> None:
    assert Taking().targets(2) == ("take 2",)


def test_the_targets_of_santorini_are_worker_step_and_build() -> None:
    game = Santorini()
    assert game.targets(game.read_move("c3")) == ("c3",)
    assert game.targets(game.read_move("c3-c4+d4")) == ("c3", "c4", "d4")
    assert game.targets(game.read_move("c3-c4")) == ("c3", "c4")


def test_without_gravity_every_free_cell_is_a_target() -> None:
    position = ConnectFour(gravity=Gravity.FREE).start(0)
    assert len(picture_targets(position)) == 42


def test_a_construct_with_two_abilities_has_a_target_for_each() -> None:
    targets = picture_targets(table(constructs="Yggdrasil Staff", runes=4))
    assert {"activate Yggdrasil Staff", "activate Yggdrasil Staff: honor"} <= targets


def test_only_the_options_of_a_pending_choice_are_targets() -> None:
    start = table(hand=["Void Initiate", "Militia"], discard="Mystic", constructs="Shadow Star")
    position = after(start, "play Void Initiate")
    assert picture_targets(position) == {"choose hand:Militia", "choose discard:Mystic"}


def test_constructs_with_only_a_permanent_effect_are_not_targets() -> None:
    targets = picture_targets(table(constructs=["Hedron Link Device", "Shadow Star"]))
    assert {target for target in targets if target.startswith("activate")} == {
        "activate Shadow Star"
    }
