"""The books of all protocols, by name."""

from gamehall.conformance.ascension_http import BOOK as ASCENSION_HTTP
from gamehall.conformance.clauses import Book
from gamehall.conformance.go_text import BOOK as GO_TEXT
from gamehall.conformance.santorini_lobby import BOOK as SANTORINI_LOBBY
from gamehall.conformance.santorini_tournament import BOOK as SANTORINI_TOURNAMENT
from gamehall.conformance.tttp import BOOK as TTTP

BOOKS: dict[str, Book] = {
    "santorini-lobby": SANTORINI_LOBBY,
    "santorini-tournament": SANTORINI_TOURNAMENT,
    "go-text": GO_TEXT,
    "tttp": TTTP,
    "ascension-http": ASCENSION_HTTP,
}
