"""The checks of the santorini-tournament protocol.

The document has a server that plays one tournament, so the first check covers as much as possible.
"""

import itertools
import json
import time
from collections import Counter
from collections.abc import Callable

from gamehall.conformance.checklist import Checklist, ClientRules, read_clauses
from gamehall.conformance.connection import ClauseError, demand
from gamehall.conformance.tournaments import (
    SECONDS_OF_SILENCE,
    check_blanks,
    check_open_prompt,
    require_timeout,
    require_tournament,
    usual_names,
)
from gamehall.core import Seat
from gamehall.games.santorini import Cell
from gamehall.games.santorini.samples import illegal_turns
from gamehall.protocols.santorini_tournament.conformance.player import (
    CHEATER,
    RESULTS,
    WINNER,
    SantoriniKnowledge,
    TournamentMatch,
    TournamentPlayer,
    TournamentTarget,
    learn_names,
    next_pair,
    read_result,
    started,
)

CHECKLIST = Checklist(
    read_clauses("gamehall.protocols.santorini_tournament"),
    [],
    knowledge=SantoriniKnowledge,
    client=ClientRules(
        clauses={
            "C-01": "S1-02",
            "C-02": "S1-24 S1-22",
            "C-03": "S1-25",
            "C-04": "S1-13",
            "C-05": "S1-26 S1-27",
            "C-06": "S1-16",
        },
    ),
)

OFF_BOARD = Cell(9, 9)

Violation = Callable[[TournamentMatch], bytes | None]
"""Returns a line that breaks the rules, None if there is none in this position."""


@CHECKLIST.covers(
    "S1-01", "S1-02", "S1-03", "S1-04", "S1-05", "S1-06", "S1-07", "S1-08", "S1-09", "S1-10",
    "S1-11", "S1-12", "S1-13", "S1-14", "S1-15", "S1-16", "S1-17", "S1-18", "S1-19", "S1-20",
    "S1-21", "S1-22", "S1-23", "S1-28", "S1-29", "X-03", "X-05",
)  # fmt: skip
def a_tournament_of_three(target: TournamentTarget) -> None:
    """Play a whole tournament, in which most clauses can be seen.

    Two players sign up under one name and get different internal names (S1-05). Checks get a true
    answer and change nothing (S1-08, S1-12, S1-28), the board of every prompt is compared (S1-18
    to S1-21), every pair plays three games (S1-16), and the result lists all of them (S1-17).
    """
    require_tournament(target.settings, 3)
    players = [TournamentPlayer(target, name) for name in ("ann", "ann", "bob")]
    players[0].connection.expect_silence(SECONDS_OF_SILENCE, "S1-01")
    target.saw("S1-01")
    players[0].sign_up()
    players[0].connection.expect_silence(SECONDS_OF_SILENCE, "S1-03")
    target.saw("S1-03")
    for player in players[1:]:
        player.sign_up()
    players = learn_names(target, players)
    games: list[list[str]] = []
    while not _is_over(target, players, games):
        pair = next_pair(players, "S1-16" if games else "S1-06")
        match = TournamentMatch(target, pair, len(games))
        if not games:
            _ask_about_moves(target, match)
        match.play_on()
        match.saw_a_whole_game()
        for player in players:
            if player not in pair:
                _expect_idle(player)
        outcome = match.position.outcome
        assert outcome is not None
        assert outcome.winner is not None
        ended = [match.players[outcome.winner], match.players[outcome.winner.other]]
        games.append([player.name for player in ended])
    target.saw("S1-16", "X-03")
    if len(players) > 2:
        target.saw("S1-29")
    else:
        target.cannot_see("S1-29", "a tournament begins with two players")
    for player in players:
        cheaters, listed = read_result(player)
        demand(cheaters == [], "S1-17", "no cheaters", cheaters)
        _compare_games(target, listed, games)


@CHECKLIST.covers("S1-27", "S1-30")
def eleven_checks_in_a_second_are_too_many(target: TournamentTarget) -> None:
    """Send ten checks in a second, which are answered, and the eleventh (S1-27, S1-30)."""
    allowed = target.settings.max_checks
    match = TournamentMatch(target, next_pair(started(target)), seed=2)
    match.expect_prompt()
    first = match.asked
    question = b'["check-placement",[2,2]]\n'
    first.connection.send(question * allowed)
    for _ in range(allowed):
        first.expect_boolean(True, "S1-27")
    match.answer()
    match.expect_prompt()
    second, other = match.asked, match.other
    second.connection.send(question * (allowed + 1))
    _expect_disqualified(target, second, "S1-27", answers=allowed + 1)
    target.saw("S1-27")
    _expect_winner(target, other)


@CHECKLIST.covers("S1-24", "S1-30", "S1-17")
def a_malformed_message_disqualifies(target: TournamentTarget) -> None:
    """Send a malformed message as one player after the other: each is disqualified (S1-24).

    The opponents win (S1-30), and the tournament-result lists all cheaters (S1-17).
    """
    lines = (b'{"x":1}', b"nonsense", b"[1]", b'"a string"')
    _disqualify_all(target, [_says(line) for line in lines], "S1-24")


