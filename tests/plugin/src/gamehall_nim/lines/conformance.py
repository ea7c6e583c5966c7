"""The checks of a server of Nim in lines."""

from gamehall.conformance.checklist import Checklist
from gamehall.conformance.connection import demand
from gamehall.conformance.target import Target
from gamehall_nim.lines import NimLinesSettings

CHECKLIST = Checklist(
    {
        "N-01": "The first player to join is told seat 1, the second seat 2.",
        "N-02": "After a legal take both are told the heap and the next turn.",
    },
    [],
)


@CHECKLIST.shows("N-01", "N-02")
def a_move_is_told_to_both(target: Target[NimLinesSettings]) -> None:
    """Two players join, and the first takes two counters (N-01, N-02)."""
    players = [target.connect(), target.connect()]
    for number, player in enumerate(players, 1):
        player.send(b"join player%d\n" % number)
        answer = player.read_line("a seat", "N-01")
        demand(answer == b"seat %d" % number, "N-01", f"seat {number}", answer)
    target.saw("N-01")
    players[0].send(b"take 2\n")
    for player in players:
        while (line := player.read_line("the heap", "N-02")).endswith(b"turn 1"):
            continue
        demand(line == b"heap 19 turn 2", "N-02", "heap 19 turn 2", line)
    target.saw("N-02")
