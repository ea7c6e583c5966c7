"""How a check ends before its end."""


class Broken(Exception):
    """The other side did not do what a clause demands.

    `clause` is None if the check only knows that it cannot go on.
    """

    def __init__(
        self, expected: str, came: str, clause: str | None = None, *, is_silence: bool = False
    ) -> None:
        super().__init__(f"expected {expected}; came {came}")
        self.clause = clause
        self.is_silence = is_silence
        """Whether nothing came at all."""


class CannotCheck(Exception):
    """The check does not fit this server or its settings. The text says why."""


def demand(holds: bool, clause: str, expected: str, came: object) -> None:
    """Raises Broken unless it holds."""
    if not holds:
        raise Broken(expected, shown(came), clause)


def shown(thing: object) -> str:
    """Something that came, short enough for a report."""
    text = thing if isinstance(thing, str) else repr(thing)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"


LONGEST_SHOWN = 160
