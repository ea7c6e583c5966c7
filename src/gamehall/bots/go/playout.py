"""Playouts: a game to its end by quick rules of thumb, which estimates what a position is worth.

The player to move looks at what the last move threatens, then for shapes around it, and else moves
anywhere, but does not fill its own eyes, and rarely gives stones away. The order of these steps is
MoGo's (Sylvain Gelly, Yizao Wang, Remi Munos, Olivier Teytaud: "Modification of UCT with Patterns
in Monte-Carlo Go", 2006). That each is left out now and then, and that self-atari is mostly but not
always refused, is as in Pachi and Michi by Petr Baudis, and the numbers are near Michi's.

Shapes are of three by three points in whose middle a stone is worth a look: stones are in contact
there, where moves are urgent more often. That is an idea of MoGo. The shapes are those of
Michi (2015), which has them from Pachi; there they were modelled after MoGo's, with changes: the
last cut before the edge shapes is not in MoGo, and those along the edge differ. A single one of
them hardly matters: with the colours exchanged in the last shape but one, the bot was as strong
(it lost 488 of 1,000 games on 9 lines, 200 to 400 playouts a move). In a shape `X` and `O` are the
two colours, either way round; `.` is empty, `x` is anything on the board but X, `o` is anything on
the board but O, `#` is beyond the edge, `?` is anything.

Random numbers come from George Marsaglia's xorshift with 64 bits ("Xorshift RNGs", 2003), whose
state is an array of one number. Seeds are mixed as in SplitMix64 (Guy Steele, Doug Lea, Christine
Flood: "Fast Splittable Pseudorandom Number Generators", 2014), with David Stafford's constants.

`random_playouts` plays whole games at random, to measure the board. A game goes as OpenSpiel's do:
every legal move is as likely as any other, the pass among them, and so is one that fills an eye.
Simple ko and suicide are refused. A game ends with two passes in a row, after two moves for each
point, or when a position comes back by a stone, which nobody wins. Then area counts.
"""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamehall.bots.compiled import compiled
from gamehall.bots.go.board import (
    BEFORE_LAST,
    BLACK,
    CAPTURED,
    COLOUR,
    EDGE,
    EMPTY,
    FIELD,
    FOUND,
    FREE,
    FREE_COUNT,
    LAST,
    PASS,
    PLACE,
    STANDING,
    STRIDE,
    WHITE,
    Cells,
    PlayoutBoard,
    area_lead,
    copy,
    is_legal,
    new_board,
    play,
    play_pass,
    set_up,
)
from gamehall.bots.go.tactics import atari_moves, is_eye, is_self_atari, stones_after, vital_point

Chance: TypeAlias = npt.NDArray[np.uint64]


def chance_from(seed: int) -> Chance:
    """Return a generator. Seeds that are near each other give what has nothing in common."""
    mixed = (seed * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) % 2**64
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
    # A state of zero would stay zero for ever.
    return np.array([mixed ^ mixed >> 31 or 1], dtype=np.uint64)


@compiled
def below(chance: Chance, limit: int) -> int:
    """Return a number from 0 to limit - 1, each as likely as the other."""
    state = chance[0]
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    chance[0] = state
    drawn: int = np.int64(state >> np.uint64(33)) * limit >> 31  # type: ignore[assignment]
    return drawn


SHAPES = (
    # Hane: round the head of the other's stones.
    ("XOX", ". .", "???"),
    ("XO.", ". .", "?.?"),
    ("XO?", "X .", "x.?"),
    (".O.", "X .", "..."),
    # Cuts, and what prevents them.
    ("XO?", "O o", "?o?"),
    ("XO?", "O X", "???"),
    ("?X?", "O O", "ooo"),
    ("OX?", "o O", "???"),
    # Along the edge.
    ("X.?", "O ?", "###"),
    ("OX?", "X O", "###"),
    ("?X?", "x O", "###"),
    ("?XO", "x x", "###"),
    ("?OX", "X O", "###"),
)

MEANINGS = {
    "X": (BLACK,),
    "O": (WHITE,),
    ".": (EMPTY,),
    "x": (WHITE, EMPTY),
    "o": (BLACK, EMPTY),
    "#": (EDGE,),
    "?": (EMPTY, BLACK, WHITE, EDGE),
}


def matching_codes() -> npt.NDArray[np.bool_]:
    """For each code of what is around a point: whether it is one of the shapes."""
    table = np.zeros(1 << 16, dtype=np.bool_)
    for shape in SHAPES:
        for around in _variants("".join(shape).replace(" ", "")):
            for code in _codes(around):
                table[code] = True
    return table


