"""`gamehall check`: our own hall passes, and what is spoilt is found out, by the right clause."""

import itertools
import json
import os
import re
import subprocess
import time
from collections.abc import Iterator

import msgspec
import pytest

from gamehall.check import runner
from gamehall.check.books import BOOKS
from gamehall.check.clauses import Finding, Verdict
from gamehall.protocols.catalogue import all_protocols
from gamehall.wire.settings import read_settings
from tests.check.spoilt import (
    Listening,
    Serve,
    Spoil,
    between,
    closes_at_once,
    says_nothing,
    says_without_end,
)
from tests.served import GAMEHALL, Served

DOORS = list(all_protocols())

IN_A_HURRY = {
    "santorini-lobby": {"join-window": "0.3", "keepalive": "0.4", "move-timeout": "1.5"},
    "santorini-tournament": {"join-window": "0.3", "timeout": "1.5"},
}
"""Settings with which tournaments do not take their time."""

PATIENCE_SECONDS = 100


def settings_of(door: str) -> list[str]:
    """These settings on the command line of `gamehall check`."""
    pairs = IN_A_HURRY.get(door, {})
    return [word for name, value in pairs.items() for word in ("--set", f"{name}={value}")]


def serve(doors: list[str]) -> Served:
    hurry = [
        f"--set={door}.{name}={value}"
        for door in doors
        for name, value in IN_A_HURRY.get(door, {}).items()
    ]
    return Served(*(f"--door={door}=0" for door in doors), *hurry)


@pytest.fixture(scope="module")
def lasting() -> Iterator[Served]:
    with serve([door for door in DOORS if door != "ascension-http"]) as served:
        yield served


@pytest.fixture
def hall(request: pytest.FixtureRequest, lasting: Served) -> Iterator[Served]:
    """A hall with all doors; that of 004, which has one game only, is opened where it is needed."""
    if request.node.callspec.params.get("door") != "ascension-http":
        yield lasting
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


def run(door: str, port: int, only: str | None = None, patience: float = 2.0) -> list[Finding]:
    """The findings of all checks, or of the one of this name."""
    book = BOOKS[door]
    if only is not None:
        chosen = [one for one in book.checks if re.search(only, one.name)]
        assert chosen
        book = msgspec.structs.replace(book, checks=chosen)
    settings = read_settings(all_protocols()[door].settings, IN_A_HURRY.get(door, {}), door)
    return runner.run(book, "127.0.0.1", port, settings, lambda *_: None, patience)


def failed(findings: list[Finding]) -> set[str]:
    return {finding.clause for finding in findings if finding.verdict is Verdict.FAILED}


@pytest.mark.parametrize("door", DOORS)
def test_no_clause_fails_at_our_own_hall(hall: Served, door: str) -> None:
    address = f"{door}://127.0.0.1:{hall.port(door)}"
    code, output, errors = check(address, "--json", *settings_of(door))
    assert errors == ""
    report = json.loads(output)
    assert [one for one in report["clauses"] if one["verdict"] == "failed"] == []
    assert code == 0
    assert report["passed"] is True
    passed = [one for one in report["clauses"] if one["verdict"] == "passed"]
    assert len(passed) >= 0.9 * len(report["clauses"])


@pytest.mark.parametrize("door", DOORS)
def test_every_clause_of_the_page_is_checked_or_it_is_said_why_not(door: str) -> None:
    book = BOOKS[door]
    named = {clause for one in book.checks for clause in one.clauses}
    assert named - runner.SHARED.keys() | book.unchecked.keys() == book.sentences.keys()
    assert not named & book.unchecked.keys()


def test_the_report_is_for_people_unless_told_otherwise(lasting: Served) -> None:
    code, output, errors = check(f"tttp://127.0.0.1:{lasting.port()}")
    assert (code, errors) == (0, "")
    assert "T-08   passed       UPDT has exactly 48 bytes\n" in output
    assert output.splitlines()[-1].endswith("0 failed, 0 not checked")


def replaced(old: bytes, new: bytes) -> Spoil:
    """What matches the one becomes the other."""
    return lambda message: re.sub(old, new, message, flags=re.DOTALL)


