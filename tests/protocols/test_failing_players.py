"""A player that fails is out of the tournament, and no other player is affected (X-09).

Tournaments of the honest players ann and bob with fay, who fails, at both Santorini doors, in
memory and over sockets.
"""

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.view import TournamentReport
from gamehall.tournaments.standings import Win
from tests.support.failing_players import (
    CheckingPlayer,
    Failure,
    LobbyPlayer,
    Player,
    PlayerGroup,
    TournamentPlayer,
)
from tests.support.memory_stage import MemoryStage
from tests.support.socket_stage import SocketStage

Gather = Callable[..., PlayerGroup]

IN_THE_MIDDLE = 4
"""At its fourth prompt a player has placed two workers and made a turn."""

DOORS = pytest.mark.parametrize("kind", [LobbyPlayer, TournamentPlayer], ids=lambda kind: kind.door)
LOBBY = pytest.mark.parametrize("kind", [LobbyPlayer], ids=["santorini-lobby"])
TOURNAMENT = pytest.mark.parametrize("kind", [TournamentPlayer], ids=["santorini-tournament"])


OUT_OF_TURN = pytest.mark.parametrize(
    ("kind", "failure"),
    [
        # S0-Q26, S0-Q27: other messages out of turn are ignored in the lobby.
        pytest.param(LobbyPlayer, Failure.LEAVES, id="santorini-lobby-leaves"),
        *(
            pytest.param(TournamentPlayer, failure, id=f"santorini-tournament-{failure.value}")
            for failure in (Failure.LEAVES, Failure.FLOODS, Failure.GARBLES, Failure.CHEATS)
        ),
    ],
)
AT_TIMES = pytest.mark.parametrize("times", [1, IN_THE_MIDDLE], ids=["at once", "in the middle"])


def of(*failures: Failure) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("failure", failures, ids=lambda failure: failure.value)


@pytest.fixture(params=["in memory", "over sockets"])
def gather(request: pytest.FixtureRequest, kind: type[Player]) -> Iterator[Gather]:
    opened: list[SocketStage] = []

    def gather(names: str = "fay ann bob", **settings: str) -> PlayerGroup:
        protocol = all_protocols()[kind.door]
        written = {name.replace("_", "-"): value for name, value in settings.items()}
        if not settings:
            written = {"players": str(len(names.split()))}
        stage: MemoryStage | SocketStage
        if request.param == "in memory":
            stage = MemoryStage(protocol, written, 4096)
        else:
            stage = SocketStage(protocol, written, runs_due_timers=True)
            opened.append(stage)
        group = PlayerGroup(stage, kind, names.split())
        group.sign_up()
        return group

    yield gather
    for stage in opened:
        stage.close()


def verdicts(player: Player, opponent: str) -> list[str | None]:
    return [game.verdict for game in player.games if game.opponent == opponent]


def check_honest(group: PlayerGroup, report: TournamentReport) -> None:
    """Check that ann and bob have finished all their games with the right results."""
    ann, bob = group["ann"], group["bob"]
    between = [win for win in report.wins if {*win} == {"ann", "bob"}]
    assert len(between) == group.kind.games_per_pair
    assert not {"ann", "bob"} & report.cheaters.keys()
    for player in (ann, bob):
        assert group.stage.is_closed(player.name)
        assert all(game.verdict is not None for game in player.games)
    if group.kind is LobbyPlayer:
        return
    assert verdicts(ann, "bob") == ["WINNER" if win.winner == "ann" else "LOSER" for win in between]
    assert verdicts(bob, "ann") == ["WINNER" if win.winner == "bob" else "LOSER" for win in between]
    assert "CHEATER" not in ann.received + bob.received
    result = [list(report.cheaters), [list(win) for win in report.wins]]
    assert ann.received[-1] == bob.received[-1] == result


def check_out(group: PlayerGroup, *names: str) -> TournamentReport:
    """Check that these were disqualified, in this order, and their games awarded to others."""
    report = group.finish()
    check_honest(group, report)
    assert list(report.cheaters) == list(names)
    against = Counter(win for win in report.wins if {*win} & {*names})
    awarded: Counter[Win] = Counter()
    for name in names:
        assert "WINNER" not in [game.verdict for game in group[name].games[-1:]]
        for honest in ("ann", "bob"):
            if group.kind is LobbyPlayer:
                # S0-Q22: its remaining games are forfeited.
                awarded[Win(honest, name)] = 1
            else:
                # S1-Q23: its remaining games are neither played nor listed.
                awarded[Win(honest, name)] = len(verdicts(group[honest], name))
                assert verdicts(group[honest], name)[-1:] in ([], ["WINNER"])
    assert against == awarded
    return report


