"""Values of the API for tables, offers and tournaments, and texts about terms and results."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from gamehall.core import Game, MoveT, Position, Seat
from gamehall.match import Result
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

SEATS_WITHOUT_NAMES = ("player 1", "player 2")
ORDINALS = {1: "first", 2: "second", 3: "third"}


def with_names(players: Sequence[str | None]) -> tuple[str, str]:
    """Return what the two players of a match are called; by some protocols they have no names."""
    first, second = (
        name or unnamed for name, unnamed in zip(players, SEATS_WITHOUT_NAMES, strict=True)
    )
    return first, second


def describe(result: Result, game: type[Game[Any]] | None, players: Sequence[str | None]) -> str:
    """Return how a match ended, in the words for a spectator."""
    return result.in_words(game, with_names(players))


def table_line(view: TableView[Any]) -> TableLine:
    """Return a table as it is listed."""
    position, result = view.position, view.result
    is_match = view.match is not None and not view.is_open
    to_move = None if position is None or result is not None else position.to_move
    return TableLine(
        name=view.name,
        match=view.match,
        players=with_names(view.players) if is_match else view.players,
        moves=len(view.moves),
        to_move=None if to_move is None else to_move.value,
        result=None if result is None else describe(result, type(view.game), view.players),
        winner=None if result is None or result.winner is None else result.winner.value,
        spectators=view.spectators,
        is_open=view.is_open,
        version=view.version,
    )


def tournament_line(view: TournamentView) -> TournamentLine:
    """Return the standings of a tournament."""
    return TournamentLine(
        is_over=view.is_over,
        standings=tuple(Standing(rank.name, rank.won, rank.lost) for rank in view.ranks),
        wins=tuple((*win, times) for win, times in Counter(view.wins).items()),
        cheaters=dict(view.cheaters),
        encounters=view.encounters,
        encounters_done=view.encounters_done,
    )


def choices(game: Game[MoveT], position: Position[MoveT]) -> tuple[LegalMove, ...]:
    """Return the legal moves with their targets in the picture."""
    return tuple(
        LegalMove(game.write_move(move), game.targets(move)) for move in position.legal_moves()
    )


def last_move_seen(sight: PlayerView[MoveT]) -> PlayedMove | None:
    """Return the move that led to the position shown at a seat, None if there is none."""
    seat, move = sight.last_mover, sight.last_move
    if seat is None or move is None:
        return None
    return PlayedMove(seat.value, sight.game.write_move(move), sight.game.targets(move))


def terms_in_words(game: Game[Any]) -> dict[str, str]:
    """Return all terms of a game in words, by name."""
    options = {choice.name: dict(choice.options) for choice in game.term_choices}
    words = {}
    for name, value in write_terms(game).items():
        term = getattr(game, name)
        if isinstance(term, bool):
            shown = "yes" if term else "no"
        elif isinstance(term, Seat):
            shown = game.seat_titles[term.value - 1]
        elif name in options:
            shown = options[name].get(value, str(value))
        else:
            shown = str(value)
        words[name.replace("_", " ")] = shown
    return words


def chosen_terms(game: Game[Any]) -> dict[str, str | int | float]:
    """Return the terms of a game that players choose, by name."""
    return {choice.name: getattr(game, choice.name) for choice in game.term_choices}


def choice_in_words(game: Game[Any], terms: Mapping[str, str | int | float]) -> str:
    """Return terms in words; those that a player has not chosen have their default."""
    words = []
    for name, title, options in game.term_choices:
        value = terms.get(name, getattr(game, name))
        words.append(f"{title.lower()} {dict(options).get(value, value)}")
    return ", ".join(words)


def offer(view: TableView[Any]) -> TermsOffer:
    """Return the offer of a player who waits at a table. Does not check that one waits."""
    values = chosen_terms(view.game)
    return TermsOffer(
        table=int(view.name.rpartition("-")[2]),
        name=next(filter(None, view.players), ""),
        terms=choice_in_words(view.game, values),
        values=values,
        seat=None if view.free_seat is None else view.free_seat.value,
        may_counter=view.is_negotiable,
    )


def describe_end(result: Result, sight: PlayerView[Any], names: tuple[str, str]) -> str:
    """Return who won a match, and why, in the words for one of its players."""
    winner, seat, position = result.winner, sight.seat, sight.position
    outcome = position.outcome if position is not None else None
    tally = position.tally() if position is not None and outcome is not None else ""
    count = f" ({tally})" if tally else ""
    if winner is None and outcome is not None:
        return f"A draw: {outcome.reason}{count}."
    if winner is None:
        return f"No winner: {result.detail}."
    first, second = (
        "you" if one is seat else name or "the opponent"
        for one, name in zip(Seat, names, strict=True)
    )
    why = result.why(type(sight.game), (first, second)) + count
    if seat is None:
        return f"{first if winner is Seat.FIRST else second} won: {why}."
    return f"You {'won' if winner is seat else 'lost'}: {why}."


def tell_end(number: int | None, verdict: str, opponent: str = "") -> str:
    """Return the message about the end of a player's match.

    Args:
        number: of the match, from 1; None if earlier matches may have been forgotten.
        verdict: from `describe_end`.
        opponent: named in tournaments, where it differs from match to match.
    """
    game = "the game" if number is None else f"game {number}"
    if opponent:
        game = f"{game} against {opponent}"
    who, _, why = verdict.partition(": ")
    if who.endswith((" won", " lost")):
        return f"{who} {game}: {why}"
    return f"{game[:1].upper()}{game[1:]} is over. {verdict}"


def standings_of(ended: TournamentEnded) -> tuple[Standing, ...]:
    """Return the standings of a tournament, the best first; among equals, the disqualified last."""
    won = Counter(win.winner for win in ended.wins)
    lost = Counter(win.loser for win in ended.wins)
    names = sorted({*won, *lost}, key=lambda name: (-won[name], lost[name], name in ended.cheaters))
    return tuple(Standing(name, won[name], lost[name]) for name in names)


def describe_rank(standings: Sequence[Standing], own_name: str) -> str:
    """Return how a tournament ended, for the player who is called `own_name` there."""
    own = next((one for one in standings if one.name == own_name), None)
    if own is None:
        return "The tournament is over."
    score = own.won, -own.lost
    scores = [(one.won, -one.lost) for one in standings]
    place, is_shared = 1 + sum(other > score for other in scores), scores.count(score) > 1
    ordinal = ORDINALS.get(place, f"{place}th")
    if is_shared:
        how = f"You share {ordinal} place"
    else:
        how = "You won the tournament" if place == 1 else f"You came {ordinal}"
    return f"{how}: {own.won} {'win' if own.won == 1 else 'wins'} of {own.won + own.lost}."
