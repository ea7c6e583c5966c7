"""The bot: its clock, its tree from move to move, and its decisions.

Positions are translated to the compiled board, and moves in both directions.
"""

from collections.abc import Collection
from typing import cast

import numpy as np

from gamehall.bots.bot import Bot, BotError, BotResignedError, Budget, TimeSource
from gamehall.bots.go.board import (
    BLACK,
    KO,
    LAST,
    MAX_SIZE,
    PASS,
    PLACED_LEAD,
    WHITE,
    Board,
    new_board,
    play,
    set_up,
)
from gamehall.bots.go.playout import new_rng, shape_table
from gamehall.bots.go.search import new_buffers, search
from gamehall.bots.go.tree import (
    MOVE,
    PRIOR_VISITS,
    PRIOR_WINS,
    ROOT,
    VISITS,
    WINS,
    child_with_move,
    children,
    clear,
    copy_subtree,
    expand,
    keep_children,
    new_tree,
)
from gamehall.core import Position, Seat
from gamehall.games.go import Go, GoPosition, Move, Pass, Point, Scoring, Stone

COLOURS = {Seat.FIRST: BLACK, Seat.SECOND: WHITE}


def index_of(point: Point, size: int) -> int:
    return (point.row + 1) * (size + 1) + point.column + 1


def index_of_move(move: Move, size: int) -> int:
    return PASS if isinstance(move, Pass) else index_of(move.point, size)


def move_at(index: int, size: int) -> Move:
    row, column = divmod(index, size + 1)
    return Pass() if index == PASS else Stone(Point(row - 1, column - 1))


def set_up_like(board: Board, position: GoPosition) -> None:
    """Set up the position on the board, without the ko."""
    size = position.terms.size
    set_up(board, size)
    for point, owner in position.stones.items():
        # Every chain on the board has a liberty, so no stone is captured, in whatever order.
        play(board, index_of(point, size), COLOURS[owner])
    by_black, by_white = position.captured
    board.cells[PLACED_LEAD] += by_white - by_black
    board.cells[LAST] = PASS if position.last is None else index_of(position.last, size)
    board.cells[KO] = 0


def handicap_point(size: int, free: Collection[Point]) -> Point | None:
    """Return the best free point for the next handicap stone, None if there are none.

    Corners come first, then the middle and the sides, then points far from the edge.
    """
    line = 3 if size > 12 else 2 if size > 6 else 1
    far, middle = size - 1 - line, size // 2
    stars = [
        (line, far),
        (far, line),
        (far, far),
        (line, line),
        (middle, middle),
        (middle, line),
        (middle, far),
        (line, middle),
        (far, middle),
    ]
    for row, column in stars:
        if Point(row, column) in free:
            return Point(row, column)

    def order(point: Point) -> tuple[int, int, Point]:
        """Prefer every other point, so that the stones do not take each other's liberties."""
        height = min(point.row, point.column, size - 1 - point.row, size - 1 - point.column)
        return (point.row + point.column) % 2, -height, point

    return min(free, key=order, default=None)


SECONDS_PER_SLICE = 0.03
"""The search reads the clock about this often."""
FIRST_SLICE = 32
"""The number of playouts before their speed is known."""
MAX_PER_SLICE = 1000
PLAYOUTS_TO_RESIGN = 500
"""With fewer playouts, the bot does not resign."""


