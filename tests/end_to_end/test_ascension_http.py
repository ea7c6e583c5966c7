"""The clauses of Ascension over HTTP, with a real server and real HTTP."""

import http.client
import json
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pytest

from gamehall.games.ascension import Ascension
from gamehall.match import Ending
from gamehall.match.record import positions, read_game
from gamehall.storage import Archive, open_database
from tests.end_to_end.test_bot import BotProcess
from tests.support.served import Served

HOST = "127.0.0.1"
DOOR = "ascension-http"
PATIENCE_SECONDS = 60
END_TURN = {"type": "end_turn"}
RESOURCES = ("runes_remaining", "power_remaining")
MOST_TURNS = 300


def serve(*arguments: str, seed: int = 3) -> Served:
    return Served("--door", f"{DOOR}=0", "--seed", str(seed), *arguments)


def play(name: str) -> dict[str, str]:
    return {"type": "play", "card_name": name}


def acquire(name: str) -> dict[str, str]:
    return {"type": "acquire", "card_name": name}


def defeat(name: str) -> dict[str, str]:
    return {"type": "defeat", "card_name": name}


class Client:
    """A client that uses http.client."""

    def __init__(self, hall: Served) -> None:
        self.port = hall.port(DOOR)
        self._connection = http.client.HTTPConnection(HOST, self.port, timeout=PATIENCE_SECONDS)

    def ask(
        self, method: str, target: str, body: bytes | str | None = None, **headers: str
    ) -> tuple[int, dict[str, Any]]:
        self._connection.request(method, target, body, headers)
        answer = self._connection.getresponse()
        content = json.loads(answer.read())
        assert isinstance(content, dict)
        return answer.status, content

    def join(self) -> dict[str, Any]:
        return self.ask("POST", "/join")[1]

    def state(self) -> dict[str, Any]:
        return self.ask("GET", "/state")[1]

    def moves(self, player: int, *moves: dict[str, str]) -> dict[str, Any]:
        body = json.dumps({"player_index": player, "moves": moves})
        status, state = self.ask("POST", "/moves", body)
        assert status == 200
        return state

    def begin_turn(self) -> "Turn":
        """End the current turn, and return the next one."""
        turn = Turn(self, self.state())
        turn.move(END_TURN)
        return Turn(self, self.state())

    def close(self) -> None:
        self._connection.close()


class Turn:
    """A player's turn. `state` is the last answer."""

    def __init__(self, client: Client, state: dict[str, Any]) -> None:
        self.client = client
        self.state = state
        self.index: int = self.board["current_player_index"]

    @property
    def board(self) -> dict[str, Any]:
        board = self.state["board"]
        assert isinstance(board, dict)
        return board

    @property
    def mine(self) -> dict[str, Any]:
        mine = self.board["players"][self.index]
        assert isinstance(mine, dict)
        return mine

    def move(self, *moves: dict[str, str]) -> str:
        """Make moves, and return the error."""
        self.state = self.client.moves(self.index, *moves)
        error = self.state["error"]
        assert isinstance(error, str)
        return error

    def play_all(self) -> None:
        while self.mine["hand"]:
            error = self.move(play(self.mine["hand"][0]))
            # A default choice may have removed the card from the hand (A-Q15).
            assert error == "" or error.endswith("is not in your hand")

    def buy(self, *names: str) -> str | None:
        """Acquire the first of these cards that can be acquired. Return its name."""
        return next((name for name in names if self.move(acquire(name)) == ""), None)

    def spend(self) -> None:
        """Acquire Heavy Infantry, and defeat the Cultist, as often as possible."""
        while self.mine["runes_remaining"] >= 2 and self.board["heavy"]:
            assert self.move(acquire("Heavy Infantry")) == ""
        while self.mine["power_remaining"] >= 2 and self.board["honor_remaining"]:
            assert self.move(defeat("Cultist")) == ""


@pytest.fixture(scope="module")
def waiting() -> Iterator[Client]:
    """A server without players. Tests must not join it."""
    with serve() as hall:
        client = Client(hall)
        yield client
        assert client.state()["player_count"] == 0
        client.close()


@pytest.fixture(scope="module")
def playing() -> Iterator[Client]:
    """A game with too much honor to end."""
    with serve("--set", f"{DOOR}.honor=1000") as hall:
        client = Client(hall)
        client.join()
        client.join()
        yield client
        client.close()


class Ended(NamedTuple):
    """A finished game."""

    client: Client
    states: list[dict[str, Any]]
    """The state before the game, and after each turn."""


@pytest.fixture(scope="module")
def ended() -> Iterator[Ended]:
    # With next-game, no join starts another game during these tests.
    with serve("--set", f"{DOOR}.honor=4", "--set", f"{DOOR}.next-game=3600") as hall:
        client = Client(hall)
        states = [client.state()]
        client.join()
        client.join()
        for _ in range(MOST_TURNS):
            states.append(client.state())
            if states[-1]["status"] == "ended":
                break
            turn = Turn(client, states[-1])
            turn.play_all()
            turn.spend()
            turn.move(END_TURN)
        yield Ended(client, states)
        client.close()


