"""The catalogue of protocols."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from gamehall import protocols
from gamehall.core import SeededRandom
from gamehall.core.discovery import check_name, discover
from gamehall.games.catalogue import all_games
from gamehall.wire.protocol import AnyProtocol, WireProtocol


@cache
def all_protocols() -> Mapping[str, AnyProtocol]:
    """Return the protocols by name, in the order of their ports.

    Each is the attribute PROTOCOL of a folder beside this module, or of an entry point.
    """
    # Doors, the web door and the rooms of games without a door share one set of names.
    found = discover(protocols, "PROTOCOL", _read, reserved={"web", *all_games()})
    return MappingProxyType(dict(sorted(found.items(), key=lambda item: item[1].port)))


def _read(protocol: object) -> dict[str, AnyProtocol]:
    """Check a protocol. Raises ValueError."""
    if not isinstance(protocol, WireProtocol):
        raise ValueError(f"a protocol must be an instance of WireProtocol, not {protocol!r}")  # noqa: TRY004
    check_name(getattr(protocol, "name", None))
    if protocol.game not in all_games():
        raise ValueError(f"{protocol.name} is for the unknown game {protocol.game!r}")
    if type(protocol.port) is not int or not 0 < protocol.port < 1 << 16:
        raise ValueError(f"the port of {protocol.name} must be 1 to 65535, not {protocol.port!r}")
    settings = protocol.settings()
    protocol.sessions(settings)
    protocol.room(settings, SeededRandom(0))
    return {protocol.name: protocol}
