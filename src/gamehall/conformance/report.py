"""What was found, for people and for programs."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from gamehall.conformance.clauses import Finding, Verdict

WIDTH_OF_CLAUSE = 6
WIDTH_OF_VERDICT = len(Verdict.NOT_CHECKED.value)


def write_report(findings: Sequence[Finding]) -> str:
    """A line for every clause, one more where there is something to say, and the sum of it."""
    lines: list[str] = []
    for finding in findings:
        clause = finding.clause.ljust(WIDTH_OF_CLAUSE)
        verdict = finding.verdict.value.ljust(WIDTH_OF_VERDICT)
        lines.append(f"{clause} {verdict}  {finding.sentence}")
        if finding.detail:
            lines.append(" " * (WIDTH_OF_CLAUSE + WIDTH_OF_VERDICT + 3) + finding.detail)
    return "\n".join([*lines, write_sum(findings)])


def write_sum(findings: Sequence[Finding]) -> str:
    """How many clauses have come to what."""
    counts = Counter(finding.verdict for finding in findings)
    shown = [Verdict.PASSED, Verdict.FAILED, Verdict.NOT_CHECKED]
    shown += [Verdict.OTHERWISE] if counts[Verdict.OTHERWISE] else []
    return ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in shown)


def describe(findings: Sequence[Finding], address: str) -> dict[str, Any]:
    """The same as a value that can be written as JSON."""
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
