"""The doors to open. The errors of invalid plans are tested in end_to_end/test_serve.py."""

from gamehall.protocols.catalogue import all_protocols
from gamehall.protocols.santorini_lobby import SantoriniLobbySettings
from gamehall.protocols.santorini_tournament import SantoriniTournamentSettings
from gamehall.protocols.tttp import TttpSettings
from gamehall.server.plan import plan_doors


def test_by_default_all_doors_open_on_their_own_ports() -> None:
    plans = plan_doors(all_protocols(), doors=[], file=None, assignments=[])
    assert [(plan.protocol.name, plan.port) for plan in plans] == [
        ("santorini-lobby", 7000),
        ("santorini-tournament", 7001),
        ("go-text", 7002),
        ("tttp", 7003),
        ("ascension-http", 7004),
    ]
    assert all(plan.has_own_room for plan in plans)


def test_a_door_may_have_another_port() -> None:
    [plan] = plan_doors(all_protocols(), ["tttp=1234"], None, [])
    assert plan.port == 1234


def test_strict_is_the_default_of_every_door() -> None:
    *_, strict, _ = plan_doors(all_protocols(), [], None, [], strict=True)
    *others, lenient, _ = plan_doors(all_protocols(), [], None, ["tttp.strict=false"], strict=True)
    assert strict.settings == TttpSettings(strict=True)
    assert lenient.settings == TttpSettings(strict=False)
    assert all(plan.settings.strict for plan in others)


def test_once_is_the_default_of_every_door_that_has_it() -> None:
    lobby, tournament, *_ = plan_doors(all_protocols(), [], None, [], once=True)
    assert lobby.settings == SantoriniLobbySettings(once=True)
    assert tournament.settings == SantoriniTournamentSettings(once=True)


def test_a_door_may_share_the_room_of_another() -> None:
    lobby, tournament = plan_doors(
        all_protocols(),
        ["santorini-lobby", "santorini-tournament"],
        None,
        ["santorini-lobby.room=santorini-tournament"],
    )
    assert lobby.room == tournament.room == "santorini-tournament"
    assert tournament.has_own_room
    assert not lobby.has_own_room
