"""What the tables of both Santorini doors share."""

import json
from collections.abc import Callable, Mapping
from typing import ClassVar

from tests.protocols.moments.table import (
    ANN,
    EVE,
    Answered,
    Departure,
    Expected,
    Message,
    Outcome,
    Scene,
    State,
)
from tests.support.failing_players import Player, PlayerGroup

BOB = "bob"
JOIN_WINDOW_SECONDS = 3


class SantoriniScene(Scene):
    """Tournaments of two players, or three where another is needed."""

    kind: ClassVar[type[Player]]
    verdict: ClassVar[str]
    """The last message to a player that is disqualified in a game."""

    def __init__(self) -> None:
        super().__init__()
        self.group = PlayerGroup(self.stage, self.kind, [])
        self.rest = b""
        """The rest of eve's turn."""

    @property
    def eve(self) -> Player:
        return self.group[EVE]

    def connect(self, name: str) -> None:
        self.group.players[name] = self.kind(name)
        self.group._unread[name] = b""
        self.stage.send(name, b"")

    def sign_up(self, *names: str) -> None:
        for name in names:
            self.connect(name)
            self.stage.send(name, self.group[name].sign_up())

    def begin(self, *names: str) -> None:
        """Begin a tournament of these and those who wait. No prompt is answered."""
        self.sign_up(*names)
        self.stage.wait(JOIN_WINDOW_SECONDS)
        self.group.listen()

    def classify(self, received: bytes, is_closed: bool, others: Mapping[str, bytes]) -> Expected:
        lines = [json.loads(line) for line in received.splitlines()]
        words = [line[0] if isinstance(line, list) else line for line in lines]
        if is_closed:
            return Outcome.BOOTED if words[-1:] == [self.verdict] else Outcome.CLOSED
        if others:
            return Outcome.ACCEPTED
        return Answered(json.dumps(words[0]).encode()) if words else Outcome.IGNORED

    def finish_game(self, state: State, message: Message, outcome: Expected) -> None:
        has_left = EVE in self.gone or isinstance(message.data, Departure)
        # A client that has left does not answer, but can still read.
        self.eve.is_idle = has_left
        if outcome is Outcome.ACCEPTED:
            self.eve.asked = None
        self.group.listen()
        if self.rest and self.eve.asked is not None and not has_left:
            self.eve.asked = None
            self.stage.send(EVE, self.rest)
        failed = [EVE] if has_left else []
        if "opponent gone" in state.tags:
            failed = [ANN, *failed]
        if "in the tournament" not in state.tags:
            failed = []
            signs_up = "may sign up" in message.tags
            if has_left or not ("signed up" in state.tags or signs_up):
                self._remove_eve()
            self.begin(*(BOB, "cat")[len(self.group.players) - 1 :][:1])
        report = self.group.finish()
        assert list(report.cheaters) == failed
        names = {player.name for player in report.players}
        assert names == self.group.players.keys() | set(failed), "X-07"
        for name in self.group.players.keys() - self.gone:
            assert self.stage.is_closed(name)
        for name in self.group.players.keys() - set(failed):
            games = self.group[name].games
            assert games or "opponent gone" in state.tags, f"{name} has not played"
            assert all(game.verdict for game in games)

    def _remove_eve(self) -> None:
        if EVE not in self.gone:
            self.stage.reset(EVE)
        del self.group.players[EVE]


Enter = Callable[[SantoriniScene], None]


def connected(scene: SantoriniScene) -> None:
    scene.sign_up(ANN)
    scene.connect(EVE)


def waiting(scene: SantoriniScene) -> None:
    scene.sign_up(ANN, EVE)


def others_play(scene: SantoriniScene) -> None:
    scene.begin(ANN, BOB, EVE)
    assert scene.group[ANN].asked is not None


def asked_to_place(scene: SantoriniScene) -> None:
    scene.begin(EVE, ANN)
    assert scene.eve.asked is not None


def other_asked_to_place(scene: SantoriniScene) -> None:
    scene.begin(ANN, EVE)
    assert scene.group[ANN].asked is not None


def asked_for_turn(scene: SantoriniScene) -> None:
    scene.begin(EVE, ANN)
    scene.group.play_until_asked(EVE, 3)


def other_asked_for_turn(scene: SantoriniScene) -> None:
    scene.begin(EVE, ANN)
    scene.group.play_until_asked(ANN, 3)


def opponent_gone(scene: SantoriniScene) -> None:
    """Eve is prompted, and her opponent is out already (X-06)."""
    scene.begin(EVE, ANN, BOB)
    scene.group.play_until_asked(EVE, 3)
    scene.stage.reset(ANN)
    del scene.group.players[ANN]
    assert scene.stage.unread() == {}


def lines(*values: object) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)
