"""The clauses of document 003, played against a server."""

from gamehall.check import sentences
from gamehall.check.clauses import Book
from gamehall.check.faults import Broken, CannotCheck, demand, shown
from gamehall.check.field import insistently
from gamehall.check.tttp_player import (
    BLUE,
    CANCELLED,
    CATS_GAME,
    PLAYING,
    RED,
    SECONDS_TO_NOTICE,
    SPOTS,
    Board,
    Hall,
    Player,
    Update,
    arrive,
    first_player,
    play_columns,
    two_players,
    vertical_win,
    watcher,
)
from gamehall.games.connect_four import Gravity
from gamehall.hosting.terms import LeaveRule, RematchRule

BOOK = Book(sentences.TTTP, [], {})

SECONDS_OF_SILENCE = 0.5

# A game of 42 pieces in which nobody has four in a row.
CATS_COLUMNS = (
    3, 5, 6, 4, 3, 1, 2, 0, 0, 1, 3, 1, 2, 6, 4, 6, 2, 4, 6, 5, 4,
    5, 6, 4, 6, 2, 2, 0, 2, 4, 5, 5, 0, 5, 1, 3, 1, 0, 3, 3, 1, 0,
)  # fmt: skip

SHORTEST_CATS_LINE = 4


@BOOK.shows("T-03", "T-05")
def nothing_is_said_before_a_join(hall: Hall) -> None:
    """Then a JOIN response comes before anything else."""
    player = Player(hall)
    player.line.expect_silence(SECONDS_OF_SILENCE, "T-03")
    player.join(b"ann")


@BOOK.shows("T-06", "T-18")
def the_first_is_red_and_the_second_blue(hall: Hall) -> None:
    """And the third watches."""
    two_players(hall)
    watcher(hall)


@BOOK.shows("T-04", "T-07")
def names_that_are_denied(hall: Hall) -> None:
    """Each with its true reason."""
    settings = hall.settings
    reserved = settings.reserved.split(",")[0].strip().encode()
    denied: list[tuple[bytes, int]] = [(b"a\x01", 6)]
    denied += [(b"", 4)] if settings.name_min > 0 else []
    denied += [(b"n" * 255, 5)] if settings.name_max < 255 else []
    denied += [(b"n" * (settings.name_max + 1), 5)] if settings.name_max < 254 else []
    denied += [(reserved, 8)] if reserved else []
    first_player(hall, b"taken")
    for name, code in [*denied, (b"taken", 7)]:
        got = Player(hall).join(name)
        demand(got == code, "T-07", f"the name {shown(name)} to be denied with {code}", got)
    longest = b"n" * settings.name_max
    arrive(hall, longest, [RED, BLUE], "T-04", f"a name of {len(longest)} bytes to be accepted")


@BOOK.shows("T-21")
def a_name_is_free_when_its_owner_has_left(hall: Hall) -> None:
    """And not before."""
    owner = first_player(hall, b"nina")
    got = Player(hall).join(b"nina")
    demand(got == 7, "T-21", "a name in use to be denied with 7", got)
    owner.line.close()

    def attempt() -> int | None:
        code = Player(hall).join(b"nina")
        return code if code <= 3 else None

    code = insistently(attempt, SECONDS_TO_NOTICE)
    demand(code is not None, "T-21", "the name to be free again", "a denial")


@BOOK.shows("T-08", "T-02", "T-09", "T-11", "T-12", "T-13", "T-18")
def a_play_is_shown_to_everybody(hall: Hall) -> None:
    """To both players and to who watches, in the same way."""
    red, blue = two_players(hall)
    eve = watcher(hall)
    update = play_columns(Board(), [red, blue, eve], [3, 3, 0, 6, 2])
    demand(update.won == PLAYING, "T-10", "a game that goes on (0)", update.won)


@BOOK.shows("T-14")
def only_whose_turn_it_is_may_play(hall: Hall) -> None:
    """Whatever else is sent changes nothing: the next board that is seen has no trace of it."""
    red, blue = two_players(hall)
    board = Board()
    blue.play(0, 5)
    blue.settle()
    play_columns(board, [red, blue], [3])
    red.play(1, 5)
    red.settle()
    play_columns(board, [red, blue], [4])
    if hall.settings.gravity is not Gravity.COLUMN:
        red.play(3, 5)  # taken
    red.play(7, 5)  # off the board
    red.settle()
    play_columns(board, [red, blue], [5])


@BOOK.shows("T-14", "T-18")
def who_watches_cannot_play(hall: Hall) -> None:
    """A PLAY of theirs changes nothing."""
    red, blue = two_players(hall)
    eve = watcher(hall)
    eve.play(3, 5)
    eve.settle()
    play_columns(Board(), [red, blue, eve], [0, 1])


@BOOK.shows("T-10", "T-02", "T-09", "T-14", "T-17")
def red_wins_and_wants_a_fresh_board(hall: Hall) -> None:
    """After the end nobody plays on; RMCH gives an empty board to everybody."""
    _win_and_begin_anew(hall, RED)


