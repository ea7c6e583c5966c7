"""The server's clock and its timers, with a monotonic clock that the test moves."""

import asyncio
import logging
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamehall.server.hall_clock import HEARTBEAT_SECONDS, HallClock, keep_beating
from gamehall.server.timers import Timers
from tests.support.event_loop import EventLoop

START = 1000.0


class Server:
    """A clock with its heartbeat and timers."""

    def __init__(self) -> None:
        self.loop = EventLoop(START)
        self.clock = HallClock(self.loop.time)
        self.timers = Timers(self.clock.now, self._call_later)
        self.ticks: list[float] = []
        """The times of the clock at which a deadline was ticked."""
        self.alarms = 0
        self._beat()

    def tick(self, now: float) -> None:
        self.ticks.append(now - START)

    def run(self, seconds: float) -> None:
        self.loop.run(self.loop.now + seconds)

    def _beat(self) -> None:
        self.clock.beat()
        self.loop.call_later(HEARTBEAT_SECONDS, self._beat)

    def _call_later(self, seconds: float, call: Callable[[], None]) -> asyncio.TimerHandle:
        self.alarms += 1
        return self.loop.call_later(seconds, call)


def beating_clock(loop: EventLoop) -> HallClock:
    clock = HallClock(loop.time)
    clock.beat()
    return clock


GAPS = {
    "beats": ([0.1, 0.1, 0.1], 0.3),
    "two beats missed": ([0.1, 0.24, 0.1], 0.44),
    "a small stall": ([0.1, 0.3, 0.1, 0.1], 0.2),
    "a stall": ([0.1, 7.0, 0.1, 0.1], 0.2),
    "a stall at once": ([7.0, 0.1, 0.1], 0.1),
    "a stall at the end": ([0.1, 7.0], 0.1),
    "two stalls": ([0.1, 7.0, 0.1, 0.1, 7.0, 0.1, 0.1], 0.3),
    "a stall after a stall": ([0.1, 7.0, 7.0, 0.1, 0.1], 0.2),
    "a stall while the first is caught up": ([0.1, 7.0, 0.1, 7.0, 0.1, 0.1], 0.2),
    "a night": ([0.1, 36_000.0, 0.1, 0.1], 0.2),
}
"""The seconds between the beats, and how far the clock has moved at the end.

The beat after a stall does not count: until then the event loop reads what has arrived.
"""


@pytest.mark.parametrize(("gaps", "expected"), GAPS.values(), ids=GAPS)
def test_stalls_are_skipped(gaps: Sequence[float], expected: float) -> None:
    loop = EventLoop(START)
    clock = beating_clock(loop)
    for gap in gaps:
        loop.now += gap
        clock.beat()
    assert clock.now() - START == pytest.approx(expected)


def test_every_reading_of_the_clock_notices_a_stall() -> None:
    loop = EventLoop(START)
    clock = beating_clock(loop)
    loop.now += 0.05
    assert clock() == clock.now() == START + 0.05
    loop.now += 7
    assert clock() == START + 0.05
    loop.now += 0.02
    assert clock() == START + 0.05, "the loop reads what has arrived"
    assert not clock.is_running
    clock.beat()
    loop.now += 0.1
    clock.beat()
    loop.now += 0.1
    assert clock() == pytest.approx(START + 0.15)
    assert clock.is_running


def test_a_busy_loop_whose_heartbeat_is_late_has_not_stalled() -> None:
    """The clock is read for every message."""
    loop = EventLoop(START)
    clock = beating_clock(loop)
    for _ in range(100):
        loop.now += 0.02
        clock.now()
    assert clock.now() - START == pytest.approx(2.0)


def test_before_the_first_beat_no_gap_is_a_stall() -> None:
    loop = EventLoop(START)
    clock = HallClock(loop.time)
    loop.now += 7
    assert clock.now() == START + 7


def test_a_stopped_clock_runs_again_when_all_owners_have_resumed_it() -> None:
    loop = EventLoop(START)
    clock = beating_clock(loop)

    def passes() -> bool:
        before = clock.now()
        loop.now += 0.1
        return clock.now() > before

    assert passes()
    clock.stop("journal")
    assert not passes()
    clock.stop("journal")
    clock.stop("test")
    assert not passes()
    clock.resume("journal")
    clock.resume("another owner")
    assert not passes()
    clock.resume("test")
    assert passes()


def test_only_time_outside_a_stop_counts() -> None:
    loop = EventLoop(START)
    clock = beating_clock(loop)
    loop.now += 0.1
    clock.stop("journal")
    loop.now += 0.2
    clock.resume("journal")
    loop.now += 0.1
    assert clock.now() - START == pytest.approx(0.2)


def test_a_stall_of_a_stopped_clock_does_not_start_it() -> None:
    loop = EventLoop(START)
    clock = beating_clock(loop)
    clock.stop("journal")
    for gap in (7.0, 0.1, 0.1, 0.1):
        loop.now += gap
        clock.beat()
    assert clock.now() == START
    clock.resume("journal")
    loop.now += 0.1
    assert clock.now() == pytest.approx(START + 0.1)


