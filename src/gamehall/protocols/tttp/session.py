"""The house's end of a TTTP conversation."""

from typing import cast

from gamehall.core import Position, Seat
from gamehall.games.connect_four import Cell, ConnectFourPosition
from gamehall.match import MatchEnded, MatchEvent, MoveFault, MovePlayed, MoveRefused, TurnBegan
from gamehall.protocols.tttp import messages
from gamehall.protocols.tttp.settings import TttpSettings
from gamehall.rooms.notices import (
    ChatSent,
    Closed,
    Notice,
    Refused,
    Seated,
)
from gamehall.rooms.requests import Chat, Join, Play, Rematch, Request
from gamehall.wire.framing import Packets
from gamehall.wire.session import Session, Timeouts
from gamehall.wire.settings import read_sign_up


class PacketEncoder:
    """Writes the packets of a door that go to many peers: each is written once."""

    __slots__ = ("_chat", "_last", "_said", "_update")

    def __init__(self) -> None:
        self._last: MatchEvent[Cell] | None = None
        self._update = b""
        self._said: ChatSent | None = None
        self._chat = b""

    def update(self, happening: MatchEvent[Cell], won: int) -> bytes:
        """The UPDT that shows what has happened."""
        if happening is not self._last:
            # Doors lead only into rooms of their own game.
            position = cast("ConnectFourPosition", happening.position)
            turn = messages.RED if position.next_seat is Seat.FIRST else messages.BLUE
            self._update = messages.UPDATES[turn, won] + position.spots
            self._last = happening
        return self._update

    def chat(self, said: ChatSent) -> bytes:
        """The CHAT that tells what somebody has said."""
        if said is not self._said:
            name, text = messages.ascii_only(said.ascii_name), messages.ascii_only(said.text)
            self._chat = messages.write_chat(name[:255], text[:65_535])
            self._said = said
        return self._chat


class TttpSession(Session[bytes, Cell]):
    """Reads what a TTTP client sends, writes what it understands.

    It keeps the position last shown to the client: that is what the client's PLAY refers to.
    """

    __slots__ = ("_base", "_close_on_deny", "_position", "_scribe", "_settings")

    def __init__(
        self, settings: TttpSettings, timeouts: Timeouts, scribe: PacketEncoder, now: float
    ) -> None:
        framing = Packets(messages.LENGTHS_FROM_CLIENT, messages.measure_from_client)
        super().__init__(framing, timeouts, now)
        self._settings = settings
        self._base = settings.base
        self._close_on_deny = settings.close_on_deny
        self._scribe = scribe
        self._position: Position[Cell] | None = None

    def read(self, message: bytes) -> Request[Cell]:
        kind = message[: messages.TYPE_LENGTH]
        if kind == b"PLAY":
            column, row = message[4] - self._base, message[5] - self._base
            if self._position is None:
                return Play(Cell(column, row))
            return Play(cast("ConnectFourPosition", self._position).named(column, row))
        if kind == b"RMCH":
            return Rematch()
        if kind == b"CHAT":
            return Chat(message[6:].translate(messages.ALLOWED_IN_CHAT).decode("ascii"))
        # The framing gives only packets of known types, so this is JOIN. Latin-1 makes one letter
        # of every byte: whether the letter is allowed is for the room to say (T-Q19).
        name, secret = read_sign_up(message[5:].decode("latin-1"), self._settings)
        return Join(name, secret=secret)

    def send(self, notice: Notice[Cell]) -> bytes:
        match notice:
            case MovePlayed():
                self._position = notice.position
                # The board is told once, so a last move is told by the end that follows.
                if notice.position.outcome is not None:
                    return b""
                return self._scribe.update(notice, messages.PLAYING)
            case TurnBegan():
                self._position = notice.position
                return self._scribe.update(notice, messages.PLAYING)
            case MatchEnded():
                self._position = notice.position
                return self._scribe.update(notice, messages.won(notice.result))
            case MoveRefused():
                # T-Q08: out of turn there is no answer. T-Q09: otherwise the true board.
                if notice.fault is MoveFault.OUT_OF_TURN:
                    return b""
                return self._scribe.update(notice, messages.PLAYING)
            case ChatSent():
                return self._scribe.chat(notice)
            case Seated():
                self._note_joined()
                return messages.write_join_response(messages.JOIN_CODES[notice.seat])
            case Refused():
                if self._close_on_deny and self._position is None:
                    self.close()
                return messages.write_join_response(messages.REFUSALS[notice.refusal])
            case Closed():
                self.close()
                return b""
            case _:
                # TTTP has no packets for anything else.
                return b""
