"""Watching tournaments and tables, and replaying records."""

import re
import threading

from playwright.sync_api import expect

from gamehall.match import Record
from tests.browser.conftest import OpenBrowser
from tests.browser.records import MOVES
from tests.browser.servers import run_server, web_address
from tests.independent.santorini_tournament_clients import LineClient
from tests.independent.tttp_clients import Chat, StreamClient
from tests.support.served import PATIENCE_SECONDS, Served

SANTORINI = "santorini-tournament"


def test_the_boards_of_a_tournament_change_until_its_standings_are_final(
    open_browser: OpenBrowser,
) -> None:
    settings = ("players=4", "parallel=true", "games=1", "pace-ms=8", "timeout=60")
    with run_server(SANTORINI, settings=tuple(f"{SANTORINI}.{one}" for one in settings)) as server:
        eve = open_browser(web_address(server), "eve")
        eve.open(f"/rooms/{SANTORINI}")
        expect(eve.part("no-tables")).to_be_visible()
        port = server.port(SANTORINI)
        players = [
            LineClient("127.0.0.1", port, name, number, checks=False, games_per_opponent=1)
            for number, name in enumerate(("ann", "bob", "cat", "dan"))
        ]
        threads = [threading.Thread(target=player.play) for player in players]
        for thread in threads:
            thread.start()
        boards = eve.page.locator(".mini svg")
        expect(boards).to_have_count(2)
        before = boards.first.inner_html()
        eve.page.wait_for_function(
            "before => document.querySelector('.mini svg')?.innerHTML !== before", arg=before
        )
        expect(eve.part("tournament-title")).to_have_text("The tournament")
        expect(eve.part("encounters")).to_have_text("6 of 6 encounters done")
        expect(eve.part("tournament-title")).to_have_text("The last tournament")
        for thread in threads:
            thread.join(PATIENCE_SECONDS)
        rows = eve.part("standings").locator("tbody tr")
        expect(rows).to_have_count(4)
        names = rows.locator("th").all_inner_texts()
        won = [int(text) for text in rows.locator("td:nth-of-type(2)").all_inner_texts()]
    assert sorted(names) == ["ann", "bob", "cat", "dan"]
    assert won == sorted(won, reverse=True)
    assert sum(won) == 6


def test_spectators_and_players_chat(open_browser: OpenBrowser) -> None:
    with run_server("tttp") as server, StreamClient("127.0.0.1", server.port()) as bob:
        assert bob.join(b"bob") == 1
        ann = open_browser(web_address(server))
        ann.sit_down("tttp")
        eve = open_browser(web_address(server), "bob")
        eve.open("/rooms/tttp")
        eve.page.locator(".mini a").click()
        bob.chat(b"good luck")
        expect(eve.part("messages")).to_have_text("bob: good luck")
        field = eve.page.get_by_role("textbox", name="Say something")
        field.fill("well played")
        field.press("Enter")
        eve.page.get_by_role("textbox", name="Your name").fill("bob")
        eve.page.get_by_role("button", name="Go on").click()
        expect(eve.part("problem")).to_have_text("The name is already taken.")
        eve.expect_errors("409")
        expect(field).to_have_value("well played")
        eve.page.get_by_role("button", name="Change").click()
        eve.page.get_by_role("textbox", name="Your name").fill("eve")
        eve.page.get_by_role("button", name="Go on").click()
        expect(field).to_be_focused()
        field.press("Enter")
        expect(eve.part("messages").locator("li")).to_have_text(
            ["bob: good luck", "eve: well played"]
        )
        expect(field).to_have_value("")
        expect(eve.part("problem")).to_be_hidden()
        expect(ann.part("messages")).to_contain_text("eve: well played")
        assert Chat(b"eve", b"well played") in (bob.read() for _ in range(5))
        late = open_browser(web_address(server), "zoe")
        late.open("/rooms/tttp/tables/table-1")
        expect(late.part("messages").locator("li")).to_have_count(2)
        field.fill("ab")
        field.press("ArrowLeft")
        field.press("x")
        expect(field).to_have_value("axb")


def test_a_record_is_replayed_and_every_position_has_an_address(
    idle_server: Served, open_browser: OpenBrowser
) -> None:
    eve = open_browser(web_address(idle_server), "eve")
    eve.open("/records")
    eve.page.get_by_role("link", name=re.compile("ann.*bob", re.DOTALL)).click()
    pieces = eve.page.locator(".board g[data-seat] circle")
    last = len(MOVES)
    expect(pieces).to_have_count(last)
    eve.part("first").click()
    expect(pieces).to_have_count(0)
    expect(eve.page).to_have_url(f"{eve.address}/records/game/0")
    eve.part("forward").click()
    eve.part("forward").click()
    expect(pieces).to_have_count(2)
    expect(eve.part("at")).to_have_text(f"Move 2 of {last}: a1")
    eve.page.get_by_text("The board in words").click()
    words = eve.page.locator("#in-words")
    expect(words).to_be_visible()
    expect(words).to_contain_text("Column a: a1 blue.")
    expect(words).not_to_contain_text("a2")
    expect(eve.page).to_have_url(f"{eve.address}/records/game/2")
    eve.page.keyboard.press("ArrowLeft")
    expect(pieces).to_have_count(1)
    eve.part("scrub").fill("5")
    expect(pieces).to_have_count(5)
    expect(eve.page).to_have_url(f"{eve.address}/records/game/5")
    eve.page.reload()
    expect(pieces).to_have_count(5)
    # Also for the picture that came with the page; not repeated in the picture itself.
    expect(words).to_contain_text("a2 blue")
    expect(eve.page.locator("svg > desc")).to_have_count(0)
    eve.part("moves").get_by_text("d2").click()
    expect(pieces).to_have_count(3)
    eve.part("end").click()
    expect(pieces).to_have_count(last)
    expect(eve.part("forward")).not_to_have_attribute("href", re.compile("."))


def test_a_record_plays_by_itself_until_it_is_stopped(
    idle_server: Served, open_browser: OpenBrowser
) -> None:
    eve = open_browser(web_address(idle_server), "eve")
    eve.page.clock.install()
    eve.open("/records/game/4")
    pieces = eve.page.locator(".board g[data-seat] circle")
    eve.page.get_by_role("button", name="Play").click()
    expect(pieces).to_have_count(5)
    eve.page.clock.run_for(800)
    expect(pieces).to_have_count(6)
    eve.page.get_by_role("button", name="Pause").click()
    eve.page.clock.run_for(5_000)
    expect(pieces).to_have_count(6)
    eve.page.get_by_role("button", name="Play").click()
    eve.page.clock.run_for(1_600)
    expect(pieces).to_have_count(7)
    expect(eve.page.get_by_role("button", name="Play")).to_be_visible()


def test_a_record_can_be_downloaded(idle_server: Served, open_browser: OpenBrowser) -> None:
    eve = open_browser(web_address(idle_server), "eve")
    eve.open("/records/game")
    links = eve.page.locator(".downloads a")
    forms = links.all_inner_texts()
    assert "json" in forms
    for form, link in zip(forms, links.all(), strict=True):
        with eve.page.expect_download() as download:
            link.click()
        content = download.value.path().read_bytes()
        assert content
        assert download.value.suggested_filename == f"game.{form}"
        if form == "json":
            assert Record.from_json(content).players == ("ann", "bob")
