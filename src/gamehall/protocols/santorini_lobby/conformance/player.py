"""A player at a santorini-lobby server, and tournaments among such players."""

import time
import uuid
from collections.abc import Sequence
from typing import Any, NamedTuple

from gamehall.conformance.connection import CheckSkippedError, ClauseError, demand, shown
from gamehall.conformance.target import Target
from gamehall.conformance.tournaments import (
    SECONDS_FOR_THE_LAST,
    CheckedMatch,
    JsonPlayer,
    TournamentKnowledge,
    in_order_of_prompts,
    next_receiver,
    require_tournament,
    seconds_to_begin,
    usual_names,
    wait_for_tournament,
)
from gamehall.core import Position, Seat
from gamehall.games.santorini import Cell, Place, Santorini, SantoriniPosition, Turn
from gamehall.games.santorini.compass import step_between
from gamehall.games.santorini.samples import sample_placement, sample_turn
from gamehall.protocols.santorini_lobby import SantoriniLobbySettings
from gamehall.protocols.santorini_lobby.messages import write_direction
from gamehall.protocols.santorini_lobby.settings import FirstTurn
from gamehall.protocols.santorini_lobby.turns import TurnReading

ELEMENTS = {
    "keepalive": 1,
    "set_id": 2,
    "start_of_game": 1,
    "get_placement": 1,
    "get_turn": 1,
    "end_of_game": 1,
    "end_game": 1,
}
"""The number of elements of each message."""

END_MESSAGES = ("end_of_game", "end_game")
"""The document's table and its drawing differ (S0-Q10)."""

TURN_NAMES = ("give_turn", "give_placement")
"""The document's drawing and its table differ (S0-Q09)."""

LARGEST_BOARD = 6
"""The largest board that a client has to expect, since no message names the size (S0-Q20)."""

TOP = 3
"""The level that wins."""


class LobbyKnowledge(TournamentKnowledge):
    has_played_game: bool = False
    """Whether a game of the current tournament has ended."""
    turn_names: Sequence[str] = TURN_NAMES
    """The names under which turns may be sent (S0-Q09)."""


LobbyTarget = Target[SantoriniLobbySettings, LobbyKnowledge]


class LobbyPlayer(JsonPlayer[LobbyTarget]):
    """A santorini-lobby player."""

    def __init__(self, target: LobbyTarget, name: str) -> None:
        super().__init__(target, malformed="S0-21")
        self._base = target.settings.base
        self.name = name
        self.id: str | None = None

    def read_message(
        self, expected: str, clause: str, seconds: float | None = None
    ) -> list[object]:
        """Return the next message, which must have the elements that the document lists."""
        message = self.read(expected, clause, seconds)
        kind = message[0] if isinstance(message, list) and message else None
        known = isinstance(kind, str) and kind in ELEMENTS
        demand(known, "S0-21", "one of the messages of the table", message)
        assert isinstance(message, list)
        demand(len(message) == ELEMENTS[str(kind)], "S0-21", "just its elements", message)
        if self.id is not None:
            demand(kind != "keepalive", "S0-11", "no keepalive after set_id", message)
        return message

    def expect(self, kind: str, clause: str, seconds: float | None = None) -> None:
        """Read exactly this message."""
        message = self.read_message(f'["{kind}"]', clause, seconds)
        demand(message[0] == kind, clause, f'["{kind}"]', message)

    def expect_end(self, clause: str) -> None:
        """Read the end of a game, under either of its names."""
        message = self.read_message('["end_of_game"]', clause)
        demand(message[0] in END_MESSAGES, clause, '["end_of_game"]', message)
        if message[0] != self.target.settings.end_message.value:
            self.target.differs("S0-Q10", f"the end of a game is announced by {message[0]}")

    def join(self) -> None:
        self.send(["join", self.name])

    def place(self, cell: Cell) -> None:
        self.send(["give_placement", self._write(cell)])

    def move(self, turn: Turn, name: str) -> None:
        """Send a turn: the cell to move to, and the direction to build in.

        Args:
            name: of the message (S0-Q09).
        """
        step = step_between(turn.to, turn.build or turn.to)
        self.send([name, [self._write(turn.to), write_direction(step)]])

    def _write(self, cell: Cell) -> list[int]:
        return [cell.column + self._base, cell.row + self._base]


