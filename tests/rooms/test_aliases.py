"""Players whose names are not ASCII, in a lobby and at its tables, also after restarts."""

# ruff: noqa: RUF001 - the letters that look like others are meant

from collections.abc import Sequence
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamehall.core import Seat
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.names import NameRules
from gamehall.rooms.notices import ChatRejected, ChatSent, Refusal, Refused, Seated
from gamehall.rooms.requests import (
    Chat,
    ClientPolicy,
    EndOfInput,
    Join,
    Leave,
    Rematch,
    SpectatorChat,
)
from gamehall.rooms.room import Codec, Table
from gamehall.rooms.terms import TableTerms
from gamehall.server.hosted_room import ENTRIES_TO_COMPACT
from tests.support.hosted import Hosted, MemoryJournal

ANY_SCRIPT = ClientPolicy(native=True)
TERMS = TableTerms(spectators=2)


def native(name: str) -> Join:
    """Return the request of a native client."""
    return Join(name, ANY_SCRIPT)


def lobby(journal: MemoryJournal | None = None, now: float = 100.0) -> Hosted:
    return Hosted(
        journal=journal,
        now=now,
        make_room=lambda _: OpenLobby(ConnectFour(), TERMS, NameRules(), 2),
    )


def after_restart(hosted: Hosted) -> Hosted:
    return lobby(hosted.journal.after_a_crash(), hosted.now + 1000.0)


def test_a_player_is_told_its_alias_with_its_seat_if_it_differs_from_its_name() -> None:
    hosted = lobby()
    assert hosted.ask("a", native("Jürgen"))[0] == Seated(Seat.FIRST, alias="Juergen")
    assert hosted.ask("b", native("Ann Lee"))[0] == Seated(Seat.SECOND)
    assert hosted.ask("a", native("another"))[0] == Seated(Seat.FIRST, alias="Juergen"), "T-Q14"
    assert hosted.ask("c", native("田中"))[0] == Seated(Seat.FIRST, alias="player-1")
    [table, _] = hosted.view().tables
    assert table.players == ("Jürgen", "Ann Lee"), "pages show the names"


def test_T_Q19_a_client_of_a_wire_is_refused_a_name_that_is_not_ascii() -> None:
    refused = [Refused(Refusal.NAME_HAS_INVALID_CHARACTERS)]
    assert lobby().ask("a", Join("Jürgen")) == refused


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (native("Jürgen"), Join("JUERGEN")),
        (native("田中"), Join("player-1")),
    ],
)
def test_names_and_aliases_are_unique_at_all_tables(first: Join, second: Join) -> None:
    hosted = lobby()
    for who, join in (("a", Join("a")), ("b", Join("b")), ("c", first)):
        assert isinstance(hosted.ask(who, join)[0], Seated)
    assert hosted.ask("d", second) == [Refused(Refusal.NAME_TAKEN)]
    hosted.disconnect("c")
    assert isinstance(hosted.ask("d", second)[0], Seated), "name and alias are free again"


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        (native("Jürgen"), native("jÜRGEN"), "jÜRGEN 2"),
        (Join("ann"), native("ａｎｎ"), "ａｎｎ 2"),
        (Join("ann"), native("Ann"), "Ann 2"),
    ],
)
def test_a_native_player_whose_name_is_taken_gets_a_number(
    first: Join, second: Join, name: str
) -> None:
    hosted = lobby()
    hosted.ask("a", first)
    hosted.ask("b", second)
    [table] = hosted.view().tables
    assert table.players == (first.name, name)
    hosted.ask("c", second)
    assert hosted.view().tables[-1].players[0] == name.replace("2", "3")


def test_a_native_player_may_have_a_name_that_is_too_long_for_the_wire() -> None:
    hosted = lobby()
    long_name = "Ann " * 15 + "Lee"
    hosted.ask("a", native(long_name))
    hosted.ask("b", Join("bob"))
    hosted.ask("a", Chat("hi"))
    [said] = [notice for notice in hosted.client("b").received if isinstance(notice, ChatSent)]
    assert said.name == long_name
    assert said.ascii_name == long_name[:32].strip()
    assert hosted.ask("c", native("x" * 65)) == [Refused(Refusal.NAME_TOO_LONG)]


def test_a_second_alias_with_the_same_spelling_gets_a_number() -> None:
    hosted = lobby()
    hosted.ask("a", Join("Juergen"))
    assert hosted.ask("b", native("Jürgen"))[0] == Seated(Seat.SECOND, alias="Juergen-2")


def test_the_lobby_overwrites_an_alias_that_a_client_sends() -> None:
    hosted = lobby()
    forged = Join("Jürgen", ANY_SCRIPT, alias="admin")
    assert hosted.ask("a", forged)[0] == Seated(Seat.FIRST, alias="Juergen")


# Restarts.


@pytest.mark.parametrize("rematches", [0, ENTRIES_TO_COMPACT], ids=["journal", "compaction"])
def test_an_alias_survives_restarts(rematches: int) -> None:
    """Also an alias that a newcomer would not get, because Juergen has left."""
    hosted = lobby()
    hosted.ask("Juergen", Join("Juergen"))
    hosted.ask("playing", native("Jürgen"))
    hosted.disconnect("Juergen")
    hosted.ask("b", Join("b"))
    for _ in range(rematches):
        hosted.ask("b", Rematch())
    if rematches:
        assert len(hosted.entries("tttp/1")) < 10
    for _ in range(2):
        hosted = after_restart(hosted)
        assert hosted.ask("playing", native("Jürgen"))[0] == Seated(Seat.SECOND, alias="Juergen-2")


