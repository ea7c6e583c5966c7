"""One table: two seats, spectators, and the match between them."""

from collections.abc import Callable, Iterator
from typing import Generic

from gamehall.core import Game, MoveT, Seat, SeededRandom
from gamehall.match import (
    Ending,
    MatchEnded,
    MatchEvent,
    MovePlayed,
    MoveRefused,
    Record,
    Referee,
)
from gamehall.rooms.chat_history import ChatHistory
from gamehall.rooms.notices import ChatRejected, ChatSent, Seated
from gamehall.rooms.reaction import Delivery, Peer
from gamehall.rooms.terms import LeaveRule, RematchRule, TableTerms
from gamehall.rooms.token_bucket import TokenBucket
from gamehall.rooms.view import TableView, view_table


class Member:
    """Somebody at a table: in a seat or, if `seat` is None, watching."""

    __slots__ = ("letters_left", "must_go", "name", "peer", "sayings_left", "seat")

    def __init__(self, peer: Peer, name: str, terms: TableTerms) -> None:
        self.peer = peer
        self.name = name
        self.seat: Seat | None = None
        self.must_go = False
        """Whether it has tried more illegal moves than the terms allow."""
        self.sayings_left = TokenBucket(terms.sayings_per_second, at_once=terms.sayings_per_second)
        self.letters_left = TokenBucket(terms.letters_per_second, at_once=terms.letters_per_second)


