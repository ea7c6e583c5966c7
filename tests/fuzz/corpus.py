"""What inputs are made from: recorded conversations and their messages."""

import re
from functools import cache
from itertools import cycle, islice
from typing import NamedTuple

from gamehall.protocols.catalogue import all_protocols
from tests.fuzz.recording import Recorded, record_game, record_scene
from tests.fuzz.script import ALONE, Ask, Give, Script
from tests.support.transcripts import FOLDER, read_scenes

LONGEST_MESSAGE = 4000
"""Longer messages are left out: they are slow, and mutations make long runs anyway."""

FIRST_WORD = re.compile(rb"[A-Za-z_]{3,}(?: /[a-z]*)?")

OF_EACH_KIND = 60
"""Messages of each kind in the pool."""

GAMES = 6
"""Games recorded with each of the settings."""

SETTINGS: dict[str, list[dict[str, str]]] = {
    "santorini-lobby": [{"players": "2"}, {"players": "2", "strict": "true", "base": "1"}],
    "santorini-tournament": [{"players": "2"}, {"players": "2", "base": "1", "strict": "true"}],
    "go-text": [{}, {"base": "1", "strict": "true"}],
    "tttp": [{}, {"base": "1", "gravity": "free"}],
    "ascension-http": [
        {},
        {"tokens": "true", "hide-hands": "true", "strict": "true"},
        {"long-poll": "30", "http-errors": "true", "atomic": "true"},
    ],
}
"""Settings of the recorded games."""


class Corpus(NamedTuple):
    """What the inputs of one target are made from."""

    scripts: list[Script]
    pool: list[bytes]
    """Messages that may be inserted anywhere."""
    asks: list[Ask]
    """Requests that a client may send at any time."""


@cache
def recorded_of(protocol_name: str) -> Recorded:
    """Return all recorded conversations of a protocol."""
    protocol, recorded = all_protocols()[protocol_name], Recorded()
    for path in sorted(FOLDER.glob(f"{protocol_name.replace('-', '_')}_*.txt")):
        for scene in read_scenes(path):
            record_scene(protocol, scene, recorded)
    for settings in SETTINGS[protocol_name]:
        for seed in range(GAMES):
            record_game(protocol, settings, seed, recorded)
    return recorded


def corpus_of(scripts: list[Script]) -> Corpus:
    """Return the scripts that give bytes, and the messages of all."""
    speaking = [script for script in scripts if _messages(script)]
    messages = {message for script in speaking for message in _messages(script)}
    lines = {line for message in messages if b"HTTP/" not in message for line in _lines(message)}
    pool = _all_kinds_alike(messages | lines)
    asks = [step for script in speaking for step in script.steps if isinstance(step, Ask)]
    return Corpus(speaking, pool, asks)


def streams_of(corpora: list[Corpus]) -> Corpus:
    """Return streams of bytes for a framing."""
    streams = sorted({b"".join(_messages(one)[:8]) for each in corpora for one in each.scripts})
    scripts = [Script({}, {}, (Give(ALONE, stream),)) for stream in streams]
    return Corpus(scripts, [message for each in corpora for message in each.pool], [])


def _all_kinds_alike(messages: set[bytes]) -> list[bytes]:
    """Return equally many messages of each kind, which is the first word."""
    kinds: dict[bytes, list[bytes]] = {}
    for message in sorted(messages):
        word = FIRST_WORD.search(message)
        kinds.setdefault(word[0] if word else b"", []).append(message)
    alike = [kind[:: 1 + len(kind) // OF_EACH_KIND] for kind in kinds.values()]
    return [one for kind in alike for one in islice(cycle(kind), OF_EACH_KIND)]


def _lines(message: bytes) -> list[bytes]:
    """Return the lines of a message."""
    return [line + b"\n" for line in message.split(b"\n")[:-1]]


def _messages(script: Script) -> list[bytes]:
    gives = [step.data for step in script.steps if isinstance(step, Give)]
    return [data for data in gives if 0 < len(data) <= LONGEST_MESSAGE]
