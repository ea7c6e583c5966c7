"""Stored values must stay readable: their tags and field names stay when code is renamed."""

from typing import Any, get_args

import pytest
from msgspec import Struct
from msgspec.structs import fields

from gamehall.games.ascension import moves as ascension
from gamehall.games.go import board as go
from gamehall.games.santorini import board as santorini
from gamehall.match import Ending
from gamehall.rooms import requests

STORED: dict[Any, set[str]] = {
    requests.Request: {
        "Arrive",
        "Join",
        "BeginTournament",
        "TournamentGoesOn",
        "TournamentDelayed",
        "TournamentOver",
        "Answer",
        "Confirm",
        "Propose",
        "Play",
        "Resign",
        "Submit",
        "Look",
        "BadAnswer",
        "AskAgain",
        "Probe",
        "StillHere",
        "Say",
        "Remark",
        "Rematch",
        "Away",
        "Return",
        "Lost",
        "HangUp",
        "Leave",
    },
    requests.PlannedMove | requests.UnreadableMove: {"Wish", "NoWish"},
    go.Move: {"Stone", "Pass"},
    santorini.Move: {"Place", "Turn"},
    ascension.Move: {"Play", "Acquire", "Defeat", "Activate", "Choose", "EndTurn"},
}


@pytest.mark.parametrize("union", STORED, ids=str)
def test_the_tags_of_stored_values_do_not_change(union: Any) -> None:
    kinds = [getattr(kind, "__origin__", kind) for kind in get_args(union)]
    assert {kind.__struct_config__.tag for kind in kinds} == STORED[union]


@pytest.mark.parametrize(
    ("kind", "attribute", "name"),
    [(requests.Submit, "planned", "wishes"), (requests.ClientPolicy, "native", "any_script")],
)
def test_renamed_attributes_are_stored_under_their_old_names(
    kind: type[Struct], attribute: str, name: str
) -> None:
    assert {field.name: field.encode_name for field in fields(kind)}[attribute] == name


def test_the_endings_in_records_do_not_change() -> None:
    assert {ending.value for ending in Ending} == {
        "played out",
        "resigned",
        "illegal move",
        "out of time",
        "broke protocol",
        "left",
        "crashed",
        "too long",
        "cancelled",
    }
