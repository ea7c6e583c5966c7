"""What can be seen of the rooms, as pages want it, and the news of it."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from gamehall.bots.catalogue import bots_for
from gamehall.core import Game
from gamehall.export.described import described_picture
from gamehall.games.catalogue import all_games
from gamehall.rooms.view import RoomKind, RoomView, TableView
from gamehall.server.hall import Hall
from gamehall.server.plan import DoorPlan
from gamehall.web.lines import table_line, tournament_line
from gamehall.web.model import (
    DoorLine,
    PlayedMove,
    RoomLine,
    SaidLine,
    TableState,
    TermField,
    example_for,
)
from gamehall.web.streams import Topic, write_news

SECONDS_BETWEEN_NEWS = 0.1
"""What happens in a room in so much time is told at once."""
SECONDS_PER_READER = 0.001
"""With many who look on, it is told less often, so that players do not notice them."""


class News(NamedTuple):
    """What is told from now on, and how things stand before that."""

    topic: Topic
    greeting: Callable[[], Iterable[bytes]]


class Watching:
    """Shows the rooms of a hall to whoever looks on."""

    def __init__(
        self,
        hall: Hall,
        plans: Sequence[DoorPlan],
        parlours: Sequence[Game[Any]],
        addresses: Mapping[str, str],
        clock: Callable[[], float],
    ) -> None:
        """`addresses`: where the doors are for everybody, by their names.

        `parlours`: the games whose rooms have no door.
        """
        self._hall = hall
        self._clock = clock
        self._doors: dict[str, list[DoorLine]] = {}
        self._games: dict[str, str] = {}
        self._seconds: dict[str, float | None] = {}
        for plan in plans:
            protocol = plan.protocol
            address = addresses[protocol.name]
            line = DoorLine(protocol.name, protocol.title, address, example_for(address))
            self._doors.setdefault(plan.room, []).append(line)
            if plan.has_own_room:
                self._games[plan.room] = protocol.game
                self._seconds[plan.room] = protocol.clock_at(plan.settings).seconds_per_turn
        for game in parlours:
            self._doors[game.name] = []
            self._games[game.name] = game.name
        self._lobby = Topic()
        self._of_rooms: dict[str, Topic] = {room: Topic() for room in self._games}
        self._of_tables: dict[tuple[str, str], Topic] = {}
        self._drawn: dict[tuple[str, str], tuple[int, TableState]] = {}
        """The tables as they were shown last, and which version of each that was."""
        self._told: dict[tuple[str, str], int] = {}
        self._views: dict[str, RoomView[Any]] = {}
        """The rooms as they were seen last, when that was safe."""
        self._changed: set[str] = set()
        """Those in which something may have happened since."""
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}
        """Who wants to see a room as it is."""
        self._when_seen: Callable[[str], None] = _ignore
        self._players: Callable[[str], int] = _nobody
        self._soon: dict[str, asyncio.TimerHandle] = {}
        self._told_at: dict[str, float] = {}
        self._is_closed = False
        for room in self._games:
            hall.show(room, partial(self._take, room))
        hall.after_each_change(self._note)

    @property
    def rooms(self) -> list[str]:
        """Their names."""
        return list(self._games)

    def for_players(self, when_seen: Callable[[str], None], players: Callable[[str], int]) -> None:
        """Call `when_seen` with the name of a room whenever there is something new to see of it.

        `players`: how many play there at pages, for whom it is looked at as well.
        """
        self._when_seen, self._players = when_seen, players

    async def look(self, room: str) -> None:
        """Sees a room as it is now; what is asked next is about that. Raises KeyError."""
        if room not in self._views or room in self._changed:
            seen = asyncio.get_running_loop().create_future()
            self._waiting.setdefault(room, []).append(seen)
            self._refresh(room)
            await seen

    def room(self, name: str) -> RoomLine:
        """A room as it was seen last. Raises KeyError."""
        return self._room_line(name, self._views[name])

    def table(self, room: str, name: str) -> TableState:
        """A table as it was seen last. Raises KeyError."""
        return self._table_state(room, self._find(room, name))

    def position(self, room: str, name: str, number: int) -> str:
        """The picture after so many moves of the match at a table. Raises KeyError, IndexError."""
        view = self._find(room, name)
        if view.match_start is None or not 0 <= number <= len(view.moves):
            raise IndexError(number)
        position = view.match_start
        for _, move in view.moves[:number]:
            position = position.after(move)
        return described_picture(position.seen_by(None))

    def of_lobby(self) -> "News":
        """News of all rooms."""
        return News(self._lobby, self._greet_lobby)

    def of_room(self, room: str) -> "News":
        """News of a room and its tables. Raises KeyError."""
        return News(self._of_rooms[room], lambda: self._greet_room(room))

    def of_table(self, room: str, name: str) -> "News":
        """News of a table. Raises KeyError."""
        self._find(room, name)
        topic = self._of_tables.setdefault((room, name), Topic())
        return News(topic, lambda: [write_news("table", self.table(room, name))])

    def _greet_lobby(self) -> Iterator[bytes]:
        yield write_news("rooms", [self.room(name) for name in self._games])
        for room in self._games:
            busiest = self._busiest(room)
            if busiest is not None:
                yield write_news("table", self._table_state(room, busiest))

    def _greet_room(self, room: str) -> Iterator[bytes]:
        view = self._views[room]
        yield write_news("room", self._room_line(room, view))
        for table in view.tables:
            yield write_news("table", self._table_state(room, table))

    def close(self) -> None:
        """Nothing more will be seen."""
        self._is_closed = True
        for handle in self._soon.values():
            handle.cancel()
        for topic in (self._lobby, *self._of_rooms.values(), *self._of_tables.values()):
            topic.close()

    def _note(self, room: str) -> None:
        """Something has happened in a room: whoever looks on is told soon."""
        self._changed.add(room)
        if self._is_closed or room in self._soon or not self._is_wanted(room):
            return
        pause = max(SECONDS_BETWEEN_NEWS, SECONDS_PER_READER * self._readers(room))
        wait = max(0.0, self._told_at.get(room, 0.0) + pause - self._clock())
        self._soon[room] = asyncio.get_running_loop().call_later(wait, self._refresh, room)

    def _is_wanted(self, room: str) -> bool:
        """Whether anybody looks on, or plays at a page."""
        return self._players(room) > 0 or self._readers(room) > 0

    def _readers(self, room: str) -> int:
        """How many look on."""
        of_tables = sum(topic.readers for (of, _), topic in self._of_tables.items() if of == room)
        return self._lobby.readers + self._of_rooms[room].readers + of_tables

    def _refresh(self, room: str) -> None:
        """Looks at a room again."""
        handle = self._soon.pop(room, None)
        if handle is not None:
            handle.cancel()
        self._told_at[room] = self._clock()
        self._changed.discard(room)
        self._hall.show(room, partial(self._take, room))

    def _take(self, room: str, view: RoomView[Any]) -> None:
        """Tells whoever looks on what has changed in a room."""
        self._views[room] = view
        for seen in self._waiting.pop(room, []):
            if not seen.done():
                seen.set_result(None)
        if self._is_closed:
            return
        self._when_seen(room)
        of_room = self._of_rooms[room]
        if self._lobby.is_heard:
            self._tell_lobby(room)
        of_room.publish("room", "room", self._room_line(room, view))
        for table in view.tables:
            if self._told.get((room, table.name)) == table.version:
                continue
            self._told[room, table.name] = table.version
            of_table = self._of_tables.get((room, table.name))
            if of_room.is_heard or (of_table is not None and of_table.is_heard):
                state = self._table_state(room, table)
                of_room.publish(f"table {table.name}", "table", state)
                if of_table is not None:
                    of_table.publish("table", "table", state)
        self._forget_empty(room, {table.name for table in view.tables})

    def _tell_lobby(self, room: str) -> None:
        self._lobby.publish("rooms", "rooms", [self.room(name) for name in self._games])
        busiest = self._busiest(room)
        if busiest is not None:
            self._lobby.publish(f"table {room}", "table", self._table_state(room, busiest))

    def _busiest(self, room: str) -> TableView[Any] | None:
        """The table at which most is to be seen."""
        tables = [table for table in self._views[room].tables if table.position is not None]
        return max(tables, key=lambda one: (one.result is None, len(one.moves)), default=None)

    def _forget_empty(self, room: str, there: set[str]) -> None:
        """Tables that are gone need not be told of, nor kept."""
        for key in [key for key in self._drawn if key[0] == room and key[1] not in there]:
            del self._drawn[key]
            self._told.pop(key, None)
            self._of_rooms[room].forget(f"table {key[1]}")
        for key in [key for key in self._of_tables if key[0] == room and key[1] not in there]:
            if not self._of_tables[key].is_heard:
                del self._of_tables[key]

    def _find(self, room: str, name: str) -> TableView[Any]:
        for table in self._views[room].tables:
            if table.name == name:
                return table
        raise KeyError(name)

    def _room_line(self, name: str, view: RoomView[Any]) -> RoomLine:
        game = self._games[name]
        return RoomLine(
            name,
            game,
            all_games()[game].title,
            view.kind.value,
            tuple(self._doors[name]),
            view.waiting,
            tuple(table_line(table) for table in view.tables),
            None if view.tournament is None else tournament_line(view.tournament),
            tuple(bots_for(game)),
            view.version,
            self._seconds.get(name),
            terms=_terms_to_choose(view.kind, all_games()[game]),
            seat_titles=all_games()[game].seat_titles,
        )

    def _table_state(self, room: str, view: TableView[Any]) -> TableState:
        left = None if view.deadline is None else max(0.0, view.deadline - self._clock())
        known = self._drawn.get((room, view.name))
        if known is not None and known[0] == view.version:
            return msgspec.structs.replace(known[1], seconds_left=left)
        game, position = view.game, view.position
        state = TableState(
            room,
            table_line(view),
            game.title,
            None if position is None else described_picture(position.seen_by(None)),
            tuple(
                PlayedMove(seat.value, game.write_move(move), game.targets(move))
                for seat, move in view.moves
            ),
            left,
            tuple(SaidLine(said.number, said.name, said.text) for said in view.talk),
            view.hears_remarks,
        )
        self._drawn[room, view.name] = (view.version, state)
        return state


def _terms_to_choose(kind: RoomKind, game: type[Game[Any]]) -> tuple[TermField, ...]:
    """What a player may choose before a match in a room of that kind."""
    if kind is not RoomKind.AGREED_TABLES:
        return ()
    return tuple(TermField(*choice) for choice in game.term_choices)


def _ignore(_room: str) -> None:
    """Nobody plays at a page."""


def _nobody(_room: str) -> int:
    """Nobody plays at a page."""
    return 0
