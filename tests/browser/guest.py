"""Somebody at a browser: what they do, and what their browser complains of."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Literal, Self

from playwright.sync_api import Browser, ConsoleMessage, Dialog, Locator, Page, expect

WIDE = (1200, 800)
PHONE = (390, 844)
MILLISECONDS_OF_PATIENCE = 60_000
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
        self.is_phone = size == PHONE
        self.context = browser.new_context(
            viewport={"width": width, "height": height},
            has_touch=self.is_phone,
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
            card.get_by_role(
                "button", name=re.compile("^(Play the computer|Sign up with a bot)$")
            ).click()
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
        """Wait until the page offers moves and return True, or False if the match is over."""
        offer = self.page.evaluate(OFFER, MILLISECONDS_OF_PATIENCE)
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
