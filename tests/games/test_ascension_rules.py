"""Ascension by its rules, AR-01 to AR-09 of RULES.md, and the parts of a turn."""

from collections import Counter

import pytest

from gamehall.core import Outcome, Seat
from gamehall.games.ascension import CARDS, HIDDEN, Ascension, Choose, EndTurn, PlayCard, Supply
from gamehall.games.ascension.cards import HEAVY_INFANTRY, MYSTIC
from gamehall.match import Ending, Record, Result
from gamehall.match.record import read_game, write_terms
from tests.games.ascension_tables import (
    GAME,
    IN_CENTER_DECK,
    IN_ROW,
    after,
    gained,
    in_play,
    legal,
    mine,
    other,
    refused,
    table,
)


def test_AR_01_the_set_up_of_a_game() -> None:
    board = GAME.start(1).board
    for side in board.sides:
        assert Counter(side.cards) == {"Apprentice": 8, "Militia": 2}
        assert (len(side.hand), len(side.deck), side.honor) == (5, 5, 0)
    assert (len(board.row), len(board.center_deck)) == (6, 94)
    assert (board.mystics, board.heavies, board.honor_pool) == (30, 29, 60)
    assert (board.turn, board.turn_owner) == (0, Seat.FIRST)
    assert GAME.start(1) == GAME.start(1)
    assert GAME.start(1) != GAME.start(2)


def test_AR_01_the_center_deck_has_a_hundred_cards() -> None:
    board = GAME.start(1).board
    counts = Counter(board.row + board.center_deck)
    assert counts.total() == 100
    assert all(CARDS[name].copies == count for name, count in counts.items())
    kinds = Counter(CARDS[name].kind.value for name in counts.elements())
    assert kinds == {"Hero": 51, "Construct": 21, "Monster": 28}
    assert len(CARDS) == 53


def test_AR_01_the_honor_pool_is_a_term() -> None:
    assert Ascension(honor=30).start(0).board.honor_pool == 30
    with pytest.raises(ValueError, match="must be 1 to 1000"):
        Ascension(honor=0)


def test_AR_02_heroes_stay_until_the_end_of_the_turn_and_constructs_longer() -> None:
    start = table(hand=["Mystic", "Shadow Star"], deck=["Apprentice"] * 5)
    position = after(start, "play Mystic", "play Shadow Star")
    assert mine(position).played == ("Mystic",)
    assert mine(position).discard == ()
    position = after(position, "end turn")
    assert other(position).played == ()
    assert other(position).discard == ("Mystic",)
    assert in_play(other(position)) == ["Shadow Star"]


def test_AR_02_only_cards_of_the_hand_are_played() -> None:
    position = table(deck="Mystic", discard="Mystic", other_hand="Mystic")
    assert refused(position, "play Mystic") == "Mystic is not in your hand"


def test_AR_03_acquired_cards_are_paid_and_go_to_the_discard_pile_at_once() -> None:
    position = after(table(row="Spike Vixen", runes=5), "acquire Spike Vixen", "acquire Mystic")
    assert mine(position).discard == ("Spike Vixen", "Mystic")
    assert position.board.runes == 0
    assert position.board.mystics == 29
    assert refused(position, "acquire Heavy Infantry") == (
        "Heavy Infantry costs 2 runes more than you have"
    )


def test_AR_03_an_empty_pile_sells_nothing() -> None:
    position = table(runes=9, mystics=0, heavies=1)
    assert refused(position, "acquire Mystic") == "the pile of Mystic is empty"
    position = after(position, "acquire Heavy Infantry")
    assert "acquire Heavy Infantry" not in legal(position)


def test_AR_03_a_card_just_acquired_can_be_drawn() -> None:
    start = table(row="Spike Vixen", runes=2, hand="Arha Initiate")
    position = after(start, "acquire Spike Vixen", "play Arha Initiate")
    assert mine(position).hand == ("Spike Vixen",)


