"""The checks of the go-text protocol.

The document has a server that plays one game and exits, so the first check covers as much as
possible. The others need a server that plays more games, or that is started again.
"""

from gamehall.conformance.checklist import Checklist, ClientRules, read_clauses
from gamehall.conformance.connection import ClauseError, ServerGoneError, demand
from gamehall.protocols.go_text.conformance.player import (
    KOMI,
    QUESTIONS,
    SECONDS_OF_SILENCE,
    SIZE,
    BlackAndWhite,
    GoPlayer,
    GoTextKnowledge,
    GoTextTarget,
    WantedTerms,
    agreed,
    expect_start,
    expect_stone,
    first_player,
    pass_to,
    place_handicap_stone,
    play_stone,
    play_stones,
    read_both_terms,
    read_end,
    seated,
)

CHECKLIST = Checklist(
    read_clauses("gamehall.protocols.go_text"),
    [],
    knowledge=GoTextKnowledge,
    client=ClientRules(
        clauses={
            "C-01": "G-03",
            "C-02": "G-31",
            "C-03": "G-18",
            "C-04": "G-22",
            "C-06": "G-26",
            "C-07": "G-07",
        },
        # The first player chooses its color.
        answers=lambda seat: {"color": str(seat.value)},
    ),
)

FAR_OFF = SIZE + 3
"""A line that is on no board of this size, whether lines are counted from 0 or from 1."""

HALF = len(QUESTIONS) // 2


@CHECKLIST.covers(
    "G-01", "G-02", "G-03", "G-04", "G-05", "G-06", "G-07", "G-08", "G-10", "G-12", "G-13",
    "G-14", "G-15", "G-16", "G-17", "G-18", "G-19", "G-20", "G-21", "G-22", "G-23", "G-25",
    "G-26", "G-27", "G-29", "G-30", "G-31", "X-03", "X-05",
)  # fmt: skip
def one_game_from_the_first_question_to_the_end(target: GoTextTarget) -> None:
    """Play one game, in which most clauses can be seen.

    The first player answers each QUERY badly (G-04) and then well (G-03), while the second waits
    (G-05). Both get and confirm TERMS (G-06 to G-10). Black places a handicap stone and stops early
    (G-12, G-13), white moves too early (G-16), both make illegal moves and moves out of turn (G-18,
    G-22), a stone is captured, and two passes end the game with its score (G-25 to G-30).
    """
    wishes = WantedTerms(handicap=3)
    pair = _agree_step_by_step(target, wishes)
    black, white = pair
    # On the diagonal X and Y are equal, so that G-20 is not checked before G-12.
    place_handicap_stone(pair, 6, 6)
    target.saw("G-12")
    black.send("PASS")
    _expect_start_after_pass(pair)
    target.saw("G-14")
    stones = 5 + _white_cannot_begin(pair)
    black.play(6, 6)
    black.expect("ERROR", "G-13")
    target.saw("G-13")
    play_stone(black, white, 3, 4)
    # So it was black's turn, and Y came before X.
    target.saw("G-15", "G-17", "G-19", "G-20")
    is_kept = _moves_out_of_turn(black, (4, 3))
    for row, column in ((3, 4), (FAR_OFF, 4), (4, FAR_OFF)):
        white.play(row, column)
        white.expect("ERROR", "G-18")
    play_stone(white, black, 4, 4)
    target.saw("G-18")
    if is_kept:
        _expect_kept_stone(pair, (4, 3))
    else:
        play_stone(black, white, 4, 3)
    # It was black's turn only after white's move.
    target.saw("G-22")
    pass_to(white, black)
    target.saw("G-21")
    play_stone(black, white, 4, 5)
    pass_to(white, black)
    play_stone(black, white, 5, 4)
    # White's stone is captured, and all empty points are black's territory.
    _end(target, pair, (1, 0, SIZE * SIZE - stones, 0), stones=(stones, 0))
    target.saw("G-31", "X-03", "X-05")


