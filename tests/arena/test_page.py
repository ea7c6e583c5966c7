"""The HTML page of a run is well-formed, complete and standalone."""

import base64
import hashlib
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

import pytest

from gamehall.arena import summary as summaries
from gamehall.arena.numbers import MINUS, signed
from gamehall.arena.page import ListedMatch, make_axis, write_page, write_results
from gamehall.arena.runner import SeatShare
from gamehall.arena.summary import CrossTableCell, Fault, StandingsLine, Summary
from tests.support.parsed_page import ParsedPage

SCRIPT = "<script>alert(1)</script>"
LONG = "x" * 200
STRANGE = "a\x1bb\u202ec\udc80&\"'"
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg"><text>100%25 "#1" é &amp;</text>\n</svg>'


def line(
    place: int, name: str, elo: float = 0.0, error: float | None = 50.0, **changes: Any
) -> StandingsLine:
    share = SeatShare(6, 1, 3)
    usual = {"superiority": 0.95, "as_first": share, "as_second": share, "faults": {}}
    fields = {"points": 13.0, "matches": 20, "seconds_per_move": 0.5, **usual, **changes}
    return StandingsLine(place=place, name=name, elo=elo, error=error, **fields)


def summary(lines: Sequence[StandingsLine], **changes: Any) -> Summary:
    cells = [
        [CrossTableCell(13.0, 20, 0.7) if one != other else None for other in lines]
        for one in lines
    ]
    usual: dict[str, Any] = {
        "name": "evening",
        "game": "connect-four",
        "terms": {"line_length": 4, "is_open": True},
        "format": "round-robin",
        "seed": 4711,
        "is_over": True,
        "matches": 20,
        "expected": 20,
        "cross_table": cells,
        "endings": {"played out": 19, "crashed": 1},
        "faults": [],
        "remarks": [],
        "test": None,
        "is_bounded": False,
    }
    return Summary(lines=list(lines), **{**usual, **changes})


def two(superiority: float = 0.95, **changes: Any) -> Summary:
    best = line(1, "perfect", 171.0, 83.5, superiority=superiority)
    return summary([best, line(2, "greedy", -171.0, 83.5, superiority=None)], **changes)


def without_games() -> Summary:
    none = SeatShare(0, 0, 0)
    empty: dict[str, Any] = {"points": 0.0, "matches": 0, "as_first": none, "as_second": none}
    lines = [line(1, name, error=None, superiority=0.5, **empty) for name in "abc"]
    cells = [[None if k == n else CrossTableCell(0.0, 0, None) for k in range(3)] for n in range(3)]
    changes: dict[str, Any] = {"is_over": False, "matches": 0, "expected": 300, "endings": {}}
    return summary(lines, cross_table=cells, **changes)


def all_draws() -> Summary:
    drawn = SeatShare(0, 10, 0)
    lines = [line(1, name, superiority=0.5, as_first=drawn, as_second=drawn) for name in "abc"]
    return summary(lines)


def of_strangers() -> Summary:
    lines = [
        line(k, name, faults={"crashed": 140}) for k, name in enumerate((SCRIPT, LONG, STRANGE))
    ]
    fault = Fault("m0123456789", SCRIPT, LONG, "crashed", "<b>bold</b>", f"</pre>{SCRIPT}{STRANGE}")
    return summary(lines, name=f"{SCRIPT}'", faults=[fault], remarks=[SCRIPT, STRANGE])


def under_test(
    verdict: str, normalised_elo: float, llr: float, is_over: bool, candidate: str = "perfect"
) -> Summary:
    test = summaries.SequentialTest(
        candidate, 0.0, 10.0, llr, -2.94, 2.94, verdict, normalised_elo, -12.0, 9_999.0
    )
    return two(format="sprt", test=test, is_over=is_over, expected=None)


SUMMARIES = {
    "two bots": two(),
    "sixty bots": summary([line(k, f"bot {k}", 600.0 - 20 * k) for k in range(1, 61)]),
    "strange names": of_strangers(),
    "no games": without_games(),
    "all draws": all_draws(),
    "a test": under_test("goes on", 80.0, 1.3, False),
    "nobody": summary([], matches=0, endings={}),
}
MATCHES = [
    ListedMatch("m0123456789", SCRIPT, LONG, LONG, "crashed", 3, [PICTURE] * 4),
    ListedMatch("m 1<", STRANGE, "b", None, "too long", 5000, [PICTURE]),
]
every_summary = pytest.mark.parametrize("shown", SUMMARIES.values(), ids=list(SUMMARIES))


