"""Points, moves, and the stones on the board with their chains and liberties.

Points are numbered row by row from the top; a set of points is an integer with a bit for each.
Every stone has a key of 64 bits (Zobrist hashing); the key of a board is the xor of its stones'.

A Goban is a value: a move copies its lists instead of changing them, which is cheap, and looks only
at the stones next to the one that is played.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from itertools import product
from typing import NamedTuple, Self, TypeAlias

import msgspec

from gamehall.core import Seat


class Point(NamedTuple):
    """A crossing of two lines: row 0 is the top edge, column 0 the left edge."""

    row: int
    column: int


class Stone(msgspec.Struct, frozen=True, tag="Stone"):
    """A stone is put onto the board."""

    point: Point


class Pass(msgspec.Struct, frozen=True, tag="Pass"):
    """No stone. In the handicap phase: no further one."""


Move: TypeAlias = Stone | Pass


class Geometry(NamedTuple):
    """The neighbours of every point on a board of one size, and the keys of its stones."""

    size: int
    points: tuple[Point, ...]
    """By number."""
    numbers: dict[Point, int]
    neighbours: tuple[tuple[int, ...], ...]
    """By number: the up to four points beside a point."""
    around: tuple[int, ...]
    """The same as sets."""
    all: int
    """The set of all points."""
    not_left: int
    not_right: int
    """The sets of all points that are not in the first or in the last column."""
    black_keys: tuple[int, ...]
    white_keys: tuple[int, ...]
    """By number: what a stone there adds to the key of the position."""

    def spread(self, points: int) -> int:
        """Return the points next to any of these."""
        across = (points & self.not_right) << 1 | (points & self.not_left) >> 1
        return (across | points << self.size | points >> self.size) & self.all

    def region(self, start: int, within: int) -> int:
        """Return all points of `within` that are connected to `start` inside it."""
        region = start
        while (grown := (region | self.spread(region)) & within) != region:
            region = grown
        return region

    def keys(self, seat: Seat) -> tuple[int, ...]:
        """Return the keys of this colour's stones, by point."""
        return self.black_keys if seat is Seat.FIRST else self.white_keys


@cache
def geometry(size: int) -> Geometry:
    """Return the geometry of a board with this many lines."""
    points = tuple(Point(row, column) for row in range(size) for column in range(size))
    numbers = {point: number for number, point in enumerate(points)}
    neighbours = tuple(
        tuple(
            numbers[beside]
            for beside in (
                Point(row - 1, column),
                Point(row, column - 1),
                Point(row, column + 1),
                Point(row + 1, column),
            )
            if beside in numbers
        )
        for row, column in points
    )
    around = tuple(sum(1 << beside for beside in four) for four in neighbours)
    everything = (1 << size * size) - 1
    first_column = sum(1 << row * size for row in range(size))
    return Geometry(
        size=size,
        points=points,
        numbers=numbers,
        neighbours=neighbours,
        around=around,
        all=everything,
        not_left=everything ^ first_column,
        not_right=everything ^ first_column << size - 1,
        black_keys=tuple(_key(f"black {number}") for number in range(len(points))),
        white_keys=tuple(_key(f"white {number}") for number in range(len(points))),
    )


def numbers_in(points: int) -> Iterator[int]:
    """Yield the numbers of the points in a set, the lowest first."""
    while points:
        lowest = points & -points
        yield lowest.bit_length() - 1
        points ^= lowest


