"""The command line: one module per command."""

from gamehall.cli.main import main

__all__ = ["main"]
