"""SGF files by other programs: shown as they are, and made into records where our rules allow.

Files hold games that this hall would not have played: stones that are put and taken away, white
first, two moves of one side in a row, a game that goes on after two passes. All of that can be
shown. A record, which others rely on to replay, is made only of what follows the rules.
"""

import re
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any, Final, NamedTuple

from gamehall.core import Seat
from gamehall.export import sgf_result
from gamehall.export.sgf_shown import (
    Played,
    Setup,
    SgfPosition,
    caption,
    point_of,
    positions_of,
)
from gamehall.games.go import (
    LARGEST,
    SMALLEST,
    Go,
    Ko,
    Pass,
    Scoring,
    Stone,
)
from gamehall.games.go.notation import write as write_move
from gamehall.match import BadRecord, Record, RecordedMove, Result
from gamehall.match.record import positions, write_terms

RULES: Final = {
    "chinese": (Scoring.AREA, Ko.SIMPLE),
    "goe": (Scoring.AREA, Ko.SIMPLE),
    "aga": (Scoring.AREA, Ko.SITUATIONAL),
    "nz": (Scoring.AREA, Ko.SITUATIONAL),
}
"""What the rules that SGF names say; all others are taken for those of Japan."""

MOVES: Final = {Seat.FIRST: "B", Seat.SECOND: "W"}
TIME_LEFT: Final = {Seat.FIRST: "BL", Seat.SECOND: "WL"}

MOST_STEPS = 3000
"""Moves of a file that is read; the longest games that people have played have 400."""

IN_HUNDREDTHS = 100
"""No game has so much komi; who writes more counts in hundredths."""


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
        return positions_of(self.size, self.start, self.steps)

    def captions(self) -> list[str]:
        """Return what was done in each step: a move, or what was put and taken away."""
        return [caption(step, self.size) for step in self.steps]


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
    before: list[Setup] = []
    steps: list[Setup | Played] = []
    for number, node in enumerate(file.main_sequence_iter()):
        try:
            if node.has_setup_stones():
                black, white, empty = (
                    frozenset(point_of(place, size) for place in places)
                    for places in node.get_setup_stones()
                )
                setup = Setup(black, white, empty)
                # Handicap stones are often in the second node, and no move before them.
                if steps:
                    steps.append(setup)
                else:
                    before.append(setup)
            steps += _read_moves(node, size)
        except ValueError:
            raise BadRecord(f"node {number + 1} has a point that is not on the board") from None
        if len(steps) > MOST_STEPS:
            raise BadRecord(f"a game of more than {MOST_STEPS} moves is not read")
    *_, start = positions_of(size, Setup(frozenset(), frozenset(), frozenset()), before)
    black, white = (
        frozenset(point for point, owner in start.stones.items() if owner is seat) for seat in Seat
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
            Pass() if place is None else Stone(point_of(place, size)),
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
