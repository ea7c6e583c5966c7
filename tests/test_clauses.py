"""Every cited clause is defined on a page, and every clause has a test.

The pages are PROTOCOL.md of each protocol, RULES.md of each game, docs/reference/protocols.md with
the clauses of all doors, and docs/explanation/threat-model.md with the promises TM-01 and so on. A
clause is a row of a table whose first cell is its id.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
THREAT_MODEL = ROOT / "docs" / "explanation" / "threat-model.md"
PAGES = [
    ROOT / "docs" / "reference" / "protocols.md",
    THREAT_MODEL,
    *sorted((ROOT / "src").rglob("PROTOCOL.md")),
    *sorted((ROOT / "src").rglob("RULES.md")),
]
ID = r"(?:S0|S1|SR|GR|TR|AR|TM|G|T|A|X)-Q?\d\d"
NO_CLAUSE = {"X-99", "G-65"}
"""A card of Ascension, and a part of the packed opening book."""
ROW = re.compile(rf"^\| ({ID}) \|", re.MULTILINE)
# A test's name has underscores where an id has hyphens.
CITED = re.compile(r"(?<![A-Za-z0-9])(S0|S1|SR|GR|TR|AR|TM|G|T|A|X)[-_](Q?\d\d)(?!\d)")


def cited_in(text: str) -> set[str]:
    return {f"{kind}-{number}" for kind, number in CITED.findall(text)} - NO_CLAUSE


CLAUSES = {page: ROW.findall(page.read_text()) for page in PAGES}
DEFINED = {clause for clauses in CLAUSES.values() for clause in clauses}


def test_every_clause_is_defined_once() -> None:
    rows = [clause for clauses in CLAUSES.values() for clause in clauses]
    assert sorted(rows) == sorted(DEFINED)
    assert all(CLAUSES.values()), "a page without clauses"


FOLDERS = ["src", "tests", "docs", "examples", "benchmarks"]
SUFFIXES = (".py", ".md", ".txt", ".toml", ".html", ".js", ".css", ".c", ".pl", ".lua")


@pytest.mark.parametrize("folder", [*FOLDERS, "."])
def test_every_cited_clause_is_defined(folder: str) -> None:
    files = (ROOT / folder).glob("*" if folder == "." else "**/*")
    texts = {file: file.read_text() for file in files if file.suffix in SUFFIXES}
    assert texts
    unknown = {
        str(file.relative_to(ROOT)): missing
        for file, text in texts.items()
        if (missing := cited_in(text) - DEFINED)
    }
    assert not unknown


def test_every_clause_is_cited_by_a_test() -> None:
    cited: set[str] = set()
    for file in (ROOT / "tests").rglob("*"):
        if file.suffix in (".py", ".txt"):
            cited |= cited_in(file.read_text())
    assert not DEFINED - cited


def test_every_promise_of_the_threat_model_is_in_the_name_of_a_test() -> None:
    texts = [file.read_text() for file in (ROOT / "tests").rglob("test_*.py")]
    names = [name for text in texts for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)]
    cited = {clause for name in names for clause in cited_in(name) if clause.startswith("TM-")}
    assert cited == {*CLAUSES[THREAT_MODEL]}
