"""SGF files of other programs are shown, and become records if our rules allow the game."""

import contextlib
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamehall.core import Seat
from gamehall.export import sgf
from gamehall.export.sgf import MAX_STEPS, ForeignGame, SgfPosition, _read_komi, read_text
from gamehall.games.go import Go, GoPosition
from gamehall.match import Clock, Record, RecordError, Referee
from gamehall.match.record import positions, read_game
from tests.match.test_record import play_at_random


def read_foreign(content: bytes | str) -> ForeignGame:
    game = sgf.read_any(content.encode() if isinstance(content, str) else content)
    assert isinstance(game, ForeignGame)
    return game


def last_of(game: ForeignGame) -> SgfPosition:
    *_, last = game.positions()
    return last


class File(NamedTuple):
    """A file, and what should be read from it."""

    content: str
    black: str
    """The black stones of the last position."""
    white: str
    remark: str | None
    """A part of the last remark, None if there are no remarks."""
    is_playable: bool
    """Whether our rules allow the game."""


FILES = {
    "an editor, with comments, markup and a tree of variations": File(
        "(;FF[4]GM[1]CA[UTF-8]AP[Editor:2.1]SZ[9]ST[2]KM[5.5]PB[Ann]PW[Bob]RE[B+R]"
        ";B[ee]C[the middle \\] of it]LB[ee:A];W[ce](;B[gc]TR[gc](;W[cc])(;W[gg]))(;B[cc]))",
        "E5 G7",
        "C5 C7",
        "the file has variations",
        True,
    ),
    "a server that has three passes at its end": File(
        "(;GM[1]FF[4]SZ[9]RU[AGA]KM[7.5]\n;B[ee]BL[600]\n;W[ce]WL[598.5]\n;B[]\n;W[]\n;B[tt])",
        "E5",
        "C5",
        "the passes after the end of the game were omitted",
        True,
    ),
    "a server whose players go on after two passes": File(
        "(;GM[1]SZ[9];B[ee];W[ce];B[];W[];B[cc])",
        "E5 C7",
        "C5",
        "move 5, C7: the game is over before it",
        False,
    ),
    "a problem, with stones of both players": File(
        "(;GM[1]FF[4]SZ[9]AB[aa][ba][cb]AW[ab][bb:bc]PL[W];W[ca];B[da])",
        "C8 D9",
        "A8 B8 B7 C9",
        "it begins with white stones on the board",
        False,
    ),
    "a lesson that adds and removes stones in the middle": File(
        "(;GM[1]SZ[9];B[ee];W[ce];AB[cc][dc]AE[ce];W[gg])",
        "E5 C7 D7",
        "G3",
        "stones are added or removed in the middle",
        False,
    ),
    "white first": File("(;GM[1]SZ[9]PL[W];W[ee];B[ce])", "C5", "E5", "white moves first", False),
    "two moves of one player in a row": File(
        "(;GM[1]SZ[9];B[ee];B[ce];W[cc])", "E5 C5", "C7", "it is not the turn", False
    ),
    "a stone on another": File(
        "(;GM[1]SZ[9];B[ee];W[ee])", "", "E5", "move 2, E5: E5 is occupied", False
    ),
    "a suicide": File("(;GM[1]SZ[9];B[ba];W[ii];B[ab];W[aa])", "B9 A8", "J1", "is suicide", False),
    "handicap stones in the second node": File(
        "(;GM[1]FF[3]SZ[9]HA[2]KM[0.5];AB[cg][gc];W[ee];B[ce])", "C3 G7 C5", "E5", None, True
    ),
    "handicap stones as moves of black": File(
        "(;GM[1]SZ[9]HA[3];B[cg];B[gc];B[gg];W[ee];B[ce])", "C3 G7 G3 C5", "E5", None, True
    ),
    "the long names of the first versions of SGF": File(
        "(;\nGaMe[1]\nSiZe[9]\nPlayerBlack[Ann]\n;Black[ee]\n;White[ce]\n;Black[]\n)",
        "E5",
        "C5",
        None,
        True,
    ),
    "an old program with unknown properties": File(
        "(;FF[3]GM[1]SZ[9]RG[ee]SC[1]VW[]MULTIGOGM[1]KK[x]\r\n;B[ee]CH[1]\r\n;W[ce]SI[1])",
        "E5",
        "C5",
        None,
        True,
    ),
    "a German program, with commas": File(
        "(;GM[1]SZ[9]KM[6,5]RE[W+12,5]BL[1,5];B[ee]BL[1,5];W[ce])",
        "E5",
        "C5",
        None,
        True,
    ),
    "a Chinese server, with komi in hundredths of a stone": File(
        "(;GM[1]SZ[9]KM[375]RU[Chinese]HA[0]PB[\u5f20\u4e09]CA[UTF-8];B[ee];W[ce])",
        "E5",
        "C5",
        "KM[375] is read as a komi of 7.5",
        True,
    ),
    "several games in one file": File(
        "Dear reader,\n(;GM[1]SZ[9];B[ee])\n(;GM[1]SZ[9];B[aa])\n",
        "E5",
        "",
        "the file has more games",
        True,
    ),
    "both moves in one node": File("(;GM[1]SZ[9];B[ee]W[ce];B[cc])", "E5 C7", "C5", None, True),
    "a move in the first node": File("(;GM[1]SZ[9:9]B[ee];W[ce])", "E5", "C5", None, True),
    "a board without a game": File("(;GM[1]SZ[9]AB[ee][ce])", "E5 C5", "", None, True),
    "nothing but a root": File("(;)", "", "", None, True),
}
"""Written for these tests, in the style of real programs."""


