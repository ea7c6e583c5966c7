"""A naive client for Ascension over HTTP: `python ascension_http.py PORT [patient]`.

It knows the costs of the cards and which of them are monsters, but not their effects. It plays its
hand, activates every construct, and spends all that it can. With `patient` it repeats its join
until it is accepted. It prints the answers to its joins, its moves with the errors, and the last
state.
"""

import json
import sys
import time
import urllib.request
from typing import Any

# The printed costs: monsters in power, heroes and constructs in runes.
MONSTERS = {
    "Cultist": 2, "Avatar of the Fallen": 7, "Corrosive Widow": 4, "Earth Tyrant": 6, "Mephit": 3,
    "Mistake of Creation": 4, "Samael's Trickster": 3, "Sea Tyrant": 5, "Tormented Soul": 3,
    "Wind Tyrant": 5, "Xeron, Duke of Lies": 6,
}  # fmt: skip
COSTS = {
    "Mystic": 3, "Heavy Infantry": 2, "Arha Initiate": 1, "Arha Templar": 4,
    "Ascetic of the Lidless Eye": 5, "Master Dhartha": 7, "Oziah the Peerless": 6,
    "Seer of the Forked Path": 2, "Temple Librarian": 2, "Twofold Askara": 4,
    "Tablet of Time's Dawn": 5, "The All-Seeing Eye": 6, "Cetra, Weaver of Stars": 7,
    "Druids of the Stone Circle": 4, "Flytrap Witch": 5, "Landtalker": 6, "Lifebound Initiate": 1,
    "Runic Lycanthrope": 3, "Snapdragon": 5, "Wolf Shaman": 3, "Yggdrasil Staff": 4,
    "Avatar Golem": 4, "Burrower Mark II": 3, "Hedron Cannon": 8, "Hedron Link Device": 7,
    "Kor, the Ferromancer": 3, "Mechana Initiate": 1, "Reactor Monk": 4, "Rocket Courier X-99": 4,
    "The Grand Design": 6, "Watchmaker's Altar": 5, "Arbiter of the Precipice": 4,
    "Demon Slayer": 4, "Emri, One with the Void": 6, "Muramasa": 7, "Shade of the Black Watch": 3,
    "Shadow Star": 3, "Spike Vixen": 2, "Void Initiate": 1, "Voidthirster": 5,
}  # fmt: skip


class Player:
    """The client: the server's address, its index and the last state."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}"

    def request(self, path: str, body: bytes | None = None) -> Any:
        """Send a GET, or a POST if there is a body, and return the answer's JSON."""
        with urllib.request.urlopen(self.address + path, body) as answer:
            return json.load(answer)

    def join(self) -> Any:
        answer = self.request("/join", b"")
        print(json.dumps(answer), flush=True)
        return answer

    def move(self, moves: list[dict[str, str]]) -> dict[str, Any]:
        """Send one batch of moves and return our player in the new state."""
        batch = {"player_index": self.index, "moves": moves}
        self.state = self.request("/moves", json.dumps(batch).encode())
        print(json.dumps({"moves": moves, "error": self.state["error"]}), flush=True)
        return self.mine()

    def mine(self) -> dict[str, Any]:
        mine: dict[str, Any] = self.state["board"]["players"][self.index]
        return mine

    def play(self, patient: bool) -> None:
        """Join, and take turns until the game has ended."""
        while "error" in (joined := self.join()):
            if not patient:
                return
            time.sleep(0.2)
        self.index = joined["player_index"]
        while True:
            self.state = self.request("/state")
            if self.state["status"] == "ended":
                print(json.dumps(self.state), flush=True)
                return
            if (
                self.state["status"] == "playing"
                and self.state["board"]["current_player_index"] == self.index
            ):
                self.take_turn()
            time.sleep(0.02)

    def take_turn(self) -> None:
        mine = self.play_hand(self.mine())
        if mine["constructs"]:
            mine = self.move(
                [{"type": "activate", "card_name": name} for name in mine["constructs"]]
            )
            mine = self.play_hand(mine)
        while spending := self.choose_spending(mine):
            mine = self.move([spending])
        self.move([{"type": "end_turn"}])

    def play_hand(self, mine: dict[str, Any]) -> dict[str, Any]:
        """Play all cards in hand, then those that were drawn by playing them."""
        while mine["hand"]:
            mine = self.move([{"type": "play", "card_name": name} for name in mine["hand"]])
        return mine

    def choose_spending(self, mine: dict[str, Any]) -> dict[str, str] | None:
        """Return the most expensive monster that we can defeat, or card that we can acquire."""
        board = self.state["board"]
        for_sale = board["center"] + ["Mystic"] * board["mystics"]
        for_sale += ["Heavy Infantry"] * board["heavy"]
        monsters = [name for name in [*board["center"], "Cultist"] if name in MONSTERS]
        for kind, names, costs, budget in (
            ("defeat", monsters, MONSTERS, mine["power_remaining"]),
            (
                "acquire",
                [name for name in for_sale if name in COSTS],
                COSTS,
                mine["runes_remaining"],
            ),
        ):
            affordable = [name for name in names if costs[name] <= budget]
            if affordable:
                return {"type": kind, "card_name": max(affordable, key=costs.__getitem__)}
        return None


if __name__ == "__main__":
    Player(int(sys.argv[1])).play(patient=sys.argv[2:] == ["patient"])
