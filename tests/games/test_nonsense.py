"""Every game of the catalogue answers invalid values with clear errors and nothing else."""

import random
from collections.abc import Callable
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
from gamehall.games.ascension import Ascension, AscensionPosition, EndTurn, with_choices
from gamehall.games.catalogue import all_games
from gamehall.match.events import Ending, Result
from gamehall.match.record import Record, RecordError, positions, read_game, write_terms
from tests.games.playing import random_game

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
    """An object whose methods all raise."""

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
    """An object that equals everything."""

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
"""Values that are not moves of any game."""

FIELD_VALUES: list[object] = [*FOREIGN, "Apprentice", "center", Hostile, msgspec.UNSET]
"""Values for the fields of moves. Some may have the right type."""


@cache
def sample_moves(game: Game[Any]) -> list[Any]:
    """Return a few legal moves of each type from random games."""
    found: dict[type, list[Any]] = {}
    for seed in range(3):
        for position in random_game(game, seed):
            for move in position.legal_moves():
                kept = found.setdefault(type(move), [])
                if len(kept) < 3 and move not in kept:
                    kept.append(move)
    return [move for kept in found.values() for move in kept]


def positions_and_views(game: Game[Any]) -> list[Position[Any]]:
    """Return positions from the beginning, middle and end of a game, and their views."""
    passed = list(random_game(game, 11))
    picked = [passed[0], passed[1], passed[2 * len(passed) // 3], passed[-2], passed[-1]]
    views = [position.seen_by(viewer) for position in picked[:-1] for viewer in (None, *Seat)]
    return [*picked, *views]


def error_of(kind: type[Exception], call: Callable[..., Any], *values: Any, **named: Any) -> Any:
    """Return the error of this type that the call raises, or None. Other errors propagate."""
    try:
        call(*values, **named)
    except kind as error:
        return error
    return None


def rebuilt(value: Any, change: Callable[[Any], list[Any]]) -> list[Any]:
    """Return copies of the value in which one part, at any depth, is changed."""
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


def lookalikes(move: Any) -> list[Any]:
    """Return values that look like the move but have another type in some place."""

    def nonsense(part: Any) -> list[Any]:
        if part is move:
            return []
        return [value for value in FIELD_VALUES if type(value) is not type(part)]

    def equals(part: Any) -> list[Any]:
        """Return values of other types that equal the part."""
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

    return rebuilt(move, nonsense) + rebuilt(move, equals)


def moves_off_the_board(move: Any) -> list[Any]:
    """Return moves of the right types with coordinates and names that no board has."""

    def elsewhere(part: Any) -> list[Any]:
        if type(part) is int:
            return [-1, -(10**5000), 10**5000, 2**63, 99]
        return ["", "?", "No Such Card", "x" * 10_000, "\ud800"] if type(part) is str else []

    return rebuilt(move, elsewhere)


def moves_of_other_games(game: Game[Any]) -> list[Any]:
    others = [kind for kind in all_games().values() if kind is not type(game)]
    return [move for other in others for move in sample_moves(other())]


@pytest.mark.parametrize("game", GAMES)
def test_a_value_that_is_not_a_move_is_illegal(game: Game[Any]) -> None:
    foreign = [*FOREIGN, *moves_of_other_games(game)]
    for move in sample_moves(game):
        foreign += lookalikes(move)
    is_number = type(sample_moves(game)[0]) is int
    for position in positions_and_views(game):
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
def test_a_move_off_the_board_is_allowed_only_if_it_is_listed(game: Game[Any]) -> None:
    odd = [odd for move in sample_moves(game) for odd in moves_off_the_board(move)]
    for position in positions_and_views(game):
        legal = list(position.legal_moves())
        for move in odd:
            if position.allows(move):
                assert move in legal


@pytest.mark.parametrize("game", GAMES)
def test_a_move_of_another_position_is_allowed_only_if_it_is_listed(game: Game[Any]) -> None:
    moves = sample_moves(game)
    for position in positions_and_views(game):
        legal = list(position.legal_moves())
        for move in moves:
            assert position.allows(move) == (move in legal)


@pytest.mark.parametrize("game", GAMES)
def test_every_legal_move_can_be_made_in_what_a_viewer_sees(game: Game[Any]) -> None:
    """And so can a few random moves after it."""
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
def test_invalid_values_do_not_change_a_position(game: Game[Any]) -> None:
    position = game.start(1)
    before, legal = msgspec.structs.astuple(position), list(position.legal_moves())
    for value in FOREIGN:
        position.allows(value)
        position.seen_by(value)  # type: ignore[arg-type]
    assert msgspec.structs.astuple(position) == before
    assert list(position.legal_moves()) == legal


@pytest.mark.parametrize("game", GAMES)
def test_any_other_viewer_sees_what_a_spectator_sees(game: Game[Any]) -> None:
    for position in random_game(game, 2):
        spectator = position.seen_by(None)
        for viewer in (value for value in FOREIGN if not isinstance(value, Seat)):
            assert position.seen_by(viewer) == spectator  # type: ignore[arg-type]


@pytest.mark.parametrize("game", GAMES)
def test_a_value_that_is_not_a_move_cannot_be_written(game: Game[Any]) -> None:
    foreign = [*FOREIGN, *moves_of_other_games(game)]
    for move in sample_moves(game):
        foreign += lookalikes(move)
        foreign += moves_off_the_board(move)
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
def test_any_text_is_a_move_or_raises_value_error(game: Game[Any], data: st.DataObject) -> None:
    words = [game.write_move(move) for move in sample_moves(game)]
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
        assert not isinstance(error, IllegalMove), "an unreadable move is not an illegal move"


@pytest.mark.parametrize("game", GAMES)
def test_a_value_that_is_not_text_cannot_be_read(game: Game[Any]) -> None:
    for value in (value for value in FOREIGN if not isinstance(value, str)):
        with pytest.raises(ValueError, match=r"is not a text") as refusal:
            game.read_move(value)  # type: ignore[arg-type]
        assert len(str(refusal.value)) < 500
        # Games without explanations accept any value.
        error_of(ValueError, game.explain, value)


@pytest.mark.parametrize("game", GAMES)
def test_any_int_is_a_seed(game: Game[Any]) -> None:
    for seed in (0, -1, 2**63, 2**256, -(2**256)):
        assert game.start(seed) == game.start(seed)
        assert list(game.start(seed).legal_moves())


@pytest.mark.parametrize(("game", "term"), TERMS)
def test_the_error_for_a_term_of_a_wrong_type_names_it(game: type[Game[Any]], term: str) -> None:
    kind = get_type_hints(game)[term]
    for value in FOREIGN:
        fits = type(value) is kind or (kind is float and type(value) is int)
        if fits:
            continue
        with pytest.raises(ValueError, match=term) as error:
            game(**{term: value})
        assert len(str(error.value)) < 500
        if issubclass(kind, Enum):
            # Only records may write a term by the value of its enum.
            with pytest.raises(ValueError, match=term):
                game(**{term: next(iter(kind)).value})


@pytest.mark.parametrize(("game", "term"), NUMBERS)
def test_the_error_for_an_invalid_number_names_the_term(game: type[Game[Any]], term: str) -> None:
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
            # The number may make the default of another term invalid.
            names = [other.name for other in fields(game)]  # type: ignore[arg-type]
            assert any(name in str(error) for name in names)
            assert len(str(error)) < 500


@pytest.mark.parametrize("game", GAMES)
def test_the_error_for_an_unknown_term_names_it(game: Game[Any]) -> None:
    with pytest.raises(TypeError, match="colour"):
        type(game)(colour="red")  # type: ignore[call-arg]


@settings(max_examples=200, deadline=None)
@given(content=st.binary() | st.text())
def test_invalid_json_is_refused_as_a_record(content: bytes | str) -> None:
    with pytest.raises(RecordError):
        Record.from_json(content)


@pytest.mark.parametrize("bracket", ["[", '{"game":', '{"terms":{"x":'])
def test_a_deeply_nested_record_is_refused(bracket: str) -> None:
    with pytest.raises(RecordError):
        Record.from_json(bracket * 100_000)


@pytest.mark.parametrize("game", GAMES)
def test_a_record_with_invalid_values_is_refused(game: Game[Any]) -> None:
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
    for position in positions_and_views(Ascension()):
        assert isinstance(position, AscensionPosition)
        for move in (*FOREIGN, *sample_moves(Ascension())):
            many: list[Any] = [*FOREIGN, *([value] for value in FOREIGN), ["honor", None]]
            for targets in many:
                error = error_of(IllegalMove, with_choices, position, move, targets)
                if error is None:
                    assert with_choices(position, move, targets)[0] in list(position.legal_moves())
                else:
                    assert len(str(error)) < 2000


def test_targets_that_are_not_a_list_are_illegal() -> None:
    for targets in (None, "Mystic", 5, {"Mystic": 1}):
        with pytest.raises(IllegalMove, match="not a list of targets"):
            with_choices(Ascension().start(1), EndTurn(), targets)  # type: ignore[arg-type]
