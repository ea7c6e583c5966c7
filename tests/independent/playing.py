"""Let blocking clients play at the same time."""

import threading
import time
from collections.abc import Callable, Mapping


def play_together(players: Mapping[str, Callable[[], object]], patience_seconds: float) -> None:
    """Call all functions, each in a thread of its own, and wait until they return.

    Raises the exception of a player, or an ExceptionGroup if several players have failed. A player
    who has not come to an end in time has failed with AssertionError.

    Args:
        players: the functions, by the names that the errors use.
    """
    errors: list[Exception] = []

    def play(name: str, run: Callable[[], object]) -> None:
        try:
            run()
        except Exception as error:  # the test has to see it, whatever it is
            error.add_note(f"in the client {name!r}")
            errors.append(error)

    threads = [
        threading.Thread(target=play, args=item, daemon=True, name=item[0])
        for item in players.items()
    ]
    deadline = time.monotonic() + patience_seconds
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
        if thread.is_alive():
            late = f"{thread.name!r} is still playing after {patience_seconds} s"
            errors.append(AssertionError(late))
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ExceptionGroup("several clients have failed", errors)
