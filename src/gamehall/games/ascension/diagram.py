"""x"""

from gamehall.core import Outcome
from gamehall.games.ascension.board import Board


def write(board: Board, outcome: Outcome | None) -> str:
    """x"""
    return ""
