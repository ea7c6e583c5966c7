"""The session of a protocol whose clients answer prompts, and may send all their answers ahead."""

from abc import abstractmethod
from collections import deque

from gamehall.core import MoveT
from gamehall.rooms.requests import Pong, Request
from gamehall.wire.framing import ProtocolError
from gamehall.wire.json import JsonValue, JsonValues, NotJson
from gamehall.wire.session import Session, Timeouts

SECONDS_TO_HANG_UP = 1.0
"""How long an answer that nobody has asked for waits for the end of the client's input."""

LONGEST_SCRIPT = 65_536
"""How many bytes a client may send before its tournament begins, to have answers kept."""


class PromptedSession(Session[JsonValue | NotJson, MoveT]):
    """Reads JSON values, and keeps answers that were sent before the tournament began (X-07).

    A client may pipe its whole script of answers into the socket and end its sending side. An
    interactive client that sends an answer without having been asked does something else: 000
    ignores it (S0-Q26), 001 boots for it (S1-Q19). Only the end of the input tells the two apart,
    and it may arrive a little after the answers. So such answers are put aside until either the
    end has come, and they are a script that is read answer by answer as prompts come, or it has
    not come in time.
    """

    __slots__ = ("_began", "_bytes_ahead", "_is_ahead", "_is_asked", "_script", "_script_ends_by")

    def __init__(self, timeouts: Timeouts, now: float, framing: JsonValues | None = None) -> None:
        super().__init__(framing or JsonValues(), timeouts, now)
        self._began = False
        """Whether the client's tournament has begun."""
        self._is_asked = False
        """Whether a prompt is open."""
        self._script: deque[JsonValue] = deque()
        """Answers that were sent ahead and have not been read."""
        self._is_ahead = True
        """Whether what is read now was sent before the tournament began."""
        self._bytes_ahead = 0
        self._script_ends_by: float | None = None
        """When the client must have hung up for its answers to be a script."""

    @property
    def has_input(self) -> bool:
        return bool(self._script) or super().has_input

    @property
    def has_script(self) -> bool:
        return bool(self._script)

    def receive_data(self, data: bytes, now: float) -> None:
        if not self._began:
            self._bytes_ahead += len(data)
        elif not self._framing.has_more:
            self._is_ahead = False
        super().receive_data(data, now)

    def next_request(self) -> Request[MoveT] | None:
        is_next = self._is_asked or self._is_no_script()
        if self._script and is_next and self.fault is None and not self.closed:
            try:
                return self.read(self._script.popleft())
            except ProtocolError as fault:
                self.fault = str(fault)
        return super().next_request()

    def read(self, message: JsonValue | NotJson) -> Request[MoveT]:
        if self._is_asked or not isinstance(message, JsonValue) or not self._is_answer(message):
            return self._read_now(message)
        if not self._is_ahead or self._bytes_ahead > LONGEST_SCRIPT or self._is_no_script():
            return self._read_now(message)
        if self._script_ends_by is None:
            self._script_ends_by = self._now + SECONDS_TO_HANG_UP
            self._set_reminder(self._script_ends_by)
        self._script.append(message)
        return Pong()

    @abstractmethod
    def _is_answer(self, message: JsonValue) -> bool:
        """Return True if the message is an answer, which only a prompt should be followed by."""

    @abstractmethod
    def _read_now(self, message: JsonValue | NotJson) -> Request[MoveT]:
        """What the client wants by a message whose time has come. Raises ProtocolError."""

    def _note_begin(self) -> None:
        """The client's tournament begins: what it sends from now on is not sent ahead."""
        self._began = True
        self._is_ahead = self._framing.has_more

    def _open_prompt(self) -> None:
        """The client is asked: it is time for the next answer of its script, if it has one."""
        self._is_asked = True
        self.has_deferred_input = bool(self._script)

    def _is_no_script(self) -> bool:
        """Return True if the client has not hung up in time for its answers to be a script."""
        ends_by = self._script_ends_by
        return ends_by is not None and not self._at_end and self._now >= ends_by
