"""Properties of all formats: neither the order of results nor interruptions matter."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamehall.tournaments.formats import FORMATS
from gamehall.tournaments.formats.adaptive import Adaptive, read_goal
from gamehall.tournaments.formats.format import Encounter, Format
from gamehall.tournaments.formats.sprt import SprtFormat
from gamehall.tournaments.sprt import Sprt
from gamehall.tournaments.tally import Points

Maker = Callable[[int, int, bool], Format]


def sprt_format(players: int, games: int, in_pairs: bool) -> Format:
    """Return a format whose test ends early or late, and which takes encounters ahead."""
    return SprtFormat(Sprt(0, 200, 0.2, 0.2), 40 * games, in_pairs, encounters_ahead=7)


def adaptive_format(players: int, games: int, in_pairs: bool) -> Format:
    return Adaptive(players, 12 * games, in_pairs, read_goal("top 1 known at 60%"))


MAKERS: dict[str, Maker] = {
    **{name: kind.make for name, kind in FORMATS.items()},
    "sprt": sprt_format,
    "adaptive": adaptive_format,
}


class Outcome:
    """The outcome of a finished format."""

    def __init__(self, contest: Format, encounters: dict[int, Encounter]) -> None:
        counting = {n: e for n, e in encounters.items() if contest.counts(n)}
        self.encounters = counting
        self.ranking = contest.ranking()
        self.remark = contest.remark()
        self.expected = contest.expected

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outcome) and vars(self) == vars(other)

    def __repr__(self) -> str:
        return str(vars(self))


def points_of(encounter: Encounter, seed: int, in_pairs: bool) -> Points:
    """Return the points of an encounter, which do not depend on when it is played."""
    chance = Random(f"{seed} {encounter.number} {encounter.one} {encounter.other}")
    return tuple(chance.choice([0.0, 0.5, 1.0]) for _ in range(2 if in_pairs else 1))


def play_in_order(contest: Format, seed: int, in_pairs: bool) -> Outcome:
    """Play all encounters in the order of their numbers."""
    encounters: dict[int, Encounter] = {}
    while not contest.is_over:
        taken = contest.take()
        assert taken, "there is nothing to play, and it is not over"
        encounters.update((encounter.number, encounter) for encounter in taken)
        for encounter in taken:
            contest.note(encounter.number, points_of(encounter, seed, in_pairs))
    return Outcome(contest, encounters)


def play_with_interruptions(
    make: Callable[[], Format], seed: int, in_pairs: bool, order: Random
) -> Outcome:
    """Play several encounters at a time, which end in any order, with interruptions."""
    stored: dict[int, Points] = {}
    contest = make()
    encounters: dict[int, Encounter] = {}
    running: list[Encounter] = []
    while not contest.is_over:
        fresh = contest.take()
        encounters.update((encounter.number, encounter) for encounter in fresh)
        known = [encounter for encounter in fresh if encounter.number in stored]
        order.shuffle(known)
        for encounter in known:
            contest.note(encounter.number, stored[encounter.number])
        running += [encounter for encounter in fresh if encounter.number not in stored]
        if not running or contest.is_over:
            continue
        ended = running.pop(order.randrange(len(running)))
        stored[ended.number] = points_of(ended, seed, in_pairs)
        contest.note(ended.number, stored[ended.number])
        if order.random() < 0.03:
            contest, running, encounters = make(), [], {}
    return Outcome(contest, encounters)


def all_alternate(encounters: dict[int, Encounter]) -> bool:
    """Return True if players who meet again begin in turn."""
    began_last: dict[frozenset[int], int] = {}
    for _, one, other, _ in sorted(encounters.values()):
        if began_last.get(frozenset((one, other))) == one:
            return False
        began_last[frozenset((one, other))] = one
    return True


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=40)
@given(st.integers(2, 9), st.integers(1, 2), st.booleans(), st.integers(0, 999), st.randoms())
def test_the_order_of_results_and_interruptions_do_not_matter(
    name: str, players: int, games: int, in_pairs: bool, seed: int, order: Random
) -> None:
    if in_pairs:
        games *= 2
    if name == "sprt":
        players = 2

    def make() -> Format:
        return MAKERS[name](players, games, in_pairs)

    undisturbed = play_in_order(make(), seed, in_pairs)
    assert play_with_interruptions(make, seed, in_pairs, order) == undisturbed
    assert sorted(undisturbed.encounters) == list(range(undisturbed.expected or 0))
    assert in_pairs or all_alternate(undisturbed.encounters)
    if undisturbed.ranking is not None:
        ranked = sorted(player for equals in undisturbed.ranking for player in equals)
        assert ranked == list(range(players))


@pytest.mark.parametrize("name", MAKERS)
def test_a_finished_format_has_no_encounters_left(name: str) -> None:
    contest = MAKERS[name](2, 2, False)
    play_in_order(contest, 1, False)
    assert contest.take() == []


@pytest.mark.parametrize("name", MAKERS)
def test_a_result_of_an_encounter_that_was_not_taken_is_rejected(name: str) -> None:
    contest = MAKERS[name](2, 2, False)
    with pytest.raises(ValueError, match="encounter 0 was not taken"):
        contest.note(0, (1.0,))


@pytest.mark.parametrize("name", MAKERS)
def test_a_second_result_of_an_encounter_is_rejected(name: str) -> None:
    contest = MAKERS[name](3, 2, False)
    contest.take()
    contest.note(1, (1.0,))
    with pytest.raises(ValueError, match="encounter 1 was not taken, or is noted already"):
        contest.note(1, (1.0,))


@pytest.mark.parametrize("name", MAKERS)
def test_a_result_must_have_points_for_each_match(name: str) -> None:
    contest = MAKERS[name](2, 2, True)
    contest.take()
    with pytest.raises(ValueError, match="encounter 0 has other matches"):
        contest.note(0, (1.0,))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    ("players", "games", "in_pairs", "reason"),
    [
        (1, 2, False, "at least 2 players, not 1"),
        (2, 0, False, "at least 1 game, not 0"),
        (2, 3, True, "must be even, not 3"),
    ],
)
def test_invalid_terms_are_rejected_with_a_reason(
    name: str, players: int, games: int, in_pairs: bool, reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        FORMATS[name].make(players=players, games=games, in_pairs=in_pairs)


@pytest.mark.parametrize("name", FORMATS)
def test_the_catalogue_knows_which_formats_take_rounds(name: str) -> None:
    kind = FORMATS[name]
    assert kind.make(players=4, games=2, in_pairs=True).name == name
    if kind.takes_rounds:
        assert kind.make(players=4, games=2, in_pairs=True, rounds=2).expected is not None
    else:
        with pytest.raises(TypeError):
            kind.make(players=4, games=2, in_pairs=True, rounds=2)