# The server


def logs(folder: Path) -> list[Path]:
    """Return the log files of games."""
    return sorted((folder / "server" / "logs").glob("*.log"))


def test_A_01_each_game_has_a_log_with_an_id_of_its_own(tmp_path: Path) -> None:
    for _ in range(2):
        with Served("--door", f"{DOOR}=0", "--data", str(tmp_path), "--fresh") as hall:
            client = Client(hall)
            client.join()
            client.join()
            client.moves(0, END_TURN, END_TURN)
            client.close()
            assert hall.stop() == 0
    first, second = logs(tmp_path)
    assert first.stem != second.stem
    for path in (first, second):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert {line["id"] for line in lines} == {path.stem}
        assert all("time" in line for line in lines)
        assert [line["joined"] for line in lines if "joined" in line] == [0, 1]
        assert [line["move"] for line in lines if "move" in line] == ["end turn"]
        assert [line["refused"] for line in lines if "refused" in line] == [1]
    assert sum(f"game {path.stem}\n" in hall.errors for path in (first, second)) == 1


def wait_until(condition: Callable[[], bool]) -> None:
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < give_up_at, "timeout"
        time.sleep(0.05)


def test_A_04_A_Q21_the_end_of_a_game_survives_a_kill_and_then_the_next_game_begins(
    tmp_path: Path,
) -> None:
    arguments = ("--data", str(tmp_path), f"--set={DOOR}.turns=2", f"--set={DOOR}.next-game=2")
    with serve(*arguments) as hall:
        client = Client(hall)
        assert [client.join(), client.join()] == [{"player_index": 0}, {"player_index": 1}]
        client.moves(0, END_TURN)
        ended = client.moves(1, END_TURN)
        assert ended["status"] == "ended"
        # The game does not wait until the log is written (A-Q25).
        wait_until(lambda: len(logs(tmp_path)) == 1)
        hall.stop(signal.SIGKILL)
        client.close()
    with serve(*arguments) as hall:
        client = Client(hall)
        assert client.state() == ended
        assert client.moves(0, END_TURN)["error"] == "move 0: the game has ended"
        hall.stop(signal.SIGKILL)
        client.close()
    with serve(*arguments) as hall:
        client = Client(hall)
        assert client.state() == ended
        wait_until(lambda: "player_index" in client.join())
        assert client.state() == {"player_count": 1, "status": "not ready", "error": ""}
        assert client.join() == {"player_index": 1}
        begun = client.state()
        assert (begun["status"], begun["board"]["current_turn"]) == ("playing", 0)
        hall.stop(signal.SIGKILL)
        client.close()
    with serve(*arguments) as hall:
        client = Client(hall)
        assert client.state() == begun
        client.moves(0, END_TURN)
        assert client.moves(1, END_TURN)["status"] == "ended"
        client.close()
        assert hall.stop() == 0
    kept = Archive(open_database(tmp_path)).latest(100)
    assert len({one.record.match_name for one in kept}) == 2
    assert len({path.stem for path in logs(tmp_path)}) == 2, "each game has an id of its own"


def test_A_Q21_bots_and_house_bots_play_several_games(tmp_path: Path) -> None:
    # A bot that plays several games waits until the next one can be joined.
    settings = [f"--set={DOOR}.{setting}" for setting in ("honor=8", "turns=30", "next-game=1")]
    house = ("--house", "ascension=greedy", "--data", str(tmp_path))
    with serve(*house, *settings) as hall:
        address = f"{DOOR}://{HOST}:{hall.port(DOOR)}"
        player = BotProcess(address, "planner", "--games", "2", "--seconds", "0.05")
        code, output, errors = player.end()
        assert (code, errors) == (0, "")
        assert len(output.splitlines()) == 2
        assert hall.stop() == 0
        assert "has failed" not in hall.errors
    kept = Archive(open_database(tmp_path)).latest(100)
    assert [one.record.result.ending for one in kept] == [Ending.PLAYED_OUT] * 2
    for one in kept:
        *_, last = positions(read_game(Ascension, one.record), one.record)
        assert last.outcome is not None
    assert len(logs(tmp_path)) == 2


@pytest.mark.parametrize(
    ("method", "target", "status"),
    [
        ("GET", "/state", 200),
        ("GET", "/join", 405),
        ("GET", "/moves", 405),
        ("POST", "/state", 405),
        ("PUT", "/join", 405),
        ("DELETE", "/moves", 405),
        ("GET", "/", 404),
        ("POST", "/", 404),
        ("GET", "/favicon.ico", 404),
        ("GET", "/State", 404),
        ("GET", "/state/0", 404),
    ],
)
def test_A_02_there_are_three_endpoints(
    waiting: Client, method: str, target: str, status: int
) -> None:
    got, content = waiting.ask(method, target)
    assert got == status
    assert bool(content["error"]) == (status != 200)


def test_A_02_X_11_the_address_is_printed() -> None:
    with serve() as hall:
        assert hall.lines == [f"listening {DOOR} {HOST}:{hall.port(DOOR)}", "ready"]


