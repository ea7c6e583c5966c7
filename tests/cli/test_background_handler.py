"""Output that never holds up the hall."""

import os
import subprocess
import sys
from pathlib import Path

from gamehall.cli.logs import BackgroundHandler

LINE = "x" * 999


def test_lines_are_written_in_order(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as stream:
        handler = BackgroundHandler(stream, 10)
        for line in ("one", "zwölf", "100 %s", "\ud800"):
            handler.write(line)
        handler.finish(10)
    assert (tmp_path / "out").read_text() == "one\nzwölf\n100 %s\n\\ud800\n"


def test_X_09_of_a_stream_that_blocks_the_last_lines_are_kept() -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream, os.fdopen(reading) as reader:
        handler = BackgroundHandler(stream, 1000)
        for number in range(2000):
            handler.write(f"{number} {LINE}")
        handler.finish(0.01)
        numbers: list[int] = []
        while not numbers or numbers[-1] < 1999:
            numbers.append(int(reader.readline().split()[0]))
        # What the pipe has taken before it was full, then a gap, then the last lines.
        before = next(at for at, number in enumerate(numbers) if at != number)
        assert numbers == [*range(before), *range(2000 - len(numbers) + before, 2000)]
        # One of the thousand is the end of the queue, for which the oldest line made room.
        assert 999 <= len(numbers) - before <= 1000


def test_a_stream_that_nobody_will_ever_read_takes_no_lines_and_raises_nothing() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        handler = BackgroundHandler(stream, 10)
        handler.write(LINE)
        handler.finish(10)


def test_a_stream_that_was_closed_before_takes_everything() -> None:
    handler = BackgroundHandler(None, 10)
    handler.write("nobody hears this")
    handler.finish(10)


def test_X_09_a_program_whose_log_blocks_comes_to_its_end() -> None:
    program = (
        "import logging; from gamehall.cli import logs\n"
        "handler = logs.set_up('info')\n"
        f"for number in range(500): logging.info(str(number) + {LINE!r})\n"
        "handler.finish(0.1); print('done')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        # Standard error is a full pipe all the while.
        assert running.wait(60) == 0
        assert running.stdout is not None
        assert running.stdout.read() == b"done\n"
