"""A client in the process of the hall, without a wire: a page, or a bot of the house."""

from collections import deque
from collections.abc import Callable
from typing import Any, Final, Protocol, cast

from msgspec.structs import replace

from gamehall.core import Seat
from gamehall.match import MovePlayed, TurnBegan
from gamehall.rooms.notices import MatchBegan, Notice, Seated, TermsProposed, mask
from gamehall.rooms.requests import ClientPolicy, Join, Request
from gamehall.rooms.room import Peer

NATIVE_DOOR: Final = "web"
"""Instead of the name of a door, for clients that came through none."""
NATIVE: Final = ClientPolicy(native=True)


class Host(Protocol):
    """What a local client needs of the room host."""

    def connect(self, client: Any, room: str) -> None:
        """Let a client enter a room. Raises KeyError if there is no such room."""

    def submit(self, client: Any, request: Request[Any]) -> None:
        """Have a request decided; `client.answered` is called when it is committed."""

    def disconnect(self, client: Any) -> None:
        """The client is gone."""


class LocalClient:
    """Submits requests one after the other; is called back with notices, already masked.

    To a client a turn is a notice of its own: TurnBegan follows each MovePlayed that begins one.
    """

    def __init__(
        self,
        host: Host,
        room: str,
        hear: Callable[[Notice[Any]], None],
        token: str = "",
        policy: ClientPolicy = NATIVE,
        return_seconds: float = 0.0,
    ) -> None:
        """Enter a room. Raises KeyError if there is no such room.

        Args:
            hear: called with each notice, after the commit.
            token: by what the player is recognised when it comes back.
            return_seconds: how long its seat is kept after `lose`.
        """
        self.address = ""
        self.token = token
        self.peer = Peer(0)
        self.room = ""
        self.door = NATIVE_DOOR
        self.return_seconds = return_seconds
        self._policy = policy
        self._host = host
        self._hear = hear
        self._seat: Seat | None = None
        self._waiting: deque[Request[Any]] = deque()
        self._is_answered = True
        host.connect(self, room)

    def submit(self, request: Request[Any]) -> None:
        """Submit a request after those before it are answered."""
        if isinstance(request, Join):
            request = replace(request, policy=self._policy)
        self._waiting.append(request)
        self._submit_next()

    def leave(self) -> None:
        """Leave the room on purpose: no seat is kept."""
        self.return_seconds = 0.0
        self._host.disconnect(self)

    def lose(self) -> None:
        """Go away without having left: the seat is kept for `return_seconds`."""
        self._host.disconnect(self)

    def prepare(self, notice: Notice[Any]) -> Notice[Any]:
        """Mask what this player may not see."""
        match notice:
            case Seated(seat) | TermsProposed(seat) | MatchBegan(seat):
                self._seat = seat
            case _:
                pass
        return mask(notice, self._seat)

    def deliver(self, prepared: object) -> None:
        notice = cast("Notice[Any]", prepared)
        self._hear(notice)
        if isinstance(notice, MovePlayed) and notice.position.to_move is not None:
            seat, position = notice.position.to_move, notice.position
            turn: TurnBegan[Any] = TurnBegan(seat, position, notice.deadline)
            self._hear(turn)

    def answered(self) -> None:
        self._is_answered = True
        self._submit_next()

    def _submit_next(self) -> None:
        if self._is_answered and self._waiting:
            self._is_answered = False
            self._host.submit(self, self._waiting.popleft())
