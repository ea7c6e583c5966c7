"""A player at a santorini-tournament server, and tournaments among such players."""

import re
import time
from collections.abc import Sequence

from gamehall.conformance.connection import CheckSkippedError, ClauseError, demand, shown
from gamehall.conformance.target import Target
from gamehall.conformance.tournaments import (
    SECONDS_FOR_THE_LAST,
    CheckedMatch,
    JsonPlayer,
    TournamentKnowledge,
    expect_close,
    in_order_of_prompts,
    next_receiver,
    require_tournament,
    seconds_to_begin,
    usual_names,
    wait_for_tournament,
)
from gamehall.core import Seat
from gamehall.games.santorini import (
    Cell,
    Place,
    PlacementOrder,
    Santorini,
    SantoriniPosition,
    Turn,
)
from gamehall.games.santorini.compass import step_between
from gamehall.games.santorini.samples import sample_placement, sample_turn
from gamehall.protocols.santorini_tournament import SantoriniTournamentSettings
from gamehall.protocols.santorini_tournament.messages import write_direction

NAME = re.compile(r"[a-z]+")
WINNER, LOSER, CHEATER = "WINNER", "LOSER", "CHEATER"
RESULTS = (WINNER, LOSER, CHEATER)

PROMPT = b'["place"'

SIZES = (5, 6)


class SantoriniKnowledge(TournamentKnowledge):
    size: int | None = None
    """The number of rows of the board, None as long as it is that of the settings."""
    base: int | None = None
    """The number of the first row and column, None as long as it is not known."""
    order: PlacementOrder | None = None
    """The order of placements, None as long as it is that of the settings."""


TournamentTarget = Target[SantoriniTournamentSettings, SantoriniKnowledge]
Rows = list[list[object]]


class TournamentPlayer(JsonPlayer[TournamentTarget]):
    """A santorini-tournament player. Its `name` is the internal one, empty until it is known."""

    def __init__(self, target: TournamentTarget, signed_up_as: str) -> None:
        super().__init__(target, malformed="S1-23")
        self.signed_up_as = signed_up_as
        self.name = ""
        self.opponent = ""
        self.has_turned = False
        """Whether its last message to the server was a turn."""

    def sign_up(self) -> None:
        self.send(self.signed_up_as)

    def expect(self, value: object, clause: str) -> None:
        """Read exactly this value."""
        got = self.read(repr(value), clause)
        demand(got == value and type(got) is type(value), clause, repr(value), got)

    def expect_boolean(self, value: bool, clause: str) -> None:
        """Read this boolean. The other one is a false answer (S1-28), anything else is none."""
        got = self.read("a boolean", clause)
        demand(isinstance(got, bool), clause, "a boolean", got)
        demand(got is value, "S1-28", f"{value}, which is the truth", got)

    def starts_with(self, beginning: bytes, seconds: float) -> bool:
        """Return whether the next message begins like this, without reading it."""
        has_come = self.connection.receives_something(seconds)
        return has_come and self.connection.kept.startswith(beginning)

    def read_prompt(self, kind: str) -> Rows:
        """Read a prompt of this kind and return its board."""
        clause = "S1-07" if kind == "place" else "S1-11"
        message = self.read(f'["{kind}", Board]', clause)
        # A message after a turn that is no prompt is an answer, and a turn gets none (S1-14).
        clause = "S1-14" if self.has_turned and not isinstance(message, list) else clause
        fits = isinstance(message, list) and len(message) == 2 and message[0] == kind
        demand(fits, clause, f'["{kind}", Board]', message)
        assert isinstance(message, list)
        board: object = message[1]
        is_board = isinstance(board, list) and all(isinstance(row, list) for row in board)
        demand(is_board, "S1-18", "rows of cells", board)
        assert isinstance(board, list)
        return board

    def write(self, move: Place | Turn, position: SantoriniPosition) -> list[object]:
        """Return the JSON value of a placement or a turn."""
        if isinstance(move, Place):
            return self.write_cell(move.cell)
        seat = position.to_move
        assert seat is not None
        number = position.workers_of(seat).index(move.origin) + 1
        steps = [step_between(move.origin, move.to)]
        if move.build is not None:
            steps.append(step_between(move.to, move.build))
        return [f"{self.name}{number}", *map(write_direction, steps)]

    def write_cell(self, cell: Cell) -> list[object]:
        """Return [row, column]."""
        base = self.target.known.base
        if base is None:
            base = self.target.settings.base
        return [cell.row + base, cell.column + base]


