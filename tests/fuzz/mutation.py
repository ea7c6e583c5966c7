"""Mutations of conversations."""

import re
from collections.abc import Callable, Sequence
from random import Random

from tests.fuzz.script import Ask, EndOfInput, Give, Reset, Script, Step, Wait

MOST_STEPS = 24
"""Steps of a conversation that are kept at most; the last of them are mutated."""

ONE_WHOLE_IN = 16
"""One in this many inputs keeps its whole conversation."""

LONG_RUN = 70_000
"""More bytes than any line or packet may have."""

ONE_LONG_IN = 1500
"""One in this many inputs has a long run, which costs as much as hundreds of others."""

DEPTHS = (8, 33, 300, 1200)
"""Levels of arrays or objects; Python reads no more than a thousand."""

DIGITS = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")

HEAD_END = b"\r\n\r\n"
LENGTH = re.compile(rb"Content-Length: [0-9]+")

NUMBERS = [
    b"0",
    b"-0",
    b"-1",
    b"1.0",
    b"1.5",
    b"01",
    b"+1",
    b"1e5",
    b"1E400",
    b"-1e308",
    b"1e-999",
    b"255",
    b"256",
    b"65535",
    b"65536",
    b"2147483648",
    b"9223372036854775807",
    b"18446744073709551616",
    b"9" * 30,
    b"9" * 4300,
    b"-" + b"9" * 4300,
    b"9" * 4301,
    b"NaN",
    b"inf",
    b"null",
    b"true",
    b'""',
    b"[]",
    b"{}",
    b"\xd9\xa1",
    b"\xc2\xb2",
]
"""Replacements of a number. Python does not write integers of more than 4,300 digits."""

WORDS = [
    b"\n",
    b"\r\n",
    b"\r\n\r\n",
    b"\r",
    b" ",
    b"\t",
    b"\x00",
    b"\xff",
    b'"',
    b"\\",
    b'\\"',
    b"\\u0000",
    b"\\ud800",
    b"\\uD83D\\uDE00",
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b":",
    b"'",
    b"\xef\xbb\xbf",
    b"\xe2\x82\xac",
    b"\xf0\x9f\x98\x80",
    b"\xc3\xa9",
    b"\xed\xa0\x80",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"%00",
    b"%ff",
    b"%",
    b"?a=b&",
    b"Transfer-Encoding: chunked\r\n",
    b"Content-Length: 5\r\n",
    b"Connection: close\r\n",
    b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n",
    b"Expect: 100-continue\r\n",
    b"If-None-Match: *\r\n",
    b"HTTP/1.0",
    b"5\r\nhello\r\n0\r\n\r\n",
]
"""Bytes with a meaning in JSON, UTF-8 or HTTP."""

Mutation = Callable[[Random, bytes, Sequence[bytes]], bytes]


def _below(random: Random, limit: int) -> int:
    """Return a number from 0 to `limit` - 1, faster than randrange."""
    return int(random.random() * limit)


def _pick(random: Random, choices: Sequence[bytes]) -> bytes:
    return choices[int(random.random() * len(choices))]


def _range(random: Random, size: int) -> tuple[int, int]:
    """Return a part of something of this size, usually a short one."""
    start = _below(random, size + 1)
    longest = 8 if random.random() < 0.7 else size
    return start, min(size, start + _below(random, longest + 1))