def test_A_03_A_05_A_06_A_07_A_08_A_09_from_the_first_join_to_the_third() -> None:
    with serve() as hall:
        client = Client(hall)
        assert client.state() == {"player_count": 0, "status": "not ready", "error": ""}
        assert client.join() == {"player_index": 0}
        assert client.state() == {"player_count": 1, "status": "not ready", "error": ""}
        assert client.join() == {"player_index": 1}
        state = client.state()
        assert (state["player_count"], state["status"], state["error"]) == (2, "playing", "")
        assert len(state["board"]["players"]) == 2
        refused = client.join()
        assert list(refused) == ["error"]
        assert isinstance(refused["error"], str)
        assert refused["error"] != ""
        assert client.state() == state
        client.close()


def test_A_04_a_finished_game_can_still_be_read(ended: Ended) -> None:
    last = ended.states[-1]
    assert last["status"] == "ended"
    assert ended.client.state() == ended.client.state() == last
    with socket.create_connection((HOST, ended.client.port), PATIENCE_SECONDS) as late:
        late.sendall(b"GET /state HTTP/1.0\r\n\r\n")
        with late.makefile("rb") as answers:
            assert json.loads(read_answer(answers).body) == last


def test_A_09_joins_after_the_end_are_refused(ended: Ended) -> None:
    assert ended.client.ask("POST", "/join")[0] == 200
    error = ended.client.join()["error"]
    assert error.startswith("the game has ended; the next one can be joined in 3")
    assert ended.client.state() == ended.states[-1]


def test_A_10_joins_at_the_same_time_get_different_seats() -> None:
    answers: list[dict[str, Any]] = []
    with serve() as hall:
        clients = [Client(hall) for _ in range(12)]
        assert all(client.state()["player_count"] == 0 for client in clients), "all are connected"
        gate = threading.Barrier(len(clients))

        def join_at_once(client: Client) -> None:
            gate.wait()
            answers.append(client.join())

        threads = [threading.Thread(target=join_at_once, args=(client,)) for client in clients]
        for one in threads:
            one.start()
        for one in threads:
            one.join(PATIENCE_SECONDS)
        for client in clients:
            client.close()
    seats = [answer["player_index"] for answer in answers if "player_index" in answer]
    assert sorted(seats) == [0, 1]
    assert sum("error" in answer for answer in answers) == 10


# The state


def test_A_11_the_state_can_be_read_at_any_time(
    waiting: Client, playing: Client, ended: Ended
) -> None:
    for client in (waiting, playing, ended.client):
        before = client.state()
        assert all(client.state() == before for _ in range(200))


def test_A_12_A_13_the_keys_that_are_always_there(
    waiting: Client, playing: Client, ended: Ended
) -> None:
    for client in (waiting, playing, ended.client):
        state = client.state()
        assert {"player_count", "status", "error"} <= set(state)
        assert state["error"] == ""
    refused = playing.moves(0, {"type": "fly"})
    assert {"player_count", "status", "error"} <= set(refused)
    assert refused["error"] != ""
    assert playing.state()["error"] == ""


def test_A_14_the_status_never_goes_backwards(ended: Ended) -> None:
    statuses = [state["status"] for state in ended.states]
    assert statuses[0] == "not ready"
    assert statuses[-1] == "ended"
    assert set(statuses[1:-1]) == {"playing"}


def test_A_15_the_board_is_absent_before_the_game(waiting: Client, ended: Ended) -> None:
    assert set(waiting.state()) == {"player_count", "status", "error"}
    assert all("board" in state for state in ended.states[1:])


# Moves


def test_A_16_A_17_moves_are_applied_in_order(playing: Client) -> None:
    turn = playing.begin_turn()
    earlier = len(turn.mine["moves"])
    first, second = turn.mine["hand"][:2]
    rest = turn.mine["hand"][2:]
    assert turn.move(play(first), play(second)) == ""
    assert turn.mine["hand"] == rest
    assert [noted["card_name"] for noted in turn.mine["moves"][earlier:]] == [first, second]
    assert turn.state == playing.state()


def test_A_17_what_comes_after_depends_on_what_comes_before(playing: Client) -> None:
    turn = playing.begin_turn()
    while turn.mine["hand"].count("Apprentice") < 2:
        turn = playing.begin_turn()
    heavy = turn.board["heavy"]
    assert turn.move(acquire("Heavy Infantry"), play("Apprentice"), play("Apprentice")) != ""
    assert turn.mine["runes_remaining"] == 0
    assert turn.move(play("Apprentice"), play("Apprentice"), acquire("Heavy Infantry")) == ""
    assert turn.board["heavy"] == heavy - 1


@pytest.mark.parametrize("kind", ["fly", "join", "PLAY", "", "end turn", "endturn"])
def test_A_18_there_are_no_other_types(playing: Client, kind: str) -> None:
    turn = playing.begin_turn()
    before = turn.state
    assert turn.move({"type": kind, "card_name": "Apprentice"}).startswith("move 0: ")
    assert playing.state() == before


