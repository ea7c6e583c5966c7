"""The clauses of document 002, played against a server."""

from gamehall.check import sentences
from gamehall.check.clauses import Book
from gamehall.check.faults import CannotCheck, demand
from gamehall.check.go_text_player import (
    KOMI,
    QUESTIONS,
    SIZE,
    Hall,
    Pair,
    Player,
    Wishes,
    agreed,
    expect_start,
    first_player,
    put,
    put_all,
    read_end,
    read_terms,
    seated,
)
from gamehall.games.go import Scoring
from gamehall.protocols.go_text.settings import FirstAfterHandicap

BOOK = Book(sentences.GO_TEXT, [], {})

SECONDS_OF_SILENCE = 0.3


@BOOK.shows("G-01", "G-02", "G-03", "G-31", "X-03")
def the_first_player_is_asked_four_things(hall: Hall) -> None:
    """Each of them once."""
    asked = first_player(hall).answer(Wishes())
    demand(sorted(asked) == sorted(QUESTIONS), "G-02", ", ".join(QUESTIONS), asked)


@BOOK.shows("G-04", "G-23")
def what_cannot_be_used_is_asked_again(hall: Hall) -> None:
    """After an ERROR, and the same."""
    player = first_player(hall)
    for _ in QUESTIONS:
        words = player.read("QUERY")
        demand(words[0] == "QUERY", "G-01", "QUERY", " ".join(words))
        question = words[1]
        demand(question in QUESTIONS, "G-02", "one of the four", question)
        player.send(f"RESPONSE {question} nonsense")
        player.expect("ERROR", "G-04")
        player.expect(f"QUERY {question}", "G-04")
        player.respond(question, Wishes())


@BOOK.shows("G-05", "G-06", "G-07")
def the_second_player_waits_for_the_first(hall: Hall) -> None:
    """And is not asked anything; then both get TERMS."""
    wishes = Wishes(color=2, komi=6.5)
    first = first_player(hall)
    second = Player(hall)
    second.line.expect_silence(SECONDS_OF_SILENCE, "G-05")
    first.answer(wishes)
    read_terms(first, wishes, 2)
    read_terms(second, wishes, 1)


@BOOK.shows("G-09", "G-08")
def a_no_of_the_first_ends_it(hall: Hall) -> None:
    """For both."""
    first, second = seated(hall, Wishes())
    first.send("TERMSCONFIRM No")
    for player in (first, second):
        player.line.expect_end("G-09")


@BOOK.shows("G-09", "G-08")
def a_no_of_the_second_ends_it(hall: Hall) -> None:
    """For both, whatever the first has said."""
    first, second = seated(hall, Wishes())
    first.send("TERMSCONFIRM Yes")
    second.send("TERMSCONFIRM No")
    for player in (first, second):
        player.line.expect_end("G-09")


@BOOK.shows("G-10", "G-08", "G-14")
def both_must_say_yes(hall: Hall) -> None:
    """Before that there is no TERMSOK; after it START follows."""
    first, second = seated(hall, Wishes())
    second.send("TERMSCONFIRM Yes")
    first.line.expect_silence(SECONDS_OF_SILENCE, "G-10")
    second.line.expect_silence(0, "G-10")
    first.send("TERMSCONFIRM Yes")
    for player in (first, second):
        player.expect("TERMSOK", "G-10")
    expect_start(Pair(first, second))


@BOOK.shows("G-11", "G-12", "G-14", "G-15")
def black_places_handicap_stones(hall: Hall) -> None:
    """White hears of each; when all are placed the game starts."""
    pair = agreed(hall, Wishes(handicap=2))
    for row, column in ((2, 6), (6, 2)):
        _place(hall, pair, row, column)
    expect_start(pair)
    _move_first(hall, pair)


@BOOK.shows("G-13", "G-11", "G-12", "G-14")
def a_pass_ends_the_handicap_stones(hall: Hall) -> None:
    """Those that are placed stay."""
    pair = agreed(hall, Wishes(handicap=4))
    _place(hall, pair, 2, 6)
    pair.black.send("PASS")
    expect_start(pair)
    mover = pair.black if _black_is_first(hall) else pair.white
    mover.play(2, 6)
    mover.expect("ERROR", "G-13")


