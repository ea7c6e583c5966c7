"""The settings of the doors of a world, drawn at random."""

from random import Random

from gamehall.protocols.catalogue import all_protocols
from gamehall.server.plan import DoorPlan
from gamehall.wire.settings import read_settings

NICKNAMES = {
    "tttp": "four",
    "santorini-lobby": "lob",
    "santorini-tournament": "tour",
    "go-text": "go",
    "ascension-http": "asc",
}

SETTINGS: dict[str, dict[str, list[object]]] = {
    # Time limits are always set, so that no client can keep a room busy forever.
    "tttp": {
        "tables": [1, 2],
        "turn-seconds": [0, 20],
        "rematch": ["any", "finished", "both"],
        "on-leave": ["cancel", "award"],
        "gravity": ["drop", "free", "column"],
        "wait-for-blue": [False, True],
        "max-spectators": [0, 1, 32],
        "max-bad": [3, 100],
        "close-on-deny": [False, True],
    },
    "santorini-lobby": {"parallel": [False, True], "players": [0, 0, 3], "join-window": [3, 0]},
    "santorini-tournament": {
        "parallel": [False, True],
        "max-players": [2, 5, 200],
        "games": [1, 3],
        "best-of": [False, True],
        "max-checks": [10, 0],
    },
    "go-text": {"turn-seconds": [20], "max-errors": [5, 100], "handicap-success": [True, False]},
    "ascension-http": {
        "honor": [4],
        "turns": [6],
        "turn-timeout": [20],
        "next-game": [5],
        "tokens": [False, True],
        "atomic": [False, True],
        "long-poll": [0, 5],
        "sticky-errors": [False, False, True],
        "choices": ["default", "random"],
        "hide-hands": [False, True],
    },
}

SHARED: dict[str, list[object]] = {
    "return-seconds": [0, 10],
    "secrets": [False, True],
    "max-bytes-waiting": [2_000, 200_000, 1_048_576],
    "messages-per-second": [0, 20, 1000],
    "pace-ms": [0, 0, 5],
    "strict": [False, False, True],
}


def make_plans(random: Random, keep_seats: bool) -> list[DoorPlan]:
    """Return random doors with random settings; two of them may share a room.

    `keep_seats`: whether all doors keep the seats of disconnected players.
    """
    protocols = all_protocols()
    names = sorted(random.sample(list(protocols), random.randint(1, len(protocols))))
    shares = random.random() < 0.3 and "santorini-tournament" in names
    plans = []
    for name in names:
        choices = SETTINGS[name] | SHARED
        values = {option: random.choice(values) for option, values in choices.items()}
        if keep_seats:
            values["return-seconds"] = 10
        if name == "ascension-http":
            # A-Q21: with `strict` there is only one game, so no one could play after it.
            values["strict"] = False
        room = "santorini-tournament" if shares and name == "santorini-lobby" else name
        settings = read_settings(protocols[name].settings, values, name)
        plans.append(DoorPlan(protocols[name], 0, settings, room))
    return plans
