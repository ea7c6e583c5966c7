"""Compare Go with GNU Go 3.8: 25 games of random stones and 25 games of GNU Go against itself.

Captures and legal moves are compared after every move; stones, and where possible territory and
score, at the end.

GNU Go has options for our terms, with which the same points are legal; `all_legal` returns all of
them in one answer. Three differences are avoided or not compared:

- GNU Go looks for earlier positions before it removes a suicide, so its superko misses positions
  that suicide repeats. Hence suicide is only allowed in games with simple ko.
- The suicide of a single stone leaves the board unchanged. After a pass, or another such suicide,
  this repeats the board before the opponent's last move, which is ko here; GNU Go's simple ko only
  applies to captures. This is not compared.
- Under `--chinese-rules` white gets a point for every handicap stone; here it gets only komi.

GNU Go removes dead stones before it counts, recognises seki, and plays on until nothing is left to
do. Here all stones on the board are alive (GR-05), and a region that touches both colours is no
territory (GR-04). So the scores are compared if GNU Go finds no dead stones and no seki, and, for
area scoring, if no point is neutral, because GNU Go would share these out. Games of random stones
always end like this, because players only leave their own eyes empty. In its own games GNU Go is
told to capture all dead stones.
"""

import random
from typing import TypeAlias

import pytest

from gamehall.core import IllegalMove, Seat
from gamehall.games.go import Go, GoPosition, Ko, Move, Pass, Point, Scoring, Stone
from tests.support.gnugo import GnuGo

COLOURS = {Seat.FIRST: "black", Seat.SECOND: "white"}
Board: TypeAlias = dict[Point, Seat]
KO_OPTIONS = {
    Ko.POSITIONAL: "--positional-superko",
    Ko.SITUATIONAL: "--situational-superko",
    Ko.SIMPLE: "--simple-ko",
}
SUICIDE_OPTIONS = {False: "--forbid-suicide", True: "--allow-all-suicide"}
SCORING_OPTIONS = {Scoring.TERRITORY: "--japanese-rules", Scoring.AREA: "--chinese-rules"}

RANDOM_GAMES = {5: 9, 7: 7, 9: 5, 13: 2, 19: 2}
OWN_GAMES = {5: 10, 7: 9, 9: 5, 13: 1}
"""How many games for each size. GNU Go's own games take long."""
KOMI = (0.5, 6.5, 0.0, 7.5, -3.5, 5.0, 12.0)
HANDICAPS = {5: (0,), 7: (0, 2, 4), 9: (0, 3, 5), 13: (2, 0, 9), 19: (0, 6)}
"""Handicaps for which GNU Go has fixed points; there are none on a board of 5 by 5."""
MAX_MOVES = 2000
ADJACENT = [(-1, 0), (0, -1), (0, 1), (1, 0)]
DIAGONAL = [(-1, -1), (-1, 1), (1, -1), (1, 1)]


@pytest.mark.parametrize("size", RANDOM_GAMES)
def test_25_games_of_random_stones_agree_with_gnu_go(size: int) -> None:
    compared = 0
    for number in range(RANDOM_GAMES[size]):
        game = terms_of(size, number)
        chance = random.Random(number)
        with GnuGo("--level", "1", *options_of(game)) as theirs:
            both = Both(f"random game {number}, {game}", game, theirs)
            while both.now.outcome is None:
                both.play(random_move(both.now, len(both.moves), chance))
            compared += compare_end(both)
    assert compared == RANDOM_GAMES[size], "at the end only eyes are empty"


@pytest.mark.parametrize("size", OWN_GAMES)
def test_25_games_of_gnu_go_against_itself_agree(size: int) -> None:
    compared = 0
    for number in range(OWN_GAMES[size]):
        game = terms_of(size, number)
        to_the_end = ("--never-resign", "--capture-all-dead", "--play-out-aftermath")
        seed = ("--level", "1", "--seed", str(number + 1))
        with GnuGo(*seed, *to_the_end, *options_of(game)) as theirs:
            both = Both(f"GNU Go's game {number}, {game}", game, theirs)
            while both.now.outcome is None:
                both.generate()
            compared += compare_end(both)
    assert compared >= 0.8 * OWN_GAMES[size], "most games must end without dead stones and seki"


