"""Turns and games on the board, by clicking."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import OpenBrowser
from tests.browser.servers import port_of, run_bots, run_server, web_address
from tests.browser.user import DASH, TIMEOUT_MS, BrowserUser
from tests.independent.go_text_clients import LineClient
from tests.web.api_client import ApiClient

SANTORINI = "santorini-tournament"
MOST_CLICKS = 60


def test_a_game_against_a_bot_is_played_by_clicking(
    open_browser: OpenBrowser,
) -> None:
    with run_server("tttp") as server:
        ann = open_browser(web_address(server))
        ann.sit_down("tttp", bot="random")
        clicks = 0
        while ann.await_turn():
            expect(ann.page).to_have_title("● Your turn · Connect Four · Gamehall")
            ann.make_move(ann.lit.first)
            clicks += 1
        expect(ann.part("verdict-words")).to_have_text(re.compile("^(You (won|lost)|A draw): "))
        expect(ann.lit).to_have_count(0)
        [record] = ApiClient(port_of(ann.address)).get("/api/records")
    assert clicks >= 4
    assert record["moves"] in (2 * clicks - 1, 2 * clicks)
    assert "ann" in record["players"]


def test_a_click_on_a_lit_target_is_never_refused(open_browser: OpenBrowser) -> None:
    """What is lit can be played at that moment, although the opponent answers at once."""
    with run_server("tttp") as server:
        ann = open_browser(web_address(server))
        ann.sit_down("tttp", bot="random")
        clicks = ann.page.evaluate(CLICK_AT_ONCE, TIMEOUT_MS)
        expect(ann.part("verdict")).to_be_visible()
        expect(ann.part("problem")).to_be_hidden()
        [record] = ApiClient(port_of(ann.address)).get("/api/records")
    assert record["moves"] in (2 * clicks - 1, 2 * clicks)


CLICK_AT_ONCE = """async (milliseconds) => {
  const part = (name) => document.querySelector(`[data-part="${name}"]`);
  const deadline = performance.now() + milliseconds;
  let clicks = 0;
  while (part("verdict").hidden && performance.now() < deadline) {
    const lit = part("board").querySelectorAll(".lit");
    if (lit.length) {
      lit[clicks % lit.length].dispatchEvent(new MouseEvent("click", { bubbles: true }));
      clicks++;
    }
    await new Promise((go) => setTimeout(go));
  }
  return clicks;
}"""
"""Clicks a lit target as soon as there is one, until the end; returns the number of clicks."""


def test_without_gravity_the_clicked_cell_is_played(open_browser: OpenBrowser) -> None:
    with run_server("tttp", settings=("tttp.gravity=free",)) as server:
        ann = open_browser(web_address(server))
        ann.sit_down("tttp", bot="random")
        assert ann.await_turn()
        expect(ann.lit).to_have_count(42)
        ann.make_move(ann.target("c4"))
        expect(ann.page.locator("#in-words")).to_contain_text("c4 red")
        expect(ann.page.locator('.board g[data-seat="first"] circle')).to_have_count(1)


def test_a_turn_of_three_steps_takes_three_clicks_and_escape_takes_one_back(
    open_browser: OpenBrowser,
) -> None:
    terms = (f"{SANTORINI}.join-window=1", f"{SANTORINI}.timeout=60", f"{SANTORINI}.games=1")
    with run_server(SANTORINI, settings=terms) as server:
        ann = open_browser(web_address(server))
        ann.sit_down(SANTORINI)
        expect(ann.part("wait")).to_be_visible()
        with run_bots(server, SANTORINI, "bob"):
            place_workers(ann)
            workers = lit_names(ann)
            worker = workers[0]
            ann.target(worker).click()
            expect(ann.part("hint")).to_contain_text(f"{worker} {DASH} now choose")
            step = lit_names(ann)[0]
            assert step not in workers
            ann.page.keyboard.press("Escape")
            expect(ann.part("back")).to_be_hidden()
            assert lit_names(ann) == workers
            ann.target(worker).click()
            ann.target(step).click()
            expect(ann.part("hint")).to_contain_text(f"{worker}, {step} {DASH} now choose")
            ann.page.keyboard.press("Escape")
            expect(ann.part("hint")).to_contain_text(f"{worker} {DASH} now choose")
            ann.target(step).click()
            # Where the worker stood there is room to build now.
            ann.make_move(ann.target(worker))
            assert ann.await_turn()
            room = ApiClient(port_of(ann.address)).get(f"/api/rooms/{SANTORINI}")
            [table] = room["tables"]
            path = f"/api/rooms/{SANTORINI}/tables/{table['name']}"
            history = ApiClient(port_of(ann.address)).get(path)["history"]
            assert f"{worker}-{step}+{worker}" in [played["move"] for played in history]
            ann.part("leave").click()
            ann.page.get_by_role("button", name="Leave: you lose this game").click()
            expect(ann.page).to_have_url(f"{ann.address}/")


def place_workers(ann: BrowserUser) -> None:
    """Place both workers; after that a turn has more than one step."""
    placed = 0
    while ann.await_turn() and "steps" not in ann.part("hint").inner_text():
        ann.make_move(ann.lit.nth(12))
        placed += 1
        assert placed <= 2
    assert placed == 2


def lit_names(user: BrowserUser) -> list[str]:
    """Return the names of the lit targets on the board."""
    names: list[str] = user.lit.evaluate_all("lit => lit.map(one => one.dataset.target)")
    return names


def test_the_form_for_terms_answers_a_go_text_client_and_captures_are_shown(
    open_browser: OpenBrowser,
) -> None:
    with run_server("go-text") as server:
        ann = open_browser(web_address(server))
        ann.sit_down("go-text", terms={"Board": "9 x 9", "Komi": "0.5", "You play": "Black"})
        with LineClient("127.0.0.1", server.port("go-text")) as white:
            assert white.read_line() == "TERMS 9 2 0 0.5"
            white.send_line("TERMSCONFIRM Yes")
            assert [white.read_line(), white.read_line()] == ["TERMSOK", "START"]
            expect(ann.lit).to_have_count(81)
            ann.target("A8").click()
            assert white.read_line() == "OPPONENTPLAY 1 0"
            white.send_line("PLAY 0 0")
            assert white.read_line() == "SUCCESS"
            stones = ann.page.locator('.board [data-seat="second"] circle')
            expect(stones).to_have_count(1)
            expect(ann.target("A9")).to_have_count(0)
            ann.target("B9").click()
            assert white.read_line() == "OPPONENTPLAY 0 1"
            expect(stones).to_have_count(0)
            expect(ann.page.locator(".board")).to_contain_text("captured by black: 1")
            white.send_line("PASS")
            ann.page.get_by_role("button", name="pass").click()
            assert white.read_line() == "OPPONENTPASS"
            over = white.read_line() or ""
            assert over.startswith("GAMEOVER False False 0 1 ")
            expect(ann.part("verdict-words")).to_contain_text("You won: ")


def test_the_choice_of_a_card_effect_is_made_by_a_click(open_browser: OpenBrowser) -> None:
    with run_server("ascension-http", seed=5) as server:
        ann = open_browser(web_address(server))
        ann.sit_down("ascension-http")
        bob = ApiClient(port_of(ann.address))
        seat = bob.sit("ascension-http", "bob")
        with bob.stream(f"/api/seats/{seat}/stream") as stream:
            for _ in range(MOST_CLICKS):
                assert ann.await_turn()
                names = ann.names_of_choices()
                if "end turn" not in names:
                    break
                wanted = min(names, key=eagerness)
                ann.make_move(ann.choices.nth(names.index(wanted)))
                if wanted == "end turn":
                    # The stream may still send the turn before.
                    while not bob.get(f"/api/seats/{seat}")["choices"]:
                        next(stream)
                    moved = {"move": "end turn"}
                    assert bob.ask("POST", f"/api/seats/{seat}/move", moved)[0] == 200
        assert names
        assert all(name.startswith("choose ") for name in names)
        expect(ann.part("hint")).to_contain_text("Your turn")
        ann.make_move(ann.choices.first)
        expect(ann.part("last")).to_contain_text(f"Last move: {names[0]}")
        assert ann.await_turn()


def eagerness(move: str) -> tuple[int, str]:
    """Rank moves: play cards first, then buy; the cards that never run out come last."""
    is_common = move in ("acquire Heavy Infantry", "acquire Mystic")
    order = ("play", "acquire", "common", "end")
    kind = "common" if is_common else move.split()[0]
    return order.index(kind) if kind in order else len(order), move
