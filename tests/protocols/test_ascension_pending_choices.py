"""Pending choices over HTTP: a client reads which effect asks, and every bot answers."""

import copy
import itertools
import json
import random
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import msgspec
import pytest

from gamehall.bots.bot import Bot
from gamehall.bots.catalogue import bots_for
from gamehall.bots.search.bots import GreedyBot as OnePlyBot
from gamehall.core import Seat
from gamehall.games.ascension import CARDS, Ascension, AscensionPosition, Move
from gamehall.games.ascension.cards import STARTERS
from gamehall.games.ascension.effects import Asking, OnOpponent, Passive
from gamehall.match import Ending, MatchEnded, TurnBegan
from gamehall.protocols.ascension_http import PROTOCOL, AscensionHttpClientSession
from gamehall.protocols.ascension_http.view import TurnSoFar, read_position
from gamehall.rooms.notices import Closed, Notice, RequestRejected
from gamehall.rooms.requests import Join
from gamehall.rooms.requests import Play as PlayMove
from gamehall.wire.settings import read_settings
from tests.games.ascension_tables import table
from tests.support.ascension_stage import AscensionStage, exchange

GAME = Ascension()
COURIER = "Rocket Courier X-99"


class Scene(NamedTuple):
    """A card, and the moves from an arranged position to one of its choices."""

    card: str
    slot: int
    position: AscensionPosition
    moves: tuple[str, ...]
    way: str
    """How the card comes to ask."""


def arranged(**more: Any) -> AscensionPosition:
    """Return a position in which every card has options."""
    cards: dict[str, Any] = {
        "hand": ["Apprentice", "Muramasa", "Mystic"],
        "deck": ["Militia", "Apprentice", "Heavy Infantry", "Apprentice"],
        "discard": ["Apprentice", "Lifebound Initiate"],
        "constructs": ["Shadow Star", "Yggdrasil Staff"],
        "other_hand": ["Apprentice"] * 5,
        "other_deck": ["Apprentice"] * 5,
        "other_constructs": ["Snapdragon", "Muramasa", "Muramasa"],
        "row": ["Samael's Trickster", "Arha Initiate", "Wolf Shaman", "Burrower Mark II"],
        "power": 8,
        "runes": 8,
    }
    return table(**(cards | more))


def scenes(honor_pool: int) -> Iterator[Scene]:
    """Return every choice of every card, in every way in which it can be asked."""
    for name, card in CARDS.items():
        slots = sum(isinstance(effect, Asking) for effect in card.effects)
        for slot in range(slots):
            skipped = ("choose nothing",) * slot
            hand, row = ["Apprentice", "Militia"], ["Arha Initiate", "Wolf Shaman"]
            if card.is_hero:
                start = arranged(hand=[name, "Mystic", *hand], honor_pool=honor_pool)
                first = ("play Mystic", f"play {name}")
                yield Scene(name, slot, start, first + skipped, "played")
            if card.is_hero and name != "Twofold Askara":
                start = arranged(
                    hand=[name, "Twofold Askara", *hand],
                    deck=["Militia", "Apprentice"] * 3,
                    honor_pool=honor_pool,
                )
                answered = f"choose {FIRST_ANSWERS[name]}"
                copied = ("play Twofold Askara", f"choose {name}")
                yield Scene(
                    name, slot, start, (f"play {name}", answered, *copied), "copied by Askara"
                )
            if card.is_monster:
                start = arranged(row=[name, *row], honor_pool=honor_pool)
                yield Scene(name, slot, start, (f"defeat {name}", *skipped), "defeated")
                start = arranged(
                    hand=["Oziah the Peerless"], row=[name, *row], honor_pool=honor_pool
                )
                free = ("play Oziah the Peerless", f"choose {name}", *skipped)
                if card.cost <= 6:
                    yield Scene(name, slot, start, free, "defeated free of charge")
        if any(isinstance(effect, OnOpponent) for effect in card.effects):
            start = arranged(row=name, honor_pool=honor_pool)
            yield Scene(name, 0, start, (f"defeat {name}", "end turn"), "owed by the opponent")
        if card.passive is Passive.ACQUIRED_INTO_PLAY:
            start = arranged(constructs=[name, "Shadow Star"], honor_pool=honor_pool)
            yield Scene(name, 0, start, ("acquire Burrower Mark II",), "triggered")


FIRST_ANSWERS = {
    "Arha Templar": "Cultist",
    "Oziah the Peerless": "Cultist",
    "Seer of the Forked Path": "nothing",
    "Temple Librarian": "Apprentice",
    "Cetra, Weaver of Stars": "Mystic",
    "Druids of the Stone Circle": "Mystic",
    "Mechana Initiate": "rune",
    "Arbiter of the Precipice": "Militia",
    "Shade of the Black Watch": "nothing",
    "Void Initiate": "nothing",
}
"""The answer when the card itself is played, before it is copied."""

EARLY, LATE = 60, 1
"""Honor in the pool: near the end the planner plays matches out."""
SCENES = [scene for pool in (EARLY, LATE) for scene in scenes(pool)]


