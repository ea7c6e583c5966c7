"""How the end of a match is worded that a player has left."""

from typing import Final

LEFT: Final = "left"
HUNG_UP: Final = "hung up"


def why_left(who: str, reason: str) -> str:
    """Return what people read of somebody's leaving: its reason only if that says more."""
    return f"{who} left" if reason in (LEFT, HUNG_UP) else f"{who} left: {reason}"
