"""The clauses of document 001, played against a server.

The document has one tournament: so as much as can be is seen in the first one.
"""

import itertools
import json
import time
from collections import Counter
from collections.abc import Callable

from gamehall.conformance.checklist import Checklist, ClientRules, read_clauses
from gamehall.conformance.connection import (
    CheckSkippedError,
    ClauseError,
    ServerGoneError,
    demand,
)
from gamehall.conformance.tournaments import require_tournament, usual_names
from gamehall.core import Seat
from gamehall.games.santorini import Cell
from gamehall.games.santorini.samples import illegal_turns
from gamehall.protocols.santorini_tournament.conformance.player import (
    CHEATER,
    RESULTS,
    WINNER,
    TournamentMatch,
    TournamentPlayer,
    TournamentTarget,
    learn_names,
    read_result,
    started,
    who_begins,
)

CHECKLIST = Checklist(
    read_clauses("gamehall.protocols.santorini_tournament"),
    [],
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

SECONDS_OF_SILENCE = 0.5
LONGEST_TIMEOUT = 25.0
OFF_BOARD = Cell(9, 9)

Violation = Callable[[TournamentMatch], bytes | None]
"""What a player who is asked does wrong, None if it cannot be done at this moment."""


@CHECKLIST.shows(
    "S1-01", "S1-02", "S1-03", "S1-04", "S1-05", "S1-06", "S1-07", "S1-08", "S1-09", "S1-10",
    "S1-11", "S1-12", "S1-13", "S1-14", "S1-15", "S1-16", "S1-17", "S1-18", "S1-19", "S1-20",
    "S1-21", "S1-22", "S1-23", "S1-28", "S1-29", "X-03", "X-05",
)  # fmt: skip
def a_tournament_of_three(target: TournamentTarget) -> None:
    """A whole tournament shows most clauses.

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
        pair = who_begins(players, "S1-16" if games else "S1-06")
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


@CHECKLIST.shows("S1-27", "S1-30")
def eleven_checks_in_a_second_are_too_many(target: TournamentTarget) -> None:
    """Ten checks in a second are answered, the eleventh costs the tournament (S1-27, S1-30)."""
    allowed = target.settings.max_checks
    match = TournamentMatch(target, who_begins(started(target)), seed=2)
    match.expect_prompt()
    first = match.asked
    question = b'["check-placement",[2,2]]\n'
    first.connection.send(question * allowed)
    for _ in range(allowed):
        first.expect_boolean(True, "S1-27")
    match.play(match.choose())
    match.expect_prompt()
    second, other = match.asked, match.other
    second.connection.send(question * (allowed + 1))
    _expect_disqualified(target, second, "S1-27", answers=allowed + 1)
    target.saw("S1-27")
    _expect_winner(target, other)


@CHECKLIST.shows("S1-24", "S1-30", "S1-17")
def who_sends_what_is_malformed_is_booted(target: TournamentTarget) -> None:
    """A malformed message disqualifies its player, one player after the other (S1-24).

    The opponents win (S1-30), and the last player left is told of all cheaters (S1-17).
    """
    lines = (b'{"x":1}', b"nonsense", b"[1]", b'"a string"')
    _disqualify_all(target, [_says(line) for line in lines], "S1-24")


@CHECKLIST.shows("S1-25", "S1-30", "S1-31", "S1-17")
def who_makes_an_invalid_move_is_booted(target: TournamentTarget) -> None:
    """A worker on another or off the board, and an illegal turn, disqualify (S1-25, S1-31)."""
    _disqualify_all(target, [_off_the_board, _on_a_worker, _against_the_rules], "S1-25")


@CHECKLIST.shows("S1-26", "S1-30")
def who_does_not_answer_is_booted(target: TournamentTarget) -> None:
    """A player who is silent for five seconds, and not less, is disqualified (S1-26)."""
    timeout = target.settings.timeout
    if not 0 < timeout <= LONGEST_TIMEOUT:
        raise CheckSkippedError(f"it takes {timeout} s to be out of time, 0 is never (timeout)")
    match = TournamentMatch(target, who_begins(started(target)), seed=3)
    match.expect_prompt()
    asked_at = time.monotonic()
    match.asked.connection.expect_silence(timeout - SECONDS_OF_SILENCE, "S1-26")
    late = timeout + target.settings.grace_ms / 1000 + target.patience_seconds
    left = late - (time.monotonic() - asked_at)
    said = match.asked.connection.says_something(left)
    demand(said, "S1-26", f"who does not answer to be booted in {late:.0f} s", "nothing")
    other = match.other
    _expect_disqualified(target, match.asked, "S1-26")
    target.saw("S1-26")
    _expect_winner(target, other)


@CHECKLIST.shows("X-06")
def who_has_a_prompt_may_answer_it(target: TournamentTarget) -> None:
    """A prompt stays open when the opponent leaves, and is answered as before (X-06)."""
    match = TournamentMatch(target, who_begins(started(target)), seed=4)
    match.play_on(prompts=5)
    match.expect_prompt()
    asked = match.asked
    match.other.connection.close()
    if asked.connection.says_something(SECONDS_OF_SILENCE):
        target.differs("X-06", "the game ends at once when the other has left")
        return
    asked.send(asked.write(match.choose(), match.position))
    message = asked.read(WINNER, "S1-30")
    if message == WINNER:
        target.saw("X-06")
    else:
        target.differs("X-06", f"when the other has left, {message!r} follows")


@CHECKLIST.shows("X-01")
def how_messages_are_cut_does_not_matter(target: TournamentTarget) -> None:
    """Messages are read one byte at a time, and several from one segment (X-01)."""
    with target.blaming("X-01"):
        match = TournamentMatch(target, who_begins(_sign_up(target, b'"%s"\n')), seed=5)
        match.expect_prompt()
        asked = match.asked
        cell = _write(asked.write(match.choose(), match.position))
        asked.connection.send_in_pieces(b'["check-placement",' + cell + b"]\n")
        asked.expect_boolean(True, "S1-08")
        asked.connection.send(b'["check-placement",' + cell + b"]\n" + cell + b"\n")
        asked.expect_boolean(True, "S1-08")
        asked.expect(f"{asked.name}1", "S1-09")
    target.saw("X-01")


@CHECKLIST.shows("X-04")
def blanks_and_line_breaks_do_not_matter(target: TournamentTarget) -> None:
    """CRLF, blanks, blank lines and a missing line break are understood (X-04)."""
    try:
        _sign_up(target, b'\r\n "%s" ')
    except (ClauseError, CheckSkippedError) as error:
        if isinstance(error, ServerGoneError) or "a tournament began" not in target.known:
            raise
        target.differs("X-04", f"they do: {error}")
        return
    target.saw("X-04")


def _ask_about_moves(target: TournamentTarget, match: TournamentMatch) -> None:
    """Ask about good and bad moves; a move that was found good can be played after that."""
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
        match.play(match.choose())
    match.expect_prompt()
    for illegal in list(illegal_turns(match.position))[:3]:
        _ask(match, "check-turn", match.asked.write(illegal, match.position), False)
    move = match.choose()
    _ask(match, "check-turn", match.asked.write(move, match.position), True)
    match.play(move)
    match.play_on(prompts=2)
    # What comes after it shows that nothing was changed by asking.
    target.saw("S1-12", "S1-28")


def _ask(match: TournamentMatch, kind: str, request: object, truth: bool) -> None:
    match.asked.send([kind, request])
    match.asked.expect_boolean(truth, "S1-08" if kind == "check-placement" else "S1-12")


def _is_over(
    target: TournamentTarget, players: list[TournamentPlayer], games: list[list[str]]
) -> bool:
    """Return whether all games are played: three for every pair, or until one has won two.

    The document leaves that open (S1-Q10). The next message is looked at, but not read.
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
    """Check that a player who is not in this game is told nothing of it."""
    if not player.connection.kept:
        return
    early = player.read("the name of an opponent", "S1-06")
    is_prompt = isinstance(early, list) and early[:1] in (["place"], ["turn"])
    demand(not is_prompt and early not in RESULTS, "S1-29", "nothing of others' game", early)
    player.put_back(early)


def _disqualify_all(target: TournamentTarget, violations: list[Violation], clause: str) -> None:
    """In each game have the player who is asked do the next thing wrong, and be disqualified."""
    names = ("ann", "bob", "cat", "dan", "eve")
    players = started(target, names[: len(violations) + 1])
    gone: list[str] = []
    for number, violation in enumerate(violations[: len(players) - 1]):
        match = TournamentMatch(target, who_begins(players), number)
        match.expect_prompt()
        while (line := violation(match)) is None:
            match.play(match.choose())
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

    `answers`: how many booleans may come before it.
    """
    for _ in range(answers + 1):
        if not guilty.connection.says_something(target.patience_seconds):
            raise ClauseError("to be booted", "nothing in time", clause)
        if guilty.connection.has_ended:
            target.differs("S1-Q20", "who is booted is not told CHEATER")
            return
        message = guilty.read(CHEATER, clause)
        if not (answers and isinstance(message, bool)):
            break
    demand(message == CHEATER, clause, f'"{CHEATER}" or the end of the connection', message)
    if not guilty.connection.says_something(target.patience_seconds) or guilty.connection.kept:
        target.differs("S1-Q20", "who is booted stays connected")


def _expect_winner(target: TournamentTarget, honest: TournamentPlayer) -> None:
    """Expect that the opponent of a disqualified player has won."""
    honest.expect(WINNER, "S1-30")
    target.saw("S1-30")


def _sign_up(target: TournamentTarget, form: bytes) -> list[TournamentPlayer]:
    """Return players who sign up in this form, byte by byte, in a tournament that has begun."""
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