def asked_client(scene: Scene) -> tuple[AscensionStage, AscensionPosition]:
    """Return the stage, and the position as read by the client that must choose."""
    stage = AscensionStage()
    clients = {"ann": AscensionHttpClientSession(), "bob": AscensionHttpClientSession()}
    for who, client in clients.items():
        exchange(stage, who, client, client.send(Join("")))
    stage.arrange(scene.position)
    for who, client in clients.items():
        exchange(stage, who, client, client.poll())
    notices: list[Notice[Move]] = []
    for text in scene.moves:
        notices = exchange(stage, "ann", clients["ann"], clients["ann"].send(PlayMove(read(text))))
        assert not any(isinstance(notice, RequestRejected) for notice in notices), notices
    if stage.position.to_move is Seat.SECOND:
        notices = exchange(stage, "bob", clients["bob"], clients["bob"].poll())
    [notice] = notices
    assert isinstance(notice, TurnBegan)
    return stage, cast("AscensionPosition", notice.position)


def read(text: str) -> Move:
    return GAME.read_move(text)


def test_the_scenes_contain_every_choice_of_every_card() -> None:
    shown = {(scene.card, scene.slot) for scene in SCENES}
    asking = {
        (name, slot)
        for name, card in CARDS.items()
        for slot in range(
            sum(isinstance(effect, Asking | OnOpponent) for effect in card.effects)
            or card.passive is Passive.ACQUIRED_INTO_PLAY
        )
    }
    assert shown == asking
    assert len(asking) == 18
    assert not {card.name for card in STARTERS} & {name for name, _ in asking}


def of_scene(scene: Scene) -> str:
    pool = scene.position.board.honor_pool
    return f"{scene.card} {scene.slot} {scene.way}, {pool} honor left"


@pytest.mark.parametrize("scene", SCENES, ids=of_scene)
def test_A_Q15_every_choice_is_read_back_and_answered_by_every_bot(scene: Scene) -> None:
    stage, seen = asked_client(scene)
    real = stage.position
    assert real.board.pending is not None
    assert (real.board.pending.card, real.board.pending.slot) == (scene.card, scene.slot)
    assert seen.board.pending == real.board.pending
    assert seen.to_move is real.to_move
    count = len(seen.board.agenda)
    assert count > 0
    assert seen.board.agenda == real.board.agenda[:count]
    moves = list(seen.legal_moves())
    assert moves == list(real.legal_moves())
    check_views(seen)
    check_bots(seen)
    # The effect may be unknown if another server asks.
    unknown = msgspec.structs.replace(seen, board=msgspec.structs.replace(seen.board, agenda=()))
    assert list(unknown.legal_moves()) == moves
    check_views(unknown)
    check_bots(unknown)
    stage.submit(
        list(Seat).index(cast("Seat", seen.to_move)),
        [{"type": "choose", "card_name": cast("Any", moves[0]).option}],
    )
    assert stage.position != real, "the answer is accepted"


def check_views(position: AscensionPosition) -> None:
    """Check that every view of the position and of the next ones can be shown."""
    for viewer in (None, *Seat):
        view = position.seen_by(viewer)
        assert view.picture()
        assert view.diagram()
        list(view.legal_moves())
    for move in position.legal_moves():
        later = position.after(move)
        assert later.diagram()
        for further in later.legal_moves():
            later.after(further)


def make_bot(name: str, seed: int) -> Bot[Any]:
    """Return a bot whose clock advances at every reading, so that it has a few readings a move."""
    ticks = itertools.count()
    return bots_for("ascension")[name].make(seed, lambda: next(ticks) * 0.01, 0.05)


def every_bot(seed: int) -> list[Bot[Any]]:
    return [*(make_bot(name, seed) for name in bots_for("ascension")), OnePlyBot(seed)]


def check_bots(position: AscensionPosition) -> None:
    """Check that every bot returns a legal move."""
    assert position.to_move is not None
    legal = list(position.legal_moves())
    for bot in every_bot(1):
        move = bot.choose(position, position.to_move, None)
        assert move in legal, f"{type(bot).__name__} chose {move}"


# Whole games.


def played_game(names: tuple[str, str], seed: int, settings: dict[str, str]) -> AscensionStage:
    """Play a game of two bots that use only the client session."""
    stage = AscensionStage(settings, seed=seed)
    read = read_settings(PROTOCOL.settings, settings, PROTOCOL.name)
    players = [
        (who, PROTOCOL.client(read), make_bot(name, seed))
        for who, name in zip(("ann", "bob"), names, strict=True)
    ]
    for who, client, _ in players:
        exchange(stage, who, client, client.send(Join("")))
    ends: list[MatchEnded[Move]] = []
    for _ in range(5000):
        for (who, client, bot), seat in zip(players, Seat, strict=True):
            notices = [] if client.closed else exchange(stage, who, client, client.poll())
            while notices:
                [notice] = notices
                notices = []
                if isinstance(notice, MatchEnded):
                    ends.append(notice)
                elif isinstance(notice, TurnBegan) and notice.seat is seat:
                    move = bot.choose(notice.position, seat, None)
                    assert move in list(notice.position.legal_moves())
                    notices = exchange(stage, who, client, client.send(PlayMove(move)))
                else:
                    assert isinstance(notice, TurnBegan), notice
        if len(ends) == len(players):
            break
    assert [end.result.ending for end in ends] == [Ending.PLAYED_OUT] * 2
    assert stage.position.outcome is not None
    assert {end.result.winner for end in ends} == {stage.position.outcome.winner}
    return stage


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", bots_for("ascension"))
def test_every_bot_plays_whole_games_at_the_door(name: str, seed: int) -> None:
    """The opponent defeats monsters, so that constructs are lost, too."""
    played_game((name, "greedy") if seed % 2 else ("greedy", name), seed, {"honor": "40"})