@BOOK.shows("T-10", "T-17")
def blue_wins_and_wants_a_fresh_board(hall: Hall) -> None:
    """The same for the other colour."""
    _win_and_begin_anew(hall, BLUE)


@BOOK.shows("T-22", "T-10", "T-11", "T-13")
def a_full_board_without_a_line_is_a_cats_game(hall: Hall) -> None:
    """Every one of the 42 boards is seen by all, in order."""
    if hall.settings.connect < SHORTEST_CATS_LINE:
        raise CannotCheck("on this board somebody always gets a line (connect)")
    red, blue = two_players(hall)
    eve = watcher(hall)
    update = play_columns(Board(), [red, blue, eve], CATS_COLUMNS)
    demand(update.won == CATS_GAME, "T-10", "a cat's game (3)", update.won)


@BOOK.shows("T-16", "T-01", "T-15", "T-18")
def chat_goes_to_all_but_the_sender(hall: Hall) -> None:
    """With lengths that need both bytes."""
    red, blue = two_players(hall)
    eve = watcher(hall)
    text = b"".join(b"%d bottles, " % number for number in range(40))
    red.say(text)
    for player in (blue, eve):
        heard = player.read_chat(f"CHAT of {len(text)} bytes from ann")
        demand(heard.name == b"ann", "T-16", "the name ann", heard.name)
        demand(heard.text == text, "T-01", f"the {len(text)} bytes that were said", heard.text)
    blue.say(b"hello")
    heard = red.read_chat("CHAT hello from bob, and not one's own words")
    demand(heard.name == b"bob" and heard.text == b"hello", "T-16", "hello from bob", heard)


@BOOK.shows("T-19", "T-10")
def who_leaves_cancels_the_game(hall: Hall) -> None:
    """Unless the door is set to give the game to the other."""
    red, blue = two_players(hall)
    play_columns(Board(), [red, blue], [3])
    red.line.close()
    update = blue.see("UPDT when the other has left", "T-19")
    won = CANCELLED if hall.settings.on_leave is LeaveRule.CANCEL else BLUE
    demand(update.won == won, "T-19", f"a winner of {won}", update.won)


@BOOK.shows("T-20", "T-04", "X-01")
def how_packets_are_cut_does_not_matter(hall: Hall) -> None:
    """Byte by byte, or several in one."""
    red = first_player(hall)
    blue = arrive(hall, b"bob", [BLUE], "T-20", "to be Blue (2)", in_pieces=True)
    base = hall.settings.base
    board = Board()
    for column in (0, 1):
        to_column, row, colour = board.drop(column)
        cells = bytes((to_column + base, row + base))
        sender = red if colour == RED else blue
        if colour == RED:
            sender.line.send_in_pieces(b"PLAY" + cells)
        else:
            sender.line.send(b"CHAT\x00\x02hiPLAY" + cells + b"CHAT\x00\x02ho")
        for player in (red, blue):
            _see_board(player, board)
    demand(red.read_chat("CHAT ho").text == b"ho", "T-20", "CHAT ho", "something else")


@BOOK.shows("X-09")
def garbage_of_one_is_nothing_to_the_others(hall: Hall) -> None:
    """Who watches sends what is no packet, and the game goes on."""
    red, blue = two_players(hall)
    eve = watcher(hall)
    board = Board()
    play_columns(board, [red, blue, eve], [3])
    eve.line.send(b"\x00\xff garbage \r\n\r\n")
    try:
        play_columns(board, [red, blue], [3, 3])
    except Broken as broken:
        broken.clause = "X-09"
        raise


def _win_and_begin_anew(hall: Hall, winner: int) -> None:
    red, blue = two_players(hall)
    board = Board()
    columns = vertical_win(hall, winner)
    play_columns(board, [red, blue], columns[:-1])
    update = play_columns(board, [red, blue], columns[-1:])
    demand(update.won == winner, "T-10", f"a winner of {winner}", update.won)
    (blue if winner == RED else red).play(3, 5)
    red.settle()
    red.line.send(b"RMCH")
    if hall.settings.rematch is RematchRule.BOTH:
        blue.line.send(b"RMCH")
    for player in (red, blue):
        fresh = _next_running(player)
        demand(not any(fresh.spots), "T-17", "an empty board", fresh.spots.hex())
        player.spots = fresh.spots


def _next_running(player: Player) -> Update:
    """The next board of a game that nobody has won."""
    while True:
        update = player.read_update("UPDT with a fresh board", "T-17")
        if update.won == PLAYING:
            return update
        demand(update.spots == player.spots, "T-14", "nobody to play after the end", update)


def _see_board(player: Player, board: Board) -> None:
    while True:
        got = player.read_packet("UPDT after a PLAY that came in pieces")
        if isinstance(got, Update) and got.spots == board.spots:
            player.spots = got.spots
            return
        if isinstance(got, int):
            raise Broken("UPDT", f"a JOIN response {got}", "T-20")


assert len(CATS_COLUMNS) == SPOTS