def test_a_lobby_is_rebuilt_with_the_aliases_of_its_tables() -> None:
    hosted = lobby()
    hosted.ask("a", native("Jürgen"))
    hosted.ask("b", native("田中"))
    later = after_restart(hosted)
    later.client("c", address="10.0.0.1")
    for taken in ("juergen", "player-1"):
        assert later.ask("c", Join(taken)) == [Refused(Refusal.NAME_TAKEN)]
    assert later.ask("c", native("山田"))[0] == Seated(Seat.FIRST, alias="player-2")


def test_journal_entries_without_aliases_can_be_read() -> None:
    entry = b'[1.0,1,{"type":"Join","name":"ann","policy":{"retries":2}}]'
    request = Codec[Cell](Cell).decode(entry).request
    assert request == Join("ann", ClientPolicy(retries=2))


# Chat.


def test_chat_has_the_name_and_its_alias() -> None:
    hosted = lobby()
    hosted.ask("a", native("Jürgen"))
    hosted.ask("b", Join("bob"))
    hosted.forget()
    hosted.ask("a", Chat("hallo"))
    hosted.ask("b", Chat("hi"))
    [said] = hosted.client("b").received
    assert said == ChatSent("Jürgen", "hallo", "Juergen")
    assert said.ascii_name == "Juergen"
    [answered] = hosted.client("a").received
    assert answered == ChatSent("bob", "hi")
    assert answered.ascii_name == "bob"
    assert [line.name for line in hosted.view().tables[0].chat] == ["Jürgen", "bob"]


def test_the_alias_of_a_watcher_is_unused() -> None:
    hosted = lobby()
    hosted.ask("b", Join("player-1"))
    hosted.ask("a", native("Ørsted"))
    hosted.forget()
    for name, alias in (("ørsteð", "oersted-2"), ("田中", "player-2"), ("Eve", "")):
        heard = hosted.ask("e", SpectatorChat("table-1", name, "hm"))
        assert heard == [ChatSent(name, "hm", alias)]
        hosted.now += 1.0


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("ØRSTED", Refusal.NAME_TAKEN),
        ("oersted", Refusal.NAME_TAKEN),
        ("ＡＤＭＩＮ", Refusal.NAME_NOT_ALLOWED),
        ("Eve\u200b", Refusal.NAME_HAS_INVALID_CHARACTERS),
    ],
)
def test_a_watcher_cannot_chat_under_the_name_or_alias_of_a_player(
    name: str, refusal: Refusal
) -> None:
    hosted = lobby()
    hosted.ask("a", native("Ørsted"))
    [table] = hosted.view().tables
    heard = hosted.ask("e", SpectatorChat(table.name, name, "I resign"))
    assert heard == [ChatRejected(refusal.value)]


def test_a_watcher_of_a_polled_table_cannot_use_the_name_of_a_player_at_another_table() -> None:
    hosted = Hosted("ascension-http")
    for name in ("ann", "bob", "cat"):
        hosted.ask(name, native(name))
    tables = {table.name: table.players for table in hosted.view().tables}
    assert tables == {"table-1": ("cat", None), "table-2": ("ann", "bob")}
    for table in tables:
        for name in ("ANN", "cat"):
            heard = hosted.ask("e", SpectatorChat(table, name, "I resign"))
            assert heard == [ChatRejected(Refusal.NAME_TAKEN.value)], (table, name)


# Random requests.


def folded(name: str) -> str:
    return normalize("NFKC", normalize("NFKC", name).casefold())


def check_unique(hosted: Hosted) -> None:
    """Check that the names and aliases of all clients are different."""
    called: list[set[str]] = []
    for hosted_table in hosted.room.tables.values():
        table = hosted_table.room
        assert isinstance(table, Table)
        people = {**table.occupancy.players, **table.occupancy.spectators}
        assert table.occupancy.aliases.keys() == {
            peer for peer, name in people.items() if not name.isascii() or len(name) > 32
        }
        for peer, name in people.items():
            alias = table.occupancy.aliases.get(peer, name)
            assert alias.isascii()
            assert len(alias) <= 32
            called.append({folded(name), folded(alias)})
    assert sum(map(len, called)) == len(set().union(*called)), called


TRICKY = [
    *("Jürgen", "JÜRGEN", "Juergen", "juergen-2", "Jùergen", "ｊuergen", "Jürgen-2"),
    *("田中", "山田", "player-1", "Player-2", "plаyer-1", "ß", "SS", "ẞ" * 32, "s" * 32),
]
STEPS = st.tuples(
    st.sampled_from("abcdefgh"),
    st.sampled_from(TRICKY) | st.text(min_size=1, max_size=3) | st.none(),
    st.booleans(),
)


@given(st.lists(STEPS, max_size=40), st.integers(0, 40))
def test_names_and_aliases_in_one_lobby_are_always_unique(
    steps: Sequence[tuple[str, str | None, bool]], restart_at: int
) -> None:
    """A name of None stands for the end of input or a disconnection."""
    hosted = lobby()
    for number, (who, name, is_one) in enumerate(steps):
        if number == restart_at:
            hosted = after_restart(hosted)
            check_unique(hosted)
        if name is None:
            request: Any = EndOfInput() if is_one else Leave(None)
        else:
            request = native(name) if is_one else Join(name)
        hosted.ask(who, request)
        if name is None:
            hosted.disconnect(who)
        check_unique(hosted)
