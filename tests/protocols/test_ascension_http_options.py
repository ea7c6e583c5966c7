"""Answers to the questions of PROTOCOL.md that a transcript cannot express.

They involve chance, secrets, tags, logs or records. The others are in transcripts/ascension_http_*.
"""

from typing import Any

import pytest

from gamehall.core import Seat
from gamehall.games.ascension import CARDS, Supply
from gamehall.match import Ending
from gamehall.protocols.ascension_http import PROTOCOL
from tests.games.ascension_tables import table
from tests.support.ascension_stage import AscensionStage

LAST_TURN: dict[str, Any] = {"turn_owner": Seat.SECOND, "honor_pool": 0}


def on_stage(settings: dict[str, str] | None = None, **arranged: Any) -> AscensionStage:
    """Start a game and replace its position."""
    stage = AscensionStage(settings)
    stage.start(table(**arranged))
    return stage


def player(state: dict[str, Any], index: int = 0) -> dict[str, Any]:
    found = state["board"]["players"][index]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"player_index=0", 400),
        (b"[" * 60_000, 400),
        (b'{"player_index": 0, "moves": ["\xff"]}', 400),
        (b" " * 65_537, 413),
    ],
)
def test_A_Q02_moves_that_are_not_JSON_or_too_long_have_an_error_status(
    body: bytes, status: int
) -> None:
    stage = AscensionStage()
    stage.start()
    answer = stage.ask("POST", "/moves", body)
    assert answer.status == status
    assert answer.state["error"]


def test_A_Q03_moves_with_an_empty_content_type_are_read() -> None:
    stage = AscensionStage()
    stage.start()
    body = b' {"player_index": 0, "moves": [{"type": "end_turn"}]}\n'
    state = stage.ask("POST", "/moves", body, {"Content-Type": ""}).state
    assert (state["error"], state["board"]["current_turn"]) == ("", 1)


@pytest.mark.parametrize("body", [b"null", b"\xff\x00"])
def test_A_Q03_the_body_of_a_join_is_not_read(body: bytes) -> None:
    assert AscensionStage().join(body) == {"player_index": 0}


def test_A_Q04_a_sticky_error_ends_the_game_once() -> None:
    stage = AscensionStage({"sticky-errors": "true"})
    stage.start()
    stage.moves(1, "end_turn")
    state = stage.state()
    stage.moves(0, "end_turn")
    assert stage.state() == state
    assert stage.finished == 1


def test_A_Q06_a_refused_batch_leaves_the_position_and_is_logged() -> None:
    stage = on_stage({"atomic": "true"}, hand=["Apprentice"] * 3)
    before = stage.position
    state = stage.moves(0, "play Apprentice", "acquire Mystic", "end_turn")
    assert stage.position is before
    assert state == stage.state() | {"error": state["error"]}
    stage.moves(0, "end_turn", "end_turn")
    lines = [line.content for line in stage.take_log()]
    assert [line["refused"] for line in lines if "refused" in line] == [1, 1]


def test_A_Q06_a_refused_batch_does_not_use_up_chance() -> None:
    stage = on_stage(
        {"atomic": "true"}, hand="Ascetic of the Lidless Eye", discard=["Apprentice", "Militia"]
    )
    chance = stage.position.board.chance
    assert "move 1" in stage.moves(0, "play Ascetic of the Lidless Eye", "play Mystic")["error"]
    assert stage.position.board.chance == chance


def test_A_Q06_random_choices_are_made_once_for_the_check_and_the_moves() -> None:
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


@pytest.mark.parametrize("index", [2, -1, "2", "", "zero", 0.5, True, False, None, [0], {}, 1e300])
def test_A_Q08_any_other_player_index_is_an_error(index: object) -> None:
    stage = AscensionStage()
    stage.start()
    answer = stage.submit(index, [{"type": "end_turn"}])
    assert answer.status == 200
    assert answer.state == stage.state() | {"error": "player_index must be 0 or 1"}


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


@pytest.mark.parametrize("name", ["", None, "Mystic", "no card at all", 3, []])
def test_A_Q11_the_card_name_of_end_turn_is_ignored(name: object) -> None:
    for settings in ({}, {"strict": "true"}):
        stage = AscensionStage(settings)
        stage.start()
        state = stage.submit(0, [{"type": "end_turn", "card_name": name}]).state
        assert (state["error"], state["board"]["current_turn"]) == ("", 1)
        assert player(state)["moves"] == [{"type": "end_turn", "card_name": "", "turn": 0}]


