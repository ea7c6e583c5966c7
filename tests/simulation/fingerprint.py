"""Fingerprints: the whole state of a room as text, so that two rooms can be compared."""

from gamehall.rooms.open_table import ChatHistory, OpenTable
from gamehall.rooms.polled_table import PolledTable
from gamehall.rooms.timing import TokenBucket
from tests.support.object_state import describe_state

UNUSED = {"joined_at"}
"""Attributes that are unused after a tournament has begun."""

HANDED_OUT = {"_reaction", "records", "_log", "log_lines", "_compaction", "_has_begun"}
"""What a room returns once; a restored room has returned it before."""

COUNTERS = {"_changes", "_earlier_versions", "_delays", "_finished"}
"""Versions of views; the host adjusts them after a restart."""

UNORDERED = {"_members", "_players", "_peers", "used", "since", "_pinged_at", "_heard_at"}
"""Attributes whose order does not matter."""

PASSING = {"_waiting", "deadline"}
"""Attributes that depend on polls, which are not journaled."""

CACHES = {"_snapshots", "_entries_since_start", "_now", "_refused"}
"""Attributes that do not determine the room."""


def fingerprint(room: object) -> str:
    """Return the state of a room, except what need not be restored."""
    return describe_state(
        room, without=(TokenBucket, ChatHistory), skipped=_skipped, unordered=UNORDERED
    )


def difference(one: str, other: str) -> str:
    """Return the first lines in which two fingerprints differ."""
    for mine, yours in zip(one.splitlines(), other.splitlines(), strict=False):
        if mine != yours:
            return f"{mine!r} is not {yours!r}"
    return "one is longer than the other"


def _skipped(owner: object) -> set[str]:
    skipped = HANDED_OUT | COUNTERS | UNUSED | CACHES
    if isinstance(owner, PolledTable):
        skipped |= PASSING
    if isinstance(owner, OpenTable) and owner._referee.result is None:
        # The names of former players are visible only when the match is over.
        skipped |= {"_names"}
    return skipped
