"""A room together with its journal: told again it is as it was, and time away is nobody's."""

import random
from collections.abc import Iterator
from enum import Enum
from functools import partial
from typing import Any

import msgspec
import pytest
from gamehall.rooms.kept_room import ENTRIES_TO_DROP, CannotResume, KeptRoom
from gamehall.rooms.ledger import NoLedger
from gamehall.rooms.reception import Reception
from hypothesis import given
from hypothesis import strategies as st

from gamehall.core import Game, Seat, SeededRandom, room_secrets, room_shuffler
from gamehall.games.ascension import EndTurn
from gamehall.games.catalogue import all_games
from gamehall.games.connect_four import Cell
from gamehall.games.go import Pass
from gamehall.games.santorini import Cell as Square
from gamehall.games.santorini import Place
from gamehall.match import Clock, Ending, MatchEnded, MovePlayed, TurnBegan
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.journal import Codec, Entry, is_worth_noting, tell_again
from gamehall.rooms.notices import (
    Closed,
    Refused,
    Seated,
    Snapshot,
    TermsQuestion,
    TournamentBegan,
)
from gamehall.rooms.policy import ClientPolicy, Keepalive
from gamehall.rooms.reaction import Peer
from gamehall.rooms.requests import (
    Answer,
    Arrive,
    AskAgain,
    BadAnswer,
    Chat,
    Confirm,
    EndOfInput,
    Join,
    Leave,
    Look,
    Lost,
    PlannedMove,
    Play,
    Pong,
    Probe,
    Rematch,
    Request,
    Resign,
    Return,
    Submit,
    UnreadableMove,
)
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.settings import BadSetting, DoorSettings, read_settings, room_terms
from tests.protocols.test_every_protocol import MESSAGES
from tests.support.memory_ledger import Begun, Ended, MemoryLedger, Written, keep
from tests.support.portraits import portrait

ANN, BOB, CAT = Peer(1), Peer(2), Peer(3)
SECONDS_TO_RETURN = 60.0
PROTOCOLS = [pytest.param(protocol, id=name) for name, protocol in all_protocols().items()]


def had_back(
    door: str, ledger: MemoryLedger, now: float, **settings: str
) -> tuple[KeptRoom[Any], str | None]:
    """The room of a later hall, and what that says of it."""
    room = keep(door, ledger, **settings)
    return room, room.resume(now, SECONDS_TO_RETURN)


def notices(deliveries: object, peer: Peer) -> list[object]:
    assert isinstance(deliveries, list | tuple)
    return [delivery.notice for delivery in deliveries if peer in delivery.peers]


def two_at_a_table(ledger: MemoryLedger, **settings: str) -> KeptRoom[Any]:
    """Ann and Bob at a table of TTTP; Ann has moved, at 102."""
    room = keep("tttp", ledger, **settings)
    room.ask(ANN, "tttp", Join("ann"), 100.0)
    room.ask(BOB, "tttp", Join("bob"), 101.0)
    room.ask(ANN, "tttp", Play(Cell(3, 5)), 102.0)
    return room


def come_back(room: KeptRoom[Any], peer: Peer, now: float) -> list[object]:
    """What a usher does for somebody who is known again, and what that hears."""
    room.reception.welcome_back(peer)
    room.look_at_clock(now)
    return notices(room.ask(peer, "tttp", Return(), now).deliveries, peer)


# What is written.


def test_a_room_that_was_told_nothing_has_no_journal() -> None:
    ledger = MemoryLedger()
    room = keep("ascension-http", ledger)
    answer = room.ask(ANN, "ascension-http", Look(), 1.0)
    assert [type(notice) for notice in notices(answer.deliveries, ANN)] == [Snapshot]
    assert answer.number is None
    assert ledger.works == []


def test_an_answer_comes_with_the_number_that_must_be_safe_before_it() -> None:
    ledger = MemoryLedger()
    room = keep("tttp", ledger)
    assert room.ask(ANN, "tttp", Join("ann"), 1.0).number == 2, "the first is the life itself"
    assert room.ask(ANN, "tttp", Play(Cell(0, 5)), 1.0).number == 3
    assert [type(work) for work in ledger.works] == [Begun, Written, Written]