@every_summary
def test_every_element_is_closed_and_every_id_is_unique(shown: Summary) -> None:
    read = ParsedPage(write_page(shown, MATCHES))
    ids = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {unquote(attributes["href"] or "") for attributes in read.of("a")}
    assert links
    assert links <= {f"#{one}" for one in ids}


@every_summary
def test_the_page_loads_no_other_files(shown: Summary) -> None:
    page = write_page(shown, MATCHES)
    read = ParsedPage(page)
    assert {"link", "iframe", "object", "base", "form"}.isdisjoint(tag for tag, _ in read.elements)
    for _, attributes in read.elements:
        assert (attributes.get("src") or "data:").startswith("data:")
        assert (attributes.get("href") or "#").startswith("#")
    assert not re.search(r"http(?!-equiv|%3A|:%2F|://www\.w3\.org/2000/svg)", page)
    assert not re.search(r"url\(|@import", page)


@every_summary
def test_a_page_can_be_written_to_a_file(shown: Summary) -> None:
    assert write_page(shown, MATCHES).encode("utf-8").startswith(b"<!DOCTYPE html>")


def test_names_and_evidence_are_text_and_never_markup() -> None:
    read = ParsedPage(write_page(of_strangers(), MATCHES))
    scripts = [text for tag, text in read.texts if tag == "script"]
    assert len(read.of("script")) == 1
    assert "alert" not in "".join(scripts)
    assert not any(key.startswith("on") for _, attributes in read.elements for key in attributes)
    assert not read.of("b")
    assert SCRIPT in read.text
    assert LONG in read.text
    assert "a\\x1bb\\u202ec\\udc80&\"'" in read.text
    evidence = [text for tag, text in read.texts if tag == "pre"]
    assert "".join(evidence).startswith(f"</pre>{SCRIPT}")


def test_the_policy_allows_the_script_of_the_page_and_nothing_else() -> None:
    read = ParsedPage(write_page(two(), MATCHES))
    script = "".join(text for tag, text in read.texts if tag == "script")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(meta["content"] for meta in read.of("meta") if "http-equiv" in meta)
    assert policy is not None
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_a_page_without_pictures_has_no_script() -> None:
    match = ListedMatch("m1", "perfect", "greedy", None, "played out", 9)
    assert not ParsedPage(write_page(two(), [match])).of("script")


@pytest.mark.parametrize(
    ("shown", "sentence"),
    [
        (two(0.95), "perfect is better than greedy: 95 % sure, +342 ± 167 Elo."),
        (two(0.99996), "perfect is better than greedy: > 99.9 % sure, +342 ± 167 Elo."),
        (two(0.97, is_bounded=True), "perfect is better than greedy: 97 % sure, about +342 Elo."),
        (two(0.85), "perfect is probably better than greedy: only 85 % sure, +342 ± 167 Elo."),
        (two(0.6), "perfect and greedy cannot be told apart yet: perfect is ahead, but only 60 %"),
        (two(0.6, format="knockout"), "perfect wins the knockout: 60 % sure that it is stronger"),
        (two(0.6, format="knockout", is_over=False), "perfect and greedy cannot be told apart yet"),
        (without_games(), "No games yet."),
        (all_draws(), "a, b and c are level."),
        (
            under_test("accepted", 80.0, 3.0, True),
            "perfect is better than greedy: the test is accepted",
        ),
        (
            under_test("rejected", -80.0, -3.0, True, "greedy"),
            "greedy is not better than perfect by 10 Elo",
        ),
        (
            under_test("goes on", 80.0, 1.3, False),
            "The test cannot tell yet whether perfect is better",
        ),
        (under_test("goes on", 80.0, 1.3, True), "The test cannot tell whether perfect is better"),
        (SUMMARIES["sixty bots"], "bot 1 is better than bot 2, the next of 60 bots: 95 % sure"),
    ],
)
def test_the_verdict_is_a_sentence_above_the_standings(shown: Summary, sentence: str) -> None:
    text = ParsedPage(write_page(shown)).text
    assert sentence in text
    assert text.index(sentence) < text.index("Standings")


def test_the_verdict_names_bots_that_share_the_first_place() -> None:
    lines = [line(1, "a", 10.0), line(1, "b", 10.0), line(3, "c", -20.0)]
    assert "a and b share the first place of 3." in ParsedPage(write_page(summary(lines))).text


def test_the_headline_has_game_terms_format_and_progress() -> None:
    text = ParsedPage(write_page(two(is_over=False, matches=20, expected=300))).text
    assert "Connect Four" in text
    assert "round robin: all players meet each other" in text
    assert "line length 4" in text
    assert "is open yes" in text
    assert "20 of 300 games so far" in text


