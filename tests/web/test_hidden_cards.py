"""Hidden cards are never sent to a page that may not show them."""

import html
import json
import random
import re
import threading
from collections import defaultdict
from typing import Any, Final

import pytest

from gamehall.core import Seat
from gamehall.export.described import described_picture
from gamehall.games.ascension import AscensionPosition
from gamehall.games.ascension.cards import CARDS
from gamehall.match import Record
from gamehall.match.record import positions
from gamehall.web.records import game_of
from tests.support.served import Served
from tests.web.api_client import ApiClient
from tests.web.test_play import web_port

DOOR: Final = "ascension-http"
SETTINGS: Final = ("honor=12", "turns=30")
TAGS: Final = re.compile(r"<[^>]*>|\s+")


class Sent:
    """All responses and events that a viewer received."""

    def __init__(self, seat: Seat | None) -> None:
        self.seat = seat
        self.pictures: list[tuple[str, str]] = []
        """Each picture, with the text of the whole response or event."""

    def take(self, told: Any) -> None:
        """Add the state of a seat or a table."""
        if told["picture"] is not None:
            # That somebody has played a card is public, wherever the card is now.
            rest = {key: told[key] for key in told if key not in ("history", "last_move")}
            self.pictures.append((told["picture"], text_of(json.dumps(rest, ensure_ascii=False))))

    def take_picture(self, picture: str) -> None:
        self.pictures.append((picture, text_of(picture)))


def text_of(content: str) -> str:
    """Return the text of a picture."""
    return " ".join(TAGS.sub(" ", html.unescape(content)).split())


def hidden_from(position: AscensionPosition, viewer: Seat | None) -> set[str]:
    """Return the cards in others' hands and in decks of which the viewer sees no other copy."""
    board = position.board
    hidden, seen = set(board.center_deck), {*board.row, *board.void, "Mystic", "Heavy Infantry"}
    for seat, side in zip(Seat, board.sides, strict=True):
        hidden.update(side.deck)
        (seen if seat is viewer else hidden).update(side.hand)
        seen.update(side.played, side.discard, (one.name for one in side.constructs))
    return {str(name) for name in hidden - seen}


def play(browser: ApiClient, seat: str, sent: Sent, chance: random.Random) -> None:
    """Play to the end, and store all responses."""
    path, answered = f"/api/seats/{seat}", -1
    with browser.stream(f"{path}/stream") as stream:
        for _, state in stream:
            sent.take(state)
            if state["verdict"]:
                return
            if state["choices"] and state["version"] > answered:
                moves = [choice["move"] for choice in state["choices"]]
                # Cards are bought, so that hands and decks have more than everybody knows.
                wanted = [move for move in moves if not move.startswith("end turn")] or moves
                answer = browser.ask("POST", f"{path}/move", {"move": chance.choice(wanted)})
                assert answer[0] == 200, answer
                sent.take(answer[1])
                sent.take(browser.get(path))
                answered = answer[1]["version"]


def watch(port: int, path: str, sent: Sent) -> None:
    """Read the stream of a table until its match is over."""
    browser = ApiClient(port)
    with browser.stream(f"{path}/stream") as stream:
        for name, state in stream:
            if name != "table":
                continue
            sent.take(state)
            number = len(state["history"])
            status, picture = browser.ask("GET", f"{path}/positions/{number}")
            if status == 200:
                sent.take_picture(picture)
            if state["table"]["result"]:
                return


@pytest.mark.parametrize("bot", ["", "greedy"], ids=["two pages", "a house bot"])
def test_TM_11_no_viewer_is_sent_hidden_cards_in_a_whole_game(bot: str) -> None:
    settings = [f"--set={DOOR}.{setting}" for setting in SETTINGS]
    with Served(f"--door={DOOR}=0", "--door=web=0", *settings) as server:
        port = web_port(server)
        browsers = [ApiClient(port) for _ in ([0] if bot else [0, 1])]
        seats = [
            browser.ask("POST", "/api/seats", {"room": DOOR, "name": name, "bot": bot})[1]["id"]
            for browser, name in zip(browsers, ("ann", "bob"), strict=False)
        ]
        with browsers[0].stream(f"/api/seats/{seats[0]}/stream") as stream:
            table = next(state["table"] for _, state in stream if state["stage"] == "playing")
        everything = [Sent(seat) for seat, _ in zip(Seat, seats, strict=False)]
        spectator = Sent(None)
        path = f"/api/rooms/{DOOR}/tables/table-{table}"
        threads = [
            threading.Thread(target=play, args=(*one, random.Random(number)), daemon=True)
            for number, one in enumerate(zip(browsers, seats, everything, strict=True))
        ]
        threads.append(threading.Thread(target=watch, args=(port, path, spectator), daemon=True))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
            assert not thread.is_alive()
        [line] = browsers[0].get("/api/records")
        downloaded = browsers[0].get(f"/api/records/{line['match']}/download/json")
    record = Record.from_json(json.dumps(downloaded).encode())
    passed = list(positions(game_of(record), record))
    found = set()
    for sent in (*everything, spectator):
        assert len(sent.pictures) > 3, "a busy server skips some"
        moments = defaultdict(list)
        for position in passed:
            assert isinstance(position, AscensionPosition)
            moments[described_picture(position.seen_by(sent.seat))].append(position)
        for picture, text in sent.pictures:
            assert picture in moments, "a picture shows what this viewer may see, no more or less"
            hidden = set.intersection(
                *(hidden_from(position, sent.seat) for position in moments[picture])
            )
            shown = {name for name in hidden if name in text}
            assert not shown, f"{sent.seat} was sent {shown}"
            found |= hidden
    assert len(found) > len(CARDS) // 2, "there was much to hide"
