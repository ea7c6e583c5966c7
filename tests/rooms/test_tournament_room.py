"""A sign-up and its tournaments, without a host."""

from collections import Counter

import pytest

from gamehall.core import Seat
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.match import Clock, MatchEnded, TurnBegan
from gamehall.rooms.notices import (
    ChatSent,
    Closed,
    MatchBegan,
    ProbeAnswered,
    SignedUp,
    TournamentBegan,
)
from gamehall.rooms.requests import (
    Away,
    Chat,
    ClientPolicy,
    EndOfInput,
    Join,
    Keepalive,
    Leave,
    Play,
    Pong,
    Probe,
    Return,
)
from gamehall.rooms.room import Compaction, Delivery, Peer, Reaction
from gamehall.rooms.secrets import SecretRandom
from gamehall.rooms.sign_up import SignUp
from gamehall.rooms.terms import TournamentTerms
from gamehall.tournaments.standings import CheaterRule, Win
from tests.simulation.fingerprint import fingerprint
from tests.support.tournament_rooms import TournamentRooms

ANN, BOB, CAT = map(Peer, range(1, 4))


def tournament_rooms(**terms: object) -> TournamentRooms:
    return TournamentRooms(ConnectFour(), TournamentTerms(**terms))  # type: ignore[arg-type]


def reasons(reaction: Reaction[Cell]) -> dict[Peer, str]:
    return {
        peer: delivery.notice.reason
        for delivery in reaction.deliveries
        for peer in delivery.peers
        if isinstance(delivery.notice, Closed)
    }


def test_a_client_that_has_not_signed_up_may_only_do_that() -> None:
    rooms = tournament_rooms()
    for request in (Play(Cell(0, 0)), Chat("hello"), Pong(), Leave(None)):
        assert rooms.handle(ANN, request, 0.0) == Reaction(changed=False)
    assert reasons(rooms.handle(ANN, EndOfInput(), 0.0)) == {
        ANN: "hung up without having signed up"
    }
    assert reasons(rooms.handle(ANN, Leave("rude"), 0.0)) == {ANN: "rude"}
    assert rooms.handle(ANN, Join("ann"), 0.0).deliveries == [Delivery((ANN,), SignedUp())]


def test_a_player_who_leaves_while_waiting_does_not_count() -> None:
    rooms = tournament_rooms(players=2)
    rooms.handle(ANN, Join("ann"), 0.0)
    assert reasons(rooms.handle(ANN, Leave(None), 0.0)) == {ANN: "left"}
    assert rooms.handle(BOB, Join("bob"), 0.0).deliveries == [Delivery((BOB,), SignedUp())]
    began = rooms.handle(CAT, Join("cat"), 0.0).deliveries
    assert [d.notice.name for d in began if isinstance(d.notice, TournamentBegan)] == ["bob", "cat"]


def test_with_once_the_remaining_players_are_disconnected_when_the_tournament_begins() -> None:
    rooms = tournament_rooms(
        once=True, max_players=2, min_players=2, join_window_seconds=0.0, players=None
    )
    rooms.handle(ANN, Join("ann"), 0.0)
    rooms.handle(BOB, Join("bob"), 0.0)
    assert reasons(rooms.handle(CAT, Join("cat"), 0.0)) == {CAT: "there is no further tournament"}


def test_signing_up_and_leaving_again_and_again_does_not_delay_a_tournament_for_ever() -> None:
    rooms = tournament_rooms(players=None, join_window_seconds=3.0)
    rooms.handle(ANN, Join("ann"), 0.0)
    rooms.handle(BOB, Join("bob"), 1.0)
    began: list[str] = []
    # The next one signs up just before the one before leaves.
    for number, second in enumerate(range(2, 90, 2)):
        rooms.handle(Peer(10 + number), Join(f"cat {number}"), float(second))
        rooms.handle(Peer(9 + number), Leave(None), float(second))
        told = rooms.tick(second + 1.0).deliveries
        began = [d.notice.name for d in told if isinstance(d.notice, TournamentBegan)]
        if began:
            break
    assert began[:2] == ["ann", "bob"]
    assert second == 60, "twenty join windows after there were enough"


