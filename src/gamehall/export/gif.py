"""Records as animated GIFs: a picture of each position, the last one shown longer."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import resvg_py
from PIL import Image

from gamehall.core import Game
from gamehall.export.record_page import pictures, seconds_a_picture
from gamehall.match import Record

WIDTH = 480
"""In pixels; the height follows from the picture."""
LAST_SECONDS = 4.0
SAMPLES = 4
"""From so many pictures, spread over the match, its colours are taken."""
GROUND = "#ffffff"
"""What is seen behind the corners of a board."""


def write(game: Game[Any], record: Record) -> bytes:
    """Return the record as a GIF that begins again at its end. Raises RecordError."""
    return write_pictures(list(pictures(game, record)))


def write_pictures(drawn: list[str]) -> bytes:
    """Pictures, one after the other, as a GIF that begins again at its end."""
    seconds = [seconds_a_picture(len(drawn))] * (len(drawn) - 1) + [LAST_SECONDS]
    first, *rest = _frames(drawn)
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


def _frames(drawn: list[str]) -> Iterator[Image.Image]:
    """The pictures in pixels, all in the same colours, so that what stays does not flicker."""
    last = len(drawn) - 1
    samples = [_pixels(drawn[last * index // (SAMPLES - 1)]) for index in range(SAMPLES)]
    width, height = samples[0].size
    together = Image.new("RGB", (width, height * SAMPLES))
    for index, sample in enumerate(samples):
        together.paste(sample, (0, height * index))
    palette = together.quantize()
    for picture in drawn:
        yield _pixels(picture).quantize(palette=palette, dither=Image.Dither.NONE)


def _pixels(picture: str) -> Image.Image:
    content = resvg_py.svg_to_bytes(svg_string=picture, width=WIDTH, background=GROUND)
    return Image.open(BytesIO(content)).convert("RGB")
