"""Records as animated GIFs."""

from io import BytesIO

import msgspec
import pytest
from PIL import Image, ImageSequence

from gamehall.export import gif
from gamehall.export.record_page import seconds_per_picture
from gamehall.games.connect_four import ConnectFour
from gamehall.match import Clock, RecordError, Referee
from tests.match.test_record import play_at_random

GAME = ConnectFour()
RECORD = play_at_random(Referee(GAME, Clock(), 3), 3)


@pytest.fixture(scope="module")
def animation() -> bytes:
    return gif.write(GAME, RECORD)


def frames_of(content: bytes) -> list[tuple[Image.Image, int]]:
    """Return the frames with their durations in milliseconds."""
    with Image.open(BytesIO(content)) as picture:
        frames = ImageSequence.Iterator(picture)
        return [(frame.convert("RGB"), frame.info["duration"]) for frame in frames]


def test_every_position_has_a_frame_and_the_last_is_shown_longer(
    animation: bytes,
) -> None:
    frames = frames_of(animation)
    assert len(frames) == len(RECORD.moves) + 1
    *usual, last = [duration for _, duration in frames]
    assert set(usual) == {round(1000 * seconds_per_picture(len(frames)))}
    assert last == 1000 * gif.LAST_SECONDS
    assert {frame.size for frame, _ in frames} == {(gif.WIDTH, frames[0][0].height)}


def test_the_animation_repeats(animation: bytes) -> None:
    with Image.open(BytesIO(animation)) as picture:
        assert picture.info["loop"] == 0


def red_pixels(frame: Image.Image) -> int:
    colours = frame.tobytes()
    pixels = zip(colours[::3], colours[1::3], colours[2::3], strict=True)
    return sum(red > 180 and green < 90 and blue < 90 for red, green, blue in pixels)


def test_a_red_disc_is_red_after_the_first_move(animation: bytes) -> None:
    start, after_red, *_ = [frame for frame, _ in frames_of(animation)]
    assert red_pixels(start) == 0
    assert red_pixels(after_red) > 200


def test_a_match_without_moves_has_one_frame() -> None:
    assert len(frames_of(gif.write(GAME, msgspec.structs.replace(RECORD, moves=())))) == 1


def test_a_record_that_cannot_be_replayed_is_an_error() -> None:
    wrong = msgspec.structs.replace(RECORD, moves=RECORD.moves[1:])
    with pytest.raises(RecordError, match="not the turn"):
        gif.write(GAME, wrong)
