"""Records as animated GIFs with a frame for each position. The last one is shown longer."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import resvg_py
from PIL import Image

from gamehall.core import Game
from gamehall.export.record_page import pictures, seconds_per_picture
from gamehall.match import Record

WIDTH = 480
"""In pixels. The height follows from the picture."""
LAST_SECONDS = 4.0
SAMPLES = 4
"""The number of pictures, evenly spread over the match, from which the palette is made."""
BACKGROUND = "#ffffff"
"""Visible behind the round corners of a board."""


def write(game: Game[Any], record: Record) -> bytes:
    """Return the record as a GIF that repeats for ever. Raises RecordError."""
    return write_pictures(list(pictures(game, record)))


def write_pictures(svgs: list[str]) -> bytes:
    """Return SVG pictures as a GIF that repeats for ever."""
    seconds = [seconds_per_picture(len(svgs))] * (len(svgs) - 1) + [LAST_SECONDS]
    first, *rest = _frames(svgs)
    content = BytesIO()
    first.save(
        content,
        format="GIF",
        save_all=True,
        append_images=rest,
        duration=[round(1000 * second) for second in seconds],
        loop=0,
    )
    return content.getvalue()


def _frames(svgs: list[str]) -> Iterator[Image.Image]:
    """Yield the frames. They share a palette: otherwise parts that do not change would flicker."""
    last = len(svgs) - 1
    samples = [_render(svgs[last * index // (SAMPLES - 1)]) for index in range(SAMPLES)]
    width, height = samples[0].size
    combined = Image.new("RGB", (width, height * SAMPLES))
    for index, sample in enumerate(samples):
        combined.paste(sample, (0, height * index))
    palette = combined.quantize()
    for svg in svgs:
        yield _render(svg).quantize(palette=palette, dither=Image.Dither.NONE)


def _render(svg: str) -> Image.Image:
    content = resvg_py.svg_to_bytes(svg_string=svg, width=WIDTH, background=BACKGROUND)
    return Image.open(BytesIO(content)).convert("RGB")
