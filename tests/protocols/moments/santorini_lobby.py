"""States and messages of the Santorini lobby."""

from tests.independent.santorini_board import legal_turns
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
from tests.protocols.moments.table import (
    EVE,
    Answered,
    Departure,
    Expected,
    Message,
    Outcome,
    state,
)
from tests.support.failing_players import LobbyPlayer, _line, _words, _xy

ACCEPTED, IGNORED = Outcome.ACCEPTED, Outcome.IGNORED
BOOTED, CLOSED = Outcome.BOOTED, Outcome.CLOSED


class LobbyScene(SantoriniScene):
    door = "santorini-lobby"
    kind = LobbyPlayer
    verdict = "end_of_game"


def keepalive_open(scene: SantoriniScene) -> None:
    scene.sign_up(EVE)
    scene.eve.is_idle = True
    scene.stage.wait(2)
    scene.group.listen()
    assert scene.eve.received == [["keepalive"]]
    scene.sign_up("ann")


def half_a_turn(scene: SantoriniScene) -> None:
    """Eve has sent a move, and is prompted again for the build (S0-Q11)."""
    asked_for_turn(scene)
    position = scene.eve.asked
    assert position is not None
    turn = next(turn for turn in legal_turns(position, "1") if turn.build is not None)
    assert turn.build is not None
    here = _xy(position.workers[turn.worker])
    scene.stage.send(EVE, _line(["give_turn", [here, _words(turn.move, str.capitalize)]]))
    scene.group.listen()
    scene.rest = _line(["give_turn", [here, _words(turn.build, str.capitalize)]])


IN = "in the tournament"

LobbyScene.states = [
    state("connected", connected, "before"),
    state("waiting", waiting, "before, signed up"),
    state("keepalive unanswered", keepalive_open, "before, signed up"),
    state("others play", others_play, IN),
    state("asked to place", asked_to_place, f"{IN}, in a game, asked to place, asked"),
    state("the other is asked to place", other_asked_to_place, f"{IN}, in a game"),
    state("asked for a turn", asked_for_turn, f"{IN}, in a game, asked for a turn, asked"),
    state("asked for the build", half_a_turn, f"{IN}, in a game, asked for a turn, asked"),
    state("the other is asked for a turn", other_asked_for_turn, f"{IN}, in a game"),
    state("asked, opponent gone", opponent_gone, f"{IN}, in a game, opponent gone, asked"),
]

# S0-Q19: an illegal answer repeats the prompt; X-06: unless the opponent is gone.
AGAIN: dict[str, Expected] = {
    "opponent gone": ACCEPTED,
    "asked to place": Answered(b'"get_placement"'),
    "asked for a turn": Answered(b'"get_turn"'),
}

LobbyScene.messages = [
    # S0-03, S0-Q26.
    Message("join", lines(["join", "eve", {"board": True}]), IGNORED, tags="may sign up"),
    Message("join without a name", lines(["join"]), IGNORED),
    # S0-23.
    Message("stillalive", lines(["stillalive"]), IGNORED),
    Message(
        "give_placement",
        lines(["give_placement", [2, 2]]),
        IGNORED,
        AGAIN | {"asked to place": ACCEPTED},
    ),
    Message("give_placement off the board", lines(["give_placement", [9, 9]]), IGNORED, AGAIN),
    Message("give_placement of nothing", lines(["give_placement"]), IGNORED, AGAIN),
    # S0-16: the answer to get_turn may also have this name.
    Message(
        "give_placement of a turn",
        lines(["give_placement", [[9, 9], ["North", "East"]]]),
        IGNORED,
        AGAIN,
    ),
    Message("give_turn", lines(["give_turn", [[9, 9], ["North", "East"]]]), IGNORED, AGAIN),
    Message("give_turn of nothing", lines(["give_turn", []]), IGNORED, AGAIN),
    # S0-Q26: unknown messages, and messages of the server.
    Message("unknown", lines(["hello"]), IGNORED),
    Message("get_turn", lines(["get_turn"]), IGNORED),
    Message("object", lines({"give_turn": 1}), IGNORED),
    Message("number", lines(5), IGNORED),
    Message("blank lines", b"\n \r\n", IGNORED),
    # S0-Q27.
    Message("not JSON", b"nonsense\n", IGNORED, AGAIN),
    Message("not JSON, thrice", b"nonsense\n" * 3, IGNORED, {"before": CLOSED} | AGAIN),
    Message(
        "not JSON, eleven times",
        b"nonsense\n" * 11,
        IGNORED,
        # In a game that is won already the first is the answer, and the rest is ignored.
        {"before": CLOSED, "opponent gone": ACCEPTED, "asked": BOOTED},
    ),
    #
    Message("endless", b'["' + b"a" * 66_000, CLOSED, {"in a game": BOOTED}),
    # X-07, S0-Q23.
    Message(
        "half-close",
        Departure.HALF_CLOSE,
        IGNORED,
        {"before": CLOSED, "asked": BOOTED},
    ),
    Message("reset", Departure.RESET, CLOSED),
]
