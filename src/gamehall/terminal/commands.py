"""What a person can say besides moves, and what of it a wire has words for."""

from enum import Enum
from typing import Any, NamedTuple

from gamehall.core import Game
from gamehall.rooms.requests import Chat, Rematch, Resign
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.settings import DoorSettings


class Command(Enum):
    """A word that is no move."""

    HELP = "help"
    MOVES = "moves"
    BOARD = "board"
    WORDS = "words"
    CARD = "card"
    SAY = "say"
    RESIGN = "resign"
    REMATCH = "rematch"
    QUIT = "quit"


EXPLANATIONS = {
    Command.HELP: "this",
    Command.MOVES: "list the moves that you can make now",
    Command.BOARD: "show the board again",
    Command.WORDS: "the board in words, to be read out",
    Command.CARD: "card NAME: what a card does",
    Command.SAY: "say TEXT: say something to everybody at the table",
    Command.RESIGN: "give up the game",
    Command.REMATCH: "ask for a fresh board when the game is over",
    Command.QUIT: "leave; so do Ctrl-C and Ctrl-D",
}

OTHER_WORDS = {"?": Command.HELP, "exit": Command.QUIT, "chat": Command.SAY}


class Typed(NamedTuple):
    """A command, and what was written after it."""

    command: Command
    rest: str


class Vocabulary(NamedTuple):
    """What the wire has words for."""

    has_chat: bool
    has_resign: bool
    has_rematch: bool
    has_cards: bool = False
    """Whether there are things on the board that can be explained by their names."""

    @property
    def commands(self) -> list[Command]:
        """The commands that make sense there."""
        missing = {
            Command.CARD: not self.has_cards,
            Command.SAY: not self.has_chat,
            Command.RESIGN: not self.has_resign,
            Command.REMATCH: not self.has_rematch,
        }
        return [command for command in Command if not missing.get(command)]


def vocabulary_of(protocol: AnyProtocol, settings: DoorSettings, game: Game[Any]) -> Vocabulary:
    """What the wire has words for, found out with a session that nobody uses."""
    session = protocol.client(settings)
    chat, resign, rematch = (bool(session.send(one)) for one in (Chat("x"), Resign(), Rematch()))
    return Vocabulary(chat, resign, rematch, game.explain("") is not None)


def read_command(text: str) -> Typed | None:
    """The command that was typed, None if it is none."""
    word, _, rest = text.strip().partition(" ")
    word = word.casefold()
    if word in OTHER_WORDS:
        return Typed(OTHER_WORDS[word], rest.strip())
    known = {command.value: command for command in Command}
    return Typed(known[word], rest.strip()) if word in known else None


def help_lines(vocabulary: Vocabulary, how_to_write: str) -> list[str]:
    """What can be typed here."""
    lines = [f"To move, {how_to_write}."] if how_to_write else []
    lines.append("Capitals and blanks do not matter; the Tab key completes. Further:")
    return lines + [
        f"  {'?, ' if one is Command.HELP else ''}{one.value}".ljust(12) + EXPLANATIONS[one]
        for one in vocabulary.commands
    ]
