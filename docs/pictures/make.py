"""Draws the pictures of the documentation anew: python docs/pictures/make.py

A test compares them with what this draws, so they stay true.
"""

from pathlib import Path
from typing import Any

from gamehall.core import Game
from gamehall.games.ascension import (
    CARDS,
    Acquire,
    Activate,
    Ascension,
    AscensionPosition,
    Choose,
    Defeat,
    EndTurn,
    Move,
    PlayCard,
)
from gamehall.games.connect_four import ConnectFour
from gamehall.games.go import Go
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


GO = "E5 C5 E7 E4 F5 G3 C6 B6 G4 F4 H4 C8 C7 D5 B8 H3 G5 J4 J5 J3 B7 B5 D6 A7 A8 A6"
"""The stones of two players on a small board who agree on who has what."""

ASCENSION_SEED, ASCENSION_TURN = 7, 29
"""A game of players who take what is dearest, shown in the middle of a turn."""


def draw() -> dict[str, str]:
    """Every picture, by the name of its file."""
    return {
        "connect-four.svg": picture(ConnectFour(), CONNECT_FOUR),
        "santorini.svg": picture(Santorini(), SANTORINI),
        "go.svg": picture(Go(9), GO),
        "ascension.svg": ascension().picture(),
    }


def picture(game: Game[Any], moves: str) -> str:
    """The position after these moves."""
    position = game.start(0)
    for move in moves.split():
        position = position.after(game.read_move(move))
    return position.picture()


def ascension() -> AscensionPosition:
    """The position in which somebody has played all but two cards of the hand."""
    position = Ascension().start(ASCENSION_SEED)
    while position.board.turn < ASCENSION_TURN:
        position = position.after(max(position.legal_moves(), key=worth))
    while len(position.board.mine.hand) > 2:
        position = position.after(max(position.legal_moves(), key=worth))
    return position


def worth(move: Move) -> float:
    """Cards are played and constructs used first; then comes what is dearest."""
    match move:
        case PlayCard():
            return 300
        case Activate():
            return 200
        case Acquire(card) | Defeat(card):
            return 100 + CARDS[card].cost
        case Choose(option):
            return 1 if option else 0
        case EndTurn():
            return -1


if __name__ == "__main__":
    for name, drawn in draw().items():
        (FOLDER / name).write_text(drawn)
