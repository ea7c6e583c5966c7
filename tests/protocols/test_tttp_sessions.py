"""Server and client sessions of TTTP against each other."""

# ruff: noqa: RUF001 - texts in other scripts are intended

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamehall.core import Seat
from gamehall.games.connect_four import Cell, ConnectFour, ConnectFourPosition, Gravity
from gamehall.match import (
    Ending,
    MatchEnded,
    MoveFault,
    MovePlayed,
    MoveRefused,
    Result,
    TurnBegan,
)
from gamehall.protocols.tttp import PROTOCOL, TttpClientSession, TttpSession, TttpSettings
from gamehall.rooms.notices import ChatSent, Closed, Notice, Refusal, Refused, Seated
from gamehall.rooms.requests import Chat, EndOfInput, Join, Leave, Play, Rematch, Request

FREE = ConnectFour(gravity=Gravity.FREE)
ASCII = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E))
SEATS = st.sampled_from(Seat)
SPOTS = st.lists(st.integers(0, 2), min_size=42, max_size=42).map(bytes)


def open_session(settings: TttpSettings | None = None) -> TttpSession:
    return PROTOCOL.sessions(settings or TttpSettings())(0.0)


def positions() -> st.SearchStrategy[ConnectFourPosition]:
    return st.builds(
        lambda spots, seat: ConnectFourPosition.of(spots, seat, FREE.line_length, FREE.gravity),
        SPOTS,
        SEATS,
    )


CELLS = st.builds(Cell, st.integers(0, 255), st.integers(0, 255))

REQUESTS: st.SearchStrategy[Request[Cell]] = st.one_of(
    st.builds(Join, st.text(st.characters(max_codepoint=255), max_size=255)),
    st.builds(Play, CELLS),
    st.builds(Chat, st.text(st.sampled_from("abc xyz\t\n~"), max_size=300)),
    st.just(Rematch()),
)


@given(st.lists(REQUESTS), st.integers(1, 40))
def test_the_server_reads_every_request_of_the_client(
    requests: list[Request[Cell]], chunk: int
) -> None:
    client, session = TttpClientSession(FREE), open_session()
    stream = b"".join(map(client.send, requests))
    received: list[Request[Cell]] = []
    for start in range(0, len(stream), chunk):
        session.receive_data(stream[start : start + chunk], 0.0)
        while (request := session.next_request()) is not None:
            received.append(request)
    assert received == requests


def ended(position: ConnectFourPosition, won: int) -> MatchEnded[Cell]:
    def reason(winner: Seat) -> str:
        is_shown = position.outcome is not None and position.outcome.winner is winner
        return "4 in a row" if is_shown else "the server says so"

    results = {
        1: Result(Seat.FIRST, Ending.PLAYED_OUT, reason(Seat.FIRST)),
        2: Result(Seat.SECOND, Ending.PLAYED_OUT, reason(Seat.SECOND)),
        3: Result(None, Ending.PLAYED_OUT, "cat's game"),
        4: Result(None, Ending.CANCELLED, "the opponent left"),
    }
    return MatchEnded(results[won], position)


NOTICES: st.SearchStrategy[Notice[Cell]] = st.one_of(
    st.builds(Seated, SEATS),
    st.builds(Refused, st.sampled_from(Refusal)),
    st.builds(ChatSent, ASCII.filter(lambda name: len(name) < 256), ASCII),
    positions().map(lambda position: TurnBegan(position.next_seat, position, None)),
    st.builds(ended, positions(), st.integers(1, 4)),
)


@given(st.lists(NOTICES), st.integers(1, 40))
def test_the_client_reads_every_notice_of_the_server(
    notices: list[Notice[Cell]], chunk: int
) -> None:
    client, session = TttpClientSession(FREE), open_session()
    stream = b"".join(map(session.send, notices))
    received: list[Notice[Cell]] = []
    for start in range(0, len(stream), chunk):
        client.receive_data(stream[start : start + chunk])
        while (notice := client.next_notice()) is not None:
            received.append(notice)
    assert received == notices


@pytest.mark.parametrize(
    ("seat", "words"), [(Seat.SECOND, "the opponent left"), (None, "a player left")]
)
def test_T_Q12_a_cancelled_game_means_that_a_player_left(seat: Seat | None, words: str) -> None:
    client, session = TttpClientSession(), open_session()
    cancelled = MatchEnded(Result(None, Ending.CANCELLED, "ann left"), FREE.start(0))
    client.receive_data(session.send(Seated(seat)) + session.send(cancelled))
    assert client.next_notice() == Seated(seat)
    ended = client.next_notice()
    assert isinstance(ended, MatchEnded)
    assert ended.result.how == words


def test_notices_without_a_packet_are_not_sent() -> None:
    start, session = FREE.start(0), open_session()
    won = ConnectFourPosition.of(b"\x01" * 4 + bytes(38), Seat.SECOND, 4, Gravity.FREE)
    assert session.send(MovePlayed(Seat.FIRST, Cell(3, 0), won, None)) == b"", "the end follows"
    out_of_turn = MoveRefused(Seat.FIRST, MoveFault.OUT_OF_TURN, "not your turn", start, 0)
    assert session.send(out_of_turn) == b""
    assert session.send(Closed("enough")) == b""
    assert session.closed
    client = TttpClientSession()
    assert client.send(EndOfInput()) == client.send(Leave(None)) == b""


