"""Players and matches of tournaments whose messages are JSON values, one on each line."""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from gamehall.conformance.connection import (
    CheckSkippedError,
    ClauseError,
    ServerGoneError,
    first_to_receive,
    shown,
)
from gamehall.conformance.target import Knowledge, Target
from gamehall.core import Position, Seat, SeededRandom
from gamehall.wire.settings import TournamentSettings

LONGEST_WINDOW = 8.0
"""A server that waits longer before it begins a tournament is not checked."""

LONGEST_TIMEOUT = 25.0
"""A longer time limit for answers is not checked."""

SECONDS_FOR_THE_LAST = 1.0
"""How much later than the first player the last one may learn that the tournament has begun."""

SECONDS_OF_SILENCE = 0.5

NAMES = ("ann", "bob", "cat")

TargetT = TypeVar("TargetT", bound=Target[Any, Any])
PlayerT = TypeVar("PlayerT", bound="JsonPlayer[Any]")
PositionT = TypeVar("PositionT", bound=Position[Any])


class TournamentKnowledge(Knowledge):
    enough_players: int = 2
    """The number of players with whom a tournament begins."""
    why_no_tournament: str = ""
    """The reason why no tournament can be played, if none has begun."""
    tournaments_begun: int = 0


class JsonPlayer(Generic[TargetT]):
    """A player of a tournament, on a connection of its own."""

    name: str

    def __init__(self, target: TargetT, malformed: str) -> None:
        """Connect.

        Args:
            malformed: the clause that a line breaks if it is not well-formed JSON.
        """
        self.target = target
        self.connection = target.connect()
        self._malformed = malformed

    def send(self, value: object) -> None:
        """Send a value on a line of its own."""
        self.connection.send(json.dumps(value).encode() + b"\n")

    def read(self, expected: str, clause: str, seconds: float | None = None) -> object:
        """Return the next value. If none comes, `clause` is broken."""
        line = self.connection.read_line(expected, clause, seconds)
        if not line.isascii() or line.endswith(b"\r") or line == b"":
            self.target.differs("X-03", f"there was a line {shown(line)}")
        if not line.strip():
            return self.read(expected, clause, seconds)
        try:
            value: object = json.loads(line)
        except (ValueError, RecursionError):
            raise ClauseError("well-formed JSON", repr(line), self._malformed) from None
        return value

    def put_back(self, value: object) -> None:
        """Let the next `read` return this value."""
        self.connection.kept[:0] = json.dumps(value).encode() + b"\n"


class CheckedMatch(ABC, Generic[PlayerT, PositionT]):
    """A match between two of our players, and the position that the rules lead to."""

    position: PositionT

    def __init__(self, pair: Sequence[PlayerT], seed: int) -> None:
        self.players: dict[Seat, PlayerT] = dict(zip(Seat, pair, strict=True))
        self._random = SeededRandom(seed)
        self._turns = 0

    @property
    def asked(self) -> PlayerT:
        """The player whose turn it is. Not checked: that the match has not ended."""
        assert self.position.to_move is not None
        return self.players[self.position.to_move]

    @property
    def other(self) -> PlayerT:
        """The opponent of `asked`."""
        assert self.position.to_move is not None
        return self.players[self.position.to_move.other]

    @abstractmethod
    def expect_prompt(self) -> None:
        """Read the prompt for the next move, which must be sent to `asked`."""

    @abstractmethod
    def answer(self) -> None:
        """Send a legal move for `asked`."""

    @abstractmethod
    def expect_end(self) -> None:
        """Read the messages with which both players learn that the match has ended."""

    def play_on(self, prompts: int | None = None) -> None:
        """Answer this many prompts, or play to the end."""
        while self.position.outcome is None and prompts != 0:
            self.expect_prompt()
            self.answer()
            prompts = None if prompts is None else prompts - 1
        if self.position.outcome is not None:
            self.expect_end()


def next_receiver(players: Sequence[PlayerT], end: float) -> PlayerT | None:
    """Return the player who receives something next, or whose connection ends.

    None if there is none until `end`, also if one of them receives without end.
    """
    if time.monotonic() > end:
        return None
    line = first_to_receive([player.connection for player in players], end - time.monotonic())
    return next((player for player in players if player.connection is line), None)


def in_order_of_prompts(pair: Sequence[PlayerT], clause: str, end: float) -> list[PlayerT]:
    """Return the pair, the player who is prompted first as the first.

    If neither is prompted until `end`, `clause` is broken.
    """
    first = next_receiver(pair, end)
    if first is None:
        raise ClauseError("a prompt to one of the two players", "nothing in time", clause)
    return sorted(pair, key=lambda player: player is not first)