def require(target: LobbyTarget, number: int) -> None:
    """Skip the check if by its settings the door plays no such tournament."""
    require_tournament(target.settings, number)
    if target.settings.turn_reading is TurnReading.ORIGIN:
        raise CheckSkippedError("a Placement is where a worker stands here (turn-reading)")


def joined(target: LobbyTarget, names: Sequence[str]) -> list[LobbyPlayer]:
    """Connect players with these names and let them join."""
    players = [LobbyPlayer(target, name) for name in names]
    for player in players:
        player.join()
    return players


def gathered(target: LobbyTarget, players: list[LobbyPlayer]) -> list[LobbyPlayer]:
    """Wait until a tournament begins, and return those who are its players.

    How many are enough is open, as is how long a server waits for more (S0-Q02).
    """
    wait_for_tournament(
        target,
        players,
        has_begun=lambda players: _read_ids(target, players),
        sign_up=lambda name: joined(target, [name])[0],
        reading="S0-Q02",
    )
    chosen = [player for player in players if player.id is not None]
    demand(len(chosen) > 1, "S0-08", "set_id to at least two players", f"{len(chosen)}")
    ids = {player.id for player in chosen}
    demand(len(ids) == len(chosen), "S0-08", "different ids", ids)
    target.known.tournaments_begun += 1
    target.saw("S0-02", "S0-03", "S0-08")
    return chosen


def _read_ids(target: LobbyTarget, players: Sequence[LobbyPlayer]) -> bool:
    """Answer keepalives until all players have an id, or some have and the others get none.

    Return whether any player has an id. One who only gets keepalives does not take part (S0-Q02).
    """
    end = time.monotonic() + seconds_to_begin(target)
    chosen: list[LobbyPlayer] = []
    while waiting := [player for player in players if player.id is None]:
        receiver = next_receiver([*waiting, *chosen], end)
        if receiver in chosen:
            # Their game begins: the others get a last moment to receive their ids (S0-09).
            receiver = next_receiver(waiting, time.monotonic() + SECONDS_FOR_THE_LAST)
            chosen = []
            end = time.monotonic() + SECONDS_FOR_THE_LAST
        if receiver is None:
            break
        message = receiver.read_message("keepalive or set_id", "S0-03")
        match message:
            case ["keepalive"]:
                receiver.send(["stillalive"])
            case ["set_id", given]:
                receiver.id = _read_id(given)
                end = min(end, time.monotonic() + target.patience_seconds)
                chosen = [player for player in players if player.id is not None]
            case ["start_of_game"]:
                raise ClauseError("set_id before a game starts", shown(message), "S0-09")
            case _:
                raise ClauseError("keepalive or set_id", shown(message), "S0-03")
    return any(player.id is not None for player in players)


def _read_id(given: object) -> str:
    try:
        demand(isinstance(given, str), "S0-08", "a UUID as a string", given)
        return str(uuid.UUID(str(given)))
    except ValueError:
        raise ClauseError("a UUID", shown(given), "S0-08") from None


