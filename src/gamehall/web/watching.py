"""Publishes the rooms of the server, and what changes in them, to watchers.

A change only marks its table. A few times a second the marked tables that are watched are viewed,
drawn and encoded, once for all watchers. The work is divided into slices of about a millisecond,
between which the event loop serves players.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Any, Final

from gamehall.bots.catalogue import bots_for
from gamehall.core import Game
from gamehall.export.described import described_picture
from gamehall.games.catalogue import all_games
from gamehall.rooms.view import RoomKind, RoomView
from gamehall.server.hall import Hall
from gamehall.server.plan import DoorPlan
from gamehall.web.errors import NotFoundError, UnavailableError
from gamehall.web.model import DoorLine, RoomLine, TableState, TermField, example_for
from gamehall.web.streams import News, Topic, WakeQueue, write_news
from gamehall.web.watched_room import (
    NO_TABLES,
    TABLES_ON_PAGE,
    WatchedRoom,
    WatchedTable,
    Window,
)

log = logging.getLogger(__name__)

SECONDS_BETWEEN_NEWS: Final = 0.25
SECONDS_PER_READER: Final = 0.001
"""With many readers, events are sent less often."""
SLICE_SECONDS: Final = 0.001
"""How long the work for watchers may block the event loop at a time."""
SECONDS_BETWEEN_SLICES: Final = 0.004
MAX_WINDOWS: Final = 16
"""The limit for different windows of a room, or of the lobby, that are watched at once.

The windows that our own pages request do not count.
"""


class Slices:
    """Divides the event loop's time between the work for watchers and everything else."""

    def __init__(self) -> None:
        self._end = self._next = 0.0

    async def take(self) -> None:
        """Wait until there is time for work of at most one slice."""
        while True:
            now = perf_counter()
            if now >= self._next:
                self._end = now + SLICE_SECONDS
                self._next = self._end + SECONDS_BETWEEN_SLICES
            if now < self._end:
                return
            await asyncio.sleep(self._next - now)


class Stream:
    """The events of a room or of the lobby, for all readers with the same window."""

    def __init__(self, topic: Topic, window: Window) -> None:
        self.topic = topic
        self.window = window
        self.outlines: list[RoomLine] = []
        """The outlines of the rooms in the last event."""
        self.shown: set[tuple[str, str]] = set()
        """The room and the name of each table in the last events."""