class Table(Generic[MoveT]):
    """Two seats, any spectators and one match after the other.

    The board is live as soon as somebody sits down. What a table cannot know, such as whether a
    name is free, its room has seen to before.
    """

    def __init__(
        self,
        number: int,
        game: Game[MoveT],
        terms: TableTerms,
        shuffler: SeededRandom,
        match_ended: Callable[[Record], None],
    ) -> None:
        """`match_ended` hears of every match between two players that has come to a result."""
        self.number = number
        self._match_ended = match_ended
        self._game = game
        self._terms = terms
        self._shuffler = shuffler
        self._players: dict[Seat, Member] = {}
        self._names = dict.fromkeys(Seat, "")
        """Who sits or has sat last in each seat."""
        self._spectators: dict[Peer, Member] = {}
        self._listeners: dict[Peer, Member] = {}
        """Those spectators who have hung up, the first of them first."""
        self._everybody: tuple[Peer, ...] = ()
        self._talk = ChatHistory(terms)
        self._changes = 0
        """How often something has changed that can be seen, save in the match and the talk."""
        self._lay_fresh_board()

    @property
    def name(self) -> str:
        """What it is called in its room."""
        return f"table-{self.number + 1}"

    @property
    def version(self) -> int:
        """A higher one whenever something has changed that can be seen."""
        return self._changes + self._referee.steps + self._talk.said

    @property
    def deadline(self) -> float | None:
        """When the turn is over, None if nobody's time is running."""
        return self._referee.deadline

    @property
    def free_seat(self) -> Seat | None:
        """The seat that the next player gets: the first one first."""
        return next((seat for seat in Seat if seat not in self._players), None)

    @property
    def _is_decided(self) -> bool:
        """Whether the match has come to a result, and was not cancelled."""
        result = self._referee.result
        return result is not None and result.ending is not Ending.CANCELLED

    @property
    def _needs_second(self) -> bool:
        return self._terms.wait_for_second and len(self._players) < len(Seat)

    @property
    def waiting_players(self) -> str | None:
        """The name of a player who waits for another.

        A player at a board on which a game was decided does not: an opponent who sat down would
        clear it (T-Q13). It waits again when it has asked for a fresh board.
        """
        if len(self._players) != 1 or self._is_decided:
            return None
        [player] = self._players.values()
        return player.name

    @property
    def can_be_watched(self) -> bool:
        """Whether one more spectator may come, if need be in the place of a listener."""
        return len(self._spectators) - len(self._listeners) < self._terms.spectators

    def listener_in_the_way(self) -> Member | None:
        """The listener who must make way for one more spectator."""
        if len(self._spectators) < self._terms.spectators:
            return None
        return next(iter(self._listeners.values()), None)

    def listen_only(self, member: Member) -> None:
        """A spectator has hung up its own line: it watches on while its place is not needed."""
        self._listeners[member.peer] = member

    def members(self) -> Iterator[Member]:
        """Everybody at the table, the players first."""
        yield from self._players.values()
        yield from self._spectators.values()

    def view(self) -> TableView[MoveT] | None:
        """What somebody who looks on can see, None if nobody is here."""
        if not self._everybody:
            return None
        is_over = self._referee.result is not None
        first, second = (
            self._names[seat] if seat in self._players or is_over else None for seat in Seat
        )
        return view_table(
            self.name,
            self.version,
            self._game,
            self._referee,
            players=(first or None, second or None),
            spectators=len(self._spectators),
            is_open=self.free_seat is not None,
            needs_second=self._needs_second,
            is_match=self._contested,
            talk=self._talk.last,
            hears_remarks=self._terms.spectators_may_say,
        )

    def sit(self, member: Member, now: float) -> list[Delivery[MoveT]]:
        """A newcomer takes the free seat. Not checked: that there is one.

        A match that is over makes way for a new one, whatever its result: a newcomer never
        inherits a finished game (T-Q12, T-Q13).
        """
        seat = self.free_seat
        assert seat is not None
        member.seat = seat
        self._players[seat] = member
        self._names[seat] = member.name
        self._list_everybody()
        if self._referee.result is not None:
            self._clear_board()
        return [Delivery((member.peer,), Seated(seat)), self._begin(now)]

    def watch(self, member: Member) -> list[Delivery[MoveT]]:
        """`member` becomes a spectator. Not checked: that there is room to watch."""
        self._spectators[member.peer] = member
        self._list_everybody()
        to = (member.peer,)
        return [Delivery(to, Seated(None)), Delivery(to, self._referee.standing())]

    def welcome_back(self, member: Member, now: float) -> list[Delivery[MoveT]]:
        """A member has been away: it hears what a newcomer does, and its turn begins anew."""
        is_on_turn = member.seat is self._referee.position.to_move
        standing = self._referee.standing()
        if is_on_turn and self._contested:
            due = self.deadline
            standing = self._referee.ask_again(now)
            self._changes += self.deadline != due
        to = (member.peer,)
        return [Delivery(to, Seated(member.seat)), Delivery(to, standing)]

    def play(self, member: Member, move: MoveT, now: float) -> list[Delivery[MoveT]]:
        """A player moves. Spectators, and those who must wait for an opponent, are not heard."""
        seat = member.seat
        if seat is None or self._needs_second:
            return []
        events = self._referee.play(seat, move, now)
        last = events[-1]
        if type(last) is MovePlayed:
            return [Delivery(self._everybody, last)]
        if type(last) is MoveRefused:
            member.must_go = last.in_a_row >= self._terms.illegal_moves_allowed
            return [Delivery((member.peer,), last)]
        return self._report(events)

    def say(self, member: Member, text: str, now: float) -> list[Delivery[MoveT]]:
        """Passes on what somebody says to everybody else. Too much of it is dropped."""
        may = member.seat is not None or self._terms.spectators_may_say
        if not (text and may and member.sayings_left.take(1, now)):
            return []
        if not (
            member.letters_left.take(len(text), now) and self._talk.take(member.name, text, now)
        ):
            return []
        others = tuple(peer for peer in self._everybody if peer != member.peer)
        return [Delivery(others, ChatSent(member.name, text))]

    def hear(self, peer: Peer, name: str, text: str, now: float) -> list[Delivery[MoveT]]:
        """Passes on what somebody says who only looks on, who is told so or why not."""
        reason = None
        if not self._everybody:
            reason = "nobody is at that table"
        elif not self._terms.spectators_may_say:
            reason = "only players may talk at this table"
        elif not text:
            reason = "nothing was said"
        elif not self._talk.take_remark(name, text, now):
            reason = "too many talk at this table just now: try again in a moment"
        if reason is not None:
            return [Delivery((peer,), ChatRejected(reason))]
        return [Delivery((*self._everybody, peer), ChatSent(name, text))]

    def rematch(self, member: Member, now: float) -> list[Delivery[MoveT]]:
        """A player asks for a fresh board."""
        if member.seat is None:
            return []
        self._rematch_asked.add(member.seat)
        match self._terms.rematch:
            case RematchRule.FINISHED if self._referee.result is None:
                return []
            case RematchRule.BOTH if self._rematch_asked < self._players.keys():
                return []
        self._clear_board()
        return [self._begin(now)]

    def leave(self, member: Member, reason: str) -> list[Delivery[MoveT]]:
        """`member` is no longer here. A match that has lost a player ends as the terms say."""
        if member.seat is None:
            del self._spectators[member.peer]
            self._listeners.pop(member.peer, None)
            self._list_everybody()
            return []
        seat = member.seat
        del self._players[seat]
        self._rematch_asked.discard(seat)
        self._list_everybody()
        award = self._terms.on_leave is LeaveRule.AWARD and self._contested
        ending = Ending.LEFT if award else Ending.CANCELLED
        deliveries = self._report(self._referee.retire(seat, ending, reason))
        if not self._players:
            self._clear_board()
        return deliveries

    def tick(self, now: float) -> list[Delivery[MoveT]]:
        """Time has passed."""
        return self._report(self._referee.tick(now))

    def _clear_board(self) -> None:
        """A new match, not yet begun, in the place of another. Nobody is told."""
        self._changes += self._referee.steps + 1
        self._lay_fresh_board()

    def _lay_fresh_board(self) -> None:
        """A new match, not yet begun. Nobody is told."""
        self._referee = Referee(self._game, self._terms.clock, self._shuffler.seed())
        self._contested = False
        """Whether two players have been at this match."""
        self._rematch_asked: set[Seat] = set()

    def _report(self, events: list[MatchEvent[MoveT]]) -> list[Delivery[MoveT]]:
        """Tells everybody what happened in the match."""
        if not events:
            return []
        if self._contested and type(events[-1]) is MatchEnded:
            self._match_ended(self._referee.record(*self._names.values()))
        return [Delivery(self._everybody, happening) for happening in events]

    def _begin(self, now: float) -> Delivery[MoveT]:
        """Starts the clock if both players are there, and shows where the match stands."""
        if len(self._players) < 2:
            return Delivery(self._everybody, self._referee.standing())
        self._contested = True
        return Delivery(self._everybody, self._referee.begin(now))

    def _list_everybody(self) -> None:
        self._everybody = tuple(member.peer for member in self.members())
        self._changes += 1
        if not self._everybody:
            self._talk.forget()