@CHECKLIST.covers("G-24", "G-26", "G-27", "G-28", "G-11", "G-12", "G-14", "G-15", "X-05")
def black_uses_its_handicap_and_white_resigns(target: GoTextTarget) -> None:
    """Place all handicap stones, which begins the game (G-11, G-14), and resign (G-24, G-28).

    Black gets its GAMEOVER although it sends messages at the same time (X-05).
    """
    pair = agreed(target, WantedTerms(color=2, handicap=2))
    black, white = pair
    place_handicap_stone(pair, 2, 2)
    place_handicap_stone(pair, 6, 6)
    _skip_success(black)
    expect_start(pair)
    target.saw("G-11", "G-12", "G-14")
    play_stone(black, white, 4, 4)
    target.saw("G-15")
    white.send("RESIGN")
    black.send("PASS\nPASS\nPASS")
    _skip_errors(black)
    ends = [read_end(player, target, "G-24", is_resignation=True) for player in pair]
    target.saw("G-24", "G-26")
    demand(ends[0].won and not ends[1].won, "G-27", "black to have won", ends)
    target.saw("G-27", "G-28", "X-05")


@CHECKLIST.covers("G-09", "G-08")
def a_no_of_the_second_player_ends_the_session(target: GoTextTarget) -> None:
    """Send TERMSCONFIRM No as the second player, which closes both connections (G-09)."""
    _decline_terms(target, "Yes", "No")


@CHECKLIST.covers("G-09", "G-08")
def a_no_of_the_first_player_ends_the_session(target: GoTextTarget) -> None:
    """Send TERMSCONFIRM No as the first player, which closes both connections (G-09)."""
    _decline_terms(target, "No", "Yes")


@CHECKLIST.covers("G-22", "G-21")
def two_passes_not_in_sequence_do_not_end_the_game(target: GoTextTarget) -> None:
    """Pass, play a stone and pass, which must not end the game (G-21, G-22)."""
    pair = agreed(target)
    pass_to(pair.black, pair.white)
    play_stone(pair.white, pair.black, 4, 4)
    pass_to(pair.black, pair.white)
    play_stone(pair.white, pair.black, 4, 5)
    target.saw("G-21", "G-22")


@CHECKLIST.covers("G-18")
def a_ko_cannot_be_taken_back_at_once(target: GoTextTarget) -> None:
    """Retake a ko at once and after a move elsewhere (G-18); the rules of Go are open (G-Q19)."""
    pair = agreed(target)
    black, white = pair
    play_stones(pair, [(2, 1), (2, 4), (1, 2), (1, 3), (3, 2), (3, 3), (7, 7), (2, 2), (2, 3)])
    # Black has just captured the stone on 2 2, from where white would recapture the one on 2 3.
    white.play(2, 2)
    if _is_refused(target, white, "a ko may be taken back at once"):
        play_stone(white, black, 7, 1)
        play_stone(black, white, 7, 6)
        play_stone(white, black, 2, 2)
        target.saw("G-18")


@CHECKLIST.covers("G-18")
def suicide_cannot_be_played(target: GoTextTarget) -> None:
    """Play a stone without liberties (G-18); the rules of Go are open (G-Q19)."""
    pair = agreed(target)
    play_stones(pair, [(4, 3), (7, 7), (4, 5), (7, 6), (3, 4), (7, 5), (5, 4)])
    pair.white.play(4, 4)
    if _is_refused(target, pair.white, "suicide is allowed"):
        target.saw("G-18")


@CHECKLIST.covers("X-01")
def how_messages_are_cut_does_not_matter(target: GoTextTarget) -> None:
    """Send lines byte by byte, and several in one segment (X-01)."""
    with target.blaming("X-01"):
        _play_in_pieces(target)
    target.saw("X-01")


@CHECKLIST.covers("X-04")
def blanks_and_line_breaks_do_not_matter(target: GoTextTarget) -> None:
    """Answer with CRLF, blank lines and more than one blank (X-04)."""
    first = first_player(target)
    try:
        for number in range(len(QUESTIONS)):
            question = first.read_question(number)
            first.connection.send(b"\r\n")
            first.connection.send(
                f"RESPONSE  {question}   {_value(target, question)} \r\n".encode()
            )
        second = GoPlayer(target)
        read_both_terms(first, second, WantedTerms())
    except ClauseError as broken:
        target.differs("X-04", f"blanks, CRLF or blank lines are not understood: {broken}")
        return
    target.saw("X-04")