def next_pair(players: Sequence[LobbyPlayer]) -> list[LobbyPlayer]:
    """Return the two players whose game begins, P1 first; empty if all connections are closed.

    If nothing comes at all, S0-10 is broken or, after a game, S0-20.
    """
    target = players[0].target
    clause = "S0-20" if target.known.has_played_game else "S0-10"
    pair: list[LobbyPlayer] = []
    end = time.monotonic() + target.patience_seconds
    gone: set[LobbyPlayer] = set()
    while len(pair) < 2:
        left = [player for player in players if player not in pair and player not in gone]
        if len(left) + len(pair) < 2:
            return []
        receiver = next_receiver(left, end)
        if receiver is None:
            clause = "S0-12" if pair else clause
            expected, came = "start_of_game to two players", f"it to {len(pair)} in time"
            raise ClauseError(expected, came, clause, is_silence=not pair)
        if receiver.connection.has_ended:
            gone.add(receiver)
            continue
        message = receiver.read_message("start_of_game", clause)
        demand(message == ["start_of_game"], "S0-12", '["start_of_game"]', shown(message))
        pair.append(receiver)
    target.saw("S0-09", "S0-10", "S0-12")
    return in_order_of_prompts(pair, "S0-13", time.monotonic() + target.patience_seconds)


def first_pair(players: Sequence[LobbyPlayer]) -> list[LobbyPlayer]:
    """Return the players of the first game of the tournament."""
    players[0].target.known.has_played_game = False
    pair = next_pair(players)
    if not pair:
        raise ClauseError("start_of_game to two players", "the end of the connections", "S0-10")
    return pair


def started(target: LobbyTarget) -> "LobbyMatch":
    """Begin a tournament with as few players as possible, and return its first game."""
    names = usual_names(target)
    require(target, len(names))
    players = gathered(target, joined(target, names))
    return LobbyMatch(target, first_pair(players), seed=target.known.tournaments_begun)


class LastAnswer(NamedTuple):
    """What a player has answered to the last prompt."""

    player: LobbyPlayer
    turn: Turn | None
    """None: it was a placement."""
    names: list[str]
    """The names under which the turn has been sent so far."""


