"""A room for tournaments, asked directly."""

from gamehall.core import Shuffler
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.hosting.notices import Dismissed, MatchBegan, TournamentBegan, Welcomed
from gamehall.hosting.requests import HangUp, Join, Leave, Play, Say, StillHere
from gamehall.hosting.room import Delivery, Peer
from gamehall.hosting.tournament_room import TournamentRoom
from gamehall.hosting.tournament_terms import TournamentTerms
from gamehall.play import TurnBegan

ANN, BOB, CAT = map(Peer, range(3))


def room(**terms: object) -> TournamentRoom[Cell]:
    return TournamentRoom(ConnectFour(), TournamentTerms(**terms), Shuffler(1))  # type: ignore[arg-type]


def reasons(deliveries: list[Delivery[Cell]]) -> dict[Peer, str]:
    return {
        peer: delivery.notice.reason
        for delivery in deliveries
        for peer in delivery.peers
        if isinstance(delivery.notice, Dismissed)
    }


def test_a_stranger_may_only_sign_up() -> None:
    hall = room()
    for request in (Play(Cell(0, 0)), Say("hello"), StillHere(), Leave(None)):
        assert hall.handle(ANN, request, 0.0) == []
    assert reasons(hall.handle(ANN, HangUp(), 0.0)) == {ANN: "hung up without having signed up"}
    assert reasons(hall.handle(ANN, Leave("rude"), 0.0)) == {ANN: "rude"}
    assert hall.handle(ANN, Join("ann"), 0.0) == [Delivery((ANN,), Welcomed())]


def test_who_leaves_while_waiting_does_not_count() -> None:
    hall = room(players=2)
    hall.handle(ANN, Join("ann"), 0.0)
    assert reasons(hall.handle(ANN, Leave(None), 0.0)) == {ANN: "left"}
    assert hall.handle(BOB, Join("bob"), 0.0) == [Delivery((BOB,), Welcomed())]
    began = hall.handle(CAT, Join("cat"), 0.0)
    assert [d.notice.name for d in began if isinstance(d.notice, TournamentBegan)] == ["bob", "cat"]


def test_with_once_who_is_too_many_is_sent_away_when_it_begins() -> None:
    hall = room(once=True, max_players=2, min_players=2, join_window_seconds=0.0, players=None)
    hall.handle(ANN, Join("ann"), 0.0)
    hall.handle(BOB, Join("bob"), 0.0)
    assert reasons(hall.handle(CAT, Join("cat"), 0.0)) == {CAT: "there is no further tournament"}


def test_S0_08_every_player_has_an_id_of_its_own_and_equal_seeds_give_equal_ids() -> None:
    ids = []
    for _ in range(2):
        hall = room(players=2)
        hall.handle(ANN, Join("ann"), 0.0)
        told = hall.handle(BOB, Join("bob"), 0.0)
        ids.append([d.notice.id for d in told if isinstance(d.notice, TournamentBegan)])
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 2


def test_hundreds_who_have_hung_up_are_through_in_one_go() -> None:
    """Each match ends as it begins, and none within another: the stack is not the limit."""
    hall = room(players=401, max_players=1000)
    for number in range(1, 401):
        hall.handle(Peer(number), Join("ghost"), 0.0)
        hall.handle(Peer(number), HangUp(), 0.0)
    hall.handle(Peer(401), Join("ann"), 0.0)
    assert hall.finished == 1
    assert hall.report is not None
    assert len(hall.report.cheaters) == 400
    assert "ann" not in hall.report.cheaters
    assert hall.deadline is None


def test_S0_09_everybody_hears_its_name_before_any_match_begins() -> None:
    hall = room(players=3, parallel=True)
    hall.handle(ANN, Join("ann"), 0.0)
    hall.handle(BOB, Join("bob"), 0.0)
    kinds = [type(delivery.notice) for delivery in hall.handle(CAT, Join("cat"), 0.0)]
    assert kinds == [Welcomed, *[TournamentBegan] * 3, MatchBegan, MatchBegan, TurnBegan]