def test_AR_03_a_construct_that_is_acquired_does_not_enter_play_by_itself() -> None:
    position = after(table(row="The Grand Design", runes=6), "acquire The Grand Design")
    assert in_play(mine(position)) == []


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("acquire Mephit", "Mephit is a monster: it can be defeated, not acquired"),
        ("acquire Cultist", "Cultist is a monster: it can be defeated, not acquired"),
        ("acquire Muramasa", "Muramasa is not in the center row"),
        ("acquire Apprentice", "Apprentice is not in the center row"),
        ("defeat Landtalker", "Landtalker is not a monster: only monsters are defeated"),
        ("defeat Earth Tyrant", "Earth Tyrant is not in the center row"),
        ("defeat Sea Tyrant", "Sea Tyrant takes 5 power, and you have 4"),
        ("choose rune", "there is nothing to choose now"),
    ],
)
def test_the_error_for_an_illegal_move_says_why(move: str, reason: str) -> None:
    assert refused(table(row=["Mephit", "Sea Tyrant"], runes=9, power=4), move) == reason


def test_hidden_cards_cannot_be_played() -> None:
    hidden = table(hand="Mystic").seen_by(None)
    assert hidden.board.mine.hand == (HIDDEN,)
    assert not hidden.allows(PlayCard(HIDDEN))
    assert list(hidden.legal_moves()) == [EndTurn()], "hidden cards are not listed"


def test_an_endless_supply_never_runs_out_and_keeps_its_numbers() -> None:
    position = table(runes=400, supply=Supply.ENDLESS, hand="Druids of the Stone Circle")
    position = after(position, *["acquire Heavy Infantry", "acquire Mystic"] * 40)
    position = after(position, "play Druids of the Stone Circle", "choose Mystic")
    assert (position.board.mystics, position.board.heavies) == (30, 29)
    owned = Counter(mine(position).cards)
    assert (owned[MYSTIC], owned[HEAVY_INFANTRY]) == (41, 40)
    assert "any number of Mystic and Heavy Infantry" in position.diagram()
    assert position.picture().count(">always<") == 3
    counted = table(runes=400, heavies=1)
    bought = after(counted, "acquire Heavy Infantry")
    assert refused(bought, "acquire Heavy Infantry") == "the pile of Heavy Infantry is empty"


def test_the_supply_is_a_term_of_records_but_old_records_lack_it() -> None:
    endless = Ascension(supply=Supply.ENDLESS)
    assert write_terms(endless)["supply"] == "endless"
    old = {"honor": 60, "ties": False, "turns": 1000}
    for terms, game in ((write_terms(endless), endless), (old, Ascension())):
        record = Record("ascension", terms, 1, (None, None), (), Result(None, Ending.CANCELLED, ""))
        assert read_game(Ascension, Record.from_json(record.to_json())) == game


def test_while_a_choice_is_pending_nothing_else_can_be_done() -> None:
    position = after(table(hand=["Mechana Initiate", "Mystic"]), "play Mechana Initiate")
    assert legal(position) == ["choose power", "choose rune"]
    assert refused(position, "end turn") == (
        "Mechana Initiate asks for a choice first: choose power or rune"
    )
    assert refused(position, "play Mystic").startswith("Mechana Initiate asks")
    assert not position.allows(Choose(""))
    assert not position.allows(Choose("Rune"))


def test_AR_03_runes_power_and_discounts_not_used_are_lost() -> None:
    start = table(runes=3, power=2, restricted_runes=1, discount=1)
    board = after(start, "end turn").board
    assert (board.runes, board.power, board.restricted_runes, board.discount) == (0, 0, 0, 0)


def test_AR_03_a_price_is_never_below_zero() -> None:
    position = after(table(row="Shadow Star", discount=5), "acquire Shadow Star")
    assert gained(position) == (0, 0, 0)


def test_AR_04_the_row_is_refilled_where_the_card_was() -> None:
    start = table(row=["Mephit", "Spike Vixen", "Mephit"], runes=2)
    row = after(start, "acquire Spike Vixen").board.row
    assert row == ("Mephit", IN_CENTER_DECK, "Mephit", IN_ROW, IN_ROW, IN_ROW)


