"""The server's and the client's end of Ascension over HTTP play games in memory."""

import json
import random
from typing import cast

import pytest

from gamehall.cli.bot import _write_match
from gamehall.core import Outcome, Seat
from gamehall.games.ascension import (
    HIDDEN,
    Ascension,
    AscensionPosition,
    CardName,
    Choose,
    EndTurn,
    Move,
    PlayCard,
)
from gamehall.match import Ending, MatchEnded, Result, TurnBegan
from gamehall.players.conversation import PlayedMatch
from gamehall.players.wording import describe_result
from gamehall.protocols.ascension_http import PROTOCOL, AscensionHttpClientSession
from gamehall.protocols.ascension_http.messages import names
from gamehall.rooms.notices import Closed, Notice, Refusal, Refused, RequestRejected, Seated
from gamehall.rooms.requests import Join, PlannedMove, Play, Pong, Resign, Submit
from tests.games.ascension_tables import table
from tests.support.ascension_stage import AscensionStage, exchange

MOST_POLLS = 20_000


class RandomPlayer:
    """A client session whose player moves at random and seldom ends a turn early."""

    def __init__(self, name: str, stage: AscensionStage, seed: int) -> None:
        self.name = name
        self.notices: list[Notice[Move]] = []
        self.seat: Seat | None = None
        self.session = AscensionHttpClientSession()
        self._stage = stage
        self._chance = random.Random(f"{name} {seed}")
        self._send(self.session.send(Join("")))

    def poll(self) -> None:
        """Poll if a client would do so now."""
        if self.session.seconds_to_poll is not None:
            self._send(self.session.poll())

    def receive(self) -> None:
        """Read all responses, and move as long as it is the player's turn."""
        while answer := self._stage.read(self.name, 1 << 24):
            self.session.receive_data(answer)
            while (notice := self.session.next_notice()) is not None:
                self.notices.append(notice)
                self._handle(notice)

    def _handle(self, notice: Notice[Move]) -> None:
        match notice:
            case Seated(seat):
                self.seat = seat
            case TurnBegan(seat, position) if seat is self.seat:
                self._move(cast("AscensionPosition", position))
            case _:
                pass

    def _move(self, seen: AscensionPosition) -> None:
        moves = list(seen.legal_moves())
        assert moves == list(self._stage.position.legal_moves())
        useful = [move for move in moves if not isinstance(move, EndTurn)]
        move = self._chance.choice(useful if useful and self._chance.random() < 0.97 else moves)
        self._send(self.session.send(Play(move)))

    def _send(self, data: bytes) -> None:
        self._stage.send(self.name, data)


def play(stage: AscensionStage, players: list[RandomPlayer]) -> None:
    for _ in range(MOST_POLLS):
        for player in players:
            player.receive()
            player.poll()
        if all(player.session.closed for player in players):
            return
    raise AssertionError("the game does not end")


def two_players(stage: AscensionStage, seed: int) -> list[RandomPlayer]:
    return [RandomPlayer(name, stage, seed) for name in ("ann", "bob")]


@pytest.mark.parametrize("seed", range(12))
def test_both_ends_play_to_the_end_and_agree(seed: int) -> None:
    stage = AscensionStage(seed=seed)
    players = two_players(stage, seed)
    play(stage, players)
    assert stage.finished == 1
    refusals = [
        one for player in players for one in player.notices if isinstance(one, RequestRejected)
    ]
    assert refusals == []
    ends = [
        notice for player in players for notice in player.notices if isinstance(notice, MatchEnded)
    ]
    [first, second] = ends
    real = stage.position
    assert real.outcome is not None
    assert first.result == second.result
    assert first.result.ending is Ending.PLAYED_OUT
    assert first.result.winner is real.outcome.winner


@pytest.mark.parametrize("chunk", [1, 7])
@pytest.mark.parametrize(
    "settings",
    [
        {"honor": "3"},
        {"honor": "3", "tokens": "true", "hide-hands": "true"},
        {"honor": "3", "atomic": "true", "show-played": "true", "strict": "true"},
        {"honor": "3", "long-poll": "30", "http-errors": "true"},
        {"honor": "3", "extras": "false", "ties": "true"},
    ],
)
def test_whole_games_at_other_settings_and_cuts(settings: dict[str, str], chunk: int) -> None:
    stage = AscensionStage(settings, chunk)
    players = two_players(stage, 1)
    play(stage, players)
    assert stage.finished == 1
    assert not any(
        isinstance(notice, RequestRejected) for player in players for notice in player.notices
    )
    assert all(isinstance(player.notices[-1], MatchEnded) for player in players)


