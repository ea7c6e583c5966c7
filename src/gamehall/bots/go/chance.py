"""Chance for compiled functions: a generator whose state is an array of one number.

It is George Marsaglia's xorshift with 64 bits ("Xorshift RNGs", 2003). Seeds are mixed as in
SplitMix64 (Guy Steele, Doug Lea, Christine Flood: "Fast Splittable Pseudorandom Number Generators",
2014), with the constants of David Stafford.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamehall.bots.compiled import compiled

Chance: TypeAlias = npt.NDArray[np.uint64]


def chance_from(seed: int) -> Chance:
    """A generator. Seeds that are near each other give what has nothing in common."""
    mixed = (seed * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) % 2**64
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
    # A state of zero would stay zero for ever.
    return np.array([mixed ^ mixed >> 31 or 1], dtype=np.uint64)


@compiled
def below(chance: Chance, limit: int) -> int:
    """A number from 0 to limit - 1, each as likely as the other."""
    state = chance[0]
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    chance[0] = state
    drawn: int = np.int64(state >> np.uint64(33)) * limit >> 31  # type: ignore[assignment]
    return drawn
