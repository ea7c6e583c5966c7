"""The seat of a browser in a room: what its player sees, and what the player does.

A seat is a native client of the room. Pages and API clients read its state and act through it.
"""

import asyncio
from collections.abc import Callable, Sequence
from enum import Enum, auto
from functools import partial
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from gamehall.clients.local import LocalClient
from gamehall.core import SEAT_NAMES, Game, Seat
from gamehall.export.described import described_picture
from gamehall.match import Clock, MatchEnded, MovePlayed, Result, TurnBegan
from gamehall.players.commands import answer_question, run_command
from gamehall.players.conversation import Vocabulary, vocabulary_of
from gamehall.players.person import Command, Person, Question, QuestionKind, TurnClock
from gamehall.players.player_view import UNNAMED
from gamehall.rooms.notices import (
    AWAY_TOO_LONG,
    HUNG_UP,
    LEFT,
    TERMS_NOT_AGREED,
    ChatSent,
    Closed,
    MatchBegan,
    Notice,
    PlayersChanged,
    Refusal,
    Refused,
    RequestRejected,
    Seated,
    SeatInfo,
    SignedUp,
    TermsAgreed,
    TermsProposed,
    TournamentBegan,
    TournamentEnded,
)
from gamehall.rooms.requests import Chat, ClientPolicy, Join, Propose, ProposedTerms, Request
from gamehall.rooms.view import RoomKind
from gamehall.server.hall import Hall
from gamehall.server.house_bots import BotLimitError, PlayBot
from gamehall.server.plan import DoorPlan
from gamehall.web.errors import RefusedError, as_sentence
from gamehall.web.lines import (
    choice_in_words,
    choices,
    chosen_terms,
    describe_end,
    describe_rank,
    last_move_seen,
    standings_of,
    tell_end,
    terms_in_words,
)
from gamehall.web.messages import Messages
from gamehall.web.model import (
    Proposal,
    SeatLine,
    SeatQuestion,
    SeatStage,
    SeatState,
    Standing,
)
from gamehall.web.streams import Topic

PAGE_POLICY: Final = ClientPolicy(clock=Clock(60.0), retries=100, native=True)
"""A player at a page has a minute for each turn of a tournament."""
MAX_STREAMS: Final = 8
"""Streams per seat. A browser opens up to six connections to a server, for all tabs together."""
SECONDS_TO_RETURN = 300.0
"""How long a seat is kept while no page of it is open."""
REPEATED_NOTICES = (Seated, SignedUp, TournamentBegan, TermsProposed, TermsAgreed)
"""What a room sends again to a player who reconnects."""
NO_NAME = "your opponent"
"""Shown for a player without a name."""
SEAT_LOST = "You were away for too long, or the game is over. Start another one from the lobby."
TABLE_TAKEN = (
    "This table is taken: the player has found another opponent, or has left. Start another game"
    " from the lobby."
)


class PlayableRoom(NamedTuple):
    """A room in which browsers can play."""

    name: str
    game: Game[Any]
    kind: RoomKind
    answers: dict[str, str]
    """Suggested answers when the player is asked about the terms."""
    policy: ClientPolicy = PAGE_POLICY
    has_names_at_doors: bool = False
    """Whether players who connect by a protocol, without a browser, see names in this room."""

    @property
    def is_tournament(self) -> bool:
        """Return True if players sign up and the room pairs them."""
        return self.kind is RoomKind.TOURNAMENT

    @property
    def vocabulary(self) -> Vocabulary:
        """Return which commands there are in the room besides moves."""
        return Vocabulary(
            has_chat=self.kind in (RoomKind.OPEN_TABLES, RoomKind.POLLED_TABLE),
            has_resign=not self.is_tournament,
            has_rematch=not self.is_tournament,
        )


class Wants(NamedTuple):
    """What a player who takes a seat asks for."""

    name: str
    table: int | None = None
    """The number of the table; None: where an opponent waits, or a free one."""
    bot: str = ""
    """The bot to play against; empty: a player."""
    terms: ProposedTerms | None = None
    place: int | None = None
    """The `place` of the seat to return to; None: a new seat, or the first one."""