@pytest.mark.parametrize(
    ("position", "moves"),
    [
        pytest.param(
            table(
                constructs=["The Grand Design", "Watchmaker's Altar"],
                hand="Hedron Link Device",
                runes=5,
                row=["Muramasa", "Shadow Star", "Snapdragon", "Rocket Courier X-99"],
            ),
            [
                "activate The Grand Design",
                "activate Watchmaker's Altar",
                "acquire Shadow Star",
                "play Hedron Link Device",
                "acquire Snapdragon",
            ],
            id="a construct that became Mechana later was not paid with Mechana runes",
        ),
        pytest.param(
            table(
                hand="Reactor Monk",
                power=10,
                row=["Avatar of the Fallen", "Shadow Star", "Burrower Mark II"],
            ),
            ["play Reactor Monk", "defeat Avatar of the Fallen", "choose Shadow Star"],
            id="a free construct uses up the discount",
        ),
        pytest.param(
            table(
                hand=["Arbiter of the Precipice", "Twofold Askara", "Reactor Monk"],
                deck=["Apprentice"] * 6,
                runes=2,
                row=["Shadow Star", "Rocket Courier X-99"],
            ),
            [
                "play Arbiter of the Precipice",
                "choose Apprentice",
                "play Twofold Askara",
                "choose Arbiter of the Precipice",
                "choose Reactor Monk",
            ],
            id="a card that a copied hero banishes is not copied",
        ),
        pytest.param(
            table(
                hand=["Reactor Monk", "Twofold Askara"],
                row=["Snapdragon", "Shadow Star", "Voidthirster"],
            ),
            [
                "play Reactor Monk",
                "play Twofold Askara",
                "choose Reactor Monk",
                "acquire Shadow Star",
            ],
            id="a copied discount",
        ),
        pytest.param(
            table(
                constructs=["Tablet of Time's Dawn", "Rocket Courier X-99", "Hedron Link Device"],
                row="Shadow Star",
                runes=10,
                center_deck=(),
            ),
            [
                "activate Tablet of Time's Dawn",
                "acquire Shadow Star",
                "choose nothing",
                "acquire Tablet of Time's Dawn",
                "choose play",
            ],
            id="a construct that banished itself returns unused",
        ),
        pytest.param(
            table(constructs=["Yggdrasil Staff"] * 2, runes=9),
            [
                "activate Yggdrasil Staff",
                "activate Yggdrasil Staff: honor",
                "activate Yggdrasil Staff: honor",
                "activate Yggdrasil Staff",
            ],
            id="two abilities of two copies",
        ),
        pytest.param(
            table(constructs=["Muramasa", "Hedron Cannon"], hand="Muramasa"),
            ["activate Muramasa", "play Muramasa", "activate Hedron Cannon", "activate Muramasa"],
            id="a second copy",
        ),
    ],
)
def test_a_client_knows_exactly_the_legal_moves(
    position: AscensionPosition, moves: list[str]
) -> None:
    stage = AscensionStage()
    client, other = AscensionHttpClientSession(), AscensionHttpClientSession()
    exchange(stage, "ann", client, client.send(Join("")))
    exchange(stage, "bob", other, other.send(Join("")))
    stage.arrange(position)
    exchange(stage, "ann", client, client.poll())
    for text in moves:
        move = Ascension().read_move(text)
        [notice] = exchange(stage, "ann", client, client.send(Play(move)))
        assert isinstance(notice, TurnBegan), notice
        real = stage.position
        assert list(notice.position.legal_moves()) == list(real.legal_moves()), text


def test_a_third_client_is_refused() -> None:
    stage = AscensionStage()
    notices = []
    for who in ("ann", "bob", "eve"):
        client = AscensionHttpClientSession()
        notices += exchange(stage, who, client, client.send(Join("")))
    assert notices == [Seated(Seat.FIRST), Seated(Seat.SECOND), Refused(Refusal.FULL)]
    assert client.closed