@pytest.mark.parametrize("kind", ["acquire", "play", "defeat", "activate"])
def test_A_19_a_card_name_is_needed(playing: Client, kind: str) -> None:
    turn = playing.begin_turn()
    assert turn.move({"type": kind}) == f"move 0: {kind} needs a card_name"
    assert turn.move(END_TURN) == ""


def test_A_20_A_30_mystics_and_heavy_infantry_come_from_their_piles(playing: Client) -> None:
    got = dict.fromkeys(("Mystic", "Heavy Infantry"), 0)
    for _ in range(MOST_TURNS):
        turn = playing.begin_turn()
        turn.play_all()
        piles = {"Mystic": turn.board["mystics"], "Heavy Infantry": turn.board["heavy"]}
        bought = turn.buy(*sorted(got, key=lambda name: got[name]))
        if bought is not None:
            got[bought] += 1
            piles[bought] -= 1
            assert turn.mine["discard"][-1] == bought
        assert piles == {"Mystic": turn.board["mystics"], "Heavy Infantry": turn.board["heavy"]}
        assert turn.board["cultist"] == 1
        if min(got.values()) > 1:
            break
    assert min(got.values()) > 1


def test_A_20_a_card_of_the_center_row_is_acquired(playing: Client) -> None:
    for _ in range(MOST_TURNS):
        turn = playing.begin_turn()
        turn.play_all()
        row = turn.board["center"]
        bought = turn.buy(*row)
        if bought is not None:
            break
    assert bought is not None
    assert turn.mine["discard"][-1] == bought
    assert len(turn.board["center"]) == 6
    gap = row.index(bought)
    assert [*row[:gap], *row[gap + 1 :]] == [
        name for place, name in enumerate(turn.board["center"]) if place != gap
    ]


def test_A_20_a_card_that_is_neither_in_the_row_nor_in_a_pile_cannot_be_acquired(
    playing: Client,
) -> None:
    turn = playing.begin_turn()
    turn.play_all()
    assert turn.move(acquire("Apprentice")) == "move 0: Apprentice is not in the center row"
    assert "Blackbeard" in turn.move(acquire("Blackbeard"))


def test_A_21_the_cultist_can_be_defeated_repeatedly(playing: Client) -> None:
    for _ in range(MOST_TURNS):
        turn = playing.begin_turn()
        turn.play_all()
        if turn.mine["power_remaining"] >= 4:
            break
        turn.buy("Heavy Infantry")
    honor, pool = turn.mine["honor"], turn.board["honor_remaining"]
    power = turn.mine["power_remaining"]
    assert turn.move(defeat("Cultist"), defeat("Cultist")) == ""
    assert (turn.mine["honor"], turn.board["honor_remaining"]) == (honor + 2, pool - 2)
    assert turn.mine["power_remaining"] == power - 4
    assert turn.board["cultist"] == 1


def test_A_21_A_29_a_monster_of_the_row_goes_to_the_void(playing: Client) -> None:
    for _ in range(MOST_TURNS):
        turn = playing.begin_turn()
        turn.play_all()
        turn.buy("Heavy Infantry", *turn.board["center"])
        row, void = turn.board["center"], turn.board["void"]
        beaten = next((name for name in row if turn.move(defeat(name)) == ""), None)
        if beaten is not None:
            break
    assert beaten is not None
    assert turn.board["void"] == [*void, beaten]
    assert len(turn.board["center"]) == 6
    assert "not in the center row" in turn.move(defeat(absent_monster(turn)))


def absent_monster(turn: Turn) -> str:
    monsters = ("Xeron, Duke of Lies", "Avatar of the Fallen", "Earth Tyrant", "Mephit")
    return next(name for name in monsters if name not in turn.board["center"])


def test_A_22_only_cards_of_the_hand_are_played(playing: Client) -> None:
    turn = playing.begin_turn()
    name = turn.mine["hand"][0]
    copies = turn.mine["hand"].count(name)
    assert turn.move(*[play(name)] * (copies + 1)) == f"move {copies}: {name} is not in your hand"
    assert name not in turn.mine["hand"]


def test_A_23_A_31_constructs_in_play_are_activated(playing: Client) -> None:
    refusals = set()
    for _ in range(MOST_TURNS):
        turn = playing.begin_turn()
        assert "not among your constructs" in turn.move({"type": "activate", "card_name": "Mystic"})
        turn.play_all()
        before = turn.mine["constructs"]
        errors = [turn.move({"type": "activate", "card_name": name}) for name in before]
        refusals |= set(errors)
        if "" in errors:
            break
        while turn.buy(*turn.board["center"], "Mystic"):
            pass
    assert "" in refusals, "a construct could be activated"
    name = before[errors.index("")]
    noted = {"type": "activate", "card_name": name, "turn": turn.board["current_turn"]}
    assert noted in turn.mine["moves"]


def test_A_24_only_the_player_to_move_can_move(playing: Client) -> None:
    turn = playing.begin_turn()
    other = 1 - turn.index
    state = playing.state()
    for moves in ([END_TURN], [play(state["board"]["players"][other]["hand"][0])]):
        refused = playing.moves(other, *moves)
        assert refused == state | {"error": f"move 0: it is not player {other}'s turn"}
    assert turn.move(play(turn.mine["hand"][0])) == ""
    assert turn.move() == ""
    assert turn.move(play(turn.mine["hand"][0])) == "", "a turn lasts over many batches"
    assert turn.board["current_player_index"] == turn.index
    assert turn.move(END_TURN) == ""
    assert turn.board["current_player_index"] == other


