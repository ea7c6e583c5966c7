"""Matches between bots that move only when a test says so, to stop at any position."""

import time
from typing import Any

from gamehall.bots import Bot
from gamehall.core import Game, Position, Seat
from gamehall.engines.choice import choose_bot
from gamehall.games.catalogue import all_games
from tests.web.api_client import ApiClient

MAX_POLLS = 2_000


class BotMatch:
    """Players in one room, each with a bot that chooses its moves.

    Not for games with chance: positions are rebuilt from the moves.
    """

    def __init__(self, port: int, room: str) -> None:
        self._port = port
        self._room = room
        line = ApiClient(port).get(f"/api/rooms/{room}")
        self._game: Game[Any] = all_games()[line["game"]]()
        self._players: list[tuple[ApiClient, str, Bot[Any]]] = []

    def join(self, name: str, bot: str = "greedy", client: ApiClient | None = None) -> str:
        """Take a seat for a player, and return its id."""
        player = client or ApiClient(self._port)
        seat = player.sit(self._room, name)
        make = choose_bot(bot, self._game.name, time.monotonic).make
        self._players.append((player, seat, make(len(self._players))))
        # Seats are given out in the order of arrival: wait until this player is listed.
        assert any(self._is_known(name) for _ in range(MAX_POLLS))
        return seat

    def play_until(self, moves: int, encounters: int = 0, tables_wanted: int = 1) -> None:
        """Play until this many encounters are done, and each table has this many moves.

        Args:
            tables_wanted: how many tables must exist by then.
        """
        for _ in range(MAX_POLLS):
            room = ApiClient(self._port).get(f"/api/rooms/{self._room}")
            tournament = room["tournament"] or {"encounters_done": 0}
            tables = room["tables"]
            is_late = tournament["encounters_done"] >= encounters
            is_enough = is_late and len(tables) >= tables_wanted
            if is_enough and all(table["moves"] >= moves for table in tables):
                return
            for player, seat, bot in self._players:
                self._move(player, seat, bot, moves if is_enough else None)
        raise AssertionError(f"{self._room} did not get that far")

    def _is_known(self, name: str) -> bool:
        room = ApiClient(self._port).get(f"/api/rooms/{self._room}")
        seated = [player for table in room["tables"] for player in table["players"]]
        return name in room["waiting"] or name in seated

    def _move(self, player: ApiClient, seat: str, bot: Bot[Any], limit: int | None) -> None:
        """Let the bot move if it is its turn and fewer than `limit` moves were made."""
        state = player.get(f"/api/seats/{seat}")
        if not state["choices"]:
            return
        position = self._position(state["name"])
        if position is None or position[1] is None or (limit is not None and position[0] >= limit):
            return
        chosen = bot.choose(position[1], Seat(state["seat"]), None)
        player.ask("POST", f"/api/seats/{seat}/move", {"move": self._game.write_move(chosen)})

    def _position(self, name: str) -> tuple[int, Position[Any] | None] | None:
        """Return how many moves were made at the player's table, and the position at its turn."""
        room = ApiClient(self._port).get(f"/api/rooms/{self._room}")
        for table in room["tables"]:
            if name in table["players"] and table["result"] is None:
                path = f"/api/rooms/{self._room}/tables/{table['name']}"
                status, state = ApiClient(self._port).ask("GET", path)
                if status != 200:
                    return None
                position: Position[Any] = self._game.start(0)
                for played in state["history"]:
                    position = position.after(self._game.read_move(played["move"]))
                mine = state["table"]["players"].index(name) + 1
                is_mine = position.to_move is not None and position.to_move.value == mine
                return len(state["history"]), position if is_mine else None
        return None
