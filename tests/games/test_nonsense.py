"""What the rules of every game of the catalogue make of nonsense: clear errors, nothing else."""

import random
from collections.abc import Callable, Iterator
from dataclasses import fields
from enum import Enum
from functools import cache
from typing import Any, get_type_hints
from unittest.mock import Mock

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamehall.core import Game, IllegalMove, Position, Seat
from gamehall.games.ascension import Ascension, AscensionPosition, EndTurn, with_targets
from gamehall.games.catalogue import all_games
from gamehall.match.events import Ending, Result
from gamehall.match.record import Record, RecordError, positions, read_game, write_terms

GAMES = [pytest.param(game(), id=name) for name, game in all_games().items()]
TERMS = [
    pytest.param(game, term.name, id=f"{name}-{term.name}")
    for name, game in all_games().items()
    for term in fields(game)  # type: ignore[arg-type]
]
NUMBERS = [
    pytest.param(game, term.name, id=f"{name}-{term.name}")
    for name, game in all_games().items()
    for term in fields(game)  # type: ignore[arg-type]
    if get_type_hints(game)[term.name] in (int, float)
]


class Hostile:
    """Fails at whatever is asked of it."""

    def __hash__(self) -> int:
        raise RuntimeError("no hash")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not comparable")

    def __repr__(self) -> str:
        raise RuntimeError("not for your eyes")

    def __bool__(self) -> bool:
        raise RuntimeError("undecided")

    def __getattr__(self, name: str) -> object:
        raise RuntimeError("no attributes")


class EqualToAll:
    """Says that it equals everything."""

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return True


FOREIGN: list[object] = [
    None,
    True,
    0,
    -1,
    5,
    2.5,
    float("nan"),
    float("inf"),
    10**5000,
    "",
    "D4",
    "d1",
    "pass",
    "\ud800",
    "x" * 10_000,
    b"d1",
    (),
    (3, 5),
    (0, 0, 0),
    [],
    [3, 5],
    {},
    {"column": 3, "row": 5},
    set(),
    object(),
    Seat.FIRST,
    ValueError("d1"),
    len,
    int,
    Hostile(),
    EqualToAll(),
]
"""Values that are a move of no game."""

NO_FIELDS: list[object] = [*FOREIGN, "Apprentice", "center", Hostile, msgspec.UNSET]
"""What is put into the fields of moves: some of it may fit by its type."""


@cache
def moves_met(game: Game[Any]) -> list[Any]:
    """A few legal moves of each type that random games meet."""
    found: dict[type, list[Any]] = {}
    for seed in range(3):
        for position in random_game(game, seed):
            for move in position.legal_moves():
                kept = found.setdefault(type(move), [])
                if len(kept) < 3 and move not in kept:
                    kept.append(move)
    return [move for kept in found.values() for move in kept]


def random_game(game: Game[Any], seed: int) -> Iterator[Position[Any]]:
    chance = random.Random(seed)
    position = game.start(seed)
    yield position
    while position.outcome is None:
        position = position.after(chance.choice(list(position.legal_moves())))
        yield position


