"""Each message in every wrong state: nothing hangs, nothing is raised, nobody else suffers.

Every cell brings a door into a state in memory, sends it one message and looks what comes of it:
it is ignored, answered with an error, or its sender has to go, as the clauses say. Then a game is
played to its end, by those who are still there and newcomers for those who are not.
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
def test_a_message_at_any_moment_has_the_outcome_that_the_clauses_say(
    kind: type[Scene], state: State, message: Message
) -> None:
    scene = kind()
    state.lead(scene)
    outcome = scene.send(message)
    assert outcome == message.expected(state)
    scene.go_on(state, message, outcome)


@pytest.mark.parametrize("kind", SCENES, ids=lambda kind: kind.door)
def test_every_row_of_the_table_counts(kind: type[Scene]) -> None:
    """A tag that no state has would be a mistake that nobody sees."""
    known = set().union(*(state.tags for state in kind.states))
    assert {tag for message in kind.messages for tag in message.at} <= known