def check_last_message(group: PlayerGroup, name: str) -> None:
    """S0-Q22, S1-Q20: a player that is out is sent the end of its game and disconnected."""
    last = group[name].received[-1]
    if group.kind is LobbyPlayer:
        assert isinstance(last, list)
        assert last[0] == "end_of_game"
    else:
        assert last == "CHEATER"
    assert group.stage.is_closed(name)


def check_removed(group: PlayerGroup) -> None:
    """Check that only ann and bob play in the tournament."""
    assert group["fay"].games == []
    report = group.finish()
    check_honest(group, report)
    assert [player.name for player in report.players] == ["ann", "bob"]
    assert report.cheaters == {}


def check_unharmed(group: PlayerGroup) -> None:
    """Check that fay plays all its games like the others."""
    group["fay"].is_idle = False
    report = group.finish()
    check_honest(group, report)
    assert report.cheaters == {}
    assert len(report.wins) == 3 * group.kind.games_per_pair
    assert group.stage.is_closed("fay")


@DOORS
def test_S0_20_S1_16_without_failures_all_play_all_games(gather: Gather) -> None:
    check_unharmed(gather())


@DOORS
@of(*Failure)
@AT_TIMES
def test_S0_18_S0_Q19_S0_Q22_S0_Q23_S1_24_S1_25_S1_26_S1_27_S1_30_a_failing_player_is_out(
    gather: Gather, failure: Failure, times: int
) -> None:
    group = gather()
    group.play_until_asked("fay", times)
    group.fail("fay", failure)
    if failure is not Failure.LEAVES:
        check_last_message(group, "fay")
    report = check_out(group, "fay")
    assert len(group["ann"].games) == 1 + group.kind.games_per_pair
    assert len(group["bob"].games) == group.kind.games_per_pair
    assert report.standings[-1].name == "fay"


@DOORS
@AT_TIMES
def test_X_10_S0_18_S1_26_ten_milliseconds_before_the_deadline_are_in_time(
    gather: Gather, times: int
) -> None:
    group = gather()
    group.play_until_asked("fay", times)
    group["fay"].is_idle = True
    group.wait(group.kind.seconds_to_answer - 0.01)
    check_unharmed(group)


@DOORS
@AT_TIMES
def test_X_10_S0_18_S1_26_ten_milliseconds_after_the_deadline_are_too_late(
    gather: Gather, times: int
) -> None:
    group = gather()
    group.play_until_asked("fay", times)
    answer = group["fay"].answer()
    group["fay"].is_idle = True
    group["ann"].is_idle = True
    group.wait(group.kind.seconds_to_answer + 0.01)
    check_last_message(group, "fay")
    group.stage.send("fay", answer)
    group["ann"].is_idle = False
    check_out(group, "fay")


@OUT_OF_TURN
@AT_TIMES
@pytest.mark.parametrize("answer", ["a legal answer", "an illegal answer", "nothing"])
def test_X_06_S0_Q23_S1_Q19_S1_Q28_the_prompt_stays_open_when_the_opponent_fails(
    gather: Gather, failure: Failure, times: int, answer: str
) -> None:
    group = gather()
    ann = group["ann"]
    group.play_until_asked("ann", times)
    ann.is_idle = True
    before = len(ann.received)
    group.fail("fay", failure)
    if failure is not Failure.LEAVES:
        check_last_message(group, "fay")
    group.wait(3)
    assert len(ann.received) == before, "no message to ann before her answer"
    assert group["bob"].games == [], "the next game has not begun"
    if answer == "a legal answer":
        group.stage.send("ann", ann.answer())
    elif answer == "an illegal answer":
        group.stage.send("ann", ann.illegal_answer())
    else:
        group.wait(group.kind.seconds_to_answer - 3 - 0.01)
        assert len(ann.received) == before, "nor before her time is over"
        group.stage.wait(0.02)
    group.listen()
    assert ann.games[0].verdict in ("WINNER", "end_of_game")
    ann.is_idle = False
    check_out(group, "fay")


