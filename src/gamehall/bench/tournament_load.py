"""The load generator: bots that play Santorini tournaments as fast as they are asked.

A program of its own, so that its CPU time is not the server's. It is given the servers to compare,
each as kind:pid:port:

    python -m gamehall.bench.tournament_load --bots 40 replay:4711:40001 door:4712:40002

It plays one whole tournament at the door, and a part of one at the replay, at one after the other
in slices of a fraction of a second: in between the bots keep their answers to themselves. It prints
one line of JSON, a `Load` per kind.

None of the server's code is in here. Every board, every worker-id and every result is compared
with what the moves make, and at the end the results that the bots have seen with those that the
server lists.
"""

import asyncio
import string
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from itertools import product

from gamehall.bench.bot import Bot, Match
from gamehall.bench.contest import (
    SLICE_SECONDS,
    Contest,
    Kind,
    Load,
    parser_of_load,
    print_loads,
    total,
)
from gamehall.bench.machine import BenchError, Server
from gamehall.bench.visitors import connect

GAMES_PER_PAIR = 3

NAME_LETTERS = 3
MOST_BOTS = len(string.ascii_lowercase) ** NAME_LETTERS

SECONDS_AT_BARE_SERVER = SLICE_SECONDS / 4
"""It makes several times as many moves in its time."""


class BotContest(Contest):
    """All bots at one server."""

    def __init__(self, kind: Kind, server: Server) -> None:
        super().__init__(kind, server)
        self.bots: list[Bot] = []
        self.is_held = True
        """Whether the bots keep their answers to themselves."""
        self.is_over = False
        """Whether everybody has seen the tournament-result."""
        self.problem: str | None = None
        self._stopped = asyncio.Event()
        self._half_begun: dict[frozenset[str], Match] = {}

    @property
    def moves(self) -> int:
        return sum(bot.answers for bot in self.bots)

    @property
    def games(self) -> int:
        return sum(bot.won for bot in self.bots)

    async def sit_down(self, names: Iterable[str]) -> None:
        """Connect and sign up, and wait for the first prompts."""
        self.bots = [Bot(self, name) for name in names]
        loop = asyncio.get_running_loop()
        sockets = connect(self.server, len(self.bots))
        for bot, visitor in zip(self.bots, sockets, strict=True):
            await loop.create_connection(bot.itself, sock=visitor)
            bot.write(b'"%b"\n' % bot.signs_up_as.encode())
        await self.until(self._has_begun, "not everybody has been told its name and opponent")
        await self._come_to_rest()

    async def play(self, seconds: float) -> Load:
        """Play for so long, or until all is played, and come to rest again.

        Raises BenchError if anything came that the moves do not lead to: a wrong server has no
        speed.
        """
        before = self.reading()
        self.is_held = False
        for bot in self.bots:
            if bot.to_say is not None:
                bot.say(bot.to_say)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), seconds)
        self.is_held = True
        await self._come_to_rest()
        return self.reading().since(before)

    def match_of(self, name: str, opponent: str) -> Match:
        """The match that begins: the same one for both players, whoever hears of it first."""
        pair = frozenset((name, opponent))
        match = self._half_begun.pop(pair, None)
        if match is None:
            self._half_begun[pair] = match = Match()
        return match

    def fail(self, problem: str) -> None:
        """There will be no figure, for this reason or an earlier one."""
        self.problem = self.problem or problem
        self._stopped.set()

    def note_tournament_result(self) -> None:
        """Somebody has seen the tournament-result."""
        if all(bot.tournament_result is not None for bot in self.bots):
            self.is_over = True
            self._stopped.set()

    def check_outcome(self) -> None:
        """Whether the server lists exactly what the bots have seen. Raises BenchError."""
        names = [bot.name for bot in self.bots]
        games_each = GAMES_PER_PAIR * (len(names) - 1)
        for bot in self.bots:
            if bot.won + bot.lost != games_each:
                raise BenchError(
                    f"{bot.name} has seen {bot.won + bot.lost} results, not {games_each}"
                )
            if bot.tournament_result != self.bots[0].tournament_result:
                raise BenchError(f"{bot.name} was sent another tournament-result than others")
        assert self.bots[0].tournament_result is not None
        cheaters, games = self.bots[0].tournament_result
        if cheaters:
            raise BenchError(f"the tournament-result lists cheaters: {', '.join(cheaters)}")
        if len(games) != GAMES_PER_PAIR * len(names) * (len(names) - 1) // 2:
            raise BenchError(f"the tournament-result lists {len(games)} games")
        if set(Counter(map(frozenset, games)).values()) != {GAMES_PER_PAIR}:
            raise BenchError(f"not every pair has played {GAMES_PER_PAIR} games")
        won, lost = Counter(winner for winner, _ in games), Counter(loser for _, loser in games)
        for bot in self.bots:
            if (won[bot.name], lost[bot.name]) != (bot.won, bot.lost):
                raise BenchError(f"the tournament-result has other results of {bot.name}")

    def _has_begun(self) -> bool:
        return self.problem is not None or all(bot.name for bot in self.bots)

    async def _come_to_rest(self) -> None:
        await self.until(self._at_rest, "somebody waits in vain for a prompt or a result")
        if self.problem is not None:
            raise BenchError(f"{self.kind}: {self.problem}")

    def _at_rest(self) -> bool:
        """Whether in every match under way somebody has an unanswered prompt."""
        if self.problem is not None:
            return True
        bots = self.bots
        players = sum(bot.starts - bot.won - bot.lost for bot in bots)
        return players == 2 * sum(bot.prompts - bot.answers for bot in bots)


async def compare(servers: Iterable[tuple[Kind, Server]], bots: int) -> dict[Kind, Load]:
    """Play a tournament at the door, and meanwhile elsewhere, and give what was done at each."""
    names = bot_names(bots)
    contests = {kind: BotContest(kind, server) for kind, server in servers}
    for kind, contest in contests.items():
        # Where there is no tournament there are pairs, and nobody is left over.
        await contest.sit_down(names if kind is Kind.DOOR else names[: bots // 2 * 2])
    loads: dict[Kind, list[Load]] = {kind: [] for kind in contests}
    while not contests[Kind.DOOR].is_over:
        for kind, contest in contests.items():
            seconds = SLICE_SECONDS if kind is Kind.DOOR else SECONDS_AT_BARE_SERVER
            loads[kind].append(await contest.play(seconds))
    contests[Kind.DOOR].check_outcome()
    return {kind: total(done) for kind, done in loads.items()}


def bot_names(count: int) -> list[str]:
    """Sign-up names of one length, so that a move is as many bytes whoever makes it."""
    letters = product(string.ascii_lowercase, repeat=NAME_LETTERS)
    return ["bot" + "".join(next(letters)) for _ in range(count)]


def main() -> None:
    """Play at the servers that the command line names, and print what was done."""
    parser = parser_of_load("Play a Santorini tournament.")
    parser.add_argument("--bots", type=int, required=True)
    options = parser.parse_args()
    print_loads(compare(options.servers, options.bots))


if __name__ == "__main__":
    main()
