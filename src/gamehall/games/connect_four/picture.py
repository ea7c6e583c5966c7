"""The board as an SVG picture: a yellow frame with holes, red and blue discs, the line ringed."""

from gamehall.games.connect_four import bitboard, notation
from gamehall.games.connect_four.moves import COLUMNS, ROWS, Cell

CELL = 64
MARGIN = 28
DISC = 26

STYLE = (
    ".frame{fill:#e9b949}.empty{fill:#fbf6e9}"
    ".first{fill:#d6433b;stroke:#a52f28}.second{fill:#2f6fc4;stroke:#1f4e8c}"
    ".disc{stroke-width:4}.line{fill:none;stroke:#fff;stroke-width:5}"
    "text{font:14px sans-serif;fill:#667;text-anchor:middle;dominant-baseline:central}"
)


def draw(first: int, second: int, line_length: int) -> str:
    """The two sets of pieces on the board; the pieces of a finished line wear a white ring."""
    width, height = COLUMNS * CELL + 2 * MARGIN, ROWS * CELL + 2 * MARGIN
    lit = bitboard.lines(first, line_length) | bitboard.lines(second, line_length)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" role="img">',
        "<title>Connect Four</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="frame" x="{MARGIN}" y="{MARGIN}" width="{COLUMNS * CELL}"'
        f' height="{ROWS * CELL}" rx="18"/>',
    ]
    for column in range(COLUMNS):
        parts.append(_label(_middle(column), height - MARGIN / 2, notation.LETTERS[column]))
    for row in range(ROWS):
        parts.append(_label(MARGIN / 2, _middle(row), str(ROWS - row)))
        for column in range(COLUMNS):
            parts.extend(_spot(Cell(column, row), first, second, lit))
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _spot(cell: Cell, first: int, second: int, lit: int) -> list[str]:
    """The circles that show one cell."""
    here = bitboard.bit(cell)
    look = "disc first" if first & here else "disc second" if second & here else "empty"
    place = f'cx="{_middle(cell.column):g}" cy="{_middle(cell.row):g}"'
    spot = f'<circle class="{look}" data-cell="{notation.write(cell)}" {place} r="{DISC}"/>'
    return [spot, f'<circle class="line" {place} r="{DISC - 9}"/>'] if lit & here else [spot]


def _middle(index: int) -> float:
    """Where the middle of a column or row lies, from the left or top edge."""
    return MARGIN + (index + 0.5) * CELL


def _label(x: float, y: float, text: str) -> str:
    return f'<text x="{x:g}" y="{y:g}">{text}</text>'