def require_tournament(settings: TournamentSettings, number: int) -> None:
    """Skip the check if by its settings the door begins no tournament of this many players."""
    is_enough = settings.min_players <= number <= settings.max_players
    if settings.players not in (0, number) or not is_enough:
        raise CheckSkippedError(
            f"no tournament of {number} begins here (players, min-, max-players)"
        )
    if settings.join_window > LONGEST_WINDOW:
        raise CheckSkippedError(
            f"it takes {settings.join_window} s to begin a tournament (join-window)"
        )


def require_timeout(seconds: float, setting: str) -> None:
    """Skip the check if by its setting the door does not disqualify a silent player soon."""
    if not 0 < seconds <= LONGEST_TIMEOUT:
        raise CheckSkippedError(f"it takes {seconds} s to be out of time, 0 is never ({setting})")


def seconds_to_begin(target: Target[Any, Any]) -> float:
    """Return how long to wait until a tournament begins."""
    return float(target.settings.join_window + target.patience_seconds)


def usual_names(target: Target[Any, Any]) -> tuple[str, ...]:
    """Return names for the smallest tournament that this server is known to begin."""
    known: TournamentKnowledge = target.known
    return NAMES[: known.enough_players]


def wait_for_tournament(
    target: Target[Any, Any],
    players: list[PlayerT],
    has_begun: Callable[[Sequence[PlayerT]], bool],
    sign_up: Callable[[str], PlayerT],
    reading: str,
) -> None:
    """Wait until a tournament begins; add a third player if it does not begin with two.

    Raises CheckSkippedError if it does not begin in time.

    Args:
        has_begun: waits, and returns whether a tournament of these players has begun.
        sign_up: connects another player, with this name.
        reading: in which a server differs for which two players are not enough.
    """
    known: TournamentKnowledge = target.known
    if known.why_no_tournament:
        # Waiting again would not help.
        raise CheckSkippedError(known.why_no_tournament)
    is_begun = has_begun(players)
    if not is_begun and len(players) == 2:
        players.append(sign_up(NAMES[2]))
        is_begun = has_begun(players)
        if is_begun:
            target.differs(reading, "two players are not enough for a tournament")
            known.enough_players = 3
    if is_begun:
        return
    why = (
        f"no tournament has begun with {len(players)} players in {seconds_to_begin(target):.0f} s"
        " (set players, min-players or join-window as it is there)"
    )
    if not known.tournaments_begun:
        known.why_no_tournament = why
    raise CheckSkippedError(why)


def expect_close(players: Sequence[JsonPlayer[Any]], reading: str, last: str) -> None:
    """Expect the connections to be closed after the last message; the documents do not say so."""
    target = players[0].target
    try:
        closes = [player.connection.expect_end("X-05") for player in players]
    except ClauseError as broken:
        target.differs(reading, f"after {last} there is {broken.came}")
        return
    if all(closes):
        target.saw("X-05")
    else:
        target.differs("X-05", f"a connection is broken off after {last}")


def check_open_prompt(
    match: CheckedMatch[PlayerT, Any],
    read_end: Callable[[PlayerT], object],
    is_end: Callable[[Any], bool],
) -> None:
    """Let the opponent leave while a player is prompted, who then answers as before (X-06)."""
    match.play_on(prompts=5)
    match.expect_prompt()
    asked = match.asked
    match.other.connection.close()
    if asked.connection.receives_something(SECONDS_OF_SILENCE):
        asked.target.differs("X-06", "the game ends at once when the opponent has left")
        return
    match.answer()
    message = read_end(asked)
    if is_end(message):
        asked.target.saw("X-06")
    else:
        asked.target.differs("X-06", f"when the opponent has left, {message!r} follows")


def check_blanks(target: Target[Any, Any], sign_up: Callable[[], object]) -> None:
    """Sign up with CRLF, blanks and blank lines (X-04), which a server need not understand."""
    known: TournamentKnowledge = target.known
    try:
        sign_up()
    except (ClauseError, CheckSkippedError) as error:
        # Unless a tournament has begun before, the blanks need not be the reason.
        if isinstance(error, ServerGoneError) or not known.tournaments_begun:
            raise
        target.differs("X-04", f"blanks, CRLF or blank lines are not understood: {error}")
        return
    target.saw("X-04")