def test_A_Q21_a_client_waits_for_the_next_game_if_the_server_says_when() -> None:
    stage = AscensionStage()
    stage.start(LAST_TURN)
    stage.moves(1, "end_turn")
    stage.wait(7.5)
    client = AscensionHttpClientSession()
    assert exchange(stage, "cat", client, client.send(Join("cat"))) == []
    assert client.seconds_to_poll == 3.0
    stage.wait(client.seconds_to_poll)
    assert exchange(stage, "cat", client, client.poll()) == [Seated(Seat.FIRST)]
    assert stage.state()["player_count"] == 1
    assert client.seconds_to_poll == 0.05, "it waits for an opponent now"


def test_A_Q21_a_client_tries_to_join_a_limited_number_of_times() -> None:
    session = AscensionHttpClientSession()
    session.send(Join(""))
    full = b'{"error": "full"}'
    again = b"HTTP/1.1 200 OK\r\nRetry-After: 999\r\nContent-Length: 17\r\n\r\n" + full
    for _ in range(2):
        session.receive_data(again)
        assert session.next_notice() is None
        assert session.seconds_to_poll == 60.0
        assert session.poll().startswith(b"POST /join")
    session.receive_data(again)
    assert session.next_notice() == Refused(Refusal.FULL)
    assert session.closed


@pytest.mark.parametrize("value", [b"soon", b"-1", b"1.5", b"1e3", b"99999", b"\xb2"])
def test_A_Q21_a_client_does_not_wait_for_an_invalid_time(value: bytes) -> None:
    session = AscensionHttpClientSession()
    session.send(Join(""))
    head = b"HTTP/1.1 409 Conflict\r\nRetry-After: %b\r\nContent-Length: 17\r\n\r\n" % value
    session.receive_data(head + b'{"error": "full"}')
    assert session.next_notice() == Refused(Refusal.FULL)


@pytest.mark.parametrize("joins", [1, 2])
def test_A_14_A_Q21_a_client_notices_that_another_game_has_begun(joins: int) -> None:
    stage = AscensionStage()
    ann, bob = AscensionHttpClientSession(), AscensionHttpClientSession()
    exchange(stage, "ann", ann, ann.send(Join("")))
    exchange(stage, "bob", bob, bob.send(Join("")))
    stage.moves(0, "end_turn")
    exchange(stage, "ann", ann, ann.poll())
    stage.wait(600)
    for _ in range(joins):
        stage.join()
    [end] = exchange(stage, "ann", ann, ann.poll())
    assert isinstance(end, MatchEnded)
    assert end.result == Result(None, Ending.CANCELLED, "the server has begun another game")
    assert ann.closed


def test_a_client_receives_a_refusal_and_continues() -> None:
    stage = AscensionStage({"tokens": "true"})
    ann, bob = AscensionHttpClientSession(), AscensionHttpClientSession()
    exchange(stage, "ann", ann, ann.send(Join("")))
    assert exchange(stage, "ann", ann, ann.poll()) == []
    assert ann.seconds_to_poll == 0.05
    exchange(stage, "bob", bob, bob.send(Join("")))
    [turn] = exchange(stage, "ann", ann, ann.poll())
    assert isinstance(turn, TurnBegan)
    assert ann.seconds_to_poll is None
    [refusal] = exchange(stage, "ann", ann, ann.send(Play(Choose("rune"))))
    assert refusal == RequestRejected("move 0: there is nothing to choose now")
    [theirs] = exchange(stage, "bob", bob, bob.poll())
    assert isinstance(theirs, TurnBegan)
    assert theirs.seat is Seat.FIRST
    assert bob.seconds_to_poll == 0.05
    assert exchange(stage, "bob", bob, bob.poll()) == [], "nothing new"
    two_moves = Submit(
        Seat.FIRST, (PlannedMove(PlayCard(CardName("Apprentice"))), PlannedMove(EndTurn()))
    )
    [after] = exchange(stage, "ann", ann, ann.send(two_moves))
    assert isinstance(after, TurnBegan)
    assert after.seat is Seat.SECOND
    assert ann.send(Resign()) == ann.send(Pong()) == b""


def test_a_match_ended_by_timeout_is_cancelled() -> None:
    stage = AscensionStage({"turn-timeout": "5"})
    ann, bob = AscensionHttpClientSession(), AscensionHttpClientSession()
    exchange(stage, "ann", ann, ann.send(Join("")))
    exchange(stage, "bob", bob, bob.send(Join("")))
    stage.wait(6)
    [end] = exchange(stage, "bob", bob, bob.poll())
    assert isinstance(end, MatchEnded)
    assert end.result.winner is Seat.SECOND
    assert end.result.ending is Ending.CANCELLED
    assert end.result.detail == "a player took too long"


