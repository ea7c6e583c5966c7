"""Neighbours on a ladder meet, and the lower one may climb."""

from typing import ClassVar

from gamehall.tournaments.formats.staged import Course, Pairing, Stage, StagedFormat


class Ladder(StagedFormat):
    """Everybody stands on a rung, at first as named, player 0 on top.

    In one round the first meets the second, the third the fourth and so on; in the next the
    second meets the third and so on. The lower of two who has scored more changes places with
    the other. After as many rounds as there are players, the default, the last can have come to
    the top.
    """

    name: ClassVar[str] = "ladder"

    def __init__(self, players: int, games: int, in_pairs: bool, rounds: int | None = None) -> None:
        super().__init__(players, games, in_pairs)
        if rounds is not None and rounds < 1:
            raise ValueError(f"a ladder takes at least 1 round, not {rounds}")
        self.rounds = players if rounds is None else rounds
        self._rungs = list(range(players))
        self.begin()

    def course(self) -> Course:
        rungs = self._rungs
        for number in range(1, self.rounds + 1):
            upper_rungs = range((number - 1) % 2, len(rungs) - 1, 2)
            # Of two players nobody has a neighbour in every second round.
            if not upper_rungs:
                continue
            scores = yield Stage(
                number,
                [
                    Pairing(rungs[rung], rungs[rung + 1], self.terms.encounters_per_pairing)
                    for rung in upper_rungs
                ],
            )
            for rung, score in zip(upper_rungs, scores, strict=True):
                if score.other > score.one:
                    rungs[rung], rungs[rung + 1] = rungs[rung + 1], rungs[rung]

    @property
    def expected(self) -> int:
        players = self.terms.players
        odd_rounds, even_rounds = (self.rounds + 1) // 2, self.rounds // 2
        pairings = odd_rounds * (players // 2) + even_rounds * ((players - 1) // 2)
        return pairings * self.terms.encounters_per_pairing

    def ranking(self) -> list[list[int]]:
        return [[player] for player in self._rungs]

    def remark(self) -> str:
        return "" if self.is_over else f"round {self.round} of {self.rounds}"
