"""Structured fields and safe names for log lines."""


def about(**fields: object) -> dict[str, object]:
    """Return the `extra` of a logging call with these fields, such as `door="tttp"`."""
    return {"fields": fields}


LONGEST_NAME = 40


def loggable(name: str) -> str:
    """Return a name that a client has chosen, shortened and on one line."""
    short = name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "..."
    return short if short.isprintable() else repr(short)
