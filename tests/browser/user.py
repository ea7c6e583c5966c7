"""A user at a browser: clicks, moves, and the errors that the browser reports."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Literal, Self

from playwright.sync_api import Browser, ConsoleMessage, Dialog, Locator, Page, expect

WIDE = (1200, 800)
PHONE = (390, 844)
TIMEOUT_MS = 60_000
DASH = "\N{EN DASH}"

OFFER = """async (milliseconds) => {
  const part = (name) => document.querySelector(`[data-part="${name}"]`);
  const { seat, room } = document.getElementById("seat").dataset;
  const deadline = performance.now() + milliseconds;
  for (;;) {
    if (!part("verdict").hidden) return "end";
    await fetch(`/api/rooms/${room}`);
    const state = await (await fetch(`/api/seats/${seat}`)).json();
    const offered = new Set(state.choices.map((choice) => choice.targets[0]));
    const lit = [...part("board").querySelectorAll(".lit")].map((one) => one.dataset.target);
    const shown = new Set([...lit, ...[...part("words").children].map((one) => one.textContent)]);
    const isSame = offered.size === shown.size && [...offered].every((name) => shown.has(name));
    const isNew = part("board").pictureText === state.picture;
    if (offered.size > 0 && isSame && isNew) return "turn";
    if (performance.now() >= deadline) return "nothing";
    await new Promise(requestAnimationFrame);
  }
}"""
"""Return "turn" once the page offers the moves that the server offers, or "end" after the match.

