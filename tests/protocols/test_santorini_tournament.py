"""What the transcripts of the tournament door cannot show: reasons, and the page that describes it."""

import pytest

from gamehall.hosting.requests import Leave
from gamehall.protocols.santorini_tournament import PROTOCOL, SantoriniTournamentSettings


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"no sense\n", "this is not a sign-up name: b'no sense'"),
        (b"Ann\n", "'Ann' is not a sign-up name: it has 1 to 256 lower-case letters"),
        (b"[]\n", "a client begins with its sign-up name, as a JSON string"),
    ],
)
def test_S1_Q02_S1_Q03_the_reason_says_why_a_name_is_refused(line: bytes, reason: str) -> None:
    session = PROTOCOL.sessions(SantoriniTournamentSettings())(0.0)
    session.receive_data(line, 0.0)
    assert session.next_request() == Leave(reason)
