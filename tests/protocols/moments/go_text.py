"""States and messages of the Go protocol."""

from collections.abc import Callable, Mapping

from tests.protocols.moments.table import (
    ANN,
    EVE,
    Departure,
    Expected,
    Message,
    Outcome,
    Scene,
    State,
    state,
)

ACCEPTED, IGNORED, ERROR = Outcome.ACCEPTED, Outcome.IGNORED, Outcome.ERROR
CLOSED, ENDED = Outcome.CLOSED, Outcome.ENDED

ANSWERS = {"boardsize": "9", "color": "1", "handicap": "0", "komi": "6.5"}
LONGEST_LINE = 65_536


class GoPlayer:
    """A client that answers questions and otherwise passes."""

    def __init__(self, answers: Mapping[str, str]) -> None:
        self.lines: list[str] = []
        self.due: str | None = None
        """Its next message."""
        self._answers = answers
        self._is_black = False
        self._handicap = 0

    def receive(self, data: bytes) -> None:
        for line in data.decode().splitlines():
            self.lines.append(line)
            match line.split():
                case ["QUERY", name]:
                    self.due = f"RESPONSE {name} {self._answers[name]}"
                case ["TERMS", _, color, handicap, _]:
                    self._is_black, self._handicap = color == "1", int(handicap)
                    self.due = "TERMSCONFIRM Yes"
                case ["TERMSOK"] if self._is_black and self._handicap:
                    self.due = "PASS"
                case ["START"]:
                    self.due = "PASS" if self._is_black else None
                case ["OPPONENTPLAY", _, _] if "START" in self.lines:
                    self.due = "PASS"
                case ["OPPONENTPASS"]:
                    self.due = "PASS"
                case ["SUCCESS"]:
                    # Black need not place all of its handicap.
                    self.due = None if "START" in self.lines else "PASS"
                case _:
                    pass


class GoScene(Scene):
    door = "go-text"

    def __init__(self) -> None:
        super().__init__()
        self.players: dict[str, GoPlayer] = {}

    def connect(self, who: str, **answers: str) -> None:
        """Connect a client, which may give other answers than usual."""
        self.players[who] = GoPlayer({**ANSWERS, **answers})
        self.stage.send(who, b"")
        self._read_all()

    def send_lines(self, who: str, *lines: str) -> None:
        for line in lines:
            self.players[who].due = None
            self.stage.send(who, line.encode() + b"\n")
            self._read_all()

    def answer(self, who: str, times: int = 1) -> None:
        """Send the next message of a client, this many times."""
        for _ in range(times):
            line = self.players[who].due
            assert line is not None, f"{who} has no message to send after {self.players[who].lines}"
            self.send_lines(who, line)

    def classify(self, received: bytes, is_closed: bool, others: Mapping[str, bytes]) -> Expected:
        if is_closed:
            both = ANN in self.players and self.stage.is_closed(ANN)
            return ENDED if both else CLOSED
        lines = received.decode().splitlines()
        if lines and lines[0].startswith("ERROR ") and not others:
            # G-04: the same open question follows; G-Q35: otherwise nothing.
            player = self.players[EVE]
            is_asked = player.due is not None and player.due.startswith("RESPONSE")
            assert lines[1:] == (player.lines[-1:] if is_asked else [])
            return ERROR
        return ACCEPTED if lines or others else IGNORED

    def finish_game(self, state: State, message: Message, outcome: Expected) -> None:
        if outcome is ACCEPTED:
            self.players[EVE].due = None
        self._read_all()
        if outcome is ENDED:
            self._check_end(state, message)
            return
        if EVE in self.gone:
            self.players.pop(EVE)
        newcomers = iter(("bob", "cat"))
        for _ in range(50):
            at_table = [who for who in self.players if not self.stage.is_closed(who)]
            due = [who for who in at_table if self.players[who].due]
            if not at_table:
                break
            if due:
                self.answer(due[0])
            else:
                # They wait for another player.
                lines = [line for who in at_table for line in self.lines_of(who)]
                assert not any(line.startswith("TERMS ") for line in lines)
                self.connect(next(newcomers))
        else:
            raise AssertionError("the game does not end")
        parts = "parts" in message.tags and "held" in state.tags
        for who in self.players:
            if not parts:
                assert self.lines_of(who)[-1].startswith("GAMEOVER"), self.lines_of(who)

    def lines_of(self, who: str) -> list[str]:
        return self.players[who].lines

    def _check_end(self, state: State, message: Message) -> None:
        last = self.lines_of(ANN)[-1]
        if "agreed" not in state.tags:
            assert last.startswith("TERMS "), "G-Q08: no further message"
        elif "passes" in message.tags:
            assert last.startswith("GAMEOVER")
        else:
            assert last == "GAMEOVER True True", (
                "G-Q31, G-Q32: a player that resigns or leaves has lost"
            )

    def _read_all(self) -> None:
        for who, sent in self.stage.unread().items():
            self.players[who].receive(self.stage.read(who, len(sent)))


Enter = Callable[[GoScene], None]


def asked(questions: int, company: bool = False) -> Enter:
    """Eve is first and has answered this many questions; ann may have connected meanwhile."""

    def enter(scene: GoScene) -> None:
        scene.connect(EVE)
        scene.answer(EVE, questions)
        if company:
            scene.connect(ANN)

    return enter


def held(scene: GoScene) -> None:
    scene.connect(ANN)
    scene.answer(ANN)
    scene.connect(EVE)


