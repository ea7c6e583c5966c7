"""Functions that are compiled to machine code, for bots that search deep.

A compiled function uses numbers and numpy arrays only, calls only compiled functions, and releases
the GIL. It is compiled on its first call, which takes seconds, and cached for the next run: beside
its module if that is writable, otherwise in the user's cache folder (or in NUMBA_CACHE_DIR). Where
nothing can be written it is compiled in every process. A cached function is discarded when its own
module changes, but not when the module of a function that it calls does.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from numba import njit

_P = ParamSpec("_P")
_R = TypeVar("_R")


def compiled(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile the function. Dividing by zero gives infinity or garbage there, and no error."""
    try:
        return njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:
        # There is no writable cache folder: compile in every process.
        return njit(nogil=True, error_model="numpy")(function)
