"""The tournament door: what the transcripts do not show, and what its page says."""

import re
from importlib import resources
from pathlib import Path

import pytest

from gamehall.protocols.santorini_tournament import PROTOCOL, SantoriniTournamentSettings
from gamehall.rooms.requests import Leave
from tests.support.memory_stage import MemoryStage
from tests.support.transcripts import play, read_scenes


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"no sense\n", "this is not a sign-up name: b'no sense'"),
        (b"Ann\n", "'Ann' is not a sign-up name: it has 1 to 256 lower-case letters"),
        (b"[]\n", "a client begins with its sign-up name, as a JSON string"),
    ],
)
def test_S1_Q02_S1_Q03_the_reason_says_why_a_name_is_refused(line: bytes, reason: str) -> None:
    session = PROTOCOL.sessions(SantoriniTournamentSettings())(0.0)
    session.receive_data(line, 0.0)
    assert session.next_request() == Leave(reason)


def test_the_first_session_of_the_page_goes_as_it_says(tmp_path: Path) -> None:
    page = (resources.files("gamehall.protocols.santorini_tournament") / "PROTOCOL.md").read_text()
    session = re.search(
        r"^## A first session\n.*?^```\n(.*?)^```\n", page, re.DOTALL | re.MULTILINE
    )
    assert session
    transcript = tmp_path / "session.txt"
    transcript.write_text(f"wire text\n== the first session\n{session[1]}")
    [scene] = read_scenes(transcript)
    play(scene, MemoryStage(PROTOCOL, scene.settings, 4096, scene.doors))
