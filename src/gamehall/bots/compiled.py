"""Functions that are compiled to machine code: what bots that search deep are made of.

A compiled function knows numbers and arrays of numpy only, calls only compiled functions, and lets
other threads run meanwhile. It is compiled when it is first called, which takes seconds, and kept
for the next run: beside its module if that can be written to, otherwise in the user's cache folder
(numba's NUMBA_CACHE_DIR names another). Where nothing can be written it is compiled every time.
What is kept of a function is dropped when its own module changes, not when one that it calls does.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from numba import njit

_P = ParamSpec("_P")
_R = TypeVar("_R")


def compiled(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The function, compiled. To divide by zero gives no error there, but infinity or nonsense."""
    try:
        return njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:
        # There is no folder to keep it in, which costs time and nothing else.
        return njit(nogil=True, error_model="numpy")(function)
