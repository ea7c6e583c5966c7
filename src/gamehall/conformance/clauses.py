"""Clauses, the checks that show them, and what a check may find."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

import msgspec

from gamehall.conformance.field import Field


class Verdict(Enum):
    """What is known of a clause after a run."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_CHECKED = "not checked"
    OTHERWISE = "otherwise"
    """The server does it in another way than our hall, and its document allows that."""


class Finding(msgspec.Struct, frozen=True):
    """One clause and what is known of it. `detail` says what went wrong, or why nobody looked."""

    clause: str
    sentence: str
    verdict: Verdict
    detail: str = ""


class Check(msgspec.Struct, frozen=True):
    """Something that is done to a server, and the clauses that may be seen to hold in it.

    Which of them were seen, the check says itself: by `Field.saw`, at the moment.
    """

    name: str
    clauses: tuple[str, ...]
    run: Callable[[Field[Any]], None]


class Book(msgspec.Struct, frozen=True):
    """All there is to check of one protocol."""

    sentences: Mapping[str, str]
    """Every clause of the document, by its id."""
    checks: list[Check]
    unchecked: Mapping[str, str]
    """Why nobody looks at these clauses."""
    is_one_story: bool = False
    """Whether the checks go on from one another: after one that fails the others mean nothing."""

    def shows(
        self, *clauses: str
    ) -> Callable[[Callable[[Field[Any]], None]], Callable[[Field[Any]], None]]:
        """Mark a function as a check in which these clauses can be seen."""

        def enter(run: Callable[[Field[Any]], None]) -> Callable[[Field[Any]], None]:
            name = run.__name__.replace("_", " ")
            self.checks.append(Check(name, clauses, run))
            return run

        return enter
