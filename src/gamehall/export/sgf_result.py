"""How a match of Go ended, as SGF writes it: B+3.5, W+R, B+T, W+F, 0, Void."""

import re

from gamehall.core import Seat
from gamehall.games.go import GoPosition
from gamehall.match import Ending, Result

LETTERS = {Seat.FIRST: "B", Seat.SECOND: "W"}
SEATS = {letter: seat for seat, letter in LETTERS.items()}

SUFFIXES = {Ending.RESIGNED: "R", Ending.OUT_OF_TIME: "T"}
"""Every other way to lose before the end is a forfeit, F."""

ENDINGS = {
    "R": (Ending.RESIGNED, "the other resigned"),
    "T": (Ending.OUT_OF_TIME, "the other ran out of time"),
    "F": (Ending.LEFT, "the other forfeited the game"),
}
WON = re.compile(r"([BW])\s*\+\s*(?:([RTF])[A-Z]*|([0-9]{1,4}(?:[.,][0-9]{1,4})?)?)", re.IGNORECASE)


def write(result: Result, last: GoPosition) -> str:
    """The result of a match that ended in this position."""
    if result.winner is None:
        return "0" if result.ending is Ending.PLAYED_OUT else "Void"
    letter = LETTERS[result.winner]
    if result.ending is not Ending.PLAYED_OUT:
        return f"{letter}+{SUFFIXES.get(result.ending, 'F')}"
    score, scoring = last.score(), last.terms.scoring
    black, white = (score.of(seat).total(scoring) for seat in Seat)
    return f"{letter}+{abs(black - white):g}"


def read(text: str) -> Result:
    """The result that is written; one that is not known counts for nobody."""
    written = text.strip()
    won = WON.fullmatch(written)
    if won:
        winner = SEATS[won[1].upper()]
        if won[2]:
            return Result(winner, *ENDINGS[won[2].upper()])
        colour = "black" if winner is Seat.FIRST else "white"
        margin = f" by {float(won[3].replace(',', '.')):g}" if won[3] else ""
        return Result(winner, Ending.PLAYED_OUT, f"{colour} wins{margin}")
    if written.lower() in ("0", "draw", "jigo"):
        return Result(None, Ending.PLAYED_OUT, "a draw")
    return Result(None, Ending.CANCELLED, "the result is not known")
