"""The board as an SVG picture: wood, lines, star points, coordinates and stones.

Element ids are shared by all pictures on a page, so the gradients must be the same in every picture
of Go.
"""

from collections.abc import Mapping
from itertools import product

from gamehall.core import Seat
from gamehall.games.go.board import Point, star_points
from gamehall.games.go.notation import LETTERS, write_point

GAP = 32
MARGIN = 46
FOOT = 30
STONE = 15.4

INK = "#4a3413"
WOOD = (
    '<linearGradient id="gamehall-go-wood" x2="1" y2="1"><stop stop-color="#ecc680"/>'
    '<stop offset=".5" stop-color="#e3b567"/><stop offset="1" stop-color="#d9a655"/>'
    "</linearGradient>"
)
SHINE = (
    '<radialGradient id="gamehall-go-black" cx=".36" cy=".3" r=".75">'
    '<stop stop-color="#6f6f74"/><stop offset=".5" stop-color="#2a2a2d"/>'
    '<stop offset="1" stop-color="#0a0a0b"/></radialGradient>'
    '<radialGradient id="gamehall-go-white" cx=".36" cy=".3" r=".85">'
    '<stop stop-color="#fff"/><stop offset=".6" stop-color="#f5f2ea"/>'
    '<stop offset="1" stop-color="#c4bdac"/></radialGradient>'
)
GRAIN = ((0.07, 5), (0.19, -4), (0.33, 6), (0.46, -5), (0.61, 4), (0.74, -6), (0.88, 5))
"""The veins of the wood: where they begin, as a share of the height, and how far they bend."""


def draw(
    size: int, stones: Mapping[Point, Seat], last: Point | None, captured: Mapping[Seat, int]
) -> str:
    """Draw the board, mark the last stone, and show below it how many each side has captured."""
    width = 2 * MARGIN + (size - 1) * GAP
    height = width + FOOT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" role="img">',
        "<title>Go</title>",
        f"<defs>{WOOD}{SHINE}</defs>",
        *_wood(width, height),
        *_lines(size),
        *_stones(stones),
    ]
    if last is not None and last in stones:
        colour = "#fff" if stones[last] is Seat.FIRST else "#c22f25"
        parts.append(
            f'<circle data-last="" {_place(last)} r="7" fill="none" stroke="{colour}"'
            ' stroke-width="3"/>'
        )
    parts.append(_captured(width, height, captured))
    targets = (
        _target(Point(row, column), stones, size)
        for row, column in product(range(size), range(size))
    )
    parts.append(f'<g fill="transparent">{"".join(targets)}</g>')
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _wood(width: int, height: int) -> list[str]:
    veins = "".join(
        f"M4 {height * share:.0f}q{width / 4:.0f} {bend} {width / 2:.0f} 0t{width / 2 - 8:.0f} 0"
        for share, bend in GRAIN
    )
    return [
        f'<rect width="{width}" height="{height}" rx="10" fill="#a8762f"/>',
        f'<rect width="{width}" height="{height - 4}" rx="9" fill="url(#gamehall-go-wood)"/>',
        f'<path d="{veins}" fill="none" stroke="#b98334" stroke-width="1.5" opacity=".35"/>',
    ]


def _lines(size: int) -> list[str]:
    """Draw the grid, its star points, and the labels of columns and rows on all four sides."""
    near, far = MARGIN, MARGIN + (size - 1) * GAP
    inner = "".join(
        f"M{near} {at}H{far}M{at} {near}V{far}" for at in map(_middle, range(1, size - 1))
    )
    stars = "".join(f"M{_middle(column)} {_middle(row)}h0" for row, column in star_points(size))
    names = "".join(
        f'<text x="{_middle(index)}" y="{edge + 5}">{LETTERS[index]}</text>'
        f'<text x="{edge}" y="{_middle(index) + 5}">{size - index}</text>'
        for index in range(size)
        for edge in (near - 27, far + 27)
    )
    return [
        f'<g stroke="{INK}" fill="none"><path d="{inner}"/>'
        f'<rect x="{near}" y="{near}" width="{far - near}" height="{far - near}"'
        f' stroke-width="2"/><path d="{stars}" stroke-width="7.5" stroke-linecap="round"/></g>',
        f'<g font-family="sans-serif" font-size="13" fill="{INK}" text-anchor="middle">{names}</g>',
    ]


def _stones(stones: Mapping[Point, Seat]) -> list[str]:
    """Draw the stones, after all shadows, so that no shadow covers an adjacent stone."""
    if not stones:
        return []
    shadows = "".join(f"M{_middle(point.column)} {_middle(point.row)}h0" for point in stones)
    parts = [
        f'<path d="{shadows}" stroke="#000" stroke-width="{2 * STONE:g}" stroke-linecap="round"'
        ' opacity=".28" transform="translate(1.5 2.5)"/>'
    ]
    looks = (
        (Seat.FIRST, 'data-seat="first" fill="url(#gamehall-go-black)"'),
        (
            Seat.SECOND,
            'data-seat="second" fill="url(#gamehall-go-white)" stroke="#8d8575" stroke-width=".7"',
        ),
    )
    for seat, look in looks:
        circles = "".join(
            f'<circle {_place(point)} r="{STONE}"/>'
            for point, owner in sorted(stones.items())
            if owner is seat
        )
        parts.append(f"<g {look}>{circles}</g>")
    return parts


def _captured(width: int, height: int, captured: Mapping[Seat, int]) -> str:
    """Draw how many stones each side has captured, beside a stone of that side."""
    y = height - FOOT + 4
    parts = []
    for seat, name, x, edge in (
        (Seat.FIRST, "black", width / 2 - 50, ""),
        (Seat.SECOND, "white", width / 2 + 12, ' stroke="#8d8575" stroke-width=".7"'),
    ):
        parts.append(
            f"<g><title>captured by {name}: {captured[seat]}</title>"
            f'<circle cx="{x:g}" cy="{y}" r="9" fill="url(#gamehall-go-{name})"{edge}/>'
            f'<text x="{x + 14:g}" y="{y + 5}">+{captured[seat]}</text></g>'
        )
    look = f'font-family="sans-serif" font-size="15" font-weight="bold" fill="{INK}"'
    return f"<g {look}>{''.join(parts)}</g>"


def _target(point: Point, stones: Mapping[Point, Seat], size: int) -> str:
    """Draw a transparent circle that pages can mark, and that is a click target if it is free."""
    name = write_point(point, size)
    free = "" if point in stones else f' data-target="{name}"'
    return f'<circle{free} data-spot="{name}" {_place(point)} r="{STONE}"/>'


def _place(point: Point) -> str:
    return f'cx="{_middle(point.column)}" cy="{_middle(point.row)}"'


def _middle(index: int) -> int:
    """Return the coordinate of a line."""
    return MARGIN + index * GAP
