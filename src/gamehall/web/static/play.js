/** The page of a seat: the board to click, and everything else that a player sees and does. */

import { ask, Refused } from "./api.js";
import { Board } from "./board.js";
import { Clock } from "./clock.js";
import { called, counted, inAddress, make, part, say, saying, show } from "./dom.js";
import { showPieces } from "./pieces.js";
import { placeClock, writePlayers } from "./players.js";
import {
  chooseTerms, chosenTerms, rememberSeat, returnToSeat, seatForms, showOffers, sitAgain,
  takeCounterProposal,
} from "./sitting.js";
import { follow, isNews } from "./stream.js";

// Parts that only a player with a seat can use.
const OF_SEAT = [
  "wait", "question", "proposal", "status", "rematch", "say", "writing", "resign", "leave",
];

const page = document.getElementById("seat");
const { seat: id, room } = page.dataset;
const isTournament = page.dataset.kind === "tournament";
const address = `/api/seats/${inAddress(id)}`;
const frame = part("board");
const board = new Board(frame, part("words"), send, hint);
const clockElement = part("clock");
const clock = new Clock(clockElement);
const returnClock = new Clock(part("returns"), (time) => `Time left: ${time}`);
const messages = part("messages");
let state = null;
let offered = "";
let proposed = ""; // the terms with which the form was last filled in
let stageBefore = "";
let roomLine = null; // the last event of the room
let stopRoom = null; // ends the stream of the room, if it is open
let isSending = false;
let dismissed = "";
let isReachable = true;

function update(told) {
  if (!isNews("seat", told.version)) return;
  state = told;
  rememberSeat(told);
  const toMove = toMoveNow();
  writePlayers(part("players"), told.players, { toMove, mine: told.seat, left: told.left });
  placeClock(part("players"), clockElement, toMove);
  clock.set(told.seconds_left);
  returnClock.set(told.seconds_to_return);
  updateTimeLimit(toMove);
  document.title = `${told.is_to_move ? "● Your turn · " : ""}${told.title} · Gamehall`;
  frame.classList.toggle("is-yours", told.is_to_move);
  updateStage();
  updateBoard();
  showPieces(part("players"), frame.querySelector("svg"));
  updateMessages();
  updateLast();
  updateLastVerdict();
  show(part("say"), told.may_say && !told.is_gone);
  show(part("resign"), told.may_resign);
  show(part("writing"), told.is_to_move);
  show(part("leave"), !told.is_gone);
  show(part("talk"), told.messages.length > 0 || !part("say").hidden);
  show(part("seats"), !isTournament || told.seat !== null);
}

/** Say what happens when the time for the turn is over. */
function updateTimeLimit(toMove) {
  const isShown = state.seconds_left !== null && toMove !== null;
  show(part("time-limit"), isShown);
  if (!isShown) return;
  const own = isTournament ? "you lose and are out of the tournament" : "you lose the game";
  const what = state.is_to_move ? own : `${opponentName()} loses the game`;
  say(part("time-limit"), `At 0:00 ${what}.`);
}

/** Return to a seat that the server does not know any more, because it was restarted. */
async function returnToGame() {
  board.offer([]);
  clock.set(null);
  returnClock.set(null);
  say(part("hint"), "");
  for (const name of OF_SEAT) show(part(name), false);
  showStatus("The server was restarted. Returning to your game.");
  try {
    const seat = await returnToSeat(id);
    location.replace(`/play/${inAddress(seat.id)}`);
  } catch (refusal) {
    if (!(refusal instanceof Refused)) throw refusal;
    showStatus("");
    say(part("verdict-words"), "Your game could not be found");
    say(part("next"), refusal.message);
    show(part("another"), false);
    show(part("verdict"), true);
  }
}

function showStatus(words) {
  say(part("status"), words);
  show(part("status"), Boolean(words));
}

function toMoveNow() {
  if (state.stage !== "playing" || state.seat === null) return null;
  return state.is_to_move ? state.seat : 3 - state.seat;
}

