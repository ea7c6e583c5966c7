"""Records of Go as SGF files, and back without loss.

What SGF has a property for is written as that property, so that every reader of SGF understands
it: the board, komi, the handicap stones, players, moves, time left, the result. What it has none
for stands in properties of our own, which other readers skip: GAMEHALL in the root is the record
without its moves, SECONDS with a move is how long it took.

A file by another program has no GAMEHALL. Its main line is read under the rules that it names, or
else as in Japan, without superko.
"""

from decimal import Decimal
from typing import Any, Final, cast

import msgspec
from sgfmill import sgf
from sgfmill.sgf_grammar import escape_text, text_value

from gamehall.core import Seat
from gamehall.formats import sgf_result
from gamehall.games.go import Go, GoPosition, Ko, Move, Pass, Point, Scoring, Stone
from gamehall.games.go.notation import write as write_move
from gamehall.play import BadRecord, Record, RecordedMove
from gamehall.play.record import positions, read_game, write_terms

COLOURS: Final = {Seat.FIRST: "b", Seat.SECOND: "w"}
SEATS: Final = {colour: seat for seat, colour in COLOURS.items()}
PLAYER: Final = {Seat.FIRST: "PB", Seat.SECOND: "PW"}
TIME_LEFT: Final = {Seat.FIRST: "BL", Seat.SECOND: "WL"}

RULES: Final = {
    "chinese": (Scoring.AREA, Ko.SIMPLE),
    "goe": (Scoring.AREA, Ko.SIMPLE),
    "aga": (Scoring.AREA, Ko.SITUATIONAL),
    "nz": (Scoring.AREA, Ko.SITUATIONAL),
}
"""What the rules that SGF names say; all others are taken for those of Japan."""

LONGEST = 10_000_000
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
    if len(content) > LONGEST:
        raise BadRecord(f"an SGF file of more than {LONGEST} bytes is not read")
    try:
        file = sgf.Sgf_game.from_bytes(content)
        root = file.get_root()
        if root.has_property("GM") and root.get("GM") != 1:
            raise BadRecord("this SGF file is not of Go")
        if root.has_property("GAMEHALL"):
            rest = Record.from_json(text_value(root.get_raw("GAMEHALL")))
            record = msgspec.structs.replace(rest, moves=(*rest.moves, *_read_moves(file)))
        else:
            record = _read_foreign(file)
    except (ValueError, KeyError, RecursionError) as error:
        raise BadRecord(f"this is not an SGF file that can be read: {error}") from None
    # Whoever gets a record may rely on it.
    for _ in positions(_game_of(record), record):
        pass
    return record


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


def _read_foreign(file: Any) -> Record:
    """A file by another program: as much of it as a record holds."""
    root = file.get_root()
    black, white, _ = root.get_setup_stones()
    if white:
        raise BadRecord("a game that begins with white stones on the board cannot be replayed")
    size = file.get_size()
    moves = _read_moves(file)
    first = moves[0].seat if moves else Seat.SECOND
    scoring, ko = RULES.get((_text(root, "RU") or "").lower(), (Scoring.TERRITORY, Ko.SIMPLE))
    stones = [Stone(Point(size - 1 - row, column)) for row, column in sorted(black)]
    game = Go(
        size,
        file.get_komi(),
        len(stones),
        first if stones else Seat.FIRST,
        ko,
        suicide=(_text(root, "RU") or "").lower() in ("goe", "nz"),
        scoring=scoring,
    )
    placed = [RecordedMove(Seat.FIRST, game.write_move(stone)) for stone in stones]
    return Record(
        Go.name,
        write_terms(game),
        0,
        (_text(root, "PB"), _text(root, "PW")),
        (*placed, *moves),
        sgf_result.read(_text(root, "RE") or ""),
    )


def _text(root: Any, name: str) -> str | None:
    return str(root.get(name)) if root.has_property(name) else None
