"""The checks of the santorini-lobby protocol.

The document has a server that plays one tournament, so the first check covers as much as possible.
"""

import itertools
import time

from gamehall.conformance.checklist import Checklist, ClientRules, read_clauses
from gamehall.conformance.connection import CheckSkippedError, ClauseError, demand
from gamehall.conformance.tournaments import (
    SECONDS_OF_SILENCE,
    check_blanks,
    check_open_prompt,
    expect_close,
    next_receiver,
    require_timeout,
    usual_names,
)
from gamehall.games.santorini import Cell
from gamehall.games.santorini.samples import illegal_turns
from gamehall.protocols.santorini_lobby.conformance.player import (
    END_MESSAGES,
    LobbyKnowledge,
    LobbyMatch,
    LobbyPlayer,
    LobbyTarget,
    first_pair,
    gathered,
    joined,
    needs_board,
    next_pair,
    require,
    started,
)

CHECKLIST = Checklist(
    read_clauses("gamehall.protocols.santorini_lobby"),
    [],
    unchecked={"S0-07": "it is something that may happen, not something that must"},
    knowledge=LobbyKnowledge,
    client=ClientRules(
        clauses={
            "C-01": "S0-02",
            "C-02": "S0-21 S0-17",
            "C-03": "S0-24",
            "C-04": "S0-13 S0-15",
            "C-05": "S0-18 S0-05",
            "C-06": "S0-20",
        },
        # A client that is not shown the board has to try until it finds a legal answer.
        settings={"max-retries": 100},
        # The board follows the name of a prompt, for clients that have asked to be shown it.
        shows_board=lambda prompt: b"get_" not in prompt or b"[[" in prompt,
        needs_board=needs_board,
    ),
)

LONGEST_KEEPALIVE = 6.0
MOST_GAMES = 12
OFF_BOARD = Cell(9, 9)


@CHECKLIST.covers(
    "S0-01", "S0-02", "S0-03", "S0-04", "S0-05", "S0-06", "S0-08", "S0-09", "S0-10", "S0-11",
    "S0-12", "S0-13", "S0-14", "S0-15", "S0-16", "S0-17", "S0-19", "S0-20", "S0-21", "S0-22",
    "X-03", "X-05",
)  # fmt: skip
def a_tournament_of_three(target: LobbyTarget) -> None:
    """Play a whole tournament, in which most clauses can be seen.

    One player waits and gets keepalives (S0-01 to S0-06). Two more join, all get an id (S0-08), and
    every pair plays (S0-20): placements in turn (S0-13), turns under either name (S0-16), and the
    end for both (S0-19).
    """
    require(target, 3)
    ann = LobbyPlayer(target, "ann")
    ann.connection.expect_silence(SECONDS_OF_SILENCE, "S0-01")
    target.saw("S0-01")
    ann.join()
    _keep_alive(target, ann)
    players = gathered(target, [ann, *joined(target, ["bob", "cat"])])
    met: list[frozenset[str]] = []
    pair = first_pair(players)
    while pair and len(met) < MOST_GAMES:
        met.append(frozenset(player.name for player in pair))
        idle = [player for player in players if player not in pair]
        match = LobbyMatch(target, pair, seed=len(met))
        match.play_on()
        match.saw_a_whole_game()
        for player in idle:
            _expect_idle(player)
        pair = _next_pair_if_any(target, players, met)
    target.saw("X-03")
    if len(players) > 2:
        target.saw("S0-20", "S0-22")
    else:
        for clause in ("S0-20", "S0-22"):
            target.cannot_see(clause, "a tournament begins with two players, who play one game")
    expect_close(players, "S0-Q25", "the last game")


