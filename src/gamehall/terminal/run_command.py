"""What becomes of a line that a person has typed: a command, an answer, a move."""

from typing import Any

from gamehall.rooms.requests import Answer, Chat, Confirm, Join, Rematch, Request, Resign
from gamehall.terminal.commands import Command, Typed, help_lines, read_command
from gamehall.terminal.moves import how_to_write, list_moves, written_moves
from gamehall.terminal.person import Person
from gamehall.terminal.questions import NAME, TERMS
from gamehall.terminal.wording import BAD, CHAT

DURING_QUESTIONS = (Command.HELP, Command.SAY, Command.QUIT)


def run_command(person: Person[Any], line: str) -> list[Request[Any]]:
    """What is to be said to the server; the person is shown the rest."""
    text = line.strip()
    typed = read_command(text)
    is_question = person.question is not None
    if typed is not None and (not is_question or typed.command in DURING_QUESTIONS):
        return _obey_command(person, typed)
    if is_question:
        return _answer(person, text)
    return person.try_move(text) if text else []


def completions(person: Person[Any], beginning: str) -> list[str]:
    """What can be typed that begins like this: moves, then commands."""
    words = [command.value for command in person.vocabulary.commands]
    if person.turn is not None:
        words = [*written_moves(person.sight.game, person.turn.position), *words]
    start = beginning.casefold().lstrip()
    return [word for word in words if word.casefold().startswith(start)]


def _answer(person: Person[Any], text: str) -> list[Request[Any]]:
    """The person answers the question, with nothing for what was offered."""
    question = person.question
    assert question is not None
    said = text or question.offered
    if not said:
        return []
    is_yes, is_no = "yes".startswith(said.casefold()), "no".startswith(said.casefold())
    if question.name == TERMS and not (is_yes or is_no):
        person.tell("Type yes or no.", BAD)
        return []
    person.question = None
    if question.name == TERMS:
        if is_no:
            person.tell("You have not agreed, so the table is closed.")
            person.is_done = True
        return [Confirm(is_yes)]
    if question.name == NAME:
        person.rename(said)
        return [Join(said)]
    return [Answer(question.name, said)]


def _obey_command(person: Person[Any], typed: Typed) -> list[Request[Any]]:
    if typed.command not in person.vocabulary.commands:
        person.tell(f"This door has no word for {typed.command.value}.", BAD)
        return []
    match typed.command:
        case Command.HELP:
            for line in help_lines(person.vocabulary, how_to_write(person.sight.game)):
                person.tell(line)
        case Command.MOVES:
            _show_moves(person)
        case Command.BOARD:
            person.show_board()
        case Command.WORDS:
            _say_board(person)
        case Command.CARD:
            person.tell(person.sight.game.explain(typed.rest) or "")
        case Command.SAY if typed.rest:
            person.tell(f"you: {typed.rest}", CHAT)
            return [Chat(typed.rest)]
        case Command.SAY:
            person.tell("Type what you want to say after say.", BAD)
        case Command.RESIGN if person.is_playing and not person.is_watching:
            return [Resign()]
        case Command.RESIGN:
            person.tell("There is no game that you could give up.", BAD)
        case Command.REMATCH if person.is_watching:
            person.tell("You only watch here: it is for the players to ask.", BAD)
        case Command.REMATCH if person.is_playing:
            person.tell("The game goes on: rematch is for when it is over.", BAD)
        case Command.REMATCH:
            return [Rematch()]
        case Command.QUIT:
            return person.leave()
    return []


def _say_board(person: Person[Any]) -> None:
    position = person.sight.position
    words = "There is no board to show yet." if position is None else position.in_words()
    for line in words.splitlines():
        person.tell(line)


def _show_moves(person: Person[Any]) -> None:
    if person.turn is None:
        person.tell("It is not your turn." if person.is_playing else "There is no game.", BAD)
        return
    person.tell("  ".join(list_moves(person.sight.game, person.turn.position)))
