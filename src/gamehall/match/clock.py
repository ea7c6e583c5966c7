"""How long a turn may take."""

import msgspec


class Clock(msgspec.Struct, frozen=True):
    """The time terms of a match. It never asks what time it is: it is told."""

    seconds_per_turn: float | None = None
    """None: players take as long as they like."""

    grace_seconds: float = 0.25
    """Added to every limit, for the way of a message through the network (X-10)."""

    def deadline(self, now: float) -> float | None:
        """When a turn that begins now is over for good."""
        if self.seconds_per_turn is None:
            return None
        return now + self.seconds_per_turn + self.grace_seconds

    def left(self, deadline: float, now: float) -> float:
        """How many seconds a player sees on its clock; the grace does not show."""
        return round(max(0.0, deadline - self.grace_seconds - now), 3)
