"""`gamehall check`: our own server passes, and each fault fails under its clause."""

import inspect
import itertools
import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gamehall.conformance import runner
from gamehall.conformance.checklist import (
    SHARED_CLAUSES,
    Checklist,
    Finding,
    Verdict,
    is_reading,
    load_checklist,
)
from gamehall.conformance.target import Launcher
from gamehall.protocols.catalogue import all_protocols
from gamehall.wire.settings import read_settings
from tests.conformance.faulty_servers import (
    Fault,
    Handler,
    MakeFault,
    ThreadedServer,
    answers,
    close_at_once,
    receives,
    relay,
    send_without_end,
    sends,
    stay_silent,
)
from tests.conformance.small_tttp import SmallTttp
from tests.support.served import GAMEHALL, Served

DOORS = list(all_protocols())

FAST_SETTINGS = {
    "santorini-lobby": {"join-window": "0.3", "keepalive": "0.2", "move-timeout": "2.5"},
    "santorini-tournament": {"join-window": "0.3", "timeout": "2.5"},
}
"""Settings that make tournaments fast."""

PATIENCE_SECONDS = 100

NEVER_CHECKED = {"santorini-lobby": {"S0-07"}, "ascension-http": {"A-01"}}
"""The clauses that a client cannot check."""


def checklist_of(door: str) -> Checklist:
    checklist = load_checklist(all_protocols()[door])
    assert checklist is not None
    return checklist


def settings_of(door: str) -> list[str]:
    """Return these settings as arguments of `gamehall check`."""
    pairs = FAST_SETTINGS.get(door, {})
    return [word for name, value in pairs.items() for word in ("--set", f"{name}={value}")]


def serve(doors: list[str], others: dict[str, str] | None = None) -> Served:
    settings = [
        f"--set={door}.{name}={value}"
        for door in doors
        for name, value in {**FAST_SETTINGS.get(door, {}), **(others or {})}.items()
    ]
    return Served(*(f"--door={door}=0" for door in doors), *settings)


@pytest.fixture(scope="module")
def shared_hall() -> Iterator[Served]:
    with serve([door for door in DOORS if door != "ascension-http"]) as served:
        yield served


@pytest.fixture
def hall(request: pytest.FixtureRequest, shared_hall: Served) -> Iterator[Served]:
    """A server with all doors, started for each test of ascension-http, which has only one game."""
    if request.node.callspec.params.get("door") != "ascension-http":
        yield shared_hall
        return
    with serve(["ascension-http"]) as served:
        yield served


