"""The rules page of every game of this repository agrees with the code.

This is a separate module because users' own games need no rules page.
"""

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gamehall.core import Game
from gamehall.games.ascension.cards import CARDS, Faction
from gamehall.games.catalogue import all_games
from gamehall.match.record import write_terms

GAMES = [pytest.param(game, id=name) for name, game in all_games().items()]
ROOT = Path(__file__).parents[2]


def page_of(game: type[Game[Any]]) -> str:
    return (files(game.__module__) / "RULES.md").read_text()


def section(page: str, title: str) -> str:
    """Return the text below the heading, which may have a number before its title."""
    [text] = re.findall(
        rf"^## (?:\d+\. )?{title}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL
    )
    return str(text)


def table(text: str) -> list[list[str]]:
    """Return the cells of the table in the text, without its heading."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return rows[2:]


@pytest.mark.parametrize("game", GAMES)
def test_the_page_names_every_term_and_its_default(game: type[Game[Any]]) -> None:
    named = {row[0].strip("`"): row[1] for row in table(section(page_of(game), "Terms"))}
    defaults = write_terms(game())
    assert named == {
        term: str(value).lower() if isinstance(value, bool) else str(value)
        for term, value in defaults.items()
    }


@pytest.mark.parametrize("game", GAMES)
def test_the_examples_of_the_notation_are_moves(game: type[Game[Any]]) -> None:
    examples = table(section(page_of(game), "Notation"))
    assert examples
    for written, _ in examples:
        move = game().read_move(written.strip("`"))
        assert game().read_move(game().write_move(move)) == move


@pytest.mark.parametrize("game", GAMES)
def test_the_moves_of_the_page_lead_to_its_position(game: type[Game[Any]]) -> None:
    [(given, moves, diagram)] = re.findall(
        r"^```moves(.*?)\n(.*?)\n```\n\n```position\n(.*?\n)```$",
        page_of(game),
        re.MULTILINE | re.DOTALL,
    )
    terms = dict(term.split("=") for term in given.split())
    seed = int(terms.pop("seed", "0"))
    played: Game[Any] = msgspec.convert(terms, game, strict=False)
    position = played.start(seed)
    for move in re.split(r" {2,}|\n", moves):
        position = position.after(played.read_move(move))
    assert position.seen_by(position.to_move).diagram() == diagram


@pytest.mark.parametrize("game", GAMES)
def test_every_cited_clause_is_on_the_page(game: type[Game[Any]]) -> None:
    clauses = [row[0] for row in table(section(page_of(game), "Clauses"))]
    prefix = clauses[0][:2]
    assert clauses == [f"{prefix}-{number:02}" for number in range(1, len(clauses) + 1)]
    tests = "".join(path.read_text() for path in (ROOT / "tests" / "games").glob("*.py"))
    cited = {f"{prefix}-{number}" for number in re.findall(rf"\b\w*{prefix}[-_](\d\d)", tests)}
    assert cited
    assert cited <= set(clauses)


def test_the_cards_of_the_page_are_those_of_the_game() -> None:
    rows = table(section(page_of(all_games()["ascension"]), "Cards"))
    for row, card in zip(rows, CARDS.values(), strict=True):
        name, kind, faction, cost, honor, copies, effect = row
        belongs = card.faction not in (Faction.NONE, Faction.MONSTER)
        assert (name, kind) == (card.name, card.kind.value)
        assert faction == (card.faction.value if belongs else "none"), name
        assert (int(cost), int(honor), int(copies)) == (card.cost, card.honor, card.copies), name
        # The page may say more than the card's text.
        assert effect.startswith(card.text.rstrip(".")), name


def test_every_section_and_reading_that_the_code_cites_is_on_the_page() -> None:
    page = page_of(all_games()["ascension"])
    sections = set(re.findall(r"^## (\d+)\. ", page, re.MULTILINE))
    readings = set(re.findall(r"^(\d+)\. ", section(page, "Readings"), re.MULTILINE))
    code = "".join(
        path.read_text()
        for path in (ROOT / "src" / "gamehall" / "games" / "ascension").glob("*.py")
    )
    cited_sections = set(re.findall(r"RULES\.md, (\w+)", code))
    cited_readings = set(re.findall(r"\breading (\d+)", code))
    assert cited_sections
    assert cited_readings
    assert cited_sections <= sections
    assert cited_readings <= readings
