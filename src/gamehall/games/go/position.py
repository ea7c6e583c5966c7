"""Positions of Go: legal moves and their effects, ko, and the score."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Self, TypeAlias, cast

import msgspec

from gamehall.core import IllegalMove, Outcome, Position, Seat, is_of_ints, quoted
from gamehall.games.go import notation, picture
from gamehall.games.go.board import (
    WHITE_TO_MOVE,
    Geometry,
    Goban,
    Move,
    Pass,
    Point,
    Stone,
    geometry,
    numbers_in,
)


class Ko(Enum):
    """Which earlier positions a move may not repeat (G-Q19)."""

    POSITIONAL = "positional"
    """Any position of the game."""
    SITUATIONAL = "situational"
    """Any position of the game with the same player to move."""
    SIMPLE = "simple"
    """Only the position before the opponent's last move."""


class Scoring(Enum):
    """What counts at the end (G-Q21)."""

    TERRITORY = "territory"
    """Surrounded points and captured stones."""
    AREA = "area"
    """Surrounded points and one's own stones on the board."""


@dataclass(frozen=True, slots=True)
class GoTerms:
    """The agreed terms of a game, which each position holds."""

    size: int = 19
    komi: float = 6.5
    handicap: int = 0
    handicap_first: Seat = Seat.FIRST
    """The seat that moves first after handicap stones."""
    ko: Ko = Ko.POSITIONAL
    suicide: bool = False
    scoring: Scoring = Scoring.TERRITORY


class SeatScore(msgspec.Struct, frozen=True):
    """The score of one player."""

    captured: int
    """How many of the opponent's stones it has captured."""
    territory: int
    stones: int
    """How many stones it has on the board."""
    komi: float

    def total(self, scoring: Scoring) -> float:
        counted = self.captured if scoring is Scoring.TERRITORY else self.stones
        return counted + self.territory + self.komi


class GoScore(msgspec.Struct, frozen=True):
    """The scores of both players. All stones on the board count as alive (GR-05)."""

    black: SeatScore
    white: SeatScore

    def of(self, seat: Seat) -> SeatScore:
        return self.black if seat is Seat.FIRST else self.white


def territories(board: Geometry, black: int, white: int) -> tuple[int, int]:
    """Return the empty points that only black, and those that only white surrounds (GR-04)."""
    of_black = of_white = 0
    empty = board.all & ~(black | white)
    while empty:
        region = board.region(empty & -empty, empty)
        empty ^= region
        border = board.spread(region)
        if border & black and not border & white:
            of_black |= region
        elif border & white and not border & black:
            of_white |= region
    return of_black, of_white


# The positions of the game so far are an immutable set of keys (a hash trie), because a Python set
# would have to be copied for every move. Each node branches on four bits of the key, so adding a
# key replaces only the nodes on its path. Keys are random bits, so paths are short.
_Node: TypeAlias = "tuple[_Node | int | None, ...]"
"""For each of the sixteen values of four bits: None, one key, or a node for the next four bits."""

_NO_KEYS: _Node = (None,) * 16


def _contains(node: _Node, key: int) -> bool:
    rest = key
    while True:
        found = node[rest & 15]
        if not isinstance(found, tuple):
            return found == key
        node = found
        rest >>= 4


def _with_added(node: _Node, key: int, depth: int = 0) -> _Node:
    """Return the set with one more key."""
    index = key >> depth & 15
    found = node[index]
    branch: _Node | int
    if found is None or found == key:
        branch = key
    elif isinstance(found, tuple):
        branch = _with_added(found, key, depth + 4)
    else:
        branch = _with_added(_with_added(_NO_KEYS, found, depth + 4), key, depth + 4)
    branches = list(node)
    branches[index] = branch
    return tuple(branches)


class StoneRefusedError(IllegalMove):
    """A stone that the rules forbid, with a sentence that names the point.

    The text writes the point as GTP does; `about` returns it for another notation.
    """

    def __init__(self, sentence: str, point: str) -> None:
        super().__init__(sentence.format(point=point))
        self._sentence = sentence

    def about(self, point: str) -> str:
        """Return the sentence with another name for the point."""
        return self._sentence.format(point=point)


