"""The standings of the last tournament in what a server has printed, as CSV: standings.py FILE"""

import csv
import json
import sys
from pathlib import Path

with Path(sys.argv[1]).open(encoding="utf-8") as file:
    results = [line for line in file if line.startswith("result ")]
if not results:
    sys.exit(f"{sys.argv[1]}: no tournament has ended yet")
report = json.loads(results[-1].split(maxsplit=2)[2])
signed_up_as = {player["name"]: player["signed_up_as"] for player in report["players"]}

table = csv.writer(sys.stdout)
table.writerow(["rank", "signed_up_as", "called", "won", "lost", "removed"])
for name, won, lost in report["standings"]:
    rank = 1 + sum(other_won > won for _, other_won, _ in report["standings"])
    table.writerow([rank, signed_up_as.pop(name), name, won, lost, report["cheaters"].get(name)])
for name, called in signed_up_as.items():  # removed, and not ranked
    table.writerow(["", called, name, "", "", report["cheaters"].get(name)])
