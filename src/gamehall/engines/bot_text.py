"""How a bot is written on a command line: `perfect`, `mcts@0.5`, `FILE.py:CLASS`, `gtp:COMMAND`."""

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
        raise ValueError(f"{text!r}: write how many seconds it thinks behind the @, as in mcts@0.5")
    return words, given


def short_name(text: str) -> str:
    """Return what a bot is called among players: without seconds, file or command."""
    if text.startswith(GTP):
        return "engine"
    if is_file_of_bot(text):
        return text.rpartition(":")[2]
    return text.partition(AT)[0]
