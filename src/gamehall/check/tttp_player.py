"""A player at a TTTP server who takes nothing for granted: every byte is looked at."""

from collections.abc import Sequence

import msgspec

from gamehall.check.faults import Broken, CannotCheck, demand, shown
from gamehall.check.field import Field, insistently
from gamehall.protocols.tttp import TttpSettings

COLUMNS, ROWS = 7, 6
SPOTS = COLUMNS * ROWS
RED, BLUE, WATCHES = 1, 2, 3
PLAYING, CATS_GAME, CANCELLED = 0, 3, 4

LENGTHS = {b"JOIN": 5, b"UPDT": 48}
FORMS = {b"JOIN": "T-05", b"UPDT": "T-08", b"CHAT": "T-16"}

SECONDS_TO_NOTICE = 3.0
"""How long a server may take to see that somebody has gone."""

SECONDS_TO_SHOW = 0.2
"""How long a server may take to show a board to a lone player, if it does at all."""

Hall = Field[TttpSettings]


class Update(msgspec.Struct, frozen=True):
    """UPDT."""

    turn: int
    won: int
    spots: bytes


class Chat(msgspec.Struct, frozen=True):
    """CHAT."""

    name: bytes
    text: bytes


class Player:
    """One line to the server."""

    def __init__(self, hall: Hall) -> None:
        self.line = hall.connect()
        self._base = hall.settings.base
        self._last = b""
        """The type of the packet that came last."""
        self._name = b""
        self.spots = bytes(SPOTS)
        """The board that was seen last."""

    def join(self, name: bytes, *, in_pieces: bool = False) -> int:
        """The code that it is answered with."""
        self._name = name
        send = self.line.send_in_pieces if in_pieces else self.line.send
        send(join_packet(name))
        return self.read_code()

    def read_code(self) -> int:
        """The code of a JOIN response; boards that come before it break T-03."""
        got = self.read_packet("a JOIN response")
        if not isinstance(got, int):
            raise Broken("a JOIN response", shown(got), "T-03")
        return got

    def play(self, column: int, row: int) -> None:
        """PLAY, in cells that are counted from 0."""
        self.line.send(b"PLAY" + bytes((column + self._base, row + self._base)))

    def say(self, text: bytes) -> None:
        """CHAT."""
        self.line.send(b"CHAT" + len(text).to_bytes(2, "big") + text)

    def see(self, expected: str, clause: str = "T-13") -> Update:
        """The next board that differs from the last; others may come in between.

        So may the end of a game that nobody has played in: somebody of the last check sat here.
        """
        while True:
            update = self.read_update(expected, clause)
            is_over = update.won != PLAYING and any(update.spots)
            if update.spots != self.spots or is_over:
                self.spots = update.spots
                return update

    def read_update(self, expected: str, clause: str) -> Update:
        """The next UPDT."""
        got = self._read_as(expected, clause)
        if not isinstance(got, Update):
            raise Broken(expected, shown(got), clause)
        return got

    def read_chat(self, expected: str) -> Chat:
        """The next CHAT; boards may come before it."""
        while True:
            got = self._read_as(expected, "T-16")
            if isinstance(got, Chat):
                return got
            if isinstance(got, int):
                raise Broken(expected, f"a JOIN response {got}", "T-16")

    def read_packet(self, expected: str) -> int | Update | Chat:
        """The next packet: the code of a JOIN response, a board, or somebody's words."""
        kind = self.line.read_exactly(4, expected)
        if kind not in FORMS:
            clause = FORMS.get(self._last, "T-03")
            raise Broken(f"{expected}: JOIN, UPDT or CHAT", shown(kind), clause)
        self._last = kind
        try:
            return self._read_rest(kind)
        except Broken as broken:
            if broken.clause is not None:
                raise
            came = str(broken).partition("came ")[2]
            length = f"{LENGTHS[kind]} bytes" if kind in LENGTHS else "its own length"
            raise Broken(f"{kind.decode()} of {length}", came, FORMS[kind]) from None

    def has_fresh_board(self) -> bool:
        """Whether the first board that it is shown, if it is shown one soon, is empty."""
        length = LENGTHS[b"UPDT"]
        try:
            first = self.line.read_exactly(length, "UPDT", SECONDS_TO_SHOW)
        except Broken:
            return True
        self.line.kept[:0] = first
        won_and_spots = first[5:]
        return not first.startswith(b"UPDT") or not any(won_and_spots)

    def settle(self) -> None:
        """Has the server read all that was sent to it: even a second JOIN gets a response (T-03).

        Nothing must have changed by then.
        """
        self.line.send(join_packet(self._name))
        while not isinstance(got := self._read_as("a response to a second JOIN", "T-03"), int):
            if isinstance(got, Update) and got.won == PLAYING:
                demand(got.spots == self.spots, "T-14", "nothing to change", got.spots.hex())

    def _read_rest(self, kind: bytes) -> int | Update | Chat:
        read = self.line.read_exactly
        if kind == b"JOIN":
            code = read(1, "the code")[0]
            demand(1 <= code <= 9, "T-05", "a code from 1 to 9", code)
            return code
        if kind == b"UPDT":
            turn, won, *spots = read(LENGTHS[kind] - 4, "the board")
            demand(turn in (RED, BLUE), "T-09", "a turn of 1 or 2", turn)
            demand(won in range(5), "T-10", "a winner of 0 to 4", won)
            # Where the last spot is the first letter of a type, a packet was too short.
            clause = "T-08" if spots[-1] in b"JUC" else "T-11"
            demand(set(spots) <= {0, 1, 2}, clause, "42 spots of 0, 1 and 2", bytes(spots))
            return Update(turn, won, bytes(spots))
        lengths = read(3, "two lengths")
        name = read(lengths[0], "a name")
        return Chat(name, read(int.from_bytes(lengths[1:], "big"), "a message"))

    def _read_as(self, expected: str, clause: str) -> int | Update | Chat:
        try:
            return self.read_packet(expected)
        except Broken as broken:
            if broken.clause is None:
                broken.clause = clause
            raise


