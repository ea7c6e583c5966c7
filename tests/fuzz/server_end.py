"""The server's end of a connection, without a room."""

from random import Random
from typing import Any

from gamehall.core import Seat
from gamehall.match import TurnBegan
from gamehall.rooms.notices import Closed, Notice, Refusal, Refused, Seated, Snapshot, TermsQuestion
from gamehall.rooms.requests import (
    AskAgain,
    BadAnswer,
    Join,
    Leave,
    Look,
    Play,
    Probe,
    Request,
    Submit,
)
from gamehall.rooms.requests import EndOfInput as InputEnded
from gamehall.wire.http import CONTINUE
from gamehall.wire.session import Session
from tests.fuzz.checks import Violation, check_count, check_kept
from tests.fuzz.mutation import chunks
from tests.fuzz.script import EndOfInput, Give, Reset, Script, Tell, Wait

EMPTY_STATE: Snapshot[Any] = Snapshot(None, 0, None, None, (), "1")

JOINED: list[Notice[Any]] = [Seated(Seat.FIRST), Seated(Seat.SECOND, "s"), Refused(Refusal.FULL)]

CLOSED: Notice[Any] = Closed("that is all")


class ServerEnd:
    """Runs a script on a session, and answers its requests as a room might."""

    def __init__(self, session: Session[Any, Any], script: Script) -> None:
        self._session = session
        self._script = script
        self._now = 0.0
        self._trace: list[object] = []
        self._requests: list[Request[Any]] = []
        self._arrived = 0
        self._turn: TurnBegan[Any] | None = None
        """The last notice that asked the client for a move."""
        tells = [step.notice for step in script.steps if isinstance(step, Tell)]
        self._shown = [one for one in tells if isinstance(one, Snapshot)] or [EMPTY_STATE]
        # Half of the scripts get these answers, the others only the recorded notices.
        self._gives_answers = len(script.steps) % 2 == 0

    def run(self, random: Random) -> list[object]:
        """Run the script and end the connection. Return all results."""
        session = self._session
        self._work()
        for step in self._script.steps:
            if session.closed:
                break
            match step:
                case Give(_, data):
                    for piece in chunks(random, data):
                        self._receive(piece)
                case Tell(notice):
                    self._send(notice)
                case EndOfInput():
                    self._receive(b"")
                case Wait(seconds):
                    self._now += seconds
                    session.tick(self._now)
                    self._work()
                case Reset():
                    session.close()
                case _:
                    raise TypeError(f"unexpected {step} in a session's script")
        self._end()
        return self._trace

    def _receive(self, piece: bytes) -> None:
        session = self._session
        if session.closed:
            return
        self._arrived += len(piece)
        session.receive_data(piece, self._now)
        self._work()
        if not session.closed:
            check_kept(session._framing, len(piece))

    def _work(self) -> None:
        session = self._session
        while True:
            request = session.next_request()
            if session.pending_output:
                # `100 Continue` does depend on how a request is cut.
                output = session.pending_output.replace(CONTINUE, b"")
                self._trace += [output] if output else []
                session.pending_output = b""
            if request is None:
                break
            self._requests.append(request)
            self._trace.append(request)
            check_count(len(self._requests), self._arrived)
            answer = self._answer(request)
            if answer is not None and not session.closed:
                self._trace.append(session.send(answer))

    def _answer(self, request: Request[Any]) -> Notice[Any] | None:
        count = len(self._requests)
        match request:
            case Leave() | InputEnded():
                return CLOSED
            case _ if not self._gives_answers:
                return None
            case Join():
                return JOINED[count % len(JOINED)]
            case Look() | Submit():
                return self._shown[count % len(self._shown)]
            case BadAnswer() | AskAgain() | Play() | Probe() if self._turn is not None:
                return self._turn
            case BadAnswer():
                return self._shown[0]
            case _:
                return None

    def _send(self, notice: Notice[Any]) -> None:
        session = self._session
        if session.closed:
            return
        if isinstance(notice, TurnBegan):
            self._turn = notice
        self._trace.append(session.send(notice))
        if session.has_deferred_input:
            session.has_deferred_input = False
            self._work()

    def _end(self) -> None:
        """End the input and answer what is open; then the session must be closed."""
        session = self._session
        self._receive(b"")
        # A Go client whose input was kept is read when it is asked something.
        self._send(TermsQuestion("komi"))
        for _ in range(self._arrived + 1):
            if session.closed:
                break
            self._send(EMPTY_STATE)
        if session.has_script:
            # a client with a script stays until the server closes.
            self._send(CLOSED)
        if not session.closed:
            raise Violation("the client ended its input, and the session is open")
        endings = [one for one in self._requests if isinstance(one, Leave | InputEnded)]
        if endings and endings != self._requests[-1:]:
            raise Violation(f"a request after the last one: {self._requests[-3:]}")
        if (session.fault is None) == any(isinstance(one, Leave) for one in endings):
            raise Violation(f"the fault is {session.fault!r}, the end {endings}")
        session.receive_data(b"anything\n", self._now)
        session.tick(self._now + 1e6)
        further = session.next_request()
        if further is not None or session.deadline is not None:
            raise Violation(f"a closed session returned {further} or has a deadline")