function updateStage() {
  const { headline, verdict, question, proposal, stage } = state;
  const isOver = stage === "over" || stage === "gone";
  const wasOver = !part("verdict").hidden;
  show(part("verdict"), isOver);
  showStatus(isOver || stage === "waiting" ? "" : state.status);
  const problem = state.messages.findLast((message) => message.is_bad)?.text;
  const result = headline || verdict;
  say(part("next"), isOver ? state.status || (result ? "" : problem ?? "") : "");
  say(part("verdict-words"), result || (problem ? "You have no seat" : "You have left the table"));
  say(part("last-game"), `Last game: ${verdict}`);
  show(part("last-game"), Boolean(headline && verdict));
  updateFinalStandings();
  // On a small screen the result may be outside of the visible part.
  if (isOver && !wasOver) part("verdict").scrollIntoView({ block: "nearest" });
  show(part("rematch"), state.may_rematch);
  show(part("another"), stage === "gone");
  if (headline && !isTournament) say(part("another"), "Wait for another opponent");
  show(part("record"), Boolean(verdict && state.match));
  if (state.match) part("record").href = `/records/${inAddress(state.match)}`;
  show(part("proposal"), Boolean(proposal));
  if (proposal) updateProposal(proposal);
  show(part("question"), Boolean(question) && !proposal);
  say(part("told"), state.messages.findLast((message) => !message.name)?.text ?? "");
  if (question && part("prompt").textContent !== question.prompt) {
    say(part("prompt"), question.prompt);
    part("usual").value = question.usual;
    part("usual").focus();
    part("usual").select();
  }
  const isAlone = !state.has_opponent;
  say(part("wait-title"), waitTitle(isAlone));
  say(part("wait-words"), waitWords());
  show(part("wait"), stage === "waiting");
  show(part("alone"), isAlone && !state.called_bot);
  say(part("wanted"), `Your terms: ${state.wanted}`);
  show(part("wanted"), Boolean(state.wanted));
  followRoom(stage === "waiting" && isAlone);
  updateFromRoom();
  // An error of an earlier stage is out of date.
  if (stage !== stageBefore) show(part("problem"), false);
  stageBefore = stage;
  show(frame, Boolean(state.picture));
}

function waitTitle(isAlone) {
  if (isTournament) return "You are signed up";
  if (state.called_bot) return `${state.called_bot} is getting ready`;
  return isAlone ? "Waiting for an opponent" : "Waiting for an answer";
}

function waitWords() {
  if (state.status) return state.status;
  if (!isTournament) return "The game begins as soon as an opponent sits down.";
  if (roomLine?.tournament && !roomLine.tournament.is_over) {
    return "A tournament is being played. The next one begins after it.";
  }
  const missing = (roomLine?.players_wanted ?? 1) - (roomLine?.waiting.length ?? 0);
  return missing > 0 && roomLine
    ? `The tournament begins when ${counted(missing, "more player signs", "more players sign")} up.`
    : "The tournament begins a few seconds after the last sign-up.";
}

function signedUpWords({ waiting }) {
  if (!waiting.length) return "";
  return `${counted(waiting.length, "player")} signed up: ${waiting.map(called).join(", ")}`;
}

// Only while the player waits: a browser opens few connections to one server.
function followRoom(isShown) {
  if (!(part("offers") || isTournament) || isShown === Boolean(stopRoom)) return;
  if (!isShown) {
    stopRoom();
    stopRoom = null;
    return;
  }
  const listen = (told) => {
    roomLine = told;
    updateFromRoom();
  };
  const address = `/api/rooms/${inAddress(room)}/stream?tables=0`;
  // The stream of the seat shows whether the server can be reached.
  stopRoom = follow(address, { room: listen }, null, () => {});
}

function updateFromRoom() {
  if (!roomLine) return;
  say(part("wait-words"), waitWords());
  say(part("signed-up"), isTournament ? signedUpWords(roomLine) : "");
  show(part("signed-up"), isTournament);
  if (part("offers")) showOffers(roomLine, part("wait"), { own: state.table, name: state.name });
}