def started(target: TournamentTarget, names: Sequence[str] = ()) -> list[TournamentPlayer]:
    """Sign players up, and return them when their tournament has begun."""
    names = names or usual_names(target)
    require_tournament(target.settings, len(names))
    players = [TournamentPlayer(target, name) for name in names]
    for player in players:
        player.sign_up()
    return learn_names(target, players)


def learn_names(
    target: TournamentTarget, players: list[TournamentPlayer]
) -> list[TournamentPlayer]:
    """Read the internal names, and return the players who have got one.

    How many players are enough is open (S1-Q06). Who receives nothing does not take part.
    """

    def has_begun(players: Sequence[TournamentPlayer]) -> bool:
        return next_receiver(players, time.monotonic() + seconds_to_begin(target)) is not None

    def sign_up(name: str) -> TournamentPlayer:
        player = TournamentPlayer(target, name)
        player.sign_up()
        return player

    wait_for_tournament(target, players, has_begun, sign_up, reading="S1-Q06")
    chosen = _wait_for_all(target, players)
    demand(len(chosen) > 1, "S1-04", "a name to at least two players", f"{len(chosen)} in time")
    wished = [player.signed_up_as for player in chosen]
    for player in chosen:
        name = player.read("an internal name", "S1-04")
        fits = isinstance(name, str) and NAME.fullmatch(name)
        demand(bool(fits), "S1-04", "an internal name of lower-case letters", name)
        player.name = str(name)
        is_unique = wished.count(player.signed_up_as) == 1
        if is_unique and player.name != player.signed_up_as and name in wished:
            # It is the name of an opponent, so this server renames only duplicates.
            target.differs("S1-Q04", "only players with the same name get internal names")
            player.put_back(name)
            player.name = player.signed_up_as
        kept = player.name == player.signed_up_as or not is_unique
        demand(kept, "S1-05", f"the name {player.signed_up_as}", player.name)
    names = [player.name for player in chosen]
    demand(len({*names}) == len(names), "S1-05", "different internal names", names)
    target.known.tournaments_begun += 1
    target.saw("S1-02", "S1-04")
    if len({*wished}) < len(wished):
        target.saw("S1-05")
    return chosen


def _wait_for_all(
    target: TournamentTarget, players: list[TournamentPlayer]
) -> list[TournamentPlayer]:
    """Return the players who receive something, once one of them has."""
    end = time.monotonic() + target.patience_seconds
    while silent := [player for player in players if not player.connection.receives_something(0)]:
        if next_receiver(silent, time.monotonic() + SECONDS_FOR_THE_LAST) is not None:
            continue
        # When a game has begun, all players of the tournament have got their names.
        if time.monotonic() > end or any(PROMPT in player.connection.kept for player in players):
            break
    return [player for player in players if player not in silent]


