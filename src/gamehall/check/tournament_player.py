"""A player at a server of document 001, and tournaments among such players."""

import re
import time
from collections.abc import Sequence
from random import Random

from gamehall.check.faults import Broken, CannotCheck, demand, shown
from gamehall.check.field import Field
from gamehall.check.json_player import JsonPlayer, next_speaker
from gamehall.check.santorini_moves import choose, placement
from gamehall.core import Seat
from gamehall.games.santorini import Cell, Place, Santorini, SantoriniPosition, Turn
from gamehall.games.santorini.compass import step_between
from gamehall.protocols.santorini_tournament import SantoriniTournamentSettings
from gamehall.protocols.santorini_tournament.messages import write_direction

NAME = re.compile(r"[a-z]+")
WINNER, LOSER, CHEATER = "WINNER", "LOSER", "CHEATER"

SECONDS_TO_SPARE = 2.0
LONGEST_WINDOW = 8.0

Hall = Field[SantoriniTournamentSettings]
Rows = list[list[object]]


class TournamentPlayer(JsonPlayer):
    """One player."""

    def __init__(self, hall: Hall, signed_up_as: str) -> None:
        super().__init__(hall, "S1-23")
        self._base = hall.settings.base
        self.signed_up_as = signed_up_as
        self.name = ""
        """The internal name."""
        self.results: list[str] = []
        self.opponents: list[str] = []

    def sign_up(self) -> None:
        """The first thing that is said."""
        self.send(self.signed_up_as)

    def expect(self, value: object, clause: str, seconds: float | None = None) -> None:
        """Just this value."""
        got = self.read(repr(value), clause, seconds)
        demand(got == value and type(got) is type(value), clause, repr(value), got)

    def read_prompt(self, kind: str) -> Rows:
        """The board of a prompt of this kind."""
        clause = "S1-07" if kind == "place" else "S1-11"
        message = self.read(f'["{kind}", Board]', clause)
        fits = isinstance(message, list) and len(message) == 2 and message[0] == kind
        demand(fits, clause, f'["{kind}", Board]', message)
        assert isinstance(message, list)
        board: object = message[1]
        is_board = isinstance(board, list) and all(isinstance(row, list) for row in board)
        demand(is_board, "S1-18", "rows of cells", board)
        assert isinstance(board, list)
        return board

    def write(self, move: Place | Turn, position: SantoriniPosition) -> list[object]:
        """A placement or a turn, as it is sent."""
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
        """[row, column]."""
        return [cell.row + self._base, cell.column + self._base]


def require(hall: Hall, number: int) -> None:
    """Raises CannotCheck if the door is so set that this many do not play a tournament."""
    settings = hall.settings
    if settings.players not in (0, number) or not (
        settings.min_players <= number <= settings.max_players
    ):
        raise CannotCheck(f"no tournament of {number} begins here (players, min-, max-players)")
    if settings.join_window > LONGEST_WINDOW:
        raise CannotCheck(f"it takes {settings.join_window} s to begin a tournament (join-window)")


def started(hall: Hall, names: Sequence[str] = ("ann", "bob")) -> list[TournamentPlayer]:
    """Players in a tournament that has begun: they know their names."""
    require(hall, len(names))
    players = [TournamentPlayer(hall, name) for name in names]
    for player in players:
        player.sign_up()
    learn_names(hall, players)
    return players


def learn_names(hall: Hall, players: Sequence[TournamentPlayer]) -> None:
    """Every player is told its internal name."""
    for player in players:
        wait = hall.settings.join_window + SECONDS_TO_SPARE
        name = player.read("an internal name", "S1-04", wait)
        fits = isinstance(name, str) and NAME.fullmatch(name)
        demand(bool(fits), "S1-04", "an internal name of lower-case letters", name)
        player.name = str(name)
    names = [player.name for player in players]
    demand(len({*names}) == len(names), "S1-05", "different internal names", names)
    wished = [player.signed_up_as for player in players]
    for player in players:
        if wished.count(player.signed_up_as) == 1:
            demand(
                player.name == player.signed_up_as,
                "S1-05",
                f"the name {player.signed_up_as}",
                player.name,
            )