function updateFinalStandings() {
  const { standings } = state;
  show(part("final"), standings.length > 0);
  const rows = standings.map(({ name, won, lost }, at) =>
    make(
      "tr",
      {},
      make("td", { class: "n soft" }, `${at + 1}`),
      make("th", { scope: "row" }, name),
      make("td", { class: "n" }, `${won}`),
      make("td", { class: "n" }, `${lost}`),
    ),
  );
  part("final").tBodies[0].replaceChildren(...rows);
}

function updateProposal({ terms, seat, values, may_counter: mayCounter }) {
  const now = JSON.stringify([values, seat]);
  show(part("others"), mayCounter);
  if (part("others") && now !== proposed) chooseTerms(part("others"), values, seat);
  // The terms that the player has chosen beside the button "Propose other terms".
  const counter = mayCounter ? takeCounterProposal(id) : null;
  if (counter) attempt(() => ask("POST", `${address}/propose`, counter)).catch(() => {});
  const newest = state.messages.at(-1);
  say(part("refused"), newest?.is_bad ? newest.text : "");
  show(part("refused"), Boolean(newest?.is_bad));
  proposed = now;
  const lines = [...Object.entries(terms), ["you play", page.dataset[`title${seat}`]]];
  part("proposed").replaceChildren(
    ...lines.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]),
  );
}

function updateBoard() {
  board.show(state.picture ?? "", state.last_move?.targets ?? []);
  // Offer nothing until the server has answered the last move.
  if (isSending) return hint(board.pointing);
  const now = JSON.stringify(state.choices);
  // Keep the steps chosen so far if the choices are the same, unless they are a complete move: that
  // one was sent, and the same choices may be offered again.
  if (now === offered && !board.pointing.isComplete()) {
    board.relight();
    return hint(board.pointing);
  }
  offered = now;
  show(part("problem"), false);
  board.offer(state.is_to_move ? state.choices : []);
}

function updateLast() {
  const { last_move: last, players } = state;
  const who = last && players[last.seat - 1];
  say(part("last"), last ? `Last move: ${last.move}${who ? `, by ${who}` : ""}` : "");
}

/** Show how the previous match ended, until the player dismisses it. */
function updateLastVerdict() {
  const { last_verdict: verdict, last_match: match } = state;
  say(part("last-verdict-words"), verdict);
  show(part("last-record"), Boolean(match));
  if (match) part("last-record").href = `/records/${inAddress(match)}`;
  show(part("last-verdict"), Boolean(verdict) && dismissed !== `${match} ${verdict}`);
}

function updateMessages() {
  const newestShown = Number(messages.lastElementChild?.dataset.number ?? -1);
  const fresh = state.messages.filter((message) => message.number > newestShown);
  for (const { number, name, text, is_bad: isBad, match } of fresh) {
    const look = { "data-number": number, class: isBad ? "is-bad" : null };
    const words = name ? saying(name, text) : [text];
    if (match) words.push(" ", make("a", { href: `/records/${inAddress(match)}` }, "Replay"));
    messages.append(make("li", look, ...words));
  }
  if (fresh.length) messages.scrollTop = messages.scrollHeight;
}

function hint(pointing) {
  show(part("back"), pointing.chosen.length > 0 && !isSending);
  say(part("hint"), hintWords(pointing));
}

function hintWords(pointing) {
  if (!isReachable) return "The server cannot be reached; trying again";
  if (!state || !state.picture || state.stage !== "playing") return "";
  // The status says whether the opponent is connected.
  if (!state.is_to_move && state.status) return "";
  if (!state.is_to_move) return `${opponentName()} is thinking.`;
  if (state.task && !pointing.chosen.length) return `${state.task}.`;
  const start = "Your turn";
  if (!pointing.choices.length) return `${start}.`;
  const { chosen } = pointing;
  const [fewest, most] = pointing.wanted();
  if (most === 0) return `${chosen.join(", ")}: played.`;
  const steps = fewest === most ? `${most}` : `up to ${most}`;
  if (chosen.length) return `${chosen.join(", ")} – now choose what comes next.`;
  if (most === 1) return `${start}: choose what to play.`;
  return `${start}: choose what to begin with (${steps} steps).`;
}

