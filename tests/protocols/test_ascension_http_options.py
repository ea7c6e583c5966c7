"""The readings of PROTOCOL.md: each question at its default, each setting at another value."""

from typing import Any

import pytest

from gamehall.core import Seat
from gamehall.games.ascension import CARDS, Supply
from gamehall.match import Ending
from gamehall.protocols.ascension_http import PROTOCOL
from tests.games.ascension_tables import table
from tests.support.ascension_stage import AscensionStage, move
from tests.support.socket_stage import SocketStage

LAST_TURN: dict[str, Any] = {"turn_owner": Seat.SECOND, "honor_pool": 0}


def on_stage(settings: dict[str, str] | None = None, **arranged: Any) -> AscensionStage:
    """A game that has come to this position."""
    stage = AscensionStage(settings)
    stage.start(table(**arranged))
    return stage


def player(state: dict[str, Any], index: int = 0) -> dict[str, Any]:
    found = state["board"]["players"][index]
    assert isinstance(found, dict)
    return found


# Errors


def test_A_Q01_no_error_is_an_empty_text() -> None:
    stage = AscensionStage()
    assert stage.state()["error"] == ""
    stage.start()
    assert stage.state()["error"] == ""
    assert stage.moves(0, "end_turn")["error"] == ""


@pytest.mark.parametrize(
    ("method", "target", "body", "status"),
    [
        ("POST", "/join", b"", 200),
        ("POST", "/moves", b'{"player_index": 1, "moves": [{"type": "end_turn"}]}', 200),
        ("POST", "/moves", b'{"player_index": 2, "moves": []}', 200),
        ("POST", "/moves", b'{"player_index": 0, "moves": [{"type": "fly"}]}', 200),
        ("POST", "/moves", b"", 400),
        ("POST", "/moves", b"player_index=0", 400),
        ("POST", "/moves", b"[]", 400),
        ("POST", "/moves", b"[" * 60_000, 400),
        ("POST", "/moves", b'{"player_index": 0, "moves": ["\xff"]}', 400),
        ("POST", "/moves", b" " * 65_537, 413),
        ("GET", "/", b"", 404),
        ("GET", "/states", b"", 404),
        ("POST", "/join/me", b"", 404),
        ("GET", "/join", b"", 405),
        ("POST", "/state", b"", 405),
        ("PUT", "/moves", b"{}", 405),
        ("DELETE", "/state", b"", 405),
    ],
)
def test_A_Q02_the_status_of_errors(method: str, target: str, body: bytes, status: int) -> None:
    stage = AscensionStage()
    stage.start()
    answer = stage.ask(method, target, body)
    assert answer.status == status
    assert answer.state["error"]
    if status == 405:
        assert "OPTIONS" in answer.headers["allow"]


def test_A_Q02_refusals_may_have_a_status_of_their_own() -> None:
    stage = AscensionStage({"http-errors": "true"})
    assert stage.ask("POST", "/join").status == 200
    assert stage.submit(0, [{"type": "end_turn"}]).status == 422
    assert stage.ask("POST", "/join").status == 200
    assert stage.ask("POST", "/join").status == 409
    assert stage.submit(1, [{"type": "end_turn"}]).status == 422
    assert stage.submit(5, []).status == 422
    assert stage.submit(0, [{"type": "end_turn"}]).status == 200
    assert stage.ask("GET", "/state").status == 200


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data", ""])
def test_A_Q03_moves_are_JSON_whatever_their_type_says(kind: str) -> None:
    stage = AscensionStage()
    stage.start()
    body = b' {"player_index": 0, "moves": [{"type": "end_turn"}]}\n'
    state = stage.ask("POST", "/moves", body, {"Content-Type": kind}).state
    assert (state["error"], state["board"]["current_turn"]) == ("", 1)


@pytest.mark.parametrize("body", [b"", b"{}", b"name=ann&x=", b"{", b"null", b"\xff\x00"])
def test_A_Q03_the_body_of_a_join_is_not_looked_at(body: bytes) -> None:
    assert AscensionStage().join(body) == {"player_index": 0}


def test_A_Q03_headers_of_an_answer() -> None:
    for answer in (
        AscensionStage().ask("GET", "/state"),
        AscensionStage().ask("POST", "/join"),
        AscensionStage().ask("GET", "/nowhere"),
    ):
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "etag" not in answer.headers


@pytest.mark.parametrize(
    ("target", "allowed"),
    [("/join", "POST, OPTIONS"), ("/state", "GET, OPTIONS"), ("*", "GET, POST, OPTIONS")],
)
def test_A_Q03_browsers_may_ask_first(target: str, allowed: str) -> None:
    stage = AscensionStage()
    answer = stage.ask("OPTIONS", target, headers={"Access-Control-Request-Method": "POST"})
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers["allow"] == answer.headers["access-control-allow-methods"] == allowed
    assert answer.headers["access-control-allow-headers"] == "*"
    assert stage.state()["player_count"] == 0


def test_A_Q04_an_error_is_in_that_answer_only() -> None:
    stage = AscensionStage()
    stage.start()
    assert stage.moves(0, "defeat Cultist")["error"]
    assert stage.state()["error"] == ""
    assert stage.moves(0, "end_turn")["error"] == ""


def test_A_Q04_an_error_may_stick() -> None:
    stage = AscensionStage({"sticky-errors": "true"})
    assert stage.moves(0, "end_turn")["error"] == "the game has not begun"
    stage.start()
    assert stage.state()["error"] == "", "before the game there is none to end"
    stage.ask("POST", "/join")
    stage.submit(7, [])
    assert stage.state()["error"] == "", "only refused moves end the game"
    error = stage.moves(1, "end_turn")["error"]
    assert error == "move 0: it is not player 1's turn"
    state = stage.state()
    assert (state["error"], state["status"]) == (error, "ended")
    assert "victor" not in state["board"]
    later = stage.moves(0, "end_turn")
    assert error in later["error"]
    assert stage.state() == state
    assert stage.finished == 1


def test_A_Q05_the_answer_to_refused_moves_is_the_whole_state() -> None:
    stage = AscensionStage()
    stage.start()
    before = stage.state()
    refused = stage.moves(1, "end_turn")
    assert refused == before | {"error": "move 0: it is not player 1's turn"}


def test_A_Q06_the_moves_before_an_illegal_one_stand() -> None:
    stage = on_stage(hand=["Apprentice"] * 2)
    state = stage.moves(0, "play Apprentice", "acquire Mystic", "play Apprentice")
    assert state["error"] == "move 1: Mystic costs 2 runes more than you have"
    assert player(state)["hand"] == ["Apprentice"]
    assert player(state)["runes_remaining"] == 1
    assert player(state)["moves"] == [{"type": "play", "card_name": "Apprentice", "turn": 0}]


def test_A_Q06_none_of_them_may_stand() -> None:
    stage = on_stage({"atomic": "true"}, hand=["Apprentice"] * 3, runes=0)
    before = stage.position
    state = stage.moves(0, "play Apprentice", "acquire Mystic", "end_turn")
    assert state["error"] == "move 1: Mystic costs 2 runes more than you have"
    assert stage.position is before
    assert state == stage.state() | {"error": state["error"]}
    assert player(state)["moves"] == []
    assert stage.moves(0, *["play Apprentice"] * 3, "acquire Mystic")["error"] == ""
    assert stage.moves(0, "end_turn", "end_turn")["error"] == "move 1: it is not player 0's turn"
    assert stage.state()["board"]["current_turn"] == 0
    lines = [line.content for line in stage.take_log()]
    assert [line["refused"] for line in lines if "refused" in line] == [1, 1]


