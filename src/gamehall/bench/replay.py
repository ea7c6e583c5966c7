"""A bare uvloop server that says what a tournament would say, without playing any.

    python -m gamehall.bench.replay

Connections are partners in the order of their arrival: first and second, third and fourth. When
both have sent their names, a dozen games of theirs is worked out, in the bytes of document 001.
From then on every read is followed by the writes that belong to it, and nothing is parsed: a pair
has one message under way, so that one read is one message. It is known what the players will
answer (`quickbot`), so that the boards they are shown are those that their own moves make.

As at the door, a message is a write, at once (X-02).
"""

import asyncio
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, cast

import msgspec

from gamehall.bench import bare
from gamehall.bench.quickbot import (
    DIFFERENT_GAMES,
    EMPTY,
    PLACEMENTS,
    SIZE,
    Board,
    answer_to_prompt,
    can_move,
)

Lines: TypeAlias = list[tuple[int, bytes]]
"""What is sent in answer to a message: to which of the two players, and what."""


def prompt(board: Board, moves: int) -> bytes:
    """A prompt with its newline."""
    rows = [board[start : start + SIZE] for start in range(0, len(board), SIZE)]
    return msgspec.json.encode(["place" if moves < PLACEMENTS else "turn", rows]) + b"\n"


def line_of(text: str) -> bytes:
    """A message that is a string."""
    return msgspec.json.encode(text) + b"\n"


def beginning(names: Sequence[str], game: int) -> Lines:
    """What both players hear when a game begins: the opponent's name, and the first prompt."""
    return [(0, line_of(names[1])), (1, line_of(names[0])), (game % 2, prompt(EMPTY, 0))]


def replies(names: Sequence[str]) -> Iterator[Lines]:
    """What follows upon each message of a dozen games, in which the players begin in turn."""
    for game in range(DIFFERENT_GAMES):
        board, mover = EMPTY, game % 2
        for moves in itertools.count():
            shown = prompt(board, moves)
            said = answer_to_prompt(names[mover], board, shown[:-1], moves, game)
            assert said is not None  # else the game would have ended before
            board, other = said.board, 1 - mover
            placing = moves < PLACEMENTS
            if said.wins or not (placing or can_move(names[other], board)):
                ended = [(mover, line_of("WINNER")), (other, line_of("LOSER"))]
                yield ended + beginning(names, (game + 1) % DIFFERENT_GAMES)
                break
            confirmed = [(mover, line_of(said.worker))] if placing else []
            yield [*confirmed, (other, prompt(board, moves + 1))]
            mover = other


class Pair:
    """Two connections, and what they are to hear next."""

    __slots__ = ("names", "replies", "writes")

    replies: Iterator[list[tuple[Callable[[bytes], None], bytes]]]

    def __init__(self) -> None:
        self.writes: list[Callable[[bytes], None]] = []
        self.names: dict[int, str] = {}
        """By player; not complete until both have signed up."""

    def sign_up(self, player: int, data: bytes) -> None:
        """Take a name, and begin when both are there."""
        self.names[player] = msgspec.json.decode(data, type=str)
        if len(self.names) == 2:
            names = self.names[0], self.names[1]
            begin = [(n, line_of(name)) for n, name in enumerate(names)] + beginning(names, 0)
            self.replies = itertools.cycle(
                [[(self.writes[n], line) for n, line in lines] for lines in replies(names)]
            )
            for n, line in begin:
                self.writes[n](line)


class Replay(asyncio.Protocol):
    """One read, and the writes of the game that belong to it."""

    __slots__ = ("pair", "player")

    with_one: Pair | None = None
    """The pair that waits for its second connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        writer = cast("asyncio.Transport", transport)
        writer.set_write_buffer_limits(high=0)
        self.pair = Replay.with_one or Pair()
        self.player = len(self.pair.writes)
        self.pair.writes.append(writer.write)
        Replay.with_one = None if self.player else self.pair

    def data_received(self, data: bytes) -> None:
        pair = self.pair
        if len(pair.names) < 2:
            pair.sign_up(self.player, data)
            return
        for write, line in next(pair.replies):
            write(line)


if __name__ == "__main__":
    bare.run(Replay)
