"""Who is who: known by name, lost, found again, given up."""

from gamehall.rooms.reception import Acquaintance, Reception

from gamehall.core import Seat
from gamehall.rooms.notices import Closed, Refusal, Refused, Seated, SignedUp
from gamehall.rooms.reaction import Delivery, Peer
from gamehall.rooms.requests import Join, Leave, Rematch

ANN, BOB, CAT = Peer(1), Peer(2), Peer(3)
DOOR = "tttp"


def told(peer: Peer, notice: Seated | Refused | SignedUp | Closed) -> list[Delivery[object]]:
    return [Delivery((peer,), notice)]


def having_met(**names: Peer) -> Reception:
    reception = Reception()
    for name, peer in names.items():
        reception.note(peer, DOOR, Join(name), told(peer, SignedUp()))
    return reception


def test_whoever_joins_under_a_name_is_known_by_it_and_by_its_door() -> None:
    reception = having_met(ann=ANN)
    assert reception.known == {ANN: Acquaintance(DOOR, "ann")}
    assert not reception.waits
    assert reception.deadline is None


def test_whoever_has_no_name_is_not_known() -> None:
    reception = Reception()
    reception.note(ANN, DOOR, Join(""), told(ANN, Seated(Seat.FIRST)))
    reception.note(BOB, DOOR, Rematch(), [])
    assert reception.known == {}


def test_whoever_is_refused_is_not_known() -> None:
    reception = Reception()
    reception.note(ANN, DOOR, Join("ann"), told(ANN, Refused(Refusal.FULL)))
    assert reception.known == {}


def test_a_spectator_who_is_refused_another_name_is_still_known() -> None:
    reception = having_met(ann=ANN)
    refused = told(ANN, Refused(Refusal.NAME_TAKEN))
    reception.note(ANN, DOOR, Join("bob"), refused)
    reception.observe(refused)
    assert reception.known == {ANN: Acquaintance(DOOR, "ann")}


def test_a_spectator_may_take_another_name() -> None:
    reception = having_met(ann=ANN)
    reception.note(ANN, DOOR, Join("cat"), told(ANN, Seated(None)))
    assert reception.known == {ANN: Acquaintance(DOOR, "cat")}


def test_T_Q14_a_player_keeps_the_name_it_sat_down_with() -> None:
    reception = Reception()
    reception.note(ANN, DOOR, Join("ann"), told(ANN, Seated(Seat.FIRST)))
    reception.note(ANN, DOOR, Join("cat"), told(ANN, Seated(Seat.FIRST)))
    assert reception.known == {ANN: Acquaintance(DOOR, "ann")}


def test_whoever_leaves_or_is_sent_away_is_not_known_any_more() -> None:
    reception = having_met(ann=ANN, bob=BOB, cat=CAT)
    reception.note(ANN, DOOR, Leave(None), [])
    reception.observe(told(BOB, Closed("cheated")))
    assert reception.known.keys() == {CAT}


def test_what_is_said_besides_changes_nothing() -> None:
    reception = having_met(ann=ANN)
    reception.observe(told(ANN, SignedUp()))
    assert reception.known.keys() == {ANN}


def test_who_is_lost_is_found_by_name_at_the_same_door_only() -> None:
    reception = having_met(ann=ANN, bob=BOB)
    reception.lose(ANN, until=60.0)
    assert reception.waits
    assert reception.find(DOOR, "ann") == ANN
    assert reception.find("another door", "ann") is None
    assert reception.find(DOOR, "bob") is None, "bob is not lost"
    assert reception.find(DOOR, "cat") is None


def test_of_two_who_are_lost_under_one_name_none_is_found() -> None:
    reception = having_met(ann=ANN)
    reception.note(BOB, DOOR, Join("ann"), told(BOB, SignedUp()))
    reception.lose(ANN, until=60.0)
    assert reception.find(DOOR, "ann") == ANN, "the other is here"
    reception.lose(BOB, until=60.0)
    assert reception.find(DOOR, "ann") is None


def test_who_is_back_is_not_waited_for() -> None:
    reception = having_met(ann=ANN, bob=BOB)
    reception.lose(ANN, until=60.0)
    reception.lose(BOB, until=70.0)
    assert reception.deadline == 60.0
    reception.welcome_back(ANN)
    assert reception.waits
    assert reception.deadline == 70.0
    assert reception.find(DOOR, "ann") is None
    reception.welcome_back(BOB)
    assert not reception.waits
    assert reception.deadline is None
    assert reception.give_up(1000.0) == []


def test_who_does_not_come_back_is_given_up_when_the_time_is_over() -> None:
    reception = having_met(ann=ANN, bob=BOB)
    reception.lose(ANN, until=60.0)
    reception.lose(BOB, until=70.0)
    assert reception.give_up(59.9) == []
    assert reception.give_up(60.0) == [ANN]
    assert reception.find(DOOR, "ann") is None
    assert reception.waits
    assert reception.give_up(100.0) == [BOB]
    assert not reception.waits


def test_who_is_gone_for_good_is_not_waited_for() -> None:
    reception = having_met(ann=ANN)
    reception.lose(ANN, until=60.0)
    reception.forget(ANN)
    assert not reception.waits
    assert reception.deadline is None
    assert reception.known == {}
