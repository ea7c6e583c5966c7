"""What a worker is given at a time, and what comes back."""

from collections.abc import Sequence
from typing import NamedTuple

from gamehall.arena.match import HouseFault, Watch
from gamehall.arena.match_runner import MatchRunner, Row
from gamehall.engines.choice import BadChoice, CannotLoad, CannotStart
from gamehall.tournaments.formats.format import Encounter

CHUNKS_AHEAD = 2
"""A worker that has one to play and one to come never waits for us."""
SECONDS_OVERDUE = 5.0
"""How long a bot may keep a worker beyond its limit before that worker is given up."""


class Chunk(NamedTuple):
    """Encounters that one worker plays, one after the other."""

    encounters: Sequence[Encounter]
    guards_all: bool = False
    """Whether every bot has a program of its own, so that it is seen who fails."""


class Done(NamedTuple):
    """A chunk that was played, or that was lost with whoever played it."""

    chunk: Chunk
    rows: Sequence[Row]
    seconds: float
    """What it took."""
    trouble: str | None = None
    """Why it was lost, in words, if it was; then there are no rows."""


def play_chunk(pitch: MatchRunner, chunk: Chunk, watch: Watch) -> tuple[list[Row], str | None]:
    """The rows of a chunk, and why there are none, if there are none."""
    rows: list[Row] = []
    try:
        for encounter in chunk.encounters:
            rows += pitch.play(encounter, chunk.guards_all, watch)
    except (HouseFault, BadChoice, CannotLoad, CannotStart) as error:
        return [], str(error)
    return rows, None