def test_what_would_show_something_unsafe_waits_for_it_too() -> None:
    ledger = MemoryLedger()
    room = keep("ascension-http", ledger)
    joined = room.ask(ANN, "ascension-http", Join(""), 1.0)
    looked = room.ask(BOB, "ascension-http", Look(), 1.0)
    assert joined.number == looked.number == ledger.number


def test_a_move_that_is_refused_is_told_again_too() -> None:
    ledger = MemoryLedger()
    room = two_at_a_table(ledger)
    before = ledger.number
    room.ask(ANN, "tttp", Play(Cell(3, 4)), 103.0)
    assert ledger.number == before + 1


def test_talk_and_looking_are_not_written() -> None:
    ledger = MemoryLedger()
    room = two_at_a_table(ledger)
    before = ledger.number
    answer = room.ask(ANN, "tttp", Chat("hello"), 103.0)
    assert notices(answer.deliveries, BOB)
    assert ledger.number == before


def test_a_record_is_written_together_with_what_ended_the_match() -> None:
    ledger = MemoryLedger()
    room = two_at_a_table(ledger)
    room.ask(BOB, "tttp", Leave(None), 103.0)
    last = ledger.works[-1]
    assert isinstance(last, Written)
    [record] = last.records
    assert record.players == ("ann", "bob")
    assert room._room.records == []


def test_time_that_has_passed_is_written_only_if_something_was_due() -> None:
    ledger = MemoryLedger()
    room = two_at_a_table(ledger, turn_seconds="10")
    before = ledger.number
    assert room.deadline == 112.25
    assert room.tick(112.0).deliveries == ()
    assert ledger.number == before
    [ended] = notices(room.tick(112.25).deliveries, ANN)
    assert isinstance(ended, MatchEnded)
    assert ended.result.ending is Ending.OUT_OF_TIME
    assert ledger.number == before + 1
    assert len(ledger.records) == 1


def test_what_is_overdue_when_somebody_only_looks_is_written() -> None:
    """A room sees to that first, and a match may end by it."""
    ledger = MemoryLedger()
    room = keep("ascension-http", ledger, turn_timeout="10")
    room.ask(ANN, "", Join(""), 1.0)
    room.ask(BOB, "", Join(""), 2.0)
    before = ledger.number
    answer = room.ask(ANN, "", Look(), 12.25)
    [shown] = notices(answer.deliveries, ANN)
    assert isinstance(shown, Snapshot)
    assert shown.result is not None
    assert answer.number == ledger.number == before + 1
    assert [record.result.ending for record in ledger.records] == [Ending.OUT_OF_TIME]
    back, words = had_back("ascension-http", ledger, 1000.0, turn_timeout="10")
    assert words == "shows how its last match has ended"
    assert back.finished == 0
    [again] = notices(back.ask(ANN, "", Look(), 1001.0).deliveries, ANN)
    assert again == shown


def ended_game(ledger: MemoryLedger) -> KeptRoom[Any]:
    """A room in which a game of Ascension has ended at 12.0."""
    room = keep("ascension-http", ledger, turn_timeout="10", grace_ms="0")
    room.ask(ANN, "", Join(""), 1.0)
    room.ask(BOB, "", Join(""), 2.0)
    room.tick(12.0)
    assert room.is_over
    return room


def asked_once(room: KeptRoom[Any], request: Request[Any], now: float) -> Any:
    """What somebody is told who asks that."""
    [notice] = notices(room.ask(CAT, "", request, now).deliveries, CAT)
    return notice


def test_A_Q21_the_end_can_be_seen_after_each_restart_until_the_next_game() -> None:
    ledger = MemoryLedger()
    settings = {"turn_timeout": "10", "grace_ms": "0"}
    shown = asked_once(ended_game(ledger), Look(), 13.0)
    assert shown.result is not None
    for life in range(3):
        ledger = ledger.after_a_crash()
        room, _ = had_back("ascension-http", ledger, 1000.0 * (life + 1), **settings)
        assert asked_once(room, Look(), 1000.0 * (life + 1)) == shown
        # The time away is nobody's: the room's clock goes on where it was.
        assert isinstance(asked_once(room, Join(""), 1000.0 * (life + 1) + 1), Refused)
    assert isinstance(asked_once(room, Join(""), 3009.0), Seated)
    again, words = had_back("ascension-http", ledger.after_a_crash(), 4000.0, **settings)
    assert words is not None
    assert words.startswith("goes on where it was")
    assert asked_once(again, Look(), 4000.0).players == 1
    assert asked_once(again, Join(""), 4001.0) == Seated(Seat.SECOND)
    assert asked_once(again, Look(), 4001.0).result is None
    assert len(ledger.records) == 1


