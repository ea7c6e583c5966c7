"""A bare aiohttp server on uvloop: one coroutine that returns a body that is there already.

`python -m gamehall.bench.bare_aiohttp FILE` answers `GET /state` with the response in that file.
There is no log and nothing else to find. aiohttp puts Date and Server among the headers, too.
"""

import argparse
from pathlib import Path

import uvloop
from aiohttp import web

from gamehall.bench import bare
from gamehall.bench.wrk import PATH, body_of, headers_of

OF_THE_WIRE = ("content-length", "connection")
"""Headers that aiohttp writes by itself."""


async def serve(response: bytes) -> None:
    """Serve on a free port of this machine until SIGTERM."""
    body = body_of(response)
    headers = {
        name: value for name, value in headers_of(response) if name.lower() not in OF_THE_WIRE
    }

    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=body, headers=headers)

    application = web.Application()
    application.router.add_get(PATH, answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    assert runner.server is not None
    await bare.serve(runner.server)
    await runner.cleanup()


def main() -> None:
    """Serve what the command line names."""
    parser = argparse.ArgumentParser(description="A bare aiohttp server to compare a door with.")
    parser.add_argument("response", type=Path, help="file with a whole response")
    uvloop.run(serve(parser.parse_args().response.read_bytes()))


if __name__ == "__main__":
    main()