def _variants(around: str) -> Iterator[str]:
    """The shape turned, mirrored, and with colours exchanged; row by row without the middle."""
    for _ in range(4):
        around = "".join(around[i] for i in (5, 3, 0, 6, 1, 7, 4, 2))
        for mirrored in (around, "".join(around[i] for i in (2, 1, 0, 4, 3, 7, 6, 5))):
            yield mirrored
            yield mirrored.translate(str.maketrans("XOxo", "OXox"))


def _codes(around: str) -> list[int]:
    codes = [0]
    for letter in around:
        codes = [code << 2 | meaning for code in codes for meaning in MEANINGS[letter]]
    return codes


@compiled
def code_around(cells: Cells, point: int) -> int:
    """Return what is on the eight points around a point, two bits for each, row by row."""
    above = COLOUR + point - cells[STRIDE]
    here = COLOUR + point
    below = COLOUR + point + cells[STRIDE]
    code: int = (
        cells[above - 1] << 14
        | cells[above] << 12
        | cells[above + 1] << 10
        | cells[here - 1] << 8
        | cells[here + 1] << 6
        | cells[below - 1] << 4
        | cells[below] << 2
        | cells[below + 1]
    )
    return code


Shapes: TypeAlias = npt.NDArray[np.bool_]

PERCENT_VITAL = 95
PERCENT_ATARI = 95
PERCENT_SHAPE = 95
"""How often it is looked for a vital point, for stones in atari, and for shapes."""
PERCENT_REJECT_FOUND = 95
PERCENT_REJECT_OTHER = 60
"""How often a move that was looked for, and any other, is not made if it is self-atari."""
LARGEST_SACRIFICE = 5
"""More stones than that are never put into atari."""
LONGEST_PER_POINT = 3


@compiled
def play_out(
    board: PlayoutBoard,
    spare: PlayoutBoard,
    colour: int,
    chance: Chance,
    shapes: Shapes,
    moves: Cells,
    length: int,
    mercy: int,
) -> tuple[int, int]:
    """Play on until nobody has anything to do. Changes the board.

    The moves are added to `moves`, which has so many already. Who has `mercy` more stones than the
    other has won, whatever comes. Gives by how much black leads, as area is counted, and how many
    moves there are then.
    """
    cells = board.cells
    size = cells[STRIDE] - 1
    end = min(len(moves), length + LONGEST_PER_POINT * size * size)
    passes = 0
    while passes < 2 and length < end:
        point = choose(board, spare, colour, chance, shapes)
        moves[length] = point
        length += 1
        if point == PASS:
            passes += 1
            play_pass(cells)
        else:
            passes = 0
            play(board, point, colour)
            if abs(cells[STANDING]) >= mercy:
                return cells[STANDING], length
        colour = 3 - colour
    return area_lead(cells), length


@compiled
def choose(
    board: PlayoutBoard, spare: PlayoutBoard, colour: int, chance: Chance, shapes: Shapes
) -> int:
    """Return a move, PASS if none makes sense."""
    cells = board.cells
    last = cells[LAST]
    if last != PASS:
        if cells[CAPTURED] > 2 and below(chance, 100) < PERCENT_VITAL:
            point = vital_point(cells)
            if point != PASS and is_legal(cells, point, colour):
                return point
        if below(chance, 100) < PERCENT_ATARI:
            count = atari_moves(board, spare, colour)
            point = _one_found(board, colour, chance, count)
            if point != PASS:
                return point
        if below(chance, 100) < PERCENT_SHAPE:
            count = 0
            count = shape_moves(cells, last, shapes, count)
            if cells[BEFORE_LAST] != PASS:
                count = shape_moves(cells, cells[BEFORE_LAST], shapes, count)
            point = _one_found(board, colour, chance, count)
            if point != PASS:
                return point
    return _any_other(board, colour, chance)


@compiled
def shape_moves(cells: Cells, last: int, shapes: Shapes, count: int) -> int:
    """Add the middles of shapes around a point to the moves found. Return how many there are."""
    stride = cells[STRIDE]
    for step in (-stride - 1, -stride, -stride + 1, -1, 1, stride - 1, stride, stride + 1):
        point = last + step
        if cells[COLOUR + point] == EMPTY and shapes[code_around(cells, point)]:
            cells[FOUND + count] = point
            count += 1
    return count


