"""The hall's clock and its alarm, on a monotonic clock that is a number."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamehall.server.hall_clock import HEARTBEAT_SECONDS, HallClock, keep_beating
from gamehall.server.timers import Timers

START = 1000.0


class Handle:
    """What an event loop gives for a call that is to come."""

    def __init__(self, call: Callable[[], None]) -> None:
        self.call = call
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True


class Loop:
    """Monotonic time, and an event loop's timers, which come when their time has come."""

    def __init__(self) -> None:
        self.time = START
        self._calls: list[tuple[float, int, Handle]] = []
        self._order = 0

    def monotonic(self) -> float:
        return self.time

    def call_later(self, seconds: float, call: Callable[[], None]) -> asyncio.TimerHandle:
        handle = Handle(call)
        self._order += 1
        heappush(self._calls, (self.time + seconds, self._order, handle))
        return cast("asyncio.TimerHandle", handle)

    def run(self, seconds: float) -> None:
        end = self.time + seconds
        while self._calls and self._calls[0][0] <= end:
            when, _, handle = heappop(self._calls)
            self.time = max(self.time, when)
            if not handle.is_cancelled:
                handle.call()
        self.time = end

    def stall(self, seconds: float) -> None:
        """Let time pass in which nothing is called."""
        self.time += seconds


class Hall:
    """A clock with its heartbeat, an alarm, and what came of it."""

    def __init__(self) -> None:
        self.loop = Loop()
        self.clock = HallClock(self.loop.monotonic)
        self.timers = Timers(self.clock.now, self._call_later)
        self.told: list[float] = []
        """When the deadline came, by the clock."""
        self.alarms = 0
        self._beat()

    def tick(self, now: float) -> None:
        self.told.append(now - START)

    def _beat(self) -> None:
        self.clock.beat()
        self.loop.call_later(HEARTBEAT_SECONDS, self._beat)

    def _call_later(self, seconds: float, call: Callable[[], None]) -> asyncio.TimerHandle:
        self.alarms += 1
        return self.loop.call_later(seconds, call)


def beating_clock(loop: Loop) -> HallClock:
    clock = HallClock(loop.monotonic)
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
"""Seconds between the beats, and what the clock has gone on by in the end.

The beat after a stall is not counted: what has arrived is read until then.
"""


@pytest.mark.parametrize(("gaps", "expected"), GAPS.values(), ids=GAPS)
def test_stalls_are_left_out(gaps: Sequence[float], expected: float) -> None:
    loop = Loop()
    clock = beating_clock(loop)
    for gap in gaps:
        loop.time += gap
        clock.beat()
    assert clock.now() - START == pytest.approx(expected)


def test_whatever_reads_the_clock_notices_a_stall() -> None:
    loop = Loop()
    clock = beating_clock(loop)
    loop.time += 0.05
    assert clock() == clock.now() == START + 0.05
    loop.time += 7
    assert clock() == START + 0.05
    loop.time += 0.02
    assert clock() == START + 0.05, "the loop reads what has arrived"
    assert not clock.is_running
    clock.beat()
    loop.time += 0.1
    clock.beat()
    loop.time += 0.1
    assert clock() == pytest.approx(START + 0.15)
    assert clock.is_running


def test_a_busy_loop_whose_heartbeat_is_late_has_not_stalled() -> None:
    """Clients are heard all the time, and each time the clock is read."""
    loop = Loop()
    clock = beating_clock(loop)
    for _ in range(100):
        loop.time += 0.02
        clock.now()
    assert clock.now() - START == pytest.approx(2.0)


def test_before_the_first_beat_nothing_is_a_stall() -> None:
    loop = Loop()
    clock = HallClock(loop.monotonic)
    loop.time += 7
    assert clock.now() == START + 7


def test_a_stopped_clock_stands_until_all_who_stopped_it_have_resumed_it() -> None:
    loop = Loop()
    clock = beating_clock(loop)

    def passes() -> bool:
        before = clock.now()
        loop.time += 0.1
        return clock.now() > before

    assert passes()
    clock.stop("journal")
    assert not passes()
    clock.stop("journal")
    clock.stop("test")
    assert not passes()
    clock.resume("journal")
    clock.resume("nobody")
    assert not passes()
    clock.resume("test")
    assert passes()


def test_what_passes_before_a_stop_counts_and_what_passes_after_does_not() -> None:
    loop = Loop()
    clock = beating_clock(loop)
    loop.time += 0.1
    clock.stop("journal")
    loop.time += 0.2
    clock.resume("journal")
    loop.time += 0.1
    assert clock.now() - START == pytest.approx(0.2)


