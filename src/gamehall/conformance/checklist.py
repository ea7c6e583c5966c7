"""The clauses of a protocol, its checks, and the report of the findings.

The checks are in a module or package `conformance` in the protocol's package, which has an
attribute CHECKLIST. It is imported only when something is checked.
"""

import importlib
import importlib.util
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from importlib import resources
from typing import Any

import msgspec

from gamehall.conformance.target import Knowledge, Target
from gamehall.core import Position, Seat
from gamehall.wire.protocol import AnyProtocol

SHARED_CLAUSES = {
    "X-01": "A message may come in any number of pieces, and several may come in one.",
    "X-03": "Every message is one line of ASCII that ends in one line break.",
    "X-04": "CRLF, blanks and blank lines in what a client sends do not matter.",
    "X-05": "The last message always arrives, and then an orderly end of the connection.",
    "X-06": "A prompt is never withdrawn: it may be answered after the opponent has left.",
    "X-09": "What one client does wrong never ends the game of others.",
}
"""The clauses of docs/reference/protocols.md that a client can check.

They are not in the documents, so a server may differ from all of them but X-01: TCP is a stream.
"""


class Verdict(Enum):
    PASSED = "passed"
    FAILED = "failed"
    NOT_CHECKED = "not checked"
    DIFFERS = "differs"
    """The server differs from Gamehall, and its document allows that."""


class Finding(msgspec.Struct, frozen=True, rename={"clause": "id"}):
    """The result for one clause. `detail` says what is wrong, or why it was not checked."""

    clause: str
    sentence: str
    verdict: Verdict
    detail: str = ""


class Check(msgspec.Struct, frozen=True):
    """A function that checks a server, and the clauses that it covers.

    The function calls `Target.saw` for each clause that the server has fulfilled.
    """

    name: str
    clauses: tuple[str, ...]
    run: Callable[[Target[Any, Any]], None]


class ClientRules(msgspec.Struct, frozen=True):
    """What one protocol needs for the check of a client (`gamehall check --listen`)."""

    clauses: Mapping[str, str] = {}
    """The clauses of the document for each point of `client_review.POINTS`, for its report."""
    settings: Mapping[str, object] = {}
    """Settings that make games short and let every client play them to the end."""
    answers: Callable[[Seat], Mapping[str, str]] = lambda seat: {}
    """The opponent's answers to questions about the terms with which it gets this seat."""
    shows_board: Callable[[bytes], bool] = lambda prompt: True
    """Return whether this prompt for a move shows the position."""
    needs_board: Callable[[Position[Any], Seat, Any], bool] = lambda position, seat, move: False
    """Return whether a client has to be shown the position to know that a move is illegal."""


class Checklist(msgspec.Struct, frozen=True):
    """All checks of one protocol."""

    clauses: Mapping[str, str]
    """The text of each clause and each reading (T-Q04), by its id."""
    checks: list[Check]
    unchecked: Mapping[str, str] = {}
    """The reasons why clauses are not checked, by the clause."""
    is_sequence: bool = False
    """Whether each check needs the ones before it: after a failure the rest is skipped."""
    knowledge: type[Knowledge] = Knowledge
    """What its checks learn about a server, for the checks after them."""
    client: ClientRules = ClientRules()

    def covers(
        self, *clauses: str
    ) -> Callable[[Callable[[Target[Any, Any]], None]], Callable[[Target[Any, Any]], None]]:
        """Return a decorator that adds a function as a check of these clauses.

        The name of the function is the name of the check in the report.
        """

        def enter(run: Callable[[Target[Any, Any]], None]) -> Callable[[Target[Any, Any]], None]:
            name = run.__name__.replace("_", " ")
            self.checks.append(Check(name, clauses, run))
            return run

        return enter


def load_checklist(protocol: AnyProtocol) -> Checklist | None:
    """Import and return the checks of a protocol, None if it has none."""
    package = sys.modules[type(protocol).__module__].__package__
    name = f"{package}.conformance"
    if not package or importlib.util.find_spec(name) is None:
        return None
    checklist: Checklist = importlib.import_module(name).CHECKLIST
    return checklist


CLAUSE = re.compile(r"^\| ([A-Z]\w*-Q?\d\d) \| (.+?) \|(?: (.+?) \|)?", re.MULTILINE)
LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")


def read_clauses(package: str) -> dict[str, str]:
    """Return the clauses and readings of a package's PROTOCOL.md, by their ids.

    They are the rows of its tables that begin with an id. Of a reading (T-Q04), which is a question
    and Gamehall's answer, the first sentence of the answer is taken.
    """
    page = resources.files(package).joinpath("PROTOCOL.md").read_text("utf-8")
    return {
        clause: LINK.sub(r"\1", f"{text} {_first_sentence(answer)}" if answer else text)
        for clause, text, answer in CLAUSE.findall(page)
    }


def is_reading(clause: str) -> bool:
    """Return whether this is the id of a reading: of what a document leaves open."""
    return "-Q" in clause


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.:;]) ", text)[0].rstrip(":;")


WIDTH_OF_CLAUSE = 6
WIDTH_OF_VERDICT = len(Verdict.NOT_CHECKED.value)


def write_report(findings: Sequence[Finding]) -> str:
    """Return the report: a line for each clause, one more for its detail, and the totals."""
    lines: list[str] = []
    for finding in findings:
        clause = finding.clause.ljust(WIDTH_OF_CLAUSE)
        verdict = finding.verdict.value.ljust(WIDTH_OF_VERDICT)
        lines.append(f"{clause} {verdict}  {finding.sentence}")
        if finding.detail:
            lines.append(" " * (WIDTH_OF_CLAUSE + WIDTH_OF_VERDICT + 3) + finding.detail)
    counts = Counter(finding.verdict for finding in findings)
    totals = [Verdict.PASSED, Verdict.FAILED, Verdict.NOT_CHECKED]
    totals += [Verdict.DIFFERS] if counts[Verdict.DIFFERS] else []
    lines.append(", ".join(f"{counts[verdict]} {verdict.value}" for verdict in totals))
    return "\n".join(lines)


def describe(findings: Sequence[Finding], address: str) -> dict[str, Any]:
    """Return the report as JSON-serializable values."""
    return {
        "address": address,
        "passed": has_passed(findings),
        "clauses": msgspec.to_builtins(findings),
    }


def has_passed(findings: Sequence[Finding]) -> bool:
    """Return whether at least one clause has passed, and none has failed."""
    verdicts = {finding.verdict for finding in findings}
    return Verdict.FAILED not in verdicts and Verdict.PASSED in verdicts
