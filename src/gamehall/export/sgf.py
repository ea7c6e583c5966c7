"""Records of Go as SGF files, and SGF files by other programs.

Our own files come back without loss. What SGF has a property for is written as that property, so
that every reader of SGF understands it: the board, komi, the handicap stones, players, moves, time
left, the result. The rest stands in properties of our own, which other readers skip: GAMEHALL in
the root is the record without its moves, SECONDS with a move is how long it took.

A file by another program has no GAMEHALL. It may hold a game that our rules do not allow: stones
that are put and taken away, white first, two moves of one side in a row, a game that goes on after
two passes. All of that can be shown (ForeignGame). A record, which others rely on to replay, is
made only if the main line is legal under the rules that the file names, or else under those of
Japan, without superko.
"""

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from math import isfinite
from typing import Any, Final, NamedTuple, cast

import msgspec
from sgfmill import sgf, sgf_grammar
from sgfmill.boards import Board
from sgfmill.sgf_grammar import escape_text, text_value

from gamehall.core import Seat
from gamehall.games.go import (
    LARGEST,
    SMALLEST,
    Go,
    GoPosition,
    Ko,
    Move,
    Pass,
    Point,
    Scoring,
    Stone,
    notation,
    picture,
)
from gamehall.games.go.notation import write as write_move
from gamehall.games.go.notation import write_point
from gamehall.match import Ending, Record, RecordedMove, RecordError, Result
from gamehall.match.record import positions, read_game, write_terms

COLOURS: Final = {Seat.FIRST: "b", Seat.SECOND: "w"}
SEATS: Final = {colour: seat for seat, colour in COLOURS.items()}
LETTERS: Final = {Seat.FIRST: "B", Seat.SECOND: "W"}
PLAYER: Final = {Seat.FIRST: "PB", Seat.SECOND: "PW"}
TIME_LEFT: Final = {Seat.FIRST: "BL", Seat.SECOND: "WL"}

LONGEST = 5_000_000
"""Bytes of a file that is read; a match of a thousand moves has thirty thousand."""

GAME_START = re.compile(r"\(\s*;")
"""The beginning of a game."""
ENCODING_PROPERTY = re.compile(rb"(?<![A-Z])CA\s*\[([^\]]{1,40})\]")
"""The property with the name of the encoding."""
IN_UTF_16 = {
    "utf-16-le": re.compile(rb"\(\x00(?:\s\x00)*;\x00"),
    "utf-16-be": re.compile(rb"\x00\((?:\x00\s)*\x00;"),
}
WIDER_ENCODINGS = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "ascii": "utf-8"}
"""Encodings that have all characters of another, for programs that name the smaller one."""
TEXT_ENCODINGS = (
    "ascii",
    "big5",
    "cp",
    "euc",
    "gb",
    "iso8859",
    "johab",
    "koi8",
    "mac",
    "shift",
    "utf",
)
"""How the names of encodings begin that text files are in; Python has others, too."""


class SgfText(NamedTuple):
    """The text of a file, in UTF-8."""

    content: bytes
    remark: str | None
    """What a reader should know of how it was read."""


def read_text(content: bytes) -> SgfText:
    """Read the text of a file, whatever its encoding. Raise RecordError if it contains no game.

    SGF names the encoding in the property CA, and means Latin-1 if there is none. But programs
    write UTF-8 without saying so, UTF-16, or something else than they say.
    """
    for encoding, start in IN_UTF_16.items():
        # Characters have two bytes each, so one cannot begin at an odd place.
        if any(found.start() % 2 == 0 for found in start.finditer(content, 0, 1000)):
            # A mark of the byte order before the text is no part of it.
            return _written(content.decode(encoding, "replace").lstrip("\ufeff"), None)
    property_ = ENCODING_PROPERTY.search(content)
    named = property_[1].decode("latin-1").strip() if property_ else None
    for encoding in ([] if named is None else _encodings(named)) + ["utf-8", "latin-1"]:
        try:
            text = content.decode(encoding)
        except UnicodeError:
            continue
        if GAME_START.search(text):
            is_as_named = named is None or encoding in _encodings(named)
            remark = f"the text is not {named}, as CA says; it was read as {encoding.upper()}"
            return _written(text, None if is_as_named else remark)
    raise RecordError("this is not an SGF file: there is no game in it, which begins with (;")


