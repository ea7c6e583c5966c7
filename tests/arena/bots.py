"""Faulty bots. Tests load this file like a user's file, as FILE.py:CLASS."""

import os
import random
import sys
import time
from pathlib import Path
from typing import Any


class Good:
    def choose(self, position: Any, seat: Any, seconds_left: float | None) -> Any:
        return random.choice(list(position.legal_moves()))


class Prints(Good):
    def choose(self, position: Any, seat: Any, seconds_left: float | None) -> Any:
        sys.stdout.write("thinking hard\n")
        return super().choose(position, seat, seconds_left)


class Raises:
    def choose(self, position: Any, seat: Any, seconds_left: float | None) -> Any:
        raise RuntimeError("out of ideas")


class Exits:
    def choose(self, position: Any, seat: Any, seconds_left: float | None) -> Any:
        sys.stderr.write("good bye\n")
        sys.stderr.flush()
        os._exit(3)


class Illegal:
    def choose(self, position: Any, seat: Any, seconds_left: float | None) -> Any:
        legal = next(iter(position.legal_moves()))
        return type(legal)(0, 99)


class Wrong:
    def choose(self, position: Any, seat: Any, seconds_left: float | None) -> Any:
        return "d1"


class Hangs:
    def choose(self, position: Any, seat: Any, seconds_left: float | None) -> Any:
        time.sleep(3600)


class Spins:
    def choose(self, position: Any, seat: Any, seconds_left: float | None) -> Any:
        while True:
            pass


class UsesTooMuchMemory:
    def choose(self, position: Any, seat: Any, seconds_left: float | None) -> Any:
        return [bytearray(1 << 24) for _ in range(1000)]


class ListsOpenFiles(Good):
    def choose(self, position: Any, seat: Any, seconds_left: float | None) -> Any:
        open_files = [str(file.resolve()) for file in Path("/proc/self/fd").iterdir()]
        raise RuntimeError("; ".join(open_files))


class StartsBadly(Good):
    def __init__(self) -> None:
        raise RuntimeError("not today")


class EndsBadly(Good):
    def game_over(self, position: Any, seat: Any, result: Any) -> None:
        os._exit(4)
