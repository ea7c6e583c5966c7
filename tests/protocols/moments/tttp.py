"""States and messages of TTTP."""

from collections.abc import Mapping

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
    state,
)

ACCEPTED, IGNORED, CLOSED = Outcome.ACCEPTED, Outcome.IGNORED, Outcome.CLOSED

COLUMNS, SPOTS = 7, 42
RED, BLUE, SPECTATOR = 1, 2, 3
CANCELLED = 4


class TttpPlayer:
    """What a client knows: its seat and the boards that it was sent."""

    def __init__(self) -> None:
        self.code = 0
        self.updates: list[tuple[int, int, bytes]] = []
        """Turn, won and spots."""

    def receive(self, data: bytes) -> None:
        while data:
            match data[:4]:
                case b"JOIN":
                    self.code, data = data[4], data[5:]
                case b"UPDT":
                    self.updates.append((data[4], data[5], data[6:48]))
                    data = data[48:]
                case b"CHAT":
                    data = data[7 + data[4] + int.from_bytes(data[5:7], "big") :]
                case _:
                    raise AssertionError(f"not a packet: {data!r}")

    @property
    def is_seated(self) -> bool:
        return self.code in (RED, BLUE)


class TttpScene(Scene):
    door = "tttp"

    def __init__(self) -> None:
        super().__init__()
        self.players: dict[str, TttpPlayer] = {}

    def connect(self, who: str) -> None:
        self.players[who] = TttpPlayer()
        self.send_packet(who, b"")

    def join(self, *names: str) -> None:
        for who in names:
            self.connect(who)
            self.send_packet(who, join(who.encode()))

    def send_packet(self, who: str, packet: bytes) -> None:
        self.stage.send(who, packet)
        self._read_all()

    def play(self, *columns: int) -> None:
        """Play in these columns, one after the other."""
        for column in columns:
            turn = self.board[0]
            [who] = [who for who in self.seated if self.players[who].code == turn]
            self.send_packet(who, play(column, 0))

    def leave(self, who: str) -> None:
        self.stage.reset(who)
        del self.players[who]
        self._read_all()

    @property
    def seated(self) -> list[str]:
        return [who for who, player in self.players.items() if player.is_seated]

    @property
    def board(self) -> tuple[int, int, bytes]:
        """The last board of a player."""
        return self.players[self.seated[0]].updates[-1]

    def classify(self, received: bytes, is_closed: bool, others: Mapping[str, bytes]) -> Expected:
        if is_closed:
            return CLOSED
        if others:
            return ACCEPTED
        return Answered(received[:6]) if received else IGNORED

    def finish_game(self, state: State, message: Message, outcome: Expected) -> None:
        was_running = bool(self.seated) and self.board[1] == 0
        was_seated = EVE in self.seated
        self._read_all()
        if EVE in self.gone:
            del self.players[EVE]
            if was_seated and ANN in self.players and was_running:
                assert self.players[ANN].updates[-1][1] == CANCELLED, "T-Q12"
        for name in ("dan", "fay"):
            if len(self.seated) < 2:
                self.join(name)
                turn, won, spots = self.players[name].updates[-1]
                played = spots.count(RED)
                # T-Q12, T-Q13: a newcomer gets a fresh board; T-Q07: Red may have begun.
                assert (won, spots.count(BLUE)) == (0, 0), f"{name} was sent an old board"
                assert (turn, played) in ((RED, 0), (BLUE, 1))
        if self.board[1]:
            self.send_packet(self.seated[0], b"RMCH")
        for _ in range(SPOTS):
            _, won, spots = self.board
            if won:
                break
            self.play(next(column for column in range(COLUMNS) if not spots[column]))
        assert len({self.players[who].updates[-1] for who in self.seated}) == 1
        assert self.board[1] in (RED, BLUE)

    def _read_all(self) -> None:
        for who, sent in self.stage.unread().items():
            self.players[who].receive(self.stage.read(who, len(sent)))


def join(name: bytes) -> bytes:
    return b"JOIN" + bytes([len(name)]) + name


def play(column: int, row: int) -> bytes:
    return b"PLAY" + bytes([column, row])


def chat(text: bytes) -> bytes:
    return b"CHAT" + len(text).to_bytes(2, "big") + text


def not_joined(scene: TttpScene) -> None:
    scene.join(ANN, "bob")
    scene.connect(EVE)


def denied(scene: TttpScene) -> None:
    not_joined(scene)
    scene.send_packet(EVE, join(b"bob"))


def alone(scene: TttpScene) -> None:
    scene.join(EVE)


def red_to_move(scene: TttpScene) -> None:
    scene.join(EVE, ANN)


def red_waits(scene: TttpScene) -> None:
    scene.join(EVE, ANN)
    scene.play(3)


def blue_waits(scene: TttpScene) -> None:
    scene.join(ANN, EVE)


