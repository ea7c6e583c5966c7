/** The page of a seat that the server does not know: return to the game if it still exists. */

import { Refused } from "./api.js";
import { inAddress, part, say } from "./dom.js";
import { returnToSeat } from "./sitting.js";

const id = document.getElementById("lost").dataset.seat;
try {
  const seat = await returnToSeat(id);
  location.replace(`/play/${inAddress(seat.id)}`);
} catch (refusal) {
  if (!(refusal instanceof Refused)) throw refusal;
  say(part("headline"), "Your game could not be found");
  say(part("words"), refusal.message);
}
