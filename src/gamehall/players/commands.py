"""Typed lines: commands, answers to questions, and moves."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from gamehall.players.moves import how_to_write, list_moves, written_moves
from gamehall.players.person import Command, Person, QuestionKind
from gamehall.players.shown import Line, LineKind
from gamehall.rooms.requests import Answer, Chat, Confirm, Rematch, Request, Resign

EXPLANATIONS = {
    Command.HELP: "this",
    Command.MOVES: "list the moves that you can make now",
    Command.BOARD: "show the board again",
    Command.WORDS: "the board in words, to be read out",
    Command.CARD: "card NAME: what a card does",
    Command.SAY: "say TEXT: send a message to the others at the table",
    Command.RESIGN: "give up the game",
    Command.REMATCH: "ask for a fresh board when the game is over",
    Command.QUIT: "leave; so do Ctrl-C and Ctrl-D",
}

OTHER_WORDS = {"?": Command.HELP, "exit": Command.QUIT, "chat": Command.SAY}

DURING_QUESTIONS = (Command.HELP, Command.SAY, Command.QUIT)


class Typed(NamedTuple):
    """A command, and the text after it."""

    command: Command
    rest: str


def read_command(text: str) -> Typed | None:
    """Parse a command. Return None if the text is something else."""
    word, _, rest = text.strip().partition(" ")
    word = word.casefold()
    if word in OTHER_WORDS:
        return Typed(OTHER_WORDS[word], rest.strip())
    known = {command.value: command for command in Command}
    return Typed(known[word], rest.strip()) if word in known else None


def help_lines(commands: Sequence[Command], how_to_write: str) -> list[str]:
    lines = [f"To move, {how_to_write}."] if how_to_write else []
    lines.append("Capitals and spaces do not matter; the Tab key completes. Commands:")
    return lines + [
        f"  {'?, ' if one is Command.HELP else ''}{one.value}".ljust(12) + EXPLANATIONS[one]
        for one in commands
    ]


def run_command(person: Person[Any], line: str) -> list[Request[Any]]:
    """Execute a typed line. Return the requests to send."""
    text = line.strip()
    typed = read_command(text)
    is_question = person.question is not None
    if typed is not None and (not is_question or typed.command in DURING_QUESTIONS):
        return _run(person, typed)
    if is_question:
        return answer_question(person, text)
    return person.try_move(text) if text else []


def completions(person: Person[Any], beginning: str) -> list[str]:
    """Return the moves and then the commands that begin with the text."""
    words = [command.value for command in person.commands]
    if person.turn is not None:
        words = [*written_moves(person.view.game, person.turn.position), *words]
    start = beginning.casefold().lstrip()
    return [word for word in words if word.casefold().startswith(start)]


def answer_question(person: Person[Any], text: str) -> list[Request[Any]]:
    """Answer the current question. An empty line means the suggested answer."""
    question = person.question
    assert question is not None
    said = text or question.offered
    if not said:
        return []
    is_yes, is_no = "yes".startswith(said.casefold()), "no".startswith(said.casefold())
    if question.kind is QuestionKind.AGREEMENT and not (is_yes or is_no):
        person.tell("Type yes or no.", LineKind.HINT)
        return []
    person.question = None
    if question.kind is QuestionKind.AGREEMENT:
        if is_no:
            person.tell("You have not agreed, so the table is closed.")
            person.finish()
        return [Confirm(is_yes)]
    if question.kind is QuestionKind.NAME:
        person.name = said
        return person.arrive()
    return [Answer(question.text, said)]


def _run(person: Person[Any], typed: Typed) -> list[Request[Any]]:
    if typed.command not in person.commands:
        person.tell(f"This door does not support {typed.command.value}.", LineKind.ERROR)
        return []
    match typed.command:
        case Command.HELP:
            for line in help_lines(person.commands, how_to_write(person.view.game)):
                person.tell(line)
        case Command.MOVES:
            _show_moves(person)
        case Command.BOARD:
            person.show_board()
        case Command.WORDS:
            _say_board(person)
        case Command.CARD:
            person.tell(person.view.game.explain(typed.rest) or "")
        case Command.SAY if typed.rest:
            person.shown.append(Line(LineKind.CHAT, typed.rest, "you"))
            return [Chat(typed.rest)]
        case Command.SAY:
            person.tell("Type what you want to say after say.", LineKind.HINT)
        case Command.RESIGN if person.is_playing and not person.is_watching:
            return [Resign()]
        case Command.RESIGN:
            person.tell("There is no game to give up.", LineKind.ERROR)
        case Command.REMATCH if person.is_watching:
            person.tell("You only watch: a player must ask for the rematch.", LineKind.ERROR)
        case Command.REMATCH if person.is_playing:
            person.tell("Ask for a rematch when this game is over.", LineKind.ERROR)
        case Command.REMATCH:
            return [Rematch()]
        case Command.QUIT:
            return person.leave()
    return []


def _say_board(person: Person[Any]) -> None:
    position = person.view.position
    words = "There is no board to show yet." if position is None else position.in_words()
    for line in words.splitlines():
        person.tell(line)


def _show_moves(person: Person[Any]) -> None:
    if person.turn is None:
        person.tell(
            "It is not your turn." if person.is_playing else "There is no game.", LineKind.ERROR
        )
        return
    person.tell("  ".join(list_moves(person.view.game, person.turn.position)))
