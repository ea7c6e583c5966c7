"""A second, naive implementation of Go (GR-01 to GR-07).

It exists to disagree with the real game when that one is wrong, so it shares nothing with it and
prefers the obvious to the quick: every move is tried on a copy of the whole board, captures are
counted by counting all stones before and after, and every board that ever stood is kept.
"""

from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from functools import cache

EMPTY = 0
BLACK = 1
WHITE = 2
NOBODY = 0

KO_RULES = ("positional", "situational", "simple")
SCORINGS = ("territory", "area")

# A point is (row, column), both from 0. Which corner is (0, 0) does not matter to the rules.
Point = tuple[int, int]

# What stands on every point: EMPTY, BLACK or WHITE.
Board = dict[Point, int]

# A board as a value, row by row: equal if and only if the boards are.
Snapshot = tuple[int, ...]


class Illegal(Enum):
    """Why a stone cannot be placed (GR-02)."""

    OFF_BOARD = "the point is not on the board"
    OCCUPIED = "the point is occupied"
    SUICIDE = "the stone would have no liberty"
    KO = "the position has been there before"


def opponent_of(colour: int) -> int:
    """The other colour."""
    return WHITE if colour == BLACK else BLACK


@cache
def neighbours_on(size: int) -> dict[Point, list[Point]]:
    """The points next to every point, along lines only. Shared by all games: not to be changed."""
    points = [(row, column) for row in range(size) for column in range(size)]
    return {
        (row, column): [
            near
            for near in [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]
            if near in points
        ]
        for row, column in points
    }


