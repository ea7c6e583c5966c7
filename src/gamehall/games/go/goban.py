"""The stones on the board as a value: chains with their liberties, and a key for the whole.

A move looks only at the stones that it touches. The lists of a goban are never changed: the next
one has copies of its own, which is a matter of moving memory and not of looking at points.
"""

from typing import Self

import msgspec

from gamehall.core import Seat
from gamehall.games.go.geometry import Geometry, geometry, numbers_in

NO_CHAIN = -1


class Chain(msgspec.Struct, frozen=True, gc=False):
    """Stones of one colour that hang together."""

    seat: Seat
    stones: int
    liberties: int
    """The empty points beside them."""
    key: int
    """What they add to the key of the board."""


class Placing(msgspec.Struct, frozen=True):
    """What would come of a stone at a point: worked out before it is put there."""

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
        """Whether its own chain would have no liberties."""
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
        """Whether a point is empty."""
        return self.heads[number] == NO_CHAIN

    def breathing(self, seat: Seat) -> int:
        """The empty points where a stone of this colour would not be suicide."""
        board = geometry(self.size)
        empty = board.all & ~(self.black | self.white)
        points = board.spread(empty)
        for chain in self.chains.values():
            is_last_liberty = chain.liberties & (chain.liberties - 1) == 0
            if (chain.seat is seat) != is_last_liberty:
                points |= chain.liberties
        return empty & points

    def removing(self, seat: Seat, suicide: bool) -> int:
        """The empty points where a stone of this colour would take stones off the board.

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
        """What would come of a stone. Not checked: that the point is empty."""
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
        return Placing(number, seat, own, others, captured, liberties, key)

    def after(self, placing: Placing) -> Self:
        """The stones after a placing that was worked out for this goban."""
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
        chains[home] = Chain(seat, stones, liberties, chain_key)
        for head in placing.others:
            other = chains[head]
            chains[head] = Chain(other.seat, other.stones, other.liberties ^ bit, other.key)
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
    """Takes a chain off the board, and gives its points to the chains beside as liberties."""
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
        chains[neighbour] = Chain(chain.seat, chain.stones, chain.liberties | liberties, chain.key)
    return gone.stones
