"""*Play the computer* on the web page: in every room, several times, and with various names."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from gamehall.protocols.catalogue import all_protocols
from gamehall.server.house_bots import MAX_BOTS_PER_ROOM
from tests.support.bot_clients import serve_options
from tests.support.page_players import PagePlayer, State, at_once, has_verdict, rooms_of
from tests.support.served import Served

pytestmark = pytest.mark.timeout(300)

DOORS = all_protocols()
TOURNAMENTS = {name for name, protocol in DOORS.items() if protocol.is_for_tournaments}
OPTIONS = {"every-door": serve_options(*DOORS), "pages-only": []}
"""These servers have every kind of room: those of doors, and those of games without a door."""
REFUSED = "The computer cannot play now"
NAMES = ("Jürgen", "田中", "Ann Lee")


@pytest.fixture(params=OPTIONS)
def hall(request: pytest.FixtureRequest) -> Iterator[Served]:
    with Served(*OPTIONS[request.param], "--door", "web=0") as hall:
        yield hall
        assert hall.stop() == 0
    for word in ("has failed", "Traceback"):
        assert word not in hall.errors


def in_every_room(hall: Served, act: Callable[[str, str], None]) -> None:
    """Call `act` with each room and its game, in parallel."""
    at_once([partial(act, room, game) for room, game in rooms_of(hall).items()])


def test_a_player_plays_the_computer_three_times(hall: Served) -> None:
    def play_room(room: str, game: str) -> None:
        player = PagePlayer(hall, "Jürgen")
        for _ in range(3):
            end = player.sit(room, game, bot="random").play_short_match()
            assert end["opponent_is_bot"] or room in TOURNAMENTS
            player.leave()

    in_every_room(hall, play_room)


@pytest.mark.parametrize("names", [NAMES[:2], NAMES[1:], ("Ann Lee", "Ann Lee")], ids=" and ".join)
def test_two_players_play_the_computer_at_the_same_time(
    hall: Served, names: tuple[str, str]
) -> None:
    def play_room(room: str, game: str) -> None:
        players = [PagePlayer(hall, name).sit(room, game, bot="random") for name in names]
        ends = at_once([player.play_short_match for player in players])
        if room not in TOURNAMENTS:
            assert len({end["table"] for end in ends}) == 2
            assert all(end["opponent_is_bot"] for end in ends)

    in_every_room(hall, play_room)


def test_a_player_who_has_left_a_game_can_play_the_computer_again(hall: Served) -> None:
    def play_room(room: str, game: str) -> None:
        player = PagePlayer(hall, "田中")
        for _ in range(2):
            assert not has_verdict(player.sit(room, game, bot="random").play_moves(1))
            player.leave()
        player.sit(room, game, bot="random").play_short_match()

    in_every_room(hall, play_room)


def test_the_computer_accepts_a_rematch_with_swapped_seats(hall: Served) -> None:
    def play_room(room: str, game: str) -> None:
        if room in TOURNAMENTS:
            return
        player = PagePlayer(hall, "Ann Lee").sit(room, game, bot="random")
        seats = []
        for number in range(3):
            if number:
                player.ask_for("rematch")
                player.play(lambda state: not has_verdict(state))
            end = player.play_short_match()
            assert end["may_rematch"], room
            seats.append(end["seat"])
        assert seats == [1, 2, 1], room

    in_every_room(hall, play_room)


def test_too_many_games_are_refused_until_one_ends() -> None:
    with Served("--door", "web=0") as hall:
        players = [PagePlayer(hall, f"player {number}") for number in range(MAX_BOTS_PER_ROOM)]
        for player in players:
            player.sit("santorini", "santorini", bot="random").play_moves(1)
        late = PagePlayer(hall, "late")

        def is_answered(state: State) -> bool:
            return state["has_opponent"] or REFUSED in state["status"]

        told = late.sit("santorini", "santorini", bot="random").play(is_answered)
        assert not told["has_opponent"]
        assert told["status"] == (
            f"{REFUSED}: 8 house bots are playing already, 8 of them in this room: try again"
            " when one of their games is over."
        )
        players[0].leave()
        # The process of the bot ends after a moment; otherwise the test would time out.
        while not late.seen[-1]["has_opponent"]:
            late.leave()
            late.sit("santorini", "santorini", bot="random").play(is_answered)
        late.play_short_match()
        assert hall.stop() == 0


def test_the_computer_leaves_a_sign_up_when_the_last_player_leaves() -> None:
    door = "santorini-tournament"
    with Served("--door", "web=0", "--door", f"{door}=0", "--set", f"{door}.players=3") as hall:
        player = PagePlayer(hall, "Ann Lee").sit(door, "santorini", bot="random")
        path = f"/api/rooms/{door}"
        with player.browser.stream(f"{path}/stream") as news:
            await_waiting(news, 2)
        player.leave()
        with player.browser.stream(f"{path}/stream") as news:
            await_waiting(news, 0)
        assert hall.stop() == 0


def await_waiting(news: Iterator[tuple[str, Any]], number: int) -> None:
    """Read the events of a room until this number of players waits there."""
    for _, event in news:
        if len(event.get("waiting", [None] * (number + 1))) == number:
            return