@pytest.mark.parametrize("style", FILES)
def test_a_file_of_another_program_is_shown_with_a_remark(style: str) -> None:
    file = FILES[style]
    game = read_foreign(file.content)
    last = last_of(game)
    for seat, points in ((Seat.FIRST, file.black), (Seat.SECOND, file.white)):
        at = {point for point, owner in last.stones.items() if owner is seat}
        expected = {Go(last.size).read_move(text).point for text in points.split()}  # type: ignore[union-attr]
        assert at == expected
    assert len(list(game.positions())) == len(game.captions()) + 1
    if file.remark is None:
        assert game.remarks == ()
    else:
        assert file.remark in game.remarks[-1]


@pytest.mark.parametrize("style", FILES)
def test_a_game_that_our_rules_allow_becomes_a_record(style: str) -> None:
    file = FILES[style]
    game = read_foreign(file.content)
    assert (game.record is not None) is file.is_playable
    if game.record is None:
        with pytest.raises(RecordError, match="our rules do not allow this game"):
            sgf.read(file.content.encode())
        return
    *_, last = positions(read_game(Go, game.record), game.record)
    assert isinstance(last, GoPosition)
    assert last.stones == last_of(game).stones
    # The exported record is a file of Gamehall.
    assert sgf.read(sgf.write(game.record)) == game.record


@pytest.mark.parametrize("seed", range(5))
def test_a_game_that_follows_the_rules_is_shown_with_the_same_positions(seed: int) -> None:
    # Remove the property that marks a file of Gamehall.
    record = play_at_random(Referee(Go(7, handicap=seed % 3), Clock(), seed), seed)
    game = read_foreign(sgf.write(record).replace(b"GAMEHALL[", b"OTHER["))
    expected = list(positions(read_game(Go, record), record))
    in_handicap = sum(one.is_handicap_phase for one in expected[:-1] if isinstance(one, GoPosition))
    assert [one.diagram() for one in game.positions()][1:] == [
        one.diagram() for one in expected[in_handicap + 1 :]
    ]


@pytest.mark.parametrize(
    ("text", "komi"),
    [
        ("6.5", 6.5),
        ("6,5", 6.5),
        (" 0.50", 0.5),
        ("", 0.0),
        ("-3.5", -3.5),
        ("375", 7.5),
        ("325", 6.5),
        ("3.75", 7.5),
        ("650", 6.5),
        ("750", 7.5),
        ("0", 0.0),
        ("none", 0.0),
        ("nan", 0.0),
        ("1e999", 0.0),
    ],
)
def test_komi_in_the_style_of_other_programs(text: str, komi: float) -> None:
    assert _read_komi(text or "0")[0] == komi
    game = read_foreign(f"(;SZ[9]KM[{text}];B[ee])")
    assert game.record is not None
    assert game.record.terms["komi"] == komi


