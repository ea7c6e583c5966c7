"""A browser for these tests, and guests with nothing to complain of."""

import os
import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.guest import WIDE, Guest
from tests.browser.records import keep, record_of
from tests.support.served import Served

DOORS = ("tttp", "santorini-tournament", "go-text", "ascension-http")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

Invite = Callable[..., Guest]
"""Has somebody come: `invite(address, name, size)`."""


# Not for the whole session: as long as it lives, no other test in this thread can run a loop.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    program = shutil.which("chromium")
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("chromium is not installed (try: apt-get install chromium)")
        pytest.skip("chromium is not installed (try: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def invite(browser: Browser) -> Iterator[Invite]:
    """Guests whose browsers must have nothing to complain of at the end."""
    guests: list[Guest] = []

    def come(address: str, name: str = "ann", size: tuple[int, int] = WIDE) -> Guest:
        guests.append(Guest(browser, address, name, size))
        return guests[-1]

    yield come
    complaints = [complaint for guest in guests for complaint in guest.complaints]
    for guest in guests:
        guest.context.close()
    assert not complaints, complaints


@pytest.fixture(scope="package")
def quiet_hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A hall with every game and one record, for those who only look: nobody sits down."""
    folder = tmp_path_factory.mktemp("quiet")
    keep(folder, record_of())
    doors = [f"--door={door}=0" for door in (*DOORS, "web")]
    with Served(*doors, "--data", str(folder)) as hall:
        yield hall
