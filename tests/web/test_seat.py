"""Seats of browsers, in process: bots, refused names, absence and expiry."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from gamehall.core import Seat
from gamehall.games.go import Go
from gamehall.match import Ending, Result
from gamehall.players.player_view import PlayerView
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.requests import ProposedTerms
from gamehall.server.hall import Hall
from gamehall.server.house_bots import BotLimitError
from gamehall.server.plan import DoorPlan
from gamehall.web.errors import RefusedError
from gamehall.web.lines import describe_end, describe_rank, tell_end
from gamehall.web.model import RoomLine, SeatLine, SeatStage, Standing
from gamehall.web.pages import without_own
from gamehall.web.seat import SEAT_LOST, Services, Wants, WebSeat, playable_rooms
from gamehall.web.seats import Seats
from gamehall.web.watched_room import NO_TABLES
from gamehall.web.watching import Watching
from gamehall.wire.settings import read_settings
from tests.games.playing import play_moves

ROOMS = ("tttp", "go-text", "ascension-http")
TERMS = {"go-text": ProposedTerms({"size": 9})}


class OneRoomServer:
    """A server with one room, which records the calls of bots."""

    def __init__(self, room: str) -> None:
        loop = asyncio.get_running_loop()
        protocol = all_protocols()[room]
        plans = [DoorPlan(protocol, 0, read_settings(protocol.settings, {}, room), room)]
        server = Hall(plans, 1, time.monotonic, loop.call_soon, loop.call_later)
        services = Services(server, time.monotonic, self._play_bot)
        self.room = room
        self.calls: list[tuple[int | None, str]] = []
        """The table and the name of each bot that was called."""
        self.on_gone: list[Callable[[], None]] = []
        self.is_full = False
        self._seats = Seats(playable_rooms(server, plans, []), services)
        self._watching = Watching(server, plans, [], {room: f"{room}://"}, time.monotonic)

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
    """Let the server process all requests."""
    for _ in range(6):
        await asyncio.sleep(0)


def run_with_server(room: str, play: Callable[[OneRoomServer], Awaitable[None]]) -> None:
    async def run() -> None:
        await play(OneRoomServer(room))

    asyncio.run(run())


@pytest.mark.parametrize("room", ROOMS)
def test_the_free_seat_is_reserved_for_a_bot_called_while_waiting(room: str) -> None:
    async def play(server: OneRoomServer) -> None:
        ann = await server.sit("ann")
        assert ann.stage is SeatStage.WAITING
        ann.call_bot("random")
        await settle()
        assert server.calls == [(ann.table, "random")]
        bob = await server.sit("bob", table=ann.table)
        assert bob.is_gone
        assert "is taken" in bob.state().messages[-1].text
        cat = await server.sit("cat")
        assert cat.table != ann.table
        assert ann.waits_alone

    run_with_server(room, play)


@pytest.mark.parametrize("room", ROOMS)
def test_a_player_whose_bot_cannot_play_is_told_so_and_can_call_another(room: str) -> None:
    async def play(server: OneRoomServer) -> None:
        ann = await server.sit("ann", bot="random")
        assert ann.state().status.startswith("The computer is getting ready.")
        assert ann.state().called_bot == "random"
        server.on_gone[0]()
        assert not ann.state().called_bot
        status = ann.state().status
        assert status.startswith("The computer cannot play now: it could not be started.")
        server.is_full = True
        with pytest.raises(RefusedError, match="too many bots play"):
            ann.call_bot("greedy")
        server.is_full = False
        ann.call_bot("greedy")
        assert server.calls == [(ann.table, "random"), (ann.table, "greedy")]
        assert ann.state().status.startswith("The computer is getting ready.")
        server.on_gone[0]()
        assert ann.state().status.startswith("The computer is getting ready."), "not this one"

    run_with_server(room, play)


@pytest.mark.parametrize("room", ROOMS)
def test_a_player_with_a_refused_name_keeps_table_and_bot_under_the_next_name(room: str) -> None:
    async def play(server: OneRoomServer) -> None:
        cat = await server.sit("cat")
        ann = await server.sit("admin", bot="random")
        assert ann.stage is SeatStage.AGREEING
        ann.answer("ann")
        await settle()
        assert (ann.name, ann.stage) == ("ann", SeatStage.WAITING)
        assert server.calls == [(ann.table, "random")]
        assert cat.waits_alone
        bob = await server.sit("root", table=cat.table)
        bob.answer("bob")
        await settle()
        assert bob.table == cat.table

    run_with_server(room, play)


def test_a_player_with_a_refused_name_keeps_the_terms_under_the_next_name() -> None:
    async def play(server: OneRoomServer) -> None:
        ann = await server.sit("admin", terms=ProposedTerms({"size": 13}))
        ann.answer("ann")
        await settle()
        assert ann.stage is SeatStage.WAITING
        assert ann.state().wanted.startswith("board 13 x 13")

    run_with_server("go-text", play)


def test_the_status_says_that_the_opponent_is_disconnected() -> None:
    async def play(server: OneRoomServer) -> None:
        ann, bob = await server.sit("ann"), await server.sit("bob")
        bob.go_away()
        await settle()
        status = ann.state().status
        assert status == "bob is not connected. If bob does not return in time, you win."
        assert 299 < (ann.state().seconds_to_return or 0.0) <= 300
        assert ann.stage is SeatStage.PLAYING
        bob.come_back()
        await settle()
        assert not ann.state().status
        assert ann.state().seconds_to_return is None
        assert bob.state().choices or ann.state().choices
        bob.leave()
        await settle()
        assert ann.state().verdict == "You won: bob resigned."
        assert ann.state().status.startswith("bob has left. Play again")
        assert (ann.state().players, ann.state().left) == (("ann", "bob"), 2)
        ann.rematch()
        await settle()
        assert (ann.state().players, ann.state().left) == (("ann", ""), None)

    run_with_server("tttp", play)


def test_a_player_left_before_the_game_is_told_so_once() -> None:
    async def play(server: OneRoomServer) -> None:
        ann = await server.sit("ann", terms=ProposedTerms({"size": 13}))
        bob = await server.sit("bob", terms=None, table=ann.table)
        bob.propose(ProposedTerms({"size": 9}))
        await settle()
        assert ann.stage is SeatStage.AGREEING
        bob.leave()
        await settle()
        state = ann.state()
        assert (state.stage, state.status) == ("gone", "")
        assert state.headline == "bob left before the game began."
        assert not [one.text for one in state.messages if one.is_bad]

    run_with_server("go-text", play)


def test_a_browser_is_not_offered_its_own_seats_in_the_lobby() -> None:
    async def play(server: OneRoomServer) -> None:
        ann = await server.sit("ann", terms=ProposedTerms({"size": 13}))
        bob = await server.sit("bob")
        [line] = server.lines_of("ann")
        assert (line.table, line.stage, line.opponent) == (ann.table, "waiting", "")
        room = await server.room_line()
        assert room.waiting == ("ann", "bob")
        shown = without_own(room, [line])
        assert shown.waiting == ("bob",)
        assert [offer.table for offer in shown.offers] == [bob.table]

    run_with_server("go-text", play)


def test_two_seats_of_a_browser_are_listed_with_table_opponent_and_turn() -> None:
    async def play(server: OneRoomServer) -> None:
        bob = await server.sit("bob")
        await server.sit("ann", table=bob.table)
        cat = await server.sit("cat")
        await server.sit("ann", table=cat.table)
        bob.move("d1")
        await settle()
        lines = server.lines_of("ann")
        assert [(line.opponent, line.stage, line.is_to_move) for line in lines] == [
            ("bob", "playing", True),
            ("cat", "playing", False),
        ]
        assert len({line.table for line in lines}) == 2

    run_with_server("tttp", play)


@pytest.mark.parametrize("room", ROOMS)
def test_a_player_who_is_away_is_not_listed_as_waiting(room: str) -> None:
    async def play(server: OneRoomServer) -> None:
        ann = await server.sit("ann")
        assert (await server.room_line()).waiting == ("ann",)
        ann.go_away()
        await settle()
        room_line = await server.room_line()
        assert (room_line.waiting, room_line.offers) == ((), ())
        ann.come_back()
        await settle()
        assert (await server.room_line()).waiting == ("ann",)

    run_with_server(room, play)


def test_a_player_whose_seat_has_expired_is_told_what_to_do() -> None:
    async def play(server: OneRoomServer) -> None:
        ann = await server.sit("ann")
        ann.go_away()
        ann.expire()
        assert ann.state().messages[-1].text == SEAT_LOST
        again = await server.sit("ann")
        assert again is not ann
        assert again.stage is SeatStage.WAITING

    run_with_server("tttp", play)


def test_all_tabs_show_that_the_player_has_left() -> None:
    async def play(server: OneRoomServer) -> None:
        ann = await server.sit("ann")
        tabs = [ann.topic.listen() for _ in range(2)]
        ann.leave()
        await settle()
        for tab in tabs:
            assert b'"stage":"gone"' in ann.topic.take(tab)
        with pytest.raises(RefusedError):
            ann.move("d1")

    run_with_server("tttp", play)


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


def test_after_a_restart_the_message_about_an_end_has_no_number() -> None:
    assert tell_end(None, "You won: you have a line.") == "You won the game: you have a line."
    assert tell_end(None, "A draw: full.", "Bob") == "The game against Bob is over. A draw: full."


@pytest.mark.parametrize(
    ("name", "headline"),
    [
        ("ann", "You won the tournament: 3 wins of 3."),
        ("bob", "You share second place: 1 win of 3."),
        ("cat", "You share second place: 1 win of 3."),
        ("dan", "You came 4th: 0 wins of 2."),
        ("eve", "The tournament is over."),
    ],
)
def test_the_end_of_a_tournament_is_in_words(name: str, headline: str) -> None:
    scores = {"ann": (3, 0), "bob": (1, 2), "cat": (1, 2), "dan": (0, 2)}
    standings = [Standing(one, *score) for one, score in scores.items()]
    assert describe_rank(standings, name) == headline


def test_the_end_of_a_game_says_how_the_scores_add_up() -> None:
    game = Go(9, komi=6.5)
    sight = PlayerView("ann", game)
    sight.seat, sight.position = Seat.FIRST, play_moves(game, "pass pass")
    result = Result(Seat.SECOND, Ending.PLAYED_OUT, "white wins by 6.5")
    told = describe_end(result, sight, ("ann", "bob"))
    assert told == "You lost: white wins by 6.5 (black 0, white 6.5, with 6.5 komi)."
