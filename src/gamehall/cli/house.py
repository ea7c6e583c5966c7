"""House bots: whoever waits for an opponent gets one, if the hall has it for that game.

They are players like any other: `gamehall bot` in a program of its own, which comes through the
door. So the hall never waits for their thinking, and a bot that fails takes nothing with it.

When a house bot fails, its guest must not be left waiting. On most wires the bot's program leaves
the table by ending, and the guest is told in the words of that wire. On a wire where a seat cannot
be left, another bot goes on in it.
"""

import asyncio
import contextlib
import itertools
import logging
import os
import signal
import socket
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from gamehall.bots.catalogue import substitutes_for
from gamehall.cli.house_report import Heard
from gamehall.cli.shared import letters_of
from gamehall.engines.bot_text import split_seconds
from gamehall.engines.choice import BadChoice, choose_bot
from gamehall.engines.watchdog import HANGS
from gamehall.games.catalogue import all_games
from gamehall.server.hall import Hall
from gamehall.server.logged import about
from gamehall.server.plan import DoorPlan

log = logging.getLogger(__name__)

SECONDS_BETWEEN_LOOKS = 0.25
LOOKS_TO_WAIT = 4
"""How often somebody must have been found waiting: another guest may be on the way."""
SECONDS_TO_REST = 10.0
"""How long no further bot is sent into a room where one has failed, and its substitutes too."""
SECONDS_PER_MOVE = 60.0
"""How long a house bot may take over a move before its program is ended, unless told otherwise."""
BYTES_OF_CHUNK = 4_096
CHUNKS_OF_ERRORS = 4
"""How much is kept of what a bot's program has written to standard error."""
SECONDS_TO_HEAR_OUT = 1.0
"""How long the last of what a program has said may take to be read."""
MOST = 8
"""How many house bots may be in one room at a time."""
SECONDS_TO_ARRIVE = 2.0
"""What a bot may take until it sits, once it is loaded."""
LETTERS_OF_BOT = 12
"""How many letters of a bot's name its name at a door has: others follow."""
NICENESS = 5
"""House bots think when the hall has nothing to do."""


class HouseBot(NamedTuple):
    """Who plays for the house in a game, as it is written on the command line."""

    game: str
    bot: str
    seconds: float | None = None
    """How long it thinks over a move, None: as long as it usually does."""


class BadHouse(Exception):
    """What is no house bot. The text tells a person why."""


def read_house(texts: Sequence[str]) -> list[HouseBot]:
    """The house bots that are written GAME=BOT or GAME=BOT@SECONDS. Raises BadHouse."""
    found: dict[str, HouseBot] = {}
    for text in texts:
        game, equals, written = text.partition("=")
        try:
            bot, seconds = split_seconds(written)
        except ValueError as error:
            raise BadHouse(str(error)) from None
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
        found[game] = HouseBot(game, bot, seconds)
    return list(found.values())


