"""The program of a guarded bot's process, which answers messages over an inherited socket.

Answers do not go to standard output, so the bot may print there.
"""

import os
import pickle
import random
import resource
import socket
import sys
import time
import traceback
from typing import Any

import msgspec

from gamehall.bots import Bot, BotError, BotResignedError
from gamehall.core import Position
from gamehall.engines.choice import BotChoiceError, BotLoadError, EngineStartError, choose_bot
from gamehall.engines.guarded import (
    LETTERS_OF_MOVE,
    Ask,
    Begin,
    BotAnswer,
    GameOver,
    NewTerms,
    ProcessSettings,
    exit_with_parent,
    receive,
    send,
)
from gamehall.engines.own_bot import why_not_legal


class BotHost:
    """Creates a bot for each match, and passes messages on to it."""

    def __init__(self, settings: ProcessSettings) -> None:
        """Raises BotChoiceError."""
        self._game = settings.game
        self._choice = choose_bot(
            settings.text, settings.game.name, time.monotonic, settings.seconds_per_move
        )
        self._bot: Bot[Any] | None = None

    def answer(self, message: Begin | NewTerms | Ask | GameOver) -> BotAnswer:
        """Return the answer to a message. Exceptions of the bot are not caught."""
        match message:
            case Begin(seed, game):
                self._game = game
                if self._bot is not None:
                    self._bot.close()
                random.seed(seed)
                self._bot = self._choice.make(seed)
                return BotAnswer()
            case NewTerms(game):
                self._game = game
                return BotAnswer()
            case Ask(position, seat, seconds_left):
                assert self._bot is not None
                return self._answer_with(position, self._bot.choose(position, seat, seconds_left))
            case GameOver(position, seat, result):
                assert self._bot is not None
                self._bot.game_over(position, seat, result)
                return BotAnswer()

    def close(self) -> None:
        if self._bot is not None:
            self._bot.close()

    def _answer_with(self, position: Position[Any], move: object) -> BotAnswer:
        try:
            text = self._game.write_move(move)
            self._game.read_move(text)
        except Exception:
            why = why_not_legal(position, move, self._game) or ""
            return BotAnswer(no_move=f"{move!r:.{LETTERS_OF_MOVE}}", why=why)
        return BotAnswer(move=text)


def respond(host: BotHost, message: Begin | NewTerms | Ask | GameOver) -> BotAnswer:
    """Return the answer to a message, also if the bot raises an exception."""
    try:
        return host.answer(message)
    except BotResignedError:
        return BotAnswer(resigns=True)
    except (BotError, BotLoadError, EngineStartError) as fault:
        return BotAnswer(fault=str(fault))
    except Exception as error:
        what = f"raised {type(error).__name__}: {error}"
        return BotAnswer(fault=what, trace=traceback.format_exc())


def main(descriptor: int) -> None:
    """Answer messages until the socket is closed."""
    connection = socket.socket(fileno=descriptor)
    connection.set_inheritable(False)
    first = receive(connection)
    if first is None:
        return
    settings: ProcessSettings = pickle.loads(first)
    exit_with_parent(settings.parent)
    os.nice(settings.niceness)
    limit = settings.megabytes << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        host = BotHost(settings)
    except BotChoiceError as error:
        send(connection, msgspec.json.encode(BotAnswer(fault=str(error))))
        return
    send(connection, msgspec.json.encode(BotAnswer()))
    while (content := receive(connection)) is not None:
        answer = respond(host, pickle.loads(content))
        try:
            send(connection, msgspec.json.encode(answer))
        except OSError:
            break
    host.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