def test_A_Q06_all_or_nothing_includes_chance() -> None:
    stage = on_stage(
        {"atomic": "true"}, hand="Ascetic of the Lidless Eye", discard=["Apprentice", "Militia"]
    )
    chance = stage.position.board.chance
    assert "move 1" in stage.moves(0, "play Ascetic of the Lidless Eye", "play Mystic")["error"]
    assert stage.position.board.chance == chance


def test_A_Q06_what_chance_chooses_is_settled_once() -> None:
    """Otherwise the moves that are made would not be those that were looked at."""
    settings = {"atomic": "true", "choices": "random"}
    for _ in range(20):
        stage = on_stage(settings, hand=["Mechana Initiate"] * 8, row="Temple Librarian")
        for _ in range(30):
            state = stage.moves(
                0, "play Mechana Initiate", "play Mechana Initiate", "defeat Cultist"
            )
            board = stage.position.board
            assert bool(state["error"]) == (len(board.mine.hand) == 8)
            if not state["error"]:
                break


def test_A_Q07_moves_after_the_end_of_the_turn_are_refused() -> None:
    stage = AscensionStage()
    stage.start()
    state = stage.moves(0, "end_turn", "play Apprentice")
    assert state["error"] == "move 1: it is not player 0's turn"
    assert state["board"]["current_turn"] == 1


def test_A_Q07_A_Q24_unless_the_next_turn_is_that_players_again() -> None:
    stage = on_stage(constructs="Tablet of Time's Dawn", deck=["Apprentice"] * 10)
    moves = ["activate Tablet of Time's Dawn", "end_turn", "play Apprentice"]
    state = stage.moves(0, *moves)
    assert state["error"] == ""
    assert state["board"]["current_turn"] == 1
    assert state["board"]["current_player_index"] == 0
    assert player(state)["runes_remaining"] == 1
    assert player(state)["moves"][-1] == {"type": "play", "card_name": "Apprentice", "turn": 1}
    assert stage.moves(0, "end_turn")["board"]["current_player_index"] == 1


@pytest.mark.parametrize("index", [0, "0", 0.0])
def test_A_Q08_a_player_index_may_be_in_quotes(index: object) -> None:
    stage = AscensionStage()
    stage.start()
    assert stage.submit(index, [{"type": "end_turn"}]).state["board"]["current_turn"] == 1


@pytest.mark.parametrize("index", [2, -1, "2", "", "zero", 0.5, True, False, None, [0], {}, 1e300])
def test_A_Q08_anything_else_is_an_error(index: object) -> None:
    stage = AscensionStage()
    stage.start()
    answer = stage.submit(index, [{"type": "end_turn"}])
    assert answer.status == 200
    assert answer.state == stage.state() | {"error": "player_index must be 0 or 1"}


def test_A_Q09_anybody_may_move_for_anybody() -> None:
    stage = AscensionStage()
    stage.start()
    body = b'{"player_index": 0, "moves": {"type": "end_turn"}, "token": "made up"}'
    assert stage.ask("POST", "/moves", body, who="a stranger").state["error"] == ""


def test_A_Q09_TM_07_tokens_prove_who_moves() -> None:
    stage = AscensionStage({"tokens": "true"})
    first, second = stage.join(), stage.join()
    assert [first["player_index"], second["player_index"]] == [0, 1]
    assert len({first["token"], second["token"]}) == 2
    for token in ("", "x", None, 3, second["token"]):
        answer = stage.submit(0, [{"type": "end_turn"}], token=token)
        assert answer.state["error"] == "the token is not that of this player"
    assert "token" in stage.moves(0, "end_turn")["error"]
    assert stage.state()["board"]["current_turn"] == 0
    state = stage.submit(0, [{"type": "end_turn"}], token=first["token"]).state
    assert (state["error"], state["board"]["current_turn"]) == ("", 1)


def test_A_Q09_before_anybody_has_joined_no_token_is_right() -> None:
    stage = AscensionStage({"tokens": "true"})
    assert stage.moves(0, "end_turn")["error"] == "the token is not that of this player"


# Moves


def test_A_Q10_an_empty_list_asks_for_the_state() -> None:
    stage = AscensionStage()
    stage.start()
    assert stage.moves(0) == stage.state()
    assert stage.moves(1) == stage.state()


def test_A_Q10_a_single_move_need_not_be_in_a_list() -> None:
    stage = AscensionStage()
    stage.start()
    assert stage.submit(0, {"type": "end_turn"}).state["board"]["current_turn"] == 1


@pytest.mark.parametrize("body", [b'{"player_index": 0}', b'{"player_index": 0, "moves": null}'])
def test_A_Q10_no_moves_at_all_are_an_error(body: bytes) -> None:
    stage = AscensionStage()
    stage.start()
    state = stage.ask("POST", "/moves", body).state
    assert state == stage.state() | {"error": "moves must be a list of moves"}


@pytest.mark.parametrize("name", ["", None, "Mystic", "no card at all", 3, []])
def test_A_Q11_the_name_is_not_looked_at_with_end_turn(name: object) -> None:
    for settings in ({}, {"strict": "true"}):
        stage = AscensionStage(settings)
        stage.start()
        state = stage.submit(0, [{"type": "end_turn", "card_name": name}]).state
        assert (state["error"], state["board"]["current_turn"]) == ("", 1)
        assert player(state)["moves"] == [{"type": "end_turn", "card_name": "", "turn": 0}]


def test_A_Q11_names_are_in_any_case() -> None:
    stage = on_stage(hand=["Apprentice", "Cetra, Weaver of Stars"], runes=2)
    state = stage.moves(0, "play aPPRENTICE", "acquire mystic")
    assert state["error"] == ""
    assert [noted["card_name"] for noted in player(state)["moves"]] == ["Apprentice", "Mystic"]
    older = "play Cetra, Weaver of the Stars"
    assert stage.moves(0, older)["error"] == ""


def test_A_Q11_strict_names_are_to_the_letter() -> None:
    stage = on_stage({"strict": "true"}, hand="Apprentice")
    assert stage.moves(0, "play apprentice")["error"] == "move 0: there is no card 'apprentice'"
    assert stage.moves(0, "play Apprentice ")["error"]
    assert stage.moves(0, "play Apprentice")["error"] == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("acquire Mephit", "Mephit is a monster: it can be defeated, not acquired"),
        ("acquire Cultist", "Cultist is a monster: it can be defeated, not acquired"),
        ("defeat Master Dhartha", "Master Dhartha is not a monster: only monsters are defeated"),
        ("acquire Master Dhartha", "Master Dhartha costs 7 runes more than you have"),
        ("defeat Mephit", "Mephit takes 3 power, and you have 0"),
        ("defeat Cultist", "Cultist takes 2 power, and you have 0"),
        ("play Mystic", "Mystic is not in your hand"),
        ("acquire Muramasa", "Muramasa is not in the center row"),
        ("activate Muramasa", "Muramasa is not among your constructs in play"),
    ],
)
def test_A_Q12_what_cannot_be_paid_or_is_of_the_wrong_kind(text: str, reason: str) -> None:
    stage = on_stage(row="Mephit")
    assert stage.moves(0, text)["error"] == f"move 0: {reason}"


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (
            {"type": "fly"},
            "there is no move 'fly': there are acquire, play, defeat, activate, choose, end_turn",
        ),
        ({"type": "Play", "card_name": "Apprentice"}, "there is no move 'Play'"),
        ({"type": "play"}, "play needs a card_name"),
        ({"type": "play", "card_name": ""}, "play needs a card_name"),
        ({"type": "play", "card_name": 7}, "play needs a card_name"),
        ({"type": "play", "card_name": "Blackbeard"}, "there is no card 'Blackbeard'"),
        ({"type": "choose", "card_name": "Blackbeard"}, "'Blackbeard' is no option"),
        ({"type": "choose", "card_name": 7}, "the card_name of choose must be a string or null"),
        ({"type": 7}, "a move is an object with a type"),
        ({}, "a move is an object with a type"),
        ("end_turn", "a move is an object with a type"),
        (None, "a move is an object with a type"),
        ({"type": "end_turn", "targets": "x"}, "targets must be a list"),
        ({"type": "end_turn", "targets": [7]}, "targets are names of cards, or null"),
        ({"type": "fly" * 1000}, "there is no move 'flyfly"),
    ],
)
def test_what_is_no_move_is_said_in_words(wrong: object, reason: str) -> None:
    stage = AscensionStage()
    stage.start()
    error = stage.submit(0, [wrong, {"type": "end_turn"}]).state["error"]
    assert error.startswith(f"move 0: {reason}")
    assert len(error) < 300
    assert stage.state()["board"]["current_turn"] == 0