def test_A_25_no_moves_before_and_after_the_game_and_no_joins_in_it(
    waiting: Client, playing: Client, ended: Ended
) -> None:
    early = waiting.moves(0, END_TURN)
    assert early == waiting.state() | {"error": "the game has not begun"}
    last = ended.client.state()
    for player in (0, 1):
        late = ended.client.moves(player, END_TURN)
        assert late == last | {"error": "move 0: the game has ended"}
    assert ended.client.state() == last
    state = playing.state()
    assert list(playing.join()) == ["error"]
    assert playing.state() == state


# The board


def test_A_26_A_27_turns_are_counted_and_go_from_one_to_the_other(ended: Ended) -> None:
    boards = [state["board"] for state in ended.states[1:-1]]
    assert [board["current_turn"] for board in boards] == list(range(len(boards)))
    assert [board["current_player_index"] for board in boards] == [
        number % 2 for number in range(len(boards))
    ]


def test_A_28_A_33_honor_comes_out_of_the_pool(ended: Ended) -> None:
    for state in ended.states[1:]:
        board = state["board"]
        given = sum(one["honor"] for one in board["players"])
        assert board["honor_remaining"] == max(0, 4 - given)
    last = ended.states[-1]["board"]
    assert last["honor_remaining"] == 0
    printed = [
        final - one["honor"]
        for final, one in zip(last["final_honor"], last["players"], strict=True)
    ]
    bought = [sum(noted["type"] == "acquire" for noted in one["moves"]) for one in last["players"]]
    assert printed == bought, "every Heavy Infantry is worth 1, and is not in honor"
    assert last["victor"] == max((0, 1), key=lambda index: (last["final_honor"][index], index))


def test_A_29_A_31_the_zones_are_lists_of_names(playing: Client) -> None:
    board = playing.state()["board"]
    zones = [board["void"], board["center"]]
    for one in board["players"]:
        zones += [one["hand"], one["discard"], one["constructs"]]
    for zone in zones:
        assert isinstance(zone, list)
        assert all(isinstance(name, str) and name for name in zone)
    assert len(board["center"]) == 6


def test_A_31_players_are_in_the_order_of_their_index(ended: Ended) -> None:
    before, after = ended.states[1], ended.states[2]
    assert before["board"]["players"][1] == after["board"]["players"][1]
    assert before["board"]["players"][0] != after["board"]["players"][0]
    hand = before["board"]["players"][0]["hand"]
    assert len(hand) == 5
    assert len(set(hand)) < 5, "names are repeated"
    assert set(hand) <= {"Apprentice", "Militia"}


def test_A_32_runes_and_power_are_those_of_this_turn(playing: Client) -> None:
    turn = playing.begin_turn()
    assert [turn.mine[key] for key in RESOURCES] == [0, 0]
    gains = {"Apprentice": (1, 0), "Militia": (0, 1), "Mystic": (2, 0), "Heavy Infantry": (0, 2)}
    # Other cards may change the hand, or ask for a choice.
    for name in [name for name in turn.mine["hand"] if name in gains]:
        before = [turn.mine[key] for key in RESOURCES]
        assert turn.move(play(name)) == ""
        assert [turn.mine[key] for key in RESOURCES] == [
            had + gained for had, gained in zip(before, gains[name], strict=True)
        ]
        assert [turn.board["players"][1 - turn.index][key] for key in RESOURCES] == [0, 0]
    turn.move(END_TURN)
    for one in turn.board["players"]:
        assert [one[key] for key in RESOURCES] == [0, 0]


def test_A_34_all_moves_are_noted_with_their_turn(ended: Ended) -> None:
    for index, one in enumerate(ended.states[-1]["board"]["players"]):
        assert all(list(noted) == ["type", "card_name", "turn"] for noted in one["moves"])
        turns = [noted["turn"] for noted in one["moves"]]
        assert turns == sorted(turns)
        assert {turn % 2 for turn in turns} == {index}
        ends = [noted for noted in one["moves"] if noted["type"] == "end_turn"]
        assert len(ends) == len(set(turns))
        assert {noted["card_name"] for noted in ends} == {""}
        assert one["moves"][-1]["type"] == "end_turn"
    [first, *_] = ended.states[2]["board"]["players"]
    played = [noted["card_name"] for noted in first["moves"] if noted["type"] == "play"]
    assert played == ended.states[1]["board"]["players"][0]["hand"]


