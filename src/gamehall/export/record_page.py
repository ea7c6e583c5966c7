"""Records as one page of HTML that replays them, and needs nothing else.

Everything is in the file. Its policy lets a browser fetch nothing and run nothing but the one
script, which is named by its hash. Without scripts the page shows the last position.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from gamehall.core import Game
from gamehall.match import Record, Result
from gamehall.match.record import positions
from gamehall.match.result import NAMED_BY_DETAIL

POINTED = re.compile(r'<(?:circle|rect|path) [^>]*data-(?:spot|target)="([^"]*)"[^>]*/>')
"""What is drawn only to be pointed at or marked."""
BETWEEN = re.compile("(?<=>)(?=<)|(?<=\n)")
"""Where one element of a picture ends and the next begins."""

STYLE = """
:root { color-scheme: light dark; --line: #8886; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; padding: 1rem; max-width: 44rem; text-align: center; }
h1 { margin: 0; font-size: 1.3rem; overflow-wrap: anywhere; }
p { margin: .2rem 0 .8rem; overflow-wrap: anywhere; }
img { display: block; margin: 0 auto; max-width: 100%; width: 44rem; max-height: 74vh; }
nav { display: flex; gap: .4rem; align-items: center; margin-top: .8rem; }
nav[hidden] { display: none; }
button { font: inherit; min-width: 2.8rem; min-height: 2.6rem; cursor: pointer;
  border: 1px solid var(--line); border-radius: .5rem; background: #8882; color: inherit; }
button:hover { background: #8884; }
input { flex: 1; min-width: 4rem; }
output { display: block; min-height: 1.5em; margin-top: .4rem; }
"""

SCRIPT = """
"use strict";
const match = JSON.parse(document.getElementById("match").textContent);
const { parts, pictures, moves, seconds } = match;
const [board, said, scrub, play] = ["board", "said", "scrub", "play"].map((name) =>
  document.getElementById(name));
let [at, timer] = [pictures.length - 1, null];
function show(number) {
  at = Math.max(0, Math.min(pictures.length - 1, number));
  const picture = pictures[at].map((part) => parts[part]).join("");
  board.src = "data:image/svg+xml," + encodeURIComponent(picture);
  board.alt = said.textContent = moves[at];
  scrub.value = at;
}
function stop() {
  clearInterval(timer);
  timer = null;
  play.textContent = "play";
}
function start() {
  if (at === pictures.length - 1) show(0);
  timer = setInterval(() => {
    show(at + 1);
    if (at === pictures.length - 1) stop();
  }, seconds * 1000);
  play.textContent = "pause";
}
const acts = {
  first: () => show(0),
  back: () => show(at - 1),
  on: () => show(at + 1),
  last: () => show(pictures.length - 1),
};
for (const [name, act] of Object.entries(acts)) {
  document.getElementById(name).addEventListener("click", () => { stop(); act(); });
}
play.addEventListener("click", () => (timer === null ? start() : stop()));
scrub.addEventListener("input", () => { stop(); show(Number(scrub.value)); });
const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "on", End: "last" };
document.addEventListener("keydown", (key) => {
  if (key.target === scrub || key.altKey || key.ctrlKey || key.metaKey) return;
  if (key.key === " " && key.target.tagName !== "BUTTON") play.click();
  else if (keys[key.key]) document.getElementById(keys[key.key]).click();
  else return;
  key.preventDefault();
});
document.querySelector("nav").hidden = false;
show(at);
"""

BUTTONS = (
    ("first", "to the beginning", "\N{LEFTWARDS ARROW TO BAR}"),
    ("back", "one back", "\N{LEFTWARDS ARROW}"),
    ("play", "play", "play"),
    ("on", "one on", "\N{RIGHTWARDS ARROW}"),
    ("last", "to the end", "\N{RIGHTWARDS ARROW TO BAR}"),
)


def write(game: Game[Any], record: Record) -> bytes:
    """Return the record as a page. Raises RecordError if it cannot be replayed."""
    shown = list(pictures(game, record))
    moves = [_played(record, number) for number in range(len(shown))]
    names = _names(record)
    said = [result_in_words(record.result, names)]
    return write_page(game.title, names, said, shown, moves)


def write_page(
    title: str,
    names: tuple[str, str],
    remarks: Sequence[str],
    shown: list[str],
    moves: list[str],
) -> bytes:
    """Return a page that shows pictures one after the other, each with what was done.

    `remarks` are sentences about the whole.
    """
    first, second = (escape(name) for name in names)
    match = {**_in_parts(shown), "moves": moves, "seconds": seconds_a_picture(len(shown))}
    # In a page nothing but this could end the script that it stands in.
    content = json.dumps(match, separators=(",", ":")).replace("<", "\\u003c")
    buttons = "".join(
        f'<button type="button" id="{name}" title="{words}">{sign}</button>'
        for name, words, sign in BUTTONS
    )
    last = len(shown) - 1
    page = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy()}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}: {first} against {second}</title>"
        f"<style>{STYLE}</style></head><body>"
        f"<h1>{first} against {second}</h1>"
        f"<p>{escape(' '.join([f'{title}.', *remarks]))}</p>"
        f'<img id="board" alt="{escape(moves[-1])}" src="{_address(shown[-1])}">'
        f"<nav hidden>{buttons}"
        f'<input id="scrub" type="range" min="0" max="{last}" value="{last}" aria-label="move">'
        f'</nav><output id="said">{escape(moves[-1])}</output>'
        f'<script type="application/json" id="match">{content}</script>'
        f"<script>{SCRIPT}</script></body></html>\n"
    )
    return page.encode()


def pictures(game: Game[Any], record: Record) -> Iterator[str]:
    """Yield the pictures of all positions, with a ring around what was just played.

    They have nothing in them to point at. Raises RecordError.
    """
    for number, position in enumerate(positions(game, record)):
        names: tuple[str, ...] = ()
        if number:
            names = game.targets(game.read_move(record.moves[number - 1].move))
        yield marked(position.picture(), names)


def _in_parts(shown: list[str]) -> dict[str, Any]:
    """The pictures as lists of numbers of parts: from move to move most of them stay the same."""
    parts: dict[str, int] = {}
    numbered = [
        [parts.setdefault(part, len(parts)) for part in BETWEEN.split(picture)] for picture in shown
    ]
    return {"parts": list(parts), "pictures": numbered}


def seconds_a_picture(count: int) -> float:
    """Return how long each of so many pictures is shown: a long match is played faster."""
    return min(0.9, max(0.12, 70 / count))


def marked(picture: str, names: tuple[str, ...] = ()) -> str:
    """Return the picture with rings around the spots of these names, without all other spots."""
    if "data-last" in picture:
        names = ()

    def ring(element: re.Match[str]) -> str:
        if element[1] not in names or "data-spot" not in element[0]:
            return ""
        opacity = 1 if element[1] == names[-1] else 0.5
        look = f' fill="none" stroke="#fff" stroke-width="5" opacity="{opacity}"/>'
        return element[0].replace(' fill="transparent"', "").removesuffix("/>") + look

    return POINTED.sub(ring, picture)


def _played(record: Record, number: int) -> str:
    """Return what led to the position of this number, in words."""
    if number == 0:
        return "the beginning"
    played = record.moves[number - 1]
    return f"{number}. {played.move} ({_names(record)[played.seat.value - 1]})"


def _names(record: Record) -> tuple[str, str]:
    first, second = record.players
    return first or "the first player", second or "the second player"


def result_in_words(result: Result, names: tuple[str, str]) -> str:
    """Return who has won and how, as a sentence."""
    how = "" if result.ending in NAMED_BY_DETAIL else f" ({result.ending.value})"
    winner = "Nobody" if result.winner is None else names[result.winner.value - 1]
    return f"{winner} wins{how}: {result.detail}."


def _address(picture: str) -> str:
    return "data:image/svg+xml," + quote(picture, safe="")


def _policy() -> str:
    """Nothing but what is in the page: this style, this script, and pictures as addresses."""
    style, script = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (STYLE, SCRIPT)
    )
    return (
        f"default-src 'none'; img-src data:; style-src 'sha256-{style}';"
        f" script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
    )
