"""How a turn ends and the next begins, and how the game ends."""

from gamehall.core import Outcome, Seat
from gamehall.games.ascension.board import Board, Construct
from gamehall.games.ascension.cards import CARDS
from gamehall.games.ascension.draft import Draft
from gamehall.games.ascension.moves import HIDDEN

HAND_SIZE = 5


def end_turn(draft: Draft, most_turns: int) -> bool:
    """Clears the table, draws the next hand, and begins the next turn if there is one.

    Whether there is: the round is finished when the pool is empty, so the last turn is always the
    second player's (AR-07), extra turns included (RULES.md, 11); so it is after as many turns as
    there may be. The last turn ends with a new hand like any other (reading 14).
    """
    mine = draft.mine
    mine.discard += mine.hand + mine.played
    mine.hand = mine.played = ()
    draft.draw(HAND_SIZE)
    draft.runes = draft.power = draft.restricted_runes = draft.discount = 0
    is_last_round = draft.honor_pool == 0 or draft.turn + 1 >= most_turns
    if is_last_round and draft.turn_owner is Seat.SECOND and not draft.extra_turns:
        return False
    if draft.extra_turns:
        draft.extra_turns -= 1
    else:
        draft.turn_owner = draft.turn_owner.other
        draft.mine, draft.other = draft.other, draft.mine
    draft.turn += 1
    _begin_turn(draft)
    return True


def _begin_turn(draft: Draft) -> None:
    """Makes the constructs ready, and puts onto the agenda what the player owes."""
    mine = draft.mine
    draft.has_defeated = False
    mine.constructs = tuple(Construct(construct.name) for construct in mine.constructs)
    draft.agenda, mine.owed = mine.owed, ()


def scores(board: Board) -> tuple[int, int]:
    """What each player has: honor, and the honor printed on all cards of their own (AR-08).

    What is printed on cards that nobody sees is not counted.
    """
    first, second = (
        side.honor + sum(CARDS[name].honor for name in side.cards if name != HIDDEN)
        for side in board.sides
    )
    return first, second


def outcome(board: Board, ties: bool) -> Outcome:
    """Who has won when the game ends here; unless ties are allowed, the second wins them."""
    first, second = scores(board)
    if first == second:
        if ties:
            return Outcome(None, f"both have {first} honor")
        return Outcome(
            Seat.SECOND, f"both have {first} honor, and the later in turn order wins a tie"
        )
    winner = Seat.FIRST if first > second else Seat.SECOND
    return Outcome(winner, f"{max(first, second)} honor to {min(first, second)}")