LAST_TURN = table(turn_owner=Seat.SECOND, honor_pool=0, ties=True)


def ended_match(**shown: object) -> MatchEnded[Move]:
    """Return a client's notice of an ended game whose board has these keys."""
    stage = AscensionStage({"extras": "false"})
    stage.start(LAST_TURN)
    state = stage.moves(1, "end_turn")
    state["board"] |= shown
    session = AscensionHttpClientSession()
    session.send(Join(""))
    session.receive_data(http(b'{"player_index": 0}'))
    session.next_notice()
    session.poll()
    session.receive_data(http(json.dumps(state).encode()))
    notice = session.next_notice()
    assert isinstance(notice, MatchEnded), notice
    assert session.closed
    return notice


@pytest.mark.parametrize(
    ("shown", "winner", "detail"),
    [
        ({"victor": 0, "final_honor": [11, 2]}, Seat.FIRST, "11 honor to 2"),
        ({"victor": 1, "final_honor": [2, 11]}, Seat.SECOND, "11 honor to 2"),
        ({"victor": "1"}, Seat.SECOND, "the server says so"),
        ({"victor": 0, "final_honor": "much"}, Seat.FIRST, "the server says so"),
        ({"victor": "tie", "final_honor": [7, 7]}, None, "both have 7 honor"),
        ({"victor": "tie"}, None, "the server says so"),
    ],
)
def test_A_Q22_A_Q23_a_client_learns_who_has_won_or_of_a_draw(
    shown: dict[str, object], winner: Seat | None, detail: str
) -> None:
    end = ended_match(**shown)
    assert end.result == Result(winner, Ending.PLAYED_OUT, detail)
    assert end.position.to_move is None
    assert end.position.outcome == Outcome(winner, detail)
    seen = _write_match(1, PlayedMatch(Seat.FIRST, end.result, end.position), as_json=False)
    verdict = {Seat.FIRST: "won", Seat.SECOND: "lost", None: "drawn"}[winner]
    assert seen == f"game 1: {verdict} as the first player: {detail}"
    words = describe_result(end.result, end.position.outcome, Seat.FIRST)
    assert words.startswith("A draw" if winner is None else f"You have {verdict}")


@pytest.mark.parametrize("shown", [{}, {"victor": None}, {"victor": "ann"}, {"victor": [0]}])
def test_A_Q22_a_game_without_a_named_winner_is_not_cancelled(
    shown: dict[str, object],
) -> None:
    end = ended_match(**shown)
    detail = "the server does not say who won"
    assert end.result == Result(None, Ending.PLAYED_OUT, detail)
    seen = _write_match(1, PlayedMatch(Seat.FIRST, end.result, end.position), as_json=False)
    assert seen == f"game 1: over as the first player: {detail}"
    words = describe_result(end.result, end.position.outcome, Seat.FIRST)
    assert words == f"The game is over: {detail}."


def test_A_Q23_a_tie_is_a_draw_for_both_clients() -> None:
    stage = AscensionStage({"ties": "true"})
    clients = {"ann": AscensionHttpClientSession(), "bob": AscensionHttpClientSession()}
    for who, client in clients.items():
        exchange(stage, who, client, client.send(Join("")))
    stage.arrange(LAST_TURN)
    stage.moves(1, "end_turn")
    for who, client in clients.items():
        [end] = exchange(stage, who, client, client.poll())
        assert isinstance(end, MatchEnded)
        assert end.result == Result(None, Ending.PLAYED_OUT, "both have 0 honor")


