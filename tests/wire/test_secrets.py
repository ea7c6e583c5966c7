"""Names that carry a secret."""

import pytest

from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.requests import Join
from gamehall.wire.settings import DoorSettings, read_settings, read_sign_up

WITH_SECRETS = DoorSettings(secrets=True)


def test_at_most_doors_a_name_is_a_name() -> None:
    assert read_sign_up("ann:xyzzy", DoorSettings()) == ("ann:xyzzy", "")


def test_where_there_are_secrets_the_name_ends_before_them() -> None:
    assert read_sign_up("ann", WITH_SECRETS) == ("ann", "")
    assert read_sign_up("ann:", WITH_SECRETS) == ("ann", "")
    assert read_sign_up("ann:xyzzy", WITH_SECRETS).name == "ann"
    assert read_sign_up("ann:xy:zzy", WITH_SECRETS).name == "ann"


def test_only_the_same_secret_of_the_same_name_makes_the_same_mark() -> None:
    mark = read_sign_up("ann:xyzzy", WITH_SECRETS).secret
    assert mark == read_sign_up("ann:xyzzy", WITH_SECRETS).secret
    others = ["ann:xyzz", "bob:xyzzy", "ann:xyzzy ", "ann"]
    assert mark not in {read_sign_up(other, WITH_SECRETS).secret for other in others}
    assert "xyzzy" not in mark


@pytest.mark.parametrize(
    ("door", "said"),
    [
        ("tttp", b"JOIN\x09ann:xyzzy"),
        ("santorini-lobby", b'["join","ann:xyzzy"]\n'),
        ("santorini-tournament", b'"ann:xyzzy"\n'),
    ],
)
def test_every_door_with_names_has_secrets(door: str, said: bytes) -> None:
    protocol = all_protocols()[door]
    settings = read_settings(protocol.settings, {"secrets": "true"}, door)
    session = protocol.sessions(settings)(0.0)
    session.receive_data(said, 0.0)
    request = session.next_request()
    assert isinstance(request, Join)
    assert (request.name, request.secret) == read_sign_up("ann:xyzzy", settings)
