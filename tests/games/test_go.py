"""Go by its rules, GR-01 to GR-07 of RULES.md."""

import random

import pytest

from gamehall.core import IllegalMove, Outcome, Seat
from gamehall.games.go import Go, GoPosition, Ko, Pass, Point, Scoring, Stone
from gamehall.games.go.board import star_points
from tests.games.playing import play_moves, refusal


def played(game: Go, moves: str) -> GoPosition:
    position = play_moves(game, moves)
    assert isinstance(position, GoPosition)
    return position


def diagram(position: GoPosition) -> list[str]:
    """Return the rows of the board, the top row first: X is black, O is white."""
    size, stones = position.terms.size, position.stones
    letters = {None: ".", Seat.FIRST: "X", Seat.SECOND: "O"}
    return [
        "".join(letters[stones.get(Point(row, column))] for column in range(size))
        for row in range(size)
    ]


def refused(game: Go, position: GoPosition, move: str) -> str:
    return refusal(position, game.read_move(move))


FIVE = Go(5)
KO = "B3 C3 A2 D2 B1 C1 C2 B2"
"""White has just taken a stone at C2 by B2; black may not take back at once."""


def test_GR_01_a_stone_in_the_corner_is_captured() -> None:
    position = played(FIVE, "A1 A2 E5 B1")
    assert diagram(position) == ["....X", ".....", ".....", "O....", ".O..."]
    assert position.captured == (0, 1)


def test_GR_01_several_stones_are_captured_at_once() -> None:
    position = played(FIVE, "B1 A1 B2 A2 E5 E4 A3")
    assert diagram(position) == ["....X", "....O", "X....", ".X...", ".X..."]
    assert position.captured == (2, 0)


def test_GR_01_several_chains_are_captured_at_once() -> None:
    position = played(FIVE, "B2 B1 A2 D1 C2 E5 D2 E4 E1 E3 A1 D5 C1")
    assert position.captured == (2, 0)
    assert diagram(position)[4] == "X.X.X"


def test_GR_01_a_stone_without_liberties_that_captures_is_legal() -> None:
    surrounded = played(FIVE, "B1 A3 A2 B2 E5 C1 E4")
    after = surrounded.after(FIVE.read_move("A1"))
    assert diagram(after)[3:] == [".O...", "O.O.."]
    assert after.captured == (0, 2)


def test_GR_02_an_occupied_point_is_refused() -> None:
    assert refused(FIVE, played(FIVE, "C3"), "C3") == "C3 is occupied"


def test_GR_02_a_point_off_the_board_is_refused() -> None:
    with pytest.raises(IllegalMove, match="row 5, column 0 is not on a board of 5 by 5"):
        FIVE.start(0).after(Stone(Point(5, 0)))
    with pytest.raises(IllegalMove, match="row 0, column -1 is not on a board of 5 by 5"):
        FIVE.start(0).after(Stone(Point(0, -1)))


def test_GR_02_suicide_of_one_stone_and_of_several_is_refused() -> None:
    one = played(FIVE, "A2 E5 B1 E4 E3")
    assert "suicide" in refused(FIVE, one, "A1")
    several = played(FIVE, "A3 A2 B2 E5 C1 B1 E4")
    assert "suicide" in refused(FIVE, several, "A1")


def test_G_Q19_suicide_may_be_allowed() -> None:
    game = Go(5, suicide=True)
    several = played(game, "A3 A2 B2 E5 C1 B1 E4")
    after = several.after(game.read_move("A1"))
    assert diagram(after) == ["....O", "....X", "X....", ".X...", "..X.."]
    assert after.captured == (3, 0)
    one = played(game, "A2 E5 B1 E4 E3")
    assert "ko" in refused(game, one, "A1"), "the board would be as before"
    simple = Go(5, suicide=True, ko=Ko.SIMPLE)
    after = played(simple, "A2 E5 B1 E4 E3 A1")
    assert after.captured == (1, 0)


@pytest.mark.parametrize("ko", Ko)
def test_GR_02_GR_03_a_ko_may_not_be_taken_back_at_once(ko: Ko) -> None:
    game = Go(5, ko=ko)
    position = played(game, KO)
    assert diagram(position) == [".....", ".....", ".XO..", "XO.O.", ".XO.."]
    assert "ko" in refused(game, position, "C2")
    after_exchange = played(game, f"{KO} E5 A5 C2")
    assert after_exchange.captured == (1, 1)


@pytest.mark.parametrize(
    ("ko", "is_legal"), [(Ko.POSITIONAL, False), (Ko.SITUATIONAL, False), (Ko.SIMPLE, True)]
)
def test_GR_03_superko_forbids_what_simple_ko_does_not(ko: Ko, is_legal: bool) -> None:
    """Black would capture all three stones and leave the board as after the first move."""
    game = Go(2, komi=0, ko=ko)
    position = played(game, "B1 A2 A1 B2 B1 A1")
    assert diagram(position) == ["OO", "O."]
    assert (game.read_move("B1") in set(position.legal_moves())) == is_legal
    if is_legal:
        assert diagram(played(game, "B1 A2 A1 B2 B1 A1 B1")) == ["..", ".X"]


@pytest.mark.parametrize(("ko", "is_legal"), [(Ko.POSITIONAL, False), (Ko.SITUATIONAL, True)])
def test_GR_03_situational_superko_compares_the_player_to_move_too(ko: Ko, is_legal: bool) -> None:
    """The board of black's A2 has been there, but with black to move."""
    game = Go(2, komi=0, ko=ko)
    position = played(game, "A2 B2 A1 pass B1 B2")
    assert diagram(position) == [".O", ".."]
    assert (game.read_move("A2") in set(position.legal_moves())) == is_legal


