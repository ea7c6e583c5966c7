"""Draws the pictures of the documentation anew: python docs/pictures/make.py

A test compares them with what this draws, so they stay true.
"""

from pathlib import Path

from gamehall.games.connect_four import ConnectFour

FOLDER = Path(__file__).parent
GAME = "g1 g2 a1 a2 a3 c1 g3 b1 f1 g4 f2 g5 c2 c3 e1 d1 e2 d2 e3 e4 d3 f3 c4"
"""A game that Red wins along a diagonal."""


def draw() -> dict[str, str]:
    """Every picture, by the name of its file."""
    game = ConnectFour()
    position = game.start(0)
    for move in GAME.split():
        position = position.after(game.read_move(move))
    return {"connect-four.svg": position.picture()}


if __name__ == "__main__":
    for name, picture in draw().items():
        (FOLDER / name).write_text(picture)
