"""The page that describes the Santorini lobby, held against the server."""

import re
from importlib import resources
from pathlib import Path

import pytest

from gamehall.protocols.santorini_lobby import PROTOCOL
from tests.support.memory_stage import MemoryStage
from tests.support.transcripts import play, read_scenes

PAGE = (resources.files("gamehall.protocols.santorini_lobby") / "PROTOCOL.md").read_text()
UUID = r'"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"'


def blocks(heading: str) -> list[str]:
    """Return the code blocks below a heading of the second level, without ids."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return [
        re.sub(UUID, "UUID", block) for block in re.findall(r"```\n(.*?)```", section, re.DOTALL)
    ]


def play_in_memory(script: str, folder: Path) -> None:
    transcript = folder / "session.txt"
    transcript.write_text(f"wire text\n== from the page\n{script}")
    [scene] = read_scenes(transcript)
    play(scene, MemoryStage(PROTOCOL, scene.settings, 4096, scene.doors))


def test_the_first_session_of_the_page_goes_as_it_says(tmp_path: Path) -> None:
    [session] = blocks("A first session")
    play_in_memory(session, tmp_path)


@pytest.mark.parametrize("form", [0, 1, 2, 3])
def test_each_form_of_a_turn_on_the_page_is_the_same_turn(form: int, tmp_path: Path) -> None:
    """What follows it, and who is asked next, is as in the first session."""
    [session] = blocks("A first session")
    first_turn = next(line for line in session.splitlines() if line.startswith('bob > ["give_turn'))
    forms, _ = blocks("Messages")
    lines = [f"bob {line}" for line in forms.splitlines()]
    # The second form has two messages, with a prompt between them.
    turns = [lines[0], "\n".join([lines[1], 'bob < ["get_turn"]', lines[2]]), lines[3], lines[4]]
    before, after = session.split(first_turn)
    if form == 1:
        # The connection is bound to this form now, so the rest is not the same any more.
        after = '\nann < ["get_turn"]\n'
    play_in_memory(before + turns[form] + after, tmp_path)