@OUT_OF_TURN
def test_S0_Q23_S1_Q19_S1_Q20_S1_Q22_a_player_that_fails_while_others_play_is_out(
    gather: Gather, failure: Failure
) -> None:
    group = gather("ann bob fay")
    group.play_until_asked("ann", IN_THE_MIDDLE)
    group["ann"].is_idle = True
    before = len(group["ann"].received), len(group["bob"].received)
    group.fail("fay", failure)
    assert (len(group["ann"].received), len(group["bob"].received)) == before
    if failure is not Failure.LEAVES:
        assert group.stage.is_closed("fay")
        assert "CHEATER" not in group["fay"].received
    group["ann"].is_idle = False
    check_out(group, "fay")
    assert group["fay"].games == []


@LOBBY
@of(Failure.FLOODS, Failure.GARBLES, Failure.CHEATS)
@AT_TIMES
def test_S0_Q26_S0_Q27_messages_out_of_turn_are_ignored(
    gather: Gather, failure: Failure, times: int
) -> None:
    group = gather()
    group.play_until_asked("ann", times)
    group.fail("fay", failure)
    check_unharmed(group)


@DOORS
@AT_TIMES
def test_X_07_S0_Q23_a_player_whose_input_ended_is_out_at_its_next_prompt(
    gather: Gather, times: int
) -> None:
    group = gather()
    ann, fay = group["ann"], group["fay"]
    group.play_until_asked("ann", times)
    asked = fay.times_asked
    group.fail("fay", Failure.HANGS_UP)
    ann.is_idle = True
    group.wait(3)
    assert fay.games[0].verdict is None
    ann.is_idle = False
    group.stage.send("ann", ann.answer())
    group.listen()
    assert fay.times_asked == asked + 1, "it is still sent everything"
    check_last_message(group, "fay")
    check_out(group, "fay")


@DOORS
def test_X_07_messages_before_the_end_of_input_count(gather: Gather) -> None:
    group = gather()
    fay = group["fay"]
    group.play_until_asked("fay", 1)
    group.stage.send("fay", fay.answer())
    group.stage.hang_up("fay")
    fay.is_idle = True
    group.play()
    assert fay.times_asked == 2
    check_last_message(group, "fay")
    check_out(group, "fay")


@LOBBY
@of(Failure.SILENT, Failure.LEAVES, Failure.HANGS_UP, Failure.GARBLES)
def test_S0_Q04_S0_Q23_S0_Q27_a_player_that_fails_while_waiting_is_removed(
    gather: Gather, failure: Failure
) -> None:
    group = gather(join_window="20")
    group.fail("fay", failure)
    # S0-Q03, S0-Q04: from the last sign of life 2 s to the keepalive, then 10.25 s.
    group.wait(12.3 if failure is Failure.SILENT else 0.1)
    if failure is not Failure.LEAVES:
        assert group.stage.is_closed("fay")
    check_removed(group)


@LOBBY
@of(Failure.FLOODS, Failure.CHEATS)
def test_S0_Q26_other_messages_while_waiting_are_ignored(gather: Gather, failure: Failure) -> None:
    group = gather(join_window="3")
    group.fail("fay", failure)
    check_unharmed(group)


@TOURNAMENT
@of(Failure.LEAVES, Failure.HANGS_UP, Failure.GARBLES)
def test_X_07_S1_24_S1_Q06_a_player_that_fails_while_waiting_is_removed(
    gather: Gather, failure: Failure
) -> None:
    group = gather(join_window="3")
    group.fail("fay", failure)
    if failure is not Failure.LEAVES:
        assert group.stage.is_closed("fay")
    check_removed(group)


@TOURNAMENT
@of(Failure.FLOODS, Failure.CHEATS)
def test_S1_Q19_S1_27_a_request_or_a_flood_while_waiting_disconnects(
    gather: Gather, failure: Failure
) -> None:
    group = gather(join_window="3")
    group.fail("fay", failure)
    # for a second a request could be the beginning of a script.
    group.wait(1.1)
    assert group.stage.is_closed("fay")
    check_removed(group)


@TOURNAMENT
def test_S1_Q19_a_check_while_waiting_is_answered(gather: Gather) -> None:
    group = gather(join_window="3")
    group.stage.send("fay", b'["check-placement",[0,0]]\n')
    group.listen()
    assert group["fay"].received == [False]
    check_unharmed(group)


@pytest.mark.parametrize("kind", [CheckingPlayer], ids=["santorini-tournament"])
@pytest.mark.parametrize("strict", ["false", "true"])
def test_S1_Q17_a_player_that_checks_every_move_once_is_never_disqualified(
    gather: Gather, strict: str
) -> None:
    """Prompts follow each other at once; a strict door counts the checks of all together."""
    group = gather(players="3", strict=strict)
    if strict == "false":
        check_unharmed(group)
        assert group["fay"].times_asked > 20
    else:
        assert set(group.finish().cheaters.values()) == {"asked too many questions in a second"}