def test_the_page_of_a_game_whose_package_is_gone_has_its_name() -> None:
    assert ParsedPage(write_page(two(game="lost-game"))).text.startswith("lost-game")


def test_numbers_that_round_to_0_have_no_sign() -> None:
    assert (signed(-0.3), signed(-0.01, 1), signed(0.04, 1)) == ("0", "0.0", "0.0")
    assert (signed(-1234.4), signed(5.25, 1)) == (f"{MINUS}1,234", "+5.2")


def test_the_standings_show_all_numbers() -> None:
    best = line(1, "perfect", 1234.4, 56.7, faults={"crashed": 3}, seconds_per_move=0.0123)
    text = ParsedPage(write_page(summary([best, line(2, "greedy", -0.2, None)]))).text
    assert "1 perfect +1,234 57 95.0 % 65.0 % 13 20 6–1–3 6–1–3 3 12" in text  # noqa: RUF001
    assert "2 greedy 0 95.0 %" in text


def test_ratings_are_drawn_in_order_within_their_error_bars() -> None:
    lines = [line(k, f"bot {k}", elo, 40.0) for k, elo in enumerate((300.0, 100.0, -150.0, -250.0))]
    read = ParsedPage(write_page(summary(lines)))
    dots = [_share(dot["cx"]) for dot in read.of("circle", "dot")]
    drawn = read.of("line", "bar")
    bars = [(_share(bar["x1"]), _share(bar["x2"])) for bar in drawn[::3]]
    zero = _share(read.of("line", "zero")[0]["x1"])
    assert dots == sorted(dots, reverse=True)
    assert dots[1] > zero > dots[2]
    for dot, (low, high) in zip(dots, bars, strict=True):
        assert 0 < low < dot < high < 100
        assert high - dot == pytest.approx(dot - low, abs=0.02)
    for bar, *caps in zip(drawn[::3], drawn[1::3], drawn[2::3], strict=True):
        assert all(_em(cap["y1"]) < _em(bar["y1"]) < _em(cap["y2"]) for cap in caps)


def test_no_two_bots_share_a_row_of_the_plot() -> None:
    read = ParsedPage(write_page(SUMMARIES["sixty bots"]))
    down = [_em(dot["cy"]) for dot in read.of("circle", "dot")]
    assert len(down) == 60
    assert min(below - above for above, below in pairwise(down)) > 1.5


@pytest.mark.parametrize("spread_elo", [0.0, 1.0, 37.0, 480.0, 3_000.0])
@pytest.mark.parametrize("error_elo", [None, 0.5, 90.0, 50_000.0])
def test_an_axis_has_a_few_round_numbers_and_zero(
    spread_elo: float, error_elo: float | None
) -> None:
    axis = make_axis([line(1, "a", spread_elo, error_elo), line(2, "b", -spread_elo, error_elo)])
    assert axis.low < -spread_elo
    assert spread_elo < axis.high
    assert 0 in axis.ticks
    assert 3 <= len(axis.ticks) <= 7


def test_the_cross_table_has_colours_and_numbers() -> None:
    cells = [[None, CrossTableCell(20.0, 20, 0.9999)], [CrossTableCell(0.0, 20, 0.0001), None]]
    read = ParsedPage(write_page(two(cross_table=cells)))
    assert len(read.of("td", "s10")) == len(read.of("td", "s0")) == 2
    for number in ("10020/20", "00/20", ">99", "<1"):
        assert number in read.text


def test_bots_that_have_not_played_each_other_have_no_score() -> None:
    cells = [[None, CrossTableCell(0.0, 0, None)], [CrossTableCell(0.0, 0, None), None]]
    read = ParsedPage(write_page(two(cross_table=cells)))
    assert len(read.of("td", "none")) == 4
    assert read.of("td", "none")[0]["title"] == "perfect has not met greedy"


def test_the_value_of_the_first_move_is_shown() -> None:
    text = ParsedPage(write_page(two())).text
    assert "The first player scored 65.0 % ± 20.0 % of the points: this may be chance" in text
    assert "12 won by the first player (60 %)" in text
    much = SeatShare(600, 100, 300)
    text = ParsedPage(write_page(summary([line(1, "a", as_first=much), line(2, "b")]))).text
    assert "the first move is an advantage" in text


def test_endings_are_counted_and_explained() -> None:
    text = ParsedPage(write_page(two())).text
    assert "played outended by the rules of the game 19 95.0 %" in text
    assert "crasheda bot failed 1 5.0 %" in text


