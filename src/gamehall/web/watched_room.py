"""The newest view of one room and its tables, for watchers.

Unchanged parts are reused, so that a change at a table costs the same in a room with one table and
in a room with a thousand.
"""

from itertools import islice
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from gamehall.export.described import described_picture
from gamehall.rooms.view import RoomView, TableView, TournamentView
from gamehall.web.lines import offer, table_line, tournament_line
from gamehall.web.model import (
    PlayedMove,
    RoomLine,
    SaidLine,
    TableLine,
    TableState,
    TermsOffer,
    TournamentLine,
)

MAX_OFFERS: Final = 5
"""The limit for offers in the line of a room."""
MAX_TABLES: Final = 999_999
"""More than any room has."""
TABLES_ON_PAGE: Final = 24
"""The number of tables on one page of a room."""


class Window(NamedTuple):
    """The tables of a room that a client requests, as a slice of them in order."""

    skipped: int = 0
    limit: int = MAX_TABLES

    def is_of_page(self, table_count: int) -> bool:
        """Return True if one of our pages requests this, for a room with that many tables."""
        is_of_room = self.limit == TABLES_ON_PAGE and not self.skipped % TABLES_ON_PAGE
        is_there = self.skipped <= table_count
        return self in (ALL_TABLES, NO_TABLES) or (is_of_room and is_there)


ALL_TABLES: Final = Window()
NO_TABLES: Final = Window(0, 0)


class WatchedTable:
    """The newest view of a table, and how it was last drawn."""

    def __init__(
        self, view: TableView[Any], place: tuple[int, int], before: "WatchedTable | None"
    ) -> None:
        self.view = view
        self.place = place
        """The sort key of the table in its room: the number of its part, and its index there."""
        self.line = table_line(view)
        outline: TableLine = replace(self.line, moves=0, to_move=None, version=0)
        if before is not None and before.outline == outline:
            # The same object compares faster.
            outline = before.outline
        self.outline: TableLine = outline
        """The line without the fields that change with every move."""
        self.is_playing = self.line.to_move is not None and not view.is_open
        """Whether two players are in a match."""
        self.drawn_as: TableView[Any] | None = None
        """The view that `drawn` shows."""
        self.drawn: TableState | None = None
        if before is not None:
            self.drawn_as, self.drawn = before.drawn_as, before.drawn

    def state(self, room: str, now: float) -> TableState:
        """Return the table as spectators see it, with the time left for the turn."""
        drawn = self.drawn
        if drawn is None or self.drawn_as is not self.view:
            drawn = self.drawn = self._draw(room)
            self.drawn_as = self.view
        if self.view.deadline is None:
            return drawn
        return replace(drawn, seconds_left=max(0.0, self.view.deadline - now))

    def _draw(self, room: str) -> TableState:
        view, before, drawn = self.view, self.drawn_as, self.drawn
        game, position = view.game, view.position
        picture = None
        history: tuple[PlayedMove, ...] = ()
        if before is not None and drawn is not None and before.match_start is view.match_start:
            # The same match: only add the new moves.
            history = drawn.history[: len(view.moves)]
            is_same = before.position is position and before.result is view.result
            picture = drawn.picture if is_same else None
        if position is not None and picture is None:
            picture = described_picture(position.seen_by(None), is_over=view.result is not None)
        history += tuple(
            PlayedMove(seat.value, game.write_move(move), game.targets(move))
            for seat, move in view.moves[len(history) :]
        )
        return TableState(
            room=room,
            table=self.line,
            title=game.title,
            picture=picture,
            history=history,
            seconds_left=None,
            talk=tuple(SaidLine(said.number, said.name, said.text) for said in view.chat),
            may_say=view.accepts_watcher_chat,
        )


