"""What holds for every protocol of the catalogue."""

from collections.abc import Mapping
from importlib import resources
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamehall.games.catalogue import all_games
from gamehall.match import MatchEnded
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.notices import Closed, Refused, Snapshot, TermsQuestion
from gamehall.rooms.requests import EndOfInput, Join, Leave
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.session import Session
from gamehall.wire.settings import list_settings
from tests.support.memory_stage import MemoryStage
from tests.support.transcripts import FOLDER, Expect, Send, read_scenes

PROTOCOLS = [pytest.param(protocol, id=name) for name, protocol in all_protocols().items()]


def open_session(protocol: AnyProtocol) -> Session[Any, Any]:
    """Return a session that reads its input, as a Go session does when it has asked something."""
    session = protocol.sessions(protocol.settings())(0.0)
    session.send(TermsQuestion("anything"))
    return session


ANSWER: Snapshot[Any] = Snapshot(None, 0, None, None, (), "1")


def requests_of(session: Session[Any, Any], *chunks: bytes) -> list[object]:
    requests: list[object] = []
    for chunk in chunks:
        session.receive_data(chunk, 0.0)
        while (request := session.next_request()) is not None:
            requests.append(request)
            # HTTP: the next request is read when this one is answered.
            session.send(ANSWER)
    return requests


def test_the_catalogue_contains_tttp() -> None:
    assert all_protocols()["tttp"].port == 7003


def messages_of(protocol: AnyProtocol, side: type[Send | Expect]) -> list[bytes]:
    """Return all messages of one direction in the transcripts of this protocol."""
    prefix = protocol.name.replace("-", "_")
    sent = {
        step.message
        for path in FOLDER.glob(f"{prefix}_*.txt")
        for scene in read_scenes(path)
        for _, step in scene.steps
        if isinstance(step, side) and len(step.message) < 1000
    }
    return sorted(sent)


MESSAGES = {name: messages_of(protocol, Send) for name, protocol in all_protocols().items()}
ANSWERS = {name: messages_of(protocol, Expect) for name, protocol in all_protocols().items()}


@st.composite
def streams(
    draw: st.DrawFn, protocol: AnyProtocol, messages: Mapping[str, list[bytes]] = MESSAGES
) -> bytes:
    """Return messages of this protocol, in some cases corrupted at one place."""
    stream = b"".join(draw(st.lists(st.sampled_from(messages[protocol.name]), max_size=8)))
    if draw(st.booleans()):
        start = draw(st.integers(0, len(stream)))
        end = draw(st.integers(start, min(start + 4, len(stream))))
        stream = stream[:start] + draw(st.binary(max_size=4)) + stream[end:]
    return stream


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(choice=st.data())
def test_any_bytes_never_raise_out_of_a_session(
    protocol: AnyProtocol, choice: st.DataObject
) -> None:
    stream = choice.draw(st.one_of(st.binary(max_size=300), streams(protocol)))
    session = open_session(protocol)
    requests = requests_of(session, *([stream] if stream else []), b"")
    # a client that has sent answers ahead is still waited for.
    assert session.closed or session.has_script or isinstance(requests[-1], Leave | EndOfInput)
    assert not any(isinstance(request, Leave | EndOfInput) for request in requests[:-1])
    assert (session.fault is not None) == any(isinstance(request, Leave) for request in requests)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(choice=st.data())
def test_how_the_stream_is_cut_never_matters(protocol: AnyProtocol, choice: st.DataObject) -> None:
    stream = choice.draw(streams(protocol))
    cut = choice.draw(st.integers(0, len(stream)))
    whole = requests_of(open_session(protocol), *([stream] if stream else []), b"")
    pieces = [piece for piece in (stream[:cut], stream[cut:]) if piece]
    assert requests_of(open_session(protocol), *pieces, b"") == whole
    bytewise = [stream[i : i + 1] for i in range(len(stream))]
    assert requests_of(open_session(protocol), *bytewise, b"") == whole


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(choice=st.data())
def test_how_the_streams_of_several_clients_are_cut_never_matters(
    protocol: AnyProtocol, choice: st.DataObject
) -> None:
    """Every client is sent the same at every chunk size, and no bytes raise out of a room."""
    whose = choice.draw(st.lists(st.tuples(st.sampled_from("abc"), streams(protocol)), max_size=8))
    sent = []
    for chunk in (1, 7, 4096):
        stage = MemoryStage(protocol, {}, chunk)
        for who, stream in whose:
            stage.send(who, stream)
        stage.wait(100_000)
        sent.append(stage.unread())
    assert sent[0] == sent[1] == sent[2]


def notices_of(protocol: AnyProtocol, *chunks: bytes) -> list[object]:
    """Return the notices of a joined client that polls, for the bytes of a server."""
    client = protocol.client(protocol.settings())
    client.send(Join("ann"))
    client.poll()
    notices: list[object] = []
    for chunk in (*chunks, b""):
        client.receive_data(chunk)
        while (notice := client.next_notice()) is not None:
            notices.append(notice)
            client.poll()
    assert client.closed
    return notices


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(choice=st.data())
def test_any_bytes_from_a_server_never_raise_out_of_a_client_session(
    protocol: AnyProtocol, choice: st.DataObject
) -> None:
    """How they are cut does not matter either."""
    stream = choice.draw(st.one_of(st.binary(max_size=300), streams(protocol, ANSWERS)))
    whole = notices_of(protocol, *([stream] if stream else []))
    # Over HTTP a client stops when it is refused or its match has ended.
    assert isinstance(whole[-1], Closed | Refused | MatchEnded)
    assert not any(isinstance(notice, Closed) for notice in whole[:-1])
    cut = choice.draw(st.integers(0, len(stream)))
    pieces = [piece for piece in (stream[:cut], stream[cut:]) if piece]
    assert notices_of(protocol, *pieces) == whole
    assert notices_of(protocol, *(stream[i : i + 1] for i in range(len(stream)))) == whole


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_closed_session_reads_nothing(protocol: AnyProtocol) -> None:
    session = open_session(protocol)
    session.close()
    assert requests_of(session, b"anything", b"") == []
    assert session.deadline is None


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_folder_is_complete(protocol: AnyProtocol) -> None:
    """It has a PROTOCOL.md, a game that exists, and descriptions of its settings."""
    folder = resources.files(type(protocol).__module__)
    assert (folder / "PROTOCOL.md").read_text()
    assert protocol.game in all_games()
    assert protocol.name == type(protocol).__module__.rsplit(".", 1)[1].replace("_", "-")
    for line in list_settings(protocol.settings):
        assert line.description, f"{line.name} has no description"
