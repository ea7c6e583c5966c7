"""The kernels of Connect Four: counting games beside C, and the solver."""

import random
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from gamehall.bench.kernels_contest import Contest, Work, repeated
from gamehall.bench.machine import BenchError
from gamehall.bots.connect_four.bits import perft, stones_of
from gamehall.bots.connect_four.solver import Solver
from gamehall.games.connect_four import ConnectFour, ConnectFourPosition

DEPTH = 8
STONES = 12
WITHOUT_GCC = "gcc is not installed, so C is left out (apt-get install gcc)"
LONGEST_SECONDS = 120.0

PERFT_IN_C = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const int64_t LOWEST = 0x40810204081, BOARD = 0x40810204081 * 63;

static int has_four(int64_t own) {
    static const int steps[] = {1, 6, 7, 8};
    int64_t found = 0;
    for (int i = 0; i < 4; i++) {
        int64_t pairs = own & own >> steps[i];
        found |= pairs & pairs >> 2 * steps[i];
    }
    return found != 0;
}

static int64_t perft(int depth, int64_t own, int64_t taken) {
    if (depth == 0) return 1;
    int64_t found = 0, possible = (taken + LOWEST) & BOARD;
    for (int column = 0; column < 7; column++) {
        int64_t move = possible & (int64_t)63 << 7 * column;
        if (!move) continue;
        if (depth == 1) found++;
        else if (!has_four(own | move)) found += perft(depth - 1, own ^ taken, taken | move);
    }
    return found;
}

int main(int count, char **words) {
    int64_t done = 0;
    do done += perft(atoi(words[1]), 0, 0);
    while (clock() < atof(words[2]) * CLOCKS_PER_SEC);
    printf("%lld %f\\n", (long long)done, (double)clock() / CLOCKS_PER_SEC);
    return count != 3;
}
"""


def perft_contest() -> Contest:
    """All games of some length, counted by the kernel and by a program in C."""
    kernel = repeated(lambda: perft(DEPTH, 0, 0))
    compiler = shutil.which("gcc")
    if compiler is None:
        return Contest("Connect Four perft", "games", kernel, why_alone=WITHOUT_GCC)
    folder = TemporaryDirectory(prefix="gamehall-bench-")
    program = compiled_program(compiler, Path(folder.name))
    return Contest(
        "Connect Four perft",
        "games",
        kernel,
        "C",
        run_program(program, DEPTH),
        lambda: all(run_program(program, depth)(0.0)[0] == perft(depth, 0, 0) for depth in (1, 7)),
        close=folder.cleanup,
    )


def compiled_program(compiler: str, folder: Path) -> Path:
    """The program in C, compiled. Raises BenchError if that fails."""
    source, program = folder / "perft.c", folder / "perft"
    source.write_text(PERFT_IN_C)
    command = [compiler, "-O2", "-o", str(program), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(f"{' '.join(command)}: {done.stderr[-2000:]}")
    return program


def run_program(program: Path, depth: int) -> Work:
    """Counts with the program in C, which measures its own CPU time."""

    def work(seconds: float) -> tuple[float, float | None]:
        command = [str(program), str(depth), str(seconds)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=LONGEST_SECONDS
        )
        count, spent = done.stdout.split()
        return float(count), float(spent)

    return work


def solver_contest() -> Contest:
    """Positions that the solver looks at, in random positions of the early game."""
    solver = Solver()
    chance = random.Random(12)

    def solve_one() -> float:
        before = solver.nodes
        solver.game_value(stones_of(random_position(STONES, chance)))
        return solver.nodes - before

    def warm_up() -> bool:
        return solve_one() >= 0

    return Contest("Connect Four solver", "nodes", repeated(solve_one), agrees=warm_up)


def random_position(stones: int, chance: random.Random) -> ConnectFourPosition:
    """After so many random moves that leave the game open."""
    while True:
        position = ConnectFour().start(0)
        for _ in range(stones):
            position = position.after(chance.choice(list(position.legal_moves())))
            if position.outcome is not None:
                break
        if position.outcome is None:
            return position