def _written(text: str, remark: str | None) -> SgfText:
    return SgfText(text.encode("utf-8", "replace"), remark)


def _encodings(named: str) -> list[str]:
    """Return the Python encoding of this name, none if it is not one for text."""
    try:
        name = codecs.lookup(named).name
    except (LookupError, ValueError):
        return []
    return [WIDER_ENCODINGS.get(name, name)] if name.startswith(TEXT_ENCODINGS) else []


SUFFIXES = {Ending.RESIGNED: "R", Ending.OUT_OF_TIME: "T"}
"""Every other way to lose before the end is a forfeit, F."""

ENDINGS = {
    "R": (Ending.RESIGNED, "the other resigned"),
    "T": (Ending.OUT_OF_TIME, "the other ran out of time"),
    "F": (Ending.LEFT, "the other forfeited the game"),
}
WON = re.compile(r"([BW])\s*\+\s*(?:([RTF])[A-Z]*|([0-9]{1,4}(?:[.,][0-9]{1,4})?)?)", re.IGNORECASE)


def _write_result(result: Result, last: GoPosition) -> str:
    """Write the result of a match that ended in this position: B+3.5, W+R, B+T, W+F, 0, Void."""
    if result.winner is None:
        return "0" if result.ending is Ending.PLAYED_OUT else "Void"
    letter = LETTERS[result.winner]
    if result.ending is not Ending.PLAYED_OUT:
        return f"{letter}+{SUFFIXES.get(result.ending, 'F')}"
    score, scoring = last.score(), last.terms.scoring
    black, white = (score.of(seat).total(scoring) for seat in Seat)
    return f"{letter}+{abs(black - white):g}"


def _read_result(text: str) -> Result:
    """Parse a result; an unknown one becomes a cancelled match."""
    written = text.strip()
    won = WON.fullmatch(written)
    if won:
        winner = SEATS[won[1].lower()]
        if won[2]:
            return Result(winner, *ENDINGS[won[2].upper()])
        colour = "black" if winner is Seat.FIRST else "white"
        margin = f" by {float(won[3].replace(',', '.')):g}" if won[3] else ""
        return Result(winner, Ending.PLAYED_OUT, f"{colour} wins{margin}")
    if written.lower() in ("0", "draw", "jigo"):
        return Result(None, Ending.PLAYED_OUT, "a draw")
    return Result(None, Ending.CANCELLED, "the result is not known")


NAMES: Final = {Seat.FIRST: "black", Seat.SECOND: "white"}

POINTS_NAMED = 10
"""Of how many stones that are put at a time each is named."""


class Setup(NamedTuple):
    """Stones that are put onto the board or taken away, outside of the rules."""

    black: frozenset[Point]
    white: frozenset[Point]
    empty: frozenset[Point]


class SgfMove(NamedTuple):
    """A move that a player made, legal or not."""

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
        """Return the board as text."""
        return notation.write_diagram(self.size, self.stones, self.last, self.captured)

    def picture(self) -> str:
        """Return the board as an SVG document."""
        return picture.draw(self.size, self.stones, self.last, self.captured)

    def in_words(self) -> str:
        """Return a description of the board in sentences."""
        return notation.describe(self.size, self.stones, self.captured)


def positions_of(
    size: int, start: Setup, steps: Iterable[Setup | SgfMove]
) -> Iterator[SgfPosition]:
    """Yield the position before the first step, and that after each."""
    board = Board(size)
    captured = dict.fromkeys(Seat, 0)
    _set_up(board, start)
    yield _position(board, None, captured)
    for step in steps:
        last: Point | None = None
        match step:
            case Setup():
                _set_up(board, step)
            case SgfMove(seat, Stone(last)):
                captured = _play(board, seat, last, captured)
            case SgfMove():
                pass
        yield _position(board, last, captured)


def caption(step: Setup | SgfMove, size: int) -> str:
    """Return what was done in a step, in words."""
    match step:
        case SgfMove(seat, move):
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
    stones = {
        point_of(place, board.side): SEATS[colour] for colour, place in board.list_occupied_points()
    }
    return SgfPosition(size=board.side, stones=stones, last=last, captured=captured)


