"""A naive client for the Santorini lobby: `python santorini_lobby.py PORT NAME [READING]`.

The protocol does not show the board to a player, so this client remembers its own two workers, and
moves them at random. A turn is one Placement and one Direction. With the READING `origin` they are
a worker and the direction of its move; with `destination` the cell to move to and the direction of
the build. It prints every message that it gets.
"""

import json
import random
import socket
import sys

SIZE = 5
NORTH_SOUTH = {-1: "North", 0: "Put", 1: "South"}
EAST_WEST = {-1: "West", 0: "Put", 1: "East"}


def play(port: int, name: str, reading: str) -> None:
    """Join, and answer every message until the server closes the connection."""
    connection = socket.create_connection(("127.0.0.1", port))
    workers: list[tuple[int, int]] = []

    def send(*message: object) -> None:
        connection.sendall((json.dumps(message) + "\n").encode())

    send("join", name)
    print(json.dumps(["joined", name]), flush=True)
    for line in connection.makefile():
        message = json.loads(line)
        print(json.dumps(message), flush=True)
        match message[0]:
            case "keepalive":
                send("stillalive")
            case "start_of_game":
                workers = []
            case "get_placement":
                workers.append(free_cell(workers))
                send("give_placement", workers[-1])
            case "get_turn":
                worker, dx, dy = random.choice(steps(workers))
                workers.remove(worker)
                workers.append((worker[0] + dx, worker[1] + dy))
                if reading == "destination":
                    worker = workers[-1]
                    dx, dy = random.choice([build[1:] for build in steps([worker])])
                send("give_turn", [worker, [NORTH_SOUTH[dy], EAST_WEST[dx]]])
            case _:
                pass


def free_cell(workers: list[tuple[int, int]]) -> tuple[int, int]:
    """Return a random cell without one of our workers."""
    cells = [(x, y) for x in range(SIZE) for y in range(SIZE)]
    return random.choice([cell for cell in cells if cell not in workers])


def steps(workers: list[tuple[int, int]]) -> list[tuple[tuple[int, int], int, int]]:
    """Return our workers with the steps to cells on the board without one of our workers."""
    return [
        (worker, dx, dy)
        for worker in workers
        for dx in (-1, 0, 1)
        for dy in (-1, 0, 1)
        if 0 <= worker[0] + dx < SIZE
        and 0 <= worker[1] + dy < SIZE
        and (worker[0] + dx, worker[1] + dy) not in workers
    ]


if __name__ == "__main__":
    play(int(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "destination")