class GoPosition(Position[Move], frozen=True):
    """The stones, the captures, the earlier positions, and whose turn it is.

    Black is the first seat.
    """

    terms: GoTerms
    goban: Goban
    captured: tuple[int, int]
    """How many stones black and white have captured."""
    key_before: int
    """The key of the goban before the last move."""
    seen: _Node
    """The keys of all positions so far; under situational superko including the player to move."""
    passes: int
    """How many passes in a row led to this position."""
    handicap_left: int
    """How many handicap stones black may still place."""
    last: Point | None
    """The point of the last stone, None after a pass."""

    @classmethod
    def start(cls, terms: GoTerms) -> Self:
        seen = _with_added(_NO_KEYS, 0)
        goban = Goban.empty(terms.size)
        return cls(Seat.FIRST, None, terms, goban, (0, 0), 0, seen, 0, terms.handicap, None)

    @property
    def is_handicap_phase(self) -> bool:
        return self.handicap_left > 0

    def task(self) -> str:
        if not self.is_handicap_phase:
            return ""
        stones = self.terms.handicap
        return f"Place handicap stone {stones - self.handicap_left + 1} of {stones}"

    @property
    def stones(self) -> dict[Point, Seat]:
        points = geometry(self.terms.size).points
        on_board = {points[number]: Seat.FIRST for number in numbers_in(self.goban.black)}
        return on_board | {points[number]: Seat.SECOND for number in numbers_in(self.goban.white)}

    def legal_moves(self) -> Iterator[Move]:
        seat, goban, suicide = self.to_move, self.goban, self.terms.suicide
        if seat is None:
            return
        board = geometry(self.terms.size)
        points, keys = board.points, board.keys(seat)
        occupied = goban.black | goban.white
        free = board.all & ~occupied if suicide else goban.points_without_suicide(seat)
        # A position can be repeated only after stones have been removed.
        has_past = suicide or any(self.captured)
        removing = goban.removing_points(seat, suicide) if has_past else 0
        for number in numbers_in(free):
            if has_past:
                if removing >> number & 1:
                    key = goban.placing(number, seat).key
                else:
                    key = goban.key ^ keys[number]
                if self._is_repeated(key, seat):
                    continue
            yield Stone(points[number])
        yield Pass()

    def after(self, move: Move) -> Self:
        seat = self.to_move
        if seat is None:
            reason = self.outcome.reason if self.outcome else ""
            raise IllegalMove(f"the game is over: {reason}")
        # Compare types exactly: an object of another class can pretend to be an instance.
        kind = type(move)
        if kind is Stone:
            return self._after_stone(seat, cast("Stone", move).point)
        if kind is Pass:
            return self._after_pass(seat)
        raise IllegalMove(f"{quoted(move)} is not a move of Go, which is a Stone or a Pass")

    def score(self) -> GoScore:
        """Return the score if the game ended here."""
        goban = self.goban
        of_black, of_white = territories(geometry(goban.size), goban.black, goban.white)
        by_black, by_white = self.captured
        return GoScore(
            SeatScore(
                captured=by_black,
                territory=of_black.bit_count(),
                stones=goban.black.bit_count(),
                komi=0.0,
            ),
            SeatScore(
                captured=by_white,
                territory=of_white.bit_count(),
                stones=goban.white.bit_count(),
                komi=self.terms.komi,
            ),
        )

    def tally(self) -> str:
        score, scoring = self.score(), self.terms.scoring
        black, white = score.black.total(scoring), score.white.total(scoring)
        komi = f", with {score.white.komi:g} komi" if score.white.komi else ""
        return f"black {black:g}, white {white:g}{komi}"

    def picture(self) -> str:
        return picture.draw(self.terms.size, self.stones, self.last, self._captured)

    def diagram(self) -> str:
        return notation.write_diagram(self.terms.size, self.stones, self.last, self._captured)

    def in_words(self) -> str:
        return notation.describe(self.terms.size, self.stones, self._captured)

    @property
    def _captured(self) -> dict[Seat, int]:
        return dict(zip(Seat, self.captured, strict=True))

    def _after_stone(self, seat: Seat, point: Point) -> Self:
        goban, terms = self.goban, self.terms
        board = geometry(goban.size)
        try:
            number = board.numbers[point]
        except Exception:
            # Not a point of the board. Hashing a value of another type may raise anything.
            raise _not_on_board(point, goban.size) from None
        # The points of legal moves are the objects of the geometry and need no type check.
        if board.points[number] is not point and not is_of_ints(point, Point):
            raise _not_on_board(point, goban.size)
        if not goban.is_free(number):
            raise StoneRefusedError("{point} is occupied", notation.write_point(point, goban.size))
        placing = goban.placing(number, seat)
        is_suicide = placing.is_suicide
        if is_suicide and not terms.suicide:
            raise IllegalMove("a stone without liberties that captures nothing is suicide")
        if self._is_repeated(placing.key, seat):
            raise IllegalMove("this would bring back an earlier position, which is ko")
        after = goban.after(placing)
        captured = self.captured
        if is_suicide or placing.captured:
            captured = self._captured_with(after, number, seat)
        handicap_left, following = self.handicap_left, seat.other
        if handicap_left:
            handicap_left -= 1
            following = Seat.FIRST if handicap_left else terms.handicap_first
        seen = _with_added(self.seen, self._key_of_turn(placing.key, following))
        return type(self)(
            following, None, terms, after, captured, goban.key, seen, 0, handicap_left, point
        )

    def _captured_with(self, after: Goban, number: int, seat: Seat) -> tuple[int, int]:
        """Return the captures after a stone of `seat` on this point has led to these stones."""
        black, white = self.goban.black, self.goban.white
        if seat is Seat.FIRST:
            black |= 1 << number
        else:
            white |= 1 << number
        by_black, by_white = self.captured
        return (
            by_black + (white & ~after.white).bit_count(),
            by_white + (black & ~after.black).bit_count(),
        )

    def _after_pass(self, seat: Seat) -> Self:
        """End the handicap phase, or on the second pass in a row the game (GR-07)."""
        if self.is_handicap_phase:
            return self._with_same_stones(self.terms.handicap_first, 0, None)
        if self.passes == 0:
            return self._with_same_stones(seat.other, 1, None)
        score = self.score()
        black, white = (score.of(s).total(self.terms.scoring) for s in Seat)
        if black == white:
            return self._with_same_stones(None, 2, Outcome(None, f"both have {black:g}"))
        winner = Seat.FIRST if black > white else Seat.SECOND
        name = notation.STONE_NAMES[winner]
        outcome = Outcome(winner, f"{name} wins by {abs(black - white):g}")
        return self._with_same_stones(None, 2, outcome)

    def _with_same_stones(self, to_move: Seat | None, passes: int, outcome: Outcome | None) -> Self:
        """Return the position after a pass."""
        seen, key = self.seen, self.goban.key
        if to_move is not None and self.terms.ko is Ko.SITUATIONAL:
            seen = _with_added(seen, self._key_of_turn(key, to_move))
        return type(self)(
            to_move, outcome, self.terms, self.goban, self.captured, key, seen, passes, 0, None
        )

    def _is_repeated(self, key: int, seat: Seat) -> bool:
        """Return True if the ko rule forbids `seat` to reach the board with this key (GR-03)."""
        ko = self.terms.ko
        if ko is Ko.POSITIONAL:
            return _contains(self.seen, key)
        if ko is Ko.SIMPLE:
            return key == self.key_before
        return _contains(self.seen, self._key_of_turn(key, seat.other))

    def _key_of_turn(self, key: int, to_move: Seat) -> int:
        """Return the key of a board in the set of earlier positions."""
        if self.terms.ko is Ko.SITUATIONAL and to_move is Seat.SECOND:
            return key ^ WHITE_TO_MOVE
        return key


def _not_on_board(point: Point, size: int) -> IllegalMove:
    if not is_of_ints(point, Point):
        return IllegalMove(f"{quoted(point)} is not a Point of whole numbers")
    return StoneRefusedError(
        f"{{point}} is not on a board of {size} by {size}",
        f"row {quoted(point.row)}, column {quoted(point.column)}",
    )
