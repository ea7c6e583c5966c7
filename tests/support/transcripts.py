"""Read transcripts of conversations, and play them.

A transcript file holds scenes. A scene begins with its title, which names the clauses it tests:

    == T-06 T-07: the first is Red, the second Blue
    set max-spectators=0                       a setting of the door
    red > "JOIN" 03 "red"                      red connects, unless it has already, and sends this
    red < "JOIN" 01                            red receives exactly this
    red blue < "UPDT" 01 00 00*42              both receive this
    + 60.3                                     this number of seconds passes
    red >|                                     red closes the sending side of its connection
    red x                                      red's connection is reset
    red <|                                     the server closes red's connection
    # a comment

Bytes are hexadecimal, "text" is ASCII, and *N repeats either. After two blanks the rest of a line
is a comment. A scene must have everything that the server sends: before the next line that is not
`<`, and at the end, nothing may be left unread. So a scene also tests what is not sent.

In a file that begins with `wire text` a message is the rest of the line and a newline. In addition:

    ann < ["set_id",UUID]                      UUID stands for any UUID
    ann >> "ann"\\r\\n\\n                       sends this with escapes and no added newline;
                                               without a message, ann only connects
    door ann santorini-lobby                   the door of ann, if it is not the first one
    let EMPTY [[0,0],[0,0]]                    defines EMPTY for the lines below

In a file that begins with `wire http` a message is a request or an answer:

    ann > POST /join                           an HTTP/1.1 request with the necessary headers
    ann > POST /moves {"player_index":0}       with a body
    ann > GET /state [Accept: text/html]       with a header
    ann > moves 0: play Militia; end_turn      POST /moves with these moves of player 0
    ann > moves 0: play Militia (Mystic, null) a move with targets
    ann < 200 {"player_index":0}               an answer with this status and this body
    ann < 200 error="" board.void=[]           an answer whose JSON has these values in these fields
    ann < 200 pending=ABSENT                   an answer without this field
    ann < 204 body="" header.allow="POST"      an answer with this body and this header
    position {"hand":["Militia"],"runes":2}    two players join, if no game is in progress; then the
                                               position is set (games/ascension_tables.py)
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, Protocol, cast

from gamehall.games.ascension import Supply
from gamehall.protocols.ascension_http.messages import SEATS
from gamehall.rooms.polled_table import PolledTable
from gamehall.rooms.room import Room
from tests.games.ascension_tables import table
from tests.support.ascension_stage import arrange_position

ANY_UUID = b"?" * 36
ANSWER_FIELDS = re.compile(r"([a-z0-9]+) < ([0-9]{3}) ([a-zA-Z][^ =]*=.*)")
REQUEST = re.compile(r"([A-Z]+) ([^ ]+)(?: \[([A-Z][\w-]*: .*?)\])?(?: (.*))?")
MOVE = re.compile(r"(\w+)(?: ([^(]+?))?(?: \((.*)\))?")
ABSENT = "ABSENT"
UUID = rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

FOLDER = Path(__file__).parents[1] / "protocols" / "transcripts"


@dataclass(frozen=True)
class Send:
    who: str
    message: bytes


@dataclass(frozen=True)
class Expect:
    who: str
    message: bytes
    """ANY_UUID in it stands for any UUID."""

    def fits(self, got: bytes) -> bool:
        pattern = re.escape(self.message).replace(re.escape(ANY_UUID), UUID)
        return re.fullmatch(pattern, got) is not None


@dataclass(frozen=True)
class ExpectAnswer:
    """An HTTP answer of which only some fields are checked."""

    who: str
    status: int
    fields: dict[str, Any]
    """Values by path: `board.players.0.hand`, `header.etag`, or `body` for the whole body."""


@dataclass(frozen=True)
class ExpectClose:
    who: str


@dataclass(frozen=True)
class EndOfInput:
    who: str


@dataclass(frozen=True)
class Reset:
    who: str


@dataclass(frozen=True)
class Pass:
    seconds: float


@dataclass(frozen=True)
class Arrange:
    position: dict[str, Any]


Step = Send | Expect | ExpectAnswer | ExpectClose | EndOfInput | Reset | Pass | Arrange


@dataclass
class Scene:
    title: str
    settings: dict[str, str] = field(default_factory=dict)
    doors: dict[str, str] = field(default_factory=dict)
    """The doors of clients that do not use the first one."""
    steps: list[tuple[int, Step]] = field(default_factory=list)
    """The steps with their line numbers."""

    @property
    def id(self) -> str:
        """The title as the name of a test."""
        return re.sub(r"[^A-Za-z0-9]+", "_", self.title).strip("_")


def read_scenes(path: Path) -> list[Scene]:
    scenes: list[Scene] = []
    read_message: Callable[[str], bytes] = read_bytes
    names = {"UUID": f'"{ANY_UUID.decode()}"'}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = "" if line.startswith("#") else line.rstrip()
        if not text:
            continue
        if text == "wire text":
            read_message = partial(read_line, names)
        elif text == "wire http":
            read_message = partial(read_http, names)
        elif text.startswith("let "):
            name, value = text[4:].split(" ", 1)
            names[name] = _expand(names, value.strip())
        elif text.startswith("== "):
            scenes.append(Scene(text[3:]))
        elif text.startswith("set "):
            name, value = text[4:].split("  ")[0].split("=", 1)
            scenes[-1].settings[name] = value.strip()
        elif text.startswith("door "):
            who, door = text[5:].split()[:2]
            scenes[-1].doors[who] = door
        elif text.startswith("position "):
            position = json.loads(_expand(names, text[9:]))
            scenes[-1].steps.append((number, Arrange(position)))
        elif fields := ANSWER_FIELDS.fullmatch(re.split(r" {2,}", text)[0]):
            who, status, values = fields.groups()
            expected = ExpectAnswer(who, int(status), _read_fields(_expand(names, values)))
            scenes[-1].steps.append((number, expected))
        else:
            scenes[-1].steps += [(number, step) for step in _read_steps(text, read_message)]
    return scenes


def _read_steps(text: str, read_message: Callable[[str], bytes]) -> Iterator[Step]:
    line = re.split(r" {2,}", text)[0]
    if line.startswith("+ "):
        yield Pass(float(line[2:]))
        return
    parts = re.fullmatch(r"([a-z0-9 ]+?) (>\||<\||>>|>|<|x)(?: (.*))?", line)
    assert parts, f"cannot read {text!r}"
    names, sign, message = parts.groups()
    for who in names.split():
        match sign:
            case ">":
                yield Send(who, read_message(message))
            case ">>":
                raw = message or ""
                yield Send(who, raw.encode().decode("unicode_escape").encode("latin-1"))
            case "<":
                yield Expect(who, read_message(message))
            case ">|":
                yield EndOfInput(who)
            case "<|":
                yield ExpectClose(who)
            case _:
                yield Reset(who)


def read_bytes(text: str) -> bytes:
    message = b""
    for quoted, digits, times in re.findall(r'(?:"([^"]*)"|([0-9a-f]+))(?:\*(\d+))?', text):
        piece = bytes.fromhex(digits) if digits else quoted.encode("ascii")
        message += piece * int(times or 1)
    return message


def read_line(names: Mapping[str, str], text: str) -> bytes:
    return _expand(names, text).encode() + b"\n"


def read_http(names: Mapping[str, str], text: str) -> bytes:
    """Return a request, or a response exactly as the door writes it."""
    text = _expand(names, text)
    first, _, rest = text.partition(" ")
    if first.isdecimal():
        lines = [
            f"HTTP/1.1 {first} {HTTPStatus(int(first)).phrase}",
            "Content-Type: application/json",
            f"Content-Length: {len(rest)}",
            "Cache-Control: no-store",
            "Access-Control-Allow-Origin: *",
            "Connection: keep-alive",
        ]
        return "\r\n".join([*lines, "", rest]).encode()
    if first == "moves":
        text = f"POST /moves {_read_moves(rest)}"
    request = REQUEST.fullmatch(text)
    assert request, f"cannot read {text!r}"
    method, target, header, body = request.groups(default="")
    lines = [f"{method} {target} HTTP/1.1", "Host: hall", f"Content-Length: {len(body)}"]
    if header:
        lines.append(header)
    return "\r\n".join([*lines, "", body]).encode()


def _read_moves(text: str) -> str:
    """Return the body of POST /moves for `0: play Militia; end_turn`."""
    player, _, written = text.partition(": ")
    moves = []
    for one in written.split("; "):
        parts = MOVE.fullmatch(one)
        assert parts, f"cannot read {one!r}"
        kind, card, targets = parts.groups()
        move: dict[str, object] = {"type": kind}
        if card:
            move["card_name"] = card
        if targets:
            names = targets.split(", ")
            move["targets"] = [None if name == "null" else name for name in names]
        moves.append(move)
    return json.dumps({"player_index": int(player), "moves": moves}, separators=(",", ":"))


def _read_fields(text: str) -> dict[str, Any]:
    """Return the values by their paths for `error="" board.void=[]`."""
    fields = {}
    while text:
        path, _, text = text.partition("=")
        if text.startswith(ABSENT):
            fields[path], text = ABSENT, text[len(ABSENT) :].lstrip()
        else:
            fields[path], end = json.JSONDecoder().raw_decode(text)
            text = text[end:].lstrip()
    return fields


def _expand(names: Mapping[str, str], text: str) -> str:
    return re.sub(r"\b[A-Z][A-Z0-9]*\b", lambda word: names.get(word[0], word[0]), text)


class Stage(Protocol):
    """A server for playing scenes, in memory or over sockets."""

    @property
    def room(self) -> Room[Any]: ...
    def send(self, who: str, message: bytes) -> None: ...
    def hang_up(self, who: str) -> None: ...
    def reset(self, who: str) -> None: ...
    def wait(self, seconds: float) -> None: ...
    def read(self, who: str, length: int) -> bytes:
        """Return up to `length` bytes that were sent to the client."""

    def is_closed(self, who: str) -> bool: ...
    def unread(self) -> dict[str, bytes]:
        """Return the unread bytes of all clients that have some."""


def play(scene: Scene, stage: Stage) -> None:
    for number, step in scene.steps:
        where = f"line {number} of {scene.title!r}"
        if not isinstance(step, Expect | ExpectAnswer | ExpectClose):
            assert not (left := stage.unread()), f"before {where}, unexpected: {left}"
        match step:
            case Send(who, message):
                stage.send(who, message)
            case Expect(who, message):
                got = stage.read(who, len(message))
                assert step.fits(got), f"{where}: got {got!r}, not {message!r}"
            case ExpectAnswer(who, status, fields):
                _check_answer(read_answer(stage, who), status, fields, where)
            case Arrange(position):
                _arrange(stage, position)
            case ExpectClose(who):
                assert stage.is_closed(who), f"{where}: the connection is open"
            case EndOfInput(who):
                stage.hang_up(who)
            case Reset(who):
                stage.reset(who)
            case Pass(seconds):
                stage.wait(seconds)
    assert not (left := stage.unread()), f"at the end of {scene.title!r}, unexpected: {left}"


def read_answer(stage: Stage, who: str) -> bytes:
    """Return one HTTP answer, which ends where its Content-Length says."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        more = stage.read(who, 1)
        assert more, f"no answer for {who}, only {head!r}"
        head += more
    length = re.search(rb"Content-Length: ([0-9]+)", head)
    return head + (stage.read(who, int(length[1])) if length else b"")


