"""The server's and the client's end of the Go protocol play games in memory."""

import random

import pytest

from gamehall.core import Seat
from gamehall.games.go import Move, Pass
from gamehall.match import Ending, MatchEnded, TurnBegan
from gamehall.protocols.go_text import PROTOCOL, GoTextClientSession
from gamehall.rooms.notices import (
    Closed,
    Notice,
    RequestRejected,
    TermsProposed,
    TermsQuestion,
)
from gamehall.rooms.requests import Answer, Confirm, Play, Pong, Resign
from tests.support.memory_stage import MemoryStage

ANSWERS = {"boardsize": "5", "color": "2", "handicap": "0", "komi": "0.5"}


class RandomPlayer:
    """A client session whose player moves at random and passes late in the game."""

    def __init__(self, name: str, stage: MemoryStage) -> None:
        self.name = name
        self.notices: list[Notice[Move]] = []
        self._session = GoTextClientSession()
        self._stage = stage
        self._seat: Seat | None = None
        self._chance = random.Random(name)
        stage.send(name, b"")

    def receive(self) -> bool:
        if sent := self._stage.read(self.name, 1 << 20):
            self._session.receive_data(sent)
        elif self._stage.is_closed(self.name):
            self._session.receive_data(b"")
        has_notice = False
        while (notice := self._session.next_notice()) is not None:
            has_notice = True
            self.notices.append(notice)
            self._answer(notice)
        return has_notice

    def _answer(self, notice: Notice[Move]) -> None:
        match notice:
            case TermsQuestion(question):
                answer = Answer(question, ANSWERS[question])
                self._stage.send(self.name, self._session.send(answer))
            case TermsProposed(seat):
                self._seat = seat
                self._stage.send(self.name, self._session.send(Confirm(agrees=True)))
            case TurnBegan(seat, position) if seat is self._seat:
                self._move(list(position.legal_moves()))
            case _:
                pass

    def _move(self, moves: list[Move]) -> None:
        late = len(self.notices) > 60
        move = Pass() if late else self._chance.choice(moves)
        self._stage.send(self.name, self._session.send(Play(move)))


@pytest.mark.parametrize("seed", range(5))
def test_both_ends_play_to_the_end_and_agree(seed: int) -> None:
    stage = MemoryStage(PROTOCOL, {}, 7)
    players = [RandomPlayer(f"ann {seed}", stage), RandomPlayer(f"bob {seed}", stage)]
    while sum(player.receive() for player in players):
        pass
    assert stage.finished == 1
    ends = [
        notice for player in players for notice in player.notices if isinstance(notice, MatchEnded)
    ]
    assert len(ends) == 2
    assert ends[0].position.stones == ends[1].position.stones  # type: ignore[attr-defined]
    assert ends[0].result.winner == ends[1].result.winner
    assert ends[0].result.ending is Ending.PLAYED_OUT


def test_a_client_reads_errors_and_writes_all_requests_of_the_protocol() -> None:
    session = GoTextClientSession()
    session.receive_data(b"ERROR it is not your turn\n")
    assert session.next_notice() == RequestRejected("it is not your turn")
    assert session.send(Answer(None, "9")) == b"RESPONSE 9\n"
    assert session.send(Confirm(agrees=False)) == b"TERMSCONFIRM No\n"
    assert session.send(Resign()) == b"RESIGN\n"
    assert session.send(Pong()) == b""


@pytest.mark.parametrize(
    "sent",
    [b"HELLO\n", b"START\n", b"SUCCESS\n", b"TERMS 1 1 0 6.5\n", b"OPPONENTPLAY a b\n"],
)
def test_a_client_leaves_a_server_that_breaks_the_protocol(sent: bytes) -> None:
    session = GoTextClientSession()
    session.receive_data(sent)
    notice = session.next_notice()
    assert isinstance(notice, Closed)
    assert "does not keep to the protocol" in notice.reason
