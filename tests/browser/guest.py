"""Somebody at a browser: what they do, and what their browser complains of."""

import re
from collections.abc import Mapping
from types import TracebackType
from typing import Literal, Self

from playwright.sync_api import Browser, ConsoleMessage, Dialog, Locator, Page, expect

WIDE = (1200, 800)
PHONE = (390, 844)
MILLISECONDS_OF_PATIENCE = 60_000
DASH = "\N{EN DASH}"

TURN_OR_END = """async (milliseconds) => {
  const part = (name) => document.querySelector(`[data-part="${name}"]`);
  const { seat, room } = document.getElementById("seat").dataset;
  const deadline = performance.now() + milliseconds;
  while (performance.now() < deadline) {
    if (!part("verdict").hidden) return "end";
    await fetch(`/api/rooms/${room}`);
    const state = await (await fetch(`/api/seats/${seat}`)).json();
    const offered = new Set(state.choices.map((choice) => choice.targets[0]));
    const lit = [...part("board").querySelectorAll(".lit")].map((one) => one.dataset.target);
    const shown = new Set([...lit, ...[...part("words").children].map((one) => one.textContent)]);
    const isSame = offered.size === shown.size && [...offered].every((name) => shown.has(name));
    const isNew = part("board").pictureText === state.picture;
    if (offered.size > 0 && isSame && isNew) return "turn";
    await new Promise(requestAnimationFrame);
  }
  return "neither";
}"""
"""Waits until the page offers what the hall does, or the match is over.

Whoever asks for the room has the hall look at it anew, so the picture of the seat is new, too.
Only then is nothing more to come before somebody moves."""

expect.set_options(timeout=MILLISECONDS_OF_PATIENCE)


class Guest:
    """A person with a browser of their own, which remembers nothing at first."""

    def __init__(
        self, browser: Browser, address: str, name: str = "ann", size: tuple[int, int] = WIDE
    ) -> None:
        """`address` is that of the hall; `size`: how wide and high the window is, in pixels."""
        self.address = address.rstrip("/")
        self.name = name
        self._has_name = False
        """Whether the browser knows what its person is called."""
        self.complaints: list[str] = []
        """What went wrong in the browser: errors, what the policy of the page forbids, dialogs."""
        width, height = size
        self.context = browser.new_context(
            viewport={"width": width, "height": height},
            has_touch=size == PHONE,
            color_scheme="light",
            reduced_motion="reduce",
        )
        self.context.set_default_timeout(MILLISECONDS_OF_PATIENCE)
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
        """Another page of the same browser."""
        page = self.context.new_page()
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(f"not caught: {error}"))
        page.on("dialog", self._dismiss)
        return page

    def open(self, path: str = "/") -> None:
        """Goes to a page of the hall."""
        self.page.goto(self.address + path)

    def part(self, name: str) -> Locator:
        """The element that the page calls by that name."""
        return self.page.locator(f'[data-part="{name}"]')

    def card(self, room: str) -> Locator:
        """What the lobby shows of a room."""
        return self.page.locator(f'article[data-room="{room}"]')

    def sit_down(
        self, room: str, bot: str | None = None, terms: Mapping[str, str] | None = None
    ) -> None:
        """From the lobby to a seat, by clicking, and giving a name; `terms` fill in the form."""
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
            card.get_by_role("button", name=re.compile("^(Play the computer|Meet a bot)$")).click()
        self.give_name()

    def give_name(self) -> None:
        """Give a name if the page asks for one, and wait for the seat."""
        if not self._has_name:
            self.page.get_by_role("textbox", name="Your name").fill(self.name)
            self.page.get_by_role("button", name="Go on").click()
            self._has_name = True
        self.page.wait_for_url("**/play/*")

    @property
    def lit(self) -> Locator:
        """What can be pointed at on the board."""
        return self.page.locator('[data-part="board"] .lit')

    @property
    def choices(self) -> Locator:
        """All that can be chosen: what is lit, and the buttons below the board."""
        return self.page.locator('[data-part="board"] .lit, [data-part="words"] button')

    def target(self, name: str) -> Locator:
        """What is lit under this name."""
        return self.page.locator(f'[data-part="board"] .lit[data-target="{name}"]')

    def await_turn(self) -> bool:
        """Waits until the page offers what the hall does; gives False if the match is over."""
        seen = self.page.evaluate(TURN_OR_END, MILLISECONDS_OF_PATIENCE)
        assert seen in ("turn", "end"), self.page.inner_text("main")
        return bool(seen == "turn")

    def make_move(self, last_click: Locator) -> None:
        """Clicks there, which makes a move, and the hall accepts it."""
        with self.page.expect_response("**/move") as answer:
            last_click.click()
        assert answer.value.ok, answer.value.text()

    def complains_only_of(self, *words: str) -> None:
        """What the browser complains of is this, each at least once; it is forgiven."""
        for wanted in words:
            assert any(wanted in one for one in self.complaints), self.complaints
        self.forgive(*words)

    def forgive(self, *words: str) -> None:
        """What the browser complains of, if it does, is this; it is forgiven."""
        others = [one for one in self.complaints if not any(word in one for word in words)]
        assert not others, others
        self.complaints.clear()

    def _hear(self, message: ConsoleMessage) -> None:
        is_of_policy = "Content Security Policy" in message.text
        if message.type == "error" or is_of_policy:
            self.complaints.append(f"{message.text} ({message.location.get('url', '')})")

    def _dismiss(self, dialog: Dialog) -> None:
        self.complaints.append(f"a dialog: {dialog.message}")
        dialog.dismiss()


def scrolls_sideways(page: Page) -> bool:
    """Whether a page is wider than its window."""
    return bool(page.evaluate("document.scrollingElement.scrollWidth > innerWidth"))


Key = Literal["Tab", "Shift+Tab"]


def tab_to(page: Page, wanted: str, key: Key = "Tab", most: int = 80) -> None:
    """Moves the focus to the first element that matches this selector, by the keyboard alone."""
    for _ in range(most):
        page.keyboard.press(key)
        if page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
            return
    raise AssertionError(f"{wanted} cannot be reached by the keyboard")