def point_of(place: tuple[int, int], size: int) -> Point:
    """Return our point for a place in sgfmill, which counts rows from below."""
    return Point(size - 1 - place[0], place[1])


def _place(point: Point, size: int) -> tuple[int, int]:
    return size - 1 - point.row, point.column


NAMED_RULES: Final = {
    "chinese": (Scoring.AREA, Ko.SIMPLE),
    "goe": (Scoring.AREA, Ko.SIMPLE),
    "aga": (Scoring.AREA, Ko.SITUATIONAL),
    "nz": (Scoring.AREA, Ko.SITUATIONAL),
}
"""What the rules that SGF names say; all others are taken for those of Japan."""

MOST_STEPS = 3000
"""Moves of a file that is read; the longest games that people have played have 400."""

IN_HUNDREDTHS = 100
"""No game has this much komi; a larger number counts in hundredths."""


class ForeignGame(NamedTuple):
    """A game as a file by another program has it."""

    players: tuple[str | None, str | None]
    result: Result
    size: int
    start: Setup
    """What is on the board before the first move."""
    steps: tuple[Setup | SgfMove, ...]
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


def _read_foreign(file: Any, remarks: Sequence[str]) -> ForeignGame:
    """Read the main line of a game that sgfmill has parsed.

    Raises RecordError for a board or points that cannot be shown.
    """
    root = file.get_root()
    size = file.get_size()
    if not SMALLEST <= size <= LARGEST:
        raise RecordError(f"the board has {size} lines: {SMALLEST} to {LARGEST} can be shown")
    start, steps = _read_steps(file)
    result = _read_result(_text_of(root, "RE") or "")
    komi, remark = _read_komi(_text_of(root, "KM") or "0")
    told = [*remarks, *([remark] if remark else [])]
    players = (_text_of(root, "PB"), _text_of(root, "PW"))
    record: Record | None = None
    try:
        game, moves = _as_moves(size, start, steps, komi, _text_of(root, "RU"), _handicap(root))
        kept = _without_late_passes(moves)
        if len(kept) < len(moves):
            told.append(f"of {len(moves)} moves the last are passes after the end: not in a record")
        record = Record(
            game=Go.name,
            terms=write_terms(game),
            seed=0,
            players=players,
            moves=kept,
            result=result,
        )
        for _ in positions(game, record):
            pass
    except (RecordError, ValueError) as error:
        record = None
        told.append(f"this is not a game by the rules of this hall: {error}")
    return ForeignGame(
        players=players,
        result=result,
        size=size,
        start=start,
        steps=steps,
        record=record,
        remarks=tuple(told),
    )


def _read_steps(file: Any) -> tuple[Setup, tuple[Setup | SgfMove, ...]]:
    """Return what is on the board at first, and what is done then."""
    size = file.get_size()
    before: list[Setup] = []
    steps: list[Setup | SgfMove] = []
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
            steps += _moves_of_node(node, size)
        except ValueError:
            raise RecordError(f"node {number + 1} has a point that is not on the board") from None
        if len(steps) > MOST_STEPS:
            raise RecordError(f"a game of more than {MOST_STEPS} moves is not read")
    *_, start = positions_of(size, Setup(frozenset(), frozenset(), frozenset()), before)
    black, white = (
        frozenset(point for point, owner in start.stones.items() if owner is seat) for seat in Seat
    )
    return Setup(black, white, frozenset()), tuple(steps)


def _moves_of_node(node: Any, size: int) -> Iterator[SgfMove]:
    """Yield the moves of a node: one, except in the files of some old programs."""
    for seat, name in LETTERS.items():
        if not node.has_property(name):
            continue
        place = node.get(name)
        left: float | None = None
        if node.has_property(TIME_LEFT[seat]):
            try:
                left = float(node.get_raw(TIME_LEFT[seat]))
            except ValueError:
                # Programs write other things there, too: ignore them.
                left = None
        yield SgfMove(
            seat,
            Pass() if place is None else Stone(point_of(place, size)),
            left if left is not None and isfinite(left) else None,
        )