CHINESE = "\u5f20\u4e09"
FRENCH = "Andr\u00e9"


@pytest.mark.parametrize(
    ("encoding", "named", "name"),
    [
        ("utf-16", None, CHINESE),
        ("utf-16-le", None, CHINESE),
        ("utf-16-be", "UTF-16", CHINESE),
        ("utf-8", None, CHINESE),
        ("utf-8-sig", None, CHINESE),
        ("utf-8-sig", "UTF-8", CHINESE),
        ("utf-8", "US-ASCII", CHINESE),
        ("utf-8", "no-such-encoding", CHINESE),
        ("utf-8", "unicode_escape", CHINESE),
        ("gbk", "gb2312", CHINESE),
        ("gb18030", "GBK", CHINESE),
        ("big5", "Big5", "\u529f\u592b"),
        ("shift_jis", "Shift_JIS", "\u8868"),
        ("euc-kr", "EUC-KR", "\uae40"),
        ("latin-1", None, FRENCH),
        ("latin-1", "UTF-8", FRENCH),
        ("cp1252", "windows-1252", FRENCH),
    ],
)
def test_names_are_read_in_any_encoding(encoding: str, named: str | None, name: str) -> None:
    called = "" if named is None else f"CA[{named}]"
    game = read_foreign(f"(;GM[1]{called}SZ[9]PB[{name}]PW[Bob];B[ee];W[ce])".encode(encoding))
    assert game.players == (name, "Bob")
    assert len(game.steps) == 2


def test_control_characters_in_names_are_removed() -> None:
    game = read_foreign("(;SZ[9]PB[An\x1b[2Jn\\]\\\nx]PW[\x07];B[ee])")
    assert game.players == ("An [2Jn] x", None)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it is empty"),
        (b" \r\n", "it is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "this is not an SGF file"),
        (b"Dear reader, this is a letter (and nothing else).", "this is not an SGF file"),
        (b"(;GM[1]SZ[9];B[ee];W[", "unexpected end"),
        (b"(;GM[1]SZ[9];B[ee]", "unexpected end"),
        (b"(;GM[2]SZ[9];B[ee])", "not of Go"),
        (b"(;GM[chess])", "not of Go"),
        (b"(;SZ[19:13];B[ee])", "the board is 19:13; only square boards can be shown"),
        (b"(;SZ[26];B[ee])", "the board has 26 lines; boards of 2 to 25 lines can be shown"),
        (b"(;SZ[1];B[aa])", "the board has 1 lines"),
        (b"(;SZ[9];B[ee];W[xx])", "node 3 has a point that is not on the board"),
        (b"(;SZ[9]AB[e])", "node 1 has a point that is not on the board"),
        (b"(;SZ[9]" + b";B[ee]" * (MAX_STEPS + 1) + b")", "the game has more than"),
        (b"(;" * 20_000, "unexpected end"),
    ],
)
def test_a_file_without_a_game_is_an_error(content: bytes, words: str) -> None:
    with pytest.raises(RecordError, match=words):
        sgf.read_any(content)


def test_a_deep_tree_is_read() -> None:
    deep = b"(;SZ[9]" + b"(;B[ee]" * 2000 + b")" * 2001
    assert len(read_foreign(deep).steps) == 2000


@given(st.binary(max_size=100))
def test_any_bytes_are_text_or_a_record_error(content: bytes) -> None:
    for whole in (content, b"(;PB[" + content + b"])", b"CA[gbk](;PB[" + content + b"])"):
        with contextlib.suppress(RecordError):
            read_text(whole).content.decode("utf-8")


PARTS = st.sampled_from(
    [";B[ee]", ";W[ee]", ";B[]", ";W[tt]", ";AB[ee][ce]", ";AW[aa:cc]", ";AE[bb]", ";B[ce]W[cc]"]
)


@given(st.lists(PARTS, max_size=12), st.sampled_from(["", "HA[2]", "KM[375]", "RU[Chinese]"]))
def test_nodes_in_any_order_are_shown(parts: list[str], root: str) -> None:
    game = read_foreign(f"(;SZ[9]{root}{''.join(parts)})")
    for position in game.positions():
        assert position.diagram()
    assert isinstance(game.record, Record | None)
    assert game.record is not None or game.remarks
