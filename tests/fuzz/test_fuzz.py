"""A small campaign, and whether campaigns find planted faults."""

from random import Random

import pytest

from gamehall.games.connect_four import Cell
from gamehall.protocols.catalogue import all_protocols
from gamehall.protocols.tttp import PROTOCOL, TttpSession
from gamehall.rooms.requests import Pong, Request
from gamehall.wire.framing import Lines
from tests.fuzz.campaign import Tally, random_of, report, run_part, size_of
from tests.fuzz.corpus import corpus_of, recorded_of
from tests.fuzz.replay import replay
from tests.fuzz.script import Script
from tests.fuzz.server_end import ServerEnd
from tests.fuzz.targets import FramingTarget, SessionTarget, Target, all_targets

SEED = 3
INPUTS = 16_000
RARE = b"\xfe"


def log_nothing(text: str) -> None:
    """Ignore progress messages."""


def campaign_on(target: Target, inputs: int) -> Tally:
    return run_part([target], inputs, SEED, 0, 1, log_nothing)


def test_no_input_makes_anything_fail() -> None:
    targets = all_targets()
    tally = run_part(list(targets.values()), INPUTS, SEED, 0, 1, log_nothing)
    assert not tally.failures, report(tally, targets, SEED)
    assert sum(tally.inputs.values()) == INPUTS
    assert set(tally.inputs) == set(targets)


def test_the_parts_of_a_campaign_add_up_to_the_whole() -> None:
    targets = [all_targets()[name] for name in ("packets", "lines", "tttp-session")]
    whole, parts = run_part(targets, 3000, SEED, 0, 1, log_nothing), Tally()
    for part in range(2):
        parts.add(run_part(targets, 3000, SEED, part, 2, log_nothing))
    assert parts.inputs == whole.inputs
    assert parts.sizes == whole.sizes


@pytest.mark.parametrize("name", all_targets())
def test_an_input_follows_from_its_number(name: str) -> None:
    target = all_targets()[name]
    one, again, other = (target.make(random_of(name, SEED, number)) for number in (1, 1, 2))
    assert one == again
    assert one != other
    assert size_of(one) == size_of(again)


class RaisesOnRareByte(TttpSession):
    """A session with a planted fault."""

    def receive_data(self, data: bytes, now: float) -> None:
        if RARE in data:
            raise KeyError("planted")
        super().receive_data(data, now)


class DependsOnChunks(TttpSession):
    """A session whose requests depend on how the stream was cut."""

    def read(self, message: bytes) -> Request[Cell]:
        return Pong() if self._framing.has_more else super().read(message)


class PlantedTarget(SessionTarget):
    """The server's end of TTTP with a planted fault."""

    def __init__(self, planted: type[TttpSession]) -> None:
        super().__init__(PROTOCOL)
        self._planted = planted

    def run(self, script: Script, random: Random) -> list[object]:
        session = PROTOCOL.sessions(self.settings(script.settings))(0.0)
        planted = self._planted(
            self.settings(script.settings), session._timeouts, session._encoder, 0.0
        )
        return ServerEnd(planted, script).run(random)


def test_a_planted_fault_is_found_and_can_be_replayed() -> None:
    target = PlantedTarget(RaisesOnRareByte)
    tally = campaign_on(target, 2000)
    [failure] = tally.failures.values()
    text = report(tally, {target.name: target}, SEED)
    command = f"python -m tests.fuzz --replay tttp-session --seed {SEED} --number {failure.number}"
    assert "KeyError: 'planted'" in text
    assert command in text.splitlines()
    shown, is_ok = replay(target, SEED, failure.number, is_shrunk=True)
    assert not is_ok
    assert "KeyError: 'planted'" in shown
    assert "Give(who='a', data=b'\\xfe')" in shown.splitlines()


def test_a_dependence_on_chunks_is_found() -> None:
    tally = campaign_on(PlantedTarget(DependsOnChunks), 2000)
    [failure] = tally.failures.values()
    assert "in other chunks" in failure.reason


class KeepsEverything(Lines):
    """A framing without a limit."""

    def next_message(self) -> str | None:
        return None


class NeverEnds(Lines):
    """A framing that returns more messages than were sent."""

    def next_message(self) -> str | None:
        return "again"


@pytest.mark.parametrize(
    ("planted", "words"), [(KeepsEverything, "may be kept"), (NeverEnds, "messages were read")]
)
def test_a_framing_without_limits_is_found(planted: type[Lines], words: str) -> None:
    recorded = corpus_of(recorded_of("go-text").sessions)
    target = FramingTarget("planted", lambda: planted(longest=100), lambda: [recorded])
    failures = campaign_on(target, 300).failures.values()
    assert any(words in failure.reason for failure in failures)


def test_an_input_that_does_not_fail_can_be_replayed() -> None:
    shown, is_ok = replay(all_targets()["packets"], SEED, 1, is_shrunk=False)
    assert is_ok
    assert shown.endswith("nothing failed")


def test_every_framing_in_use_has_a_target() -> None:
    framings = [one for one in all_targets().values() if isinstance(one, FramingTarget)]
    targeted = {type(target._open()) for target in framings}
    for protocol in all_protocols().values():
        settings = protocol.settings()
        assert type(protocol.sessions(settings)(0.0)._framing) in targeted
        assert type(protocol.client(settings)._framing) in targeted
