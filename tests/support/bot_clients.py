"""Bots in this process that play at a door over a real socket, on terms for short games."""

import asyncio
import time
from typing import Any

from gamehall.bots import Bot
from gamehall.bots.bot import RandomBot
from gamehall.clients.address import Address
from gamehall.clients.tcp import TcpClient
from gamehall.clients.thinker import Thinker
from gamehall.players.bot_player import BotPlayer
from gamehall.protocols.catalogue import all_protocols
from gamehall.wire.settings import DoorSettings, read_settings
from tests.support.served import Served

SETTINGS: dict[str, dict[str, str]] = {
    # Tournaments begin with two players, and timeouts are long enough for a busy machine.
    "santorini-lobby": {"players": "2", "move-timeout": "120"},
    "santorini-tournament": {"players": "2", "timeout": "120"},
    "ascension-http": {"honor": "30", "turns": "40"},
}
"""The settings of doors that differ from their defaults."""

SECONDS_TO_PLAY = 200.0
"""Longer than all games of a test, even on a busy machine."""

ANSWERS = {"boardsize": "5"}
"""The answers to questions about terms that differ from the usual ones."""


def settings_of(door: str) -> DoorSettings:
    protocol = all_protocols()[door]
    settings: DoorSettings = read_settings(protocol.settings, SETTINGS.get(door, {}), door)
    return settings


def serve_options(*doors: str) -> list[str]:
    """Return the arguments for `gamehall serve` to open these doors with SETTINGS."""
    options: list[str] = []
    for door in doors:
        options += ["--door", f"{door}=0"]
        for name, value in SETTINGS.get(door, {}).items():
            options += ["--set", f"{door}.{name}={value}"]
    return options


async def play(door: str, port: int, name: str, bot: Bot[Any]) -> BotPlayer[Any]:
    """Let the bot play one game or one tournament, and return its player."""
    protocol, settings = all_protocols()[door], settings_of(door)
    answers = {
        question: ANSWERS.get(question, usual) for question, usual in protocol.answers.items()
    }
    player: BotPlayer[Any] = BotPlayer(
        name,
        answers=answers,
        is_tournament=protocol.is_for_tournaments,
        game=protocol.game_at(settings),
    )
    thinker = Thinker(player, bot, time.monotonic)
    address = Address(protocol, "127.0.0.1", port)
    try:
        await TcpClient(
            address, lambda: protocol.client(settings), player, thinker, time.monotonic
        ).run()
    finally:
        await thinker.close()
    return player


async def play_at(hall: Served, *doors: str) -> dict[str, BotPlayer[Any]]:
    """Play at these doors in parallel. Return the player of each door after its games."""
    async with asyncio.timeout(SECONDS_TO_PLAY), asyncio.TaskGroup() as group:
        playing = {
            door: group.create_task(play(door, hall.port(door), "player", RandomBot(1)))
            for door in doors
        }
    return {door: task.result() for door, task in playing.items()}
