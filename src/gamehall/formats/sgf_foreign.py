"""SGF files by other programs: shown as they are, and made into records where our rules allow.

Files hold games that this hall would not have played: stones that are put and taken away, white
first, two moves of one side in a row, a game that goes on after two passes. All of that can be
shown. A record, which others rely on to replay, is made only of what follows the rules.
"""

import re
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any, Final, NamedTuple

import msgspec
from sgfmill.boards import Board

from gamehall.core import Seat
from gamehall.formats import sgf_result
from gamehall.games.go import (
    LARGEST,
    SMALLEST,
    Go,
    Ko,
    Move,
    Pass,
    Point,
    Scoring,
    Stone,
    diagram,
    picture,
    words,
)
from gamehall.games.go.notation import write as write_move
from gamehall.games.go.notation import write_point
from gamehall.play import BadRecord, Record, RecordedMove, Result
from gamehall.play.record import positions, write_terms

RULES: Final = {
    "chinese": (Scoring.AREA, Ko.SIMPLE),
    "goe": (Scoring.AREA, Ko.SIMPLE),
    "aga": (Scoring.AREA, Ko.SITUATIONAL),
    "nz": (Scoring.AREA, Ko.SITUATIONAL),
}
"""What the rules that SGF names say; all others are taken for those of Japan."""

COLOURS: Final = {Seat.FIRST: "b", Seat.SECOND: "w"}
NAMES: Final = {Seat.FIRST: "black", Seat.SECOND: "white"}
MOVES: Final = {Seat.FIRST: "B", Seat.SECOND: "W"}
TIME_LEFT: Final = {Seat.FIRST: "BL", Seat.SECOND: "WL"}

MOST_STEPS = 3000
"""Moves of a file that is read; the longest games that people have played have 400."""

POINTS_NAMED = 10
"""Of how many stones that are put at a time each is named."""

IN_HUNDREDTHS = 100
"""No game has so much komi; who writes more counts in hundredths."""


class Setup(NamedTuple):
    """Stones that are put onto the board or taken away, outside of the rules."""

    black: frozenset[Point]
    white: frozenset[Point]
    empty: frozenset[Point]


class Played(NamedTuple):
    """A move that somebody made, within the rules or not."""

    seat: Seat
    move: Move
    seconds_left: float | None


class SgfPosition(msgspec.Struct, frozen=True):
    """Stones on a board, however they came there."""

    size: int
    stones: dict[Point, Seat]
    last: Point | None
    captured: dict[Seat, int]

    def diagram(self) -> str:
        """The board in letters."""
        return diagram.write(self.size, self.stones, self.last, self.captured)

    def picture(self) -> str:
        """The board as an SVG document."""
        return picture.draw(self.size, self.stones, self.last, self.captured)

    def in_words(self) -> str:
        """The board in words."""
        return words.write(self.size, self.stones, self.captured)


class ForeignGame(NamedTuple):
    """A game as a file by another program has it."""

    players: tuple[str | None, str | None]
    result: Result
    size: int
    start: Setup
    """What is on the board before the first move."""
    steps: tuple[Setup | Played, ...]
    record: Record | None
    """The same as a match of this hall, None if its rules do not allow it."""
    remarks: tuple[str, ...]
    """What a reader should know: what was left out, guessed, or is against the rules."""

    def positions(self) -> Iterator[SgfPosition]:
        """Yield the position before the first step, and that after each."""
        board = Board(self.size)
        captured = dict.fromkeys(Seat, 0)
        _set_up(board, self.start)
        yield _position(board, None, captured)
        for step in self.steps:
            last: Point | None = None
            match step:
                case Setup():
                    _set_up(board, step)
                case Played(seat, Stone(last)):
                    captured = _play(board, seat, last, captured)
                case Played():
                    pass
            yield _position(board, last, captured)

    def captions(self) -> list[str]:
        """Return what was done in each step: a move, or what was put and taken away."""
        return [_caption(step, self.size) for step in self.steps]