SPOILT: list[tuple[str, str, str, Spoil]] = [
    # TTTP
    ("tttp", "T-08", "everybody", replaced(rb"(UPDT.{44})", b"\\1\0")),
    ("tttp", "T-08", "everybody", replaced(rb"(UPDT.{43}).", b"\\1")),
    ("tttp", "T-09", "everybody", replaced(rb"UPDT\x02", b"UPDT\x03")),
    ("tttp", "T-02", "everybody", replaced(rb"UPDT\x02", b"UPDT\x01")),
    ("tttp", "T-10", "red wins", replaced(rb"UPDT(.)\x01", b"UPDT\\1\x02")),
    ("tttp", "T-10", "cats", replaced(rb"UPDT(.)\x03", b"UPDT\\1\x04")),
    ("tttp", "T-11", "everybody", lambda message: swapped(message)),
    ("tttp", "T-13", "everybody", replaced(rb"UPDT\x02.{43}", b"")),
    ("tttp", "T-06", "first is red", replaced(rb"JOIN\x02", b"JOIN\x03")),
    ("tttp", "T-05", "before a join", replaced(rb"JOIN\x01", b"JOIN\x00")),
    ("tttp", "T-07", "denied", replaced(rb"JOIN\x05", b"JOIN\x06")),
    ("tttp", "T-21", "name is free", replaced(rb"JOIN\x07", b"JOIN\x03")),
    ("tttp", "T-16", "chat", replaced(rb"CHAT(.)(..)", b"CHAT\\2\\1")),
    ("tttp", "T-17", "red wins", replaced(rb"UPDT\x01\x00\x00{42}", b"")),
    ("tttp", "T-19", "who leaves", replaced(rb"UPDT(.)\x04", b"UPDT\\1\x01")),
    # 002
    ("go-text", "G-02", "four things", replaced(rb"QUERY komi", b"QUERY gomi")),
    ("go-text", "G-31", "four things", replaced(rb"QUERY komi", b"ASK komi")),
    ("go-text", "G-04", "asked again", replaced(rb"ERROR [^\n]*\n", b"")),
    ("go-text", "G-23", "asked again", replaced(rb"ERROR [^\n]*", rb"ERROR")),
    ("go-text", "G-07", "waits", replaced(rb"TERMS (\d+) 2", rb"TERMS \1 1")),
    ("go-text", "G-10", "both must", replaced(rb"TERMSOK", rb"TERMS 9 1 0 5.5")),
    ("go-text", "G-14", "both must", replaced(rb"START\n", rb"")),
    ("go-text", "G-19", "relayed", replaced(rb"SUCCESS\n", rb"")),
    ("go-text", "G-20", "relayed", replaced(rb"PLAY (\d) (\d)", rb"PLAY \2 \1")),
    ("go-text", "G-31", "relayed", replaced(rb"PLAY (\d) (\d)", rb"PLAY \1 \2 0")),
    ("go-text", "G-18", "cannot be placed", replaced(rb"ERROR [^\n]*", rb"SUCCESS")),
    ("go-text", "G-21", "told the other", replaced(rb"OPPONENTPASS\n", rb"")),
    ("go-text", "G-27", "resigns", replaced(rb"GAMEOVER False", rb"GAMEOVER True")),
    ("go-text", "G-28", "resigns", replaced(rb"(GAMEOVER \w+) True", rb"\1 False")),
    ("go-text", "G-29", "captures", replaced(rb"(False) 0 1", rb"\1 1 0")),
    ("go-text", "G-30", "captures", replaced(rb" 2\.0 5\.5", rb" 2.0 0.0")),
    ("go-text", "X-03", "four things", replaced(rb"\n", rb"\r\n")),
    # 000
    ("santorini-lobby", "S0-08", "two play", lambda message: upper(rb'"set_id","[^"]*', message)),
    ("santorini-lobby", "S0-21", "two play", replaced(rb'\["get_turn"\]', rb'["get_turn",1]')),
    ("santorini-lobby", "S0-12", "two play", replaced(rb'\["start_of_game"\]\n', rb"")),
    ("santorini-lobby", "S0-19", "two play", replaced(rb'\["end_of_game"\]\n', rb"")),
    ("santorini-lobby", "S0-11", "three", replaced(rb"(set_id[^\n]*\n)", rb'\1["keepalive"]\n')),
    ("santorini-lobby", "S0-06", "kept alive", replaced(rb'\["keepalive"\]\n', rb"\g<0>\g<0>")),
    ("santorini-lobby", "S0-18", "disqualified", replaced(rb'\["end_of_game"\]\n', rb"")),
    # 001
    ("santorini-tournament", "S1-04", "two names", replaced(rb'"ann"', b'"Ann"')),
    ("santorini-tournament", "S1-05", "two names", replaced(rb'"ann\w+"', b'"ann"')),
    ("santorini-tournament", "S1-23", "their games", replaced(rb'\["place",', b'["place" ')),
    ("santorini-tournament", "S1-18", "their games", replaced(rb",\[0,0,0,0,0\]\]", b"]")),
    ("santorini-tournament", "S1-19", "their games", replaced(rb"\[0,", b'["0",')),
    ("santorini-tournament", "S1-20", "their games", replaced(rb'"1ann', b'"0ann')),
    ("santorini-tournament", "S1-09", "their games", replaced(rb'"ann1"\n', b"true\n")),
    ("santorini-tournament", "S1-15", "their games", replaced(rb"LOSER", b"WINNER")),
    ("santorini-tournament", "S1-17", "their games", replaced(rb"\[\[\],", b"[")),
    ("santorini-tournament", "S1-08", "truthfully", replaced(rb"false\n", b"true\n")),
    ("santorini-tournament", "S1-24", "malformed", replaced(rb"CHEATER", b"LOSER")),
    ("santorini-tournament", "S1-30", "malformed", replaced(rb"WINNER", b"LOSER")),
    ("santorini-tournament", "S1-26", "does not answer", replaced(rb'"CHEATER"\n', b"")),
    # 004
    ("ascension-http", "A-12", "before anybody", replaced(rb'"error":""', b'"erorr":""')),
    ("ascension-http", "A-13", "before anybody", replaced(rb'"error":""', b'"error":[]')),
    ("ascension-http", "A-14", "before anybody", replaced(rb'"not ready"', b'"unready!!"')),
    (
        "ascension-http",
        "A-15",
        "before anybody",
        replaced(rb'"not ready"', b'"playing"  '),
    ),
    ("ascension-http", "A-08", "first joins", replaced(rb'index":0', b'index":1')),
    ("ascension-http", "A-08", "first joins", replaced(rb'index":0', b'index":x')),
    ("ascension-http", "A-30", "joins?|time", replaced(rb'"cultist":1', b'"cultist":2')),
    ("ascension-http", "A-11", "before anybody", replaced(rb"HTTP/1", b"HTPT/1")),
]


