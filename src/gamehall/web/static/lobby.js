/** The lobby: every room with who waits, who plays, and the table that is most worth a look. */

import { counted, isInPlay, part, say, show } from "./dom.js";
import { hang } from "./picture.js";
import { askName, rememberedName, seatForms } from "./sitting.js";
import { follow, isNews } from "./stream.js";

const cards = new Map(
  [...document.querySelectorAll("[data-room]")].map((card) => [card.dataset.room, card]),
);
const pictures = new Map(); // of each room: by the name of a table
const tablesOf = new Map();

function greet() {
  const name = rememberedName();
  show(document.getElementById("you"), Boolean(name));
  say(document.getElementById("you-name"), name);
}

function updateRoom(room) {
  const card = cards.get(room.name);
  if (!card || !isNews(`room ${room.name}`, room.version)) return;
  tablesOf.set(room.name, room.tables);
  const playing = room.tables.filter(isInPlay);
  const watching = room.tables.reduce((sum, table) => sum + table.spectators, 0);
  show(part("waiting", card), room.waiting.length > 0);
  say(part("waiting", card), waitingWords(room.waiting));
  say(part("playing", card), playingWords(playing, watching));
  part("playing", card).classList.toggle("live", playing.length > 0);
  updateWindow(room.name);
}

function waitingWords(names) {
  if (names.length > 3) return `${names.slice(0, 2).join(", ")} and ${names.length - 2} more wait`;
  return `${names.join(", ")} ${names.length === 1 ? "waits for you" : "wait"}`;
}

function playingWords(playing, watching) {
  if (!playing.length) return "Nobody plays now";
  const [table] = playing;
  const words =
    playing.length === 1 && table.players.every(Boolean)
      ? table.players.join(" – ")
      : `${counted(playing.length, "match", "matches")} now`;
  return watching ? `${words}, ${watching} watching` : words;
}

function updateTable(state) {
  if (!isNews(`table ${state.room} ${state.table.name}`, state.table.version)) return;
  if (!pictures.has(state.room)) pictures.set(state.room, new Map());
  if (state.picture) pictures.get(state.room).set(state.table.name, state.picture);
  updateWindow(state.room);
}

// A match that goes on is worth more than one that is over, then whoever has more to look on, then
// the one that has come farther.
function worth(table) {
  return [Number(isInPlay(table)), table.spectators, table.moves];
}

function updateWindow(room) {
  const card = cards.get(room);
  const seen = pictures.get(room);
  const tables = (tablesOf.get(room) ?? []).filter((table) => seen?.has(table.name));
  if (!card || !tables.length) return;
  const best = tables.reduce((one, other) => (compare(worth(one), worth(other)) < 0 ? other : one));
  const view = part("window", card);
  let frame = part("frame", view);
  if (!frame) {
    frame = document.createElement("span");
    frame.dataset.part = "frame";
    frame.className = "frame";
    part("start", view)?.remove();
    view.prepend(frame);
  }
  hang(frame, seen.get(best.name));
}

function compare(one, other) {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : one[at] - other[at];
}

for (const image of document.querySelectorAll("[data-part=start]")) {
  // Without a picture of the start the window stays plain.
  image.addEventListener("error", () => image.remove());
  if (image.complete && !image.naturalWidth) image.remove();
}
document.getElementById("you-change").addEventListener("click", () => askName().then(greet));
greet();
seatForms(greet);
follow("/api/stream", {
  rooms: (rooms) => rooms.forEach(updateRoom),
  table: updateTable,
});
