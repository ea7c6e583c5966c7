"""The session of a protocol whose clients answer prompts, or send all their answers ahead."""

from abc import abstractmethod
from collections import deque

from gamehall.core import MoveT
from gamehall.rooms.requests import Pong, Request
from gamehall.wire.framing import ProtocolError
from gamehall.wire.json import JsonValue, JsonValues, NotJson
from gamehall.wire.session import Session, Timeouts

SECONDS_TO_HANG_UP = 1.0
"""How long an unprompted answer is kept until the client must have ended its input."""

LONGEST_SCRIPT = 65_536
"""How many bytes a client may send before its tournament begins; after more, none are kept."""


class PromptedSession(Session[JsonValue | NotJson, MoveT]):
    """Reads JSON values, and keeps answers that were sent before the tournament began (X-07).

    A client may pipe a script of all its answers into the socket and end its input. From an
    interactive client, an answer without a prompt is an error: the lobby ignores it (S0-Q26), the
    tournament disqualifies for it (S1-Q19). Only the end of the input tells the two apart, and it
    may arrive a little after the answers. So unprompted answers are kept for a moment. If the
    input ends in that time they are a script, and each prompt takes the next answer. Otherwise
    they are read as unprompted answers.
    """

    __slots__ = (
        "_began",
        "_bytes_ahead",
        "_is_ahead",
        "_is_prompted",
        "_script",
        "_script_ends_by",
    )

    def __init__(self, timeouts: Timeouts, now: float, framing: JsonValues | None = None) -> None:
        super().__init__(framing or JsonValues(), timeouts, now)
        self._began = False
        """Whether the client's tournament has begun."""
        self._is_prompted = False
        """Whether a prompt has not been answered yet."""
        self._script: deque[JsonValue] = deque()
        """Answers that were sent ahead and have not been used."""
        self._is_ahead = True
        """Whether the input read now was sent before the tournament began."""
        self._bytes_ahead = 0
        self._script_ends_by: float | None = None
        """When the client must have ended its input for its answers to be a script."""

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
        may_take_next = self._is_prompted or self._script_deadline_passed()
        if self._script and may_take_next and self.fault is None and not self.closed:
            try:
                return self.read(self._script.popleft())
            except ProtocolError as fault:
                self.fault = str(fault)
        return super().next_request()

    def read(self, message: JsonValue | NotJson) -> Request[MoveT]:
        if self._is_prompted or not isinstance(message, JsonValue) or not self._is_answer(message):
            return self._read_request(message)
        is_too_long = self._bytes_ahead > LONGEST_SCRIPT
        if not self._is_ahead or is_too_long or self._script_deadline_passed():
            return self._read_request(message)
        if self._script_ends_by is None:
            self._script_ends_by = self._now + SECONDS_TO_HANG_UP
            self._set_reminder(self._script_ends_by)
        self._script.append(message)
        return Pong()

    @abstractmethod
    def _is_answer(self, message: JsonValue) -> bool:
        """Return True if the message is an answer to a prompt."""

    @abstractmethod
    def _read_request(self, message: JsonValue | NotJson) -> Request[MoveT]:
        """Return the request of a message that is not kept for later. Raises ProtocolError."""

    def _note_begin(self) -> None:
        """Note that the tournament has begun: input from now on is not sent ahead."""
        self._began = True
        self._is_ahead = self._framing.has_more

    def _open_prompt(self) -> None:
        """Note that the client is prompted: the next answer of its script can be used."""
        self._is_prompted = True
        self.has_deferred_input = bool(self._script)

    def _script_deadline_passed(self) -> bool:
        """Return True if the input did not end in time for the answers to be a script."""
        ends_by = self._script_ends_by
        return ends_by is not None and not self._at_end and self._now >= ends_by
