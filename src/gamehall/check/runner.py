"""Runs the checks of a book against a server, one after the other, and says what is known then."""

import socket
import time
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from gamehall.check.clauses import Book, Check, Finding, Verdict
from gamehall.check.faults import Broken, CannotCheck
from gamehall.check.field import PATIENCE_SECONDS, Field
from gamehall.wire.settings import DoorSettings

SILENCES_ENOUGH = 3
"""After so many checks in a row to which nothing was said, a server is taken for dumb."""

LONGEST_RUN_SECONDS = 150.0

Progress = Callable[[int, int, str], None]
"""Told the number of checks that are done, how many there are, and what is checked now."""


class _Result(msgspec.Struct, frozen=True):
    """How one check ended for one of its clauses."""

    verdict: Verdict
    detail: str = ""


def run(
    book: Book,
    host: str,
    port: int,
    settings: DoorSettings,
    progress: Progress,
    patience_seconds: float = PATIENCE_SECONDS,
) -> list[Finding]:
    """What is known of every clause of the book after all checks. Never waits for ever.

    Raises OSError if nobody listens there.
    """
    socket.create_connection((host, port), patience_seconds).close()
    results: dict[str, list[_Result]] = {}
    story: dict[str, Any] = {}
    silences = 0
    stopped = ""
    end = time.monotonic() + LONGEST_RUN_SECONDS
    for number, check in enumerate(book.checks):
        progress(number, len(book.checks), check.name)
        if time.monotonic() > end:
            stopped = stopped or f"the checks took more than {LONGEST_RUN_SECONDS:.0f} s"
        if stopped:
            for clause in check.clauses:
                _note(results, clause, Verdict.NOT_CHECKED, stopped)
            continue
        with Field(host, port, settings, story, patience_seconds) as field:
            broken = _run_check(check, field, results)
        silences = silences + 1 if broken is not None and broken.is_silence else 0
        if silences >= SILENCES_ENOUGH:
            stopped = "the server has not said anything for several checks"
        elif broken is not None and book.is_one_story:
            stopped = f"it follows from what went wrong in: {check.name}"
    progress(len(book.checks), len(book.checks), "done")
    clauses = _all_clauses(book, results)
    return [_judge(book, clause, results.get(clause, [])) for clause in clauses]


def _run_check(check: Check, field: Field[Any], results: dict[str, list[_Result]]) -> Broken | None:
    """What went wrong, None if nothing did."""
    try:
        _play(check, field)
    except CannotCheck as reason:
        for clause in check.clauses:
            _note(results, clause, Verdict.NOT_CHECKED, str(reason))
    except Broken as broken:
        guilty = broken.clause or check.clauses[0]
        _note(results, guilty, Verdict.FAILED, f"{broken} ({check.name})")
        for clause in check.clauses:
            if clause != guilty:
                why = f"not reached: {guilty} failed in: {check.name}"
                _note(results, clause, Verdict.NOT_CHECKED, why)
        return broken
    else:
        for clause in check.clauses:
            _note(results, clause, Verdict.PASSED)
    return None


def _play(check: Check, field: Field[Any]) -> None:
    """Raises Broken and CannotCheck, and nothing else."""
    try:
        check.run(field)
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        # A server may send anything: what a check cannot take apart is not what it should be.
        raise Broken("something that can be read", f"{type(error).__name__}: {error}") from error


def _note(
    results: dict[str, list[_Result]], clause: str, verdict: Verdict, detail: str = ""
) -> None:
    results.setdefault(clause, []).append(_Result(verdict, detail))


def _all_clauses(book: Book, seen: Iterable[str]) -> list[str]:
    """Those of the document, and then those of all documents that a check names or that failed."""
    named = {clause for check in book.checks for clause in check.clauses}
    return [*book.sentences, *(clause for clause in SHARED if clause in named | {*seen})]


def _judge(book: Book, clause: str, results: list[_Result]) -> Finding:
    """One failure is enough to fail; otherwise one check that went well is enough to pass."""
    sentence = book.sentences.get(clause) or SHARED[clause]
    for verdict in (Verdict.FAILED, Verdict.PASSED, Verdict.NOT_CHECKED):
        for result in results:
            if result.verdict is verdict:
                return Finding(clause, sentence, verdict, result.detail)
    why = book.unchecked.get(clause, "nothing came of which it could be told")
    return Finding(clause, sentence, Verdict.NOT_CHECKED, why)


SHARED = {
    "X-01": "a message may come in any number of pieces, and several may come in one",
    "X-03": "every message is one line of ASCII that ends in one line break",
    "X-04": "CRLF, blanks and blank lines in what a client sends do not matter",
    "X-05": "the last message always arrives, and then an orderly end of the connection",
    "X-06": "a prompt is never withdrawn: who has one may answer it, whatever the other does",
    "X-07": "a client that has hung up its own side is told everything until it is needed",
    "X-09": "what one client does wrong never ends the game of others",
}
"""The clauses of all documents that can be seen from outside."""