def test_GR_04_GR_06_an_empty_board_is_no_territory_and_white_wins_by_komi() -> None:
    position = played(Go(9, komi=6.5), "pass pass")
    score = position.score()
    assert (score.black.territory, score.white.territory) == (0, 0)
    assert position.outcome == Outcome(Seat.SECOND, "white wins by 6.5")


def test_GR_04_GR_06_a_single_stone_surrounds_the_rest_of_the_board() -> None:
    position = played(Go(9, komi=6.5), "E5 pass pass")
    assert position.score().black.territory == 80
    assert position.outcome == Outcome(Seat.FIRST, "black wins by 73.5")


def test_GR_04_a_region_that_touches_both_colours_is_no_territory() -> None:
    position = played(FIVE, "B1 D1 B2 D2 B3 D3 B4 D4 B5 D5 pass pass")
    score = position.score()
    assert (score.black.territory, score.white.territory) == (5, 5)


def test_GR_05_all_stones_on_the_board_at_the_end_are_alive() -> None:
    position = played(FIVE, "B1 A2 B2 E1 B3 E2 B4 E3 B5 pass pass")
    score = position.score()
    assert score.black.territory == 0, "the stone at A2 lives, and what it touches is not black's"
    assert score.white.captured == score.black.captured == 0


def test_GR_06_captures_count_for_the_player_who_made_them() -> None:
    position = played(Go(5, komi=0.5), "A2 A1 B1 E5 pass pass")
    score = position.score()
    assert score.black.captured == 1
    assert score.black.total(Scoring.TERRITORY) == 1 + 1
    assert score.white.total(Scoring.TERRITORY) == 0.5


def test_G_Q21_area_counts_stones_instead_of_captures() -> None:
    game = Go(5, komi=0.5, scoring=Scoring.AREA)
    position = played(game, "A2 A1 B1 E5 pass pass")
    score = position.score()
    assert score.black.total(Scoring.AREA) == 2 + 1
    assert score.white.total(Scoring.AREA) == 1 + 0.5
    assert position.outcome == Outcome(Seat.FIRST, "black wins by 1.5")


def test_G_Q26_equal_totals_are_a_draw() -> None:
    assert played(Go(5, komi=0), "pass pass").outcome == Outcome(None, "both have 0")


def test_GR_07_a_stone_between_two_passes_restarts_the_count() -> None:
    position = played(FIVE, "pass C3 pass")
    assert position.outcome is None
    assert position.after(Pass()).outcome is not None


def test_GR_07_the_pass_that_ends_the_handicap_phase_does_not_count() -> None:
    game = Go(5, handicap=3)
    position = played(game, "A1 pass")
    assert position.to_move is Seat.FIRST
    assert not position.is_handicap_phase
    assert position.after(Pass()).outcome is None
    assert played(game, "A1 pass pass pass").outcome is not None


def test_G_11_black_places_the_handicap_stones_and_then_begins() -> None:
    game = Go(5, handicap=2)
    assert [played(game, moves).to_move for moves in ("", "A1", "A1 B1", "A1 B1 C1")] == [
        Seat.FIRST,
        Seat.FIRST,
        Seat.FIRST,
        Seat.SECOND,
    ]
    white_first = Go(5, handicap=1, handicap_first=Seat.SECOND)
    assert played(white_first, "A1").to_move is Seat.SECOND


def test_nothing_is_legal_when_the_game_is_over() -> None:
    over = played(FIVE, "pass pass")
    assert list(over.legal_moves()) == []
    with pytest.raises(IllegalMove, match=r"the game is over: white wins by 6\.5"):
        over.after(Pass())


@pytest.mark.parametrize(
    "terms",
    [{"size": 1}, {"size": 26}, {"handicap": -1}, {"size": 3, "handicap": 9}, {"komi": 1e9}],
)
def test_terms_out_of_range_are_refused(terms: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"must be|must have"):
        Go(**terms)  # type: ignore[arg-type]


@pytest.mark.parametrize(("move", "point"), [("A1", Point(18, 0)), ("j19", Point(0, 8))])
def test_columns_leave_out_i_and_rows_count_from_the_bottom(move: str, point: Point) -> None:
    assert Go().read_move(move) == Stone(point)
    for text in ("I5", "A0", "A20", "U1", "AA1", "A", "5"):
        with pytest.raises(ValueError, match="is not a move on a board of 19 by 19"):
            Go().read_move(text)


def test_star_points() -> None:
    assert len(star_points(19)) == len(star_points(15)) == 9
    assert star_points(9) == [Point(2, 2), Point(2, 6), Point(6, 2), Point(6, 6), Point(4, 4)]
    assert len(star_points(13)) == 5
    assert star_points(5) == [Point(2, 2)]
    assert star_points(4) == []
    assert len(star_points(8)) == 4


def test_G_Q20_there_is_no_limit_of_moves() -> None:
    chance = random.Random(5)
    position = Go(19).start(0)
    for _ in range(300):
        stones = [move for move in position.legal_moves() if isinstance(move, Stone)]
        position = position.after(chance.choice(stones))
    assert position.outcome is None


def test_G_Q22_an_eye_is_territory_even_of_a_dead_group() -> None:
    # Black's two stones around the corner a1 have no second eye.
    position = played(Go(3, komi=0), "a2 a3 b1 b2 pass c1 pass pass")
    assert diagram(position) == ["O..", "XO.", ".XO"]
    assert position.score().of(Seat.FIRST).territory == 1
