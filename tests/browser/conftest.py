"""The browser of these tests, and users whose browsers must not report errors."""

import os
import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.records import make_record, store_records
from tests.browser.user import WIDE, BrowserUser
from tests.support.served import Served

DOORS = ("tttp", "santorini-tournament", "go-text", "ascension-http")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

OpenBrowser = Callable[..., BrowserUser]
"""Opens a browser for a user: `open_browser(address, name, size)`."""


# Not for the whole session: while it lives, no other test in this thread can run an event loop.
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
def open_browser(browser: Browser) -> Iterator[OpenBrowser]:
    """Open browsers in a test, and check at its end that none of them reported an error."""
    users: list[BrowserUser] = []

    def open_one(address: str, name: str = "ann", size: tuple[int, int] = WIDE) -> BrowserUser:
        users.append(BrowserUser(browser, address, name, size))
        return users[-1]

    yield open_one
    browser_errors = [error for user in users for error in user.browser_errors]
    for user in users:
        user.context.close()
    assert not browser_errors, browser_errors


@pytest.fixture(scope="package")
def idle_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with every game and one record, shared by tests that take no seat."""
    folder = tmp_path_factory.mktemp("quiet")
    store_records(folder, make_record())
    doors = [f"--door={door}=0" for door in (*DOORS, "web")]
    with Served(*doors, "--data", str(folder)) as server:
        yield server
