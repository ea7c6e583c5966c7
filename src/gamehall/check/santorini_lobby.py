"""The clauses of document 000, played against a server."""

import time

from gamehall.check import sentences
from gamehall.check.clauses import Book
from gamehall.check.faults import Broken, CannotCheck, demand, shown
from gamehall.check.json_player import next_speaker
from gamehall.check.lobby_player import (
    SECONDS_TO_SPARE,
    Hall,
    LobbyPlayer,
    Match,
    await_ids,
    in_order,
    joined,
    require,
    started,
)
from gamehall.check.santorini_moves import illegal_turns
from gamehall.games.santorini import Cell
from gamehall.protocols.santorini_lobby.settings import IllegalRule

BOOK = Book(
    sentences.SANTORINI_LOBBY,
    [],
    {"S0-07": "it is something that may happen, not something that must"},
)

SECONDS_OF_SILENCE = 0.5
LONGEST_KEEPALIVE = 6.0
LONGEST_TIMEOUT = 25.0


@BOOK.shows("S0-01", "S0-02", "S0-03", "S0-04", "S0-05", "S0-06")
def one_who_waits_is_kept_alive(hall: Hall) -> None:
    """Before its join nothing is said; no keepalive follows another that is not answered."""
    every = hall.settings.keepalive
    if every > LONGEST_KEEPALIVE:
        raise CannotCheck(f"there is a keepalive only every {every} s (keepalive)")
    player = LobbyPlayer(hall, "ann")
    player.line.expect_silence(SECONDS_OF_SILENCE, "S0-01")
    player.send(["join", player.name])
    player.expect("keepalive", "S0-03", every + SECONDS_TO_SPARE)
    if hall.settings.keepalive_timeout > every + SECONDS_OF_SILENCE:
        player.line.expect_silence(every + SECONDS_OF_SILENCE, "S0-06")
    for _ in range(2):
        player.send(["stillalive"])
        player.expect("keepalive", "S0-04", every + SECONDS_TO_SPARE)


@BOOK.shows(
    "S0-10", "S0-08", "S0-09", "S0-11", "S0-12", "S0-13", "S0-14", "S0-15", "S0-16", "S0-17",
    "S0-19", "S0-21", "S0-24", "X-03", "X-05",
)  # fmt: skip
def two_play_a_game(hall: Hall) -> None:
    """From the ids to the end; somebody says something superfluous just before it."""
    pair = started(hall)
    for game in range(hall.settings.games_per_pair):
        if game:
            for player in pair:
                player.expect("start_of_game", "S0-20")
        match = Match(hall, pair, seed=game)
        while match.position.outcome is None:
            match.expect_prompt()
            match.other.send(["stillalive"])
            match.answer()
        match.expect_end()
    for player in pair:
        player.line.expect_end("X-05")


@BOOK.shows("S0-20", "S0-09", "S0-11", "S0-12", "S0-19", "S0-22", "S0-24")
def three_play_all_games(hall: Hall) -> None:
    """Everybody meets everybody; the third hears nothing meanwhile."""
    players = joined(hall, ["ann", "bob", "cat"])
    await_ids(hall, players)
    met: list[frozenset[str]] = []
    for number in range(3 * hall.settings.games_per_pair):
        pair = _who_begins(players)
        met.append(frozenset(player.name for player in pair))
        idle = next(player for player in players if player not in pair)
        match = Match(hall, in_order(pair), number)
        match.play_on()
        if idle.line.kept:
            early = idle.hear("start_of_game", "S0-12")
            demand(early == ["start_of_game"], "S0-22", "nothing during others' game", early)
            idle.line.kept[:0] = b'["start_of_game"]\n'
    pairs = {frozenset(pair) for pair in (("ann", "bob"), ("ann", "cat"), ("bob", "cat"))}
    demand({*met} == pairs, "S0-20", "each to meet each", [sorted(pair) for pair in met])
    for player in players:
        player.line.expect_end("X-05")