def check(*arguments: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [GAMEHALL, "check", *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def run(
    door: str,
    port: int,
    only: str | None = None,
    patience: float = 2.0,
    launcher: Launcher | None = None,
) -> list[Finding]:
    """Return the findings of all checks, or of those whose names match `only`."""
    checklist = checklist_of(door)
    if only is not None:
        chosen = [one for one in checklist.checks if re.search(only, one.name)]
        assert chosen
        checklist = msgspec.structs.replace(checklist, checks=chosen)
    settings = read_settings(all_protocols()[door].settings, FAST_SETTINGS.get(door, {}), door)
    return runner.run(
        checklist, "127.0.0.1", port, settings, lambda *_: None, patience, launcher=launcher
    )


def with_verdict(findings: list[Finding], verdict: Verdict) -> dict[str, str]:
    return {one.clause: one.detail for one in findings if one.verdict is verdict}


def failed(findings: list[Finding]) -> dict[str, str]:
    return with_verdict(findings, Verdict.FAILED)


# Our own server


@pytest.mark.parametrize("door", DOORS)
def test_no_clause_fails_at_our_own_hall_and_almost_all_are_seen(hall: Served, door: str) -> None:
    address = f"{door}://127.0.0.1:{hall.port(door)}"
    code, output, errors = check(address, "--json", *settings_of(door))
    assert errors == ""
    report = json.loads(output)
    not_passed = {one["id"]: one for one in report["clauses"] if one["verdict"] != "passed"}
    assert not_passed.keys() == NEVER_CHECKED.get(door, set()), not_passed
    assert code == 0
    assert report["passed"] is True


@pytest.mark.parametrize("door", DOORS)
def test_every_clause_of_the_page_is_checked_or_has_a_reason_why_not(door: str) -> None:
    checklist = checklist_of(door)
    named = {clause for one in checklist.checks for clause in one.clauses}
    of_the_page = {clause for clause in checklist.clauses if not is_reading(clause)}
    assert named - SHARED_CLAUSES.keys() | checklist.unchecked.keys() == of_the_page
    assert not named & checklist.unchecked.keys()


def test_the_report_is_text_unless_json_is_wanted(shared_hall: Served) -> None:
    code, output, errors = check(f"tttp://127.0.0.1:{shared_hall.port()}")
    assert (code, errors) == (0, "")
    assert "T-08   passed       UPDT has 48 bytes: type, turn, won, 42 spots.\n" in output
    assert output.splitlines()[-1].endswith("0 failed, 0 not checked")


@pytest.mark.parametrize("door", ["tttp", "go-text", "ascension-http"])
def test_a_relay_that_changes_nothing_is_not_blamed(hall: Served, door: str) -> None:
    with relay(hall.port(door), Fault) as server:
        assert failed(run(door, server.port, patience=3.0)) == {}


@pytest.mark.parametrize("door", ["tttp", "go-text"])
def test_players_of_the_last_check_may_leave_late(hall: Served, door: str) -> None:
    seconds = itertools.cycle([0.0, 0.2, 0.1])
    with relay(hall.port(door), Fault, lambda: next(seconds)) as server:
        assert failed(run(door, server.port, patience=3.0)) == {}


# Planted faults: each fails its clause, and no other.


def boards(change: Callable[[bytearray], object]) -> MakeFault:
    """TTTP: change the 42 spots of every UPDT, in place."""

    class Boards(Fault):
        def change_output(self, data: bytes) -> bytes:
            return re.sub(rb"(UPDT..)(.{42})", self._change, data, flags=re.DOTALL)

        def _change(self, found: re.Match[bytes]) -> bytes:
            spots = bytearray(found[2])
            change(spots)
            return found[1] + bytes(spots)

    return Boards


def swap_lengths(found: re.Match[bytes]) -> bytes:
    return found[1] + found[2][::-1]


class LittleEndian(Fault):
    """TTTP: the lengths of a CHAT from the server are little-endian."""

    def change_output(self, data: bytes) -> bytes:
        return re.sub(rb"(CHAT.)(..)", swap_lengths, data, flags=re.DOTALL)


class AnswersTurns(Fault):
    """santorini-tournament: turns are answered, before the next prompt."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self._turns = 0

    def change_output(self, data: bytes) -> bytes:
        def answer(found: re.Match[bytes]) -> bytes:
            self._turns += 1
            return (b"true\n" if self._turns > 1 else b"") + found[0]

        return re.sub(rb'\["turn"', answer, data)


class OneKeepalive(Fault):
    """santorini-lobby: there is only one keepalive."""

    has_come = False

    def change_output(self, data: bytes) -> bytes:
        if b'["keepalive"]\n' not in data:
            return data
        data = data if not self.has_come else data.replace(b'["keepalive"]\n', b"")
        self.has_come = True
        return data


def one_game_only() -> MakeFault:
    """santorini-lobby: from the third start_of_game on, nothing is sent."""
    numbers = iter(range(1 << 30))

    class OneGameOnly(Fault):
        is_over = False

        def change_output(self, data: bytes) -> bytes:
            if self.is_over:
                return b""
            # The end of the game before may be in the same segment.
            before, start, _ = data.partition(b'["start_of_game"]')
            if start and next(numbers) >= 2:
                self.is_over = True
                return before
            return data

    return OneGameOnly


def changed(key: str, change: Callable[[Any], Any]) -> MakeFault:
    """ascension-http: change a value of the board."""

    def edit(state: dict[str, Any]) -> None:
        if "board" in state:
            state["board"][key] = change(state["board"][key])

    return answers(edit)


def changed_player(key: str, change: Callable[[Any], Any]) -> MakeFault:
    """ascension-http: change a value of each player."""

    def edit(state: dict[str, Any]) -> None:
        for player in state.get("board", {}).get("players", []):
            player[key] = change(player[key])

    return answers(edit)


def never_fails(state: dict[str, Any]) -> None:
    """ascension-http: the state has no error."""
    if "status" in state:
        state["error"] = ""


def third_join(edit: Callable[[dict[str, Any]], None]) -> MakeFault:
    """ascension-http: edit the answer to a third join."""
    return answers(lambda answer: edit(answer) if answer == TWO_HAVE_JOINED else None)


def let_in(answer: dict[str, Any]) -> None:
    """ascension-http: the answer to a join is a seat."""
    answer.clear()
    answer["player_index"] = 1


TWO_HAVE_JOINED = {"error": "two players have already joined"}


def nobody_counted(state: dict[str, Any]) -> None:
    """ascension-http: by its state, no player has joined."""
    if "status" in state:
        state["player_count"] = 0


def granted(wish: str) -> MakeFault:
    """ascension-http: an illegal move arrives as the end of the turn, which is legal."""
    legal = '{"type":"end_turn"}'
    return receives(re.escape(wish.encode()), legal.ljust(len(wish)).encode())


def anybody_moves() -> MakeFault:
    """ascension-http: a move of a nonexistent player arrives as one of the player to move."""
    last = b""

    class AnybodyMoves(Fault):
        def change_input(self, data: bytes) -> bytes:
            nonlocal last
            for number in re.findall(rb'"player_index": ([01])', data):
                last = number
            # The move before was one of the opponent, out of turn.
            whose_turn = {b"0": b"1", b"1": b"0"}.get(last, b"0")
            return data.replace(b'"player_index": 7', b'"player_index": ' + whose_turn)

    return AnybodyMoves


TOURNAMENT = "tournament of three"
NOWHERE = '"card_name": "No Such Card"'

FAULTS: list[tuple[str, str, MakeFault, str | None]] = [
    # TTTP
    ("tttp", "T-08", sends(rb"(UPDT.{44})", b"\\1\0"), "join|wins|all clients"),
    ("tttp", "T-08", sends(rb"(UPDT.{43}).", b"\\1"), "join|wins|all clients"),
    ("tttp", "T-09", sends(rb"UPDT\x02", b"UPDT\x03"), None),
    ("tttp", "T-02", sends(rb"UPDT\x02", b"UPDT\x01"), None),
    ("tttp", "T-10", sends(rb"UPDT(.)\x01", b"UPDT\\1\x02"), None),
    ("tttp", "T-10", sends(rb"UPDT(.)\x03", b"UPDT\\1\x04"), None),
    ("tttp", "T-11", boards(lambda spots: spots.reverse() if sum(spots) > 4 else None), None),
    ("tttp", "T-12", sends(rb"(UPDT.\x00\x00{35})\x01(\x00{6})", b"\\1\x02\\2"), None),
    ("tttp", "T-13", sends(rb"UPDT\x02.{43}", b""), "all clients"),
    ("tttp", "T-06", sends(rb"JOIN\x02", b"JOIN\x03"), None),
    ("tttp", "T-05", sends(rb"JOIN\x01", b"JOIN\x00"), None),
    ("tttp", "T-03", sends(rb"JOIN", b"CHAT\0\0\1!JOIN"), None),
    ("tttp", "T-07", sends(rb"JOIN\x05", b"JOIN\x06"), None),
    ("tttp", "T-16", sends(rb"CHAT(.)(..)\w{4}", b"CHAT\\1\\2nobo"), None),
    ("tttp", "T-01", LittleEndian, None),
    ("tttp", "T-17", sends(rb"UPDT(.)\x00\x00{42}", b""), "red wins"),
    ("tttp", "T-19", sends(rb"UPDT(.)\x04", b"UPDT\\1\x03"), None),
    # go-text
    ("go-text", "G-02", sends(rb"QUERY komi", b"QUERY gomi"), None),
    ("go-text", "G-31", sends(rb"QUERY komi", b"ASK komi"), None),
    ("go-text", "G-31", sends(rb"PLAY (\d) (\d)", rb"PLAY \1 \2 0"), None),
    ("go-text", "G-03", sends(rb"QUERY handicap", b"QUERY boardsize"), None),
    ("go-text", "G-04", sends(rb"ERROR [^\n]*\n", b"", times=1, on=0), "one game"),
    ("go-text", "G-23", sends(rb"ERROR [^\n]*", rb"ERROR"), None),
    ("go-text", "G-06", sends(rb"TERMS \d[^\n]*\n", b""), None),
    ("go-text", "G-07", sends(rb"TERMS (\d+) 2", rb"TERMS \1 1"), None),
    ("go-text", "G-10", sends(rb"TERMSOK\n", b""), None),
    ("go-text", "G-11", sends(rb"SUCCESS\n", b"ERROR no\n", times=1, on=0), None),
    ("go-text", "G-14", sends(rb"START\n", b""), "one game|resigns"),
    ("go-text", "G-16", sends(rb"ERROR [^\n]*", b"SUCCESS", times=1, on=1), "one game"),
    ("go-text", "G-19", sends(rb"SUCCESS\n", b"ERROR no\n"), "sequence|suicide"),
    ("go-text", "G-20", sends(rb"PLAY (\d) (\d)", rb"PLAY \2 \1"), None),
    ("go-text", "G-13", sends(rb"ERROR [^\n]*occup[^\n]*", b"SUCCESS", on=0), "one game"),
    ("go-text", "G-18", sends(rb"ERROR [^\n]*occup[^\n]*", b"SUCCESS", on=1), "one game"),
    ("go-text", "G-21", sends(rb"OPPONENTPASS\n", b""), None),
    ("go-text", "G-24", sends(rb"GAMEOVER \w+ True\n", b"ERROR no\n"), None),
    ("go-text", "G-25", sends(rb"GAMEOVER \w+ False[^\n]*\n", b"ERROR no\n"), None),
    ("go-text", "G-27", sends(rb"GAMEOVER False", b"GAMEOVER True"), None),
    ("go-text", "G-28", sends(rb"(GAMEOVER \w+) True", rb"\1 False"), "resigns"),
    ("go-text", "G-29", sends(rb"(False) 0 1", rb"\1 1 0"), None),
    ("go-text", "G-30", sends(rb"77\.0", b"78.0"), None),
    # santorini-lobby
    ("santorini-lobby", "S0-08", sends(rb'("set_id",)"[^"]*', rb'\1"4711'), TOURNAMENT),
    ("santorini-lobby", "S0-09", sends(rb'\["set_id"[^\n]*\n', b""), TOURNAMENT),
    ("santorini-lobby", "S0-21", sends(rb'\["get_turn"\]', b'["get_turn",1]'), TOURNAMENT),
    ("santorini-lobby", "S0-12", sends(rb'\["start_of_game"\]\n', b""), TOURNAMENT),
    ("santorini-lobby", "S0-13", sends(rb'\["get_placement"\]', b'["get_turn"]'), TOURNAMENT),
    ("santorini-lobby", "S0-19", sends(rb'\["end_of_game"\]\n', b"", on=0), TOURNAMENT),
    ("santorini-lobby", "S0-20", one_game_only(), TOURNAMENT),
    ("santorini-lobby", "S0-11", sends(rb"(set_id[^\n]*\n)", b'\\1["keepalive"]\n'), TOURNAMENT),
    ("santorini-lobby", "S0-06", sends(rb'\["keepalive"\]\n', b"\\g<0>\\g<0>"), TOURNAMENT),
    ("santorini-lobby", "S0-04", OneKeepalive, TOURNAMENT),
    (
        "santorini-lobby",
        "S0-14",
        receives(rb'(give_placement", )\[\d, \d', rb"\g<1>[9, 9"),
        f"{TOURNAMENT}|late answer",
    ),
    ("santorini-lobby", "S0-24", receives(rb"\[9, 9\]", b"[2, 2]"), "illegal moves"),
    ("santorini-lobby", "S0-18", sends(rb'\["end_of_game"\]', b'["get_turn"]'), "late answer"),
    (
        "santorini-lobby",
        "S0-23",
        receives(rb'\["stillalive"\]\n', b'["give_turn",1]\n'),
        "late answer",
    ),
    # santorini-tournament
    ("santorini-tournament", "S1-04", sends(rb'"ann"', b'"Ann"'), TOURNAMENT),
    ("santorini-tournament", "S1-05", sends(rb'"ann\w+"', b'"ann"'), TOURNAMENT),
    ("santorini-tournament", "S1-06", sends(rb'"(ann\w+|bob)"\n', b'"zoe"\n', on=0), TOURNAMENT),
    ("santorini-tournament", "S1-23", sends(rb'\["place",', b'["place" '), TOURNAMENT),
    ("santorini-tournament", "S1-18", sends(rb",\[0,0,0,0,0\]\]", b"]"), TOURNAMENT),
    ("santorini-tournament", "S1-19", sends(rb"\[0,", b'["0",'), TOURNAMENT),
    ("santorini-tournament", "S1-20", sends(rb'"1ann', b'"0ann'), TOURNAMENT),
    ("santorini-tournament", "S1-09", sends(rb'"\w+1"\n', b"true\n"), TOURNAMENT),
    ("santorini-tournament", "S1-21", sends(rb'"(\w+)2"\n', b'"\\g<1>3"\n'), TOURNAMENT),
    ("santorini-tournament", "S1-14", AnswersTurns, TOURNAMENT),
    ("santorini-tournament", "S1-15", sends(rb"LOSER", b"WINNER"), TOURNAMENT),
    ("santorini-tournament", "S1-17", sends(rb"\[\[\],", b"["), TOURNAMENT),
    ("santorini-tournament", "S1-08", sends(rb"false\n", b'"no"\n'), TOURNAMENT),
    ("santorini-tournament", "S1-28", sends(rb"false\n", b"true\n"), TOURNAMENT),
    ("santorini-tournament", "S1-24", sends(rb"CHEATER", b"LOSER"), "malformed"),
    ("santorini-tournament", "S1-30", sends(rb"WINNER", b"LOSER"), "malformed"),
    ("santorini-tournament", "S1-25", receives(rb"\[9, 9\]", b"[2, 2]"), "illegal move"),
    ("santorini-tournament", "S1-26", sends(rb'"CHEATER"\n', b'"LOSER"\n'), "late answer"),
    ("santorini-tournament", "S1-27", sends(rb'"CHEATER"\n', b'"LOSER"\n'), "eleven"),
    # ascension-http
    ("ascension-http", "A-12", answers(lambda state: state.pop("player_count", None)), None),
    ("ascension-http", "A-13", answers(lambda state: state.update(error=1)), None),
    ("ascension-http", "A-14", sends(rb'"not ready"', b'"unready!!"'), None),
    ("ascension-http", "A-15", sends(rb'"not ready"', b'"playing"  '), None),
    ("ascension-http", "A-08", sends(rb'index":0', b'index":1'), None),
    ("ascension-http", "A-08", sends(rb'index":0', b'index":x'), None),
    ("ascension-http", "A-30", changed("cultist", lambda number: number + 1), None),
    ("ascension-http", "A-30", changed("heavy", lambda number: number // 2), None),
    ("ascension-http", "A-11", sends(rb"HTTP/1", b"HTPT/1"), None),
    ("ascension-http", "A-02", sends(rb"HTTP/1.1 40\d", b"HTTP/1.1 200"), None),
    ("ascension-http", "A-06", answers(nobody_counted), None),
    ("ascension-http", "A-09", third_join(lambda answer: answer.update(error="")), None),
    ("ascension-http", "A-10", third_join(let_in), None),
    ("ascension-http", "A-18", granted('{"type": "dance", "card_name": "Apprentice"}'), None),
    ("ascension-http", "A-19", granted('{"type": "acquire"}'), None),
    *(
        ("ascension-http", clause, granted(f'{{"type": "{kind}", {NOWHERE}}}'), None)
        for clause, kind in {
            "A-20": "acquire",
            "A-21": "defeat",
            "A-22": "play",
            "A-23": "activate",
        }.items()
    ),
    ("ascension-http", "A-24", anybody_moves(), None),
    ("ascension-http", "A-25", answers(never_fails), None),
    ("ascension-http", "A-26", changed("current_turn", lambda turn: turn // 2), None),
    ("ascension-http", "A-27", changed("current_player_index", lambda index: 0), None),
    ("ascension-http", "A-28", changed("honor_remaining", lambda honor: honor // 2 * 2), None),
    ("ascension-http", "A-29", changed("center", lambda names: None), None),
    ("ascension-http", "A-31", changed_player("hand", lambda names: len(names)), None),
    ("ascension-http", "A-32", changed_player("runes_remaining", lambda runes: runes + 1), None),
    ("ascension-http", "A-33", changed_player("honor", lambda honor: honor // 2), None),
    ("ascension-http", "A-34", changed_player("moves", lambda moves: moves[::-1]), None),
]


@pytest.mark.parametrize(
    ("door", "clause", "fault", "only"),
    FAULTS,
    ids=[f"{clause}-{number}" for number, (_, clause, *_) in enumerate(FAULTS)],
)
def test_a_planted_fault_is_found_under_its_clause_and_nothing_else_is_blamed(
    hall: Served, door: str, clause: str, fault: MakeFault, only: str | None
) -> None:
    with relay(hall.port(door), fault) as server:
        found = failed(run(door, server.port, only))
    assert found.keys() == {clause}, found


SMALL_FAULTS = {
    "forgets whose turn it is": "T-14",
    "plays on after the end": "T-14",
    "reads one byte of a CHAT length": "T-15",
    "reads a CHAT length little-endian": "T-01",
    "tells the sender its own words": "T-16",
    "takes a segment for a packet": "T-20",
    "lets two have one name": "T-21",
    "gives a false reason": "T-07",
    "keeps names for ever": "T-21",
    "ignores RMCH": "T-17",
}


@pytest.mark.parametrize("fault", SmallTttp.FAULTS)
def test_a_fault_of_a_small_tttp_server_is_found_under_its_clause(fault: str) -> None:
    found: dict[str, str] = {}
    for patience in (1.0, 3.0, 10.0):
        # A server that takes a segment for a packet is right if it reads late; on a busy machine it
        # may answer late.
        if found.keys() != {SMALL_FAULTS[fault]}:
            with SmallTttp(fault).listen() as server:
                found = failed(run("tttp", server.port, patience=patience))
    assert found.keys() == {SMALL_FAULTS[fault]}, found


# Servers that read their document differently do not fail.


def test_a_small_tttp_server_that_reads_its_document_differently_does_not_fail() -> None:
    with SmallTttp().listen() as server:
        findings = run("tttp", server.port)
    assert failed(findings) == {}
    assert with_verdict(findings, Verdict.DIFFERS).keys() >= {"T-Q13", "T-Q15", "T-Q18"}
    assert with_verdict(findings, Verdict.NOT_CHECKED).keys() <= {"T-18", "X-09"}


DIFFERENT_READINGS: list[tuple[str, dict[str, str], set[str]]] = [
    (
        "tttp",
        {
            "name-min": "6",
            "base": "1",
            "gravity": "strict",
            "rematch": "both",
            "on-leave": "award",
            "max-spectators": "0",
            "close-on-deny": "true",
        },
        {"T-Q04", "T-Q10", "T-Q12", "T-Q15", "T-Q18"},
    ),
    (
        "tttp",
        {"connect": "3", "gravity": "free", "rematch": "finished", "spectator-chat": "false"},
        {"T-Q02"},
    ),
    (
        "go-text",
        {
            "base": "1",
            "booleans": "Yes",
            "scoring": "area",
            "handicap-success": "false",
            "last-pass-notify": "false",
            "suicide": "true",
            "ko": "simple",
        },
        {"G-Q11", "G-Q19", "G-Q21", "G-Q24", "G-Q27"},
    ),
    (
        "santorini-lobby",
        {"end-message": "end_game", "first-turn": "p1", "board": "6", "illegal": "dq"},
        {"S0-Q08", "S0-Q10", "S0-Q19"},
    ),
    ("santorini-lobby", {"players": "3", "keepalive": "30", "move-timeout": "0"}, {"S0-Q02"}),
    (
        "santorini-lobby",
        {"players": "2", "turn-reading": "origin", "move-timeout": "10"},
        {"S0-Q11"},
    ),
    (
        "santorini-tournament",
        {"best-of": "true", "board": "6", "placement-order": "1221", "results": "pairs"},
        {"S1-Q08", "S1-Q10", "S1-Q24", "S1-Q30"},
    ),
    (
        "santorini-tournament",
        {"players": "3", "base": "1", "placement-order": "1122"},
        {"S1-Q06", "S1-Q08", "S1-Q14"},
    ),
    ("ascension-http", {"http-errors": "true", "honor": "30", "tokens": "true"}, {"A-Q19"}),
    ("ascension-http", {"sticky-errors": "true", "honor": "30"}, {"A-Q04"}),
    ("ascension-http", {"atomic": "true", "extras": "false", "honor": "30"}, set()),
]


@pytest.mark.parametrize(("door", "settings", "readings"), DIFFERENT_READINGS)
def test_a_server_that_reads_its_document_differently_does_not_fail(
    door: str, settings: dict[str, str], readings: set[str]
) -> None:
    with serve([door], settings) as served:
        findings = run(door, served.port(door))
    assert failed(findings) == {}
    assert with_verdict(findings, Verdict.DIFFERS).keys() >= readings
    assert with_verdict(findings, Verdict.PASSED)


# A server that plays one game, as in the go-text document


ONE_GAME = Path(__file__).with_name("one_game.py")


def test_a_server_that_exits_after_a_game_shows_most_clauses_in_that_game() -> None:
    with Served("--door=go-text=0", "--once") as served:
        findings = run("go-text", served.port("go-text"))
    assert failed(findings) == {}
    unseen = with_verdict(findings, Verdict.NOT_CHECKED)
    assert unseen.keys() == {"G-09", "G-11", "G-24", "G-28", "X-01", "X-04"}
    assert all("--restart-command" in why for why in unseen.values())


def test_a_server_that_exits_is_started_again_and_stopped_at_the_end(shared_hall: Served) -> None:
    with ThreadedServer(stay_silent) as free:
        port = free.port
    words = (sys.executable, str(ONE_GAME), str(port), str(shared_hall.port("go-text")))
    address = f"go-text://127.0.0.1:{port}"
    code, output, errors = check(address, "--json", "--restart-command", shlex.join(words))
    assert (code, errors) == (0, ""), output
    verdicts = {one["verdict"] for one in json.loads(output)["clauses"]}
    assert verdicts == {"passed"}, output
    code, _, errors = check(address)
    assert code == 1
    assert "Connection refused" in errors


def test_a_restart_command_that_does_not_exist_is_reported() -> None:
    with ThreadedServer(stay_silent) as free:
        address = f"tttp://127.0.0.1:{free.port}"
    code, output, errors = check(address, "--restart-command", "no-such-program")
    assert (code, output) == (1, "")
    assert "the restart command cannot be run" in errors


# A clause passes only if it was seen.

BEFORE_ANY_GAME = {
    "tttp": {"T-03", "T-05"},
    "go-text": {"G-01", "G-02", "G-03", "G-04", "G-23"},
    "santorini-lobby": {"S0-01", "S0-02", "S0-03", "S0-04", "S0-05", "S0-06"},
    "santorini-tournament": {"S1-01", "S1-03"},
    "ascension-http": {"A-02", "A-11", "A-12", "A-13", "A-08"},
}
"""The clauses that can be seen before a game."""

NO_GAME: list[tuple[str, MakeFault]] = [
    ("tttp", sends(rb"JOIN[\x01\x02\x03]", b"JOIN\x09")),
    ("go-text", sends(rb"TERMS \d[^\n]*\n", b"")),
    ("santorini-lobby", sends(rb'\["set_id".*', b"")),
    ("santorini-tournament", sends(rb".+", b"")),
    ("ascension-http", sends(rb'{"player_index":1}', b'{"error":"not you"}')),
]


@pytest.mark.parametrize(("door", "fault"), NO_GAME, ids=[door for door, _ in NO_GAME])
def test_without_a_game_no_clause_of_a_game_passes(
    hall: Served, door: str, fault: MakeFault
) -> None:
    with relay(hall.port(door), fault) as server:
        findings = run(door, server.port, patience=1.0)
    assert with_verdict(findings, Verdict.PASSED).keys() <= BEFORE_ANY_GAME[door]


STARTED = {"S0-08", "S0-09", "S0-10", "S0-12", "S1-02", "S1-04", "S1-05"}
"""The clauses of the start of a tournament, which other players may still see."""

LAST_MESSAGES: list[tuple[str, bytes]] = [
    ("tttp", b"JOIN\x02"),
    ("go-text", b"QUERY komi"),
    ("santorini-lobby", b"set_id"),
    ("santorini-tournament", b'"ann'),
    ("ascension-http", b"player_index"),
]


@pytest.mark.parametrize(("door", "last"), LAST_MESSAGES, ids=[door for door, _ in LAST_MESSAGES])
def test_if_a_server_stops_after_the_join_no_clause_of_a_game_passes(
    hall: Served, door: str, last: bytes
) -> None:
    with relay(hall.port(door), Fault, stop_at=last) as server:
        findings = run(door, server.port, patience=1.0)
    passed = with_verdict(findings, Verdict.PASSED).keys()
    assert passed <= BEFORE_ANY_GAME[door] | STARTED
    why = " ".join(with_verdict(findings, Verdict.NOT_CHECKED).values())
    assert "accepts no connections any more" in why or failed(findings)


NO_END: list[tuple[str, MakeFault, set[str]]] = [
    ("tttp", sends(rb"UPDT(.).", b"UPDT\\1\x00"), {"T-09", "T-10", "T-17", "T-19"}),
    (
        "go-text",
        sends(rb"GAMEOVER[^\n]*\n", b""),
        {"G-24", "G-25", "G-26", "G-27", "G-28", "G-29", "G-30", "X-05"},
    ),
    (
        "santorini-lobby",
        sends(rb'\["end_of_game"\].*', b""),
        {"S0-15", "S0-18", "S0-19", "S0-20", "X-05", "X-06"},
    ),
    (
        "santorini-tournament",
        sends(rb'"(WINNER|LOSER|CHEATER)".*', b""),
        {"S1-15", "S1-16", "S1-17", "S1-24", "S1-25", "S1-30", "S1-31", "X-05", "X-06"},
    ),
    (
        "ascension-http",
        answers(lambda state: state.update(status="playing") if "board" in state else None),
        {"A-04", "A-14", "A-25"},
    ),
]


@pytest.mark.parametrize(("door", "fault", "of_the_end"), NO_END, ids=[row[0] for row in NO_END])
def test_without_the_end_of_a_game_no_clause_of_the_end_passes(
    hall: Served, door: str, fault: MakeFault, of_the_end: set[str]
) -> None:
    with relay(hall.port(door), fault) as server:
        findings = run(door, server.port, patience=1.0)
    assert not with_verdict(findings, Verdict.PASSED).keys() & of_the_end


@pytest.mark.parametrize(
    ("door", "serve"),
    [
        *((door, serve) for door in DOORS for serve in (stay_silent, close_at_once)),
        ("tttp", send_without_end(b"\0")),
        ("tttp", send_without_end(b"UPDT\1" + bytes(43))),
        ("go-text", send_without_end(b"QUERY")),
        ("santorini-lobby", send_without_end(b'["keepalive"]\n')),
        ("ascension-http", send_without_end(b"HTTP/1.1 200 OK\r\n")),
    ],
)
def test_what_is_no_server_of_the_protocol_soon_fails(door: str, serve: Handler) -> None:
    began = time.monotonic()
    with ThreadedServer(serve) as server:
        findings = run(door, server.port, patience=0.3)
    passed = with_verdict(findings, Verdict.PASSED).keys()
    assert passed <= {"S0-01", "S1-01", "S1-03"}
    assert time.monotonic() - began < 60


def test_a_report_without_a_passed_clause_has_not_passed() -> None:
    with ThreadedServer(stay_silent) as server:
        address = f"ascension-http://127.0.0.1:{server.port}"
        code, output, _ = check(address, "--json")
    assert code == 1
    assert json.loads(output)["passed"] is False


def test_where_no_server_listens_the_check_is_an_error() -> None:
    with ThreadedServer(stay_silent) as server:
        port = server.port
    code, output, errors = check(f"tttp://127.0.0.1:{port}")
    assert (code, output) == (1, "")
    assert errors == f"gamehall: cannot connect to tttp://127.0.0.1:{port}: Connection refused\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("tttp:127.0.0.1",),
        ("chess://127.0.0.1",),
        ("tttp://127.0.0.1", "--set", "tempo=2"),
        ("tttp://127.0.0.1", "--set", "base"),
        ("tttp://127.0.0.1", "--restart-command", "'unfinished"),
        ("tttp://127.0.0.1", "--listen", "--restart-command", "server"),
    ],
)
def test_a_wrong_command_line_is_explained_in_one_line(arguments: tuple[str, ...]) -> None:
    code, output, errors = check(*arguments)
    assert (code, output) == (2, "")
    assert len(errors.splitlines()) == 1


@pytest.mark.parametrize("door", ["ascension-http"])
def test_a_game_that_has_begun_cannot_be_checked(hall: Served, door: str) -> None:
    """004 has one game. A second run finds it taken, which is no fault."""
    assert not failed(run(door, hall.port(door)))
    again = run(door, hall.port(door))
    assert not failed(again)
    assert not with_verdict(again, Verdict.PASSED)


@pytest.mark.parametrize("door", DOORS)
def test_every_difference_that_a_check_notes_has_a_sentence_in_the_report(door: str) -> None:
    """A note on another id would be lost."""
    checklist = checklist_of(door)
    folder = Path(inspect.getfile(checklist.checks[0].run)).parent
    texts = [path.read_text() for path in folder.glob("*.py")]
    remarked = {one for text in texts for one in re.findall(r'differs\(\s*"([^"]+)"', text)}
    assert remarked
    assert remarked <= checklist.clauses.keys() | SHARED_CLAUSES.keys()