def test_AR_06_the_turn_ends_with_a_new_hand() -> None:
    start = table(hand=["Mystic", "Militia"], deck=["Apprentice"] * 3, discard=["Spike Vixen"])
    position = after(start, "play Mystic", "end turn")
    assert sorted([*other(position).hand, *other(position).deck]) == sorted(
        ["Apprentice"] * 3 + ["Mystic", "Militia", "Spike Vixen"]
    )
    assert other(position).hand[:3] == ("Apprentice",) * 3, "what was in the deck comes first"
    assert len(other(position).hand) == 5
    assert position.board.chance.times_used == 1
    assert (position.to_move, position.board.turn) == (Seat.SECOND, 1)


def test_AR_06_the_discard_pile_is_shuffled_only_when_a_card_is_needed() -> None:
    position = after(table(deck=["Apprentice"] * 5, discard="Mystic"), "end turn")
    assert other(position).deck == ()
    assert other(position).discard == ("Mystic",)
    assert position.board.chance.times_used == 0


def test_AR_06_a_player_without_enough_cards_draws_fewer() -> None:
    position = after(table(hand=["Mystic"], deck=["Militia"]), "end turn")
    assert sorted(other(position).hand) == ["Militia", "Mystic"]


def test_heroes_played_this_turn_do_not_come_back_by_a_reshuffle() -> None:
    start = table(hand=["Mystic", "Ascetic of the Lidless Eye"], discard="Militia")
    position = after(start, "play Mystic", "play Ascetic of the Lidless Eye")
    assert mine(position).hand == ("Militia",)


def test_AR_07_the_first_player_empties_the_pool_and_the_second_has_one_more_turn() -> None:
    start = table(power=2, honor_pool=1)
    position = after(start, "defeat Cultist")
    assert position.board.honor_pool == 0
    position = after(position, "end turn")
    assert position.to_move is Seat.SECOND
    position = after(position, "end turn")
    assert position.to_move is None
    assert position.outcome == Outcome(Seat.FIRST, "1 honor to 0")
    assert list(position.legal_moves()) == []
    assert refused(position, "end turn") == "the game is over: 1 honor to 0"


def test_AR_07_the_second_player_empties_the_pool_and_the_game_ends_with_that_turn() -> None:
    start = table(power=2, honor_pool=1, turn_owner=Seat.SECOND)
    position = after(start, "defeat Cultist", "end turn")
    assert position.outcome == Outcome(Seat.SECOND, "1 honor to 0")


def test_AR_07_honor_beyond_the_pool_comes_from_a_reserve() -> None:
    position = after(table(row="Sea Tyrant", power=7, honor_pool=2), "defeat Sea Tyrant")
    assert (position.board.honor_pool, mine(position).honor) == (0, 5)
    assert mine(after(position, "defeat Cultist")).honor == 6


def test_AR_07_an_extra_turn_in_the_last_round_is_taken() -> None:
    start = table(
        constructs="Tablet of Time's Dawn", honor_pool=0, turn_owner=Seat.SECOND, deck=["Mystic"]
    )
    position = after(start, "activate Tablet of Time's Dawn", "end turn")
    assert position.to_move is Seat.SECOND
    assert after(position, "end turn").to_move is None


def test_AR_07_choices_still_owed_at_the_end_are_never_asked() -> None:
    start = table(
        row="Corrosive Widow",
        power=4,
        honor_pool=1,
        turn_owner=Seat.SECOND,
        other_constructs=["Muramasa", "Shadow Star"],
    )
    position = after(start, "defeat Corrosive Widow", "end turn")
    assert position.outcome is not None
    assert position.board.pending is None
    assert len(position.board.side(Seat.FIRST).constructs) == 2


def test_AR_08_the_honor_of_all_own_cards_counts_wherever_they_are() -> None:
    start = table(
        honor=1,
        hand="Mystic",
        deck="Landtalker",
        discard="Demon Slayer",
        constructs="Muramasa",
        other_honor=3,
        other_hand=["Apprentice", "Heavy Infantry"],
        honor_pool=0,
    )
    assert start.scores() == (1 + 1 + 3 + 2 + 4, 3 + 0 + 1)
    position = after(start, "play Mystic", "end turn", "end turn")
    assert position.outcome == Outcome(Seat.FIRST, "11 honor to 4")


