"""What the blocking Santorini clients share: playing together, and judging a tournament.

The clients themselves are in santorini_lobby_clients (document 000) and
santorini_tournament_clients (document 001).
"""

import re
import threading
import time
from collections import Counter, deque
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple, Protocol

from tests.independent.santorini_board import Position, Turn, after, ends_game, legal_turns

TIMEOUT_SECONDS = 30.0
NAME = "[a-z]+"


class Client(Protocol):
    """Whoever plays one whole tournament when asked to."""

    name: str

    def play(self) -> list[object]:
        """Plays to the end and gives all that the server said, in order."""


def run_together(clients: Sequence[Client], patience_seconds: float = 120.0) -> list[list[object]]:
    """Lets all clients play at the same time and gives what each of them heard.

    What a client raises is raised here: alone if one failed, as an ExceptionGroup if several did.
    AssertionError when a client has not come to an end within the patience.
    """
    heard: dict[int, list[object]] = {}
    errors: list[Exception] = []

    def play(number: int, client: Client) -> None:
        try:
            heard[number] = client.play()
        except Exception as error:  # whatever it is, the test that waits has to see it
            error.add_note(f"in the client {client.name!r} (number {number})")
            errors.append(error)

    threads = [
        threading.Thread(target=play, args=pair, daemon=True, name=f"client {pair[0]}")
        for pair in enumerate(clients)
    ]
    deadline = time.monotonic() + patience_seconds
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    late = [
        f"{client.name!r} (number {number})"
        for number, client in enumerate(clients)
        if threads[number].is_alive()
    ]
    if late:
        late_error = f"still playing after {patience_seconds} s: {', '.join(late)}"
        errors.append(AssertionError(late_error))
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ExceptionGroup("several clients failed", errors)
    return [heard[number] for number in range(len(clients))]


class PlayedGame(NamedTuple):
    """A game as one player saw it.

    result is "WINNER", "LOSER" or "CHEATER". decided is False for a win that the board does not
    explain: then the opponent must have been booted.
    """

    opponent: str
    result: str
    decided: bool


class TournamentResult(NamedTuple):
    """Who cheated, and the games of the tournament as (winner, loser)."""

    cheaters: list[str]
    games: list[tuple[str, str]]


class CheckAllowance:
    """How often a client may check: never more than ten times within a second.

    A check reached the server before its answer came, and the eleventh after it may leave only
    a second later, so the server cannot count eleven, however long the way to it is.
    """

    def __init__(self) -> None:
        self._answered_at: deque[float] = deque(maxlen=10)

    def allows(self, count: int) -> bool:
        """Whether so many checks may be sent now."""
        recent = sum(moment > time.monotonic() - 1.05 for moment in self._answered_at)
        return recent + count <= 10

    def note_answer(self) -> None:
        """An answer to a check has come."""
        self._answered_at.append(time.monotonic())


def judge_result(result: str, me: str, opponent: str, last: tuple[Position, Turn] | None) -> bool:
    """Whether the board explains the result of an honest player.

    last is this player's last turn with the position before it, None before the first turn.
    Raises AssertionError for a result that cannot be, whatever the opponent did.
    """
    assert result != "CHEATER", f"{me} is called a cheater, but every answer was legal"
    if last is None:
        assert result == "WINNER", f"{me} is told {result} before the first turn"
        return False
    position, turn = last
    if ends_game(position, turn, opponent):
        assert result == "WINNER", f"{me} won with {turn} in {position}, but is told {result}"
        return True
    if result == "WINNER":
        return False
    mine = after(position, turn)
    replies = legal_turns(mine, opponent)
    assert any(ends_game(mine, reply, me) for reply in replies), (
        f"{me} is told LOSER, but {opponent} cannot win in {mine}"
    )
    return True


def judge_tournament(
    message: object, me: str, played: list[PlayedGame], games_per_opponent: int
) -> TournamentResult:
    """The tournament-result, which must agree with the games that this player saw."""
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
    assert me not in cheaters, f"{me} is among the cheaters {cheaters!r} and still here"

    for game in played:
        assert game.decided or game.opponent in cheaters, (
            f"{me} was told {game.result} against {game.opponent}, who neither lost nor cheated"
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
        told = [game[0] == me for game in games if set(game) == {me, opponent}]
        assert seen == told, f"{me} saw {played!r} against {opponent}, but is told {games!r}"
    return TournamentResult(cheaters, [(winner, loser) for winner, loser in games])
