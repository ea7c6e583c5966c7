"""What besiegers say at each door: bytes that begin well, and what an evil mind makes of them."""

import json
from collections.abc import Callable, Mapping

import msgspec

from gamehall.bench.siege_hall import ASCENSION, GO, LOBBY, TOURNAMENT, TTTP
from gamehall.protocols.tttp import messages
from gamehall.wire.http import write_request

LONGEST_CHAT = 13_000
"""Letters; twenty of these a second are what a spectator may say."""

LONGEST_LINE = 60_000
"""Bytes, a little less than the longest message at doors that speak text."""

PARTS = 1000
"""Of a JSON value, a little less than the most."""

HOST = "gamehall"


class Words(msgspec.Struct, frozen=True):
    """What can be said at one door."""

    hello: Callable[[int], bytes]
    """Comes in, as somebody with this number."""
    flood: bytes
    """Valid messages, many of them, for somebody who is in."""
    heavy: bytes
    """Few messages that cost the server as much as one can."""
    half: bytes
    """The beginning of a message."""
    to_keepalive: bytes = b""
    """What answers whatever the server says, b"" if nothing need."""


def _line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _letters(number: int) -> str:
    """A number in letters, since some doors allow nothing else in names."""
    return "evil" + "".join(chr(ord("a") + int(digit)) for digit in str(number))


def _tttp_hello(number: int) -> bytes:
    """Every second one wants the name of an honest player, and then another."""
    wanted = messages.write_join(b"red%d" % (number % 10)) if number % 2 else b""
    return wanted + messages.write_join(b"evil%d" % number)


def _go_hello(_number: int) -> bytes:
    """Whoever comes first names the terms; whoever comes second is told that it may not."""
    lines = ["boardsize 19", "color black", "handicap 0", "komi 6.5"]
    return "".join(f"RESPONSE {line}\n" for line in lines).encode() + b"TERMSCONFIRM Yes\n"


def _post(target: str, content: object) -> bytes:
    return write_request("POST", target, HOST, json.dumps(content).encode())


LOOK = write_request("GET", "/state", HOST)

MANY_MOVES = {"player_index": 0, "moves": [{"type": "end_turn"}] * (LONGEST_LINE // 24)}
"""Read as moves, refused for want of a token."""

EVERYWHERE = "".join(f"PLAY {row} {column}\n" for row in range(19) for column in range(19))

WORDS: Mapping[str, Words] = {
    TTTP: Words(
        hello=_tttp_hello,
        flood=b"".join(
            b"PLAY" + bytes((column, 0)) + messages.write_chat_request(b"ha") for column in range(7)
        )
        + messages.write_rematch(),
        heavy=messages.write_chat_request(b"x" * LONGEST_CHAT) * 4 + messages.write_rematch(),
        half=b"CHAT\xff",
    ),
    LOBBY: Words(
        hello=lambda number: _line(["join", _letters(number), {"board": True}]),
        flood=_line(["stillalive"]) * 32,
        heavy=_line(["stillalive", "x" * LONGEST_LINE])
        + _line(["give_turn", [[0]] * (PARTS // 5)]),
        half=b'["join", "ev',
        to_keepalive=_line(["stillalive"]),
    ),
    TOURNAMENT: Words(
        hello=lambda number: _line(_letters(number)),
        flood=_line(["check-placement", [0, 0]]) * 32,
        heavy=_line(["check-turn", ["evil", "x" * LONGEST_LINE]])
        + _line(["check-turn", [[0]] * (PARTS // 5)]),
        half=b'"evi',
    ),
    GO: Words(
        hello=_go_hello,
        flood=EVERYWHERE.encode(),
        heavy=b"PLAY " + b"9" * LONGEST_LINE + b" 0\n" + b"PLAY 0 " + b"x " * 20_000 + b"\n",
        half=b"RESPONSE board",
    ),
    ASCENSION: Words(
        hello=lambda _number: _post("/join", {}),
        flood=(LOOK + write_request("GET", "/state?player_index=1", HOST)) * 16,
        heavy=_post("/moves", MANY_MOVES) * 2,
        half=b"POST /moves HTTP/1.1\r\nHost: gamehall\r\nContent-Length: 1000\r\n\r\n{",
    ),
}
