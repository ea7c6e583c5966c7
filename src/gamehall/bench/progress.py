"""What the benchmark is at, for somebody who waits."""

import sys


def show_progress(doing: str) -> None:
    """What is being done, on a line of the terminal, if there is one, that the next overwrites."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{doing}", end="", file=sys.stderr, flush=True)
