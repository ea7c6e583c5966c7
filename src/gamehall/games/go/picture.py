"""The board as an SVG picture: lines, star points, coordinates, stones, the last one marked."""

from collections.abc import Mapping
from itertools import product

from gamehall.core import Seat
from gamehall.games.go.moves import Point
from gamehall.games.go.notation import LETTERS

GAP = 32
MARGIN = 44
FOOT = 34
STONE = 15.2

STYLE = (
    ".wood{fill:#e6b866}.line{stroke:#5b431d;stroke-width:1;stroke-linecap:square}"
    ".edge{stroke-width:2}.star{fill:#5b431d}"
    ".first{fill:url(#black)}.second{fill:url(#white);stroke:#8d8575;stroke-width:.8}"
    ".shade{fill:#000;opacity:.22}.last{fill:none;stroke-width:2.5}"
    ".last.on-first{stroke:#f6f2e8}.last.on-second{stroke:#35322b}"
    "text{font:13px sans-serif;fill:#5b431d;text-anchor:middle;dominant-baseline:central}"
    ".foot{font-size:14px}"
)

SHINE = (
    '<defs><radialGradient id="black" cx=".36" cy=".32" r=".75">'
    '<stop offset="0" stop-color="#777"/><stop offset=".55" stop-color="#242424"/>'
    '<stop offset="1" stop-color="#080808"/></radialGradient>'
    '<radialGradient id="white" cx=".36" cy=".32" r=".8">'
    '<stop offset="0" stop-color="#fff"/><stop offset=".6" stop-color="#f3f0e8"/>'
    '<stop offset="1" stop-color="#c9c3b4"/></radialGradient></defs>'
)


def draw(
    size: int, stones: Mapping[Point, Seat], last: Point | None, captured: Mapping[Seat, int]
) -> str:
    """The stones on the board, and below it what each side has captured."""
    width = 2 * MARGIN + (size - 1) * GAP
    height = width + FOOT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" role="img">',
        "<title>Go</title>",
        f"<style>{STYLE}</style>",
        SHINE,
        f'<rect class="wood" width="{width}" height="{height}" rx="8"/>',
    ]
    near, far = MARGIN, width - MARGIN
    for index in range(size):
        at = _middle(index)
        look = "line edge" if index in (0, size - 1) else "line"
        parts.append(f'<line class="{look}" x1="{near}" y1="{at}" x2="{far}" y2="{at}"/>')
        parts.append(f'<line class="{look}" x1="{at}" y1="{near}" x2="{at}" y2="{far}"/>')
        for beside in (near - 26, far + 26):
            parts.append(_label(at, beside, LETTERS[index]))
            parts.append(_label(beside, at, str(size - index)))
    for row, column in star_points(size):
        parts.append(f'<circle class="star" cx="{_middle(column)}" cy="{_middle(row)}" r="3.6"/>')
    for point, seat in sorted(stones.items()):
        parts += _stone(point, seat, point == last)
    for seat, name, share in ((Seat.FIRST, "Black", 0.27), (Seat.SECOND, "White", 0.73)):
        parts.append(
            f'<text class="foot" x="{width * share:g}" y="{height - FOOT / 2:g}">'
            f"{name} has captured {captured[seat]}</text>"
        )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def star_points(size: int) -> list[Point]:
    """Hoshi: where the board has its dots."""
    if size < 7:
        return [Point(size // 2, size // 2)] if size in (3, 5) else []
    edge = 2 if size < 13 else 3
    lines = [edge, size - 1 - edge]
    if size % 2 and size >= 15:
        lines.insert(1, size // 2)
    stars = [Point(row, column) for row, column in product(lines, lines)]
    middle = Point(size // 2, size // 2)
    return stars if size % 2 == 0 or middle in stars else [*stars, middle]


def _stone(point: Point, seat: Seat, is_last: bool) -> list[str]:
    x, y = _middle(point.column), _middle(point.row)
    look = "first" if seat is Seat.FIRST else "second"
    parts = [
        f'<circle class="shade" cx="{x + 1.6}" cy="{y + 2.2}" r="{STONE}"/>',
        f'<circle class="{look}" cx="{x}" cy="{y}" r="{STONE}"/>',
    ]
    if is_last:
        parts.append(f'<circle class="last on-{look}" cx="{x}" cy="{y}" r="{STONE * 0.5:g}"/>')
    return parts


def _middle(index: int) -> int:
    return MARGIN + index * GAP


def _label(x: float, y: float, text: str) -> str:
    return f'<text x="{x:g}" y="{y:g}">{text}</text>'
