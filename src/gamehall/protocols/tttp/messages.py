"""The packets of TTTP, byte for byte. Numbers of more than one byte are big-endian (T-01).

Both directions begin with four letters. The same letters mean different packets in the two
directions, so there is a measure for each.
"""

from gamehall.games.connect_four import Cell
from gamehall.wire.framing import ProtocolError

TYPE_LENGTH = 4

# The packets that always have the same length; the others tell theirs.
LENGTHS_FROM_CLIENT = {b"PLAY": 6, b"RMCH": 4}
LENGTHS_FROM_SERVER = {b"UPDT": 48, b"JOIN": 5}

ALLOWED_IN_CHAT = bytes(
    code if 0x20 <= code <= 0x7E or code in b"\t\n" else ord("?") for code in range(256)
)
"""For bytes.translate: what is sent as ASCII is ASCII (T-Q24)."""


def measure_from_client(buffer: bytes, start: int) -> int | None:
    """How long the packet is that a client begins at `start`."""
    kind = buffer[start : start + TYPE_LENGTH]
    if kind == b"CHAT":
        length = _number(buffer, start + TYPE_LENGTH, 2)
        return None if length is None else TYPE_LENGTH + 2 + length
    if kind == b"JOIN":
        length = _number(buffer, start + TYPE_LENGTH, 1)
        return None if length is None else TYPE_LENGTH + 1 + length
    return _unknown(kind)


def measure_from_server(buffer: bytes, start: int) -> int | None:
    """How long the packet is that a server begins at `start`."""
    kind = buffer[start : start + TYPE_LENGTH]
    if kind == b"CHAT":
        name = _number(buffer, start + TYPE_LENGTH, 1)
        message = _number(buffer, start + TYPE_LENGTH + 1, 2)
        return None if name is None or message is None else TYPE_LENGTH + 3 + name + message
    return _unknown(kind)


def _number(buffer: bytes, start: int, length: int) -> int | None:
    """The number that stands there, None if it has not all come."""
    digits = buffer[start : start + length]
    return int.from_bytes(digits, "big") if len(digits) == length else None


def _unknown(kind: bytes) -> int | None:
    """A packet of an unknown type has no length, so nothing after it can be read (T-Q25).

    It is judged when the type has all come: what is said of it must not hang on how it came.
    """
    if len(kind) == TYPE_LENGTH:
        raise ProtocolError(f"{kind!r} is not the type of a packet")
    return None


def ascii_only(text: str) -> bytes:
    """The text in what may be sent as chat, with ? for everything else."""
    return text.encode("ascii", "replace").translate(ALLOWED_IN_CHAT)


def write_join(name: bytes) -> bytes:
    """JOIN (request). Not checked: that the name has at most 255 bytes."""
    return b"JOIN" + bytes((len(name),)) + name


def write_play(cell: Cell, base: int) -> bytes:
    """PLAY of a cell, whose column and row are counted from `base`."""
    return b"PLAY" + bytes((cell.column + base, cell.row + base))


def write_chat_request(message: bytes) -> bytes:
    """CHAT from a client."""
    return b"CHAT" + len(message).to_bytes(2, "big") + message


def write_rematch() -> bytes:
    """RMCH."""
    return b"RMCH"


def write_join_response(code: int) -> bytes:
    """JOIN (response)."""
    return b"JOIN" + bytes((code,))


def write_chat(name: bytes, message: bytes) -> bytes:
    """CHAT from the server. Mind that the length of the name comes first (T-16)."""
    return b"CHAT" + bytes((len(name),)) + len(message).to_bytes(2, "big") + name + message


def write_update(turn: int, won: int, spots: bytes) -> bytes:
    """UPDT."""
    return _UPDATE_BEGINNINGS[turn, won] + spots


_UPDATE_BEGINNINGS = {
    (turn, won): b"UPDT" + bytes((turn, won)) for turn in (1, 2) for won in range(5)
}
