"""The checks of the ascension-http protocol.

Its server has one game, so each check continues where the one before it has stopped: the first
ones need a server without players, and the last one plays to the end.
"""

from collections.abc import Mapping

from gamehall.conformance.checklist import Checklist, ClientRules, read_clauses
from gamehall.conformance.connection import CheckSkippedError, demand
from gamehall.games.ascension import Supply
from gamehall.protocols.ascension_http.conformance.game import (
    AscensionKnowledge,
    AscensionTarget,
    CheckedGame,
    State,
    ask,
    ask_for_object,
    card_move,
    end_turn,
    read_object,
    read_reply,
    require_fresh,
    send_request,
)
from gamehall.protocols.ascension_http.messages import CARD_MOVES, ENDED, NOT_READY, PLAYING

CHECKLIST = Checklist(
    read_clauses("gamehall.protocols.ascension_http"),
    [],
    unchecked={"A-01": "the log files are inside the server"},
    is_sequence=True,
    knowledge=AscensionKnowledge,
    client=ClientRules(
        clauses={
            "C-01": "A-08",
            "C-02": "A-16 A-18 A-19",
            "C-03": "A-20",
            "C-04": "A-24",
            "C-06": "A-04",
            "C-07": "A-08",
        },
        settings={"turns": 30},
    ),
)

MYSTIC, HEAVY, CULTIST = "Mystic", "Heavy Infantry", "Cultist"
APPRENTICE, MILITIA = "Apprentice", "Militia"
WORTH = {APPRENTICE: (1, 0), MILITIA: (0, 1), MYSTIC: (2, 0), HEAVY: (0, 2)}
"""The runes and the power that a card gives."""
PRICES = {MYSTIC: ("mystics", 3), HEAVY: ("heavy", 2)}
CULTIST_POWER = 2

MOST_TURNS = 400
HONOR_FOR_REFUSALS = 6
"""Illegal moves are tried when this much honor is left, since an error may end the game (A-Q04)."""

START = {"honor_remaining": 60, "mystics": 30, "heavy": 29}
"""The numbers of the published game, which the document does not prescribe (A-Q19)."""
NOWHERE = "No Such Card"


@CHECKLIST.covers("A-11", "A-12", "A-13")
def the_state_before_the_first_join(target: AscensionTarget) -> None:
    """Ask for the state twice: it has three keys (A-12), no error (A-13), and is equal (A-11)."""
    state = require_fresh(target)
    demand(not state.error, "A-13", "no error", state.error)
    demand(CheckedGame(target).read_state() == state, "A-11", "the same state again", "another")
    target.saw("A-11", "A-12", "A-13")


@CHECKLIST.covers("A-02")
def other_paths_and_methods_are_refused(target: AscensionTarget) -> None:
    """Ask for other paths and methods, which must be refused and have no effect (A-02)."""
    require_fresh(target)
    for method, path in (("GET", "/nothing"), ("GET", "/join"), ("GET", "/moves")):
        reply = ask(target, method, path, "A-02")
        demand(reply.status >= 400, "A-02", f"{method} {path} to be refused", reply.status)
    require_fresh(target)
    # The clause has passed when the three endpoints have answered, too.
    target.known.refuses_other_paths = True


@CHECKLIST.covers("A-25")
def moves_before_the_game_are_refused(target: AscensionTarget) -> None:
    """Move before the start, which must be refused and have no effect (A-25)."""
    require_fresh(target)
    CheckedGame(target).expect_refused("A-25", "the game has not begun", 0, end_turn())
    target.known.refuses_early_moves = True


@CHECKLIST.covers("A-08", "A-03", "A-06", "A-15")
def the_first_player_joins(target: AscensionTarget) -> None:
    """Join: the seat is 0 and is counted (A-06, A-08), and no game has begun (A-03, A-15)."""
    require_fresh(target)
    joined = ask_for_object(target, "POST", "/join", "A-08")
    _seat(target, joined, 0)
    state = CheckedGame(target).read_state()
    demand(state.player_count == 1, "A-06", "a player_count of 1", state.player_count)
    demand(state.status == NOT_READY, "A-03", NOT_READY, state.status)


