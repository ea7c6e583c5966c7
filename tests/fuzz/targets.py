"""The targets: everything that reads bytes, by name."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cache
from random import Random
from typing import Any

from gamehall.protocols.catalogue import all_protocols
from gamehall.protocols.tttp import messages as tttp_messages
from gamehall.wire.framing import Framing, Lines, Packets, ProtocolError
from gamehall.wire.http import HttpRequests, HttpResponses
from gamehall.wire.json import JsonValues, JsonValuesAfterName, client_framing
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.settings import read_settings
from tests.fuzz.checks import check_count, check_kept
from tests.fuzz.client_end import ClientEnd
from tests.fuzz.corpus import Corpus, corpus_of, recorded_of, streams_of
from tests.fuzz.mutation import add_asks, chunks, mutate_script
from tests.fuzz.room_stage import RoomStage
from tests.fuzz.script import Give, Script
from tests.fuzz.server_end import ServerEnd

ONE_UNCHANGED_IN = 64
"""One in this many inputs is a conversation as it was recorded."""


class Target(ABC):
    """Something that reads inputs. Its results must not depend on how an input is cut."""

    name: str
    share: int
    """How many inputs it gets for each input of a target with share 1. Cheap targets get more."""

    @property
    @abstractmethod
    def corpus(self) -> Corpus: ...

    @abstractmethod
    def run(self, script: Script, random: Random) -> list[object]:
        """Run one input in random chunks and return all results."""

    def make(self, random: Random) -> Script:
        """Return an input of this target."""
        corpus = self.corpus
        script = corpus.scripts[int(random.random() * len(corpus.scripts))]
        if random.random() * ONE_UNCHANGED_IN < 1:
            return script
        return add_asks(random, mutate_script(random, script, corpus.pool), corpus.asks)


class FramingTarget(Target):
    share = 8

    def __init__(
        self, name: str, opened: Callable[[], Framing[Any]], corpora: Callable[[], list[Corpus]]
    ) -> None:
        self.name = name
        self._open = opened
        self._corpora = corpora
        self._corpus: Corpus | None = None

    @property
    def corpus(self) -> Corpus:
        if self._corpus is None:
            self._corpus = streams_of(self._corpora())
        return self._corpus

    def run(self, script: Script, random: Random) -> list[object]:
        framing, size = self._open(), 0
        trace: list[object] = []
        pieces = [
            piece
            for step in script.steps
            if isinstance(step, Give)
            for piece in chunks(random, step.data)
        ]
        try:
            for piece in pieces:
                size += len(piece)
                framing.feed(piece)
                _read_all(framing, trace, size)
                check_kept(framing, len(piece))
            framing.end()
            _read_all(framing, trace, size)
        except ProtocolError as fault:
            trace.append(str(fault))
        return trace


def _read_all(framing: Framing[Any], trace: list[object], size: int) -> None:
    while (message := framing.next_message()) is not None:
        trace.append(message)
        check_count(len(trace), size)


class ProtocolTarget(Target):
    """One end of a protocol."""

    def __init__(self, protocol: AnyProtocol) -> None:
        self.protocol = protocol
        self._known: dict[tuple[tuple[str, str], ...], Any] = {}

    def settings(self, written: Mapping[str, str]) -> Any:
        key = tuple(written.items())
        if key not in self._known:
            self._known[key] = read_settings(self.protocol.settings, written, self.protocol.name)
        return self._known[key]


class SessionTarget(ProtocolTarget):
    """The server's end of a connection, without a room; its notices are those recorded."""

    share = 4

    def __init__(self, protocol: AnyProtocol) -> None:
        super().__init__(protocol)
        self.name = f"{protocol.name}-session"

    @property
    def corpus(self) -> Corpus:
        return _sessions(self.protocol.name)

    def run(self, script: Script, random: Random) -> list[object]:
        end = ServerEnd(self.protocol.sessions(self.settings(script.settings))(0.0), script)
        return end.run(random)


class ClientTarget(ProtocolTarget):
    """A client's end of a connection to a hostile server."""

    share = 4

    def __init__(self, protocol: AnyProtocol) -> None:
        super().__init__(protocol)
        self.name = f"{protocol.name}-client"

    @property
    def corpus(self) -> Corpus:
        return _clients(self.protocol.name)

    def run(self, script: Script, random: Random) -> list[object]:
        return ClientEnd(self.protocol.client(self.settings(script.settings)), script).run(random)


class RoomTarget(ProtocolTarget):
    """The server's ends of several connections, with their room."""

    share = 2

    def __init__(self, protocol: AnyProtocol) -> None:
        super().__init__(protocol)
        self.name = f"{protocol.name}-room"

    @property
    def corpus(self) -> Corpus:
        return _rooms(self.protocol.name)

    def run(self, script: Script, random: Random) -> list[object]:
        return RoomStage(self.protocol, script, random).run()


@cache
def _sessions(name: str) -> Corpus:
    return corpus_of(recorded_of(name).sessions)


@cache
def _clients(name: str) -> Corpus:
    return corpus_of(recorded_of(name).clients)


@cache
def _rooms(name: str) -> Corpus:
    return corpus_of(recorded_of(name).rooms)


def _packets_of_client() -> Packets:
    return Packets(tttp_messages.LENGTHS_FROM_CLIENT, tttp_messages.measure_from_client)


def _packets_of_server() -> Packets:
    return Packets(tttp_messages.LENGTHS_FROM_SERVER, tttp_messages.measure_from_server)


SANTORINI = ("santorini-lobby", "santorini-tournament")

FRAMINGS = [
    FramingTarget("packets", _packets_of_client, lambda: [_sessions("tttp")]),
    FramingTarget("packets-to-client", _packets_of_server, lambda: [_clients("tttp")]),
    FramingTarget("lines", Lines, lambda: [_sessions("go-text"), _clients("go-text")]),
    FramingTarget("json", JsonValues, lambda: [_sessions(name) for name in SANTORINI]),
    FramingTarget("json-after-name", JsonValuesAfterName, lambda: [_sessions(SANTORINI[1])]),
    FramingTarget("json-to-client", client_framing, lambda: [_clients(name) for name in SANTORINI]),
    FramingTarget("http", HttpRequests, lambda: [_sessions("ascension-http")]),
    FramingTarget("http-to-client", HttpResponses, lambda: [_clients("ascension-http")]),
]


@cache
def all_targets() -> dict[str, Target]:
    protocols = all_protocols().values()
    targets: list[Target] = [
        *FRAMINGS,
        *(SessionTarget(protocol) for protocol in protocols),
        *(ClientTarget(protocol) for protocol in protocols),
        *(RoomTarget(protocol) for protocol in protocols),
    ]
    return {target.name: target for target in targets}
