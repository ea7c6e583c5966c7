"""Nim in lines of text (PROTOCOL.md)."""

from collections.abc import Callable
from typing import ClassVar

from gamehall.core import Position, Seat, SeededRandom
from gamehall.match import (
    Clock,
    Ending,
    MatchEnded,
    MovePlayed,
    MoveRefused,
    Result,
    TurnBegan,
)
from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.names import NameRules
from gamehall.rooms.notices import (
    Closed,
    Notice,
    Refusal,
    Refused,
    RequestRejected,
    Seated,
)
from gamehall.rooms.requests import Join, Play, Request
from gamehall.rooms.room import Room
from gamehall.rooms.terms import LeaveRule, TableTerms
from gamehall.wire.framing import Lines, ProtocolError
from gamehall.wire.protocol import WireProtocol
from gamehall.wire.session import ClientSession, Session, Timeouts
from gamehall.wire.settings import DoorSettings
from gamehall_nim import Nim, NimPosition

LONGEST_LINE = 200


class NimLinesSettings(DoorSettings, frozen=True, kw_only=True, rename="kebab"):
    """The settings that every door has are enough."""


class NimLinesSession(Session[str, int]):
    """The server's end."""

    def __init__(self, now: float) -> None:
        super().__init__(Lines(LONGEST_LINE), Timeouts(30.0, 30.0), now)

    def read(self, message: str) -> Request[int]:
        match message.split():
            case ["join", name]:
                return Join(name)
            case ["take", number] if number.isascii() and number.isdecimal():
                return Play(int(number))
            case _:
                raise ProtocolError(f"neither join NAME nor take N: {message!r}")

    def send(self, notice: Notice[int]) -> bytes:
        match notice:
            case Seated(seat):
                self._note_joined()
                return _line(f"seat {seat.value if seat else 0}")
            case Refused(refusal):
                return _line(f"refused {refusal.value}")
            case MovePlayed(position=position) if position.to_move is None:
                # The end of the match follows.
                return b""
            case TurnBegan(position=position) | MovePlayed(position=position):
                return _board(position)
            case MoveRefused(reason=reason):
                return _line(f"illegal {reason}")
            case MatchEnded(result):
                return _line(f"won {result.winner.value}" if result.winner else "cancelled")
            case Closed():
                self.close()
                return b""
            case _:
                return b""


class NimLinesClientSession(ClientSession[str, int]):
    """A player's end."""

    def __init__(self) -> None:
        super().__init__(Lines(LONGEST_LINE))

    def read(self, message: str) -> Notice[int] | None:
        match message.split():
            case ["seat", "0" | "1" | "2" as number]:
                return Seated(Seat(int(number)) if number != "0" else None)
            case ["heap", heap, "turn", "1" | "2" as turn] if heap.isdecimal():
                seat = Seat(int(turn))
                return TurnBegan(seat, NimPosition(seat, None, int(heap), seat), None)
            case ["won", "1" | "2" as winner]:
                return _ended(Result(Seat(int(winner)), Ending.PLAYED_OUT, "the server says so"))
            case ["cancelled"]:
                return _ended(Result(None, Ending.CANCELLED, "the opponent left"))
            case ["refused", *words]:
                return Refused(Refusal(" ".join(words)))
            case ["illegal", *words]:
                return RequestRejected(" ".join(words))
            case _:
                raise ProtocolError(f"not a line of the protocol: {message!r}")

    def send(self, request: Request[int]) -> bytes:
        match request:
            case Join(name):
                return _line(f"join {name}")
            case Play(number):
                return _line(f"take {number}")
            case _:
                return b""


class NimLines(WireProtocol[NimLinesSettings, int]):
    """The door `nim-lines`."""

    name: ClassVar[str] = "nim-lines"
    title: ClassVar[str] = "Nim, lines of text"
    port: ClassVar[int] = 7050
    game: ClassVar[str] = Nim.name
    settings = NimLinesSettings

    def game_at(self, settings: NimLinesSettings) -> Nim:
        return Nim()

    def clock_at(self, settings: NimLinesSettings) -> Clock:
        return Clock()

    def room(self, settings: NimLinesSettings, shuffler: SeededRandom) -> Room[int]:
        terms = TableTerms(on_leave=LeaveRule.AWARD)
        return OpenLobby(self.game_at(settings), terms, NameRules())

    def sessions(self, settings: NimLinesSettings) -> Callable[[float], NimLinesSession]:
        return NimLinesSession

    def client(self, settings: NimLinesSettings) -> NimLinesClientSession:
        return NimLinesClientSession()


def _line(text: str) -> bytes:
    return text.encode("ascii", "replace") + b"\n"


def _board(position: Position[int]) -> bytes:
    assert isinstance(position, NimPosition)
    assert position.to_move is not None
    return _line(f"heap {position.heap} turn {position.to_move.value}")


def _ended(result: Result) -> MatchEnded[int]:
    return MatchEnded(result, NimPosition(None, None, 0, Seat.FIRST))


PROTOCOL = NimLines()
