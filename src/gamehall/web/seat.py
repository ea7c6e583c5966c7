"""A seat of a browser: a native client of a room, whose board is a picture."""

import asyncio
from collections.abc import Callable, Sequence
from enum import Enum, auto
from functools import partial
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from gamehall.clients.local import LocalClient
from gamehall.core import Game, Seat
from gamehall.export.described import described_picture
from gamehall.match import Clock, MatchEnded, MovePlayed, Result, TurnBegan
from gamehall.players.commands import answer_question, run_command
from gamehall.players.conversation import Vocabulary, vocabulary_of
from gamehall.players.person import NAME, Command, Person, TurnClock
from gamehall.players.wording import SEAT_WORDS
from gamehall.rooms.notices import (
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
from gamehall.web.errors import RefusedError
from gamehall.web.lines import (
    choice_in_words,
    choices,
    chosen_terms,
    describe_end,
    describe_standings,
    last_move_seen,
    tell_end,
    terms_in_words,
)
from gamehall.web.messages import Messages
from gamehall.web.model import Proposal, SeatLine, SeatQuestion, SeatStage, SeatState
from gamehall.web.streams import Topic

PAGE_POLICY: Final = ClientPolicy(clock=Clock(60.0), retries=100, native=True)
"""How a person at a page is treated: in a tournament it has a minute for a turn."""
MOST_STREAMS: Final = 8
"""Of a seat. A browser opens up to six connections to a server, for all its tabs together."""
SECONDS_TO_RETURN = 300.0
"""How long the seat of a player is kept whose page is not open."""
TOLD_BEFORE = (Seated, SignedUp, TournamentBegan, TermsProposed, TermsAgreed)
"""What a room tells again to a player who comes back."""
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
    """What is suggested to a player who is asked about the terms."""
    policy: ClientPolicy = PAGE_POLICY
    has_names_at_doors: bool = False
    """Whether a wire that leads there shows players' names."""

    @property
    def is_tournament(self) -> bool:
        """Whether players sign up, and the room decides who meets whom."""
        return self.kind is RoomKind.TOURNAMENT

    @property
    def vocabulary(self) -> Vocabulary:
        """What players can do in the room besides moving."""
        return Vocabulary(
            has_chat=self.kind in (RoomKind.OPEN_TABLES, RoomKind.POLLED_TABLE),
            has_resign=not self.is_tournament,
            has_rematch=not self.is_tournament,
        )


class Wants(NamedTuple):
    """What a visitor wants who sits down."""

    name: str
    table: int | None = None
    """At which table; None: where an opponent waits, or at a free one."""
    bot: str = ""
    """Against which bot, empty for people."""
    terms: ProposedTerms | None = None
    place: int | None = None
    """Which of its seats under that name it comes back to; None: a new one, or the first."""


class Services(NamedTuple):
    """What a seat needs of the hall."""

    hall: Hall
    clock: Callable[[], float]
    """Shows the players' time, and may stand."""
    play_bot: PlayBot


class SeatPresence(Enum):
    """Whether the browser of a seat is there."""

    HERE = auto()
    AWAY = auto()
    """The seat is kept for it."""
    GONE = auto()
    """Nothing more will come of the seat."""


class WebSeat:
    """A seat of a browser in a room: what its player sees, and what it may do."""

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
        """Sit down.

        Args:
            identity: the name of the seat in addresses.
            place: which of the browser's seats under this name it is, from 0.
            token: by what the player is recognised when it comes back.
        """
        self.id = identity
        self.room = room.name
        self.place = place
        self.topic = Topic(most_readers=MOST_STREAMS)
        self.last_seen = services.clock()
        """When the browser was last heard of."""
        self._presence = SeatPresence.HERE
        self._kind = room
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
        """Who sits at the table; None until that is known, and in tournaments."""
        self._match: str | None = None
        """By what name the record of the last match is found."""
        self._deadline: float | None = None
        """When the current turn is over, by the clock of the room."""
        self._result: Result | None = None
        self._last_verdict = ""
        self._last_match: str | None = None
        """How the last match ended, to be shown beside the board of the next one."""
        self._has_asked_rematch = False
        """Whether the player has asked for another match since the last one ended."""
        self._proposal: TermsProposed[Any] | None = None
        self._alias = ""
        self._name_in_tournament = ""
        self._standings = ""
        """What the tournament has come to, in words; empty while it goes on."""
        self._bot_problem = ""
        """Why the bot that is wanted cannot come, empty if it can."""
        self._is_bot_called = False
        self._bot_calls = 0
        self._messages = Messages()
        self._was_restarted = wants.place is not None
        """Whether the browser had the seat before the hall was restarted, and is not told so."""
        self._is_rejoining = self._was_restarted
        """Whether what the room tells next is what the player was told before."""
        self._version = 0
        self._will_publish = False
        self._client = self._enter()

    def _enter(self) -> LocalClient:
        self._client = LocalClient(
            host=self._hall.host,
            room=self.room,
            on_notice=self._hear,
            token=self._token,
            policy=self._kind.policy,
            return_seconds=SECONDS_TO_RETURN,
        )
        self._client.submit(self._join())
        return self._client

    def _join(self) -> Join:
        """Return the request for what the player wants."""
        wants = self._wants
        self._person.join = Join(
            self._person.name,
            table=wants.table if self._table is None else self._table.table,
            is_private=bool(wants.bot),
            terms=wants.terms,
        )
        return self._person.join

    # Whether the browser is there

    @property
    def is_gone(self) -> bool:
        """Whether nothing more will come of this seat."""
        return self._presence is SeatPresence.GONE

    @property
    def is_away(self) -> bool:
        """Whether the seat is kept for a browser that is not there."""
        return self._presence is SeatPresence.AWAY

    @property
    def plays_computer(self) -> bool:
        """Whether its player has asked for a bot as the opponent."""
        return bool(self._wants.bot)

    @property
    def is_in_tournament(self) -> bool:
        """Whether other matches follow by themselves."""
        return self._kind.is_tournament

    def leave(self) -> None:
        """Leave the table."""
        if not self.is_gone:
            self._submit(self._person.leave())
            self._client.leave()
            self._end()

    def go_away(self) -> None:
        """The browser is not there: the seat is kept for some time, and its clock stands."""
        self._presence = SeatPresence.AWAY
        self._client.lose()

    def come_back(self) -> None:
        """The browser is there again."""
        self._presence = SeatPresence.HERE
        self._is_rejoining = True
        self._enter()

    def expire(self) -> None:
        """The browser was away for too long: the room has given its seat up."""
        self._messages.tell(SEAT_LOST, is_bad=True)
        self._end()

    # What the browser asks

    def move(self, text: str) -> None:
        """Make a move. Raises RefusedError, saying why not."""
        self._do(lambda: self._try_move(text))

    def answer(self, text: str) -> None:
        """Answer what was asked. Raises RefusedError."""
        if self._person.question is None:
            raise RefusedError("nothing was asked")
        self._is_rejoining = False
        self._do(lambda: answer_question(self._person, text))

    def propose(self, terms: ProposedTerms) -> None:
        """Propose other terms than those that were proposed. Raises RefusedError."""
        if self._person.question is None:
            raise RefusedError("there is nothing to agree on")
        self._wants = self._wants._replace(terms=terms)
        self._do(lambda: [Propose(terms)])

    def say(self, text: str) -> None:
        """Say something to everybody at the table. Raises RefusedError."""
        self._do(lambda: self._speak(text))

    def rematch(self) -> None:
        """Ask for another game; a bot that was wanted and has left is called again.

        Raises RefusedError.
        """
        self._do(self._ask_rematch)
        if self._wants.bot and self._opponent() is None:
            self._is_bot_called = False

    def resign(self) -> None:
        """Give up the match. Raises RefusedError."""
        self._do(lambda: run_command(self._person, Command.RESIGN.value))

    def call_bot(self, bot: str) -> None:
        """Have a bot come to this table or, in a tournament, sign up. Raises RefusedError.

        At a table that was for anyone the other seat is reserved first.
        """
        if self.is_gone or (self._table is None and not self._kind.is_tournament):
            raise RefusedError("there is no table to which a bot could come")
        if self._table is not None and self._opponent() is not None:
            raise RefusedError("there is an opponent already")
        is_for_anyone = not (
            self._kind.is_tournament or self._wants.bot or self.stage is SeatStage.OVER
        )
        self._wants = self._wants._replace(bot=bot)
        if is_for_anyone:
            self._is_bot_called = False
            self._submit([self._join()])
        else:
            self._call_wanted_bot()
            if self._bot_problem:
                raise RefusedError(self._bot_problem)
        self._publish_soon()

    # What the browser is shown

    @property
    def joined_as(self) -> str:
        """The name under which the player has sat down, by which it is recognised."""
        return self._wants.name

    @property
    def name(self) -> str:
        """What the player is called."""
        return self._person.view.name

    @property
    def table(self) -> int | None:
        """The number of the table; None if that is not known yet, and in tournaments."""
        return None if self._table is None else self._table.table

    @property
    def waits_alone(self) -> bool:
        """Whether nobody sits across, and the player waits for an opponent at a table."""
        is_waiting = self.stage is SeatStage.WAITING and not self._kind.is_tournament
        return is_waiting and self._opponent() is None

    @property
    def stage(self) -> SeatStage:
        """How far the player is."""
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
        """Return what the player sees, and what it may do."""
        person, sight, stage = self._person, self._person.view, self.stage
        game, position, turn, asked = sight.game, sight.position, person.turn, person.question
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
            # Who sits where
            name=sight.name,
            seat=None if sight.seat is None else sight.seat.value,
            table=self.table,
            place=self.place,
            joined_as=self.joined_as,
            players=self._names(),
            has_opponent=is_playing if self._table is None else opponent is not None,
            opponent_is_bot=opponent is not None and opponent.is_bot,
            # The terms
            question=None if asked is None else SeatQuestion(_prompt(asked.name), asked.offered),
            proposal=None
            if proposal is None or asked is None
            else Proposal(
                terms=terms_in_words(proposal.game),
                seat=proposal.seat.value,
                values=chosen_terms(proposal.game),
                may_counter=proposal.may_counter,
            ),
            wanted=self._wanted() if stage is SeatStage.WAITING else "",
            # The match
            picture=None if position is None else described_picture(position),
            choices=choices(game, turn.position) if turn is not None and is_playing else (),
            is_to_move=person.is_to_move and is_playing,
            task="" if position is None or not is_playing else position.task(),
            last_move=last_move_seen(sight),
            seconds_left=self._seconds_left(),
            is_playing=person.is_playing,
            verdict=self._verdict() if is_over else "",
            match=self._match if is_over else None,
            last_verdict="" if is_over else self._last_verdict,
            last_match=self._last_match if self._last_verdict and not is_over else None,
            # What is told, and what may be done
            messages=self._messages.last,
            status=self._status(opponent),
            is_gone=self.is_gone,
            may_say=Command.SAY in commands,
            may_rematch=Command.REMATCH in commands and is_over and not is_rematch_asked,
            may_resign=Command.RESIGN in commands and is_playing,
        )

    def _wanted(self) -> str:
        """On which terms the player waits, and in which seat, in words."""
        game, seat = self._kind.game, None
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
        """Whether the last match has a result, and no other has begun."""
        if self.is_gone:
            return bool(self._person.matches) and not self._person.is_playing
        return self.stage is SeatStage.OVER

    def _names(self) -> tuple[str, str]:
        """The names of the first and the second player, "" for a free seat."""
        sight = self._person.view
        if self._table is None:
            has_opponent = self._person.is_playing or bool(self._person.matches)
            own, other = sight.name, sight.opponent if has_opponent else ""
            return (other, own) if sight.seat is Seat.SECOND else (own, other)
        first, second = self._table.players
        return _shown_name(first), _shown_name(second)

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
        """Whether the player has asked for another match."""
        seat = self._person.view.seat
        if self._table is None or seat is None:
            return False
        info = self._table.players[0 if seat is Seat.FIRST else 1]
        return info is not None and info.wants_rematch

    def _status(self, opponent: SeatInfo | None) -> str:
        """What the player should know beside the board: a sentence that says what happens next."""
        match self.stage:
            case SeatStage.GONE:
                return self._status_when_gone()
            case SeatStage.WAITING if self._bot_problem:
                return f"The computer cannot play now: {self._bot_problem}."
            case SeatStage.WAITING if self._wants.bot and not self._kind.is_tournament:
                return "The computer is getting ready. The first time, a strong one takes a while."
            case SeatStage.WAITING if opponent is not None:
                return f"{_shown_name(opponent, 'Your opponent')} is asked to agree to your terms."
            case SeatStage.OVER:
                return self._status_after_match(opponent)
            case _ if opponent is not None and opponent.seconds_to_return is not None:
                other = _shown_name(opponent, "Your opponent")
                seconds = max(1, round(opponent.seconds_to_return))
                return (
                    f"{other} is not connected. The seat is kept for {seconds} seconds, and the"
                    " clock stands; then the game ends."
                )
            case _:
                return ""

    def _status_after_match(self, opponent: SeatInfo | None) -> str:
        other = _shown_name(opponent, "Your opponent")
        if self._kind.is_tournament:
            return "The tournament goes on. Stay: your next match begins by itself."
        if opponent is None and self._wants.bot:
            return "The computer has left. Play again to call it back."
        if opponent is None:
            return "Your opponent has left. Play again to wait for the next one."
        if opponent.wants_rematch:
            return f"{other} wants to play again."
        return f"{other} was asked to play again." if self._wants_rematch else ""

    def _status_when_gone(self) -> str:
        if not self._kind.is_tournament or not self._name_in_tournament:
            return ""
        trouble = self._person.error
        is_out = f"You are out of this tournament: {trouble}." if trouble else ""
        return f"{self._standings or is_out} You can sign up for the next tournament.".strip()

    def _verdict(self) -> str:
        """How the last match ended."""
        if self._result is None:
            return "The game is over."
        # The opponent may have left.
        sight = self._person.view
        first, second = (name or sight.opponent for name in self._names())
        return describe_end(self._result, sight, (first, second))

    def _seconds_left(self) -> float | None:
        if self._deadline is None or not self._person.is_playing:
            return None
        return max(0.0, self._deadline - self._hall.host.room_time(self._client))

    # What the room tells

    def _hear(self, notice: Notice[Any]) -> None:
        match notice:
            case PlayersChanged():
                self._note_players(notice)
            case ChatSent(name, text):
                self._messages.quote(name, text)
            case Refused(Refusal.FULL) if self._is_rejoining and self._may_wait_elsewhere:
                self._is_rejoining = False
                self._table = None
                self._submit([self._join()])
            case Refused(Refusal.FULL) if self._table is not None or self._wants.table is not None:
                is_new = self._table is None and self._wants.place is None
                self._messages.tell(TABLE_TAKEN if is_new else SEAT_LOST, is_bad=True)
                self._person.finish()
            case RequestRejected(reason) if self._is_new:
                self._messages.tell(f"{reason[:1].upper()}{reason[1:]}.", is_bad=True)
                self._person.finish()
            case RequestRejected(reason) if self._person.question is not None:
                # A form was refused: what a terminal is told fits no form.
                self._messages.tell(f"{reason[:1].upper()}{reason[1:]}.", is_bad=True)
            case _:
                notice, matches = self._note(notice), len(self._person.matches)
                self._submit(self._person.receive(notice))
                self._drop_what_was_told(notice)
                if len(self._person.matches) > matches:
                    self._tell_end()
                if isinstance(notice, TermsProposed) and notice.is_agreed:
                    # These are its own terms, or just what it wanted.
                    self._person.question = None
                if isinstance(notice, TermsProposed) and self._person.shown:
                    # In the words of the form, not by the names of the settings.
                    self._person.shown.clear()
                    self._messages.tell(f"The terms: {self._wanted()}.")
                if isinstance(notice, MatchBegan) and notice.seat is not None:
                    # Over a wire the first prompt tells a player its seat.
                    self._person.tell(f"You are the {SEAT_WORDS[notice.seat]}.")
        self._messages.gather(self._person)
        has_table = self._table is not None or self._kind.is_tournament
        if self._was_restarted and has_table and self.stage is SeatStage.PLAYING:
            self._was_restarted = False
            self._messages.tell("The server was restarted. Your game goes on.")
        if self._person.is_done and not self.is_gone:
            self._client.leave()
            self._end()
        self._publish_soon()

    def _drop_what_was_told(self, notice: Notice[Any]) -> None:
        """Leave out what a player who comes back to a match has heard when it began."""
        if not self._is_rejoining:
            return
        if isinstance(notice, TOLD_BEFORE):
            self._person.shown.clear()
        elif isinstance(notice, TurnBegan):
            self._is_rejoining = False

    def _tell_end(self) -> None:
        """Tell how the match ended, and keep it for when the next one is shown."""
        if self._match is not None and self._match == self._last_match:
            # A player who comes back is told again of a match that is over.
            return
        self._has_asked_rematch = False
        self._last_verdict, self._last_match = self._verdict(), self._match
        opponent = self._person.view.opponent if self._kind.is_tournament else ""
        text = tell_end(len(self._person.matches), self._last_verdict, opponent)
        self._messages.tell(text, match=self._match or "")

    def _note_next_match(self) -> None:
        """A match begins after another: a wire may let the opponent have it without asking."""
        opponent = self._opponent()
        if self._has_asked_rematch:
            self._last_verdict = ""
        elif opponent is not None and self._kind.kind is RoomKind.OPEN_TABLES:
            self._messages.tell(f"{_shown_name(opponent, 'Your opponent')} began another game.")

    @property
    def _may_wait_elsewhere(self) -> bool:
        """Whether a player who waited at a table that was given up may wait at any other."""
        is_first = not (self._person.matches or self._wants.bot)
        return is_first and self._wants.table is None and self.waits_alone

    @property
    def _is_new(self) -> bool:
        """Whether the room has not let the player in yet."""
        return self._table is None and not (self._kind.is_tournament or self._person.matches)

    def _note(self, notice: Notice[Any]) -> Notice[Any]:
        """Keep what the page shows and a terminal does not; return what is for both."""
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
                self._standings = describe_standings(notice, self._name_in_tournament)
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
            case Closed(reason) if not self._person.matches:
                self._messages.tell(f"{reason[:1].upper()}{reason[1:]}.", is_bad=True)
            case _:
                pass
        return notice

    def _tell_alias(self, alias: str) -> None:
        """Tell once what players at the doors see, if the room has a door that shows names."""
        if alias and alias != self._alias and self._kind.has_names_at_doors:
            self._messages.tell(f"Players who connect without a browser see you as {alias}.")
        self._alias = alias

    def _note_players(self, changed: PlayersChanged) -> None:
        self._table = changed
        person, opponent = self._person, self._opponent()
        own = None if person.view.seat is None else changed.players[person.view.seat.value - 1]
        if own is not None and own.name:
            # A player who comes back may have been given another name than it asked for.
            person.name = own.name
        if changed.match is not None:
            self._match = changed.match
        elif person.matches and not person.is_playing:
            # It waits for another match: the last one is not shown any more.
            person.view.begin()
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
        """Note that the bot of a call is gone; if it has not even come, say so."""
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

    def _do(self, act: Callable[[], list[Request[Any]]]) -> None:
        """Do something for the player. Raises RefusedError if that comes to nothing."""
        if self.is_gone:
            raise RefusedError("this game is over for you")
        before = self._messages.count
        requests = act()
        self._messages.gather(self._person)
        # The answer to the browser must count as newer than what it was shown before.
        self._version += 1
        self._submit(requests)
        if not requests:
            raise RefusedError(self._messages.last_fault_since(before) or "that cannot be done now")
        self._publish_soon()

    def _submit(self, requests: list[Request[Any]]) -> None:
        for request in requests:
            self._client.submit(request)

    def _end(self) -> None:
        self._presence = SeatPresence.GONE
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
        if self.topic.is_heard:
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


def _shown_name(info: SeatInfo | None, unnamed: str = "your opponent") -> str:
    """The name of a player, "" if there is none; on some wires players have no names."""
    return "" if info is None else info.name or unnamed


def _prompt(question: str) -> str:
    """What a page asks, for what a terminal asks in fewer words."""
    return "Choose another name" if question == NAME else question
