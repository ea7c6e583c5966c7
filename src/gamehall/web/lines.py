"""What is seen of tables, from seats and by others, and of tournaments, in the words of the API."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from gamehall.core import Game, MoveT, Outcome, Position, Seat
from gamehall.match import Ending, Result
from gamehall.match.record import write_terms
from gamehall.players.player_view import PlayerView
from gamehall.rooms.notices import TournamentEnded
from gamehall.rooms.view import TableView, TournamentView
from gamehall.web.model import (
    LegalMove,
    PlayedMove,
    Standing,
    TableLine,
    TermsOffer,
    TournamentLine,
)

SEATS_WITHOUT_NAMES = ("the first player", "the second player")


def describe(result: Result, players: Sequence[str | None]) -> str:
    """How a match ended, for somebody who looked on."""
    if result.winner is None:
        return f"Nobody has won: {result.how}"
    number = result.winner is Seat.SECOND
    name = players[number] or SEATS_WITHOUT_NAMES[number]
    return f"{name} has won: {result.how}"


def table_line(view: TableView[Any]) -> TableLine:
    """A table in a list."""
    position, result = view.position, view.result
    to_move = None if position is None or result is not None else position.to_move
    return TableLine(
        name=view.name,
        match=view.match,
        players=view.players,
        moves=len(view.moves),
        to_move=None if to_move is None else to_move.value,
        result=None if result is None else describe(result, view.players),
        winner=None if result is None or result.winner is None else result.winner.value,
        spectators=view.spectators,
        is_open=view.is_open,
        version=view.version,
    )


def tournament_line(view: TournamentView) -> TournamentLine:
    """How a tournament stands."""
    return TournamentLine(
        is_over=view.is_over,
        standings=tuple(Standing(rank.name, rank.won, rank.lost) for rank in view.ranks),
        wins=tuple((*win, times) for win, times in Counter(view.wins).items()),
        cheaters=dict(view.cheaters),
        encounters=view.encounters,
        encounters_done=view.encounters_done,
    )


def choices(game: Game[MoveT], position: Position[MoveT]) -> tuple[LegalMove, ...]:
    """What can be played there."""
    return tuple(
        LegalMove(game.write_move(move), game.targets(move)) for move in position.legal_moves()
    )


def last_move_seen(sight: PlayerView[MoveT]) -> PlayedMove | None:
    """The move that led to what is shown at a seat, None if there is none."""
    seat, move = sight.last_mover, sight.last_move
    if seat is None or move is None:
        return None
    return PlayedMove(seat.value, sight.game.write_move(move), sight.game.targets(move))


def terms_in_words(game: Game[Any]) -> dict[str, str]:
    """The terms of a game, by name."""
    return {name.replace("_", " "): str(value) for name, value in write_terms(game).items()}


def offer(view: TableView[Any]) -> TermsOffer:
    """Return who waits at a table, and what it would like to play. Not checked: that it waits."""
    words = []
    for name, title, options in view.game.term_choices:
        value = getattr(view.game, name)
        words.append(f"{title.lower()} {dict(options).get(value, value)}")
    number = int(view.name.rpartition("-")[2])
    return TermsOffer(number, next(filter(None, view.players), ""), ", ".join(words))


def describe_end(
    result: Result, outcome: Outcome | None, seat: Seat | None, names: tuple[str, str]
) -> str:
    """How a match ended, for the player in that seat: who won, and why."""
    winner = result.winner
    if winner is None and outcome is not None:
        return f"A draw: {outcome.reason}."
    if winner is None:
        return f"No winner: {result.detail}."
    loser = names[1 if winner is Seat.FIRST else 0] or "the opponent"
    who = "you" if seat is winner.other else loser
    reasons = {
        Ending.RESIGNED: f"{who} resigned",
        Ending.OUT_OF_TIME: f"{who} ran out of time",
        Ending.LEFT: f"{who} left the game",
    }
    why = reasons.get(result.ending, outcome.reason if outcome else result.how)
    if seat is None:
        return f"{names[0 if winner is Seat.FIRST else 1]} won: {why}."
    return f"You {'won' if winner is seat else 'lost'}: {why}."


def describe_standings(ended: TournamentEnded, own_name: str) -> str:
    """What a tournament has come to, for the player who is called `own_name` there."""
    won: Counter[str] = Counter()
    for win in ended.wins:
        won[win.winner] += 1
        won[win.loser] += 0
    lines = [
        f"{'you' if name == own_name else name}: {wins} {'win' if wins == 1 else 'wins'}"
        for name, wins in won.most_common()
    ]
    return f"The tournament is over. {', '.join(lines)}.".replace(". .", ".")
