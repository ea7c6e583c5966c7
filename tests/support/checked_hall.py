"""Run `gamehall` and check at exit that every room can be rebuilt from its journal.

    python -m tests.support.checked_hall serve --door tttp=0

The exit code is 70 if one cannot. Otherwise it behaves as `gamehall` does.
"""

import sys

from gamehall.cli import main
from tests.support.replayed_rooms import recorded

if __name__ == "__main__":
    with recorded() as rooms:
        try:
            main()
        finally:
            try:
                rooms.check()
            except AssertionError as error:
                sys.stderr.write(f"REPLAY DIFFERS: {error}\n")
                sys.exit(70)
