"""What a board is worth as it stands, every stone on it alive."""

from gamehall.bots.compiled import compiled
from gamehall.bots.go.board import (
    COLOUR,
    EDGE,
    EMPTY,
    FREE,
    FREE_COUNT,
    MARK,
    STACK,
    STRIDE,
    Cells,
)


@compiled
def area_lead(cells: Cells) -> int:
    """How many points more black has than white: stones, and empty points that only it touches."""
    stride, free_count = cells[STRIDE], cells[FREE_COUNT]
    lead = 0
    for index in range(free_count):
        cells[MARK + cells[FREE + index]] = 0
    for index in range(free_count):
        start = cells[FREE + index]
        if cells[MARK + start] != 0:
            continue
        cells[MARK + start] = 1
        cells[STACK] = start
        height, area, touched = 1, 0, 0
        while height > 0:
            height -= 1
            point = cells[STACK + height]
            area += 1
            for step in (-stride, -1, 1, stride):
                beside = point + step
                found = cells[COLOUR + beside]
                if found == EMPTY:
                    if cells[MARK + beside] == 0:
                        cells[MARK + beside] = 1
                        cells[STACK + height] = beside
                        height += 1
                elif found != EDGE:
                    touched |= found
        if touched == 1:
            lead += area
        elif touched == 2:
            lead -= area
    for point in range(stride, (stride + 1) * stride):
        found = cells[COLOUR + point]
        if found == 1:
            lead += 1
        elif found == 2:
            lead -= 1
    return lead