The request for the room makes the server update the picture of the seat, so that a picture which
equals the page's is the newest one.
"""

Choose = Callable[[Sequence[str]], str]
"""Chooses one of the names that a page offers."""

expect.set_options(timeout=TIMEOUT_MS)


class BrowserUser:
    """A user with a new browser profile."""

    def __init__(
        self, browser: Browser, address: str, name: str = "ann", size: tuple[int, int] = WIDE
    ) -> None:
        """Open a browser window.

        Args:
            address: of the server.
            size: width and height of the window in pixels; PHONE has a touch screen.
        """
        self.address = address.rstrip("/")
        self.name = name
        self._has_name = False
        """Whether the name was entered, so that the browser does not ask again."""
        self.browser_errors: list[str] = []
        """Errors on the console, uncaught exceptions, violations of the page's policy, dialogs."""
        width, height = size
        self.is_phone = size == PHONE
        self.context = browser.new_context(
            viewport={"width": width, "height": height},
            has_touch=self.is_phone,
            color_scheme="light",
            reduced_motion="reduce",
        )
        self.context.set_default_timeout(TIMEOUT_MS)
        self.page = self.new_tab()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.context.close()

    def new_tab(self) -> Page:
        """Open another tab of this browser."""
        page = self.context.new_page()
        page.on("console", self._note_console)
        page.on("pageerror", lambda error: self.browser_errors.append(f"not caught: {error}"))
        page.on("dialog", self._dismiss_dialog)
        return page

    def open(self, path: str = "/") -> None:
        self.page.goto(self.address + path)

    def part(self, name: str) -> Locator:
        """Return the element with this `data-part`."""
        return self.page.locator(f'[data-part="{name}"]')

    def card(self, room: str) -> Locator:
        """Return the card of a room in the lobby."""
        return self.page.locator(f'article[data-room="{room}"]')

    def sit_down(
        self, room: str, bot: str | None = None, terms: Mapping[str, str] | None = None
    ) -> None:
        """Take a seat from the lobby by clicking, against a bot if one is given.

        Args:
            terms: what to select in the form, by label.
        """
        self.open()
        card = self.card(room)
        for label, words in (terms or {}).items():
            card.get_by_label(label).select_option(label=words)
        if bot is None:
            card.get_by_role(
                "button", name=re.compile("^(Play|Sign up|Wait on these terms)$")
            ).click()
        else:
            card.get_by_label("Which bot to play against").select_option(bot)
            card.get_by_role(
                "button", name=re.compile("^(Play the computer|Sign up with a bot)$")
            ).click()
        self.enter_name()

    def enter_name(self) -> None:
        """Enter the name if the page asks for it, and wait for the page of the seat."""
        if not self._has_name:
            self.page.get_by_role("textbox", name="Your name").fill(self.name)
            self.page.get_by_role("button", name="Go on").click()
            self._has_name = True
        self.page.wait_for_url("**/play/*")

    @property
    def lit(self) -> Locator:
        """Return the targets on the board that can be clicked."""
        return self.page.locator('[data-part="board"] .lit')

    @property
    def choices(self) -> Locator:
        """Return all choices: targets on the board, and buttons below it."""
        return self.page.locator('[data-part="board"] .lit, [data-part="words"] button')

    def target(self, name: str) -> Locator:
        """Return the clickable target of this name."""
        return self.page.locator(f'[data-part="board"] .lit[data-target="{name}"]')

    def await_turn(self) -> bool:
        """Wait until the page offers moves and return True, or False if the match is over."""
        offer = self.page.evaluate(OFFER, TIMEOUT_MS)
        assert offer in ("turn", "end"), self.page.inner_text("main")
        return bool(offer == "turn")

    def use(self, element: Locator) -> None:
        """Tap an element on a phone, click it elsewhere."""
        if self.is_phone:
            element.tap()
        else:
            element.click()

    def make_move(self, last_click: Locator) -> None:
        """Click an element that completes a move; check that the server accepts the move."""
        with self.page.expect_response("**/move") as response:
            self.use(last_click)
        assert response.value.ok, response.value.text()

    def names_of_choices(self) -> list[str]:
        """Return what can be chosen, on the board and below it, in the order of `choices`."""
        names: list[str] = self.choices.evaluate_all(
            "all => all.map(one => one.dataset.target ?? one.textContent)"
        )
        return names

    def play_move(self, choose: Choose) -> None:
        """Click one target after the other until a move is complete."""
        with self.page.expect_response("**/move") as response:
            self._use_choice(choose)
            # As long as a step can be taken back, the move is not complete.
            while self.part("back").is_visible():
                self._use_choice(choose)
        assert response.value.ok, response.value.text()

    def _use_choice(self, choose: Choose) -> None:
        names = self.names_of_choices()
        self.use(self.choices.nth(names.index(choose(names))))

    def play_what_is_offered(self, choose: Choose) -> bool:
        """Move, or agree to terms, if the page offers that now. Return False after the match."""
        offer = self.page.evaluate(OFFER, 0)
        if offer == "turn":
            self.play_move(choose)
        elif self.part("proposal").is_visible():
            self.use(self.page.get_by_role("button", name="Agree and play"))
        return bool(offer != "end")

    def resign(self) -> None:
        """Resign by the button, which asks again."""
        self.use(self.part("resign"))
        self.use(self.page.get_by_role("button", name="Resign: sure?"))

    def leave(self) -> None:
        """Leave the table by its button, which asks again during a match."""
        self.use(self.part("leave"))
        sure = self.page.get_by_role("button", name="Leave the table: sure?")
        if sure.is_visible():
            self.use(sure)
        self.page.wait_for_url(f"{self.address}/")

    def expect_errors(self, *words: str) -> None:
        """Check that the browser reported each of these errors, and no other; forget them."""
        for wanted in words:
            assert any(wanted in one for one in self.browser_errors), self.browser_errors
        self.allow_errors(*words)

    def allow_errors(self, *words: str) -> None:
        """Check that the browser reported no other errors than these, if any; forget them."""
        others = [one for one in self.browser_errors if not any(word in one for word in words)]
        assert not others, others
        self.browser_errors.clear()

    def _note_console(self, message: ConsoleMessage) -> None:
        is_violation = "Content Security Policy" in message.text
        if message.type == "error" or is_violation:
            self.browser_errors.append(f"{message.text} ({message.location.get('url', '')})")

    def _dismiss_dialog(self, dialog: Dialog) -> None:
        self.browser_errors.append(f"a dialog: {dialog.message}")
        dialog.dismiss()


def scrolls_sideways(page: Page) -> bool:
    """Return True if a page is wider than its window."""
    return bool(page.evaluate("document.scrollingElement.scrollWidth > innerWidth"))


Key = Literal["Tab", "Shift+Tab"]


def tab_to(page: Page, wanted: str, key: Key = "Tab", limit: int = 80) -> None:
    """Move the focus with the keyboard to the first element that matches a selector."""
    for _ in range(limit):
        page.keyboard.press(key)
        if page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
            return
    raise AssertionError(f"{wanted} cannot be reached by the keyboard")
