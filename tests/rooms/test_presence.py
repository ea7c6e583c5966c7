"""Who is who: known by name, lost, found again, given up."""

from typing import Any

from gamehall.core import Seat
from gamehall.rooms.entries import Entry
from gamehall.rooms.journal import replay
from gamehall.rooms.notices import Notice, Refusal, Refused, Seated, SignedUp
from gamehall.rooms.presence import Identity, Presence
from gamehall.rooms.reaction import Delivery, Peer, Reaction
from gamehall.rooms.requests import Join, Leave, Rematch, Request
from tests.support.hosted import Hosted

ANN, BOB, CAT = Peer(1), Peer(2), Peer(3)
DOOR = "tttp"
TABLE = "tttp/1"


def note(
    presence: Presence, peer: Peer, request: Request[Any], notice: Notice[Any], room: str = TABLE
) -> None:
    """Have a request noted to which the room answers with one notice."""
    presence.note(room, peer, DOOR, request, Reaction([Delivery((peer,), notice)]))


def with_members(**names: Peer) -> Presence:
    presence = Presence()
    for name, peer in names.items():
        note(presence, peer, Join(name), SignedUp())
    return presence


def names(presence: Presence) -> dict[Peer, str]:
    return {peer: member.identity.name for peer, member in presence.members.items()}


def identity(name: str, door: str = DOOR, secret: str = "") -> Identity:
    return Identity(door, name, secret)


def test_a_player_who_joins_under_a_name_is_known_by_it_by_its_door_and_by_its_secret() -> None:
    presence = Presence()
    note(presence, ANN, Join("ann", secret="a secret"), SignedUp())
    assert presence.members[ANN].identity == Identity(DOOR, "ann", "a secret")
    assert presence.members[ANN].room == TABLE
    assert not presence.is_waiting(TABLE)
    assert presence.deadline is None


def test_a_player_without_a_name_is_not_known() -> None:
    presence = Presence()
    note(presence, ANN, Join(""), Seated(Seat.FIRST))
    presence.note(TABLE, BOB, DOOR, Rematch(), Reaction())
    assert presence.members == {}


def test_a_player_who_is_refused_is_not_known() -> None:
    presence = Presence()
    note(presence, ANN, Join("ann"), Refused(Refusal.FULL))
    assert presence.members == {}


def test_a_spectator_who_is_refused_another_name_stays_who_and_where_it_is() -> None:
    presence = Presence()
    note(presence, ANN, Join("ann"), Seated(None))
    before = presence.members[ANN]
    note(presence, ANN, Join("bob"), Refused(Refusal.NAME_TAKEN), room="tttp")
    assert presence.members == {ANN: before}


def test_a_spectator_may_take_another_name_and_has_no_seat_to_keep() -> None:
    presence = Presence()
    note(presence, ANN, Join("ann"), Seated(None))
    note(presence, ANN, Join("cat"), Seated(None))
    assert names(presence) == {ANN: "cat"}
    assert not presence.has_seat(ANN)


def test_a_spectator_who_takes_a_seat_at_another_table_is_known_there() -> None:
    presence = Presence()
    note(presence, ANN, Join("ann"), Seated(None))
    note(presence, ANN, Join("ann"), Seated(Seat.SECOND), room="tttp/2")
    assert presence.members[ANN].room == "tttp/2"
    assert presence.has_seat(ANN)


def test_T_Q14_a_player_keeps_the_name_it_sat_down_with() -> None:
    presence = Presence()
    note(presence, ANN, Join("ann"), Seated(Seat.FIRST))
    note(presence, ANN, Join("cat"), Seated(Seat.FIRST))
    assert names(presence) == {ANN: "ann"}


def test_a_player_who_leaves_is_not_known_any_more() -> None:
    presence = with_members(ann=ANN, cat=CAT)
    presence.note(TABLE, ANN, DOOR, Leave(None), Reaction())
    assert names(presence) == {CAT: "cat"}


def test_a_player_who_was_sent_away_is_not_known_after_a_replay() -> None:
    presence = Presence()
    room = Hosted("santorini-tournament").room.room
    entries: list[Entry[Any]] = [
        Entry(1.0, ANN, Join("ann"), DOOR),
        Entry(2.0, BOB, Join("bob"), DOOR),
        Entry(3.0, ANN, Leave("bad manners")),
    ]
    assert replay(room, "santorini-tournament", presence, entries) == 3.0
    assert names(presence) == {BOB: "bob"}


def test_a_lost_player_is_found_by_its_name_door_and_secret_only() -> None:
    presence = Presence()
    note(presence, ANN, Join("ann", secret="a secret"), SignedUp())
    note(presence, BOB, Join("bob"), SignedUp())
    presence.lose(ANN, until=60.0)
    assert presence.is_waiting(TABLE)
    assert not presence.is_waiting("tttp/2")
    assert presence.find(identity("ann", secret="a secret")) == ANN
    assert presence.find(identity("ann")) is None
    assert presence.find(identity("ann", secret="another secret")) is None
    assert presence.find(identity("ann", "another door", "a secret")) is None
    assert presence.find(identity("bob")) is None, "bob is not lost"
    assert presence.find(identity("cat")) is None


def test_of_two_lost_players_with_one_name_neither_is_found() -> None:
    presence = with_members(ann=ANN)
    note(presence, BOB, Join("ann"), SignedUp())
    presence.lose(ANN, until=60.0)
    assert presence.find(identity("ann")) == ANN, "the other is here"
    presence.lose(BOB, until=60.0)
    assert presence.find(identity("ann")) is None
    presence.forget(BOB)
    assert presence.find(identity("ann")) == ANN


def test_a_player_who_is_back_is_not_waited_for() -> None:
    presence = with_members(ann=ANN, bob=BOB)
    presence.lose(ANN, until=60.0)
    presence.lose(BOB, until=70.0)
    assert presence.deadline == 60.0
    presence.welcome_back(ANN)
    assert presence.is_waiting(TABLE)
    assert presence.deadline == 70.0
    assert presence.find(identity("ann")) is None
    presence.welcome_back(BOB)
    assert not presence.is_waiting(TABLE)
    assert presence.deadline is None
    assert presence.expired(1000.0) == []


def test_a_player_who_does_not_return_is_given_up_when_the_time_is_over() -> None:
    presence = with_members(ann=ANN, bob=BOB)
    presence.lose(ANN, until=60.0)
    presence.lose(BOB, until=70.0)
    assert presence.expired(59.9) == []
    assert presence.expired(60.0) == [ANN]
    assert presence.find(identity("ann")) is None
    assert presence.is_waiting(TABLE)
    assert presence.expired(100.0) == [BOB]
    assert not presence.is_waiting(TABLE)


def test_a_player_who_is_gone_for_good_is_not_waited_for() -> None:
    presence = with_members(ann=ANN)
    presence.lose(ANN, until=60.0)
    presence.forget(ANN)
    assert not presence.is_waiting(TABLE)
    assert presence.deadline is None
    assert presence.members == {}


def test_when_a_room_is_forgotten_its_players_are_also_those_who_are_lost() -> None:
    presence = with_members(ann=ANN, bob=BOB)
    note(presence, CAT, Join("cat"), Seated(Seat.FIRST), room="tttp/2")
    presence.lose(ANN, until=60.0)
    presence.forget_room(TABLE)
    assert names(presence) == {CAT: "cat"}
    assert not presence.is_waiting(TABLE)
    assert presence.deadline is None
