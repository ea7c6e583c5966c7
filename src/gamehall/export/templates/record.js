"use strict";
const match = JSON.parse(document.getElementById("match").textContent);
const { parts, pictures, moves, seconds } = match;
const [board, said] = ["board", "said"].map((name) => document.getElementById(name));
const part = (name) => document.querySelector(`[data-part="${name}"]`);
const [scrub, play, sign] = ["scrub", "play", "play-sign"].map(part);
let [at, timer] = [pictures.length - 1, null];
function show(number) {
  at = Math.max(0, Math.min(pictures.length - 1, number));
  const picture = pictures[at].map((part) => parts[part]).join("");
  board.src = "data:image/svg+xml," + encodeURIComponent(picture);
  board.alt = said.textContent = moves[at];
  scrub.value = at;
  scrub.setAttribute("aria-valuetext", moves[at]);
}
function label(word) {
  sign.textContent = word;
  play.setAttribute("aria-label", word);
}
function stop() {
  clearInterval(timer);
  timer = null;
  label("Play");
}
function start() {
  if (at === pictures.length - 1) show(0);
  timer = setInterval(() => {
    show(at + 1);
    if (at === pictures.length - 1) stop();
  }, seconds * 1000);
  label("Pause");
}
const acts = {
  first: () => show(0),
  back: () => show(at - 1),
  forward: () => show(at + 1),
  end: () => show(pictures.length - 1),
};
for (const [name, act] of Object.entries(acts)) {
  part(name).addEventListener("click", () => { stop(); act(); });
}
play.addEventListener("click", () => (timer === null ? start() : stop()));
scrub.addEventListener("input", () => { stop(); show(Number(scrub.value)); });
const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "end" };
document.addEventListener("keydown", (key) => {
  if (key.target === scrub || key.altKey || key.ctrlKey || key.metaKey) return;
  if (key.key === " " && !key.target.closest("button")) play.click();
  else if (keys[key.key]) part(keys[key.key]).click();
  else return;
  key.preventDefault();
});
document.querySelector("nav").hidden = scrub.hidden = false;
show(at);