def test_a_fault_names_its_bot_and_links_to_a_listed_match() -> None:
    shown = of_strangers()
    read = ParsedPage(write_page(shown, MATCHES))
    assert "The first 1 of 420 are shown." in read.text
    assert f"{SCRIPT} against {LONG}: crashed <b>bold</b>" in read.text
    assert "Match m0123456789: gamehall replay m0123456789" in read.text
    assert {"href": "#m0123456789"} in read.of("a")
    assert not ParsedPage(write_page(shown)).of("a")


def test_more_than_ten_faults_are_folded() -> None:
    faults = [Fault(f"m{k}", "greedy", "perfect", "crashed", f"no {k}.", "") for k in range(50)]
    text = ParsedPage(write_page(two(faults=faults))).text
    assert "40 more" in text
    assert all(f"no {k}." in text for k in range(50))
    assert "are shown" not in text, "nothing is left out"


def test_the_test_is_drawn_between_its_bounds() -> None:
    read = ParsedPage(write_page(under_test("goes on", 80.0, 1.3, False)))
    lower, upper = (_share(bound["x1"]) for bound in read.of("line", "bound"))
    now = _share(read.of("circle", "dot")[0]["cx"])
    assert (now - lower) / (upper - lower) == pytest.approx((1.3 + 2.94) / 5.88, abs=0.001)
    assert "The log-likelihood ratio (LLR) is +1.30" in read.text
    assert "Normalised Elo: not known yet" in read.text


@pytest.mark.parametrize(("llr", "anchor"), [(-2.9, "start"), (0.0, "middle"), (2.9, "end")])
def test_the_number_at_the_dot_of_a_test_does_not_leave_the_picture(
    llr: float, anchor: str
) -> None:
    [label] = ParsedPage(write_page(under_test("goes on", 80.0, llr, False))).of("text", "now")
    assert label["text-anchor"] == anchor


def test_a_replay_shows_all_pictures_with_links_between_them() -> None:
    read = ParsedPage(write_page(two(), MATCHES[:1]))
    pictures = [unquote((image["src"] or "").partition(",")[2]) for image in read.of("img")]
    assert pictures == [PICTURE] * 4
    assert [figure["id"] for figure in read.of("figure")] == [f"m0123456789-{k}" for k in range(4)]
    steps = {
        rel: [a["href"] for a in read.of("a") if a.get("rel") == rel] for rel in ("prev", "next")
    }
    assert steps["next"] == [f"#m0123456789-{k}" for k in (1, 2, 3)]
    assert steps["prev"] == [f"#m0123456789-{k}" for k in (0, 1, 2)]


def test_many_matches_are_folded_and_each_has_its_anchor() -> None:
    matches = [
        ListedMatch(f"m{k:010x}", "perfect", "greedy", None, "played out", 9) for k in range(99)
    ]
    read = ParsedPage(write_page(two(), matches))
    assert {row["id"] for row in read.of("tr") if "id" in row} == {match.name for match in matches}
    assert "open" not in read.of("details")[-1]
    assert "open" in ParsedPage(write_page(two(), matches[:9])).of("details")[-1]


def test_commands_can_be_pasted_into_a_shell() -> None:
    text = ParsedPage(write_page(two(name="friday's run", is_over=False))).text
    assert """Resume itgamehall arena --resume 'friday'"'"'s run'""" in text
    assert "gamehall replay MATCH --all" in text
    assert "--seed 4711" in text
    assert (
        "gamehall arena go a b"
        in ParsedPage(write_page(two(), command="gamehall arena go a b")).text
    )


@every_summary
def test_the_results_on_the_web_page_are_those_of_the_file(shown: Summary) -> None:
    # The web page has links to records, and its content policy forbids styles.
    results = ParsedPage(write_results(shown, "/records/"))
    assert results.text in ParsedPage(write_page(shown)).text
    assert not any("style" in attributes for _, attributes in results.elements)
    links = [attributes["href"] for attributes in results.of("a")]
    assert links == [f"/records/{fault.match}" for fault in shown.faults]


def test_no_element_of_the_file_has_a_style_attribute() -> None:
    read = ParsedPage(write_page(of_strangers(), MATCHES))
    assert not any("style" in attributes for _, attributes in read.elements)
    [style] = [text for tag, text in read.texts if tag == "style"]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = next(meta["content"] for meta in read.of("meta") if "http-equiv" in meta)
    assert f"style-src 'sha256-{digest}'" in (policy or "")


def _share(percent: str | None) -> float:
    assert percent is not None
    return float(percent.removesuffix("%"))


def _em(length: str | None) -> float:
    assert length is not None
    return float(length.removesuffix("em"))
