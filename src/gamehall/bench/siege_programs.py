"""Programs that are told what to do by lines, and answer each by a line of JSON."""

import json
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any

from gamehall.bench.machine import BenchError

SECONDS_TO_END = 20.0


class Program:
    """A program of this folder that runs beside."""

    def __init__(self, child: "subprocess.Popen[bytes]", module: str, errors: IO[bytes]) -> None:
        """`errors`: where it writes what it complains of."""
        self._child = child
        self._module = module
        self._errors = errors

    def ask(self, line: str, patience_seconds: float) -> dict[str, Any]:
        """What it answers to that line. Raises BenchError if it does not in time."""
        self.tell(line)
        return self.answer(line, patience_seconds)

    def tell(self, line: str) -> None:
        """Says a line, whose answer is asked for later. Raises BenchError if nobody hears it."""
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(line.encode() + b"\n")
            self._child.stdin.flush()
        except OSError:
            raise BenchError(self._complaint(line)) from None

    def answer(self, line: str, patience_seconds: float) -> dict[str, Any]:
        """What it answers to a line that it was told. Raises BenchError if it does not in time."""
        pipe = self._child.stdout
        assert pipe is not None
        deadline = time.monotonic() + patience_seconds
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise BenchError(f"{self._module}: no answer to {line!r} in {patience_seconds:g} s")
        # A line is written at once, so when it has begun to come all of it will.
        written = pipe.readline()
        if not written:
            raise BenchError(self._complaint(line))
        figures: dict[str, Any] = json.loads(written)
        return figures

    def _complaint(self, line: str) -> str:
        self._child.wait(SECONDS_TO_END)
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()
        return f"{self._module} has ended and not answered {line!r}: {said[-2000:]}"


@contextmanager
def program(module: str, options: Sequence[str], ports: Mapping[str, int]) -> Iterator[Program]:
    """Start a program for these doors, and end it at the end, whatever happens."""
    command = [sys.executable, "-m", f"gamehall.bench.{module}", *options]
    command += [f"{door}={port}" for door, port in ports.items()]
    # A file, not a pipe, for what it complains of: nobody reads along, and a full pipe stops it.
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,  # Ctrl-C is for the benchmark, which then ends this too.
        )
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            yield Program(child, module, errors)
            child.stdin.close()
            child.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            raise BenchError(f"{module} has not ended within {SECONDS_TO_END:g} s") from None
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
            child.stdin.close()
            child.stdout.close()