class NaiveGo:
    """One playing of the game, changed in place by `play` and `pass_`.

    board[point] is EMPTY, BLACK or WHITE.
    turn is the colour that places or moves next, None once two passes have ended the game.
    placing is True while black may still place free handicap stones; then black moves first.
    captured_by[colour] counts the stones that this colour has taken from the other, with those
    that the other has taken off itself by suicide.
    passes counts the passes in a row just now. Resignations are not played here.
    """

    def __init__(
        self,
        size: int = 9,
        ko: str = "positional",
        suicide: bool = False,
        komi: Decimal | float | str = 0,
        handicap: int = 0,
    ) -> None:
        """An empty board before the first stone; ValueError for options that do not exist."""
        if size < 1:
            raise ValueError(f"size must be at least 1, not {size}")
        if ko not in KO_RULES:
            raise ValueError(f"ko must be one of {', '.join(KO_RULES)}, not {ko!r}")
        if handicap < 0:
            raise ValueError(f"handicap must not be negative, but is {handicap}")
        self.size = size
        self.ko = ko
        self.suicide = suicide
        # As a decimal number, so that 5 - 4.9 is 0.1.
        self.komi = Decimal(str(komi))
        self.neighbours = neighbours_on(size)
        self.board: Board = dict.fromkeys(self.neighbours, EMPTY)
        self.turn: int | None = BLACK
        self.handicap_left = handicap
        self.placing = handicap > 0
        self.captured_by = {BLACK: 0, WHITE: 0}
        self.passes = 0
        # The empty board is a position of the game like any other.
        self.before_last_turn: Snapshot | None = None
        self.boards_seen: set[Snapshot] = set()
        self.situations_seen: set[tuple[Snapshot, int]] = set()
        self._remember(BLACK)

    def why_illegal(self, row: int, column: int) -> Illegal | None:
        """Why the colour at turn cannot place a stone here; None if it can.

        ValueError once the game is over.
        """
        if self.turn is None:
            raise ValueError("the game is over")
        point = (row, column)
        if point not in self.board:
            return Illegal.OFF_BOARD
        if self.board[point] != EMPTY:
            return Illegal.OCCUPIED
        board = self._board_after(point)
        if board[point] == EMPTY and not self.suicide:
            return Illegal.SUICIDE
        if self._is_repetition(tuple(board.values()), self._next_after_stone()):
            return Illegal.KO
        return None

    def legal_points(self) -> list[Point]:
        """Where the colour at turn may place a stone, row by row; empty once the game is over."""
        if self.turn is None:
            return []
        return [point for point in self.board if self.why_illegal(*point) is None]

    def play(self, row: int, column: int) -> None:
        """Places a stone of the colour at turn; ValueError, and no change, if it cannot."""
        why = self.why_illegal(row, column)
        if why is not None:
            raise ValueError(f"{row} {column}: {why.value}\n{self.diagram()}")
        assert self.turn is not None
        mover, opponent = self.turn, opponent_of(self.turn)
        before, after = self.board, self._board_after((row, column))
        self.captured_by[mover] += _count(before, opponent) - _count(after, opponent)
        self.captured_by[opponent] += _count(before, mover) + 1 - _count(after, mover)
        self.before_last_turn = tuple(before.values())
        self.board = after
        self.passes = 0
        self.turn = self._next_after_stone()
        if self.placing:
            self.handicap_left -= 1
            self.placing = self.handicap_left > 0
        self._remember(self.turn)

    def pass_(self) -> None:
        """Passes for the colour at turn; ValueError once the game is over."""
        if self.turn is None:
            raise ValueError("the game is over")
        if self.placing:
            # GR-07: it ends the placing, is no turn, and does not count as a pass.
            self.placing = False
            self.handicap_left = 0
            return
        self.passes += 1
        self.before_last_turn = tuple(self.board.values())
        self.turn = opponent_of(self.turn)
        self._remember(self.turn)
        if self.passes == 2:
            self.turn = None

    def territory(self) -> dict[int, int]:
        """The empty points of each colour: those in regions that touch this colour only (GR-04)."""
        counted = {BLACK: 0, WHITE: 0}
        visited: set[Point] = set()
        for point, content in self.board.items():
            if content != EMPTY or point in visited:
                continue
            region = self._connected(self.board, point)
            visited.update(region)
            touched = {self.board[near] for place in region for near in self.neighbours[place]}
            touched.discard(EMPTY)
            if touched == {BLACK}:
                counted[BLACK] += len(region)
            elif touched == {WHITE}:
                counted[WHITE] += len(region)
        return counted

    def scores(self, scoring: str = "territory") -> dict[int, Decimal]:
        """The totals if the game ended now: all stones on the board are alive (GR-05).

        territory: stones captured and territory (GR-06). area: stones on the board and territory.
        White has the komi on top in both.
        """
        if scoring not in SCORINGS:
            raise ValueError(f"scoring must be one of {', '.join(SCORINGS)}, not {scoring!r}")
        territory = self.territory()
        totals = {BLACK: Decimal(0), WHITE: self.komi}
        for colour in (BLACK, WHITE):
            totals[colour] += territory[colour]
            if scoring == "territory":
                totals[colour] += self.captured_by[colour]
            else:
                totals[colour] += _count(self.board, colour)
        return totals

    def winner(self, scoring: str = "territory") -> int:
        """Who has the higher total: BLACK or WHITE, NOBODY for a draw."""
        totals = self.scores(scoring)
        if totals[BLACK] == totals[WHITE]:
            return NOBODY
        return BLACK if totals[BLACK] > totals[WHITE] else WHITE

    def diagram(self) -> str:
        """The board for people to look at, row 0 first: X is black, O is white."""
        return "\n".join(
            " ".join(".XO"[self.board[row, column]] for column in range(self.size))
            for row in range(self.size)
        )

    def _board_after(self, point: Point) -> Board:
        """The board after the colour at turn has put a stone on an empty point (GR-01).

        The point is empty again if that was suicide.
        """
        assert self.turn is not None
        board = dict(self.board)
        board[point] = self.turn
        for near in self.neighbours[point]:
            if board[near] == opponent_of(self.turn) and not self._has_liberty(board, near):
                for stone in self._connected(board, near):
                    board[stone] = EMPTY
        if not self._has_liberty(board, point):
            for stone in self._connected(board, point):
                board[stone] = EMPTY
        return board

    def _next_after_stone(self) -> int:
        """Who is at turn after a stone: black places all handicap stones, then moves first."""
        assert self.turn is not None
        return BLACK if self.placing else opponent_of(self.turn)

    def _is_repetition(self, board: Snapshot, to_move: int) -> bool:
        """Whether the ko rule forbids to bring about this board with this colour to move (GR-03).

        positional: no board of the game may come again. situational: none with the same colour to
        move. simple: only the board before the opponent's last turn may not come again.
        """
        if self.ko == "positional":
            return board in self.boards_seen
        if self.ko == "situational":
            return (board, to_move) in self.situations_seen
        return board == self.before_last_turn

    def _remember(self, to_move: int) -> None:
        """Writes down the board as it stands, with the colour that is to move on it."""
        board = tuple(self.board.values())
        self.boards_seen.add(board)
        self.situations_seen.add((board, to_move))

    def _connected(self, board: Mapping[Point, int], start: Point) -> list[Point]:
        """All points that hang together with this one and hold the same as it."""
        found = [start]
        known = {start}
        for point in found:  # which grows meanwhile
            for near in self.neighbours[point]:
                if near not in known and board[near] == board[start]:
                    known.add(near)
                    found.append(near)
        return found

    def _has_liberty(self, board: Mapping[Point, int], start: Point) -> bool:
        """Whether a stone of this stone's group has an empty point next to it."""
        found = [start]
        known = {start}
        for point in found:  # which grows meanwhile
            for near in self.neighbours[point]:
                if board[near] == EMPTY:
                    return True
                if near not in known and board[near] == board[start]:
                    known.add(near)
                    found.append(near)
        return False


def _count(board: Mapping[Point, int], colour: int) -> int:
    """How many stones of this colour are on the board."""
    return list(board.values()).count(colour)
