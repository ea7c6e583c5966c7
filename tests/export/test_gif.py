"""Records as moving pictures."""

from io import BytesIO

import msgspec
import pytest
from PIL import Image, ImageSequence

from gamehall.export import gif
from gamehall.export.record_page import seconds_a_picture
from gamehall.games.connect_four import ConnectFour
from gamehall.match import Clock, RecordError, Referee
from tests.match.test_record import play_at_random

GAME = ConnectFour()
RECORD = play_at_random(Referee(GAME, Clock(), 3), 3)


@pytest.fixture(scope="module")
def moving() -> bytes:
    """The moving picture of the record, which takes a while to draw."""
    return gif.write(GAME, RECORD)


def frames_of(content: bytes) -> list[tuple[Image.Image, int]]:
    """The pictures, and for how many milliseconds each is shown."""
    with Image.open(BytesIO(content)) as picture:
        frames = ImageSequence.Iterator(picture)
        return [(frame.convert("RGB"), frame.info["duration"]) for frame in frames]


def test_there_is_a_picture_of_every_position_and_the_last_is_shown_longer(
    moving: bytes,
) -> None:
    frames = frames_of(moving)
    assert len(frames) == len(RECORD.moves) + 1
    *usual, last = [duration for _, duration in frames]
    assert set(usual) == {round(1000 * seconds_a_picture(len(frames)))}
    assert last == 1000 * gif.LAST_SECONDS
    assert {frame.size for frame, _ in frames} == {(gif.WIDTH, frames[0][0].height)}


def test_it_begins_again_at_its_end(moving: bytes) -> None:
    with Image.open(BytesIO(moving)) as picture:
        assert picture.info["loop"] == 0


def red_pixels(frame: Image.Image) -> int:
    colours = frame.tobytes()
    pixels = zip(colours[::3], colours[1::3], colours[2::3], strict=True)
    return sum(red > 180 and green < 90 and blue < 90 for red, green, blue in pixels)


def test_a_red_disc_is_red_from_the_first_move_on(moving: bytes) -> None:
    start, after_red, *_ = [frame for frame, _ in frames_of(moving)]
    assert red_pixels(start) == 0
    assert red_pixels(after_red) > 200


def test_a_match_without_moves_is_one_picture() -> None:
    assert len(frames_of(gif.write(GAME, msgspec.structs.replace(RECORD, moves=())))) == 1


def test_a_record_that_cannot_be_replayed_is_refused() -> None:
    wrong = msgspec.structs.replace(RECORD, moves=RECORD.moves[1:])
    with pytest.raises(RecordError, match="not the turn"):
        gif.write(GAME, wrong)
