"""The checks of the tttp protocol."""

from gamehall.conformance.checklist import Checklist, ClientRules, read_clauses
from gamehall.conformance.connection import CheckSkippedError, ClauseError, demand, shown
from gamehall.conformance.target import retry
from gamehall.games.connect_four.board import ROWS
from gamehall.protocols.tttp.conformance.player import (
    BAD_LETTERS,
    COLOURS,
    FULL,
    NOT_ALLOWED,
    SECONDS_OF_SILENCE,
    SPOTS,
    TAKEN,
    TIMES_TO_NOTICE,
    TOO_LONG,
    TOO_SHORT,
    WATCHES,
    TttpKnowledge,
    TttpPlayer,
    TttpTable,
    TttpTarget,
    cell_numbering,
    chat_packet,
    enter,
    next_board,
    restart,
    table,
)
from gamehall.protocols.tttp.messages import BLUE, CANCELLED, CATS_GAME, PLAYING, RED

CHECKLIST = Checklist(
    read_clauses("gamehall.protocols.tttp"),
    [],
    knowledge=TttpKnowledge,
    client=ClientRules(
        clauses={
            "C-01": "T-03",
            "C-02": "T-04 T-12 T-15",
            "C-03": "T-12",
            "C-04": "T-14",
            "C-07": "T-06",
        },
    ),
)

# A full board on which no player has four in a row.
CATS_COLUMNS = (
    3, 5, 6, 4, 3, 1, 2, 0, 0, 1, 3, 1, 2, 6, 4, 6, 2, 4, 6, 5, 4,
    5, 6, 4, 6, 2, 2, 0, 2, 4, 5, 5, 0, 5, 1, 3, 1, 0, 3, 3, 1, 0,
)  # fmt: skip

SHORTEST_CATS_LINE = 4

# 257 has the same two bytes in either byte order, 300 has not.
SAME_IN_BOTH_ORDERS, DIFFERENT_IN_EACH_ORDER = 257, 300

LONGEST_NAME = 255


@CHECKLIST.covers("T-03", "T-05")
def the_server_sends_nothing_before_a_join(target: TttpTarget) -> None:
    """Connect and wait, then join: the JOIN response is the first packet (T-03, T-05)."""
    player = TttpPlayer(target)
    player.connection.expect_silence(SECONDS_OF_SILENCE, "T-03")
    player.join(b"anna")
    target.saw("T-03", "T-05")


@CHECKLIST.covers("T-10", "T-09", "T-14", "T-17")
def red_wins_and_asks_for_a_fresh_board(target: TttpTarget) -> None:
    """Let Red win (T-10), then send a PLAY, which must change nothing (T-14), and RMCH (T-17).

    The turn byte is 1 or 2 after the end, too (T-09).
    """
    at_table = table(target)
    _win(at_table, RED)
    loser = at_table.players[BLUE]
    loser.connection.send(b"PLAY" + cell_numbering(target).cells(5, ROWS - 1))
    at_table.expect_unchanged("T-14")
    _saw_part_of_t_14(target, "no move after the end")
    target.saw("T-09")
    _play_after_restart(at_table)


@CHECKLIST.covers("T-06", "T-18", "T-08", "T-02", "T-11", "T-12", "T-13")
def a_play_is_sent_to_all_clients(target: TttpTarget) -> None:
    """Play some pieces: players and spectators get the same board (T-02, T-08, T-13).

    The cell that was named is filled, in the color of the player whose turn it is (T-11, T-12).
    """
    at_table = table(target)
    target.saw("T-06")
    # The first piece is in the corner: a server that counts columns from 1 has no column 0.
    update = at_table.play_all([0, 3, 3, 6, 2])
    demand(update.won == PLAYING, "T-10", "an unfinished game (0)", update.won)
    target.saw("T-08", "T-02", "T-11", "T-12", "T-13")
    if at_table.watcher is not None:
        target.known.has_shown_updates_to_spectators = True


@CHECKLIST.covers("T-14")
def only_the_player_whose_turn_it_is_may_play(target: TttpTarget) -> None:
    """Send a PLAY of the other player and of a spectator, which must change nothing (T-14)."""
    at_table = table(target)
    at_table.play(0)
    numbering = cell_numbering(target)
    other = at_table.players[RED if at_table.turn == BLUE else BLUE]
    other.connection.send(b"PLAY" + numbering.cells(1, ROWS - 1))
    at_table.expect_unchanged("T-14")
    if at_table.watcher is not None:
        at_table.watcher.connection.send(b"PLAY" + numbering.cells(2, ROWS - 1))
        at_table.expect_unchanged("T-14")
    if other.connection.has_ended:
        target.differs("T-Q08", "a player who plays out of turn is disconnected")
    else:
        at_table.play_all([0, 3])
    _saw_part_of_t_14(target, "no move out of turn")


@CHECKLIST.covers("T-10", "T-17")
def blue_wins_and_asks_for_a_fresh_board(target: TttpTarget) -> None:
    """Let Blue win, too, so that both values of the won byte are seen (T-10, T-17)."""
    at_table = table(target)
    _win(at_table, BLUE)
    target.known.has_seen_both_winners = True
    _play_after_restart(at_table)


