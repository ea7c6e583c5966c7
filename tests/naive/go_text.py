"""A naive client for the Go server: `python go_text.py PORT [BOARDSIZE [HANDICAP]]`.

It has no board: it tries one point after another until the server answers SUCCESS, and passes when
no point is left. It takes every line for a message, and prints it.
"""

import random
import socket
import sys


def play(port: int, size: int, handicap: int) -> None:
    """Answer the questions, accept the terms, and play until the game is over."""
    connection = socket.create_connection(("127.0.0.1", port))
    answers = {"boardsize": size, "color": 1, "handicap": handicap, "komi": 6.5}
    points: list[tuple[int, int]] = []
    color = 0
    handicap_stones = 0

    def send(*words: object) -> None:
        connection.sendall((" ".join(str(word) for word in words) + "\n").encode())

    def move() -> None:
        if points:
            send("PLAY", *points.pop())
        else:
            send("PASS")

    print("connected", flush=True)
    for line in connection.makefile():
        print(line, end="", flush=True)
        message, *parameters = line.split()
        match message:
            case "QUERY":
                send("RESPONSE", parameters[0], answers[parameters[0]])
            case "TERMS":
                size, color = int(parameters[0]), int(parameters[1])
                handicap_stones = int(parameters[2]) if color == 1 else 0
                points = [(y, x) for y in range(size) for x in range(size)]
                random.shuffle(points)
                send("TERMSCONFIRM", "Yes")
            case "TERMSOK":
                for _ in range(handicap_stones):
                    move()
            case "START":
                if color == 1:
                    move()
            case "OPPONENTPLAY" | "OPPONENTPASS" | "ERROR":
                move()
            case "GAMEOVER":
                return
            case _:
                pass


if __name__ == "__main__":
    options = [int(word) for word in sys.argv[2:]]
    play(int(sys.argv[1]), *(options + [9, 0][len(options) :]))
