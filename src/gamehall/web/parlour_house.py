"""Bots for rooms that have no door: they think in programs of their own, as bots in arenas do."""

import asyncio
import contextlib
import itertools
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from gamehall.arena.conditions import Contender, Limits
from gamehall.arena.guarded import GuardedBot
from gamehall.bots import BotFault, GivesUp
from gamehall.bots.visitor import Visitor
from gamehall.core import Game
from gamehall.hosting.requests import Play
from gamehall.server.hall import Hall
from gamehall.web.endpoints import Refused
from gamehall.web.ways import ParlourWay

MOST = 8
LIMITS = Limits(seconds_per_move=30.0)


class ParlourHouse:
    """Has bots come where somebody wants to play against them."""

    def __init__(self, hall: Hall, parlours: Sequence[Game[Any]]) -> None:
        self._hall = hall
        self._games = {game.name: game for game in parlours}
        self._playing: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count(1)

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
        visit = asyncio.create_task(self._visit(room, bot))
        self._playing.add(visit)
        visit.add_done_callback(self._playing.discard)

    async def close(self) -> None:
        """All leave."""
        for visit in self._playing:
            visit.cancel()
        await asyncio.gather(*self._playing, return_exceptions=True)

    async def _visit(self, room: str, bot: str) -> None:
        game = self._games[room]
        thinker = GuardedBot(Contender(bot, bot), game, LIMITS)
        name = f"{bot} {next(self._numbers)}"
        visitor: Visitor[Any] = Visitor(name, {}, game=game)
        way = ParlourWay(self._hall, room)
        woken = asyncio.Event()
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
        except (BotFault, GivesUp):
            # It leaves, and its opponent is told so.
            return
        finally:
            with contextlib.suppress(KeyError):
                way.close()
            thinker.close()
