"""The bot: what it thinks about, for how long, and which move follows.

Positions and moves of the readable rules are translated to the compiled board, and moves back.
"""

from collections.abc import Collection
from typing import cast

import numpy as np

from gamehall.bots.bot import Bot, BotError, BotResignedError, Budget, Clock
from gamehall.bots.go.board import (
    BLACK,
    KO,
    LARGEST,
    LAST,
    LEAD,
    PASS,
    WHITE,
    Board,
    new_board,
    play,
    set_up,
)
from gamehall.bots.go.playout import chance_from, matching_codes
from gamehall.bots.go.search import new_desk, search
from gamehall.bots.go.tree import (
    MOVE,
    PRIOR_VISITS,
    PRIOR_WINS,
    ROOT,
    VISITS,
    WINS,
    child_by,
    children,
    copy_subtree,
    expand,
    keep_children,
    make_bare,
    new_tree,
)
from gamehall.core import Position, Seat
from gamehall.games.go import Go, GoPosition, Move, Pass, Point, Scoring, Stone

COLOURS = {Seat.FIRST: BLACK, Seat.SECOND: WHITE}


def index_of(point: Point, size: int) -> int:
    """Return the index of a point."""
    return (point.row + 1) * (size + 1) + point.column + 1


def index_of_move(move: Move, size: int) -> int:
    """Return the index of the point of a move, PASS for a pass."""
    return PASS if isinstance(move, Pass) else index_of(move.point, size)


def move_at(index: int, size: int) -> Move:
    """Return the move to the point of this index, a pass for PASS."""
    row, column = divmod(index, size + 1)
    return Pass() if index == PASS else Stone(Point(row - 1, column - 1))


def set_up_like(board: Board, position: GoPosition) -> None:
    """Make the board like that of the position, but for ko: what is legal next is not known."""
    size = position.terms.size
    set_up(board, size)
    for point, owner in position.stones.items():
        # Each chain that is on the board has a liberty, so none is captured on the way.
        play(board, index_of(point, size), COLOURS[owner])
    by_black, by_white = position.captured
    board.cells[LEAD] += by_white - by_black
    board.cells[LAST] = PASS if position.last is None else index_of(position.last, size)
    board.cells[KO] = 0


def handicap_point(size: int, free: Collection[Point]) -> Point | None:
    """Return the best of the free points for the next stone, None if there are none.

    Corners come first, then sides and the middle, then what is far from the edge.
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
        """First every other point, so that the stones do not take each other's liberties."""
        height = min(point.row, point.column, size - 1 - point.row, size - 1 - point.column)
        return (point.row + point.column) % 2, -height, point

    return min(free, key=order, default=None)


SECONDS_PER_SLICE = 0.03
"""How long the search runs before the clock is looked at."""
FIRST_SLICE = 32
"""How many playouts come before it is known how long one takes."""
MOST_PER_SLICE = 1000
PLAYOUTS_TO_RESIGN = 500
"""Nothing is hopeless before that many."""


