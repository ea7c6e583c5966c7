"""How conversations are spoilt."""

import re
from collections.abc import Callable, Sequence
from random import Random

from tests.fuzz.script import Ask, EndOfInput, Give, Script, Step, Vanish, Wait
from tests.fuzz.vocabulary import NUMBERS, WORDS

MOST_STEPS = 24
"""So many steps of a conversation are played at most, the last of them spoilt."""

ONE_WHOLE_IN = 16
"""Of so many inputs one goes on to the end of its conversation, however long that is."""

LONG_RUN = 70_000
"""More than any line or packet may have."""

ONE_LONG_IN = 1500
"""Of so many inputs one has a long run, since these cost as much as hundreds of others."""

DEPTHS = (8, 33, 300, 1200)
"""Levels of arrays or objects; Python does not follow more than a thousand."""

DIGITS = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")

HEAD_END = b"\r\n\r\n"
LENGTH = re.compile(rb"Content-Length: [0-9]+")

Spoil = Callable[[Random, bytes, Sequence[bytes]], bytes]


def _below(random: Random, limit: int) -> int:
    """A number from 0 on; quicker than randrange."""
    return int(random.random() * limit)


def _pick(random: Random, choices: Sequence[bytes]) -> bytes:
    return choices[int(random.random() * len(choices))]


def _range(random: Random, size: int) -> tuple[int, int]:
    """A part of something so long, mostly a short one."""
    start = _below(random, size + 1)
    longest = 8 if random.random() < 0.7 else size
    return start, min(size, start + _below(random, longest + 1))


def flip_bits(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """One to three bits are wrong."""
    if not data:
        return b"\x01"
    spoilt = bytearray(data)
    for _ in range(1 + _below(random, 3)):
        spoilt[_below(random, len(spoilt))] ^= 1 << _below(random, 8)
    return bytes(spoilt)


def set_edge(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """A byte, or two, are as small or large as they can be."""
    start = _below(random, len(data) + 1)
    edge = _pick(random, (b"\x00", b"\x01", b"\x7f", b"\x80", b"\xff", b"\x00\x00", b"\xff\xff"))
    return data[:start] + edge + data[start + len(edge) :]


def cut_out(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Something is missing."""
    start, end = _range(random, len(data))
    return data[:start] + data[end:]


def cut_off(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """The end or the beginning is missing."""
    where = _below(random, len(data) + 1)
    return data[:where] if random.random() < 0.7 else data[where:]


def splice(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """It goes on as another message does."""
    other = _pick(random, pool)
    return data[: _below(random, len(data) + 1)] + other[_below(random, len(other) + 1) :]


def repeat(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """A part is there several times."""
    start, end = _range(random, len(data))
    return data[:end] + data[start:end] * (1 + _below(random, 3)) + data[end:]


def swap(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Two parts have changed places."""
    one, two, three = sorted(_below(random, len(data) + 1) for _ in range(3))
    return data[:one] + data[two:three] + data[one:two] + data[three:]


def change_number(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """A number is another."""
    found = DIGITS.search(data, _below(random, len(data) + 1)) or DIGITS.search(data)
    if found is None:
        return set_edge(random, data, pool)
    number = _pick(random, NUMBERS)
    if random.random() < 0.4:
        number = b"%d" % (_below(random, 30) - 2)
    return data[: found.start()] + number + data[found.end() :]


def insert_word(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """A word that means something somewhere stands in it."""
    start, end = _range(random, len(data))
    if random.random() < 0.5:
        end = start
    return data[:start] + _pick(random, WORDS) + data[end:]


def insert_noise(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Some bytes are anything."""
    start, end = _range(random, len(data))
    return data[:start] + random.randbytes(1 + _below(random, 6)) + data[end:]


def insert_run(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """The same comes again and again."""
    where = _below(random, len(data) + 1)
    piece = _pick(random, WORDS) if random.random() < 0.5 else data[where : where + 3] or b"a"
    return data[:where] + piece * (4 + _below(random, 60)) + data[where:]


def nest(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """A part is deep in arrays or objects."""
    start, end = _range(random, len(data))
    depth = DEPTHS[_below(random, len(DEPTHS))]
    opened, closed = (b"[", b"]") if random.random() < 0.7 else (b'{"a":', b"}")
    inner = data[start:end] or b"0"
    return data[:start] + opened * depth + inner + closed * depth + data[end:]


def spoil_body(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Something in a body is wrong, and the length that is told of it is right."""
    head, blank, body = data.rpartition(HEAD_END)
    if not LENGTH.search(head):
        return change_number(random, data, pool)
    body = WITHIN[_below(random, len(WITHIN))](random, body, pool)
    return LENGTH.sub(b"Content-Length: %d" % len(body), head) + blank + body


def add_messages(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """Other messages come with it."""
    others = b"".join(_pick(random, pool) for _ in range(1 + _below(random, 3)))
    return data + others if random.random() < 0.7 else others + data


WITHIN: list[Spoil] = [flip_bits, cut_out, change_number, insert_word, insert_noise, nest, swap]
"""What may be wrong in a body."""

SPOILS: list[Spoil] = [
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
    spoil_body,
    spoil_body,
]


def spoil(random: Random, data: bytes, pool: Sequence[bytes]) -> bytes:
    """The bytes after one or several spoils, rarely with a very long run."""
    while True:
        data = SPOILS[_below(random, len(SPOILS))](random, data, pool)
        if random.random() < 0.55:
            break
    if random.random() * ONE_LONG_IN < 1:
        where = _below(random, len(data) + 1)
        piece = _pick(random, WORDS) if random.random() < 0.4 else _pick(random, pool) or b"x"
        data = data[:where] + piece * (1 + _below(random, LONG_RUN) // len(piece)) + data[where:]
    return data


def spoil_script(random: Random, script: Script, pool: Sequence[bytes]) -> Script:
    """The beginning of the conversation, with the last of what is said in it spoilt."""
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
            steps[place] = Give(step.who, spoil(random, step.data, pool))
    if random.random() < 0.25:
        _spoil_order(random, steps, gives)
    return script._replace(steps=tuple(steps))


def _spoil_order(random: Random, steps: list[Step], gives: list[int]) -> None:
    """What the other end does comes twice, or elsewhere, or not, or somebody is gone.

    What the house tells stays in its order: that is for the room to keep.
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
        steps.insert(place + 1, Vanish(step.who))


def add_asks(random: Random, script: Script, asks: Sequence[Ask]) -> Script:
    """The client wants something else in between, now and then."""
    if not asks or random.random() < 0.5:
        return script
    steps = list(script.steps)
    for _ in range(1 + _below(random, 3)):
        steps.insert(_below(random, len(steps) + 1), asks[_below(random, len(asks))])
    return script._replace(steps=tuple(steps))


def chunks(random: Random, data: bytes) -> list[bytes]:
    """The same bytes in pieces: mostly one, two, or all very small."""
    size, choice = len(data), random.random()
    if choice < 0.4 or size < 2:
        return [data] if data else []
    if choice < 0.7:
        where = 1 + _below(random, size - 1)
        return [data[:where], data[where:]]
    step = 1 if choice < 0.8 and size <= 400 else 1 + _below(random, max(7, size // 3))
    return [data[start : start + step] for start in range(0, size, step)]
