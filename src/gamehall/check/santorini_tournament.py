"""The clauses of document 001, played against a server."""

import json
import time
from collections.abc import Callable

from gamehall.check import sentences
from gamehall.check.clauses import Book
from gamehall.check.faults import CannotCheck, demand
from gamehall.check.santorini_moves import illegal_turns
from gamehall.check.tournament_player import (
    CHEATER,
    WINNER,
    Hall,
    Match,
    TournamentPlayer,
    learn_names,
    read_result,
    require,
    started,
    who_begins,
)
from gamehall.core import Seat
from gamehall.games.santorini import Cell
from gamehall.protocols.santorini_tournament.settings import Results

BOOK = Book(sentences.SANTORINI_TOURNAMENT, [], {})

SECONDS_OF_SILENCE = 0.5
LONGEST_TIMEOUT = 25.0

Misdeed = Callable[[Match], bytes | None]
"""What somebody who is asked does wrong, None if it is not the moment for it."""


@BOOK.shows("S1-01", "S1-02", "S1-03", "S1-04", "S1-05")
def three_sign_up_under_two_names(hall: Hall) -> None:
    """Nothing is said to them before the tournament begins; then each has a name of its own."""
    require(hall, 3)
    players = [TournamentPlayer(hall, name) for name in ("ann", "ann", "bob")]
    players[0].line.expect_silence(SECONDS_OF_SILENCE, "S1-01")
    players[0].sign_up()
    players[0].line.expect_silence(SECONDS_OF_SILENCE, "S1-03")
    for player in players[1:]:
        player.sign_up()
    learn_names(hall, players)


@BOOK.shows(
    "S1-16", "S1-06", "S1-07", "S1-09", "S1-10", "S1-11", "S1-13", "S1-14", "S1-15", "S1-17",
    "S1-18", "S1-19", "S1-20", "S1-21", "S1-22", "S1-23", "S1-29", "S1-31", "X-03", "X-05",
)  # fmt: skip
def three_play_all_their_games(hall: Hall) -> None:
    """Three for every pair; every board is compared, and at last the list of all games."""
    settings = hall.settings
    if settings.best_of:
        raise CannotCheck("a pair stops when it is decided (best-of)")
    players = started(hall, ("ann", "ann", "bob"))
    games: list[list[str]] = []
    for number in range(3 * settings.games):
        match = Match(hall, who_begins(players), number)
        match.play_on()
        outcome = match.position.outcome
        assert outcome is not None
        assert outcome.winner is not None
        pair = [match.players[outcome.winner], match.players[outcome.winner.other]]
        games.append([player.name for player in pair])
    for player in players:
        met = sorted(player.opponents)
        others = sorted(name for name in _names(players, player) for _ in range(settings.games))
        demand(met == others, "S1-16", f"{settings.games} games against each: {others}", met)
    for player in players:
        cheaters, listed = read_result(player)
        demand(cheaters == [], "S1-17", "no cheaters", cheaters)
        if settings.results is Results.GAMES:
            demand(sorted(listed) == sorted(games), "S1-17", f"the games {games}", listed)


@BOOK.shows("S1-08", "S1-12", "S1-28", "S1-31")
def checks_are_answered_truthfully(hall: Hall) -> None:
    """And change nothing; what was found good can be played."""
    match = Match(hall, who_begins(started(hall)), seed=1)
    match.play_on(prompts=1)
    match.expect_prompt()
    taken = match.position.workers_of(Seat.FIRST)[0]
    move = match.choose()
    questions = ((match.asked.write(move, match.position), True),
                 (match.asked.write_cell(taken), False),
                 (match.asked.write_cell(Cell(9, 9)), False))  # fmt: skip
    for question, truth in questions:
        match.asked.send(["check-placement", question])
        match.asked.expect(truth, "S1-08")
    match.play(move)
    match.play_on(prompts=2)
    match.expect_prompt()
    for illegal in list(illegal_turns(match.position))[:3]:
        match.asked.send(["check-turn", match.asked.write(illegal, match.position)])
        match.asked.expect(False, "S1-12")
    move = match.choose()
    match.asked.send(["check-turn", match.asked.write(move, match.position)])
    match.asked.expect(True, "S1-12")
    match.play(move)
    match.play_on(prompts=2)


@BOOK.shows("S1-27", "S1-30", "S1-15")
def eleven_checks_in_a_second_are_too_many(hall: Hall) -> None:
    """Ten are not."""
    allowed = hall.settings.max_checks
    match = Match(hall, who_begins(started(hall)), seed=2)
    match.expect_prompt()
    first, second = match.asked, match.other
    question = b'["check-placement",[2,2]]\n'
    first.line.send(question * allowed)
    for _ in range(allowed):
        first.expect(True, "S1-27")
    match.play(match.choose())
    match.expect_prompt()
    second.line.send(question * (allowed + 1))
    for _ in range(allowed):
        second.read("an answer", "S1-27")
    second.expect(CHEATER, "S1-27")
    second.line.expect_end("S1-27")
    first.expect(WINNER, "S1-30")
    cheaters, _ = read_result(first)
    demand(cheaters == [second.name], "S1-17", f"the cheater {second.name}", cheaters)


