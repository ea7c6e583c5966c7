"""*Play the computer* at the page: in every room, again and again, under every name."""

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
HALLS = {"every-door": serve_options(*DOORS), "pages-only": []}
"""Together they have every room that there can be: those behind doors, and those of games."""
REFUSED = "The computer cannot play now"
NAMES = ("Jürgen", "田中", "Ann Lee")


@pytest.fixture(params=HALLS)
def hall(request: pytest.FixtureRequest) -> Iterator[Served]:
    with Served(*HALLS[request.param], "--door", "web=0") as hall:
        yield hall
        assert hall.stop() == 0
    for word in ("has failed", "Traceback"):
        assert word not in hall.errors


def in_every_room(hall: Served, act: Callable[[str, str], None]) -> None:
    """Call with each room and its game, all at the same time."""
    at_once([partial(act, room, game) for room, game in rooms_of(hall).items()])


def test_the_same_visitor_plays_the_computer_three_times(hall: Served) -> None:
    def visit(room: str, game: str) -> None:
        guest = PagePlayer(hall, "Jürgen")
        for _ in range(3):
            end = guest.sit(room, game, bot="random").play_short_match()
            assert end["opponent_is_bot"] or room in TOURNAMENTS
            guest.leave()

    in_every_room(hall, visit)


@pytest.mark.parametrize("names", [NAMES[:2], NAMES[1:], ("Ann Lee", "Ann Lee")], ids=" and ".join)
def test_two_visitors_play_the_computer_at_once(hall: Served, names: tuple[str, str]) -> None:
    def visit(room: str, game: str) -> None:
        guests = [PagePlayer(hall, name).sit(room, game, bot="random") for name in names]
        ends = at_once([guest.play_short_match for guest in guests])
        if room not in TOURNAMENTS:
            assert len({end["table"] for end in ends}) == 2
            assert all(end["opponent_is_bot"] for end in ends)

    in_every_room(hall, visit)


def test_who_leaves_in_mid_game_may_play_the_computer_again(hall: Served) -> None:
    def visit(room: str, game: str) -> None:
        guest = PagePlayer(hall, "田中")
        for _ in range(2):
            assert not has_verdict(guest.sit(room, game, bot="random").play_moves(1))
            guest.leave()
        guest.sit(room, game, bot="random").play_short_match()

    in_every_room(hall, visit)


def test_the_computer_agrees_to_a_rematch_and_the_seats_are_swapped(hall: Served) -> None:
    def visit(room: str, game: str) -> None:
        if room in TOURNAMENTS:
            return
        guest = PagePlayer(hall, "Ann Lee").sit(room, game, bot="random")
        seats = []
        for number in range(3):
            if number:
                guest.ask_for("rematch")
                guest.play(lambda state: not has_verdict(state))
            end = guest.play_short_match()
            assert end["may_rematch"], room
            seats.append(end["seat"])
        assert seats == [1, 2, 1], room

    in_every_room(hall, visit)


def test_too_many_are_refused_in_words_until_one_of_them_leaves() -> None:
    with Served("--door", "web=0") as hall:
        guests = [PagePlayer(hall, f"guest {number}") for number in range(MAX_BOTS_PER_ROOM)]
        for guest in guests:
            guest.sit("santorini", "santorini", bot="random").play_moves(1)
        late = PagePlayer(hall, "late")

        def is_answered(state: State) -> bool:
            return state["has_opponent"] or REFUSED in state["status"]

        told = late.sit("santorini", "santorini", bot="random").play(is_answered)
        assert not told["has_opponent"]
        assert told["status"] == (
            f"{REFUSED}: 8 house bots are playing already, 8 of them in this room: try again"
            " when one of their games is over."
        )
        guests[0].leave()
        # The process of the bot takes a moment to end; if it did not, the test would time out.
        while not late.seen[-1]["has_opponent"]:
            late.leave()
            late.sit("santorini", "santorini", bot="random").play(is_answered)
        late.play_short_match()
        assert hall.stop() == 0


def test_the_computer_leaves_a_sign_up_with_the_last_guest() -> None:
    door = "santorini-tournament"
    with Served("--door", "web=0", "--door", f"{door}=0", "--set", f"{door}.players=3") as hall:
        guest = PagePlayer(hall, "Ann Lee").sit(door, "santorini", bot="random")
        path = f"/api/rooms/{door}"
        with guest.browser.stream(f"{path}/stream") as news:
            await_waiting(news, 2)
        guest.leave()
        with guest.browser.stream(f"{path}/stream") as news:
            await_waiting(news, 0)
        assert hall.stop() == 0


def await_waiting(news: Iterator[tuple[str, Any]], number: int) -> None:
    """Read the news of a room until so many players wait there."""
    for _, told in news:
        if len(told.get("waiting", [None] * (number + 1))) == number:
            return