def http(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body


PLAYING = {"player_count": 2, "status": "playing", "error": ""}


@pytest.mark.parametrize(
    "answer",
    [
        b"hello",
        http(b""),
        http(b"[]"),
        http(b"{"),
        http(b"{}"),
        http(json.dumps(PLAYING).encode()),
        http(json.dumps(PLAYING | {"board": {"current_player_index": 7}}).encode()),
        http(json.dumps(PLAYING | {"board": {"current_player_index": 0, "players": []}}).encode()),
        http(json.dumps(PLAYING | {"status": "ended", "board": None}).encode()),
    ],
)
def test_a_client_leaves_a_server_that_breaks_the_protocol(answer: bytes) -> None:
    session = AscensionHttpClientSession()
    session.send(Join(""))
    session.receive_data(http(b'{"player_index": 0}'))
    assert session.next_notice() == Seated(Seat.FIRST)
    session.poll()
    session.receive_data(answer)
    notice = session.next_notice()
    assert isinstance(notice, Closed)
    assert "does not keep to the protocol" in notice.reason
    assert session.closed


def test_a_response_without_a_request_breaks_the_protocol() -> None:
    session = AscensionHttpClientSession()
    session.receive_data(http(b"{}"))
    assert isinstance(session.next_notice(), Closed)


@pytest.mark.parametrize("index", ["7", '"x"', "null", "[]", "-1", "true"])
def test_a_seat_that_does_not_exist_breaks_the_protocol(index: str) -> None:
    session = AscensionHttpClientSession()
    session.send(Join(""))
    session.receive_data(http(b'{"player_index": %b}' % index.encode()))
    assert isinstance(session.next_notice(), Closed)


def test_a_client_notices_a_closed_connection() -> None:
    session = AscensionHttpClientSession()
    session.send(Join(""))
    session.receive_data(b"")
    assert session.next_notice() == Closed("the server has closed the connection")


def test_a_card_that_does_not_exist_breaks_the_protocol() -> None:
    assert names(["mystic", HIDDEN], may_be_hidden=True) == ("Mystic", HIDDEN)
    with pytest.raises(ValueError, match="there is no card '\\?'"):
        names([HIDDEN])
    with pytest.raises(ValueError, match="there is no card 'Milce'"):
        names(["Milce"])


def test_an_invalid_token_or_depth_breaks_the_protocol() -> None:
    for body in (b'{"player_index": 0, "token": 7}', b"[" * 100_000):
        session = AscensionHttpClientSession()
        session.send(Join(""))
        session.receive_data(http(body))
        assert isinstance(session.next_notice(), Closed)


def test_a_token_cannot_inject_a_header() -> None:
    session = AscensionHttpClientSession()
    session.send(Join(""))
    session.receive_data(http(json.dumps({"player_index": 0, "token": "€ x\r\nHost: y"}).encode()))
    assert session.next_notice() == Seated(Seat.FIRST)
    assert session.poll().count(b"Host:") == 1


@pytest.mark.parametrize(
    "settings", [{}, {"tokens": "true"}], ids=["without tokens", "with tokens"]
)
def test_another_client_can_continue_in_a_seat_at_any_time(settings: dict[str, str]) -> None:
    """Its legal moves are accepted, though it does not know the whole turn."""
    stage = AscensionStage({"honor": "30", **settings})
    chance = random.Random(5)
    seat_tokens: dict[Seat, str] = {}
    for seat in Seat:
        joining = PROTOCOL.client(PROTOCOL.settings())
        stage.send(seat.name, joining.send(Join("")))
        joining.receive_data(stage.read(seat.name, 1 << 24))
        assert joining.next_notice() == Seated(seat)
        assert joining.seat_token is not None
        seat_tokens[seat] = joining.seat_token
    moves = 0
    while stage.match.result is None:
        seat = stage.position.to_move or Seat.FIRST
        client = PROTOCOL.client(PROTOCOL.settings())
        client.resume(seat_tokens[seat])
        stage.send(seat.name, client.send(Join("")))
        for _ in range(chance.randrange(1, 8)):
            client.receive_data(stage.read(seat.name, 1 << 24))
            notices = list(iter(client.next_notice, None))
            assert not any(isinstance(one, RequestRejected | Closed) for one in notices), notices
            turn = notices[-1]
            if not isinstance(turn, TurnBegan) or turn.seat is not seat:
                break
            seen = list(turn.position.legal_moves())
            assert set(seen) <= set(stage.position.legal_moves())
            useful = [move for move in seen if not isinstance(move, EndTurn)]
            stage.send(seat.name, client.send(Play(chance.choice(useful or seen))))
            moves += 1
        stage.read(seat.name, 1 << 24)
    assert moves > 100
    assert stage.match.result.ending is Ending.PLAYED_OUT


@pytest.mark.parametrize("seat_token", ["", "seat", "[2,null]", "[0]", "[0,7]"])
def test_an_invalid_seat_token_cannot_be_resumed(seat_token: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        PROTOCOL.client(PROTOCOL.settings()).resume(seat_token)
