"""Play the encounters of a run one after the other, and make their records."""

from collections.abc import Callable
from hashlib import blake2b
from typing import Any, NamedTuple

from gamehall.arena.config import ArenaConfig
from gamehall.arena.match import Blame, PlayedGame, SetDeadline, forfeit, play_match
from gamehall.arena.openings import Opening, draw_opening
from gamehall.bots import Bot, BotError
from gamehall.core import Seat
from gamehall.engines.choice import choose_bot
from gamehall.engines.guarded import IsolatedBot
from gamehall.match import Ending
from gamehall.match.record import Record, RecordedMove, match_name
from gamehall.tournaments.formats.format import Encounter

LETTERS_OF_EVIDENCE = 4_000
MOVES_REMEMBERED = 10_000
SEATS = (Seat.FIRST, Seat.SECOND)


class Row(NamedTuple):
    """A played match, as it is stored. Bots are indices of the config's entries."""

    encounter: int
    match: int
    """0, or 1 for the second match of a pair."""
    first: int
    second: int
    winner: int | None
    ending: Ending
    blame: int | None
    detail: str
    evidence: str
    moves: int
    seconds: tuple[float, float]
    """The thinking time of the two bots, in total."""
    printed: tuple[str, str]
    """The first output of the two bots on standard output, which is ignored."""
    name: str
    """The name of the match."""
    record: bytes


class MatchRunner:
    def __init__(self, run: str, config: ArenaConfig, clock: Callable[[], float]) -> None:
        """Raises BotChoiceError."""
        self._run = run
        self._config = config
        self._clock = clock
        self._game = config.make_game()
        self._names = config.names
        self._choices = {
            number: choose_bot(one.text, config.game, clock, one.seconds_per_move)
            for number, one in enumerate(config.entries)
            if one.is_built_in
        }
        self._guarded: dict[int, IsolatedBot] = {}
        self._written: dict[tuple[Seat, Any], RecordedMove] = {}
        """A cache: writing moves takes long, and most occur again and again."""
        self._room = f"arena {run}"

    def play(self, encounter: Encounter, guards_all: bool, set_deadline: SetDeadline) -> list[Row]:
        """Play all matches of an encounter.

        Args:
            encounter: the encounter.
            guards_all: run built-in bots in processes of their own, too, to find out which one
                ends the worker process.
            set_deadline: called before each move.

        Raises:
            MatchNotPlayedError: a match could not be played, and no bot is to blame.
        """
        seed = seed_of(self._config.seed, encounter.number)
        opening = draw_opening(self._config.book, self._game, encounter.number, seed)
        rows: list[Row] = []
        players = (encounter.one, encounter.other)
        for match in range(self._config.matches_per_encounter):
            played, bots = self._play_match(
                f"{seed}/{match}", players, opening, guards_all, set_deadline
            )
            rows.append(self._row(encounter.number, match, players, opening.seed, played, bots))
            players = players[::-1]
        return rows

    def close(self) -> None:
        """End the processes of the bots."""
        for bot in self._guarded.values():
            bot.close()
        self._guarded.clear()

    def _play_match(
        self,
        seed: str,
        players: tuple[int, int],
        opening: Opening,
        guards_all: bool,
        set_deadline: SetDeadline,
    ) -> tuple[PlayedGame, list[Bot[Any]]]:
        """Play a match. Return it, and its bots as far as they have started."""
        bots: list[Bot[Any]] = []
        for player, seat in zip(players, SEATS, strict=True):
            try:
                bots.append(self._make_bot(player, seed_of(seed, player), guards_all))
            except BotError as fault:
                return forfeit(self._game, opening, seat, fault), bots
        played = play_match(
            self._game, opening, bots, self._config.limits, self._clock, set_deadline
        )
        set_deadline(0.0)
        for bot, seat in zip(bots, SEATS, strict=True):
            bot.game_over(played.position.seen_by(seat), seat, played.result)
            if not isinstance(bot, IsolatedBot):
                bot.close()
        return played, bots

    def _make_bot(self, player: int, seed: int, guards_all: bool) -> Bot[Any]:
        """Return a bot that is ready for a match. Raises BotError."""
        if player in self._choices and not guards_all:
            return self._choices[player].make(seed)
        guarded = self._guarded.get(player)
        if guarded is None:
            entry = self._config.entries[player]
            guarded = IsolatedBot(
                text=entry.text,
                game=self._game,
                limits=self._config.limits,
                seconds_per_move=entry.seconds_per_move,
            )
            self._guarded[player] = guarded
        guarded.begin(seed)
        return guarded

    def _write(self, seat: Seat, move: Any) -> RecordedMove:
        written = RecordedMove(seat, self._game.write_move(move))
        if len(self._written) < MOVES_REMEMBERED:
            self._written[seat, move] = written
        return written

    def _row(
        self,
        number: int,
        match: int,
        players: tuple[int, int],
        seed: int,
        played: PlayedGame,
        bots: list[Bot[Any]],
    ) -> Row:
        result, blame = played.result, played.blame
        first, second = players
        name = match_name(f"{self._run}/{number}/{match}")
        record = Record(
            game=self._game.name,
            terms=self._config.terms,
            seed=seed,
            players=(self._names[first], self._names[second]),
            moves=tuple([self._written.get(move) or self._write(*move) for move in played.moves]),
            result=result,
            room=self._room,
            ended=None,
            own_name=name,
        )
        return Row(
            encounter=number,
            match=match,
            first=first,
            second=second,
            winner=None if result.winner is None else players[result.winner is Seat.SECOND],
            ending=result.ending,
            blame=None if blame is None else players[blame.seat is Seat.SECOND],
            detail=result.detail,
            evidence="" if blame is None else _evidence(blame, played),
            moves=len(played.moves),
            seconds=(round(played.seconds[0], 6), round(played.seconds[1], 6)),
            printed=(_printed(bots[:1]), _printed(bots[1:])),
            name=name,
            record=record.to_json(),
        )


def _evidence(blame: Blame, played: PlayedGame) -> str:
    """Return what the bot raised or printed, and the last position."""
    diagram = played.position.seen_by(blame.seat).diagram()
    return f"{blame.reason}\n{diagram}"[:LETTERS_OF_EVIDENCE]


def seed_of(seed: int | str, number: int) -> int:
    """Derive the seed of the encounter or bot of this number from another seed."""
    return int.from_bytes(blake2b(f"{seed}/{number}".encode(), digest_size=7).digest(), "big")


def _printed(bots: list[Bot[Any]]) -> str:
    """Return the output of the bot in the list, empty if there is none."""
    return next((bot.printed for bot in bots if isinstance(bot, IsolatedBot)), "")
