"""States and messages of a Santorini tournament."""

from tests.protocols.moments.santorini import (
    SantoriniScene,
    asked_for_turn,
    asked_to_place,
    connected,
    lines,
    opponent_gone,
    other_asked_for_turn,
    other_asked_to_place,
    others_play,
    waiting,
)
from tests.protocols.moments.table import Answered, Departure, Expected, Message, Outcome, state
from tests.support.failing_players import TournamentPlayer

ACCEPTED, IGNORED = Outcome.ACCEPTED, Outcome.IGNORED
BOOTED, CLOSED = Outcome.BOOTED, Outcome.CLOSED
TRUE, FALSE = Answered(b"true"), Answered(b"false")


class TournamentScene(SantoriniScene):
    door = "santorini-tournament"
    settings = {"games": "1"}
    kind = TournamentPlayer
    verdict = "CHEATER"


IN = "in the tournament"

TournamentScene.states = [
    state("connected", connected, "connected"),
    state("waiting", waiting, "waiting, signed up"),
    state("others play", others_play, IN),
    state("asked to place", asked_to_place, f"{IN}, in a game, asked to place, asked"),
    state("the other is asked to place", other_asked_to_place, f"{IN}, in a game"),
    state("asked for a turn", asked_for_turn, f"{IN}, in a game, asked"),
    state("the other is asked for a turn", other_asked_for_turn, f"{IN}, in a game"),
    state("asked, opponent gone", opponent_gone, f"{IN}, in a game, opponent gone, asked"),
]

# S1-24, S1-Q19, S1-Q20: out of the tournament; outside of a game the connection just ends.
OUT: dict[str, Expected] = {"in a game": BOOTED}
# S1-Q28: a well-formed answer is not judged when the game is won already.
UNJUDGED: dict[str, Expected] = {"opponent gone": ACCEPTED}
# S1-02: the first message is the name. S1-03: it has no reply.
NOT_A_NAME: dict[str, Expected] = {"connected": CLOSED}
A_NAME: dict[str, Expected] = {"connected": IGNORED}


def answer(name: str, value: object, usual: Expected, at: dict[str, Expected]) -> Message:
    """Return an answer and wait: an end of input within a second makes it a script (X-07)."""
    return Message(name, lines(value), usual, at, seconds=1.5)


EAST, WEST = ["EAST", "PUT"], ["WEST", "PUT"]

TournamentScene.messages = [
    Message("name", lines("eve"), CLOSED, A_NAME | OUT, tags="may sign up"),
    Message("name without quotes", b"eve\n", CLOSED, A_NAME | OUT, tags="may sign up"),
    Message("invalid name", lines("Eve 1"), CLOSED, OUT),
    # S1-08, S1-12, S1-Q18, S1-Q19.
    Message(
        "check-placement",
        lines(["check-placement", [2, 2]]),
        FALSE,
        NOT_A_NAME | {"asked to place": TRUE},
    ),
    Message("check-turn", lines(["check-turn", ["zed1", EAST, WEST]]), FALSE, NOT_A_NAME),
    Message("check of nothing", lines(["check-turn"]), FALSE, NOT_A_NAME),
    Message("check of nonsense", lines(["check-placement", "here"]), FALSE, NOT_A_NAME),
    # S1-27.
    Message("eleven checks", lines(*[["check-placement", [9, 9]]] * 11), CLOSED, OUT),
    # S1-25, S1-Q19.
    answer("placement", [2, 2], CLOSED, {"asked to place": ACCEPTED} | UNJUDGED | OUT),
    answer("placement off the board", [9, 9], CLOSED, UNJUDGED | OUT),
    # S1-Q32.
    answer("turn", ["zed1", EAST, WEST], CLOSED, UNJUDGED | OUT),
    answer("turn without a build", ["zed1", EAST], CLOSED, UNJUDGED | OUT),
    # S1-24.
    answer("turn without a direction", ["eve1"], CLOSED, OUT),
    answer("one number", [1], CLOSED, OUT),
    answer("unknown", ["hello", [1, 2]], CLOSED, OUT),
    answer("place", ["place", []], CLOSED, OUT),
    Message("object", lines({"x": 1}), CLOSED, OUT),
    Message("number", lines(5), CLOSED, OUT),
    Message("not JSON", b"no-sense\n", CLOSED, OUT),
    # S1-Q02: a name without quotation marks is one word.
    Message("two words", b"no sense\n", CLOSED, OUT),
    Message("blank lines", b"\n \r\n", IGNORED),
    #
    Message("endless", b'["' + b"a" * 66_000, CLOSED, OUT),
    # before the tournament it has left; in it, it still reads all until it is prompted.
    Message(
        "half-close",
        Departure.HALF_CLOSE,
        IGNORED,
        {"connected": CLOSED, "waiting": CLOSED, "asked": BOOTED},
    ),
    Message("reset", Departure.RESET, CLOSED),
]
