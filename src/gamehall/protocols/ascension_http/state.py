"""Write the state that answers GET /state and POST /moves."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec

from gamehall.core import Seat
from gamehall.games.ascension import AscensionBoard, AscensionPosition, Move
from gamehall.protocols.ascension_http import messages
from gamehall.protocols.ascension_http.messages import INDEX
from gamehall.protocols.ascension_http.settings import AscensionHttpSettings
from gamehall.rooms.notices import PlannedMovePlayed, Snapshot

STATES_KEPT = 8
NO_ERROR = b'"error":""'


class StateEncoder:
    """Writes states, and caches them for all clients that see the same.

    A state shows everything but the decks or, with hidden hands, everything but the decks and the
    hand of the other player (A-Q18).
    """

    def __init__(self, settings: AscensionHttpSettings) -> None:
        self._settings = settings
        self._written: OrderedDict[tuple[str, Seat | None], bytes] = OrderedDict()
        self._response: tuple[str, Seat | None, bytes] | None = None
        """The last response to a client that keeps the connection: version, viewer, bytes."""
        self._moves_of: dict[Seat, _Moves] = {}

    def write(self, shown: Snapshot[Move]) -> bytes:
        """Return the state as JSON."""
        key = (shown.version, self._viewer(shown))
        known = self._written.get(key)
        if known is None:
            known = self._written[key] = msgspec.json.encode(self._state(shown))
            if len(self._written) > STATES_KEPT:
                self._written.popitem(last=False)
        if not shown.error:
            return known
        # The error belongs to this answer only. No client's text stands before it.
        return known.replace(NO_ERROR, b'"error":' + msgspec.json.encode(shown.error), 1)

    def respond(self, shown: Snapshot[Move], wrap: Callable[[bytes], bytes]) -> bytes:
        """Return the whole response, which `wrap` makes from the state, cached for polling clients.

        Not checked: that there is no error, and that `wrap` always does the same.
        """
        viewer = self._viewer(shown)
        last = self._response
        if last is not None and last[0] == shown.version and last[1] is viewer:
            return last[2]
        response = wrap(self.write(shown))
        self._response = (shown.version, viewer, response)
        return response

    def _viewer(self, shown: Snapshot[Move]) -> Seat | None:
        """Return whose state this is, None if all clients see the same."""
        return shown.viewer if self._settings.hide_hands else None

    def _moves(self, seat: Seat, shown: Snapshot[Move]) -> msgspec.Raw:
        match = shown.version.rpartition("-")[0]
        moves = self._moves_of.get(seat)
        if moves is None or moves.match != match or moves.count > len(shown.log):
            moves = self._moves_of[seat] = _Moves(match)
        return moves.write(seat, shown.log)

    def _state(self, shown: Snapshot[Move]) -> dict[str, Any]:
        state: dict[str, Any] = {
            "player_count": shown.players,
            "status": messages.NOT_READY,
            "error": "",
        }
        if shown.position is None:
            return state
        # A door leads only to rooms of its own game.
        whole = cast("AscensionPosition", shown.position)
        hides = self._settings.hide_hands
        seen = whole.seen_by(shown.viewer) if hides else whole.seen_with_open_hands()
        state["status"] = messages.PLAYING if shown.result is None else messages.ENDED
        state["board"] = self._board(seen.board, shown)
        if shown.result is not None and self._settings.extras:
            state["board"] |= _verdict(whole, shown)
        if seen.board.pending is not None and shown.result is None:
            state["pending"] = _pending(seen.board)
        return state

    def _board(self, board: AscensionBoard, shown: Snapshot[Move]) -> dict[str, Any]:
        return {
            "current_turn": board.turn,
            "current_player_index": INDEX[board.turn_owner],
            "honor_remaining": board.honor_pool,
            "void": board.void,
            "center": board.row,
            "mystics": board.mystics,
            "heavy": board.heavies,
            "cultist": 1,
            "players": [self._player(board, seat, shown) for seat in Seat],
        }

    def _player(self, board: AscensionBoard, seat: Seat, shown: Snapshot[Move]) -> dict[str, Any]:
        side = board.side(seat)
        has_turn = board.turn_owner is seat and shown.result is None
        player: dict[str, Any] = {
            "hand": side.hand,
            "discard": side.discard,
            "constructs": [construct.name for construct in side.constructs],
            "runes_remaining": board.runes if has_turn else 0,
            "power_remaining": board.power if has_turn else 0,
            "honor": side.honor,
            "moves": self._moves(seat, shown),
        }
        if self._settings.show_played:
            player["played"] = side.played
        return player


class _Moves:
    """The moves of one player as JSON. Only new moves are encoded."""

    def __init__(self, match: str) -> None:
        self.match = match
        self.count = 0
        """How many moves of both players have been read."""
        self._written = b""

    def write(self, seat: Seat, log: Sequence[PlannedMovePlayed[Move]]) -> msgspec.Raw:
        """Return the list as JSON. Not checked: that the log continues the one before."""
        for noted in log[self.count :]:
            if noted.seat is seat:
                comma = b"," if self._written else b""
                self._written += comma + msgspec.json.encode(_noted(noted))
        self.count = len(log)
        return msgspec.Raw(b"[" + self._written + b"]")


def _noted(noted: PlannedMovePlayed[Move]) -> dict[str, Any]:
    kind, name = messages.write_move(noted.planned.move)
    return {"type": kind, "card_name": name, "turn": noted.turn}


def _pending(board: AscensionBoard) -> dict[str, Any]:
    """Return the choice that the state shows under `pending` (A-Q15)."""
    choice = board.pending
    assert choice is not None
    return {
        "player_index": INDEX[choice.seat],
        "card_name": choice.card,
        "slot": choice.slot,
        "kind": choice.kind.value,
        "options": choice.options,
        "optional": choice.optional,
    }


def _verdict(position: AscensionPosition, shown: Snapshot[Move]) -> dict[str, Any]:
    """Return who has won: without the decks, clients cannot find out themselves (A-Q22)."""
    verdict: dict[str, Any] = {"final_honor": position.scores()}
    if shown.result is not None and shown.result.winner is not None:
        verdict["victor"] = INDEX[shown.result.winner]
    elif position.outcome is not None:
        verdict["victor"] = messages.TIE
    return verdict
