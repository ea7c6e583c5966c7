"""Record conversations: transcripts, and games between our own two ends."""

from collections.abc import Mapping
from random import Random
from typing import Any

from gamehall.players.bot_player import BotPlayer
from gamehall.rooms.notices import Notice
from gamehall.rooms.requests import Play, Request
from gamehall.server.room_host import Prepared
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.session import Session
from gamehall.wire.settings import read_settings
from tests.fuzz.script import ALONE, Ask, EndOfInput, Give, Reset, Script, Step, Tell, Wait
from tests.support.memory_stage import MemoryStage, SessionClient
from tests.support.transcripts import Scene, play

WHOLE = 1 << 24

HASTE = 0.2
"""How often a player makes its last legal move: a pass, or the end of its turn."""


class RecordedClient(SessionClient):
    """A client that records its notices."""

    steps: list[Step]

    def prepare(self, notice: Notice[Any]) -> Prepared | None:
        self.steps.append(Tell(notice))
        return super().prepare(notice)


class RecordingStage(MemoryStage):
    """A stage that records all steps, and those of each client."""

    def __init__(
        self,
        protocol: AnyProtocol,
        settings: Mapping[str, str],
        doors: Mapping[str, str] | None = None,
    ) -> None:
        self.steps: list[Step] = []
        self.steps_of: dict[str, list[Step]] = {}
        self.sent_to: dict[str, list[Step]] = {}
        super().__init__(protocol, settings, WHOLE, doors)

    def send(self, who: str, message: bytes) -> None:
        self._note(Give(who, message))
        super().send(who, message)

    def hang_up(self, who: str) -> None:
        self._note(EndOfInput(who))
        super().hang_up(who)

    def reset(self, who: str) -> None:
        self._note(Reset(who))
        super().reset(who)

    def wait(self, seconds: float) -> None:
        self.steps.append(Wait(seconds))
        super().wait(seconds)

    def read(self, who: str, length: int) -> bytes:
        message = super().read(who, length)
        if message:
            self.sent_to.setdefault(who, []).append(Give(ALONE, message))
        return message

    def _note(self, step: Give | EndOfInput | Reset) -> None:
        self.steps.append(step)
        if isinstance(step, Give):
            self.steps_of.setdefault(step.who, []).append(Give(ALONE, step.data))

    def _new_client(self, who: str, session: Session[Any, Any]) -> SessionClient:
        client = RecordedClient(self.host, self._door, session, self._ready)
        client.steps = self.steps_of.setdefault(who, [])
        return client


class Recorded:
    """The recorded conversations of one protocol, from three sides."""

    def __init__(self) -> None:
        self.rooms: list[Script] = []
        """What all clients of a room send."""
        self.sessions: list[Script] = []
        """What one client sends, and its notices in between."""
        self.clients: list[Script] = []
        """What one client receives, and its requests in between."""

    def add(self, stage: RecordingStage, scene: Scene, clients: dict[str, list[Step]]) -> None:
        """Add the steps of a stage."""
        settings, doors = scene.settings, scene.doors
        self.rooms.append(Script(settings, doors, tuple(stage.steps)))
        for who, steps in stage.steps_of.items():
            if who not in doors:
                self.sessions.append(Script(settings, {}, tuple(steps)))
        for who, steps in clients.items():
            if who not in doors:
                self.clients.append(Script(settings, {}, tuple(steps)))


def record_scene(protocol: AnyProtocol, scene: Scene, recorded: Recorded) -> None:
    stage = RecordingStage(protocol, scene.settings, scene.doors)
    play(scene, stage)
    recorded.add(stage, scene, stage.sent_to)


class _RandomPlayer:
    """Plays at random through a client session."""

    def __init__(
        self, name: str, protocol: AnyProtocol, settings: Mapping[str, str], seed: int
    ) -> None:
        self.name = name
        self.steps: list[Step] = []
        self.session = protocol.client(read_settings(protocol.settings, settings, protocol.name))
        self._random = Random(f"{name} {seed}")
        answers = {**protocol.answers, "boardsize": self._random.choice(["2", "5", "9"])}
        answers["handicap"] = self._random.choice(["0", "0", "2"])
        self._player: BotPlayer[Any] = BotPlayer(name, answers=answers, matches_wanted=2)

    def join(self, stage: RecordingStage) -> None:
        for request in self._player.arrive():
            self._send(stage, request)

    def receive(self, stage: RecordingStage) -> bool:
        """Read and answer messages. Return whether there were any."""
        data = stage.read(self.name, WHOLE)
        if data:
            self.steps.append(Give(ALONE, data))
            self.session.receive_data(data)
            while (notice := self.session.next_notice()) is not None:
                for request in self._player.receive(notice):
                    self._send(stage, request)
        elif self.session.seconds_to_poll is not None:
            self.steps.append(Ask(None))
            stage.send(self.name, self.session.poll())
            return True
        turn = self._player.turn
        if turn is not None:
            moves = list(turn.position.legal_moves())
            is_hasty = self._random.random() < HASTE
            self._player.played()
            self._send(stage, Play(moves[-1] if is_hasty else self._random.choice(moves)))
        return bool(data)

    def _send(self, stage: RecordingStage, request: Request[Any]) -> None:
        self.steps.append(Ask(request))
        data = self.session.send(request)
        if data:
            stage.send(self.name, data)


def record_game(
    protocol: AnyProtocol, settings: Mapping[str, str], seed: int, recorded: Recorded
) -> None:
    """Play a game for a limited number of rounds."""
    scene = Scene(f"a game at random, {seed}", dict(settings))
    stage = RecordingStage(protocol, settings)
    players = [_RandomPlayer(name, protocol, settings, seed) for name in ("ann", "bob")]
    for player in players:
        stage.send(player.name, b"")
        player.join(stage)
    for _ in range(60):
        if not sum(player.receive(stage) for player in players):
            break
    recorded.add(stage, scene, {player.name: player.steps for player in players})