@BOOK.shows("G-15", "G-16", "G-23")
def black_plays_first(hall: Hall) -> None:
    """Also if black is who came second; white gets an ERROR, which changes nothing."""
    pair = agreed(hall, Wishes(color=2))
    pair.white.play(4, 4)
    pair.white.expect("ERROR", "G-16")
    put(pair.black, pair.white, 4, 4)


@BOOK.shows("G-20", "G-17", "G-19", "G-22")
def stones_are_relayed_as_they_were_said(hall: Hall) -> None:
    """Y first, and turn by turn: whoever is not to move gets an ERROR."""
    pair = agreed(hall)
    put(pair.black, pair.white, 2, 6)
    pair.black.play(3, 3)
    pair.black.expect("ERROR", "G-22")
    put(pair.white, pair.black, 0, 8)
    pair.white.send("PASS")
    pair.white.expect("ERROR", "G-22")
    put(pair.black, pair.white, 7, 1)


@BOOK.shows("G-18", "G-26")
def a_stone_that_cannot_be_placed(hall: Hall) -> None:
    """On another, beyond the edge; the same player tries again, and nobody is sent away."""
    pair = agreed(hall)
    put(pair.black, pair.white, 4, 4)
    for row, column in ((4, 4), (SIZE, 0), (0, SIZE)):
        pair.white.play(row, column)
        pair.white.expect("ERROR", "G-18")
    put(pair.white, pair.black, 4, 5)


@BOOK.shows("G-18")
def suicide_cannot_be_played(hall: Hall) -> None:
    """A stone in a corner that black has closed."""
    if hall.settings.suicide:
        raise CannotCheck("suicide is allowed here (suicide)")
    pair = agreed(hall)
    put_all(pair, [(0, 1), (8, 8), (1, 0)])
    pair.white.play(0, 0)
    pair.white.expect("ERROR", "G-18")


@BOOK.shows("G-18")
def a_ko_cannot_be_taken_back_at_once(hall: Hall) -> None:
    """But after a move elsewhere."""
    pair = agreed(hall)
    put_all(pair, [(1, 0), (1, 3), (0, 1), (0, 2), (2, 1), (2, 2), (8, 8), (1, 1), (1, 2)])
    pair.white.play(1, 1)
    pair.white.expect("ERROR", "G-18")
    put(pair.white, pair.black, 8, 0)
    put(pair.black, pair.white, 8, 7)
    put(pair.white, pair.black, 1, 1)


@BOOK.shows("G-21", "G-22")
def a_pass_is_told_the_other(hall: Hall) -> None:
    """Then it is the other's turn; a pass, a stone and a pass do not end the game."""
    pair = agreed(hall)
    pair.black.send("PASS")
    pair.white.expect("OPPONENTPASS", "G-21")
    put(pair.white, pair.black, 4, 4)
    pair.black.send("PASS")
    pair.white.expect("OPPONENTPASS", "G-21")
    put(pair.white, pair.black, 4, 5)


@BOOK.shows("G-25", "G-26", "G-27", "G-29", "G-30")
def two_passes_end_the_game(hall: Hall) -> None:
    """One black stone has the whole board; what is captured counts."""
    pair = agreed(hall)
    put(pair.black, pair.white, 4, 4)
    _end(hall, pair, (0, 0, SIZE * SIZE - 1, 0), stones=(1, 0))


@BOOK.shows("G-29", "G-30", "G-25")
def captures_count(hall: Hall) -> None:
    """White has lost a stone in the corner."""
    pair = agreed(hall)
    put_all(pair, [(0, 1), (0, 0), (1, 0), (8, 8), (4, 4)])
    put(pair.white, pair.black, 8, 7)
    put(pair.black, pair.white, 4, 5)
    _end(hall, pair, (1, 0, 1, 0), stones=(4, 2))


