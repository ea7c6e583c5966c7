/** The list of the two players of a match. */

import { make, part, FREE_SEAT } from "./dom.js";

/** Fill in the list; `mine` is the seat of the user, `left` that of a player who has left. */
export function writePlayers(list, names, { toMove = null, winner = null, mine = null, left = null }) {
  const written = JSON.stringify([names, toMove, winner, mine, left]);
  if (list.dataset.written === written) return;
  list.dataset.written = written;
  list.replaceChildren(
    ...names.map((name, at) => {
      const seat = at + 1;
      const state = stateOf(seat, { toMove, winner, left });
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

function stateOf(seat, { toMove, winner, left }) {
  if (winner === seat) return "won";
  if (left === seat) return "left";
  return toMove === seat ? "to move" : "";
}

/** Move the clock into the row of the player to move. It stays where it is if nobody is. */
export function placeClock(list, clock, toMove) {
  const row = list.querySelector(`[data-seat="${toMove}"]`);
  if (row && clock.parentElement !== row) row.append(clock);
}
