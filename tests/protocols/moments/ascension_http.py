"""States and messages of Ascension over HTTP."""

import json
from collections.abc import Mapping
from typing import Any

from gamehall.core import Seat
from gamehall.wire.http import HttpResponses
from tests.games.ascension_tables import table
from tests.protocols.moments.table import (
    EVE,
    Answered,
    Departure,
    Expected,
    Message,
    Outcome,
    Scene,
    State,
    state,
)
from tests.support.ascension_stage import AscensionStage

ACCEPTED, ERROR, CLOSED = Outcome.ACCEPTED, Outcome.ERROR, Outcome.CLOSED


class AscensionScene(Scene):
    """Eve has a connection of her own; all others use ann's."""

    door = "ascension-http"
    stage: AscensionStage

    def __init__(self) -> None:
        super().__init__()
        self.before: dict[str, Any] = {}

    def open(self) -> AscensionStage:
        return AscensionStage(self.settings)

    def send(self, message: Message) -> Expected:
        self.before = self.stage.state()
        self.stage.send(EVE, b"")
        return super().send(message)

    def classify(self, received: bytes, is_closed: bool, others: Mapping[str, bytes]) -> Expected:
        assert not others, "HTTP: no response without a request"
        if not received:
            assert is_closed, "every request has an answer"
            return CLOSED
        answers = HttpResponses()
        answers.feed(received)
        [answer] = iter(answers.next_message, None)
        if answer.status != 200:
            return Answered(str(answer.status).encode())
        return ERROR if json.loads(answer.body).get("error") else ACCEPTED

    def finish_game(self, state: State, message: Message, outcome: Expected) -> None:
        # A-Q15: the next ordinary move makes an open choice by default, even if it is refused.
        chooses = "pending" in state.tags and "ordinary" in message.tags
        if outcome is not ACCEPTED and not chooses:
            assert self.stage.state() == self.before, "A-Q04: nothing has changed"
        self.stage.read(EVE, 1 << 24)
        while self.stage.state()["player_count"] < 2:
            assert "player_index" in self.stage.join()
        for _ in range(5):
            now = self.stage.state()
            assert now["error"] == ""
            if now["status"] == "ended":
                break
            # The pool is emptied, so the round is the last.
            self.stage.arrange(last_round(now["board"]["current_player_index"]))
            index = now["board"]["current_player_index"]
            assert self.stage.moves(index, "end_turn")["error"] == ""
        assert self.stage.state()["status"] == "ended"
        assert self.stage.state()["board"]["victor"] in (0, 1)


def last_round(index: int) -> Any:
    """Return a position of the last round with this player to move."""
    return table(honor_pool=0, turn_owner=list(Seat)[index])


def not_joined(scene: AscensionScene) -> None:
    pass


def one_joined(scene: AscensionScene) -> None:
    scene.stage.join()


def own_turn(scene: AscensionScene) -> None:
    scene.stage.start()


def others_turn(scene: AscensionScene) -> None:
    scene.stage.start()
    scene.stage.moves(0, "end_turn")


def pending(scene: AscensionScene) -> None:
    scene.stage.start(table(hand="Arbiter of the Precipice", deck=["Apprentice", "Militia"]))
    assert "pending" in scene.stage.moves(0, "play Arbiter of the Precipice")


def ended(scene: AscensionScene) -> None:
    scene.stage.start(last_round(1))
    scene.stage.moves(1, "end_turn")


def ended_a_while_ago(scene: AscensionScene) -> None:
    ended(scene)
    scene.stage.wait(10.5)


AscensionScene.states = [
    state("no player has joined", not_joined, "may join"),
    state("one player has joined", one_joined, "may join"),
    state("own turn", own_turn, "own turn"),
    state("the other's turn", others_turn, "other's turn"),
    state("a choice is pending", pending, "own turn, pending"),
    state("ended", ended),
    # A-Q21: the next game may be joined; until then the end is shown.
    state("ended a while ago", ended_a_while_ago, "may join"),
]


def http(line: str, body: bytes = b"") -> bytes:
    return f"{line} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def moves(**content: object) -> bytes:
    return http("POST /moves", json.dumps(content).encode())


def move(kind: object, index: object = 0, **more: object) -> bytes:
    return moves(player_index=index, moves=[{"type": kind, **more}])


BAD_REQUEST, NOT_FOUND, WRONG_METHOD = Answered(b"400"), Answered(b"404"), Answered(b"405")

AscensionScene.messages = [
    #
    Message("join", http("POST /join"), ERROR, {"may join": ACCEPTED}),
    #
    Message("state", http("GET /state"), ACCEPTED),
    # A-Q08. There is no authentication (A-Q09): eve may move for ann in ann's turn.
    Message("end_turn", move("end_turn"), ERROR, {"own turn": ACCEPTED}),
    Message("end_turn of the other", move("end_turn", 1), ERROR, {"other's turn": ACCEPTED}),
    Message(
        "play of a card not held", move("play", card_name="Hedron Cannon"), ERROR, tags="ordinary"
    ),
    # A-Q15: the default choice banishes the Apprentice before it can be played.
    Message(
        "play",
        move("play", card_name="Apprentice"),
        ERROR,
        {"pending": ERROR, "own turn": ACCEPTED},
        tags="ordinary",
    ),
    # No player has runes, power or a construct yet.
    Message("acquire", move("acquire", card_name="Mystic"), ERROR, tags="ordinary"),
    Message("defeat", move("defeat", card_name="Cultist"), ERROR, tags="ordinary"),
    Message("activate", move("activate", card_name="Yggdrasil Staff"), ERROR, tags="ordinary"),
    Message("acquire of an unknown card", move("acquire", card_name="Nothing"), ERROR),
    Message("activate without a name", move("activate"), ERROR),
    Message("choose", move("choose", card_name="Militia"), ERROR, {"pending": ACCEPTED}),
    Message("choose of no option", move("choose", card_name="Mystic"), ERROR),
    Message("unknown type", move("dance"), ERROR),
    Message("type that is not a string", move(7), ERROR),
    Message("index 2", move("end_turn", 2), ERROR),
    Message("index true", move("end_turn", index=True), ERROR),
    Message("no index", moves(moves=[{"type": "end_turn"}]), ERROR),
    # A-Q10.
    Message("no moves", moves(player_index=0), ERROR),
    Message("empty moves", moves(player_index=0, moves=[]), ACCEPTED),
    # A-Q02.
    Message("body that is not JSON", http("POST /moves", b"end_turn"), BAD_REQUEST),
    Message("body that is not an object", http("POST /moves", b"[]"), BAD_REQUEST),
    Message("GET of join", http("GET /join"), WRONG_METHOD),
    Message("POST of state", http("POST /state"), WRONG_METHOD),
    Message("unknown path", http("GET /board"), NOT_FOUND),
    Message("OPTIONS", http("OPTIONS /moves"), Answered(b"204")),
    Message("not HTTP", b"HELLO\r\n\r\n", BAD_REQUEST),
    Message("too large", http("POST /moves", b" " * 65_537), Answered(b"413")),
    # A-Q27: the end of a connection does not affect the game.
    Message("half-close", Departure.HALF_CLOSE, CLOSED),
    Message("reset", Departure.RESET, CLOSED),
]
