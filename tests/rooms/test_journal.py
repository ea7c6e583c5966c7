"""Journals: the encoding of entries, replays and compactions."""

import random
from collections.abc import Iterator
from enum import Enum
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamehall.core import Game, Seat, SeededRandom
from gamehall.games.ascension import EndTurn
from gamehall.games.catalogue import all_games
from gamehall.games.santorini import Cell as Square
from gamehall.games.santorini import Place
from gamehall.match import Clock, Ending
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.journal import NoJournal, RoomSpec, replay
from gamehall.rooms.notices import Refused, Seated
from gamehall.rooms.polled_table import PolledTable
from gamehall.rooms.presence import Presence
from gamehall.rooms.requests import (
    Answer,
    Arrive,
    AskAgain,
    BadAnswer,
    Chat,
    ClientPolicy,
    Confirm,
    EndOfInput,
    Join,
    Keepalive,
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
    SpectatorChat,
    Submit,
    UnreadableMove,
)
from gamehall.rooms.room import Codec, Entry, Peer, Room
from gamehall.rooms.secrets import SecretRandom
from gamehall.server.hosted_room import ENTRIES_TO_COMPACT, HostedRoom
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.settings import DoorSettings, SettingError, read_settings, room_terms
from tests.protocols.test_every_protocol import MESSAGES
from tests.support.hosted import KEY, Hosted, MemoryJournal
from tests.support.object_state import describe_state

ANN = Peer(1)
PROTOCOLS = [pytest.param(protocol, id=name) for name, protocol in all_protocols().items()]


# Entries.


def random_moves(game: Game[Any]) -> st.SearchStrategy[Any]:
    """Return a strategy of moves that are legal at some time in a random game."""
    chance, position = random.Random(1), game.start(1)
    moves: list[Any] = []
    while position.outcome is None and len(moves) < 2000:
        legal = list(position.legal_moves())
        moves += legal
        position = position.after(chance.choice(legal))
    return st.sampled_from(sorted(set(moves), key=repr))