@CHECKLIST.covers("T-22", "T-10")
def a_full_board_without_a_line_is_a_cats_game(target: TttpTarget) -> None:
    """Fill the board without a line: won is 3 (T-10), and 42 boards come in order (T-22)."""
    if (target.known.line_length or target.settings.connect) < SHORTEST_CATS_LINE:
        raise CheckSkippedError("on this board one player always gets a line (connect)")
    at_table = table(target)
    for number, column in enumerate(CATS_COLUMNS, 1):
        update = at_table.play(column)
        expected = CATS_GAME if number == SPOTS else PLAYING
        demand(update.won == expected, "T-10", f"{expected} after {number} pieces", update.won)
    target.saw("T-22")
    if target.known.has_seen_both_winners:
        target.saw("T-10")
    else:
        target.cannot_see("T-10", "the winners 1 and 2 were not both seen")


@CHECKLIST.covers("T-16", "T-01", "T-15", "T-18")
def chat_is_sent_to_all_but_the_sender(target: TttpTarget) -> None:
    """Send CHAT, which reaches all but its sender, with the sender's name (T-16, T-18).

    The texts are long enough to need both bytes of their length (T-01, T-15).
    """
    at_table = table(target)
    red, blue = at_table.players[RED], at_table.players[BLUE]
    listeners = [player for player in at_table.clients if player is not red]
    for length, clause in ((SAME_IN_BOTH_ORDERS, "T-16"), (DIFFERENT_IN_EACH_ORDER, "T-01")):
        text = (b"0123456789" * 40)[:length]
        red.say(text)
        for player in listeners:
            chat = player.read_chat(f"CHAT of {length} bytes", clause)
            demand(chat.name == red.name, "T-16", f"the name {shown(red.name)}", chat.name)
            # A server that reads only one byte of the length cuts the text.
            demand(chat.text == text, "T-15", f"the {length} bytes that were sent", chat.text)
    target.saw("T-01", "T-15")
    blue.say(b"hello there")
    chat = red.read_chat("CHAT from the other player", "T-16")
    demand(chat.name != red.name, "T-16", "no CHAT to its sender", chat)
    fits = chat.name == blue.name and chat.text == b"hello there"
    demand(fits, "T-16", "the CHAT of the other player", chat)
    target.saw("T-16")
    if at_table.watcher is not None and target.known.has_shown_updates_to_spectators:
        target.saw("T-18")


@CHECKLIST.covers("T-19", "T-10")
def a_player_who_leaves_cancels_the_game(target: TttpTarget) -> None:
    """Leave a game, which must be announced as cancelled, won = 4 (T-19).

    A server may also award it, or keep the seat for another player: that is open (T-Q12).
    """
    at_table = table(target, watched=False)
    at_table.play(0)
    blue = at_table.players[BLUE]
    at_table.players[RED].connection.close()
    try:
        update = blue.read_update("UPDT when the opponent has left", "T-19")
        while update.won == PLAYING:
            update = blue.read_update("UPDT when the opponent has left", "T-19")
    except ClauseError as broken:
        if not broken.is_silence:
            raise
        target.differs("T-Q12", "nothing is announced when a player leaves a running game")
        raise CheckSkippedError(
            "nothing is announced: perhaps the game waits for another player"
        ) from None
    if update.won == BLUE:
        target.differs("T-Q12", "when a player leaves, the other has won")
        raise CheckSkippedError("a player who leaves loses here, so no game is cancelled")
    demand(update.won == CANCELLED, "T-19", "the game to be cancelled (4)", update.won)
    target.saw("T-19")


@CHECKLIST.covers("T-04", "T-07", "T-21")
def names_that_are_denied(target: TttpTarget) -> None:
    """Join with names of any length (T-04): a denial has the code of its reason (T-07, T-21).

    Which names are denied, other than those in use, is open (T-Q18 to T-Q21).
    """
    owner = _one_player(target)
    length = len(owner.name)
    code = TttpPlayer(target).join(owner.name)
    demand(code > WATCHES, "T-21", "a name in use to be denied with 7", code)
    demand(code in (TAKEN, FULL), "T-07", "a name in use to be denied with 7", code)
    reserved = b"admin"
    trials = (
        (b"", (TOO_SHORT,), "T-Q18"),
        (b"n" * LONGEST_NAME, (TOO_LONG,), "T-Q18"),
        (b"a\x01" + b"b" * (length - 2), (BAD_LETTERS, NOT_ALLOWED), "T-Q19"),
        (reserved, (NOT_ALLOWED, *([TOO_SHORT] if length > len(reserved) else [])), "T-Q21"),
    )
    denied = code == TAKEN
    for name, codes, reading in trials:
        player = TttpPlayer(target)
        code = player.join(name)
        if code <= WATCHES:
            target.differs(reading, f"the name {shown(name)} is accepted")
        elif code != FULL:
            # FULL may be true: the server may not have noticed that earlier players have left.
            expected = f"the name {shown(name)} to be accepted, or denied with {codes[0]}"
            demand(code in codes, "T-07", expected, code)
            denied = True
            _join_again(player, owner.name)
        player.connection.close()
    target.saw("T-04")
    if denied:
        target.saw("T-07")


