"""Bots for rooms that have no door: they think in programs of their own, as bots in arenas do."""

import asyncio
import contextlib
import itertools
import logging
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from gamehall.bots import BotFault, BotResigned
from gamehall.bots.catalogue import substitutes_for
from gamehall.bots.visitor import Visitor
from gamehall.core import Game
from gamehall.engines.guarded import GuardedBot, Limits
from gamehall.rooms.requests import Play
from gamehall.server.hall import Hall
from gamehall.server.logged import about
from gamehall.web.endpoints import Refused
from gamehall.web.ways import ParlourWay

log = logging.getLogger(__name__)

MOST = 8
LIMITS = Limits(seconds_per_move=30.0)


class ParlourHouse:
    """Has bots come where somebody wants to play against them."""

    def __init__(self, hall: Hall, parlours: Sequence[Game[Any]]) -> None:
        self._hall = hall
        self._games = {game.name: game for game in parlours}
        self._playing: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count(1)
        self._names: set[str] = set()
        """What the bots are called that are in a room just now."""

    def or_else(self, call: Callable[[str, str], None]) -> Callable[[str, str], None]:
        """Calls a bot into a room without a door, or has others do it where there is one."""

        def call_bot(room: str, bot: str) -> None:
            if room in self._games:
                self.call(room, bot)
            else:
                call(room, bot)

        return call_bot

    def call(self, room: str, bot: str) -> None:
        """Has a bot come and play one match. Raises Refused."""
        if len(self._playing) >= MOST:
            raise Refused(f"{MOST} bots of the house are playing already")
        visit = asyncio.create_task(self._serve(room, bot))
        self._playing.add(visit)
        visit.add_done_callback(self._playing.discard)

    async def close(self) -> None:
        """All leave."""
        for visit in self._playing:
            visit.cancel()
        await asyncio.gather(*self._playing, return_exceptions=True)

    async def _serve(self, room: str, bot: str) -> None:
        """Have a bot play one match; if it fails and somebody waits, others come in its place."""
        for name in (bot, *substitutes_for(bot, self._games[room].name)):
            try:
                await self._visit(room, name)
            except BotResigned:
                # It leaves, and its opponent is told so.
                return
            except Exception as error:
                # The text may have many lines, such as what the bot has printed.
                words = next(iter(str(error).splitlines()), type(error).__name__)
                is_fault = isinstance(error, BotFault)
                log.warning(
                    "%s: the bot %s has failed: %s",
                    room,
                    name,
                    words,
                    exc_info=None if is_fault else error,
                    extra=about(room=room, bot=name),
                )
            else:
                return
            if not any(waiting not in self._names for waiting in self._hall.waiting_players(room)):
                return

    async def _visit(self, room: str, bot: str) -> None:
        """Raises BotResigned, and BotFault if the bot has failed."""
        game = self._games[room]
        thinker = GuardedBot(bot, game, LIMITS)
        # One out of a file is called like its class.
        name = f"{bot.rpartition(':')[2]} {next(self._numbers)}"
        visitor: Visitor[Any] = Visitor(name, {}, game=game)
        way = ParlourWay(self._hall, room, secrets.token_urlsafe())
        woken = asyncio.Event()
        self._names.add(name)
        try:
            await asyncio.to_thread(thinker.begin, secrets.randbits(53))
            await way.open(woken.set)
            for request in visitor.arrive():
                way.say(request)
            while not visitor.is_done:
                while (notice := way.next_notice()) is not None:
                    for request in visitor.hear(notice):
                        way.say(request)
                turn = visitor.turn
                if turn is not None:
                    move = await asyncio.to_thread(
                        thinker.choose, turn.position, turn.seat, LIMITS.seconds_per_move
                    )
                    if visitor.turn is turn:
                        visitor.played()
                        way.say(Play(move))
                    continue
                if not visitor.is_done:
                    await woken.wait()
                    woken.clear()
            if visitor.trouble is not None:
                raise BotFault(visitor.trouble)
        finally:
            self._names.discard(name)
            with contextlib.suppress(KeyError):
                way.close()
            thinker.close()
