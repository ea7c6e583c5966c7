"""Scripted games, one for each door: the messages that two players send again and again.

A script has an opening, which is played once, and a lap, which ends in the position of its start.
Only the messages of the players are written here. The answers are recorded from a server when the
script is first played (`record`). A bare server then sends the same bytes, and every server must
answer every lap with exactly these.
"""

import json
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from benchmarks.measuring import SECONDS_TO_ANSWER, BenchmarkError

FIRST, SECOND = 0, 1
PAIR_NUMBER = b"####"
"""A placeholder for the number of the pair, where players need different names."""


class Step(NamedTuple):
    """A message of a player, and the amount of data that each player receives in answer.

    The amount is in bytes or lines (see `Script.count`). An empty message is not sent: it stands
    for what a server sends when a player connects.
    """

    player: int
    message: bytes
    to_first: int = 0
    to_second: int = 0


class Recorded(NamedTuple):
    """A message of a player, and the bytes that each player receives in answer."""

    player: int
    message: bytes
    answers: tuple[bytes, bytes]


Conversation: TypeAlias = tuple[list[Recorded], list[Recorded]]
"""Opening and lap."""


@dataclass(frozen=True, slots=True)
class Script:
    """A game at a door."""

    opening: Sequence[Step]
    lap: Sequence[Step]
    count: Callable[[bytes], int]
    """Returns the amount of some data."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Settings of the door, so that no limit slows the load down or ends a game."""
    longest_seconds: float = 60.0
    """How long the script can be played, as a tournament has an end."""


def lines(data: bytes) -> int:
    return data.count(b"\n")


def play(steps: Sequence[Step], pair: Sequence[socket.socket], count: Callable[[bytes], int],
         number: int = 0) -> list[Recorded]:  # fmt: skip
    """Play the steps over blocking sockets, and return them with the answers."""
    played = []
    for step in steps:
        message = step.message.replace(PAIR_NUMBER, b"%04d" % number)
        if message:
            pair[step.player].sendall(message)
        answers = (
            _receive(pair[FIRST], step.to_first, count),
            _receive(pair[SECOND], step.to_second, count),
        )
        played.append(Recorded(step.player, step.message, answers))
    return played


def _receive(one: socket.socket, wanted: int, count: Callable[[bytes], int]) -> bytes:
    received = b""
    one.settimeout(SECONDS_TO_ANSWER)
    while count(received) < wanted:
        try:
            part = one.recv(1 << 16)
        except TimeoutError:
            raise BenchmarkError(f"only {received!r} was answered") from None
        if not part:
            raise BenchmarkError(f"the server closed the connection after {received!r}")
        received += part
    if count(received) > wanted:
        raise BenchmarkError(f"more was answered than expected: {received!r}")
    return received


def record(script: Script, pair: Sequence[socket.socket]) -> Conversation:
    """Play the opening and two laps at a real door. Raises BenchmarkError if the laps differ."""
    opening = play(script.opening, pair, script.count)
    lap = play(script.lap, pair, script.count)
    if play(script.lap, pair, script.count) != lap:
        raise BenchmarkError("the second lap was answered differently from the first")
    return opening, lap


def from_recorded(steps: Sequence[Recorded]) -> list[Step]:
    """Return the steps for a bare server, which sends nothing before it has received a message."""
    return [
        Step(step.player, step.message, len(step.answers[FIRST]), len(step.answers[SECOND]))
        for step in steps
        if step.message
    ]


# Connect Four over TTTP: a game of 42 moves that ends in a draw, and a rematch.

UPDATE_LENGTH = 48
COLUMN_ORDER = (0, 1, 2, 4, 3, 5, 6)
"""The order in which each row is filled. From left to right, the colours would form a chessboard
with diagonals of four. Swapping two columns prevents every line of four."""


def _join(name: bytes) -> bytes:
    return b"JOIN" + bytes([len(name)]) + name


TTTP = Script(
    opening=(
        Step(FIRST, _join(b"red####"), 5 + UPDATE_LENGTH),
        Step(SECOND, _join(b"blue####"), UPDATE_LENGTH, 5 + UPDATE_LENGTH),
    ),
    lap=(
        *(
            Step(number % 2, b"PLAY" + bytes((column, row)), UPDATE_LENGTH, UPDATE_LENGTH)
            for number, (row, column) in enumerate(
                (row, column) for row in range(5, -1, -1) for column in COLUMN_ORDER
            )
        ),
        Step(FIRST, b"RMCH", UPDATE_LENGTH, UPDATE_LENGTH),
    ),
    count=len,
    settings={"join-timeout": 0, "max-spectators": 0},
)


# Go with suicide: each player fills a corner enclosed by the other. The last of the six stones
# takes their last liberty, so that all of them are removed, and the lap begins again.

WALL = ((2, 0), (2, 1), (2, 2), (1, 3), (0, 3))
CORNER = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2))
LAST = 8
"""The index of the last line of a 9 x 9 board. The second corner is the first one rotated."""


