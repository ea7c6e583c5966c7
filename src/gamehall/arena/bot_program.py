"""A bot as a program of its own, which is asked for moves over a socket that it has inherited.

Whatever the bot prints cannot be taken for an answer, since answers are not printed.
"""

import pickle
import random
import resource
import socket
import sys
import time
import traceback
from typing import Any

import msgspec

from gamehall.arena.bot_messages import Answer, Ask, Begin, Over, Setting, receive, send
from gamehall.arena.mortal import die_with
from gamehall.bots import Bot, BotFault, BotResigned
from gamehall.players.choice import BadChoice, CannotLoad, CannotStart, choose_bot

LETTERS_OF_MOVE = 200


class Host:
    """Has a bot play, one match after the other."""

    def __init__(self, setting: Setting) -> None:
        """Raises BadChoice."""
        self._game = setting.game
        self._choice = choose_bot(
            setting.text, setting.game.name, time.monotonic, setting.seconds_per_move
        )
        self._bot: Bot[Any] | None = None

    def answer(self, message: Begin | Ask | Over) -> Answer:
        """What is to be said to a message. Raises whatever the bot does."""
        match message:
            case Begin(seed):
                if self._bot is not None:
                    self._bot.close()
                random.seed(seed)
                self._bot = self._choice.make(seed)
                return Answer()
            case Ask(position, seat, seconds_left):
                assert self._bot is not None
                return self._written(self._bot.choose(position, seat, seconds_left))
            case Over(position, seat, result):
                assert self._bot is not None
                self._bot.game_over(position, seat, result)
                return Answer()

    def close(self) -> None:
        """Ends what the bot may have begun."""
        if self._bot is not None:
            self._bot.close()

    def _written(self, move: object) -> Answer:
        try:
            text = self._game.write_move(move)
            self._game.read_move(text)
        except Exception:
            return Answer(no_move=f"{move!r:.{LETTERS_OF_MOVE}}")
        return Answer(move=text)


def respond(host: Host, message: Begin | Ask | Over) -> Answer:
    """The answer to a message, whatever the bot does."""
    try:
        return host.answer(message)
    except BotResigned:
        return Answer(gives_up=True)
    except (BotFault, CannotLoad, CannotStart) as fault:
        return Answer(fault=str(fault))
    except Exception as error:
        words = f"raised {type(error).__name__}: {error}"
        return Answer(fault=words, trace=traceback.format_exc())


def main(descriptor: int) -> None:
    """Plays as long as it is asked."""
    line = socket.socket(fileno=descriptor)
    line.set_inheritable(False)
    first = receive(line)
    if first is None:
        return
    setting: Setting = pickle.loads(first)
    die_with(setting.parent)
    limit = setting.megabytes << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        host = Host(setting)
    except BadChoice as error:
        send(line, msgspec.json.encode(Answer(fault=str(error))))
        return
    send(line, msgspec.json.encode(Answer()))
    while (content := receive(line)) is not None:
        answer = respond(host, pickle.loads(content))
        try:
            send(line, msgspec.json.encode(answer))
        except OSError:
            # Nobody wants to know any more.
            break
    host.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
