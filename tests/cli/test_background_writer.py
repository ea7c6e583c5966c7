"""Output that never holds up the hall."""

import os
from pathlib import Path

from gamehall.cli.logs import BackgroundWriter


def test_lines_are_written_in_order(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as stream:
        writer = BackgroundWriter(stream, 10)
        for line in ("one", "zwölf", "\ud800"):
            writer.write(line)
        writer.finish(10)
    assert (tmp_path / "out").read_text() == "one\nzwölf\n\\ud800\n"


def test_X_09_a_stream_that_nobody_reads_holds_up_nothing() -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream:
        writer = BackgroundWriter(stream, 1000)
        for _ in range(2000):
            writer.write("x" * 1000)
        writer.finish(0.01)
        os.close(reading)
        writer.finish(10)


def test_a_stream_that_was_closed_before_takes_everything() -> None:
    writer = BackgroundWriter(None, 10)
    writer.write("nobody hears this")
    writer.finish(10)