def test_the_samples_of_the_conformance_page() -> None:
    with serve(seed=1) as hall:
        client = Client(hall)
        assert client.ask("POST", "/join") == (200, {"player_index": 0})
        assert client.ask("GET", "/state") == (
            200,
            {"player_count": 1, "status": "not ready", "error": ""},
        )
        assert client.ask("POST", "/join") == (200, {"player_index": 1})
        full = {"error": "two players have already joined"}
        assert client.ask("POST", "/join") == (200, full)
        hand = client.state()["board"]["players"][0]["hand"]
        row = client.state()["board"]["center"]
        body = (
            '{"player_index":0,"moves":[{"type":"play","card_name":"Apprentice"},'
            '{"type":"play","card_name":"Apprentice"},'
            '{"type":"acquire","card_name":"Heavy Infantry"},{"type":"end_turn"}]}'
        )
        status, state = client.ask("POST", "/moves", body)
        assert status == 200
        assert list(state) == ["player_count", "status", "error", "board"]
        first, second = state["board"].pop("players")
        assert state == {
            "player_count": 2,
            "status": "playing",
            "error": "",
            "board": {
                "current_turn": 1,
                "current_player_index": 1,
                "honor_remaining": 60,
                "void": [],
                "center": row,
                "mystics": 30,
                "heavy": 28,
                "cultist": 1,
            },
        }
        drawn, discarded = first.pop("hand"), first.pop("discard")
        assert len(drawn) == 5
        assert sorted(discarded) == sorted([*hand, "Heavy Infantry"])
        assert first == {
            "constructs": [],
            "runes_remaining": 0,
            "power_remaining": 0,
            "honor": 0,
            "moves": [
                {"type": "play", "card_name": "Apprentice", "turn": 0},
                {"type": "play", "card_name": "Apprentice", "turn": 0},
                {"type": "acquire", "card_name": "Heavy Infantry", "turn": 0},
                {"type": "end_turn", "card_name": "", "turn": 0},
            ],
        }
        assert (len(second["hand"]), second["moves"]) == (5, [])
        same = client.state()
        body = '{"player_index":0,"moves":[{"type":"end_turn"}]}'
        assert client.ask("POST", "/moves", body) == (
            200,
            same | {"error": "move 0: it is not player 0's turn"},
        )
        client.close()


# HTTP


class RawAnswer(NamedTuple):
    """An answer as it was sent."""

    status: int
    headers: dict[str, str]
    body: bytes


def read_answer(line: BinaryIO, has_body: bool = True) -> RawAnswer:
    """Read one answer, and no bytes after it."""
    version, status, _ = line.readline().decode().split(" ", 2)
    assert version == "HTTP/1.1"
    headers = {}
    while (text := line.readline()) != b"\r\n":
        assert text.endswith(b"\r\n")
        name, _, value = text.decode().partition(": ")
        headers[name.lower()] = value.strip()
    length = int(headers.get("content-length", 0)) if has_body else 0
    return RawAnswer(int(status), headers, line.read(length))


