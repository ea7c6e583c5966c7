"""Every protocol that there is."""

import importlib
import pkgutil

from gamehall import protocols
from gamehall.wire.protocol import AnyProtocol


def all_protocols() -> dict[str, AnyProtocol]:
    """The protocols by name, in the order of their ports, found by looking into the folders."""
    found: list[AnyProtocol] = []
    for folder in pkgutil.iter_modules(protocols.__path__, protocols.__name__ + "."):
        if folder.ispkg:
            found.append(importlib.import_module(folder.name).PROTOCOL)
    return {protocol.name: protocol for protocol in sorted(found, key=lambda p: p.port)}
