"""Two scripted clients that bring a game of Ascension to a turn, over HTTP.

Both play all their cards and buy Heavy Infantry and Mystics, which ask for nothing and give no
honor but at the end: so the game goes on, and the state grows by its moves as states do.
"""

import http.client
import json
from collections.abc import Mapping, Sequence
from typing import Any

from gamehall.bench.machine import BenchError, Server
from gamehall.bench.wrk import PATH

SECONDS_TO_ANSWER = 20.0

PRICES = {"Mystic": 3, "Heavy Infantry": 2}
"""In runes; the dearest first."""

STACKS = {"Mystic": "mystics", "Heavy Infantry": "heavy"}
"""Where the board says how many there are left."""


class Client:
    """One of the two players, or somebody who only looks."""

    def __init__(self, server: Server) -> None:
        self._line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS_TO_ANSWER)

    def ask(self, method: str, target: str, content: object = None) -> dict[str, Any]:
        """What is answered. Raises BenchError if that is an error."""
        body = None if content is None else json.dumps(content)
        self._line.request(method, target, body)
        response = self._line.getresponse()
        answer = json.loads(response.read())
        if response.status != http.client.OK or answer.get("error"):
            raise BenchError(f"door: {method} {target} {body} was answered {answer}")
        assert isinstance(answer, dict)
        return answer

    def close(self) -> None:
        """The player is gone, which is nothing to the game."""
        self._line.close()


def bring_to_turn(server: Server, turn: int) -> None:
    """Join twice, and play until that turn has begun. Raises BenchError if anything is refused."""
    clients = [Client(server), Client(server)]
    for index, client in enumerate(clients):
        if client.ask("POST", "/join") != {"player_index": index}:
            raise BenchError("door: somebody plays there already")
    state = clients[0].ask("GET", PATH)
    while state["board"]["current_turn"] < turn:
        index = state["board"]["current_player_index"]
        client = clients[index]
        for moves in (cards_to_play, cards_to_buy):
            sent = {"player_index": index, "moves": moves(state["board"], index)}
            state = client.ask("POST", "/moves", sent)
        sent = {"player_index": index, "moves": [{"type": "end_turn"}]}
        state = client.ask("POST", "/moves", sent)
    for client in clients:
        client.close()


def cards_to_play(board: dict[str, Any], index: int) -> Sequence[Mapping[str, str]]:
    """Every card of the hand."""
    hand = board["players"][index]["hand"]
    return [{"type": "play", "card_name": name} for name in hand]


def cards_to_buy(board: dict[str, Any], index: int) -> Sequence[Mapping[str, str]]:
    """The dearest of both as long as the runes last, one of each at most."""
    runes = board["players"][index]["runes_remaining"]
    moves: list[Mapping[str, str]] = []
    for name, price in PRICES.items():
        if runes >= price and board[STACKS[name]]:
            runes -= price
            moves.append({"type": "acquire", "card_name": name})
    return moves


def raw_state(server: Server) -> bytes:
    """A whole response to `GET /state`, head and body, of a server that keeps the connection."""
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS_TO_ANSWER)
    line.request("GET", PATH)
    response = line.getresponse()
    # Of the head nothing is lost by this: a server here sends no header twice.
    head = [f"HTTP/1.1 {response.status} {response.reason}"]
    head += [f"{name}: {value}" for name, value in response.getheaders()]
    body = response.read()
    line.close()
    return "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + body
