"""The books of all protocols, by name."""

from gamehall.check.ascension_http import BOOK as ASCENSION_HTTP
from gamehall.check.clauses import Book
from gamehall.check.go_text import BOOK as GO_TEXT
from gamehall.check.santorini_lobby import BOOK as SANTORINI_LOBBY
from gamehall.check.santorini_tournament import BOOK as SANTORINI_TOURNAMENT
from gamehall.check.tttp import BOOK as TTTP

BOOKS: dict[str, Book] = {
    "santorini-lobby": SANTORINI_LOBBY,
    "santorini-tournament": SANTORINI_TOURNAMENT,
    "go-text": GO_TEXT,
    "tttp": TTTP,
    "ascension-http": ASCENSION_HTTP,
}