def read(file: Any, remarks: Sequence[str]) -> ForeignGame:
    """Read the main line of a game that sgfmill has parsed.

    Raises BadRecord for a board or points that cannot be shown.
    """
    root = file.get_root()
    size = file.get_size()
    if not SMALLEST <= size <= LARGEST:
        raise BadRecord(f"the board has {size} lines: {SMALLEST} to {LARGEST} can be shown")
    start, steps = _read_steps(file)
    result = sgf_result.read(_text(root, "RE") or "")
    komi, remark = _read_komi(_text(root, "KM") or "0")
    told = [*remarks, *([remark] if remark else [])]
    players = (_text(root, "PB"), _text(root, "PW"))
    record: Record | None = None
    try:
        game, moves = _as_moves(size, start, steps, komi, _text(root, "RU"), _handicap(root))
        kept = _without_late_passes(moves)
        if len(kept) < len(moves):
            told.append(f"of {len(moves)} moves the last are passes after the end: not in a record")
        record = Record(Go.name, write_terms(game), 0, players, kept, result)
        for _ in positions(game, record):
            pass
    except (BadRecord, ValueError) as error:
        record = None
        told.append(f"this is not a game by the rules of this hall: {error}")
    return ForeignGame(players, result, size, start, steps, record, tuple(told))


def _read_steps(file: Any) -> tuple[Setup, tuple[Setup | Played, ...]]:
    """Return what is on the board at first, and what is done then."""
    size = file.get_size()
    start = Board(size)
    steps: list[Setup | Played] = []
    for number, node in enumerate(file.main_sequence_iter()):
        try:
            if node.has_setup_stones():
                black, white, empty = (
                    frozenset(_point(place, size) for place in places)
                    for places in node.get_setup_stones()
                )
                setup = Setup(black, white, empty)
                # Handicap stones are often in the second node, and no move before them.
                if steps:
                    steps.append(setup)
                else:
                    _set_up(start, setup)
            steps += _read_moves(node, size)
        except ValueError:
            raise BadRecord(f"node {number + 1} has a point that is not on the board") from None
        if len(steps) > MOST_STEPS:
            raise BadRecord(f"a game of more than {MOST_STEPS} moves is not read")
    stones = _position(start, None, {}).stones
    black, white = (
        frozenset(point for point, owner in stones.items() if owner is seat) for seat in Seat
    )
    return Setup(black, white, frozenset()), tuple(steps)


def _read_moves(node: Any, size: int) -> Iterator[Played]:
    """Yield the moves of a node: one, except in the files of some old programs."""
    for seat, name in MOVES.items():
        if not node.has_property(name):
            continue
        place = node.get(name)
        left: float | None = None
        if node.has_property(TIME_LEFT[seat]):
            try:
                left = float(node.get_raw(TIME_LEFT[seat]))
            except ValueError:
                # What a program has written there besides is nothing to stumble over.
                left = None
        yield Played(
            seat,
            Pass() if place is None else Stone(_point(place, size)),
            left if left is not None and isfinite(left) else None,
        )


def _as_moves(
    size: int,
    start: Setup,
    steps: Sequence[Setup | Played],
    komi: float,
    rules: str | None,
    handicap: int,
) -> tuple[Go, tuple[RecordedMove, ...]]:
    """Return the game and its moves, those that place handicap stones included.

    Not checked: that the moves are legal. Raises BadRecord and ValueError.
    """
    if start.white:
        raise BadRecord("it begins with white stones on the board")
    played = [step for step in steps if isinstance(step, Played)]
    if len(played) < len(steps):
        raise BadRecord("stones are put or taken away in the middle of the game")
    placed = [Stone(point) for point in sorted(start.black, key=lambda p: (-p.row, p.column))]
    first = played[0].seat if played else Seat.SECOND
    stones = len(placed)
    by_moves = [one for one in played[:handicap] if one.seat is Seat.FIRST]
    if not placed and handicap > 1 and len(by_moves) == len(played[:handicap]):
        # Some programs have black place the stones by moves.
        stones, first = len(by_moves), Seat.SECOND
    if not stones and played and first is Seat.SECOND:
        raise BadRecord("white moves first, and there are no handicap stones")
    scoring, ko = RULES.get((rules or "").lower(), (Scoring.TERRITORY, Ko.SIMPLE))
    game = Go(
        size,
        komi,
        stones,
        first if stones else Seat.FIRST,
        ko,
        suicide=(rules or "").lower() in ("goe", "nz"),
        scoring=scoring,
    )
    moves = [RecordedMove(Seat.FIRST, write_move(stone, size)) for stone in placed]
    for one in played:
        moves.append(
            RecordedMove(one.seat, write_move(one.move, size), seconds_left=one.seconds_left)
        )
    return game, tuple(moves)