def test_A_Q13_one_of_several_cards_of_a_name() -> None:
    stage = on_stage(hand=["Militia"] * 3, row=["Spike Vixen", "Spike Vixen"], runes=2)
    state = stage.moves(0, "play Militia", "acquire Spike Vixen")
    assert player(state)["hand"] == ["Militia"] * 2
    assert state["board"]["center"].count("Spike Vixen") == 1


def test_A_Q14_the_cards_are_those_of_the_base_set() -> None:
    stage = AscensionStage()
    stage.start()
    assert len(CARDS) == 53
    assert set(stage.state()["board"]["center"]) <= set(CARDS)


# Choices


def test_A_Q15_targets_are_used_in_order() -> None:
    stage = on_stage(hand=["Void Initiate", "Militia"], discard="Militia")
    state = stage.moves(0, move("play Void Initiate", "hand:Militia"))
    assert state["error"] == ""
    assert "pending" not in state
    assert player(state)["hand"] == []
    assert player(state)["discard"] == state["board"]["void"] == ["Militia"]
    assert player(state)["moves"] == [{"type": "play", "card_name": "Void Initiate", "turn": 0}]


def test_A_Q15_without_a_zone_the_discard_pile_comes_first() -> None:
    stage = on_stage(hand=["Void Initiate", "Militia"], discard="Militia")
    state = stage.moves(0, move("play Void Initiate", "militia"))
    assert player(state)["hand"] == ["Militia"]
    assert player(state)["discard"] == []


def test_A_Q15_null_declines() -> None:
    stage = on_stage(hand=["Void Initiate", "Militia"])
    state = stage.moves(0, move("play Void Initiate", None))
    assert (state["error"], state["board"]["void"]) == ("", [])
    assert "pending" not in state


def test_A_Q15_targets_of_a_copied_hero_follow() -> None:
    stage = on_stage(hand=["Void Initiate", "Twofold Askara", "Militia"])
    state = stage.moves(
        0,
        move("play Void Initiate", None),
        move("play Twofold Askara", "Void Initiate", "hand:Militia"),
    )
    assert state["error"] == ""
    assert state["board"]["void"] == ["Militia"]
    assert player(state)["runes_remaining"] == 2


def test_A_Q15_a_wrong_target_is_refused_before_anything_happens() -> None:
    stage = on_stage(hand=["Void Initiate", "Militia"])
    before = stage.position
    for targets in (["Mystic"], ["hand:Apprentice"], ["power"], ["hand:Militia", "Militia"]):
        state = stage.moves(0, move("play Void Initiate", *targets))
        assert state["error"].startswith("move 0: ")
        assert stage.position is before
    assert "neither a card" in stage.moves(0, move("play Void Initiate", "Nobody"))["error"]
    assert player(stage.state())["moves"] == []


def test_A_Q15_after_new_cards_were_shown_the_choice_stays_pending() -> None:
    stage = on_stage(hand="Arbiter of the Precipice", deck=["Apprentice", "Militia"])
    state = stage.moves(0, move("play Arbiter of the Precipice", "Mystic"))
    assert state["error"] == ""
    assert state["pending"] == {
        "player_index": 0,
        "card_name": "Arbiter of the Precipice",
        "slot": 0,
        "kind": "banish",
        "options": ["Apprentice", "Militia"],
        "optional": False,
    }
    assert stage.state()["pending"] == state["pending"], "everybody sees it"


def test_A_Q15_a_pending_choice_is_answered_by_choose() -> None:
    stage = on_stage(hand="Arbiter of the Precipice", deck=["Apprentice", "Militia"])
    stage.moves(0, "play Arbiter of the Precipice")
    refused = stage.moves(0, "choose Mystic")
    assert refused["error"].startswith("move 0: Mystic cannot be chosen")
    assert "pending" in refused
    assert "cannot be chosen" in stage.moves(0, {"type": "choose", "card_name": ""})["error"]
    assert "turn" in stage.moves(1, "choose Militia")["error"]
    state = stage.moves(0, "choose militia", "play Apprentice")
    assert state["error"] == ""
    assert "pending" not in state
    assert state["board"]["void"] == ["Militia"]
    assert player(state)["moves"][1] == {"type": "choose", "card_name": "Militia", "turn": 0}


@pytest.mark.parametrize("answer", [{"card_name": ""}, {"card_name": None}, {}])
def test_A_Q15_an_empty_name_declines(answer: dict[str, Any]) -> None:
    stage = on_stage(power=3, row="Mephit")
    assert stage.moves(0, "defeat Mephit")["pending"]["optional"] is True
    state = stage.moves(0, {"type": "choose", **answer})
    assert (state["error"], state["board"]["void"]) == ("", ["Mephit"])
    assert "pending" not in state


def test_A_Q15_to_choose_when_nothing_is_asked_is_an_error() -> None:
    stage = AscensionStage()
    stage.start()
    assert stage.moves(0, "choose rune")["error"] == "move 0: there is nothing to choose now"


def test_A_Q15_a_client_that_knows_of_no_choices_gets_the_default() -> None:
    stage = on_stage(hand=["Arbiter of the Precipice"], deck=["Militia", "Mystic"], row="Mephit")
    assert "pending" in stage.moves(0, "play Arbiter of the Precipice")
    state = stage.moves(0, "play Mystic")
    assert state["error"] == ""
    assert state["board"]["void"] == ["Militia"], "the cheapest goes"
    assert [noted["type"] for noted in player(state)["moves"]] == ["play", "play"]


def test_A_Q15_what_may_be_declined_is_declined_by_default() -> None:
    stage = on_stage(power=4, row="Mistake of Creation", discard="Apprentice")
    assert stage.moves(0, "defeat Mistake of Creation")["pending"]["slot"] == 0
    state = stage.moves(0, "end_turn")
    assert (state["error"], state["board"]["void"]) == ("", ["Mistake of Creation"])


def test_A_Q15_the_default_stands_even_if_the_move_is_refused() -> None:
    stage = on_stage(hand=["Mechana Initiate"])
    stage.moves(0, "play Mechana Initiate")
    state = stage.moves(0, "acquire Mystic")
    assert state["error"] == "move 0: Mystic costs 2 runes more than you have"
    assert player(state)["runes_remaining"] == 1
    assert "pending" not in state


def test_A_Q15_a_courier_puts_into_play_by_default_and_asks_otherwise() -> None:
    for word, in_play in (("play", 2), (None, 1)):
        stage = on_stage(constructs="Rocket Courier X-99", row="Burrower Mark II", runes=3)
        state = stage.moves(0, move("acquire Burrower Mark II", word))
        assert len(player(state)["constructs"]) == in_play
    stage = on_stage(constructs="Rocket Courier X-99", row="Burrower Mark II", runes=3)
    assert stage.moves(0, "acquire Burrower Mark II")["pending"]["options"] == ["play"]
    assert len(player(stage.moves(0, "end_turn"))["constructs"]) == 2


