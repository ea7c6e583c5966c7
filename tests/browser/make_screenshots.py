"""Makes the pictures of the pages for the documentation: real halls, real matches, fixed seeds.

python -m tests.browser.make_screenshots docs/pictures
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.conftest import ARGUMENTS
from tests.browser.guest import Guest
from tests.browser.halls import open_hall, pages_of, port_of
from tests.browser.sparring import Sparring
from tests.web.browser import Browser as Program

SIZE = (1200, 800)
HIGHER = (1200, 885)
WALL = (1200, 1075)
"""Without what stands below the wall: a port that is another one each time."""

MOST_BYTES = 250_000
SANTORINI = "santorini-tournament"
PATIENT = (f"{SANTORINI}.timeout=600", f"{SANTORINI}.games=1")


def lobby(browser: Browser, picture: Path) -> None:
    """Every room, two of them with a match that goes on."""
    doors = ("tttp", SANTORINI, "go-text", "ascension-http")
    settings = (*PATIENT, f"{SANTORINI}.players=2")
    with open_hall(*doors, settings=settings) as hall:
        for room, bot, moves in (("tttp", "perfect", 15), (SANTORINI, "greedy", 14)):
            match = Sparring(port_of(pages_of(hall)), room)
            match.come("ann", bot)
            match.come("bob", bot)
            match.play_until(moves)
        with Guest(browser, pages_of(hall), "eve", HIGHER) as eve:
            eve.open()
            expect(eve.part("window").locator("svg")).to_have_count(2)
            eve.page.screenshot(path=picture)


def table(browser: Browser, picture: Path) -> None:
    """A match of Connect Four that somebody looks on at."""
    with open_hall("tttp") as hall:
        match = Sparring(port_of(pages_of(hall)), "tttp")
        match.come("ann", "perfect")
        match.come("bob", "perfect")
        match.play_until(17)
        with Guest(browser, pages_of(hall), "eve", SIZE) as eve:
            eve.open("/rooms/tttp")
            eve.page.locator(".mini a").click()
            expect(eve.part("moves").locator("button")).to_have_count(17)
            eve.page.screenshot(path=picture)


def play(browser: Browser, picture: Path) -> None:
    """A turn of Santorini: the worker and its step are chosen, and where to build is lit."""
    settings = (*PATIENT, f"{SANTORINI}.players=2")
    with open_hall(SANTORINI, settings=settings) as hall:
        port = port_of(pages_of(hall))
        match = Sparring(port, SANTORINI)
        program = Program(port)
        seat = match.come("ann", program=program)
        match.come("bob", "strong")
        moves = 18
        match.play_until(moves)
        if not program.get(f"/api/seats/{seat}")["choices"]:
            match.play_until(moves + 1)
        with Guest(browser, pages_of(hall), "ann", SIZE) as ann:
            name, _, value = program.cookie.partition("=")
            ann.context.add_cookies([{"name": name, "value": value, "url": ann.address}])
            ann.open(f"/play/{seat}")
            assert ann.await_turn()
            ann.lit.first.click()
            expect(ann.part("back")).to_be_visible()
            ann.page.screenshot(path=picture)


def tournament(browser: Browser, picture: Path) -> None:
    """Eight players, four matches at a time."""
    settings = (*PATIENT, f"{SANTORINI}.players=8", f"{SANTORINI}.parallel=true")
    with open_hall(SANTORINI, settings=settings) as hall:
        match = Sparring(port_of(pages_of(hall)), SANTORINI)
        for name in ("ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal"):
            match.come(name)
        match.play_until(14, encounters=12, tables_wanted=4)
        with Guest(browser, pages_of(hall), "ivy", WALL) as ivy:
            ivy.open(f"/rooms/{SANTORINI}")
            expect(ivy.page.locator(".mini svg")).to_have_count(4)
            ivy.page.screenshot(path=picture)


def main(folder: Path) -> None:
    """Makes all of them, in this folder."""
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
