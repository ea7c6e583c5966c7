"""An added game appears on the pages without further code."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenBrowser
from tests.browser.servers import web_address
from tests.support.served import Served

pytestmark = pytest.mark.usefixtures("nim")


def test_an_added_game_is_played_on_the_page(
    open_browser: OpenBrowser,
) -> None:
    with Served("--door=tttp=0", "--door=web=0") as server:
        ann = open_browser(web_address(server))
        ann.open()
        expect(ann.card("nim").locator("h2")).to_have_text("Nim")
        ann.sit_down("nim", bot="random")
        turns = 0
        while ann.await_turn():
            heap = ann.page.locator(".board svg circle").count()
            taken = min(heap, heap % 4 or 1)
            ann.make_move(ann.part("words").get_by_role("button", name=str(taken), exact=True))
            turns += 1
        expect(ann.part("verdict-words")).to_contain_text("You won: ")
        assert turns >= 6
        ann.open("/records")
        ann.page.get_by_role("link", name=re.compile("ann")).click()
        expect(ann.page.locator(".board svg circle")).to_have_count(0)
        ann.part("first").click()
        expect(ann.page.locator(".board svg circle")).to_have_count(21)


def test_an_added_game_is_shown_in_the_arena_and_in_records(
    tmp_path: Path, open_browser: OpenBrowser
) -> None:
    kept = ("--data", str(tmp_path / "kept"))
    arena = "from gamehall.cli import main; main()"
    subprocess.run(
        [sys.executable, "-c", arena, "arena", "nim", "random", "greedy", "--games=2", *kept],
        check=True,
        capture_output=True,
    )
    with Served("--door=tttp=0", "--door=web=0", *kept) as server:
        eve = open_browser(web_address(server), "eve")
        eve.open("/arena")
        eve.page.locator("main").get_by_role("link").first.click()
        expect(eve.page.locator("main")).to_contain_text("greedy")
        eve.open("/records")
        eve.page.locator("tbody a").first.click()
        eve.part("first").click()
        expect(eve.page.locator(".board svg circle")).to_have_count(21)
        eve.part("forward").click()
        expect(eve.part("at")).to_contain_text("Move 1 of")
