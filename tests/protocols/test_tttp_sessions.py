"""Server and client sessions of TTTP against each other, and the examples of PROTOCOL.md."""

# ruff: noqa: RUF001 - texts in other scripts are meant

import re
from importlib import resources
from pathlib import Path

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
from tests.support.memory_stage import MemoryStage
from tests.support.transcripts import play, read_scenes

FREE = ConnectFour(gravity=Gravity.FREE)
ASCII = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E))
SEATS = st.sampled_from(Seat)
SPOTS = st.lists(st.integers(0, 2), min_size=42, max_size=42).map(bytes)


def server(settings: TttpSettings | None = None) -> TttpSession:
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
    client, session = TttpClientSession(FREE), server()
    stream = b"".join(map(client.send, requests))
    heard: list[Request[Cell]] = []
    for start in range(0, len(stream), chunk):
        session.receive_data(stream[start : start + chunk], 0.0)
        while (request := session.next_request()) is not None:
            heard.append(request)
    assert heard == requests


def ended(position: ConnectFourPosition, won: int) -> MatchEnded[Cell]:
    def why(winner: Seat) -> str:
        is_seen = position.outcome is not None and position.outcome.winner is winner
        return "4 in a row" if is_seen else "the server says so"

    results = {
        1: Result(Seat.FIRST, Ending.PLAYED_OUT, why(Seat.FIRST)),
        2: Result(Seat.SECOND, Ending.PLAYED_OUT, why(Seat.SECOND)),
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
    client, session = TttpClientSession(FREE), server()
    stream = b"".join(map(session.send, notices))
    heard: list[Notice[Cell]] = []
    for start in range(0, len(stream), chunk):
        client.receive_data(stream[start : start + chunk])
        while (notice := client.next_notice()) is not None:
            heard.append(notice)
    assert heard == notices


@pytest.mark.parametrize(
    ("seat", "words"), [(Seat.SECOND, "the opponent left"), (None, "a player left")]
)
def test_T_Q12_a_cancelled_game_is_one_that_a_player_has_left(
    seat: Seat | None, words: str
) -> None:
    client, session = TttpClientSession(), server()
    cancelled = MatchEnded(Result(None, Ending.CANCELLED, "ann left"), FREE.start(0))
    client.receive_data(session.send(Seated(seat)) + session.send(cancelled))
    assert client.next_notice() == Seated(seat)
    ended = client.next_notice()
    assert isinstance(ended, MatchEnded)
    assert ended.result.how == words


def test_notices_without_a_packet_are_not_sent() -> None:
    start, session = FREE.start(0), server()
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
    client, session = TttpClientSession(FREE, base=1), server(TttpSettings(base=1))
    session.receive_data(client.send(Play(Cell(0, 5))), 0.0)
    assert session.next_request() == Play(Cell(0, 5))


def test_T_Q03_a_play_refers_to_the_board_last_shown() -> None:
    session = server()
    shown = ConnectFour().start(0).after(Cell(3, 5))
    session.send(TurnBegan(Seat.SECOND, shown, None))
    session.receive_data(b"PLAY\x03\x00", 0.0)
    assert session.next_request() == Play(Cell(3, 4))


def test_a_fault_quotes_the_bad_packet() -> None:
    session = server()
    session.receive_data(b"GET / HTTP/1.1\r\n", 0.0)
    assert session.next_request() == Leave("b'GET ' is not the type of a packet")
    assert session.next_request() is None
    assert not session.closed, "the server may still send something"


def test_half_a_packet_before_the_end_of_input_is_not_awaited() -> None:
    session = server()
    session.send(Seated(None))
    session.receive_data(b"PL", 0.0)
    assert session.next_request() is None
    assert session.deadline is not None
    session.receive_data(b"", 1.0)
    assert session.next_request() == EndOfInput()
    assert session.next_request() is None
    assert session.deadline is None


def test_names_and_chats_from_other_doors_are_cut_to_the_lengths_of_the_wire() -> None:
    message = server().send(ChatSent("n" * 300, "é" * 70_000))
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
def test_T_Q24_chat_is_spelt_in_ascii_and_nothing_is_lost(text: str, packet_text: bytes) -> None:
    length = len(packet_text).to_bytes(2, "big")
    assert server().send(ChatSent("bob", text)) == b"CHAT\x03" + length + b"bob" + packet_text
    assert TttpClientSession().send(Chat(text)) == b"CHAT" + length + packet_text


def test_T_16_a_chat_shows_the_alias_of_a_name_that_is_not_ascii() -> None:
    assert server().send(ChatSent("Jürgen", "hi", "Juergen")) == b"CHAT\x07\x00\x02Juergenhi"
    assert server().send(ChatSent("bob", "hi")) == b"CHAT\x03\x00\x02bobhi"


def test_T_Q23_close_on_deny_does_not_close_an_accepted_client() -> None:
    session = server(TttpSettings(close_on_deny=True))
    session.send(Seated(None))
    session.send(TurnBegan(Seat.FIRST, FREE.start(0), None))
    session.send(Refused(Refusal.NAME_TAKEN))
    assert not session.closed


def test_T_Q05_the_spots_are_row_by_row_from_the_top() -> None:
    position = FREE.start(0).after(Cell(6, 0)).after(Cell(0, 1))
    update = server().send(TurnBegan(Seat.FIRST, position, None))
    assert update[6:][6] == 1
    assert update[6:][7] == 2


def test_T_05_T_08_T_16_the_packets_of_the_server_have_their_lengths() -> None:
    assert len(server().send(TurnBegan(Seat.FIRST, FREE.start(0), None))) == 6 + 42
    assert len(server().send(Seated(None))) == 4 + 1
    assert len(server().send(ChatSent("bob", "hi"))) == 7 + 3 + 2


def code_blocks(heading: str) -> list[str]:
    """The code blocks of one section of PROTOCOL.md."""
    page = (resources.files("gamehall.protocols.tttp") / "PROTOCOL.md").read_text()
    section = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```\n(.*?)```", section, re.DOTALL)


@pytest.mark.parametrize("chunk", [1, 4096])
def test_the_first_session_of_the_page_is_what_happens(chunk: int, tmp_path: Path) -> None:
    [session] = code_blocks("A first session")
    path = tmp_path / "session.txt"
    path.write_text("== A first session\n" + session)
    [scene] = read_scenes(path)
    play(scene, MemoryStage(PROTOCOL, {}, chunk))


def test_the_examples_of_the_page_are_whole_packets() -> None:
    examples = [block.split(" ", 1) for block in code_blocks("Messages")]
    assert sorted(sign for sign, _ in examples) == ["<"] * 3 + [">"] * 4
    for sign, written in examples:
        packet = bytes.fromhex(written)
        if sign == ">":
            session = server()
            session.receive_data(packet, 0.0)
            assert session.next_request() is not None
            assert session.next_request() is None
            assert session.fault is None
        else:
            client = TttpClientSession()
            client.receive_data(packet)
            assert client.next_notice() is not None
            assert client.next_notice() is None
            assert not client.closed
