"""What a person is shown and may do, at every kind of door."""

from typing import Any

import pytest
from msgspec.structs import replace

from gamehall.core import Game, Seat
from gamehall.games.ascension import Ascension
from gamehall.games.catalogue import all_games
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.games.go import Go, Pass
from gamehall.games.santorini import Santorini
from gamehall.match import Ending, MatchEnded, MovePlayed, Result, TurnBegan
from gamehall.players.commands import completions, run_command
from gamehall.players.conversation import Vocabulary, vocabulary_of
from gamehall.players.person import Person, TurnClock
from gamehall.players.shown import BoardView, Line
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.notices import (
    ChatSent,
    Closed,
    EndUnseen,
    MatchBegan,
    Notice,
    Ping,
    Refusal,
    Refused,
    RequestRejected,
    Seated,
    TermsAgreed,
    TermsProposed,
    TermsQuestion,
    TournamentBegan,
    TournamentEnded,
    TurnUnseen,
)
from gamehall.rooms.requests import (
    Answer,
    Chat,
    Confirm,
    Join,
    Play,
    Pong,
    ProposedTerms,
    Rematch,
    Resign,
)
from gamehall.tournaments.standings import Win
from tests.support.manual_clock import ManualClock

TABLE = Vocabulary(has_chat=True, has_rematch=True, has_names=True)
RESIGNABLE = Vocabulary(has_resign=True)
SILENT = Vocabulary(has_names=True)
NAMELESS = Vocabulary()

START = ConnectFour().start(0)
WON = MatchEnded(Result(Seat.FIRST, Ending.PLAYED_OUT, "won"), START)


def person(
    game: Game[Any] | None = None,
    vocabulary: Vocabulary = TABLE,
    seconds: float | None = None,
    clock: ManualClock | None = None,
) -> Person[Any]:
    turn_clock = TurnClock(seconds, clock or ManualClock())
    return Person("ann", game or ConnectFour(), {"boardsize": "19"}, vocabulary, turn_clock)


def shown(ann: Person[Any]) -> str:
    """Return all output as text, and clear it."""
    things, ann.shown = ann.shown, []
    return "\n".join(
        (f"{thing.sender}: {thing.text}" if thing.sender else thing.text)
        if isinstance(thing, Line)
        else thing.diagram + "\n".join(note.text for note in thing.notes)
        for thing in things
    )


def red_on_turn() -> Person[Any]:
    ann = person()
    ann.receive(Seated(Seat.FIRST))
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    return ann


@pytest.mark.parametrize("seat", [Seat.SECOND, None])
def test_a_person_with_an_alias_is_told_how_others_see_it(seat: Seat | None) -> None:
    ann = person()
    ann.receive(Seated(seat, alias="Juergen"))
    assert "Players at other doors see you as Juergen." in shown(ann)
    ann.receive(Seated(seat))
    assert "other doors" not in shown(ann)


@pytest.mark.parametrize(
    ("door", "expected"),
    [
        ("tttp", TABLE),
        ("go-text", RESIGNABLE),
        ("santorini-tournament", SILENT),
        ("santorini-lobby", SILENT),
        ("ascension-http", NAMELESS),
    ],
)
def test_the_vocabulary_of_each_protocol(door: str, expected: Vocabulary) -> None:
    protocol = all_protocols()[door]
    assert vocabulary_of(protocol, protocol.settings()) == expected


def test_a_turn_shows_the_board_whose_turn_it_is_and_an_example() -> None:
    ann = red_on_turn()
    words = shown(ann)
    assert START.diagram() in words
    assert "> R ann (you)" in words
    assert "as in d1 (or ?)" in words
    assert ann.prompt == "your move> "
    assert run_command(ann, " D1 ") == [Play(Cell(3, 5))]
    assert ann.prompt == "> "


def test_after_an_illegal_move_the_person_may_try_again() -> None:
    ann = red_on_turn()
    assert run_command(ann, "d3") == []
    assert "d3 is not possible" in shown(ann)
    assert run_command(ann, "hello") == []
    assert "'hello' is not a cell" in shown(ann)
    assert run_command(ann, "d1") == [Play(Cell(3, 5))]


