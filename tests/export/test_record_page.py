"""Records as standalone HTML pages with a replay."""

import base64
import hashlib
import json
import re
import xml.etree.ElementTree as ET
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest

from gamehall.core import Game
from gamehall.export import record_page
from gamehall.games.catalogue import all_games
from gamehall.games.connect_four import ConnectFour
from gamehall.games.go import Go
from gamehall.games.santorini import Santorini
from gamehall.match import Clock, Record, RecordError, Referee
from gamehall.match.record import positions
from tests.match.test_record import play_at_random
from tests.support.parsed_page import ParsedPage

GAME = ConnectFour()
RECORD = play_at_random(Referee(GAME, Clock(), 3), 3)
STRANGE = "</script><b>\"&'é"


def match_in(page: bytes) -> dict[str, Any]:
    """Return the data of the page's script, with whole pictures."""
    [content, _] = ParsedPage(page.decode()).text_in("script")
    match = json.loads(content)
    match["pictures"] = [
        "".join(match["parts"][part] for part in picture) for picture in match["pictures"]
    ]
    assert isinstance(match, dict)
    return match


def rings(picture: str) -> list[str]:
    """Return the names of the marked spots."""
    elements = ET.fromstring(picture).iter()
    return [spot for element in elements if (spot := element.get("data-spot"))]


@pytest.mark.parametrize("game", [Go(5, 0.5), GAME, Santorini()], ids=lambda game: game.name)
def test_a_page_has_every_position_as_the_game_draws_it(game: Game[Any]) -> None:
    record = play_at_random(Referee(game, Clock(), 1), 1)
    shown = match_in(record_page.write(game, record))["pictures"]
    drawn = [position.picture() for position in positions(game, record)]
    assert len(shown) == len(drawn) == len(record.moves) + 1
    for one, other in zip(shown, drawn, strict=True):
        assert len(one) < len(other)
        assert [text for text in ET.fromstring(one).itertext() if text.strip()] == [
            text for text in ET.fromstring(other).itertext() if text.strip()
        ]


def test_the_last_move_has_a_ring() -> None:
    shown = match_in(record_page.write(GAME, RECORD))["pictures"]
    assert rings(shown[0]) == []
    assert [rings(picture) for picture in shown[1:]] == [[played.move] for played in RECORD.moves]


def test_a_game_that_marks_the_last_move_itself_has_no_ring() -> None:
    game = Go(5, 0.5)
    record = play_at_random(Referee(game, Clock(), 1), 1)
    shown = match_in(record_page.write(game, record))["pictures"]
    assert not any(rings(picture) for picture in shown)


def test_captions_have_the_move_and_the_player() -> None:
    moves = match_in(record_page.write(GAME, RECORD))["moves"]
    assert moves[:2] == ["start", f"1. {RECORD.moves[0].move} (ann)"]
    assert moves[2] == f"2. {RECORD.moves[1].move} (bob)"


def test_without_scripts_the_last_position_is_shown() -> None:
    page = record_page.write(GAME, RECORD)
    read = ParsedPage(page.decode())
    [image] = read.of("img")
    address = image["src"] or ""
    assert unquote(address.removeprefix("data:image/svg+xml,")) == match_in(page)["pictures"][-1]
    assert "hidden" in read.of("nav")[0]


def test_the_policy_allows_only_the_style_and_the_script_of_the_page() -> None:
    page = record_page.write(GAME, RECORD)
    read = ParsedPage(page.decode())
    [policy] = [meta["content"] or "" for meta in read.of("meta") if "http-equiv" in meta]
    assert policy.startswith("default-src 'none'; img-src data:;")
    for tag in ("style", "script"):
        text = read.text_in(tag)[-1]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    for _, attributes in read.elements:
        assert not {"style", "href"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
    assert not re.search(rb"https?:(?!//www\.w3\.org/2000/svg|%2F)", page.replace(b"%3A", b":"))


def test_markup_in_names_is_escaped() -> None:
    record = msgspec.structs.replace(RECORD, players=(STRANGE, None))
    page = record_page.write(GAME, record)
    read = ParsedPage(page.decode())
    assert read.of("b") == []
    assert "".join(read.text_in("h1")) == f"{STRANGE} against the second player"
    assert match_in(page)["moves"][1].endswith(f"({STRANGE})")


def test_the_page_shows_the_result() -> None:
    assert RECORD.result.winner
    name = RECORD.players[RECORD.result.winner.value - 1]
    page = record_page.write(GAME, RECORD).decode()
    assert f"Connect Four. {name} wins: {name} has 4 in a row." in page


def test_long_matches_are_replayed_faster() -> None:
    assert record_page.seconds_per_picture(1) == record_page.seconds_per_picture(40)
    assert record_page.seconds_per_picture(300) < record_page.seconds_per_picture(100)
    assert record_page.seconds_per_picture(100_000) > 0.1


@pytest.mark.parametrize("kind", all_games().values(), ids=all_games())
def test_a_match_without_moves_has_a_page(kind: type[Game[Any]]) -> None:
    left = Record(kind.name, {}, 1, ("ann", "bob"), (), RECORD.result)
    assert len(match_in(record_page.write(kind(), left))["pictures"]) == 1


def test_a_record_that_cannot_be_replayed_is_an_error() -> None:
    wrong = msgspec.structs.replace(RECORD, moves=RECORD.moves[1:])
    with pytest.raises(RecordError, match="not the turn"):
        record_page.write(GAME, wrong)
