"""A player of TTTP that checks every byte, and a table of such players."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import msgspec

from gamehall.conformance.connection import CheckSkippedError, ClauseError, demand, shown
from gamehall.conformance.target import Knowledge, Target, retry
from gamehall.games.connect_four.board import COLUMNS, ROWS
from gamehall.protocols.tttp import TttpSettings
from gamehall.protocols.tttp.messages import BLUE, PLAYING, RED

SPOTS = COLUMNS * ROWS
WATCHES = 3
TOO_SHORT, TOO_LONG, BAD_LETTERS, TAKEN, NOT_ALLOWED, FULL = range(4, 10)
COLOURS = {RED: "Red", BLUE: "Blue"}

LENGTHS = {b"JOIN": 5, b"UPDT": 48}
FORMS = {b"JOIN": "T-05", b"UPDT": "T-08", b"CHAT": "T-16"}

TIMES_TO_NOTICE = 3
"""A server may take this many times its time for an answer to notice that a player has left."""

SECONDS_TO_SHOW = 0.2
"""How long a server may take to show a new player the board, if it does."""

SECONDS_OF_SILENCE = 0.3

LONGEST_NAME = 40


PacketT = TypeVar("PacketT", "BoardUpdate", "ReceivedChat")


class BoardUpdate(msgspec.Struct, frozen=True):
    """An UPDT packet."""

    turn: int
    won: int
    spots: bytes

    @property
    def is_fresh(self) -> bool:
        """Whether no piece has been played."""
        return self.won == PLAYING and not any(self.spots)


class ReceivedChat(msgspec.Struct, frozen=True):
    """A CHAT packet of the server."""

    name: bytes
    text: bytes


class CellNumbering(NamedTuple):
    """How a server counts columns and rows, which the document leaves open (T-Q04)."""

    base: int
    is_from_bottom: bool

    def cells(self, column: int, row: int) -> bytes:
        """Return the two bytes of a PLAY. `row` is counted from 0 and from the top."""
        counted = ROWS - 1 - row if self.is_from_bottom else row
        return bytes((column + self.base, counted + self.base))


class TttpKnowledge(Knowledge):
    are_seats_taken: bool = False
    """Whether two players could not take their seats."""
    has_seated_players: bool = False
    has_played: bool = False
    shows_new_players_the_board: bool = False
    has_shown_updates_to_spectators: bool = False
    has_seen_both_winners: bool = False
    padding: bytes = b""
    """Added to names, which would be too short without it."""
    numbering: CellNumbering | None = None
    spots: dict[tuple[int, int], int] = {}
    """The spots that the server has filled, by column and row."""
    line_length: int | None = None
    refused_moves: set[str] = set()
    """The parts of T-14 that were seen."""


TttpTarget = Target[TttpSettings, TttpKnowledge]


class TttpPlayer:
    """A connection to the server."""

    def __init__(self, target: TttpTarget) -> None:
        self.connection = target.connect()
        self.name = b""
        self.code = 0
        self._last = b""
        """The type of the last packet."""

    def join(self, name: bytes, *, in_pieces: bool = False) -> int:
        """Send JOIN and return the code of the response."""
        self.name = name
        send = self.connection.send_in_pieces if in_pieces else self.connection.send
        send(b"JOIN" + bytes((len(name),)) + name)
        got = self.read_packet("a JOIN response", "T-03")
        if not isinstance(got, int):
            raise ClauseError("a JOIN response before anything else", shown(got), "T-03")
        self.code = got
        return got

    def say(self, text: bytes) -> None:
        self.connection.send(chat_packet(text))

    def read_update(self, expected: str, clause: str, seconds: float | None = None) -> BoardUpdate:
        """Read the next UPDT, skipping CHAT."""
        return self._read_of_type(BoardUpdate, expected, clause, seconds)

    def read_chat(self, expected: str, clause: str) -> ReceivedChat:
        """Read the next CHAT, skipping UPDT."""
        return self._read_of_type(ReceivedChat, expected, clause)

    def _read_of_type(
        self, wanted: type[PacketT], expected: str, clause: str, seconds: float | None = None
    ) -> PacketT:
        while True:
            got = self.read_packet(expected, clause, seconds)
            if isinstance(got, wanted):
                return got
            if isinstance(got, int):
                raise ClauseError(expected, f"a JOIN response {got}", "T-03")

    def updates_so_far(self, seconds: float) -> list[BoardUpdate]:
        """Return the boards that have arrived, waiting at most these seconds for the first."""
        updates: list[BoardUpdate] = []
        while self.connection.receives_something(seconds) and self.connection.kept:
            updates.append(self.read_update("UPDT", "T-08"))
            seconds = 0.0
        return updates

    def read_packet(
        self, expected: str, clause: str, seconds: float | None = None
    ) -> int | BoardUpdate | ReceivedChat:
        """Return the next packet: the code of a JOIN response, an UPDT or a CHAT.

        If none comes, `clause` is broken.
        """
        kind = self.connection.read_exactly(4, expected, clause, seconds)
        if kind not in FORMS:
            # After another packet, that one was longer than its own form.
            guilty = FORMS.get(self._last, clause)
            raise ClauseError(f"{expected}: JOIN, UPDT or CHAT", shown(kind), guilty)
        self._last = kind
        return self._read_rest(kind)

    def _read_rest(self, kind: bytes) -> int | BoardUpdate | ReceivedChat:
        if kind == b"JOIN":
            code = self._read(kind, 1)[0]
            demand(1 <= code <= 9, "T-05", "a code from 1 to 9", code)
            return code
        if kind == b"UPDT":
            turn, won, *spots = self._read(kind, LENGTHS[kind] - 4)
            demand(turn in (RED, BLUE), "T-09", "a turn of 1 or 2", turn)
            demand(won in range(5), "T-10", "a winner of 0 to 4", won)
            # If the last spot is the first letter of a type, the packet is too short.
            clause = "T-08" if spots[-1] in b"JUC" else "T-11"
            demand(set(spots) <= {0, RED, BLUE}, clause, "42 spots of 0, 1 and 2", bytes(spots))
            return BoardUpdate(turn, won, bytes(spots))
        return self._read_chat()

    def _read_chat(self) -> ReceivedChat:
        lengths = self._read(b"CHAT", 3)
        name = self._read(b"CHAT", lengths[0])
        try:
            return ReceivedChat(name, self._read(b"CHAT", int.from_bytes(lengths[1:], "big")))
        except ClauseError:
            if len(self.connection.kept) == int.from_bytes(lengths[1:], "little"):
                expected = "the length of a CHAT big-endian"
                raise ClauseError(expected, shown(lengths[1:]), "T-01") from None
            raise

    def _read(self, kind: bytes, length: int) -> bytes:
        whole = f"{LENGTHS[kind]} bytes" if kind in LENGTHS else "the length that it names"
        return self.connection.read_exactly(length, f"{kind.decode()} of {whole}", FORMS[kind])


class TttpTable:
    """Red, Blue and perhaps a spectator, and the board as the rules demand it."""

    def __init__(
        self,
        target: TttpTarget,
        red: TttpPlayer,
        blue: TttpPlayer,
        watcher: TttpPlayer | None,
        turn: int,
    ) -> None:
        self.target = target
        self.players = {RED: red, BLUE: blue}
        self.watcher = watcher
        self.begin(turn)

    def begin(self, turn: int) -> None:
        """Begin a game on a fresh board, with the turn of this player."""
        self.turn = turn
        self.spots = bytes(SPOTS)
        self._heights = [0] * COLUMNS

    @property
    def clients(self) -> list[TttpPlayer]:
        """The players and the spectator, if there is one."""
        return [*self.players.values(), *([self.watcher] if self.watcher else [])]

    def play_all(self, columns: Sequence[int]) -> BoardUpdate:
        """Play these columns in turn and return the last board."""
        return [self.play(column) for column in columns][-1]

    def play(self, column: int) -> BoardUpdate:
        """Play the lowest free cell of a column, and compare the boards that all clients get."""
        row = ROWS - 1 - self._heights[column]
        self._heights[column] += 1
        colour, mover = self.turn, self.players[self.turn]
        expected = f"UPDT after a PLAY of {COLOURS[colour]}"
        update = self._send_play(mover, column, row, expected)
        self._compare(update, column, row)
        before, self.spots = self.spots, update.spots
        for player in self.clients:
            if player is not mover:
                seen = next_board(player, before, expected, "T-13")
                spots = seen.spots.hex()
                demand(seen.spots == self.spots, "T-11", f"{expected}: {self.spots.hex()}", spots)
                is_same = (seen.turn, seen.won) == (update.turn, update.won)
                demand(is_same, "T-02", f"the same UPDT to all: {update}", seen)
        self.turn = BLUE if colour == RED else RED
        is_next = update.turn == self.turn or update.won != PLAYING
        demand(is_next, "T-02", f"the turn of {self.turn}", update.turn)
        return update

    def expect_unchanged(self, clause: str) -> None:
        """Check that the last packet has changed nothing."""
        for number, player in enumerate(self.clients):
            for update in player.updates_so_far(0 if number else SECONDS_OF_SILENCE):
                demand(update.spots == self.spots, clause, "nothing to change", update.spots.hex())

    def _send_play(self, mover: TttpPlayer, column: int, row: int, expected: str) -> BoardUpdate:
        """Send PLAY, again with another cell numbering if the first has no effect."""
        known = self.target.known
        configured = CellNumbering(self.target.settings.base, is_from_bottom=False)
        for numbering in _possible_numberings(known.numbering, configured):
            mover.connection.send(b"PLAY" + numbering.cells(column, row))
            try:
                update = next_board(mover, self.spots, expected, "T-13")
            except ClauseError as broken:
                if broken.is_silence:
                    continue
                raise
            known.numbering = numbering
            if numbering != configured:
                rows = "the bottom" if numbering.is_from_bottom else "the top"
                self.target.differs("T-Q04", f"they are counted from {numbering.base}, from {rows}")
            return update
        # Other checks need not try again.
        known.numbering = configured
        came = "nothing in time, however rows and columns are counted"
        raise ClauseError(expected, came, "T-13", is_silence=True)

    def _compare(self, update: BoardUpdate, column: int, row: int) -> None:
        """Check that exactly one spot got the color of the player whose turn it is."""
        changed = [at for at in range(SPOTS) if update.spots[at] != self.spots[at]]
        fits = len(changed) == 1 and self.spots[changed[0]] == 0
        demand(fits, "T-11", "one empty spot to be filled", f"{len(changed)} spots that changed")
        [spot] = changed
        colour = update.spots[spot]
        demand(colour == self.turn, "T-12", f"a piece of {COLOURS[self.turn]}", colour)
        before = self.target.known.spots.setdefault((column, row), spot)
        demand(before == spot, "T-11", f"the same cell to be spot {before + 1}", spot + 1)
        if spot != row * COLUMNS + column:
            self.target.differs("T-Q05", f"column {column}, row {row} is spot {spot + 1}")


def cell_numbering(target: TttpTarget) -> CellNumbering:
    """Return the numbering with which the last PLAY was understood, or that of the settings."""
    return target.known.numbering or CellNumbering(target.settings.base, is_from_bottom=False)


def _possible_numberings(
    known: CellNumbering | None, configured: CellNumbering
) -> list[CellNumbering]:
    """Return the numberings to try. Once one is known, only the rows are in doubt.

    If pieces fall, rows counted from the bottom show only when a column is almost full.
    """
    if known is not None:
        return [known, known._replace(is_from_bottom=not known.is_from_bottom)]
    base = configured.base
    return [CellNumbering(one, way) for way in (False, True) for one in (base, 1 - base)]


def next_board(player: TttpPlayer, known: bytes, expected: str, clause: str) -> BoardUpdate:
    """Read boards until one differs from the known one."""
    while True:
        update = player.read_update(expected, clause)
        if update.spots != known:
            return update


def chat_packet(text: bytes) -> bytes:
    return b"CHAT" + len(text).to_bytes(2, "big") + text


def table(target: TttpTarget, *, watched: bool = True) -> TttpTable:
    """Return Red and Blue at a fresh board, with a spectator if `watched` and possible."""
    red, blue = two_players(target)
    watcher = enter_to_watch(target) if watched else None
    clients = [blue, red, *([watcher] if watcher else [])]
    # A server that has shown new players the board does so again, however long that takes.
    waits = target.patience_seconds if target.known.shows_new_players_the_board else SECONDS_TO_SHOW
    shown_boards = [
        board
        for player in clients
        for board in player.updates_so_far(waits if player is blue else 0)[-1:]
    ]
    if shown_boards:
        target.known.shows_new_players_the_board = True
    # A board that is not shown is fresh if there was no game before.
    is_fresh = all(board.is_fresh for board in shown_boards)
    is_fresh = is_fresh and (bool(shown_boards) or not target.known.has_played)
    turn = shown_boards[0].turn if is_fresh and shown_boards else RED
    at_table = TttpTable(target=target, red=red, blue=blue, watcher=watcher, turn=turn)
    if not is_fresh:
        target.differs("T-Q13", "the board is kept when all players have left")
        if not restart(at_table):
            why = "the board of the last game is still there, and RMCH changes nothing"
            raise CheckSkippedError(why)
    target.known.has_played = True
    return at_table


def restart(at_table: TttpTable) -> bool:
    """Send RMCH of one player or of both. Return whether all clients get a fresh board."""
    target = at_table.target
    for colour in (RED, BLUE):
        at_table.players[colour].connection.send(b"RMCH")
        fresh = _wait_for_fresh_board(at_table.players[RED], target.patience_seconds / 2)
        if fresh is not None:
            break
    else:
        return False
    if colour == BLUE:
        target.differs("T-Q10", "both players must ask for a fresh board")
    others = [player for player in at_table.clients if player is not at_table.players[RED]]
    for player in others:
        if _wait_for_fresh_board(player, target.patience_seconds) is None:
            raise ClauseError("UPDT with a fresh board to all", "none in time", "T-17")
    at_table.begin(fresh.turn)
    return True


def _wait_for_fresh_board(player: TttpPlayer, seconds: float) -> BoardUpdate | None:
    """Return the next fresh board, None if none comes."""
    while True:
        try:
            update = player.read_update("UPDT with a fresh board", "T-17", seconds)
        except ClauseError as broken:
            if broken.is_silence:
                return None
            raise
        if update.is_fresh:
            return update


def two_players(target: TttpTarget) -> tuple[TttpPlayer, TttpPlayer]:
    """Return Red and Blue, newly joined."""
    first = _take_seat(target, b"anna", (RED, BLUE))
    other_colour = BLUE if first.code == RED else RED
    second = _take_seat(target, b"bert", (other_colour,))
    target.known.has_seated_players = True
    target.saw("T-03", "T-05")
    if first.code == BLUE:
        target.differs("T-Q14", "the first player is Blue")
        return second, first
    return first, second


def _take_seat(target: TttpTarget, name: bytes, codes: Sequence[int]) -> TttpPlayer:
    if target.known.are_seats_taken:
        raise CheckSkippedError("two players could not take their seats")
    player = enter(target, name, codes)
    if player.code in codes:
        return player
    if target.known.has_seated_players:
        raise CheckSkippedError(
            f"the seats of players who have left are not free (code {player.code})"
        )
    target.known.are_seats_taken = True
    if player.code in (TOO_SHORT, TOO_LONG, NOT_ALLOWED):
        raise CheckSkippedError(f"no name was found that is not denied (code {player.code})")
    clause = {BAD_LETTERS: "T-07", TAKEN: "T-21"}.get(player.code, "T-06")
    expected = f"the code {' or '.join(map(str, codes))} for a player"
    raise ClauseError(expected, f"the code {player.code}", clause)


def enter(
    target: TttpTarget, name: bytes, wanted: Sequence[int], *, in_pieces: bool = False
) -> TttpPlayer:
    """Join, again until the response is one of the wanted codes, and return the last player.

    The server may not have noticed yet that earlier players have left.
    """
    last: list[TttpPlayer] = []

    def attempt() -> TttpPlayer | None:
        player = TttpPlayer(target)
        padding = target.known.padding
        code = player.join(name + padding, in_pieces=in_pieces)
        last[:] = [player]
        if code in wanted:
            return player
        player.connection.close()
        if code == TOO_SHORT and len(padding) < LONGEST_NAME:
            target.known.padding = padding + b"xyz"
            target.differs("T-Q18", f"a name of {len(name + padding)} characters is too short")
        return None

    retry(attempt, TIMES_TO_NOTICE * target.patience_seconds)
    return last[0]


def enter_to_watch(target: TttpTarget) -> TttpPlayer | None:
    """Join as a spectator. Return None if the server accepts none (T-Q15)."""
    player = enter(target, b"carla", (WATCHES, FULL, RED, BLUE))
    if player.code == WATCHES:
        return player
    demand(player.code not in (RED, BLUE), "T-06", "the third not to be a player", player.code)
    target.differs("T-Q15", f"a third client is denied with {player.code}")
    target.cannot_see("T-18", "this server has no spectators")
    player.connection.close()
    return None
