"""What the players of a tournament are called in it: lower-case letters, and no two alike."""

from collections.abc import Iterator, Sequence
from itertools import count, product
from string import ascii_lowercase


def internal_names(signed_up: Sequence[str]) -> list[str]:
    """A name for each player, given those they signed up with in the order of arrival.

    A name that consists of lower-case letters and is nobody else's stays as it is. Of two alike
    the first keeps it; the others get letters appended, until what comes out is neither anybody's
    own name nor given to anybody (S1-Q05).
    """
    own = [_letters_of(name) for name in signed_up]
    taken = set(own)
    # Whoever signed up in just these letters goes before those whose name had to be reduced.
    order = sorted(range(len(own)), key=lambda player: own[player] != signed_up[player])
    kept: set[str] = set()
    given: dict[int, str] = {}
    for player in order:
        name = own[player]
        if name in kept:
            name = next(name + ending for ending in _endings() if name + ending not in taken)
            taken.add(name)
        else:
            kept.add(name)
        given[player] = name
    return [given[player] for player in range(len(own))]


def _letters_of(name: str) -> str:
    """The ASCII letters of a name in lower case; `player` if it has none."""
    return "".join(c for c in name.lower() if c in ascii_lowercase) or "player"


def _endings() -> Iterator[str]:
    """a, b, ..., z, aa, ab, ..."""
    for length in count(1):
        for letters in product(ascii_lowercase, repeat=length):
            yield "".join(letters)
