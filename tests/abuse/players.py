"""Players at every door who must not be affected while the server is attacked.

They are the clients of `tests.support.crash_load`, which are written from the protocol documents
and fail at any wrong message. Each takes its seat, waits until the attack has begun, and then plays
one game or one tournament to its end.
"""

import random
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial

from tests.independent import go_text_clients
from tests.support.crash_load import (
    ASCENSION,
    GO,
    LOBBY,
    LOBBY_NAMES,
    TOURNAMENT,
    TOURNAMENT_NAMES,
    TTTP,
    TTTP_PAIRS,
    CrashClients,
    GoPair,
    TttpPlayer,
)

DOORS = (TTTP, LOBBY, TOURNAMENT, GO, ASCENSION)
SPARE_TABLES = 4
"""Tables for attackers who join."""
TIMEOUT_SECONDS = 240.0

SETTINGS: dict[str, dict[str, object]] = {
    TTTP: {"tables": TTTP_PAIRS + SPARE_TABLES},
    # No time limit may end a game: the players do not read while the attackers connect.
    LOBBY: {
        "players": len(LOBBY_NAMES),
        "parallel": "true",
        "turn-reading": "destination",
        "move-timeout": 0,
        "keepalive-timeout": 600,
    },
    TOURNAMENT: {
        "players": len(TOURNAMENT_NAMES),
        "parallel": "true",
        "games": 1,
        "timeout": 0,
    },
    ASCENSION: {"honor": 20},
}
ARGUMENTS = (
    *(f"--door={door}=0" for door in DOORS),
    *(
        f"--set={door}.{name}={value}"
        for door, settings in SETTINGS.items()
        for name, value in settings.items()
    ),
    # Warnings would fill the pipe, which is not read meanwhile.
    "--log-level=error",
)


def admission_message(door: str, name: str) -> bytes | None:
    """Return the message by which a tournament admits a player, None at other doors."""
    return {LOBBY: b'["set_id"', TOURNAMENT: b'"%b"\n' % name.encode()}.get(door)


class ChattedPlayer(TttpPlayer):
    """Ignores chat at its table."""

    def read(self, length: int) -> bytes:
        while self._look(4) == b"CHAT":
            head = self._look(7)
            super().read(7 + head[4] + int.from_bytes(head[5:7], "big"))
        return super().read(length)

    def _look(self, length: int) -> bytes:
        while len(self._buffer) < length:
            self._receive()
        return self._buffer[:length]


class SeatedGoPair(GoPair):
    """Plays one match, after all players are seated."""

    def play(self, port: int) -> None:
        first, second = self._arrive(port)
        self.clients.wait_for_all()
        go_text_clients.run_pair(first, second, TIMEOUT_SECONDS)


class Players(CrashClients):
    """All players at all doors."""

    patience_seconds = TIMEOUT_SECONDS

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.is_last_run = True
        chance = random.Random(seed)
        self.tttp = []
        for number in range(2 * TTTP_PAIRS):
            before = self.tttp[-1] if self.tttp else None
            self.tttp.append(ChattedPlayer(self, number, before, chance))
        self.go = [SeatedGoPair(self, chance.randrange(1 << 30)) for _ in self.go]

    def take_seats(self, ports: Mapping[str, int]) -> None:
        """Connect all players, and wait until all have a seat."""
        calls: list[tuple[str, Callable[[], None]]] = []
        for player in self.named:
            due = admission_message(player.door, player.name)
            calls.append((player.name, partial(player.play, ports[player.door], due)))
        for one in self.ascension:
            calls.append((f"player {one.index}", partial(one.play, ports[ASCENSION], b"")))
        for pair in self.go:
            calls.append(("a pair at go", partial(pair.play, ports[GO])))
        self._met = threading.Barrier(len(calls) + 1)
        self._threads = [
            threading.Thread(target=self._run, args=call, name=call[0], daemon=True)
            for call in calls
        ]
        for thread in self._threads:
            thread.start()
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while self._met.n_waiting < len(calls):
            self._raise_failures()
            assert time.monotonic() < deadline, f"{self._met.n_waiting} of {len(calls)} are seated"
            time.sleep(0.01)

    def play_to_the_end(self) -> None:
        """Let all players play. Raise their first error."""
        self.wait_for_all()
        deadline = time.monotonic() + TIMEOUT_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._raise_failures()
        late = [thread.name for thread in self._threads if thread.is_alive()]
        assert not late, f"still playing: {late}"

    def wait_for_all(self) -> None:
        self._met.wait(TIMEOUT_SECONDS)
