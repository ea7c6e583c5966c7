"""What checks need of servers where players sign up and wait until a tournament begins."""

from typing import Any, NoReturn

from gamehall.conformance.connection import CheckSkippedError
from gamehall.conformance.target import Target
from gamehall.wire.settings import TournamentSettings

LONGEST_WINDOW = 8.0
"""How many seconds it may take a server to begin a tournament, for the checks to be worth it."""

SECONDS_FOR_THE_LAST = 1.0
"""How long a player may be told later than another that the tournament has begun."""

NAMES = ("ann", "bob", "cat")


def require_tournament(settings: TournamentSettings, number: int) -> None:
    """Skip the check if the door is said to be set so that this many play no tournament."""
    is_enough = settings.min_players <= number <= settings.max_players
    if settings.players not in (0, number) or not is_enough:
        raise CheckSkippedError(
            f"no tournament of {number} begins here (players, min-, max-players)"
        )
    if settings.join_window > LONGEST_WINDOW:
        raise CheckSkippedError(
            f"it takes {settings.join_window} s to begin a tournament (join-window)"
        )


def seconds_to_begin(target: Target[Any]) -> float:
    """Return how long to wait until a tournament begins."""
    return float(target.settings.join_window + target.patience_seconds)


def usual_names(target: Target[Any]) -> tuple[str, ...]:
    """Return names for as few players as are enough for a tournament, as far as that is known."""
    return NAMES[: target.known.get("enough", 2)]


def skip_without_tournament(target: Target[Any]) -> None:
    """Skip the check if it is known that no tournament begins: waiting again would not help."""
    if "no tournament" in target.known:
        raise CheckSkippedError(target.known["no tournament"])


def note_third_needed(target: Target[Any], reading: str) -> None:
    """Note that a tournament has begun only when a third player came."""
    target.differs(reading, "two players are not enough for a tournament")
    target.known["enough"] = 3


def give_up_waiting(target: Target[Any], players: int) -> NoReturn:
    """Skip the check, because no tournament has begun in time."""
    why = (
        f"no tournament has begun with {players} players in {seconds_to_begin(target):.0f} s"
        " (set players, min-players or join-window as it is there)"
    )
    if "a tournament began" not in target.known:
        target.known["no tournament"] = why
    raise CheckSkippedError(why)
