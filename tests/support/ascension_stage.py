"""An Ascension door in memory, with HTTP requests and answers, and any position of the game."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from gamehall.games.ascension import AscensionPosition, Move
from gamehall.protocols.ascension_http import PROTOCOL, AscensionHttpClientSession
from gamehall.rooms.notices import Notice
from gamehall.rooms.polled_match import PolledMatch
from gamehall.rooms.polled_table import PolledTable
from gamehall.wire.http import HttpResponses
from tests.support.memory_stage import MemoryStage
from tests.support.replayed_rooms import change

WHOLE = 1 << 24


class Answer(NamedTuple):
    """An HTTP answer, with lower-case names of headers."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def state(self) -> dict[str, Any]:
        """The body as JSON."""
        content = json.loads(self.body)
        assert isinstance(content, dict)
        return content


class AscensionStage(MemoryStage):
    """A memory stage for HTTP. `who` is a connection, which need not belong to a player."""

    def __init__(
        self, settings: Mapping[str, str] | None = None, chunk: int = 4096, seed: int = 1
    ) -> None:
        super().__init__(PROTOCOL, settings or {}, chunk, seed=seed)

    @property
    def match(self) -> PolledMatch[Move]:
        return cast("PolledTable[Move]", self.room)._match

    @property
    def position(self) -> AscensionPosition:
        """The position without hidden cards."""
        assert self.match.referee is not None
        return cast("AscensionPosition", self.match.referee.position)

    def arrange(self, position: AscensionPosition) -> None:
        arrange_position(cast("PolledTable[Move]", self.room), position)

    def start(self, position: AscensionPosition | None = None) -> None:
        """Let two players join, and set the position."""
        self.ask("POST", "/join")
        self.ask("POST", "/join")
        if position is not None:
            self.arrange(position)

    def ask(
        self,
        method: str,
        target: str,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        who: str = "ann",
    ) -> Answer:
        """Send a request and return the answer."""
        self.request(method, target, body, headers, who)
        return self.answer(who)

    def request(
        self,
        method: str,
        target: str,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        who: str = "ann",
    ) -> None:
        """Send a request without waiting for the answer."""
        lines = [f"{method} {target} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self.send(who, "\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    def answer(self, who: str = "ann") -> Answer:
        """Return the only answer that has arrived."""
        answers = HttpResponses()
        answers.feed(self.read(who, WHOLE))
        [answer] = iter(answers.next_message, None)
        return Answer(answer.status, answer.headers, answer.body)

    def join(self, body: bytes = b"") -> dict[str, Any]:
        return self.ask("POST", "/join", body).state

    def state(self, query: str = "") -> dict[str, Any]:
        return self.ask("GET", f"/state{query}").state

    def submit(self, player: object, moves: object, **more: object) -> Answer:
        """Send moves as they are, and return the answer."""
        body = {"player_index": player, "moves": moves, **more}
        return self.ask("POST", "/moves", json.dumps(body).encode())

    def moves(self, player: int, *moves: dict[str, Any] | str) -> dict[str, Any]:
        """Send moves, as objects or in the form `play Apprentice`, and return the state."""
        return self.submit(player, [written(move) for move in moves]).state


def exchange(
    stage: AscensionStage, who: str, client: AscensionHttpClientSession, data: bytes
) -> list[Notice[Move]]:
    """Send bytes for a client session and return the notices in the response."""
    stage.send(who, data)
    client.receive_data(stage.read(who, WHOLE))
    return list(iter(client.next_notice, None))


def arrange_position(table: PolledTable[Move], position: AscensionPosition) -> None:
    """Replace the position of the game in progress."""

    def put(room: PolledTable[Move]) -> None:
        assert room._match.referee is not None
        room._match.referee.position = position
        room._match.version += 1

    change(table, put)


def written(move: dict[str, Any] | str) -> dict[str, Any]:
    """Return the move as a JSON object."""
    if not isinstance(move, str):
        return move
    kind, _, name = move.partition(" ")
    return {"type": kind, "card_name": name} if name else {"type": kind}


def move(text: str, *targets: str | None) -> dict[str, Any]:
    """Return the move with targets as a JSON object."""
    return written(text) | {"targets": list(targets)}
