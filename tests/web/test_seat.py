"""Seats of browsers in a hall in process: bots that are called, and names that are refused."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.requests import ProposedTerms
from gamehall.server.hall import Hall
from gamehall.server.house_bots import BotLimitError
from gamehall.server.plan import DoorPlan
from gamehall.web.errors import RefusedError
from gamehall.web.lines import tell_end
from gamehall.web.model import RoomLine, SeatLine, SeatStage
from gamehall.web.pages import without_own
from gamehall.web.seat import SEAT_LOST, Services, Wants, WebSeat, playable_rooms
from gamehall.web.seats import Seats
from gamehall.web.watched_room import NO_TABLES
from gamehall.web.watching import Watching
from gamehall.wire.settings import read_settings

ROOMS = ("tttp", "go-text", "ascension-http")
TERMS = {"go-text": ProposedTerms({"size": 9})}


class Stage:
    """A hall with one room, and the bots that were called to it."""

    def __init__(self, room: str) -> None:
        loop = asyncio.get_running_loop()
        protocol = all_protocols()[room]
        plans = [DoorPlan(protocol, 0, read_settings(protocol.settings, {}, room), room)]
        hall = Hall(plans, 1, time.monotonic, loop.call_soon, loop.call_later)
        services = Services(hall, time.monotonic, self._play_bot)
        self.room = room
        self.calls: list[tuple[int | None, str]] = []
        """The table and the name of each bot that was called."""
        self.on_gone: list[Callable[[], None]] = []
        self.is_full = False
        self._seats = Seats(playable_rooms(hall, plans, []), services)
        self._watching = Watching(hall, plans, [], {room: f"{room}://"}, time.monotonic)

    async def sit(self, name: str, **wants: Any) -> WebSeat:
        terms = wants.pop("terms", TERMS.get(self.room))
        seat = self._seats.sit(f"browser of {name}", self.room, Wants(name, terms=terms, **wants))
        await settle()
        return seat

    def lines_of(self, name: str) -> list[SeatLine]:
        """Return the seats of a player's browser."""
        return self._seats.list_of(f"browser of {name}")

    async def room_line(self) -> RoomLine:
        return await self._watching.room(self.room, NO_TABLES)

    def _play_bot(
        self, room: str, table: int | None, bot: str, on_gone: Callable[[], None] | None = None
    ) -> None:
        if self.is_full:
            raise BotLimitError("too many bots play")
        assert room == self.room
        assert on_gone is not None
        self.calls.append((table, bot))
        self.on_gone.append(on_gone)


async def settle() -> None:
    """Let the hall answer."""
    for _ in range(6):
        await asyncio.sleep(0)


def on_stage(room: str, play: Callable[[Stage], Awaitable[None]]) -> None:
    async def run() -> None:
        await play(Stage(room))

    asyncio.run(run())


@pytest.mark.parametrize("room", ROOMS)
def test_a_bot_that_is_called_while_waiting_finds_its_seat_reserved(room: str) -> None:
    async def play(stage: Stage) -> None:
        ann = await stage.sit("ann")
        assert ann.stage is SeatStage.WAITING
        ann.call_bot("random")
        await settle()
        assert stage.calls == [(ann.table, "random")]
        bob = await stage.sit("bob", table=ann.table)
        assert bob.is_gone
        assert "is taken" in bob.state().messages[-1].text
        cat = await stage.sit("cat")
        assert cat.table != ann.table
        assert ann.waits_alone

    on_stage(room, play)


@pytest.mark.parametrize("room", ROOMS)
def test_a_visitor_whose_bot_cannot_come_is_told_so_and_may_call_another(room: str) -> None:
    async def play(stage: Stage) -> None:
        ann = await stage.sit("ann", bot="random")
        assert ann.state().status.startswith("The computer is getting ready.")
        stage.on_gone[0]()
        status = ann.state().status
        assert status.startswith("The computer cannot play now: it could not be started.")
        stage.is_full = True
        with pytest.raises(RefusedError, match="too many bots play"):
            ann.call_bot("greedy")
        stage.is_full = False
        ann.call_bot("greedy")
        assert stage.calls == [(ann.table, "random"), (ann.table, "greedy")]
        assert ann.state().status.startswith("The computer is getting ready.")
        stage.on_gone[0]()
        assert ann.state().status.startswith("The computer is getting ready."), "not this one"

    on_stage(room, play)


@pytest.mark.parametrize("room", ROOMS)
def test_what_was_wanted_under_a_refused_name_is_wanted_under_the_next(room: str) -> None:
    async def play(stage: Stage) -> None:
        cat = await stage.sit("cat")
        ann = await stage.sit("admin", bot="random")
        assert ann.stage is SeatStage.AGREEING
        ann.answer("ann")
        await settle()
        assert (ann.name, ann.stage) == ("ann", SeatStage.WAITING)
        assert stage.calls == [(ann.table, "random")]
        assert cat.waits_alone
        bob = await stage.sit("root", table=cat.table)
        bob.answer("bob")
        await settle()
        assert bob.table == cat.table

    on_stage(room, play)