@BOOK.shows("S0-24", "S0-17")
def what_the_rules_forbid_is_not_accepted(hall: Hall) -> None:
    """Who says it is asked again or is out, as the door is set; a legal answer goes on."""
    match = Match(hall, started(hall), seed=1)
    match.expect_prompt()
    match.asked.place(Cell(9, 9))
    if hall.settings.illegal is IllegalRule.DQ or hall.settings.max_retries < 3:
        match.expect_end("S0-24")
        return
    match.expect_prompt("S0-24")
    match.answer()
    taken = next(cell for seat in match.position.workers for cell in seat)
    size = hall.settings.board
    match.expect_prompt()
    match.asked.place(Cell(taken // size, taken % size))
    match.expect_prompt("S0-24")
    match.answer()
    match.play_on(prompts=4)
    match.expect_prompt()
    for turn in list(illegal_turns(match.position))[:2]:
        match.asked.move(turn)
        match.expect_prompt("S0-24")
    match.asked.send(["give_turn", [[0, 0], ["North", "South"]]])
    match.expect_prompt("S0-17")
    match.answer()
    match.play_on()


@BOOK.shows("S0-18", "S0-19", "S0-23")
def who_says_nothing_is_disqualified(hall: Hall) -> None:
    """And not before its time; a late stillalive is no answer, and does not do harm."""
    timeout = hall.settings.move_timeout
    if not 0 < timeout <= LONGEST_TIMEOUT:
        raise CannotCheck(f"it takes {timeout} s to be out of time, 0 is never (move-timeout)")
    match = Match(hall, started(hall), seed=2)
    match.expect_prompt()
    match.asked.send(["stillalive"])
    match.answer()
    match.expect_prompt("S0-23")
    asked_at = time.monotonic()
    match.other.line.expect_silence(timeout - SECONDS_OF_SILENCE, "S0-18")
    late = timeout + hall.settings.grace_ms / 1000 + 1 - (time.monotonic() - asked_at)
    match.other.expect(hall.settings.end_message.value, "S0-18", late)


@BOOK.shows("X-06", "S0-19")
def who_has_a_prompt_may_answer_it(hall: Hall) -> None:
    """Though the other is gone meanwhile."""
    match = Match(hall, started(hall), seed=3)
    match.play_on(prompts=5)
    match.expect_prompt()
    asked = match.asked
    match.other.line.close()
    asked.line.expect_silence(SECONDS_OF_SILENCE, "X-06")
    match.answer()
    asked.expect(hall.settings.end_message.value, "X-06")


@BOOK.shows("X-01", "X-04")
def how_messages_are_cut_does_not_matter(hall: Hall) -> None:
    """Byte by byte, CRLF, blanks."""
    require(hall, 2)
    pair = [LobbyPlayer(hall, name) for name in ("ann", "bob")]
    pair[0].line.send_in_pieces(b'\r\n ["join" , "ann"]\r\n')
    pair[1].line.send(b'["join","bob"]["stillalive"]\n\n["stillalive"]')
    try:
        await_ids(hall, pair)
        for player in pair:
            player.expect("start_of_game", "X-04")
    except Broken as broken:
        broken.clause = "X-04"
        raise
    first = in_order(pair)[0]
    first.expect("get_placement", "X-04")
    base = hall.settings.base
    first.line.send_in_pieces(f'["give_placement",\r\n [{base},{base}]]'.encode())
    other = next(player for player in pair if player is not first)
    other.expect("get_placement", "X-01")


def _who_begins(players: list[LobbyPlayer]) -> list[LobbyPlayer]:
    """The two who are told that their game begins."""
    pair: list[LobbyPlayer] = []
    end = time.monotonic() + SECONDS_TO_SPARE
    while len(pair) < 2:
        speaker = next_speaker([player for player in players if player not in pair], end)
        if speaker is None:
            raise Broken("start_of_game to two players", "nothing in time", "S0-20")
        assert isinstance(speaker, LobbyPlayer)
        message = speaker.hear("start_of_game", "S0-20")
        clause = "S0-11" if message == ["keepalive"] else "S0-12"
        demand(message == ["start_of_game"], clause, '["start_of_game"]', shown(message))
        pair.append(speaker)
    return pair