@BOOK.shows("S1-24", "S1-30", "S1-15", "S1-17")
def who_sends_what_is_malformed_is_booted(hall: Hall) -> None:
    """One after the other; the last who is left is told of all of them."""
    lines = (b'{"x":1}', b"nonsense", b"[1]", b'"a string"')
    _boot_all(hall, [_says(line) for line in lines], "S1-24")


@BOOK.shows("S1-25", "S1-30", "S1-31", "S1-17")
def who_makes_an_invalid_move_is_booted(hall: Hall) -> None:
    """On another worker, off the board, onto a worker, or without a build."""
    _boot_all(hall, [_off_the_board, _on_a_worker, _against_the_rules, _without_build], "S1-25")


@BOOK.shows("S1-26", "S1-30")
def who_does_not_answer_is_booted(hall: Hall) -> None:
    """After five seconds, and not before."""
    timeout = hall.settings.timeout
    if not 0 < timeout <= LONGEST_TIMEOUT:
        raise CannotCheck(f"it takes {timeout} s to be out of time, 0 is never (timeout)")
    match = Match(hall, who_begins(started(hall)), seed=3)
    match.expect_prompt()
    asked_at = time.monotonic()
    match.asked.line.expect_silence(timeout - SECONDS_OF_SILENCE, "S1-26")
    late = timeout + hall.settings.grace_ms / 1000 + 1 - (time.monotonic() - asked_at)
    match.asked.expect(CHEATER, "S1-26", late)
    match.asked.line.expect_end("S1-26")
    match.other.expect(WINNER, "S1-30")


@BOOK.shows("X-06", "X-01", "X-04")
def who_has_a_prompt_may_answer_it(hall: Hall) -> None:
    """Though the other is gone meanwhile; and however the messages are cut."""
    require(hall, 2)
    players = [TournamentPlayer(hall, name) for name in ("ann", "bob")]
    players[0].line.send_in_pieces(b'\r\n "ann" \r\n')
    players[1].line.send(b'"bob"')
    players[1].line.send(b"\n")
    learn_names(hall, players)
    match = Match(hall, who_begins(players), seed=4)
    match.play_on(prompts=5)
    match.expect_prompt()
    asked = match.asked
    match.other.line.close()
    asked.line.expect_silence(SECONDS_OF_SILENCE, "X-06")
    answer = asked.write(match.choose(), match.position)
    asked.line.send_in_pieces(_write(answer) + b"\n")
    asked.expect(WINNER, "X-06")


def _names(players: list[TournamentPlayer], but: TournamentPlayer) -> list[str]:
    return [player.name for player in players if player is not but]


def _boot_all(hall: Hall, misdeeds: list[Misdeed], clause: str) -> None:
    """In each game whoever is asked does the next thing wrong, and is out."""
    names = ("ann", "bob", "cat", "dan", "eve")
    players = started(hall, names[: len(misdeeds) + 1])
    gone: list[str] = []
    for number, misdeed in enumerate(misdeeds):
        match = Match(hall, who_begins(players), number)
        match.expect_prompt()
        while (line := misdeed(match)) is None:
            match.play(match.choose())
            match.expect_prompt()
        guilty, honest = match.asked, match.other
        guilty.line.send(line + b"\n")
        guilty.expect(CHEATER, clause)
        guilty.line.expect_end(clause)
        honest.expect(WINNER, "S1-30")
        gone.append(guilty.name)
        players.remove(guilty)
    cheaters, _ = read_result(players[0])
    demand(sorted(cheaters) == sorted(gone), "S1-17", f"the cheaters {gone}", cheaters)


def _says(line: bytes) -> Misdeed:
    return lambda match: line


def _write(value: object) -> bytes:
    return json.dumps(value).encode()


def _off_the_board(match: Match) -> bytes | None:
    return _write(match.asked.write_cell(Cell(9, 9)))


def _on_a_worker(match: Match) -> bytes | None:
    taken = [cell for seat in Seat for cell in match.position.workers_of(seat)]
    return _write(match.asked.write_cell(taken[0])) if taken else None


def _against_the_rules(match: Match) -> bytes | None:
    if match.position.is_placing:
        return None
    turn = next(illegal_turns(match.position), None)
    return _write(match.asked.write(turn, match.position)) if turn else None


def _without_build(match: Match) -> bytes | None:
    if match.position.is_placing:
        return None
    return _write(match.asked.write(match.choose(), match.position)[:2])