@CHECKLIST.covers("A-10", "A-05", "A-07", "A-08", "A-09", "A-06", "A-03", "A-15")
def two_players_join_at_the_same_time(target: AscensionTarget) -> None:
    """Join twice at the same time: one gets seat 1, the other an error (A-08, A-09, A-10).

    Then the game has begun, and its board is shown (A-03, A-07, A-15).
    """
    _require_seats(target, 1)
    connections = [send_request(target, "POST", "/join") for _ in range(2)]
    replies = [read_reply(connection, "/join", "A-10") for connection in connections]
    answers = [read_object(reply, "/join", "A-10") for reply in replies]
    seated = [answer for answer in answers if "player_index" in answer]
    demand(len(seated) == 1, "A-10", "one of two joins to be accepted", answers)
    _seat(target, seated[0], 1)
    target.saw("A-08", "A-10")
    [other] = [answer for answer in answers if answer is not seated[0]]
    demand(_is_error(other), "A-09", '{"error": <text>}', other)
    target.saw("A-05")
    state = CheckedGame(target).read_state()
    demand(state.player_count == 2, "A-06", "a player_count of 2", state.player_count)
    demand(state.status == PLAYING, "A-07", PLAYING, state.status)
    target.saw("A-03", "A-06", "A-07", "A-15")


@CHECKLIST.covers("A-09", "A-05", "A-11")
def a_third_player_cannot_join(target: AscensionTarget) -> None:
    """Join a third time, which gets an error and has no effect (A-05, A-09)."""
    before = _require_playing(target).read_state()
    answer = ask_for_object(target, "POST", "/join", "A-09")
    demand(_is_error(answer), "A-09", '{"error": <text>}', answer)
    demand(CheckedGame(target).read_state() == before, "A-09", "nothing to change", "another state")
    target.saw("A-05", "A-09", "A-11")


@CHECKLIST.covers("A-29", "A-31")
def the_board_at_the_start(target: AscensionTarget) -> None:
    """Compare the board before the first move. How many cards the piles have is open (A-Q19)."""
    board = _require_playing(target).read_state().board
    demand(board.current_turn == 0, "A-26", "turn 0", board.current_turn)
    if board.current_player_index != 0:
        target.differs("A-Q31", "player 1 begins")
    for key, number in {**START, "honor_remaining": target.settings.honor}.items():
        if getattr(board, key) != number:
            target.differs("A-Q19", f"the game starts with {getattr(board, key)} {key}")
    for player in board.players:
        demand(player.honor == 0, "A-33", "no honor yet", player.honor)
        demand(player.moves == [], "A-34", "no moves yet", player.moves)
    target.saw("A-29", "A-31")


@CHECKLIST.covers("A-02", "A-16", "A-17", "A-34")
def a_turn_in_several_batches(target: AscensionTarget) -> None:
    """Send moves in one request and in several (A-16, A-17); they are listed in order (A-34).

    The turn passes to the opponent only with end_turn.
    """
    game = _require_playing(target)
    board = game.read_state().board
    index = board.current_player_index
    hand = [name for name in board.players[index].hand if name in WORTH]
    if len(hand) < 2:
        raise CheckSkippedError(f"there are no Apprentices and Militias in the hand: {hand}")
    state = game.expect_accepted("A-22", index, card_move("play", hand[0]))
    target.saw("A-16")
    _compare_turn(state, index, hand[:1])
    state = game.expect_accepted("A-17", index, *(card_move("play", name) for name in hand[1:]))
    _compare_turn(state, index, hand)
    player = state.board.current_player_index
    demand(player == index, "A-24", f"the turn of {index} to last until end_turn", player)
    state = game.expect_accepted("A-17", index, end_turn())
    board = state.board
    demand(board.current_turn == 1, "A-26", "turn 1", board.current_turn)
    player = board.current_player_index
    demand(player == 1 - index, "A-27", f"player {1 - index}", player)
    moves = [(move.type, move.turn) for move in board.players[index].moves]
    expected = [("play", 0)] * len(hand) + [("end_turn", 0)]
    demand(moves == expected, "A-34", f"the moves {expected}", moves)
    demand(game.read_state() == state, "A-17", "the state after the moves", "another state")
    target.saw("A-17", "A-34")
    if target.known.refuses_other_paths:
        target.saw("A-02")