class TournamentMatch(CheckedMatch[TournamentPlayer, SantoriniPosition]):
    """A santorini-tournament game.

    The size of the board, the order of placements and the base of coordinates are learned from
    the boards that the server sends.
    """

    def __init__(
        self, target: TournamentTarget, pair: Sequence[TournamentPlayer], seed: int
    ) -> None:
        super().__init__(pair, seed)
        self._target = target
        self._size = target.known.size or target.settings.board
        self._order = target.known.order or target.settings.placement_order
        self._placed: list[tuple[Seat, Cell]] = []
        self.position = self._start(Seat.FIRST)
        self._flipped: Rows | None = None
        """The board after the first turn if north is the last row."""

    def expect_prompt(self) -> None:
        """Read the prompt for the next move and compare its board."""
        self._learn_order()
        kind = "place" if self.position.is_placing else "turn"
        board = self.asked.read_prompt(kind)
        self._learn_board(board)
        rows = self._rows(self.position)
        if board == rows and not any(type(cell) is bool for row in board for cell in row):
            return
        if self._flipped is not None and board == self._flipped:
            self._target.differs("S1-Q14", "north is the last row")
            raise CheckSkippedError("north is the last row here, so no game can be played (S1-Q14)")
        is_square = [len(row) for row in board] == [len(row) for row in rows]
        expected = f"a board of {len(rows)} rows and columns"
        demand(is_square, "S1-18", expected, board)
        for line, true_line in zip(board, rows, strict=True):
            for cell, true_cell in zip(line, true_line, strict=True):
                fits = type(cell) is type(true_cell) and cell == true_cell
                expected = f"{true_cell!r} in a cell"
                demand(fits, _clause_of_cell(cell, true_cell), expected, cell)

    def choose(self) -> Place | Turn:
        """Return a legal move for `asked`."""
        if self.position.is_placing:
            return Place(sample_placement(self.position))
        return sample_turn(self.position, self._random)

    def play(self, move: Place | Turn) -> None:
        """Send a move of `asked`; after a placement read the worker-id."""
        asked, seat = self.asked, self.position.to_move
        assert seat is not None
        asked.send(asked.write(move, self.position))
        before, self.position = self.position, self.position.after(move)
        asked.has_turned = isinstance(move, Turn)
        if isinstance(move, Place):
            self._placed.append((seat, move.cell))
            number = len(self.position.workers_of(seat))
            got = asked.read("a worker-id", "S1-09")
            demand(isinstance(got, str), "S1-09", "a worker-id", got)
            expected = f"{asked.name}{number}"
            demand(got == expected, "S1-21", f"the worker-id {expected}", got)
        else:
            self._turns += 1
            self._flipped = self._flip(before, move) if self._turns == 1 else None

    def answer(self) -> None:
        self.play(self.choose())

    def expect_end(self) -> None:
        outcome = self.position.outcome
        assert outcome is not None
        for seat, player in self.players.items():
            verdict = WINNER if outcome.winner is seat else LOSER
            got = player.read(verdict, "S1-15")
            is_answer = player.has_turned and isinstance(got, bool)
            demand(got == verdict, "S1-14" if is_answer else "S1-15", verdict, got)

    def saw_a_whole_game(self) -> None:
        """Note the clauses that a game shows from its placements to its end."""
        self._target.saw(
            "S1-06", "S1-07", "S1-09", "S1-10", "S1-11", "S1-13", "S1-14", "S1-15", "S1-18",
            "S1-19", "S1-20", "S1-21", "S1-22", "S1-23",
        )  # fmt: skip

    def _learn_order(self) -> None:
        """Accept any order of placements and any first turn, which are open (S1-Q08)."""
        is_open = self.position.is_placing or self._turns == 0
        end = time.monotonic() + self._target.patience_seconds
        receiver = next_receiver(list(self.players.values()), end)
        if receiver is None or receiver is self.asked or not is_open:
            return
        if receiver.connection.has_ended:
            return
        [seat] = [seat for seat, player in self.players.items() if player is receiver]
        so_far = "".join(str(one.value) for one, _ in self._placed)
        if self.position.is_placing:
            orders = [o for o in PlacementOrder if o.value.startswith(so_far + str(seat.value))]
            demand(bool(orders), "S1-10", "two workers of each player", f"{so_far}{seat.value}")
            self._order = self._target.known.order = orders[0]
            self.position = self._start(Seat.FIRST)
        else:
            self.position = self._start(seat)
        self._target.differs("S1-Q08", f"after {so_far} the next is {seat.value}")

    def _learn_board(self, board: Rows) -> None:
        """Learn the size of the board and the base of coordinates from the first boards."""
        if not self._placed and len(board) in SIZES and len(board) != self._size:
            self._target.differs("S1-Q30", f"the board has {len(board)} rows")
            self._size = self._target.known.size = len(board)
            self.position = self._start(Seat.FIRST)
        if len(self._placed) != 1 or self._target.known.base is not None:
            return
        _, cell = self._placed[0]
        shifted = Cell(cell.row - 1, cell.column - 1)
        base = self._target.settings.base
        if _holds_worker(board, shifted) and not _holds_worker(board, cell):
            self._target.differs("S1-Q14", f"rows and columns are counted from {base + 1}")
            self._target.known.base = base + 1
            self._placed[0] = (self._placed[0][0], shifted)
            self.position = self._start(Seat.FIRST)
        else:
            self._target.known.base = base

    def _start(self, first_turn: Seat) -> SantoriniPosition:
        """Return the position after the placements so far."""
        position = Santorini(self._size, self._order, first_turn).start(0)
        for _, cell in self._placed:
            position = position.after(Place(cell))
        return position

    def _rows(self, position: SantoriniPosition) -> Rows:
        names = {seat: player.name for seat, player in self.players.items()}
        return [list(row) for row in position.rows(names)]

    def _flip(self, before: SantoriniPosition, turn: Turn) -> Rows | None:
        """Return the board after this turn if north is the last row; None if it is illegal then."""

        def mirrored(origin: Cell, cell: Cell) -> Cell:
            return Cell(2 * origin.row - cell.row, cell.column)

        to = mirrored(turn.origin, turn.to)
        step = step_between(turn.to, turn.build) if turn.build else None
        build = Cell(to.row - step.rows, to.column + step.columns) if step else None
        move = Turn(turn.origin, to, build)
        if not before.allows(move) or move == turn:
            return None
        return self._rows(before.after(move))


