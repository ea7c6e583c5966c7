"""Write records of Go as SGF files, and read SGF files of Gamehall and of other programs.

Our own files are read without loss. They use the properties of SGF for the board, komi, handicap
stones, players, moves, remaining time and result, so that all programs understand these. Two
private properties, which other programs ignore, have the rest: GAMEHALL in the root is the record
without its moves, and SECONDS at a move is the time it took.

A file of another program has no GAMEHALL, and may contain a game that our rules do not allow:
stones that are added or removed, white moving first, two moves of the same player in a row, moves
after two passes. Such a game can be shown (ForeignGame). It becomes a record, which must be
replayable, only if its main line is legal under the rules that the file names, by default Japanese
rules without superko.
"""

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from math import isfinite
from typing import Any, Final, NamedTuple, Self, cast

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
from gamehall.games.go.notation import STONE_NAMES, write_point
from gamehall.games.go.notation import write as write_move
from gamehall.match import Ending, Record, RecordedMove, RecordError, Result
from gamehall.match.record import positions, read_game, write_terms

COLOURS: Final = {Seat.FIRST: "b", Seat.SECOND: "w"}
SEATS: Final = {colour: seat for seat, colour in COLOURS.items()}
LETTERS: Final = {Seat.FIRST: "B", Seat.SECOND: "W"}
PLAYER: Final = {Seat.FIRST: "PB", Seat.SECOND: "PW"}
TIME_LEFT: Final = {Seat.FIRST: "BL", Seat.SECOND: "WL"}

MAX_BYTES = 5_000_000
"""The largest file that is read. A match of a thousand moves has 30,000 bytes."""

GAME_START = re.compile(r"\(\s*;")
ENCODING_PROPERTY = re.compile(rb"(?<![A-Z])CA\s*\[([^\]]{1,40})\]")
GAME_START_IN_UTF_16 = {
    "utf-16-le": re.compile(rb"\(\x00(?:\s\x00)*;\x00"),
    "utf-16-be": re.compile(rb"\x00\((?:\x00\s)*\x00;"),
}
WIDER_ENCODINGS = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "ascii": "utf-8"}
"""Supersets of encodings: programs often name the smaller encoding and write the larger one."""
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
"""The prefixes of text encodings. Python also has codecs that are not for text."""


class SgfText(NamedTuple):
    """The text of a file."""

    content: bytes
    """In UTF-8."""
    remark: str | None
    """A note for the user if the encoding had to be guessed."""


def read_text(content: bytes) -> SgfText:
    """Decode a file. Raises RecordError if it contains no game.

    In SGF the property CA names the encoding, and the default is Latin-1. But programs also write
    UTF-8 without CA, UTF-16, or another encoding than the one in CA.
    """
    for encoding, start in GAME_START_IN_UTF_16.items():
        # Characters have two bytes, so they begin at even offsets.
        if any(found.start() % 2 == 0 for found in start.finditer(content, 0, 1000)):
            # Remove the byte order mark.
            return _encode(content.decode(encoding, "replace").lstrip("\ufeff"), None)
    property_ = ENCODING_PROPERTY.search(content)
    named = property_[1].decode("latin-1").strip() if property_ else None
    for encoding in ([] if named is None else _encodings(named)) + ["utf-8", "latin-1"]:
        try:
            text = content.decode(encoding)
        except UnicodeError:
            continue
        if GAME_START.search(text):
            is_as_named = named is None or encoding in _encodings(named)
            remark = f"the text is not in {named}, as CA says: it was read as {encoding.upper()}"
            return _encode(text, None if is_as_named else remark)
    raise RecordError("this is not an SGF file: it has no game, which begins with (;")


def _encode(text: str, remark: str | None) -> SgfText:
    return SgfText(text.encode("utf-8", "replace"), remark)


def _encodings(named: str) -> list[str]:
    """Return the Python encoding of this name; empty if it is unknown or not for text."""
    try:
        name = codecs.lookup(named).name
    except (LookupError, ValueError):
        return []
    return [WIDER_ENCODINGS.get(name, name)] if name.startswith(TEXT_ENCODINGS) else []


SUFFIXES = {Ending.RESIGNED: "R", Ending.OUT_OF_TIME: "T"}
"""All other ways to lose before the end are a forfeit, F."""

