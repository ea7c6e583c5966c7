"""Players at the web pages of a running server, who make random legal moves."""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.support.served import Served
from tests.web.api_client import ApiClient

State = dict[str, Any]
"""The state of a seat as pages receive it."""

TERMS = {"go": {"size": 5}}
"""The terms that players propose, by game, to keep games short."""

MAX_MOVES = 30
"""The number of moves after which a player resigns in a short match, if it can."""


def web_port(server: Served) -> int:
    """Return the port of a server's web pages."""
    [line] = [line for line in server.lines if line.startswith("listening web ")]
    return int(line.rstrip("/").rpartition(":")[2])


def rooms_of(server: Served) -> dict[str, str]:
    """Return the game of each room of a server."""
    return {room["name"]: room["game"] for room in ApiClient(web_port(server)).get("/api/rooms")}


def has_verdict(state: State) -> bool:
    """Return True if the state shows how the match has ended."""
    return bool(state["verdict"])


class PagePlayer:
    """A player at a web page, in its own browser or in a shared one."""

    def __init__(self, server: Served, name: str, browser: ApiClient | None = None) -> None:
        self.name = name
        self.browser = browser or ApiClient(web_port(server))
        self.browser.port = web_port(server)
        self.seat = ""
        self.moves = 0
        self.seen: list[State] = []
        """All states since the player took its seat."""
        self._chance = random.Random(name)

    def try_to_sit(self, room: str, game: str, **wants: object) -> tuple[int, Any]:
        """Ask for a seat. Return the HTTP status and the answer."""
        body = {"room": room, "name": self.name, **wants}
        if game in TERMS:
            body["terms"] = TERMS[game]
        return self.browser.ask("POST", "/api/seats", body)

    def sit(self, room: str, game: str, **wants: object) -> "PagePlayer":
        """Take a seat. The option `bot` names a bot as the opponent."""
        status, answer = self.try_to_sit(room, game, **wants)
        assert status == 201, answer
        self.seat, self.seen = answer["id"], []
        return self

    def play(self, is_over: Callable[[State], bool] = has_verdict) -> State:
        """Make moves until the state fulfils the condition, and return it."""
        answered = -1
        with self.browser.stream(f"/api/seats/{self.seat}/stream") as stream:
            for _, shown in stream:
                state: State = shown
                self.seen.append(state)
                if is_over(state):
                    return state
                assert not state["is_gone"], state
                if state["version"] <= answered:
                    continue
                if state["question"]:
                    answered = state["version"]
                    self._post("answer", {"text": state["question"]["usual"]})
                elif state["choices"]:
                    answered = state["version"]
                    move = self._chance.choice(state["choices"])["move"]
                    self.moves += self._post("move", {"move": move})
        raise AssertionError(f"{self.name} is still waiting at {self.seen[-1]}")

    def play_short_match(self) -> State:
        """Play a match, and resign if it takes long. Return the last state."""
        last = self.moves + MAX_MOVES
        state = self.play(
            lambda state: has_verdict(state) or (self.moves >= last and state["may_resign"])
        )
        if not has_verdict(state):
            # The opponent may have ended the match in the meantime.
            self._post("resign", None)
            state = self.play()
        return state

    def play_moves(self, count: int) -> State:
        """Make this number of moves, or fewer if the match ends before."""
        until = self.moves + count
        return self.play(lambda state: self.moves >= until or has_verdict(state))

    def ask_for(self, what: str) -> None:
        """Send a request without a body, such as `rematch`."""
        status, answer = self.browser.ask("POST", f"/api/seats/{self.seat}/{what}")
        assert status == 200, answer

    def leave(self) -> None:
        status, answer = self.browser.ask("DELETE", f"/api/seats/{self.seat}")
        assert status == 204, answer

    def texts(self) -> list[str]:
        """Return every message and status that the page has shown."""
        messages = [one["text"] for state in self.seen for one in state["messages"]]
        return list(dict.fromkeys([*messages, *(state["status"] for state in self.seen)]))

    def _post(self, what: str, body: object) -> bool:
        status, answer = self.browser.ask("POST", f"/api/seats/{self.seat}/{what}", body)
        assert status in (200, 409), answer
        return status == 200


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """Make all calls at the same time in threads, and return their results."""
    with ThreadPoolExecutor(len(calls)) as threads:
        return [future.result() for future in [threads.submit(call) for call in calls]]