def test_A_Q15_the_two_abilities_of_the_staff() -> None:
    stage = on_stage(constructs="Yggdrasil Staff", runes=8)
    state = stage.moves(0, move("activate Yggdrasil Staff", "honor"))
    assert (player(state)["honor"], player(state)["runes_remaining"]) == (3, 4)
    state = stage.moves(0, "activate Yggdrasil Staff")
    assert player(state)["power_remaining"] == 1
    assert stage.moves(0, "activate Yggdrasil Staff")["error"]
    both = on_stage(constructs="Yggdrasil Staff", runes=8)
    state = both.moves(0, "activate Yggdrasil Staff", "activate Yggdrasil Staff")
    assert (player(state)["power_remaining"], player(state)["honor"]) == (1, 3)


def test_A_Q15_random_choices_differ_and_are_legal() -> None:
    seen = set()
    stage = on_stage({"choices": "random"}, hand=["Mechana Initiate"] * 40)
    runes = power = 0
    for _ in range(40):
        state = stage.moves(0, "play Mechana Initiate")
        assert state["error"] == ""
        now = (player(state)["runes_remaining"], player(state)["power_remaining"])
        seen.add((now[0] - runes, now[1] - power))
        runes, power = now
    assert seen == {(0, 0), (1, 0), (0, 1)}, "nothing yet for the first, then one or the other"


def test_A_Q15_random_choices_may_decline() -> None:
    banished = set()
    stage = on_stage(
        {"choices": "random"}, power=100, row=["Mephit"] * 6, center_deck=["Mephit"] * 90
    )
    for _ in range(20):
        before = len(stage.position.board.void)
        assert stage.moves(0, "defeat Mephit")["error"] == ""
        assert stage.moves(0, "defeat Cultist")["error"] == ""
        banished.add(len(stage.position.board.void) - before)
    assert banished == {1, 2}


OTHERS: dict[str, Any] = {"other_constructs": ["Muramasa", "Shadow Star", "Snapdragon"], "power": 9}


def test_A_Q15_the_opponent_chooses_at_the_start_of_the_next_turn() -> None:
    stage = on_stage(row="Corrosive Widow", **OTHERS)
    state = stage.moves(0, "defeat Corrosive Widow")
    assert "pending" not in state, "nobody waits for the other"
    assert len(player(state, 1)["constructs"]) == 3
    state = stage.moves(0, "end_turn")
    assert state["pending"] == {
        "player_index": 1,
        "card_name": "Corrosive Widow",
        "slot": 0,
        "kind": "destroy_construct",
        "options": ["Muramasa", "Shadow Star", "Snapdragon"],
        "optional": False,
    }
    assert "turn" in stage.moves(0, "choose Muramasa")["error"]
    state = stage.moves(1, "choose Muramasa")
    assert player(state, 1)["constructs"] == ["Shadow Star", "Snapdragon"]
    assert player(state, 1)["discard"] == ["Muramasa"]
    assert player(state, 1)["moves"] == [{"type": "choose", "card_name": "Muramasa", "turn": 1}]


def test_A_Q15_the_opponent_keeps_one_construct_of_many() -> None:
    stage = on_stage(row="Sea Tyrant", **OTHERS)
    state = stage.moves(0, "defeat Sea Tyrant", "end_turn")
    assert state["pending"]["kind"] == "keep_construct"
    state = stage.moves(1, "choose Snapdragon")
    assert player(state, 1)["constructs"] == ["Snapdragon"]


@pytest.mark.parametrize(
    ("monster", "left"),
    [("Corrosive Widow", ["Muramasa", "Snapdragon"]), ("Sea Tyrant", ["Muramasa"])],
)
def test_A_Q15_an_opponent_that_does_not_choose_loses_the_cheapest(
    monster: str, left: list[str]
) -> None:
    stage = on_stage(row=monster, other_hand="Apprentice", **OTHERS)
    stage.moves(0, f"defeat {monster}", "end_turn")
    state = stage.moves(1, "play Apprentice")
    assert state["error"] == ""
    assert player(state, 1)["constructs"] == left


# What is shown


def test_A_Q16_played_cards_are_not_shown() -> None:
    stage = on_stage(hand=["Apprentice", "Muramasa"])
    state = stage.moves(0, "play Apprentice", "play Muramasa")
    shown = player(state)
    assert (shown["hand"], shown["discard"], shown["constructs"]) == ([], [], ["Muramasa"])
    assert "played" not in shown


def test_A_Q16_played_cards_may_be_shown() -> None:
    stage = on_stage({"show-played": "true"}, hand=["Apprentice", "Militia"])
    state = stage.moves(0, "play Militia", "play Apprentice")
    assert player(state)["played"] == ["Militia", "Apprentice"]
    assert player(state, 1)["played"] == []
    assert player(stage.moves(0, "end_turn"))["played"] == []


def test_A_Q17_each_copy_can_be_activated_once_a_turn() -> None:
    stage = on_stage(hand="Muramasa", constructs="Muramasa", deck=["Apprentice"] * 9)
    state = stage.moves(0, "play Muramasa", "activate Muramasa", "activate Muramasa")
    assert player(state)["power_remaining"] == 6
    assert "used this turn" in stage.moves(0, "activate Muramasa")["error"]
    stage.moves(0, "end_turn")
    stage.moves(1, "end_turn")
    assert stage.moves(0, "activate Muramasa")["error"] == ""


ACTING_BY_THEMSELVES = ["Burrower Mark II", "Hedron Link Device", "Rocket Courier X-99"]


def test_A_Q17_these_constructs_have_nothing_to_activate() -> None:
    assert sorted(ACTING_BY_THEMSELVES) == sorted(
        name
        for name, card in CARDS.items()
        if card.is_construct and not card.effects and not card.exchange
    )


@pytest.mark.parametrize("settings", [{}, {"atomic": "true"}, {"long-poll": "20"}])
@pytest.mark.parametrize("name", ACTING_BY_THEMSELVES)
def test_A_Q17_to_activate_what_acts_by_itself_changes_nothing(
    name: str, settings: dict[str, str]
) -> None:
    stage = on_stage(settings, constructs=[name, "Shadow Star"], hand="Apprentice")
    before = stage.position
    tag = stage.ask("GET", "/state").headers.get("etag")
    state = stage.moves(0, f"activate {name}", f"activate {name}")
    assert state["error"] == ""
    assert stage.position is before
    assert stage.ask("GET", "/state").headers.get("etag") != tag or not tag
    # The rest of the batch counts, whatever comes before it.
    state = stage.moves(0, f"activate {name}", "activate Shadow Star", "play Apprentice")
    assert (state["error"], player(state)["power_remaining"]) == ("", 1)
    assert player(state)["runes_remaining"] == 1
    # It is listed like any move that was not refused.
    types = [(noted["type"], noted["card_name"]) for noted in player(state)["moves"]]
    passive = ("activate", name)
    assert types == [passive] * 3 + [("activate", "Shadow Star"), ("play", "Apprentice")]
    assert stage.state() == state
    referee = stage.match.referee
    assert referee is not None
    assert len(referee.moves) == 2, "it is no move of the game"
    lines = [line.content for line in stage.take_log()]
    assert [line["without_effect"] for line in lines if "without_effect" in line] == [
        f"activate {name}"
    ] * 3


