"""Somebody who takes part in a tournament, from the sign-up to the end."""

from gamehall.rooms.limits import SlidingWindow
from gamehall.rooms.reaction import Peer
from gamehall.rooms.requests import Join

PROBE_WINDOW_SECONDS = 1.0


class Entrant:
    """A peer that has signed up: first it waits, then it plays."""

    __slots__ = (
        "has_hung_up",
        "id",
        "join",
        "joined_at",
        "name",
        "number",
        "peer",
        "policy",
        "probes",
        "shown_name",
        "signed_up_as",
    )

    def __init__(self, peer: Peer, join: Join, joined_at: float) -> None:
        self.peer = peer
        self.join = join
        self.joined_at = joined_at
        self.signed_up_as = join.name
        self.policy = join.policy
        self.probes = SlidingWindow(join.policy.probes_per_second, PROBE_WINDOW_SECONDS)
        self.has_hung_up = False
        """Whether it will say nothing more; it may still be listening."""
        self.number = 0
        """In the tournament, in the order of arrival."""
        self.name = ""
        """What it is called in the tournament, on the wires."""
        self.shown_name = ""
        """What people and native clients see it called there."""
        self.id = ""

    def name_for(self, reader: "Entrant") -> str:
        """Return what that player sees it called."""
        return self.shown_name if reader.policy.native else self.name

    def begin_prompt(self) -> None:
        """Count probes anew: the player is asked for its next move.

        A client that checks every move once must not be sent away because the hall and its
        opponent are quick (S1-Q17). Probes without an open prompt go on counting to the last one,
        so nobody evades the limit by asking while it waits.
        """
        if not self.policy.one_probe_window:
            self.probes.restart()
