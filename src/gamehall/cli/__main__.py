"""`python -m gamehall.cli` is `gamehall`."""

from gamehall.cli import main

main()