@CHECKLIST.covers(
    "A-18", "A-19", "A-20", "A-21", "A-22", "A-23", "A-24", "A-26", "A-27", "A-28", "A-30", "A-32",
    "A-33",
)  # fmt: skip
def a_game_almost_to_its_end(target: AscensionTarget) -> None:
    """Acquire what is always on sale and defeat the Cultist, and compare the costs and gains.

    Shortly before the end, try moves that are each illegal for another reason (A-18 to A-24).
    """
    game = _require_playing(target)
    state = _play_on(game, until_honor=HONOR_FOR_REFUSALS)
    if state.status == PLAYING:
        _try_what_is_illegal(target, game, state.board.current_player_index)


@CHECKLIST.covers("A-04", "A-14", "A-25")
def the_end_of_the_game(target: AscensionTarget) -> None:
    """End the game: its state can be read (A-04, A-14), moves and joins are refused (A-25)."""
    game = _require_playing(target)
    state = _play_on(game)
    if state.status != ENDED:
        raise CheckSkippedError(f"the game did not end in {MOST_TURNS} turns (A-Q20)")
    target.saw("A-14")
    player = state.board.current_player_index
    for index in (player, 1 - player):
        game.expect_refused("A-25", "the game has ended", index, end_turn())
    answer = ask_for_object(target, "POST", "/join", "A-25")
    demand(_is_error(answer), "A-25", '{"error": <text>} after the end', answer)
    if target.known.refuses_early_moves:
        target.saw("A-25")
    demand(game.read_state().status == ENDED, "A-04", ENDED, "another status")
    target.saw("A-04")


def _play_on(game: CheckedGame, until_honor: int = -1) -> State:
    """Play until no more than this much honor is left, or until the end."""
    state = game.read_state()
    for _ in range(MOST_TURNS):
        if state.status == ENDED or state.board.honor_remaining <= until_honor:
            break
        state = _play_turn(game, state)
    return state


def _try_what_is_illegal(target: AscensionTarget, game: CheckedGame, index: int) -> None:
    """Send moves that must each give an error and change nothing."""
    game.expect_refused("A-24", f"it is not player {1 - index}'s turn", 1 - index, end_turn())
    game.expect_refused("A-24", "there is no player 7", 7, end_turn())
    dance = {"type": "dance", "card_name": APPRENTICE}
    trials: list[tuple[str, str, Mapping[str, object]]] = [
        ("A-18", "there is no such type", dance),
        *(("A-19", f"{kind} needs a card_name", {"type": kind}) for kind in CARD_MOVES),
        ("A-20", "it is not in the center", card_move("acquire", NOWHERE)),
        ("A-21", "it is not in the center", card_move("defeat", NOWHERE)),
        ("A-22", "it is not in the hand", card_move("play", NOWHERE)),
        ("A-23", "it is not among the constructs", card_move("activate", NOWHERE)),
    ]
    for clause, why, move in trials:
        game.expect_refused(clause, why, index, move)
    for clause in ("A-18", "A-19", "A-23", "A-24"):
        target.saw(clause)
    # These clauses also demand that legal moves are accepted.
    done = target.known.accepted_moves
    for clause, kinds in (
        ("A-20", {f"acquire {MYSTIC}", f"acquire {HEAVY}"}),
        ("A-21", {f"defeat {CULTIST}"}),
        ("A-22", {"play"}),
    ):
        if kinds <= done:
            target.saw(clause)
        else:
            missing = ", ".join(sorted(kinds - done))
            target.cannot_see(clause, f"no player could pay for it: {missing}")


