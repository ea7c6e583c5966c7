"""The client's end of a connection to a Santorini tournament."""

from gamehall.core import IllegalMove, Seat
from gamehall.games.santorini import Cell, Move, Place, Santorini, SantoriniPosition, Turn
from gamehall.games.santorini.compass import step_between
from gamehall.match import Ending, MatchEnded, MovePlayed, Result, TurnBegan
from gamehall.protocols.santorini_tournament import messages
from gamehall.rooms.notices import (
    MatchBegan,
    Notice,
    ProbeAnswered,
    TournamentBegan,
    TournamentEnded,
)
from gamehall.rooms.requests import (
    Join,
    Play,
    Probe,
    Request,
)
from gamehall.tournaments.standings import Win
from gamehall.wire.framing import ProtocolError
from gamehall.wire.json import JsonValue, NotJson, client_framing, lists_in, write_line
from gamehall.wire.session import ClientSession

VERDICTS = {
    messages.WINNER: Ending.PLAYED_OUT,
    messages.LOSER: Ending.PLAYED_OUT,
    messages.CHEATER: Ending.BROKE_PROTOCOL,
}
REMOVED = "removed for an illegal move, or a turn that took too long"
"""What CHEATER means to a player that has answered every prompt. The server does not say more."""


class SantoriniTournamentClientSession(ClientSession[JsonValue | NotJson, Move]):
    """Reads messages of a server of Santorini tournaments and writes requests to it.

    A client learns its seat from its first prompt: the first player sees no workers. Until then it
    is assumed to be the first. The protocol does not transmit the order of placement or who moves
    first, so the caller must know them. A won game is assumed to be played out.
    """

    __slots__ = (
        "_base",
        "_game",
        "_name",
        "_opponent",
        "_placement",
        "_position",
        "_seat",
        "_sent",
    )

    def __init__(self, game: Santorini | None = None, base: int = 0) -> None:
        super().__init__(client_framing())
        self._game = game or Santorini()
        self._base = base
        self._name: str | None = None
        self._opponent = ""
        self._seat: Seat | None = None
        self._position: SantoriniPosition | None = None
        self._placement: Place | None = None
        """The last placement, until the server answers with the id of the new worker."""
        self._sent: Turn | None = None
        """The last turn, until the next prompt."""

    def read(self, message: JsonValue | NotJson) -> Notice[Move]:
        if isinstance(message, NotJson):
            raise ProtocolError(f"this is not JSON: {message.text!r}")
        match message.value:
            case bool(is_legal):
                return ProbeAnswered(is_legal)
            case str(verdict) if verdict in VERDICTS:
                return self._read_verdict(verdict)
            case str(text):
                return self._read_text(text)
            case ["place" | "turn", board]:
                return self._read_prompt(board)
            case [list(cheaters), list(games)]:
                return _read_result(cheaters, games)
            case _:
                raise ProtocolError("not a message of a Santorini tournament")

    def send(self, request: Request[Move]) -> bytes:
        match request:
            case Join(name):
                return write_line(name)
            case Play(Place() as placement):
                self._placement = placement
                return write_line(self._write(placement))
            case Play(Turn() as move) if self._can_name(move):
                self._sent = move
                return write_line(self._write(move))
            case Probe(Place() as move):
                return write_line(["check-placement", self._write(move)])
            case Probe(Turn() as move) if self._can_name(move):
                return write_line(["check-turn", self._write(move)])
            case _:
                return b""

    def _can_name(self, turn: Turn) -> bool:
        """Return True if the worker of a turn still stands there: the board may have changed."""
        return turn.origin in self._own_workers()

    def _own_workers(self) -> tuple[Cell, ...]:
        return self._position.workers_of(self._seat or Seat.FIRST) if self._position else ()

    def _write(self, move: Move) -> list[object]:
        match move:
            case Place(cell):
                return [cell.row + self._base, cell.column + self._base]
            case Turn(origin, to, build):
                number = self._own_workers().index(origin) + 1
                steps = [step_between(origin, to)]
                if build is not None:
                    steps.append(step_between(to, build))
                return [f"{self._name}{number}", *map(messages.write_direction, steps)]

    def _read_verdict(self, verdict: str) -> Notice[Move]:
        seat = self._seat or Seat.FIRST
        winner = seat if verdict == messages.WINNER else seat.other
        position = self._position or self._game.start(0)
        # A legal turn has no answer, so the last one is not on the board yet. After CHEATER it was
        # illegal or late, and is left out.
        if verdict != messages.CHEATER and self._sent is not None and position.allows(self._sent):
            position = position.after(self._sent)
        detail = REMOVED if verdict == messages.CHEATER else verdict.lower()
        return MatchEnded(Result(winner, VERDICTS[verdict], detail), position)

    def _read_text(self, text: str) -> Notice[Move]:
        """Read a name or a worker-id: only a worker-id ends in a digit (S1-Q33)."""
        if messages.NAME.fullmatch(text):
            if self._name is None:
                self._name = text
                return TournamentBegan(text, "")
            self._opponent, self._seat, self._position, self._sent = text, None, None, None
            return MatchBegan(None, text)
        placement, position, seat = self._placement, self._position, self._seat
        if placement is None or position is None or seat is None:
            raise ProtocolError(f"{text[:40]!r} is neither a name nor the id of a new worker")
        self._placement = None
        try:
            self._position = position.after(placement)
        except IllegalMove as refusal:
            raise ProtocolError(f"a worker was placed against the rules: {refusal}") from None
        return MovePlayed(seat=seat, move=placement, position=self._position, deadline=None)

    def _read_prompt(self, board: object) -> Notice[Move]:
        rows = lists_in(board)
        if self._seat is None:
            has_workers = any(isinstance(cell, str) for row in rows for cell in row)
            self._seat = Seat.SECOND if has_workers else Seat.FIRST
        names = {self._seat: self._name or "", self._seat.other: self._opponent}
        try:
            game = Santorini(len(rows), self._game.placing, self._game.first_turn)
            self._position, self._sent = game.start(0).with_rows(rows, names, self._seat), None
        except ValueError as error:
            raise ProtocolError(str(error)) from None
        return TurnBegan(self._seat, self._position, None)


def _read_result(cheaters: list[object], games: list[object]) -> Notice[Move]:
    wins: list[Win] = []
    for game in games:
        match game:
            case [str(winner), str(loser)]:
                wins.append(Win(winner, loser))
            case _:
                raise ProtocolError("a Game must be [winner, loser]")
    names = [name for name in cheaters if isinstance(name, str)]
    if len(names) < len(cheaters):
        raise ProtocolError("the cheaters must be names")
    return TournamentEnded(tuple(names), tuple(wins))