class Watching:
    """The rooms of the server as watchers see them."""

    def __init__(
        self,
        hall: Hall,
        plans: Sequence[DoorPlan],
        extra_games: Sequence[Game[Any]],
        addresses: Mapping[str, str],
        clock: Callable[[], float],
    ) -> None:
        """Prepare everything; `run` publishes the changes.

        Args:
            extra_games: the games whose rooms have no door.
            addresses: the address of each door by its name, as clients reach it.
        """
        self._hall = hall
        self._clock = clock
        self._rooms = {
            line.name: WatchedRoom(line)
            for line in _lines_at_start(hall, plans, extra_games, addresses)
        }
        self._changed: dict[str, dict[str, None]] = {
            room: dict.fromkeys(hall.host.rooms_of(room)) for room in self._rooms
        }
        """The parts of each room (see `WatchedRoom`) that may have changed since the last view."""
        self._unsent: dict[str, set[str]] = {room: set() for room in self._rooms}
        """The tables of each room that have changed since the last events."""
        self._lobby_streams: dict[Window, Stream] = {}
        self._room_streams: dict[str, dict[Window, Stream]] = {room: {} for room in self._rooms}
        self._table_topics: dict[str, dict[str, Topic]] = {room: {} for room in self._rooms}
        self._pending_views: set[asyncio.Future[None]] = set()
        """One future for each view that was requested and has not arrived.

        The room sends a view when everything in it is durable.
        """
        self._slices = Slices()
        self._queue = WakeQueue()
        self._is_wanted = asyncio.Event()
        """Set when a watched room may have changed, or a stream is new."""
        self._is_closed = False
        hall.after_each_change(self._note)

    # Current state

    async def rooms(self, window: Window) -> list[RoomLine]:
        """Return every room as it is now, with the tables of a window."""
        return [await self.room(name, window) for name in self._rooms]

    async def room(self, name: str, window: Window) -> RoomLine:
        """Return a room as it is now, with the tables of a window. Raises NotFoundError."""
        room = self._find(name)
        await self._refresh(name, self._changed[name])
        return room.line(window)

    def known_room(self, name: str) -> RoomLine:
        """Return the last view of a room, without its tables. Raises NotFoundError."""
        return self._find(name).line(NO_TABLES)

    async def table(self, room: str, name: str) -> TableState:
        """Return a table as it is now. Raises NotFoundError."""
        table = await self._find_table(room, name)
        return table.state(room, self._clock())

    async def position(self, room: str, name: str, number: int) -> str:
        """Return the picture after this number of moves of the match at a table.

        Raises NotFoundError.
        """
        view = (await self._find_table(room, name)).view
        if view.match_start is None or number > len(view.moves):
            raise NotFoundError("there is no such position")
        position = view.match_start
        for _, move in view.moves[:number]:
            await self._slices.take()
            position = position.after(move)
        await self._slices.take()
        return described_picture(position.seen_by(None))

    def _find(self, name: str) -> WatchedRoom:
        if name not in self._rooms:
            raise NotFoundError(f"there is no such room; there are: {', '.join(self._rooms)}")
        return self._rooms[name]

    async def _find_table(self, room: str, name: str) -> WatchedTable:
        part = self._find(room).parts.get(name)
        await self._refresh(room, self._changed[room] if part is None else [part])
        table = self._rooms[room].tables.get(name)
        if table is None:
            raise NotFoundError("there is no such table, or it is empty")
        return table

    # Streams

    def of_lobby(self, window: Window) -> News:
        """Return the events of the lobby: all rooms, and one table of each.

        Raises UnavailableError.
        """
        return self._news_of(self._lobby_streams, window, table_count=0)

    def of_room(self, room: str, window: Window) -> News:
        """Return the events of a room and its tables. Raises NotFoundError, UnavailableError."""
        count = len(self._find(room).tables)
        return self._news_of(self._room_streams[room], window, count)

    def of_table(self, room: str, name: str) -> News:
        """Return the events of a table. Raises KeyError."""
        topics = self._table_topics[room]
        if name not in topics:
            topics[name] = self._new_topic()
            self._unsent[room].add(name)
        return News(topics[name], topics[name].newest())

    def _news_of(self, streams: dict[Window, Stream], window: Window, table_count: int) -> News:
        if window not in streams:
            # Each window costs its own comparison and encoding, so clients must not be able to
            # create any number of them. The windows of our pages are always available.
            others = [
                one
                for one, stream in streams.items()
                if stream.topic.is_heard and not one.is_of_page(table_count)
            ]
            if len(others) >= MAX_WINDOWS and not window.is_of_page(table_count):
                raise UnavailableError(
                    "Too many different selections of tables are being watched. Ask for tables="
                    f"{TABLES_ON_PAGE} and skip=0, {TABLES_ON_PAGE} and so on, or for all tables."
                )
            streams[window] = Stream(self._new_topic(), window)
        topic = streams[window].topic
        return News(topic, topic.newest())

    def _new_topic(self) -> Topic:
        topic = Topic(self._queue)
        topic.is_closed = self._is_closed
        self._is_wanted.set()
        return topic

    def close(self) -> None:
        """End all streams."""
        self._is_closed = True
        for topic in self._topics():
            topic.close()

    # Publishing changes

    async def run(self) -> None:
        """Publish changes until cancelled."""
        while True:
            await self._is_wanted.wait()
            self._is_wanted.clear()
            try:
                await self.send_news()
            except Exception:
                log.exception("publishing changes to watchers failed")
            readers = sum(topic.readers for topic in self._topics())
            await asyncio.sleep(max(SECONDS_BETWEEN_NEWS, SECONDS_PER_READER * readers))

    async def send_news(self) -> None:
        """Publish everything that has changed since the last call."""
        self._drop_unread_streams()
        for name, room in self._rooms.items():
            if self._lobby_streams or self._room_streams[name]:
                await self._refresh(name, self._changed[name])
            else:
                parts = {room.parts.get(table, name) for table in self._table_topics[name]}
                await self._refresh(name, parts)
        lobby, with_rooms = list(self._lobby_streams.values()), []
        for stream in lobby:
            await self._slices.take()
            self._send_lines("rooms", stream, self._rooms.values())
        for name, streams in self._room_streams.items():
            with_rooms += [(stream, self._rooms[name]) for stream in streams.values()]
        for stream, room in with_rooms:
            await self._slices.take()
            self._send_lines("room", stream, [room])
        wanted = self._wanted_tables(lobby, with_rooms)
        for (room_name, table), destinations in wanted.items():
            await self._slices.take()
            self._send_table(room_name, table, destinations)
        for topic in {topic for destinations in wanted.values() for topic, _ in destinations}:
            topic.wake_readers()

    def _note(self, room: str, part: str) -> None:
        """Note that a part of a room may have changed."""
        self._changed[room][part] = None
        if self._lobby_streams or self._room_streams[room] or self._table_topics[room]:
            self._is_wanted.set()

    def _send_lines(self, name: str, stream: Stream, rooms: Iterable[WatchedRoom]) -> None:
        """Send the lines of rooms, unless only fields have changed that change with every move."""
        outlines = [room.outline(stream.window) for room in rooms]
        if stream.outlines == outlines:
            return
        stream.outlines = outlines
        lines = [room.line(stream.window) for room in rooms]
        stream.topic.put(name, write_news(name, lines if name == "rooms" else lines[0]))
        stream.topic.wake_readers()

    def _wanted_tables(
        self, lobby: Iterable[Stream], with_rooms: Iterable[tuple[Stream, WatchedRoom]]
    ) -> dict[tuple[str, str], list[tuple[Topic, str]]]:
        """Return the tables to send, each with the topics and keys to put it under."""
        changed = {(room, table) for room in self._rooms for table in self._unsent[room]}
        for unsent in self._unsent.values():
            unsent.clear()
        wanted: dict[tuple[str, str], list[tuple[Topic, str]]] = {}
        featured = [
            (room.name, table)
            for room in self._rooms.values()
            if (table := room.featured()) is not None
        ]
        streams = [(stream, featured) for stream in lobby]
        for stream, room in with_rooms:
            streams.append((stream, [(room.name, table) for table in room.names(stream.window)]))
        for stream, tables in streams:
            before, stream.shown = stream.shown, set(tables)
            for gone in before - stream.shown:
                stream.topic.forget(" ".join(gone))
            for one in tables:
                if one in changed or one not in before:
                    wanted.setdefault(one, []).append((stream.topic, " ".join(one)))
        for name, topics in self._table_topics.items():
            for table, topic in topics.items():
                if (name, table) in changed:
                    wanted.setdefault((name, table), []).append((topic, "table"))
        return wanted

    def _send_table(self, room: str, name: str, destinations: Iterable[tuple[Topic, str]]) -> None:
        """Draw and encode a table once, for all its topics."""
        table = self._rooms[room].tables.get(name)
        if table is None:
            return

        def write() -> bytes:
            return write_news("table", table.state(room, self._clock()))

        try:
            body = write()
        except Exception:
            log.exception("%s, %s: cannot be shown", room, name)
            return
        write_again = None if table.view.deadline is None else write
        for topic, key in destinations:
            topic.put(key, body, write_again)

    async def _refresh(self, room: str, parts: Iterable[str]) -> None:
        """Request the views of those parts that have changed, and wait for all requested views."""
        for part in list(parts):
            if part in self._changed[room]:
                await self._slices.take()
                self._request_view(room, part)
        if self._pending_views:
            await asyncio.wait(self._pending_views)

    def _request_view(self, room: str, part: str) -> None:
        if part in self._changed[room]:
            del self._changed[room][part]
            pending = asyncio.get_running_loop().create_future()
            self._pending_views.add(pending)
            self._hall.host.view(part, partial(self._store_view, room, part, pending))

    def _store_view(
        self, room: str, part: str, pending: asyncio.Future[None], view: RoomView[Any] | None
    ) -> None:
        self._pending_views.discard(pending)
        self._unsent[room].update(self._rooms[room].take(part, view))
        if not pending.done():
            pending.set_result(None)

    def _drop_unread_streams(self) -> None:
        """Drop the streams without readers."""
        every: list[dict[Any, Stream]] = [self._lobby_streams, *self._room_streams.values()]
        for streams in every:
            for window in [one for one, stream in streams.items() if not stream.topic.is_heard]:
                del streams[window]
        for topics in self._table_topics.values():
            for name in [name for name, topic in topics.items() if not topic.is_heard]:
                del topics[name]

    def _topics(self) -> list[Topic]:
        streams = [self._lobby_streams, *self._room_streams.values()]
        return [
            *(stream.topic for by_window in streams for stream in by_window.values()),
            *(topic for topics in self._table_topics.values() for topic in topics.values()),
        ]


