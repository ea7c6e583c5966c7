"""A player at a server of document 001, and tournaments among such players."""

import re
import time
from collections.abc import Sequence

from gamehall.conformance.connection import CheckSkippedError, ClauseError, demand, shown
from gamehall.conformance.json_player import JsonPlayer, next_speaker
from gamehall.conformance.target import Target
from gamehall.conformance.tournaments import (
    SECONDS_FOR_THE_LAST,
    give_up_waiting,
    note_third_needed,
    require_tournament,
    seconds_to_begin,
    skip_without_tournament,
    usual_names,
)
from gamehall.core import Seat, SeededRandom
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

TournamentTarget = Target[SantoriniTournamentSettings]
Rows = list[list[object]]


class TournamentPlayer(JsonPlayer[TournamentTarget]):
    """A player of a tournament."""

    def __init__(self, target: TournamentTarget, signed_up_as: str) -> None:
        super().__init__(target, "S1-23")
        self.signed_up_as = signed_up_as
        self.name = ""
        """The internal name."""
        self.opponents: list[str] = []
        self.has_turned = False
        """Whether its last message to the server was a turn."""

    def sign_up(self) -> None:
        """Send the name, the first message of a player."""
        self.send(self.signed_up_as)

    def expect(self, value: object, clause: str, seconds: float | None = None) -> None:
        """Read exactly this value."""
        got = self.read(repr(value), clause, seconds)
        demand(got == value and type(got) is type(value), clause, repr(value), got)

    def expect_boolean(self, value: bool, clause: str) -> None:
        """Read this boolean. The other one is an untrue answer (S1-28), anything else is none."""
        got = self.read("a boolean", clause)
        demand(isinstance(got, bool), clause, "a boolean", got)
        demand(got is value, "S1-28", f"{value}, which is the truth", got)

    def starts_with(self, beginning: bytes, seconds: float) -> bool:
        """Return whether what comes next begins like this, without reading it."""
        return self.connection.says_something(seconds) and self.connection.kept.startswith(
            beginning
        )

    def read_prompt(self, kind: str) -> Rows:
        """Read a prompt of this kind and return its board."""
        clause = "S1-07" if kind == "place" else "S1-11"
        message = self.read(f'["{kind}", Board]', clause)
        # What comes after a turn and is no prompt is an answer, and there must be none.
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
        """Return a placement or a turn as it is sent."""
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
        base: int = self.target.known.get("base", self.target.settings.base)
        return [cell.row + base, cell.column + base]


def started(target: TournamentTarget, names: Sequence[str] = ()) -> list[TournamentPlayer]:
    """Return players in a tournament that has begun, who know their internal names."""
    names = names or usual_names(target)
    require_tournament(target.settings, len(names))
    players = [TournamentPlayer(target, name) for name in names]
    for player in players:
        player.sign_up()
    return learn_names(target, players)


def learn_names(
    target: TournamentTarget, players: list[TournamentPlayer]
) -> list[TournamentPlayer]:
    """Read the internal names. Return the players who were sent one, in order.

    How many players are enough is open (S1-Q06): a third signs up if two are not. A player who is
    sent nothing has not been chosen.
    """
    skip_without_tournament(target)
    window = seconds_to_begin(target)
    speaker = next_speaker(players, time.monotonic() + window)
    if speaker is None and len(players) == 2:
        players.append(TournamentPlayer(target, "cat"))
        players[-1].sign_up()
        speaker = next_speaker(players, time.monotonic() + window)
        if speaker is not None:
            note_third_needed(target, "S1-Q06")
    if speaker is None:
        give_up_waiting(target, len(players))
    chosen = _await_all(target, players)
    demand(len(chosen) > 1, "S1-04", "a name to at least two players", f"{len(chosen)} in time")
    wished = [player.signed_up_as for player in chosen]
    for player in chosen:
        name = player.read("an internal name", "S1-04")
        fits = isinstance(name, str) and NAME.fullmatch(name)
        demand(bool(fits), "S1-04", "an internal name of lower-case letters", name)
        player.name = str(name)
        is_unique = wished.count(player.signed_up_as) == 1
        if is_unique and player.name != player.signed_up_as and name in wished:
            # It is the name of an opponent: this server names only those who have a duplicate.
            target.differs("S1-Q04", "only who has a duplicate is told its internal name")
            player.put_back(name)
            player.name = player.signed_up_as
        kept = player.name == player.signed_up_as or not is_unique
        demand(kept, "S1-05", f"the name {player.signed_up_as}", player.name)
    names = [player.name for player in chosen]
    demand(len({*names}) == len(names), "S1-05", "different internal names", names)
    target.known["a tournament began"] = True
    target.saw("S1-02", "S1-04")
    if len({*wished}) < len(wished):
        target.saw("S1-05")
    return chosen