def test_a_move_out_of_turn_is_not_sent() -> None:
    ann = person()
    ann.receive(Seated(Seat.SECOND))
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    assert run_command(ann, "d1") == []
    assert "it is not your turn" in shown(ann)
    assert ann.is_stale, "the board is shown when nothing else happens"
    ann.show_board()
    assert "Waiting for the other player." in shown(ann)


def test_the_opponents_move_is_found_by_comparing_boards() -> None:
    ann = red_on_turn()
    run_command(ann, "d1")
    after = START.after(Cell(3, 5))
    ann.receive(TurnBegan(Seat.SECOND, after, None))
    shown(ann)
    ann.receive(TurnBegan(Seat.FIRST, after.after(Cell(0, 5)), None))
    words = shown(ann)
    assert "last move: a1 by the other player" in words
    assert not ann.is_stale


def test_the_clock_runs_during_the_persons_turn() -> None:
    clock = ManualClock()
    ann = person(seconds=5, clock=clock)
    ann.receive(Seated(Seat.FIRST))
    assert ann.seconds_left is None
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    clock.now += 1.5
    assert ann.prompt == "your move (4 s)> "
    clock.now += 10
    assert ann.prompt == "your move (0 s)> "
    run_command(ann, "d1")
    assert ann.seconds_left is None


def test_the_clock_restarts_when_an_opponent_joins_but_not_after_a_refused_move() -> None:
    clock = ManualClock()
    ann = person(seconds=5, clock=clock)
    ann.receive(Seated(Seat.FIRST))
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    clock.now += 2
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    assert ann.seconds_left == 5, "the same board again, because an opponent has joined"
    clock.now += 1
    run_command(ann, "d1")
    ann.receive(RequestRejected("not on a Sunday"))
    assert ann.seconds_left == 4
    run_command(ann, "d1")
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    clock.now += 1
    ann.accept_repeated_turn()
    assert ann.seconds_left == 3


@pytest.mark.parametrize("door", all_protocols())
def test_a_person_is_warned_of_a_short_time_limit_before_joining(door: str) -> None:
    protocol = all_protocols()[door]
    seconds = protocol.clock_at(protocol.settings()).seconds_per_turn
    ann = person(all_games()[protocol.game](), SILENT, seconds)
    ann.greet(f"{door}://localhost")
    words = shown(ann)
    assert ("seconds" in words) is (seconds is not None)
    if seconds is not None:
        assert f"A turn at this door lasts {seconds:g} seconds" in words
        assert "leave with Ctrl-C before the game begins" in words


def test_chat_is_sent_and_shown_without_control_characters() -> None:
    ann = red_on_turn()
    shown(ann)
    ann.receive(ChatSent("bob\x1b]0;", "hi \x1b[2J\r\n" + "x" * 1000))
    words = shown(ann)
    assert words.startswith("bob?]0;: hi ?[2J??xxx")
    assert words.isprintable()
    assert len(words) < 600
    assert run_command(ann, "say  hello, bob ") == [Chat("hello, bob")]
    assert shown(ann) == "you: hello, bob"
    assert run_command(ann, "say") == []


def test_help_lists_the_commands_that_this_door_supports() -> None:
    ann = red_on_turn()
    shown(ann)
    run_command(ann, "?")
    words = shown(ann)
    assert "rematch" in words
    assert "resign" not in words
    assert "a letter from a to g" in words
    assert run_command(ann, "resign") == []
    assert shown(ann) == "This door does not support resign."
    run_command(ann, "help")
    assert shown(ann) == words


