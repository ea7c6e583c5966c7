"""Compute the opening book of Connect Four, and print the module that holds it.

    python -m benchmarks.opening_book > opening_book.py          by our solver: hours
    python -m benchmarks.opening_book --by bitbully > ...        by bitbully: seconds
    python -m benchmarks.opening_book --check 1000               check 1,000 values by our solver

bitbully is by Markus Thill, and has its own book of twelve stones. The book in the repository was
made with it.
"""

import random
import zlib
from base64 import b85encode
from collections.abc import Callable, Iterable
from textwrap import wrap

import click
import numpy as np

from benchmarks.measuring import show_progress
from gamehall.bots.connect_four import book
from gamehall.bots.connect_four.bits import COLUMN_BITS, SEVEN_BITS, Stones
from gamehall.bots.connect_four.solver import Solver
from gamehall.games.connect_four import COLUMNS, ROWS

TABLE_BITS = 26
LETTERS_PER_LINE = 90


def values(keys: Iterable[int], solve: Callable[[Stones], int]) -> book.Values:
    """Return the values of the positions with these keys."""
    found: list[int] = []
    for key in keys:
        if not len(found) % 100:
            show_progress(f"{len(found)} positions")
        found.append(solve(stones_of_key(int(key))))
    show_progress("")
    return np.array(found, np.int8)


def our_solver() -> Callable[[Stones], int]:
    """Return a function that computes the value of a position by our solver."""
    solver = Solver(TABLE_BITS)

    def solve(stones: Stones) -> int:
        found = solver.game_value(stones)
        assert found is not None
        return found

    return solve


def bitbully() -> Callable[[Stones], int]:
    """Return a function that computes the value of a position by bitbully."""
    from bitbully import BitBully, Board

    solver = BitBully()

    def solve(stones: Stones) -> int:
        score = solver.mtdf(Board(rows_of(stones)))
        return int(score > 0) - int(score < 0)

    return solve


def stones_of_key(key: int) -> Stones:
    """Return the position with this key, or its mirror image."""
    own = taken = 0
    for column in range(COLUMNS):
        start = column * COLUMN_BITS
        filled = (key >> start & SEVEN_BITS) + 1
        height = filled.bit_length() - 1
        taken |= (1 << height) - 1 << start
        own |= filled - (1 << height) << start
    return Stones(own, taken)


def rows_of(stones: Stones) -> list[list[int]]:
    """Return the rows from the top, with 1 for the player to move and 2 for the opponent."""
    rows = [[0] * COLUMNS for _ in range(ROWS)]
    for column in range(COLUMNS):
        for height in range(ROWS):
            bit = 1 << column * COLUMN_BITS + height
            if stones.taken & bit:
                rows[ROWS - 1 - height][column] = 1 if stones.own & bit else 2
    return rows


DOCSTRING = """\
The values of the positions of book.stored_keys(), in their order: 0 lost, 1 drawn, 2 won.

One byte each, compressed. Made by `python -m benchmarks.opening_book --by {}`.
"""


def encoded(values: book.Values) -> str:
    """Return the values as they are written in opening_book.py."""
    return b85encode(zlib.compress((values + 1).astype(np.int8).tobytes(), 9)).decode()


def written(content: str, by: str) -> str:
    """Return the text of opening_book.py with these encoded values, and the name of the solver."""
    lines = "\n".join(f'    "{line}"' for line in wrap(content, LETTERS_PER_LINE))
    return f'"""{DOCSTRING.format(by)}"""\n\nVALUES = (\n{lines}\n)\n'


def wrong_values(number: int, solve: Callable[[Stones], int]) -> list[Stones]:
    """Check random positions of the book, and return those whose value is wrong."""
    sample = sorted(random.Random(number).sample(book.stored_keys().tolist(), number))
    positions = [stones_of_key(key) for key in sample]
    found = values(sample, solve)
    return [
        stones
        for stones, right in zip(positions, found, strict=True)
        if book.value(stones) != right
    ]


@click.command()
@click.option("--by", type=click.Choice(["us", "bitbully"]), default="us", show_default=True)
@click.option("--check", type=click.IntRange(1), help="Only check this number of values.")
def main(by: str, check: int | None) -> None:
    """Print opening_book.py, or check the one in the repository."""
    solve = our_solver() if by == "us" else bitbully()
    if check is None:
        click.echo(written(encoded(values(book.stored_keys().tolist(), solve)), by), nl=False)
        return
    wrong = wrong_values(check, solve)
    click.echo(f"{check} values: {check - len(wrong)} right")
    for stones in wrong:
        click.echo(f"wrong: {stones}")


if __name__ == "__main__":
    main()