def _play_turn(game: CheckedGame, state: State) -> State:
    """Play the cards in hand, acquire and defeat what can be paid for, and compare the costs."""
    # With an endless supply a pile does not shrink.
    taken = 0 if game.target.settings.supply is Supply.ENDLESS else 1
    board = state.board
    turn, index = board.current_turn, board.current_player_index
    done = game.target.known.accepted_moves
    hand = [name for name in board.players[index].hand if name in WORTH]
    if hand:
        state = game.expect_accepted("A-22", index, *(card_move("play", name) for name in hand))
        _compare_turn(state, index, hand)
        done.add("play")
    for name, (pile, price) in PRICES.items():
        before = state.board
        runes = before.players[index].runes_remaining
        if runes >= price and getattr(before, pile) and (name == HEAVY or turn % 2):
            state = game.expect_accepted("A-20", index, card_move("acquire", name))
            after = state.board
            expected, number = getattr(before, pile) - taken, getattr(after, pile)
            demand(number == expected, "A-30", f"{expected} {pile} left", number)
            left = after.players[index].runes_remaining
            demand(left == runes - price, "A-32", f"{runes - price} runes left", left)
            game.target.saw("A-32")
            done.add(f"acquire {name}")
    if {f"acquire {MYSTIC}", f"acquire {HEAVY}"} <= done:
        game.target.saw("A-30")
    state = _defeat_cultists(game, state, index, done)
    state = game.expect_accepted("A-17", index, end_turn())
    if state.status == PLAYING:
        next_turn, player = state.board.current_turn, state.board.current_player_index
        demand(next_turn == turn + 1, "A-26", f"turn {turn + 1}", next_turn)
        demand(player == 1 - index, "A-27", f"player {1 - index}", player)
        game.target.saw("A-26", "A-27")
    return state


def _defeat_cultists(game: CheckedGame, state: State, index: int, done: set[str]) -> State:
    while state.board.players[index].power_remaining >= CULTIST_POWER:
        before = state.board
        state = game.expect_accepted("A-21", index, card_move("defeat", CULTIST))
        after = state.board
        honor = after.players[index].honor
        expected = before.players[index].honor + 1
        demand(honor == expected, "A-33", f"{expected} honor", honor)
        pool = max(0, before.honor_remaining - 1)
        came = after.honor_remaining
        demand(came == pool, "A-28", f"{pool} honor left in the pool", came)
        game.target.saw("A-28", "A-33")
        done.add(f"defeat {CULTIST}")
    return state


def _compare_turn(state: State, index: int, played: list[str]) -> None:
    """Compare runes and power with the cards played, before anything is paid for."""
    player = state.board.players[index]
    came = (player.runes_remaining, player.power_remaining)
    runes, power = (sum(WORTH[name][kind] for name in played) for kind in (0, 1))
    demand(came == (runes, power), "A-32", f"{runes} runes and {power} power", came)


def _seat(target: AscensionTarget, answer: Mapping[str, object], index: int) -> None:
    """Check that a join got this index, and note its token."""
    fits = answer.get("player_index") == index and type(answer["player_index"]) is int
    demand(fits, "A-08", f'{{"player_index": {index}}}', answer)
    target.known.seats = index + 1
    if "token" in answer:
        target.known.tokens[index] = answer["token"]


def _is_error(answer: Mapping[str, object]) -> bool:
    return isinstance(answer.get("error"), str) and answer["error"] != ""


def _require_seats(target: AscensionTarget, number: int) -> None:
    """Skip the check unless exactly this many players of the checker have joined."""
    if target.known.seats != number:
        raise CheckSkippedError("this needs a server without other players")


def _require_playing(target: AscensionTarget) -> CheckedGame:
    """Return the game. Skip the check if others play it."""
    _require_seats(target, 2)
    return CheckedGame(target)