def test_the_commands_for_moves_and_board() -> None:
    ann = red_on_turn()
    shown(ann)
    run_command(ann, "moves")
    assert shown(ann) == "a1  b1  c1  d1  e1  f1  g1"
    run_command(ann, "BOARD")
    assert START.diagram() in shown(ann)
    run_command(ann, "words")
    assert shown(ann) == "Empty: a, b, c, d, e, f, g."
    run_command(ann, "d1")
    run_command(ann, "moves")
    assert "It is not your turn." in shown(ann)
    waiting = person()
    run_command(waiting, "board")
    run_command(waiting, "words")
    run_command(waiting, "moves")
    assert shown(waiting) == 2 * "There is no board to show yet.\n" + "There is no game."


def test_a_rematch_is_possible_only_after_the_end() -> None:
    ann = red_on_turn()
    assert run_command(ann, "rematch") == []
    assert "when this game is over" in shown(ann)
    ann.receive(WON)
    words = shown(ann)
    assert "You have won." in words
    assert "Type rematch" in words
    assert ann.is_asked
    assert not ann.is_done
    assert run_command(ann, "d1") == []
    assert shown(ann) == "The game is over."
    assert run_command(ann, "rematch") == [Rematch()]
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    assert ann.is_playing


def test_the_verdict_is_shown_before_the_board_of_a_rematch_that_the_opponent_asks_for() -> None:
    ann = red_on_turn()
    shown(ann)
    ann.receive(WON)
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    words = shown(ann)
    assert words.index("You have won.") < words.index("Your turn.")


def test_a_person_is_told_to_wait_for_the_first_move() -> None:
    ann = person(Santorini())
    ann.receive(TournamentBegan("ann", ""))
    ann.receive(MatchBegan(None, "bob"))
    assert ann.is_stale
    ann.show_stale_board()
    assert shown(ann).endswith("A match against bob begins.\nWaiting for the other player.")


def test_a_person_who_has_to_move_at_once_is_not_told_to_wait() -> None:
    ann = person(Santorini())
    ann.receive(MatchBegan(None, "bob"))
    ann.receive(TurnBegan(Seat.FIRST, Santorini().start(0), None))
    assert not ann.is_stale
    assert "Waiting" not in shown(ann)


def test_a_repeated_board_is_shown_only_if_the_move_was_not_accepted() -> None:
    ann = red_on_turn()
    shown(ann)
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    assert shown(ann) == "", "only an opponent has joined"
    run_command(ann, "d1")
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    assert ann.turn is None
    assert ann.repeated_turn is not None
    ann.accept_repeated_turn()
    words = shown(ann)
    assert "has not accepted that move" in words
    assert START.diagram() in words
    assert run_command(ann, "e1") == [Play(Cell(4, 5))]


def test_a_move_is_shown_on_the_board_after_the_server_has_confirmed_it() -> None:
    ann = red_on_turn()
    shown(ann)
    run_command(ann, "d1")
    assert ann.is_stale
    ann.show_stale_board()
    assert shown(ann) == "You have sent d1. Waiting for the server to confirm it."
    run_command(ann, "board")
    words = shown(ann)
    assert START.diagram() in words
    assert "sent: d1, not confirmed by the server" in words
    assert "last move" not in words
    after = START.after(Cell(3, 5))
    ann.receive(TurnBegan(Seat.SECOND, after, None))
    ann.show_stale_board()
    words = shown(ann)
    assert after.diagram() in words
    assert "last move: d1 by you" in words
    assert "not confirmed" not in words


@pytest.mark.parametrize("verdict", [Ending.PLAYED_OUT, Ending.CANCELLED])
def test_a_move_that_was_never_confirmed_is_not_the_last_move(verdict: Ending) -> None:
    ann = red_on_turn()
    run_command(ann, "d1")
    shown(ann)
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    run_command(ann, "board")
    assert START.diagram() in shown(ann)
    ann.receive(MatchEnded(Result(Seat.SECOND, verdict, "out of time"), START))
    words = shown(ann)
    assert START.diagram() in words
    assert "sent: d1, not confirmed by the server" in words
    assert "last move" not in words
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    assert "not confirmed" not in shown(ann), "a new game: nothing was sent in it"