@compiled
def _one_found(board: PlayoutBoard, colour: int, chance: Chance, count: int) -> int:
    """Return any of the moves found, PASS if none of them is to be made."""
    cells = board.cells
    while count > 0:
        index = below(chance, count)
        point: int = cells[FOUND + index]
        if (
            not is_eye(cells, point, colour)
            and is_legal(cells, point, colour)
            and (
                not is_self_atari(board, point, colour)
                or (
                    below(chance, 100) >= PERCENT_REJECT_FOUND
                    and stones_after(cells, point, colour) <= LARGEST_SACRIFICE
                )
            )
        ):
            return point
        count -= 1
        cells[FOUND + index] = cells[FOUND + count]
    return PASS


@compiled
def _any_other(board: PlayoutBoard, colour: int, chance: Chance) -> int:
    """Any move that fills no eye and hardly ever gives stones away, PASS if there is none."""
    cells = board.cells
    count = cells[FREE_COUNT]
    while count > 0:
        index = below(chance, count)
        point: int = cells[FREE + index]
        if (
            not is_eye(cells, point, colour)
            and is_legal(cells, point, colour)
            and (
                not is_self_atari(board, point, colour)
                or (
                    below(chance, 100) >= PERCENT_REJECT_OTHER
                    and stones_after(cells, point, colour) <= LARGEST_SACRIFICE
                )
            )
        ):
            return point
        # It goes to the end of the list, and is not drawn again.
        count -= 1
        last = cells[FREE + count]
        cells[FREE + index], cells[FREE + count] = last, point
        cells[PLACE + last], cells[PLACE + point] = index, count
    return PASS


SLOTS = 2048
"""For the keys of the positions of a game: a power of two, and more than twice its length."""


def random_playouts(size: int, komi: float, count: int, seed: int) -> tuple[int, int]:
    """Play so many games. Return how many moves were played in all, and how many black has won."""
    keys = np.random.default_rng(seed).integers(1, 2**63, 2 * FIELD, dtype=np.int64)
    board, empty = new_board(), new_board()
    seen = np.zeros(2 * SLOTS, dtype=np.int64)
    chance = chance_from(seed)
    moves, wins = _play_all(board, empty, size, komi, count, chance, keys, seen)
    return moves, wins


@compiled
def _play_all(
    board: PlayoutBoard,
    empty: PlayoutBoard,
    size: int,
    komi: float,
    count: int,
    chance: Chance,
    keys: npt.NDArray[np.int64],
    seen: npt.NDArray[np.int64],
) -> tuple[int, int]:
    set_up(empty, size)
    moves = wins = 0
    for number in range(count):
        copy(empty, board)
        length, is_repeated = _play_one(board, 2 * size * size, chance, keys, seen, number)
        moves += length
        if not is_repeated and area_lead(board.cells) > komi:
            wins += 1
    return moves, wins


@compiled
def _play_one(
    board: PlayoutBoard,
    longest: int,
    chance: Chance,
    keys: npt.NDArray[np.int64],
    seen: npt.NDArray[np.int64],
    number: int,
) -> tuple[int, bool]:
    """Return how many moves it took, and whether a position came back."""
    cells = board.cells
    colour = 1
    passes = 0
    key = np.int64(0)
    _is_seen(seen, key, number)
    for length in range(longest):
        point = _any_legal(cells, colour, chance)
        if point == PASS:
            play_pass(cells)
            passes += 1
            if passes == 2:
                return length + 1, False
        else:
            play(board, point, colour)
            passes = 0
            key ^= keys[point + FIELD * (colour - 1)]
            free_count = cells[FREE_COUNT]
            for index in range(free_count - cells[CAPTURED], free_count):
                key ^= keys[cells[FREE + index] + FIELD * (2 - colour)]
            if _is_seen(seen, key, number):
                return length + 1, True
        colour = 3 - colour
    return longest, False


@compiled
def _any_legal(cells: Cells, colour: int, chance: Chance) -> int:
    """Return a legal move, the pass included, each as likely as the other."""
    count = cells[FREE_COUNT]
    while True:
        index = below(chance, count + 1)
        if index == count:
            return PASS
        point: int = cells[FREE + index]
        if is_legal(cells, point, colour):
            return point
        # What is not legal goes to the end of the list, and is not drawn again.
        count -= 1
        last = cells[FREE + count]
        cells[FREE + index], cells[FREE + count] = last, point
        cells[PLACE + last], cells[PLACE + point] = index, count


@compiled
def _is_seen(seen: npt.NDArray[np.int64], key: np.int64, number: int) -> bool:
    """Return True if the game of this number has had the position; now it has."""
    slot = key & (SLOTS - 1)
    while seen[2 * slot + 1] == number + 1:
        if seen[2 * slot] == key:
            return True
        slot = (slot + 1) & (SLOTS - 1)
    seen[2 * slot] = key
    seen[2 * slot + 1] = number + 1
    return False
