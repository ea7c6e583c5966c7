"""Drawing the diagram of any game's position in colour.

A diagram is a board if most of its lines are single letters and digits, otherwise it is a text. On
a board, the pieces of the first player are red, those of the second cyan, and the changes of the
last move are highlighted. In a text, new lines are highlighted.
"""

import re
import textwrap
from itertools import pairwise, zip_longest

from rich.text import Text

from gamehall.core import Seat
from gamehall.players.shown import WORD, BoardView, Line, LineKind, Marks, Note, is_board

LINE_STYLES = {
    LineKind.INFO: "",
    LineKind.HINT: "",
    LineKind.IMPORTANT: "bold",
    LineKind.WARNING: "bold yellow",
    LineKind.ERROR: "bold yellow",
    LineKind.CHAT: "magenta",
    LineKind.RESULT: "bold green",
}
SEAT_STYLES = {Seat.FIRST: "bold red", Seat.SECOND: "bold cyan"}
LABEL = "dim"
EMPTY = "dim"
HEIGHT = "yellow"
CHANGED = "reverse"
NEW_LINE = "bold"

EMPTY_POINTS = ".+0"
"""The characters for an empty point or height."""
NOT_HIGHLIGHTED = EMPTY_POINTS + "() "

GAP = "  "
STEP = 4
"""Notes begin at a multiple of this, so that they do not move when a line gets longer."""
NARROWEST_NOTES = 26

ROW_NUMBER = re.compile(r"\s*(\d+)(?=\s)")
HEADING = re.compile(r"^[ >]*[\w ]+:")


def draw_line(line: Line) -> Text:
    text = f"{line.sender}: {line.text}" if line.sender else line.text
    return Text(text, LINE_STYLES[line.kind])


def draw(board: BoardView, marks: Marks, columns: int) -> Text:
    """Return a board with its notes, for a terminal of this width."""
    if not is_board(board.diagram):
        return _joined([*_words(board), *_notes(board, columns)])
    lines = _coloured(board.diagram, board.before, marks)
    below = [line for line in lines if WORD.search(line.plain)]
    lines = [line for line in lines if line not in below]
    widest = -(-max(line.cell_len for line in lines) // STEP) * STEP
    room = columns - widest - len(GAP)
    if room < NARROWEST_NOTES:
        return _joined([*lines, *below, *_notes(board, columns)])
    beside = _notes(board, room)
    rows = zip_longest(lines, beside, fillvalue=Text())
    return _joined([*(_side_by_side(line, note, widest) for line, note in rows), *below])


def _side_by_side(line: Text, note: Text, columns: int) -> Text:
    if not note:
        return line
    return Text.assemble(line, " " * (columns - line.cell_len) + GAP, note)


def _joined(lines: list[Text]) -> Text:
    return Text("\n").join(lines)


def _notes(board: BoardView, columns: int) -> list[Text]:
    lines: list[Text] = []
    for note in board.notes:
        for line in textwrap.wrap(note.text, columns, subsequent_indent="  ") or [""]:
            lines.append(Text(line, _style_of(note)))
    return lines


def _style_of(note: Note) -> str:
    if note.seat is not None:
        return SEAT_STYLES[note.seat]
    return "bold" if note.is_important else ""


def _words(board: BoardView) -> list[Text]:
    """Return the lines of a text: headings in colour, new lines bold."""
    known = set(board.before.splitlines()) if board.before is not None else set()
    lines = []
    for line in board.diagram.splitlines():
        is_new = board.before is not None and line not in known
        if board.is_brief and not is_new:
            continue
        text = Text(line, NEW_LINE if is_new else "")
        text.highlight_regex(HEADING, "cyan")
        lines.append(text)
    return lines


def _coloured(diagram: str, before: str | None, marks: Marks) -> list[Text]:
    lines = diagram.splitlines()
    old = before.splitlines() if before is not None else lines
    is_comparable = [len(line) for line in old] == [len(line) for line in lines]
    is_framed = _has_numbers_on_both_sides(lines)
    return [
        _coloured_line(line, old[number] if is_comparable else line, marks, is_framed)
        for number, line in enumerate(lines)
    ]


def _coloured_line(line: str, old: str, marks: Marks, is_framed: bool) -> Text:
    text = Text(line)
    if _is_labels(line):
        text.stylize(LABEL)
        return text
    start, end = 0, len(line)
    number = ROW_NUMBER.match(line)
    if number:
        start = number.end()
        text.stylize(LABEL, 0, start)
        if is_framed:
            end = len(line.rstrip()) - len(number[1])
            text.stylize(LABEL, end)
    for place in range(start, end):
        style = _style(line, place, marks)
        if style:
            text.stylize(style, place, place + 1)
        if line[place] != old[place] and line[place] not in NOT_HIGHLIGHTED and number:
            text.stylize(CHANGED, place, place + 1)
    return text


def _style(line: str, place: int, marks: Marks) -> str:
    letter = line[place]
    around = line[max(0, place - 1) : place] + line[place + 1 : place + 2]
    if letter in marks:
        return "" if any(other.isalpha() for other in around) else SEAT_STYLES[marks[letter]]
    if WORD.search(line):
        return ""
    if letter in EMPTY_POINTS:
        return EMPTY
    return HEIGHT if letter.isdigit() else ""


def _is_labels(line: str) -> bool:
    """Return True for the names of the columns: single letters in alphabetical order."""
    letters = line.split()
    ascending = all(one < next_one for one, next_one in pairwise(letters))
    return len(letters) > 1 and ascending and all(len(x) == 1 and x.isalpha() for x in letters)


def _has_numbers_on_both_sides(lines: list[str]) -> bool:
    numbered = [(line, found[1]) for line in lines if (found := ROW_NUMBER.match(line))]
    return bool(numbered) and all(line.split()[-1] == number for line, number in numbered)