def test_terms_that_were_wanted_under_a_refused_name_are_proposed_under_the_next() -> None:
    async def play(stage: Stage) -> None:
        ann = await stage.sit("admin", terms=ProposedTerms({"size": 13}))
        ann.answer("ann")
        await settle()
        assert ann.stage is SeatStage.WAITING
        assert ann.state().wanted.startswith("board 13 x 13")

    on_stage("go-text", play)


def test_a_lost_opponent_is_told_of_until_it_is_back_or_its_seat_is_given_up() -> None:
    async def play(stage: Stage) -> None:
        ann, bob = await stage.sit("ann"), await stage.sit("bob")
        bob.go_away()
        await settle()
        status = ann.state().status
        assert status.startswith("bob is not connected. The seat is kept for 300 seconds")
        assert ann.stage is SeatStage.PLAYING
        bob.come_back()
        await settle()
        assert not ann.state().status
        assert bob.state().choices or ann.state().choices
        bob.leave()
        await settle()
        assert ann.state().verdict == "You won: bob resigned."
        assert ann.state().status.startswith("Your opponent has left. Play again")

    on_stage("tttp", play)


def test_a_browser_is_not_offered_its_own_seats_in_the_lobby() -> None:
    async def play(stage: Stage) -> None:
        ann = await stage.sit("ann", terms=ProposedTerms({"size": 13}))
        bob = await stage.sit("bob")
        [line] = stage.lines_of("ann")
        assert (line.table, line.stage, line.opponent) == (ann.table, "waiting", "")
        room = await stage.room_line()
        assert room.waiting == ("ann", "bob")
        shown = without_own(room, [line])
        assert shown.waiting == ("bob",)
        assert [offer.table for offer in shown.offers] == [bob.table]

    on_stage("go-text", play)


def test_two_seats_of_a_browser_are_listed_with_table_opponent_and_turn() -> None:
    async def play(stage: Stage) -> None:
        bob = await stage.sit("bob")
        await stage.sit("ann", table=bob.table)
        cat = await stage.sit("cat")
        await stage.sit("ann", table=cat.table)
        bob.move("d1")
        await settle()
        lines = stage.lines_of("ann")
        assert [(line.opponent, line.stage, line.is_to_move) for line in lines] == [
            ("bob", "playing", True),
            ("cat", "playing", False),
        ]
        assert len({line.table for line in lines}) == 2

    on_stage("tttp", play)


@pytest.mark.parametrize("room", ROOMS)
def test_a_player_who_is_away_is_not_listed_as_waiting(room: str) -> None:
    async def play(stage: Stage) -> None:
        ann = await stage.sit("ann")
        assert (await stage.room_line()).waiting == ("ann",)
        ann.go_away()
        await settle()
        room_line = await stage.room_line()
        assert (room_line.waiting, room_line.offers) == ((), ())
        ann.come_back()
        await settle()
        assert (await stage.room_line()).waiting == ("ann",)

    on_stage(room, play)


def test_a_player_whose_seat_has_expired_is_told_what_to_do() -> None:
    async def play(stage: Stage) -> None:
        ann = await stage.sit("ann")
        ann.go_away()
        ann.expire()
        assert ann.state().messages[-1].text == SEAT_LOST
        again = await stage.sit("ann")
        assert again is not ann
        assert again.stage is SeatStage.WAITING

    on_stage("tttp", play)


def test_a_tab_shows_that_the_player_has_left_in_another() -> None:
    async def play(stage: Stage) -> None:
        ann = await stage.sit("ann")
        tabs = [ann.topic.listen() for _ in range(2)]
        ann.leave()
        await settle()
        for tab in tabs:
            assert b'"stage":"gone"' in ann.topic.take(tab)
        with pytest.raises(RefusedError):
            ann.move("d1")

    on_stage("tttp", play)


@pytest.mark.parametrize(
    ("verdict", "opponent", "text"),
    [
        ("You won: you have 4 in a row.", "", "You won game 2: you have 4 in a row."),
        ("You lost: white wins by 6.5.", "Bob", "You lost game 2 against Bob: white wins by 6.5."),
        ("A draw: the board is full.", "", "Game 2 is over. A draw: the board is full."),
        ("The game is over.", "Bob", "Game 2 against Bob is over. The game is over."),
    ],
)
def test_the_message_about_an_end_numbers_the_game(verdict: str, opponent: str, text: str) -> None:
    assert tell_end(2, verdict, opponent) == text
