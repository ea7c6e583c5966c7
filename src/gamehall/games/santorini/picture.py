"""The board as an SVG picture: an island, seen from above and slightly from the south.

A tower is drawn as squares within squares, each with its south wall, and shows its height in dots;
a dome is a blue circle. The first player's workers are round and red, the second's angular and
dark.
"""

from collections.abc import Mapping

from gamehall.core import Seat
from gamehall.games.santorini.board import DOME, SUMMIT, Cell
from gamehall.games.santorini.notation import LETTERS, write_cell

CELL = 100
MARGIN = 34
"""The width of the shore around the cells, which has the labels."""

SEA, SHORE, LABEL = "#2e7fa8", "#f0dfb6", "#7d6637"
GRASS = ("#a5c97c", "#99c06f")
"""The alternating colours of cells."""

WIDTHS = (86, 64, 43)
"""The widths of the three storeys."""
RISE = 6
"""How much each storey is shifted to the north."""
ROOFS = ("#d9c49a", "#efe4cb", "#ffffff")
WALLS = ("#9c8453", "#b49c6c", "#b9ab8d")


def draw(size: int, heights: Mapping[Cell, int], owners: Mapping[Cell, Seat]) -> str:
    """Draw the towers, and the workers on them."""
    side = size * CELL + 2 * MARGIN
    island = side - 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}"'
        f' width="{side}" height="{side}" role="img">',
        "<title>Santorini</title>",
        f'<rect width="{side}" height="{side}" rx="30" fill="{SEA}"/>',
        f'<rect x="8" y="8" width="{island}" height="{island}" rx="24" fill="{SHORE}"'
        ' stroke="#bfe3ee" stroke-width="4"/>',
        _grass(size),
        _labels(size),
    ]
    for cell, height in sorted(heights.items()):
        x, y = MARGIN + (cell.column + 0.5) * CELL, MARGIN + (cell.row + 0.5) * CELL
        content = [*_tower(height), *_worker(owners.get(cell), height)]
        if content:
            parts.append(f'<g transform="translate({x:g} {y:g})">{"".join(content)}</g>')
    parts += [_target(cell, size) for cell in sorted(heights)]
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _grass(size: int) -> str:
    """Draw all cells in two colours, like a chessboard."""
    whole = size * CELL
    fields = "".join(
        f"M{MARGIN + column * CELL} {MARGIN + row * CELL}h{CELL}v{CELL}h-{CELL}z"
        for row in range(size)
        for column in range(size)
        if (row + column) % 2
    )
    return (
        f'<rect x="{MARGIN}" y="{MARGIN}" width="{whole}" height="{whole}" fill="{GRASS[0]}"/>'
        f'<path d="{fields}" fill="{GRASS[1]}"/>'
        f'<rect x="{MARGIN}" y="{MARGIN}" width="{whole}" height="{whole}" fill="none"'
        ' stroke="#7da552" stroke-width="2"/>'
    )


def _labels(size: int) -> str:
    """Draw letters below the south edge and digits beside the west edge."""
    letters = "".join(
        f'<text x="{MARGIN + (index + 0.5) * CELL:g}" y="{size * CELL + 2 * MARGIN - 15}">'
        f"{LETTERS[index]}</text>"
        for index in range(size)
    )
    digits = "".join(
        f'<text x="21" y="{MARGIN + (index + 0.5) * CELL + 5:g}">{size - index}</text>'
        for index in range(size)
    )
    return (
        f'<g font-family="sans-serif" font-size="16" font-weight="bold" fill="{LABEL}"'
        f' text-anchor="middle">{letters}{digits}</g>'
    )


def _tower(height: int) -> list[str]:
    """Draw the storeys around the centre of a cell, the dome, and the dots for the height."""
    parts = []
    if height:
        parts.append('<rect x="-41" y="-36" width="89" height="86" rx="8" opacity=".25"/>')
    for level, (width, roof, wall) in enumerate(zip(WIDTHS, ROOFS, WALLS, strict=True)):
        if level < height:
            left, top = -width / 2, 4 - width / 2 - (level + 1) * RISE
            parts.append(
                f'<rect x="{left:g}" y="{top:g}" width="{width}" height="{width + RISE}" rx="6"'
                f' fill="{wall}"/><rect x="{left:g}" y="{top:g}" width="{width}" height="{width}"'
                f' rx="6" fill="{roof}" stroke="{wall}" stroke-width="1.5"/>'
            )
    if height == DOME:
        parts.append(
            '<circle cx="2" cy="-9" r="19" opacity=".2"/>'
            '<circle cy="-14" r="19.5" fill="#1f66b8" stroke="#123f78" stroke-width="2.5"/>'
            '<path d="M-12-17A13 13 0 0 1 1-27" fill="none" stroke="#fff" stroke-width="4"'
            ' stroke-linecap="round" opacity=".6"/>'
        )
    elif height:
        dots = "".join(f"M{35 - 11 * index} 33h0" for index in range(height))
        parts.append(f'<path d="{dots}" stroke="#4a3b1c" stroke-width="8" stroke-linecap="round"/>')
    return parts


def _worker(seat: Seat | None, height: int) -> list[str]:
    """Draw the worker on top of the tower, if there is one."""
    if seat is None:
        return []
    foot = 4 - height * RISE
    if seat is Seat.FIRST:
        look, colours = "first", 'fill="#d93a32" stroke="#7f1711"'
        body = "M-18 16C-18-2-10-8 0-8S18-2 18 16Q0 24-18 16Z"
        head = '<circle cy="-17" r="11.5"/>'
    else:
        look, colours = "second", 'fill="#3c4862" stroke="#10141d"'
        body = "M-20 18-8-9H8L20 18Z"
        head = '<path d="M0-33 13-19 0-5-13-19Z"/>'
    # A worker on the third level has won.
    halo = (
        '<circle cy="-5" r="37" fill="none" stroke="#ffcf2e" stroke-width="7"/>'
        if height == SUMMIT
        else ""
    )
    return [
        f'<g data-seat="{look}" transform="translate(0 {foot})">{halo}'
        '<ellipse cy="18" rx="22" ry="7" opacity=".25"/>'
        f'<g {colours} stroke-width="3" stroke-linejoin="round"><path d="{body}"/>{head}</g>'
        '<path d="M-5-19h0" stroke="#fff" stroke-width="6" stroke-linecap="round" opacity=".6"/>'
        "</g>"
    ]


def _target(cell: Cell, size: int) -> str:
    name = write_cell(cell, size)
    return (
        f'<rect data-target="{name}" data-spot="{name}" x="{MARGIN + cell.column * CELL + 2}"'
        f' y="{MARGIN + cell.row * CELL + 2}" width="{CELL - 4}" height="{CELL - 4}" rx="8"'
        ' fill="transparent"/>'
    )
