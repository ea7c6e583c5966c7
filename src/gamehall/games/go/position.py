"""A position of Go: legal moves, ko, and what a move does."""

from collections.abc import Iterator
from enum import Enum
from typing import Self, TypeAlias, cast

import msgspec

from gamehall.core import IllegalMove, Outcome, Position, Seat, is_of_ints, quoted
from gamehall.games.go import notation, picture
from gamehall.games.go.board import (
    WHITE_TO_MOVE,
    Goban,
    Move,
    Pass,
    Point,
    Stone,
    geometry,
    numbers_in,
)
from gamehall.games.go.score import GoScore, Scoring, SeatScore, territories


class Ko(Enum):
    """Which earlier positions a move may not bring back (G-Q19)."""

    POSITIONAL = "positional"
    """None of the whole game."""
    SITUATIONAL = "situational"
    """None of the whole game in which the same player was to move."""
    SIMPLE = "simple"
    """Not that before the opponent's last move."""


class GoTerms(msgspec.Struct, frozen=True):
    """The agreed terms, as a position carries them with it."""

    size: int
    komi: float
    handicap: int
    handicap_first: Seat
    """Who moves first after handicap stones."""
    ko: Ko
    suicide: bool
    scoring: Scoring


# The set of positions that the game has been through is an immutable tree of keys: a Python set
# would have to be copied for every move. Each node forks by four bits of the key, so adding a key
# makes only the nodes on its path anew. Keys are random bits, so paths are short.
_Node: TypeAlias = "tuple[_Node | int | None, ...]"
"""For each of the sixteen values of four bits: nothing, one key, or a node for the next four."""

_NO_KEYS: _Node = (None,) * 16


def _contains(node: _Node, key: int) -> bool:
    """Return True if the set has this key."""
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
    fork: _Node | int
    if found is None or found == key:
        fork = key
    elif isinstance(found, tuple):
        fork = _with_added(found, key, depth + 4)
    else:
        fork = _with_added(_with_added(_NO_KEYS, found, depth + 4), key, depth + 4)
    forks = list(node)
    forks[index] = fork
    return tuple(forks)


class StoneRefusedError(IllegalMove):
    """A stone that the rules forbid, and why, in a sentence that may name the point.

    The text has the point as GTP writes it; other notations put their own name into it.
    """

    def __init__(self, sentence: str, point: str) -> None:
        super().__init__(sentence.format(point=point))
        self._sentence = sentence

    def about(self, point: str) -> str:
        """Return the sentence with this name of the point in it."""
        return self._sentence.format(point=point)


