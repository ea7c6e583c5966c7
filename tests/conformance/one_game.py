"""A server exactly as in the go-text document: it accepts two players, plays one game, and exits.

It does not notice when a player leaves in the middle of a game, and waits forever. Run it with the
port to listen on and the port of a server that plays the game.
"""

import socket
import sys
import threading

BYTES_AT_A_TIME = 65_536


def main() -> None:
    listening_port, server_port = map(int, sys.argv[1:])
    threads: list[threading.Thread] = []
    with socket.create_server(("127.0.0.1", listening_port)) as listener:
        for _ in range(2):
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", server_port))
            for source, target in ((client, server), (server, client)):
                threads.append(threading.Thread(target=pass_on, args=(source, target)))
                threads[-1].start()
    # The listener is closed now: no one else can connect.
    for thread in threads:
        thread.join()


def pass_on(source: socket.socket, target: socket.socket) -> None:
    source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        while data := source.recv(BYTES_AT_A_TIME):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return


if __name__ == "__main__":
    main()