def _without_late_passes(moves: tuple[RecordedMove, ...]) -> tuple[RecordedMove, ...]:
    """Return the moves without the passes after the second in a row, if nothing else follows.

    Programs by other rules have three or four of them at the end.
    """
    passes = 0
    while passes < len(moves) and moves[-1 - passes].move == "pass":
        passes += 1
    return moves[: len(moves) - max(0, passes - 2)]


def _read_komi(text: str) -> tuple[float, str | None]:
    """Return the komi that is written there, and a remark if that took a guess.

    Some write a comma for the point. Chinese servers count in hundredths (650), and some in stones
    of which each is worth two points: 375 and 3.75 both mean 7.5. No komi in points ends in a
    quarter.
    """
    written = text.strip().replace(",", ".")
    try:
        komi = float(written)
    except ValueError:
        komi = float("nan")
    if not isfinite(komi):
        return 0.0, f"a komi of {text!r} cannot be read: it is taken for 0"
    read = komi / 100 if abs(komi) >= IN_HUNDREDTHS else komi
    if (abs(read) * 4) % 2 == 1:
        read *= 2
    return read, None if read == komi else f"KM[{text.strip()}] is read as a komi of {read:g}"


def _handicap(root: Any) -> int:
    text = _text(root, "HA") or ""
    return int(text) if re.fullmatch("[0-9]{1,3}", text.strip()) else 0


def _text(root: Any, name: str) -> str | None:
    """Return the text of a property on one line, without what would disturb a terminal."""
    if not root.has_property(name):
        return None
    written = root.get_raw(name).decode("utf-8", "replace")
    plain = "".join(letter if letter.isprintable() else " " for letter in _unescaped(written))
    return " ".join(plain.split()) or None


def _unescaped(written: str) -> str:
    return re.sub(r"\\(.)", r"\1", written, flags=re.DOTALL)


def _caption(step: Setup | Played, size: int) -> str:
    match step:
        case Played(seat, move):
            return f"{NAMES[seat]} {write_move(move, size)}"
        case Setup(black, white, empty):
            if len(black) + len(white) + len(empty) > POINTS_NAMED:
                counts = ((len(black), "black"), (len(white), "white"), (len(empty), "empty"))
                return "set up: " + ", ".join(f"{count} {name}" for count, name in counts if count)
            named = (("black", black), ("white", white), ("empty", empty))
            return "set up: " + "; ".join(
                f"{name} {', '.join(write_point(point, size) for point in sorted(points))}"
                for name, points in named
                if points
            )


def _set_up(board: Board, setup: Setup) -> None:
    black, white, empty = ([_place(point, board.side) for point in points] for points in setup)
    board.apply_setup(black, white, empty)


def _play(board: Board, seat: Seat, point: Point, captured: dict[Seat, int]) -> dict[Seat, int]:
    """Put a stone, whatever was there, and return how many stones each has captured then."""
    row, column = _place(point, board.side)
    # A stone on another takes its place: to SGF a move is made, whether legal or not.
    board.apply_setup([], [], [(row, column)])
    before = _counts(board)
    board.play(row, column, COLOURS[seat])
    after = _counts(board)
    taken = {
        seat.other: before[seat] + 1 - after[seat],
        seat: before[seat.other] - after[seat.other],
    }
    return {one: captured[one] + taken[one] for one in Seat}


def _counts(board: Board) -> dict[Seat, int]:
    colours = [colour for colour, _ in board.list_occupied_points()]
    return {seat: colours.count(colour) for seat, colour in COLOURS.items()}


def _position(board: Board, last: Point | None, captured: dict[Seat, int]) -> SgfPosition:
    seats = {colour: seat for seat, colour in COLOURS.items()}
    stones = {
        _point(place, board.side): seats[colour] for colour, place in board.list_occupied_points()
    }
    return SgfPosition(board.side, stones, last, captured)


def _point(place: tuple[int, int], size: int) -> Point:
    """Our point of a place of sgfmill, which counts rows from below."""
    return Point(size - 1 - place[0], place[1])


def _place(point: Point, size: int) -> tuple[int, int]:
    return size - 1 - point.row, point.column