@pytest.mark.parametrize(
    ("stream", "fault"),
    [
        (b"JOIN\x00", "a join response is 1 to 9, not 0"),
        (b"JOIN\x0a", "a join response is 1 to 9, not 10"),
        (b"UPDT\x00\x00" + bytes(42), "the turn of an UPDT is 1 or 2, not 0"),
        (b"UPDT\x01\x05" + bytes(42), "the won byte of an UPDT is 0 to 4, not 5"),
        (b"UPDT\x01\x00" + bytes(41) + b"\x03", "a spot is 0, 1 or 2"),
        (b"PLAY\x00\x00", "b'PLAY' is not the type of a packet"),
    ],
)
def test_the_client_names_the_fault_of_a_server(stream: bytes, fault: str) -> None:
    client = TttpClientSession()
    client.receive_data(stream)
    notice = client.next_notice()
    assert isinstance(notice, Closed)
    assert fault in notice.reason


def test_T_Q04_base_1_counts_from_one_at_both_ends() -> None:
    client, session = TttpClientSession(FREE, base=1), open_session(TttpSettings(base=1))
    session.receive_data(client.send(Play(Cell(0, 5))), 0.0)
    assert session.next_request() == Play(Cell(0, 5))


def test_T_Q03_a_play_refers_to_the_board_last_shown() -> None:
    session = open_session()
    shown = ConnectFour().start(0).after(Cell(3, 5))
    session.send(TurnBegan(Seat.SECOND, shown, None))
    session.receive_data(b"PLAY\x03\x00", 0.0)
    assert session.next_request() == Play(Cell(3, 4))


def test_a_fault_quotes_the_bad_packet() -> None:
    session = open_session()
    session.receive_data(b"GET / HTTP/1.1\r\n", 0.0)
    assert session.next_request() == Leave("b'GET ' is not the type of a packet")
    assert session.next_request() is None
    assert not session.closed, "the server may still send something"


def test_half_a_packet_at_the_end_of_input_is_ignored() -> None:
    session = open_session()
    session.send(Seated(None))
    session.receive_data(b"PL", 0.0)
    assert session.next_request() is None
    assert session.deadline is not None
    session.receive_data(b"", 1.0)
    assert session.next_request() == EndOfInput()
    assert session.next_request() is None
    assert session.deadline is None


def test_names_and_chats_from_other_doors_are_cut_to_the_lengths_of_the_wire() -> None:
    message = open_session().send(ChatSent("n" * 300, "é" * 70_000))
    assert message == b"CHAT\xff\xff\xff" + b"n" * 255 + b"e" * 65_535


@pytest.mark.parametrize(
    ("text", "packet_text"),
    [
        ("Grüße, Zoë!", b"Gruesse, Zoe!"),
        ("Gru\u0308\u00dfe", b"Gruesse"),
        ("Жду хода", b"Zhdu khoda"),
        ("σειρά σου", b"seira soy"),
        ("naïve “quote” – it’s…", b'naive "quote" - it\'s...'),
        ("one\ttwo\nthree\x07", b"one\ttwo\nthree?"),
        ("将棋 🎲", b"?? ?"),
    ],
)
def test_T_Q24_chat_is_spelt_in_ascii(text: str, packet_text: bytes) -> None:
    length = len(packet_text).to_bytes(2, "big")
    assert open_session().send(ChatSent("bob", text)) == b"CHAT\x03" + length + b"bob" + packet_text
    assert TttpClientSession().send(Chat(text)) == b"CHAT" + length + packet_text


def test_T_16_a_chat_shows_the_alias_of_a_name_that_is_not_ascii() -> None:
    assert open_session().send(ChatSent("Jürgen", "hi", "Juergen")) == b"CHAT\x07\x00\x02Juergenhi"
    assert open_session().send(ChatSent("bob", "hi")) == b"CHAT\x03\x00\x02bobhi"


def test_T_Q23_close_on_deny_does_not_close_an_accepted_client() -> None:
    session = open_session(TttpSettings(close_on_deny=True))
    session.send(Seated(None))
    session.send(TurnBegan(Seat.FIRST, FREE.start(0), None))
    session.send(Refused(Refusal.NAME_TAKEN))
    assert not session.closed


def test_T_Q05_the_spots_are_row_by_row_from_the_top() -> None:
    position = FREE.start(0).after(Cell(6, 0)).after(Cell(0, 1))
    update = open_session().send(TurnBegan(Seat.FIRST, position, None))
    assert update[6:][6] == 1
    assert update[6:][7] == 2


def test_T_05_T_08_T_16_the_packets_of_the_server_have_their_lengths() -> None:
    assert len(open_session().send(TurnBegan(Seat.FIRST, FREE.start(0), None))) == 6 + 42
    assert len(open_session().send(Seated(None))) == 4 + 1
    assert len(open_session().send(ChatSent("bob", "hi"))) == 7 + 3 + 2
