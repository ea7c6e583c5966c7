"""`python -m gamehall` is `gamehall`."""

from gamehall.cli import main

main()