@BOOK.shows("G-24", "G-27", "G-28", "X-05")
def who_resigns_has_lost(hall: Hall) -> None:
    """Both are told; what the other says at the same moment does not cost it the last message."""
    pair = agreed(hall)
    put(pair.black, pair.white, 4, 4)
    pair.white.send("RESIGN")
    pair.black.send("PASS\nPASS\nPASS")
    _skip_errors(pair.black)
    black, white = read_end(pair.black, hall), read_end(pair.white, hall)
    demand(black.resigned and white.resigned, "G-28", "a resignation", (black, white))
    demand(black.won and not white.won, "G-27", "black to have won", (black, white))


@BOOK.shows("X-01", "X-04")
def how_lines_are_cut_does_not_matter(hall: Hall) -> None:
    """Byte by byte, with CRLF, blank lines, several at once."""
    first = first_player(hall)
    for _ in QUESTIONS:
        question = first.read("QUERY")[-1]
        value = Wishes()._asdict().get(question, "")
        first.line.send_in_pieces(f"\r\nRESPONSE  {question}   {value} \r\n".encode())
    second = Player(hall)
    for player, colour in ((first, 1), (second, 2)):
        read_terms(player, Wishes(), colour)
        player.line.send(b"TERMSCONFIRM Yes\r\n")
    for player in (first, second):
        player.expect("TERMSOK", "X-04")
        player.expect("START", "X-04")
    first.send("PLAY 4 4\nPASS\nPLAY 4 4")
    first.expect("SUCCESS", "X-01")
    first.expect("ERROR", "X-01")
    first.expect("ERROR", "X-01")


def _black_is_first(hall: Hall) -> bool:
    return hall.settings.handicap_first is FirstAfterHandicap.BLACK


def _move_first(hall: Hall, pair: Pair) -> None:
    """Whoever may not move first gets an ERROR, and then the other moves."""
    mover, other = pair if _black_is_first(hall) else (pair.white, pair.black)
    other.play(0, 0)
    other.expect("ERROR", "G-15")
    put(mover, other, 0, 0)


def _place(hall: Hall, pair: Pair, row: int, column: int) -> None:
    pair.black.play(row, column)
    if hall.settings.handicap_success:
        pair.black.expect("SUCCESS", "G-11")
    pair.white.expect_play(row, column, "G-12")


def _end(
    hall: Hall,
    pair: Pair,
    counts: tuple[int, int, int, int],
    stones: tuple[int, int],
) -> None:
    """White and black pass; black's captures, white's, and their territories are these."""
    pair.white.send("PASS")
    pair.black.expect("OPPONENTPASS", "G-21")
    pair.black.send("PASS")
    if hall.settings.last_pass_notify:
        pair.white.expect("OPPONENTPASS", "G-21")
    black, white = read_end(pair.black, hall), read_end(pair.white, hall)
    demand(not black.resigned and not white.resigned, "G-28", "nobody to resign", (black, white))
    captured, lost, own, others = counts
    demand(black.counts == (captured, lost, own, others), "G-25", f"{counts}", black.counts)
    demand(white.counts == (lost, captured, others, own), "G-29", "them mirrored", white.counts)
    by_area = hall.settings.scoring is Scoring.AREA
    gains = stones if by_area else (captured, lost)
    totals = (float(gains[0] + own), gains[1] + others + KOMI)
    demand(black.totals == totals, "G-30", f"totals of {totals}", black.totals)
    demand(white.totals == totals[::-1], "G-29", "them mirrored", white.totals)
    verdicts = (black.won, white.won)
    expected = (totals[0] > totals[1], totals[1] > totals[0])
    demand(verdicts == expected, "G-27", f"who has won: {expected}", verdicts)


def _skip_errors(player: Player) -> None:
    """What was said out of turn may have been answered before the end came."""
    while True:
        line = player.line.read_line("GAMEOVER")
        if not line.startswith(b"ERROR"):
            player.line.kept[:0] = line + b"\n"
            return
