"""The house's end of a TTTP conversation."""

from typing import assert_never, cast

from gamehall.core import Position
from gamehall.games.connect_four import Cell, ConnectFourPosition
from gamehall.hosting.notices import Dismissed, Notice, Refused, Said, Seated
from gamehall.hosting.requests import Join, Play, Rematch, Request, Say
from gamehall.play import MatchEnded, MoveFault, MovePlayed, MoveRefused, TurnBegan
from gamehall.protocols.tttp import codes, messages
from gamehall.protocols.tttp.settings import TttpSettings
from gamehall.wire.framing import Packets
from gamehall.wire.session import Patience, Session


class Scribe:
    """Writes the UPDT packets of a door. A board that goes to many peers is written once."""

    __slots__ = ("_last", "_update")

    def __init__(self) -> None:
        self._last: Notice[Cell] | None = None
        self._update = b""

    def update(self, notice: Notice[Cell], position: ConnectFourPosition, won: int) -> bytes:
        """The UPDT that says what `notice` says."""
        if notice is not self._last:
            turn = codes.TURNS[position.next_seat]
            spots = messages.write_spots(position.first, position.second)
            self._update = messages.write_update(turn, won, spots)
            self._last = notice
        return self._update


class TttpSession(Session[bytes, Cell]):
    """Reads what a TTTP client sends, writes what it understands.

    It keeps the position last shown to the client: that is what the client's PLAY refers to.
    """

    __slots__ = ("_base", "_close_on_deny", "_position", "_scribe")

    def __init__(
        self, settings: TttpSettings, patience: Patience, scribe: Scribe, now: float
    ) -> None:
        super().__init__(Packets(messages.measure_from_client), patience, now)
        self._base = settings.base
        self._close_on_deny = settings.close_on_deny
        self._scribe = scribe
        self._position: ConnectFourPosition | None = None

    def read(self, message: bytes) -> Request[Cell]:
        kind = message[: messages.TYPE]
        if kind == b"PLAY":
            cell = Cell(message[4] - self._base, message[5] - self._base)
            return Play(cell if self._position is None else self._position.named(cell))
        if kind == b"RMCH":
            return Rematch()
        if kind == b"CHAT":
            return Say(message[6:].translate(messages.ALLOWED_IN_CHAT).decode("ascii"))
        # The framing gives only packets of known types, so this is JOIN. Latin-1 makes one letter
        # of every byte: whether the letter is allowed is for the room to say (T-Q19).
        return Join(message[5:].decode("latin-1"))

    def write(self, notice: Notice[Cell]) -> bytes:
        match notice:
            case TurnBegan():
                return self._show(notice, notice.position, codes.PLAYING)
            case MovePlayed():
                # A move is told by the board, once: with the turn that follows or with the end.
                return b""
            case MatchEnded():
                return self._show(notice, notice.position, codes.won(notice.result))
            case MoveRefused():
                # T-Q08: out of turn there is no answer. T-Q09: otherwise the true board.
                if notice.fault is MoveFault.OUT_OF_TURN:
                    return b""
                return self._show(notice, notice.position, codes.PLAYING)
            case Said():
                name = notice.name.encode("ascii", "replace")
                text = notice.text.encode("ascii", "replace").translate(messages.ALLOWED_IN_CHAT)
                return messages.write_chat(name, text)
            case Seated():
                self._let_in()
                return messages.write_join_response(codes.SEATS[notice.seat])
            case Refused():
                if self._close_on_deny:
                    self.close()
                return messages.write_join_response(codes.REFUSALS[notice.refusal])
            case Dismissed():
                return b""
            case _:
                assert_never(notice)

    def _show(self, notice: Notice[Cell], position: Position[Cell], won: int) -> bytes:
        """UPDT with this position, which the client knows from then on."""
        # Doors lead only into rooms of their own game.
        self._position = shown = cast("ConnectFourPosition", position)
        return self._scribe.update(notice, shown, won)
