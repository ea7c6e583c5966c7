"""Somebody at a page who plays: a person like one at a terminal, whose board is a picture.

It is a client of the rooms, as those who come through doors are: whatever a room is, a browser can
play there, and meets everybody who plays there.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from gamehall.client.connection import CannotVisit
from gamehall.client.visit import SECONDS_OF_DOUBT
from gamehall.export.described import described_picture
from gamehall.rooms.notices import ChatSent
from gamehall.rooms.requests import Chat, Request
from gamehall.rooms.view import TableView
from gamehall.terminal.commands import run_command
from gamehall.terminal.person import Command, Person, TurnClock
from gamehall.web.lines import FindTable, choices, last_move_seen, players_seen, record_seen
from gamehall.web.messages import Messages
from gamehall.web.model import Question, SeatState
from gamehall.web.streams import Topic
from gamehall.web.ways import Entrance


class NotNow(Exception):
    """What somebody wants cannot be done. The text tells a person why."""


class WebSeat:
    """One visit to a room, from the first word to the last."""

    def __init__(
        self,
        identity: str,
        entrance: Entrance,
        name: str,
        clock: Callable[[], float],
        find_table: FindTable,
        token: str,
    ) -> None:
        """`find_table`: how the hall itself sees the table of somebody.

        `token`: by what the visitor is recognised when it comes back.
        `clock` shows the players' time and may stand.
        """
        self.id = identity
        self._find_table = find_table
        self.room = entrance.room
        self.topic = Topic()
        self.last_seen = clock()
        """When somebody last listened to it."""
        # Not `clock`: to wait on the event loop for a clock that stands would be to wait busily.
        self._loop_time = asyncio.get_running_loop().time
        self._way = entrance.make_way(token)
        self._person: Person[Any] = Person(
            name,
            entrance.game,
            entrance.answers,
            entrance.vocabulary,
            TurnClock(entrance.seconds_per_turn, clock),
        )
        self._match: str | None = None
        """The match that it plays, where the players of a table have no names."""
        self._messages = Messages()
        self._version = 0
        self._seen_version: int | None = None
        self._is_gone = False
        self._woken = asyncio.Event()
        self._received_at = self._noticed_at = self._loop_time()

    async def run(self) -> None:
        """Stays until one of both has gone. Nothing is raised: the page says what went wrong."""
        try:
            await self._way.open(self._wake)
        except CannotVisit as error:
            self._messages.tell(str(error), is_bad=True)
            self._end()
            return
        try:
            self._say(self._person.arrive())
            await self._converse()
        finally:
            self._way.close()
            self._end()

    def move(self, text: str) -> None:
        """Wants to make a move. Raises NotNow, saying why not."""
        self._do(lambda: self._try_move(text))

    def answer(self, text: str) -> None:
        """Answers what was asked. Raises NotNow."""
        if self._person.question is None:
            raise NotNow("nothing was asked")
        self._do(lambda: run_command(self._person, text))

    def say(self, text: str) -> None:
        """Says something to everybody at the table. Raises NotNow."""
        self._do(lambda: self._speak(text))

    def rematch(self) -> None:
        """Wants a fresh board. Raises NotNow."""
        self._do(lambda: run_command(self._person, Command.REMATCH.value))

    def resign(self) -> None:
        """Gives up the match. Raises NotNow."""
        self._do(lambda: run_command(self._person, Command.RESIGN.value))

    def leave(self) -> None:
        """Goes, and says so where the wire has words for it."""
        if not self._is_gone and not self._person.is_done:
            self._say(self._person.leave())
            self._woken.set()

    def look_again(self) -> None:
        """The hall has something new to see: it is shown if it is of this table."""
        table = self._table()
        version = None if table is None else table.version
        if version != self._seen_version:
            self._seen_version = version
            self._publish()

    @property
    def name(self) -> str:
        """What the player is called."""
        return self._person.sight.name

    @property
    def is_gone(self) -> bool:
        """Whether the visit is over."""
        return self._is_gone

    def state(self) -> SeatState:
        """What it sees, and what it may do."""
        person, sight = self._person, self._person.sight
        game, position, turn = sight.game, sight.position, person.turn
        table, asked, is_here = self._table(), person.question, not self._is_gone
        if table is not None and table.position is not None and is_here:
            # The hall knows more than most wires tell.
            position = table.position
        players, has_opponent = players_seen(person, table)
        may_move = is_here and (table is None or not table.needs_second)
        is_over = bool(person.matches) and not person.is_playing
        commands = person.vocabulary.commands if is_here else ()
        return SeatState(
            self.id,
            self.room,
            game.name,
            game.title,
            sight.name,
            None if sight.seat is None else sight.seat.value,
            players,
            has_opponent,
            # A wire may tell more than a player is to see, such as the hand of the other.
            None if position is None else described_picture(position.seen_by(sight.seat)),
            choices(game, turn.position) if turn is not None and may_move else (),
            person.is_to_move and may_move,
            last_move_seen(sight, table),
            None if asked is None else Question(asked.name, asked.offered),
            self._messages.last,
            sight.verdict(person.matches[-1].result) if is_over else "",
            person.is_playing,
            self._is_gone,
            Command.SAY in commands,
            Command.REMATCH in commands and is_over and not person.is_watching,
            Command.RESIGN in commands and person.is_playing and not person.is_watching,
            person.seconds_left,
            self._version,
            record_seen(table) if is_over else None,
        )

    def _table(self) -> TableView[Any] | None:
        """How the hall sees the table, as far as it can be told which it is."""
        person = self._person
        name = "" if person.is_watching else person.sight.name
        table = self._find_table(self.room, name, self._way.table)
        if table is not None and table.players == (None, None) and self._way.table is None:
            # Without names it may be another match by now, in which this seat is another's.
            if self._match is None and person.sight.seat is not None:
                self._match = table.match
            if table.match != self._match:
                return None
        return table

    def _try_move(self, text: str) -> list[Request[Any]]:
        person, table = self._person, self._table()
        if table is not None and table.needs_second:
            raise NotNow("there is no opponent yet, and here nobody plays alone")
        if not person.is_to_move:
            is_over = bool(person.matches) and not person.is_playing
            raise NotNow("the game is over" if is_over else "it is not your turn")
        return person.try_move(text)

    def _speak(self, text: str) -> list[Request[Any]]:
        requests = run_command(self._person, f"{Command.SAY.value} {text}")
        for request in requests:
            if isinstance(request, Chat):
                self._messages.quote(self.name, request.text)
        return requests

    def _do(self, act: Callable[[], list[Request[Any]]]) -> None:
        """Does something for the person. Raises NotNow if that comes to nothing."""
        if self._is_gone:
            raise NotNow("this visit is over")
        before = self._messages.count
        requests = act()
        self._messages.gather(self._person)
        self._say(requests)
        self._noticed_at = self._loop_time()
        self._woken.set()
        if requests:
            self._publish()
        else:
            raise NotNow(self._messages.last_fault_since(before) or "that cannot be done now")

    def _wake(self) -> None:
        self._received_at = self._loop_time()
        self._woken.set()

    async def _converse(self) -> None:
        while True:
            self._hear()
            self._attend()
            self._messages.gather(self._person)
            self._publish()
            if self._person.is_done:
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._patience()):
                    await self._woken.wait()
            self._woken.clear()

    def _hear(self) -> None:
        while not self._person.is_done:
            notice = self._way.next_notice()
            if notice is None:
                return
            self._noticed_at = self._loop_time()
            if isinstance(notice, ChatSent):
                # A terminal has one text for it, so a name could make it look like another.
                self._messages.gather(self._person)
                self._messages.quote(notice.name, notice.text)
            else:
                self._say(self._person.hear(notice))

    def _attend(self) -> None:
        """Does what is due, nothing having happened for so long."""
        now, person = self._loop_time(), self._person
        if person.doubt is not None and now >= self._noticed_at + SECONDS_OF_DOUBT:
            person.settle_doubt()
        seconds = self._way.seconds_to_poll
        if seconds is not None and now >= self._received_at + seconds:
            self._received_at = now
            self._way.poll()

    def _patience(self) -> float | None:
        """How long to wait for something to happen, None: for ever."""
        now = self._loop_time()
        dues: list[float] = []
        if self._person.doubt is not None:
            dues.append(self._noticed_at + SECONDS_OF_DOUBT - now)
        if self._way.seconds_to_poll is not None:
            dues.append(self._received_at + self._way.seconds_to_poll - now)
        return max(0.0, min(dues)) if dues else None

    def _say(self, requests: list[Request[Any]]) -> None:
        for request in requests:
            try:
                self._way.say(request)
            except ValueError:
                # A move that was not checked, in a position that nobody has shown us.
                self._person.take_back()

    def _end(self) -> None:
        self._is_gone = True
        if self._person.trouble is not None:
            self._messages.tell(self._person.trouble, is_bad=True)
        self._publish()

    def _publish(self) -> None:
        self._version += 1
        self.topic.publish("seat", "seat", self.state())