def _stones(points: Sequence[tuple[int, int]], first_is_rotated: bool) -> list[Step]:
    """Return moves of both players to these points, and to those of the opposite corner."""
    steps = []
    for row, column in points:
        rotated = LAST - row, LAST - column
        first, second = (rotated, (row, column)) if first_is_rotated else ((row, column), rotated)
        steps.append(Step(FIRST, b"PLAY %d %d\n" % first, 1, 1))
        steps.append(Step(SECOND, b"PLAY %d %d\n" % second, 1, 1))
    return steps


GO = Script(
    opening=(
        Step(FIRST, b"", 1),
        *(Step(FIRST, b"RESPONSE %b\n" % word, 1) for word in (b"9", b"1", b"0")),
        Step(FIRST, b"RESPONSE 0.5\n"),
        Step(SECOND, b"TERMSCONFIRM Yes\n", 1, 1),
        Step(FIRST, b"TERMSCONFIRM Yes\n", 2, 2),
        *_stones(WALL, first_is_rotated=True),
    ),
    lap=_stones(CORNER, first_is_rotated=False),
    count=lines,
    settings={"ko": "simple", "suicide": "true"},
)


# Santorini: one worker climbs in the south-east, where both players build, and wins in turn seven.

WINNERS_CELLS, LOSERS_CELLS = ((2, 2), (0, 0)), ((4, 4), (0, 4))
"""Row and column of the workers. Only the first worker of each player moves."""
TURNS = (
    ((2, 3), "EAST PUT", "EAST SOUTH"),
    ((4, 3), "WEST PUT", "PUT NORTH"),
    ((3, 4), "EAST SOUTH", "WEST PUT"),
    ((4, 4), "EAST PUT", "WEST PUT"),
    ((3, 3), "WEST PUT", "PUT SOUTH"),
    ((3, 4), "PUT NORTH", "WEST SOUTH"),
    ((4, 3), "PUT SOUTH", ""),
)
"""The cell to step to (row and column), the directions of the step, and those of the build. The
winner and the loser alternate."""
MOST_GAMES = 1000
"""The limit of games of a pair at a door, more than are played in the time of the script."""
SECONDS_OF_TOURNAMENT = 1.0


def _line(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _tournament_lap() -> list[Step]:
    """Return the lap in which the first player begins and wins."""
    steps = []
    for winners, losers in zip(WINNERS_CELLS, LOSERS_CELLS, strict=True):
        # The player gets the name of its worker, and the opponent the next prompt.
        steps += [Step(FIRST, _line(winners), 1, 1), Step(SECOND, _line(losers), 1, 1)]
    for number, (_, move, build) in enumerate(TURNS):
        turn = [
            f"{('ann', 'bob')[number % 2]}1",
            *(words.split() for words in (move, build) if words),
        ]
        steps.append(Step(number % 2, _line(turn), number % 2, 1 - number % 2))
    # Both get the result and the name of the next opponent, and the first player a prompt.
    steps[-1] = steps[-1]._replace(to_first=3, to_second=2)
    return steps


TOURNAMENT = Script(
    opening=(Step(FIRST, b'"ann"\n'), Step(SECOND, b'"bob"\n', 3, 2)),
    lap=_tournament_lap(),
    count=lines,
    settings={"players": 2, "games": MOST_GAMES, "starter": "fixed", "timeout": 0},
    longest_seconds=SECONDS_OF_TOURNAMENT,
)


def _lobby_lap() -> list[Step]:
    """Return the lap in which the first player places first, and the second has the first turn."""
    steps = []
    for winners, losers in zip(WINNERS_CELLS, LOSERS_CELLS, strict=True):
        for player, (row, column) in ((FIRST, losers), (SECOND, winners)):
            steps.append(Step(player, _line(["give_placement", [column, row]]), player, 1 - player))
    steps[-1] = steps[-1]._replace(to_first=0, to_second=1)
    for number, ((row, column), _, build) in enumerate(TURNS):
        player = 1 - number % 2
        directions = [word.capitalize() for word in build.split() or ("PUT", "PUT")]
        message = _line(["give_turn", [[column, row], directions]])
        steps.append(Step(player, message, player, 1 - player))
    # Both get the end of the game and the start of the next one, and the first player a prompt.
    steps[-1] = steps[-1]._replace(to_first=3, to_second=2)
    return steps


LOBBY = Script(
    opening=(
        Step(FIRST, _line(["join", "ann"])),
        Step(SECOND, _line(["join", "bob"]), 3, 2),
    ),
    lap=_lobby_lap(),
    count=lines,
    settings={
        "players": 2,
        "games-per-pair": MOST_GAMES,
        "turn-reading": "destination",
        "move-timeout": 0,
        "keepalive": 3600,
        "keepalive-timeout": 3600,
    },
    longest_seconds=SECONDS_OF_TOURNAMENT,
)

SCRIPTS = {
    "tttp": TTTP,
    "go-text": GO,
    "santorini-lobby": LOBBY,
    "santorini-tournament": TOURNAMENT,
}
UNLIMITED = {"messages-per-second": 0}
"""Common settings of all doors."""