def test_A_Q17_a_client_that_activates_all_it_has_can_play_on() -> None:
    constructs = [*ACTING_BY_THEMSELVES, "Muramasa", "Snapdragon"]
    stage = on_stage(constructs=constructs, hand="Apprentice")
    state = stage.moves(0, *(f"activate {name}" for name in constructs), "end_turn")
    assert (state["error"], state["board"]["current_turn"]) == ("", 1)


def test_A_Q17_only_in_play_and_in_turn_and_once_if_it_gives_something() -> None:
    stage = on_stage(
        constructs="Snapdragon",
        hand="Burrower Mark II",
        discard="Hedron Link Device",
        other_constructs="Rocket Courier X-99",
    )
    for name in ACTING_BY_THEMSELVES:
        assert "not among your constructs" in stage.moves(0, f"activate {name}")["error"]
    assert "turn" in stage.moves(1, "activate Rocket Courier X-99")["error"]
    stage.moves(0, "activate Snapdragon")
    assert "used this turn" in stage.moves(0, "activate Snapdragon")["error"], "not only by itself"
    assert stage.moves(0, "play Burrower Mark II", "activate Burrower Mark II")["error"] == ""


def test_A_Q17_A_Q15_a_pending_choice_is_decided_before_it() -> None:
    stage = on_stage(constructs="Burrower Mark II", hand="Mechana Initiate")
    assert "pending" in stage.moves(0, "play Mechana Initiate")
    state = stage.moves(0, "activate Burrower Mark II")
    assert (state["error"], player(state)["runes_remaining"]) == ("", 1)
    assert "pending" not in state


def test_A_Q18_both_hands_are_shown_and_no_deck() -> None:
    stage = on_stage(hand="Militia", deck="Muramasa", other_hand="Mystic", other_deck="Snapdragon")
    for query in ("", "?player_index=0", "?player_index=1"):
        state = stage.state(query)
        assert [player(state, index)["hand"] for index in (0, 1)] == [["Militia"], ["Mystic"]]
        assert "Muramasa" not in str(state)
        assert "Snapdragon" not in str(state)


def test_A_Q18_hands_may_be_hidden() -> None:
    stage = on_stage({"hide-hands": "true"}, hand=["Militia", "Apprentice"], other_hand="Mystic")
    hands = {
        query: [player(stage.state(query), index)["hand"] for index in (0, 1)]
        for query in ("", "?player_index=0", "?player_index=1", "?player_index=x")
    }
    assert hands == {
        "": [["?", "?"], ["?"]],
        "?player_index=0": [["Militia", "Apprentice"], ["?"]],
        "?player_index=1": [["?", "?"], ["Mystic"]],
        "?player_index=x": [["?", "?"], ["?"]],
    }
    state = stage.moves(0, "play Militia")
    assert [player(state, index)["hand"] for index in (0, 1)] == [["Apprentice"], ["?"]]
    state = stage.moves(1, "play Mystic")
    assert state["error"]
    assert [player(state, index)["hand"] for index in (0, 1)] == [["?"], ["Mystic"]]
    state = stage.submit(9, []).state
    assert [player(state, index)["hand"] for index in (0, 1)] == [["?"], ["?"]]


def test_A_Q18_a_choice_among_hidden_cards_is_hidden_too() -> None:
    stage = on_stage({"hide-hands": "true"}, hand="Arbiter of the Precipice", deck=["Militia"] * 2)
    stage.moves(0, "play Arbiter of the Precipice")
    assert stage.state("?player_index=0")["pending"]["options"] == ["Militia"]
    assert stage.state("?player_index=1")["pending"]["options"] == []
    assert stage.state()["pending"]["options"] == []


def test_A_Q18_TM_11_with_tokens_only_the_owner_sees_a_hand() -> None:
    stage = AscensionStage({"hide-hands": "true", "tokens": "true"})
    tokens = [stage.join()["token"], stage.join()["token"]]
    seen = []
    for token in (*tokens, "x", ""):
        state = stage.state(f"?player_index=0&token={token}")
        seen.append("?" not in player(state)["hand"])
        assert "?" in player(state, 1)["hand"]
    assert seen == [True, False, False, False]
    state = stage.submit(0, [], token="x").state
    assert player(state)["hand"] == ["?"] * 5
    assert "?" not in player(stage.submit(0, [], token=tokens[0]).state)["hand"]


def test_A_Q19_the_numbers_at_the_start() -> None:
    stage = AscensionStage()
    stage.start()
    board = stage.state()["board"]
    assert [board["honor_remaining"], board["mystics"], board["heavy"]] == [60, 30, 29]
    assert [len(board["center"]), len(board["players"][0]["hand"])] == [6, 5]
    assert len(board["players"][1]["hand"]) == 5


def test_A_Q19_there_may_be_another_amount_of_honor() -> None:
    stage = AscensionStage({"honor": "100"})
    stage.start()
    assert stage.state()["board"]["honor_remaining"] == 100


def test_A_30_A_Q19_the_piles_are_counted() -> None:
    stage = on_stage(runes=99, heavies=1, mystics=2)
    state = stage.moves(0, "acquire Heavy Infantry", "acquire Mystic", "acquire Heavy Infantry")
    assert state["error"] == "move 2: the pile of Heavy Infantry is empty"
    assert (state["board"]["heavy"], state["board"]["mystics"]) == (0, 1)


def test_A_30_an_endless_supply_never_runs_out() -> None:
    stage = AscensionStage({"supply": "endless"})
    stage.start()
    assert stage.position.board.supply is Supply.ENDLESS
    stage.arrange(table(runes=200, supply=Supply.ENDLESS))
    state = stage.moves(0, *["acquire Heavy Infantry", "acquire Mystic"] * 35)
    assert state["error"] == ""
    # Clients look whether there are any left: so the numbers stay what they were.
    assert (state["board"]["heavy"], state["board"]["mystics"]) == (29, 30)
    assert player(state)["discard"] == ["Heavy Infantry", "Mystic"] * 35
    assert stage.take_log()[0].content["terms"] == {
        "honor": 60,
        "ties": False,
        "turns": 1000,
        "supply": "endless",
    }


# The end


def test_A_Q20_the_round_is_finished() -> None:
    stage = on_stage(power=2, honor_pool=1)
    state = stage.moves(0, "defeat Cultist", "end_turn")
    assert (state["status"], state["board"]["honor_remaining"]) == ("playing", 0)
    assert stage.moves(1, "end_turn")["status"] == "ended"
    second = on_stage(power=2, honor_pool=1, turn_owner=Seat.SECOND)
    assert second.moves(1, "defeat Cultist")["status"] == "playing"
    assert second.moves(1, "end_turn")["status"] == "ended"


def test_A_Q20_A_Q24_extra_turns_come_before_the_end() -> None:
    stage = on_stage(constructs="Tablet of Time's Dawn", **LAST_TURN)
    state = stage.moves(1, "activate Tablet of Time's Dawn", "end_turn")
    assert (state["status"], state["board"]["current_player_index"]) == ("playing", 1)
    assert stage.moves(1, "end_turn")["status"] == "ended"


ENDED_JUST_NOW = "the game has ended; the next one can be joined in {} s"


def test_A_Q21_after_the_end_the_state_stays() -> None:
    stage = on_stage(runes=3, **LAST_TURN)
    ended = stage.moves(1, "end_turn", "end_turn")
    assert ended["error"] == "move 1: the game has ended"
    state = stage.state()
    assert state == ended | {"error": ""}
    assert stage.moves(0, "end_turn") == state | {"error": "move 0: the game has ended"}
    assert stage.join() == {"error": ENDED_JUST_NOW.format(10)}
    stage.wait(1e6)
    assert stage.state() == state, "until somebody joins"