def blue_to_move(scene: TttpScene) -> None:
    scene.join(ANN, EVE)
    scene.play(3)


def spectator(scene: TttpScene) -> None:
    scene.join(ANN, "bob", EVE)
    scene.play(3)


def spectator_of_one(scene: TttpScene) -> None:
    scene.join(ANN, "bob", EVE)
    scene.leave("bob")


def over(scene: TttpScene) -> None:
    scene.join(EVE, ANN)
    scene.play(1, 2, 1, 2, 1, 2, 1)


def over_as_blue(scene: TttpScene) -> None:
    scene.join(ANN, EVE)
    scene.play(1, 2, 1, 2, 1, 2, 1)


def spectator_of_the_end(scene: TttpScene) -> None:
    scene.join(ANN, "bob", EVE)
    scene.play(1, 2, 1, 2, 1, 2, 1)


def cancelled(scene: TttpScene) -> None:
    scene.join(EVE, "bob")
    scene.play(3)
    scene.leave("bob")


TttpScene.states = [
    state("not joined", not_joined, "outside"),
    state("denied", denied, "outside"),
    state("red, alone", alone, "red, alone, red to move"),
    state("red, to move", red_to_move, "red, seated, red to move, may play"),
    state("red, waiting", red_waits, "red, seated"),
    state("blue, to move", blue_to_move, "blue, seated, blue to move, may play"),
    state("blue, waiting", blue_waits, "blue, seated"),
    state("spectator", spectator, "spectator"),
    state("spectator, a seat is free", spectator_of_one, "spectator, may sit"),
    state("red, the game is over", over, "red, seated"),
    state("blue, the game is over", over_as_blue, "blue, seated"),
    state("spectator, the game is over", spectator_of_the_end, "spectator"),
    state("red, the game was cancelled", cancelled, "red, alone"),
]


def denial(code: int) -> dict[str, Expected]:
    """T-Q14: a seated player is sent its code, with any name."""
    denied = Answered(b"JOIN" + bytes([code]))
    seats: dict[str, Expected] = {"red": Answered(b"JOIN\1"), "blue": Answered(b"JOIN\2")}
    return seats | {"outside": denied, "spectator": denied}


TRUE_BOARD = {
    "red to move": Answered(b"UPDT\1\0"),
    "blue to move": Answered(b"UPDT\2\0"),
}

TttpScene.messages = [
    Message(
        "JOIN",
        join(b"zed"),
        # T-06, T-Q06: a newcomer, or a spectator without a free seat.
        Answered(b"JOIN\3"),
        {
            "outside": Answered(b"JOIN\3U"),
            "may sit": ACCEPTED,
            "red": Answered(b"JOIN\1"),
            "blue": Answered(b"JOIN\2"),
        },
    ),
    # T-07, T-Q23.
    Message("JOIN without a name", join(b""), IGNORED, denial(4)),
    Message("JOIN with a long name", join(b"e" * 33), IGNORED, denial(5)),
    Message("JOIN with odd characters", join(b"e\x07e"), IGNORED, denial(6)),
    Message("JOIN with a reserved name", join(b"admin"), IGNORED, denial(8)),
    Message("JOIN with ann's name", join(b"ann"), IGNORED, denial(7)),
    # T-16, T-Q24: a client alone at the board reaches no other.
    Message("CHAT", chat(b"hi"), ACCEPTED, {"outside": IGNORED, "alone": IGNORED}),
    Message("CHAT of nothing", chat(b""), IGNORED),
    # T-Q07, T-Q08.
    Message(
        "PLAY",
        play(0, 0),
        IGNORED,
        {"may play": ACCEPTED, "red to move": Answered(b"UPDT\2\0")},
    ),
    # T-Q09.
    Message("PLAY off the board", play(9, 9), IGNORED, TRUE_BOARD),
    Message(
        "a hundred off the board",
        play(9, 9) * 100,
        IGNORED,
        {"red to move": CLOSED, "blue to move": CLOSED},
    ),
    # T-Q10.
    Message("RMCH", b"RMCH", IGNORED, {"seated": ACCEPTED, "alone": Answered(b"UPDT\1\0")}),
    # T-Q25, T-Q26.
    Message("UPDT", b"UPDT" + bytes(44), CLOSED),
    Message("unknown", b"HELO", CLOSED),
    Message("join in small letters", b"join\3eve", CLOSED),
    Message("not ASCII", b"\xff\xfe\xfd\xfc", CLOSED),
    Message("part of a packet", b"PLAY\1", CLOSED, seconds=31),
    # X-07, T-Q12: a player has left, a spectator still watches.
    Message("half-close", Departure.HALF_CLOSE, CLOSED, {"spectator": IGNORED}),
    Message("reset", Departure.RESET, CLOSED),
]