def test_AR_08_banished_cards_do_not_count() -> None:
    start = table(hand=["Arbiter of the Precipice", "Landtalker"])
    position = after(start, "play Arbiter of the Precipice", "choose Landtalker")
    assert position.scores() == (1, 0)


def test_AR_08_the_later_player_wins_a_tie_unless_ties_are_allowed() -> None:
    position = table(honor=4, other_honor=4, honor_pool=0, turn_owner=Seat.SECOND)
    reason = "both have 4 honor, and the later in turn order wins a tie"
    assert after(position, "end turn").outcome == Outcome(Seat.SECOND, reason)
    position = table(honor=4, other_honor=4, honor_pool=0, turn_owner=Seat.SECOND, ties=True)
    assert after(position, "end turn").outcome == Outcome(None, "both have 4 honor")


def test_AR_09_an_empty_center_deck_is_made_anew_from_the_void_without_the_basic_cards() -> None:
    basic = ["Apprentice", "Militia", "Mystic", "Heavy Infantry"]
    start = table(row="Spike Vixen", runes=2, center_deck=(), void=[*basic, "Muramasa", "Mephit"])
    board = after(start, "acquire Spike Vixen").board
    assert board.void == tuple(basic)
    assert sorted([board.row[0], *board.center_deck]) == ["Mephit", "Muramasa"]


def test_AR_09_a_monster_just_defeated_is_shuffled_too() -> None:
    start = table(row="Wind Tyrant", power=5, center_deck=())
    assert after(start, "defeat Wind Tyrant").board.row[0] == "Wind Tyrant"


def test_AR_09_the_row_stays_short_when_nothing_is_left() -> None:
    start = table(row=["Spike Vixen"] * 6, runes=4, center_deck=(), void="Militia")
    position = after(start, "acquire Spike Vixen")
    assert position.board.row == ("Spike Vixen",) * 5
    assert after(position, "acquire Spike Vixen").board.row == ("Spike Vixen",) * 4


def test_AR_09_a_short_row_is_filled_up_when_the_next_card_leaves_it() -> None:
    start = table(row=["Spike Vixen", "Mephit", "Mephit"], short_row=True, runes=2)
    position = after(start, "acquire Spike Vixen")
    assert position.board.row == (IN_CENTER_DECK, "Mephit", "Mephit", *[IN_CENTER_DECK] * 3)


def test_AR_09_with_an_empty_row_only_the_piles_are_offered() -> None:
    position = table(short_row=True, runes=3, power=2)
    assert legal(position) == [
        "acquire Mystic",
        "acquire Heavy Infantry",
        "defeat Cultist",
        "end turn",
    ]


def test_a_turn_can_end_at_once_and_cards_need_not_be_played() -> None:
    position = after(table(hand="Mystic"), "end turn")
    assert other(position).hand == ("Mystic",)


def test_equal_cards_are_one_move() -> None:
    position = table(hand=["Mystic", "Mystic"], row=["Mephit", "Mephit"], power=3)
    assert legal(position) == ["play Mystic", "defeat Mephit", "defeat Cultist", "end turn"]


def test_a_move_does_not_change_the_position() -> None:
    position = table(hand="Mystic")
    before = position.board
    position.after(EndTurn())
    assert position.board == before == table(hand="Mystic").board


def test_a_game_ends_after_the_maximum_number_of_turns() -> None:
    game = Ascension(turns=3)
    position = game.start(1)
    for _ in range(3):
        position = position.after(EndTurn())
        assert position.outcome is None, "the second player has the last turn"
    assert position.after(EndTurn()).outcome is not None


def test_AR_08_the_tally_tells_tokens_from_cards_also_where_hands_are_hidden() -> None:
    position = after(table(power=2, honor_pool=1), "defeat Cultist", "end turn", "end turn")
    assert position.outcome == Outcome(Seat.FIRST, "1 honor to 0")
    told = "1 + 0 on cards, 0 + 0 on cards"
    assert position.tally() == position.seen_by(None).tally() == told
