"""What a line of the log is about, besides its words: for programs that read logs."""


def about(**fields: object) -> dict[str, object]:
    """The `extra` of a call that logs: these fields, as in `door="tttp", match="m3f9c0a11d2"`."""
    return {"fields": fields}


LONGEST_NAME = 40


def loggable(name: str) -> str:
    """Return a name that a client has chosen as it can stand in a log: short, and on one line."""
    short = name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "..."
    return short if short.isprintable() else repr(short)