class GoPosition(Position[Move], frozen=True):
    """The stones, what has been captured, what has been before, and whose turn it is.

    Black sits first.
    """

    terms: GoTerms
    goban: Goban
    captured: tuple[int, int]
    """How many stones black, and how many white has taken."""
    key_before: int
    """That of the goban before the last move."""
    seen: _Node
    """The keys of all positions so far, with whose turn it was under situational superko."""
    passes: int
    """How many in a row have led here."""
    handicap_left: int
    """How many stones black may still place before the game proper."""
    last: Point | None
    """Where the last stone was put, None after a pass."""

    @classmethod
    def start(cls, terms: GoTerms) -> Self:
        """Return the position before the first move."""
        seen = _with_added(_NO_KEYS, 0)
        goban = Goban.empty(terms.size)
        return cls(Seat.FIRST, None, terms, goban, (0, 0), 0, seen, 0, terms.handicap, None)

    @property
    def is_handicap_phase(self) -> bool:
        """True if black is placing handicap stones."""
        return self.handicap_left > 0

    def task(self) -> str:
        if not self.is_handicap_phase:
            return ""
        stones = self.terms.handicap
        return f"Place handicap stone {stones - self.handicap_left + 1} of {stones}"

    @property
    def stones(self) -> dict[Point, Seat]:
        """What is on the board."""
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
        free = board.all & ~occupied if suicide else goban.breathing(seat)
        # As long as nothing has been taken off, no position can come back.
        has_past = suicide or any(self.captured)
        removing = goban.removing(seat, suicide) if has_past else 0
        for number in numbers_in(free):
            if has_past:
                if removing >> number & 1:
                    key = goban.placing(number, seat).key
                else:
                    key = goban.key ^ keys[number]
                if self._has_been(key, seat):
                    continue
            yield Stone(points[number])
        yield Pass()

    def after(self, move: Move) -> Self:
        seat = self.to_move
        if seat is None:
            reason = self.outcome.reason if self.outcome else ""
            raise IllegalMove(f"the game is over: {reason}")
        # By the exact type: a foreign object may pretend to be an instance of any.
        kind = type(move)
        if kind is Stone:
            return self._after_stone(seat, cast("Stone", move).point)
        if kind is Pass:
            return self._after_pass(seat)
        raise IllegalMove(f"{quoted(move)} is not a move of Go, which is a Stone or a Pass")

    def score(self) -> GoScore:
        """Return what both would have if the game ended here."""
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

    def picture(self) -> str:
        return picture.draw(self.terms.size, self.stones, self.last, self._captured)

    def diagram(self) -> str:
        return notation.write_diagram(self.terms.size, self.stones, self.last, self._captured)

    def in_words(self) -> str:
        return notation.describe(self.terms.size, self.stones, self._captured)

    @property
    def _captured(self) -> dict[Seat, int]:
        """How many stones each has captured."""
        return dict(zip(Seat, self.captured, strict=True))

    def _after_stone(self, seat: Seat, point: Point) -> Self:
        goban, terms = self.goban, self.terms
        board = geometry(goban.size)
        try:
            number = board.numbers[point]
        except Exception:
            # Not on the board, or no point at all: a foreign object may raise anything when hashed.
            raise _not_on_board(point, goban.size) from None
        # The points of legal moves are the very ones of the geometry.
        if board.points[number] is not point and not is_of_ints(point, Point):
            raise _not_on_board(point, goban.size)
        if not goban.is_free(number):
            raise StoneRefusedError("{point} is occupied", notation.write_point(point, goban.size))
        placing = goban.placing(number, seat)
        is_suicide = placing.is_suicide
        if is_suicide and not terms.suicide:
            raise IllegalMove("a stone without liberties that captures nothing is suicide")
        if self._has_been(placing.key, seat):
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
        """Return what has been captured, when a stone of `seat` has led to these stones."""
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
        """End the handicap phase by a pass, or else the game by the second in a row (GR-07)."""
        if self.is_handicap_phase:
            return self._with_same_stones(self.terms.handicap_first, 0, None)
        if self.passes == 0:
            return self._with_same_stones(seat.other, 1, None)
        score = self.score()
        black, white = (score.of(s).total(self.terms.scoring) for s in Seat)
        if black == white:
            return self._with_same_stones(None, 2, Outcome(None, f"both have {black:g}"))
        winner = Seat.FIRST if black > white else Seat.SECOND
        name = "black" if winner is Seat.FIRST else "white"
        outcome = Outcome(winner, f"{name} wins by {abs(black - white):g}")
        return self._with_same_stones(None, 2, outcome)

    def _with_same_stones(self, to_move: Seat | None, passes: int, outcome: Outcome | None) -> Self:
        """Return the position after a pass, which also ends a handicap phase."""
        seen, key = self.seen, self.goban.key
        if to_move is not None and self.terms.ko is Ko.SITUATIONAL:
            seen = _with_added(seen, self._key_of_turn(key, to_move))
        return type(self)(
            to_move, outcome, self.terms, self.goban, self.captured, key, seen, passes, 0, None
        )

    def _has_been(self, key: int, seat: Seat) -> bool:
        """Return True if the ko rule forbids `seat` a move to the stones of this key (GR-03)."""
        ko = self.terms.ko
        if ko is Ko.POSITIONAL:
            return _contains(self.seen, key)
        if ko is Ko.SIMPLE:
            return key == self.key_before
        return _contains(self.seen, self._key_of_turn(key, seat.other))

    def _key_of_turn(self, key: int, to_move: Seat) -> int:
        """Return the key by which a position is remembered."""
        if self.terms.ko is Ko.SITUATIONAL and to_move is Seat.SECOND:
            return key ^ WHITE_TO_MOVE
        return key


def _not_on_board(point: Point, size: int) -> IllegalMove:
    """Return the error for a point where no stone can be put."""
    if not is_of_ints(point, Point):
        return IllegalMove(
            f"{quoted(point)} is not a Point of whole numbers, where a stone could be put"
        )
    return StoneRefusedError(
        f"{{point}} is not on a board of {size} by {size}",
        f"row {quoted(point.row)}, column {quoted(point.column)}",
    )
