"""How a program ends with the one that started it, however that one ends."""

import os
import signal
from ctypes import CDLL, c_ulong

PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """From now on this program is ended by the system when its parent, of this number, ends.

    Only Linux can do that; elsewhere a program notices when there is nobody to answer.
    """
    prctl = getattr(CDLL(None), "prctl", None)
    if prctl is None:
        return
    prctl(PR_SET_PDEATHSIG, c_ulong(signal.SIGKILL))
    if os.getppid() != parent:
        # It has ended before we could say so.
        os.kill(os.getpid(), signal.SIGKILL)
