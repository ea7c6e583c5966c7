"""Positions described in sentences, for screen readers."""

import xml.etree.ElementTree as ET

import pytest

from gamehall.export.described import described_picture
from gamehall.games.connect_four import ConnectFour, ConnectFourPosition
from gamehall.games.go import Go
from gamehall.games.santorini import Santorini
from tests.games.playing import play_moves
from tests.games.test_targets import Taking


def test_connect_four_by_columns() -> None:
    assert play_moves(ConnectFour(), "").in_words() == "Empty: a, b, c, d, e, f, g.\n"
    assert play_moves(ConnectFour(), "d1 d2 a1 d3").in_words() == (
        "Column a: a1 red.\nColumn d: d1 red, d2 blue, d3 blue.\nEmpty: b, c, e, f, g.\n"
    )


def test_go_by_rows() -> None:
    assert play_moves(Go(5, 0.5), "").in_words() == "An empty board of 5 lines.\n"
    assert play_moves(Go(5, 0.5), "A2 A1 B1 E5").in_words() == (
        "Row 5: white E5.\nRow 2: black A2.\nRow 1: black B1.\nBlack has captured 1.\n"
    )


def test_santorini_by_workers_and_levels() -> None:
    assert play_moves(Santorini(), "").in_words() == (
        "The first player stands on nothing yet.\n"
        "The second player stands on nothing yet.\n"
        "Nothing is built yet.\n"
    )
    assert play_moves(Santorini(), "a1 e1 a2 e2 a1-b1+a1 e1-d1+e1 b1-a1+b1").in_words() == (
        "The first player stands on a1 (level 1) and a2 (the ground).\n"
        "The second player stands on d1 (the ground) and e2 (the ground).\n"
        "Level 1: a1, b1, e1.\n"
    )


def test_descriptions_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ConnectFourPosition, "in_words", lambda _: "1 < 2 & <script/>\n")
    picture = ET.fromstring(described_picture(ConnectFour().start(1)))
    # A title, if there is one, comes first: browsers show it as a tooltip.
    assert [one.tag.partition("}")[2] for one in picture][:2] == ["title", "desc"]
    assert picture[1].text == "1 < 2 & <script/>"
    assert len(picture[1]) == 0


def test_an_empty_picture_is_described_too() -> None:
    picture = ET.fromstring(described_picture(Taking().start(1)))
    assert [one.text for one in picture] == ["7"]
