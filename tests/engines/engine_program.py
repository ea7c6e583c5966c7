"""A GTP engine that plays the first free point, or fails in a given way.

Usage: python engine_program.py [HOW]
"""

import os
import sys
import time

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


def main(how: str) -> None:
    size, moves = 19, 0
    taken: set[str] = set()
    for line in sys.stdin:
        command, *words = line.split()
        answer = ""
        match command:
            case "boardsize":
                size = int(words[0])
                if how == "only 19" and size != 19:
                    respond("? unacceptable size")
                    continue
            case "clear_board":
                taken.clear()
            case "play":
                taken.add(words[1])
            case "known_command":
                answer = "false"
            case "place_free_handicap":
                respond("? unknown command")
                continue
            case "genmove":
                moves += 1
                answer = generate_move(how, moves, size, taken)
                taken.add(answer)
            case _:
                pass
        respond(f"= {answer}")


def generate_move(how: str, moves: int, size: int, taken: set[str]) -> str:
    if how == "chatty":
        sys.stderr.write("so much to say\n" * 20_000)
    if moves == 3:
        match how:
            case "dies":
                sys.stderr.write("out of stones\n")
                sys.exit(3)
            case "killed":
                os.kill(os.getpid(), 9)
            case "deaf":
                os.close(1)
                time.sleep(60)
            case "illegal":
                return next(iter(taken))
            case "nonsense":
                return "over there"
            case "no GTP":
                sys.stdout.write("I do not know\n\n")
            case "endless":
                while True:
                    sys.stdout.write("= x\n" * 1000)
            case "resigns":
                return "resign"
            case "hangs":
                time.sleep(600)
            case _:
                pass
    free = (f"{LETTERS[x]}{y + 1}" for x in range(size) for y in range(size))
    return "pass" if moves > 5 else next(point for point in free if point not in taken)


def respond(text: str) -> None:
    sys.stdout.write(text + "\n\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]))
