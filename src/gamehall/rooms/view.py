"""Views: what spectators can see of a room at one moment.

Positions are unmasked: only `position.seen_by(None)` may be shown to people. Names are as players
chose them. A view contains no secrets of players, and does not say which client has which seat.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Generic

import msgspec

from gamehall.core import Game, MoveT, Position, Seat
from gamehall.match import Referee, Result
from gamehall.tournaments.standings import Rank, Win


class Contestant(msgspec.Struct, frozen=True):
    """A player in a report."""

    name: str
    """Its name in the tournament."""
    signed_up_as: str
    id: str
    """A UUID."""


class TournamentReport(msgspec.Struct, frozen=True):
    """The outcome of a tournament."""

    players: tuple[Contestant, ...]
    cheaters: dict[str, str]
    """The reason of each disqualification, by player, in the order in which they happened."""
    standings: tuple[Rank, ...]
    wins: tuple[Win, ...]


class RoomKind(Enum):
    """How players meet in a room."""

    OPEN_TABLES = "open tables"
    TOURNAMENT = "tournament"
    AGREED_TABLES = "agreed tables"
    POLLED_TABLE = "polled table"


class ChatLine(msgspec.Struct, frozen=True):
    """A chat message."""

    number: int
    """Increases while the table is open."""
    name: str
    text: str


class TableView(msgspec.Struct, Generic[MoveT], frozen=True, kw_only=True):
    """A table, or one pair of a tournament."""

    name: str
    """Letters, digits and `-`; unique in the room."""
    version: int
    """Increases with every change of another field, while the server runs."""
    game: Game[MoveT]
    players: tuple[str | None, str | None] = (None, None)
    """Their names; None for a free seat or a player without a name."""
    spectators: int = 0
    is_open: bool = False
    """Whether a player may take a free seat."""
    needs_second: bool = False
    """Whether no move is allowed before the free seat is taken."""
    free_seat: Seat | None = None
    """The seat that is left for an opponent; None if that is not decided."""
    is_negotiable: bool = False
    """Whether an opponent may propose other terms."""
    match: str | None = None
    """The name of its record; None until there are two players."""
    match_start: Position[MoveT] | None = None
    """The position before the first move, None if there is no board yet."""
    position: Position[MoveT] | None = None
    """The position now, None if there is no board yet."""
    moves: tuple[tuple[Seat, MoveT], ...] = ()
    """The moves from `match_start` to `position`."""
    result: Result | None = None
    deadline: float | None = None
    """When the turn is over, None if no clock runs."""
    chat: tuple[ChatLine, ...] = ()
    """The last chat messages, the newest at the end."""
    accepts_watcher_chat: bool = False
    """Whether watchers may chat."""


class TournamentView(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the running tournament, or the outcome of the last one."""

    is_over: bool
    players: tuple[str, ...]
    """All entrants, in the order of arrival."""
    ranks: tuple[Rank, ...]
    """The best first, provided that no other player is disqualified."""
    wins: tuple[Win, ...]
    """The matches that count."""
    cheaters: Mapping[str, str]
    """The reason of each disqualification, by player, in the order in which they happened."""
    encounters: int
    """The number of pairs."""
    encounters_done: int
    """The number of pairs with nothing left to play, including those of disqualified players."""
    report: TournamentReport | None
    """None while the tournament is running."""


class RoomView(msgspec.Struct, Generic[MoveT], frozen=True, kw_only=True):
    """A room: its tables, and the waiting players."""

    kind: RoomKind
    version: int
    """Increases with every change of another field, while the server runs."""
    tables: tuple[TableView[MoveT], ...]
    """The tables that are not empty and whose game is known."""
    waiting: tuple[str, ...]
    """The players who have signed up, or wait for an opponent; "" for one without a name."""
    players_wanted: int = 0
    """How many players a tournament needs to begin; 0 in other rooms and in one that runs."""
    tournament: TournamentView | None = None
    """None if there was no tournament yet, and in other kinds of rooms."""

    @property
    def is_playing(self) -> bool:
        """Return True if a match or a tournament is running."""
        if self.tournament is not None and not self.tournament.is_over:
            return True
        return any(table.match is not None and table.result is None for table in self.tables)


def view_table(
    name: str,
    version: int,
    game: Game[MoveT],
    referee: Referee[MoveT] | None,
    *,
    players: tuple[str | None, str | None] = (None, None),
    spectators: int = 0,
    is_open: bool = False,
    needs_second: bool = False,
    is_match: bool = True,
    chat: tuple[ChatLine, ...] = (),
    accepts_watcher_chat: bool = False,
) -> TableView[MoveT]:
    """Return the view of a table.

    Args:
        referee: None if there is no board yet.
        is_match: whether two players have been at the match, so that it gets a record.
    """
    view = TableView(
        name=name,
        version=version,
        game=game,
        players=players,
        spectators=spectators,
        is_open=is_open,
        needs_second=needs_second,
        chat=chat,
        accepts_watcher_chat=accepts_watcher_chat,
    )
    if referee is None:
        return view
    return msgspec.structs.replace(
        view,
        match=referee.match_name if is_match else None,
        match_start=referee.start,
        position=referee.position,
        moves=referee.moves,
        result=referee.result,
        deadline=referee.deadline,
    )


def encounters_among(players: int) -> int:
    """Return the number of pairs among `players`."""
    return players * (players - 1) // 2


def view_ended(report: TournamentReport) -> TournamentView:
    """Return the view of a tournament that is over."""
    encounters = encounters_among(len(report.players))
    return TournamentView(
        is_over=True,
        players=tuple(player.name for player in report.players),
        ranks=report.standings,
        wins=report.wins,
        cheaters=report.cheaters,
        encounters=encounters,
        encounters_done=encounters,
        report=report,
    )


def rename(view: TournamentView, names: Mapping[str, str]) -> TournamentView:
    """Return the view with the players' shown names instead of their internal names."""
    if all(name == shown for name, shown in names.items()):
        return view
    return msgspec.structs.replace(
        view,
        players=tuple(names[name] for name in view.players),
        ranks=tuple(Rank(names[rank.name], rank.won, rank.lost) for rank in view.ranks),
        wins=tuple(Win(names[win.winner], names[win.loser]) for win in view.wins),
        cheaters={names[name]: reason for name, reason in view.cheaters.items()},
    )


def view_later(
    view: RoomView[MoveT], seconds_behind: float, versions_before: int
) -> RoomView[MoveT]:
    """Return the view of a room in terms of the server's clock.

    Args:
        seconds_behind: how far the room's clock is behind the server's.
        versions_before: the number of versions that earlier rooms in its place used.
    """
    tables = tuple(
        msgspec.structs.replace(
            table,
            version=table.version + versions_before,
            deadline=None if table.deadline is None else table.deadline + seconds_behind,
        )
        for table in view.tables
    )
    return msgspec.structs.replace(view, version=view.version + versions_before, tables=tables)
