"""Run the checks of a protocol against a server."""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Set
from typing import Any

from gamehall.conformance.checklist import (
    SHARED_CLAUSES,
    Check,
    Checklist,
    Finding,
    Verdict,
    is_reading,
)
from gamehall.conformance.connection import (
    CheckSkippedError,
    ClauseError,
    ServerGoneError,
)
from gamehall.conformance.target import PATIENCE_SECONDS, Launcher, Target
from gamehall.wire.settings import DoorSettings

MAX_SILENT_CHECKS = 3
"""The number of checks in a row without any answer after which the rest is skipped."""

MAX_FAILED_STARTS = 3
"""The number of checks without a server, despite its launcher, after which the rest is skipped."""

LONGEST_RUN_SECONDS = 240.0

GONE = (
    "the server accepts no connections any more: start it again and check the rest, or let"
    " --restart-command start it whenever it is gone"
)
NOT_SEEN = "the checks did not get that far"

Progress = Callable[[int, int, str], None]
"""Called with the number of checks done, the number of all checks, and the current one's name."""


Results = dict[str, dict[Verdict, str]]
"""The verdicts of the checks on each clause, with the first detail of each verdict."""


def run(
    checklist: Checklist,
    host: str,
    port: int,
    settings: DoorSettings,
    progress: Progress,
    patience_seconds: float = PATIENCE_SECONDS,
    launcher: Launcher | None = None,
) -> list[Finding]:
    """Run all checks and return the finding for every clause. Always ends.

    Raises ServerGoneError if no server listens there, and `launcher` cannot start it.
    """
    results: Results = defaultdict(dict)
    known = checklist.knowledge()
    silences = gone = 0
    stopped = ""
    end = time.monotonic() + LONGEST_RUN_SECONDS
    for number, check in enumerate(checklist.checks):
        progress(number, len(checklist.checks), check.name)
        if time.monotonic() > end:
            stopped = stopped or f"the checks took more than {LONGEST_RUN_SECONDS:.0f} s"
        if stopped:
            for clause in check.clauses:
                results[clause].setdefault(Verdict.NOT_CHECKED, stopped)
            continue
        with Target(
            host=host,
            port=port,
            settings=settings,
            known=known,
            patience_seconds=patience_seconds,
            launcher=launcher,
        ) as target:
            ended_by = _run_check(check, target, results)
        if isinstance(ended_by, ClauseError):
            known.failed_clauses.add(ended_by.clause)
        if isinstance(ended_by, ServerGoneError):
            if not known.has_connected:
                raise ended_by
            gone += 1
            stopped = GONE if launcher is None or gone >= MAX_FAILED_STARTS else ""
        is_silence = isinstance(ended_by, ClauseError) and ended_by.is_silence
        silences = silences + 1 if is_silence else 0
        if silences >= MAX_SILENT_CHECKS:
            stopped = "the server has not answered for several checks"
        elif isinstance(ended_by, ClauseError) and checklist.is_sequence:
            stopped = f"not reached: {ended_by.clause} failed in: {check.name}"
    progress(len(checklist.checks), len(checklist.checks), "done")
    return [
        _judge(clause, sentence, results[clause], checklist.unchecked.get(clause, NOT_SEEN))
        for clause, sentence in _reported_clauses(checklist, {*results})
    ]


def _run_check(check: Check, target: Target[Any, Any], results: Results) -> Exception | None:
    """Run one check and note its results. Return the exception that ended it early, if any."""
    ended_by: Exception | None = None
    why_not = NOT_SEEN
    try:
        _call(check, target)
    except ServerGoneError as gone:
        ended_by, why_not = gone, GONE
    except CheckSkippedError as reason:
        ended_by, why_not = reason, str(reason)
    except ClauseError as broken:
        ended_by, why_not = broken, f"not reached: {broken.clause} failed in: {check.name}"
        results[broken.clause].setdefault(Verdict.FAILED, f"{broken} ({check.name})")
    for clause in check.clauses:
        if clause not in target.seen:
            why = target.reasons.get(clause, why_not)
            results[clause].setdefault(Verdict.NOT_CHECKED, why)
    for clause in target.seen:
        results[clause][Verdict.PASSED] = ""
    for reading, how in target.remarks.items():
        results[reading].setdefault(Verdict.DIFFERS, how)
    return ended_by


def _call(check: Check, target: Target[Any, Any]) -> None:
    """Run one check. Raises ClauseError and CheckSkippedError, and nothing else."""
    try:
        check.run(target)
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        # The server has sent something that this checker does not expect. No clause can be named
        # that this breaks.
        what = f"{type(error).__name__}: {error}"
        raise CheckSkippedError(f"an answer could not be interpreted ({what})") from error


def _reported_clauses(checklist: Checklist, noted: Set[str]) -> list[tuple[str, str]]:
    """Return the ids and texts of all clauses of the document.

    Then those of the shared clauses and the readings that were checked or noted.
    """
    named = {clause for check in checklist.checks for clause in check.clauses} | noted
    own = checklist.clauses
    return [
        *((clause, own[clause]) for clause in own if not is_reading(clause)),
        *((clause, text) for clause, text in SHARED_CLAUSES.items() if clause in named),
        *((clause, own[clause]) for clause in own if is_reading(clause) and clause in named),
    ]


def _judge(clause: str, sentence: str, results: Mapping[Verdict, str], why_not: str) -> Finding:
    """Return the finding: one failed check fails a clause, else one passed check passes it."""
    for verdict in (Verdict.FAILED, Verdict.DIFFERS, Verdict.PASSED):
        if verdict in results:
            return Finding(clause, sentence, verdict, results[verdict])
    why_not = results.get(Verdict.NOT_CHECKED, why_not)
    return Finding(clause, sentence, Verdict.NOT_CHECKED, why_not)