class Wire:
    """A socket, for requests that no library would send."""

    def __init__(self, client: Client) -> None:
        self._socket = socket.create_connection((HOST, client.port), PATIENCE_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._file = self._socket.makefile("rb")

    def send(self, *segments: bytes) -> None:
        for segment in segments:
            self._socket.sendall(segment)

    def hang_up(self) -> None:
        self._socket.shutdown(socket.SHUT_WR)

    def read(self, has_body: bool = True) -> RawAnswer:
        return read_answer(self._file, has_body)

    def at_end(self) -> bool:
        """Return True if the connection is closed in order."""
        return self._file.read(1) == b""

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._socket.close()


BODY = b'{"player_index": %d, "moves": [{"type": "end_turn"}]}'
CHUNKED = b"POST /moves HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


def post(head: bytes, body: bytes) -> bytes:
    return head + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def in_chunks(body: bytes, size: int) -> bytes:
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def byte_by_byte(stream: bytes) -> list[bytes]:
    return [stream[place : place + 1] for place in range(len(stream))]


WAYS: dict[str, Callable[[bytes], list[bytes]]] = {
    "plainly": lambda body: [post(b"POST /moves HTTP/1.1\r\nHost: x", body)],
    "without a host": lambda body: [post(b"POST /moves HTTP/1.1", body)],
    "as JSON": lambda body: [post(b"POST /moves HTTP/1.1\r\nContent-Type: application/json", body)],
    "as a form": lambda body: [
        post(b"POST /moves HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded", body)
    ],
    "in HTTP/1.0": lambda body: [post(b"POST /moves HTTP/1.0", body)],
    "in HTTP/1.0, staying": lambda body: [
        post(b"POST /moves HTTP/1.0\r\nConnection: keep-alive", body)
    ],
    "for the last time": lambda body: [post(b"POST /moves HTTP/1.1\r\nConnection: close", body)],
    "with a slash": lambda body: [post(b"POST /moves/ HTTP/1.1", body)],
    "with a query": lambda body: [post(b"POST /moves?x=1&y HTTP/1.1", body)],
    "to an absolute target": lambda body: [post(b"POST http://h:80/moves HTTP/1.1", body)],
    "with an escape": lambda body: [post(b"POST /%6Doves HTTP/1.1", body)],
    "byte by byte": lambda body: byte_by_byte(post(b"POST /moves HTTP/1.1", body)),
    "head and body apart": lambda body: [post(b"POST /moves HTTP/1.1", body)[: -len(body)], body],
    "after blank lines": lambda body: [b"\r\n\r\n" + post(b"POST /moves HTTP/1.1", body)],
    "in one chunk": lambda body: [CHUNKED + in_chunks(body, 1000)],
    "in chunks of a byte": lambda body: [CHUNKED + in_chunks(body, 1)],
    "in chunks, byte by byte": lambda body: byte_by_byte(CHUNKED + in_chunks(body, 3)),
    "with blanks around": lambda body: [post(b"POST /moves HTTP/1.1", b"\r\n " + body + b"\n")],
    "asking for HTTP/2": lambda body: [
        post(
            b"POST /moves HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\n"
            b"HTTP2-Settings: AAEA\r\nUpgrade: h2c",
            body,
        )
    ],
}
"""Several ways to send the same request, each as a list of segments."""

LEAVING = ("in HTTP/1.0", "for the last time")


@pytest.mark.parametrize("way", WAYS)
def test_A_16_X_01_X_04_moves_may_be_sent(playing: Client, way: str) -> None:
    board = playing.state()["board"]
    with Wire(playing) as wire:
        wire.send(*WAYS[way](BODY % board["current_player_index"]))
        answer = wire.read()
        state = json.loads(answer.body)
        assert (answer.status, state["error"]) == (200, "")
        assert state["board"]["current_turn"] == board["current_turn"] + 1
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["connection"] == ("close" if way in LEAVING else "keep-alive")
        if way in LEAVING:
            assert wire.at_end()
        else:
            wire.send(b"GET /state HTTP/1.1\r\n\r\n")
            assert json.loads(wire.read().body) == state


@pytest.mark.parametrize("apart", [False, True])
def test_A_16_a_client_may_ask_before_it_sends_a_body(playing: Client, apart: bool) -> None:
    board = playing.state()["board"]
    body = BODY % board["current_player_index"]
    whole = post(b"POST /moves HTTP/1.1\r\nExpect: 100-continue", body)
    with Wire(playing) as wire:
        if apart:
            wire.send(whole[: -len(body)])
            assert wire.read(has_body=False) == RawAnswer(100, {}, b"")
            wire.send(body)
        else:
            wire.send(whole)
        answer = wire.read()
        assert answer.status == 200
        assert json.loads(answer.body)["board"]["current_turn"] == board["current_turn"] + 1
        wire.send(b"GET /state HTTP/1.1\r\n\r\n")
        assert wire.read().status == 200


@pytest.mark.parametrize(
    "requests",
    [
        [b"POST /join HTTP/1.1\r\n\r\n", b"POST /join HTTP/1.0\r\n\r\n"],
        [
            post(b"POST /join HTTP/1.1\r\nContent-Type: application/json", b"{}"),
            post(
                b"POST /join HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded",
                b"name=ann",
            ),
        ],
        [
            b"POST /join HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            post(b"POST /join/?who=me HTTP/1.1", b""),
        ],
    ],
)
def test_A_08_a_join_may_have_any_body_or_none(requests: list[bytes]) -> None:
    with serve() as hall:
        client = Client(hall)
        for index, request in enumerate(requests):
            with Wire(client) as wire:
                wire.send(request)
                assert json.loads(wire.read().body) == {"player_index": index}
        client.close()


def test_X_01_requests_in_one_segment_are_answered_in_their_order(playing: Client) -> None:
    board = playing.state()["board"]
    index, turn = board["current_player_index"], board["current_turn"]
    look = b"GET /state HTTP/1.1\r\n\r\n"
    moves = post(b"POST /moves HTTP/1.1", BODY % index)
    nowhere = b"GET /nowhere HTTP/1.1\r\n\r\n"
    with Wire(playing) as wire:
        wire.send(look + moves + look + nowhere + moves + look * 50)
        answers = [wire.read() for _ in range(55)]
    statuses = [answer.status for answer in answers]
    assert statuses == [200, 200, 200, 404, *[200] * 51]
    states = [json.loads(answer.body) for answer in answers if answer.status == 200]
    assert [state["board"]["current_turn"] for state in states] == [turn] + [turn + 1] * 53
    assert [number for number, state in enumerate(states) if state["error"]] == [3]


def test_X_01_many_requests_in_a_row_are_answered(waiting: Client) -> None:
    look = b"GET /state HTTP/1.1\r\nHost: x\r\n\r\n"
    with Wire(waiting) as wire:
        wire.send(look * 1100 + look[:10], look[10:])
        answers = {wire.read().body for _ in range(1101)}
    assert answers == {b'{"player_count":0,"status":"not ready","error":""}'}


@pytest.mark.parametrize(
    "head",
    [
        b"GET /state HTTP/1.1\r\n",
        b"GET /state/ HTTP/1.1\r\n",
        b"GET /state?player_index=0&x=%20 HTTP/1.1\r\n",
        b"GET http://gamehall:7004/state HTTP/1.1\r\nHost: gamehall:7004\r\n",
        b"GET /state HTTP/1.0\r\n",
        b"GET /state HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 0\r\n",
        b"GET /state HTTP/1.1\r\nIf-None-Match: *\r\nAccept: text/html\r\n",
        b"GET /state HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n",
    ],
)
def test_A_11_the_state_may_be_asked_for(waiting: Client, head: bytes) -> None:
    with Wire(waiting) as wire:
        wire.send(head + b"\r\n")
        answer = wire.read()
        assert answer.status == 200
        assert answer.body == b'{"player_count":0,"status":"not ready","error":""}'
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("cut", [True, False])
def test_X_07_a_client_that_has_hung_up_is_still_answered(waiting: Client, cut: bool) -> None:
    look = b"GET /state HTTP/1.1\r\n\r\n"
    with Wire(waiting) as wire:
        wire.send(look * 20 + (look[:9] if cut else b""))
        wire.hang_up()
        assert [wire.read().status for _ in range(20)] == [200] * 20
        assert wire.at_end()


def test_HEAD_is_not_a_method_of_the_document(waiting: Client) -> None:
    with Wire(waiting) as wire:
        wire.send(b"HEAD /state HTTP/1.1\r\n\r\n" + b"GET /state HTTP/1.1\r\n\r\n")
        answer = wire.read(has_body=False)
        assert (answer.status, answer.headers["allow"]) == (405, "GET, OPTIONS")
        assert wire.read().status == 200, "no body came with the first answer"


@pytest.mark.parametrize("target", [b"/moves", b"/state", b"/join", b"*"])
def test_OPTIONS_is_answered(waiting: Client, target: bytes) -> None:
    with Wire(waiting) as wire:
        wire.send(b"OPTIONS %b HTTP/1.1\r\nOrigin: http://x\r\n\r\n" % target)
        answer = wire.read()
        assert (answer.status, answer.body) == (204, b"")
        assert "content-length" not in answer.headers
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "OPTIONS" in answer.headers["access-control-allow-methods"]
        wire.send(b"GET /state HTTP/1.1\r\n\r\n")
        assert wire.read().status == 200


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"hello\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (b"GET /state HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"POST /moves HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
        (b"POST /moves HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"GET /" + b"a" * 100_000, 413),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * 100_000, 413),
        (b"POST /moves HTTP/1.1\r\nContent-Length: 65537\r\n\r\n" + b" " * 65_537, 413),
    ],
)
def test_X_05_X_09_input_that_is_not_HTTP_is_answered_and_the_connection_closed(
    waiting: Client, sent: bytes, status: int
) -> None:
    with Wire(waiting) as wire:
        wire.send(sent + b"more of it")
        answer = wire.read()
        assert answer.status == status
        assert json.loads(answer.body)["error"]
        assert answer.headers["connection"] == "close"
        assert wire.at_end()
    assert waiting.state()["status"] == "not ready"