function opponentName() {
  const name = state.seat === null ? "" : state.players[2 - state.seat];
  return name || "The other player";
}

async function send(move) {
  isSending = true;
  show(part("back"), false);
  try {
    const told = await attempt(() => ask("POST", `${address}/move`, { move }));
    isSending = false;
    if (told.version > state.version) update(told);
    else updateBoard();
  } catch {
    isSending = false;
    board.offer(state.is_to_move ? state.choices : []);
  }
}

/** Call a function, and show its error near the board. */
async function attempt(action) {
  show(part("problem"), false);
  try {
    return await action();
  } catch (refusal) {
    if (!(refusal instanceof Refused)) throw refusal;
    say(part("problem"), refusal.message);
    show(part("problem"), true);
    throw refusal;
  }
}

/** Call a function when a form is submitted or a button clicked; show its error. */
function on(name, action) {
  whenUsed(part(name), action);
}

function whenUsed(element, action) {
  element.addEventListener(element.tagName === "FORM" ? "submit" : "click", (act) => {
    act.preventDefault();
    attempt(() => action(element)).catch(() => {});
  });
}

function isInMatch() {
  return Boolean(state?.is_playing && state.seat !== null);
}

function askIfSure(words) {
  return isInMatch() ? `${words}: sure?` : "";
}

function warnOfDisqualification() {
  if (isInMatch()) return "Leave: you lose this game and are out of the tournament";
  return state?.stage === "over" ? "Leave: you are out of the tournament" : "";
}

// Actions that cannot be undone need a second click, on a button that says what happens.
function onSecondClick(name, warn, action) {
  const button = part(name);
  const words = button.textContent;
  button.addEventListener("blur", () => say(button, words));
  on(name, async () => {
    const warning = warn(words);
    if (warning && button.textContent !== warning) return say(button, warning);
    say(button, words);
    await action();
  });
}

on("question", (form) => ask("POST", `${address}/answer`, { text: form.elements.text.value }));
on("say", async (form) => {
  const text = form.elements.text.value.trim();
  if (!text) return;
  await ask("POST", `${address}/say`, { text });
  form.reset();
});
on("write", async (form) => {
  await ask("POST", `${address}/move`, { move: form.elements.move.value.trim() });
  form.reset();
});
for (const form of document.querySelectorAll("[data-call]")) {
  whenUsed(form, async () => update(await ask("POST", `${address}/bot`, { bot: form.elements.bot.value })));
}
on("proposal", () => ask("POST", `${address}/answer`, { text: "yes" }));
on("decline", () => leave());
if (part("counter")) {
  on("counter", () => ask("POST", `${address}/propose`, chosenTerms(part("proposal"))));
}
on("rematch", () => ask("POST", `${address}/rematch`));
on("another", async () => {
  const seat = await sitAgain(state);
  location.assign(`/play/${inAddress(seat.id)}`);
});
on("back", () => board.back());
on("dismiss", () => {
  dismissed = `${state.last_match} ${state.last_verdict}`;
  updateLastVerdict();
});
onSecondClick("resign", askIfSure, () => ask("POST", `${address}/resign`));
onSecondClick("leave", isTournament ? warnOfDisqualification : askIfSure, leave);
document.addEventListener("keydown", (key) => {
  if (key.key === "Escape" && !isSending && board.back()) key.preventDefault();
});

async function leave() {
  await ask("DELETE", address).catch(() => {});
  location.assign("/");
}

seatForms();
follow(`${address}/stream`, { seat: update }, returnToGame, (isUp) => {
  isReachable = isUp;
  if (!isUp) show(part("problem"), false);
  hint(board.pointing);
});