def swapped(message: bytes) -> bytes:
    """Boards upside down."""
    return re.sub(rb"(UPDT..)(.{42})", lambda it: it[1] + it[2][::-1], message, flags=re.DOTALL)


def upper(pattern: bytes, message: bytes) -> bytes:
    """What matches is written in capital letters, but for the name of the message."""
    return re.sub(pattern, lambda it: it[0].upper().replace(b"SET_ID", b"set_id"), message)


# Each is a run of its own, so every third will do unless somebody wants to know.
TRIED = SPOILT if os.environ.get("GAMEHALL_SPOILT") == "all" else SPOILT[::3]


@pytest.mark.parametrize(
    ("door", "clause", "only", "spoil"),
    TRIED,
    ids=[f"{clause}-{number}" for number, (_, clause, *_) in enumerate(TRIED)],
)
def test_what_is_spoilt_is_found_out(
    hall: Served, door: str, clause: str, only: str, spoil: Spoil
) -> None:
    with between(hall.port(door), spoil) as server:
        findings = run(door, server.port, only)
    assert failed(findings) == {clause}, details(findings)


def details(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(one.clause, one.detail) for one in findings if one.verdict is Verdict.FAILED]


@pytest.mark.parametrize("door", DOORS)
def test_one_in_between_who_spoils_nothing_is_not_blamed(hall: Served, door: str) -> None:
    with between(hall.port(door), lambda message: message) as server:
        assert details(run(door, server.port, patience=3.0)) == []


@pytest.mark.parametrize("door", ["tttp", "go-text"])
def test_players_of_the_last_check_who_leave_late_are_nobodys_fault(
    hall: Served, door: str
) -> None:
    seconds = itertools.cycle([0.0, 0.2, 0.1])
    with between(hall.port(door), lambda message: message, lambda: next(seconds)) as server:
        assert details(run(door, server.port, patience=3.0)) == []


@pytest.mark.parametrize(
    ("door", "serve"),
    [
        *((door, serve) for door in DOORS for serve in (says_nothing, closes_at_once)),
        ("tttp", says_without_end(b"\0")),
        ("tttp", says_without_end(b"UPDT\1" + bytes(43))),
        ("go-text", says_without_end(b"QUERY")),
        ("santorini-lobby", says_without_end(b'["keepalive"]\n')),
        ("ascension-http", says_without_end(b"HTTP/1.1 200 OK\r\n")),
    ],
)
def test_a_server_that_is_none_is_soon_told_so(door: str, serve: Serve) -> None:
    began = time.monotonic()
    with Listening(serve) as server:
        findings = run(door, server.port, patience=0.3)
    assert failed(findings)
    assert time.monotonic() - began < 60


def test_where_nobody_listens_there_is_nothing_to_check() -> None:
    with Listening(says_nothing) as server:
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
    ],
)
def test_misuse_is_told_in_one_line(arguments: tuple[str, ...]) -> None:
    code, output, errors = check(*arguments)
    assert (code, output) == (2, "")
    assert len(errors.splitlines()) == 1


@pytest.mark.parametrize("door", ["ascension-http"])
def test_a_game_that_has_begun_cannot_be_checked(hall: Served, door: str) -> None:
    """004 has one game: who comes later is told so, and nothing has failed."""
    assert not failed(run(door, hall.port(door)))
    again = run(door, hall.port(door))
    assert not failed(again)
    assert not [one for one in again if one.verdict is Verdict.PASSED]