def test_X_05_X_08_a_body_without_end_is_refused_in_an_orderly_way(waiting: Client) -> None:
    with Wire(waiting) as wire:
        wire.send(b"POST /moves HTTP/1.1\r\nContent-Length: 10000000\r\n\r\n", b"x" * 10_000_000)
        answer = wire.read()
        assert answer.status == 413
        assert json.loads(answer.body) == {"error": "a body has more than 65536 bytes"}
        assert wire.at_end()


def test_X_05_what_comes_after_the_last_request_does_not_disturb_the_answer(
    waiting: Client,
) -> None:
    with Wire(waiting) as wire:
        wire.send(b"GET /state HTTP/1.1\r\nConnection: close\r\n\r\n" + b"GET /state" * 10_000)
        assert wire.read().status == 200
        assert wire.at_end()


def test_X_08_deep_JSON_is_refused_without_harm(playing: Client) -> None:
    for body in ("[" * 60_000, '{"moves":' * 7000, '{"player_index":0,"moves":[' + "[" * 900):
        status, content = playing.ask("POST", "/moves", body)
        assert status == 400
        assert content["error"].startswith("the body is not JSON")


def test_X_09_a_client_that_does_not_read_does_not_disturb_others(waiting: Client) -> None:
    with Wire(waiting) as deaf:
        deaf.send(b"GET /state HTTP/1.1\r\n\r\n" * 5000)
        for _ in range(100):
            assert waiting.state()["player_count"] == 0


def test_X_09_an_unfinished_request_does_not_disturb_others(playing: Client) -> None:
    turn = playing.state()["board"]["current_turn"]
    with Wire(playing) as slow:
        slow.send(b"POST /moves HTTP/1.1\r\nContent-Length: 60\r\n\r\n{")
        playing.begin_turn()
    assert playing.state()["board"]["current_turn"] == turn + 1


def test_X_13_a_signal_closes_in_an_orderly_way() -> None:
    with serve() as hall:
        client = Client(hall)
        with Wire(client) as idle, Wire(client) as busy:
            idle.send(b"GET /state HTTP/1.1\r\n\r\n")
            assert idle.read().status == 200
            busy.send(b"POST /moves HTTP/1.1\r\nContent-Length: 60\r\n\r\n{")
            hall.program.terminate()
            assert idle.at_end()
            assert busy.at_end()
        assert hall.wait() == 0
        assert "Traceback" not in hall.errors
