"""Clauses, the checks that show them, what a check may find, and the report of it."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

import msgspec

from gamehall.conformance.target import Target


class Verdict(Enum):
    """The result for a clause."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_CHECKED = "not checked"
    OTHERWISE = "otherwise"
    """The server does it differently from Gamehall, and its document allows that."""


class Finding(msgspec.Struct, frozen=True):
    """The result for one clause. `detail` says what went wrong, or why it was not checked."""

    clause: str
    sentence: str
    verdict: Verdict
    detail: str = ""


class Check(msgspec.Struct, frozen=True):
    """Something that is done to a server, and the clauses that may be seen to hold in it.

    The check reports each clause when it sees it hold, with `Target.saw`.
    """

    name: str
    clauses: tuple[str, ...]
    run: Callable[[Target[Any]], None]


class Checklist(msgspec.Struct, frozen=True):
    """All checks of one protocol."""

    sentences: Mapping[str, str]
    """Every clause of the document, by its id."""
    checks: list[Check]
    unchecked: Mapping[str, str]
    """The clauses that are not checked, and why."""
    is_one_story: bool = False
    """Whether the checks build on one another: after one that fails the others are skipped."""

    def shows(
        self, *clauses: str
    ) -> Callable[[Callable[[Target[Any]], None]], Callable[[Target[Any]], None]]:
        """Mark a function as a check in which these clauses can be seen."""

        def enter(run: Callable[[Target[Any]], None]) -> Callable[[Target[Any]], None]:
            name = run.__name__.replace("_", " ")
            self.checks.append(Check(name, clauses, run))
            return run

        return enter


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
    return "\n".join([*lines, write_sum(findings)])


def write_sum(findings: Sequence[Finding]) -> str:
    """Return how many clauses have which verdict."""
    counts = Counter(finding.verdict for finding in findings)
    shown = [Verdict.PASSED, Verdict.FAILED, Verdict.NOT_CHECKED]
    shown += [Verdict.OTHERWISE] if counts[Verdict.OTHERWISE] else []
    return ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in shown)


def describe(findings: Sequence[Finding], address: str) -> dict[str, Any]:
    """Return the report as a value that can be written as JSON."""
    return {
        "address": address,
        "passed": has_passed(findings),
        "clauses": [
            {
                "id": finding.clause,
                "sentence": finding.sentence,
                "verdict": finding.verdict.value,
                "detail": finding.detail,
            }
            for finding in findings
        ],
    }


def has_passed(findings: Sequence[Finding]) -> bool:
    """Return whether nothing has failed, and at least something was seen to hold."""
    verdicts = {finding.verdict for finding in findings}
    return Verdict.FAILED not in verdicts and Verdict.PASSED in verdicts
