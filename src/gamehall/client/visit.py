"""A player's connection to a door: the driver of every client session."""

import asyncio
import logging
import ssl
from collections.abc import Callable
from itertools import islice
from typing import Any

from gamehall.bots import Bot, BotError, BotResignedError
from gamehall.bots.visitor import Turn, Visitor
from gamehall.client.connection import SECONDS_TO_TURN_AWAY, Address, connect, read
from gamehall.core import IllegalMove
from gamehall.engines.brain import Brain
from gamehall.engines.own_bot import why_no_move
from gamehall.rooms.requests import Play, Request, Resign
from gamehall.wire.session import ClientSession

log = logging.getLogger(__name__)

SECONDS_TO_SAY_GOODBYE = 5.0
"""How long a server may take to confirm that somebody has resigned."""


SECONDS_OF_DOUBT = 1.0
"""How long a server may be silent that has asked again what was just answered."""

SECONDS_ALONE = 2.0
"""How long nobody may have come to play before people hear that they are waited for."""

SECONDS_TO_WONDER = 30.0
"""How long a bot may think, where there is no limit, before its author hears of it."""

MOVES_TO_NAME = 8
"""How many of the legal moves are named to the author of a bot that has made another."""


class Visit:
    """Takes bytes from a socket to a session, notices to a visitor, turns to a bot, and back.

    The bot thinks in a thread, so that the conversation goes on meanwhile: the server may ask
    whether we are still there, or end the match.
    """

    def __init__(
        self,
        address: Address,
        session: ClientSession[Any, Any],
        visitor: Visitor[Any],
        bot: Bot[Any],
        clock: Callable[[], float],
        tls: ssl.SSLContext | None = None,
        tell_of_waiting: Callable[[], None] | None = None,
        seconds_to_think: float | None = None,
        keep_place: Callable[[str], object] | None = None,
    ) -> None:
        """`tell_of_waiting` is called once if no match begins for a while.

        `seconds_to_think`: how long the bot may take over a move before the visit is ended, None:
        for ever. `keep_place` is called with what another client needs to go on in the seat, on
        wires where that is possible.
        """
        self._seconds_to_think = seconds_to_think
        self._keep_place = keep_place
        self._address = address
        self._session = session
        self._visitor = visitor
        self._bot = bot
        self._clock = clock
        self._tls = tls
        self._tell_of_waiting = tell_of_waiting
        self.is_turned_away = False
        """Whether the server has hung up at once, without a word."""
        self._has_heard = False
        self._arrived = 0.0
        """When."""
        self._tell_at: float | None = None
        """When people hear that nobody has come yet, None if they do not."""
        self._turn: Turn[Any] | None = None
        """What the bot thinks about, or has thought about last."""
        self._began = 0.0
        """Since when."""
        self._wonder_at: float | None = None
        """When it has thought for too long, None if it does not think or has been told of."""
        self._end_at: float | None = None
        """When the bot has thought for so long that the visit ends, None if it may go on."""
        self._told_of = 0
        """Of how many matches the bot has heard that they are over."""
        self._telling: asyncio.Future[None] | None = None
        """What will come of telling it of the last."""
        self._leave_at: float | None = None

    async def run(self) -> None:
        """Stays until there is nothing more to say, and closes the bot. Raises CannotVisit.

        What has come of it, the visitor knows.
        """
        brain = Brain()
        try:
            reader, self._writer = await connect(self._address, self._tls)
            self._arrived = self._clock()
            if self._tell_of_waiting is not None:
                self._tell_at = self._arrived + SECONDS_ALONE
            try:
                self._say(self._visitor.arrive())
                await self._converse(reader, brain)
            finally:
                self._writer.close()
            self._tell_of_ends(brain)
            if self._telling is not None:
                await asyncio.wait({self._telling}, timeout=SECONDS_TO_SAY_GOODBYE)
        finally:
            brain.close()
            try:
                self._bot.close()
            except BotError as fault:
                log.warning("%s", fault)

    async def _converse(self, reader: asyncio.StreamReader, brain: Brain) -> None:
        reading = asyncio.ensure_future(read(reader))
        thinking: asyncio.Future[Any] | None = None
        try:
            while not self._visitor.is_done:
                waiting = {reading} if thinking is None else {reading, thinking}
                done, _ = await asyncio.wait(
                    waiting, timeout=self._patience(), return_when=asyncio.FIRST_COMPLETED
                )
                if thinking not in done and self._is_over_limit():
                    self._fail(f"the bot took longer than {self._seconds_to_think:g} s over a move")
                    return
                if not self._wait_aloud() and not done and not self._wonder():
                    if self._leave_at is not None:
                        return
                    self._break_silence()
                if thinking in done:
                    thought, thinking, self._wonder_at, self._end_at = thinking, None, None, None
                    self._take(thought)
                if reading in done:
                    self._receive(reading.result())
                    reading = asyncio.ensure_future(read(reader))
                self._hear()
                self._note_place()
                self._tell_of_ends(brain)
                if self._session.closed:
                    # Nothing more comes of this visit, though more games may be wanted.
                    return
                turn = self._visitor.turn
                if thinking is None and turn is not None and turn is not self._turn:
                    self._turn, self._leave_at = turn, None
                    thinking = self._think(turn, brain)
        finally:
            reading.cancel()
            if thinking is not None:
                thinking.cancel()

    def _patience(self) -> float | None:
        """How long to wait for something to happen, None: for ever."""
        now, patience = self._clock(), self._session.seconds_to_poll
        if self._leave_at is not None:
            patience = max(0, self._leave_at - now)
        elif self._visitor.doubt is not None:
            patience = SECONDS_OF_DOUBT
        dues = [] if patience is None else [patience]
        if self._wonder_at is not None:
            dues.append(self._wonder_at - now)
        if self._tell_at is not None:
            dues.append(self._tell_at - now)
        if self._end_at is not None:
            dues.append(self._end_at - now)
        return max(0.0, min(dues)) if dues else None

    def _receive(self, received: bytes) -> None:
        is_early = self._clock() < self._arrived + SECONDS_TO_TURN_AWAY
        self._has_heard |= bool(received)
        self.is_turned_away = is_early and not self._has_heard
        self._session.receive_data(received)

    def _wait_aloud(self) -> bool:
        """Says so, once, if nobody has come to play for a while. Whether it does."""
        now = self._clock()
        if self._tell_of_waiting is None or self._tell_at is None or now < self._tell_at:
            return False
        self._tell_at = None
        if self._visitor.turn is not None:
            # We are waited for.
            self._tell_at = now + SECONDS_ALONE
        elif self._visitor.is_waiting:
            self._tell_of_waiting()
        return True

    def _break_silence(self) -> None:
        """Nothing has come for a while: what was in doubt is so, or the server is asked."""
        if self._visitor.doubt is not None:
            self._visitor.turn, self._visitor.doubt = self._visitor.doubt, None
        else:
            self._writer.write(self._session.poll())

    def _hear(self) -> None:
        """Answers whatever the server has said, or what follows from what we said."""
        while not self._visitor.is_done:
            notice = self._session.next_notice()
            if notice is None:
                return
            self._say(self._visitor.hear(notice))

    def _think(self, turn: Turn[Any], brain: Brain) -> asyncio.Future[Any]:
        self._began = self._clock()
        left = None if turn.deadline is None else max(0.0, turn.deadline - self._began)
        self._wonder_at = self._began + (SECONDS_TO_WONDER if left is None else left)
        if self._seconds_to_think is not None:
            self._end_at = self._began + self._seconds_to_think
        return brain.do(self._bot.choose, turn.position, turn.seat, left)

    def _is_over_limit(self) -> bool:
        """Return True if the bot has taken longer over its move than it may."""
        return self._end_at is not None and self._clock() >= self._end_at

    def _note_place(self) -> None:
        """Keep what another client needs to go on in this seat, as soon as it is known."""
        if self._keep_place is not None and self._session.place is not None:
            self._keep_place(self._session.place)
            self._keep_place = None

    def _wonder(self) -> bool:
        """Says so, once, when a bot thinks for longer than it may. Whether it does."""
        turn, now = self._turn, self._clock()
        if turn is None or self._wonder_at is None or now < self._wonder_at:
            return False
        self._wonder_at = None
        had = "" if turn.deadline is None else ", and its time is up"
        log.warning(
            "the bot has been thinking for %.1f s%s, in this position:\n%s",
            now - self._began,
            had,
            turn.position.diagram(),
        )
        return True

    def _tell_of_ends(self, brain: Brain) -> None:
        """The bot hears of matches that are over, when it has thought to an end."""
        over = self._visitor.matches[self._told_of :]
        self._told_of += len(over)
        for match in over:
            telling = brain.do(self._bot.game_over, match.position, match.seat, match.result)
            telling.add_done_callback(_note_fault)
            self._telling = telling

    def _take(self, thought: "asyncio.Future[Any]") -> None:
        """The bot has thought: its move is played, unless nobody waits for it any more."""
        turn = self._turn
        assert turn is not None
        is_awaited = self._visitor.turn is turn
        try:
            move = thought.result()
        except BotResignedError:
            if is_awaited:
                self._resign()
            return
        except BotError as fault:
            self._fail(str(fault))
            return
        if not is_awaited:
            return
        if not _is_legal(turn, move):
            self._fail(why_no_move(move) or self._why_illegal(turn, move))
            return
        self._visitor.played()
        self._say([Play(move)])

    def _resign(self) -> None:
        """Gives up the match, and waits a little for the server to say so too."""
        self._visitor.turn = None
        self._leave_at = self._clock() + SECONDS_TO_SAY_GOODBYE
        if not self._say([Resign()]):
            self._visitor.is_done = True

    def _fail(self, trouble: str) -> None:
        """The bot cannot go on: whoever waits for its move is not kept waiting."""
        assert self._turn is not None
        self._visitor.trouble = trouble
        self._visitor.trouble_at = self._turn.position
        self._visitor.turn = None
        self._visitor.is_done = True

    def _say(self, requests: list[Request[Any]]) -> bool:
        """Whether the wire has words for any of that."""
        message = b"".join(self._session.send(request) for request in requests)
        if message:
            self._writer.write(message)
        return bool(message)

    def _why_illegal(self, turn: Turn[Any], move: Any) -> str:
        """In words that help the author of the bot."""
        legal = [self._write(one) for one in islice(turn.position.legal_moves(), MOVES_TO_NAME)]
        return (
            f"the bot chose {self._write(move)}, which is illegal: {_rule(turn, move)}; legal are,"
            f" for example: {', '.join(legal)}"
        )

    def _write(self, move: Any) -> str:
        game = self._visitor.game
        try:
            return repr(move) if game is None else game.write_move(move)
        except Exception:
            # It is no move of this game at all; shown as it is, its author will know it.
            return repr(move)


def _is_legal(turn: Turn[Any], move: Any) -> bool:
    try:
        return move in turn.position.legal_moves()
    except Exception:
        # What a bot returns may be anything, also something that cannot be compared with a move.
        return False


def _note_fault(telling: "asyncio.Future[None]") -> None:
    """A bot that fails when the match is over does not spoil the next."""
    fault = None if telling.cancelled() else telling.exception()
    if fault is not None:
        log.warning("%s", fault)


def _rule(turn: Turn[Any], move: Any) -> str:
    """Why the move is not among the legal ones."""
    try:
        turn.position.after(move)
    except IllegalMove as rule:
        return str(rule)
    except Exception:
        # The rules know what moves look like, and this does not.
        return "it is no move of this game"
    return "it is none of the legal moves"