class GoMctsBot(Bot[Move]):
    """Plays Go by Monte Carlo tree search.

    The part of the tree that the game follows is kept for the next move.
    """

    def __init__(
        self,
        seed: int,
        clock: TimeSource,
        seconds_per_move: float = 2.0,
        resign_below: float = 0.05,
        playouts_per_move: int | None = None,
        max_nodes: int = 1_000_000,
    ) -> None:
        """Create a bot, and compile or load the search.

        Args:
            resign_below: the bot resigns if its share of won playouts is smaller; 0 for never.
            playouts_per_move: a limit besides the time.
            max_nodes: the size of the tree; a million nodes take up to 100 MB.
        """
        self._clock = clock
        self._seconds = seconds_per_move
        self._resign_below = resign_below
        self._max_playouts = playouts_per_move
        self._rng = new_rng(seed)
        self._shapes = shape_table()
        self._tree = new_tree(max_nodes)
        self._other_tree = new_tree(max_nodes)
        self._root = new_board()
        self._buffers = new_buffers()
        self._last_choice: tuple[GoPosition, Move] | None = None
        """The position that the tree belongs to, and the move chosen there."""
        self.playouts = 0
        """The number of playouts for the last move."""
        self.win_rate = 0.5
        """The share of them that the bot has won."""
        self._warm_up()

    def choose(self, position: Position[Move], seat: Seat, seconds_left: float | None) -> Move:
        position = cast("GoPosition", position)
        size = position.terms.size
        if size > MAX_SIZE:
            raise BotError(f"this bot plays on boards of at most {MAX_SIZE} lines, not {size}")
        budget = Budget(self._clock, self._seconds, seconds_left)
        self.playouts = 0
        if position.is_handicap_phase:
            return _handicap_move(position)
        if position.passes and _is_ahead(position, seat):
            return Pass()
        self._set_up(position, seat)
        self._think(position, seat, budget)
        move = self._decide(size)
        self._last_choice = position, move
        return move

    def _set_up(self, position: GoPosition, seat: Seat) -> None:
        """Set up the board of the root, and give the root its children."""
        size = position.terms.size
        set_up_like(self._root, position)
        is_reused = self._reuse_tree(position)
        # The tree no longer belongs to the last choice, even if this move fails with an exception.
        self._last_choice = None
        if not is_reused:
            clear(self._tree)
            colour = COLOURS[seat]
            expand(self._root, self._buffers.spare, colour, self._shapes, self._tree, ROOT)
        keep_children(self._tree, {index_of_move(move, size) for move in position.legal_moves()})

    def _reuse_tree(self, position: GoPosition) -> bool:
        """Make this position the root if the tree has it with its children; return True if so."""
        node = ROOT
        for move in self._moves_since(position):
            node = child_with_move(self._tree, node, index_of_move(move, position.terms.size))
            if node == ROOT:
                return False
        if node == ROOT or not len(children(self._tree, node)):
            return False
        copy_subtree(self._tree, node, self._other_tree)
        self._tree, self._other_tree = self._other_tree, self._tree
        return True

    def _moves_since(self, position: GoPosition) -> list[Move]:
        """Return the two moves since the last choice; none if they do not lead to the position."""
        if self._last_choice is None or self._last_choice[0].terms != position.terms:
            return []
        before, ours = self._last_choice
        after = before.after(ours)
        theirs: Move = Pass() if position.last is None else Stone(position.last)
        if after.to_move is None or not after.allows(theirs):
            return []
        return [ours, theirs] if _is_same(after.after(theirs), position) else []

    def _think(self, position: GoPosition, seat: Seat, budget: Budget) -> None:
        """Search until the time is up, or until the decision can no longer change."""
        moves = children(self._tree, ROOT)
        limit = self._max_playouts
        playouts = FIRST_SLICE
        while len(moves) > 1 and not (self.playouts and budget.is_spent):
            if limit is not None:
                playouts = min(playouts, limit - self.playouts)
            self._search(position, seat, playouts)
            self.playouts += playouts
            spent = budget.spent
            seconds_to_go = budget.seconds - spent
            playouts_per_second = self.playouts / max(spent, 1e-6)
            to_go = seconds_to_go * playouts_per_second
            if limit is not None:
                to_go = min(to_go, limit - self.playouts)
            counts = self._tree.counts[moves.start : moves.stop]
            second, first = np.sort(counts[:, VISITS] - counts[:, PRIOR_VISITS])[-2:]
            if first - second >= to_go:
                break
            seconds = min(SECONDS_PER_SLICE, seconds_to_go)
            playouts = min(max(int(seconds * playouts_per_second), 1), MAX_PER_SLICE)

    def _search(self, position: GoPosition, seat: Seat, playouts: int) -> None:
        search(
            self._root,
            COLOURS[seat],
            position.passes,
            float(position.terms.komi),
            position.terms.scoring is Scoring.TERRITORY,
            self._tree,
            self._buffers,
            self._rng,
            self._shapes,
            playouts,
        )

    def _decide(self, size: int) -> Move:
        """Return the move with the most visits. Raises BotResignedError if it is hopeless."""
        moves = children(self._tree, ROOT)
        counts = self._tree.counts[moves.start : moves.stop]
        visits = counts[:, VISITS] - counts[:, PRIOR_VISITS]
        best = int(np.argmax(visits))
        wins = counts[best, WINS] - counts[best, PRIOR_WINS]
        self.win_rate = float(wins / visits[best]) if visits[best] else 0.5
        has_thought = self.playouts >= PLAYOUTS_TO_RESIGN
        if has_thought and max(self.win_rate, self._root_rate()) < self._resign_below:
            raise BotResignedError
        index = int(self._tree.links[moves[best], MOVE])
        return move_at(index, size)

    def _root_rate(self) -> float:
        """Return the share of wins of all playouts."""
        counts = self._tree.counts[ROOT]
        lost = float((counts[WINS] - counts[PRIOR_WINS]) / (counts[VISITS] - counts[PRIOR_VISITS]))
        return 1.0 - lost

    def _warm_up(self) -> None:
        """Compile all functions by a playout on a small board, so that no move waits for that."""
        position = Go(2, 0.5).start(0)
        self._set_up(position, Seat.FIRST)
        self._search(position, Seat.FIRST, 1)
        copy_subtree(self._tree, ROOT, self._other_tree)


def _handicap_move(position: GoPosition) -> Move:
    free = {move.point for move in position.legal_moves() if isinstance(move, Stone)}
    point = handicap_point(position.terms.size, free)
    return Pass() if point is None else Stone(point)


def _is_ahead(position: GoPosition, seat: Seat) -> bool:
    """Return True if `seat` would win if the game ended now."""
    score, scoring = position.score(), position.terms.scoring
    return score.of(seat).total(scoring) > score.of(seat.other).total(scoring)


def _is_same(one: GoPosition, other: GoPosition) -> bool:
    return (
        one.goban.key == other.goban.key
        and one.to_move is other.to_move
        and one.passes == other.passes
    )
