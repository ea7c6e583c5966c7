"""Cut a stream of bytes into JSON values (X-04).

Invalid JSON is noticed at the first byte that makes it invalid, not when its brackets balance. The
scan follows arrays and objects, and finds the ends of strings and words. msgspec decodes them; it
also rejects 1e999, integers of more than 4,300 digits and unpaired surrogates.
"""

import re
from typing import Final

import msgspec

from gamehall.wire.framing import Framing, ProtocolError

# What a scan looks for next.
_MARK = re.compile(rb"[^ \t\r\n]")
_END_OF_WORD = re.compile(rb'[ \t\r\n\[\]{},:"]')
_END_OF_STRING = re.compile(rb'["\\\x00-\x1f]')
_ESCAPED = re.compile(rb"[\x00-\xff]")

# Which bytes may follow. A word (a number, true, false, null) begins with any other byte.
_WORD = b"w"
_VALUE = b'[{"' + _WORD
_NAME = b'"'


SHOWN_BYTES = 80
"""How much of invalid input a `NotJson` contains."""


class JsonValue(msgspec.Struct, frozen=True):
    """A decoded JSON value. It is wrapped because null is None."""

    value: object


class NotJson(msgspec.Struct, frozen=True):
    """Input that is not JSON. The rest of its line is skipped."""

    text: bytes
    """At most 80 bytes: up to and including the first byte that is invalid, or the whole word or
    value if it is only invalid as a whole."""


class JsonValues(Framing[JsonValue | NotJson]):
    """JSON values of bounded length and depth; more raises ProtocolError (X-08).

    Args:
        longest: bytes of a value, or to skip in a line that is not JSON.
        deepest: arrays and objects within each other.
        max_parts: brackets, commas, colons and words of a value, so that no scan takes long.
    """

    __slots__ = (
        "_buffer",
        "_deepest",
        "_ended",
        "_fault",
        "_longest",
        "_max_parts",
        "_scan",
        "_skipped",
    )

    def __init__(self, longest: int = 65_536, deepest: int = 32, max_parts: int = 1024) -> None:
        self.has_more = False
        self._longest = longest
        self._deepest = deepest
        self._max_parts = max_parts
        self._buffer = bytearray()
        """Begins with a value: white space between values is dropped."""
        self._scan = _Scan(deepest, max_parts)
        self._skipped: int | None = None
        """How many bytes of a line that is not JSON were skipped, None outside of such a line."""
        self._ended = False
        self._fault: str | None = None

    def feed(self, data: bytes) -> None:
        if self._fault is None:
            self._buffer += data
            if not self.has_more:
                self._drop(0)

    def end(self) -> None:
        """Note that no more bytes will arrive: an unfinished word is complete as it is."""
        self._ended = True

    def next_message(self) -> JsonValue | NotJson | None:
        if self.has_more and self._fault is None:
            message = self._whole_line() or self._scanned()
            if message is not None:
                return message
        if self._fault is not None:
            raise ProtocolError(self._fault)
        return None

    def _whole_line(self) -> JsonValue | None:
        """Return the first line if it is exactly one value, as usual; it is not scanned then."""
        # A line of N bytes has at most N parts: one that is found here does not have too many.
        # The limit also saves long searches when one line has thousands of values.
        if self._scan.position:
            return None
        end = self._buffer.find(b"\n", 0, self._max_parts) + 1
        if not 0 < end <= self._longest:
            return None
        line = self._buffer[:end]
        # Each level takes two bytes. Brackets in strings count, too; then the line is scanned.
        if end > 2 * self._deepest and line.count(b"[") + line.count(b"{") > self._deepest:
            return None
        value = _decoded(line)
        if value is not None:
            self._drop(end)
        return value

    def _scanned(self) -> JsonValue | NotJson | None:
        is_value = self._scan.advance(self._buffer, self._ended)
        end = self._scan.position
        if end > self._longest:
            self._fault = f"a JSON value has more than {self._longest} bytes"
        elif len(self._scan.closers) > self._deepest:
            self._fault = f"a JSON value is more than {self._deepest} arrays or objects deep"
        elif self._scan.parts > self._max_parts:
            self._fault = f"a JSON value has more than {self._max_parts} parts"
        if is_value is None or self._fault is not None:
            return None
        text = bytes(self._buffer[:end])
        value = _decoded(text) if is_value else None
        self._skipped = None if value or text.endswith(b"\n") else 0
        self._scan = _Scan(self._deepest, self._max_parts)
        self._drop(end)
        return value or NotJson(text[:SHOWN_BYTES])

    def _drop(self, end: int) -> None:
        """Drop bytes up to `end`, and those after it that belong to no value."""
        buffer = self._buffer
        del buffer[:end]
        if self._skipped is not None:
            newline = buffer.find(b"\n")
            self._skipped += newline if newline >= 0 else len(buffer)
            if self._skipped > self._longest:
                self._fault = f"more than {self._longest} bytes follow in a line that is not JSON"
            elif newline >= 0:
                self._skipped = None
            del buffer[: newline if newline >= 0 else None]
        if buffer and buffer[0] in b" \t\r\n":
            mark = _MARK.search(buffer)
            del buffer[: mark.start() if mark else None]
        self.has_more = bool(buffer) or self._fault is not None


