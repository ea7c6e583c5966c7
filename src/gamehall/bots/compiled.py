"""Compile functions to machine code with numba, for bots that search deep.

A compiled function uses numbers and numpy arrays only, calls only compiled functions, and releases
the GIL. It is compiled on its first call, which takes seconds, and cached for the next run: beside
its module if that is writable, otherwise in the user's cache folder (or in NUMBA_CACHE_DIR). If
neither is writable, it is compiled again in every process. A cached function is discarded when its
own module changes, but not when the module of a function that it calls does.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from numba import njit

_P = ParamSpec("_P")
_R = TypeVar("_R")


def compiled(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile the function. Division by zero raises no error in it: the result is undefined."""
    try:
        return njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:
        # There is no writable cache folder.
        return njit(nogil=True, error_model="numpy")(function)


# To count bits in pairs, fours and bytes is folklore.
_PAIRS, _FOURS, _BYTES = 0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F
_ONES = 0x0101010101010101


@compiled
def bit_count(bits: int) -> int:
    """Return the number of ones, as `int.bit_count` does for a number below 2**63."""
    pairs = bits - (bits >> 1 & _PAIRS)
    fours = (pairs & _FOURS) + (pairs >> 2 & _FOURS)
    return ((fours + (fours >> 4) & _BYTES) * _ONES) >> 56