def _await_all(target: TournamentTarget, players: list[TournamentPlayer]) -> list[TournamentPlayer]:
    """Return those of the players who are sent something, now that one of them is."""
    end = time.monotonic() + target.patience_seconds
    while silent := [player for player in players if not player.connection.says_something(0)]:
        if next_speaker(silent, time.monotonic() + SECONDS_FOR_THE_LAST) is not None:
            continue
        # Where a game has begun, all who take part have been told their names.
        if time.monotonic() > end or any(PROMPT in player.connection.kept for player in players):
            break
    return [player for player in players if player not in silent]


class TournamentMatch:
    """A game of two of our players, with the board as it must be.

    The size of the board, the order of placements and the base of coordinates are learned from
    the boards that the server sends.
    """

    def __init__(
        self, target: TournamentTarget, pair: Sequence[TournamentPlayer], seed: int
    ) -> None:
        self._target = target
        self.players = dict(zip(Seat, pair, strict=True))
        self._size: int = target.known.get("size", target.settings.board)
        self._order: PlacementOrder = target.known.get("order", target.settings.placement_order)
        self._placed: list[tuple[Seat, Cell]] = []
        self.position: SantoriniPosition = self._start(Seat.FIRST)
        self._random = SeededRandom(seed)
        self._turns = 0
        self._flipped: Rows | None = None
        """The board after the first turn, if north were the last row."""

    @property
    def asked(self) -> TournamentPlayer:
        """The player who is to be asked now."""
        assert self.position.to_move is not None
        return self.players[self.position.to_move]

    @property
    def other(self) -> TournamentPlayer:
        """The opponent of the player who is asked."""
        assert self.position.to_move is not None
        return self.players[self.position.to_move.other]

    def expect_prompt(self) -> None:
        """Check that the right player is asked, and shown the right board."""
        self._see_who_is_asked()
        kind = "place" if self.position.is_placing else "turn"
        board = self.asked.read_prompt(kind)
        self._learn(board)
        rows = self._rows()
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
        """Return a legal move."""
        if self.position.is_placing:
            return Place(sample_placement(self.position))
        return sample_turn(self.position, self._random)

    def play(self, move: Place | Turn) -> None:
        """Send a move; after a placement read the id of the worker."""
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

    def play_on(self, prompts: int | None = None) -> None:
        """Answer this many prompts, or play to the end, which both are told."""
        while self.position.outcome is None and prompts != 0:
            self.expect_prompt()
            self.play(self.choose())
            prompts = None if prompts is None else prompts - 1
        outcome = self.position.outcome
        if outcome is None:
            return
        for seat, player in self.players.items():
            verdict = WINNER if outcome.winner is seat else LOSER
            got = player.read(verdict, "S1-15")
            is_answer = player.has_turned and isinstance(got, bool)
            demand(got == verdict, "S1-14" if is_answer else "S1-15", verdict, got)

    def saw_a_whole_game(self) -> None:
        """Note everything that a game shows from its placements to its end."""
        self._target.saw(
            "S1-06",
            "S1-07",
            "S1-09",
            "S1-10",
            "S1-11",
            "S1-13",
            "S1-14",
            "S1-15",
            "S1-18",
            "S1-19",
            "S1-20",
            "S1-21",
            "S1-22",
            "S1-23",
        )

    def _see_who_is_asked(self) -> None:
        """Accept any order of placements and any first turn, which are open (S1-Q08)."""
        is_open = self.position.is_placing or self._turns == 0
        end = time.monotonic() + self._target.patience_seconds
        speaker = next_speaker(list(self.players.values()), end)
        if speaker is None or speaker is self.asked or not is_open or speaker.connection.has_ended:
            return
        [seat] = [seat for seat, player in self.players.items() if player is speaker]
        so_far = "".join(str(one.value) for one, _ in self._placed)
        if self.position.is_placing:
            orders = [o for o in PlacementOrder if o.value.startswith(so_far + str(seat.value))]
            demand(bool(orders), "S1-10", "two workers of each player", f"{so_far}{seat.value}")
            self._order = self._target.known["order"] = orders[0]
            self.position = self._start(Seat.FIRST)
        else:
            self.position = self._start(seat)
        self._target.differs("S1-Q08", f"after {so_far} the next is {seat.value}")

    def _learn(self, board: Rows) -> None:
        """Learn the size of the board and the base of coordinates from the first boards."""
        if not self._placed and len(board) in SIZES and len(board) != self._size:
            self._target.differs("S1-Q30", f"the board has {len(board)} rows")
            self._size = self._target.known["size"] = len(board)
            self.position = self._start(Seat.FIRST)
        if len(self._placed) != 1 or "base" in self._target.known:
            return
        _, cell = self._placed[0]
        shifted = Cell(cell.row - 1, cell.column - 1)
        base = self._target.settings.base
        if _holds_worker(board, shifted) and not _holds_worker(board, cell):
            self._target.differs("S1-Q14", f"rows and columns are counted from {base + 1}")
            self._target.known["base"] = base + 1
            self._placed[0] = (self._placed[0][0], shifted)
            self.position = self._start(Seat.FIRST)
        else:
            self._target.known["base"] = base

    def _start(self, first_turn: Seat) -> SantoriniPosition:
        """The position after the placements so far."""
        position = Santorini(self._size, self._order, first_turn).start(0)
        for _, cell in self._placed:
            position = position.after(Place(cell))
        return position

    def _rows(self) -> Rows:
        names = {seat: player.name for seat, player in self.players.items()}
        return [list(row) for row in self.position.rows(names)]

    def _flip(self, before: SantoriniPosition, turn: Turn) -> Rows | None:
        """The board if this turn were read with north as the last row; None if it is illegal."""

        def mirrored(origin: Cell, cell: Cell) -> Cell:
            return Cell(2 * origin.row - cell.row, cell.column)

        to = mirrored(turn.origin, turn.to)
        step = step_between(turn.to, turn.build) if turn.build else None
        build = Cell(to.row - step.rows, to.column + step.columns) if step else None
        move = Turn(turn.origin, to, build)
        if not before.allows(move) or move == turn:
            return None
        names = {seat: player.name for seat, player in self.players.items()}
        return [list(row) for row in before.after(move).rows(names)]


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


