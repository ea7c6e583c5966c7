"""The internal names of the players of a tournament."""

import re

from hypothesis import given
from hypothesis import strategies as st

from gamehall.rooms.names import internal_names


def test_S1_05_a_player_with_a_unique_name_keeps_it() -> None:
    assert internal_names(["ann", "bob"]) == ["ann", "bob"]


def test_S1_Q05_the_first_keeps_the_name_and_generated_names_are_unused() -> None:
    assert internal_names(["ann", "ann", "anna", "ann"]) == ["ann", "annb", "anna", "annc"]
    assert internal_names(["anna", "ann", "ann"]) == ["anna", "ann", "annb"]


def test_after_z_two_letters_are_appended() -> None:
    assert internal_names(["x"] * 28)[25:] == ["xy", "xz", "xaa"]


def test_a_name_is_reduced_to_its_letters() -> None:
    assert internal_names(["Ann 7", "42", "", "田中"]) == ["ann", "player", "playera", "playerb"]


def test_letters_that_are_not_ascii_are_spelt_in_ascii() -> None:
    assert internal_names(["Jürgen", "juergen", "ØRSTED"]) == ["juergena", "juergen", "oersted"]


@given(st.lists(st.text(max_size=3) | st.sampled_from(["a", "aa", "ab", "player"]), max_size=30))
def test_S1_04_internal_names_are_unique_and_of_lower_case_letters(signed_up: list[str]) -> None:
    names = internal_names(signed_up)
    assert len(set(names)) == len(names) == len(signed_up)
    assert all(re.fullmatch(r"[a-z]+", name) for name in names)
    for number, (name, own) in enumerate(zip(names, signed_up, strict=True)):
        if re.fullmatch(r"[a-z]+", own) and signed_up.index(own) == number:
            assert name == own
