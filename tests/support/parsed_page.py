"""A parser for the HTML pages that Gamehall writes."""

from html.parser import HTMLParser

VOID = frozenset({"br", "img", "input", "meta"})
"""Elements without an end tag."""


class ParsedPage(HTMLParser):
    """A parsed page. Fails if an element is not closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        """Pairs of an element and its text."""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    @property
    def text(self) -> str:
        """The visible text on one line."""
        read = "".join(text for tag, text in self.texts if tag not in {"style", "script"})
        return " ".join(read.split())

    def of(self, tag: str, look: str | None = None) -> list[dict[str, str | None]]:
        """Return the attributes of all elements with this tag and class."""
        return [
            attributes
            for name, attributes in self.elements
            if name == tag and (look is None or look in (attributes.get("class") or "").split())
        ]

    def text_in(self, tag: str) -> list[str]:
        """Return the texts in elements with this tag."""
        return [text for name, text in self.texts if name == tag and text.strip()]