def test_a_server_that_shows_the_board_only_after_both_moves_has_confirmed_both() -> None:
    game = Santorini()
    ann = person(game, SILENT)
    position = game.start(0)
    for text in ("b2", "c3", "d4"):
        position = position.after(game.read_move(text))
    ann.receive(MatchBegan(None, "bob"))
    ann.receive(TurnBegan(Seat.SECOND, position, None))
    run_command(ann, "e5")
    shown(ann)
    own = position.after(game.read_move("e5"))
    both = own.after(game.read_move("b2-b3+b4"))
    ann.receive(TurnBegan(Seat.SECOND, both, None))
    board = ann.shown[-1]
    assert isinstance(board, BoardView)
    assert board.before == own.diagram(), "only what the opponent has changed stands out"
    assert "last move: b2-b3+b4 by bob" in shown(ann)


def test_without_a_result_from_the_server_the_person_is_told_what_a_winning_move_means() -> None:
    game = Santorini()
    ann = person(game, SILENT)
    names = {Seat.FIRST: "a", Seat.SECOND: "b"}
    rows: list[list[object]] = [
        ["2a1", 3, 0, 0, 0],
        ["0a2", 0, 0, 0, 0],
        ["0b1", "0b2", 0, 0, 0],
        [0] * 5,
        [0] * 5,
    ]
    position = game.start(0).with_rows(rows, names, Seat.FIRST)
    ann.receive(MatchBegan(None, ""))
    ann.receive(TurnBegan(Seat.FIRST, position, None))
    move = next(move for move in position.legal_moves() if position.after(move).outcome)
    assert run_command(ann, game.write_move(move)) == [Play(move)]
    shown(ann)
    ann.receive(EndUnseen())
    words = shown(ann)
    assert "this server does not say who has won" in words
    assert "If the server accepted your last move, you have won" in words
    assert position.diagram() in words


def test_a_game_that_was_over_before_the_person_joined_does_not_count() -> None:
    ann = person()
    ann.receive(Seated(Seat.SECOND))
    shown(ann)
    for _ in range(2):
        assert ann.receive(WON) == [], "a person may look at the board first"
    words = shown(ann)
    assert words.count("This game was over before you joined.") == 1
    assert "won" not in words
    assert "lost" not in words
    assert ann.matches == []
    assert ann.is_asked
    assert run_command(ann, "d1") == []
    assert shown(ann) == "The game is over."
    assert run_command(ann, "rematch") == [Rematch()]
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    ann.receive(WON)
    assert "You have lost." in shown(ann)


def test_an_empty_board_during_a_turn_begins_the_opponents_turn() -> None:
    bob = person()
    bob.receive(Seated(Seat.SECOND))
    bob.receive(TurnBegan(Seat.SECOND, START.after(Cell(3, 5)), None))
    assert bob.is_to_move
    bob.receive(TurnBegan(Seat.FIRST, START, None))
    assert not bob.is_to_move
    bob.show_board()
    assert "Waiting for the other player." in shown(bob)


def test_a_spectator_is_shown_boards_and_cannot_move() -> None:
    eve = person()
    eve.receive(Seated(None))
    eve.receive(TurnBegan(Seat.FIRST, START, None))
    assert not eve.is_asked
    assert run_command(eve, "d1") == []
    assert "You only watch here" in shown(eve)
    eve.receive(TurnBegan(Seat.SECOND, START.after(Cell(3, 5)), None))
    eve.show_board()
    assert "last move: d1 by first player" in shown(eve)
    assert run_command(eve, "say nice") == [Chat("nice")]
    eve.receive(WON)
    assert "The first player has won." in shown(eve)
    assert not eve.is_asked
    assert run_command(eve, "rematch") == []


def test_questions_have_a_suggested_answer() -> None:
    ann = person(Go(), RESIGNABLE)
    ann.receive(TermsQuestion("boardsize"))
    assert ann.prompt == "boardsize [19]> "
    assert run_command(ann, "") == [Answer("boardsize", "19")]
    ann.receive(RequestRejected("boardsize must be less"))
    assert shown(ann) == "The server refuses: boardsize must be less"
    ann.receive(TermsQuestion("boardsize"))
    assert run_command(ann, "9") == [Answer("boardsize", "9")]
    ann.receive(TermsQuestion("weather"))
    assert run_command(ann, "") == [], "there is no suggested answer"
    run_command(ann, "help")
    assert "moves" in shown(ann)
    assert run_command(ann, "board") == [Answer("weather", "board")], "what is no command just now"