def _as_moves(
    size: int,
    start: Setup,
    steps: Sequence[Setup | SgfMove],
    komi: float,
    rules: str | None,
    handicap: int,
) -> tuple[Go, tuple[RecordedMove, ...]]:
    """Return the game and its moves, those that place handicap stones included.

    Not checked: that the moves are legal. Raises RecordError and ValueError.
    """
    if start.white:
        raise RecordError("it begins with white stones on the board")
    played = [step for step in steps if isinstance(step, SgfMove)]
    if len(played) < len(steps):
        raise RecordError("stones are put or taken away in the middle of the game")
    placed = [Stone(point) for point in sorted(start.black, key=lambda p: (-p.row, p.column))]
    first = played[0].seat if played else Seat.SECOND
    stones = len(placed)
    by_moves = [one for one in played[:handicap] if one.seat is Seat.FIRST]
    if not placed and handicap > 1 and len(by_moves) == len(played[:handicap]):
        # Some programs have black place the stones by moves.
        stones, first = len(by_moves), Seat.SECOND
    if not stones and played and first is Seat.SECOND:
        raise RecordError("white moves first, and there are no handicap stones")
    scoring, ko = NAMED_RULES.get((rules or "").lower(), (Scoring.TERRITORY, Ko.SIMPLE))
    game = Go(
        size=size,
        komi=komi,
        handicap=stones,
        handicap_first=first if stones else Seat.FIRST,
        ko=ko,
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
    points = komi / 100 if abs(komi) >= IN_HUNDREDTHS else komi
    if (abs(points) * 4) % 2 == 1:
        points *= 2
    return points, None if points == komi else f"KM[{text.strip()}] is read as a komi of {points:g}"


def _handicap(root: Any) -> int:
    text = _text_of(root, "HA") or ""
    return int(text) if re.fullmatch("[0-9]{1,3}", text.strip()) else 0


def _text_of(root: Any, name: str) -> str | None:
    """Return the text of a property on one line, without what would disturb a terminal."""
    if not root.has_property(name):
        return None
    written = root.get_raw(name).decode("utf-8", "replace")
    plain = "".join(letter if letter.isprintable() else " " for letter in _unescaped(written))
    return " ".join(plain.split()) or None


def _unescaped(written: str) -> str:
    return re.sub(r"\\(.)", r"\1", written, flags=re.DOTALL)


def write(record: Record) -> bytes:
    """Write a record as an SGF file. Raise RecordError unless it is of Go and can be replayed."""
    game = _game_of(record)
    passed = [cast("GoPosition", position) for position in positions(game, record)]
    in_handicap = sum(position.is_handicap_phase for position in passed[:-1])
    file = sgf.Sgf_game(size=game.size)
    root = file.get_root()
    root.set("AP", ("Gamehall", "1"))
    root.set_raw("KM", _write_real(game.komi))
    root.set("RU", _rules_in_words(game))
    root.set("RE", _write_result(record.result, passed[-1]))
    for seat, name in zip(Seat, record.players, strict=True):
        if name is not None:
            root.set(PLAYER[seat], name)
    if record.ended is not None:
        root.set("DT", record.ended[:10])
    # The stones before the game proper, in the order in which they were placed.
    stones = [game.read_move(played.move) for played in record.moves[:in_handicap]]
    placed = [_write_point(stone.point) for stone in stones if isinstance(stone, Stone)]
    if placed:
        root.set_raw_list("AB", placed)
        root.set("PL", COLOURS[game.handicap_first])
    if len(placed) > 1:
        root.set("HA", len(placed))
    rest = msgspec.structs.replace(record, moves=record.moves[:in_handicap])
    root.set_raw("GAMEHALL", escape_text(rest.to_json()))
    for played in record.moves[in_handicap:]:
        _write_move(file.extend_main_sequence(), game, played)
    return cast("bytes", file.serialise())


def read(content: bytes) -> Record:
    """Read the record in an SGF file. Raise RecordError."""
    found = read_any(content)
    if isinstance(found, Record):
        return found
    if found.record is None:
        raise RecordError(found.remarks[-1])
    return found.record


def read_any(content: bytes) -> Record | ForeignGame:
    """Read an SGF file: a record if it is ours, otherwise a game by another program.

    Raises RecordError.
    """
    if len(content) > LONGEST:
        raise RecordError(f"an SGF file of more than {LONGEST} bytes is not read")
    if not content.strip():
        raise RecordError("this is not an SGF file: it is empty")
    text = read_text(content)
    try:
        tree = sgf_grammar.parse_sgf_game(text.content)
        root = tree.sequence[0]
        if root.get("GM", [b"1"])[0].strip() not in (b"1", b""):
            raise RecordError("this SGF file is not of Go")
        _mend_size(root)
        file = sgf.Sgf_game.from_coarse_game_tree(tree, override_encoding="UTF-8")
        if "GAMEHALL" not in root:
            remarks = [text.remark] if text.remark else []
            return _read_foreign(file, [*remarks, *_left_out(tree, text.content)])
        rest = Record.from_json(text_value(root["GAMEHALL"][0]))
        record = msgspec.structs.replace(rest, moves=(*rest.moves, *_read_own_moves(file)))
    except (ValueError, KeyError, RecursionError) as error:
        raise RecordError(f"this is not an SGF file that can be read: {error}") from None
    # Callers rely on the record being replayable.
    for _ in positions(_game_of(record), record):
        pass
    return record


def _mend_size(root: dict[str, list[bytes]]) -> None:
    """Write the size of a square board as one number. Raise RecordError for any other board."""
    written = root.get("SZ", [b"19"])[0].decode("latin-1").strip()
    columns, _, rows = written.replace("x", ":").partition(":")
    if rows and rows.strip() == columns.strip():
        root["SZ"] = [columns.encode("latin-1")]
    elif rows:
        raise RecordError(f"the board is {written}: only square ones can be shown")


def _left_out(tree: Any, content: bytes) -> list[str]:
    """Return remarks on what of a file is not shown."""
    remarks = []
    _, end = sgf_grammar.tokenise(content)
    if re.search(rb"\(\s*;", content[end:]):
        remarks.append("there are more games in the file: this is the first")
    while tree.children:
        if len(tree.children) > 1:
            remarks.append("there are variations in the file: this is the main line")
            break
        tree = tree.children[0]
    return remarks


def _game_of(record: Record) -> Go:
    if record.game != Go.name:
        raise RecordError(f"SGF is for {Go.title}, and this is a record of {record.game}")
    return cast("Go", read_game(Go, record))


def _rules_in_words(game: Go) -> str:
    scoring = "area" if game.scoring is Scoring.AREA else "territory"
    ko = "simple ko" if game.ko is Ko.SIMPLE else f"{game.ko.value} superko"
    suicide = "suicide allowed" if game.suicide else "no suicide"
    return f"{scoring} scoring, {ko}, {suicide}, all stones on the board live"


def _write_move(node: Any, game: Go, played: RecordedMove) -> None:
    move = game.read_move(played.move)
    place = _place(move.point, game.size) if isinstance(move, Stone) else None
    node.set_move(COLOURS[played.seat], place)
    if played.seconds_left is not None:
        node.set_raw(TIME_LEFT[played.seat], _write_real(played.seconds_left))
    if played.seconds:
        node.set_raw("SECONDS", _write_real(played.seconds))


def _write_real(number: float) -> bytes:
    """Write a number to its last digit and without an exponent, which SGF does not have."""
    return format(Decimal(repr(number)), "f").encode()


def _write_point(point: Point) -> bytes:
    return bytes((ord("a") + point.column, ord("a") + point.row))


def _read_own_moves(file: Any) -> tuple[RecordedMove, ...]:
    """Return the moves of the main line of our own file, with their times."""
    size = file.get_size()
    moves: list[RecordedMove] = []
    for node in file.get_main_sequence():
        if node is not file.get_root() and node.has_setup_stones():
            raise RecordError("stones are put or taken away in the middle of the game")
        colour, place = node.get_move()
        if colour is None:
            continue
        seat = SEATS[colour]
        move: Move = Pass() if place is None else Stone(point_of(place, size))
        seconds = float(node.get_raw("SECONDS")) if node.has_property("SECONDS") else 0.0
        left = node.get(TIME_LEFT[seat]) if node.has_property(TIME_LEFT[seat]) else None
        moves.append(
            RecordedMove(seat=seat, move=write_move(move, size), seconds=seconds, seconds_left=left)
        )
    return tuple(moves)
