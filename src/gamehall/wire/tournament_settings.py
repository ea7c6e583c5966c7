"""What can be set at every door behind which tournaments are played."""

from typing import Annotated

from msgspec import Meta

from gamehall.rooms.tournament_terms import TournamentTerms
from gamehall.tournaments.pairing import Starts
from gamehall.tournaments.standings import CheaterRule
from gamehall.wire.session import Timeouts
from gamehall.wire.settings import OF_THE_ROOM, DoorSettings


class TournamentSettings(DoorSettings, frozen=True, kw_only=True, rename="kebab"):
    """When tournaments begin, and how they are run."""

    players: Annotated[
        int,
        Meta(
            ge=0,
            le=1000,
            description="players with whom a tournament begins at once, and only then; 0: when"
            " enough have come and nobody else does",
            extra=OF_THE_ROOM,
        ),
    ] = 0
    min_players: Annotated[
        int, Meta(ge=2, le=1000, description="players that are enough", extra=OF_THE_ROOM)
    ] = 2
    max_players: Annotated[
        int,
        Meta(
            ge=2,
            le=1000,
            description="players in a tournament; it begins at once when they are there",
            extra=OF_THE_ROOM,
        ),
    ] = 200
    join_window: Annotated[
        float,
        Meta(
            ge=0,
            le=1e9,
            description="seconds that a tournament waits for somebody else to come",
            extra=OF_THE_ROOM,
        ),
    ] = 3
    parallel: Annotated[
        bool,
        Meta(description="whether several pairs play at the same time", extra=OF_THE_ROOM),
    ] = False
    once: Annotated[
        bool,
        Meta(
            description="whether there is only one tournament; --once sets it everywhere",
            extra=OF_THE_ROOM,
        ),
    ] = False
    join_timeout: Annotated[
        float,
        Meta(ge=0, le=1e9, description="seconds until a client must have signed up; 0: no limit"),
    ] = 30
    message_timeout: Annotated[
        float,
        Meta(ge=0, le=1e9, description="seconds that a message may take to come; 0: no limit"),
    ] = 30

    def __post_init__(self) -> None:
        if self.players == 1:
            raise ValueError("players is 0, or 2 and more: one alone has nobody to meet")
        if self.min_players > self.max_players:
            raise ValueError(
                f"min-players {self.min_players} is more than max-players {self.max_players}"
            )

    def terms(
        self,
        matches_per_pair: int,
        cheaters_matches: CheaterRule,
        best_of: bool = False,
        starts: Starts = Starts.ALTERNATE,
    ) -> TournamentTerms:
        """The terms of a room that is set like this."""
        return TournamentTerms(
            players=self.players or None,
            min_players=self.min_players,
            max_players=self.max_players,
            join_window_seconds=self.join_window,
            matches_per_pair=matches_per_pair,
            best_of=best_of,
            starts=starts,
            parallel=self.parallel,
            cheaters_matches=cheaters_matches,
            once=self.once,
        )

    def patience(self) -> Timeouts:
        """How long a session at this door waits."""
        grace = self.grace_ms / 1000
        return Timeouts(
            seconds_to_join=self.join_timeout + grace if self.join_timeout else None,
            seconds_per_message=self.message_timeout + grace if self.message_timeout else None,
        )