def _lines_at_start(
    hall: Hall,
    plans: Sequence[DoorPlan],
    extra_games: Sequence[Game[Any]],
    addresses: Mapping[str, str],
) -> list[RoomLine]:
    """Return the fields of each room that never change."""
    doors: dict[str, list[DoorLine]] = {}
    games: dict[str, str] = {}
    seconds: dict[str, float | None] = {}
    for plan in plans:
        protocol = plan.protocol
        address = addresses[protocol.name]
        line = DoorLine(
            name=protocol.name, title=protocol.title, address=address, example=example_for(address)
        )
        doors.setdefault(plan.room, []).append(line)
        if plan.has_own_room:
            games[plan.room] = protocol.game
            seconds[plan.room] = protocol.clock_at(plan.settings).seconds_per_turn
    games |= {game.name: game.name for game in extra_games}
    lines = []
    for room, name in games.items():
        game, kind = all_games()[name], hall.kind_of(room)
        lines.append(
            RoomLine(
                name=room,
                game=name,
                title=game.title,
                kind=kind.value,
                doors=tuple(doors.get(room, ())),
                waiting=(),
                tables=(),
                tournament=None,
                bots=tuple(bots_for(name)),
                version=0,
                seconds_per_turn=seconds.get(room),
                terms=_terms_to_choose(kind, game),
                seat_titles=game.seat_titles,
            )
        )
    return lines


def _terms_to_choose(kind: RoomKind, game: type[Game[Any]]) -> tuple[TermField, ...]:
    """Return the terms that players choose before a match in a room of that kind."""
    if kind is not RoomKind.AGREED_TABLES:
        return ()
    return tuple(TermField(*choice) for choice in game.term_choices)