def test_A_Q21_a_game_that_was_given_up_is_recorded_once() -> None:
    ledger = MemoryLedger()
    room = keep("ascension-http", ledger)
    for peer in (ANN, BOB):
        room.ask(peer, "", Join(""), 1.0)
    room.ask(ANN, "", Submit(Seat.FIRST, (PlannedMove(EndTurn()),)), 100.0)
    assert isinstance(asked_once(room, Join(""), 699.0), Refused)
    assert asked_once(room, Join(""), 700.0) == Seated(Seat.FIRST)
    room.take_news()
    ledger = ledger.after_a_crash()
    back, _ = had_back("ascension-http", ledger, 5000.0)
    assert portrait(back._room) == portrait(room._room)
    assert [record.result.ending for record in ledger.records] == [Ending.CANCELLED]
    assert asked_once(back, Join(""), 5001.0) == Seated(Seat.SECOND)


def test_A_Q21_the_journal_of_games_that_have_ended_is_dropped_when_the_next_begins() -> None:
    ledger = MemoryLedger()
    room = ended_game(ledger)
    for _ in range(ENTRIES_TO_DROP):
        assert isinstance(asked_once(room, Join(""), 13.0), Refused)
    before = room.view().version
    assert room.finished == 1
    assert asked_once(room, Join(""), 30.0) == Seated(Seat.FIRST)
    assert (room._noted, room.finished) == (1, 1)
    assert room.view().version > before
    last = ledger.last("ascension-http")
    assert last is not None
    assert len(last[1]) == 1, "the next game is all that is replayed"
    back, _ = had_back(
        "ascension-http", ledger.after_a_crash(), 5000.0, turn_timeout="10", grace_ms="0"
    )
    assert asked_once(back, Join(""), 5001.0) == Seated(Seat.SECOND)


def test_without_a_ledger_nobody_waits() -> None:
    protocol = all_protocols()["tttp"]
    settings = protocol.settings()
    room: KeptRoom[Any] = KeptRoom(
        "tttp",
        partial(protocol.room, settings),
        b"",
        Codec(Cell),
        room_secrets(1, "tttp"),
        NoLedger(),
    )
    assert room.resume(0.0, SECONDS_TO_RETURN) is None
    assert room.ask(ANN, "tttp", Join("ann"), 1.0).number is None


# What is read.


def random_moves(game: Game[Any]) -> st.SearchStrategy[Any]:
    """Moves that are legal at some time in some game."""
    chance, position = random.Random(1), game.start(1)
    moves: list[Any] = []
    while position.outcome is None and len(moves) < 2000:
        legal = list(position.legal_moves())
        moves += legal
        position = position.after(chance.choice(legal))
    return st.sampled_from(sorted(set(moves), key=repr))


