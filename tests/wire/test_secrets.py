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
    assert read_sign_up("ann:xyzzy", WITH_SECRETS) == ("ann", "xyzzy")
    assert read_sign_up("ann:xy:zzy", WITH_SECRETS) == ("ann", "xy:zzy")


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
