"""The examples in PROTOCOL.md of Ascension over HTTP are correct."""

import http.client
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

from gamehall.games.ascension import CARDS
from gamehall.games.ascension.board import ChoiceKind
from tests.support.served import Served

DOOR = "ascension-http"
PAGE = (resources.files("gamehall.protocols.ascension_http") / "PROTOCOL.md").read_text()
PATIENCE_SECONDS = 60


def blocks(language: str) -> list[str]:
    """Return the code blocks of the page in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def transcripts() -> list[list[str]]:
    """Return the transcripts of the page, each as a list of lines."""
    return [block.splitlines() for block in blocks("text") if re.match(r"(ann|bob) > ", block)]


def serve(*arguments: str) -> Served:
    return Served("--door", f"{DOOR}=0", "--seed", "5", *arguments)


class Replay:
    """Sends the requests of a transcript, and compares the answers byte for byte."""

    def __init__(self, hall: Served) -> None:
        self._line = http.client.HTTPConnection(
            "127.0.0.1", hall.port(DOOR), timeout=PATIENCE_SECONDS
        )

    def ask(self, request: str) -> str:
        method, target, *body = request.split(" ", 2)
        self._line.request(method, target, body[0] if body else None)
        answer = self._line.getresponse()
        return f"{answer.status} {answer.read().decode()}"

    def run(self, lines: list[str]) -> None:
        for sent, answer in zip(lines[::2], lines[1::2], strict=True):
            player, _, request = sent.partition(" > ")
            assert f"{player} < {self.ask(request)}" == answer

    def close(self) -> None:
        self._line.close()


def test_the_first_session_is_as_shown() -> None:
    session, _ = transcripts()
    with serve() as hall:
        replay = Replay(hall)
        replay.run(session)
        replay.close()


def test_the_last_answer_is_as_shown() -> None:
    _, end = transcripts()
    with serve("--set", f"{DOOR}.turns=2") as hall:
        replay = Replay(hall)
        for request in ("POST /join", "POST /join"):
            replay.ask(request)
        replay.ask('POST /moves {"player_index":0,"moves":[{"type":"end_turn"}]}')
        replay.run(end)
        replay.close()


def test_the_client_of_the_page_plays_a_game_against_itself(tmp_path: Path) -> None:
    [program] = blocks("python")
    path = tmp_path / "client.py"
    path.write_text(program)
    with serve("--set", f"{DOOR}.honor=6") as hall:
        players = [
            subprocess.Popen(
                [sys.executable, path, f"http://127.0.0.1:{hall.port(DOOR)}"],
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        said = [player.communicate(timeout=PATIENCE_SECONDS)[0] for player in players]
    assert sorted(said) == ["not won\n", "won\n"]


def test_the_page_has_every_card_with_its_cost() -> None:
    rows = re.findall(r"^\| (hero|construct|monster) \| (\d+) \| (.*) \|$", PAGE, re.MULTILINE)
    listed = {
        name: (kind, int(cost))
        for kind, cost, names in rows
        for name in re.findall("`(.+?)`", names)
    }
    assert listed == {name: (card.kind.value.lower(), card.cost) for name, card in CARDS.items()}


def test_the_page_has_every_kind_of_choice() -> None:
    for kind in ChoiceKind:
        assert f"\n| `{kind.value}` | " in PAGE
