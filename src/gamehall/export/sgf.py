"""Records of Go as SGF files, and back without loss.

What SGF has a property for is written as that property, so that every reader of SGF understands
it: the board, komi, the handicap stones, players, moves, time left, the result. What it has none
for stands in properties of our own, which other readers skip: GAMEHALL in the root is the record
without its moves, SECONDS with a move is how long it took.

A file by another program has no GAMEHALL: see sgf_foreign. Its main line is read under the rules
that it names, or else as in Japan, without superko.
"""

import re
from decimal import Decimal
from typing import Any, Final, cast

import msgspec
from sgfmill import sgf, sgf_grammar
from sgfmill.sgf_grammar import escape_text, text_value

from gamehall.core import Seat
from gamehall.export import sgf_foreign, sgf_result
from gamehall.export.sgf_foreign import ForeignGame
from gamehall.export.sgf_text import read_text
from gamehall.games.go import Go, GoPosition, Ko, Move, Pass, Point, Scoring, Stone
from gamehall.games.go.notation import write as write_move
from gamehall.match import BadRecord, Record, RecordedMove
from gamehall.match.record import positions, read_game

COLOURS: Final = {Seat.FIRST: "b", Seat.SECOND: "w"}
SEATS: Final = {colour: seat for seat, colour in COLOURS.items()}
PLAYER: Final = {Seat.FIRST: "PB", Seat.SECOND: "PW"}
TIME_LEFT: Final = {Seat.FIRST: "BL", Seat.SECOND: "WL"}

LONGEST = 5_000_000
"""Bytes of a file that is read; a match of a thousand moves has thirty thousand."""


def write(record: Record) -> bytes:
    """The record as an SGF file. Raises BadRecord if it is not one of Go that can be replayed."""
    game = _game_of(record)
    passed = [cast("GoPosition", position) for position in positions(game, record)]
    in_handicap = sum(position.is_handicap_phase for position in passed[:-1])
    file = sgf.Sgf_game(size=game.size)
    root = file.get_root()
    root.set("AP", ("Gamehall", "1"))
    root.set_raw("KM", _write_real(game.komi))
    root.set("RU", _rules_in_words(game))
    root.set("RE", sgf_result.write(record.result, passed[-1]))
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
    """The record that an SGF file writes. Raises BadRecord."""
    found = read_any(content)
    if isinstance(found, Record):
        return found
    if found.record is None:
        raise BadRecord(found.remarks[-1])
    return found.record


def read_any(content: bytes) -> Record | ForeignGame:
    """Read an SGF file: a record if it is ours, otherwise a game by another program.

    Raises BadRecord.
    """
    if len(content) > LONGEST:
        raise BadRecord(f"an SGF file of more than {LONGEST} bytes is not read")
    if not content.strip():
        raise BadRecord("this is not an SGF file: it is empty")
    text = read_text(content)
    try:
        tree = sgf_grammar.parse_sgf_game(text.content)
        root = tree.sequence[0]
        if root.get("GM", [b"1"])[0].strip() not in (b"1", b""):
            raise BadRecord("this SGF file is not of Go")
        _mend_size(root)
        file = sgf.Sgf_game.from_coarse_game_tree(tree, override_encoding="UTF-8")
        if "GAMEHALL" not in root:
            remarks = [text.remark] if text.remark else []
            return sgf_foreign.read(file, [*remarks, *_left_out(tree, text.content)])
        rest = Record.from_json(text_value(root["GAMEHALL"][0]))
        record = msgspec.structs.replace(rest, moves=(*rest.moves, *_read_moves(file)))
    except (ValueError, KeyError, RecursionError) as error:
        raise BadRecord(f"this is not an SGF file that can be read: {error}") from None
    # Who gets a record may rely on it.
    for _ in positions(_game_of(record), record):
        pass
    return record


def _mend_size(root: dict[str, list[bytes]]) -> None:
    """Have a square board be written as one number. Raises BadRecord for any other board."""
    written = root.get("SZ", [b"19"])[0].decode("latin-1").strip()
    columns, _, rows = written.replace("x", ":").partition(":")
    if rows and rows.strip() == columns.strip():
        root["SZ"] = [columns.encode("latin-1")]
    elif rows:
        raise BadRecord(f"the board is {written}: only square ones can be shown")


def _left_out(tree: Any, content: bytes) -> list[str]:
    """What of a file is not shown."""
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
        raise BadRecord(f"SGF is for {Go.title}, and this is a record of {record.game}")
    return cast("Go", read_game(Go, record))


def _rules_in_words(game: Go) -> str:
    scoring = "area" if game.scoring is Scoring.AREA else "territory"
    ko = "simple ko" if game.ko is Ko.SIMPLE else f"{game.ko.value} superko"
    suicide = "suicide allowed" if game.suicide else "no suicide"
    return f"{scoring} scoring, {ko}, {suicide}, all stones on the board live"


def _write_move(node: Any, game: Go, played: RecordedMove) -> None:
    move = game.read_move(played.move)
    place = (game.size - 1 - move.point.row, move.point.column) if isinstance(move, Stone) else None
    node.set_move(COLOURS[played.seat], place)
    if played.seconds_left is not None:
        node.set_raw(TIME_LEFT[played.seat], _write_real(played.seconds_left))
    if played.seconds:
        node.set_raw("SECONDS", _write_real(played.seconds))


def _write_real(number: float) -> bytes:
    """The number without an exponent, which SGF does not have, and to its last digit."""
    return format(Decimal(repr(number)), "f").encode()


def _write_point(point: Point) -> bytes:
    return bytes((ord("a") + point.column, ord("a") + point.row))


def _read_moves(file: Any) -> tuple[RecordedMove, ...]:
    """The moves of the main line, with their times."""
    size = file.get_size()
    moves: list[RecordedMove] = []
    for node in file.get_main_sequence():
        if node is not file.get_root() and node.has_setup_stones():
            raise BadRecord("stones are put or taken away in the middle of the game")
        colour, place = node.get_move()
        if colour is None:
            continue
        seat = SEATS[colour]
        move: Move = Pass() if place is None else Stone(Point(size - 1 - place[0], place[1]))
        seconds = float(node.get_raw("SECONDS")) if node.has_property("SECONDS") else 0.0
        left = node.get(TIME_LEFT[seat]) if node.has_property(TIME_LEFT[seat]) else None
        moves.append(RecordedMove(seat, write_move(move, size), seconds, left))
    return tuple(moves)