class Match:
    """A game of two players of ours, with the board as it must be. The first is who is asked."""

    def __init__(self, hall: Hall, pair: Sequence[TournamentPlayer], seed: int) -> None:
        settings = hall.settings
        game = Santorini(settings.board, settings.placement_order)
        self.position: SantoriniPosition = game.start(0)
        self.players = dict(zip(Seat, pair, strict=True))
        self._chance = Random(seed)

    @property
    def asked(self) -> TournamentPlayer:
        """Who is to be asked now."""
        assert self.position.to_move is not None
        return self.players[self.position.to_move]

    @property
    def other(self) -> TournamentPlayer:
        """Who is not."""
        assert self.position.to_move is not None
        return self.players[self.position.to_move.other]

    def expect_prompt(self) -> None:
        """The one who is to be asked is shown the board."""
        kind = "place" if self.position.is_placing else "turn"
        board = self.asked.read_prompt(kind)
        names = {seat: player.name for seat, player in self.players.items()}
        rows: Rows = [list(row) for row in self.position.rows(names)]
        if board == rows and not any(type(cell) is bool for row in board for cell in row):
            return
        demand(
            [len(row) for row in board] == [len(row) for row in rows],
            "S1-18",
            f"a board of {len(rows)} rows and columns",
            board,
        )
        for line, true_line in zip(board, rows, strict=True):
            for cell, true_cell in zip(line, true_line, strict=True):
                clause = "S1-20" if isinstance(true_cell, str) else "S1-19"
                demand(
                    type(cell) is type(true_cell) and cell == true_cell,
                    clause,
                    f"{true_cell!r} in a cell",
                    cell,
                )

    def choose(self) -> Place | Turn:
        """A legal move."""
        if self.position.is_placing:
            return Place(placement(self.position))
        return choose(self.position, self._chance)

    def play(self, move: Place | Turn) -> None:
        """Sends a move and, if it is a placement, is told the worker's id."""
        asked, seat = self.asked, self.position.to_move
        assert seat is not None
        asked.send(asked.write(move, self.position))
        self.position = self.position.after(move)
        if isinstance(move, Place):
            number = len(self.position.workers_of(seat))
            asked.expect(f"{asked.name}{number}", "S1-09")

    def play_on(self, prompts: int | None = None) -> None:
        """Plays so many prompts, or to the end, of which both are told."""
        while self.position.outcome is None and prompts != 0:
            self.expect_prompt()
            self.play(self.choose())
            prompts = None if prompts is None else prompts - 1
        outcome = self.position.outcome
        if outcome is None:
            return
        for seat, player in self.players.items():
            verdict = WINNER if outcome.winner is seat else LOSER
            player.expect(verdict, "S1-15")
            player.results.append(verdict)


def who_begins(players: Sequence[TournamentPlayer]) -> list[TournamentPlayer]:
    """The two who are told each other's names, whoever is asked first being the first."""
    pair: list[TournamentPlayer] = []
    end = time.monotonic() + SECONDS_TO_SPARE
    by_name = {player.name: player for player in players}
    while len(pair) < 2:
        speaker = next_speaker([player for player in players if player not in pair], end)
        if speaker is None:
            raise Broken("the name of an opponent to two players", "nothing in time", "S1-06")
        assert isinstance(speaker, TournamentPlayer)
        message = speaker.read("the name of an opponent", "S1-06")
        known = isinstance(message, str) and message in by_name and message != speaker.name
        demand(known, "S1-06", f"the name of an opponent of {speaker.name}", shown(message))
        speaker.opponents.append(str(message))
        pair.append(speaker)
    names = [player.name for player in pair]
    said = [player.opponents[-1] for player in pair]
    demand(said == names[::-1], "S1-06", "each to be told of the other", said)
    first = next_speaker(pair, end)
    demand(first is not None, "S1-07", "one of the two to be asked", "nothing in time")
    return sorted(pair, key=lambda player: player is not first)


def read_result(player: TournamentPlayer) -> tuple[list[str], list[list[str]]]:
    """The cheaters and the games of the tournament-result, and then the end."""
    message = player.read("the tournament-result", "S1-17")
    match message:
        case [list(cheaters), list(games)] if _are_names(cheaters) and all(
            isinstance(game, list) and len(game) == 2 and _are_names(game) for game in games
        ):
            player.line.expect_end("X-05")
            return cheaters, games
    raise Broken("[Cheaters, [[winner, loser], ...]]", shown(message), "S1-17")


def _are_names(values: list[object]) -> bool:
    return all(isinstance(value, str) for value in values)