def test_a_stall_of_a_stopped_clock_does_not_set_it_going() -> None:
    loop = Loop()
    clock = beating_clock(loop)
    clock.stop("journal")
    for gap in (7.0, 0.1, 0.1, 0.1):
        loop.time += gap
        clock.beat()
    assert clock.now() == START
    clock.resume("journal")
    loop.time += 0.1
    assert clock.now() == pytest.approx(START + 0.1)


def test_a_clock_that_ignores_stops_runs_and_still_leaves_out_stalls() -> None:
    loop = Loop()
    clock = beating_clock(loop)
    clock.stop("journal")
    loop.time += 0.2
    clock.ignore_stops()
    clock.stop("journal")
    for gap in (0.1, 7.0, 0.1, 0.1):
        loop.time += gap
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
def test_it_never_goes_back_nor_faster_than_time_nor_on_while_it_is_stopped(
    steps: list[float | str],
) -> None:
    loop = Loop()
    clock = HallClock(loop.monotonic)
    stopped: set[str] = set()
    for step in steps:
        before = clock.now()
        passed = 0.0
        if isinstance(step, float):
            loop.time += step
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


# What is logged.


def lines_of(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == level]


def test_a_stall_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    loop = Loop()
    clock = beating_clock(loop)
    for gap in (0.1, 7.0, 0.1, 0.1, 0.1, 0.2):
        loop.time += gap
        clock.beat()
    expected = "the process stalled for 7.0 s; the players' clocks were stopped"
    assert [record.getMessage() for record in caplog.records] == [expected]
    assert caplog.records[0].levelno == logging.WARNING


def test_small_stalls_are_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    loop = Loop()
    clock = beating_clock(loop)
    for gap in (0.1, 0.4, 0.1, 0.1):
        loop.time += gap
        clock.beat()
    assert lines_of(caplog, logging.DEBUG) == ["the process stalled for 0.40 s"]
    assert lines_of(caplog, logging.WARNING) == []


def test_a_process_that_stalls_all_the_time_logs_a_line_every_five_seconds(
    caplog: pytest.LogCaptureFixture,
) -> None:
    loop = Loop()
    clock = beating_clock(loop)
    for _ in range(60):
        loop.time += 0.9
        clock.beat()
        loop.time += 0.1
        clock.beat()
    lines = lines_of(caplog, logging.WARNING)
    assert 10 <= len(lines) <= 13
    assert lines[0] == "the process stalled for 0.9 s; the players' clocks were stopped"
    assert lines[1] == (
        "the process stalled 5 times, in all for 4.5 s; the players' clocks were stopped"
    )


def test_a_stall_just_before_the_end_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        loop = Loop()
        clock = HallClock(loop.monotonic)
        beating = asyncio.create_task(keep_beating(clock))
        await asyncio.sleep(0)
        loop.time += 7
        clock.now()
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)

    asyncio.run(run())
    [line] = lines_of(caplog, logging.WARNING)
    assert line.startswith("the process stalled for 7.0 s")


# The alarm.


def test_after_a_stall_the_alarm_is_set_for_what_is_left() -> None:
    hall = Hall()
    hall.timers.set(hall, START + 5)
    hall.loop.run(3.0)
    hall.loop.stall(7.0)
    hall.loop.run(2.0)
    assert hall.told == []
    hall.loop.run(0.3)
    [told] = hall.told
    assert 5 <= told < 5.05
    assert hall.alarms <= 3


@pytest.mark.parametrize("left", [0.0005, 0.03, 4.0])
def test_the_alarm_of_a_clock_that_stands_is_set_again_in_no_hurry(left: float) -> None:
    hall = Hall()
    hall.timers.set(hall, START + left)
    hall.clock.stop("journal")
    hall.loop.run(60)
    assert hall.told == []
    assert hall.alarms < 60 * 20
    hall.clock.resume("journal")
    hall.loop.run(left + 0.1)
    [told] = hall.told
    assert left <= told < left + 0.1


def test_deadlines_that_are_set_while_the_clock_stands_come_after_it() -> None:
    hall = Hall()
    hall.clock.stop("journal")
    hall.loop.run(1)
    hall.timers.set(hall, START)
    hall.loop.run(0.1)
    assert hall.told == [0], "what is due already comes though the clock stands"
    hall.timers.set(hall, START + 0.2)
    hall.loop.run(10)
    hall.clock.resume("journal")
    hall.loop.run(0.3)
    assert len(hall.told) == 2


def test_an_alarm_is_as_punctual_after_a_stall_as_before() -> None:
    hall = Hall()
    hall.timers.set(hall, START + 1)
    hall.loop.run(0.5)
    hall.loop.stall(7)
    hall.loop.run(1)
    for number in range(1, 6):
        hall.timers.set(hall, hall.clock.now() + 0.01)
        due = hall.clock.now() + 0.01
        hall.loop.run(0.02)
        assert len(hall.told) == 1 + number
        assert hall.told[-1] == pytest.approx(due - START, abs=0.002)