def test_A_Q21_a_join_begins_the_next_game_ten_seconds_after_the_end() -> None:
    stage = on_stage(**LAST_TURN)
    ended = stage.moves(1, "end_turn")
    stage.wait(9.5)
    refused = stage.ask("POST", "/join")
    assert refused.state == {"error": ENDED_JUST_NOW.format(1)}
    assert refused.headers["retry-after"] == "1"
    assert stage.state() == ended, "a refused join changes nothing"
    stage.wait(0.5)
    assert stage.state() == ended
    assert stage.join() == {"player_index": 0}
    assert stage.state() == {"player_count": 1, "status": "not ready", "error": ""}
    assert stage.join() == {"player_index": 1}
    state = stage.state()
    assert (state["status"], state["board"]["current_turn"]) == ("playing", 0)
    assert player(state)["moves"] == []
    refused = stage.ask("POST", "/join")
    assert refused.state == {"error": "two players have already joined"}
    assert "retry-after" not in refused.headers
    assert stage.finished == 1


def test_A_Q21_game_follows_game() -> None:
    stage = AscensionStage({"next-game": "1"})
    boards = []
    for number in range(5):
        stage.start()
        boards.append(stage.state()["board"]["center"])
        stage.arrange(table(**LAST_TURN))
        assert stage.moves(1, "end_turn")["status"] == "ended"
        assert stage.finished == number + 1
        stage.wait(1)
    assert len({tuple(board) for board in boards}) == 5
    matches = [record.match for record in stage.records]
    assert len(set(matches)) == 5, "each has its own record"


def test_A_Q21_A_Q09_TM_07_tokens_are_of_one_game() -> None:
    stage = on_stage({"next-game": "60", "tokens": "true"}, **LAST_TURN)
    secret = stage.match.places[1].secret
    stage.submit(1, [{"type": "end_turn"}], token=secret)
    stage.wait(60)
    assert [stage.join()["player_index"] for _ in range(2)] == [0, 1]
    for seat in (0, 1):
        answer = stage.submit(seat, [{"type": "end_turn"}], token=secret)
        assert answer.state["error"] == "the token is not that of this player"


def test_A_Q21_A_Q34_a_key_is_remembered_for_one_game() -> None:
    stage = AscensionStage({"tokens": "true"})
    key = b'{"key": "ann"}'
    first = stage.join(key)
    stage.join()
    stage.arrange(table(**LAST_TURN))
    stage.submit(1, [{"type": "end_turn"}], token=stage.match.places[1].secret)
    assert stage.join(key) == first, "its answer was lost"
    stage.wait(10)
    again = stage.join(key)
    assert again["player_index"] == 0
    assert again["token"] != first["token"]
    assert stage.join(key) == again


@pytest.mark.parametrize("settings", [{"next-game": "0"}, {"strict": "true"}])
def test_A_Q21_there_may_be_only_one_game(settings: dict[str, str]) -> None:
    stage = on_stage(settings, **LAST_TURN)
    ended = stage.moves(1, "end_turn")
    stage.wait(1e6)
    assert stage.join() == {"error": "two players have already joined"}
    assert stage.state() == ended
    going_on = on_stage(settings)
    going_on.wait(1e6)
    assert "error" in going_on.join(), "nor does it give way when it is abandoned"


def test_A_Q21_each_game_has_a_log_of_its_own() -> None:
    stage = on_stage({"next-game": "60"}, **LAST_TURN)
    stage.moves(1, "end_turn")
    stage.wait(60)
    stage.start()
    lines = stage.take_log()
    assert len({line.match for line in lines}) == 2
    assert stage.take_log() == []


def test_A_Q21_a_join_begins_another_game_if_no_move_was_made_for_ten_minutes() -> None:
    stage = on_stage(hand="Apprentice")
    stage.wait(599)
    assert "error" in stage.join()
    assert stage.moves(0, "play Apprentice")["error"] == ""
    stage.wait(599)
    assert stage.moves(0, "play Mystic")["error"], "what is refused is no move"
    assert "error" in stage.join()
    for _ in range(4):
        stage.wait(0.25)
        stage.state()
    assert stage.join() == {"player_index": 0}, "those who only look do not keep it"
    assert stage.state()["status"] == "not ready"
    assert stage.join() == {"player_index": 1}
    assert stage.finished == 0, "a hall that is open for one game goes on"
    [record] = stage.records
    assert record.result.ending is Ending.CANCELLED
    assert "no move was made for too long" in record.result.detail
    assert len(record.moves) == 1
    assert len({line.match for line in stage.take_log()}) == 2


def test_A_Q21_what_is_granted_without_effect_keeps_a_game_too() -> None:
    stage = on_stage(constructs="Burrower Mark II")
    stage.wait(500)
    stage.moves(0, "activate Burrower Mark II")
    stage.wait(500)
    assert "error" in stage.join()


def test_A_Q21_who_waits_for_an_opponent_is_not_sent_away() -> None:
    stage = AscensionStage()
    assert stage.join() == {"player_index": 0}
    stage.wait(1e6)
    assert stage.join() == {"player_index": 1}
    assert stage.state()["status"] == "playing"
    stage.wait(599)
    assert "error" in stage.join(), "the time counts from the beginning"


def test_A_Q21_games_need_not_be_given_up() -> None:
    stage = AscensionStage({"abandon-after": "0"})
    stage.start()
    stage.wait(1e6)
    assert "error" in stage.join()
    other = AscensionStage({"abandon-after": "5"})
    other.start()
    other.wait(5)
    assert other.join() == {"player_index": 0}


def test_A_Q21_A_Q34_a_player_comes_back_to_a_game_that_was_given_up() -> None:
    stage = AscensionStage({"tokens": "true"})
    first = stage.join(b'{"key": "ann"}')
    stage.join(b'{"key": "bob"}')
    stage.wait(1e6)
    assert stage.join(b'{"key": "ann"}') == first
    assert stage.join(b'{"key": "cat"}')["player_index"] == 0


def test_A_Q21_A_Q30_who_waits_for_a_turn_hears_that_the_game_was_given_up() -> None:
    stage = AscensionStage({"long-poll": "3600"})
    stage.start()
    stage.request("GET", "/state?after=0", who="bob")
    stage.wait(600)
    assert stage.unread() == {}
    assert stage.join() == {"player_index": 0}
    state = stage.answer("bob").state
    assert (state["status"], "another game has begun" in state["error"]) == ("ended", True)
    assert stage.unread() == {}
    assert stage.room.deadline is None


def test_A_Q22_the_board_says_who_has_won() -> None:
    stage = on_stage(honor=1, hand="Mystic", other_honor=7, other_discard="Muramasa", **LAST_TURN)
    assert "victor" not in stage.state()["board"]
    board = stage.moves(1, "end_turn")["board"]
    assert (board["victor"], board["final_honor"]) == (0, [11, 2])
    assert type(board["victor"]) is int


def test_A_Q22_the_board_need_not_say_so() -> None:
    stage = on_stage({"extras": "false"}, **LAST_TURN)
    state = stage.moves(1, "end_turn")
    assert state["status"] == "ended"
    assert not {"victor", "final_honor"} & set(state["board"])


def test_A_Q23_the_second_player_wins_a_tie() -> None:
    board = on_stage(**LAST_TURN).moves(1, "end_turn")["board"]
    assert (board["victor"], board["final_honor"]) == (1, [0, 0])


def test_A_Q23_a_tie_may_be_one() -> None:
    stage = AscensionStage({"ties": "true"})
    stage.start()
    assert stage.position.ties
    stage.arrange(table(ties=True, **LAST_TURN))
    board = stage.moves(1, "end_turn")["board"]
    assert (board["victor"], board["final_honor"]) == ("tie", [0, 0])


# Around the game


