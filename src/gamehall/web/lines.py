"""What is seen of tables and tournaments, in the words of the API."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from gamehall.core import Seat
from gamehall.hosting.view import TableView, TournamentView
from gamehall.play import Ending, Result
from gamehall.web.model import Standing, TableLine, TournamentLine


def describe(result: Result, players: Sequence[str | None]) -> str:
    """How a match ended, for somebody who looked on."""
    how = (
        result.detail
        if result.ending is Ending.PLAYED_OUT
        else (f"{result.ending.value}: {result.detail}")
    )
    if result.winner is None:
        return f"Nobody has won: {how}"
    number = result.winner is Seat.SECOND
    name = players[number] or ("the first player", "the second player")[number]
    return f"{name} has won: {how}"


def table_line(view: TableView[Any]) -> TableLine:
    """A table in a list."""
    position, result = view.position, view.result
    to_move = None if position is None or result is not None else position.to_move
    return TableLine(
        view.name,
        view.match,
        view.players,
        len(view.moves),
        None if to_move is None else to_move.value,
        None if result is None else describe(result, view.players),
        None if result is None or result.winner is None else result.winner.value,
        view.spectators,
        view.is_open,
        view.version,
    )


def tournament_line(view: TournamentView) -> TournamentLine:
    """How a tournament stands."""
    return TournamentLine(
        view.is_over,
        tuple(Standing(rank.name, rank.won, rank.lost) for rank in view.ranks),
        tuple((*win, times) for win, times in Counter(view.wins).items()),
        dict(view.cheaters),
        view.encounters,
        view.encounters_done,
    )
