"""Make the screenshots of the documentation from real matches with fixed seeds.

python -m tests.browser.make_screenshots docs/pictures
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.bot_match import BotMatch
from tests.browser.conftest import ARGUMENTS
from tests.browser.servers import port_of, run_server, web_address
from tests.browser.user import BrowserUser
from tests.web.api_client import ApiClient

SIZE = (1200, 800)
HIGHER = (1200, 885)
WALL = (1200, 1075)
"""Cuts off what is below the wall: port numbers that differ each time."""

MOST_BYTES = 250_000
SANTORINI = "santorini-tournament"
PATIENT = (f"{SANTORINI}.timeout=600", f"{SANTORINI}.games=1")


def lobby(browser: Browser, picture: Path) -> None:
    """Every room, two of them with a match in progress."""
    doors = ("tttp", SANTORINI, "go-text", "ascension-http")
    settings = (*PATIENT, f"{SANTORINI}.players=2")
    with run_server(*doors, settings=settings) as server:
        for room, bot, moves in (("tttp", "perfect", 15), (SANTORINI, "greedy", 14)):
            match = BotMatch(port_of(web_address(server)), room)
            match.join("ann", bot)
            match.join("bob", bot)
            match.play_until(moves)
        with BrowserUser(browser, web_address(server), "eve", HIGHER) as eve:
            eve.open()
            expect(eve.part("window").locator("svg")).to_have_count(2)
            eve.page.screenshot(path=picture)


def table(browser: Browser, picture: Path) -> None:
    """A spectator's view of Connect Four."""
    with run_server("tttp") as server:
        match = BotMatch(port_of(web_address(server)), "tttp")
        match.join("ann", "perfect")
        match.join("bob", "perfect")
        match.play_until(17)
        with BrowserUser(browser, web_address(server), "eve", SIZE) as eve:
            eve.open("/rooms/tttp")
            eve.page.locator(".mini a").click()
            expect(eve.part("moves").locator("button")).to_have_count(17)
            eve.page.screenshot(path=picture)


def play(browser: Browser, picture: Path) -> None:
    """A turn of Santorini: worker and step are chosen, the cells to build on are lit."""
    settings = (*PATIENT, f"{SANTORINI}.players=2")
    with run_server(SANTORINI, settings=settings) as server:
        port = port_of(web_address(server))
        match = BotMatch(port, SANTORINI)
        client = ApiClient(port)
        seat = match.join("ann", client=client)
        match.join("bob", "strong")
        moves = 18
        match.play_until(moves)
        if not client.get(f"/api/seats/{seat}")["choices"]:
            match.play_until(moves + 1)
        with BrowserUser(browser, web_address(server), "ann", SIZE) as ann:
            name, _, value = client.cookie.partition("=")
            ann.context.add_cookies([{"name": name, "value": value, "url": ann.address}])
            ann.open(f"/play/{seat}")
            assert ann.await_turn()
            ann.lit.first.click()
            expect(ann.part("back")).to_be_visible()
            ann.page.screenshot(path=picture)


def tournament(browser: Browser, picture: Path) -> None:
    """Eight players, four matches at a time."""
    settings = (*PATIENT, f"{SANTORINI}.players=8", f"{SANTORINI}.parallel=true")
    with run_server(SANTORINI, settings=settings) as server:
        match = BotMatch(port_of(web_address(server)), SANTORINI)
        for name in ("ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal"):
            match.join(name)
        match.play_until(14, encounters=12, tables_wanted=4)
        with BrowserUser(browser, web_address(server), "ivy", WALL) as ivy:
            ivy.open(f"/rooms/{SANTORINI}")
            expect(ivy.page.locator(".mini svg")).to_have_count(4)
            ivy.page.screenshot(path=picture)


def main(folder: Path) -> None:
    """Write all screenshots to this folder."""
    program = shutil.which("chromium")
    if program is None:
        sys.exit("chromium is not installed (try: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        for make in (lobby, table, play, tournament):
            picture = folder / f"{make.__name__}.png"
            make(browser, picture)
            size = picture.stat().st_size
            if size > MOST_BYTES:
                sys.exit(f"{picture} has {size} bytes, more than {MOST_BYTES}")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
