"""Every message in every state: no hang, no exception, no effect on other clients (X-09).

Each case brings a door into a state in memory, sends one message and compares the outcome with the
clauses: ignored, answered with an error, or the sender disconnected. Then a game is played to its
end, with new clients for those that are gone.
"""

import pytest

from tests.protocols.moments.ascension_http import AscensionScene
from tests.protocols.moments.go_text import GoScene
from tests.protocols.moments.santorini_lobby import LobbyScene
from tests.protocols.moments.santorini_tournament import TournamentScene
from tests.protocols.moments.table import Message, Scene, State, cells
from tests.protocols.moments.tttp import TttpScene

SCENES: list[type[Scene]] = [LobbyScene, TournamentScene, GoScene, TttpScene, AscensionScene]


@pytest.mark.parametrize(
    ("kind", "state", "message"),
    [
        pytest.param(*cell, id=f"{cell[0].door}-{cell[1].name}-{cell[2].name}")
        for cell in cells(SCENES)
    ],
)
def test_a_message_in_any_state_has_the_outcome_of_the_clauses(
    kind: type[Scene], state: State, message: Message
) -> None:
    scene = kind()
    state.enter(scene)
    outcome = scene.send(message)
    assert outcome == message.expected(state)
    scene.finish_game(state, message, outcome)


@pytest.mark.parametrize("kind", SCENES, ids=lambda kind: kind.door)
def test_every_tag_of_a_message_belongs_to_a_state(kind: type[Scene]) -> None:
    known = set().union(*(state.tags for state in kind.states))
    assert {tag for message in kind.messages for tag in message.at} <= known