def go_at_terms() -> Person[Any]:
    ann = person(Go(), RESIGNABLE)
    ann.receive(TermsProposed(Seat.FIRST, Go(5, 0.5)))
    return ann


def test_a_person_agrees_to_terms_or_rejects_them() -> None:
    ann = go_at_terms()
    assert "size: 5, komi: 0.5" in shown(ann)
    assert run_command(ann, "perhaps") == []
    assert shown(ann) == "Type yes or no."
    assert run_command(ann, "Y") == [Confirm(agrees=True)]
    bob = go_at_terms()
    assert run_command(bob, "no") == [Confirm(agrees=False)]
    assert bob.is_done
    assert bob.error is None


def test_a_refused_move_may_be_tried_again() -> None:
    ann = go_at_terms()
    game = Go(5, 0.5)
    run_command(ann, "")
    ann.receive(TermsAgreed())
    ann.receive(TurnBegan(Seat.FIRST, game.start(0), None))
    assert run_command(ann, "c3") == [Play(game.read_move("C3"))]
    ann.receive(RequestRejected("not on a Sunday"))
    words = shown(ann)
    assert "The server refuses: not on a Sunday" in words
    assert ann.is_to_move
    run_command(ann, "board")
    assert game.start(0).diagram() in shown(ann), "as if nothing had been played"
    assert run_command(ann, "pass") == [Play(Pass())]
    after = game.start(0).after(Pass())
    ann.receive(MovePlayed(Seat.SECOND, game.read_move("B2"), after, None))
    assert run_command(ann, "resign") == [Resign()]
    ann.receive(MatchEnded(Result(Seat.SECOND, Ending.RESIGNED, "the other resigned"), after))
    assert "You have lost: the other resigned." in shown(ann)
    assert ann.is_done


def test_leaving_resigns_or_rejects_the_terms_where_the_protocol_can() -> None:
    ann = go_at_terms()
    assert ann.leave() == [Confirm(agrees=False)]
    bob = go_at_terms()
    run_command(bob, "")
    bob.receive(TermsAgreed())
    assert run_command(bob, "quit") == [Resign()]
    assert bob.is_done
    assert bob.error is None
    cat = red_on_turn()
    assert cat.leave() == []
    assert shown(cat).endswith("You have left.")


def test_a_person_may_try_another_name() -> None:
    ann = person()
    ann.receive(Refused(Refusal.NAME_TAKEN))
    assert "the name is already taken" in shown(ann)
    assert run_command(ann, "") == []
    assert run_command(ann, "anna") == [Join("anna")]
    ann.receive(Seated(Seat.FIRST))
    ann.receive(TurnBegan(Seat.FIRST, START, None))
    assert "anna (you)" in shown(ann)
    bob = person()
    bob.receive(Refused(Refusal.NAME_TAKEN))
    bob.leave()
    assert bob.error is not None
    cat = person()
    cat.receive(Refused(Refusal.FULL))
    assert cat.error == "the server refuses this player: there is no room left"


def test_another_name_keeps_the_wishes_of_the_original_join() -> None:
    ann = person()
    ann.join = Join("ann", table=2, is_private=True, terms=ProposedTerms({"boardsize": "9"}))
    ann.receive(Refused(Refusal.NAME_TAKEN))
    assert run_command(ann, "anna") == [replace(ann.join, name="anna")]
    assert ann.arrive() == [replace(ann.join, name="anna")]


