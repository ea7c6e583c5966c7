"""Monte Carlo tree search (UCT) for any game.

Where cards are hidden, each playout starts from a new determinization, and all share one tree. A
move that is not legal in every determinization is weighed by how often it was legal. With RAVE, a
move also learns from playouts in which the same player made it later.

UCT is by Levente Kocsis and Csaba Szepesvari ("Bandit Based Monte-Carlo Planning", 2006), the
shared tree by Peter Cowling, Edward Powley and Daniel Whitehouse ("Information Set Monte Carlo Tree
Search", 2012; this is their single-observer search), and RAVE by Sylvain Gelly and David Silver
("Combining Online and Offline Knowledge in UCT", 2007). The constants are our own.
"""

from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any

from gamehall.bots.bot import Budget
from gamehall.bots.search.evaluation import determinize, evaluate
from gamehall.core import Position, Seat, SeededRandom

EXPLORATION = 0.7
RAVE_GAMES = 100.0
ROLLOUT_MOVES = 30
CLEAR_LEAD = 100.0


@dataclass(slots=True)
class Node:
    """A move in the tree. Results count for the player who made it: 1 for a win, 0 for a loss."""

    move: Any = None
    mover: Seat | None = None
    visits: int = 0
    total: float = 0.0
    availability: int = 0
    """How often the move was legal when its parent was visited."""
    rave_visits: int = 0
    """The number of playouts in which the same player made this move here or later."""
    rave_total: float = 0.0
    children: dict[Any, "Node"] = field(default_factory=dict)

    def score(self, exploration: float, rave_games: float) -> float:
        """Return the mean result plus a bonus for few visits. The highest score is tried next.

        After about `rave_games` visits, the node's own results weigh as much as those of RAVE; 0
        disables RAVE. The weight is that of Gelly and Silver (2007).
        """
        if not self.visits:
            return float("inf")
        mean = self.total / self.visits
        if rave_games and self.rave_visits:
            weight = sqrt(rave_games / (3 * self.visits + rave_games))
            mean += weight * (self.rave_total / self.rave_visits - mean)
        return mean + exploration * sqrt(log(max(self.availability, 1)) / self.visits)

    def record(self, result: float) -> None:
        """Count a playout that went through this node."""
        self.visits += 1
        self.total += result

    def record_rave(self, result: float) -> None:
        """Count a playout in which the same player made this move here or later."""
        self.rave_visits += 1
        self.rave_total += result


class Mcts:
    """A search. It builds a new tree for each move."""

    def __init__(
        self,
        rng: SeededRandom,
        rollout_moves: int = ROLLOUT_MOVES,
        rave_games: float = RAVE_GAMES,
    ) -> None:
        """Create a search.

        Args:
            rollout_moves: after this many random moves, a playout is evaluated as it stands.
            rave_games: see `Node.score`.
        """
        self._rng = rng
        self._rollout_moves = rollout_moves
        self._rave_games = rave_games

    def search(self, position: Position[Any], budget: Budget, max_games: int | None = None) -> Node:
        """Play out until the budget is spent, at least once, and return the root of the tree."""
        root = Node()
        is_hidden = position.has_hidden_information
        games = 0
        while games == 0 or not budget.is_spent:
            if games == max_games:
                break
            start = determinize(position, self._rng.seed()) if is_hidden else position
            self._play(root, start)
            games += 1
        return root

    def best_move(
        self, position: Position[Any], budget: Budget, max_games: int | None = None
    ) -> Any:
        """Return the most visited legal move. Not checked: that there is one."""
        tree = self.search(position, budget, max_games)
        # A determinization may allow moves that the position as it is seen does not.
        moves = list(position.legal_moves())
        known = [tree.children[move] for move in moves if move in tree.children]
        return max(known, key=lambda node: node.visits).move if known else moves[0]

    def _play(self, root: Node, position: Position[Any]) -> None:
        """Descend the tree, add a node, play out at random, and record the result."""
        node, path = root, [root]
        made: list[tuple[Seat, Any]] = []
        while position.to_move is not None:
            seat = position.to_move
            moves = list(position.legal_moves())
            untried = [move for move in moves if move not in node.children]
            if untried:
                move = self._rng.pick(untried)
                node.children[move] = Node(move, seat)
            else:
                move = self._best_child(node, moves)
            for other in moves:
                if other in node.children:
                    node.children[other].availability += 1
            node = node.children[move]
            path.append(node)
            made.append((seat, move))
            position = position.after(move)
            if untried:
                break
        position = self._roll_out(position, made)
        self._record(path, made, _results(position))

    def _best_child(self, node: Node, moves: list[Any]) -> Any:
        candidates = [node.children[move] for move in moves]
        return max(candidates, key=lambda one: one.score(EXPLORATION, self._rave_games)).move

    def _roll_out(self, position: Position[Any], made: list[tuple[Seat, Any]]) -> Position[Any]:
        """Play random moves, add them to those made, and return where they lead."""
        for _ in range(self._rollout_moves):
            if position.to_move is None:
                break
            move = self._rng.pick(list(position.legal_moves()))
            made.append((position.to_move, move))
            position = position.after(move)
        return position

    def _record(
        self, path: list[Node], made: list[tuple[Seat, Any]], results: dict[Seat, float]
    ) -> None:
        path[0].visits += 1
        for node in path[1:]:
            if node.mover is not None:
                node.record(results[node.mover])
        if not self._rave_games:
            return
        for depth, node in enumerate(path):
            for seat, move in dict.fromkeys(made[depth:]):
                child = node.children.get(move)
                if child is not None and child.mover is seat:
                    child.record_rave(results[seat])


def _results(position: Position[Any]) -> dict[Seat, float]:
    """Return the result for each player: 1 for a win, 0 for a loss, between them if not over."""
    if position.outcome is not None:
        winner = position.outcome.winner
        first = 0.5 if winner is None else float(winner is Seat.FIRST)
    else:
        lead = evaluate(position, Seat.FIRST) / CLEAR_LEAD
        first = 0.5 + 0.5 * lead / (1.0 + abs(lead))
    return {Seat.FIRST: first, Seat.SECOND: 1.0 - first}