def _clause_of_cell(cell: object, true_cell: object) -> str:
    """Return the clause that a wrong cell breaks."""
    if isinstance(true_cell, str):
        is_named = isinstance(cell, str) and cell[:1] == true_cell[:1]
        return "S1-21" if is_named else "S1-20"
    return "S1-19"


def _holds_worker(board: Rows, cell: Cell) -> bool:
    try:
        return isinstance(board[cell.row][cell.column], str)
    except IndexError:
        return False


def next_pair(players: Sequence[TournamentPlayer], clause: str = "S1-06") -> list[TournamentPlayer]:
    """Return the two players whose game begins, the one who is asked first as the first.

    Reads the names of their opponents. If none come, `clause` is broken.
    """
    target = players[0].target
    pair: list[TournamentPlayer] = []
    end = time.monotonic() + target.patience_seconds
    by_name = {player.name: player for player in players}
    while len(pair) < 2:
        receiver = next_receiver([player for player in players if player not in pair], end)
        if receiver is None:
            expected = "the name of an opponent to two players"
            raise ClauseError(expected, "nothing in time", clause, is_silence=not pair)
        message = receiver.read("the name of an opponent", clause)
        known = isinstance(message, str) and message in by_name and message != receiver.name
        demand(known, clause, f"the name of an opponent of {receiver.name}", shown(message))
        receiver.opponent = str(message)
        receiver.has_turned = False
        pair.append(receiver)
    names = [player.name for player in pair]
    opponents = [player.opponent for player in pair]
    demand(opponents == names[::-1], "S1-06", f"the opponents {names[::-1]}", opponents)
    return in_order_of_prompts(pair, "S1-07", end)


def read_result(player: TournamentPlayer) -> tuple[list[str], list[list[str]]]:
    """Read the tournament-result and return its cheaters and games."""
    target = player.target
    message = player.read("the tournament-result", "S1-17")
    match message:
        case [list(cheaters), list(games)] if _are_names(cheaters) and all(
            isinstance(game, list) and len(game) == 2 and _are_names(game) for game in games
        ):
            expect_close([player], "S1-Q27", "the tournament-result")
            target.saw("S1-17")
            return cheaters, games
    raise ClauseError("[Cheaters, [[winner, loser], ...]]", shown(message), "S1-17")


def _are_names(values: list[object]) -> bool:
    return all(isinstance(value, str) for value in values)
