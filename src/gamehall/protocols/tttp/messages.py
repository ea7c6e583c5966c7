"""The packets of TTTP and the numbers that stand for seats, results and refusals.

Numbers of more than one byte are big-endian (T-01). Packets begin with a type of four letters. The
same type has a different layout in each direction, so each direction has its own function that
measures packets.
"""

from unicodedata import combining, normalize

from gamehall.core import Seat
from gamehall.games.connect_four import Cell
from gamehall.match import Ending, Result
from gamehall.rooms.names import SPELLINGS
from gamehall.rooms.notices import Refusal
from gamehall.wire.framing import ProtocolError

# The same numbers in every field of UPDT: turn, won and spots (T-09, T-10, TR-01).
RED = 1
BLUE = 2
NUMBERS = {Seat.FIRST: RED, Seat.SECOND: BLUE}

JOIN_CODES: dict[Seat | None, int] = {Seat.FIRST: RED, Seat.SECOND: BLUE, None: 3}
"""The codes of a JOIN response that accept; a spectator has no seat (T-06)."""

REFUSALS = {
    Refusal.NAME_TOO_SHORT: 4,
    Refusal.NAME_TOO_LONG: 5,
    Refusal.NAME_HAS_INVALID_CHARACTERS: 6,
    Refusal.NAME_TAKEN: 7,
    Refusal.NAME_NOT_ALLOWED: 8,
    Refusal.FULL: 9,
}
"""The codes of a JOIN response that deny (T-07)."""

PLAYING = 0
CATS_GAME = 3
CANCELLED = 4


def won(result: Result) -> int:
    """Return the `won` byte for a game that has ended (T-10)."""
    if result.winner is not None:
        return NUMBERS[result.winner]
    return CATS_GAME if result.ending is Ending.PLAYED_OUT else CANCELLED


SEAT_OF_CODE = {code: seat for seat, code in JOIN_CODES.items()}
REFUSAL_OF_CODE = {code: refusal for refusal, code in REFUSALS.items()}
SEAT_OF_NUMBER = {number: seat for seat, number in NUMBERS.items()}


TYPE_LENGTH = 4

# Packets of fixed length; the others contain their length.
LENGTHS_FROM_CLIENT = {b"PLAY": 6, b"RMCH": 4}
LENGTHS_FROM_SERVER = {b"UPDT": 48, b"JOIN": 5}

ALLOWED_IN_CHAT = bytes(
    code if 0x20 <= code <= 0x7E or code in b"\t\n" else ord("?") for code in range(256)
)
"""A table for bytes.translate: what may not stand in a chat becomes `?` (T-Q24)."""

PUNCTUATION = str.maketrans(
    "\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u2013\u2014", '\'\'\'"""""--'
)
"""Quotation marks and dashes in ASCII. NFKD already parts ligatures and the ellipsis."""


def measure_from_client(buffer: bytes, start: int) -> int | None:
    """Return the length of the packet from a client that begins at `start`, None if unknown yet."""
    kind = buffer[start : start + TYPE_LENGTH]
    if kind == b"CHAT":
        length = _number(buffer, start + TYPE_LENGTH, 2)
        return None if length is None else TYPE_LENGTH + 2 + length
    if kind == b"JOIN":
        length = _number(buffer, start + TYPE_LENGTH, 1)
        return None if length is None else TYPE_LENGTH + 1 + length
    return _unknown(kind)


def measure_from_server(buffer: bytes, start: int) -> int | None:
    """Return the length of the packet from a server that begins at `start`, None if unknown yet."""
    kind = buffer[start : start + TYPE_LENGTH]
    if kind == b"CHAT":
        name = _number(buffer, start + TYPE_LENGTH, 1)
        message = _number(buffer, start + TYPE_LENGTH + 1, 2)
        return None if name is None or message is None else TYPE_LENGTH + 3 + name + message
    return _unknown(kind)


def _number(buffer: bytes, start: int, length: int) -> int | None:
    """Return the number at `start`, None if it is incomplete."""
    digits = buffer[start : start + length]
    return int.from_bytes(digits, "big") if len(digits) == length else None


def _unknown(kind: bytes) -> int | None:
    """Reject a packet of unknown type: nothing after it can be read (T-Q25).

    All four letters are awaited first, so that the error does not depend on TCP segments (X-01).
    """
    if len(kind) == TYPE_LENGTH:
        raise ProtocolError(f"{kind!r} is not the type of a packet")
    return None


def write_text(text: str) -> bytes:
    """Return a chat text or name as the wire carries it: spelt in ASCII.

    Latin, Greek and Cyrillic letters are transliterated as in the aliases of names. Any other
    character becomes `?`, so that nothing disappears without a trace (T-Q24).
    """
    if not text.isascii():
        text = normalize("NFC", text).translate(SPELLINGS).translate(PUNCTUATION)
        parted = normalize("NFKD", text).translate(SPELLINGS)
        text = "".join(sign for sign in parted if not combining(sign))
    return text.encode("ascii", "replace").translate(ALLOWED_IN_CHAT)


def write_join(name: bytes) -> bytes:
    """Return a JOIN request. The name must have at most 255 bytes; this is not checked."""
    return b"JOIN" + bytes((len(name),)) + name


def write_play(cell: Cell, base: int) -> bytes:
    return b"PLAY" + bytes((cell.column + base, cell.row + base))


def write_chat_request(message: bytes) -> bytes:
    """Return a CHAT request."""
    return b"CHAT" + len(message).to_bytes(2, "big") + message


def write_join_response(code: int) -> bytes:
    return b"JOIN" + bytes((code,))


def write_chat(name: bytes, message: bytes) -> bytes:
    # Both lengths come before both texts, the length of the name first (T-16).
    return b"CHAT" + bytes((len(name),)) + len(message).to_bytes(2, "big") + name + message


UPDATES = {(turn, won): b"UPDT" + bytes((turn, won)) for turn in (1, 2) for won in range(5)}
"""The beginning of an UPDT by `turn` and `won`; the spots follow."""