@CHECKLIST.covers("S1-25", "S1-30", "S1-31", "S1-17")
def an_illegal_move_disqualifies(target: TournamentTarget) -> None:
    """Place a worker on another and off the board, and make an illegal turn (S1-25, S1-31)."""
    _disqualify_all(target, [_off_the_board, _on_a_worker, _against_the_rules], "S1-25")


@CHECKLIST.covers("S1-26", "S1-30")
def a_late_answer_disqualifies(target: TournamentTarget) -> None:
    """Leave a prompt unanswered: its player is disqualified after five seconds (S1-26)."""
    timeout = target.settings.timeout
    require_timeout(timeout, "timeout")
    match = TournamentMatch(target, next_pair(started(target)), seed=3)
    match.expect_prompt()
    asked_at = time.monotonic()
    match.asked.connection.expect_silence(timeout - SECONDS_OF_SILENCE, "S1-26")
    late = timeout + target.settings.grace_ms / 1000 + target.patience_seconds
    left = late - (time.monotonic() - asked_at)
    received = match.asked.connection.receives_something(left)
    demand(received, "S1-26", f"a disqualification within {late:.0f} s", "nothing")
    other = match.other
    _expect_disqualified(target, match.asked, "S1-26")
    target.saw("S1-26")
    _expect_winner(target, other)


@CHECKLIST.covers("X-06")
def a_prompt_may_be_answered_after_the_opponent_has_left(target: TournamentTarget) -> None:
    """Answer a prompt after the opponent has left (X-06)."""
    check_open_prompt(
        TournamentMatch(target, next_pair(started(target)), seed=4),
        read_end=lambda player: player.read(WINNER, "S1-30"),
        is_end=lambda message: message == WINNER,
    )


@CHECKLIST.covers("X-01")
def how_messages_are_cut_does_not_matter(target: TournamentTarget) -> None:
    """Send messages byte by byte, and several in one segment (X-01)."""
    with target.blaming("X-01"):
        match = TournamentMatch(target, next_pair(_sign_up(target, b'"%s"\n')), seed=5)
        match.expect_prompt()
        asked = match.asked
        cell = _write(asked.write(match.choose(), match.position))
        asked.connection.send_in_pieces(b'["check-placement",' + cell + b"]\n")
        asked.expect_boolean(True, "S1-08")
        asked.connection.send(b'["check-placement",' + cell + b"]\n" + cell + b"\n")
        asked.expect_boolean(True, "S1-08")
        asked.expect(f"{asked.name}1", "S1-09")
    target.saw("X-01")


@CHECKLIST.covers("X-04")
def blanks_and_line_breaks_do_not_matter(target: TournamentTarget) -> None:
    """Sign up with CRLF, blanks and without a line break (X-04)."""
    check_blanks(target, lambda: _sign_up(target, b'\r\n "%s" '))


def _ask_about_moves(target: TournamentTarget, match: TournamentMatch) -> None:
    """Ask about legal and illegal moves, and play the legal ones."""
    match.expect_prompt()
    move = match.choose()
    _ask(match, "check-placement", match.asked.write(move, match.position), True)
    match.play(move)
    match.expect_prompt()
    taken = match.position.workers_of(Seat.FIRST)[0]
    move = match.choose()
    for cell, truth in ((taken, False), (OFF_BOARD, False)):
        _ask(match, "check-placement", match.asked.write_cell(cell), truth)
    match.play(move)
    target.saw("S1-08")
    while match.position.is_placing:
        match.expect_prompt()
        match.answer()
    match.expect_prompt()
    for illegal in list(illegal_turns(match.position))[:3]:
        _ask(match, "check-turn", match.asked.write(illegal, match.position), False)
    move = match.choose()
    _ask(match, "check-turn", match.asked.write(move, match.position), True)
    match.play(move)
    match.play_on(prompts=2)
    # The boards of the prompts that followed show that the questions changed nothing.
    target.saw("S1-12", "S1-28")


def _ask(match: TournamentMatch, kind: str, request: object, truth: bool) -> None:
    match.asked.send([kind, request])
    match.asked.expect_boolean(truth, "S1-08" if kind == "check-placement" else "S1-12")


def _is_over(
    target: TournamentTarget, players: list[TournamentPlayer], games: list[list[str]]
) -> bool:
    """Return whether all games are played, without reading the next message.

    A pair plays three games, or stops when one player has won two: that is open (S1-Q10).
    """
    wanted = target.settings.games
    pairs = list(itertools.combinations([player.name for player in players], 2))
    played = Counter(frozenset(game) for game in games)
    wins = Counter((game[0], game[1]) for game in games)
    needed = wanted // 2 + 1
    counts = {pair: played[frozenset(pair)] for pair in pairs}
    is_decided = {pair: max(wins[pair], wins[pair[::-1]]) >= needed for pair in pairs}
    if max(counts.values()) > wanted:
        raise ClauseError(f"{wanted} games of every pair", f"{counts}", "S1-16")
    if all(count == wanted for count in counts.values()):
        return True
    next_is_result = any(player.starts_with(b"[[", 0) for player in players)
    if not next_is_result and all(is_decided.values()):
        patience = target.patience_seconds
        next_is_result = all(player.starts_with(b"[[", patience) for player in players)
    if not next_is_result:
        return False
    fits = all(is_decided.values())
    shown_counts = ", ".join(f"{one} and {other}: {counts[one, other]}" for one, other in pairs)
    demand(fits, "S1-16", f"{wanted} games of every pair", shown_counts)
    target.differs("S1-Q10", f"a pair stops when it is decided ({shown_counts})")
    return True


