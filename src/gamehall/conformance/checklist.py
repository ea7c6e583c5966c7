"""The clauses of a protocol, the checks that show them, and the report of the findings.

The checks of a protocol are in its own package, in a module or package `conformance` with an
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

from gamehall.conformance.target import Target
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
"""The clauses of docs/reference/protocols.md that can be seen from outside.

The documents do not mention them, so only X-01 can fail: TCP is a stream.
"""


class Verdict(Enum):
    """The result for a clause."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_CHECKED = "not checked"
    OTHERWISE = "otherwise"
    """The server differs from Gamehall, and its document allows that."""


class Finding(msgspec.Struct, frozen=True, rename={"clause": "id"}):
    """The result for one clause. `detail` says what went wrong, or why it was not checked."""

    clause: str
    sentence: str
    verdict: Verdict
    detail: str = ""


class Check(msgspec.Struct, frozen=True):
    """A function that tries a server, and the clauses that it may see hold.

    It reports each of them with `Target.saw` when it has seen it hold.
    """

    name: str
    clauses: tuple[str, ...]
    run: Callable[[Target[Any]], None]


class ClientRules(msgspec.Struct, frozen=True):
    """What is special to one protocol when a client is checked (`gamehall check --listen`)."""

    clauses: Mapping[str, str] = {}
    """The clauses of the document for each point of `client_review.POINTS`, as its report shows."""
    settings: Mapping[str, object] = {}
    """Settings that make games short and let every client play them to the end."""
    answers: Callable[[Seat], Mapping[str, str]] = lambda seat: {}
    """How our opponent answers questions about the terms to get this seat."""
    shows_board: Callable[[bytes], bool] = lambda prompt: True
    """Whether a message that asks for a move shows the position."""
    needs_board: Callable[[Position[Any], Seat, Any], bool] = lambda position, seat, move: False
    """Whether only a client that is shown the position can know that this move is illegal."""


class Checklist(msgspec.Struct, frozen=True):
    """All checks of one protocol."""

    clauses: Mapping[str, str]
    """What each clause and each reading (T-Q04) says, by its id."""
    checks: list[Check]
    unchecked: Mapping[str, str] = {}
    """The clauses that are not checked, and why."""
    is_sequence: bool = False
    """Whether the checks build on one another: after one that fails the others are skipped."""
    client: ClientRules = ClientRules()

    def shows(
        self, *clauses: str
    ) -> Callable[[Callable[[Target[Any]], None]], Callable[[Target[Any]], None]]:
        """Mark a function as a check in which these clauses can be seen."""

        def enter(run: Callable[[Target[Any]], None]) -> Callable[[Target[Any]], None]:
            name = run.__name__.replace("_", " ")
            self.checks.append(Check(name, clauses, run))
            return run

        return enter


def load_checklist(protocol: AnyProtocol) -> Checklist | None:
    """Import the checks in a protocol's package; None if there are none."""
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

    They are the rows of its tables that begin with an id. A reading, such as T-Q04, is a question
    and the answer that Gamehall gives, of which the first sentence is enough here.
    """
    page = resources.files(package).joinpath("PROTOCOL.md").read_text("utf-8")
    return {
        clause: LINK.sub(r"\1", f"{text} {_first_sentence(answer)}" if answer else text)
        for clause, text, answer in CLAUSE.findall(page)
    }


def is_reading(clause: str) -> bool:
    """Return whether this is how Gamehall reads what a document leaves open."""
    return "-Q" in clause


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.:;]) ", text)[0].rstrip(":;")


WIDTH_OF_CLAUSE = 6
WIDTH_OF_VERDICT = len(Verdict.NOT_CHECKED.value)


def write_report(findings: Sequence[Finding]) -> str:
    """Return a line for every clause, a second one for details, and the totals."""
    lines: list[str] = []
    for finding in findings:
        clause = finding.clause.ljust(WIDTH_OF_CLAUSE)
        verdict = finding.verdict.value.ljust(WIDTH_OF_VERDICT)
        lines.append(f"{clause} {verdict}  {finding.sentence}")
        if finding.detail:
            lines.append(" " * (WIDTH_OF_CLAUSE + WIDTH_OF_VERDICT + 3) + finding.detail)
    counts = Counter(finding.verdict for finding in findings)
    totals = [Verdict.PASSED, Verdict.FAILED, Verdict.NOT_CHECKED]
    totals += [Verdict.OTHERWISE] if counts[Verdict.OTHERWISE] else []
    lines.append(", ".join(f"{counts[verdict]} {verdict.value}" for verdict in totals))
    return "\n".join(lines)


def describe(findings: Sequence[Finding], address: str) -> dict[str, Any]:
    """Return the report as a value that can be written as JSON."""
    return {
        "address": address,
        "passed": has_passed(findings),
        "clauses": msgspec.to_builtins(findings),
    }


def has_passed(findings: Sequence[Finding]) -> bool:
    """Return whether nothing has failed, and at least something was seen to hold."""
    verdicts = {finding.verdict for finding in findings}
    return Verdict.FAILED not in verdicts and Verdict.PASSED in verdicts
