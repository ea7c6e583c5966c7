"""The pages of the web door."""

import time
from collections.abc import Callable
from html import escape

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from gamehall import __version__
from gamehall.hosting.counts import HallCounts
from gamehall.web.metrics import CONTENT_TYPE, write_metrics

SECONDS_BETWEEN_METRICS = 0.5

SAFE = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Gamehall</title>
<style>
:root {{ color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }}
body {{ max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ text-align: left; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid #8884; }}
</style>
<h1>Gamehall</h1>
<p>One hall, many doors. Version {version}.</p>
<table><thead><tr><th>door<th>address<th>connections<th>requests</thead><tbody>
{rows}
</tbody></table>
"""


def make_app(
    counts: HallCounts, addresses: dict[str, str], is_well: Callable[[], bool]
) -> Starlette:
    """The application: `addresses` are those of the doors, `is_well` whether the hall plays."""

    written, written_at = b"", float("-inf")

    async def home(_request: Request) -> Response:
        rows = "\n".join(
            f"<tr><td>{escape(name)}<td>{escape(addresses.get(name, ''))}"
            f"<td>{door.open}<td>{door.requests}"
            for name, door in counts.doors.items()
        )
        return HTMLResponse(PAGE.format(version=escape(__version__), rows=rows), headers=SAFE)

    async def healthz(_request: Request) -> Response:
        well = is_well()
        body = {"status": "ok" if well else "closing"}
        return JSONResponse(body, 200 if well else 503, headers=SAFE)

    async def metrics(_request: Request) -> Response:
        nonlocal written, written_at
        # Many may ask at once, and the game must not wait for that.
        if time.monotonic() >= written_at + SECONDS_BETWEEN_METRICS:
            written, written_at = write_metrics(counts), time.monotonic()
        return Response(written, media_type=CONTENT_TYPE, headers=SAFE)

    return Starlette(
        routes=[
            Route("/", home),
            Route("/healthz", healthz),
            Route("/metrics", metrics),
        ]
    )
