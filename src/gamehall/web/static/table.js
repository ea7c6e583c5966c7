/** The page of a table: live, or any earlier position on a click. */

import { fetchText, Refused } from "./api.js";
import { Clock } from "./clock.js";
import { counted, inAddress, make, part, say, show } from "./dom.js";
import { markLast } from "./marks.js";
import { hang } from "./picture.js";
import { showPieces } from "./pieces.js";
import { placeClock, writePlayers } from "./players.js";
import { follow, isNews } from "./stream.js";
import { showTalk, talkAt } from "./talk.js";

const page = document.getElementById("table");
const { room, table } = page.dataset;
const address = `/api/rooms/${inAddress(room)}/tables/${inAddress(table)}`;
const board = part("board");
const moves = part("moves");
const clockElement = part("clock");
const clock = new Clock(clockElement);
const positions = new Map(); // fetched pictures, by the number of moves
let state = null;
let at = null; // the position shown, null for the newest

function update(told) {
  if (!isNews("table", told.table.version)) return;
  if (state && state.table.match !== told.table.match) {
    positions.clear();
    at = null;
    moves.replaceChildren();
  }
  const isFirst = state === null;
  state = told;
  const line = told.table;
  writePlayers(part("players"), line.players, { toMove: line.to_move, winner: line.winner });
  placeClock(part("players"), clockElement, line.to_move);
  clock.set(told.seconds_left);
  const watching = counted(line.spectators, "person", "people");
  say(part("spectators"), line.spectators ? `${watching} watching` : "");
  show(part("nothing"), !told.picture);
  say(part("result"), line.result ?? "");
  show(part("verdict"), line.result !== null);
  const record = part("record");
  show(record, line.result !== null && line.match !== null);
  if (line.match) record.href = `/records/${inAddress(line.match)}`;
  showTalk(told);
  if (isFirst) moves.replaceChildren();
  listMoves();
  if (at === null) showLive();
  showPieces(part("players"), board.querySelector("svg"));
  if (!isFirst) speak();
}

function speak() {
  const { to_move: toMove, players } = state.table;
  const last = state.history.at(-1);
  if (toMove === null || !last) return;
  say(part("spoken"), `${last.move}. ${players[toMove - 1] ?? "The other player"} is to move.`);
}

function listMoves() {
  const isAtEnd = moves.scrollHeight - moves.scrollTop - moves.clientHeight < 40;
  while (moves.children.length > state.history.length) moves.lastChild.remove();
  for (let number = moves.children.length; number < state.history.length; number++) {
    const { seat, move } = state.history[number];
    const button = make("button", { type: "button" }, move);
    button.addEventListener("click", () => look(number + 1));
    moves.append(make("li", { "data-seat": seat }, button));
  }
  markCurrent(isAtEnd);
}

function markCurrent(isToFollow) {
  const current = at ?? state.history.length;
  [...moves.children].forEach((line, number) => {
    const button = line.firstElementChild;
    if (number + 1 === current) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  });
  const line = moves.children[current - 1];
  if (line && isToFollow) moves.scrollTop = line.offsetTop - moves.clientHeight / 2;
}

function showLive() {
  at = null;
  show(part("live"), false);
  board.classList.remove("is-past");
  hang(board, state.picture);
  markLast(board.querySelector("svg"), state.history.at(-1)?.targets ?? []);
  markCurrent(true);
}

async function look(number) {
  if (!state) return;
  if (number >= state.history.length) return showLive();
  at = Math.max(0, number);
  show(part("live"), true);
  board.classList.add("is-past");
  markCurrent(true);
  const match = state.table.match;
  try {
    const wanted = at;
    if (!positions.has(wanted)) positions.set(wanted, fetchText(`${address}/positions/${wanted}`));
    const picture = await positions.get(wanted);
    if (at !== wanted || state.table.match !== match) return;
    hang(board, picture);
    markLast(board.querySelector("svg"), state.history[wanted - 1]?.targets ?? []);
  } catch (refusal) {
    if (!(refusal instanceof Refused)) throw refusal;
    positions.clear();
    showLive();
  }
}

document.addEventListener("keydown", (key) => {
  if (key.altKey || key.ctrlKey || key.metaKey || !state) return;
  if (key.target.closest("input, dialog")) return;
  const now = at ?? state.history.length;
  const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: state.history.length };
  if (!(key.key in to)) return;
  key.preventDefault();
  look(to[key.key]);
});
part("live").addEventListener("click", showLive);
talkAt(address);
follow(`${address}/stream`, { table: update }, () => {
  clock.set(null);
  say(part("result"), "The players have left this table.");
  show(part("verdict"), true);
  show(part("talk"), false);
  if (!state?.table.result) show(part("record"), false);
});
