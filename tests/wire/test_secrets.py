"""Names that carry a secret."""

import pytest

from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.requests import Join
from gamehall.wire.settings import DoorSettings, read_settings
from gamehall.wire.sign_up import read_sign_up

WITH_SECRETS = DoorSettings(secrets=True)


def test_without_the_setting_the_whole_text_is_the_name() -> None:
    assert read_sign_up("ann:xyzzy", DoorSettings()) == ("ann:xyzzy", "")


def test_with_the_setting_a_colon_separates_the_name_from_the_secret() -> None:
    assert read_sign_up("ann", WITH_SECRETS) == ("ann", "")
    assert read_sign_up("ann:", WITH_SECRETS) == ("ann", "")
    assert read_sign_up("ann:xyzzy", WITH_SECRETS) == ("ann", "xyzzy")
    assert read_sign_up("ann:xy:zzy", WITH_SECRETS) == ("ann", "xy:zzy")


@pytest.mark.parametrize(
    ("door", "message"),
    [
        ("tttp", b"JOIN\x09ann:xyzzy"),
        ("santorini-lobby", b'["join","ann:xyzzy"]\n'),
        ("santorini-tournament", b'"ann:xyzzy"\n'),
    ],
)
def test_every_door_with_names_reads_secrets(door: str, message: bytes) -> None:
    protocol = all_protocols()[door]
    settings = read_settings(protocol.settings, {"secrets": "true"}, door)
    session = protocol.sessions(settings)(0.0)
    session.receive_data(message, 0.0)
    request = session.next_request()
    assert isinstance(request, Join)
    assert (request.name, request.secret) == read_sign_up("ann:xyzzy", settings)