class WatchedRoom:
    """The newest view of a room, put together from the views of its parts.

    The parts are the room itself and the tables it has opened, each viewed on its own.
    """

    def __init__(self, line: RoomLine) -> None:
        """Prepare a room; `line` has the fields that never change."""
        self._line = line
        self.name = line.name
        self.tables: dict[str, WatchedTable] = {}
        self.parts: dict[str, str] = {}
        """The part of each table, by the name of the table."""
        self.version = 0
        """Increases with every change."""
        self._players_wanted = 0
        self._names_by_part: dict[str, tuple[str, ...]] = {}
        """The names of the tables, by part."""
        self._waiting: dict[str, tuple[str, ...]] = {}
        """The players who wait, by part."""
        self._tournaments: dict[str, TournamentView] = {}
        self._tournament: tuple[TournamentView, TournamentLine] | None = None
        """The last tournament view, and the line made from it."""
        self._sorted_names: tuple[str, ...] | None = ()
        """The sorted names of the tables; None if they must be sorted again."""
        self._playing = 0
        self._watching = 0
        self._featured = ""

    def take(self, part: str, view: RoomView[Any] | None) -> list[str]:
        """Store the view of a part, None if it is closed. Return the tables that changed."""
        number = int(part.rpartition("/")[2]) if "/" in part else 0
        names = tuple(table.name for table in view.tables) if view is not None else ()
        is_changed = False
        before = self._names_by_part.pop(part, ())
        if names:
            self._names_by_part[part] = names
        if names != before:
            self._sorted_names, is_changed = None, True
            for name in set(before) - set(names):
                # Another part may have opened a new table of the same name.
                if self.parts.get(name) == part:
                    self._add_to_counts(self.tables.pop(name), -1)
                    del self.parts[name]
        changed = []
        for place, table in enumerate(view.tables if view is not None else ()):
            known = self.tables.get(table.name)
            if known is not None:
                if self.parts[table.name] == part and _is_unchanged(known.view, table):
                    continue
                self._add_to_counts(known, -1)
            watched = self.tables[table.name] = WatchedTable(table, (number, place), known)
            self.parts[table.name] = part
            self._add_to_counts(watched, 1)
            changed.append(table.name)
        is_changed |= self._store(
            self._waiting, part, None if view is None else view.waiting or None
        )
        is_changed |= self._store(
            self._tournaments, part, None if view is None else view.tournament
        )
        if view is not None and view.players_wanted:
            self._players_wanted = view.players_wanted
        self.version += is_changed or bool(changed)
        return changed

    def line(self, window: Window) -> RoomLine:
        """Return the room with some of its tables."""
        return self._line_with(tuple(self.tables[name].line for name in self.names(window)))

    def outline(self, window: Window) -> RoomLine:
        """Return the line without the fields that change with every move.

        If it is the same as before, readers need not get the line again.
        """
        tables = tuple(self.tables[name].outline for name in self.names(window))
        return replace(self._line_with(tables), version=0)

    def names(self, window: Window) -> tuple[str, ...]:
        """Return the names of some of the tables, in order."""
        if self._sorted_names is None:
            self._sorted_names = tuple(
                sorted(self.tables, key=lambda name: self.tables[name].place)
            )
        return self._sorted_names[window.skipped : window.skipped + window.limit]

    def featured(self) -> str | None:
        """Return the name of the table that the lobby shows, None if there is no board.

        It stays the same until its match ends; then the match with the most moves is next.
        """
        table = self.tables.get(self._featured)
        if table is None or not table.is_playing:
            shown = [name for name, table in self.tables.items() if table.view.position is not None]
            self._featured = max(shown, key=self._rank_for_lobby, default="")
        return self._featured or None

    def _rank_for_lobby(self, name: str) -> tuple[bool, bool, int]:
        table = self.tables[name]
        return table.is_playing, table.line.result is None, table.line.moves

    def _offers(self) -> tuple[TermsOffer, ...]:
        if not self._line.terms:
            return ()
        open_tables = (table.view for table in self.tables.values() if table.view.is_open)
        return tuple(offer(view) for view in islice(open_tables, MAX_OFFERS))

    def _line_with(self, tables: tuple[Any, ...]) -> RoomLine:
        waiting = sorted(self._waiting, key=lambda part: (len(part), part))
        return replace(
            self._line,
            waiting=tuple(name for part in waiting for name in self._waiting[part]),
            players_wanted=self._players_wanted,
            tables=tables,
            tournament=self._tournament_line(),
            version=self.version,
            table_count=len(self.tables),
            playing_count=self._playing,
            watching_count=self._watching,
            offers=self._offers(),
        )

    def _tournament_line(self) -> TournamentLine | None:
        view = next(iter(self._tournaments.values()), None)
        if view is None:
            return None
        if self._tournament is None or self._tournament[0] is not view:
            self._tournament = view, tournament_line(view)
        return self._tournament[1]

    def _add_to_counts(self, table: WatchedTable, sign: int) -> None:
        self._playing += sign * table.is_playing
        self._watching += sign * table.view.spectators

    @staticmethod
    def _store(kept: dict[str, Any], part: str, value: Any) -> bool:
        """Store a value for a part. Return True if it has changed."""
        if kept.get(part) == value:
            return False
        if value is None:
            del kept[part]
        else:
            kept[part] = value
        return True


def _is_unchanged(one: TableView[Any], other: TableView[Any]) -> bool:
    return one.version == other.version and one.deadline == other.deadline
