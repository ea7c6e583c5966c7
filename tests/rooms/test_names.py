"""Names: which are accepted, and who has which."""

import pytest

from gamehall.rooms.names import NameRules, Names
from gamehall.rooms.notices import Refusal
from gamehall.rooms.reaction import Peer

ANN, BOB = Peer(1), Peer(2)


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("", Refusal.NAME_TOO_SHORT),
        ("a", None),
        ("a" * 32, None),
        ("a" * 33, Refusal.NAME_TOO_LONG),
        ("~ !", None),
        (" a", Refusal.NAME_HAS_INVALID_CHARACTERS),
        ("a ", Refusal.NAME_HAS_INVALID_CHARACTERS),
        ("a\tb", Refusal.NAME_HAS_INVALID_CHARACTERS),
        ("\x7f", Refusal.NAME_HAS_INVALID_CHARACTERS),
        ("é", Refusal.NAME_HAS_INVALID_CHARACTERS),
        ("ADMIN", Refusal.NAME_NOT_ALLOWED),
        ("red", None),
    ],
)
def test_T_Q18_T_Q19_T_Q21_properties_of_a_name(name: str, refusal: Refusal | None) -> None:
    assert Names(NameRules()).refusal(name, ANN) is refusal


def test_T_Q20_letter_case_does_not_make_a_name_another() -> None:
    names = Names(NameRules())
    names.give("Ann", ANN)
    assert names.refusal("aNN", BOB) is Refusal.NAME_TAKEN
    assert names.refusal("ANN", ANN) is None, "one's own name is not taken"


def test_T_21_only_the_owner_frees_a_name() -> None:
    names = Names(NameRules())
    names.give("ann", ANN)
    names.free("ann", BOB)
    assert names.refusal("ann", BOB) is Refusal.NAME_TAKEN
    names.free("Ann", ANN)
    assert names.refusal("ann", BOB) is None
