"""The client's end of a TTTP connection."""

from gamehall.games.connect_four import Cell, ConnectFour, ConnectFourPosition
from gamehall.match import Ending, MatchEnded, Result, TurnBegan
from gamehall.protocols.tttp import messages
from gamehall.rooms.notices import ChatSent, Notice, Refused, Seated
from gamehall.rooms.requests import Chat, Join, Play, Rematch, Request
from gamehall.wire.framing import Packets, ProtocolError
from gamehall.wire.session import ClientSession


class TttpClientSession(ClientSession[bytes, Cell]):
    """Reads packets of a TTTP server and writes requests to it.

    TTTP transmits neither the line length nor the gravity nor the base: the caller must know them.
    Nor does it say why a player has won: Ending.PLAYED_OUT is assumed.
    """

    __slots__ = ("_base", "_game", "_is_watching")

    def __init__(self, game: ConnectFour | None = None, base: int = 0) -> None:
        super().__init__(Packets(messages.LENGTHS_FROM_SERVER, messages.measure_from_server))
        self._game = game or ConnectFour()
        self._base = base
        self._is_watching = False

    def read(self, message: bytes) -> Notice[Cell]:
        kind = message[: messages.TYPE_LENGTH]
        if kind == b"UPDT":
            return self._read_update(message[4], message[5], message[6:])
        if kind == b"JOIN":
            response = _read_join_response(message[4])
            self._is_watching = response == Seated(None)
            return response
        # The framing returns only packets of known types, so this is CHAT.
        name, text = message[7 : 7 + message[4]], message[7 + message[4] :]
        return ChatSent(name.decode("latin-1"), text.decode("latin-1"))

    def send(self, request: Request[Cell]) -> bytes:
        match request:
            case Join(name):
                return messages.write_join(name.encode("latin-1", "replace")[:255])
            case Play(cell):
                return messages.write_play(cell, self._base)
            case Chat(text):
                return messages.write_chat_request(messages.write_text(text)[:65_535])
            case Rematch():
                return b"RMCH"
            case _:
                return b""

    def _read_update(self, turn: int, won: int, spots: bytes) -> Notice[Cell]:
        if spots.strip(b"\x00\x01\x02"):
            raise ProtocolError("a spot is 0, 1 or 2")
        # T-09, T-10: turn is 1 or 2, also after the end; won is 0 to 4.
        seat = messages.SEAT_OF_NUMBER.get(turn)
        if seat is None:
            raise ProtocolError(f"the turn of an UPDT is 1 or 2, not {turn}")
        position = ConnectFourPosition.of(spots, seat, self._game.line_length, self._game.gravity)
        if won == messages.PLAYING:
            return TurnBegan(seat, position, None)
        winner = messages.SEAT_OF_NUMBER.get(won)
        if winner is not None:
            outcome = position.outcome
            reason = "the server says so"
            if outcome is not None and outcome.winner is winner:
                reason = outcome.reason
            return MatchEnded(Result(winner, Ending.PLAYED_OUT, reason), position)
        if won == messages.CATS_GAME:
            return MatchEnded(Result(None, Ending.PLAYED_OUT, "cat's game"), position)
        if won != messages.CANCELLED:
            raise ProtocolError(f"the won byte of an UPDT is 0 to 4, not {won}")
        # A game is cancelled when a player leaves it (T-Q12).
        reason = "a player left" if self._is_watching else "the opponent left"
        return MatchEnded(Result(None, Ending.CANCELLED, reason), position)


def _read_join_response(code: int) -> Notice[Cell]:
    if code in messages.SEAT_OF_CODE:
        return Seated(messages.SEAT_OF_CODE[code])
    if code in messages.REFUSAL_OF_CODE:
        return Refused(messages.REFUSAL_OF_CODE[code])
    raise ProtocolError(f"a join response is 1 to 9, not {code}")
