"""The board as an SVG picture: a honey-coloured frame with holes, and red and blue discs.

Red discs have a ring and blue ones a diamond, for people who cannot tell the colours apart. The
discs of a winning line get a white ring, and all others fade.
"""

from collections.abc import Iterable, Iterator

from gamehall.games.connect_four import board, notation
from gamehall.games.connect_four.board import CELLS, COLUMNS, COLUMNS_OF_CELLS, ROWS, STONES, Cell

CELL = 64
MARGIN = 26
FOOT = 34
WIDTH = COLUMNS * CELL + 2 * MARGIN
HEIGHT = ROWS * CELL + MARGIN + FOOT
HOLE = 27

FRAME, RIM, SHADE, LETTER = "#f2bd42", "#c8901f", "#b57d13", "#7a520a"
HOLLOW = "#fcf6e4"
RED = ("#d93a32", "#a3231d", "#f59a8f")
BLUE = ("#2b62c0", "#183f86", "#9dc0f5")
"""Colours of a disc's face, its edge, and the mark on it."""


def draw(first: int, second: int, line_length: int, *, falls: bool) -> str:
    """Draw both players' pieces, given as bitboards, and the line if there is one.

    If pieces fall, whole columns can be clicked, otherwise single cells.
    """
    lit = board.lines(first, line_length) | board.lines(second, line_length)
    taken = first | second
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' width="{WIDTH}" height="{HEIGHT}" role="img">',
        "<title>Connect Four</title>",
        *_frame(),
        *_holes(),
    ]
    for seat, pieces in (("first", first), ("second", second)):
        parts += _discs(seat, _cells(pieces & ~lit), fades=bool(lit))
        parts += _discs(seat, _cells(pieces & lit), fades=False)
    if lit:
        rings = "".join(f'<circle {_place(cell)} r="22"/>' for cell in _cells(lit))
        parts.append(f'<g data-line="" fill="none" stroke="#fff" stroke-width="6">{rings}</g>')
    spots = (
        f'<circle data-spot="{notation.write(cell)}" {_place(cell)} r="{HOLE}"/>' for cell in CELLS
    )
    parts.append(f'<g fill="transparent">{"".join(spots)}</g>')
    targets = _column_targets(taken) if falls else _cell_targets(taken)
    parts.append(f'<g fill="transparent">{"".join(targets)}</g>')
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _frame() -> list[str]:
    """Draw the board without its holes, and the labels of columns and rows."""
    columns = "".join(
        f'<text x="{_middle(column):g}" y="{HEIGHT - 13}">{letter}</text>'
        for column, letter in enumerate(notation.LETTERS)
    )
    rows = "".join(
        f'<text x="15" y="{_middle(row) + 5:g}">{ROWS - row}</text>' for row in range(ROWS)
    )
    return [
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="26" fill="{RIM}"/>',
        f'<rect width="{WIDTH}" height="{HEIGHT - 6}" rx="24" fill="{FRAME}"/>',
        f'<g font-family="sans-serif" font-size="14" font-weight="bold" fill="{LETTER}"'
        f' text-anchor="middle">{columns}{rows}</g>',
    ]


def _holes() -> list[str]:
    """Draw the empty cells, dark at the upper edge where the frame casts a shadow.

    Dots are lines of length 0 with round ends, which is shorter than circles.
    """
    dots = "".join(f"M{_middle(cell.column):g} {_middle(cell.row):g}h0" for cell in CELLS)
    return [
        f'<g stroke-linecap="round"><path d="{dots}" stroke="{SHADE}" stroke-width="{2 * HOLE}"/>'
        f'<path d="{dots}" stroke="{HOLLOW}" stroke-width="{2 * HOLE - 4}"'
        ' transform="translate(0 2)"/></g>'
    ]


def _discs(seat: str, cells: Iterable[Cell], *, fades: bool) -> list[str]:
    """Draw the pieces of one seat, each with its mark."""
    places = [(_place(cell), _middle(cell.column), _middle(cell.row)) for cell in cells]
    if not places:
        return []
    face, edge, mark = RED if seat == "first" else BLUE
    discs = "".join(f'<circle {place} r="25"/>' for place, _, _ in places)
    if seat == "first":
        marks = "".join(f'<circle {place} r="13"/>' for place, _, _ in places)
    else:
        diamonds = "".join(f"M{x:g} {y - 15:g}l15 15-15 15-15-15z" for _, x, y in places)
        marks = f'<path d="{diamonds}"/>'
    faded = ' opacity=".36"' if fades else ""
    return [
        f"<g{faded}>"
        f'<g data-seat="{seat}" fill="{face}" stroke="{edge}" stroke-width="4">{discs}</g>'
        f'<g fill="none" stroke="{mark}" stroke-width="4">{marks}</g></g>'
    ]


def _column_targets(taken: int) -> Iterator[str]:
    """Yield a click target for each column that is not full, for the cell where a piece lands."""
    for column in range(COLUMNS):
        lowest = board.landing_row(taken, column)
        if lowest >= 0:
            yield (
                f'<rect data-target="{notation.write(COLUMNS_OF_CELLS[column][lowest])}"'
                f' x="{MARGIN + column * CELL}" y="6" width="{CELL}" height="{HEIGHT - 16}"'
                ' rx="12"/>'
            )


def _cell_targets(taken: int) -> Iterator[str]:
    """Yield a click target for each free cell."""
    for cell in CELLS:
        if not taken & STONES[cell]:
            left, top = MARGIN + cell.column * CELL, MARGIN + cell.row * CELL
            yield (
                f'<rect data-target="{notation.write(cell)}"'
                f' x="{left}" y="{top}" width="{CELL}" height="{CELL}"/>'
            )


def _cells(stones: int) -> list[Cell]:
    return [cell for cell in CELLS if stones & STONES[cell]]


def _place(cell: Cell) -> str:
    return f'cx="{_middle(cell.column):g}" cy="{_middle(cell.row):g}"'


def _middle(index: int) -> float:
    """Return the coordinate of the centre of a column or row."""
    return MARGIN + (index + 0.5) * CELL