def test_A_Q12_an_error_quotes_only_the_beginning_of_an_unknown_type() -> None:
    stage = AscensionStage()
    stage.start()
    error = stage.submit(0, [{"type": "fly" * 1000}, {"type": "end_turn"}]).state["error"]
    assert error.startswith("move 0: unknown move type 'flyfly")
    assert len(error) < 300
    assert stage.state()["board"]["current_turn"] == 0


def test_A_Q14_the_cards_are_those_of_the_base_set() -> None:
    stage = AscensionStage()
    stage.start()
    assert len(CARDS) == 53
    assert set(stage.state()["board"]["center"]) <= set(CARDS)


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


PASSIVE_CONSTRUCTS = ["Burrower Mark II", "Hedron Link Device", "Rocket Courier X-99"]


def test_A_Q17_three_constructs_have_nothing_to_activate() -> None:
    assert sorted(PASSIVE_CONSTRUCTS) == sorted(
        name
        for name, card in CARDS.items()
        if card.is_construct and not card.effects and not card.exchange
    )


@pytest.mark.parametrize("settings", [{}, {"atomic": "true"}, {"long-poll": "20"}])
@pytest.mark.parametrize("name", PASSIVE_CONSTRUCTS)
def test_A_Q17_activating_a_passive_construct_changes_nothing(
    name: str, settings: dict[str, str]
) -> None:
    stage = on_stage(settings, constructs=[name, "Shadow Star"], hand="Apprentice")
    before = stage.position
    tag = stage.ask("GET", "/state").headers.get("etag")
    state = stage.moves(0, f"activate {name}", f"activate {name}")
    assert state["error"] == ""
    assert stage.position is before
    assert stage.ask("GET", "/state").headers.get("etag") != tag or not tag
    # The rest of the batch counts.
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


def test_A_30_an_endless_supply_is_a_term_of_the_match() -> None:
    stage = AscensionStage({"supply": "endless"})
    stage.start()
    assert stage.position.board.supply is Supply.ENDLESS
    assert stage.take_log()[0].content["terms"] == {
        "honor": 60,
        "ties": False,
        "turns": 1000,
        "supply": "endless",
    }


def test_A_Q21_every_game_has_its_own_cards_and_record() -> None:
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
    matches = [record.match_name for record in stage.records]
    assert len(set(matches)) == 5, "each has its own record"


def test_A_Q21_A_Q09_TM_07_tokens_are_valid_for_one_game() -> None:
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
    assert stage.join(key) == first, "the answer may have been lost"
    stage.wait(10)
    again = stage.join(key)
    assert again["player_index"] == 0
    assert again["token"] != first["token"]
    assert stage.join(key) == again


def test_A_Q21_each_game_has_a_log_of_its_own() -> None:
    stage = on_stage({"next-game": "60"}, **LAST_TURN)
    stage.moves(1, "end_turn")
    stage.wait(60)
    stage.start()
    lines = stage.take_log()
    assert len({line.match for line in lines}) == 2
    assert stage.take_log() == []


def test_A_Q21_an_abandoned_game_has_a_record() -> None:
    stage = on_stage(hand="Apprentice")
    stage.moves(0, "play Apprentice")
    stage.wait(600)
    assert stage.join() == {"player_index": 0}
    assert stage.finished == 0, "an abandoned game does not count for `--matches`"
    [record] = stage.records
    assert record.result.ending is Ending.CANCELLED
    assert "no move was made for too long" in record.result.detail
    assert len(record.moves) == 1
    stage.join()
    assert len({line.match for line in stage.take_log()}) == 2


def test_A_Q21_A_Q34_a_player_can_return_to_an_abandoned_game() -> None:
    stage = AscensionStage({"tokens": "true"})
    first = stage.join(b'{"key": "ann"}')
    stage.join(b'{"key": "bob"}')
    stage.wait(1e6)
    assert stage.join(b'{"key": "ann"}') == first
    assert stage.join(b'{"key": "cat"}')["player_index"] == 0


