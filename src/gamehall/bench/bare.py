"""What servers without a game have in common: to listen and to stop."""

import asyncio
import signal
from collections.abc import Callable

import uvloop


def run(protocol: Callable[[], asyncio.Protocol]) -> None:
    """Serve on a free port of this machine until SIGTERM."""
    uvloop.run(serve(protocol))


async def serve(protocol: Callable[[], asyncio.Protocol]) -> None:
    """The same, for who has a loop already."""
    loop = asyncio.get_running_loop()
    told_to_end = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, told_to_end.set)
    server = await loop.create_server(protocol, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    # The words of `gamehall serve`, so that one reader understands both.
    print(f"listening bare 127.0.0.1:{port}", flush=True)
    print("ready", flush=True)
    await told_to_end.wait()
    server.close()