def test_A_Q25_what_is_worth_noting() -> None:
    stage = AscensionStage()
    stage.start()
    stage.moves(0, "end_turn", "end_turn")
    lines = stage.take_log()
    assert len({line.match for line in lines}) == 1
    contents = [line.content for line in lines]
    assert contents[0]["game"] == "ascension"
    terms = contents[0]["terms"]
    assert isinstance(terms, dict)
    assert (terms["honor"], terms["ties"]) == (60, False)
    assert contents[1:3] == [{"joined": 0}, {"joined": 1}]
    assert contents[3] == {"player_index": 0, "move": "end turn"}
    assert contents[4]["refused"] == 1
    assert len(contents) == 5


def test_A_Q25_the_seed_is_noted_at_the_end_and_not_before() -> None:
    """Whoever can read the log would otherwise know every card that is to come."""
    stage = AscensionStage()
    stage.start()
    stage.arrange(table(**LAST_TURN))
    assert not any("seed" in line.content for line in stage.take_log())
    stage.moves(1, "end_turn")
    [record] = stage.records
    [ended] = [line.content for line in stage.take_log() if "ended" in line.content]
    assert ended["seed"] == record.seed


def test_A_Q26_the_port() -> None:
    assert PROTOCOL.port == 7004


def test_A_Q27_nothing_happens_when_a_client_vanishes() -> None:
    stage = AscensionStage()
    stage.ask("POST", "/join", who="ann")
    stage.ask("POST", "/join", who="bob")
    stage.vanish("ann")
    stage.vanish("bob")
    stage.wait(1e6)
    assert stage.state()["status"] == "playing"
    assert stage.moves(0, "end_turn")["error"] == ""


def test_A_Q27_who_makes_no_move_for_too_long_loses() -> None:
    stage = AscensionStage({"turn-timeout": "30"})
    stage.ask("POST", "/join")
    stage.wait(1000)
    stage.ask("POST", "/join")
    stage.wait(30.2)
    assert stage.moves(0, "end_turn")["error"] == ""
    stage.wait(30)
    assert stage.moves(1, "play Apprentice")["error"] == "", "a limit is for each move"
    stage.wait(30)
    assert stage.state()["status"] == "playing"
    stage.wait(0.3)
    state = stage.state()
    assert (state["status"], state["error"]) == ("ended", "a player took too long")
    assert state["board"]["victor"] == 0
    assert "took too long" in stage.moves(1, "end_turn")["error"]
    assert stage.state() == state


def test_A_Q27_a_move_after_the_deadline_is_too_late() -> None:
    """Even if nobody has looked at the clock before it came."""
    stage = AscensionStage({"turn-timeout": "30"})
    stage.start()
    stage.now += 31
    state = stage.moves(0, "end_turn")
    assert (state["status"], state["board"]["current_turn"]) == ("ended", 0)
    assert "took too long" in state["error"]


def test_A_Q28_entries_always_have_the_same_keys() -> None:
    stage = on_stage(hand=["Mechana Initiate", "Apprentice"], constructs="Muramasa", runes=5)
    state = stage.moves(
        0,
        "activate Muramasa",
        move("play Mechana Initiate", "rune"),
        "defeat Mephit",
        "acquire Mystic",
    )
    assert "move 2" in state["error"]
    stage.moves(0, "defeat Cultist", "end_turn")
    assert player(stage.state())["moves"] == [
        {"type": "activate", "card_name": "Muramasa", "turn": 0},
        {"type": "play", "card_name": "Mechana Initiate", "turn": 0},
        {"type": "defeat", "card_name": "Cultist", "turn": 0},
        {"type": "end_turn", "card_name": "", "turn": 0},
    ]
    assert player(stage.state(), 1)["moves"] == []


def test_A_Q29_the_other_player_has_neither_runes_nor_power() -> None:
    stage = on_stage(runes=5, power=4)
    shown = [
        (one["runes_remaining"], one["power_remaining"])
        for one in stage.state()["board"]["players"]
    ]
    assert shown == [(5, 4), (0, 0)]
    state = stage.moves(0, "end_turn")
    assert player(state)["runes_remaining"] == player(state)["power_remaining"] == 0


def test_A_Q30_looking_is_free_and_tells_nothing_new() -> None:
    stage = AscensionStage()
    stage.start()
    bodies = {stage.ask("GET", "/state").body for _ in range(500)}
    assert len(bodies) == 1


def test_A_Q30_a_question_about_a_turn_is_answered_at_once() -> None:
    stage = AscensionStage()
    stage.start()
    assert stage.state("?after=0")["board"]["current_turn"] == 0


def test_A_Q30_a_client_may_wait_for_a_later_turn() -> None:
    stage = AscensionStage({"long-poll": "20"})
    stage.start()
    stage.request("GET", "/state?after=0", who="bob")
    assert stage.unread() == {}
    stage.moves(0, "play Apprentice")
    assert stage.unread() == {}
    stage.moves(0, "end_turn")
    assert stage.answer("bob").state["board"]["current_turn"] == 1
    assert stage.ask("GET", "/state?after=0", who="bob").state["board"]["current_turn"] == 1


def test_A_Q30_a_client_waits_only_so_long() -> None:
    stage = AscensionStage({"long-poll": "20"})
    stage.start()
    stage.request("GET", "/state?after=5", who="bob")
    stage.wait(19.9)
    assert stage.unread() == {}
    stage.wait(0.1)
    assert stage.answer("bob").state["board"]["current_turn"] == 0
    assert stage.room.deadline is None


def test_A_Q30_a_client_that_waits_hears_of_the_end() -> None:
    stage = on_stage({"long-poll": "20"}, **LAST_TURN)
    stage.request("GET", "/state?after=7", who="bob")
    stage.moves(1, "end_turn")
    assert stage.answer("bob").state["status"] == "ended"
    broken = AscensionStage({"long-poll": "20", "turn-timeout": "5"})
    broken.start()
    broken.request("GET", "/state?after=0", who="bob")
    broken.wait(6)
    assert broken.answer("bob").state["error"] == "a player took too long"


def test_A_Q30_a_client_may_wait_for_the_game_to_begin() -> None:
    stage = AscensionStage({"long-poll": "20"})
    stage.join()
    stage.request("GET", "/state?after=0", who="bob")
    stage.wait(20)
    assert stage.answer("bob").state["status"] == "not ready"


@pytest.mark.parametrize("after", ["", "x", "-1", "1.5", "1" * 20, "%C2%B2", "%D9%A1"])
def test_A_Q30_what_is_no_turn_is_not_waited_for(after: str) -> None:
    stage = AscensionStage({"long-poll": "20"})
    stage.start()
    assert stage.state(f"?after={after}")["status"] == "playing"


def test_A_Q30_requests_behind_one_that_waits_are_answered_in_their_order() -> None:
    stage = AscensionStage({"long-poll": "20"}, chunk=4096)
    stage.start()
    look = b"GET /state%b HTTP/1.1\r\n\r\n"
    stage.send("bob", look % b"?after=0" + look % b"" + b"GET /nowhere HTTP/1.1\r\n\r\n")
    stage.hang_up("bob")
    assert stage.unread() == {}
    stage.moves(0, "end_turn")
    heard = stage.read("bob", 1 << 20)
    assert heard.count(b'"current_turn":1') == 2
    assert heard.count(b"HTTP/1.1 404") == 1
    assert stage.is_closed("bob"), "it has hung up, and has heard everything"