def test_A_Q25_joins_moves_and_refusals_are_logged() -> None:
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


def test_A_Q25_the_seed_is_logged_at_the_end_and_not_before() -> None:
    """Otherwise a reader of the log would know the cards to come."""
    stage = AscensionStage()
    stage.start()
    stage.arrange(table(**LAST_TURN))
    assert not any("seed" in line.content for line in stage.take_log())
    stage.moves(1, "end_turn")
    [record] = stage.records
    [ended] = [line.content for line in stage.take_log() if "ended" in line.content]
    assert ended["seed"] == record.seed


def test_A_Q26_the_port_is_7004() -> None:
    assert PROTOCOL.port == 7004


def test_A_Q27_a_move_after_the_deadline_is_too_late() -> None:
    """Also if no timer has fired before the move arrives."""
    stage = AscensionStage({"turn-timeout": "30"})
    stage.start()
    stage.now += 31
    state = stage.moves(0, "end_turn")
    assert (state["status"], state["board"]["current_turn"]) == ("ended", 0)
    assert "took too long" in state["error"]


def test_A_Q30_polling_gives_the_same_answer_until_something_changes() -> None:
    stage = AscensionStage()
    stage.start()
    bodies = {stage.ask("GET", "/state").body for _ in range(500)}
    assert len(bodies) == 1


def test_A_Q30_no_deadline_is_left_when_a_waiting_client_vanishes() -> None:
    stage = AscensionStage({"long-poll": "20"})
    stage.start()
    stage.request("GET", "/state?after=0", who="bob")
    assert stage.room.deadline is not None
    stage.reset("bob")
    assert stage.room.deadline is None


def test_A_Q30_X_08_a_waiting_client_that_sends_too_much_is_dropped() -> None:
    stage = AscensionStage({"long-poll": "20"}, chunk=1 << 20)
    stage.start()
    stage.request("GET", "/state?after=0", who="bob")
    stage.send("bob", (b"GET /nowhere HTTP/1.1\r\nX: " + b"x" * 10_000 + b"\r\n\r\n") * 300)
    stage.moves(0, "end_turn")
    assert b"413 Request Entity Too Large" in stage.read("bob", 1 << 26)
    assert stage.is_closed("bob")


def test_A_Q30_a_known_state_is_not_sent_again() -> None:
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


def test_A_Q30_a_client_that_knows_the_state_still_waits_for_a_later_turn() -> None:
    stage = AscensionStage({"long-poll": "20"})
    stage.start()
    known = {"If-None-Match": stage.ask("GET", "/state").headers["etag"]}
    stage.request("GET", "/state?after=0", headers=known)
    stage.wait(20)
    assert stage.answer().status == 304


def test_A_Q30_each_view_of_hidden_hands_has_its_own_tag() -> None:
    stage = AscensionStage({"long-poll": "20", "hide-hands": "true"})
    stage.start()
    tags = {
        stage.ask("GET", f"/state{query}").headers["etag"]
        for query in ("", "?player_index=0", "?player_index=1")
    }
    assert len(tags) == 3


def test_A_Q34_with_tokens_a_join_is_recognized_by_its_key() -> None:
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


def test_A_Q34_with_tokens_moves_are_recognized_by_their_key() -> None:
    stage = AscensionStage({"tokens": "true", "http-errors": "true"})
    token = stage.join()["token"]
    stage.join()
    stage.arrange(table(hand=["Militia", "Militia"]))

    def play(key: object) -> tuple[int, str, int]:
        moves = [{"type": "play", "card_name": "Militia"}]
        answer = stage.submit(0, moves, token=token, key=key)
        return answer.status, answer.state["error"], player(answer.state)["power_remaining"]

    assert play("a") == (200, "", 1)
    assert play("a") == (200, "", 1), "the same again"
    assert play("b") == (200, "", 2)
    refused = play("c")
    assert refused == (422, "move 0: Militia is not in your hand", 2)
    assert play("c") == refused
    assert play(None)[0] == 422
    assert stage.submit(0, [], token="x", key="c").state["error"].startswith("the token")
    refusals = [line for line in stage.take_log() if "refused" in line.content]
    assert len(refusals) == 2, "a repeated request is not tried again"