SECONDS = st.floats(0, 1e9)
WHOLE = st.integers(-(10**30), 10**30)
POLICIES = st.builds(
    ClientPolicy,
    clock=st.builds(Clock, st.none() | SECONDS, SECONDS),
    retries=st.integers(0, 10),
    probes_per_second=st.integers(0, 10),
    keepalive=st.none() | st.builds(Keepalive, SECONDS, SECONDS),
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


def requests(moves: st.SearchStrategy[Any]) -> st.SearchStrategy[Request[Any]]:
    """Return a strategy of all requests with these moves."""
    seats, maybe = st.sampled_from(Seat), st.none() | TEXTS
    wishes = st.builds(PlannedMove, moves, st.lists(maybe, max_size=3).map(tuple))
    wanted = st.lists(wishes | st.builds(UnreadableMove, TEXTS), max_size=3).map(tuple)
    return st.one_of(
        *(st.builds(kind) for kind in (Arrive, Resign, AskAgain, Pong, Rematch, EndOfInput)),
        *(st.builds(kind) for kind in (Return, Lost)),
        st.builds(Join, TEXTS, POLICIES),
        st.builds(Answer, maybe, TEXTS),
        st.builds(Confirm, st.booleans()),
        st.builds(Play, moves),
        st.builds(Submit, seats, wanted, maybe, maybe),
        st.builds(Look, st.none() | seats, maybe, st.none() | st.integers(-1, 10**9)),
        st.builds(BadAnswer, TEXTS),
        st.builds(Probe, st.none() | moves),
        st.builds(Chat, TEXTS),
        st.builds(SpectatorChat, TEXTS, TEXTS, TEXTS),
        st.builds(Leave, maybe),
    )


BY_GAME = {name: random_moves(game()) for name, game in all_games().items()}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(choice=st.data())
def test_every_entry_round_trips(protocol: AnyProtocol, choice: st.DataObject) -> None:
    request = choice.draw(requests(BY_GAME[protocol.game]))
    peer = choice.draw(st.integers(1, 2**53).map(Peer))
    entry: Entry[Any] = Entry(choice.draw(SECONDS), peer, request)
    codec: Codec[Any] = Codec(protocol.moves)
    assert codec.decode(codec.encode(entry)) == entry
    passing: Entry[Any] = Entry(entry.now)
    assert codec.decode(codec.encode(passing)) == passing


@pytest.mark.parametrize("row", [-1, 2**64, 10**40])
def test_moves_far_off_the_board_round_trip(row: int) -> None:
    """At santorini-tournament a placement is two numbers of any size."""
    codec: Codec[Any] = Codec(all_protocols()["santorini-tournament"].moves)
    entry: Entry[Any] = Entry(1.0, ANN, Play(Place(Square(row, 0))))
    assert codec.decode(codec.encode(entry)) == entry


def test_without_a_journal_commits_are_durable_at_once_and_nothing_is_stored() -> None:
    journal, calls = NoJournal(), list[str]()
    key = journal.begin(RoomSpec("tttp/1", b"", bytes(32)))
    journal.append(key, b"[1.0]", ())
    journal.commit(lambda: calls.append("durable"))
    assert calls == ["durable"]
    assert journal.read(key) is None
    assert journal.restore() == []


# Replays.


class Conversation:
    """Clients that send the messages of the transcripts to a room with a journal."""

    def __init__(self, protocol: AnyProtocol) -> None:
        self.hosted = Hosted(protocol.name, now=1000.0)
        self._open_session = protocol.sessions(protocol.settings())
        self._sessions: dict[str, Any] = {}

    def send(self, who: str, message: bytes) -> None:
        if who not in self._sessions:
            session = self._sessions[who] = self._open_session(self.hosted.now)
            self.hosted.client(who).when_prepared = session.send
        self._sessions[who].receive_data(message, self.hosted.now)
        self._work()

    def wait(self, seconds: float) -> None:
        self.hosted.wait(seconds)
        for session in self._sessions.values():
            session.tick(self.hosted.now)
        self._work()

    def _work(self) -> None:
        is_busy = True
        while is_busy:
            is_busy = False
            for who, session in self._sessions.items():
                request = session.next_request()
                session.pending_output = b""
                if request is not None:
                    is_busy = True
                    self.hosted.ask(who, request)


@st.composite
def conversations(draw: st.DrawFn, protocol: AnyProtocol) -> Hosted:
    talk = Conversation(protocol)
    said = [message for message in MESSAGES[protocol.name] if b"CHAT" not in message]
    steps = st.tuples(st.sampled_from("abcd"), st.sampled_from(said) | st.floats(0.0, 20.0))
    for who, step in draw(st.lists(steps, max_size=30)):
        if isinstance(step, float):
            talk.wait(step)
        else:
            talk.send(who, step)
    return talk.hosted


def hosted_rooms(hosted: Hosted) -> dict[str, HostedRoom]:
    """Return the rooms that have a journal, by name."""
    rooms = [hosted.room, *hosted.room.tables.values()]
    return {room.name: room for room in rooms if room.journal_key is not None}


def replayed(hosted: Hosted, name: str) -> tuple[Room[Any], Presence]:
    """Return a new room, rebuilt from the journal, and its presence."""
    stored, presence = hosted.journal.rooms[name], Presence()
    random_source = SecretRandom(stored.spec.seed, stored.spec.drawn, KEY)
    room = hosted_rooms(hosted)[name].make_room(random_source)
    replay(room, name, presence, hosted.entries(name))
    return room, presence


def without_last_reaction(room: Room[Any]) -> str:
    """Return the state of a room without its last reaction."""
    for name in ("_reaction", "_compaction", "_has_begun", "_entries_since_start", "_now"):
        if hasattr(room, name):
            setattr(room, name, None)
    if isinstance(room, PolledTable):
        # A cache.
        room._match._snapshots.clear()
        # This only limits the log.
        room._match._refused = 0
    return describe_state(room)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(choice=st.data())
def test_a_replayed_room_equals_the_original(protocol: AnyProtocol, choice: st.DataObject) -> None:
    hosted = choice.draw(conversations(protocol))
    known = hosted.host._presence.members
    for name in hosted.journal.rooms:
        room, presence = replayed(hosted, name)
        assert without_last_reaction(room) == without_last_reaction(hosted_rooms(hosted)[name].room)
        assert presence.members == {p: member for p, member in known.items() if member.room == name}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(choice=st.data())
def test_rooms_can_be_restored_from_any_prefix_of_the_journal_and_no_match_ends_twice(
    protocol: AnyProtocol, choice: st.DataObject
) -> None:
    hosted = choice.draw(conversations(protocol))
    changes = hosted.journal.changes
    left = MemoryJournal(changes[: choice.draw(st.integers(0, len(changes)))])
    records = list(left.records)
    for now in (1_000_000.0, 2_000_000.0):
        later = Hosted(protocol.name, left, now)
        later.wait(61.0)
        assert left.records[: len(records)] == records
        left = left.after_a_crash()
    ended = [(record.seed, record.players) for record in left.records]
    assert len(ended) == len(set(ended))


def test_A_Q21_an_abandoned_game_is_recorded_once() -> None:
    hosted = Hosted("ascension-http", now=1.0)
    for who in ("ann", "bob"):
        hosted.ask(who, Join(""))
    hosted.now = 100.0
    hosted.ask("ann", Submit(Seat.FIRST, (PlannedMove(EndTurn()),)))
    hosted.now = 699.0
    assert isinstance(hosted.ask("cat", Join(""))[0], Refused)
    hosted.now = 700.0
    assert hosted.ask("cat", Join("")) == [Seated(Seat.FIRST)]
    room, _ = replayed(hosted, "ascension-http")
    assert without_last_reaction(room) == without_last_reaction(hosted.room.room)
    later = Hosted("ascension-http", hosted.journal.after_a_crash(), 5000.0)
    assert [record.result.ending for record in later.journal.records] == [Ending.CANCELLED]
    assert later.ask("dan", Join("")) == [Seated(Seat.SECOND)]


# Compactions.


def test_A_Q21_the_journal_of_finished_games_is_dropped_when_the_next_begins() -> None:
    settings: dict[str, Any] = {"turn_timeout": "10", "grace_ms": "0"}
    hosted = Hosted("ascension-http", **settings)
    games = 0
    while hosted.room.entries < ENTRIES_TO_COMPACT - 1:
        for _ in range(2):
            hosted.ask("ann", Join(""))
        hosted.wait(10.0)
        hosted.wait(30.0)
        games += 1
    before = hosted.view().version
    assert len(hosted.journal.records) == games
    hosted.ask("ann", Join(""))
    assert len(hosted.entries("ascension-http")) == 1, "the next game is all that is replayed"
    assert hosted.view().version > before
    later = Hosted("ascension-http", hosted.journal.after_a_crash(), 1e6, **settings)
    assert later.ask("bob", Join("")) == [Seated(Seat.SECOND)]
    assert hosted.ask("bob", Join("")) == [Seated(Seat.SECOND)]
    assert hosted.view().tables[0].match == later.view().tables[0].match


def test_the_journal_of_a_tournament_is_dropped_when_the_next_begins() -> None:
    policy = ClientPolicy(clock=Clock(5.0))
    hosted = Hosted("santorini-tournament", players="2", games="1")
    for number in range(40):
        for name in ("ann", "bob"):
            hosted.ask(f"{name} {number}", Join(name, policy))
        assert len(hosted.entries("santorini-tournament")) <= ENTRIES_TO_COMPACT
        assert len(hosted.journal.rooms) == 2, "that of the sign-up, and of the last tournament"
        hosted.disconnect(f"ann {number}")
    assert len(hosted.journal.records) == 40
    for name in ("ann", "bob"):
        hosted.ask(f"{name} last", Join(name, policy))
    journal = hosted.journal.after_a_crash()
    later = Hosted("santorini-tournament", journal, 1e6, players="2", games="1")
    for name in ("ann", "bob"):
        later.ask(name, Join(name, policy))
    [table], [again] = hosted.view().tables, later.view().tables
    assert (again.name, again.match) == (table.name, table.match)


# Settings.


def other_values(value: object) -> Iterator[object]:
    """Yield similar values, some of which may be valid."""
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
def test_all_settings_that_change_the_room_are_terms_of_the_room(protocol: AnyProtocol) -> None:
    """Otherwise a journal could be replayed in a room with other rules."""
    default = protocol.settings()
    usual = describe_state(protocol.room(default, SeededRandom(1)), without=(DoorSettings,))
    matters = set()
    for field in msgspec.structs.fields(protocol.settings):
        for value in other_values(getattr(default, field.name)):
            try:
                changed = read_settings(protocol.settings, {field.encode_name: value}, "")
            except SettingError:
                continue
            room = protocol.room(changed, SeededRandom(1))
            if describe_state(room, without=(DoorSettings,)) != usual:
                matters.add(field.encode_name)
    assert matters <= room_terms(default).keys()