def _decline_terms(target: GoTextTarget, *answers: str) -> None:
    players = seated(target, WantedTerms())
    for player, answer in zip(players, answers, strict=True):
        player.send(f"TERMSCONFIRM {answer}")
    for player in players:
        player.connection.expect_end("G-09")
    target.saw("G-09", "G-08")


def _agree_step_by_step(target: GoTextTarget, wishes: WantedTerms) -> BlackAndWhite:
    """Go from the first QUERY to TERMSOK, with all mistakes that a player can make."""
    first = first_player(target)
    for number in range(HALF):
        _answer_badly_then_well(first, wishes, number)
    second = _connect_early(target)
    for number in range(HALF, len(QUESTIONS)):
        _answer_badly_then_well(first, wishes, number)
    target.saw("G-01", "G-02", "G-04")
    second = second or GoPlayer(target)
    read_both_terms(first, second, wishes)
    target.saw("G-05")
    second.send("TERMSCONFIRM Yes")
    first.connection.expect_silence(SECONDS_OF_SILENCE, "G-10")
    second.connection.expect_silence(0, "G-10")
    first.send("TERMSCONFIRM Yes")
    for player in (first, second):
        player.expect("TERMSOK", "G-10")
    target.saw("G-08", "G-10")
    return BlackAndWhite(first, second)


def _connect_early(target: GoTextTarget) -> GoPlayer | None:
    """Connect a second player before the first has answered; None if it is refused (G-Q06)."""
    try:
        second = GoPlayer(target)
        if not second.connection.receives_something(SECONDS_OF_SILENCE):
            return second
        demand(
            not second.connection.kept, "G-05", "silence while the first is asked", second.peek()
        )
    except ServerGoneError:
        # A server may listen again only when the first player has answered.
        pass
    target.differs("G-Q06", "a second player who connects early is refused")
    return None


def _answer_badly_then_well(player: GoPlayer, wishes: WantedTerms, number: int) -> None:
    question = player.read_question(number)
    player.send(f"RESPONSE {question} nonsense")
    player.expect("ERROR", "G-04")
    player.expect(f"QUERY {question}", "G-04")
    player.respond(question, wishes)


def _expect_start_after_pass(pair: BlackAndWhite) -> None:
    """Expect START; OPPONENTPASS and SUCCESS may come before it (G-Q12)."""
    for player, name in ((pair.black, "SUCCESS"), (pair.white, "OPPONENTPASS")):
        if player.peek(player.target.patience_seconds) == name:
            player.expect(name, "G-13")
            player.target.differs("G-Q12", f"{name} comes before START")
        if player.peek(player.target.patience_seconds) == "":
            _find_out_why_not_started(pair)
        player.expect("START", "G-14")


def _find_out_why_not_started(pair: BlackAndWhite) -> None:
    """Place all handicap stones: if the game starts now, the PASS was ignored (G-13)."""
    pair.black.play(2, 2)
    pair.black.play(2, 6)
    while (name := pair.black.peek()) in ("SUCCESS", "ERROR"):
        pair.black.expect(name, "G-11")
    demand(name != "START", "G-13", "START after the PASS", "START when all stones were placed")


def _white_cannot_begin(pair: BlackAndWhite) -> int:
    """Play a stone too early, which must have no effect, neither now nor later (G-16).

    Return the number of stones that black has played to find out.
    """
    pair.white.play(2, 2)
    is_ignored = pair.white.peek(pair.white.target.patience_seconds) == ""
    if is_ignored:
        pair.white.target.differs("G-Q29", "a move out of turn is ignored, without ERROR")
        # If it was kept, it is played after this stone of black.
        play_stone(pair.black, pair.white, 7, 7)
        name = pair.white.peek()
        demand(name == "", "G-16", "the early PLAY of white to have no effect", name)
        pass_to(pair.white, pair.black)
    else:
        pair.white.expect("ERROR", "G-16")
        demand(pair.black.peek(0) == "", "G-16", "no message to black", "a message")
    pair.white.target.saw("G-16")
    return int(is_ignored)


def _moves_out_of_turn(player: GoPlayer, point: tuple[int, int]) -> bool:
    """Play out of turn. Return True if there is no ERROR: the move may be kept (G-Q29)."""
    player.play(*point)
    if player.peek(player.target.patience_seconds) == "":
        return True
    player.expect("ERROR", "G-22")
    return False


