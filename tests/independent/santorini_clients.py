"""What the Santorini clients share: lines of JSON, and judging a tournament.

The clients are in santorini_lobby_clients and santorini_tournament_clients.
"""

import json
import re
import socket
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from tests.independent.playing import play_together
from tests.independent.santorini_board import Position, Turn, after, ends_game, legal_turns

TIMEOUT_SECONDS = 30.0
NAME = "[a-z]+"


class JsonClient(ABC):
    """A client that sends and reads JSON values, each on a line of its own."""

    def __init__(self, host: str, port: int, name: str) -> None:
        self.host = host
        self.port = port
        self.name = name
        self._received: list[object] = []

    def play(self) -> None:
        """Connect, and play until the server closes the connection."""
        with socket.create_connection((self.host, self.port), TIMEOUT_SECONDS) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connection = connection
            with connection.makefile("r", encoding="ascii", newline="\n") as self._lines:
                self._play_tournament()

    @abstractmethod
    def _play_tournament(self) -> None:
        """Play from the first message to the end of the stream."""

    def _send(self, *values: object) -> None:
        lines = "".join(json.dumps(value) + "\n" for value in values)
        self._connection.sendall(lines.encode())

    def _read(self) -> object:
        """Return the next value. Raises AssertionError at the end of the stream."""
        value = self._read_or_end()
        assert value is not None, f"closed after {self._received[-1:]!r}"
        return value

    def _read_or_end(self) -> object:
        """Return the next value, None at the end of the stream."""
        try:
            value = self._read_value()
        except TimeoutError:
            raise AssertionError(f"silence after {self._received[-1:]!r}") from None
        self._received.append(value)
        return value

    def _read_value(self) -> object:
        line = self._lines.readline()
        if line == "":
            return None
        assert line.endswith("\n"), f"closed within {line!r}"
        try:
            value: object = json.loads(line)
        except ValueError:
            raise AssertionError(f"not one JSON value: {line!r}") from None
        return value


def run_together(clients: Sequence[JsonClient], patience_seconds: float = 120.0) -> None:
    """Let all clients play at the same time."""
    names = [f"{client.name} (number {number})" for number, client in enumerate(clients)]
    plays = [client.play for client in clients]
    play_together(dict(zip(names, plays, strict=True)), patience_seconds)


class PlayedGame(NamedTuple):
    """A game as one player saw it.

    result is "WINNER" or "LOSER". decided is False for a win that the board does not explain: then
    the opponent must have been disqualified.
    """

    opponent: str
    result: str
    decided: bool


def judge_result(result: str, me: str, opponent: str, last: tuple[Position, Turn] | None) -> bool:
    """Return whether the board explains the result of an honest player.

    Raises AssertionError for a result that cannot be, whatever the opponent did.

    Args:
        last: the last turn of this player and the position before it, None if there was no turn.
    """
    assert result != "CHEATER", f"{me} is called a cheater, but every answer was legal"
    if last is None:
        assert result == "WINNER", f"{me} got {result} before the first turn"
        return False
    position, turn = last
    if ends_game(position, turn, opponent):
        assert result == "WINNER", f"{me} won with {turn} in {position}, but got {result}"
        return True
    if result == "WINNER":
        return False
    mine = after(position, turn)
    replies = legal_turns(mine, opponent)
    assert any(ends_game(mine, reply, me) for reply in replies), (
        f"{me} got LOSER, but {opponent} cannot win in {mine}"
    )
    return True


def judge_tournament(
    message: object, me: str, played: list[PlayedGame], games_per_opponent: int
) -> None:
    """Check that a tournament-result agrees with the games that this player saw."""
    match message:
        case [list() as cheaters, list() as games]:
            pass
        case _:
            raise AssertionError(f"expected a tournament-result, got {message!r}")
    for game in games:
        assert isinstance(game, list), f"a Game is [string, string], not {game!r}"
        assert len(game) == 2, f"a Game is [string, string], not {game!r}"
        assert game[0] != game[1], f"{game[0]!r} cannot play alone: {game!r}"
    for name in [*cheaters, *(name for game in games for name in game)]:
        assert isinstance(name, str), f"{name!r} is not a name"
        assert re.fullmatch(NAME, name), f"{name!r} is not a name"
    assert len(set(cheaters)) == len(cheaters), f"named twice: {cheaters!r}"
    assert me not in cheaters, f"{me} is among the cheaters {cheaters!r} and still connected"

    for game in played:
        assert game.decided or game.opponent in cheaters, (
            f"{me} got {game.result} against {game.opponent}, who neither lost nor cheated"
        )
    honest = sorted({me, *(game.opponent for game in played)} - set(cheaters))
    listed = {name for game in games for name in game}
    assert listed <= {*honest, *cheaters}, f"{me} did not meet {listed - {*honest, *cheaters}}"
    meetings = Counter(frozenset(game) for game in games)
    for one, two in combinations(honest, 2):
        count = meetings[frozenset((one, two))]
        assert count == games_per_opponent, f"{one} and {two} have {count} games: {games!r}"
    for opponent in honest:
        seen = [game.result == "WINNER" for game in played if game.opponent == opponent]
        reported = [game[0] == me for game in games if set(game) == {me, opponent}]
        assert seen == reported, f"{me} saw {played!r} against {opponent}, not {games!r}"
