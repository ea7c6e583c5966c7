"""What an engine answers in GTP, the Go Text Protocol, that people speak to programs."""

from gamehall.wire.framing import ProtocolError


class EngineRefused(Exception):
    """An engine answered a command with `?` and this text."""


def read_response(text: str) -> str:
    """What an engine answered, without the sign in front. Raises EngineRefused and Malformed."""
    sign, rest = text[:1], text[1:].strip()
    if sign == "=":
        return rest
    if sign == "?":
        raise EngineRefused(rest)
    raise ProtocolError(f"the engine does not speak GTP: it said {text[:80]!r}")