@CHECKLIST.covers("S0-24", "S0-17")
def illegal_moves_are_not_accepted(target: LobbyTarget) -> None:
    """Send illegal placements and turns, which must not be carried out (S0-24).

    Whether the player is asked again or disqualified is open (S0-Q19).
    """
    match = started(target)
    match.expect_prompt()
    match.asked.place(OFF_BOARD)
    if not _is_asked_again(match, "S0-24"):
        target.saw("S0-24")
        return
    match.answer()
    taken = next(cell for seat in match.position.workers for cell in seat)
    size = target.settings.board
    match.expect_prompt()
    match.asked.place(Cell(taken // size, taken % size))
    if not _is_asked_again(match, "S0-24"):
        target.saw("S0-24")
        return
    match.answer()
    match.play_on(prompts=4)
    match.expect_prompt()
    name = target.known.turn_names[0]
    for turn in list(illegal_turns(match.position))[:2]:
        match.asked.move(turn, name)
        if not _is_asked_again(match, "S0-24"):
            target.saw("S0-24")
            return
    target.saw("S0-24")
    match.asked.send([name, [[0, 0], ["North", "South"]]])
    if _is_asked_again(match, "S0-17"):
        match.answer()
        match.play_on()
    target.saw("S0-17")


@CHECKLIST.covers("S0-18", "S0-19", "S0-23")
def a_late_answer_disqualifies(target: LobbyTarget) -> None:
    """Leave a prompt unanswered: its player is disqualified, and the game ends (S0-18).

    How long a player has is open (S0-Q21). A late stillalive is not an answer (S0-23).
    """
    match = started(target)
    match.expect_prompt()
    # A server that accepts no placement at all must not be blamed for the stillalive.
    match.answer()
    match.expect_prompt()
    late = match.asked
    late.send(["stillalive"])
    match.answer()
    match.expect_prompt("S0-23")
    asked_at = time.monotonic()
    # Had it been taken for an answer, its sender would have been asked again.
    late.connection.expect_silence(SECONDS_OF_SILENCE, "S0-23")
    target.saw("S0-23")
    timeout = target.settings.move_timeout
    require_timeout(timeout, "move-timeout")
    longest = timeout + target.settings.grace_ms / 1000 + target.patience_seconds
    if not match.other.connection.receives_something(longest):
        target.differs("S0-Q21", f"a prompt may be left unanswered for more than {longest:.0f} s")
        raise CheckSkippedError(f"no player was disqualified in {longest:.0f} s (set move-timeout)")
    seconds = time.monotonic() - asked_at
    if seconds < timeout - SECONDS_OF_SILENCE:
        target.differs("S0-Q21", f"a prompt must be answered in {seconds:.1f} s")
    match.other.expect_end("S0-18")
    target.saw("S0-18")


@CHECKLIST.covers("X-06")
def a_prompt_may_be_answered_after_the_opponent_has_left(target: LobbyTarget) -> None:
    """Answer a prompt after the opponent has left (X-06)."""
    check_open_prompt(
        started(target),
        read_end=lambda player: player.read_message('["end_of_game"]', "S0-19"),
        is_end=lambda message: message[0] in END_MESSAGES,
    )


@CHECKLIST.covers("X-01")
def how_messages_are_cut_does_not_matter(target: LobbyTarget) -> None:
    """Send messages byte by byte, and several in one segment (X-01)."""
    names = usual_names(target)
    require(target, len(names))
    players = [LobbyPlayer(target, name) for name in names]
    with target.blaming("X-01"):
        for player in players:
            player.connection.send_in_pieces(f'["join","{player.name}"]\n'.encode())
        players[0].connection.send(b'["stillalive"]\n["stillalive"]\n')
        match = LobbyMatch(target, first_pair(gathered(target, players)), seed=1)
        match.expect_prompt()
        base = target.settings.base + 1
        match.asked.connection.send_in_pieces(f'["give_placement",[{base},{base}]]\n'.encode())
        match.other.expect("get_placement", "S0-13")
    target.saw("X-01")


@CHECKLIST.covers("X-04")
def blanks_and_line_breaks_do_not_matter(target: LobbyTarget) -> None:
    """Join with CRLF, blanks, a blank line and without a line break (X-04)."""
    names = usual_names(target)
    require(target, len(names))
    players = [LobbyPlayer(target, name) for name in names]

    def sign_up() -> None:
        for player in players:
            player.connection.send(f'\r\n ["join" , "{player.name}"]'.encode())
        gathered(target, players)

    check_blanks(target, sign_up)


def _keep_alive(target: LobbyTarget, player: LobbyPlayer) -> None:
    """Expect a keepalive after each stillalive, and none before it."""
    began = time.monotonic()
    if not player.connection.receives_something(LONGEST_KEEPALIVE):
        for clause in ("S0-04", "S0-05", "S0-06"):
            target.cannot_see(clause, f"there was no keepalive in {LONGEST_KEEPALIVE:.0f} s")
        return
    every = time.monotonic() - began
    player.expect("keepalive", "S0-03")
    target.saw("S0-02", "S0-03")
    if target.settings.keepalive_timeout > every + SECONDS_OF_SILENCE:
        player.connection.expect_silence(every + SECONDS_OF_SILENCE, "S0-06")
    for _ in range(2):
        player.send(["stillalive"])
        player.expect("keepalive", "S0-04", every + target.patience_seconds)
    target.saw("S0-04", "S0-05", "S0-06")
    player.send(["stillalive"])


def _expect_idle(player: LobbyPlayer) -> None:
    """Check that a player without a game receives nothing but the start of its next one."""
    if not player.connection.kept:
        return
    early = player.read_message("start_of_game", "S0-12")
    demand(early == ["start_of_game"], "S0-22", "nothing during the game of others", early)
    player.put_back(early)


def _next_pair_if_any(
    target: LobbyTarget, players: list[LobbyPlayer], met: list[frozenset[str]]
) -> list[LobbyPlayer]:
    """Return the players of the next game, if any. Which games there are is open (S0-Q07)."""
    pairs = {*map(frozenset, itertools.combinations([player.name for player in players], 2))}
    is_all = {*met} == pairs and len(met) == len(pairs) * target.settings.games_per_pair
    if is_all and next_receiver(players, time.monotonic() + SECONDS_OF_SILENCE) is None:
        return []
    try:
        pair = next_pair(players)
    except ClauseError as broken:
        if not broken.is_silence or len(met) < 2:
            raise
        pair = []
    is_enough = bool(pair) or len(met) > 1 or len(players) < 3
    demand(is_enough, "S0-20", "more than one game among three players", "the end")
    if bool(pair) == is_all:
        target.differs("S0-Q07", "not every pair plays once, or as often as set")
    return pair


def _is_asked_again(match: LobbyMatch, clause: str) -> bool:
    """Return whether the player of an illegal answer is asked again, or disqualified (S0-Q19)."""
    asked, other = match.asked, match.other
    kind = "get_placement" if match.position.is_placing else "get_turn"
    receiver = next_receiver([asked, other], time.monotonic() + match.asked.target.patience_seconds)
    if receiver is None:
        raise ClauseError(f'["{kind}"] again, or the end', "nothing in time", clause)
    if receiver.connection.has_ended:
        message: list[object] = ["end_of_game"]
    else:
        message = receiver.read_message(f'["{kind}"] again, or the end', clause)
    if receiver is asked and message == [kind]:
        return True
    expected = f'["{kind}"] to {asked.name} again, or the end'
    demand(message[0] in END_MESSAGES, clause, expected, f"{message} to {receiver.name}")
    match.asked.target.differs("S0-Q19", "a player who gives an illegal answer is disqualified")
    return False
