"""What is compared: a kernel, and whoever does the same."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Work: TypeAlias = Callable[[float], tuple[float, float | None]]
"""Works for about so many seconds of CPU time, and says how much was done; and in how many seconds,
if that was in another program."""


def always() -> bool:
    """There is nothing to compare."""
    return True


def nothing() -> None:
    """There is nothing to clear away."""


@dataclass(frozen=True, slots=True)
class Contest:
    """A row of the benchmark."""

    name: str
    unit: str
    """What is counted."""
    kernel: Work
    other_name: str = ""
    other: Work | None = None
    agrees: Callable[[], bool] = always
    """Whether both come to the same; called first, so that everything is compiled by then."""
    why_alone: str = ""
    """Why there is nobody to compare with, in words, if there could be."""
    close: Callable[[], None] = nothing


def repeated(do: Callable[[], float]) -> Work:
    """Does it again and again, at least once, and sums up how much was done."""

    def work(seconds: float) -> tuple[float, float | None]:
        deadline = time.process_time() + seconds
        done = do()
        while time.process_time() < deadline:
            done += do()
        return done, None

    return work