@pytest.mark.parametrize("keepalive", [None, Keepalive(2.0, 10.0)])
def test_X_07_a_waiting_player_who_ends_its_input_has_left_and_its_name_is_free(
    keepalive: Keepalive | None,
) -> None:
    rooms = tournament_rooms()
    rooms.handle(ANN, Join("ann", ClientPolicy(keepalive=keepalive)), 0.0)
    assert reasons(rooms.handle(ANN, EndOfInput(), 0.0)) == {ANN: "hung up"}
    assert rooms.view().waiting == ()
    rooms.handle(BOB, Join("ann"), 1.0)
    assert rooms.deadline is None, "one alone plays no tournament"
    rooms.handle(CAT, Join("cat"), 1.0)
    told = rooms.tick(4.0).deliveries
    assert [d.notice.name for d in told if isinstance(d.notice, TournamentBegan)] == ["ann", "cat"]


@pytest.mark.parametrize("one_window", [False, True], ids=["for each prompt", "over all prompts"])
def test_S1_Q17_checks_are_counted_for_each_prompt_unless_the_door_is_strict(
    one_window: bool,
) -> None:
    rooms = tournament_rooms(players=2)
    policy = ClientPolicy(probes_per_second=2, one_probe_window=one_window)
    rooms.handle(ANN, Join("ann", policy), 0.0)
    rooms.handle(BOB, Join("bob", policy), 0.0)
    for number in range(10):
        peer = (ANN, BOB)[number % 2]
        cell = Cell(number % 7, 5 - number // 7)
        reactions = [rooms.handle(peer, Probe(cell), 0.0) for _ in range(2)]
        if any(reasons(reaction) for reaction in reactions):
            break
        told = [delivery.notice for reaction in reactions for delivery in reaction.deliveries]
        assert told == [ProbeAnswered(is_legal=True)] * 2
        rooms.handle(peer, Play(cell), 0.0)
    is_sent_away = any(reasons(reaction) for reaction in reactions)
    assert (number, is_sent_away) == ((2, True) if one_window else (9, False))


@pytest.mark.parametrize("began", [False, True], ids=["before", "between the games of"])
def test_S1_Q17_S1_Q19_the_limit_of_probes_holds_without_a_prompt(began: bool) -> None:
    rooms = tournament_rooms(players=3)
    for peer, name in ((CAT, "cat"), (ANN, "ann"), (BOB, "bob"))[: 3 if began else 1]:
        rooms.handle(peer, Join(name, ClientPolicy(probes_per_second=3)), 0.0)
    waiting = BOB if began else CAT
    for _ in range(3):
        [answered] = rooms.handle(waiting, Probe(Cell(0, 0)), 0.9).deliveries
        assert answered.notice == ProbeAnswered(is_legal=False)
    told = rooms.handle(waiting, Probe(Cell(0, 0)), 1.0)
    assert reasons(told) == {waiting: "asked too many questions in a second"}


def test_S0_08_every_player_has_a_unique_id_and_equal_seeds_give_equal_ids() -> None:
    ids = []
    for _ in range(2):
        rooms = tournament_rooms(players=2)
        rooms.handle(ANN, Join("ann"), 0.0)
        told = rooms.handle(BOB, Join("bob"), 0.0).deliveries
        ids.append([d.notice.id for d in told if isinstance(d.notice, TournamentBegan)])
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 2


def test_hundreds_of_players_without_input_do_not_exhaust_the_stack() -> None:
    """Each match ends as it begins, in a loop instead of a recursion."""
    rooms = tournament_rooms(players=401, max_players=1000)
    for number in range(1, 401):
        rooms.handle(Peer(number), Join("ghost"), 0.0)
    rooms.handle(Peer(401), Join("ann"), 0.0)
    for number in range(2, 401):
        reaction = rooms.handle(Peer(number), EndOfInput(), 0.0)
        assert reaction.deliveries == [], "S0-Q23: not before it is asked"
    reaction = rooms.handle(Peer(1), EndOfInput(), 0.0)
    assert reaction.finished == 1
    [report] = reaction.reports
    assert len(report.cheaters) == 400
    assert "ann" not in report.cheaters
    assert rooms.deadline is None


def test_S0_09_all_players_are_told_their_names_before_the_first_match() -> None:
    rooms = tournament_rooms(players=3, parallel=True)
    rooms.handle(ANN, Join("ann"), 0.0)
    rooms.handle(BOB, Join("bob"), 0.0)
    kinds = [type(delivery.notice) for delivery in rooms.handle(CAT, Join("cat"), 0.0).deliveries]
    assert kinds == [SignedUp, *[TournamentBegan] * 3, MatchBegan, MatchBegan, TurnBegan]


def test_S1_Q27_two_tournaments_that_end_at_the_same_time_are_both_reported() -> None:
    rooms = tournament_rooms(players=2)
    hasty = ClientPolicy(clock=Clock(0.0, grace_seconds=0.0))
    for peer in (ANN, BOB):
        rooms.handle(peer, Join("x"), 0.0)
    for peer in (Peer(10), Peer(11)):
        rooms.handle(peer, Join("x", hasty), 0.0)
    reactions = [rooms.handle(ANN, Leave(None), 0.0), rooms.tick(0.0)]
    assert [reaction.finished for reaction in reactions] == [1, 1]
    first, second = (report for reaction in reactions for report in reaction.reports)
    assert (set(first.cheaters), set(second.cheaters)) == ({"x"}, {"x"})
    assert first.wins == (Win("xa", "x"),)


@pytest.mark.parametrize(("best_of", "enough"), [(False, 3), (True, 2)])
def test_S0_Q22_the_remaining_matches_of_a_disqualified_player_are_forfeited(
    best_of: bool, enough: int
) -> None:
    """As many matches as would have been played, without wins of disqualified players."""
    rooms = tournament_rooms(
        players=3, matches_per_pair=3, best_of=best_of, cheaters_matches=CheaterRule.FORFEIT
    )
    for peer, name in ((ANN, "ann"), (BOB, "bob"), (CAT, "cat")):
        rooms.handle(peer, Join(name), 0.0)
    rooms.handle(ANN, Leave("rude"), 0.0)
    [report] = rooms.handle(BOB, Leave(None), 0.0).reports
    assert Counter(report.wins) == {
        Win("bob", "ann"): 1,
        Win("cat", "ann"): enough,
        Win("cat", "bob"): enough,
    }
    assert report.cheaters == {"ann": "rude", "bob": "left"}
    assert [standing.name for standing in report.standings] == ["cat", "bob", "ann"]


def test_a_player_is_disqualified_when_its_time_is_over() -> None:
    rooms = tournament_rooms(players=2)
    policy = ClientPolicy(clock=Clock(5.0, grace_seconds=0.0))
    rooms.handle(ANN, Join("ann", policy), 0.0)
    rooms.handle(BOB, Join("bob", policy), 0.0)
    assert rooms.deadline == 5.0
    assert reasons(rooms.tick(5.0))[ANN] == "took too long to answer"


def replayed(compaction: Compaction, sign_up: SignUp[Cell]) -> SignUp[Cell]:
    """Return a new sign-up, rebuilt from a compaction."""
    assert isinstance(sign_up._random, SecretRandom)
    random = SecretRandom(sign_up._random._secret, compaction.drawn)
    again = SignUp(ConnectFour(), sign_up._terms, random)
    for entry in compaction.entries:
        if entry.peer is None or entry.request is None:
            again.tick(entry.now)
        else:
            again.handle(entry.peer, entry.request, entry.now)
    return again


@pytest.mark.parametrize("is_playing", [False, True], ids=["before", "during"])
def test_a_sign_up_can_be_rebuilt_from_its_waiting_players(is_playing: bool) -> None:
    """Including their last messages and open pings."""
    rooms = tournament_rooms(players=3)
    quiet = ClientPolicy(keepalive=Keepalive(2.0, 10.0))
    if is_playing:
        for number in range(10, 13):
            rooms.handle(Peer(number), Join("early"), 0.0)
        assert rooms.view().tables
    rooms.handle(CAT, Join("gone"), 0.0)
    rooms.handle(ANN, Join("ann", quiet), 1.0)
    rooms.handle(CAT, Leave(None), 2.0)
    rooms.tick(3.0)
    rooms.handle(ANN, Pong(), 4.0)
    rooms.handle(BOB, Join("bob", quiet), 4.5)
    rooms.tick(6.0)
    compaction = rooms.sign_up.compact()
    assert compaction is not None
    again = replayed(compaction, rooms.sign_up)
    assert fingerprint(again) == fingerprint(rooms.sign_up)
    assert reasons(again.tick(16.0)) == {ANN: "gave no sign of life"}


def test_a_sign_up_can_be_rebuilt_with_recent_probes_and_kept_seats() -> None:
    rooms = tournament_rooms(players=3)
    rooms.handle(ANN, Join("ann"), 0.0)
    rooms.handle(ANN, Away(10.0), 1.0)
    rooms.handle(ANN, Return(), 3.0)
    rooms.handle(BOB, Join("bob"), 4.0)
    rooms.handle(ANN, Away(10.0), 4.5)
    for _ in range(2):
        rooms.handle(BOB, Probe(Cell(0, 0)), 5.0)
    compaction = rooms.sign_up.compact()
    assert compaction is not None
    again = replayed(compaction, rooms.sign_up)
    assert fingerprint(again) == fingerprint(rooms.sign_up)
    assert again.deadline == 12.5, "two seconds of the ten were used"


def test_a_tournament_waits_a_limited_time_for_disconnected_players() -> None:
    """Even if other players come and go all the time."""
    rooms = tournament_rooms(players=2)
    rooms.handle(Peer(100), Join("guest"), 0.0)
    rooms.handle(Peer(100), Away(10.0), 0.0)
    for peer in (ANN, BOB):
        rooms.handle(peer, Join("x"), 1.0)
    for second in range(5, 60, 5):
        guest = Peer(100 + second)
        assert not rooms.view().tables
        rooms.handle(guest, Join("guest"), float(second))
        rooms.handle(guest, Away(10.0), float(second))
        rooms.tick(float(second))
    rooms.tick(60.0)
    assert [table.players for table in rooms.view().tables] == [("x", "xa")]


def test_a_player_of_a_tournament_cannot_sign_up_again_over_the_same_connection() -> None:
    rooms = tournament_rooms(players=2)
    rooms.handle(ANN, Join("ann"), 0.0)
    rooms.handle(BOB, Join("bob"), 0.0)
    assert rooms.handle(ANN, Join("ann"), 0.0) == Reaction(changed=False)
    assert rooms.view().waiting == ()


def test_the_result_of_a_tournament_is_shown_until_the_next_begins() -> None:
    rooms = tournament_rooms(players=2)
    for number in range(1, 4):
        rooms.handle(Peer(number), Join("x"), 0.0)
    rooms.handle(ANN, Leave(None), 1.0)
    shown = rooms.view().tournament
    assert shown is not None
    assert shown.is_over
    rooms.handle(Peer(4), Join("x"), 2.0)
    shown = rooms.view().tournament
    assert shown is not None
    assert not shown.is_over
    assert list(rooms.tournaments) == [2]


@pytest.mark.parametrize("is_native", [True, False])
def test_X_06_only_a_native_player_with_a_prompt_is_told_that_the_opponent_has_left(
    is_native: bool,
) -> None:
    rooms = tournament_rooms(players=2)
    policy = ClientPolicy(native=is_native)
    rooms.handle(ANN, Join("ann", policy=policy), 0.0)
    rooms.handle(BOB, Join("bob", policy=policy), 0.0)
    left = rooms.handle(BOB, Leave(None), 1.0)
    told = [sent.notice for sent in left.deliveries if ANN in sent.peers]
    words = "bob has left: make your move, and you win"
    assert told == ([ChatSent("bob", words, is_from_server=True)] if is_native else [])
    ended = rooms.handle(ANN, Play(Cell(0, 5)), 2.0).deliveries
    [end] = [sent.notice for sent in ended if isinstance(sent.notice, MatchEnded)]
    assert end.result.winner is Seat.FIRST
