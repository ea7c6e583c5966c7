"""Whoever is to move has been told so: the promise that no prompt is lost or withdrawn."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from gamehall.rooms.room import Peer, Room
from tests.simulation.chronicle import Chronicle, Violation
from tests.simulation.clients import Client
from tests.simulation.honest import Honest
from tests.simulation.matches import Prompt, absences_of, open_prompts, running_matches
from tests.simulation.wires import Wire

SECONDS_TO_TELL = 4.0
"""More than the slowest disk and the slowest network take together."""


class OpenPrompts:
    """Watches, at every entry of a room, that prompts stay open until they are answered (X-06)."""

    def __init__(self, room: str, chronicle: Chronicle) -> None:
        self._room = room
        self._chronicle = chronicle
        self._open: dict[int, Prompt] = {}
        self._away_until: dict[Peer, float] = {}

    def begin(self, room: Room[Any], now: float) -> None:
        """The room begins, or was restored."""
        self._open = open_prompts(room)
        self._away_until = absences_of(room)

    def check(self, room: Room[Any], entry: bytes) -> None:
        """Complain if the entry has closed a prompt, and was neither its answer nor too late."""
        now, peer, request = msgspec.json.decode(entry)
        before, self._open = self._open, open_prompts(room)
        for seed, prompt in before.items():
            still = self._open.get(seed)
            # Whose seat was kept for long enough cannot answer any more.
            is_given_up = now >= self._away_until.get(prompt.peer, float("inf"))
            is_over = is_given_up or (prompt.deadline is not None and now >= prompt.deadline)
            if peer != prompt.peer and not is_over and (not still or still.peer != prompt.peer):
                self._chronicle.complain(
                    f"a prompt is withdrawn: {prompt.name} was asked for a move in {self._room},"
                    " and before it has answered the match goes on without it"
                )
        if request and request["type"] == "Away":
            self._away_until[peer] = absences_of(room).get(peer, now)
        elif request:
            self._away_until.pop(peer, None)


class Turn(NamedTuple):
    """A turn of a player, over the line that it has now."""

    seed: int
    """Of the match."""
    moves: int
    wire: Wire


class Prompts:
    """Watches, from time to time, that everybody who is to move knows it."""

    def __init__(self) -> None:
        self._unasked: dict[Turn, float] = {}
        """The turns of which their players do not know, and since when."""

    def check(self, rooms: Mapping[str, Room[Any]], clients: Iterable[Client], now: float) -> None:
        """Raise Violation if an honest player, whom nothing disturbs, waits for its own turn.

        `now` is by the hall's clock, which stands while nobody can be told anything.
        """
        present = {
            (client.plan.room, client.wire.hall_end._whoami()): client
            for client in clients
            if isinstance(client, Honest) and client.wire is not None and _can_be_told(client)
        }
        unasked: dict[Turn, float] = {}
        for name, room in rooms.items():
            for match in running_matches(room):
                client = present.get((name.partition("/")[0], match.to_move or 0))
                if client is None or client.wire is None or client.is_asked:
                    continue
                turn = Turn(match.seed, match.moves, client.wire)
                since = unasked[turn] = self._unasked.get(turn, now)
                if now - since >= SECONDS_TO_TELL:
                    raise Violation(
                        f"a prompt is withdrawn: {client.name} at {client.plan.protocol.name} is to"
                        f" move, and in {now - since:.0f} seconds nobody has told it so"
                    )
        self._unasked = unasked


def _can_be_told(client: Client) -> bool:
    wire = client.wire
    is_there = wire is not None and not wire.is_disturbed and not wire.has_ended
    return is_there and not client.is_gone and not client.is_excused