class GoMctsBot(Bot[Move]):
    """Plays what has been won most often in playouts, which it steers to where it matters.

    What it has thought about a line of play is kept as long as the game follows it.
    """

    def __init__(
        self,
        seed: int,
        clock: Clock,
        seconds_per_move: float = 2.0,
        resign_below: float = 0.05,
        playouts_per_move: int | None = None,
        most_nodes: int = 1_000_000,
    ) -> None:
        """`resign_below`: with a smaller share of wins than that it gives up; 0 for never.

        `playouts_per_move`: no more than so many, None if only the time counts. `most_nodes`: how
        large its tree may get; a million take up to 100 MB.

        Everything is compiled by then, so that no move has to wait for that.
        """
        self._clock = clock
        self._seconds = seconds_per_move
        self._resign_below = resign_below
        self._most_playouts = playouts_per_move
        self._chance = chance_from(seed)
        self._shapes = matching_codes()
        self._tree = new_tree(most_nodes)
        self._other_tree = new_tree(most_nodes)
        self._root = new_board()
        self._desk = new_desk()
        self._before: tuple[GoPosition, Move] | None = None
        """Where we have moved last, and how."""
        self.playouts = 0
        """How many the last move took."""
        self.win_rate = 0.5
        """How likely it seemed then that we win."""
        self._warm_up()

    def choose(self, position: Position[Move], seat: Seat, seconds_left: float | None) -> Move:
        asked = cast("GoPosition", position)
        size = asked.terms.size
        if size > LARGEST:
            raise BotError(f"this bot plays on boards of at most {LARGEST} lines, not {size}")
        budget = Budget(self._clock, self._seconds, seconds_left)
        self.playouts = 0
        if asked.is_handicap_phase:
            return _handicap_move(asked)
        if asked.passes and _is_ahead(asked, seat):
            return Pass()
        self._set_up(asked, seat)
        self._think(asked, seat, budget)
        move = self._decide(size)
        self._before = asked, move
        return move

    def _set_up(self, position: GoPosition, seat: Seat) -> None:
        """Put the stones onto the board of the root, and give the root its children."""
        size = position.terms.size
        set_up_like(self._root, position)
        is_followed = self._follow(position)
        # From here on the tree is no longer that of the move before, whatever becomes of this one.
        self._before = None
        if not is_followed:
            make_bare(self._tree)
            colour = COLOURS[seat]
            expand(self._root, self._desk.spare, colour, self._shapes, self._tree, ROOT)
        keep_children(self._tree, {index_of_move(move, size) for move in position.legal_moves()})

    def _follow(self, position: GoPosition) -> bool:
        """Return True if the tree has this position with its children. Then it is the new root."""
        node = ROOT
        for move in self._moves_since(position):
            node = child_by(self._tree, node, index_of_move(move, position.terms.size))
            if node == ROOT:
                return False
        if node == ROOT or not len(children(self._tree, node)):
            return False
        copy_subtree(self._tree, node, self._other_tree)
        self._tree, self._other_tree = self._other_tree, self._tree
        return True

    def _moves_since(self, position: GoPosition) -> list[Move]:
        """What has been played since we were asked last, nothing if that was something else."""
        if self._before is None or self._before[0].terms != position.terms:
            return []
        before, ours = self._before
        after = before.after(ours)
        theirs: Move = Pass() if position.last is None else Stone(position.last)
        if after.to_move is None or not after.allows(theirs):
            return []
        return [ours, theirs] if _are_same(after.after(theirs), position) else []

    def _think(self, position: GoPosition, seat: Seat, budget: Budget) -> None:
        """Searches until the time is up, or until nothing that comes can change the decision."""
        moves = children(self._tree, ROOT)
        limit = self._most_playouts
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
            playouts = min(max(int(seconds * playouts_per_second), 1), MOST_PER_SLICE)

    def _search(self, position: GoPosition, seat: Seat, playouts: int) -> None:
        search(
            self._root,
            COLOURS[seat],
            position.passes,
            float(position.terms.komi),
            position.terms.scoring is Scoring.TERRITORY,
            self._tree,
            self._desk,
            self._chance,
            self._shapes,
            playouts,
        )

    def _decide(self, size: int) -> Move:
        """Return the move that was tried most. Raises BotResignedError if even that is hopeless."""
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
        """Return how much of all that was tried was won."""
        counts = self._tree.counts[ROOT]
        lost = float((counts[WINS] - counts[PRIOR_WINS]) / (counts[VISITS] - counts[PRIOR_VISITS]))
        return 1.0 - lost

    def _warm_up(self) -> None:
        """Have everything compiled, by a few playouts on a small board."""
        position = Go(2, 0.5).start(0)
        self._set_up(position, Seat.FIRST)
        self._search(position, Seat.FIRST, 1)
        copy_subtree(self._tree, ROOT, self._other_tree)


def _handicap_move(position: GoPosition) -> Move:
    free = {move.point for move in position.legal_moves() if isinstance(move, Stone)}
    point = handicap_point(position.terms.size, free)
    return Pass() if point is None else Stone(point)


def _is_ahead(position: GoPosition, seat: Seat) -> bool:
    """Return True if `seat` would win if the game ended here."""
    score, scoring = position.score(), position.terms.scoring
    return score.of(seat).total(scoring) > score.of(seat.other).total(scoring)


def _are_same(one: GoPosition, other: GoPosition) -> bool:
    """Return True if there are the same stones, the same player to move, and the same passes."""
    return (
        one.goban.key == other.goban.key
        and one.to_move is other.to_move
        and one.passes == other.passes
    )