@CHECKLIST.covers("T-21")
def a_name_is_free_when_its_owner_has_left(target: TttpTarget) -> None:
    """Join with a name that is in use, and again when its owner has left (T-21)."""
    owner = _one_player(target)
    code = TttpPlayer(target).join(owner.name)
    demand(code > WATCHES, "T-21", "a name in use to be denied with 7", code)
    owner.connection.close()

    def attempt() -> int | None:
        code = TttpPlayer(target).join(owner.name)
        return code if code != TAKEN else None

    code_then = retry(attempt, TIMES_TO_NOTICE * target.patience_seconds)
    demand(code_then is not None, "T-21", "the name to be free again", "taken (7)")
    target.saw("T-21")


@CHECKLIST.covers("T-20", "X-01")
def how_packets_are_cut_does_not_matter(target: TttpTarget) -> None:
    """Send packets byte by byte, and several in one segment (T-20, X-01)."""
    at_table = table(target, watched=False)
    at_table.play(0)
    with target.blaming("T-20"):
        _play_in_pieces(target, at_table)
    target.saw("T-20", "X-01")


@CHECKLIST.covers("X-09")
def garbage_from_a_spectator_does_not_affect_the_game(target: TttpTarget) -> None:
    """Send garbage as a spectator, which must not disturb the game (X-09)."""
    at_table = table(target)
    at_table.play(0)
    if at_table.watcher is None:
        raise CheckSkippedError("this server has no spectators")
    at_table.watcher.connection.send(b"\x00\xff garbage \r\n\r\n")
    at_table.watcher = None
    try:
        at_table.play_all([3, 3])
    except ClauseError as broken:
        target.differs("X-09", f"garbage of a spectator disturbs the game: {broken}")
        return
    target.saw("X-09")


def _saw_part_of_t_14(target: TttpTarget, part: str) -> None:
    """Note one of the two parts of T-14. The clause has passed when both have."""
    target.known.refused_moves.add(part)
    if len(target.known.refused_moves) == 2:
        target.saw("T-14")


def _win(at_table: TttpTable, winner: int) -> None:
    """Stack pieces of `winner` in a column until the server says that this player has won."""
    target = at_table.target
    if at_table.turn != winner:
        at_table.play(6)
    for height in range(1, ROWS + 1):
        update = at_table.play(0)
        if update.won != PLAYING:
            break
        if height < ROWS:
            at_table.play(1)
    came = f"{update.won} after {height} pieces in a column"
    demand(update.won == winner, "T-10", f"{COLOURS[winner]} to have won ({winner})", came)
    target.known.line_length = height
    if height != target.settings.connect:
        target.differs("T-Q02", f"{height} in a row win")


def _play_after_restart(at_table: TttpTable) -> None:
    demand(restart(at_table), "T-17", "UPDT with a fresh board after RMCH", "none in time")
    at_table.play(0)
    at_table.target.saw("T-17")


def _one_player(target: TttpTarget) -> TttpPlayer:
    owner = enter(target, b"nina", (RED, BLUE))
    if owner.code not in (RED, BLUE):
        raise CheckSkippedError(f"there is no free seat (code {owner.code})")
    return owner


def _join_again(player: TttpPlayer, taken: bytes) -> None:
    """Send another JOIN on a connection that was denied, unless the server has closed it (T-Q23).

    It is not understood if the server has misread the length of the first one (T-04).
    """
    try:
        code = player.join(taken)
    except ClauseError as broken:
        if player.connection.has_ended:
            return
        broken.clause = "T-04"
        raise
    demand(code in (TAKEN, FULL), "T-04", "a second JOIN to be read", code)


def _play_in_pieces(target: TttpTarget, at_table: TttpTable) -> None:
    """Send a JOIN and a PLAY byte by byte, then three packets in one segment."""
    third = enter(target, b"dora", range(1, 10), in_pieces=True)
    third.connection.close()
    numbering = cell_numbering(target)
    mover, other = at_table.players[at_table.turn], at_table.players[3 - at_table.turn]
    mover.connection.send_in_pieces(b"PLAY" + numbering.cells(1, ROWS - 1))
    expected = "UPDT after a PLAY that came in pieces"
    boards = [next_board(player, at_table.spots, expected, "T-13") for player in (mover, other)]
    cells = numbering.cells(2, ROWS - 1)
    before, after = (letter * SAME_IN_BOTH_ORDERS for letter in (b"a", b"b"))
    other.connection.send(chat_packet(before) + b"PLAY" + cells + chat_packet(after))
    for text in (before, after):
        chat = mover.read_chat(f"CHAT {shown(text)}", "T-16")
        demand(chat.text == text, "T-15", f"CHAT {shown(text)}", chat)
    expected = "UPDT after a PLAY among other packets"
    next_board(other, boards[1].spots, expected, "T-13")


assert len(CATS_COLUMNS) == SPOTS