def flip_bits(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Flip one to three bits."""
    if not data:
        return b"\x01"
    mutated = bytearray(data)
    for _ in range(1 + _below(random, 3)):
        mutated[_below(random, len(mutated))] ^= 1 << _below(random, 8)
    return bytes(mutated)


def set_edge(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Replace one or two bytes by extreme values."""
    start = _below(random, len(data) + 1)
    edge = _pick(random, (b"\x00", b"\x01", b"\x7f", b"\x80", b"\xff", b"\x00\x00", b"\xff\xff"))
    return data[:start] + edge + data[start + len(edge) :]


def cut_out(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Remove a part."""
    start, end = _range(random, len(data))
    return data[:start] + data[end:]


def cut_off(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Remove the end or the beginning."""
    where = _below(random, len(data) + 1)
    return data[:where] if random.random() < 0.7 else data[where:]


def splice(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Continue with the end of another message."""
    other = _pick(random, pool)
    return data[: _below(random, len(data) + 1)] + other[_below(random, len(other) + 1) :]


def repeat(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Repeat a part."""
    start, end = _range(random, len(data))
    return data[:end] + data[start:end] * (1 + _below(random, 3)) + data[end:]


def swap(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Swap two parts."""
    one, two, three = sorted(_below(random, len(data) + 1) for _ in range(3))
    return data[:one] + data[two:three] + data[one:two] + data[three:]


def change_number(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Replace a number."""
    found = DIGITS.search(data, _below(random, len(data) + 1)) or DIGITS.search(data)
    if found is None:
        return set_edge(random, data, pool)
    number = _pick(random, NUMBERS)
    if random.random() < 0.4:
        number = b"%d" % (_below(random, 30) - 2)
    return data[: found.start()] + number + data[found.end() :]


def insert_word(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Insert a word with a special meaning, or replace a part by it."""
    start, end = _range(random, len(data))
    if random.random() < 0.5:
        end = start
    return data[:start] + _pick(random, WORDS) + data[end:]


def insert_noise(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Insert random bytes, or replace a part by them."""
    start, end = _range(random, len(data))
    return data[:start] + random.randbytes(1 + _below(random, 6)) + data[end:]


def insert_run(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Insert a run of the same bytes."""
    where = _below(random, len(data) + 1)
    piece = _pick(random, WORDS) if random.random() < 0.5 else data[where : where + 3] or b"a"
    return data[:where] + piece * (4 + _below(random, 60)) + data[where:]


def nest(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Put a part deep into arrays or objects."""
    start, end = _range(random, len(data))
    depth = DEPTHS[_below(random, len(DEPTHS))]
    opened, closed = (b"[", b"]") if random.random() < 0.7 else (b'{"a":', b"}")
    inner = data[start:end] or b"0"
    return data[:start] + opened * depth + inner + closed * depth + data[end:]


def mutate_body(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Mutate a body and correct its Content-Length."""
    head, blank, body = data.rpartition(HEAD_END)
    if not LENGTH.search(head):
        return change_number(random, data, pool)
    body = WITHIN[_below(random, len(WITHIN))](random, body, pool)
    return LENGTH.sub(b"Content-Length: %d" % len(body), head) + blank + body


def add_messages(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Add other messages."""
    others = b"".join(_pick(random, pool) for _ in range(1 + _below(random, 3)))
    return data + others if random.random() < 0.7 else others + data


WITHIN: list[Mutation] = [flip_bits, cut_out, change_number, insert_word, insert_noise, nest, swap]
"""Mutations of a body."""

MUTATIONS: list[Mutation] = [
    flip_bits,
    set_edge,
    cut_out,
    cut_off,
    splice,
    repeat,
    swap,
    change_number,
    change_number,
    insert_word,
    insert_word,
    insert_noise,
    insert_run,
    nest,
    add_messages,
    add_messages,
    mutate_body,
    mutate_body,
]


def mutate(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Apply one or several mutations, rarely a very long run."""
    while True:
        data = MUTATIONS[_below(random, len(MUTATIONS))](random, data, pool)
        if random.random() < 0.55:
            break
    if random.random() * ONE_LONG_IN < 1:
        where = _below(random, len(data) + 1)
        piece = _pick(random, WORDS) if random.random() < 0.4 else _pick(random, pool) or b"x"
        data = data[:where] + piece * (1 + _below(random, LONG_RUN) // len(piece)) + data[where:]
    return data


def mutate_script(random: Random, script: Script, pool: Sequence[bytes]) -> Script:
    """Return the beginning of the conversation with its last messages mutated."""
    steps: list[Step] = list(script.steps)
    if random.random() * ONE_WHOLE_IN >= 1:
        del steps[1 + _below(random, min(len(steps), MOST_STEPS)) :]
    gives = [place for place, step in enumerate(steps) if isinstance(step, Give)]
    if not gives:
        return script._replace(steps=tuple(steps))
    for _ in range(1 + _below(random, 3)):
        place = gives[max(0, len(gives) - 1 - int(random.expovariate(0.6)))]
        step = steps[place]
        if isinstance(step, Give):
            steps[place] = Give(step.who, mutate(random, step.data, pool))
    if random.random() < 0.25:
        _change_order(random, steps, gives)
    return script._replace(steps=tuple(steps))


def _change_order(random: Random, steps: list[Step], gives: list[int]) -> None:
    """Repeat, move or remove a message, or end a connection.

    Notices stay in their order, which the room guarantees.
    """
    place = gives[_below(random, len(gives))]
    step = steps[place]
    assert isinstance(step, Give)
    choice = _below(random, 6)
    if choice == 0:
        del steps[place]
    elif choice == 1:
        steps.insert(place, step)
    elif choice == 2:
        steps.insert(_below(random, len(steps) + 1), step)
    elif choice == 3:
        steps.insert(place + 1, EndOfInput(step.who))
    elif choice == 4:
        steps.insert(place + 1, Wait((0.3, 6.0, 70.0, 4000.0)[_below(random, 4)]))
    else:
        steps.insert(place + 1, Reset(step.who))


def add_asks(random: Random, script: Script, asks: Sequence[Ask]) -> Script:
    """Insert further requests of the client in some scripts."""
    if not asks or random.random() < 0.5:
        return script
    steps = list(script.steps)
    for _ in range(1 + _below(random, 3)):
        steps.insert(_below(random, len(steps) + 1), asks[_below(random, len(asks))])
    return script._replace(steps=tuple(steps))


def chunks(random: Random, data: bytes) -> list[bytes]:
    """Cut bytes into chunks: usually one, two, or many small ones."""
    size, choice = len(data), random.random()
    if choice < 0.4 or size < 2:
        return [data] if data else []
    if choice < 0.7:
        where = 1 + _below(random, size - 1)
        return [data[:where], data[where:]]
    step = 1 if choice < 0.8 and size <= 400 else 1 + _below(random, max(7, size // 3))
    return [data[start : start + step] for start in range(0, size, step)]
