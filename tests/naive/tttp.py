"""A naive client for TTTP: `python tttp.py PORT NAME [GAMES [AFTERWARDS]]`.

In its turn it takes an empty spot at random. After a game it asks for a fresh board if AFTERWARDS
is `rematch`, or waits if it is `wait`; after GAMES games it leaves. It prints every packet that it
gets.
"""

import random
import socket
import struct
import sys

COLUMNS = 7


def play(port: int, name: str, games: int, afterwards: str) -> None:
    """Join and play this many games."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(b"JOIN" + bytes([len(name)]) + name.encode())
    print("connected", flush=True)
    stream = connection.makefile("rb")
    me = 0
    while packet_type := stream.read(4):
        match packet_type:
            case b"JOIN":
                me = stream.read(1)[0]
                print("JOIN", me, flush=True)
                if me > 3:
                    return
            case b"CHAT":
                sender, length = struct.unpack(">BH", stream.read(3))
                print("CHAT", stream.read(sender + length).decode(), flush=True)
            case b"UPDT":
                turn, won = stream.read(2)
                spots = stream.read(42)
                print("UPDT", turn, won, *spots, flush=True)
                if won:
                    games -= 1
                    if not games:
                        return
                    if afterwards == "rematch":
                        connection.sendall(b"RMCH")
                elif turn == me:
                    spot = random.choice([spot for spot in range(42) if not spots[spot]])
                    connection.sendall(b"PLAY" + bytes([spot % COLUMNS, spot // COLUMNS]))
            case _:
                raise ValueError(f"the protocol has no packet {packet_type!r}")


if __name__ == "__main__":
    options = sys.argv[3:] + ["1", "rematch"][len(sys.argv[3:]) :]
    play(int(sys.argv[1]), sys.argv[2], int(options[0]), options[1])