class JsonValuesAfterName(JsonValues):
    """JSON values of which the first may be a name without quotation marks, on its own line.

    Such a name consists of ASCII letters. If the first line begins with a letter and is not a name,
    it is NotJson; that is noticed only at the end of the line or of the input.
    """

    __slots__ = ("_is_first",)

    def __init__(self) -> None:
        super().__init__()
        self._is_first = True

    def next_message(self) -> JsonValue | NotJson | None:
        if self._is_first and self._buffer[:1].isalpha() and self._fault is None:
            message = self._first_line()
        else:
            message = super().next_message()
        self._is_first = self._is_first and message is None
        return message

    def _first_line(self) -> JsonValue | NotJson | None:
        end = self._buffer.find(b"\n", 0, self._longest + 1)
        if end < 0 and len(self._buffer) > self._longest:
            self._fault = f"the first line has more than {self._longest} bytes"
            raise ProtocolError(self._fault)
        if end < 0 and not self._ended:
            return None
        line = bytes(self._buffer[: end if end >= 0 else None]).strip()
        self._drop(end + 1 if end >= 0 else len(self._buffer))
        return JsonValue(line.decode()) if line.isalpha() else NotJson(line[:SHOWN_BYTES])


def client_framing() -> JsonValues:
    """Return a framing for messages of a server, which may be long: the result of a tournament."""
    return JsonValues(longest=1 << 24, deepest=1 << 24, max_parts=1 << 24)


class _Scan(msgspec.Struct):
    """The state of scanning the value at the beginning of the buffer."""

    deepest: int
    max_parts: int
    parts: int = 0
    position: int = 0
    word_start: int = 0
    awaited: re.Pattern[bytes] = _MARK
    allowed: bytes = _VALUE
    closers: bytearray = bytearray()
    """The closing brackets that must follow, the innermost last."""

    def advance(self, buffer: bytearray, ended: bool) -> bool | None:
        """Scan further. Return True at the end of a value, False if invalid, None if unfinished."""
        is_value: bool | None = None
        while is_value is None:
            stop = self.awaited.search(buffer, self.position)
            self.position = stop.start() if stop else len(buffer)
            if self.awaited is _END_OF_WORD and (stop or ended):
                word = _decoded(buffer[self.word_start : self.position])
                is_value = False if word is None else self._end_value()
            elif stop is None:
                break
            else:
                take = self._take_mark if self.awaited is _MARK else self._take_in_string
                is_value = take(stop[0])
        return is_value

    def _take_mark(self, byte: bytes) -> bool | None:
        mark = byte if byte in b'[]{},:"' else _WORD
        self.word_start = self.position
        self.position += 1
        self.parts += 1
        if mark not in self.allowed or self.parts > self.max_parts:
            return False
        if mark in b"[{":
            self.closers += b"]" if mark == b"[" else b"}"
            self.allowed = _VALUE + b"]" if mark == b"[" else _NAME + b"}"
            return False if len(self.closers) > self.deepest else None
        if mark in b"]}":
            self.closers.pop()
            return self._end_value()
        if mark in b",:":
            self.allowed = _NAME if mark == b"," and self.closers[-1:] == b"}" else _VALUE
        else:
            self.awaited = _END_OF_STRING if mark == b'"' else _END_OF_WORD
        return None

    def _take_in_string(self, byte: bytes) -> bool | None:
        self.position += 1
        if byte < b" ":
            return False
        if self.awaited is _ESCAPED:
            self.awaited = _END_OF_STRING
        elif byte == b"\\":
            self.awaited = _ESCAPED
        elif _WORD in self.allowed:
            return self._end_value()
        else:
            # Where no word is allowed, the string was the name of a field.
            self.awaited, self.allowed = _MARK, b":"
        return None

    def _end_value(self) -> bool | None:
        self.awaited, self.allowed = _MARK, b"," + self.closers[-1:]
        return None if self.closers else True


def _decoded(text: bytes | bytearray) -> JsonValue | None:
    """Return the value, None if the text is not exactly one."""
    try:
        return JsonValue(msgspec.json.decode(text))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


LARGEST: Final = 2**53
"""Not every JSON parser reads larger whole numbers exactly."""


def whole_number(value: object, as_floats: bool = True) -> int | None:
    """Return a JSON number as a whole number, None if it is not one.

    Args:
        as_floats: also accept 1.0.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not (as_floats and value.is_integer()):
        return None
    return int(value) if abs(value) <= LARGEST else None


def two_whole_numbers(value: object, as_floats: bool = True) -> tuple[int, int] | None:
    """Return the numbers of an array of exactly two whole numbers, None for anything else."""
    if not isinstance(value, list) or len(value) != 2:
        return None
    one, other = whole_number(value[0], as_floats), whole_number(value[1], as_floats)
    return None if one is None or other is None else (one, other)


def two_words(value: object) -> tuple[str, str] | None:
    """Return the strings of an array of exactly two strings, None for anything else."""
    if isinstance(value, list) and len(value) == 2:
        one, other = value
        if isinstance(one, str) and isinstance(other, str):
            return one, other
    return None


def lists_in(value: object) -> list[list[object]]:
    """Return the arrays in an array of arrays, an empty list for anything else."""
    if isinstance(value, list) and all(isinstance(part, list) for part in value):
        return value
    return []


def write_line(value: object) -> bytes:
    """Return the value as one compact line (X-03). Not checked: that its text is ASCII."""
    return msgspec.json.encode(value) + b"\n"
