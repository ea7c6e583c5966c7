"""What an observer can see of a room: values, taken at one moment.

The positions are whole: only `position.seen_by(None)` may be shown to people. Names are as players
chose them. A view has no secrets of players, and does not tell which client has which seat.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Generic

import msgspec

from gamehall.core import Game, MoveT, Position, Seat
from gamehall.match import Referee, Result
from gamehall.tournaments.standings import Rank, Win


class Contestant(msgspec.Struct, frozen=True):
    """A player, for a report: what it is called, what it called itself, and its UUID."""

    name: str
    signed_up_as: str
    id: str


class TournamentReport(msgspec.Struct, frozen=True):
    """What a tournament has come to."""

    players: tuple[Contestant, ...]
    cheaters: dict[str, str]
    """Who was sent away, and why, in the order in which it happened."""
    standings: tuple[Rank, ...]
    wins: tuple[Win, ...]


class RoomKind(Enum):
    """How people come to play in a room."""

    OPEN_TABLES = "open tables"
    TOURNAMENT = "tournament"
    AGREED_TABLES = "agreed tables"
    POLLED_TABLE = "polled table"


class ChatLine(msgspec.Struct, frozen=True):
    """Something that was said at a table."""

    number: int
    """Later ones have higher ones, as long as somebody is at the table."""
    name: str
    text: str


class TableView(msgspec.Struct, Generic[MoveT], frozen=True, kw_only=True):
    """A table, or the place in a tournament where one pair meets."""

    name: str
    """No other table of the room has it; letters, digits and `-`."""
    version: int
    """A higher one whenever something else here has changed, while the hall runs."""
    game: Game[MoveT]
    players: tuple[str | None, str | None] = (None, None)
    """The first and the second, None where nobody sits or nobody has a name."""
    spectators: int = 0
    is_open: bool = False
    """Whether somebody may still take a seat."""
    needs_second: bool = False
    """Whether nobody may move before somebody has taken the free seat."""
    free_seat: Seat | None = None
    """Which seat is left for an opponent; None if that is not settled."""
    is_negotiable: bool = False
    """Whether an opponent may propose other terms."""
    match: str | None = None
    """By what name its record will be found, None if there are no two players yet."""
    match_start: Position[MoveT] | None = None
    """The whole position before the first move, None if there is no board yet."""
    position: Position[MoveT] | None = None
    """The whole position now, None if there is no board yet."""
    moves: tuple[tuple[Seat, MoveT], ...] = ()
    """Those that lead from `match_start` to `position`, and who made them."""
    result: Result | None = None
    deadline: float | None = None
    """When the turn is over, None if nobody's time runs."""
    talk: tuple[ChatLine, ...] = ()
    """What was said last, the newest at the end."""
    hears_remarks: bool = False
    """Whether those who look on may say something, too."""


class TournamentView(msgspec.Struct, frozen=True, kw_only=True):
    """How a tournament stands or, if none goes on, what the last one came to."""

    is_over: bool
    players: tuple[str, ...]
    """All who have begun it, in the order of arrival."""
    ranks: tuple[Rank, ...]
    """The best first, by what counts if nobody else is sent away."""
    wins: tuple[Win, ...]
    """The matches from which the ranks follow."""
    cheaters: Mapping[str, str]
    """Who was sent away, and why, in the order in which it happened."""
    encounters: int
    """How many there are in all: one for each pair."""
    encounters_done: int
    """For how many of them nothing is left to play, because of cheaters too."""
    report: TournamentReport | None
    """What the last tournament that has ended came to, None if there was none."""


class RoomView(msgspec.Struct, Generic[MoveT], frozen=True, kw_only=True):
    """A room: its tables, and the players who wait."""

    kind: RoomKind
    version: int
    """A higher one whenever something else here has changed, while the hall runs."""
    tables: tuple[TableView[MoveT], ...]
    """Those at which there are people and it is known what is played."""
    waiting: tuple[str, ...]
    """The players who have signed up, or wait for an opponent; "" for one without a name."""
    tournament: TournamentView | None = None
    """None if there was none yet, and in rooms that are not for them."""

    @property
    def is_playing(self) -> bool:
        """Return True if a match or a tournament is going on."""
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
    talk: tuple[ChatLine, ...] = (),
    hears_remarks: bool = False,
) -> TableView[MoveT]:
    """A table with the match that this referee runs, None if there is no board yet.

    `is_match`: whether two players have been at it, so that there will be a record.
    """
    view = TableView(
        name=name,
        version=version,
        game=game,
        players=players,
        spectators=spectators,
        is_open=is_open,
        needs_second=needs_second,
        talk=talk,
        hears_remarks=hears_remarks,
    )
    if referee is None:
        return view
    return msgspec.structs.replace(
        view,
        match=referee.match if is_match else None,
        match_start=referee.start,
        position=referee.position,
        moves=referee.moves,
        result=referee.result,
        deadline=referee.deadline,
    )


def encounters_among(players: int) -> int:
    """How many there are if everybody meets everybody once."""
    return players * (players - 1) // 2


def view_ended(report: TournamentReport) -> TournamentView:
    """A tournament that has come to this."""
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
    """Return the view with what people see the players called instead of their internal names."""
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
    """Return the view of a room by the hall's clock.

    `seconds_behind`: how far the room's clock is behind the hall's.
    `versions_before`: how many versions the rooms took that were here before.
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
