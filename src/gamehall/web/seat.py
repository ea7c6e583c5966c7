"""A seat of a browser: a native client of a room, whose board is a picture."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from gamehall.clients.local import LocalClient
from gamehall.core import Game, Seat
from gamehall.export.described import described_picture
from gamehall.match import Clock, MatchEnded, Result, TurnBegan
from gamehall.players.commands import run_command
from gamehall.players.conversation import Vocabulary
from gamehall.players.person import Command, Person, TurnClock
from gamehall.rooms.notices import (
    ChatSent,
    Closed,
    MatchBegan,
    Notice,
    PlayersChanged,
    Refusal,
    Refused,
    SeatInfo,
    SignedUp,
    TermsAgreed,
    TermsProposed,
)
from gamehall.rooms.requests import Chat, ClientPolicy, Join, Propose, ProposedTerms, Request
from gamehall.rooms.view import RoomKind
from gamehall.server.hall import Hall
from gamehall.server.house_bots import BotLimitError, PlayBot
from gamehall.server.plan import DoorPlan
from gamehall.web.lines import choices, describe_end, last_move_seen, terms_in_words
from gamehall.web.messages import Messages
from gamehall.web.model import Proposal, Question, SeatState
from gamehall.web.streams import Topic

PAGE_POLICY: Final = ClientPolicy(clock=Clock(60.0), retries=100, native=True)
"""How a person at a page is treated: in a tournament it has a minute for a turn."""
SECONDS_TO_RETURN = 300.0
"""How long the seat of a player is kept whose page is not open."""
SEAT_LOST = (
    "Your seat is gone: you were away for too long, or the game is over. Start another one from"
    " the lobby."
)


class NotNow(Exception):
    """What a player wants cannot be done. The text says why."""


class PlayableRoom(NamedTuple):
    """A room in which browsers can play."""

    name: str
    game: Game[Any]
    answers: dict[str, str]
    """What is suggested to a player who is asked about the terms."""
    vocabulary: Vocabulary
    policy: ClientPolicy = PAGE_POLICY


class Wants(NamedTuple):
    """What a visitor wants who sits down, besides to play."""

    table: int | None = None
    """At which table; None: where an opponent waits, or at a free one."""
    bot: str = ""
    """Against which bot, empty for people."""
    terms: ProposedTerms | None = None


class WebSeat:
    """A place in a room, from the first word to the last, for as long as its browser cares."""

    def __init__(
        self,
        identity: str,
        room: PlayableRoom,
        name: str,
        wants: Wants,
        token: str,
        hall: Hall,
        clock: Callable[[], float],
        play_bot: PlayBot,
    ) -> None:
        """Sit down.

        Args:
            token: by what the player is recognised when it comes back.
            clock: shows the players' time, and may stand.
        """
        self.id = identity
        self.room = room.name
        self.topic = Topic()
        self.last_seen = clock()
        """When the browser was last heard of."""
        self.is_gone = False
        """Whether nothing more will come of this seat."""
        self.is_away = False
        """Whether the seat is kept for a browser that is not there."""
        self._kind = room
        self._wants = wants
        self._hall = hall
        self._token = token
        self._play_bot = play_bot
        self._person: Person[Any] = Person(
            name, room.game, room.answers, room.vocabulary, TurnClock(None, clock)
        )
        self._table: PlayersChanged | None = None
        self._match: str | None = None
        """By what name the record of the last match is found."""
        self._deadline: float | None = None
        """When the current turn is over, by the clock of the room."""
        self._result: Result | None = None
        self._proposal: TermsProposed[Any] | None = None
        self._messages = Messages()
        self._version = 0
        self._will_publish = False
        self._is_called = False
        """Whether the bot that is wanted was called."""
        self._client = self._enter(Join(name, table=wants.table, is_private=bool(wants.bot)))

    def _enter(self, join: Join) -> LocalClient:
        policy = self._kind.policy
        self._client = self._hall.enter(
            self.room, self._hear, self._token, policy, SECONDS_TO_RETURN
        )
        self._client.submit(replace(join, terms=self._wants.terms))
        return self._client

    # What the browser asks

    def move(self, text: str) -> None:
        """Make a move. Raises NotNow, saying why not."""
        self._do(lambda: self._try_move(text))

    def answer(self, text: str) -> None:
        """Answer what was asked. Raises NotNow."""
        if self._person.question is None:
            raise NotNow("nothing was asked")
        self._do(lambda: run_command(self._person, text))

    def propose(self, terms: ProposedTerms) -> None:
        """Propose other terms than those that were proposed. Raises NotNow."""
        if self._person.question is None:
            raise NotNow("there is nothing to agree on")
        self._person.question = None
        self._wants = self._wants._replace(terms=terms)
        self._do(lambda: [Propose(terms)])

    def say(self, text: str) -> None:
        """Say something to everybody at the table. Raises NotNow."""
        self._do(lambda: self._speak(text))

    def rematch(self) -> None:
        """Ask for another game. Raises NotNow."""
        self._do(lambda: run_command(self._person, Command.REMATCH.value))

    def resign(self) -> None:
        """Give up the match. Raises NotNow."""
        self._do(lambda: run_command(self._person, Command.RESIGN.value))

    def leave(self) -> None:
        """Leave the table."""
        if not self.is_gone:
            for request in self._person.leave():
                self._client.submit(request)
            self._client.leave()
            self._end()

    def go_away(self) -> None:
        """The browser is not there: the seat is kept for some time, and its clock stands."""
        self.is_away = True
        self._client.lose()

    def come_back(self) -> None:
        """The browser is there again."""
        self.is_away = False
        number = self._table.table if self._table else self._wants.table
        self._enter(Join(self._person.sight.name, table=number))

    def expire(self) -> None:
        """The browser was away for too long: the room has given its seat up."""
        self._messages.tell(SEAT_LOST, is_bad=True)
        self._end()

    # What the browser is shown

    @property
    def name(self) -> str:
        """What the player is called."""
        return self._person.sight.name

    def state(self) -> SeatState:
        """Return what the player sees, and what it may do."""
        person, sight = self._person, self._person.sight
        game, position, turn = sight.game, sight.position, person.turn
        asked, is_here = person.question, not self.is_gone
        first, second = self._names()
        opponent = self._opponent()
        has_opponent = person.is_playing if self._table is None else opponent is not None
        may_move = is_here and has_opponent
        is_over = bool(person.matches) and not person.is_playing
        commands = person.commands if is_here else ()
        has_asked = self._wants_rematch(sight.seat)
        proposal = self._proposal
        return SeatState(
            id=self.id,
            room=self.room,
            game=game.name,
            title=game.title,
            name=sight.name,
            seat=None if sight.seat is None else sight.seat.value,
            players=(first, second),
            has_opponent=has_opponent,
            picture=None if position is None else described_picture(position),
            choices=choices(game, turn.position) if turn is not None and may_move else (),
            is_to_move=person.is_to_move and may_move,
            last_move=last_move_seen(sight),
            question=None if asked is None else Question(asked.name, asked.offered),
            messages=self._messages.last,
            verdict=self._verdict() if is_over else "",
            is_playing=person.is_playing,
            is_gone=self.is_gone,
            may_say=Command.SAY in commands,
            may_rematch=Command.REMATCH in commands and is_over and not has_asked,
            may_resign=Command.RESIGN in commands and person.is_playing and has_opponent,
            seconds_left=self._seconds_left(),
            version=self._version,
            match=self._match if is_over else None,
            table=None if self._table is None else self._table.table,
            status=self._status(opponent, is_over),
            opponent_is_bot=opponent is not None and opponent.is_bot,
            proposal=None
            if proposal is None or asked is None
            else Proposal(terms_in_words(proposal.game), proposal.seat.value),
        )

    def _names(self) -> tuple[str, str]:
        """The names of the first and the second player, "" for a free seat."""
        sight = self._person.sight
        if self._table is None:
            own, other = sight.name, sight.opponent if self._person.is_playing else ""
            return (other, own) if sight.seat is Seat.SECOND else (own, other)
        first, second = self._table.players
        return _shown_name(first), _shown_name(second)

    def _opponent(self) -> SeatInfo | None:
        if self._table is None:
            return None
        first, second = self._table.players
        if self._person.sight.seat is None:
            # Before the seats are given out, the others are those of another name.
            return next((one for one in (first, second) if one and one.name != self.name), None)
        return first if self._person.sight.seat is Seat.SECOND else second

    def _wants_rematch(self, seat: Seat | None) -> bool:
        if self._table is None or seat is None:
            return False
        info = self._table.players[0 if seat is Seat.FIRST else 1]
        return info is not None and info.wants_rematch

    def _status(self, opponent: SeatInfo | None, is_over: bool) -> str:
        """What the player should know beside the board: a sentence that says what happens next."""
        other = _shown_name(opponent)
        if self.is_gone:
            return ""
        if opponent is not None and opponent.seconds_to_return is not None and not is_over:
            seconds = max(1, round(opponent.seconds_to_return))
            return (
                f"{other} is not connected. The seat is kept for {seconds} seconds; then the game"
                " ends."
            )
        if is_over and opponent is None and self._table is not None:
            return "Your opponent has left. Play again to wait for the next one."
        if is_over and opponent is not None and opponent.wants_rematch:
            return f"{other} wants to play again."
        if is_over and self._wants_rematch(self._person.sight.seat):
            return f"{other} was asked to play again."
        if self._wants.bot and opponent is None and not is_over:
            return "The computer is getting ready. The first time, a strong one takes a while."
        return ""

    def _verdict(self) -> str:
        """How the last match ended."""
        if self._result is None:
            return "The game is over."
        position = self._person.sight.position
        outcome = position.outcome if position is not None else None
        return describe_end(self._result, outcome, self._person.sight.seat, self._names())

    def _seconds_left(self) -> float | None:
        if self._deadline is None or not self._person.is_playing:
            return None
        return max(0.0, self._deadline - self._hall.room_time(self._client))

    # What the room tells

    def _hear(self, notice: Notice[Any]) -> None:
        match notice:
            case PlayersChanged():
                self._note_players(notice)
            case ChatSent(name, text):
                self._messages.quote(name, text)
            case Refused(Refusal.FULL) if self._table is not None or self._wants.table is not None:
                self._messages.tell(SEAT_LOST, is_bad=True)
                self._person.finish()
            case _:
                self._note(notice)
                self._submit(self._person.hear(notice))
        self._messages.gather(self._person)
        if self._person.is_done and not self.is_gone:
            self._client.leave()
            self._end()
        self._publish_soon()

    def _note(self, notice: Notice[Any]) -> None:
        """Keep what the page shows and a terminal does not."""
        match notice:
            case TurnBegan(deadline=deadline):
                self._deadline, self._result = deadline, None
            case SignedUp():
                self._call_bot(None)
            case MatchBegan(match=match):
                self._match, self._result = match or None, None
            case TermsProposed():
                self._proposal = notice
            case TermsAgreed():
                self._proposal = None
            case MatchEnded(result):
                self._deadline, self._result = None, result
            case Closed(reason) if not self._person.matches:
                self._messages.tell(f"{reason[:1].upper()}{reason[1:]}.", is_bad=True)
            case _:
                pass

    def _note_players(self, changed: PlayersChanged) -> None:
        self._table = changed
        if changed.match is not None:
            self._match = changed.match
        opponent = self._opponent()
        if opponent is not None:
            self._person.sight.opponent = _shown_name(opponent)
        self._call_bot(changed.table)

    def _call_bot(self, table: int | None) -> None:
        """Have the bot that is wanted come to this seat's table; None: to the tournament."""
        if not self._wants.bot or self._is_called:
            return
        self._is_called = True
        try:
            self._play_bot(self.room, table, self._wants.bot)
        except BotLimitError as error:
            self._messages.tell(f"The computer cannot play now: {error}.", is_bad=True)

    def _try_move(self, text: str) -> list[Request[Any]]:
        person = self._person
        if self._table is not None and self._opponent() is None and not person.matches:
            raise NotNow("there is no opponent yet")
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
        """Do something for the player. Raises NotNow if that comes to nothing."""
        if self.is_gone:
            raise NotNow("this game is over for you")
        before = self._messages.count
        requests = act()
        self._messages.gather(self._person)
        self._submit(requests)
        if not requests:
            raise NotNow(self._messages.last_fault_since(before) or "that cannot be done now")
        self._publish_soon()

    def _submit(self, requests: list[Request[Any]]) -> None:
        for request in requests:
            self._client.submit(request)

    def _end(self) -> None:
        self.is_gone = True
        if self._person.error is not None:
            self._messages.tell(self._person.error, is_bad=True)
        self._publish_soon()

    def _publish_soon(self) -> None:
        """Publish once for everything that happens in this turn of the event loop."""
        if not self._will_publish:
            self._will_publish = True
            asyncio.get_running_loop().call_soon(self._publish)

    def _publish(self) -> None:
        self._will_publish = False
        self._version += 1
        self.topic.publish("seat", "seat", self.state())


def playable_rooms(
    hall: Hall, plans: Sequence[DoorPlan], extra_games: Sequence[Game[Any]]
) -> list[PlayableRoom]:
    """Return the rooms of a hall as browsers play in them."""
    rooms = [
        (plan.room, plan.protocol.game_at(plan.settings), dict(plan.protocol.answers))
        for plan in plans
        if plan.has_own_room
    ]
    rooms += [(game.name, game, {}) for game in extra_games]
    return [
        PlayableRoom(
            name=name,
            game=game,
            answers=answers,
            vocabulary=_vocabulary(hall.kind_of(name)),
        )
        for name, game, answers in rooms
    ]


def _vocabulary(kind: RoomKind) -> Vocabulary:
    """What players can do in a room besides moving."""
    is_tournament = kind is RoomKind.TOURNAMENT
    return Vocabulary(
        has_chat=kind in (RoomKind.OPEN_TABLES, RoomKind.POLLED_TABLE),
        has_resign=not is_tournament,
        has_rematch=not is_tournament,
    )


def _shown_name(info: SeatInfo | None) -> str:
    return "" if info is None else info.name or "your opponent"
