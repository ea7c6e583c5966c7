"""What is seen of tables, from seats and by others, and of tournaments, in the words of the API."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from gamehall.core import Game, MoveT, Position, Seat
from gamehall.match import Result
from gamehall.rooms.view import TableView, TournamentView
from gamehall.terminal.person import Person
from gamehall.terminal.player_view import PlayerView
from gamehall.web.model import Choice, PlayedMove, Standing, TableLine, TournamentLine

SEATS_WITHOUT_NAMES = ("the first player", "the second player")

FindTable = Callable[[str, str, str | None], TableView[Any] | None]
"""Gives the table at which the player of this name sits, in that room, if it can be told.

Who only watches is at no table by name: for "" it is the only one that is watched."""


def describe(result: Result, players: Sequence[str | None]) -> str:
    """How a match ended, for somebody who looked on."""
    if result.winner is None:
        return f"Nobody has won: {result.how}"
    number = result.winner is Seat.SECOND
    name = players[number] or SEATS_WITHOUT_NAMES[number]
    return f"{name} has won: {result.how}"


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


def choices(game: Game[MoveT], position: Position[MoveT]) -> tuple[Choice, ...]:
    """What can be played there."""
    return tuple(
        Choice(game.write_move(move), game.targets(move)) for move in position.legal_moves()
    )


def last_move_seen(sight: PlayerView[MoveT], table: TableView[MoveT] | None) -> PlayedMove | None:
    """The move that led to what is shown at a seat, None if it is not known.

    `table` is how the hall sees it, if it does. That may be a tenth of a second old, so what the
    seat has seen itself comes first.
    """
    seat, move = sight.last_mover, sight.last_move
    if move is None and table is not None and table.moves and _is_as_seen(sight, table):
        seat, move = table.moves[-1]
    if seat is None or move is None:
        return None
    return PlayedMove(seat.value, sight.game.write_move(move), sight.game.targets(move))


def _is_as_seen(sight: PlayerView[MoveT], table: TableView[MoveT]) -> bool:
    """Return False if the seat has seen the board change since the table was looked at."""
    shown, known = table.position, sight.position
    return shown is not None and (known is None or shown.to_move is known.to_move)


def players_seen(
    person: Person[MoveT], table: TableView[MoveT] | None
) -> tuple[tuple[str, str], bool]:
    """Who plays at the table of a person, and whether somebody sits in the other seat."""
    sight, has_opponent = person.sight, person.is_playing
    own, other = sight.name, sight.opponent
    if person.is_watching:
        first, second = SEATS_WITHOUT_NAMES if table is None else table.players
        return (first or "", second or ""), has_opponent
    if table is not None:
        named = next((name for name in table.players if name not in (None, own)), None)
        is_nameless = table.players == (None, None)
        has_opponent = named is not None or (is_nameless and person.is_playing)
        other = named or other
    return (other, own) if sight.seat is Seat.SECOND else (own, other), has_opponent


def record_seen(table: TableView[Any] | None) -> str | None:
    """The name of the match that has ended at a table, None if none has, or nobody can tell."""
    return None if table is None or table.result is None else table.match
