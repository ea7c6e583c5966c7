"""The server's end of a connection of a Santorini tournament (PROTOCOL.md)."""

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
from gamehall.wire.settings import quote_input, read_sign_up

CHECKS = tuple([name] for name in messages.CHECKS)


class ResultsEncoder:
    """Writes the tournament-results of a door. One that goes to many players is written once."""

    __slots__ = ("_last", "_line", "_results")

    def __init__(self, results: Results) -> None:
        self._results = results
        self._last: TournamentEnded | None = None
        self._line = b""

    def write(self, ended: TournamentEnded) -> bytes:
        """What a tournament has come to."""
        if ended is not self._last:
            listed = ended.wins if self._results is Results.GAMES else by_pair(ended.wins)
            self._line = write_line(messages.tournament_result(ended.cheaters, listed))
            self._last = ended
        return self._line


class SantoriniTournamentSession(PromptedSession[Move]):
    """Reads what a client of a Santorini tournament sends, writes what it understands.

    It keeps the position of the client's match: that is what the client's workers refer to.
    """

    __slots__ = ("_manners", "_names", "_position", "_scribe", "_seat", "_settings", "_signed_up")

    def __init__(
        self,
        settings: SantoriniTournamentSettings,
        policy: ClientPolicy,
        scribe: ResultsEncoder,
        now: float,
    ) -> None:
        # An unquoted sign-up name is understood, unless the door is strict (S1-Q02).
        framing = JsonValues() if settings.strict else JsonValuesAfterName()
        super().__init__(settings.timeouts(), now, framing)
        self._settings = settings
        self._scribe = scribe
        self._manners = policy
        self._signed_up = False
        self._seat = Seat.FIRST
        self._names = {Seat.FIRST: "", Seat.SECOND: ""}
        """What the players are called; its own name before there is a match is that of its seat."""
        self._position: SantoriniPosition | None = None

    def _is_answer(self, message: JsonValue) -> bool:
        """A check is none: it is answered whether there is a prompt or not (S1-Q19)."""
        value = message.value
        return self._signed_up and isinstance(value, list) and value[:1] not in CHECKS

    def _read_now(self, message: JsonValue | NotJson) -> Request[Move]:
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
        self._is_asked = False
        try:
            return Play(read(value))
        except UnreadableMoveError as reason:
            return BadAnswer(str(reason))

    def send(self, notice: Notice[Move]) -> bytes:
        match notice:
            case TurnBegan():
                self._open_prompt()
                position = self._keep(notice)
                kind = "place" if position.is_placing else "turn"
                return write_line([kind, position.rows(self._names)])
            case MovePlayed(seat, move):
                position = self._keep(notice)
                if seat is not self._seat or not isinstance(move, Place):
                    return b""
                # A worker is called by the name of its player and its own number (S1-21).
                number = len(position.workers_of(seat))
                return write_line(f"{self._names[seat]}{number}")
            case MatchEnded():
                self._is_asked = False
                return write_line(self._verdict(notice.result))
            case ProbeAnswered(is_legal):
                return write_line(is_legal)
            case MatchBegan(seat, opponent):
                assert seat is not None
                own = self._names[self._seat]
                self._seat = seat
                self._names = {seat: own, seat.other: opponent}
                self._position = None
                return write_line(opponent)
            case TournamentBegan(name):
                self._note_begin()
                self._names[self._seat] = name
                return write_line(name)
            case TournamentEnded():
                return self._scribe.write(notice)
            case SignedUp() | Seated():
                self._note_joined()
                return b""
            case Closed() | Refused():
                self.close()
                return b""
            case _:
                # The protocol has no messages for anything else.
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
        return Join(name, self._manners, secret)

    def _read_check(self, check: str, inner: list[object]) -> Move | None:
        """Read what a check asks about; None: nothing that could be a move.

        Such a check is no offence, unless the door is strict and it is malformed (S1-Q18).
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
        """The turn that a request means in the position that the client was shown."""
        request = messages.read_turn(value, self._settings.strict)
        position, name = self._position, self._names[self._seat]
        own = position.workers_of(self._seat) if position else ()
        index = {f"{name}1": 0, f"{name}2": 1}.get(request.worker, len(own))
        if position is None or index >= len(own):
            raise UnreadableMoveError(f"{request.worker[:40]!r} is not one of your workers")
        origin = own[index]
        to = request.move.leads_to(origin)
        if request.build is None:
            return Turn(origin, to, None)
        # The build of a move that wins is not looked at (S1-Q13).
        wins = position.wins_at(to)
        return Turn(origin, to, None if wins else request.build.leads_to(to))

    def _keep(self, notice: TurnBegan[Move] | MovePlayed[Move]) -> SantoriniPosition:
        # Doors lead only into rooms of their own game.
        self._position = cast("SantoriniPosition", notice.position)
        return self._position

    def _verdict(self, result: Result) -> str:
        """Return the result of a game for this client: it is told its own (S1-15, S1-Q21)."""
        if result.winner is self._seat:
            return messages.WINNER
        return messages.LOSER if result.ending is Ending.PLAYED_OUT else messages.CHEATER
