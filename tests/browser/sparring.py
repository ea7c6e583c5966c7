"""Bots at the pages who move only when they are told to: a match can be stopped anywhere."""

import time
from typing import Any

from gamehall.bots import Bot
from gamehall.core import Game, Position, Seat
from gamehall.engines.choice import choose_bot
from gamehall.games.catalogue import all_games
from tests.web.browser import Browser as Program

MOST_LOOKS = 2_000


class Sparring:
    """Players of one room, each with a bot that thinks for it.

    Not for games with chance in them: they know a position from the moves that led to it.
    """

    def __init__(self, port: int, room: str) -> None:
        self._port = port
        self._room = room
        line = Program(port).get(f"/api/rooms/{room}")
        self._game: Game[Any] = all_games()[line["game"]]()
        self._players: list[tuple[Program, str, Bot[Any]]] = []

    def come(self, name: str, bot: str = "greedy", program: Program | None = None) -> str:
        """Somebody sits down, and gives the id of the seat."""
        player = program or Program(self._port)
        seat = player.sit(self._room, name)
        make = choose_bot(bot, self._game.name, time.monotonic).make
        self._players.append((player, seat, make(len(self._players))))
        # Who comes first sits first: the next one may come when this one is known.
        assert any(self._is_known(name) for _ in range(MOST_LOOKS))
        return seat

    def play_until(self, moves: int, encounters: int = 0, tables_wanted: int = 1) -> None:
        """Plays until so many encounters are done, and each of so many tables has so many moves."""
        for _ in range(MOST_LOOKS):
            room = Program(self._port).get(f"/api/rooms/{self._room}")
            tournament = room["tournament"] or {"encounters_done": 0}
            tables = room["tables"]
            is_late = tournament["encounters_done"] >= encounters
            is_enough = is_late and len(tables) >= tables_wanted
            if is_enough and all(table["moves"] >= moves for table in tables):
                return
            for player, seat, bot in self._players:
                self._move(player, seat, bot, moves if is_enough else None)
        raise AssertionError(f"{self._room} did not come so far")

    def _is_known(self, name: str) -> bool:
        room = Program(self._port).get(f"/api/rooms/{self._room}")
        seated = [player for table in room["tables"] for player in table["players"]]
        return name in room["waiting"] or name in seated

    def _move(self, player: Program, seat: str, bot: Bot[Any], most: int | None) -> None:
        """Has the bot move, if it is its turn, and fewer than `most` moves were made."""
        state = player.get(f"/api/seats/{seat}")
        if not state["choices"]:
            return
        position = self._position(state["name"])
        if position is None or position[1] is None or (most is not None and position[0] >= most):
            return
        chosen = bot.choose(position[1], Seat(state["seat"]), None)
        player.ask("POST", f"/api/seats/{seat}/move", {"move": self._game.write_move(chosen)})

    def _position(self, name: str) -> tuple[int, Position[Any] | None] | None:
        """How many moves were made at the player's table, and where they have led."""
        room = Program(self._port).get(f"/api/rooms/{self._room}")
        for table in room["tables"]:
            if name in table["players"] and table["result"] is None:
                path = f"/api/rooms/{self._room}/tables/{table['name']}"
                status, state = Program(self._port).ask("GET", path)
                if status != 200:
                    return None
                position: Position[Any] = self._game.start(0)
                for played in state["history"]:
                    position = position.after(self._game.read_move(played["move"]))
                mine = state["table"]["players"].index(name) + 1
                is_mine = position.to_move is not None and position.to_move.value == mine
                return len(state["history"]), position if is_mine else None
        return None
