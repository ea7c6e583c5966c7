"""A client in the server's process: a web page, or a house bot."""

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
"""The `door` of these clients, which connect through none."""
NATIVE: Final = ClientPolicy(native=True)


class Host(Protocol):
    """The methods of the room host that a local client uses. See `server.room_host`."""

    def connect(self, client: Any, room: str) -> None:
        """Add a client to a room. Raises KeyError if there is no such room."""

    def submit(self, client: Any, request: Request[Any]) -> None:
        """Handle a request; `client.answered` is called after the commit."""

    def disconnect(self, client: Any) -> None:
        """Note that a client is gone."""


class LocalClient:
    """Submits requests one at a time, and passes on notices without hidden information.

    After a `MovePlayed` that begins a turn, a `TurnBegan` notice is added, as protocol clients get.
    """

    def __init__(
        self,
        host: Host,
        room: str,
        on_notice: Callable[[Notice[Any]], None],
        token: str = "",
        policy: ClientPolicy = NATIVE,
        return_seconds: float = 0.0,
    ) -> None:
        """Connect to a room. Raises KeyError if there is no such room.

        Args:
            on_notice: called with each notice, after the commit.
            token: the credential with which the player can reconnect.
            return_seconds: how long the seat is kept after `disconnect`.
        """
        self.address = ""
        self.token = token
        self.peer = Peer(0)
        self.room_name = ""
        self.door_name = NATIVE_DOOR
        self.return_seconds = return_seconds
        self._policy = policy
        self._host = host
        self._on_notice = on_notice
        self._seat: Seat | None = None
        self._waiting: deque[Request[Any]] = deque()
        self._is_answered = True
        host.connect(self, room)

    def submit(self, request: Request[Any]) -> None:
        """Submit a request, after the earlier ones are answered."""
        if isinstance(request, Join):
            request = replace(request, policy=self._policy)
        self._waiting.append(request)
        self._submit_next()

    def leave(self) -> None:
        """Leave the room. The seat is not kept."""
        self.return_seconds = 0.0
        self._host.disconnect(self)

    def lose(self) -> None:
        """Disconnect without leaving: the seat is kept for `return_seconds`."""
        self._host.disconnect(self)

    def prepare(self, notice: Notice[Any]) -> Notice[Any]:
        """Return a notice without the information that is hidden from this player."""
        match notice:
            case Seated(seat) | TermsProposed(seat) | MatchBegan(seat):
                self._seat = seat
            case _:
                pass
        return mask(notice, self._seat)

    def deliver(self, prepared: object) -> None:
        notice = cast("Notice[Any]", prepared)
        self._on_notice(notice)
        if isinstance(notice, MovePlayed) and notice.position.to_move is not None:
            seat, position = notice.position.to_move, notice.position
            turn: TurnBegan[Any] = TurnBegan(seat, position, notice.deadline)
            self._on_notice(turn)

    def answered(self) -> None:
        self._is_answered = True
        self._submit_next()

    def _submit_next(self) -> None:
        if self._is_answered and self._waiting:
            self._is_answered = False
            self._host.submit(self, self._waiting.popleft())