def test_a_tournament_lasts_until_its_result() -> None:
    game = Santorini()
    ann = person(game, SILENT)
    ann.receive(TournamentBegan("anna", ""))
    assert ann.receive(Ping()) == [Pong()]
    for _ in range(2):
        ann.receive(MatchBegan(None, "bob"))
        ann.receive(TurnBegan(Seat.SECOND, game.start(0).after(game.read_move("c3")), None))
        words = shown(ann)
        assert "A match against bob begins." in words
        assert "A bob" in words
        assert "> B ann (you)" in words
        assert len(run_command(ann, "c4")) == 1
        ann.receive(MatchEnded(Result(Seat.SECOND, Ending.PLAYED_OUT, "winner"), game.start(0)))
        assert "You have won." in shown(ann)
        assert not ann.is_done
    ann.receive(TournamentEnded(("cat\x07",), (Win("anna", "bob"), Win("anna", "bob"))))
    assert shown(ann) == "The tournament is over: anna has won 2; removed: cat?."
    ann.receive(Closed("the server has closed the connection"))
    assert ann.is_done
    assert ann.error is None


def test_without_a_board_the_persons_own_moves_are_listed() -> None:
    game = Santorini()
    ann = person(game, SILENT)
    ann.receive(MatchBegan(None, ""))
    ann.receive(TurnUnseen(is_placing=True))
    assert "shows no board" in shown(ann)
    assert run_command(ann, "somewhere") == []
    assert "is not a move" in shown(ann)
    assert run_command(ann, "c3") == [Play(game.read_move("c3"))]
    ann.receive(TurnUnseen(is_placing=False))
    assert "Your moves so far: c3." in shown(ann)
    assert len(run_command(ann, "c3-c4+e1")) == 1
    ann.reject_unsendable_move()
    assert ann.is_asked
    assert "adjacent" in shown(ann)
    assert len(run_command(ann, "c3-c4+d4")) == 1
    ann.receive(EndUnseen())
    assert shown(ann) == "The game is over; this server does not say who has won."
    ann.receive(Closed("the server has closed the connection"))
    assert ann.error is None


def test_a_closed_connection_is_an_error_unless_everything_was_played() -> None:
    cases: list[list[Notice[Any]]] = [[], [Seated(Seat.FIRST)], [Seated(Seat.FIRST), WON]]
    for notices in cases:
        ann = person()
        for notice in notices:
            ann.receive(notice)
        ann.receive(Closed("the server has closed the connection\x1b"))
        assert ann.is_done
        assert ann.error == "the server has closed the connection?"


def test_during_a_turn_of_many_moves_only_new_lines_are_shown() -> None:
    game = Ascension()
    position = game.start(1)
    ann = person(game, SILENT)
    ann.receive(Seated(Seat.FIRST))
    ann.receive(TurnBegan(Seat.FIRST, position, None))
    run_command(ann, "play apprentice")
    position = position.after(game.read_move("play Apprentice"))
    ann.receive(TurnBegan(Seat.FIRST, position, None))
    whole, brief = ann.shown[-2:]
    assert isinstance(whole, BoardView)
    assert isinstance(brief, BoardView)
    assert not whole.is_brief
    assert brief.is_brief
    run_command(ann, "end turn")
    position = position.after(game.read_move("end turn"))
    ann.receive(TurnBegan(Seat.SECOND, position, None))
    shown(ann)
    ann.show_board()
    assert "last move: end turn by you" in shown(ann)
    position = position.after(game.read_move("end turn"))
    ann.receive(TurnBegan(Seat.FIRST, position, None))
    again = ann.shown[-1]
    assert isinstance(again, BoardView)
    assert not again.is_brief


def test_cards_are_explained_in_a_game_with_cards() -> None:
    ann = person(Ascension(), SILENT)
    run_command(ann, "card Mystic")
    assert shown(ann) == "Mystic, Hero: 3 runes, 1 honor. 2 runes."
    run_command(ann, "help")
    assert "card NAME" in shown(ann)


def test_tab_knows_the_moves_and_the_commands() -> None:
    ann = red_on_turn()
    assert completions(ann, "D") == ["d1"]
    assert completions(ann, "re") == ["rematch"]
    assert completions(ann, "res") == []
    run_command(ann, "d1")
    assert completions(ann, "d") == []
