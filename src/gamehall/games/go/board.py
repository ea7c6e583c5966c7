"""Points, moves, and the stones on the board with their chains and liberties.

Points are numbered row by row from the top; a set of points is a bitboard. Every stone has a key of
64 bits (Zobrist hashing), and the key of a board is the xor of the keys of its stones.

A Goban is immutable: a move copies its lists, which is cheap, and then looks only at the chains
adjacent to the new stone.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from itertools import product
from typing import NamedTuple, Self, TypeAlias

import msgspec

from gamehall.core import Seat


class Point(NamedTuple):
    """A point of the board: row 0 is the top edge, column 0 the left edge."""

    row: int
    column: int


class Stone(msgspec.Struct, frozen=True, tag="Stone"):
    """Place a stone."""

    point: Point


class Pass(msgspec.Struct, frozen=True, tag="Pass"):
    """Place no stone. In the handicap phase: place no more handicap stones."""


Move: TypeAlias = Stone | Pass


class Geometry(NamedTuple):
    """The points of a board of one size, their neighbours, and the keys of stones."""

    size: int
    points: tuple[Point, ...]
    """All points by number."""
    numbers: dict[Point, int]
    neighbours: tuple[tuple[int, ...], ...]
    """For each point number, the numbers of the up to four adjacent points."""
    all: int
    """The bitboard of all points."""
    not_left: int
    not_right: int
    """The bitboards of all points that are not in the first or in the last column."""
    black_keys: tuple[int, ...]
    white_keys: tuple[int, ...]
    """For each point number, the key of a stone on it."""

    def spread(self, points: int) -> int:
        """Return the points adjacent to any of these."""
        across = (points & self.not_right) << 1 | (points & self.not_left) >> 1
        return (across | points << self.size | points >> self.size) & self.all

    def region(self, start: int, within: int) -> int:
        """Return the points of `within` that are connected to `start` inside it."""
        region = start
        while (grown := (region | self.spread(region)) & within) != region:
            region = grown
        return region

    def keys(self, seat: Seat) -> tuple[int, ...]:
        return self.black_keys if seat is Seat.FIRST else self.white_keys


@cache
def geometry(size: int) -> Geometry:
    """Return the geometry of a board with this many lines."""
    points = tuple(Point(row, column) for row in range(size) for column in range(size))
    numbers = {point: number for number, point in enumerate(points)}
    neighbours = tuple(
        tuple(
            numbers[adjacent]
            for adjacent in (
                Point(row - 1, column),
                Point(row, column - 1),
                Point(row, column + 1),
                Point(row + 1, column),
            )
            if adjacent in numbers
        )
        for row, column in points
    )
    everything = (1 << size * size) - 1
    first_column = sum(1 << row * size for row in range(size))
    return Geometry(
        size=size,
        points=points,
        numbers=numbers,
        neighbours=neighbours,
        all=everything,
        not_left=everything ^ first_column,
        not_right=everything ^ first_column << size - 1,
        black_keys=tuple(_key(f"black {number}") for number in range(len(points))),
        white_keys=tuple(_key(f"white {number}") for number in range(len(points))),
    )


def numbers_in(points: int) -> Iterator[int]:
    """Yield the numbers of the points in a bitboard, the lowest first."""
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
"""Combined with the key of a board under situational superko when white is to move."""

NO_CHAIN = -1


class Chain(msgspec.Struct, frozen=True, gc=False):
    """Connected stones of one colour."""

    seat: Seat
    stones: int
    liberties: int
    """The adjacent empty points."""
    key: int
    """The combined key of its stones."""


class Placing(msgspec.Struct, frozen=True):
    """The effects of a stone on a point, computed before it is played. Chains are given by head."""

    number: int
    seat: Seat
    own: list[int]
    """The chains that it joins."""
    others: list[int]
    """The adjacent chains of the other colour that stay."""
    captured: list[int]
    """The chains of the other colour that it captures."""
    liberties: int
    """The liberties of its chain before captured stones are removed."""
    key: int
    """The key of the board afterwards."""

    @property
    def is_suicide(self) -> bool:
        return not self.liberties and not self.captured


class Goban(msgspec.Struct, frozen=True):
    """The stones on a board. Black is the first seat."""

    size: int
    heads: list[int]
    """For each point, the head of its chain: one of the chain's points, or NO_CHAIN if empty."""
    chains: dict[int, Chain]
    """All chains by head."""
    black: int
    white: int
    """Bitboards of the stones."""
    key: int

    @classmethod
    def empty(cls, size: int) -> Self:
        return cls(size, [NO_CHAIN] * size**2, {}, 0, 0, 0)

    def __hash__(self) -> int:
        return hash((self.size, self.key))

    def is_free(self, number: int) -> bool:
        return self.heads[number] == NO_CHAIN

    def points_without_suicide(self, seat: Seat) -> int:
        """Return the empty points where a stone of this colour would not be suicide."""
        board = geometry(self.size)
        empty = board.all & ~(self.black | self.white)
        points = board.spread(empty)
        for chain in self.chains.values():
            is_last_liberty = chain.liberties & (chain.liberties - 1) == 0
            if (chain.seat is seat) != is_last_liberty:
                points |= chain.liberties
        return empty & points

    def removing_points(self, seat: Seat, suicide: bool) -> int:
        """Return the empty points where a stone of this colour would remove stones from the board.

        Points of suicide are included only if it is allowed.
        """
        board = geometry(self.size)
        points = 0
        for chain in self.chains.values():
            if chain.liberties & (chain.liberties - 1) == 0 and chain.seat is not seat:
                points |= chain.liberties
        if suicide:
            points |= board.all & ~(self.black | self.white) & ~self.points_without_suicide(seat)
        return points

    def placing(self, number: int, seat: Seat) -> Placing:
        """Return the effects of a stone. Not checked: that the point is empty."""
        board = geometry(self.size)
        bit = 1 << number
        chains, heads = self.chains, self.heads
        own: list[int] = []
        others: list[int] = []
        captured: list[int] = []
        liberties = 0
        stone_key = board.keys(seat)[number]
        key = self.key ^ stone_key
        for adjacent in board.neighbours[number]:
            head = heads[adjacent]
            if head == NO_CHAIN:
                liberties |= 1 << adjacent
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
        """Return the stones after a placing that was computed for this goban."""
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
            theirs ^= _remove_chain(board, heads, chains, head)
        if not liberties and not captured:
            mine ^= _remove_chain(board, heads, chains, home)
        if seat is Seat.SECOND:
            mine, theirs = theirs, mine
        return type(self)(self.size, heads, chains, mine, theirs, placing.key)


def _remove_chain(board: Geometry, heads: list[int], chains: dict[int, Chain], head: int) -> int:
    """Remove a chain, add its points to the liberties of adjacent chains, and return its stones."""
    removed = chains.pop(head)
    gained: dict[int, int] = {}
    for number in numbers_in(removed.stones):
        heads[number] = NO_CHAIN
        bit = 1 << number
        for adjacent in board.neighbours[number]:
            neighbour = heads[adjacent]
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
    return removed.stones
