"""Computes the opening book of Connect Four, position by position, and prints the module it is.

    python -m gamehall.bench.kernels_book --seconds 3600 > opening_book.py

It takes up what is there already and adds to it as long as it is given time, few stones first. Any
beginning of a book is a book; one of all positions with up to eight stones takes an hour or more.
"""

import time
from textwrap import wrap

import click

from gamehall.bench.progress import show_progress
from gamehall.bots.connect_four import opening_book
from gamehall.bots.connect_four.bits import Stones
from gamehall.bots.connect_four.book import column_of, walk
from gamehall.bots.connect_four.root import Root
from gamehall.bots.connect_four.solver import Solver

TABLE_BITS = 26
DIGITS_PER_LINE = 90


class Author:
    """Writes the book: finds the advice that is missing, until it is time to stop."""

    def __init__(self, known: str, seconds: float, solver: Solver) -> None:
        self._known = iter(known)
        self._deadline = time.monotonic() + seconds
        self._solver = solver
        self.columns: list[int] = []

    def advise(self, stones: Stones) -> int | None:
        """The column of a move with the best game value, None if time is up."""
        digit = next(self._known, None)
        column = int(digit) if digit is not None else self._solved(stones)
        if column is not None:
            self.columns.append(column)
        return column

    def _solved(self, stones: Stones) -> int | None:
        show_progress(f"{len(self.columns)} positions, now {stones.taken.bit_count()} stones")
        move = Root(stones, self._solver, self._is_over).best_by_value()
        return None if move is None else column_of(move)

    def _is_over(self) -> bool:
        return time.monotonic() >= self._deadline


def written(columns: list[int]) -> str:
    """The module that holds this advice."""
    lines = wrap("".join(map(str, columns)), DIGITS_PER_LINE)
    digits = "\n".join(f'    "{line}"' for line in lines)
    value = f"(\n{digits}\n)" if lines else '""'
    return f'"""{opening_book.__doc__}"""\n\nADVICE = {value}\n'


@click.command()
@click.option("--seconds", type=click.FloatRange(0), default=3600.0, help="How long to go on.")
@click.option("--table-bits", default=TABLE_BITS, help="Its table takes 2^N times 8 bytes.")
def main(seconds: float, table_bits: int) -> None:
    """Print the module opening_book.py with what is known after so many seconds."""
    author = Author(opening_book.ADVICE, seconds, Solver(table_bits))
    walk(author.advise)
    show_progress("")
    click.echo(written(author.columns), nl=False)


if __name__ == "__main__":
    main()
