"""The page that describes the Go protocol, held against the server."""

import re
from importlib import resources
from pathlib import Path

from gamehall.protocols.go_text import PROTOCOL
from tests.support.memory_stage import MemoryStage
from tests.support.transcripts import play, read_scenes

PAGE = (resources.files("gamehall.protocols.go_text") / "PROTOCOL.md").read_text()


def test_the_first_session_of_the_page_goes_as_it_is_written(tmp_path: Path) -> None:
    section = PAGE.split("## A first session\n")[1].split("\n## ")[0]
    [session] = re.findall(r"```\n(.*?)```", section, re.DOTALL)
    script = re.sub(r"^\((\w+) connects\)$", r"\1 >>", session, flags=re.MULTILINE)
    transcript = tmp_path / "session.txt"
    transcript.write_text(f"wire text\n== the first session of the page\n{script}")
    [scene] = read_scenes(transcript)
    play(scene, MemoryStage(PROTOCOL, scene.settings, 4096, scene.doors))


def test_the_page_has_every_clause_and_every_reading() -> None:
    ids = re.findall(r"^\| (G-Q?\d\d) \|", PAGE, re.MULTILINE)
    assert ids == [f"G-{n:02}" for n in range(1, 32)] + [f"G-Q{n:02}" for n in range(1, 36)]