@pytest.mark.parametrize("name", bots_for("ascension"))
def test_every_bot_plays_with_an_endless_supply(name: str) -> None:
    stage = played_game((name, "infantry"), 3, {"honor": "70", "supply": "endless"})
    assert (stage.position.board.mystics, stage.position.board.heavies) == (30, 29)


# What another server may send.


def states() -> list[dict[str, Any]]:
    """Return states with all kinds of choices, and one of the middle of a game."""
    shown = []
    for scene in SCENES[:: len(SCENES) // 20]:
        stage, _ = asked_client(scene)
        shown.append(stage.state())
    stage = played_game(("greedy", "random"), 5, {"honor": "10"})
    shown.append(stage.state() | {"status": "playing"})
    return shown


INVALID_VALUES: list[object] = [
    *(None, True, False, 0, 1, -1, 7, 10**6, 10**30, 0.5, 1e300, "", "0", "?", "x", "hand:?"),
    *("Apprentice", "Cultist", "Mephit", "Muramasa", "hand:Mystic", "rune", "tie", "banish"),
    *([], {}, [[]], ["?"], ["Apprentice"], ["rune"], ["hand:Apprentice"], ["No Such Card"]),
    *(["Shadow Star"] * 3, ["Mephit"] * 40, {"a": 1}, [1, 2], [None]),
]


def corrupted(state: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return the state with some parts replaced or removed."""
    state = copy.deepcopy(state)
    for _ in range(chance.randint(1, 3)):
        places: list[tuple[Any, Any]] = []
        collect(state, places)
        container, key = chance.choice(places)
        if chance.random() < 0.2:
            del container[key]
        else:
            container[key] = copy.deepcopy(chance.choice(INVALID_VALUES))
    return state


def collect(value: Any, places: list[tuple[Any, Any]]) -> None:
    """Collect all places in a value that can be replaced, except those in `moves`."""
    items: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items = [(key, part) for key, part in value.items() if key != "moves"]
    elif isinstance(value, list):
        items = list(enumerate(value))
    for key, part in items:
        places.append((value, key))
        collect(part, places)


def test_no_state_of_another_server_makes_a_client_or_a_bot_fail() -> None:
    chance = random.Random(4)
    valid = states()
    turns = 0
    for _ in range(600):
        state = chance.choice(valid)
        seat = state["board"]["current_player_index"]
        state = corrupted(state, chance)
        client = AscensionHttpClientSession()
        client.send(Join(""))
        client.receive_data(http({"player_index": seat}))
        client.next_notice()
        client.poll()
        client.receive_data(http(state))
        notice = client.next_notice()
        assert notice is None or isinstance(
            notice, Closed | TurnBegan | MatchEnded | RequestRejected
        ), notice
        if isinstance(notice, TurnBegan):
            position = cast("AscensionPosition", notice.position)
            check_views(position)
            if position.to_move is list(Seat)[seat]:
                turns += 1
                check_bots(position)
    assert turns > 100


def http(content: object) -> bytes:
    body = json.dumps(content).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "scry"},
        {"card_name": "No Such Card"},
        {"card_name": "?"},
        {"options": []},
        {"options": ["No Such Card"]},
        {"options": ["rune"]},
        {"player_index": 1},
        {"slot": None},
        {"optional": None, "options": None},
    ],
)
def test_A_Q15_an_unknown_choice_is_left_to_the_default(
    changes: dict[str, Any],
) -> None:
    stage = AscensionStage()
    stage.start(table(hand=["Arbiter of the Precipice"], deck=["Militia", "Mystic"]))
    state = stage.moves(0, "play Arbiter of the Precipice")
    seen = read_position(state, TurnSoFar(), GAME)
    assert seen.board.pending is not None
    state["pending"] |= changes
    later = read_position(state, TurnSoFar(), GAME)
    assert later.board.pending is None
    check_bots(later)


def test_A_Q18_a_client_leaves_a_server_that_hides_its_own_hand() -> None:
    stage = AscensionStage({"hide-hands": "true"})
    stage.start()
    client = AscensionHttpClientSession()
    client.send(Join(""))
    client.receive_data(http({"player_index": 0}))
    client.next_notice()
    client.poll()
    client.receive_data(http(stage.state("?player_index=1")))
    notice = client.next_notice()
    assert isinstance(notice, Closed)
    assert "hides this player's own hand" in notice.reason
