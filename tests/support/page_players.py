"""Guests at the page of a running hall: they make any legal move until a match is over."""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.support.served import Served
from tests.web.browser import Browser

State = dict[str, Any]
"""What the page shows of a seat."""

TERMS = {"go": {"size": 5}}
"""What guests propose, where that differs from what is usual, by game: so that games are short."""

MOST_MOVES = 30
"""How many moves a guest makes in a match that is to be short, before it resigns if it can."""


def web_port(hall: Served) -> int:
    """Return the port of a hall's pages."""
    [line] = [line for line in hall.lines if line.startswith("listening web ")]
    return int(line.rstrip("/").rpartition(":")[2])


def rooms_of(hall: Served) -> dict[str, str]:
    """Return the game of each room of a hall."""
    return {room["name"]: room["game"] for room in Browser(web_port(hall)).get("/api/rooms")}


def has_verdict(state: State) -> bool:
    """Return True when the guest is told how the match has ended."""
    return bool(state["verdict"])


class PagePlayer:
    """A player at a page, in a browser of its own or in one that others use, too."""

    def __init__(self, hall: Served, name: str, browser: Browser | None = None) -> None:
        self.name = name
        self.browser = browser or Browser(web_port(hall))
        self.browser.port = web_port(hall)
        self.seat = ""
        self.moves = 0
        self.seen: list[State] = []
        """All that the page has shown since the guest sat down last."""
        self._chance = random.Random(name)

    def try_to_sit(self, room: str, game: str, **wants: object) -> tuple[int, Any]:
        """Ask for a seat. Return the status and the answer."""
        body = {"room": room, "name": self.name, **wants}
        if game in TERMS:
            body["terms"] = TERMS[game]
        return self.browser.ask("POST", "/api/seats", body)

    def sit(self, room: str, game: str, **wants: object) -> "PagePlayer":
        """Take a seat; with `bot`, against that one."""
        status, answer = self.try_to_sit(room, game, **wants)
        assert status == 201, answer
        self.seat, self.seen = answer["id"], []
        return self

    def play(self, is_over: Callable[[State], bool] = has_verdict) -> State:
        """Move until something is so. Return what the page shows then."""
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
        raise AssertionError(f"{self.name} waits at {self.seen[-1]}")

    def play_short_match(self) -> State:
        """Play a match, and resign where it takes long. Return what the page shows at its end."""
        last = self.moves + MOST_MOVES
        state = self.play(
            lambda state: has_verdict(state) or (self.moves >= last and state["may_resign"])
        )
        if not has_verdict(state):
            # The opponent may have ended the match in the meantime.
            self._post("resign", None)
            state = self.play()
        return state

    def play_moves(self, count: int) -> State:
        """Make so many moves, or fewer if the match is over before."""
        until = self.moves + count
        return self.play(lambda state: self.moves >= until or has_verdict(state))

    def ask_for(self, what: str) -> None:
        """Ask for something that needs no body, such as a `rematch`."""
        status, answer = self.browser.ask("POST", f"/api/seats/{self.seat}/{what}")
        assert status == 200, answer

    def leave(self) -> None:
        """Leave the table."""
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
    """Make all calls at the same time, each in a thread of its own. Return what they return."""
    with ThreadPoolExecutor(len(calls)) as threads:
        return [future.result() for future in [threads.submit(call) for call in calls]]