@pytest.mark.parametrize("ko", Ko)
@pytest.mark.parametrize("size", [2, 3])
def test_ko_rules_agree_with_gnu_go_on_tiny_boards(size: int, ko: Ko) -> None:
    """Compare captures and legal moves. On tiny boards superko forbids more than simple ko."""
    superko = 0
    for number in range(8):
        game = Go(size, 0.5, ko=ko, suicide=ko is Ko.SIMPLE and number % 2 == 0)
        chance = random.Random(number)
        simple = Go(size, 0.5, ko=Ko.SIMPLE).start(0)
        with GnuGo(*options_of(game)) as theirs:
            both = Both(f"tiny game {number}, {game}", game, theirs)
            while both.now.outcome is None and len(both.moves) < 100:
                stones = [move for move in both.now.legal_moves() if move != Pass()]
                move = chance.choice(stones) if stones and chance.random() < 0.9 else Pass()
                both.play(move)
                if not game.suicide:
                    simple = simple.after(move)
                    superko += list(simple.legal_moves()) != list(both.now.legal_moves())
    assert (superko > 0) == (ko is not Ko.SIMPLE), f"superko forbade more {superko} times"


@pytest.mark.parametrize("size", [5, 7, 9])
def test_neutral_points_do_not_count_for_gnu_go_either(size: int) -> None:
    """Compare two walls with a partly filled line between them, which is a draw."""
    game = Go(size, komi=0.0, scoring=Scoring.TERRITORY)
    middle = size // 2
    for filled in range(0, size, 2):
        with GnuGo("--level", "1", *options_of(game)) as theirs:
            both = Both(f"{size} by {size}, {filled} points filled", game, theirs)
            for row in range(size):
                both.play(Stone(Point(row, middle - 1)))
                both.play(Stone(Point(row, middle + 1)))
            for row in range(filled):
                both.play(Stone(Point(row, middle)))
            both.play(Pass())
            both.play(Pass())
            assert neutral_points(both.now) == size - filled, f"neutral points\n{both}"
            assert compare_end(both), f"dead stones or seki there\n{both}"
            assert both.theirs.ask("final_score") == "0"