def _compare_games(
    target: TournamentTarget, listed: list[list[str]], games: list[list[str]]
) -> None:
    """Check that the list has all games, or one entry for each pair (S1-Q24)."""
    if sorted(listed) == sorted(games):
        return
    wins = Counter(map(tuple, games))
    best = sorted([one, other] for (one, other) in wins if wins[one, other] > wins[other, one])
    demand(sorted(listed) == best, "S1-17", f"the games {games}", listed)
    target.differs("S1-Q24", "the tournament-result lists pairs, not games")


def _expect_idle(player: TournamentPlayer) -> None:
    """Check that a player without a game receives nothing of the game of others."""
    if not player.connection.kept:
        return
    early = player.read("the name of an opponent", "S1-06")
    is_prompt = isinstance(early, list) and early[:1] in (["place"], ["turn"])
    demand(not is_prompt and early not in RESULTS, "S1-29", "nothing of others' game", early)
    player.put_back(early)


def _disqualify_all(target: TournamentTarget, violations: list[Violation], clause: str) -> None:
    """Commit one violation in each game, for which the player who is asked is disqualified."""
    names = ("ann", "bob", "cat", "dan", "eve")
    players = started(target, names[: len(violations) + 1])
    gone: list[str] = []
    for number, violation in enumerate(violations[: len(players) - 1]):
        match = TournamentMatch(target, next_pair(players), number)
        match.expect_prompt()
        while (line := violation(match)) is None:
            match.answer()
            match.expect_prompt()
        guilty, honest = match.asked, match.other
        guilty.connection.send(line + b"\n")
        _expect_disqualified(target, guilty, clause)
        _expect_winner(target, honest)
        gone.append(guilty.name)
        players.remove(guilty)
    target.saw(clause)
    if clause == "S1-25" and len(gone) == len(violations):
        target.saw("S1-31")
    cheaters, _ = read_result(players[0])
    demand(sorted(cheaters) == sorted(gone), "S1-17", f"the cheaters {gone}", cheaters)


def _expect_disqualified(
    target: TournamentTarget, guilty: TournamentPlayer, clause: str, answers: int = 0
) -> None:
    """Expect CHEATER and the end of the connection; one of the two is enough (S1-Q20).

    Args:
        answers: the number of booleans that may come before it.
    """
    for _ in range(answers + 1):
        if not guilty.connection.receives_something(target.patience_seconds):
            raise ClauseError("a disqualification", "nothing in time", clause)
        if guilty.connection.has_ended:
            target.differs("S1-Q20", "a disqualified player does not receive CHEATER")
            return
        message = guilty.read(CHEATER, clause)
        if not (answers and isinstance(message, bool)):
            break
    demand(message == CHEATER, clause, f'"{CHEATER}" or the end of the connection', message)
    if not guilty.connection.receives_something(target.patience_seconds) or guilty.connection.kept:
        target.differs("S1-Q20", "a disqualified player stays connected")


def _expect_winner(target: TournamentTarget, honest: TournamentPlayer) -> None:
    """Expect the opponent of a disqualified player to win (S1-30)."""
    honest.expect(WINNER, "S1-30")
    target.saw("S1-30")


def _sign_up(target: TournamentTarget, form: bytes) -> list[TournamentPlayer]:
    """Sign players up in this form, byte by byte; return them when their tournament has begun."""
    names = usual_names(target)
    require_tournament(target.settings, len(names))
    players = [TournamentPlayer(target, name) for name in names]
    for player in players:
        player.connection.send_in_pieces(form % player.signed_up_as.encode())
    return learn_names(target, players)


def _says(line: bytes) -> Violation:
    return lambda match: line


def _write(value: object) -> bytes:
    return json.dumps(value).encode()


def _off_the_board(match: TournamentMatch) -> bytes | None:
    return _write(match.asked.write_cell(OFF_BOARD))


def _on_a_worker(match: TournamentMatch) -> bytes | None:
    taken = [cell for seat in Seat for cell in match.position.workers_of(seat)]
    return _write(match.asked.write_cell(taken[0])) if taken else None


def _against_the_rules(match: TournamentMatch) -> bytes | None:
    if match.position.is_placing:
        return None
    turn = next(illegal_turns(match.position), None)
    return _write(match.asked.write(turn, match.position)) if turn else None
