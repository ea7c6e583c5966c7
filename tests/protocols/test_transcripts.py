"""Every scene of transcripts/, in memory and over real sockets."""

from collections.abc import Iterator

import pytest

from gamehall.protocols.catalogue import all_protocols
from gamehall.wire.protocol import AnyProtocol
from tests.support.memory_stage import MemoryStage
from tests.support.socket_stage import SocketStage
from tests.support.transcripts import FOLDER, Scene, play, read_scenes

SCENES = [
    pytest.param(protocol, scene, id=scene.id)
    for name, protocol in all_protocols().items()
    for path in sorted(FOLDER.glob(f"{name.replace('-', '_')}_*.txt"))
    for scene in read_scenes(path)
]


@pytest.mark.parametrize("chunk", [1, 7, 4096])
@pytest.mark.parametrize(("protocol", "scene"), SCENES)
def test_in_memory(protocol: AnyProtocol, scene: Scene, chunk: int) -> None:
    play(scene, MemoryStage(protocol, scene.settings, chunk, scene.doors))


@pytest.fixture
def socket_stage(protocol: AnyProtocol, scene: Scene) -> Iterator[SocketStage]:
    stage = SocketStage(protocol, scene.settings, doors=scene.doors, runs_due_timers=True)
    yield stage
    stage.close()


@pytest.mark.parametrize(("protocol", "scene"), SCENES)
def test_over_sockets(scene: Scene, socket_stage: SocketStage) -> None:
    play(scene, socket_stage)
