"""Where black puts handicap stones, when it may put them where it likes."""

from collections.abc import Collection

from gamehall.games.go import Point


def handicap_point(size: int, free: Collection[Point]) -> Point | None:
    """The best of the free points for the next stone, None if there are none.

    Corners come first, then sides and the middle, then what is far from the edge.
    """
    line = 3 if size > 12 else 2 if size > 6 else 1
    far, middle = size - 1 - line, size // 2
    stars = [
        (line, far),
        (far, line),
        (far, far),
        (line, line),
        (middle, middle),
        (middle, line),
        (middle, far),
        (line, middle),
        (far, middle),
    ]
    for row, column in stars:
        if Point(row, column) in free:
            return Point(row, column)

    def order(point: Point) -> tuple[int, int, Point]:
        """First every other point, so that the stones do not take each other's liberties."""
        height = min(point.row, point.column, size - 1 - point.row, size - 1 - point.column)
        return (point.row + point.column) % 2, -height, point

    return min(free, key=order, default=None)
