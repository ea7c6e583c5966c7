/** The replay of a finished match; every position has its own address. */

import { fetchText, Refused } from "./api.js";
import { counted, inAddress, part, say, show } from "./dom.js";
import { markLast } from "./marks.js";
import { fit, hang, tellInWords } from "./picture.js";
import { showPieces } from "./pieces.js";

const MILLISECONDS_A_MOVE = 800;

const page = document.getElementById("replay");
const { match } = page.dataset;
const last = Number(page.dataset.last);
const board = part("board");
const scrub = part("scrub");
const links = [...part("moves").querySelectorAll("a")];
const pictures = new Map();
let at = Number(page.dataset.move);
let timer = 0;

function addressOf(number) {
  return `/records/${inAddress(match)}/${number}`;
}

/** Fetch the picture of a position, once. */
function pictureOf(number) {
  if (!pictures.has(number)) {
    const asked = fetchText(`/api/records/${inAddress(match)}/positions/${number}`);
    asked.catch(() => pictures.delete(number));
    pictures.set(number, asked);
  }
  return pictures.get(number);
}

function prefetch() {
  for (const number of [at + 1, at - 1, at + 2]) {
    // Errors are ignored here; the picture is fetched again when it is shown.
    if (number >= 0 && number <= last) pictureOf(number).catch(() => {});
  }
}

async function go(number) {
  at = Math.max(0, Math.min(last, number));
  const wanted = at;
  describe();
  try {
    const picture = await pictureOf(wanted);
    if (at !== wanted) return;
    hang(board, picture);
    markPlayed();
    prefetch();
  } catch (refusal) {
    if (!(refusal instanceof Refused)) throw refusal;
    stop();
    say(part("at"), refusal.message);
  }
}

function describe() {
  history.replaceState(null, "", addressOf(at));
  scrub.value = at;
  const played = links[at - 1]?.textContent;
  const words = at ? `Move ${at} of ${last}: ${played}` : `The start, ${counted(last, "move")}`;
  say(part("at"), words);
  scrub.setAttribute("aria-valuetext", words);
  const steps = { first: 0, back: at - 1, forward: at + 1, end: last };
  for (const [name, to] of Object.entries(steps)) {
    const link = part(name);
    if (to < 0 || to > last || to === at) link.removeAttribute("href");
    else link.href = addressOf(to);
  }
  links.forEach((link, number) => {
    if (number + 1 === at) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
  });
  const list = part("moves");
  const line = links[at - 1]?.parentElement;
  list.scrollTop = line ? line.offsetTop - list.clientHeight / 2 : 0;
}

function markPlayed() {
  const targets = links[at - 1]?.dataset.targets;
  const picture = board.querySelector("svg");
  showPieces(document.querySelector(".players"), picture);
  markLast(picture, targets ? JSON.parse(targets) : []);
}

function play() {
  if (timer) return stop();
  timer = setInterval(() => (at < last ? go(at + 1) : stop()), MILLISECONDS_A_MOVE);
  go(at < last ? at + 1 : 0);
  say(part("play-sign"), "Pause");
  part("play").setAttribute("aria-label", "Pause");
}

function stop() {
  clearInterval(timer);
  timer = 0;
  say(part("play-sign"), "Play");
  part("play").setAttribute("aria-label", "Play");
}

function step(number) {
  stop();
  go(number);
}

document.addEventListener("click", (click) => {
  const link = click.target.closest(".steps a, .moves a");
  if (!link || click.ctrlKey || click.metaKey || click.shiftKey) return;
  click.preventDefault();
  if (link.href) step(Number(link.href.split("/").pop()));
});
document.addEventListener("keydown", (key) => {
  if (key.altKey || key.ctrlKey || key.metaKey) return;
  const isOnControl = key.target.closest?.("a, button, summary, input:not([type=range])");
  if (key.key === " " && !isOnControl) {
    key.preventDefault();
    play();
    return;
  }
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
  if (!(key.key in to)) return;
  key.preventDefault();
  step(to[key.key]);
});
scrub.addEventListener("input", () => step(Number(scrub.value)));
part("play").addEventListener("click", play);
show(scrub, true);
show(part("play"), true);
tellInWords(board);
fit(board);
markPlayed();
describe();
prefetch();
