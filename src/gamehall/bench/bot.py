"""A player of a tournament who finds out whether the server is right."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, cast

import msgspec

from gamehall.bench.machine import BenchError
from gamehall.bench.quickbot import EMPTY, PLACEMENTS, Answer, Board, answer_to_prompt, can_move

if TYPE_CHECKING:
    from gamehall.bench.tournament_load import BotContest

PROMPT = msgspec.json.Decoder(tuple[Literal["place", "turn"], list[list[int | str]]])
TEXT = msgspec.json.Decoder(str)
TOURNAMENT_RESULT = msgspec.json.Decoder(tuple[list[str], list[tuple[str, str]]])


class Match:
    """One game of two bots, as their moves make it."""

    __slots__ = ("board", "mover", "moves")

    def __init__(self) -> None:
        self.board: Board | None = EMPTY
        """What the next prompt must show, None after a move that wins."""
        self.mover: Bot | None = None
        """Who has moved last."""
        self.moves = 0


class Bot(asyncio.Protocol):
    """One player: it counts what it hears and says, and stops the contest if anything is wrong."""

    __slots__ = (
        "answers",
        "awaited_worker",
        "contest",
        "lost",
        "match",
        "name",
        "opponent",
        "prompts",
        "signs_up_as",
        "starts",
        "to_say",
        "tournament_result",
        "unread",
        "won",
        "write",
    )

    write: Callable[[bytes], None]

    def __init__(self, contest: "BotContest", signs_up_as: str) -> None:
        self.contest = contest
        self.signs_up_as = signs_up_as
        self.name = ""
        """What the server calls it, empty until it has said so."""
        self.match: Match | None = None
        self.opponent = ""
        self.unread = b""
        self.to_say: Answer | None = None
        """The answer to the last prompt, until it is sent."""
        self.awaited_worker: str | None = None
        """The worker-id that must come next, if any."""
        self.starts = self.prompts = self.answers = self.won = self.lost = 0
        self.tournament_result: tuple[list[str], list[tuple[str, str]]] | None = None

    def itself(self) -> "Bot":
        """What a loop that wants a factory of protocols is given."""
        return self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.write = cast("asyncio.Transport", transport).write

    def data_received(self, data: bytes) -> None:
        *lines, self.unread = (self.unread + data).split(b"\n")
        for line in lines:
            try:
                self.read(line)
            except (BenchError, msgspec.DecodeError) as error:
                self.contest.fail(f"{self.signs_up_as} was sent {line[:200]!r}: {error}")

    def eof_received(self) -> bool:
        """Whether the socket stays open: yes, until the clocks have been read."""
        self.note_end_of_stream()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        self.note_end_of_stream()

    def note_end_of_stream(self) -> None:
        """The server may close only after it has said everything."""
        if self.tournament_result is None:
            self.contest.fail(f"the connection of {self.signs_up_as} was closed too early")

    def read(self, line: bytes) -> None:
        """Act on a message. Raises BenchError or DecodeError if it is not the one that is due."""
        if line.startswith(b'["'):
            self.prompts += 1
            self.to_say = self.answer_to(line)
            if not self.contest.is_held:
                self.say(self.to_say)
        elif line.startswith(b'"'):
            self.read_text(TEXT.decode(line))
        else:
            self.tournament_result = TOURNAMENT_RESULT.decode(line)
            self.contest.note_tournament_result()

    def answer_to(self, line: bytes) -> Answer:
        """The answer to a prompt, which must show the board that the moves have made."""
        match = self.match
        kind, rows = PROMPT.decode(line)
        board = [cell for row in rows for cell in row]
        if match is None or board != match.board or match.mover is self:
            raise BenchError("the moves lead to another board, or it is the other's turn")
        if (kind == "place") is not (match.moves < PLACEMENTS):
            raise BenchError("after four placements come turns")
        answer = answer_to_prompt(self.name, board, line, match.moves, self.won + self.lost)
        if answer is None:
            raise BenchError("a player who cannot move has lost")
        return answer

    def say(self, answer: Answer) -> None:
        """Send an answer, and note what follows from it."""
        match = self.match
        assert match is not None
        self.to_say = None
        self.awaited_worker = answer.worker if match.moves < PLACEMENTS else None
        match.board = None if answer.wins else answer.board
        match.mover = self
        match.moves += 1
        self.answers += 1
        self.write(answer.message)

    def read_text(self, text: str) -> None:
        """A name, a worker-id or a game-result."""
        if self.awaited_worker is not None:
            if text != self.awaited_worker:
                raise BenchError(f"the worker just placed is {self.awaited_worker}")
            self.awaited_worker = None
        elif text in ("WINNER", "LOSER"):
            self.note_result(has_won=text == "WINNER")
        elif not text.islower():
            raise BenchError("that is not to be expected by anybody who plays fair")
        elif not self.name:
            self.name = text
        else:
            self.opponent = text
            self.match = self.contest.match_of(self.name, text)
            self.starts += 1

    def note_result(self, has_won: bool) -> None:
        """Whoever moves last wins: it has reached the summit, or the other cannot move."""
        match = self.match
        if match is None or match.mover is None or has_won is not (match.mover is self):
            raise BenchError("there is no game, or the other one has made the last move")
        if match.board is not None and (
            match.moves < PLACEMENTS
            or can_move(self.opponent if has_won else self.name, match.board)
        ):
            raise BenchError("the game is not over")
        self.match = None
        self.won += has_won
        self.lost += not has_won