class Board:
    """The board as it must be: the checker's own, with pieces that fall."""

    def __init__(self) -> None:
        self.spots = bytearray(SPOTS)
        self._plays = 0

    def drop(self, column: int) -> tuple[int, int, int]:
        """The next piece in this column: the column, the row and whose it is."""
        colour = RED if self._plays % 2 == 0 else BLUE
        row = max(row for row in range(ROWS) if not self.spots[row * COLUMNS + column])
        self.spots[row * COLUMNS + column] = colour
        self._plays += 1
        return column, row, colour

    @property
    def turn(self) -> int:
        """Whose turn it is now."""
        return RED if self._plays % 2 == 0 else BLUE


def join_packet(name: bytes) -> bytes:
    """JOIN."""
    return b"JOIN" + bytes((len(name),)) + name


def first_player(hall: Hall, name: bytes = b"ann") -> Player:
    """Red, at a table at which nobody else sits or has left anything."""

    def attempt() -> Player | None:
        player = arrive(hall, name, [RED], "T-06", "to be Red at an empty table (1)")
        if player.has_fresh_board():
            return player
        player.line.close()
        return None

    player = insistently(attempt, SECONDS_TO_NOTICE)
    if player is None:
        raise Broken("a fresh board when all have left", "the board of the last match", "T-17")
    return player


def two_players(hall: Hall) -> tuple[Player, Player]:
    """Red and Blue at a fresh board."""
    red = first_player(hall)
    return red, arrive(hall, b"bob", [BLUE], "T-06", "the second player to be Blue (2)")


def watcher(hall: Hall, name: bytes = b"eve") -> Player:
    """Somebody who watches."""
    if hall.settings.max_spectators == 0:
        raise CannotCheck("nobody may watch here (max-spectators)")
    return arrive(hall, name, [WATCHES], "T-06", "the third to watch (3)")


def arrive(
    hall: Hall,
    name: bytes,
    wanted: Sequence[int],
    clause: str,
    expected: str,
    *,
    in_pieces: bool = False,
) -> Player:
    """A player whose JOIN is answered with one of these codes.

    It tries again for a while: the players of the last check may not have left yet.
    """
    codes: list[int] = []

    def attempt() -> Player | None:
        player = Player(hall)
        codes.append(player.join(name, in_pieces=in_pieces))
        if codes[-1] in wanted:
            return player
        player.line.close()
        return None

    player = insistently(attempt, SECONDS_TO_NOTICE)
    if player is None:
        raise Broken(expected, f"the code {codes[-1]}", clause)
    return player


def play_columns(board: Board, seated: Sequence[Player], columns: Sequence[int]) -> Update:
    """Plays these columns in turn. Everybody, Red and Blue first, sees each; gives the last."""
    update: Update | None = None
    for column in columns:
        to_column, row, colour = board.drop(column)
        seated[colour - 1].play(to_column, row)
        expected = f"UPDT after a PLAY in column {column}, row {row}"
        for player in seated:
            update = player.see(expected)
            demand(
                update.spots == board.spots,
                "T-11",
                f"{expected}: {board.spots.hex()}",
                update.spots.hex(),
            )
            demand(
                update.turn == board.turn or update.won != PLAYING,
                "T-02",
                f"the turn of {board.turn}",
                update.turn,
            )
    assert update is not None
    return update


def vertical_win(hall: Hall, winner: int) -> list[int]:
    """Columns in which Red, or Blue, gets its line by stacking."""
    needed = hall.settings.connect
    if needed > ROWS:
        raise CannotCheck(f"{needed} in a row do not fit into a column (connect)")
    if winner == RED:
        return [0, 1] * (needed - 1) + [0]
    return [6, 0] + [1, 0] * (needed - 1)
