"""Every bot at every door of its game, over real sockets: in both seats, and for the house.

The combinations come from the catalogues: a new bot, game or door is tested by being there.
"""

import asyncio
import time
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from gamehall.bots import Bot
from gamehall.bots.bot import RandomBot
from gamehall.bots.catalogue import all_bots, bots_for
from gamehall.cli.serve_file import HouseBotError, read_house
from gamehall.core import Seat
from gamehall.engines.choice import BotChoiceError, choose_bot
from gamehall.games.catalogue import all_games
from gamehall.match import Ending, Record
from gamehall.players.bot_player import NO_BOARD, BotPlayer
from gamehall.protocols.catalogue import all_protocols
from gamehall.server.hall import Hall
from gamehall.server.observer import Observer
from gamehall.server.plan import DoorPlan
from gamehall.storage import Archive, open_database
from tests.support.bot_clients import play, serve_options, settings_of
from tests.support.served import Served

# The first time, some bots are compiled, which takes minutes where the machine is very busy.
pytestmark = pytest.mark.timeout(900)

SECONDS_PER_MOVE = 0.01
PATIENCE_SECONDS = 200.0
"""Longer than all games of a test take, even where the machine is busy."""

DOORS = all_protocols()
GAMES = sorted({protocol.game for protocol in DOORS.values()})
COMBINATIONS = [(door, bot) for door in DOORS for bot in bots_for(DOORS[door].game)]
MISFITS = [
    (game, kind.name)
    for game in all_games()
    for kind in all_bots()
    if kind.name not in bots_for(game)
]
HOUSES: list[dict[str, str]] = [
    {game: bot for game, bot in zip(GAMES, bots, strict=True) if bot is not None}
    for bots in zip_longest(*(bots_for(game) for game in GAMES))
]
"""One bot for each game at a time: a hall has one for each."""

SEEDS = {"ascension-http": range(3)}
"""Of the games that a bot plays in each seat, where one is not enough.

In Ascension the cards decide what a bot is asked: in three games there are choices of most kinds,
for those bots that acquire cards which ask for them.
"""


class Records(Observer):
    """Collects the records of the games that a hall has hosted."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    def match_ended(self, room: str, record: Record) -> None:
        self.records.append(record)


async def play_to_the_end(door: str, port: int, name: str, bot: Bot[Any]) -> BotPlayer[Any]:
    """Fail as soon as the bot does: its opponent may wait for it for ever."""
    visitor = await play(door, port, name, bot)
    assert visitor.error is None, f"{type(bot).__name__}: {visitor.error}"
    return visitor


async def play_in_a_hall(
    door: str, seed: int, first: Bot[Any], second: Bot[Any]
) -> tuple[BotPlayer[Any], BotPlayer[Any], list[Record]]:
    """Open a hall with this door; let `first` come, then `second`, and play to the end."""
    plan = DoorPlan(DOORS[door], 0, settings_of(door), door)
    observer, loop = Records(), asyncio.get_running_loop()
    hall = Hall([plan], seed, time.monotonic, loop.call_soon, loop.call_later, observer)
    [(_, where)] = await hall.open("127.0.0.1")
    port = int(where.rpartition(":")[2])
    try:
        async with asyncio.timeout(PATIENCE_SECONDS), asyncio.TaskGroup() as group:
            one = group.create_task(play_to_the_end(door, port, "ann", first))
            while not hall.host.waiting_tables(door):
                await asyncio.sleep(0.001)
            other = group.create_task(play_to_the_end(door, port, "bob", second))
    finally:
        await hall.close("the test is over")
    return one.result(), other.result(), observer.records


@pytest.mark.parametrize("seat", Seat, ids=["comes-first", "comes-second"])
@pytest.mark.parametrize(("door", "name"), COMBINATIONS)
def test_a_bot_plays_whole_games(door: str, name: str, seat: Seat) -> None:
    choice = choose_bot(name, DOORS[door].game, time.monotonic, SECONDS_PER_MOVE)

    async def play_all() -> None:
        async with asyncio.TaskGroup() as group:
            for seed in SEEDS.get(door, range(1)):
                group.create_task(play_one(seed))

    async def play_one(seed: int) -> None:
        bots = [choice.make(seed), RandomBot(seed)]
        first, second = bots if seat is Seat.FIRST else reversed(bots)
        *both, records = await play_in_a_hall(door, seed, first, second)
        assert {record.result.ending for record in records} == {Ending.PLAYED_OUT}
        own = both[0] if seat is Seat.FIRST else both[1]
        assert len(own.matches) == len(records) >= 1
        assert own.matches[0].seat is seat

    asyncio.run(play_all())


@pytest.mark.parametrize("house", HOUSES, ids=lambda house: "-".join(house.values()))
def test_a_bot_plays_whole_games_for_the_house(house: dict[str, str], tmp_path: Path) -> None:
    doors = [door for door, protocol in DOORS.items() if protocol.game in house]
    options = [*serve_options(*doors), "--data", str(tmp_path), "--seed", "1"]
    for game, bot in house.items():
        # What has to be compiled is compiled before any guest waits for it.
        choose_bot(bot, game, time.monotonic).make(1).close()
        takes_time = bots_for(game)[bot].seconds_per_move is not None
        options += [
            "--house",
            f"{game}={bot}@{SECONDS_PER_MOVE}" if takes_time else f"{game}={bot}",
        ]

    async def play_all(hall: Served) -> dict[str, BotPlayer[Any]]:
        async with asyncio.timeout(PATIENCE_SECONDS), asyncio.TaskGroup() as group:
            playing = {
                door: group.create_task(play(door, hall.port(door), "guest", RandomBot(1)))
                for door in doors
            }
        return {door: task.result() for door, task in playing.items()}

    with Served(*options) as hall:
        guests = asyncio.run(play_all(hall))
        assert hall.stop() == 0
    assert "has failed" not in hall.errors
    assert {door: guest.error for door, guest in guests.items()} == dict.fromkeys(doors)
    assert all(guest.matches for guest in guests.values())
    records = [kept.record for kept in Archive(open_database(tmp_path)).latest(1000)]
    assert {record.game for record in records} == house.keys()
    assert {record.result.ending for record in records} == {Ending.PLAYED_OUT}


@pytest.mark.parametrize(("game", "name"), MISFITS)
def test_a_bot_of_another_game_is_refused_in_words(game: str, name: str) -> None:
    words = f"there is no bot '{name}'; for {game} there are: {', '.join(bots_for(game))}"
    with pytest.raises(BotChoiceError) as refused:
        choose_bot(name, game, time.monotonic)
    assert words in str(refused.value)
    with pytest.raises(HouseBotError) as refused_too:
        read_house([f"{game}={name}"])
    assert words in str(refused_too.value)


@pytest.mark.parametrize("name", bots_for(DOORS["santorini-lobby"].game))
def test_S0_Q18_where_the_board_is_not_shown_a_bot_says_that_it_cannot_play(name: str) -> None:
    """As any server of document 000 does that does not know of the wish to see the board."""

    async def visit() -> BotPlayer[Any]:
        has_left = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readline()
            writer.write(b'["set_id","ann"]["start_of_game"]["get_placement"]')
            await reader.read()
            writer.close()
            has_left.set()

        bot = choose_bot(name, DOORS["santorini-lobby"].game, time.monotonic).make(1)
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server, asyncio.timeout(PATIENCE_SECONDS):
            port = server.sockets[0].getsockname()[1]
            visitor = await play("santorini-lobby", port, "ann", bot)
            await has_left.wait()
        return visitor

    assert asyncio.run(visit()).error == NO_BOARD
