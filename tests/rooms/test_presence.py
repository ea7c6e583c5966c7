"""Recognising players by their credentials."""

from typing import Any

import pytest

from gamehall.core import Seat
from gamehall.rooms.journal import replay
from gamehall.rooms.notices import Notice, Refusal, Refused, Seated, SignedUp
from gamehall.rooms.presence import Presence
from gamehall.rooms.requests import Credential, Join, Leave, Proof, Rematch, Request
from gamehall.rooms.room import Delivery, Entry, Peer, Reaction
from tests.support.hosted import Hosted

ANN, BOB, CAT = Peer(1), Peer(2), Peer(3)
TABLE = "tttp/1"


def credential(of: str, proof: Proof = Proof.ADDRESS) -> Credential:
    return Credential(proof, f"digest of {of}")


def join(name: str, proof: Proof = Proof.ADDRESS) -> Join:
    return Join(name, door="tttp", credential=credential(name, proof))


def note(
    presence: Presence, peer: Peer, request: Request[Any], notice: Notice[Any], room: str = TABLE
) -> None:
    """Note a request that the room answers with one notice."""
    presence.note(room, peer, request, Reaction([Delivery((peer,), notice)]))


def with_members(**names: Peer) -> Presence:
    presence = Presence()
    for name, peer in names.items():
        note(presence, peer, join(name), SignedUp())
    return presence


def names(presence: Presence) -> dict[Peer, str]:
    return {peer: member.name for peer, member in presence.members.items()}


def test_a_player_who_joins_is_known_by_its_credential() -> None:
    presence = with_members(ann=ANN)
    assert presence.members[ANN].credential == credential("ann")
    assert presence.members[ANN].room == TABLE
    assert not presence.is_lost(ANN)


def test_a_player_without_a_credential_is_not_known() -> None:
    presence = Presence()
    note(presence, ANN, Join(""), Seated(Seat.FIRST))
    presence.note(TABLE, BOB, Rematch(), Reaction())
    assert presence.members == {}


def test_a_player_who_is_refused_is_not_known() -> None:
    presence = Presence()
    note(presence, ANN, join("ann"), Refused(Refusal.FULL))
    assert presence.members == {}


def test_a_spectator_who_is_refused_another_name_stays_a_member() -> None:
    presence = Presence()
    note(presence, ANN, join("ann"), Seated(None))
    before = presence.members[ANN]
    note(presence, ANN, join("bob"), Refused(Refusal.NAME_TAKEN), room="tttp")
    assert presence.members == {ANN: before}


def test_a_spectator_may_change_its_name_and_has_no_seat() -> None:
    presence = Presence()
    note(presence, ANN, join("ann"), Seated(None))
    note(presence, ANN, join("cat"), Seated(None))
    assert names(presence) == {ANN: "cat"}
    assert not presence.has_seat(ANN)
    presence.disconnect(ANN)
    assert presence.identify(credential("ann"), "tttp") is None
    assert presence.identify(credential("cat"), "tttp") == ANN


def test_a_spectator_who_takes_a_seat_at_another_table_is_known_there() -> None:
    presence = Presence()
    note(presence, ANN, join("ann"), Seated(None))
    note(presence, ANN, join("ann"), Seated(Seat.SECOND), room="tttp/2")
    assert presence.members[ANN].room == "tttp/2"
    assert presence.has_seat(ANN)


def test_T_Q14_a_player_keeps_the_name_it_sat_down_with() -> None:
    presence = Presence()
    note(presence, ANN, join("ann"), Seated(Seat.FIRST))
    note(presence, ANN, join("cat"), Seated(Seat.FIRST))
    assert names(presence) == {ANN: "ann"}


def test_a_player_who_leaves_is_forgotten() -> None:
    presence = with_members(ann=ANN, cat=CAT)
    presence.note(TABLE, ANN, Leave(None), Reaction())
    assert names(presence) == {CAT: "cat"}


def test_a_disqualified_player_is_not_known_after_a_replay() -> None:
    presence = Presence()
    room = Hosted("santorini-tournament").room.room
    entries: list[Entry[Any]] = [
        Entry(1.0, ANN, join("ann")),
        Entry(2.0, BOB, join("bob")),
        Entry(3.0, ANN, Leave("bad manners")),
    ]
    assert replay(room, "santorini-tournament", presence, entries) == 3.0
    assert names(presence) == {BOB: "bob"}


def test_TM_02_a_lost_player_is_found_by_its_credential_only() -> None:
    presence = with_members(ann=ANN, bob=BOB)
    presence.disconnect(ANN)
    assert presence.identify(credential("ann"), "tttp") == ANN
    assert presence.identify(credential("ann", Proof.SECRET), "tttp") is None
    assert presence.identify(credential("cat"), "tttp") is None


@pytest.mark.parametrize("proof", Proof)
def test_TM_01_TM_04_only_a_token_or_a_secret_takes_the_seat_of_a_live_connection(
    proof: Proof,
) -> None:
    presence = Presence()
    note(presence, ANN, join("ann", proof), Seated(Seat.FIRST))
    found = presence.identify(credential("ann", proof), "tttp")
    assert found == (None if proof is Proof.ADDRESS else ANN)
    presence.disconnect(ANN)
    assert presence.identify(credential("ann", proof), "tttp") == ANN
    presence.reconnect(ANN)
    assert presence.identify(credential("ann", proof), "tttp") == found


def test_two_lost_players_with_the_same_credential_in_a_room_are_not_recognised() -> None:
    presence = with_members(ann=ANN)
    note(presence, BOB, join("ann"), SignedUp())
    presence.disconnect(ANN)
    assert presence.identify(credential("ann"), "tttp") == ANN, "the other is here"
    presence.disconnect(BOB)
    assert presence.identify(credential("ann"), "tttp") is None
    presence.forget(BOB)
    assert presence.identify(credential("ann"), "tttp") == ANN


@pytest.mark.parametrize("proof", Proof)
def test_a_player_in_two_tournaments_returns_to_the_older_one(
    proof: Proof,
) -> None:
    presence = Presence()
    note(presence, ANN, join("ann", proof), SignedUp(), room="tournament/1")
    note(presence, BOB, join("ann", proof), SignedUp(), room="tournament")
    presence.disconnect(ANN)
    assert presence.identify(credential("ann", proof), "tournament") == ANN
    presence.disconnect(BOB)
    assert presence.identify(credential("ann", proof), "tournament") == ANN
    presence.reconnect(ANN)
    assert presence.identify(credential("ann", proof), "tournament") == BOB


def test_a_forgotten_player_is_not_found() -> None:
    presence = with_members(ann=ANN)
    presence.disconnect(ANN)
    presence.forget(ANN)
    assert presence.members == {}
    assert not presence.is_lost(ANN)
    assert presence.identify(credential("ann"), "tttp") is None


def test_forgetting_a_room_forgets_its_lost_players() -> None:
    presence = with_members(ann=ANN, bob=BOB)
    note(presence, CAT, join("cat"), Seated(Seat.FIRST), room="tttp/2")
    presence.disconnect(ANN)
    presence.forget_room(TABLE)
    assert names(presence) == {CAT: "cat"}
    assert not presence.is_lost(ANN)
