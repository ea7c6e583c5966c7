"""A whole game of TTTP that nobody wins, in the bytes of both directions.

The load generator plays it over and over. It is worked out here from the rules (003 and its
readings), with none of the server's code, so that it can also tell whether a server is right.
"""

from typing import NamedTuple

COLUMNS, ROWS = 7, 6

# The board is filled row by row from the bottom, each row in this order. From left to right the
# colours would make a chessboard and so a diagonal of four; one pair swapped prevents every four.
COLUMN_ORDER = (0, 1, 2, 4, 3, 5, 6)

RED, BLUE = 0, 1
PLAYING, CATS_GAME = 0, 3
UPDATE_LENGTH = 48


class Step(NamedTuple):
    """One message of a player, and the UPDT that both players must get for it."""

    mover: int  # RED or BLUE
    message: bytes
    update: bytes


def update(turn: int, won: int, spots: bytes) -> bytes:
    """UPDT: whose turn (RED or BLUE), the won byte, and the 42 spots, row by row from the top."""
    return b"UPDT" + bytes((turn + 1, won)) + spots


def has_four(spots: bytes | bytearray) -> bool:
    """Whether four equal pieces stand in an unbroken line: a naive look at every line there is."""
    for x in range(COLUMNS):
        for y in range(ROWS):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                if 0 <= x + 3 * dx < COLUMNS and 0 <= y + 3 * dy < ROWS:
                    line = {spots[(y + i * dy) * COLUMNS + x + i * dx] for i in range(4)}
                    if len(line) == 1 and line != {0}:
                        return True
    return False


def cats_game() -> tuple[Step, ...]:
    """The 42 moves that fill the board, and Red's RMCH, after which Red begins again."""
    empty = bytes(COLUMNS * ROWS)
    spots = bytearray(empty)
    steps: list[Step] = []
    for y in reversed(range(ROWS)):
        for x in COLUMN_ORDER:
            mover = len(steps) % 2
            spots[y * COLUMNS + x] = mover + 1
            if has_four(spots):
                raise AssertionError(f"move {len(steps) + 1} of the cat's game makes a four")
            won = PLAYING if 0 in spots else CATS_GAME
            board = update(1 - mover, won, bytes(spots))
            steps.append(Step(mover, b"PLAY" + bytes((x, y)), board))
    steps.append(Step(RED, b"RMCH", update(RED, PLAYING, empty)))
    return tuple(steps)


SCRIPT = cats_game()
FRESH_BOARD = SCRIPT[-1].update