def terms(*confirmed: str, **answers: str) -> Enter:
    """Eve and ann were sent the terms, and these have said Yes."""

    def enter(scene: GoScene) -> None:
        scene.connect(EVE, **answers)
        scene.answer(EVE, len(ANSWERS))
        scene.connect(ANN)
        for who in confirmed:
            scene.answer(who)

    return enter


def second_at_terms(scene: GoScene) -> None:
    """Ann has answered the questions, and eve, the second, was sent the terms."""
    scene.connect(ANN)
    scene.answer(ANN, len(ANSWERS))
    scene.connect(EVE)


def playing(*lines: tuple[str, str], **answers: str) -> Enter:
    """The terms are agreed and these lines were sent. Eve is black unless she answers otherwise."""

    def enter(scene: GoScene) -> None:
        terms(EVE, ANN, **answers)(scene)
        for who, line in lines:
            scene.send_lines(who, line)

    return enter


MOVE = "terms known, agreed, may move"
WAIT = "terms known, agreed"

GoScene.states = [
    state("asked boardsize", asked(0), "asked boardsize"),
    state("asked color", asked(1)),
    state("asked handicap", asked(2), "asked handicap"),
    state("asked komi, the second is there", asked(3, company=True), "asked komi"),
    state("waiting for the second", asked(4)),
    state("second, while the first is asked", held, "held", everything=IGNORED),
    state("terms", terms(), "terms known, may confirm"),
    state("terms, confirmed", terms(EVE), "terms known, may confirm"),
    state("terms, the other has confirmed", terms(ANN), "terms known, may confirm, may begin"),
    state("terms, as the second", second_at_terms, "terms known, may confirm"),
    state("handicap, black", playing(handicap="2"), MOVE),
    state("handicap, black, one placed", playing((EVE, "PLAY 4 4"), handicap="2"), MOVE),
    state("handicap, white", playing(handicap="2", color="2"), WAIT),
    state("black begins", playing(), MOVE),
    state("white waits for the beginning", playing(color="2"), WAIT),
    state("black waits", playing((EVE, "PLAY 4 4")), WAIT),
    state("white to move", playing((ANN, "PLAY 4 4"), color="2"), MOVE),
    state("after the other's pass", playing((ANN, "PASS"), color="2"), f"ends by pass, {MOVE}"),
    state("after the own pass", playing((EVE, "PASS")), WAIT),
]

PASSING = {"ends by pass": ENDED, "may move": ACCEPTED}
WHILE_ASKED = {f"asked {what}": ACCEPTED for what in ("boardsize", "handicap", "komi")}

GoScene.messages = [
    # G-Q05, G-Q33: an answer that was not asked for.
    Message("RESPONSE boardsize", b"RESPONSE boardsize 9\n", ERROR, {"asked boardsize": ACCEPTED}),
    Message("RESPONSE komi", b"RESPONSE komi 6.5\n", ERROR, {"asked komi": ACCEPTED}),
    Message("RESPONSE value only", b"RESPONSE 9\n", ERROR, WHILE_ASKED),
    Message("RESPONSE that is invalid", b"RESPONSE boardsize nine\n", ERROR),
    Message("RESPONSE alone", b"RESPONSE\n", ERROR),
    # G-Q08, G-Q09, G-10: Yes is answered when both have sent it, and can be revoked until then.
    Message(
        "TERMSCONFIRM Yes",
        b"TERMSCONFIRM Yes\n",
        ERROR,
        {"may begin": ACCEPTED, "may confirm": IGNORED},
    ),
    Message(
        "TERMSCONFIRM No",
        b"TERMSCONFIRM No\n",
        ERROR,
        {"may confirm": ENDED},
        tags="parts",
    ),
    Message("TERMSCONFIRM Maybe", b"TERMSCONFIRM Maybe\n", ERROR),
    Message("TERMSCONFIRM alone", b"TERMSCONFIRM\n", ERROR),
    # G-Q29: out of turn, or before START.
    Message("PLAY", b"PLAY 0 0\n", ERROR, {"may move": ACCEPTED}),
    Message("PLAY off the board", b"PLAY 99 0\n", ERROR),
    Message("PLAY by letters", b"PLAY d 4\n", ERROR),
    Message("PLAY alone", b"PLAY\n", ERROR),
    Message("PASS", b"PASS\n", ERROR, PASSING, tags="passes"),
    Message("pass in small letters", b"pass\n", ERROR, PASSING, tags="passes"),
    # G-Q30: from TERMSOK on, by either.
    Message("RESIGN", b"RESIGN\n", ERROR, {"agreed": ENDED}),
    # G-Q33: messages of the server, and unknown ones.
    Message("QUERY", b"QUERY boardsize\n", ERROR),
    Message("START", b"START\n", ERROR),
    Message("unknown", b"HELLO\n", ERROR),
    Message("not text", b"\xff\xfe\x00\n", ERROR),
    Message(
        "a hundred errors",
        b"HELLO\n" * 100,
        CLOSED,
        {"terms known": ENDED, "held": IGNORED},
        "parts",
    ),
    #
    Message("blank lines", b"\n \r\n", IGNORED),
    #
    Message(
        "endless line", b"A" * (LONGEST_LINE + 1), CLOSED, {"terms known": ENDED, "held": CLOSED}
    ),
    # X-07, G-Q32.
    Message("half-close", Departure.HALF_CLOSE, CLOSED, {"terms known": ENDED}),
    Message("reset", Departure.RESET, CLOSED, {"terms known": ENDED}),
]
