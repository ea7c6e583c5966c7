"""Checks that no prompt is lost or withdrawn."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from gamehall.rooms.room import Peer, Room
from tests.simulation.clients import Client
from tests.simulation.event_log import EventLog, Violation
from tests.simulation.honest_client import HonestClient
from tests.simulation.matches import Prompt, absences_of, open_prompts, running_matches
from tests.simulation.network import Link

SECONDS_TO_TELL = 4.0
"""More than the slowest disk and the slowest network need together."""


class OpenPrompts:
    """Checks, at every entry of a room, that prompts stay open until they are answered (X-06)."""

    def __init__(self, room: str, event_log: EventLog) -> None:
        self._room = room
        self._event_log = event_log
        self._open: dict[int, Prompt] = {}
        self._away_until: dict[Peer, float] = {}

    def begin(self, room: Room[Any], now: float) -> None:
        """Start with a new room, or a restored one."""
        self._open = open_prompts(room)
        self._away_until = absences_of(room)

    def check(self, room: Room[Any], entry: bytes) -> None:
        """Report a violation if the entry has closed a prompt without an answer or a timeout."""
        now, peer, request = msgspec.json.decode(entry)
        before, self._open = self._open, open_prompts(room)
        for seed, prompt in before.items():
            still = self._open.get(seed)
            # A player whose seat was given up cannot answer any more.
            is_given_up = now >= self._away_until.get(prompt.peer, float("inf"))
            is_over = is_given_up or (prompt.deadline is not None and now >= prompt.deadline)
            if peer != prompt.peer and not is_over and (not still or still.peer != prompt.peer):
                self._event_log.report(
                    f"a prompt is withdrawn: {prompt.name} was asked for a move in {self._room},"
                    " and before it has answered the match goes on without it"
                )
        if request and request["type"] == "Away":
            self._away_until[peer] = absences_of(room).get(peer, now)
        elif request:
            self._away_until.pop(peer, None)


class Turn(NamedTuple):
    """A turn of a player over its current connection."""

    seed: int
    """Of the match."""
    moves: int
    link: Link


class Prompts:
    """Checks periodically that players who are to move know it."""

    def __init__(self) -> None:
        self._unasked: dict[Turn, float] = {}
        """The turns of which the players do not know, and since when."""

    def check(self, rooms: Mapping[str, Room[Any]], clients: Iterable[Client], now: float) -> None:
        """Raise Violation if an honest, connected player does not know that it is to move.

        `now` is the time of the server's clock, which is stopped while the server cannot send.
        """
        present = {
            (client.plan.room, client.link.server_end._whoami()): client
            for client in clients
            if isinstance(client, HonestClient) and client.link is not None and _can_be_told(client)
        }
        unasked: dict[Turn, float] = {}
        for name, room in rooms.items():
            for match in running_matches(room):
                client = present.get((name.partition("/")[0], match.to_move or 0))
                if client is None or client.link is None or client.is_asked:
                    continue
                turn = Turn(match.seed, match.moves, client.link)
                since = unasked[turn] = self._unasked.get(turn, now)
                if now - since >= SECONDS_TO_TELL:
                    raise Violation(
                        f"a prompt is withdrawn: {client.name} at {client.plan.protocol.name} is to"
                        f" move, and in {now - since:.0f} seconds it was not told so"
                    )
        self._unasked = unasked


def _can_be_told(client: Client) -> bool:
    link = client.link
    is_there = link is not None and not link.is_disturbed and not link.has_ended
    return is_there and not client.is_gone and not client.is_exempt
