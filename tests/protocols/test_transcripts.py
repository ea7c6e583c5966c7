"""Every scene of transcripts/tttp_*.txt, in memory and over real sockets."""

from collections.abc import Iterator

import pytest

from gamehall.protocols.tttp import PROTOCOL
from tests.memory_stage import MemoryStage
from tests.socket_stage import SocketStage
from tests.transcripts import FOLDER, Scene, play, read_scenes

SCENES = [
    pytest.param(scene, id=scene.id)
    for path in sorted(FOLDER.glob("tttp_*.txt"))
    for scene in read_scenes(path)
]


@pytest.mark.parametrize("chunk", [1, 7, 4096])
@pytest.mark.parametrize("scene", SCENES)
def test_in_memory(scene: Scene, chunk: int) -> None:
    play(scene, MemoryStage(PROTOCOL, scene.settings, chunk))


@pytest.fixture
def socket_stage(scene: Scene) -> Iterator[SocketStage]:
    stage = SocketStage(PROTOCOL, scene.settings)
    yield stage
    stage.close()


@pytest.mark.parametrize("scene", SCENES)
def test_over_sockets(scene: Scene, socket_stage: SocketStage) -> None:
    play(scene, socket_stage)