def some_positions(game: Game[Any]) -> list[Position[Any]]:
    """From the beginning, the middle and the end of a game, and what others see of these."""
    passed = list(random_game(game, 11))
    picked = [passed[0], passed[1], passed[2 * len(passed) // 3], passed[-2], passed[-1]]
    views = [position.seen_by(viewer) for position in picked[:-1] for viewer in (None, *Seat)]
    return [*picked, *views]


def error_of(kind: type[Exception], call: Callable[..., Any], *values: Any, **named: Any) -> Any:
    """The error of this kind that the call raises, None if it raises none; another is a failure."""
    try:
        call(*values, **named)
    except kind as error:
        return error
    return None


def rebuilt(value: Any, change: Callable[[Any], list[Any]]) -> list[Any]:
    """Values like this one in which one part, at any depth, is changed."""
    parts = _parts(value)
    found = change(value)
    for index, part in enumerate(parts):
        for other in rebuilt(part, change):
            changed = [*parts[:index], other, *parts[index + 1 :]]
            found.append(type(value)(*changed))
    return found


def _parts(value: Any) -> list[Any]:
    if isinstance(value, msgspec.Struct):
        return [getattr(value, name) for name in value.__struct_fields__]
    return list(value) if isinstance(value, tuple) else []


def spoilt(move: Any) -> list[Any]:
    """Values that look like the move and are none: another type here or there inside."""

    def nonsense(part: Any) -> list[Any]:
        if part is move:
            return []
        return [value for value in NO_FIELDS if type(value) is not type(part)]

    def almost(part: Any) -> list[Any]:
        """What equals the part, and is of another type."""
        if type(part) is int:
            return [float(part), complex(part), *([bool(part)] if part in (0, 1) else [])]
        if type(part) is str:
            return [type("Text", (str,), {})(part)]
        if isinstance(part, tuple):
            return [tuple(part), list(part), type("Sub", (type(part),), {})(*part)]
        if isinstance(part, msgspec.Struct) and part is move:
            heir = type("Heir", (type(part),), {}, frozen=True)
            return [heir(*_parts(part)), Mock(spec=type(part))]
        return []

    return rebuilt(move, nonsense) + rebuilt(move, almost)


def odd_places(move: Any) -> list[Any]:
    """Moves of the right types whose parts no board has."""
    places = [-1, -(10**5000), 10**5000, 2**63, 99]

    def elsewhere(part: Any) -> list[Any]:
        if type(part) is int:
            return list(places)
        return ["", "?", "No Such Card", "x" * 10_000, "\ud800"] if type(part) is str else []

    return rebuilt(move, elsewhere)


def moves_of_others(game: Game[Any]) -> list[Any]:
    return [move for other in all_games().values() if other is not type(game) for move in
            moves_met(other())]  # fmt: skip


@pytest.mark.parametrize("game", GAMES)
def test_what_is_no_move_is_illegal_and_raises_nothing_else(game: Game[Any]) -> None:
    foreign = [*FOREIGN, *moves_of_others(game)]
    for move in moves_met(game):
        foreign += spoilt(move)
    is_number = type(moves_met(game)[0]) is int
    for position in some_positions(game):
        for move in foreign:
            if is_number and type(move) is int:
                continue
            with pytest.raises(IllegalMove) as refusal:
                position.after(move)
            assert str(refusal.value)
            assert len(str(refusal.value)) < 500
            assert refusal.value.__cause__ is None
            assert position.allows(move) is False


@pytest.mark.parametrize("game", GAMES)
def test_a_move_to_where_there_is_nothing_is_illegal_or_legal(game: Game[Any]) -> None:
    odd = [odd for move in moves_met(game) for odd in odd_places(move)]
    for position in some_positions(game):
        legal = list(position.legal_moves())
        for move in odd:
            if position.allows(move):
                assert move in legal


@pytest.mark.parametrize("game", GAMES)
def test_a_legal_move_of_another_moment_is_judged_by_the_rules(game: Game[Any]) -> None:
    moves = moves_met(game)
    for position in some_positions(game):
        legal = list(position.legal_moves())
        for move in moves:
            assert position.allows(move) == (move in legal)


@pytest.mark.parametrize("game", GAMES)
def test_every_legal_move_can_be_made_in_what_a_viewer_sees(game: Game[Any]) -> None:
    """As far as a viewer can tell; and so can a few that follow."""
    chance = random.Random(1)
    for position in chance.sample(list(random_game(game, 1)), 12):
        for viewer in (None, *Seat):
            view = position.seen_by(viewer)
            for move in view.legal_moves():
                assert game.read_move(game.write_move(move)) == move
            for _ in range(30):
                legal = list(view.legal_moves())
                if not legal:
                    break
                view = view.after(chance.choice(legal))


@pytest.mark.parametrize("game", GAMES)
def test_illegal_moves_are_value_errors(game: Game[Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        game.start(1).after(None)


@pytest.mark.parametrize("game", GAMES)
def test_a_position_is_unharmed_by_nonsense(game: Game[Any]) -> None:
    position = game.start(1)
    before, legal = msgspec.structs.astuple(position), list(position.legal_moves())
    for value in FOREIGN:
        position.allows(value)
        position.seen_by(value)  # type: ignore[arg-type]
    assert msgspec.structs.astuple(position) == before
    assert list(position.legal_moves()) == legal


@pytest.mark.parametrize("game", GAMES)
def test_who_is_no_player_sees_what_a_spectator_sees(game: Game[Any]) -> None:
    for position in random_game(game, 2):
        spectator = position.seen_by(None)
        for viewer in (value for value in FOREIGN if not isinstance(value, Seat)):
            assert position.seen_by(viewer) == spectator  # type: ignore[arg-type]


@pytest.mark.parametrize("game", GAMES)
def test_what_is_no_move_cannot_be_written(game: Game[Any]) -> None:
    foreign = [*FOREIGN, *moves_of_others(game)]
    for move in moves_met(game):
        foreign += spoilt(move)
        foreign += odd_places(move)
    for move in foreign:
        for write in (game.write_move, game.targets):
            error = error_of(ValueError, write, move)
            if error is None:
                again = game.read_move(game.write_move(move))
                assert (again, type(again)) == (move, type(move))
            else:
                assert len(str(error)) < 500


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_text_is_a_move_or_a_value_error(game: Game[Any], data: st.DataObject) -> None:
    words = [game.write_move(move) for move in moves_met(game)]
    parts = sorted({part for word in words for part in (*word.split(), *word)} | {" ", "\n", "٣"})
    text = data.draw(
        st.text()
        | st.text(st.characters(categories=["Cs", "Nd", "Lu", "Zs"]))
        | st.lists(st.sampled_from(parts)).map("".join)
        | st.lists(st.sampled_from(parts)).map(" ".join)
    )
    game.explain(text)
    error = error_of(ValueError, game.read_move, text)
    if error is None:
        move = game.read_move(text)
        assert game.read_move(game.write_move(move)) == move
        game.start(1).allows(move)
    else:
        assert str(error)
        assert not isinstance(error, IllegalMove), "to be unreadable is not to be illegal"


@pytest.mark.parametrize("game", GAMES)
def test_what_is_no_text_cannot_be_read(game: Game[Any]) -> None:
    for value in (value for value in FOREIGN if not isinstance(value, str)):
        with pytest.raises(ValueError, match=r"is not a text") as refusal:
            game.read_move(value)  # type: ignore[arg-type]
        assert len(str(refusal.value)) < 500
        # Games where all is plain to see have nothing to say to any name.
        error_of(ValueError, game.explain, value)


@pytest.mark.parametrize("game", GAMES)
def test_any_int_is_a_seed(game: Game[Any]) -> None:
    for seed in (0, -1, 2**63, 2**256, -(2**256)):
        assert game.start(seed) == game.start(seed)
        assert list(game.start(seed).legal_moves())


@pytest.mark.parametrize(("game", "term"), TERMS)
def test_a_term_of_a_wrong_type_is_named(game: type[Game[Any]], term: str) -> None:
    kind = get_type_hints(game)[term]
    for value in FOREIGN:
        fits = type(value) is kind or (kind is float and type(value) is int)
        if fits:
            continue
        with pytest.raises(ValueError, match=term) as error:
            game(**{term: value})
        assert len(str(error.value)) < 500
        if issubclass(kind, Enum):
            # To write a term by its value is for records, not for Python.
            with pytest.raises(ValueError, match=term):
                game(**{term: next(iter(kind)).value})


@pytest.mark.parametrize(("game", "term"), NUMBERS)
def test_a_number_is_a_term_or_is_refused_by_its_name(game: type[Game[Any]], term: str) -> None:
    numbers: list[Any] = [*range(-3, 30), 361, 10**9, 10**5000, -(10**5000)]
    if get_type_hints(game)[term] is float:
        numbers += [float("nan"), float("inf"), -float("inf"), 1e308, 0.1]
    for number in numbers:
        error = error_of(ValueError, game, **{term: number})
        if error is None:
            position = game(**{term: number}).start(1)
            assert list(position.legal_moves())
            assert position.diagram()
        else:
            # With another term as it is, the number may leave no room for that one.
            names = [other.name for other in fields(game)]  # type: ignore[arg-type]
            assert any(name in str(error) for name in names)
            assert len(str(error)) < 500


@pytest.mark.parametrize("game", GAMES)
def test_terms_that_do_not_exist_are_named(game: Game[Any]) -> None:
    with pytest.raises(TypeError, match="colour"):
        type(game)(colour="red")  # type: ignore[call-arg]


@settings(max_examples=200, deadline=None)
@given(content=st.binary() | st.text())
def test_what_is_no_record_is_refused(content: bytes | str) -> None:
    with pytest.raises(RecordError):
        Record.from_json(content)


@pytest.mark.parametrize("bracket", ["[", '{"game":', '{"terms":{"x":'])
def test_a_record_of_nothing_but_brackets_is_refused(bracket: str) -> None:
    with pytest.raises(RecordError):
        Record.from_json(bracket * 100_000)


@pytest.mark.parametrize("game", GAMES)
def test_a_record_with_nonsense_in_it_is_refused(game: Game[Any]) -> None:
    result = Result(None, Ending.CANCELLED, "")
    whole = Record(game.name, write_terms(game), 1, ("ann", None), (), result)
    content = msgspec.json.decode(whole.to_json())
    values: list[Any] = [
        None,
        True,
        -1,
        2.5,
        10**400,
        "",
        "x" * 1000,
        [],
        [[]],
        {},
        {"x": 1},
        [None, 3],
    ]
    for key in content:
        for value in values:
            _replay_or_refuse(game, content | {key: value})
    for term in content["terms"]:
        for value in values:
            _replay_or_refuse(game, content | {"terms": content["terms"] | {term: value}})
    for move in ["", "?", "x" * 1000, "pass", "d1", "end turn", "\u0663"]:
        moves = [{"seat": 1, "move": move}] * 3
        _replay_or_refuse(game, content | {"moves": moves})


def _replay_or_refuse(game: Game[Any], content: dict[str, Any]) -> None:
    def replay() -> None:
        record = Record.from_json(msgspec.json.encode(content))
        list(positions(read_game(type(game), record), record))

    error = error_of(RecordError, replay)
    assert error is None or str(error)


def test_targets_of_ascension_may_be_anything() -> None:
    for position in some_positions(Ascension()):
        assert isinstance(position, AscensionPosition)
        for move in (*FOREIGN, *moves_met(Ascension())):
            many: list[Any] = [*FOREIGN, *([value] for value in FOREIGN), ["honor", None]]
            for targets in many:
                error = error_of(IllegalMove, with_targets, position, move, targets)
                if error is None:
                    assert with_targets(position, move, targets)[0] in list(position.legal_moves())
                else:
                    assert len(str(error)) < 2000


def test_targets_that_are_no_list_are_illegal() -> None:
    for targets in (None, "Mystic", 5, {"Mystic": 1}):
        with pytest.raises(IllegalMove, match="not a list of targets"):
            with_targets(Ascension().start(1), EndTurn(), targets)  # type: ignore[arg-type]
