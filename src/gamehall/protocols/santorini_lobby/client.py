"""The client's end of a connection to the Santorini lobby."""

from gamehall.core import Seat
from gamehall.games.santorini import Move, Place, Santorini, SantoriniPosition, Turn
from gamehall.games.santorini.compass import Step, step_between
from gamehall.match import TurnBegan
from gamehall.protocols.santorini_lobby import messages
from gamehall.rooms.notices import (
    EndUnseen,
    MatchBegan,
    Notice,
    Ping,
    Seated,
    TournamentBegan,
    TurnUnseen,
)
from gamehall.rooms.requests import (
    Join,
    Play,
    Pong,
    Request,
)
from gamehall.wire.framing import ProtocolError
from gamehall.wire.json import JsonValue, NotJson, client_framing, lists_in, write_line
from gamehall.wire.session import ClientSession


class SantoriniLobbyClientSession(ClientSession[JsonValue | NotJson, Move]):
    """Reads messages of a server of the Santorini lobby and writes requests to it.

    The protocol shows clients neither the board nor who has won, so the notices are TurnUnseen and
    EndUnseen. With `with_board` the client asks for the board, which Gamehall understands
    (S0-Q18). Then the notice is TurnBegan, and turns are written in their unambiguous form
    (S0-Q14). Otherwise a turn is written as the cell moved to and the build; if both workers could
    do that, the server chooses one (S0-Q12).

    Nor does the protocol tell a client its seat. It follows from the number of workers and
    buildings on the board; but a client that returns to a match cannot know which player began it,
    which is a setting of the server. If its first turn is not accepted, its seat is the other one.
    """

    __slots__ = (
        "_base",
        "_game",
        "_is_certain",
        "_is_shown",
        "_played_on",
        "_prompted_on",
        "_seat",
        "_with_board",
    )

    def __init__(
        self, game: Santorini | None = None, base: int = 0, with_board: bool = False
    ) -> None:
        super().__init__(client_framing())
        self._game = game or Santorini(first_turn=Seat.SECOND)
        self._base = base
        self._with_board = with_board
        self._is_shown = with_board
        """Whether the server shows the board as requested."""
        self._seat: Seat | None = None
        self._is_certain = False
        """Whether a turn from that seat was accepted."""
        self._prompted_on: list[list[object]] | None = None
        self._played_on: list[list[object]] | None = None
        """The boards of the last prompt and of the last turn."""

    def read(self, message: JsonValue | NotJson) -> Notice[Move]:
        if isinstance(message, NotJson):
            raise ProtocolError(f"this is not JSON: {message.text!r}")
        match message.value:
            case ["keepalive"]:
                return Ping()
            case ["set_id", str(given)]:
                return TournamentBegan("", given)
            case ["start_of_game"]:
                self._seat, self._is_certain, self._played_on = None, False, None
                return MatchBegan(None, "")
            case ["get_placement" | "get_turn" as kind]:
                self._is_shown = False
                return TurnUnseen(is_placing=kind == "get_placement")
            case ["get_placement" | "get_turn", board]:
                return self._read_prompt(board)
            # S0-Q10: other servers use the second name.
            case ["end_of_game" | "end_game", *_]:
                return EndUnseen()
            case _:
                raise ProtocolError("not a message of the Santorini lobby")

    def send(self, request: Request[Move]) -> bytes:
        match request:
            case Join(name) if self._with_board:
                return write_line(["join", name, {"board": True}])
            case Join(name):
                return write_line(["join", name])
            case Pong():
                return write_line(["stillalive"])
            case Play(Place(cell)):
                return write_line(["give_placement", messages.write_cell(cell, self._base)])
            case Play(Turn() as turn):
                self._played_on = self._prompted_on
                return write_line(["give_turn", self._write_turn(turn)])
            case _:
                return b""

    def _write_turn(self, turn: Turn) -> list[object]:
        build = Step(0, 0) if turn.build is None else step_between(turn.to, turn.build)
        cells = [turn.origin, turn.to] if self._is_shown else [turn.to]
        written = [messages.write_cell(cell, self._base) for cell in cells]
        return [*written, messages.write_direction(build)]

    def _read_prompt(self, board: object) -> Notice[Move]:
        rows = lists_in(board)
        self._is_shown = True
        try:
            start = Santorini(len(rows), self._game.placing, self._game.first_turn).start(0)
            seat = self._seat or _seat_to_move(start.with_rows(rows, messages.PLAYERS, Seat.FIRST))
            is_other = not self._is_certain and rows == self._played_on
            seat = seat.other if is_other else seat
            position = start.with_rows(rows, messages.PLAYERS, seat)
        except ValueError as error:
            raise ProtocolError(str(error)) from None
        self._is_certain = self._is_certain or (self._played_on is not None and not is_other)
        self._prompted_on, self._seat = rows, seat
        turn = TurnBegan(seat, position, None)
        if not is_other:
            return turn
        self._further = turn
        return Seated(seat)


def _seat_to_move(position: SantoriniPosition) -> Seat:
    """Return whose turn it is on a board: every turn but a winning one builds one level."""
    placed = sum(len(position.workers_of(seat)) for seat in Seat)
    if placed < len(position.placing):
        return position.placing[placed]
    built = sum(position.heights.by_cell[: position.size**2])
    return position.first_turn if built % 2 == 0 else position.first_turn.other
