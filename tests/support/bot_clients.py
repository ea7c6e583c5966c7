"""Bots in this process that play at a door over a real socket, on terms that keep games short."""

import time
from typing import Any

from gamehall.bots import Bot
from gamehall.clients.address import Address
from gamehall.clients.tcp import TcpClient
from gamehall.clients.thinker import Thinker
from gamehall.players.bot_player import BotPlayer
from gamehall.protocols.catalogue import all_protocols
from gamehall.wire.settings import DoorSettings, read_settings

SETTINGS: dict[str, dict[str, str]] = {
    # A tournament begins with the second player, and no clock strikes on a busy machine.
    "santorini-lobby": {"players": "2", "move-timeout": "120"},
    "santorini-tournament": {"players": "2", "timeout": "120"},
    "ascension-http": {"honor": "30", "turns": "40"},
}
"""What differs from the defaults of a door. A door that is not here has its defaults."""

ANSWERS = {"boardsize": "5"}
"""What is said about the terms of a game, where that differs from what clients usually say."""


def settings_of(door: str) -> DoorSettings:
    protocol = all_protocols()[door]
    settings: DoorSettings = read_settings(protocol.settings, SETTINGS.get(door, {}), door)
    return settings


def serve_options(*doors: str) -> list[str]:
    """The arguments with which `gamehall serve` opens these doors on these terms."""
    words: list[str] = []
    for door in doors:
        words += ["--door", f"{door}=0"]
        for name, value in SETTINGS.get(door, {}).items():
            words += ["--set", f"{door}.{name}={value}"]
    return words


async def play(door: str, port: int, name: str, bot: Bot[Any]) -> BotPlayer[Any]:
    """Have the bot play one game, or one tournament, and return what it has seen."""
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
