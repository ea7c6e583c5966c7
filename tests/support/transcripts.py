"""Conversations written down, and how they are played back.

A transcript file holds scenes. A scene begins with its title, which names the clauses it shows:

    == T-06 T-07: the first is Red, the second Blue
    set max-spectators=0                       a setting of the door, before anything is said
    red > "JOIN" 03 "red"                      red connects, if it has not yet, and sends this
    red < "JOIN" 01                            red is sent exactly this
    red blue < "UPDT" 01 00 00*42              so are both
    + 60.3                                     so many seconds pass
    red >|                                     red hangs up its own side
    red x                                      red is gone without a word
    red <|                                     the server closes red's connection
    # a comment

Bytes are hexadecimal, "text" in ASCII, either of them repeated by *N. After two blanks the rest of
a line is a gloss. Whatever the server sends must be in the scene: before the next line that is not
`<`, and at the end, nothing may be left unread. So a scene also shows what is not sent.

In a file that begins with `wire text` a message is what stands there and a newline, and further:

    ann < ["set_id",UUID]                      where any UUID may stand
    ann >> "ann"\\r\\n\\n                       sent as it is, without a newline of its own, with
                                               escapes; if there is nothing, one connects
    door ann santorini-lobby                   which door ann comes through, where there are several
    let EMPTY [[0,0],[0,0]]                    what EMPTY stands for in the lines below

In a file that begins with `wire http` a message is a request, with a body or none, or the answer:

    ann > POST /join                           a request of HTTP/1.1, with what it needs
    ann > POST /moves {"player_index":0}       with a body
    ann < 200 {"player_index":0}               an answer of this status, with this body
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Protocol

ANY_UUID = b"?" * 36
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
    """With a string of 36 question marks where any UUID may stand."""

    def fits(self, got: bytes) -> bool:
        pattern = re.escape(self.message).replace(re.escape(ANY_UUID), UUID)
        return re.fullmatch(pattern, got) is not None


@dataclass(frozen=True)
class ExpectClose:
    who: str


@dataclass(frozen=True)
class EndOfInput:
    who: str


@dataclass(frozen=True)
class Vanish:
    who: str


@dataclass(frozen=True)
class Pass:
    seconds: float


Step = Send | Expect | ExpectClose | EndOfInput | Vanish | Pass


@dataclass
class Scene:
    title: str
    settings: dict[str, str] = field(default_factory=dict)
    doors: dict[str, str] = field(default_factory=dict)
    """Who comes through which door, if not through the first."""
    steps: list[tuple[int, Step]] = field(default_factory=list)
    """Each with the number of its line."""

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
            read_message = read_http
        elif text.startswith("let "):
            name, value = text[4:].split(" ", 1)
            names[name] = _spelt_out(names, value.strip())
        elif text.startswith("== "):
            scenes.append(Scene(text[3:]))
        elif text.startswith("set "):
            name, value = text[4:].split("  ")[0].split("=", 1)
            scenes[-1].settings[name] = value.strip()
        elif text.startswith("door "):
            who, door = text[5:].split()[:2]
            scenes[-1].doors[who] = door
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
                yield Vanish(who)


def read_bytes(text: str) -> bytes:
    message = b""
    for quoted, digits, times in re.findall(r'(?:"([^"]*)"|([0-9a-f]+))(?:\*(\d+))?', text):
        piece = bytes.fromhex(digits) if digits else quoted.encode("ascii")
        message += piece * int(times or 1)
    return message


def read_line(names: Mapping[str, str], text: str) -> bytes:
    return _spelt_out(names, text).encode() + b"\n"


def read_http(text: str) -> bytes:
    """A request, or a response as our door writes it."""
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
        body = rest
    else:
        target, _, body = rest.partition(" ")
        lines = [f"{first} {target} HTTP/1.1", "Host: hall", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", body]).encode()


def _spelt_out(names: Mapping[str, str], text: str) -> str:
    return re.sub(r"\b[A-Z][A-Z0-9]*\b", lambda word: names.get(word[0], word[0]), text)


class Stage(Protocol):
    """Where a scene is played: in memory or over sockets."""

    def send(self, who: str, message: bytes) -> None: ...
    def hang_up(self, who: str) -> None: ...
    def vanish(self, who: str) -> None: ...
    def wait(self, seconds: float) -> None: ...
    def read(self, who: str, length: int) -> bytes:
        """Up to `length` bytes that were sent to `who`."""

    def is_closed(self, who: str) -> bool: ...
    def unread(self) -> dict[str, bytes]:
        """What was sent and has not been read, of everybody for whom there is something."""


def play(scene: Scene, stage: Stage) -> None:
    for number, step in scene.steps:
        where = f"line {number} of {scene.title!r}"
        if not isinstance(step, Expect | ExpectClose):
            assert not (left := stage.unread()), f"before {where}, unexpected: {left}"
        match step:
            case Send(who, message):
                stage.send(who, message)
            case Expect(who, message):
                got = stage.read(who, len(message))
                assert step.fits(got), f"{where}: got {got!r}, not {message!r}"
            case ExpectClose(who):
                assert stage.is_closed(who), f"{where}: the connection is open"
            case EndOfInput(who):
                stage.hang_up(who)
            case Vanish(who):
                stage.vanish(who)
            case Pass(seconds):
                stage.wait(seconds)
    assert not (left := stage.unread()), f"at the end of {scene.title!r}, unexpected: {left}"
