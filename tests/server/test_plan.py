"""What is to be opened. How a bad plan is told is in end_to_end/test_serve.py."""

from gamehall.protocols.catalogue import all_protocols
from gamehall.protocols.tttp import TttpSettings
from gamehall.server.plan import plan_doors


def test_without_a_door_all_open_on_their_own_ports() -> None:
    plans = plan_doors(all_protocols(), doors=[], config=None, assignments=[])
    assert {plan.protocol.name: plan.port for plan in plans} == {"tttp": 7003}


def test_a_door_may_have_another_port() -> None:
    [plan] = plan_doors(all_protocols(), ["tttp=1234"], None, [])
    assert plan.port == 1234


def test_strict_goes_for_every_door_that_is_not_told_otherwise() -> None:
    [strict] = plan_doors(all_protocols(), [], None, [], strict=True)
    [lenient] = plan_doors(all_protocols(), [], None, ["tttp.strict=false"], strict=True)
    assert strict.settings == TttpSettings(strict=True)
    assert lenient.settings == TttpSettings(strict=False)
