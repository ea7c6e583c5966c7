/** The standings of a tournament, with a cross table of wins. */

import { make } from "./dom.js";

// With more players the columns of the cross table would be too narrow to read.
const MAX_IN_CROSS_TABLE = 24;

/** Fill in the table of standings. */
export function drawStandings(table, { standings, wins, cheaters }) {
  const names = standings.map((line) => line.name);
  const across = names.length <= MAX_IN_CROSS_TABLE ? names : [];
  const counts = countWins(wins);
  const head = make(
    "tr",
    {},
    make("th"),
    make("th", { scope: "col" }, "player"),
    make("th", { scope: "col", class: "n" }, "won"),
    make("th", { scope: "col", class: "n" }, "lost"),
    ...across.map((name, at) => make("th", { scope: "col", class: "n", title: name }, `${at + 1}`)),
  );
  const rows = standings.map((line, at) =>
    make(
      "tr",
      { class: line.name in cheaters ? "is-out" : null },
      make("td", { class: "n soft" }, `${at + 1}`),
      make("th", { scope: "row" }, line.name),
      make("td", { class: "n" }, `${line.won}`),
      make("td", { class: "n" }, `${line.lost}`),
      ...across.map((other) => cell(line.name, other, counts)),
    ),
  );
  table.tHead.replaceChildren(head);
  table.tBodies[0].replaceChildren(...rows);
}

function countWins(wins) {
  const counts = new Map();
  for (const [winner, loser, times] of wins) counts.set(JSON.stringify([winner, loser]), times);
  return (winner, loser) => counts.get(JSON.stringify([winner, loser])) ?? 0;
}

function cell(one, other, counts) {
  if (one === other) return make("td", { class: "self" });
  const [won, lost] = [counts(one, other), counts(other, one)];
  if (!won && !lost) return make("td", { class: "none" }, "·");
  const shade = Math.round((10 * won) / (won + lost));
  const words = `${one} has won ${won} and lost ${lost} against ${other}`;
  return make("td", { class: `cell s${shade}`, title: words }, `${won}–${lost}`);
}
