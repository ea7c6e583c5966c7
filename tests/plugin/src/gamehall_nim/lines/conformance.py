"""The checks of PROTOCOL.md."""

from gamehall.conformance.checklist import Checklist, ClientRules, read_clauses
from gamehall.conformance.connection import demand
from gamehall.conformance.target import Knowledge, Target
from gamehall.wire.settings import DoorSettings

CHECKLIST = Checklist(
    read_clauses("gamehall_nim.lines"), [], client=ClientRules(clauses={"C-01": "N-01"})
)


@CHECKLIST.covers("N-01", "N-02")
def a_move_is_shown_to_both(target: Target[DoorSettings, Knowledge]) -> None:
    """Let two players join, and the first one move."""
    players = [target.connect(), target.connect()]
    for number, player in enumerate(players, 1):
        player.send(b"join player%d\n" % number)
        answer = player.read_line("an answer to join", "N-01")
        demand(answer == b"seat %d" % number, "N-01", f"seat {number}", answer)
    target.saw("N-01")
    players[0].send(b"take 2\n")
    for player in players:
        board = b" turn 1"
        while board.endswith(b" turn 1"):
            board = player.read_line("heap 19 turn 2", "N-02")
        demand(board == b"heap 19 turn 2", "N-02", "heap 19 turn 2", board)
    target.saw("N-02")
