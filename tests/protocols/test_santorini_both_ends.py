"""The server's and the client's end of both Santorini protocols play tournaments in memory."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from gamehall.core import Seat, SeededRandom
from gamehall.games.santorini import Cell, Move, Place, Santorini, SantoriniPosition, Turn
from gamehall.match import Ending, MatchEnded, MovePlayed, TurnBegan
from gamehall.protocols.santorini_lobby import PROTOCOL as LOBBY
from gamehall.protocols.santorini_lobby import SantoriniLobbyClientSession
from gamehall.protocols.santorini_lobby import messages as lobby_messages
from gamehall.protocols.santorini_tournament import PROTOCOL as TOURNAMENT
from gamehall.protocols.santorini_tournament import (
    SantoriniTournamentClientSession,
    SantoriniTournamentSettings,
)
from gamehall.rooms.notices import (
    Closed,
    EndUnseen,
    MatchBegan,
    Notice,
    Ping,
    ProbeAnswered,
    Seated,
    TournamentBegan,
    TournamentEnded,
    TurnUnseen,
)
from gamehall.rooms.requests import Chat, Join, Leave, Play, Pong, Probe
from gamehall.wire.json import write_line
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.session import ClientSession
from tests.support.memory_stage import MemoryStage

MANY_CHECKS = {"max-checks": "1000"}
"""No time passes here, so all checks are within a second."""

OpenClient = Callable[[], ClientSession[Any, Move]]


class RandomPlayer:
    """A client session whose player moves at random, and all its notices."""

    def __init__(self, name: str, stage: MemoryStage, session: ClientSession[Any, Move]) -> None:
        self.name = name
        self.notices: list[Notice[Move]] = []
        self.position: SantoriniPosition | None = None
        self._stage = stage
        self._session = session
        self._chance = random.Random(name)
        stage.send(name, session.send(Join(name)))

    def receive(self) -> bool:
        """Read and answer messages. Return whether there were any."""
        sent = self._stage.read(self.name, 1 << 20)
        if not sent and not self._stage.is_closed(self.name):
            return False
        self._session.receive_data(sent)
        has_notice = False
        while (notice := self._session.next_notice()) is not None:
            has_notice = True
            self.notices.append(notice)
            self._answer(notice)
        return has_notice

    def _answer(self, notice: Notice[Move]) -> None:
        match notice:
            case Ping():
                self._stage.send(self.name, self._session.send(Pong()))
            case TurnBegan(position=SantoriniPosition() as position):
                self.position = position
                move = self._chance.choice(list(position.legal_moves()))
                if self._chance.random() < 0.1:
                    self._stage.send(self.name, self._session.send(Probe(move)))
                self._stage.send(self.name, self._session.send(Play(move)))
            case _:
                pass

    def count(self, kind: type) -> int:
        return sum(isinstance(notice, kind) for notice in self.notices)


def play(
    protocol: AnyProtocol, settings: dict[str, str], clients: dict[str, tuple[str, OpenClient]]
) -> dict[str, RandomPlayer]:
    """Play a tournament to its end."""
    doors = {name: door for name, (door, _) in clients.items()}
    stage = MemoryStage(protocol, {"players": str(len(clients)), **settings}, 7, doors)
    players = {
        name: RandomPlayer(name, stage, open_client()) for name, (_, open_client) in clients.items()
    }
    while sum(player.receive() for player in players.values()):
        pass
    assert stage.finished == 1
    return players


@pytest.mark.parametrize("board", [5, 6])
@pytest.mark.parametrize("base", [0, 1])
def test_both_ends_of_the_tournament_protocol_play_a_tournament(board: int, base: int) -> None:
    def open_client() -> ClientSession[Any, Move]:
        return SantoriniTournamentClientSession(Santorini(board), base)

    settings = {"board": str(board), "base": str(base), "parallel": "true"} | MANY_CHECKS
    clients = dict.fromkeys(("ann", "bob", "cat", "dan"), (TOURNAMENT.name, open_client))
    players = play(TOURNAMENT, settings, clients)
    [result] = {
        notice for player in players.values() for notice in player.notices if _is_result(notice)
    }
    assert isinstance(result, TournamentEnded)
    assert result.cheaters == ()
    assert len(result.wins) == 18
    for name, player in players.items():
        assert player.notices[0] == TournamentBegan(name, "")
        assert player.count(MatchBegan) == player.count(MatchEnded) == 9
        assert player.count(MovePlayed) == 18, "the ids of two new workers in each match"
        assert all(
            notice.is_legal for notice in player.notices if isinstance(notice, ProbeAnswered)
        )
        assert player.count(ProbeAnswered) > 0
        won = [n for n in player.notices if isinstance(n, MatchEnded) and _has_won(player, n)]
        assert len(won) == sum(win.winner == name for win in result.wins)


def _is_result(notice: Notice[Move]) -> bool:
    return isinstance(notice, TournamentEnded)


def _has_won(player: RandomPlayer, ended: MatchEnded[Move]) -> bool:
    assert ended.result.ending is Ending.PLAYED_OUT
    return ended.result.detail == "winner"


def test_both_ends_of_the_lobby_protocol_play_when_the_board_is_shown() -> None:
    def open_client() -> ClientSession[Any, Move]:
        return SantoriniLobbyClientSession(with_board=True)

    clients = dict.fromkeys(("ann", "bob", "cat"), (LOBBY.name, open_client))
    players = play(LOBBY, {"games-per-pair": "4"}, clients)
    for player in players.values():
        assert player.count(TournamentBegan) == 1
        assert player.count(MatchBegan) == player.count(EndUnseen) == 8
        assert isinstance(player.notices[-1], Closed)


def test_clients_of_both_protocols_play_one_tournament() -> None:
    clients: dict[str, tuple[str, OpenClient]] = {
        "ann": (TOURNAMENT.name, SantoriniTournamentClientSession),
        "bob": (LOBBY.name, lambda: SantoriniLobbyClientSession(with_board=True)),
        "cat": (TOURNAMENT.name, SantoriniTournamentClientSession),
    }
    players = play(TOURNAMENT, MANY_CHECKS, clients)
    assert players["ann"].notices[-2] == players["cat"].notices[-2]
    result = players["ann"].notices[-2]
    assert isinstance(result, TournamentEnded)
    assert result.cheaters == ()
    assert len(result.wins) == 9
    assert players["bob"].count(EndUnseen) == 6


def test_a_lobby_client_without_the_board_is_prompted_to_move() -> None:
    session = SantoriniLobbyClientSession()
    session.receive_data(b'["start_of_game"]\n["get_placement"]\n["get_turn"]\n["end_game"]\n')
    notices = [session.next_notice() for _ in range(4)]
    assert notices == [MatchBegan(None, ""), TurnUnseen(True), TurnUnseen(False), EndUnseen()]
    assert session.send(Play(Place(Cell(row=3, column=1)))) == b'["give_placement",[1,3]]\n'
    turn = Turn(Cell(3, 1), Cell(2, 1), Cell(1, 2))
    assert session.send(Play(turn)) == b'["give_turn",[[1,2],["North","East"]]]\n'
    assert session.send(Chat("hello")) == b""


@pytest.mark.parametrize(
    ("open_client", "sent"),
    [
        (SantoriniLobbyClientSession, b"nonsense\n"),
        (SantoriniLobbyClientSession, b'["get_turn",[[0]]]\n'),
        (SantoriniLobbyClientSession, b'["get_turn",[[0,0,0,0,5]]]\n'),
        (SantoriniLobbyClientSession, b'["who_are_you"]\n'),
        (SantoriniTournamentClientSession, b"nonsense\n"),
        (SantoriniTournamentClientSession, b'"ann" "bob" "ann1"\n'),
        (SantoriniTournamentClientSession, b'"ann" "bob" ["turn",[[0]]]\n'),
        (SantoriniTournamentClientSession, b'"ann" "bob" ["turn",[["0ann3"]]]\n'),
        (SantoriniTournamentClientSession, b'"ann" [[],[["bob"]]]\n'),
        (SantoriniTournamentClientSession, b"{}\n"),
    ],
)
def test_a_client_leaves_a_server_that_breaks_the_protocol(
    open_client: OpenClient, sent: bytes
) -> None:
    session = open_client()
    session.receive_data(sent)
    notices = []
    while (notice := session.next_notice()) is not None:
        notices.append(notice)
    assert isinstance(notices[-1], Closed)
    assert "does not keep to the protocol" in notices[-1].reason
    assert session.closed


def test_a_returning_lobby_client_finds_out_its_seat() -> None:
    """The lobby does not tell it: whose turn it is follows from the buildings."""
    for seed in range(20):
        shuffler = SeededRandom(seed)
        position = Santorini(first_turn=Seat.SECOND).start(0)
        while position.outcome is None:
            session = SantoriniLobbyClientSession(with_board=True)
            kind = "get_placement" if position.is_placing else "get_turn"
            session.receive_data(write_line([kind, lobby_messages.board(position, None)]))
            notice = session.next_notice()
            assert isinstance(notice, TurnBegan)
            assert notice.seat is position.to_move
            assert list(notice.position.legal_moves()) == list(position.legal_moves())
            position = position.after(shuffler.pick(list(position.legal_moves())))


def test_a_lobby_client_whose_turn_is_not_accepted_changes_its_seat() -> None:
    """In a room with the terms of another door, the buildings can mislead it."""
    position = Santorini(first_turn=Seat.FIRST).start(0)
    while position.is_placing:
        position = position.after(next(iter(position.legal_moves())))
    session = SantoriniLobbyClientSession(with_board=True)

    def prompt() -> TurnBegan[Move]:
        board = lobby_messages.board(position, None)
        session.receive_data(write_line(["get_turn", board]))
        notices = list(iter(session.next_notice, None))
        corrections = [notice.seat for notice in notices if isinstance(notice, Seated)]
        notice = notices[-1]
        assert isinstance(notice, TurnBegan)
        assert corrections in ([], [notice.seat])
        return notice

    def turn(notice: TurnBegan[Move]) -> Move:
        move = next(iter(notice.position.legal_moves()))
        session.send(Play(move))
        return move

    guess = prompt()
    assert guess.seat is Seat.SECOND
    turn(guess)
    corrected = prompt()
    assert corrected.seat is Seat.FIRST
    position = position.after(turn(corrected))
    position = position.after(next(iter(position.legal_moves())))
    certain = prompt()
    assert certain.seat is Seat.FIRST
    turn(certain)
    assert prompt().seat is Seat.FIRST, "now a refused turn has another reason"


def test_a_lobby_client_without_the_board_writes_turns_as_in_the_document() -> None:
    session = SantoriniLobbyClientSession(with_board=True)
    session.receive_data(write_line(["get_turn"]))
    assert isinstance(session.next_notice(), TurnUnseen)
    turn: Play[Move] = Play(Turn(Cell(0, 0), Cell(0, 1), Cell(0, 2)))
    assert session.send(turn) == SantoriniLobbyClientSession().send(turn)


@pytest.mark.parametrize(("verdict", "is_taken"), [("LOSER", True), ("CHEATER", False)])
def test_a_tournament_client_counts_its_last_turn_unless_it_cheated(
    verdict: str, is_taken: bool
) -> None:
    client = SantoriniTournamentClientSession()
    board = [[0] * 5 for _ in range(3)]
    shown = [["0ann1", 0, 0, 0, "0bob1"], ["0ann2", 0, 0, 0, "0bob2"], *board]
    for message in ("ann", "bob", ["turn", shown]):
        client.receive_data(write_line(message))
    client.next_notice(), client.next_notice()
    asked = client.next_notice()
    assert isinstance(asked, TurnBegan)
    turn = next(iter(asked.position.legal_moves()))
    assert client.send(Play(turn))
    client.receive_data(write_line(verdict))
    ended = client.next_notice()
    assert isinstance(ended, MatchEnded)
    assert ended.position == (asked.position.after(turn) if is_taken else asked.position)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"no sense\n", "this is not a sign-up name: b'no sense'"),
        (b"Ann\n", "'Ann' is not a sign-up name: it has 1 to 256 lower-case letters"),
        (b"[]\n", "a client begins with its sign-up name, as a JSON string"),
    ],
)
def test_S1_Q02_S1_Q03_the_reason_says_why_a_name_is_refused(line: bytes, reason: str) -> None:
    session = TOURNAMENT.sessions(SantoriniTournamentSettings())(0.0)
    session.receive_data(line, 0.0)
    assert session.next_request() == Leave(reason)