def test_a_clock_that_ignores_stops_still_skips_stalls() -> None:
    loop = EventLoop(START)
    clock = beating_clock(loop)
    clock.stop("journal")
    loop.now += 0.2
    clock.ignore_stops()
    clock.stop("journal")
    for gap in (0.1, 7.0, 0.1, 0.1):
        loop.now += gap
        clock.beat()
    assert clock.now() - START == pytest.approx(0.2)


STEPS = st.lists(
    st.one_of(
        st.floats(0, 10),
        st.sampled_from(["beat", "stop a", "stop b", "resume a", "resume b"]),
    ),
    max_size=50,
)


@given(STEPS)
def test_it_never_goes_back_or_faster_than_time_or_moves_while_stopped(
    steps: list[float | str],
) -> None:
    loop = EventLoop(START)
    clock = HallClock(loop.time)
    stopped: set[str] = set()
    for step in steps:
        before = clock.now()
        passed = 0.0
        if isinstance(step, float):
            loop.now += step
            passed = step
        elif step == "beat":
            clock.beat()
        else:
            verb, _, owner = step.partition(" ")
            (clock.stop if verb == "stop" else clock.resume)(owner)
            (stopped.add if verb == "stop" else stopped.discard)(owner)
        after = clock.now()
        assert before <= after <= before + passed + 1e-9
        assert after == before or not stopped
        if clock.is_running and passed <= 0.2:
            assert after == pytest.approx(before + passed)


# Logging


def lines_of(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == level]


def test_a_stall_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    loop = EventLoop(START)
    clock = beating_clock(loop)
    for gap in (0.1, 7.0, 0.1, 0.1, 0.1, 0.2):
        loop.now += gap
        clock.beat()
    expected = "the process stalled for 7.0 s; the players' clocks were stopped"
    assert [record.getMessage() for record in caplog.records] == [expected]
    assert caplog.records[0].levelno == logging.WARNING


def test_small_stalls_are_logged_at_debug_level(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    loop = EventLoop(START)
    clock = beating_clock(loop)
    for gap in (0.1, 0.4, 0.1, 0.1):
        loop.now += gap
        clock.beat()
    assert lines_of(caplog, logging.DEBUG) == ["the process stalled for 0.40 s"]
    assert lines_of(caplog, logging.WARNING) == []


def test_a_process_that_stalls_all_the_time_logs_a_line_every_five_seconds(
    caplog: pytest.LogCaptureFixture,
) -> None:
    loop = EventLoop(START)
    clock = beating_clock(loop)
    for _ in range(60):
        loop.now += 0.9
        clock.beat()
        loop.now += 0.1
        clock.beat()
    lines = lines_of(caplog, logging.WARNING)
    assert 10 <= len(lines) <= 13
    assert lines[0] == "the process stalled for 0.9 s; the players' clocks were stopped"
    assert lines[1] == (
        "the process stalled 5 times, in all for 4.5 s; the players' clocks were stopped"
    )


def test_a_stall_just_before_the_end_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        loop = EventLoop(START)
        clock = HallClock(loop.time)
        beating = asyncio.create_task(keep_beating(clock))
        await asyncio.sleep(0)
        loop.now += 7
        clock.now()
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)

    asyncio.run(run())
    [line] = lines_of(caplog, logging.WARNING)
    assert line.startswith("the process stalled for 7.0 s")


# Timers


def test_after_a_stall_a_deadline_has_the_time_that_was_left() -> None:
    server = Server()
    server.timers.set(server, START + 5)
    server.run(3.0)
    server.loop.now += 7.0
    server.run(2.0)
    assert server.ticks == []
    server.run(0.3)
    [tick] = server.ticks
    assert 5 <= tick < 5.05
    assert server.alarms <= 3


@pytest.mark.parametrize("left", [0.0005, 0.03, 4.0])
def test_the_alarm_is_rarely_set_again_while_the_clock_is_stopped(left: float) -> None:
    server = Server()
    server.timers.set(server, START + left)
    server.clock.stop("journal")
    server.run(60)
    assert server.ticks == []
    assert server.alarms < 60 * 20
    server.clock.resume("journal")
    server.run(left + 0.1)
    [tick] = server.ticks
    assert left <= tick < left + 0.1


def test_deadlines_that_are_set_while_the_clock_is_stopped_pass_after_it() -> None:
    server = Server()
    server.clock.stop("journal")
    server.run(1)
    server.timers.set(server, START)
    server.run(0.1)
    assert server.ticks == [0], "a deadline that has passed is ticked although the clock is stopped"
    server.timers.set(server, START + 0.2)
    server.run(10)
    server.clock.resume("journal")
    server.run(0.3)
    assert len(server.ticks) == 2


def test_timers_are_as_precise_after_a_stall_as_before() -> None:
    server = Server()
    server.timers.set(server, START + 1)
    server.run(0.5)
    server.loop.now += 7
    server.run(1)
    for number in range(1, 6):
        server.timers.set(server, server.clock.now() + 0.01)
        due = server.clock.now() + 0.01
        server.run(0.02)
        assert len(server.ticks) == 1 + number
        assert server.ticks[-1] == pytest.approx(due - START, abs=0.002)
