/** The list of the two players of a match. */

import { make, FREE_SEAT } from "./dom.js";

/** Fill in the list; `mine` is the seat of the user, if any. */
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
        make("span", { class: "player-name" }, name || FREE_SEAT),
        mine === seat ? make("span", { class: "you-mark" }, "you") : "",
        make("span", { class: "player-state" }, state),
      );
    }),
  );
}
