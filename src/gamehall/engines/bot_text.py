"""The notation of bots on a command line and in a configuration.

A text is the name of a bot in the catalogue, with or without its seconds per move (`perfect`,
`mcts@0.5`), a class in a file (`FILE.py:CLASS`), or the command of a GTP engine (`gtp:COMMAND`).
"""

from typing import Final

from gamehall.engines.own_bot import is_file_of_bot

GTP: Final = "gtp:"
AT: Final = "@"


def split_seconds(text: str) -> tuple[str, float | None]:
    """Split `mcts@0.5` into the bot and its seconds per move. Raises ValueError."""
    words, at, seconds = text.rpartition(AT)
    if not at or text.startswith(GTP) or is_file_of_bot(text):
        return text, None
    try:
        given = float(seconds)
    except ValueError:
        given = 0.0
    if not 0 < given < float("inf"):
        raise ValueError(f"{text!r}: after the @, write the seconds per move, as in mcts@0.5")
    return words, given


def display_name(text: str) -> str:
    """Return the name of a bot for other players: without seconds, file or command.

    The arena names its entries itself, since it must tell engines and settings apart.
    """
    if text.startswith(GTP):
        return "engine"
    if is_file_of_bot(text):
        return text.rpartition(":")[2]
    return text.partition(AT)[0]
