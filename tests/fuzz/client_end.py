"""A client's end of a connection to a server that may send anything."""

from random import Random
from typing import Any

from gamehall.match import MatchEnded, TurnBegan
from gamehall.rooms.notices import Closed, Notice
from gamehall.rooms.requests import Play, Request
from gamehall.wire.session import ClientSession
from tests.fuzz.checks import Violation, check_count, check_kept
from tests.fuzz.mutation import chunks
from tests.fuzz.script import Ask, EndOfInput, Give, Reset, Script, Wait


class ClientEnd:
    """Runs a script on a client session, as a driver would."""

    def __init__(self, session: ClientSession[Any, Any], script: Script) -> None:
        self._session = session
        self._script = script
        self._trace: list[object] = []
        self._notices: list[Notice[Any]] = []
        self._arrived = 0
        self._turn: TurnBegan[Any] | None = None
        """The turn in which the player may move."""

    def run(self, random: Random) -> list[object]:
        """Run the script and close the connection. Return all results."""
        for step in self._script.steps:
            if self._session.closed:
                break
            match step:
                case Give(_, data):
                    for piece in chunks(random, data):
                        self._receive(piece)
                case Ask(request):
                    self._ask(request)
                case EndOfInput() | Reset():
                    self._receive(b"")
                case Wait():
                    pass
                case _:
                    raise TypeError(f"unexpected {step} in a client's script")
        self._end()
        return self._trace

    def _receive(self, piece: bytes) -> None:
        session = self._session
        if session.closed:
            return
        self._arrived += len(piece)
        session.receive_data(piece)
        self._read_notices()
        if not session.closed:
            check_kept(session._framing, len(piece))

    def _read_notices(self) -> None:
        while (notice := self._session.next_notice()) is not None:
            self._notices.append(notice)
            self._trace.append(notice)
            # A message can give a second notice: whose turn it is.
            check_count(len(self._notices), 2 * self._arrived)
            if isinstance(notice, TurnBegan):
                self._turn = notice
            elif isinstance(notice, MatchEnded):
                self._turn = None

    def _ask(self, request: Request[Any] | None) -> None:
        if request is None:
            if self._session.seconds_to_poll is None:
                return
            self._trace.append(self._session.poll())
        elif isinstance(request, Play):
            move = self._legal(request.move)
            if move is not None:
                self._turn = None
                self._trace.append(self._session.send(Play(move)))
        else:
            self._trace.append(self._session.send(request))
        self._read_notices()

    def _legal(self, move: Any) -> Any:
        """Return this move if it is legal, otherwise the first legal one: bots make no others."""
        if self._turn is None:
            return None
        position = self._turn.position
        return move if position.allows(move) else next(position.legal_moves(), None)

    def _end(self) -> None:
        """Close the connection; then the session must be closed."""
        self._receive(b"")
        if not self._session.closed:
            raise Violation("the server closed the connection, and the session is open")
        if any(isinstance(notice, Closed) for notice in self._notices[:-1]):
            raise Violation(f"a notice after the end: {self._notices[-3:]}")
        self._session.receive_data(b"anything\n")
        if self._session.next_notice() is not None or not self._session.closed:
            raise Violation("a closed session returned a notice or is open")
