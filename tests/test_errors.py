"""All exceptions derive from GamehallError and have names that end in Error."""

import importlib
import inspect
import pkgutil

import pytest

import gamehall

PACKAGES = [
    "core",
    "games",
    "match",
    "tournaments",
    "wire",
    "export",
    "bots",
    "engines",
    "storage",
    "rooms",
    "protocols",
    "server",
    "arena",
    "conformance",
    "players",
    "clients",
    "terminal",
    "web",
    "cli",
]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_exception_is_a_gamehall_error_with_such_a_name(package: str) -> None:
    folder = importlib.import_module(f"gamehall.{package}")
    for module in pkgutil.walk_packages(folder.__path__, folder.__name__ + "."):
        if module.name.endswith("__main__"):
            continue
        for name, kind in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(kind, Exception) and kind.__module__ == module.name:
                assert issubclass(kind, gamehall.GamehallError), f"{module.name}.{name}"
                assert name.endswith("Error") or name == "IllegalMove", f"{module.name}.{name}"
