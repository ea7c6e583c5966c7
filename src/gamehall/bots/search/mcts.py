"""Monte Carlo tree search of any game (UCT): random games, more often where they went well.

With hidden cards each game is played in a world of its own, a full position that looks like the one
that is seen, and all worlds share one tree: a move that not every world allows is weighed by how
often it could have been chosen. With RAVE, a move also learns from the games in which it was made
later by the same player.

UCT is by Levente Kocsis and Csaba Szepesvari ("Bandit Based Monte-Carlo Planning", 2006), the tree
that worlds share by Peter Cowling, Edward Powley and Daniel Whitehouse ("Information Set Monte
Carlo Tree Search", 2012; this is their single-observer search), and RAVE by Sylvain Gelly and David
Silver ("Combining Online and Offline Knowledge in UCT", 2007). The constants are our own.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any, TypeAlias

from gamehall.bots.bot import Budget
from gamehall.bots.search.evaluation import Evaluation, Imagine
from gamehall.core import Position, Seat, SeededRandom


@dataclass(slots=True)
class Node:
    """A move, and what came of it. Results are those of the player who made it, from 0 to 1."""

    move: Any = None
    mover: Seat | None = None
    visits: int = 0
    total: float = 0.0
    chances: int = 0
    """How often it could have been chosen: in some worlds it cannot."""
    shared_visits: int = 0
    """In how many games the same player made this move, then or at any time later."""
    shared_total: float = 0.0
    children: dict[Any, "Node"] = field(default_factory=dict)

    def credit(self, curiosity: float, rave_games: float) -> float:
        """Return how much it deserves a try: how well it went, and a bonus if little is known.

        rave_games: after about so many visits its own results count as much as the shared ones; 0
        if these do not count at all. The weight is that of Gelly and Silver (2007).
        """
        if not self.visits:
            return float("inf")
        mean = self.total / self.visits
        if rave_games and self.shared_visits:
            weight = sqrt(rave_games / (3 * self.visits + rave_games))
            mean += weight * (self.shared_total / self.shared_visits - mean)
        return mean + curiosity * sqrt(log(max(self.chances, 1)) / self.visits)

    def note(self, result: float) -> None:
        """One more game that went through this move."""
        self.visits += 1
        self.total += result

    def note_shared(self, result: float) -> None:
        """One more game in which the same player made this move sooner or later."""
        self.shared_visits += 1
        self.shared_total += result


CURIOSITY = 0.7
CLEAR_LEAD = 100.0

Rollout: TypeAlias = Callable[
    [Position[Any], SeededRandom], tuple[Position[Any], list[tuple[Seat, Any]]]
]
"""Plays on from a position for a while: where that led, and who made which moves."""


def random_rollout(most_moves: int) -> Rollout:
    """Return a rollout that plays random legal moves, at most `most_moves` of them."""

    def play(
        position: Position[Any], shuffler: SeededRandom
    ) -> tuple[Position[Any], list[tuple[Seat, Any]]]:
        made: list[tuple[Seat, Any]] = []
        while position.to_move is not None and len(made) < most_moves:
            move = shuffler.pick(list(position.legal_moves()))
            made.append((position.to_move, move))
            position = position.after(move)
        return position, made

    return play


class Mcts:
    """A search. It begins anew for each move."""

    def __init__(
        self,
        evaluate: Evaluation,
        rollout: Rollout,
        shuffler: SeededRandom,
        imagine: Imagine | None = None,
        rave_games: float = 0.0,
        curiosity: float = CURIOSITY,
    ) -> None:
        """`evaluate` judges where a rollout ends before the game does.

        imagine: how a world is made, None where nothing is hidden. rave_games: how many games of
        its own a move needs to count as much as what it shares, 0 for a search without RAVE.
        """
        self._evaluate = evaluate
        self._rollout = rollout
        self._shuffler = shuffler
        self._imagine = imagine
        self._rave_games = rave_games
        self._curiosity = curiosity

    def search(
        self, position: Position[Any], budget: Budget, most_games: int | None = None
    ) -> Node:
        """The tree after as many games as there is time for, one at least, or so many at most."""
        root = Node()
        games = 0
        while games == 0 or not budget.is_spent:
            if games == most_games:
                break
            world = position
            if self._imagine is not None:
                world = self._imagine(position, self._shuffler.seed())
            self._play(root, world)
            games += 1
        return root

    def best_move(
        self, position: Position[Any], budget: Budget, most_games: int | None = None
    ) -> Any:
        """Return the legal move that was played most. Not checked: that there is one."""
        tree = self.search(position, budget, most_games)
        # A world may allow what the position as it is seen does not.
        moves = list(position.legal_moves())
        known = [tree.children[move] for move in moves if move in tree.children]
        return max(known, key=lambda node: node.visits).move if known else moves[0]

    def _play(self, root: Node, position: Position[Any]) -> None:
        """One game: down the tree, one move beyond it, and on at random."""
        node, path = root, [root]
        made: list[tuple[Seat, Any]] = []
        while position.to_move is not None:
            seat = position.to_move
            moves = list(position.legal_moves())
            fresh = [move for move in moves if move not in node.children]
            if fresh:
                move = self._shuffler.pick(fresh)
                node.children[move] = Node(move, seat)
            else:
                move = self._choice(node, moves)
            for other in moves:
                if other in node.children:
                    node.children[other].chances += 1
            node = node.children[move]
            path.append(node)
            made.append((seat, move))
            position = position.after(move)
            if fresh:
                break
        position, later = self._rollout(position, self._shuffler)
        self._learn(path, made + later, self._results(position))

    def _choice(self, node: Node, moves: list[Any]) -> Any:
        """Return the move that deserves most to be tried."""
        candidates = [node.children[move] for move in moves]
        return max(candidates, key=lambda one: one.credit(self._curiosity, self._rave_games)).move

    def _results(self, position: Position[Any]) -> dict[Seat, float]:
        """What both have of this end: 1 for a win, 0 for a loss, between them if it is open."""
        if position.outcome is not None:
            winner = position.outcome.winner
            first = 0.5 if winner is None else float(winner is Seat.FIRST)
        else:
            lead = self._evaluate(position, Seat.FIRST) / CLEAR_LEAD
            first = 0.5 + 0.5 * lead / (1.0 + abs(lead))
        return {Seat.FIRST: first, Seat.SECOND: 1.0 - first}

    def _learn(
        self, path: list[Node], made: list[tuple[Seat, Any]], results: dict[Seat, float]
    ) -> None:
        """What the game taught, noted at every move of it that is in the tree."""
        path[0].visits += 1
        for node in path[1:]:
            if node.mover is not None:
                node.note(results[node.mover])
        if not self._rave_games:
            return
        for depth, node in enumerate(path):
            for seat, move in dict.fromkeys(made[depth:]):
                child = node.children.get(move)
                if child is not None and child.mover is seat:
                    child.note_shared(results[seat])
