"""How a room treats a player: a matter of the protocol that the player speaks.

Players of several protocols may meet in one room. What they play is the room's, how each is asked
for its moves is its own.
"""

import msgspec

from gamehall.match import Clock


class Keepalive(msgspec.Struct, frozen=True):
    """How a player who waits for a tournament is asked for signs of life."""

    seconds_between: float
    """From the last sign of life to the next asking."""
    seconds_to_answer: float


class ClientPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """What a player may expect of a room that asks for moves, and what is expected of it."""

    clock: Clock = Clock()
    """How long it may take over each answer."""
    retries: int = 0
    """How often it is asked again after a bad answer, before it is sent away."""
    probes_per_second: int = 10
    """With one more within a second it is sent away."""
    one_probe_window: bool = False
    """Whether probes are counted over all prompts, and not for each prompt anew (S1-Q17)."""
    keepalive: Keepalive | None = None
    """None: it may wait in silence."""