def who_begins(
    players: Sequence[TournamentPlayer], clause: str = "S1-06"
) -> list[TournamentPlayer]:
    """Read the opponents' names of the next two players; the player asked first is the first."""
    target = players[0].target
    pair: list[TournamentPlayer] = []
    end = time.monotonic() + target.patience_seconds
    by_name = {player.name: player for player in players}
    while len(pair) < 2:
        speaker = next_speaker([player for player in players if player not in pair], end)
        if speaker is None:
            raise ClauseError(
                "the name of an opponent to two players",
                "nothing in time",
                clause,
                is_silence=not pair,
            )
        message = speaker.read("the name of an opponent", clause)
        known = isinstance(message, str) and message in by_name and message != speaker.name
        demand(known, clause, f"the name of an opponent of {speaker.name}", shown(message))
        speaker.opponents.append(str(message))
        speaker.has_turned = False
        pair.append(speaker)
    names = [player.name for player in pair]
    said = [player.opponents[-1] for player in pair]
    demand(said == names[::-1], "S1-06", "each to be told of the other", said)
    first = next_speaker(pair, end)
    if first is None:
        raise ClauseError("one of the two to be asked", "nothing in time", "S1-07")
    return sorted(pair, key=lambda player: player is not first)


def read_result(player: TournamentPlayer) -> tuple[list[str], list[list[str]]]:
    """Read the tournament-result: return its cheaters and games."""
    target = player.target
    message = player.read("the tournament-result", "S1-17")
    match message:
        case [list(cheaters), list(games)] if _are_names(cheaters) and all(
            isinstance(game, list) and len(game) == 2 and _are_names(game) for game in games
        ):
            _expect_close(player)
            target.saw("S1-17")
            return cheaters, games
    raise ClauseError("[Cheaters, [[winner, loser], ...]]", shown(message), "S1-17")


def _expect_close(player: TournamentPlayer) -> None:
    """Expect the end of the connection after the result; the document does not say so."""
    try:
        is_orderly = player.connection.expect_end("X-05")
    except ClauseError as broken:
        player.target.differs("S1-Q27", f"after the tournament-result there is {broken.came}")
        return
    if is_orderly:
        player.target.saw("X-05")
    else:
        player.target.differs("X-05", "the connection is broken off after the tournament-result")


def _are_names(values: list[object]) -> bool:
    return all(isinstance(value, str) for value in values)
