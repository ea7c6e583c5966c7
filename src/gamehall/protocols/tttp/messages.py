"""The packets of TTTP, byte for byte. Numbers of more than one byte are big-endian (T-01).

Both directions begin with four letters. The same letters mean different packets in the two
directions, so there is a measure for each.
"""

from gamehall.games.connect_four import COLUMNS, ROWS, Cell
from gamehall.games.connect_four.bitboard import bit
from gamehall.wire.framing import Malformed

TYPE = 4
"""Length of the packet type."""

PLAY_LENGTH = 6
JOIN_RESPONSE_LENGTH = 5
UPDATE_LENGTH = 48
LONGEST = 7 + 255 + 65_535

ALLOWED_IN_CHAT = bytes(
    code if 0x20 <= code <= 0x7E or code in b"\t\n" else ord("?") for code in range(256)
)
"""For bytes.translate: what is sent as ASCII is ASCII (T-Q24)."""


def measure_from_client(buffer: bytes, start: int) -> int | None:
    """How long the packet is that a client begins at `start`."""
    kind = buffer[start : start + TYPE]
    if kind == b"PLAY":
        return PLAY_LENGTH
    if kind == b"RMCH":
        return TYPE
    if kind == b"CHAT":
        length = _number(buffer, start + TYPE, 2)
        return None if length is None else TYPE + 2 + length
    if kind == b"JOIN":
        length = _number(buffer, start + TYPE, 1)
        return None if length is None else TYPE + 1 + length
    return _unknown(kind)


def measure_from_server(buffer: bytes, start: int) -> int | None:
    """How long the packet is that a server begins at `start`."""
    kind = buffer[start : start + TYPE]
    if kind == b"UPDT":
        return UPDATE_LENGTH
    if kind == b"JOIN":
        return JOIN_RESPONSE_LENGTH
    if kind == b"CHAT":
        name = _number(buffer, start + TYPE, 1)
        message = _number(buffer, start + TYPE + 1, 2)
        return None if name is None or message is None else TYPE + 3 + name + message
    return _unknown(kind)


def _number(buffer: bytes, start: int, length: int) -> int | None:
    """The number that stands there, None if it has not all come."""
    digits = buffer[start : start + length]
    return int.from_bytes(digits, "big") if len(digits) == length else None


def _unknown(kind: bytes) -> int | None:
    """A packet of an unknown type has no length, so nothing after it can be read (T-Q25).

    It is judged when the type has all come: what is said of it must not hang on how it came.
    """
    if len(kind) == TYPE:
        raise Malformed(f"{kind!r} is not the type of a packet")
    return None


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
    return b"UPDT" + bytes((turn, won)) + spots


def _row_of_spots(first: int, second: int) -> bytes:
    """The values of one row, given which of its columns each of the two has."""
    return bytes((first >> column & 1) + 2 * (second >> column & 1) for column in range(COLUMNS))


_ROWS_OF_SPOTS = {
    (first, second): _row_of_spots(first, second)
    for first in range(1 << COLUMNS)
    for second in range(1 << COLUMNS)
    if not first & second
}
"""Every row that there can be, since a door writes little else than boards."""


def write_spots(first: int, second: int) -> bytes:
    """The values in spots 1-42, row by row from the top, each from the left (TR-02).

    The bitboards have eight bits a row, hence a byte of each is a row of the board.
    """
    rows = zip(first.to_bytes(ROWS, "little"), second.to_bytes(ROWS, "little"), strict=True)
    return b"".join([_ROWS_OF_SPOTS[row] for row in rows])


def read_spots(spots: bytes) -> tuple[int, int]:
    """The cells of the first and of the second, as bitboards. Raises Malformed."""
    if spots.strip(b"\x00\x01\x02"):
        raise Malformed("a spot is 0, 1 or 2")
    cells = [Cell(index % COLUMNS, index // COLUMNS) for index in range(len(spots))]
    first, second = (
        sum(bit(cell) for cell, spot in zip(cells, spots, strict=True) if spot == value)
        for value in (1, 2)
    )
    return first, second
