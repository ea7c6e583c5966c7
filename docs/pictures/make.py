"""Draws the pictures of the documentation anew: python docs/pictures/make.py

A test compares them with what this draws, so they stay true.
"""

from pathlib import Path
from typing import Any

from gamehall.core import Game
from gamehall.games.connect_four import ConnectFour
from gamehall.games.santorini import Santorini

FOLDER = Path(__file__).parent

CONNECT_FOUR = "g1 g2 a1 a2 a3 c1 g3 b1 f1 g4 f2 g5 c2 c3 e1 d1 e2 d2 e3 e4 d3 f3 c4"
"""A game that Red wins along a diagonal."""

SANTORINI = (
    "d4 c3 d2 d3 d2-e1+e2 d3-e2+d3 d4-d3+c2 c3-c2+d1 e1-d1+d2 e2-d2+c1 d1-e2+e3 c2-d1+c1 d3-e3+d4"
    " d2-c1+c2 e2-d3+d2 d1-d2+c2 d3-c3+c2 d2-d1+e2 e3-d2+e3 d1-e2+e1 d2-e3+d3 e2-d3+e4 e3-e2+e1"
    " d3-d2+d1 e2-d3+c4 d2-e1+d1 d3-d2+d1 c1-b2+a2 d2-d3+c4 e1-e2+e1 d3-d2+e1 e2-d3+d4 d2-c1+b1"
    " d3-d4+c4 c3-b4+c4 d4-e3+d3 c1-d2+d3 e3-d4+c3 d2-e3+e2 d4-c5+b5 e3-e2"
)
"""A game that the red player wins by the step onto e2."""


def draw() -> dict[str, str]:
    """Every picture, by the name of its file."""
    return {
        "connect-four.svg": picture(ConnectFour(), CONNECT_FOUR),
        "santorini.svg": picture(Santorini(), SANTORINI),
    }


def picture(game: Game[Any], moves: str) -> str:
    """The position after these moves."""
    position = game.start(0)
    for move in moves.split():
        position = position.after(game.read_move(move))
    return position.picture()


if __name__ == "__main__":
    for name, drawn in draw().items():
        (FOLDER / name).write_text(drawn)
