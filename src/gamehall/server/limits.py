"""What keeps one peer, or many, from taking too much: where no setting says otherwise."""

from typing import Final

BACKLOG: Final = 4096
"""Connections that may wait to be accepted, so that a class that comes all at once gets in."""

ACCEPTED_AT_A_TIME: Final = 64
"""Of those who wait to be let in, before it is the turn of those who are in."""

SECONDS_TO_REST: Final = 1.0
"""How long nobody is let in when the system has no more files for them."""

UNREAD_BYTES: Final = 32_768
"""What the kernel keeps of a client that talks faster than it is heard, more or less."""

BYTES_PER_MESSAGE: Final = 1024
"""A longer message counts as several, where it is counted how much a peer says."""

EXPENDABLE_BYTES_WAITING: Final = 131_072
"""A peer for which more than this is waiting is told only what matters (X-09)."""

SECONDS_TO_CLOSE: Final = 2.0
"""How long a peer may take to read its last messages, and then to hang up (X-05)."""

SOCKET_OPTIONS: Final = {
    "TCP_KEEPIDLE": 10,
    "TCP_KEEPINTVL": 5,
    "TCP_KEEPCNT": 3,
    "TCP_USER_TIMEOUT": 25_000,
}
"""A client that vanished without a word is noticed within half a minute (X-07, X-12).

If the connection is idle, three probes must be missed; if something was sent, it must be confirmed
within so many milliseconds.
"""
