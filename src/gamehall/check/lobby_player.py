"""A player at a server of document 000, and tournaments among such players."""

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
from gamehall.protocols.santorini_lobby import SantoriniLobbySettings
from gamehall.protocols.santorini_lobby.messages import write_direction
from gamehall.protocols.santorini_lobby.settings import FirstTurn
from gamehall.protocols.santorini_lobby.turns import TurnReading

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

ELEMENTS = {
    "keepalive": 1,
    "set_id": 2,
    "start_of_game": 1,
    "get_placement": 1,
    "get_turn": 1,
    "end_of_game": 1,
    "end_game": 1,
}
"""How many elements each message has."""

SECONDS_TO_SPARE = 2.0
LONGEST_WINDOW = 8.0

Hall = Field[SantoriniLobbySettings]


class LobbyPlayer(JsonPlayer):
    """One player."""

    def __init__(self, hall: Hall, name: str) -> None:
        super().__init__(hall, "S0-21")
        self._base = hall.settings.base
        self.name = name
        self.id: str | None = None
        self.turns = 0

    def hear(self, expected: str, clause: str, seconds: float | None = None) -> list[object]:
        """The next message, which has the elements of the table."""
        message = self.read(expected, clause, seconds)
        kind = message[0] if isinstance(message, list) and message else None
        known = isinstance(kind, str) and kind in ELEMENTS
        demand(known, "S0-21", "one of the messages of the table", message)
        assert isinstance(message, list)
        demand(len(message) == ELEMENTS[str(kind)], "S0-21", "just its elements", message)
        return message

    def expect(self, kind: str, clause: str, seconds: float | None = None) -> None:
        """Just this message."""
        message = self.hear(f'["{kind}"]', clause, seconds)
        demand(message[0] == kind, clause, f'["{kind}"]', message)

    def place(self, cell: Cell) -> None:
        """give_placement."""
        self.send(["give_placement", self._write(cell)])

    def move(self, turn: Turn) -> None:
        """The cell gone to and the build; called as in the drawing and as in the table, in turn."""
        self.turns += 1
        kind = "give_turn" if self.turns % 2 else "give_placement"
        step = step_between(turn.to, turn.build or turn.to)
        self.send([kind, [self._write(turn.to), write_direction(step)]])

    def _write(self, cell: Cell) -> list[int]:
        return [cell.column + self._base, cell.row + self._base]


def joined(hall: Hall, names: Sequence[str]) -> list[LobbyPlayer]:
    """These players, who have joined."""
    require(hall, len(names))
    players = [LobbyPlayer(hall, name) for name in names]
    for player in players:
        player.send(["join", player.name])
    return players


def require(hall: Hall, number: int) -> None:
    """Raises CannotCheck if the door is so set that this many do not play a tournament."""
    settings = hall.settings
    if settings.players not in (0, number) or not (
        settings.min_players <= number <= settings.max_players
    ):
        raise CannotCheck(f"no tournament of {number} begins here (players, min-, max-players)")
    if settings.join_window > LONGEST_WINDOW:
        raise CannotCheck(f"it takes {settings.join_window} s to begin a tournament (join-window)")
    if settings.turn_reading is TurnReading.ORIGIN:
        raise CannotCheck("a Placement is where a worker stands here (turn-reading)")


def await_ids(hall: Hall, players: Sequence[LobbyPlayer]) -> None:
    """Waits, answering keepalives, until everybody has an id."""
    end = time.monotonic() + hall.settings.join_window + SECONDS_TO_SPARE
    while any(player.id is None for player in players):
        speaker = next_speaker([player for player in players if player.id is None], end)
        if speaker is None:
            raise Broken("set_id to every player", "none in time", "S0-08", is_silence=True)
        assert isinstance(speaker, LobbyPlayer)
        message = speaker.hear("keepalive or set_id", "S0-03")
        match message:
            case ["keepalive"]:
                speaker.send(["stillalive"])
            case ["set_id", given]:
                fits = isinstance(given, str) and UUID.fullmatch(given)
                demand(bool(fits), "S0-08", "a UUID in canonical writing", message)
                speaker.id = str(given)
            case ["start_of_game"]:
                raise Broken("set_id", shown(message), "S0-09")
            case _:
                raise Broken("keepalive or set_id", shown(message), "S0-03")
    ids = {player.id for player in players}
    demand(len(ids) == len(players), "S0-08", "different ids", ids)


def started(hall: Hall, names: Sequence[str] = ("ann", "bob")) -> list[LobbyPlayer]:
    """Two players at the start of their game, P1 first; start_of_game has come."""
    players = joined(hall, names)
    await_ids(hall, players)
    for player in players:
        player.expect("start_of_game", "S0-12")
    return in_order(players)


def in_order(pair: Sequence[LobbyPlayer]) -> list[LobbyPlayer]:
    """Whoever is asked for a placement first, first; the message stays unread."""
    first = next_speaker(pair, time.monotonic() + SECONDS_TO_SPARE)
    demand(first is not None, "S0-13", "get_placement to one of the two", "nothing in time")
    return sorted(pair, key=lambda player: player is not first)


class Match:
    """A game of two players of ours, with the board as it must be."""

    def __init__(self, hall: Hall, pair: Sequence[LobbyPlayer], seed: int) -> None:
        settings = hall.settings
        first_turn = Seat.FIRST if settings.first_turn is FirstTurn.P1 else Seat.SECOND
        self.position: SantoriniPosition = Santorini(settings.board, first_turn=first_turn).start(0)
        self._players = dict(zip(Seat, pair, strict=True))
        self._end_message = settings.end_message.value
        self._chance = Random(seed)

    @property
    def asked(self) -> LobbyPlayer:
        """Who is to be asked now."""
        assert self.position.to_move is not None
        return self._players[self.position.to_move]

    @property
    def other(self) -> LobbyPlayer:
        """Who is not."""
        assert self.position.to_move is not None
        return self._players[self.position.to_move.other]

    def expect_prompt(self, clause: str | None = None) -> None:
        """The one who is to be asked is asked, and for the right thing."""
        is_placing = self.position.is_placing
        kind = "get_placement" if is_placing else "get_turn"
        self.asked.expect(kind, clause or ("S0-13" if is_placing else "S0-15"))

    def answer(self) -> None:
        """A legal answer."""
        asked = self.asked
        if self.position.is_placing:
            cell = placement(self.position)
            asked.place(cell)
            self.position = self.position.after(Place(cell))
        else:
            turn = choose(self.position, self._chance)
            asked.move(turn)
            self.position = self.position.after(turn)

    def play_on(self, prompts: int | None = None) -> None:
        """Plays so many prompts, or to the end, of which both are told."""
        while self.position.outcome is None and prompts != 0:
            self.expect_prompt()
            self.answer()
            prompts = None if prompts is None else prompts - 1
        if self.position.outcome is not None:
            self.expect_end()

    def expect_end(self, clause: str = "S0-19", seconds: float | None = None) -> None:
        """Both are told that it is over."""
        for player in self._players.values():
            player.expect(self._end_message, clause, seconds)