def terms_of(size: int, number: int) -> Go:
    """Return the terms of a game. All combinations occur in turn."""
    ko = list(Ko)[number % 3]
    suicide = ko is Ko.SIMPLE and number % 2 == 0
    scoring = list(Scoring)[(number + size // 2) % 2]
    handicap = HANDICAPS[size][number % len(HANDICAPS[size])]
    komi = KOMI[(number + size) % len(KOMI)]
    return Go(size, komi, handicap, Seat.SECOND, ko, suicide, scoring)


def options_of(game: Go) -> list[str]:
    """Return the options of GNU Go for these terms."""
    suicide = SUICIDE_OPTIONS[game.suicide]
    return [KO_OPTIONS[game.ko], suicide, SCORING_OPTIONS[game.scoring]]


def random_move(now: GoPosition, moves_so_far: int, chance: random.Random) -> Move:
    """Return a random stone that does not fill an own eye, or a pass if there is none.

    Where suicide is allowed it is frequent, except towards the end, so that the game ends.
    """
    assert now.to_move is not None
    seat, board = now.to_move, now.stones
    stones = [move for move in now.legal_moves() if isinstance(move, Stone)]
    suicides = [move for move in stones if now.terms.suicide and is_suicide(now, move)]
    if suicides and moves_so_far < 2 * now.terms.size**2 and chance.random() < 0.5:
        return chance.choice(suicides)
    for move in chance.sample(stones, len(stones)):
        if move not in suicides and not is_true_eye(now.terms.size, board, move.point, seat):
            return move
    return Pass()


def is_suicide(now: GoPosition, move: Stone) -> bool:
    return move.point not in now.after(move).stones


def is_true_eye(size: int, board: Board, point: Point, seat: Seat) -> bool:
    """Return True if the point is an eye that the other colour does not cut.

    The other colour cuts it with two stones on diagonal points, at the edge with one.
    """
    diagonal = [board.get(p) for p in steps(size, point, DIAGONAL)]
    return is_eye(size, board, point, seat) and diagonal.count(seat.other) <= (len(diagonal) == 4)


def is_eye(size: int, board: Board, point: Point, seat: Seat) -> bool:
    """Return True if all adjacent points have stones of this colour."""
    return all(board.get(p) is seat for p in steps(size, point, ADJACENT))


def steps(size: int, start: Point, directions: list[tuple[int, int]]) -> list[Point]:
    """Return the points one step away that are on the board."""
    points = [Point(start.row + down, start.column + right) for down, right in directions]
    return [point for point in points if min(point) >= 0 and max(point) < size]


def compare_end(both: "Both") -> bool:
    """Compare the ends of both games. Return True if the scores could be compared."""
    now, game = both.now, both.game
    for seat, colour in COLOURS.items():
        stones = {point for point, owner in now.stones.items() if owner is seat}
        stones_there = both.points(f"list_stones {colour}")
        both.same(f"{colour} stones", both.written(stones), both.written(stones_there))
    if both.points("final_status_list dead") or both.points("final_status_list seki"):
        return False
    score = now.score()
    if neutral_points(now) and game.scoring is Scoring.AREA:
        return False
    for seat, colour in COLOURS.items():
        theirs = both.points(f"final_status_list {colour}_territory")
        both.same(f"territory of {colour}", score.of(seat).territory, len(theirs))
    black, white = (score.of(seat).total(game.scoring) for seat in Seat)
    lead = black_lead(both.theirs.ask("final_score"))
    if game.scoring is Scoring.AREA:
        lead += game.handicap
    both.same("points that black is ahead", black - white, lead)
    winner = None if lead == 0 else Seat.FIRST if lead > 0 else Seat.SECOND
    assert now.outcome is not None
    both.same("winner", now.outcome.winner, winner)
    return True


def neutral_points(now: GoPosition) -> int:
    tallies = [now.score().of(seat) for seat in Seat]
    return now.terms.size**2 - sum(tally.stones + tally.territory for tally in tallies)


def black_lead(result: str) -> float:
    """Return black's lead: `B+3.5` is 3.5, `W+2.0` is -2, `0` is a draw."""
    if result == "0":
        return 0.0
    winner, _, points = result.partition("+")
    return float(points) * {"B": 1, "W": -1}[winner]


class Both:
    """One game on our board and on GNU Go's, compared at every move."""

    def __init__(self, title: str, game: Go, theirs: GnuGo) -> None:
        self.title, self.game, self.theirs = title, game, theirs
        self.now = game.start(0)
        self.before = self.now.stones
        self.moves: list[str] = []
        theirs.ask(f"boardsize {game.size}")
        theirs.ask(f"komi {game.komi}")
        if game.handicap:
            for point in theirs.ask(f"fixed_handicap {game.handicap}").split():
                self._follow(point)
            # GTP has no turns and would take a stone of either colour.
            self.same("who moves after the handicap", self._colour(), "white")
        self.compare()

    def play(self, move: Move) -> None:
        """Play a move on both boards."""
        text = self.game.write_move(move)
        self.theirs.ask(f"play {self._colour()} {text}")
        self._follow(text)
        self.compare()

    def generate(self) -> None:
        """Play a move that GNU Go generates."""
        self._follow(self.theirs.ask(f"genmove {self._colour()}"))
        self.compare()

    def compare(self) -> None:
        """Compare captures and legal moves."""
        for colour, ours in zip(COLOURS.values(), self.now.captured, strict=True):
            theirs = int(self.theirs.ask(f"captures {colour}"))
            self.same(f"stones captured by {colour}", ours, theirs)
        if self.now.to_move is not None:
            moves = list(self.now.legal_moves())
            legal = {move.point for move in moves if isinstance(move, Stone)}
            legal_there = self.points(f"all_legal {self._colour()}")
            board, other = self.now.stones, self.now.to_move.other
            if self.game.suicide and board == self.before:
                only_there = legal_there - legal
                legal_there -= {p for p in only_there if is_eye(self.game.size, board, p, other)}
            what = f"points where {self._colour()} may move"
            self.same(what, self.written(legal), self.written(legal_there))
            assert Pass() in moves, f"{self._colour()} may always pass\n{self}"

    def same(self, what: str, ours: object, theirs: object) -> None:
        """Check that both values are equal. The error message has the position."""
        assert ours == theirs, f"{what}: {ours} here, {theirs} there\n{self}"

    def points(self, command: str) -> set[Point]:
        """Return the points of GNU Go's answer."""
        moves = [self.game.read_move(text) for text in self.theirs.ask(command).split()]
        return {move.point for move in moves if isinstance(move, Stone)}

    def _colour(self) -> str:
        assert self.now.to_move is not None, f"the game is over here\n{self}"
        return COLOURS[self.now.to_move]

    def _follow(self, text: str) -> None:
        self.moves.append(f"{self._colour()} {text}")
        assert len(self.moves) <= MAX_MOVES, f"this game does not end\n{self}"
        self.before = self.now.stones
        try:
            self.now = self.now.after(self.game.read_move(text))
        except IllegalMove as error:
            pytest.fail(f"GNU Go has played an illegal move: {error}\n{self}")

    def written(self, points: set[Point]) -> str:
        """Return the points in GTP notation, in order."""
        return " ".join(self.game.write_move(Stone(point)) for point in sorted(points))

    def __str__(self) -> str:
        board = self.theirs.ask("showboard")
        return f"{self.title}, after {', '.join(self.moves)}\nGNU Go's board:\n{board}"
