/** The two players of a match, as a list that says who is to move and who has won. */

import { make, NOBODY } from "./dom.js";

/** Writes the players into a list; `mine` is the seat of the person at the page, if any. */
export function writePlayers(list, names, { toMove = null, winner = null, mine = null }) {
  const written = JSON.stringify([names, toMove, winner, mine]);
  if (list.dataset.written === written) return;
  list.dataset.written = written;
  list.replaceChildren(
    ...names.map((name, at) => {
      const seat = at + 1;
      const state = winner === seat ? "won" : toMove === seat ? "to move" : "";
      const look = [
        "player",
        toMove === seat ? "is-to-move" : "",
        winner === seat ? "is-winner" : "",
      ];
      return make(
        "li",
        { class: look.join(" ").trim(), "data-seat": seat },
        make("span", { class: "seat", "aria-hidden": "true" }, `${seat}`),
        make("span", { class: "player-name" }, name || NOBODY),
        mine === seat ? make("span", { class: "you-mark" }, "you") : "",
        make("span", { class: "player-state" }, state),
      );
    }),
  );
}
