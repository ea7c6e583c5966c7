"""The bots of the benchmark notice whatever a server does wrong."""

from collections.abc import Callable, Iterator
from itertools import islice

import pytest

from gamehall.bench.bot import Bot
from gamehall.bench.contest import Kind
from gamehall.bench.machine import Server
from gamehall.bench.replay import Lines, beginning, line_of, replies
from gamehall.bench.tournament_load import BotContest

NAMES = ("ann", "bob")


def told() -> Iterator[Lines]:
    """What two bots are told who answer as expected: first their names, then game after game."""
    yield [(n, line_of(name)) for n, name in enumerate(NAMES)]
    yield beginning(NAMES, 0)
    yield from replies(NAMES)


def after_being_told(lines: Iterator[tuple[int, bytes]]) -> BotContest:
    """The contest of two bots in memory."""
    contest = BotContest(Kind.DOOR, Server(0, 0))
    contest.bots = [Bot(contest, name) for name in NAMES]
    contest.is_held = False
    for bot in contest.bots:
        bot.write = lambda _: None
    for number, line in lines:
        contest.bots[number].data_received(line)
    return contest


def flat(steps: Iterator[Lines]) -> Iterator[tuple[int, bytes]]:
    return (line for lines in steps for line in lines)


def test_a_dozen_right_games_are_played_to_the_end() -> None:
    contest = after_being_told(flat(told()))
    assert contest.problem is None
    assert contest.games == 12


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (b'["place"', lambda line: line.replace(b"place", b"turn")),
        (b'["place"', lambda line: line.replace(b"0", b"1", 1)),
        (b'["turn"', lambda line: line.replace(b"0,", b"1,", 1)),
        (b'["turn"', lambda line: line.replace(b"turn", b"place")),
        (b'["turn"', lambda line: line * 2),
        (b'["turn"', lambda line: line[:40] + b"\n"),
        (b'["turn"', lambda _: b'"WINNER"\n'),
        (b'["turn"', lambda _: b'"LOSER"\n'),
        (b'"ann1"', lambda _: b'"ann2"\n'),
        (b'"WINNER"', lambda _: b'"LOSER"\n'),
        (b'"LOSER"', lambda _: b'"WINNER"\n'),
        (b'"LOSER"', lambda _: b'"CHEATER"\n'),
        (b'"LOSER"', lambda _: b"null\n"),
    ],
)
def test_one_wrong_line_is_noticed(right: bytes, wrong: Callable[[bytes], bytes]) -> None:
    lines = list(flat(told()))
    place = next(n for n, (_, line) in enumerate(lines) if line.startswith(right))
    player, line = lines[place]
    assert wrong(line) != line
    contest = after_being_told(iter([*lines[:place], (player, wrong(line))]))
    assert contest.problem is not None
    assert contest.problem.startswith(f"{NAMES[player]} was sent ")


def test_a_connection_closed_before_the_end_is_noticed() -> None:
    contest = after_being_told(islice(flat(told()), 10))
    assert contest.problem is None
    contest.bots[0].eof_received()
    assert contest.problem == "the connection of ann was closed too early"
