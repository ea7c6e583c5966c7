"""The web pages of `gamehall serve`. Imported only if the web door opens."""

from collections.abc import Callable, Sequence
from typing import Any

from gamehall.clients.address import Address
from gamehall.core import Game
from gamehall.server.door import address_of, listen
from gamehall.server.hall import DoorOpenError, Hall, opening_error
from gamehall.server.house_bots import HouseBots
from gamehall.server.plan import WEB, DoorPlan, WebPlan
from gamehall.storage import Database
from gamehall.web.app import WebHall
from gamehall.web.door import WebDoor
from gamehall.wire.protocol import AnyProtocol


class WebServing:
    def __init__(
        self,
        hall: Hall,
        plans: Sequence[DoorPlan],
        extra_games: Sequence[Game[Any]],
        opened: dict[str, str],
        database: Database | None,
        house_bots: HouseBots,
        certificate: tuple[str, str | None] | None,
        web: WebPlan,
        is_well: Callable[[], bool],
        has_storage: Callable[[], bool],
    ) -> None:
        """Make the pages.

        Args:
            hall: the server's rooms and doors.
            plans: the plans of the doors.
            extra_games: the games that are played at pages only.
            opened: the addresses of the doors by name, as the pages show them.
            database: the database of records, None if nothing is stored.
            house_bots: the bots that players can call.
            certificate: the files of the certificate and its key, None without TLS.
            web: the plan of the web door.
            is_well: returns False while the server closes, for /healthz.
            has_storage: returns False while the storage does not answer, for /healthz.
        """
        addresses = {
            plan.protocol.name: str(
                _near_address(plan.protocol, opened[plan.protocol.name], certificate is not None)
            )
            for plan in plans
        }
        self._pages = WebHall(
            hall=hall,
            plans=plans,
            extra_games=extra_games,
            addresses=addresses,
            database=database,
            play_bot=house_bots.play,
            is_well=is_well,
            has_storage=has_storage,
        )
        self._door = WebDoor(self._pages.app, web.settings)
        self._port = web.port
        self._certificate = certificate

    async def open(self, host: str) -> str:
        """Open the web door, and return its URL. Raises DoorOpenError."""
        try:
            listening = listen(host, self._port)
        except (OSError, UnicodeError) as error:
            raise DoorOpenError(opening_error(WEB, host, self._port, error)) from None
        await self._door.open(listening, self._certificate)
        self._pages.open()
        return f"{'https' if self._certificate else 'http'}://{address_of(listening)}/"

    async def close(self) -> None:
        await self._pages.close()
        await self._door.close()


def _near_address(protocol: AnyProtocol, opened: str, is_tls: bool) -> Address:
    """Return the address by which this computer reaches a door."""
    host, _, port = opened.rpartition(":")
    # A door that listens at all addresses is reached by the loopback address.
    host = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)
    return Address(protocol=protocol, host=host.strip("[]"), port=int(port), tls=is_tls)