@TOURNAMENT
def test_S1_26_a_silent_player_is_out_when_it_does_not_answer_its_prompt(gather: Gather) -> None:
    group = gather(join_window="3")
    group.fail("fay", Failure.SILENT)
    group.wait(3)
    assert group["fay"].times_asked == 1
    check_out(group, "fay")


@TOURNAMENT
@of(Failure.LEAVES, Failure.FLOODS, Failure.GARBLES, Failure.CHEATS)
@AT_TIMES
def test_X_06_S1_Q23_S1_Q25_two_cheat_in_one_game(
    gather: Gather, failure: Failure, times: int
) -> None:
    """The second sends garbage at a prompt that any answer would have ended."""
    group = gather("fay gus ann bob")
    group.play_until_asked("gus", times)
    group["gus"].is_idle = True
    group.fail("fay", failure)
    assert group["gus"].games[0].verdict is None
    group.fail("gus", Failure.GARBLES)
    check_last_message(group, "gus")
    report = check_out(group, "fay", "gus")
    assert len(report.wins) == 3


@LOBBY
@of(Failure.LEAVES, Failure.HANGS_UP)
@AT_TIMES
def test_X_06_S0_Q22_S0_Q23_two_leave_in_one_game(
    gather: Gather, failure: Failure, times: int
) -> None:
    group = gather("fay gus ann bob")
    group.play_until_asked("gus", times)
    group["gus"].is_idle = True
    group.fail("fay", Failure.LEAVES)
    assert group["gus"].games[0].verdict is None
    group.fail("gus", failure)
    report = check_out(group, "fay", "gus")
    assert len(report.wins) == 5


@LOBBY
@of(Failure.FLOODS, Failure.GARBLES, Failure.CHEATS)
def test_X_06_S0_Q27_garbage_is_an_answer_after_the_opponent_failed(
    gather: Gather, failure: Failure
) -> None:
    """The rest of it arrives out of turn and is ignored (S0-Q26)."""
    group = gather()
    group.play_until_asked("ann", IN_THE_MIDDLE)
    group["ann"].is_idle = True
    group.fail("fay", Failure.LEAVES)
    group.fail("ann", failure)
    assert group["ann"].games[0].verdict == "end_of_game"
    group["ann"].is_idle = False
    check_out(group, "fay")


@TOURNAMENT
def test_S1_Q23_the_wins_of_a_cheater_are_awarded_to_its_opponents(gather: Gather) -> None:
    group = gather("ann fay bob")
    fay = group["fay"]
    group.play(lambda: len(verdicts(fay, "bob")) == 2 and fay.asked is not None)
    assert "WINNER" in verdicts(fay, "ann") + verdicts(fay, "bob"), "there is something to award"
    group.fail("fay", Failure.CHEATS)
    check_last_message(group, "fay")
    report = check_out(group, "fay")
    played = [frozenset(win) for win in report.wins]
    pairs = [({"ann", "fay"}, 3), ({"ann", "bob"}, 3), ({"fay", "bob"}, 2)]
    assert played == [frozenset(pair) for pair, games in pairs for _ in range(games)]


@LOBBY
def test_S0_Q22_wins_before_a_disqualification_stand(gather: Gather) -> None:
    group = gather("ann fay bob")
    fay = group["fay"]
    group.play(lambda: len(fay.games) == 2 and fay.asked is not None)
    group.fail("fay", Failure.CHEATS)
    report = group.finish()
    check_honest(group, report)
    assert list(report.cheaters) == ["fay"]
    assert {*report.wins[0]} == {"ann", "fay"}
    assert report.wins[2] == Win("bob", "fay")


@TOURNAMENT
@of(Failure.SILENT, Failure.LEAVES, Failure.GARBLES)
def test_S1_Q26_when_fewer_than_two_are_left_the_tournament_ends_at_once(
    gather: Gather, failure: Failure
) -> None:
    group = gather("fay ann")
    group.play_until_asked("fay", IN_THE_MIDDLE)
    group.fail("fay", failure)
    group.listen()
    assert group["ann"].received[-2:] == ["WINNER", [["fay"], [["ann", "fay"]]]]
    assert group.stage.is_closed("ann")
