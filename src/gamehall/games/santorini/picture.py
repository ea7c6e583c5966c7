"""The board as an SVG picture, seen from the south at an angle: towers, domes, workers."""

from collections.abc import Mapping

from gamehall.core import Seat
from gamehall.games.santorini.moves import Cell

HALF_WIDTH = 52
HALF_DEPTH = 28
STOREY = 22
MARGIN = 26

STYLE = (
    ".sea{fill:#bfe0ee}.tile{fill:#9cc27a;stroke:#7fa55f;stroke-width:1.5}"
    ".top{fill:#fbf8f1}.left{fill:#d9d2c3}.right{fill:#c3baa8}"
    ".top,.left,.right{stroke:#a79d89;stroke-width:1}"
    ".dome{fill:#2f6fc4;stroke:#1f4e8c;stroke-width:1.5}"
    ".first{fill:#d6433b;stroke:#8f2720}.second{fill:#3a3f4b;stroke:#14161b}"
    ".worker{stroke-width:2}"
    "text{font:15px sans-serif;fill:#4b6a78;text-anchor:middle;dominant-baseline:central}"
)

SHRINK = (1.0, 0.86, 0.72, 0.58)
"""How wide each level is, beside the cell."""


def draw(size: int, heights: Mapping[Cell, int], owners: Mapping[Cell, Seat]) -> str:
    """The towers and the workers on them, the far cells first so that near ones hide them."""
    width = 2 * (size * HALF_WIDTH + MARGIN)
    top = 3 * STOREY + 50
    height = top + 2 * size * HALF_DEPTH + 2 * MARGIN
    middle = width / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
        f' width="{width:g}" height="{height:g}" role="img">',
        "<title>Santorini</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="sea" width="{width:g}" height="{height:g}" rx="18"/>',
    ]
    for cell in sorted(heights, key=lambda cell: (cell.row + cell.column, cell.column)):
        x = middle + (cell.column - cell.row) * HALF_WIDTH
        y = top + (cell.column + cell.row + 1) * HALF_DEPTH
        parts.append(_diamond("tile", x, y, 1.0))
        parts += _tower(x, y, heights[cell])
        if cell in owners:
            parts.append(_worker(x, y - min(heights[cell], 3) * STOREY, owners[cell]))
    # The letters stand before the south edge, the digits before the east edge.
    for index in range(size):
        outwards, forwards = (index + 0.5) * HALF_WIDTH, (index + 0.5) * HALF_DEPTH + 16
        edge = top + size * HALF_DEPTH
        parts.append(_label(MARGIN + outwards - 14, edge + forwards, "abcdef"[index]))
        parts.append(_label(width - MARGIN - outwards + 14, edge + forwards, str(size - index)))
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _tower(x: float, y: float, height: int) -> list[str]:
    """Up to three storeys, and the dome."""
    parts: list[str] = []
    for level in range(min(height, 3)):
        parts += _storey(x, y - level * STOREY, SHRINK[level + 1])
    if height == 4:
        roof, radius = y - 3 * STOREY, HALF_WIDTH * 0.48
        parts.append(
            f'<path class="dome" d="M{x - radius:g} {roof:g} a{radius:g} {radius:g} 0 0 1'
            f' {2 * radius:g} 0 a{radius:g} {radius * 0.5:g} 0 0 1 {-2 * radius:g} 0z"/>'
        )
    return parts


def _storey(x: float, y: float, scale: float) -> list[str]:
    """One block that stands on the point: two walls and a roof."""
    w, d = HALF_WIDTH * scale, HALF_DEPTH * scale
    roof = y - STOREY
    left = f"{x - w:g},{y:g} {x:g},{y + d:g} {x:g},{roof + d:g} {x - w:g},{roof:g}"
    right = f"{x + w:g},{y:g} {x:g},{y + d:g} {x:g},{roof + d:g} {x + w:g},{roof:g}"
    return [
        f'<polygon class="left" points="{left}"/>',
        f'<polygon class="right" points="{right}"/>',
        _diamond("top", x, roof, scale),
    ]


def _diamond(look: str, x: float, y: float, scale: float) -> str:
    w, d = HALF_WIDTH * scale, HALF_DEPTH * scale
    points = f"{x:g},{y - d:g} {x + w:g},{y:g} {x:g},{y + d:g} {x - w:g},{y:g}"
    return f'<polygon class="{look}" points="{points}"/>'


def _worker(x: float, y: float, seat: Seat) -> str:
    """A figure that stands on the point: a body and a head."""
    look = "worker first" if seat is Seat.FIRST else "worker second"
    body = f"M{x - 13:g} {y + 4:g} Q{x:g} {y - 46:g} {x + 13:g} {y + 4:g} Q{x:g} {y + 12:g}"
    return (
        f'<g class="{look}"><path d="{body} {x - 13:g} {y + 4:g}z"/>'
        f'<circle cx="{x:g}" cy="{y - 31:g}" r="9"/></g>'
    )


def _label(x: float, y: float, text: str) -> str:
    return f'<text x="{x:g}" y="{y:g}">{text}</text>'
