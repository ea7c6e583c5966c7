"""What a line of the log is about, besides its words: for programs that read logs."""


def about(**fields: object) -> dict[str, object]:
    """The `extra` of a call that logs: these fields, as in `door="tttp", match="m3f9c0a11d2"`."""
    return {"fields": fields}