ENDINGS = {
    "R": (Ending.RESIGNED, "the opponent resigned"),
    "T": (Ending.OUT_OF_TIME, "the opponent ran out of time"),
    "F": (Ending.LEFT, "the opponent forfeited the game"),
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
    """Read a result; an unknown one becomes a cancelled match."""
    written = text.strip()
    won = WON.fullmatch(written)
    if won:
        winner = SEATS[won[1].lower()]
        if won[2]:
            return Result(winner, *ENDINGS[won[2].upper()])
        margin = f" by {float(won[3].replace(',', '.')):g}" if won[3] else ""
        return Result(winner, Ending.PLAYED_OUT, f"{STONE_NAMES[winner]} wins{margin}")
    if written.lower() in ("0", "draw", "jigo"):
        return Result(None, Ending.PLAYED_OUT, "a draw")
    return Result(None, Ending.CANCELLED, "the result is unknown")


MAX_POINTS_LISTED = 10
"""A caption lists the points of a setup up to this number, and counts them above it."""


class Setup(NamedTuple):
    """Stones that are added to the board or removed from it without a move."""

    black: frozenset[Point]
    white: frozenset[Point]
    empty: frozenset[Point]


class SgfMove(NamedTuple):
    """A move, legal or not."""

    seat: Seat
    move: Move
    seconds_left: float | None


class SgfPosition(msgspec.Struct, frozen=True):
    """A position of a game that may break the rules."""

    size: int
    stones: dict[Point, Seat]
    last: Point | None
    captured: dict[Seat, int]

    def stopped(self) -> Self:
        """Return this position: its picture shows no player to move, as in `Position.stopped`."""
        return self

    def diagram(self) -> str:
        return notation.write_diagram(self.size, self.stones, self.last, self.captured)

    def picture(self) -> str:
        return picture.draw(self.size, self.stones, self.last, self.captured)

    def in_words(self) -> str:
        return notation.describe(self.size, self.stones, self.captured)


def positions_of(
    size: int, start: Setup, steps: Iterable[Setup | SgfMove]
) -> Iterator[SgfPosition]:
    """Yield the position before the first step, and the position after each step."""
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
    """Describe a step, as in `black C3` or `set up: empty B4`."""
    match step:
        case SgfMove(seat, move):
            return f"{STONE_NAMES[seat]} {write_move(move, size)}"
        case Setup(black, white, empty):
            if len(black) + len(white) + len(empty) > MAX_POINTS_LISTED:
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
    """Put a stone on a point, occupied or not. Return the numbers of captured stones after it."""
    row, column = _place(point, board.side)
    # In SGF a move is made even if it is illegal, so a stone replaces another.
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
    """Convert a place of sgfmill, whose row 0 is at the bottom; ours is at the top."""
    return Point(size - 1 - place[0], place[1])


def _place(point: Point, size: int) -> tuple[int, int]:
    return size - 1 - point.row, point.column


NAMED_RULES: Final = {
    "chinese": (Scoring.AREA, Ko.SIMPLE),
    "goe": (Scoring.AREA, Ko.SIMPLE),
    "aga": (Scoring.AREA, Ko.SITUATIONAL),
    "nz": (Scoring.AREA, Ko.SITUATIONAL),
}
"""The scoring and ko rules of names in RU. All others are read as Japanese rules."""

MAX_STEPS = 3000
"""The longest game that is read. The longest games between people have about 400 moves."""

MIN_KOMI_IN_HUNDREDTHS = 100
"""A larger komi than any real one: it is in hundredths of a point."""


class ForeignGame(NamedTuple):
    """A game from a file of another program."""

    players: tuple[str | None, str | None]
    result: Result
    size: int
    start: Setup
    """The stones on the board before the first move."""
    steps: tuple[Setup | SgfMove, ...]
    record: Record | None
    """The game as a record, None if our rules do not allow it."""
    remarks: tuple[str, ...]
    """Notes for the user: what was omitted or guessed, or is against the rules."""

    def positions(self) -> Iterator[SgfPosition]:
        """Yield the position before the first step, and the position after each step."""
        return positions_of(self.size, self.start, self.steps)

    def captions(self) -> list[str]:
        return [caption(step, self.size) for step in self.steps]


def _read_foreign(file: Any, remarks: Sequence[str]) -> ForeignGame:
    """Read the main line of a game that sgfmill has parsed.

    Raises RecordError if the board has another size or shape than we can show, or a point is not
    on it.
    """
    root = file.get_root()
    size = file.get_size()
    if not SMALLEST <= size <= LARGEST:
        raise RecordError(
            f"the board has {size} lines; boards of {SMALLEST} to {LARGEST} lines can be shown"
        )
    start, steps = _read_steps(file)
    result = _read_result(_text_of(root, "RE") or "")
    komi, remark = _read_komi(_text_of(root, "KM") or "0")
    all_remarks = [*remarks, *([remark] if remark else [])]
    players = (_text_of(root, "PB"), _text_of(root, "PW"))
    record: Record | None = None
    try:
        game, moves = _as_moves(size, start, steps, komi, _text_of(root, "RU"), _handicap(root))
        kept = _without_late_passes(moves)
        if len(kept) < len(moves):
            all_remarks.append("the passes after the end of the game were omitted")
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
        all_remarks.append(f"our rules do not allow this game: {error}")
    return ForeignGame(
        players=players,
        result=result,
        size=size,
        start=start,
        steps=steps,
        record=record,
        remarks=tuple(all_remarks),
    )


def _read_steps(file: Any) -> tuple[Setup, tuple[Setup | SgfMove, ...]]:
    """Return the stones before the first move, and the steps after that."""
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
                # Handicap stones are often in the second node: before a move, they belong to the
                # start.
                if steps:
                    steps.append(setup)
                else:
                    before.append(setup)
            steps += _moves_of_node(node, size)
        except ValueError:
            raise RecordError(f"node {number + 1} has a point that is not on the board") from None
        if len(steps) > MAX_STEPS:
            raise RecordError(f"the game has more than {MAX_STEPS} moves, the limit for reading")
    *_, start = positions_of(size, Setup(frozenset(), frozenset(), frozenset()), before)
    black, white = (
        frozenset(point for point, owner in start.stones.items() if owner is seat) for seat in Seat
    )
    return Setup(black, white, frozenset()), tuple(steps)


def _moves_of_node(node: Any, size: int) -> Iterator[SgfMove]:
    """Yield the moves of a node: usually one, but some old programs write both players' moves."""
    for seat, name in LETTERS.items():
        if not node.has_property(name):
            continue
        place = node.get(name)
        left: float | None = None
        if node.has_property(TIME_LEFT[seat]):
            try:
                left = float(node.get_raw(TIME_LEFT[seat]))
            except ValueError:
                # Some programs write text there.
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
    """Return the game and its moves, including those that place handicap stones.

    Does not check that the moves are legal. Raises RecordError and ValueError.
    """
    if start.white:
        raise RecordError("it begins with white stones on the board")
    played = [step for step in steps if isinstance(step, SgfMove)]
    if len(played) < len(steps):
        raise RecordError("stones are added or removed in the middle of the game")
    placed = [Stone(point) for point in sorted(start.black, key=lambda p: (-p.row, p.column))]
    first = played[0].seat if played else Seat.SECOND
    stones = len(placed)
    by_moves = [one for one in played[:handicap] if one.seat is Seat.FIRST]
    if not placed and handicap > 1 and len(by_moves) == len(played[:handicap]):
        # Some programs write the handicap stones as moves of black.
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
    """Return the moves without the third and later passes at the end.

    Under other rules a game ends with three or four passes.
    """
    passes = 0
    while passes < len(moves) and moves[-1 - passes].move == "pass":
        passes += 1
    return moves[: len(moves) - max(0, passes - 2)]


def _read_komi(text: str) -> tuple[float, str | None]:
    """Return the komi, and a remark if it had to be guessed.

    Some programs write a decimal comma. Chinese servers count in hundredths of a point (650), or in
    stones, each worth two points: 375 and 3.75 both mean 7.5. A komi in points never ends in a
    quarter, so such a number is in stones.
    """
    written = text.strip().replace(",", ".")
    try:
        komi = float(written)
    except ValueError:
        komi = float("nan")
    if not isfinite(komi):
        return 0.0, f"the komi {text!r} cannot be read; 0 is used instead"
    points = komi / 100 if abs(komi) >= MIN_KOMI_IN_HUNDREDTHS else komi
    if (abs(points) * 4) % 2 == 1:
        points *= 2
    return points, None if points == komi else f"KM[{text.strip()}] is read as a komi of {points:g}"


def _handicap(root: Any) -> int:
    text = _text_of(root, "HA") or ""
    return int(text) if re.fullmatch("[0-9]{1,3}", text.strip()) else 0


def _text_of(root: Any, name: str) -> str | None:
    """Return the text of a property on one line, without control characters."""
    if not root.has_property(name):
        return None
    written = root.get_raw(name).decode("utf-8", "replace")
    plain = "".join(letter if letter.isprintable() else " " for letter in _unescaped(written))
    return " ".join(plain.split()) or None


def _unescaped(written: str) -> str:
    return re.sub(r"\\(.)", r"\1", written, flags=re.DOTALL)


def write(record: Record) -> bytes:
    """Return a record as an SGF file.

    Raises RecordError if the record is not of Go or cannot be replayed.
    """
    game = _game_of(record)
    replayed = [cast("GoPosition", position) for position in positions(game, record)]
    handicap_moves = sum(position.is_handicap_phase for position in replayed[:-1])
    file = sgf.Sgf_game(size=game.size)
    root = file.get_root()
    root.set("AP", ("Gamehall", "1"))
    root.set_raw("KM", _write_real(game.komi))
    root.set("RU", _rules_in_words(game))
    root.set("RE", _write_result(record.result, replayed[-1]))
    for seat, name in zip(Seat, record.players, strict=True):
        if name is not None:
            root.set(PLAYER[seat], name)
    if record.ended is not None:
        root.set("DT", record.ended[:10])
    # The handicap stones, in the order in which they were placed.
    stones = [game.read_move(played.move) for played in record.moves[:handicap_moves]]
    placed = [_write_point(stone.point) for stone in stones if isinstance(stone, Stone)]
    if placed:
        root.set_raw_list("AB", placed)
        root.set("PL", COLOURS[game.handicap_first])
    if len(placed) > 1:
        root.set("HA", len(placed))
    rest = msgspec.structs.replace(record, moves=record.moves[:handicap_moves])
    root.set_raw("GAMEHALL", escape_text(rest.to_json()))
    for played in record.moves[handicap_moves:]:
        _write_move(file.extend_main_sequence(), game, played)
    return cast("bytes", file.serialise())


def read(content: bytes) -> Record:
    """Return the record in an SGF file. Raises RecordError."""
    found = read_any(content)
    if isinstance(found, Record):
        return found
    if found.record is None:
        raise RecordError(found.remarks[-1])
    return found.record


def read_any(content: bytes) -> Record | ForeignGame:
    """Return the record in a file of Gamehall, or the game in a file of another program.

    Raises RecordError.
    """
    if len(content) > MAX_BYTES:
        raise RecordError(f"the file is larger than {MAX_BYTES} bytes")
    if not content.strip():
        raise RecordError("this is not an SGF file: it is empty")
    text = read_text(content)
    try:
        tree = sgf_grammar.parse_sgf_game(text.content)
        root = tree.sequence[0]
        if root.get("GM", [b"1"])[0].strip() not in (b"1", b""):
            raise RecordError("this SGF file is not of Go")
        _normalise_size(root)
        file = sgf.Sgf_game.from_coarse_game_tree(tree, override_encoding="UTF-8")
        if "GAMEHALL" not in root:
            remarks = [text.remark] if text.remark else []
            return _read_foreign(file, [*remarks, *_omissions(tree, text.content)])
        rest = Record.from_json(text_value(root["GAMEHALL"][0]))
        record = msgspec.structs.replace(rest, moves=(*rest.moves, *_read_own_moves(file)))
    except (ValueError, KeyError, RecursionError) as error:
        raise RecordError(f"this is not a valid SGF file: {error}") from None
    # Callers rely on a replayable record.
    for _ in positions(_game_of(record), record):
        pass
    return record


def _normalise_size(root: dict[str, list[bytes]]) -> None:
    """Write the size of a square board as one number, as sgfmill expects.

    Raises RecordError for other boards.
    """
    written = root.get("SZ", [b"19"])[0].decode("latin-1").strip()
    columns, _, rows = written.replace("x", ":").partition(":")
    if rows and rows.strip() == columns.strip():
        root["SZ"] = [columns.encode("latin-1")]
    elif rows:
        raise RecordError(f"the board is {written}; only square boards can be shown")


def _omissions(tree: Any, content: bytes) -> list[str]:
    """Return remarks on the parts of a file that are not shown."""
    remarks = []
    _, end = sgf_grammar.tokenise(content)
    if re.search(rb"\(\s*;", content[end:]):
        remarks.append("the file has more games: only the first is shown")
    while tree.children:
        if len(tree.children) > 1:
            remarks.append("the file has variations: only the main line is shown")
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
    """Return a number with all digits and without an exponent, which SGF does not have."""
    return format(Decimal(repr(number)), "f").encode()


def _write_point(point: Point) -> bytes:
    return bytes((ord("a") + point.column, ord("a") + point.row))


def _read_own_moves(file: Any) -> tuple[RecordedMove, ...]:
    """Return the moves and their times from a file of Gamehall."""
    size = file.get_size()
    moves: list[RecordedMove] = []
    for node in file.get_main_sequence():
        if node is not file.get_root() and node.has_setup_stones():
            raise RecordError("stones are added or removed in the middle of the game")
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
