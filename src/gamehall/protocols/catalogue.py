"""Every protocol that there is."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from gamehall import protocols
from gamehall.wire.protocol import AnyProtocol


@cache
def all_protocols() -> Mapping[str, AnyProtocol]:
    """The protocols by name, in the order of their ports, found by looking into the folders.

    The folders are listed once per program.
    """
    found: list[AnyProtocol] = []
    for folder in pkgutil.iter_modules(protocols.__path__, protocols.__name__ + "."):
        if folder.ispkg:
            found.append(importlib.import_module(folder.name).PROTOCOL)
    ordered = sorted(found, key=lambda protocol: protocol.port)
    return MappingProxyType({protocol.name: protocol for protocol in ordered})