class LobbyMatch(CheckedMatch[LobbyPlayer, SantoriniPosition]):
    """A santorini-lobby game, in which the board is never shown."""

    def __init__(self, target: LobbyTarget, pair: Sequence[LobbyPlayer], seed: int) -> None:
        super().__init__(pair, seed)
        self._target = target
        first_turn = Seat.FIRST if target.settings.first_turn is FirstTurn.P1 else Seat.SECOND
        self.position = self._start(first_turn)
        self._placed: list[Cell] = []
        self._last: LastAnswer | None = None

    def expect_prompt(self, clause: str | None = None) -> None:
        """Read the prompt for the next move. If it does not come, `clause` is broken."""
        is_placing = self.position.is_placing
        kind = "get_placement" if is_placing else "get_turn"
        if_refused = clause or "S0-14"
        clause = clause or ("S0-13" if is_placing else "S0-15")
        end = time.monotonic() + self._target.patience_seconds
        receiver = next_receiver([self.asked, self.other], end)
        if receiver is None:
            raise ClauseError(f'["{kind}"]', "nothing in time", clause, is_silence=True)
        message = receiver.read_message(f'["{kind}"]', clause)
        if len(self._placed) == len(Seat) * 2 and self._turns == 0 and message == [kind]:
            self._learn_first_turn(receiver)
        if receiver is self.asked and message == [kind]:
            return
        if self._last is not None and self._is_refusal(receiver, message):
            self._answer_again(self._last, message, if_refused)
            self.expect_prompt(clause)
            return
        came = f"{shown(message)} to {receiver.name}"
        raise ClauseError(f'["{kind}"] to {self.asked.name}', came, clause)

    def answer(self) -> None:
        asked = self.asked
        if self.position.is_placing:
            cell = sample_placement(self.position)
            asked.place(cell)
            self._placed.append(cell)
            self.position = self.position.after(Place(cell))
            self._last = LastAnswer(asked, None, [])
            return
        turn = sample_turn(self.position, self._random)
        names = self._target.known.turn_names
        name = names[self._turns // 2 % len(names)]
        asked.move(turn, name)
        self._turns += 1
        self.position = self.position.after(turn)
        self._last = LastAnswer(asked, turn, [name])

    def expect_end(self) -> None:
        for player in self.players.values():
            message = player.read_message('["end_of_game"]', "S0-19")
            if self._last is not None and self._is_refusal(player, message):
                self._answer_again(self._last, message, "S0-14")
                self.expect_end()
                return
            if message[0] == "get_turn":
                if self._last is not None and self._last.turn and self._last.turn.build is None:
                    expected = f"the end when level {TOP} is reached"
                    raise ClauseError(expected, shown(message), "S0-24")
                why = "a player who cannot move is asked for a turn: the board may be larger"
                raise CheckSkippedError(why)
            player.put_back(message)
            player.expect_end("S0-19")
        self._target.known.has_played_game = True

    def saw_a_whole_game(self) -> None:
        """Note the clauses that a game shows from its placements to its end."""
        target = self._target
        target.saw("S0-11", "S0-13", "S0-14", "S0-15", "S0-17", "S0-19", "S0-21")
        names = target.known.turn_names
        if len(names) == len(TURN_NAMES) and self._turns >= 2 * len(names):
            target.saw("S0-16")

    def _start(self, first_turn: Seat) -> SantoriniPosition:
        return Santorini(self._target.settings.board, first_turn=first_turn).start(0)

    def _learn_first_turn(self, receiver: LobbyPlayer) -> None:
        """Let the player who is asked make the first turn; who that is, is open (S0-Q08)."""
        if receiver is self.asked:
            return
        self._target.differs("S0-Q08", "it is not P2 who makes the first turn, or not P1 as set")
        [seat] = [seat for seat, player in self.players.items() if player is receiver]
        self.position = self._start(seat)
        for cell in self._placed:
            self.position = self.position.after(Place(cell))

    def _is_refusal(self, receiver: LobbyPlayer, message: list[object]) -> bool:
        """Return whether this message means that the last answer was not accepted."""
        assert self._last is not None
        last, turn, _ = self._last
        again = "get_turn" if turn else "get_placement"
        is_over = self.position.to_move is None
        if receiver is last and message == [again] and (is_over or self.asked is not last):
            return True
        return self.position.outcome is None and message[0] in END_MESSAGES

    def _answer_again(self, last: LastAnswer, message: list[object], if_placement: str) -> None:
        """Send a refused turn again under its other name.

        The document leaves open what a turn is (S0-Q11), so refusing ours is no fault. A refused
        placement breaks `if_placement`.
        """
        player, turn, names = last
        if turn is None:
            expected = "a placement on a free cell to be accepted"
            raise ClauseError(expected, shown(message), if_placement)
        untried = [name for name in TURN_NAMES if name not in names]
        if message[0] in END_MESSAGES or not untried:
            self._target.differs("S0-Q11", "[cell to move to, direction to build in] is refused")
            why = "turns are read differently here (S0-Q11), so no game can be played"
            raise CheckSkippedError(why)
        self._target.differs("S0-Q09", f"a turn is not accepted in {names[-1]}")
        only = f"a turn is not accepted in {names[-1]}, only under its other name"
        self._target.differs("S0-16", only)
        self._target.known.turn_names = untried
        player.move(turn, untried[0])
        names.append(untried[0])


def needs_board(position: Position[Any], seat: Seat, move: Any) -> bool:
    """Return whether a client has to be shown the board to know that this move is illegal.

    Every client knows its own workers, and that they move to adjacent cells.
    """
    assert isinstance(position, SantoriniPosition)
    own = position.workers_of(seat)
    match move:
        case Place(cell):
            return _is_on_board(cell) and cell not in own
        case Turn(_, to, build):
            is_near = any(_are_neighbours(worker, to) for worker in own)
            is_built = build is None or _is_on_board(build)
            return is_near and is_built and _is_on_board(to) and to not in own
        case _:
            return False


def _is_on_board(cell: Cell) -> bool:
    return 0 <= cell.row < LARGEST_BOARD and 0 <= cell.column < LARGEST_BOARD


def _are_neighbours(one: Cell, other: Cell) -> bool:
    return max(abs(one.row - other.row), abs(one.column - other.column)) == 1
