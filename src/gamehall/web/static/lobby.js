/** The lobby: every room with its players, its offers and one of its tables. */

import { called, counted, isInPlay, part, say, show } from "./dom.js";
import { hang } from "./picture.js";
import { askName, rememberedName, seatForms, showOffers, withoutOwn } from "./sitting.js";
import { follow, isNews } from "./stream.js";

const cards = new Map(
  [...document.querySelectorAll("[data-room]")].map((card) => [card.dataset.room, card]),
);
const rooms = new Map(); // the last event of each room
const featured = new Map(); // the table shown for each room

function greet() {
  const name = rememberedName();
  show(document.getElementById("you"), Boolean(name));
  say(document.getElementById("you-name"), name);
}

function updateRoom(told) {
  const room = withoutOwn(told);
  const card = cards.get(room.name);
  if (!card || !isNews(`room ${room.name}`, room.version)) return;
  rooms.set(room.name, room);
  show(part("waiting", card), room.waiting.length > 0);
  say(part("waiting", card), waitingWords(room.waiting));
  showOffers(room, card);
  updatePlaying(room.name);
}

function updatePlaying(name) {
  const [room, card] = [rooms.get(name), cards.get(name)];
  if (!room || !card) return;
  say(part("playing", card), playingWords(room, featured.get(name)));
  show(part("playing", card), room.playing_count > 0 || !room.waiting.length);
  part("playing", card).classList.toggle("live", room.playing_count > 0);
}

function waitingWords(waiting) {
  const names = waiting.map(called);
  if (names.length > 3) return `${names.slice(0, 2).join(", ")} and ${names.length - 2} more wait`;
  return `${names.join(", ")} ${names.length === 1 ? "waits for you" : "wait"}`;
}

function playingWords(room, table) {
  const { playing_count: playing, watching_count: watching } = room;
  if (!playing) return "No games now";
  const words =
    playing === 1 && table && isInPlay(table) && table.players.every(Boolean)
      ? table.players.join(" – ")
      : `${counted(playing, "match", "matches")} now`;
  return watching ? `${words}, ${watching} watching` : words;
}

function updateTable(state) {
  if (!isNews(`table ${state.room} ${state.table.name}`, state.table.version)) return;
  const card = cards.get(state.room);
  if (!card) return;
  featured.set(state.room, state.table);
  updatePlaying(state.room);
  if (!state.picture) return;
  const view = part("window", card);
  let frame = part("frame", view);
  if (!frame) {
    frame = document.createElement("span");
    frame.dataset.part = "frame";
    frame.className = "frame";
    part("start", view)?.remove();
    view.prepend(frame);
  }
  hang(frame, state.picture);
}

for (const image of document.querySelectorAll("[data-part=start]")) {
  // If the picture of the start cannot be loaded, show none.
  image.addEventListener("error", () => image.remove());
  if (image.complete && !image.naturalWidth) image.remove();
}
document.getElementById("you-change").addEventListener("click", () => askName().then(greet));
greet();
seatForms(greet);
follow("/api/stream?tables=0", {
  rooms: (told) => told.forEach(updateRoom),
  table: updateTable,
});