class Services(NamedTuple):
    """The parts of the server that seats use."""

    hall: Hall
    clock: Callable[[], float]
    """Returns the players' time, which stops while the server is stalled."""
    play_bot: PlayBot


class SeatPresence(Enum):
    """Whether the browser of a seat is connected."""

    HERE = auto()
    AWAY = auto()
    """Not connected; the seat is kept for it."""
    GONE = auto()
    """The seat was left, or has expired."""


class WebSeat:
    """The seat of a browser in a room."""

    def __init__(
        self,
        room: PlayableRoom,
        wants: Wants,
        services: Services,
        *,
        identity: str,
        place: int,
        token: str,
    ) -> None:
        """Join the room.

        Args:
            identity: the name of the seat in addresses.
            place: number of the seat among the browser's seats under this name, from 0.
            token: the credential by which the room recognises a player who reconnects.
        """
        self.id = identity
        self.room = room.name
        self.place = place
        self.topic = Topic(max_readers=MAX_STREAMS)
        self.last_seen = services.clock()
        """The time of the browser's last request."""
        self._presence = SeatPresence.HERE
        self._playable_room = room
        self._wants = wants
        self._hall = services.hall
        self._play_bot = services.play_bot
        self._token = token
        self._person: Person[Any] = Person(
            name=wants.name,
            game=room.game,
            answers=room.answers,
            vocabulary=room.vocabulary,
            clock=TurnClock(None, services.clock),
        )
        self._table: PlayersChanged | None = None
        """The last notice about the table: its number, match and players.

        None before the first one, and in tournaments.
        """
        self._substitute = ("", "")
        """The name of a house bot, and of the bot that plays in its place."""
        self._match: str | None = None
        """The name of the current or last match, by which its record is found."""
        self._deadline: float | None = None
        """When the current turn ends, by the clock of the room."""
        self._result: Result | None = None
        self._last_verdict = ""
        self._last_match: str | None = None
        """The match that `_last_verdict` is about; both are shown beside the next board."""
        self._has_asked_rematch = False
        """Whether the player has asked for another match since the last one ended."""
        self._proposal: TermsProposed[Any] | None = None
        self._alias = ""
        self._name_in_tournament = ""
        self._standings: tuple[Standing, ...] = ()
        """The standings of the tournament, once it is over."""
        self._headline = ""
        """Why the seat has ended, in words; empty if there is nothing to explain."""
        self._opponent_due: float | None = None
        """Until when the seat of a disconnected opponent is kept, by the clock of the room."""
        self._bot_problem = ""
        """Why the bot cannot play, in words; empty if it can."""
        self._is_bot_called = False
        self._bot_calls = 0
        """How often a bot was called; numbers the calls, to ignore the end of earlier ones."""
        self._messages = Messages()
        self._was_restarted = wants.place is not None
        """Whether the seat existed before a restart of which its player has not been told yet."""
        self._person.had_seat = self._was_restarted
        self._is_rejoining = self._was_restarted
        """Whether the next notices of the room repeat what the player was told before."""
        self._version = 0
        self._will_publish = False
        self._client = self._enter()

    def _enter(self) -> LocalClient:
        """Join the room with a new connection."""
        self._client = LocalClient(
            host=self._hall.host,
            room=self.room,
            on_notice=self._handle_notice,
            token=self._token,
            policy=self._playable_room.policy,
            return_seconds=SECONDS_TO_RETURN,
        )
        self._client.submit(self._join())
        return self._client

    def _join(self) -> Join:
        wants = self._wants
        self._person.join = Join(
            self._person.name,
            table=wants.table if self._table is None else self._table.table,
            is_private=bool(wants.bot),
            terms=wants.terms,
        )
        return self._person.join

    # Presence of the browser

    @property
    def is_gone(self) -> bool:
        return self._presence is SeatPresence.GONE

    @property
    def is_away(self) -> bool:
        return self._presence is SeatPresence.AWAY

    @property
    def plays_computer(self) -> bool:
        return bool(self._wants.bot)

    @property
    def is_in_tournament(self) -> bool:
        return self._playable_room.is_tournament

    def leave(self) -> None:
        if not self.is_gone:
            self._submit(self._person.leave())
            self._client.leave()
            self._end()

    def go_away(self) -> None:
        """Note that the browser is not connected. The seat is kept, and its clock stops."""
        self._presence = SeatPresence.AWAY
        self._client.lose()

    def come_back(self) -> None:
        """Note that the browser is connected again."""
        self._presence = SeatPresence.HERE
        self._is_rejoining = True
        self._enter()

    def expire(self) -> None:
        """End the seat of a browser that was away for too long."""
        self._messages.tell(SEAT_LOST, is_bad=True)
        self._end()

    # Requests of the browser

    def move(self, text: str) -> None:
        """Make a move. Raises RefusedError."""
        self._submit_action(lambda: self._try_move(text))

    def answer(self, text: str) -> None:
        """Answer a question about the name or the terms. Raises RefusedError."""
        if self._person.question is None:
            raise RefusedError("nothing was asked")
        self._is_rejoining = False
        self._submit_action(lambda: answer_question(self._person, text))

    def propose(self, terms: ProposedTerms) -> None:
        """Make a counter-proposal. Raises RefusedError."""
        if self._person.question is None:
            raise RefusedError("there is nothing to agree on")
        self._wants = self._wants._replace(terms=terms)
        self._submit_action(lambda: [Propose(terms)])

    def say(self, text: str) -> None:
        """Send a chat message to the table. Raises RefusedError."""
        self._submit_action(lambda: self._speak(text))

    def rematch(self) -> None:
        """Ask for another match. A bot that has left is called again. Raises RefusedError."""
        self._submit_action(self._ask_rematch)
        if self._wants.bot and self._opponent() is None:
            self._is_bot_called = False

    def resign(self) -> None:
        """Resign the match. Raises RefusedError."""
        self._submit_action(lambda: run_command(self._person, Command.RESIGN.value))

    def call_bot(self, bot: str) -> None:
        """Let a bot join this table or sign up for the tournament. Raises RefusedError.

        At a table that is open to all players, the free seat is reserved for the bot first.
        """
        if self.is_gone or (self._table is None and not self._playable_room.is_tournament):
            raise RefusedError("there is no table that a bot could join")
        if self._table is not None and self._opponent() is not None:
            raise RefusedError("there is an opponent already")
        is_open_to_all = not (
            self._playable_room.is_tournament or self._wants.bot or self.stage is SeatStage.OVER
        )
        self._wants = self._wants._replace(bot=bot)
        if is_open_to_all:
            self._is_bot_called = False
            self._submit([self._join()])
        else:
            self._call_wanted_bot()
            if self._bot_problem:
                raise RefusedError(self._bot_problem)
        self._publish_soon()

    # What the browser shows

    @property
    def joined_as(self) -> str:
        """Return the name with which the player took the seat, needed to return to it."""
        return self._wants.name

    @property
    def name(self) -> str:
        """Return the name that the room gave the player."""
        return self._person.view.name

    @property
    def table(self) -> int | None:
        """Return the number of the table; None before it is known, and in tournaments."""
        return None if self._table is None else self._table.table

    @property
    def waits_alone(self) -> bool:
        """Return True if the player waits at a table without an opponent."""
        is_waiting = self.stage is SeatStage.WAITING and not self._playable_room.is_tournament
        return is_waiting and self._opponent() is None

    @property
    def stage(self) -> SeatStage:
        person, table = self._person, self._table
        if self.is_gone:
            return SeatStage.GONE
        if person.question is not None:
            return SeatStage.AGREEING
        if person.is_playing:
            is_alone = table is not None and self._opponent() is None
            return SeatStage.WAITING if is_alone else SeatStage.PLAYING
        # After the end, a table without a match has a fresh board.
        has_ended = bool(person.matches) and (table is None or table.match is not None)
        return SeatStage.OVER if has_ended else SeatStage.WAITING

    def line(self) -> SeatLine:
        """Return the seat as it is listed in the lobby."""
        person, stage = self._person, self.stage
        opponent = _shown_name(self._opponent())
        if self._table is None and stage is SeatStage.PLAYING:
            opponent = person.view.opponent
        return SeatLine(
            id=self.id,
            room=self.room,
            title=person.view.game.title,
            name=self.name,
            table=self.table,
            opponent=opponent,
            stage=stage.value,
            is_to_move=person.is_to_move and stage is SeatStage.PLAYING,
        )

    def state(self) -> SeatState:
        person, view, stage = self._person, self._person.view, self.stage
        game, position, turn, asked = view.game, view.position, person.turn, person.question
        opponent, proposal = self._opponent(), self._proposal
        is_playing, is_over = stage is SeatStage.PLAYING, self._is_over
        commands = () if self.is_gone else person.commands
        is_rematch_asked = self._wants_rematch and opponent is not None
        return SeatState(
            id=self.id,
            room=self.room,
            game=game.name,
            title=game.title,
            stage=stage.value,
            version=self._version,
            # Names and seats
            name=view.name,
            seat=None if view.seat is None else view.seat.value,
            table=self.table,
            place=self.place,
            joined_as=self.joined_as,
            players=self._shown_players(),
            left=self._left_seat(),
            has_opponent=is_playing if self._table is None else opponent is not None,
            opponent_is_bot=opponent is not None and opponent.is_bot,
            # The terms
            question=None if asked is None else SeatQuestion(_prompt(asked), asked.offered),
            proposal=None
            if proposal is None or asked is None
            else Proposal(
                terms=terms_in_words(proposal.game),
                seat=proposal.seat.value,
                values=chosen_terms(proposal.game),
                may_counter=proposal.may_counter,
            ),
            called_bot=self._called_bot(),
            wanted=self._wanted_terms_in_words() if stage is SeatStage.WAITING else "",
            # The match
            picture=None if position is None else described_picture(position, is_over=is_over),
            choices=choices(game, turn.position) if turn is not None and is_playing else (),
            is_to_move=person.is_to_move and is_playing,
            task="" if position is None or not is_playing else position.task(),
            last_move=last_move_seen(view),
            seconds_left=self._seconds_left(),
            seconds_to_return=self._seconds_to_return(opponent),
            is_playing=person.is_playing,
            verdict=self._verdict() if is_over else "",
            match=self._match if is_over else None,
            headline=self._headline if self.is_gone else "",
            standings=self._standings if self.is_gone else (),
            last_verdict="" if is_over else self._last_verdict,
            last_match=self._last_match if self._last_verdict and not is_over else None,
            # Messages and commands
            messages=self._messages.last,
            status=self._status(opponent),
            is_gone=self.is_gone,
            may_say=Command.SAY in commands,
            may_rematch=Command.REMATCH in commands and is_over and not is_rematch_asked,
            may_resign=Command.RESIGN in commands and is_playing,
        )

    def _called_bot(self) -> str:
        """Return the name of the bot that is getting ready, "" if none is."""
        is_called = self.waits_alone and self._is_bot_called and not self._bot_problem
        return self._wants.bot if is_called else ""

    def _wanted_terms_in_words(self) -> str:
        """Return the terms and the seat that the player proposes, in words."""
        game, seat = self._playable_room.game, None
        if self._proposal is not None:
            game, seat = self._proposal.game, self._proposal.seat
            words = choice_in_words(game, {})
        elif self._wants.terms is not None and game.term_choices:
            seat = self._wants.terms.seat
            words = choice_in_words(game, self._wants.terms.terms)
        else:
            return ""
        return words if seat is None else f"{words}; you play {game.seat_titles[seat.value - 1]}"

    @property
    def _is_over(self) -> bool:
        """Return True if the last match has ended and no other has begun."""
        if self.is_gone:
            return bool(self._person.matches) and not self._person.is_playing
        return self.stage is SeatStage.OVER

    def _player_names(self) -> tuple[str, str]:
        """Return the names of the first and the second player, "" for a free seat."""
        view = self._person.view
        if self._table is None:
            has_opponent = self._person.is_playing or bool(self._person.matches)
            own, other = view.name, view.opponent if has_opponent else ""
            return (other, own) if view.seat is Seat.SECOND else (own, other)
        first, second = self._table.players
        return _shown_name(first), _shown_name(second)

    def _left_seat(self) -> int | None:
        """Return the seat of the opponent who has left after the end of the match, if any."""
        seat = self._person.view.seat
        is_known = self._table is not None and seat is not None and self._is_over
        return seat.other.value if is_known and seat and self._opponent() is None else None

    def _shown_players(self) -> tuple[str, str]:
        """Return the names for the page: the name of an opponent who has left stays."""
        first, second = self._player_names()
        opponent = self._person.view.opponent
        match self._left_seat():
            case Seat.FIRST.value:
                return opponent, second
            case Seat.SECOND.value:
                return first, opponent
            case _:
                return first, second

    def _opponent(self) -> SeatInfo | None:
        if self._table is None:
            return None
        first, second = self._table.players
        if self._person.view.seat is None:
            # Before the seats are given out, they are in the order of arrival.
            own = next((one for one in (first, second) if one and one.name == self.name), None)
            return first if own is second else second
        return first if self._person.view.seat is Seat.SECOND else second

    @property
    def _wants_rematch(self) -> bool:
        seat = self._person.view.seat
        if self._table is None or seat is None:
            return False
        info = self._table.players[0 if seat is Seat.FIRST else 1]
        return info is not None and info.wants_rematch

    def _status(self, opponent: SeatInfo | None) -> str:
        """Return a sentence that says what happens next, or what is wrong; mostly empty."""
        match self.stage:
            case SeatStage.GONE:
                return self._status_when_gone()
            case SeatStage.WAITING if self._bot_problem:
                return f"The computer cannot play now: {self._bot_problem}."
            case SeatStage.WAITING if self._wants.bot and not self._playable_room.is_tournament:
                return "The computer is getting ready. The first time, a strong one takes a while."
            case SeatStage.WAITING if opponent is not None:
                return f"{_shown_name(opponent, 'Your opponent')} is asked to agree to your terms."
            case SeatStage.OVER:
                return self._status_after_match(opponent)
            case _ if opponent is not None and opponent.seconds_to_return is not None:
                other = _shown_name(opponent, "Your opponent")
                return f"{other} is not connected.{self._outcome_of_absence(opponent)}"
            case SeatStage.PLAYING if opponent is not None and self._is_replaced(opponent):
                name, substitute = self._substitute
                return f"{substitute} plays in place of {name}."
            case _:
                return ""

    def _is_replaced(self, opponent: SeatInfo) -> bool:
        """Return True if another bot plays in place of the house bot that has this seat."""
        name, substitute = self._substitute
        return opponent.is_bot and opponent.name == name and substitute not in ("", name)

    def _outcome_of_absence(self, opponent: SeatInfo) -> str:
        """Return what happens if a disconnected opponent does not return during the match."""
        if self.stage is not SeatStage.PLAYING:
            return ""
        # T-Q12: an opponent at an open table may leave without losing, unless both are native.
        wins = opponent.is_native or self._playable_room.kind is not RoomKind.OPEN_TABLES
        outcome = "you win" if wins else "the game ends"
        return f" If {_shown_name(opponent, 'your opponent')} does not return in time, {outcome}."

    def _status_after_match(self, opponent: SeatInfo | None) -> str:
        other = _shown_name(opponent, "Your opponent")
        left = self._person.view.opponent
        left = "Your opponent" if left in (NO_NAME, UNNAMED) else left
        if self._playable_room.is_tournament:
            return "The tournament continues. Stay here: your next match starts automatically."
        if opponent is None and self._wants.bot:
            return "The computer has left. Play again to call it back."
        if opponent is None:
            return f"{left} has left. Play again to wait for another opponent."
        if opponent.wants_rematch:
            return f"{other} wants to play again."
        return f"{other} was asked to play again." if self._wants_rematch else ""

    def _status_when_gone(self) -> str:
        if not self._playable_room.is_tournament or not self._name_in_tournament:
            return ""
        return "You can sign up for the next tournament."

    def _verdict(self) -> str:
        if self._result is None:
            return "The game is over."
        # The opponent may have left.
        view = self._person.view
        first, second = (name or view.opponent for name in self._player_names())
        return describe_end(self._result, view, (first, second))

    def _seconds_left(self) -> float | None:
        if self._deadline is None or not self._person.is_playing:
            return None
        return max(0.0, self._deadline - self._hall.host.room_time(self._client))

    def _seconds_to_return(self, opponent: SeatInfo | None) -> float | None:
        """Return how long the seat of a disconnected opponent is still kept."""
        is_needed = self.stage in (SeatStage.PLAYING, SeatStage.AGREEING)
        if opponent is None or self._opponent_due is None or not is_needed:
            return None
        return max(0.0, self._opponent_due - self._hall.host.room_time(self._client))

    # Notices of the room

    def _handle_notice(self, notice: Notice[Any]) -> None:
        match notice:
            case PlayersChanged():
                self._note_players(notice)
            case ChatSent(name, text, is_from_server=True):
                self._messages.tell(f"{text}.")
                self._substitute = (name, notice.substitute)
            case ChatSent(name, text):
                self._messages.quote(name, text)
            case Refused(Refusal.FULL) if self._is_rejoining and self._may_wait_at_another_table:
                # The table at which the player waited was closed: wait at another one.
                self._is_rejoining = False
                self._table = None
                self._submit([self._join()])
            case Refused(Refusal.FULL) if self._table is not None or self._wants.table is not None:
                had_seat = self._table is not None or self._wants.place is not None
                self._messages.tell(SEAT_LOST if had_seat else TABLE_TAKEN, is_bad=True)
                self._person.finish()
            case RequestRejected(reason) if self._is_unseated or self._person.question is not None:
                # The terminal's wording of the error does not fit the form of a page.
                self._messages.tell(as_sentence(reason), is_bad=True)
                if self._is_unseated:
                    self._person.finish()
            case _:
                notice, matches = self._store_for_page(notice), len(self._person.matches)
                self._submit(self._person.receive(notice))
                self._drop_repeated_messages(notice)
                if len(self._person.matches) > matches:
                    self._tell_end()
                if isinstance(notice, TournamentEnded):
                    # The page has a headline and a table instead of the terminal's sentence.
                    self._person.shown.clear()
                    self._messages.tell("The tournament is over.")
                if isinstance(notice, TermsProposed) and notice.is_agreed:
                    # The player proposed these terms, or asked for them.
                    self._person.question = None
                if isinstance(notice, TermsProposed) and self._person.shown:
                    # In the words of the form, not by the names of the settings.
                    self._person.shown.clear()
                    self._messages.tell(f"The terms: {self._wanted_terms_in_words()}.")
                if isinstance(notice, MatchBegan) and notice.seat is not None:
                    # A terminal learns the seat from its first prompt.
                    self._person.tell(f"You are the {SEAT_NAMES[notice.seat]}.")
        self._messages.gather(self._person)
        has_table = self._table is not None or self._playable_room.is_tournament
        if self._was_restarted and has_table and self.stage is SeatStage.PLAYING:
            self._was_restarted = False
            self._messages.tell("The server was restarted. Your game continues.")
        if self._person.is_done and not self.is_gone:
            self._client.leave()
            self._end()
        self._publish_soon()

    def _drop_repeated_messages(self, notice: Notice[Any]) -> None:
        """Drop messages that a player who reconnects was shown when the match began."""
        if not self._is_rejoining:
            return
        if isinstance(notice, REPEATED_NOTICES):
            self._person.shown.clear()
        elif isinstance(notice, TurnBegan):
            self._is_rejoining = False

    def _tell_end(self) -> None:
        """Add the message about the end of a match; keep the verdict for the next board."""
        if self._match is not None and self._match == self._last_match:
            # The room repeats the end to a player who reconnects.
            return
        self._has_asked_rematch = False
        self._last_verdict, self._last_match = self._verdict(), self._match
        opponent = self._person.view.opponent if self._playable_room.is_tournament else ""
        # After a restart, earlier matches are not known.
        number = len(self._person.matches) if self._wants.place is None else None
        text = tell_end(number, self._last_verdict, opponent)
        self._messages.tell(text, match=self._match or "")

    def _note_next_match(self) -> None:
        """Note that another match begins.

        Over some protocols the opponent can begin it without the consent of this player.
        """
        opponent = self._opponent()
        if self._has_asked_rematch:
            self._last_verdict = ""
        elif opponent is not None and self._playable_room.kind is RoomKind.OPEN_TABLES:
            self._messages.tell(f"{_shown_name(opponent, 'Your opponent')} began another game.")

    @property
    def _may_wait_at_another_table(self) -> bool:
        """Return True if the player waited at a table that was closed, and may wait at another."""
        is_first = not (self._person.matches or self._wants.bot)
        return is_first and self._wants.table is None and self.waits_alone

    @property
    def _is_unseated(self) -> bool:
        """Return True until the room has seated the player."""
        return self._table is None and not (
            self._playable_room.is_tournament or self._person.matches
        )

    def _store_for_page(self, notice: Notice[Any]) -> Notice[Any]:
        """Store what the page shows differently from a terminal.

        Return the notice for `Person`, without the names that the page tells itself.
        """
        match notice:
            case Seated(alias=alias):
                self._tell_alias(alias)
                notice = replace(notice, alias="")
            case SignedUp() if self._wants.bot and not self._is_bot_called:
                self._call_wanted_bot()
            case TournamentBegan(name, shown_name=shown):
                self._name_in_tournament = shown
                self._tell_alias("" if name == shown else name)
                notice = replace(notice, name="" if shown == self.name else shown)
            case TournamentEnded():
                self._standings = standings_of(notice)
                self._headline = describe_rank(self._standings, self._name_in_tournament)
            case TurnBegan(deadline=deadline):
                if self._result is not None:
                    self._note_next_match()
                self._deadline, self._result = deadline, None
            case MovePlayed(deadline=deadline):
                self._deadline = deadline
            case MatchBegan(match=match):
                self._match, self._result = match or None, None
            case TermsProposed():
                self._proposal = notice
            case TermsAgreed():
                self._proposal = None
            case MatchEnded(result):
                self._deadline, self._result = None, result
            case Closed(reason, is_expected=False) if not self.is_gone:
                self._note_closed(reason)
            case _:
                pass
        return notice

    def _note_closed(self, reason: str) -> None:
        """Say why the room has removed the player, if it was not simply the end."""
        opponent = _shown_name(self._opponent(), "Your opponent")
        if self._name_in_tournament:
            self._headline = f"You are out of the tournament: {reason}."
        elif not opponent or self._person.matches:
            return
        elif reason in (LEFT, HUNG_UP, AWAY_TOO_LONG):
            self._headline = f"{opponent} left before the game began."
        elif reason == TERMS_NOT_AGREED:
            self._headline = f"{opponent} did not agree to the terms."

    def _tell_alias(self, alias: str) -> None:
        """Tell the player once the alias that clients without a browser see, if they see any."""
        if alias and alias != self._alias and self._playable_room.has_names_at_doors:
            self._messages.tell(f"Players who connect without a browser see you as {alias}.")
        self._alias = alias

    def _note_players(self, changed: PlayersChanged) -> None:
        self._table = changed
        person, opponent = self._person, self._opponent()
        own = None if person.view.seat is None else changed.players[person.view.seat.value - 1]
        if own is not None and own.name:
            # The room may have given the player another name than requested.
            person.name = own.name
        if changed.match is not None:
            self._match = changed.match
        elif person.matches and not person.is_playing:
            # The player waits for another match: do not show the last one any more.
            person.view.begin()
        self._opponent_due = None
        if opponent is not None and opponent.seconds_to_return is not None:
            now = self._hall.host.room_time(self._client)
            self._opponent_due = now + opponent.seconds_to_return
        if opponent is not None:
            person.view.opponent = _shown_name(opponent)
            self._bot_problem = ""
        elif self._wants.bot and not self._is_bot_called and self.stage is not SeatStage.OVER:
            self._call_wanted_bot()

    def _call_wanted_bot(self) -> None:
        self._is_bot_called = True
        self._bot_problem = ""
        self._bot_calls += 1
        gone = partial(self._note_bot_gone, self._bot_calls)
        try:
            self._play_bot(self.room, self.table, self._wants.bot, gone)
        except BotLimitError as error:
            self._bot_problem = str(error)

    def _note_bot_gone(self, call: int) -> None:
        """Note that the bot of this call has stopped; if it never joined, say so.

        Args:
            call: the number of the call, since another bot may have been called meanwhile.
        """
        if call == self._bot_calls and self.waits_alone:
            self._bot_problem = "it could not be started. Choose another one, or try again"
            self._publish_soon()

    def _try_move(self, text: str) -> list[Request[Any]]:
        person = self._person
        if self.stage is SeatStage.WAITING:
            raise RefusedError("there is no opponent yet")
        if not person.is_to_move:
            raise RefusedError("the game is over" if self._is_over else "it is not your turn")
        return person.try_move(text)

    def _ask_rematch(self) -> list[Request[Any]]:
        requests = run_command(self._person, Command.REMATCH.value)
        self._has_asked_rematch = bool(requests)
        return requests

    def _speak(self, text: str) -> list[Request[Any]]:
        requests = run_command(self._person, f"{Command.SAY.value} {text}")
        for request in requests:
            if isinstance(request, Chat):
                self._messages.quote(self.name, request.text)
        return requests

    def _submit_action(self, act: Callable[[], list[Request[Any]]]) -> None:
        """Submit the requests of an action. Raises RefusedError if there are none."""
        if self.is_gone:
            raise RefusedError("this game is over for you")
        messages_before = self._messages.count
        requests = act()
        self._messages.gather(self._person)
        # The response must have a higher version than the state that the page shows.
        self._version += 1
        self._submit(requests)
        if not requests:
            raise RefusedError(
                self._messages.last_error_since(messages_before) or "that cannot be done now"
            )
        self._publish_soon()

    def _submit(self, requests: list[Request[Any]]) -> None:
        for request in requests:
            self._client.submit(request)

    def _end(self) -> None:
        self._presence = SeatPresence.GONE
        if self._person.error is not None and not self._headline:
            self._messages.tell(as_sentence(self._person.error), is_bad=True)
        self._publish_soon()

    def _publish_soon(self) -> None:
        """Publish one state for all changes in this iteration of the event loop."""
        if not self._will_publish:
            self._will_publish = True
            asyncio.get_running_loop().call_soon(self._publish)

    def _publish(self) -> None:
        self._will_publish = False
        self._version += 1
        if self.topic.is_heard:
            self.topic.publish("seat", "seat", self.state())


def playable_rooms(
    hall: Hall, plans: Sequence[DoorPlan], extra_games: Sequence[Game[Any]]
) -> list[PlayableRoom]:
    """Return the rooms in which browsers can play.

    Args:
        extra_games: those whose rooms have no door.
    """
    rooms = [
        (plan.room, plan.protocol.game_at(plan.settings), dict(plan.protocol.answers))
        for plan in plans
        if plan.has_own_room
    ]
    rooms += [(game.name, game, {}) for game in extra_games]
    named = {plan.room for plan in plans if vocabulary_of(plan.protocol, plan.settings).has_names}
    return [
        PlayableRoom(
            name=name,
            game=game,
            kind=hall.kind_of(name),
            answers=answers,
            has_names_at_doors=name in named,
        )
        for name, game, answers in rooms
    ]


def _shown_name(info: SeatInfo | None, unnamed: str = NO_NAME) -> str:
    """Return the name of a player, "" if there is none. Over some protocols players have none."""
    return "" if info is None else info.name or unnamed


def _prompt(question: Question) -> str:
    """Return the question of a terminal in the words of a page."""
    return "Choose another name" if question.kind is QuestionKind.NAME else question.text