class BotLimitError(Exception):
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
        seconds_per_move: float = SECONDS_PER_MOVE,
    ) -> None:
        """`addresses`: where the doors are, as HOST:PORT.

        `seconds_per_move`: how long a bot may take over a move before its program is ended.
        """
        self._hall = hall
        self._seconds_per_move = seconds_per_move
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
        self._coming: defaultdict[str, dict[str, Heard | None]] = defaultdict(dict)
        """Those on their way to a room: no further bot is sent until they sit.

        Under their names, what is heard of them; None when that need not be looked at any more.
        """
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
        loop, coming = asyncio.get_running_loop(), self._coming[room]
        for name, heard in coming.items():
            if heard is not None and heard.is_loaded:
                coming[name] = None
                loop.call_later(SECONDS_TO_ARRIVE, coming.pop, name, None)
        self._looks[room] = self._looks[room] + 1 if self._is_wanted(room) else 0
        if self._looks[room] >= LOOKS_TO_WAIT and not self._coming[room]:
            self._begin(room, self._doors[room])

    def call(self, room: str, bot: str) -> None:
        """Send a bot to a room, as a visitor asked to play against it. Raises BotLimitError."""
        if self._out[room] >= MOST:
            raise BotLimitError(f"{MOST} bots of the house are there already")
        self._begin(room, HouseBot(self._plans[room].protocol.game, bot))

    def _begin(self, room: str, house: HouseBot) -> None:
        task = asyncio.create_task(self._send(room, house))
        self._playing.add(task)
        task.add_done_callback(self._playing.discard)

    def _is_wanted(self, room: str) -> bool:
        """Whether somebody waits who is not of the house, and one of the house may come."""
        if asyncio.get_running_loop().time() < self._rests_until.get(room, 0.0):
            return False
        waiting = self._guests_waiting(room)
        # Where nobody has a name, one of the house cannot be told from others.
        most = MOST if all(waiting) else 1
        return bool(waiting) and self._out[room] < most

    async def _send(self, room: str, house: HouseBot) -> None:
        """Have one bot play one match; others take its place if it fails, one after the other."""
        # While this is among those who are coming, nobody else sends a bot into the room.
        token = f"substitute of {house.bot} {next(self._names)}"
        try:
            is_served = await self._play_match(room, house, token)
        except OSError as error:
            is_served = False
            self._log_failure(room, house, error.strerror or str(error), None)
        finally:
            self._coming[room].pop(token, None)
        if not is_served:
            self._rests_until[room] = asyncio.get_running_loop().time() + SECONDS_TO_REST
            log.error(
                "%s: a guest waits for a bot of the house, and all that could come have failed",
                room,
                extra=about(room=room),
            )

    async def _play_match(self, room: str, house: HouseBot, token: str) -> bool:
        """Return True unless a guest is left waiting because every bot has failed."""
        place, finished = "", self._hall.finished(room)
        bots = [house]
        for name in substitutes_for(house.bot, house.game):
            bots.append(HouseBot(house.game, name, house.seconds))
        for number, bot in enumerate(bots):
            self._coming[room].pop(token, None)
            words, place = await self._run_program(room, bot, place)
            # A match that has ended meanwhile needs nobody to go on with it.
            if self._hall.finished(room) != finished:
                place = ""
            if words is None and not place:
                return True
            if not place:
                self._coming[room][token] = None
                # The hall may not have noticed yet that the bot has hung up.
                await asyncio.sleep(LOOKS_TO_WAIT * SECONDS_BETWEEN_LOOKS)
            is_needed = bool(place) or bool(self._guests_waiting(room))
            following = bots[number + 1 : number + 2] if is_needed else []
            words = words or "it left before the game was over"
            self._log_failure(room, bot, words, following[0] if following else None)
            if not is_needed:
                return True
        return False

    async def _run_program(self, room: str, house: HouseBot, place: str) -> tuple[str | None, str]:
        """Run one bot's program to its end.

        `place`: the seat in which it goes on, empty if it is to join. Return why it has failed,
        None if it has not, and the seat in which another would have to go on.
        """
        name = f"{letters_of(house.bot)[:LETTERS_OF_BOT]}{next(self._names)}"
        heard = Heard(place)
        self._own_names.add(name)
        self._out[room] += 1
        self._coming[room][name] = heard
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                program = await asyncio.create_subprocess_exec(
                    *self._command(self._plans[room], house, name, theirs.fileno()),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=asyncio.subprocess.PIPE,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                    preexec_fn=lambda: os.nice(NICENESS),
                )
            assert program.stderr is not None
            errors: deque[bytes] = deque(maxlen=CHUNKS_OF_ERRORS)
            listening = {
                asyncio.create_task(heard.listen(ours)),
                asyncio.create_task(_collect(program.stderr, errors)),
            }
            try:
                await program.wait()
            finally:
                with contextlib.suppress(ProcessLookupError):
                    # What the bot has started ends with it, and holds no line open.
                    os.killpg(program.pid, signal.SIGKILL)
                await program.wait()
                _, pending = await asyncio.wait(listening, timeout=SECONDS_TO_HEAR_OUT)
                for task in pending:
                    task.cancel()
        finally:
            ours.close()
            self._coming[room].pop(name, None)
            self._out[room] -= 1
            self._own_names.discard(name)
        assert program.returncode is not None
        return _failure(program.returncode, b"".join(errors)), heard.place

    def _log_failure(
        self, room: str, house: HouseBot, words: str, following: HouseBot | None
    ) -> None:
        log.warning(
            "%s: the house bot %s has failed: %s%s",
            room,
            house.bot,
            words,
            f"; {following.bot} plays in its place" if following else "",
            extra=about(room=room, bot=house.bot),
        )

    def _guests_waiting(self, room: str) -> list[str]:
        """The names of those who wait alone and are not of the house, "" for one without."""
        return [name for name in self._hall.waiting_players(room) if name not in self._own_names]

    def _command(self, plan: DoorPlan, house: HouseBot, name: str, descriptor: int) -> list[str]:
        door = plan.protocol.name
        scheme = f"{door}+tls" if self._is_tls else door
        command = [sys.executable, "-m", "gamehall.cli", "bot"]
        command += [f"{scheme}://{near(self._addresses[door])}", "--bot", house.bot]
        command += ["--name", name, "--join-only", "--report", str(descriptor)]
        command += ["--limit", str(self._seconds_per_move)]
        if house.seconds is not None:
            command += ["--seconds", str(house.seconds)]
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


async def _collect(errors: asyncio.StreamReader, last: "deque[bytes]") -> None:
    """Read what a program writes to standard error, and keep the last of it."""
    while part := await errors.read(BYTES_OF_CHUNK):
        last.append(part)


def _failure(code: int, errors: bytes) -> str | None:
    """Why a program has failed that ended with this exit code, None if it has not."""
    if code == 0:
        return None
    lines = errors.decode(errors="replace").strip().splitlines()
    if any(line.startswith(HANGS) for line in lines):
        return "it did not answer any more, and its program was ended"
    return lines[-1] if lines else f"its program ended with exit code {code}"


def _names() -> Iterator[str]:
    """What tells house bots of one kind apart: a, b, ..., z, aa, ab, ..."""
    for length in itertools.count(1):
        for letters in itertools.product("abcdefghijklmnopqrstuvwxyz", repeat=length):
            yield "".join(letters)
