/** The page of a room: its tables, and the standings of its tournament. */

import { called, counted, inAddress, make, FREE_SEAT, part, say, show } from "./dom.js";
import { markLast } from "./marks.js";
import { hang } from "./picture.js";
import { seatForms, showOffers, withoutOwn } from "./sitting.js";
import { drawStandings } from "./standings.js";
import { follow, isNews } from "./stream.js";

const page = document.getElementById("room");
const { room: name, skip, tables: most } = page.dataset;
const wall = part("wall");
const minis = new Map();
const versions = new Map(); // of the tables in their last events

for (const mini of wall.children) minis.set(mini.dataset.table, mini);

function updateRoom(told) {
  const room = withoutOwn(told);
  if (!isNews("room", room.version)) return;
  const waiting = room.waiting.length ? `Waiting: ${room.waiting.map(called).join(", ")}` : "No player is waiting.";
  say(part("waiting"), waiting);
  showOffers(room);
  const count = room.table_count;
  say(part("count"), `${counted(count, "table")}, ${room.playing_count} in play`);
  updateWall(room.tables);
  show(part("no-tables"), !count);
  show(part("later"), count > Number(skip) + Number(most));
  show(part("tournament"), Boolean(room.tournament));
  if (room.tournament) updateTournament(room.tournament);
}

function updateWall(tables) {
  const there = new Set(tables.map((table) => table.name));
  for (const [key, mini] of minis) {
    if (there.has(key)) continue;
    mini.remove();
    minis.delete(key);
    versions.delete(key);
  }
  tables.forEach((table, at) => {
    const mini = miniOf(table.name);
    if (wall.children[at] !== mini) wall.insertBefore(mini, wall.children[at] ?? null);
    if (!isOlder(table)) label(mini, table);
  });
}

// Events of the room are not sent for every move, so the line of a table in it may be older.
function isOlder(table) {
  return table.version < (versions.get(table.name) ?? 0);
}

function miniOf(table) {
  let mini = minis.get(table);
  if (!mini) {
    const address = `/rooms/${inAddress(name)}/tables/${inAddress(table)}`;
    mini = make(
      "li",
      { class: "mini", "data-table": table },
      make(
        "a",
        { href: address },
        make("span", { class: "mini-board" }),
        make("span", { class: "mini-names" }),
        make("span", { class: "mini-state" }),
      ),
    );
    minis.set(table, mini);
    wall.append(mini);
  }
  return mini;
}

function label(mini, table) {
  const names = mini.querySelector(".mini-names");
  const written = JSON.stringify([table.players, table.to_move, table.winner]);
  if (names.dataset.written !== written) {
    names.dataset.written = written;
    names.replaceChildren(
      ...table.players.map((player, at) => {
        const seat = at + 1;
        const look = [
          "mini-name",
          table.to_move === seat ? "is-to-move" : "",
          table.winner === seat ? "is-winner" : "",
        ];
        return make("span", { class: look.join(" ").trim() }, player || FREE_SEAT);
      }),
    );
  }
  const watching = table.spectators ? ` · ${table.spectators} watching` : "";
  say(mini.querySelector(".mini-state"), (table.result ?? stateWords(table)) + watching);
  mini.classList.toggle("is-over", table.result !== null);
}

function stateWords(table) {
  if (table.is_open) return "a free seat";
  return table.moves ? `move ${table.moves}` : "just begun";
}

function updateTable(state) {
  if (!isNews(`table ${state.table.name}`, state.table.version)) return;
  versions.set(state.table.name, state.table.version);
  const mini = miniOf(state.table.name);
  label(mini, state.table);
  show(part("no-tables"), false);
  const frame = mini.querySelector(".mini-board");
  if (hang(frame, state.picture)) {
    markLast(frame.querySelector("svg"), state.history.at(-1)?.targets ?? []);
  }
}

function updateTournament(tournament) {
  say(part("tournament-title"), tournament.is_over ? "The last tournament" : "The tournament");
  const { encounters, encounters_done: done } = tournament;
  say(part("encounters"), `${done} of ${counted(encounters, "encounter")} done`);
  const progress = part("progress");
  progress.max = Math.max(1, encounters);
  progress.value = done;
  drawStandings(part("standings"), tournament);
  const cheaters = Object.entries(tournament.cheaters);
  show(part("cheaters"), cheaters.length > 0);
  part("cheater-list").replaceChildren(
    ...cheaters.map(([who, why]) => make("li", {}, make("strong", {}, who), `: ${why}`)),
  );
}

seatForms();
follow(`/api/rooms/${inAddress(name)}/stream?tables=${most}&skip=${skip}`, {
  room: updateRoom,
  table: updateTable,
});
