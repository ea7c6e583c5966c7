"""Every bot at every door of its game, over real sockets: in both seats, and as a house bot.

The combinations come from the catalogues, so new bots, games and doors are tested automatically.
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
from tests.support.bot_clients import play, play_at, serve_options, settings_of
from tests.support.served import Served

# The first run compiles some bots, which takes minutes on a busy machine.
pytestmark = pytest.mark.timeout(900)

SECONDS_PER_MOVE = 0.01
PATIENCE_SECONDS = 200.0
"""Longer than all games of a test, even on a busy machine."""

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
"""A server has one house bot for each game, so each of these has one bot for each game."""

SEEDS = {"ascension-http": range(3)}
"""The seeds of the games at doors where one game is not enough.

In Ascension the cards decide which choices a bot has to make: three games have most kinds of them.
"""


class Records(Observer):
    """Collects the records of finished games."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    def match_ended(self, room: str, record: Record) -> None:
        self.records.append(record)


async def play_to_the_end(door: str, port: int, name: str, bot: Bot[Any]) -> BotPlayer[Any]:
    """Play at a door. Fail at once if the bot fails: its opponent might wait for it for ever."""
    player = await play(door, port, name, bot)
    assert player.error is None, f"{type(bot).__name__}: {player.error}"
    return player


async def play_on_new_server(
    door: str, seed: int, first: Bot[Any], second: Bot[Any]
) -> tuple[BotPlayer[Any], BotPlayer[Any], list[Record]]:
    """Open a server with this door, connect the first bot and then the second, and play."""
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


@pytest.mark.parametrize("seat", Seat, ids=["first-to-join", "second-to-join"])
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
        *both, records = await play_on_new_server(door, seed, first, second)
        assert {record.result.ending for record in records} == {Ending.PLAYED_OUT}
        own = both[0] if seat is Seat.FIRST else both[1]
        assert len(own.matches) == len(records) >= 1
        assert own.matches[0].seat is seat

    asyncio.run(play_all())


@pytest.mark.parametrize("house", HOUSES, ids=lambda house: "-".join(house.values()))
def test_a_house_bot_plays_whole_games(house: dict[str, str], tmp_path: Path) -> None:
    doors = [door for door, protocol in DOORS.items() if protocol.game in house]
    options = [*serve_options(*doors), "--data", str(tmp_path), "--seed", "1"]
    for game, bot in house.items():
        # Compile the bot before a player waits for it.
        choose_bot(bot, game, time.monotonic).make(1).close()
        takes_time = bots_for(game)[bot].seconds_per_move is not None
        options += [
            "--house",
            f"{game}={bot}@{SECONDS_PER_MOVE}" if takes_time else f"{game}={bot}",
        ]

    with Served(*options) as hall:
        players = asyncio.run(play_at(hall, *doors))
        assert hall.stop() == 0
    assert "has failed" not in hall.errors
    assert {door: player.error for door, player in players.items()} == dict.fromkeys(doors)
    assert all(player.matches for player in players.values())
    records = [kept.record for kept in Archive(open_database(tmp_path)).latest(1000)]
    assert {record.game for record in records} == house.keys()
    assert {record.result.ending for record in records} == {Ending.PLAYED_OUT}


@pytest.mark.parametrize(("game", "name"), MISFITS)
def test_a_bot_of_another_game_is_an_error(game: str, name: str) -> None:
    words = f"there is no bot '{name}'; for {game} there are: {', '.join(bots_for(game))}"
    with pytest.raises(BotChoiceError) as refused:
        choose_bot(name, game, time.monotonic)
    assert words in str(refused.value)
    with pytest.raises(HouseBotError) as refused_too:
        read_house([f"{game}={name}"])
    assert words in str(refused_too.value)


@pytest.mark.parametrize("name", bots_for(DOORS["santorini-lobby"].game))
def test_S0_Q18_at_a_server_that_does_not_show_the_board_a_bot_cannot_play(name: str) -> None:
    # Servers that do not know our extension of the protocol do not show the board.

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
            player = await play("santorini-lobby", port, "ann", bot)
            await has_left.wait()
        return player

    assert asyncio.run(visit()).error == NO_BOARD
