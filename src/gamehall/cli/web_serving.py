"""The pages of a hall that `gamehall serve` has opened. Loaded only if there are to be any."""

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
    """Opens the web door of a hall, and closes it."""

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
        """`opened`: where the doors are, by their names, as pages show it.

        `certificate`: where it and its key are, None without TLS.
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
        """Gives the address. Raises DoorOpenError."""
        try:
            listening = listen(host, self._port)
        except (OSError, UnicodeError) as error:
            raise DoorOpenError(opening_error(WEB, host, self._port, error)) from None
        await self._door.open(listening, self._certificate)
        self._pages.open()
        return f"{'https' if self._certificate else 'http'}://{address_of(listening)}/"

    async def close(self) -> None:
        """Nobody plays or watches at a page any more."""
        await self._pages.close()
        await self._door.close()


def _near_address(protocol: AnyProtocol, opened: str, is_tls: bool) -> Address:
    """The address of a door as this machine reaches it."""
    host, _, port = opened.rpartition(":")
    # Where the door listens everywhere, this machine reaches it by its own address.
    host = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)
    return Address(protocol=protocol, host=host.strip("[]"), port=int(port), tls=is_tls)
