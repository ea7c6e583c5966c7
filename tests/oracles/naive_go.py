"""A naive implementation of Go (GR-01 to GR-07), to compare with the real one.

It shares no code with the real game and prefers simple code to fast code: every move is tried on a
copy of the board, captures are found by counting all stones before and after, and all earlier
boards are kept.
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

# A point is (row, column), both from 0.
Point = tuple[int, int]

# What stands on every point: EMPTY, BLACK or WHITE.
Board = dict[Point, int]

# A board as a hashable value, row by row.
Snapshot = tuple[int, ...]


class Illegal(Enum):
    """The reason why a stone cannot be placed (GR-02)."""

    OFF_BOARD = "the point is not on the board"
    OCCUPIED = "the point is occupied"
    SUICIDE = "the stone would have no liberty"
    KO = "the position has occurred before"


def opponent_of(colour: int) -> int:
    return WHITE if colour == BLACK else BLACK


@cache
def neighbours_on(size: int) -> dict[Point, list[Point]]:
    """Return the adjacent points of every point. The result is shared: it must not be changed."""
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
    """A game, which `play` and `pass_` change in place.

    board[point] is EMPTY, BLACK or WHITE.
    turn is the colour to move, None after two passes have ended the game.
    placing is True while black may place handicap stones; then black moves first.
    captured_by[colour] counts the stones that this colour has captured, including suicides of the
    other colour.
    passes is the number of passes in a row.
    """

    def __init__(
        self,
        size: int = 9,
        ko: str = "positional",
        suicide: bool = False,
        komi: Decimal | float | str = 0,
        handicap: int = 0,
    ) -> None:
        """Create an empty board. Raises ValueError for unknown options."""
        if size < 1:
            raise ValueError(f"size must be at least 1, not {size}")
        if ko not in KO_RULES:
            raise ValueError(f"ko must be one of {', '.join(KO_RULES)}, not {ko!r}")
        if handicap < 0:
            raise ValueError(f"handicap must not be negative, but is {handicap}")
        self.size = size
        self.ko = ko
        self.suicide = suicide
        # A Decimal, so that 5 - 4.9 is 0.1.
        self.komi = Decimal(str(komi))
        self.neighbours = neighbours_on(size)
        self.board: Board = dict.fromkeys(self.neighbours, EMPTY)
        self.turn: int | None = BLACK
        self.handicap_left = handicap
        self.placing = handicap > 0
        self.captured_by = {BLACK: 0, WHITE: 0}
        self.passes = 0
        # The empty board counts as a position of the game.
        self.before_last_turn: Snapshot | None = None
        self.boards_seen: set[Snapshot] = set()
        self.situations_seen: set[tuple[Snapshot, int]] = set()
        self._remember(BLACK)

    def why_illegal(self, row: int, column: int) -> Illegal | None:
        """Return why the colour to move cannot place a stone here, or None if it can.

        Raises ValueError after the end.
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
        """Return where the colour to move may place a stone, row by row. After the end nowhere."""
        if self.turn is None:
            return []
        return [point for point in self.board if self.why_illegal(*point) is None]

    def play(self, row: int, column: int) -> None:
        """Place a stone of the colour to move. Raises ValueError if it is illegal."""
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
        """Pass for the colour to move. Raises ValueError after the end."""
        if self.turn is None:
            raise ValueError("the game is over")
        if self.placing:
            # This pass ends the handicap phase and does not count as one of two (GR-07).
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
        """Return the number of empty points in regions that touch only one colour (GR-04)."""
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
        """Return the scores if the game ended now, with all stones alive (GR-05).

        `territory` counts captured stones and territory (GR-06), `area` stones on the board and
        territory. White also has the komi.
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
        """Return the colour with the higher score, or NOBODY for a draw."""
        totals = self.scores(scoring)
        if totals[BLACK] == totals[WHITE]:
            return NOBODY
        return BLACK if totals[BLACK] > totals[WHITE] else WHITE

    def diagram(self) -> str:
        """Draw the board as text, row 0 first: X is black, O is white."""
        return "\n".join(
            " ".join(".XO"[self.board[row, column]] for column in range(self.size))
            for row in range(self.size)
        )

    def _board_after(self, point: Point) -> Board:
        """Return the board after a stone of the colour to move on an empty point (GR-01).

        The point is empty if the stone was suicide.
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
        """Return who moves after a stone: black places all handicap stones, then moves first."""
        assert self.turn is not None
        return BLACK if self.placing else opponent_of(self.turn)

    def _is_repetition(self, board: Snapshot, to_move: int) -> bool:
        """Return True if the ko rule forbids this board with this colour to move (GR-03).

        positional: no board may be repeated. situational: no board with the same colour to move.
        simple: only the board before the opponent's last turn may not be repeated.
        """
        if self.ko == "positional":
            return board in self.boards_seen
        if self.ko == "situational":
            return (board, to_move) in self.situations_seen
        return board == self.before_last_turn

    def _remember(self, to_move: int) -> None:
        """Add the current board, with the colour to move, to the earlier positions."""
        board = tuple(self.board.values())
        self.boards_seen.add(board)
        self.situations_seen.add((board, to_move))

    def _connected(self, board: Mapping[Point, int], start: Point) -> list[Point]:
        """Return the points that are connected to this one and have the same content."""
        found = [start]
        known = {start}
        for point in found:  # the list grows during the loop
            for near in self.neighbours[point]:
                if near not in known and board[near] == board[start]:
                    known.add(near)
                    found.append(near)
        return found

    def _has_liberty(self, board: Mapping[Point, int], start: Point) -> bool:
        """Return True if the chain of this stone has a liberty."""
        found = [start]
        known = {start}
        for point in found:  # the list grows during the loop
            for near in self.neighbours[point]:
                if board[near] == EMPTY:
                    return True
                if near not in known and board[near] == board[start]:
                    known.add(near)
                    found.append(near)
        return False


def _count(board: Mapping[Point, int], colour: int) -> int:
    return list(board.values()).count(colour)
