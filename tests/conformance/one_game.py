"""A server of document 002 to the letter: it takes two players, plays one game, and exits.

That a player has left in the middle of a game it does not notice, and waits for ever. Run as a
program, with the port on which it listens and the port of a hall that does the playing.
"""

import socket
import sys
import threading

BYTES_AT_A_TIME = 65_536


def main() -> None:
    listening_port, hall_port = map(int, sys.argv[1:])
    carriers: list[threading.Thread] = []
    with socket.create_server(("127.0.0.1", listening_port)) as door:
        for _ in range(2):
            client, _ = door.accept()
            server = socket.create_connection(("127.0.0.1", hall_port))
            for source, target in ((client, server), (server, client)):
                carriers.append(threading.Thread(target=carry, args=(source, target)))
                carriers[-1].start()
    # From here on nobody else can connect.
    for carrier in carriers:
        carrier.join()


def carry(source: socket.socket, target: socket.socket) -> None:
    source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        while data := source.recv(BYTES_AT_A_TIME):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return


if __name__ == "__main__":
    main()
