"""The examples and tables of each PROTOCOL.md agree with the server."""

import re
from importlib import resources
from pathlib import Path

import pytest

from gamehall.protocols import go_text, santorini_lobby, santorini_tournament, tttp
from gamehall.protocols.catalogue import all_protocols
from gamehall.protocols.tttp import TttpClientSession, TttpSettings
from gamehall.wire.protocol import AnyProtocol
from tests.support.memory_stage import MemoryStage
from tests.support.transcripts import play, read_scenes

UUID = r'"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"'
CLAUSE_PREFIXES = {
    "santorini-lobby": "S0",
    "santorini-tournament": "S1",
    "go-text": "G",
    "tttp": "T",
    "ascension-http": "A",
}


def code_blocks(protocol: AnyProtocol, heading: str) -> list[str]:
    """Return the code blocks below a heading of the second level."""
    section = page_of(protocol).split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^```\n(.*?)^```", section, re.DOTALL | re.MULTILINE)


def page_of(protocol: AnyProtocol) -> str:
    return (resources.files(type(protocol).__module__) / "PROTOCOL.md").read_text()


def first_session(protocol: AnyProtocol) -> str:
    """Return the first session of a page in the form of a transcript."""
    [session] = code_blocks(protocol, "A first session")
    session = re.sub(UUID, "UUID", session)
    return re.sub(r"^\((\w+) connects\)$", r"\1 >>", session, flags=re.MULTILINE)


def play_session(protocol: AnyProtocol, session: str, folder: Path, chunk: int = 4096) -> None:
    path = folder / "session.txt"
    wire = "" if protocol is tttp.PROTOCOL else "wire text\n"
    path.write_text(f"{wire}== a session of the page\n{session}")
    [scene] = read_scenes(path)
    play(scene, MemoryStage(protocol, scene.settings, chunk, scene.doors))


# The session of Ascension needs a seed: tests/end_to_end/test_ascension_http_page.py.
@pytest.mark.parametrize("chunk", [1, 4096])
@pytest.mark.parametrize(
    "protocol",
    [santorini_lobby.PROTOCOL, santorini_tournament.PROTOCOL, go_text.PROTOCOL, tttp.PROTOCOL],
    ids=lambda protocol: protocol.name,
)
def test_the_first_session_of_the_page_is_what_happens(
    protocol: AnyProtocol, chunk: int, tmp_path: Path
) -> None:
    play_session(protocol, first_session(protocol), tmp_path, chunk)


@pytest.mark.parametrize("name", all_protocols())
def test_the_clauses_and_readings_of_a_page_are_numbered_without_a_gap(name: str) -> None:
    page, prefix = page_of(all_protocols()[name]), CLAUSE_PREFIXES[name]
    for infix in ("", "Q"):
        numbers = [int(n) for n in re.findall(rf"^\| {prefix}-{infix}(\d\d) \|", page, re.M)]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) > 20


@pytest.mark.parametrize("form", [0, 1, 2, 3])
def test_S0_Q11_S0_Q14_each_form_of_a_turn_on_the_page_is_the_same_turn(
    form: int, tmp_path: Path
) -> None:
    lobby = santorini_lobby.PROTOCOL
    session = first_session(lobby)
    first_turn = next(line for line in session.splitlines() if line.startswith('bob > ["give_turn'))
    forms, _ = code_blocks(lobby, "Messages")
    lines = [f"bob {line}" for line in forms.splitlines()]
    # The second form has two messages, with a prompt between them.
    turns = [lines[0], "\n".join([lines[1], 'bob < ["get_turn"]', lines[2]]), lines[3], lines[4]]
    before, after = session.split(first_turn)
    if form == 1:
        # S0-Q11: the connection keeps this form from now on, so the rest of the session differs.
        after = '\nann < ["get_turn"]\n'
    play_session(lobby, before + turns[form] + after, tmp_path)


def test_the_examples_of_tttp_packets_are_complete() -> None:
    examples = [block.split(" ", 1) for block in code_blocks(tttp.PROTOCOL, "Messages")]
    assert sorted(sign for sign, _ in examples) == ["<"] * 3 + [">"] * 4
    for sign, written in examples:
        packet = bytes.fromhex(written)
        if sign == ">":
            session = tttp.PROTOCOL.sessions(TttpSettings())(0.0)
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
