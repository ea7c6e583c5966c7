"""House bots: whoever waits for an opponent gets one, if the hall has it for that game.

They are players like any other: `gamehall bot` in a program of its own, which comes through the
door. So the hall never waits for their thinking, and a bot that fails takes nothing with it.
"""

import asyncio
import contextlib
import itertools
import logging
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from gamehall.cli.visiting import letters_of
from gamehall.games.catalogue import all_games
from gamehall.players.choice import BadChoice, choose_bot
from gamehall.server.hall import Hall
from gamehall.server.logged import about
from gamehall.server.plan import DoorPlan

log = logging.getLogger(__name__)

SECONDS_BETWEEN_LOOKS = 0.25
LOOKS_TO_WAIT = 4
"""How often somebody must have been found waiting: another guest may be on the way."""
SECONDS_TO_REST = 10.0
"""How long no further bot is sent into a room where one has failed."""
MOST = 8
"""How many house bots may be in one room at a time."""
SECONDS_TO_ARRIVE = 6.0
"""What a bot may take until it sits: some have much to load."""
LETTERS_OF_BOT = 12
"""How many letters of a bot's name its name at a door has: others follow."""
NICENESS = 5
"""House bots think when the hall has nothing to do."""


class HouseBot(NamedTuple):
    """Who plays for the house in a game, as it is written on the command line."""

    game: str
    bot: str


class BadHouse(Exception):
    """What is no house bot. The text tells a person why."""


def read_house(texts: Sequence[str]) -> list[HouseBot]:
    """The house bots that are written GAME=BOT. Raises BadHouse."""
    found: dict[str, HouseBot] = {}
    for text in texts:
        game, equals, bot = text.partition("=")
        if not (game and equals and bot):
            raise BadHouse(f"{text!r} is no house bot: write GAME=BOT, as in connect-four=perfect")
        if game not in all_games():
            raise BadHouse(f"there is no game {game!r}; there are: {', '.join(all_games())}")
        if game in found:
            raise BadHouse(f"{game} has a house bot already: {found[game].bot}")
        try:
            choose_bot(bot, game, lambda: 0.0)
        except BadChoice as error:
            raise BadHouse(str(error)) from None
        found[game] = HouseBot(game, bot)
    return list(found.values())


class TooMany(Exception):
    """No further bot can come. The text tells a person why."""


class House:
    """Looks after those who wait, until it is cancelled."""

    def __init__(
        self,
        bots: Sequence[HouseBot],
        hall: Hall,
        plans: Sequence[DoorPlan],
        addresses: Mapping[str, str],
        is_tls: bool,
    ) -> None:
        """`addresses`: where the doors are, as HOST:PORT."""
        self._hall = hall
        self._is_tls = is_tls
        self._addresses = addresses
        self._plans = {plan.room: plan for plan in plans if plan.has_own_room}
        self._doors = {
            room: house
            for room, plan in self._plans.items()
            for house in bots
            if plan.protocol.game == house.game
        }
        self._looks: Counter[str] = Counter()
        """How often in a row somebody was found waiting in a room."""
        self._out: Counter[str] = Counter()
        """How many house bots are in each room, or on their way."""
        self._rests_until: dict[str, float] = {}
        self._names = _names()
        self._own_names: set[str] = set()
        self._coming: defaultdict[str, set[str]] = defaultdict(set)
        """The names of those on their way to a room: no further one is sent for until they sit."""
        self._playing: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Sends a bot wherever somebody has waited for a while."""
        try:
            while True:
                for room in self._doors:
                    self._look(room)
                await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        finally:
            for task in self._playing:
                task.cancel()
            await asyncio.gather(*self._playing, return_exceptions=True)

    def _look(self, room: str) -> None:
        self._looks[room] = self._looks[room] + 1 if self._is_wanted(room) else 0
        if self._looks[room] >= LOOKS_TO_WAIT and not self._coming[room]:
            self._begin(room, self._doors[room])

    def call(self, room: str, bot: str) -> None:
        """Has a bot come to a room, since somebody wants to play against it. Raises TooMany."""
        if self._out[room] >= MOST:
            raise TooMany(f"{MOST} bots of the house are there already")
        self._begin(room, HouseBot(self._plans[room].protocol.game, bot))

    def _begin(self, room: str, house: HouseBot) -> None:
        task = asyncio.create_task(self._send(room, house))
        self._playing.add(task)
        task.add_done_callback(self._playing.discard)

    def _is_wanted(self, room: str) -> bool:
        """Whether somebody waits who is not of the house, and one of the house may come."""
        if asyncio.get_running_loop().time() < self._rests_until.get(room, 0.0):
            return False
        waiting = [name for name in self._hall.lonely(room) if name not in self._own_names]
        # Where nobody has a name, one of the house cannot be told from others.
        most = MOST if all(waiting) else 1
        return bool(waiting) and self._out[room] < most

    async def _send(self, room: str, house: HouseBot) -> None:
        """Has one bot play one match, and says so if it could not."""
        plan = self._plans[room]
        name = f"{letters_of(house.bot)[:LETTERS_OF_BOT]}{next(self._names)}"
        loop = asyncio.get_running_loop()
        self._own_names.add(name)
        self._out[room] += 1
        coming = self._coming[room]
        coming.add(name)
        arrival = loop.call_later(SECONDS_TO_ARRIVE, coming.discard, name)
        try:
            program = await asyncio.create_subprocess_exec(
                *self._command(plan, house, name),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                preexec_fn=lambda: os.nice(NICENESS),
            )
            try:
                _, errors = await program.communicate()
            except asyncio.CancelledError:
                with contextlib.suppress(ProcessLookupError):
                    program.terminate()
                await program.wait()
                raise
            if program.returncode:
                words = errors.decode(errors="replace").strip().splitlines()[-1:]
                self._rests_until[room] = loop.time() + SECONDS_TO_REST
                log.warning(
                    "%s: the house bot %s has failed: %s",
                    room,
                    house.bot,
                    *words or ["it does not say why"],
                    extra=about(room=room, bot=house.bot),
                )
        finally:
            arrival.cancel()
            coming.discard(name)
            self._out[room] -= 1
            self._own_names.discard(name)

    def _command(self, plan: DoorPlan, house: HouseBot, name: str) -> list[str]:
        door = plan.protocol.name
        scheme = f"{door}+tls" if self._is_tls else door
        command = [sys.executable, "-m", "gamehall.cli", "bot"]
        command += [f"{scheme}://{near(self._addresses[door])}", "--bot", house.bot]
        command += ["--name", name, "--join-only"]
        if self._is_tls:
            command.append("--tls-insecure")
        usual = msgspec.to_builtins(plan.protocol.settings())
        for name, value in msgspec.to_builtins(plan.settings).items():
            if value != usual[name]:
                written = str(value).lower() if isinstance(value, bool) else str(value)
                command += ["--set", f"{name}={written}"]
        return command


def near(address: str) -> str:
    """The address as this machine reaches it, if the door listens everywhere."""
    host, _, port = address.rpartition(":")
    return f"{ {'0.0.0.0': '127.0.0.1', '[::]': '[::1]'}.get(host, host) }:{port}"


def _names() -> Iterator[str]:
    """What tells house bots of one kind apart: a, b, ..., z, aa, ab, ..."""
    for length in itertools.count(1):
        for letters in itertools.product("abcdefghijklmnopqrstuvwxyz", repeat=length):
            yield "".join(letters)
