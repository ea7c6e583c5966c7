"""What every protocol of the catalogue keeps to, by being there."""

from importlib import resources
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamehall.games.catalogue import all_games
from gamehall.hosting.requests import Leave
from gamehall.protocols.catalogue import all_protocols
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.session import Session
from gamehall.wire.settings import list_settings
from tests.memory_stage import MemoryStage

PROTOCOLS = [pytest.param(protocol, id=name) for name, protocol in all_protocols().items()]


def open_session(protocol: AnyProtocol) -> Session[Any, Any]:
    return protocol.sessions(protocol.settings())(0.0)


def requests_of(session: Session[Any, Any], *chunks: bytes) -> list[object]:
    requests: list[object] = []
    for chunk in chunks:
        session.receive_data(chunk, 0.0)
        while (request := session.next_request()) is not None:
            requests.append(request)
    return requests


def test_there_is_tttp() -> None:
    assert all_protocols()["tttp"].port == 7003


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(stream=st.binary(max_size=300))
def test_any_bytes_never_raise_out_of_a_session(protocol: AnyProtocol, stream: bytes) -> None:
    session = open_session(protocol)
    faults = [r for r in requests_of(session, stream, b"") if isinstance(r, Leave)]
    assert len(faults) <= 1
    assert session.closed == bool(faults)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(stream=st.binary(max_size=100), cut=st.integers(0, 100))
def test_how_the_stream_is_cut_never_matters(
    protocol: AnyProtocol, stream: bytes, cut: int
) -> None:
    whole = requests_of(open_session(protocol), *([stream] if stream else []), b"")
    pieces = [piece for piece in (stream[:cut], stream[cut:]) if piece]
    assert requests_of(open_session(protocol), *pieces, b"") == whole
    bytewise = [stream[i : i + 1] for i in range(len(stream))]
    assert requests_of(open_session(protocol), *bytewise, b"") == whole


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(
    streams=st.lists(
        st.tuples(st.sampled_from("abc"), st.binary(min_size=1, max_size=40)), max_size=8
    )
)
def test_any_bytes_of_several_peers_never_raise_out_of_a_room(
    protocol: AnyProtocol, streams: list[tuple[str, bytes]]
) -> None:
    stage = MemoryStage(protocol, {}, chunk=16)
    for who, stream in streams:
        stage.send(who, stream)
    stage.wait(100_000)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_closed_session_is_deaf_and_dumb(protocol: AnyProtocol) -> None:
    session = open_session(protocol)
    session.close()
    assert requests_of(session, b"anything", b"") == []
    assert session.deadline is None


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_folder_is_complete(protocol: AnyProtocol) -> None:
    """The document, our readings of it, a game that exists, settings that explain themselves."""
    folder = resources.files(type(protocol).__module__)
    assert (folder / "SPEC.txt").read_text()
    assert (folder / "READINGS.md").read_text()
    assert protocol.game in all_games()
    assert protocol.name == type(protocol).__module__.rsplit(".", 1)[1].replace("_", "-")
    for line in list_settings(protocol.settings):
        assert line.description, f"{line.name} has no description"