def star_points(size: int) -> list[Point]:
    """Return the star points (hoshi) of a board of this size."""
    if size < 7:
        return [Point(size // 2, size // 2)] if size in (3, 5) else []
    edge = 2 if size < 13 else 3
    lines = [edge, size - 1 - edge]
    if size % 2 and size >= 15:
        lines.insert(1, size // 2)
    stars = [Point(row, column) for row, column in product(lines, lines)]
    middle = Point(size // 2, size // 2)
    return stars if size % 2 == 0 or middle in stars else [*stars, middle]


def _key(name: str) -> int:
    """Return 64 pseudorandom bits, the same in every process."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big")


WHITE_TO_MOVE = _key("white to move")
"""Combined with the board's key under situational superko when white is to move."""


NO_CHAIN = -1


class Chain(msgspec.Struct, frozen=True, gc=False):
    """Connected stones of one colour."""

    seat: Seat
    stones: int
    liberties: int
    """The empty points beside them."""
    key: int
    """What they add to the key of the board."""


class Placing(msgspec.Struct, frozen=True):
    """What a stone at a point would do, worked out before it is played."""

    number: int
    seat: Seat
    own: list[int]
    """The chains that it joins, by their heads."""
    others: list[int]
    """The chains of the other colour beside it that stay, by their heads."""
    captured: list[int]
    """The chains of the other colour that it takes off, by their heads."""
    liberties: int
    """Those of the chain that it becomes part of, before anything is taken off."""
    key: int
    """That of the board afterwards."""

    @property
    def is_suicide(self) -> bool:
        """True if its own chain would have no liberties."""
        return not self.liberties and not self.captured


class Goban(msgspec.Struct, frozen=True):
    """The stones on a board. Black sits first."""

    size: int
    heads: list[int]
    """For each point the point by which its chain is known, NO_CHAIN if it is empty."""
    chains: dict[int, Chain]
    """By their heads."""
    black: int
    white: int
    key: int

    @classmethod
    def empty(cls, size: int) -> Self:
        """No stones."""
        return cls(size, [NO_CHAIN] * size**2, {}, 0, 0, 0)

    def __hash__(self) -> int:
        return hash((self.size, self.key))

    def is_free(self, number: int) -> bool:
        """Return True if a point is empty."""
        return self.heads[number] == NO_CHAIN

    def breathing(self, seat: Seat) -> int:
        """Return the empty points where a stone of this colour would not be suicide."""
        board = geometry(self.size)
        empty = board.all & ~(self.black | self.white)
        points = board.spread(empty)
        for chain in self.chains.values():
            is_last_liberty = chain.liberties & (chain.liberties - 1) == 0
            if (chain.seat is seat) != is_last_liberty:
                points |= chain.liberties
        return empty & points

    def removing(self, seat: Seat, suicide: bool) -> int:
        """Return the empty points where a stone of this colour would take stones off the board.

        Its own only if suicide is allowed.
        """
        board = geometry(self.size)
        points = 0
        for chain in self.chains.values():
            if chain.liberties & (chain.liberties - 1) == 0 and chain.seat is not seat:
                points |= chain.liberties
        if suicide:
            points |= board.all & ~(self.black | self.white) & ~self.breathing(seat)
        return points

    def placing(self, number: int, seat: Seat) -> Placing:
        """Return what would come of a stone. Not checked: that the point is empty."""
        board = geometry(self.size)
        bit = 1 << number
        chains, heads = self.chains, self.heads
        own: list[int] = []
        others: list[int] = []
        captured: list[int] = []
        liberties = 0
        stone_key = board.keys(seat)[number]
        key = self.key ^ stone_key
        for beside in board.neighbours[number]:
            head = heads[beside]
            if head == NO_CHAIN:
                liberties |= 1 << beside
                continue
            chain = chains[head]
            if chain.seat is seat:
                if head not in own:
                    own.append(head)
                    liberties |= chain.liberties ^ bit
            elif chain.liberties != bit:
                if head not in others:
                    others.append(head)
            elif head not in captured:
                captured.append(head)
                key ^= chain.key
        if not liberties and not captured:
            key ^= stone_key
            for head in own:
                key ^= chains[head].key
        return Placing(
            number=number,
            seat=seat,
            own=own,
            others=others,
            captured=captured,
            liberties=liberties,
            key=key,
        )

    def after(self, placing: Placing) -> Self:
        """Return the stones after a placing that was worked out for this goban."""
        board = geometry(self.size)
        number, seat = placing.number, placing.seat
        own, captured, liberties = placing.own, placing.captured, placing.liberties
        bit = 1 << number
        heads, chains = self.heads.copy(), self.chains.copy()
        home = own[0] if own else number
        stones, chain_key = bit, board.keys(seat)[number]
        for head in own:
            joined = chains.pop(head)
            stones |= joined.stones
            chain_key ^= joined.key
            if head != home:
                for stone in numbers_in(joined.stones):
                    heads[stone] = home
        heads[number] = home
        chains[home] = Chain(seat=seat, stones=stones, liberties=liberties, key=chain_key)
        for head in placing.others:
            other = chains[head]
            chains[head] = Chain(
                seat=other.seat, stones=other.stones, liberties=other.liberties ^ bit, key=other.key
            )
        mine, theirs = self.black, self.white
        if seat is Seat.SECOND:
            mine, theirs = theirs, mine
        mine |= bit
        for head in captured:
            theirs ^= _take_off(board, heads, chains, head)
        if not liberties and not captured:
            mine ^= _take_off(board, heads, chains, home)
        if seat is Seat.SECOND:
            mine, theirs = theirs, mine
        return type(self)(self.size, heads, chains, mine, theirs, placing.key)


def _take_off(board: Geometry, heads: list[int], chains: dict[int, Chain], head: int) -> int:
    """Take a chain off the board, and give its points to the chains beside as liberties."""
    gone = chains.pop(head)
    gained: dict[int, int] = {}
    for number in numbers_in(gone.stones):
        heads[number] = NO_CHAIN
        bit = 1 << number
        for beside in board.neighbours[number]:
            neighbour = heads[beside]
            if neighbour not in (NO_CHAIN, head):
                gained[neighbour] = gained.get(neighbour, 0) | bit
    for neighbour, liberties in gained.items():
        chain = chains[neighbour]
        chains[neighbour] = Chain(
            seat=chain.seat,
            stones=chain.stones,
            liberties=chain.liberties | liberties,
            key=chain.key,
        )
    return gone.stones
