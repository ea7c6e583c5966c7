"""The house's end of a conversation, without the house."""

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
from gamehall.rooms.requests import EndOfInput as HungUp
from gamehall.wire.http import CONTINUE
from gamehall.wire.session import Session
from tests.fuzz.checks import Violation, check_count, check_kept
from tests.fuzz.mutation import chunks
from tests.fuzz.script import EndOfInput, Give, Script, Tell, Vanish, Wait

NOTHING_TO_SEE: Snapshot[Any] = Snapshot(None, 0, None, None, (), "1")

JOINED: list[Notice[Any]] = [Seated(Seat.FIRST), Seated(Seat.SECOND, "s"), Refused(Refusal.FULL)]

GOODBYE: Notice[Any] = Closed("that is all")


class HouseEnd:
    """A session that is given a script, and what the house may well say to what it asks for."""

    def __init__(self, session: Session[Any, Any], script: Script) -> None:
        self._session = session
        self._script = script
        self._now = 0.0
        self._trace: list[object] = []
        self._requests: list[Request[Any]] = []
        self._arrived = 0
        self._turn: TurnBegan[Any] | None = None
        """By which the peer was asked for a move last."""
        tells = [step.notice for step in script.steps if isinstance(step, Tell)]
        self._shown = [one for one in tells if isinstance(one, Snapshot)] or [NOTHING_TO_SEE]
        # Of half of the scripts the house answers by itself, of the others as it was recorded.
        self._answers_itself = len(script.steps) % 2 == 0

    def run(self, random: Random) -> list[object]:
        """Plays the script to its end and beyond, and returns all that came of it."""
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
                    self._tell(notice)
                case EndOfInput():
                    self._receive(b"")
                case Wait(seconds):
                    self._now += seconds
                    session.tick(self._now)
                    self._work()
                case Vanish():
                    session.close()
                case _:
                    raise TypeError(f"there is no {step} in a session's script")
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
                # Whether a client waits to go on does hang on how its words come.
                said = session.pending_output.replace(CONTINUE, b"")
                self._trace += [said] if said else []
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
            case Leave() | HungUp():
                return GOODBYE
            case _ if not self._answers_itself:
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

    def _tell(self, notice: Notice[Any]) -> None:
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
        """The peer hangs up, what it waits for is answered, and then it must be over."""
        session = self._session
        self._receive(b"")
        # Whoever was not listened to before is asked something, which is the house's to do.
        self._tell(TermsQuestion("komi"))
        for _ in range(self._arrived + 1):
            if session.closed:
                break
            self._tell(NOTHING_TO_SEE)
        if session.has_script:
            # A script keeps its client in until the house is done with it.
            self._tell(GOODBYE)
        if not session.closed:
            raise Violation("the peer has hung up, and the session goes on")
        goodbyes = [one for one in self._requests if isinstance(one, Leave | HungUp)]
        if goodbyes and goodbyes != self._requests[-1:]:
            raise Violation(f"something was said after the goodbye: {self._requests[-3:]}")
        if (session.fault is None) == any(isinstance(one, Leave) for one in goodbyes):
            raise Violation(f"the fault is {session.fault!r}, and the goodbyes are {goodbyes}")
        session.receive_data(b"anything\n", self._now)
        session.tick(self._now + 1e6)
        heard = session.next_request()
        if heard is not None or session.deadline is not None:
            raise Violation(f"a closed session goes on, with {heard}")
