"""BackgroundHandler writes output without blocking its caller."""

import os
import subprocess
import sys
from pathlib import Path

from gamehall.cli.logs import BackgroundHandler

LINE = "x" * 999
BYTES_OF_PIPE = 65_536


def test_lines_are_written_in_order(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as stream:
        handler = BackgroundHandler(stream, 10)
        for line in ("one", "zwölf", "100 %s", "\ud800"):
            handler.write(line)
        handler.finish(10)
    assert (tmp_path / "out").read_text() == "one\nzwölf\n100 %s\n\\ud800\n"


def test_X_09_while_a_stream_blocks_the_last_lines_are_kept() -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream, os.fdopen(reading) as reader:
        handler = BackgroundHandler(stream, 1000)
        for number in range(2000):
            handler.write(f"{number} {LINE}")
        handler.finish(0.01)
        numbers: list[int] = []
        while not numbers or numbers[-1] < 1999:
            numbers.append(int(reader.readline().split()[0]))
        # First the lines that fitted into the pipe, then the last lines. One of the thousand places
        # may be taken by the marker that stops the thread.
        assert numbers == sorted(set(numbers))
        assert numbers[-999:] == [*range(1001, 2000)]
        assert len(numbers) <= 1001 + BYTES_OF_PIPE // len(LINE)


def test_a_closed_pipe_raises_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        handler = BackgroundHandler(stream, 10)
        handler.write(LINE)
        handler.finish(10)


def test_a_stream_that_was_closed_before_the_start_raises_no_error() -> None:
    handler = BackgroundHandler(None, 10)
    handler.write("lost")
    handler.finish(10)


def test_X_09_a_program_whose_log_blocks_can_exit() -> None:
    program = (
        "import logging; from gamehall.cli import logs\n"
        "handler = logs.set_up('info')\n"
        f"for number in range(500): logging.info(str(number) + {LINE!r})\n"
        "handler.finish(0.1); print('done')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        # Standard error stays a full pipe.
        assert running.wait(60) == 0
        assert running.stdout is not None
        assert running.stdout.read() == b"done\n"
