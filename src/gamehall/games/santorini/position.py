"""Positions of Santorini: legal moves and their effects."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Self

from gamehall.core import IllegalMove, Outcome, Position, Seat, is_of_ints, quoted
from gamehall.games.santorini import notation, picture
from gamehall.games.santorini.board import (
    DOME,
    FLAT,
    SUMMIT,
    Cell,
    Geometry,
    Heights,
    Move,
    Place,
    Turn,
    geometry,
    numbers_in,
)

Workers = tuple[tuple[int, ...], tuple[int, ...]]
"""The cell numbers of the first and of the second player's workers, in the order of placement."""

WORKERS_IN_ALL = 4

# The reasons of outcomes are stored in records, so they must not change.
ON_TOP = "stands on the third level"
STUCK = "the other cannot move"

HEIGHTS = ("0", "1", "2", "3", "4")


class SantoriniPosition(Position[Move], frozen=True):
    """Heights, workers, and whose turn it is."""

    size: int
    heights: Heights
    workers: Workers
    placing: tuple[Seat, ...]
    """The seat that places each of the four workers, in order."""
    first_turn: Seat
    """The seat that moves first when all workers are placed."""

    @classmethod
    def start(cls, size: int, placing: tuple[Seat, ...], first_turn: Seat) -> Self:
        return cls(placing[0], None, size, FLAT, ((), ()), placing, first_turn)

    def legal_moves(self) -> Iterator[Move]:
        if self.to_move is None:
            return
        board = geometry(self.size)
        occupied = self._occupied()
        if self.is_placing:
            yield from (Place(cell) for n, cell in enumerate(board.cells) if not occupied >> n & 1)
            return
        for worker in self._own(self.to_move):
            for to in numbers_in(self._reach(board, worker, occupied)):
                origin, target = board.cells[worker], board.cells[to]
                if self.heights.three >> to & 1:
                    yield Turn(origin, target, None)
                    continue
                sites = self._sites(board, to, occupied ^ 1 << worker)
                yield from (Turn(origin, target, board.cells[site]) for site in numbers_in(sites))

    def after(self, move: Move) -> Self:
        if self.to_move is None or self.outcome is not None:
            reason = self.outcome.reason if self.outcome else ""
            raise IllegalMove(f"the game is over: {reason}")
        # Compare types exactly: an object of another class can pretend to be an instance.
        if type(move) is Turn:
            return self._after_turn(self.to_move, move.origin, move.to, move.build)
        if type(move) is Place:
            return self._after_placement(self.to_move, move.cell)
        raise IllegalMove(f"{quoted(move)} is not a move of Santorini, which is a Place or a Turn")

    @property
    def is_placing(self) -> bool:
        """True if there are still workers to place."""
        return len(self.workers[0]) + len(self.workers[1]) < WORKERS_IN_ALL

    def can_move(self, seat: Seat) -> bool:
        """Return True if one of the seat's workers can step to a cell."""
        board, occupied = geometry(self.size), self._occupied()
        return any(self._reach(board, worker, occupied) for worker in self._own(seat))

    def workers_of(self, seat: Seat) -> tuple[Cell, ...]:
        """Return the cells of the seat's workers, in the order of placement."""
        cells = geometry(self.size).cells
        return tuple([cells[number] for number in self._own(seat)])

    def wins_at(self, cell: Cell) -> bool:
        """Return True if a step to this cell wins. The cell may be off the board."""
        number = geometry(self.size).numbers.get(cell)
        return number is not None and self.heights.at(number) == SUMMIT

    def height(self, cell: Cell) -> int:
        """Return the height of a cell. Not checked: that it is on the board."""
        return self.heights.at(geometry(self.size).numbers[cell])

    def rows(self, names: Mapping[Seat, str]) -> list[list[int | str]]:
        """Return the board in the form of the protocol documents: rows of heights and workers.

        A worker is a string of the height, the player's name, and 1 or 2 in the order of
        placement.
        """
        size = self.size
        cells: list[int | str] = [*self.heights.by_cell[: size * size]]
        for seat, name in names.items():
            for number, cell in enumerate(self._own(seat), 1):
                cells[cell] = f"{cells[cell]}{name}{number}"
        return [cells[start : start + size] for start in range(0, size * size, size)]

    def with_rows(
        self, rows: Sequence[Sequence[object]], names: Mapping[Seat, str], to_move: Seat
    ) -> Self:
        """Return the position with the board that these rows show, as returned by `rows`.

        Raises ValueError if they are not a board of this size. Not checked: that play can lead to
        this position.
        """
        heights = FLAT
        labels = {f"{name}{n}": (seat, n) for seat, name in names.items() for n in (1, 2)}
        found: dict[tuple[Seat, int], int] = {}
        if [len(row) for row in rows] != [self.size] * self.size:
            raise ValueError(f"a board has {self.size} rows of {self.size} cells")
        for number, cell in enumerate(cell for row in rows for cell in row):
            height = str(cell)
            if isinstance(cell, str) and cell[1:] in labels:
                found[labels[cell[1:]]] = number
                height = cell[:1]
            if height not in HEIGHTS:
                raise ValueError(f"{cell!r} is neither a height nor a worker on one")
            for _ in range(int(height)):
                heights = heights.built_on(number)
        first, second = (
            tuple(found[seat, n] for n in (1, 2) if (seat, n) in found) for seat in Seat
        )
        return self._turn_of(to_move, heights, (first, second))

    def picture(self) -> str:
        return picture.draw(self.size, *self._heights_and_owners())

    def diagram(self) -> str:
        return notation.write_diagram(self.size, *self._heights_and_owners())

    def in_words(self) -> str:
        return notation.describe(self.size, *self._heights_and_owners())

    def _heights_and_owners(self) -> tuple[dict[Cell, int], dict[Cell, Seat]]:
        """Return the height of every cell, and the owners of the workers by cell."""
        heights = {cell: self.height(cell) for cell in geometry(self.size).cells}
        return heights, {cell: seat for seat in Seat for cell in self.workers_of(seat)}

    def _after_placement(self, seat: Seat, cell: Cell) -> Self:
        number = self._number(cell)
        if not self.is_placing:
            raise IllegalMove("all workers are placed: move one of yours and build")
        if self._occupied() >> number & 1:
            raise IllegalMove(
                f"there is a worker on {notation.write_cell(cell, self.size)} already"
            )
        own = (*self._own(seat), number)
        workers = (own, self.workers[1]) if seat is Seat.FIRST else (self.workers[0], own)
        placed = len(workers[0]) + len(workers[1])
        following = self.placing[placed] if placed < WORKERS_IN_ALL else self.first_turn
        return self._turn_of(following, self.heights, workers)

    def _after_turn(self, seat: Seat, origin: Cell, to: Cell, build: Cell | None) -> Self:
        board = geometry(self.size)
        worker, target = self._number(origin), self._number(to)
        if self.is_placing:
            raise IllegalMove("not all workers are placed: place one first")
        own, occupied = self._own(seat), self._occupied()
        if worker not in own:
            raise IllegalMove(f"you have no worker on {notation.write_cell(origin, self.size)}")
        if not self._reach(board, worker, occupied) >> target & 1:
            raise IllegalMove(self._why_not_there(board, worker, target, occupied))
        moved = tuple(target if number == worker else number for number in own)
        workers = (moved, self.workers[1]) if seat is Seat.FIRST else (self.workers[0], moved)
        if self.heights.at(target) == SUMMIT:
            if build is not None:
                raise IllegalMove("a move to the third level wins at once, without a build")
            outcome = Outcome(seat, ON_TOP)
            return self._with(None, outcome, self.heights, workers)
        if build is None:
            raise IllegalMove("after a move that does not win there must be a build")
        site = self._number(build)
        if not self._sites(board, target, occupied ^ 1 << worker) >> site & 1:
            raise IllegalMove(self._why_not_build(board, target, site))
        return self._turn_of(seat.other, self.heights.built_on(site), workers)

    def _turn_of(self, seat: Seat, heights: Heights, workers: Workers) -> Self:
        """Return the position in which `seat` is to move, or has lost since it cannot."""
        following = self._with(seat, None, heights, workers)
        if following.is_placing or following.can_move(seat):
            return following
        return self._with(None, Outcome(seat.other, STUCK), heights, workers)

    def _with(
        self, to_move: Seat | None, outcome: Outcome | None, heights: Heights, workers: Workers
    ) -> Self:
        return type(self)(
            to_move, outcome, self.size, heights, workers, self.placing, self.first_turn
        )

    def _own(self, seat: Seat) -> tuple[int, ...]:
        return self.workers[0 if seat is Seat.FIRST else 1]

    def _occupied(self) -> int:
        """Return the bitboard of the cells with a worker."""
        occupied = 0
        for own in self.workers:
            for number in own:
                occupied |= 1 << number
        return occupied

    def _reach(self, board: Geometry, worker: int, occupied: int) -> int:
        """Return the cells that a worker may step to: free, and at most one level up (SR-03)."""
        too_high = self.heights.higher_than(min(self.heights.at(worker) + 1, SUMMIT))
        return board.neighbours[worker] & ~occupied & ~too_high

    def _sites(self, board: Geometry, worker: int, others: int) -> int:
        """Return the cells that a worker may build on: no other worker, no dome (SR-05)."""
        return board.neighbours[worker] & ~others & ~self.heights.dome

    def _number(self, cell: Cell) -> int:
        """Return the number of a cell. Raises IllegalMove if it is not a cell of the board."""
        board = geometry(self.size)
        try:
            number = board.numbers[cell]
        except Exception:
            # Hashing a value of another type may raise anything.
            raise IllegalMove(_not_on_board(cell, self.size)) from None
        # The cells of legal moves are the objects of the geometry and need no type check.
        if board.cells[number] is not cell and not is_of_ints(cell, Cell):
            raise IllegalMove(_not_on_board(cell, self.size))
        return number

    def _why_not_there(self, board: Geometry, worker: int, target: int, occupied: int) -> str:
        """Return why the step is illegal, in words."""
        place = notation.write_cell(board.cells[target], self.size)
        if not board.neighbours[worker] >> target & 1:
            return f"a worker must move to an adjacent cell; {place} is not adjacent"
        if occupied >> target & 1:
            return f"there is a worker on {place}"
        if self.heights.at(target) == DOME:
            return f"there is a dome on {place}"
        return f"{place} is more than one level higher"

    def _why_not_build(self, board: Geometry, worker: int, site: int) -> str:
        """Return why the build is illegal, in words."""
        place = notation.write_cell(board.cells[site], self.size)
        if not board.neighbours[worker] >> site & 1:
            return f"a worker must build on an adjacent cell; {place} is not adjacent"
        if self.heights.dome >> site & 1:
            return f"there is a dome on {place}"
        return f"there is a worker on {place}"


def _not_on_board(cell: Cell, size: int) -> str:
    if not is_of_ints(cell, Cell):
        return f"{quoted(cell)} is not a Cell of whole numbers"
    row, column = quoted(cell.row), quoted(cell.column)
    return f"row {row}, column {column} is not on a board of {size} by {size}"
