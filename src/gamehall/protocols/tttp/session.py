"""The server's end of a TTTP connection."""

from typing import cast

from gamehall.core import Position, Seat
from gamehall.games.connect_four import Cell, ConnectFourPosition
from gamehall.match import MatchEnded, MatchEvent, MoveFault, MovePlayed, MoveRefused, TurnBegan
from gamehall.protocols.tttp import messages
from gamehall.protocols.tttp.settings import TttpSettings
from gamehall.rooms.notices import ChatSent, Closed, Notice, Refused, Seated
from gamehall.rooms.requests import Chat, Join, Play, Rematch, Request
from gamehall.wire.framing import Packets
from gamehall.wire.session import Session, Timeouts
from gamehall.wire.sign_up import read_sign_up


class PacketEncoder:
    """Caches the last UPDT and CHAT of a door, which go to all clients at a table."""

    __slots__ = ("_chat", "_chat_packet", "_event", "_update_packet")

    def __init__(self) -> None:
        self._event: MatchEvent[Cell] | None = None
        self._update_packet = b""
        self._chat: ChatSent | None = None
        self._chat_packet = b""

    def update(self, event: MatchEvent[Cell], won: int) -> bytes:
        if event is not self._event:
            # A door leads only to rooms of its own game.
            position = cast("ConnectFourPosition", event.position)
            turn = messages.RED if position.next_seat is Seat.FIRST else messages.BLUE
            self._update_packet = messages.UPDATES[turn, won] + position.spots
            self._event = event
        return self._update_packet

    def chat(self, chat: ChatSent) -> bytes:
        if chat is not self._chat:
            name, text = messages.write_text(chat.ascii_name), messages.write_text(chat.text)
            self._chat_packet = messages.write_chat(name[:255], text[:65_535])
            self._chat = chat
        return self._chat_packet


class TttpSession(Session[bytes, Cell]):
    """Reads requests of a TTTP client and writes notices to it.

    Stores the position last shown to the client, to which the client's PLAY refers.
    """

    __slots__ = ("_base", "_close_on_deny", "_encoder", "_position", "_settings")

    def __init__(
        self, settings: TttpSettings, timeouts: Timeouts, encoder: PacketEncoder, now: float
    ) -> None:
        framing = Packets(messages.LENGTHS_FROM_CLIENT, messages.measure_from_client)
        super().__init__(framing, timeouts, now)
        self._settings = settings
        self._base = settings.base
        self._close_on_deny = settings.close_on_deny
        self._encoder = encoder
        self._position: Position[Cell] | None = None

    def read(self, message: bytes) -> Request[Cell]:
        kind = message[: messages.TYPE_LENGTH]
        if kind == b"PLAY":
            # T-Q03, T-Q04: what the row means depends on the board that the client was shown.
            column, row = message[4] - self._base, message[5] - self._base
            if self._position is None:
                return Play(Cell(column, row))
            return Play(cast("ConnectFourPosition", self._position).named(column, row))
        if kind == b"RMCH":
            return Rematch()
        if kind == b"CHAT":
            # T-Q24: other bytes become `?`.
            return Chat(message[6:].translate(messages.ALLOWED_IN_CHAT).decode("ascii"))
        # The framing returns only packets of known types, so this is JOIN. Latin-1 maps every byte
        # to one character; the room decides whether it is allowed (T-Q19).
        name, secret = read_sign_up(message[5:].decode("latin-1"), self._settings)
        return Join(name, secret=secret)

    def send(self, notice: Notice[Cell]) -> bytes:
        match notice:
            case MovePlayed():
                self._position = notice.position
                # T-Q06: one UPDT for each change. MatchEnded follows and shows the last move.
                if notice.position.outcome is not None:
                    return b""
                return self._encoder.update(notice, messages.PLAYING)
            case TurnBegan():
                self._position = notice.position
                return self._encoder.update(notice, messages.PLAYING)
            case MatchEnded():
                self._position = notice.position
                return self._encoder.update(notice, messages.won(notice.result))
            case MoveRefused():
                # A PLAY out of turn has no answer (T-Q08); an illegal one is answered with the
                # board as it is (T-Q09).
                if notice.fault is MoveFault.OUT_OF_TURN:
                    return b""
                return self._encoder.update(notice, messages.PLAYING)
            case ChatSent():
                return self._encoder.chat(notice)
            case Seated():
                self._note_joined()
                return messages.write_join_response(messages.JOIN_CODES[notice.seat])
            case Refused():
                # T-Q23: close-on-deny does not concern clients that were accepted before.
                if self._close_on_deny and self._position is None:
                    self.close()
                return messages.write_join_response(messages.REFUSALS[notice.refusal])
            case Closed():
                self.close()
                return b""
            case _:
                # TTTP has no packets for other notices.
                return b""