SECONDS = st.floats(0, 1e9)
WHOLE = st.integers(-(10**30), 10**30)
MANNERS = st.builds(
    ClientPolicy,
    clock=st.builds(Clock, st.none() | SECONDS, SECONDS),
    retries=st.integers(0, 10),
    probes_per_second=st.integers(0, 10),
    keepalive=st.none() | st.builds(Keepalive, SECONDS, SECONDS),
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


def requests(moves: st.SearchStrategy[Any]) -> st.SearchStrategy[Request[Any]]:
    """Every request there is, about these moves."""
    seats, maybe = st.sampled_from(Seat), st.none() | TEXTS
    wishes = st.builds(PlannedMove, moves, st.lists(maybe, max_size=3).map(tuple))
    wanted = st.lists(wishes | st.builds(UnreadableMove, TEXTS), max_size=3).map(tuple)
    return st.one_of(
        *(st.builds(kind) for kind in (Arrive, Resign, AskAgain, Pong, Rematch, EndOfInput)),
        *(st.builds(kind) for kind in (Return, Lost)),
        st.builds(Join, TEXTS, MANNERS),
        st.builds(Answer, maybe, TEXTS),
        st.builds(Confirm, st.booleans()),
        st.builds(Play, moves),
        st.builds(Submit, seats, wanted, maybe, maybe),
        st.builds(Look, st.none() | seats, maybe, st.none() | st.integers(-1, 10**9)),
        st.builds(BadAnswer, TEXTS),
        st.builds(Probe, st.none() | moves),
        st.builds(Chat, TEXTS),
        st.builds(Leave, maybe),
    )


BY_GAME = {name: random_moves(game()) for name, game in all_games().items()}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(choice=st.data())
def test_every_entry_round_trips(protocol: AnyProtocol, choice: st.DataObject) -> None:
    request = choice.draw(requests(BY_GAME[protocol.game]))
    peer = choice.draw(st.integers(1, 2**53).map(Peer))
    entry: Entry[Any] = Entry(choice.draw(SECONDS), peer, request, choice.draw(TEXTS))
    codec: Codec[Any] = Codec(protocol.moves)
    assert codec.decode(codec.encode(entry)) == entry
    passing: Entry[Any] = Entry(entry.now)
    assert codec.decode(codec.encode(passing)) == passing


@pytest.mark.parametrize("row", [-1, 2**64, 10**40])
def test_moves_far_off_the_board_round_trip_too(row: int) -> None:
    """001: a placement is two numbers, of any size."""
    codec: Codec[Any] = Codec(all_protocols()["santorini-tournament"].moves)
    entry: Entry[Any] = Entry(1.0, ANN, Play(Place(Square(row, 0))))
    assert codec.decode(codec.encode(entry)) == entry


def test_only_talk_and_looking_are_not_worth_noting() -> None:
    assert not is_worth_noting(Look())
    assert not is_worth_noting(Chat("hello"))
    assert is_worth_noting(Leave(None))
    assert is_worth_noting(Pong())


class Conversation:
    """Peers who say what clients say in the transcripts, to a room with a ledger."""

    def __init__(self, protocol: AnyProtocol) -> None:
        self.ledger = MemoryLedger()
        self.room = keep(protocol.name, self.ledger)
        self._open_session = protocol.sessions(protocol.settings())
        self._door = protocol.name
        self._now = 1000.0
        self._sessions: dict[Peer, Any] = {}

    def send(self, peer: Peer, message: bytes) -> None:
        if peer not in self._sessions:
            self._sessions[peer] = self._open_session(self._now)
        self._sessions[peer].receive_data(message, self._now)
        self._work()

    def wait(self, seconds: float) -> None:
        self._now += seconds
        self._deliver(self.room.tick(self._now).deliveries)
        for session in self._sessions.values():
            session.tick(self._now)
        self._work()

    def _work(self) -> None:
        is_busy = True
        while is_busy:
            is_busy = False
            for peer, session in self._sessions.items():
                request = session.next_request()
                session.pending_output = b""
                if request is not None:
                    is_busy = True
                    answer = self.room.ask(peer, self._door, request, self._now)
                    self._deliver(answer.deliveries)

    def _deliver(self, deliveries: Any) -> None:
        self.room.take_news()
        for delivery in deliveries:
            for peer in delivery.peers:
                session = self._sessions.get(peer)
                if session is not None and not session.closed:
                    session.send(delivery.notice)


@st.composite
def conversations(draw: st.DrawFn, protocol: AnyProtocol) -> Conversation:
    talk = Conversation(protocol)
    said = [message for message in MESSAGES[protocol.name] if b"CHAT" not in message]
    steps = st.tuples(st.integers(1, 4).map(Peer), st.sampled_from(said) | st.floats(0.0, 20.0))
    for peer, step in draw(st.lists(steps, max_size=30)):
        if isinstance(step, float):
            talk.wait(step)
        else:
            talk.send(peer, step)
    return talk


def retold(protocol: AnyProtocol, ledger: MemoryLedger) -> tuple[Any, Reception]:
    """A fresh room that was told what the ledger has, without a KeptRoom."""
    past = ledger.last(protocol.name)
    assert past is not None
    room, reception = protocol.room(protocol.settings(), room_shuffler(past[0].seed)), Reception()
    codec: Codec[Any] = Codec(protocol.moves)
    tell_again(room, reception, [codec.decode(entry) for entry in past[1]])
    return room, reception


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(choice=st.data())
def test_a_room_that_is_told_again_is_as_it_was(
    protocol: AnyProtocol, choice: st.DataObject
) -> None:
    talk = choice.draw(conversations(protocol))
    if talk.ledger.last(protocol.name) is None:
        return
    room, reception = retold(protocol, talk.ledger)
    assert portrait(room) == portrait(talk.room._room)
    assert portrait(reception.known) == portrait(talk.room.reception.known)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(choice=st.data())
def test_wherever_the_ledger_ends_the_room_can_be_had_back(
    protocol: AnyProtocol, choice: st.DataObject
) -> None:
    talk = choice.draw(conversations(protocol))
    left = talk.ledger.after_a_crash(choice.draw(st.integers(0, talk.ledger.number)))
    if left.last(protocol.name) is None:
        return
    room, reception = retold(protocol, left)
    records = list(left.records)
    back, words = had_back(protocol.name, left, 5000.0)
    assert (words is not None) == room.is_worth_restoring
    assert left.records[: len(records)] == records
    if words is not None:
        assert back.reception.known.keys() >= reception.known.keys() & back.reception.known.keys()
        again = left.after_a_crash()
        had_back(protocol.name, again, 9000.0)
        ended = [(record.seed, record.players) for record in again.records]
        assert len(ended) == len(set(ended)), "no match ends twice"


# Coming back.


def test_a_room_goes_on_where_it_was() -> None:
    ledger = MemoryLedger()
    two_at_a_table(ledger)
    back, words = had_back("tttp", ledger.after_a_crash(), 1000.0)
    assert words == "goes on where it was; 2 may come back to it"
    assert back.finished == 0
    assert back.highest_peer == BOB
    seated, turn = come_back(back, BOB, 1001.0)
    assert seated == Seated(Seat.SECOND)
    assert isinstance(turn, TurnBegan)
    assert turn.seat is Seat.SECOND
    [played] = notices(back.ask(BOB, "tttp", Play(Cell(3, 4)), 1002.0).deliveries, ANN)
    assert isinstance(played, MovePlayed)


def test_what_was_not_safe_when_the_hall_died_did_not_happen() -> None:
    ledger = MemoryLedger()
    two_at_a_table(ledger)
    back, _ = had_back("tttp", ledger.after_a_crash(ledger.number - 1), 1000.0)
    _, turn = come_back(back, ANN, 1001.0)
    assert isinstance(turn, TurnBegan)
    assert turn.seat is Seat.FIRST


def test_a_life_goes_on_in_the_same_journal_however_often_the_hall_dies() -> None:
    ledger = MemoryLedger()
    two_at_a_table(ledger)
    for life in range(3):
        ledger = ledger.after_a_crash()
        back, _ = had_back("tttp", ledger, 1000.0 * life)
        come_back(back, ANN, 1000.0 * life + 1)
        come_back(back, BOB, 1000.0 * life + 1)
        mover = (BOB, ANN)[life % 2]
        back.ask(mover, "tttp", Play(Cell(3, 4 - life)), 1000.0 * life + 2)
    assert [type(work) for work in ledger.works].count(Begun) == 1
    room, _ = retold(all_protocols()["tttp"], ledger)
    [(table, _), _] = room._places.values()
    assert bytes(table._referee.position.spots).count(0) == 42 - 4


def test_the_clock_stands_until_everybody_is_back() -> None:
    ledger = MemoryLedger()
    two_at_a_table(ledger, turn_seconds="10")
    back, _ = had_back("tttp", ledger, 1000.0, turn_seconds="10")
    assert back.deadline == 1000.0 + SECONDS_TO_RETURN
    come_back(back, ANN, 1020.0)
    assert back.tick(1050.0).deliveries == (), "Bob's turn is not over, for the clock stands"
    assert back.deadline == 1000.0 + SECONDS_TO_RETURN
    come_back(back, BOB, 1055.0)
    assert back.deadline == 1055.0 + 10.25
    [ended] = notices(back.tick(1065.25).deliveries, BOB)
    assert isinstance(ended, MatchEnded)
    [record] = ledger.records
    assert record.result.ending is Ending.OUT_OF_TIME
    assert record.moves[0].seconds == 1.0


def test_a_turn_of_somebody_without_a_name_has_lost_nothing_of_its_time() -> None:
    ledger = MemoryLedger()
    room = keep("ascension-http", ledger, turn_timeout="10")
    room.ask(ANN, "", Join(""), 1.0)
    room.ask(BOB, "", Join(""), 2.0)
    room.ask(CAT, "", Submit(Seat.SECOND, (PlannedMove(EndTurn()),)), 5.0)
    back, _ = had_back("ascension-http", ledger, 1000.0, turn_timeout="10")
    assert back.deadline == 1000.0 + 10.25 - 3.0
    wish = Submit(Seat.FIRST, (PlannedMove(EndTurn()),))
    [shown] = notices(back.ask(Peer(9), "", wish, 1007.0).deliveries, Peer(9))
    assert isinstance(shown, Snapshot)
    assert shown.error == ""


def test_a_tournament_has_its_time_back_too() -> None:
    ledger = MemoryLedger()
    room = keep("santorini-tournament", ledger, players="2")
    policy = ClientPolicy(clock=Clock(5.0))
    room.ask(ANN, "santorini-tournament", Join("ann", policy), 1.0)
    room.ask(BOB, "santorini-tournament", Join("bob", policy), 2.0)
    back, _ = had_back("santorini-tournament", ledger, 500.0, players="2")
    assert back.tick(550.0).deliveries == ()
    heard = come_back(back, ANN, 551.0)
    assert any(isinstance(notice, TournamentBegan) for notice in heard)
    come_back(back, BOB, 552.0)
    assert back.deadline == pytest.approx(557.25)


def test_who_does_not_come_back_is_given_up_and_the_clock_goes_on() -> None:
    ledger = MemoryLedger()
    two_at_a_table(ledger, turn_seconds="10", on_leave="award")
    back, _ = had_back("tttp", ledger, 1000.0, turn_seconds="10", on_leave="award")
    come_back(back, BOB, 1001.0)
    assert back.reception.give_up(1059.9) == []
    assert back.reception.give_up(1060.0) == [ANN]
    [ended] = notices(back.ask(ANN, "", Leave(None), 1060.0).deliveries, BOB)
    assert isinstance(ended, MatchEnded)
    assert ended.result.winner is Seat.SECOND
    back.look_at_clock(1060.0)
    assert not back.reception.waits
    assert len(ledger.records) == 1


def test_whoever_cannot_come_back_is_lost_and_a_match_is_cancelled_once() -> None:
    ledger = MemoryLedger()
    two_at_go(ledger)
    ledger = ledger.after_a_crash()
    back, _ = had_back("go-text", ledger, 1000.0)
    assert [record.result.ending for record in ledger.records] == [Ending.CANCELLED]
    assert not back.reception.waits
    again, words = had_back("go-text", ledger.after_a_crash(), 2000.0)
    assert words is None
    assert len(ledger.records) == 1
    assert [type(n) for n in notices(again.ask(CAT, "", Arrive(), 2001.0).deliveries, CAT)] == [
        TermsQuestion
    ]


def test_who_comes_and_goes_without_a_word_is_not_written_down() -> None:
    """Over HTTP a connection is a peer, and there are many of them."""
    ledger = MemoryLedger()
    room = keep("ascension-http", ledger)
    room.ask(Peer(1), "", Join(""), 1.0)
    before = ledger.number
    for number in range(1, 100):
        room.ask(Peer(number), "", Pong(), 2.0)
        room.ask(Peer(number), "", BadAnswer("nonsense"), 2.0)
        room.ask(Peer(number), "", Leave(None), 2.0)
    assert ledger.number == before
    had_back("ascension-http", ledger, 1000.0)
    assert ledger.number == before, "nobody is lost who is nobody"


def test_what_strangers_say_is_not_written_down() -> None:
    arrivals: list[tuple[str, Request[Any]]] = [
        ("tttp", Join("ann")),
        ("santorini-lobby", Join("ann")),
        ("go-text", Arrive()),
    ]
    for door, first in arrivals:
        ledger = MemoryLedger()
        room = keep(door, ledger)
        room.ask(ANN, door, first, 1.0)
        before = ledger.number
        for request in (EndOfInput(), Leave("nonsense"), Pong(), BadAnswer("nonsense")):
            room.ask(BOB, door, request, 2.0)
        assert ledger.number == before, door


def test_who_submits_without_the_token_is_not_written_down() -> None:
    ledger = MemoryLedger()
    room = keep("ascension-http", ledger, tokens="true")
    for peer in (ANN, BOB):
        room.ask(peer, "", Join(""), 1.0)
    before = ledger.number
    wishes = (PlannedMove(EndTurn()),)
    answer = room.ask(ANN, "", Submit(Seat.FIRST, wishes, "another token"), 2.0)
    assert answer.deliveries, "it is told so"
    assert ledger.number == before


def test_a_room_in_which_nothing_goes_on_is_not_had_back() -> None:
    ledger = MemoryLedger()
    room = keep("tttp", ledger)
    room.ask(ANN, "tttp", Join("ann"), 1.0)
    room.ask(ANN, "tttp", Leave(None), 2.0)
    back, words = had_back("tttp", ledger, 1000.0)
    assert words is None
    assert isinstance(ledger.works[-1], Ended)
    assert back.deadline is None


def test_a_life_of_which_only_the_beginning_was_safe_is_no_life() -> None:
    ledger = MemoryLedger()
    keep("tttp", ledger).ask(ANN, "tttp", Join("ann"), 1.0)
    left = ledger.after_a_crash(1)
    _, words = had_back("tttp", left, 1000.0)
    assert words is None
    assert left.last("tttp") is None


def test_a_room_that_is_quiet_begins_anew_and_its_journal_is_dropped() -> None:
    ledger = MemoryLedger()
    room = two_at_a_table(ledger)
    for _ in range(ENTRIES_TO_DROP):
        room.ask(ANN, "tttp", Rematch(), 102.5)
    room.begin_anew_if_quiet()
    assert ledger.last("tttp") is not None
    room.ask(ANN, "tttp", Leave(None), 103.0)
    room.ask(BOB, "tttp", Leave(None), 103.0)
    room.begin_anew_if_quiet()
    assert ledger.last("tttp") is None
    assert room.finished == 1, "what was finished stays so"
    room.ask(CAT, "tttp", Join("cat"), 200.0)
    seeds = [work.epoch.seed for work in ledger.works if isinstance(work, Begun)]
    assert len(set(seeds)) == 2
    assert len(ledger.records) == 1


def test_a_room_does_not_begin_anew_while_a_place_is_kept_in_it() -> None:
    ledger = MemoryLedger()
    room = keep("tttp", ledger)
    room.ask(ANN, "tttp", Join("ann"), 1.0)
    for _ in range(ENTRIES_TO_DROP):
        room.ask(ANN, "tttp", Rematch(), 2.0)
    room.reception.lose(ANN, 60.0)
    room.begin_anew_if_quiet()
    assert ledger.last("tttp") is not None


def test_a_short_journal_is_kept_though_the_room_is_quiet() -> None:
    """Those who come and go would have many rooms be made."""
    ledger = MemoryLedger()
    room = keep("tttp", ledger)
    for peer in (ANN, BOB, CAT):
        room.ask(peer, "tttp", Join("ann"), 1.0)
        room.ask(peer, "tttp", Leave(None), 2.0)
        room.begin_anew_if_quiet()
    assert [type(work) for work in ledger.works].count(Begun) == 1
    _, words = had_back("tttp", ledger, 1000.0)
    assert words is None, "nothing goes on"


def test_whoever_is_turned_away_from_an_empty_room_leaves_no_trace() -> None:
    ledger = MemoryLedger()
    room = keep("tttp", ledger)
    answer = room.ask(ANN, "tttp", Join(" "), 1.0)
    assert isinstance(notices(answer.deliveries, ANN)[0], Refused)
    room.ask(ANN, "tttp", Leave(None), 2.0)
    assert ledger.works == []


def two_at_go(ledger: MemoryLedger, **settings: str) -> KeptRoom[Any]:
    """Ann and Bob, who play Go; Ann has passed, at 3."""
    room = keep("go-text", ledger, **settings)
    room.ask(ANN, "go-text", Arrive(), 1.0)
    room.ask(BOB, "go-text", Arrive(), 1.0)
    for text in ("9", "black", "0", "6.5"):
        room.ask(ANN, "go-text", Answer(None, text), 1.0)
    for peer in (ANN, BOB):
        room.ask(peer, "go-text", Confirm(agrees=True), 2.0)
    room.ask(ANN, "go-text", Play(Pass()), 3.0)
    return room


def test_a_room_that_is_set_otherwise_begins_anew_and_the_old_one_waits() -> None:
    ledger = MemoryLedger()
    two_at_go(ledger)
    other, words = had_back("go-text", ledger, 1000.0, scoring="area")
    assert words == "begins anew, since it was set otherwise when something went on in it"
    assert other.reception.known == {}
    assert ledger.records == []
    _, words = had_back("go-text", ledger, 2000.0)
    assert words is not None
    assert words.startswith("goes on where it was")
    assert len(ledger.records) == 1


def other_values(value: object) -> Iterator[object]:
    """Values near this one, some of which may be allowed."""
    match value:
        case bool():
            yield not value
        case Enum():
            yield from (member.value for member in type(value) if member is not value)
        case int() | float():
            yield from (value + 1, value - 1)
        case _:
            pass


@pytest.mark.parametrize(
    "protocol", [pytest.param(protocol, id=name) for name, protocol in all_protocols().items()]
)
def test_whatever_makes_another_room_is_a_setting_of_the_room(protocol: AnyProtocol) -> None:
    """Otherwise a journal would be told to a room with other rules."""
    default = protocol.settings()
    usual = portrait(protocol.room(default, SeededRandom(1)), without=(DoorSettings,))
    matters = set()
    for field in msgspec.structs.fields(protocol.settings):
        for value in other_values(getattr(default, field.name)):
            try:
                changed = read_settings(protocol.settings, {field.encode_name: value}, "")
            except BadSetting:
                continue
            room = protocol.room(changed, SeededRandom(1))
            if portrait(room, without=(DoorSettings,)) != usual:
                matters.add(field.encode_name)
    assert matters <= room_terms(default).keys()


def test_a_journal_that_cannot_be_read_says_what_to_do() -> None:
    ledger = MemoryLedger()
    two_at_a_table(ledger)
    ledger.works.append(Written("life 0", b'[1.0,1,{"type":"Dance"}]', ()))
    with pytest.raises(CannotResume, match=r"journal of tttp cannot be read.*--fresh"):
        had_back("tttp", ledger, 1000.0)


def test_who_is_refused_is_not_waited_for() -> None:
    ledger = MemoryLedger()
    room = two_at_a_table(ledger)
    [refused] = notices(room.ask(CAT, "tttp", Join("ann"), 103.0).deliveries, CAT)
    assert isinstance(refused, Refused)
    back, _ = had_back("tttp", ledger, 1000.0)
    assert back.reception.known.keys() == {ANN, BOB}


def test_who_was_sent_away_is_not_waited_for() -> None:
    ledger = MemoryLedger()
    room = two_at_a_table(ledger)
    [dismissed] = [
        notice
        for notice in notices(room.ask(BOB, "tttp", EndOfInput(), 103.0).deliveries, BOB)
        if isinstance(notice, Closed)
    ]
    assert dismissed.reason == "hung up"
    back, _ = had_back("tttp", ledger, 1000.0)
    assert back.reception.known.keys() == {ANN}


def test_the_only_tournament_is_over_when_it_has_ended() -> None:
    """A hall that is opened again for one tournament would wait for its end for ever."""
    ledger = MemoryLedger()
    room = keep("santorini-tournament", ledger, players="2", once="true")
    room.ask(ANN, "santorini-tournament", Join("ann"), 1.0)
    room.ask(BOB, "santorini-tournament", Join("bob"), 2.0)
    room.ask(ANN, "santorini-tournament", Leave("fault"), 3.0)
    room.ask(BOB, "santorini-tournament", Leave("fault"), 3.0)
    assert room.finished == 1
    _, words = had_back("santorini-tournament", ledger, 1000.0, players="2", once="true")
    assert words is None