def test_A_Q30_over_sockets_time_passes_as_it_is_told() -> None:
    stage = SocketStage(PROTOCOL, {"long-poll": "20"})
    joined = b'{"player_index":%d}'
    for index in range(2):
        stage.send("ann", b"POST /join HTTP/1.1\r\n\r\n")
        assert next_body(stage, "ann") == joined % index
    look = b"GET /state%b HTTP/1.1\r\n\r\n"
    stage.send("bob", look % b"?after=0" + look % b"?after=1" + look % b"")
    stage.wait(19)
    assert stage.unread() == {}
    body = b'{"player_index":0,"moves":{"type":"end_turn"}}'
    stage.send("ann", b"POST /moves HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    turned = next_body(stage, "ann")
    assert b'"current_turn":1' in turned
    assert next_body(stage, "bob") == turned
    stage.wait(19)
    assert stage.unread() == {}
    stage.wait(2)
    assert [next_body(stage, "bob") for _ in range(2)] == [turned] * 2
    assert stage.unread() == {}
    stage.close()


def next_body(stage: SocketStage, who: str) -> bytes:
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        more = stage.read(who, 1)
        assert more, head
        head += more
    return stage.read(who, int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))


def test_A_Q30_a_client_that_waits_may_vanish() -> None:
    stage = AscensionStage({"long-poll": "20"})
    stage.start()
    stage.request("GET", "/state?after=0", who="bob")
    stage.vanish("bob")
    assert stage.room.deadline is None
    stage.moves(0, "end_turn")


def test_A_Q30_X_08_a_client_that_waits_may_not_ask_without_end() -> None:
    stage = AscensionStage({"long-poll": "20"}, chunk=1 << 20)
    stage.start()
    stage.request("GET", "/state?after=0", who="bob")
    stage.send("bob", (b"GET /nowhere HTTP/1.1\r\nX: " + b"x" * 10_000 + b"\r\n\r\n") * 300)
    stage.moves(0, "end_turn")
    heard = stage.read("bob", 1 << 26)
    assert b"413 Request Entity Too Large" in heard
    assert stage.is_closed("bob")


def test_A_Q30_a_state_that_is_known_is_not_sent_again() -> None:
    stage = AscensionStage({"long-poll": "20"})
    tag = stage.ask("GET", "/state").headers["etag"]
    known = {"If-None-Match": tag}
    answer = stage.ask("GET", "/state", headers=known)
    assert (answer.status, answer.body, answer.headers["etag"]) == (304, b"", tag)
    stage.join()
    changed = stage.ask("GET", "/state", headers=known)
    assert (changed.status, changed.state["player_count"]) == (200, 1)
    stage.join()
    tags = {tag, changed.headers["etag"], stage.ask("GET", "/state").headers["etag"]}
    moved = stage.submit(0, [{"type": "end_turn"}])
    tags.add(moved.headers["etag"])
    assert len(tags) == 4
    assert stage.ask("GET", "/state").headers["etag"] == moved.headers["etag"]
    refused = stage.submit(0, [{"type": "end_turn"}])
    assert refused.status == 200
    assert "etag" not in refused.headers


def test_A_Q30_who_knows_the_state_still_waits_for_a_later_turn() -> None:
    stage = AscensionStage({"long-poll": "20"})
    stage.start()
    known = {"If-None-Match": stage.ask("GET", "/state").headers["etag"]}
    stage.request("GET", "/state?after=0", headers=known)
    stage.wait(20)
    assert stage.answer().status == 304


def test_A_Q30_what_is_seen_with_other_eyes_has_another_tag() -> None:
    stage = AscensionStage({"long-poll": "20", "hide-hands": "true"})
    stage.start()
    tags = {
        stage.ask("GET", f"/state{query}").headers["etag"]
        for query in ("", "?player_index=0", "?player_index=1")
    }
    assert len(tags) == 3


def test_A_Q31_index_0_begins() -> None:
    stage = AscensionStage()
    stage.start()
    board = stage.state()["board"]
    assert (board["current_turn"], board["current_player_index"]) == (0, 0)


def test_A_Q32_cards_that_were_not_played_are_discarded() -> None:
    stage = on_stage(hand=["Militia", "Apprentice"], deck=["Mystic"] * 5)
    state = stage.moves(0, "play Apprentice", "end_turn")
    assert sorted(player(state)["discard"]) == ["Apprentice", "Militia"]
    assert player(state)["hand"] == ["Mystic"] * 5


@pytest.mark.parametrize("name", ["Apprentice", "Militia", "Mystic", "Heavy Infantry"])
def test_A_Q33_what_is_not_of_the_center_stays_in_the_void(name: str) -> None:
    stage = on_stage(hand=["Void Initiate", name], runes=6, center_deck=(), row="Landtalker")
    state = stage.moves(0, move("play Void Initiate", f"hand:{name}"), "acquire Landtalker")
    assert state["error"] == ""
    assert state["board"]["void"] == [name]
    assert (state["board"]["mystics"], state["board"]["heavy"]) == (30, 29)
    assert len(state["board"]["center"]) == 5


def test_A_Q34_a_join_that_is_sent_again_is_another_join() -> None:
    stage = AscensionStage()
    joins = [stage.join(b'{"key": "mine"}') for _ in range(3)]
    assert joins[:2] == [{"player_index": 0}, {"player_index": 1}]
    assert "error" in joins[2]


def test_A_Q34_moves_that_are_sent_again_are_other_moves() -> None:
    stage = on_stage(hand=["Militia", "Militia"])
    for _ in range(2):
        state = stage.submit(0, [{"type": "play", "card_name": "Militia"}], key="same").state
    assert player(state)["power_remaining"] == 2


def test_A_Q34_with_tokens_a_join_is_known_again_by_its_key() -> None:
    stage = AscensionStage({"tokens": "true"})
    first = stage.join(b'{"key": "mine"}')
    assert stage.join(b'{"key": "mine"}') == first
    assert stage.state()["player_count"] == 1
    second = stage.join(b' {"key": "yours"}')
    assert second["player_index"] == 1
    assert stage.join(b'{"key": "mine"}') == first
    assert stage.join(b'{"key": "yours"}') == second
    for body in (b"", b"{}", b'{"key": ""}', b'{"key": 3}', b"key=mine"):
        assert "error" in stage.join(body)
    assert stage.ask("POST", "/join", b'{"key": ').status == 400


def test_A_Q34_with_tokens_moves_are_known_again_by_their_key() -> None:
    stage = AscensionStage({"tokens": "true", "http-errors": "true"})
    token = stage.join()["token"]
    stage.join()
    stage.arrange(table(hand=["Militia", "Militia"]))

    def play(key: object, text: str = "Militia") -> tuple[int, str, int]:
        moves = [{"type": "play", "card_name": text}]
        answer = stage.submit(0, moves, token=token, key=key)
        state = answer.state
        return answer.status, state["error"], player(state)["power_remaining"]

    assert play("a") == (200, "", 1)
    assert play("a") == (200, "", 1), "the same again"
    assert play("b") == (200, "", 2)
    refused = play("c")
    assert refused == (422, "move 0: Militia is not in your hand", 2)
    assert play("c") == refused
    assert play(None)[0] == 422
    assert stage.submit(0, [], token="x", key="c").state["error"].startswith("the token")
    refusals = [line for line in stage.take_log() if "refused" in line.content]
    assert len(refusals) == 2, "what is known again is not tried again"


def test_a_request_that_does_not_end_in_time_is_given_up() -> None:
    stage = AscensionStage({"message-timeout": "10"})
    stage.send("ann", b"GET /state HT")
    stage.wait(10.2)
    assert not stage.is_closed("ann")
    stage.wait(0.1)
    assert stage.read("ann", 1 << 20).startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert stage.is_closed("ann")
    stage.ask("GET", "/state", who="idle")
    stage.wait(1e6)
    assert stage.ask("GET", "/state", who="idle").status == 200
