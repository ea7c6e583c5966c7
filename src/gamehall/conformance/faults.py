"""How a check ends before its end."""


class Broken(Exception):
    """The other side did not do what `clause` demands."""

    def __init__(self, expected: str, came: str, clause: str, *, is_silence: bool = False) -> None:
        super().__init__(f"expected {expected}; came {came}")
        self.expected = expected
        self.came = came
        self.clause = clause
        self.is_silence = is_silence
        """Whether nothing came at all."""


class CannotCheck(Exception):
    """The check cannot go on, and that is no fault of the server. The text says why."""


class ServerGone(CannotCheck):
    """The server accepts no connections, or no more of them. The text says why."""


def demand(holds: bool, clause: str, expected: str, came: object) -> None:
    """Raises Broken unless it holds."""
    if not holds:
        raise Broken(expected, shown(came), clause)


def shown(thing: object) -> str:
    """Something that came, short enough for a report."""
    text = thing if isinstance(thing, str) else repr(thing)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"


LONGEST_SHOWN = 160
