"""Scripts, styles and templates name no game, so that an added game needs no changes there."""

import re
from pathlib import Path

import pytest

import gamehall.web
from gamehall.games.catalogue import all_games
from gamehall.protocols.catalogue import all_protocols

WEB = Path(gamehall.web.__file__).parent
SCRIPTS = sorted(WEB.glob("static/*.js"))
FILES = sorted([*SCRIPTS, *WEB.glob("static/*.css"), *WEB.glob("templates/*.html")])
PECULIAR = (
    *("goban", "komi", "handicap", "territory", "weiqi", "baduk"),
    *("worker", "dome", "tower"),
    *("honor", "rune", "mystic", "cultist", "acquire"),
    *("gravity", "four in a row", "connect four"),
)
"""Words of single games that mean nothing else on a page."""


def games_named_in(text: str) -> set[str]:
    """Return the games, doors and words of games that a text mentions.

    "go" is also an everyday word: it counts only where it stands alone between quotes.
    """
    text = text.lower()
    names = {kind.name for kind in all_games().values()} | set(all_protocols())
    names |= {kind.title.lower() for kind in all_games().values()} | set(PECULIAR)
    found = {name for name in names - {"go"} if re.search(rf"\b{re.escape(name)}s?\b", text)}
    return found | set(re.findall(r"""["'`](go)["'`]""", text))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_file_of_the_pages_names_a_game(path: Path) -> None:
    assert games_named_in(path.read_text()) == set()


@pytest.mark.parametrize(
    "text",
    [
        'if (room.game === "go") draw();',
        "case 'connect-four': return;",
        "// A Santorini worker is clicked first.",
        ".goban { color: black; }",
        'const doors = ["tttp"];',
    ],
)
def test_a_file_that_names_a_game_is_found(text: str) -> None:
    assert games_named_in(text)


def test_no_script_creates_elements_from_text() -> None:
    makers = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|Function\("
    )
    assert SCRIPTS
    for path in SCRIPTS:
        assert not makers.search(path.read_text()), path.name
