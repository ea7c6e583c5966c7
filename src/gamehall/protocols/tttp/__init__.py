"""TTTP, a binary protocol: Connect Four with chat, spectators and rematch. See PROTOCOL.md."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from gamehall.core import SeededRandom
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.match import Clock
from gamehall.protocols.tttp.client import TttpClientSession
from gamehall.protocols.tttp.session import PacketEncoder, TttpSession
from gamehall.protocols.tttp.settings import TttpSettings
from gamehall.rooms.lobby import OpenLobby
from gamehall.rooms.names import NameRules
from gamehall.rooms.room import Room
from gamehall.rooms.terms import TableTerms
from gamehall.wire.protocol import WireProtocol
from gamehall.wire.session import Timeouts

__all__ = ["PROTOCOL", "Tttp", "TttpClientSession", "TttpSession", "TttpSettings"]


class Tttp(WireProtocol[TttpSettings, Cell]):
    name: ClassVar[str] = "tttp"
    title: ClassVar[str] = "TTTP v1.0, packed binary"
    port: ClassVar[int] = 7003
    game: ClassVar[str] = ConnectFour.name
    settings = TttpSettings

    def game_at(self, settings: TttpSettings) -> ConnectFour:
        return ConnectFour(settings.connect, settings.gravity)

    def clock_at(self, settings: TttpSettings) -> Clock:
        return Clock(settings.turn_seconds or None, settings.grace_ms / 1000)

    def room(self, settings: TttpSettings, shuffler: SeededRandom) -> Room[Cell]:
        terms = TableTerms(
            clock=self.clock_at(settings),
            rematch=settings.rematch,
            on_leave=settings.on_leave,
            wait_for_second=settings.wait_for_blue,
            illegal_moves_allowed=settings.max_bad,
            spectators=settings.max_spectators,
            spectators_may_chat=settings.spectator_chat,
            chats_per_second=settings.chat_rate,
        )
        reserved = tuple(name.strip() for name in settings.reserved.split(",") if name.strip())
        names = NameRules(settings.name_min, settings.name_max, reserved)
        return OpenLobby(
            game=self.game_at(settings), terms=terms, names=names, tables=settings.tables
        )

    def sessions(self, settings: TttpSettings) -> Callable[[float], TttpSession]:
        timeouts = Timeouts(
            seconds_to_join=settings.with_grace(settings.join_timeout),
            seconds_per_message=settings.with_grace(settings.packet_timeout),
        )
        return partial(TttpSession, settings, timeouts, PacketEncoder())

    def client(self, settings: TttpSettings) -> TttpClientSession:
        return TttpClientSession(self.game_at(settings), settings.base)


PROTOCOL = Tttp()