def _check_answer(answer: bytes, status: int, fields: dict[str, Any], where: str) -> None:
    head, _, body = answer.decode().partition("\r\n\r\n")
    status_line, *lines = head.split("\r\n")
    assert status_line.split()[1] == str(status), f"{where}: got {answer!r}"
    headers = dict(line.lower().split(": ", 1) for line in lines)
    for path, expected in fields.items():
        first, *rest = path.split(".", 1)
        if path == "body":
            found: object = body
        elif first == "header":
            found = headers.get(rest[0], ABSENT)
        else:
            found = _field(json.loads(body), path)
        if isinstance(expected, str) and first == "header":
            expected = expected.lower() if expected != ABSENT else ABSENT
        # As JSON, since False equals 0 in Python.
        same = json.dumps(found, sort_keys=True) == json.dumps(expected, sort_keys=True)
        assert same, f"{where}: {path} is {found!r}, not {expected!r}"


def _field(value: Any, path: str) -> object:
    for key in path.split("."):
        there = dict(enumerate(value)) if isinstance(value, list) else value
        value = there.get(int(key) if isinstance(value, list) else key, ABSENT)
    return value


def _arrange(stage: Stage, position: dict[str, Any]) -> None:
    room = cast("PolledTable[Any]", stage.room)
    if room._match.referee is None or room._match.result is not None:
        for _ in range(2):
            stage.send("ann", read_http({}, "POST /join"))
            read_answer(stage, "ann")
    given = {**position, "turn_owner": SEATS[position.get("turn_owner", 0)]}
    arrange_position(room, table(**given | {"supply": Supply(position.get("supply", "counted"))}))
