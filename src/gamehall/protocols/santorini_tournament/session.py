"""The server's end of a connection to a Santorini tournament."""

from typing import cast

from gamehall.core import Seat
from gamehall.games.santorini import Move, Place, SantoriniPosition, Turn
from gamehall.match import Ending, MatchEnded, MovePlayed, Result, TurnBegan
from gamehall.protocols.santorini_tournament import messages
from gamehall.protocols.santorini_tournament.settings import (
    Results,
    SantoriniTournamentSettings,
)
from gamehall.rooms.notices import (
    Closed,
    MatchBegan,
    Notice,
    ProbeAnswered,
    Refused,
    Seated,
    SignedUp,
    TournamentBegan,
    TournamentEnded,
)
from gamehall.rooms.requests import BadAnswer, ClientPolicy, Join, Play, Probe, Request
from gamehall.tournaments.standings import by_pair
from gamehall.wire.framing import ProtocolError
from gamehall.wire.json import JsonValue, JsonValues, JsonValuesAfterName, NotJson, write_line
from gamehall.wire.prompted_session import PromptedSession
from gamehall.wire.session import UnreadableMoveError
from gamehall.wire.sign_up import quote_input, read_sign_up

CHECKS = tuple([name] for name in messages.CHECKS)


class ResultsEncoder:
    """Writes tournament-results, and caches the last one, which goes to all players."""

    __slots__ = ("_last", "_line", "_results")

    def __init__(self, results: Results) -> None:
        self._results = results
        self._last: TournamentEnded | None = None
        self._line = b""

    def write(self, ended: TournamentEnded) -> bytes:
        if ended is not self._last:
            listed = ended.wins if self._results is Results.GAMES else by_pair(ended.wins)
            self._line = write_line(messages.tournament_result(ended.cheaters, listed))
            self._last = ended
        return self._line


class SantoriniTournamentSession(PromptedSession[Move]):
    """Reads requests of a client of a Santorini tournament and writes notices to it.

    Stores the position of the match, to which the worker-ids of the client refer.
    """

    __slots__ = ("_names", "_policy", "_position", "_results", "_seat", "_settings", "_signed_up")

    def __init__(
        self,
        settings: SantoriniTournamentSettings,
        policy: ClientPolicy,
        results: ResultsEncoder,
        now: float,
    ) -> None:
        # S1-Q02: unless the door is strict, a sign-up name may lack its quotation marks.
        framing = JsonValues() if settings.strict else JsonValuesAfterName()
        super().__init__(settings.timeouts(), now, framing)
        self._settings = settings
        self._results = results
        self._policy = policy
        self._signed_up = False
        self._seat = Seat.FIRST
        self._names = {Seat.FIRST: "", Seat.SECOND: ""}
        """The names of the players. Before a match only the client's own, at its seat."""
        self._position: SantoriniPosition | None = None

    def _is_answer(self, message: JsonValue) -> bool:
        # S1-Q19: a check is answered whether there is a prompt or not.
        value = message.value
        return self._signed_up and isinstance(value, list) and value[:1] not in CHECKS

    def _read_request(self, message: JsonValue | NotJson) -> Request[Move]:
        if not self._signed_up:
            return self._read_name(message)
        if isinstance(message, NotJson):
            quoted = quote_input(message.text, self._settings)
            raise ProtocolError(f"this is not JSON: {quoted}")
        value = message.value
        read = self._read_placement
        if isinstance(value, list) and value and isinstance(value[0], str):
            if value[0] in messages.CHECKS:
                return Probe(self._read_check(value[0], value[1:]))
            read = self._read_turn
        self._is_prompted = False
        try:
            return Play(read(value))
        except UnreadableMoveError as reason:
            return BadAnswer(str(reason))

    def send(self, notice: Notice[Move]) -> bytes:
        match notice:
            case TurnBegan():
                self._open_prompt()
                position = self._keep(notice)
                # S1-07, S1-11.
                kind = "place" if position.is_placing else "turn"
                return write_line([kind, position.rows(self._names)])
            case MovePlayed(seat, move):
                position = self._keep(notice)
                if seat is not self._seat or not isinstance(move, Place):
                    return b""
                # S1-21: a worker-id is the name of the player and the number of the worker.
                number = len(position.workers_of(seat))
                return write_line(f"{self._names[seat]}{number}")
            case MatchEnded():
                self._is_prompted = False
                return write_line(self._verdict(notice.result))
            case ProbeAnswered(is_legal):
                return write_line(is_legal)
            case MatchBegan(seat, opponent):
                assert seat is not None
                own = self._names[self._seat]
                self._seat = seat
                self._names = {seat: own, seat.other: opponent}
                self._position = None
                # S1-06.
                return write_line(opponent)
            case TournamentBegan(name):
                self._note_begin()
                self._names[self._seat] = name
                # S1-04, S1-Q04: every player is sent its name, also if it is the sign-up name.
                return write_line(name)
            case TournamentEnded():
                return self._results.write(notice)
            case SignedUp() | Seated():
                self._note_joined()
                return b""
            case Closed() | Refused():
                self.close()
                return b""
            case _:
                # The protocol has no messages for other notices.
                return b""

    def _read_name(self, message: JsonValue | NotJson) -> Request[Move]:
        """Read the first message of a client (S1-02)."""
        if isinstance(message, NotJson):
            quoted = quote_input(message.text, self._settings)
            raise ProtocolError(f"this is not a sign-up name: {quoted}")
        if not isinstance(message.value, str):
            raise ProtocolError("a client begins with its sign-up name, as a JSON string")
        name, secret = read_sign_up(message.value, self._settings)
        messages.check_name(name, self._settings.lenient_names)
        self._signed_up = True
        return Join(name, self._policy, secret)

    def _read_check(self, check: str, inner: list[object]) -> Move | None:
        """Return the move of a check, None if it cannot be a move.

        Raises ProtocolError for a malformed check if the door is strict; elsewhere the answer is
        that the move is illegal (S1-Q18).
        """
        try:
            value = messages.read_only_request(inner)
            if check == "check-placement":
                return self._read_placement(value)
            return self._read_turn(value)
        except UnreadableMoveError:
            return None
        except ProtocolError:
            if self._settings.strict:
                raise
            return None

    def _read_placement(self, value: object) -> Move:
        return Place(messages.read_placement(value, self._settings.base))

    def _read_turn(self, value: object) -> Move:
        """Return the turn of a request in the position that the client was last shown."""
        request = messages.read_turn(value, self._settings.strict)
        position, name = self._position, self._names[self._seat]
        own = position.workers_of(self._seat) if position else ()
        index = {f"{name}1": 0, f"{name}2": 1}.get(request.worker, len(own))
        if position is None or index >= len(own):
            raise UnreadableMoveError(f"{request.worker[:40]!r} is not one of your workers")
        origin = own[index]
        to = request.move.leads_to(origin)
        # S1-Q12: without a build the turn is legal only if the move wins.
        if request.build is None:
            return Turn(origin, to, None)
        # S1-Q13: the build of a winning move is ignored.
        wins = position.wins_at(to)
        return Turn(origin, to, None if wins else request.build.leads_to(to))

    def _keep(self, notice: TurnBegan[Move] | MovePlayed[Move]) -> SantoriniPosition:
        # A door leads only to rooms of its own game.
        self._position = cast("SantoriniPosition", notice.position)
        return self._position

    def _verdict(self, result: Result) -> str:
        """Return the result of a game for this client (S1-15, S1-Q21)."""
        if result.winner is self._seat:
            return messages.WINNER
        return messages.LOSER if result.ending is Ending.PLAYED_OUT else messages.CHEATER
