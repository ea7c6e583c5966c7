"""The path of one move through the server: every Python call between the read and both writes.

    python -m benchmarks walk

It starts a server with a journal in a process that records calls, and plays Connect Four over TTTP.
For one move in the middle of the game, it prints the calls of functions of gamehall in all threads,
from `data_received` to the second `transport.write`. It is independent of the modules of gamehall.
"""

import asyncio
import os
import sys
import tempfile
import threading
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import uvloop

import gamehall
from benchmarks.measuring import BenchmarkError, Effort, connected, gamehall_command, running
from benchmarks.scripts import TTTP, UNLIMITED, play

MOVES_BEFORE = 10
WRITES_OF_A_MOVE = 2
WRITE = "transport.write"
PACKAGE = os.path.dirname(gamehall.__file__) + os.sep  # noqa: PTH120 - compared with co_filename
RECORDING = "GAMEHALL_WALK"
"""The environment variable with the file to write the calls to."""


class Call(msgspec.Struct, frozen=True):
    """A call of a function, or a write to a socket."""

    depth: int
    thread: str
    function: str
    """With its file, as in `server/connection.py:Connection.data_received`."""


class Walk(msgspec.Struct):
    """The calls that one message has caused."""

    calls: list[Call] = msgspec.field(default_factory=list)
    calls_elsewhere: int = 0
    """Calls of Python functions outside of gamehall."""
    writes: int = 0


def run(effort: Effort) -> Iterator[str]:  # noqa: ARG001 - every benchmark is called like this
    """Yield the walk as an indented list."""
    walk = recorded_walk()
    yield "the walk of one Connect Four move over TTTP, from data_received to both writes"
    thread = walk.calls[0].thread
    for call in walk.calls:
        if call.thread != thread:
            yield f"  -- in thread {call.thread}"
            thread = call.thread
        yield f"  {'  ' * call.depth}{call.function}"
    own = [call.function for call in walk.calls if call.function != WRITE]
    files = {function.partition(":")[0] for function in own}
    threads = {call.thread for call in walk.calls}
    yield (
        f"{len(own)} calls in {len(files)} files of gamehall, {walk.calls_elsewhere} calls of"
        f" other Python functions, {len(threads)} threads"
    )


def recorded_walk() -> Walk:
    """Play at a server that records its calls, and return the last walk."""
    with tempfile.TemporaryDirectory(prefix="gamehall-benchmark-") as name:
        folder = Path(name)
        file = folder / "walk"
        settings = {**TTTP.settings, **UNLIMITED}
        python, _, _, *words = gamehall_command({"tttp": settings}, folder / "data")
        os.environ[RECORDING] = str(file)
        try:
            command = [python, "-m", __name__, *words]
            with running(command) as server, connected(server, 2) as pair:
                play(TTTP.opening, pair, TTTP.count)
                play(TTTP.lap[:MOVES_BEFORE], pair, TTTP.count)
        finally:
            del os.environ[RECORDING]
        walk = msgspec.json.decode(file.read_bytes(), type=Walk)
    if walk.writes != WRITES_OF_A_MOVE:
        raise BenchmarkError(f"the last move led to {walk.writes} writes")
    return walk


# In the process of the server


class Recorder:
    """Records the calls of all threads, from a `data_received` to the second write after it."""

    def __init__(self) -> None:
        self.walk = Walk()
        self._depths: dict[int, int] = {}
        """The number of recorded calls that have not returned, by thread."""

    def begin(self) -> None:
        """Start to record, at the arrival of a message."""
        self.walk = Walk()
        self._depths = {}

    def note_write(self) -> None:
        if self.walk.writes < WRITES_OF_A_MOVE:
            self._note(WRITE)
            self.walk.writes += 1

    def profile(self, frame: types.FrameType, event: str, _: Any) -> None:
        """Record a call or a return. A function for sys.setprofile."""
        if event not in ("call", "return") or self.walk.writes >= WRITES_OF_A_MOVE:
            return
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE):
            self.walk.calls_elsewhere += event == "call" and code.co_filename != __file__
            return
        thread = threading.get_ident()
        if event == "call":
            self._note(f"{code.co_filename.removeprefix(PACKAGE)}:{code.co_qualname}")
            self._depths[thread] = self._depths.get(thread, 0) + 1
        else:
            # A function may return that was called before the message arrived.
            self._depths[thread] = max(0, self._depths.get(thread, 0) - 1)

    def _note(self, function: str) -> None:
        depth = self._depths.get(threading.get_ident(), 0)
        self.walk.calls.append(Call(depth, threading.current_thread().name, function))


RECORDER = Recorder()


class RecordedTransport:
    """Wraps a transport, and records writes."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    def write(self, data: bytes) -> None:
        RECORDER.note_write()
        self._transport.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class RecordedProtocol:
    """Wraps a protocol, and starts a recording when data arrives."""

    def __init__(self, protocol: Any) -> None:
        self._protocol = protocol

    def connection_made(self, transport: asyncio.Transport) -> None:
        self._protocol.connection_made(RecordedTransport(transport))

    def data_received(self, data: bytes) -> None:
        RECORDER.begin()
        self._protocol.data_received(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._protocol, name)


class RecordedLoop(uvloop.Loop):
    """Wraps the transports of uvloop, since sys.setprofile does not see calls of C functions."""

    async def create_server(  # type: ignore[override]
        self, factory: Callable[[], Any], *words: Any, **options: Any
    ) -> Any:
        wrapped: Any = lambda: RecordedProtocol(factory())  # noqa: E731
        return await super().create_server(wrapped, *words, **options)

    async def connect_accepted_socket(  # type: ignore[override]
        self, factory: Callable[[], Any], *words: Any, **options: Any
    ) -> Any:
        wrapped: Any = lambda: RecordedProtocol(factory())  # noqa: E731
        return await super().connect_accepted_socket(wrapped, *words, **options)


def serve() -> None:
    """Run `gamehall` with the arguments of the command line, and record its calls."""
    from gamehall.cli import main

    uvloop.new_event_loop = RecordedLoop
    threading.setprofile(RECORDER.profile)
    sys.setprofile(RECORDER.profile)
    try:
        main()
    finally:
        sys.setprofile(None)
        Path(os.environ[RECORDING]).write_bytes(msgspec.json.encode(RECORDER.walk))


if __name__ == "__main__":
    # Import the module under its name in the package, so that RECORDER exists only once.
    from benchmarks.walk import serve as serve_recorded

    serve_recorded()