def _expect_kept_stone(pair: BlackAndWhite, point: tuple[int, int]) -> None:
    """Expect the stone that black has played too early; play it again if it was not kept."""
    pair.black.target.differs("G-Q29", "a move out of turn gets no ERROR")
    if pair.black.peek() == "":
        pair.black.play(*point)
    expect_stone(pair.black, pair.white, *point)


def _is_refused(target: GoTextTarget, mover: GoPlayer, difference: str) -> bool:
    """Return whether a move is refused; if it is not, note the difference."""
    if mover.peek(target.patience_seconds) == "SUCCESS":
        target.differs("G-Q19", difference)
        return False
    mover.expect("ERROR", "G-18")
    return True


def _end(
    target: GoTextTarget,
    pair: BlackAndWhite,
    counts: tuple[int, int, int, int],
    stones: tuple[int, int],
) -> None:
    """Pass twice and compare the score.

    Args:
        counts: the stones captured by black and by white, and their territories.
        stones: the numbers of stones on the board.
    """
    pass_to(pair.white, pair.black)
    pair.black.send("PASS")
    if pair.white.peek(target.patience_seconds) == "OPPONENTPASS":
        pair.white.expect("OPPONENTPASS", "G-21")
    else:
        target.differs("G-Q27", "the pass that ends the game is not announced")
    black, white = [read_end(player, target, "G-25", is_resignation=False) for player in pair]
    target.saw("G-26")
    captured, lost, own, others = counts
    demand(black.counts == (captured, lost, own, others), "G-25", f"{counts}", black.counts)
    demand(white.counts == (lost, captured, others, own), "G-29", "them mirrored", white.counts)
    target.saw("G-25", "G-29")
    _compare_totals(target, black.totals, white.totals, counts, stones)
    verdicts = (black.won, white.won)
    demand(verdicts == (True, False), "G-27", "black to have won, and white not", verdicts)
    target.saw("G-27")


def _compare_totals(
    target: GoTextTarget,
    black: tuple[float, ...],
    white: tuple[float, ...],
    counts: tuple[int, int, int, int],
    stones: tuple[int, int],
) -> None:
    if not black or not white:
        target.cannot_see("G-30", "GAMEOVER has no totals")
        return
    captured, lost, own, others = counts
    demand(white == black[::-1], "G-29", "the totals mirrored", (black, white))
    by_territory = (float(captured + own), lost + others + KOMI)
    by_area = (float(stones[0] + own), stones[1] + others + KOMI)
    if black == by_area and black != by_territory:
        target.differs("G-Q21", "stones and territory are counted, and not captures")
        target.cannot_see("G-30", "the server counts area")
        return
    demand(black == by_territory, "G-30", f"totals of {by_territory}", black)
    target.saw("G-30")


def _play_in_pieces(target: GoTextTarget) -> None:
    first = first_player(target)
    for number in range(len(QUESTIONS)):
        question = first.read_question(number)
        first.connection.send_in_pieces(
            f"RESPONSE {question} {_value(target, question)}\n".encode()
        )
    second = GoPlayer(target)
    read_both_terms(first, second, WantedTerms())
    for player in (first, second):
        player.connection.send_in_pieces(b"TERMSCONFIRM Yes\n")
    for player in (first, second):
        player.expect("TERMSOK", "G-10")
        player.expect("START", "G-14")
    play_stone(first, second, 4, 4)
    # Two messages in one segment: an illegal stone and a legal one.
    base = target.settings.base
    second.connection.send("".join(f"PLAY {4 + base} {x + base}\n" for x in (4, 5)).encode())
    second.expect("ERROR", "G-18")
    expect_stone(second, first, 4, 5)


def _value(target: GoTextTarget, question: str) -> str:
    """Return the answer of a player who wants black, in the words that the server accepts."""
    words = target.known.color_words[0]
    return str({**WantedTerms()._asdict(), "color": words[1]}[question])


def _skip_success(player: GoPlayer) -> None:
    """Skip the SUCCESS for the last handicap stone, if it comes only now."""
    if player.peek() == "SUCCESS":
        player.expect("SUCCESS", "G-11")


def _skip_errors(player: GoPlayer) -> None:
    """Skip the answers to moves that were out of turn."""
    while player.peek(player.target.patience_seconds) == "ERROR":
        player.expect("ERROR", "G-24")
