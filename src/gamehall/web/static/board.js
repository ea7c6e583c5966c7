/** A board to click: lights what can be chosen next, and gathers a move from what is chosen. */

import { make } from "./dom.js";
import { isRound, layer, mark, markLast, named, placeOf } from "./marks.js";
import { hang } from "./picture.js";
import { Pointing } from "./pointing.js";

// Where so much of the picture is lit that marks would only hide it, they come out one at a time.
const MOST_LIT = 30;
const MOST_OF_THE_PICTURE = 0.35;
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The board of a page. `frame` holds the picture, `words` the buttons for what is not in it. */
export class Board {
  #frame;
  #words;
  #onMove;
  #onStep;
  #pointing = new Pointing();
  #layer = null; // of the picture, for marks
  #lit = new Map(); // elements that can be chosen: their names, places and marks
  #hadFocus = false;
  #lastFocus = null; // where it was, to go on from there

  /** `onMove(move)` is called with a complete move, `onStep(pointing)` after each step. */
  constructor(frame, words, onMove, onStep) {
    this.#frame = frame;
    this.#words = words;
    this.#onMove = onMove;
    this.#onStep = onStep;
    frame.addEventListener("click", (click) => this.#click(click.target));
    frame.addEventListener("keydown", (key) => this.#press(key));
    frame.addEventListener("pointerover", (over) => this.#point(over.target, true));
    frame.addEventListener("pointerout", (over) => this.#point(over.target, false));
    frame.addEventListener("focusin", (focus) => this.#focused(focus.target));
    frame.addEventListener("focusout", (focus) => {
      const lit = this.#litAround(focus.target);
      if (lit) this.#markOf(lit).classList.remove("focus");
    });
    document.addEventListener("focusin", ({ target }) => {
      if (!frame.contains(target)) this.#hadFocus = false;
    });
  }

  get #picture() {
    return this.#frame.querySelector("svg");
  }

  /** What was chosen so far, and what may come next. */
  get pointing() {
    return this.#pointing;
  }

  /** Shows a position, with a ring around what was played last. */
  show(picture, lastTargets) {
    if (hang(this.#frame, picture)) this.#lit.clear();
    if (this.#picture) markLast(this.#picture, lastTargets);
  }

  /** Offers these moves, from the first step; none if it is nobody's turn here. */
  offer(choices) {
    this.#pointing = new Pointing(choices);
    this.#light();
  }

  /** Lights again what is offered, in a picture that may be another. */
  relight() {
    if (!this.#lit.size && this.#pointing.choices.length) this.#light();
  }

  /** Takes the last step back; gives whether there was one. */
  back() {
    const isBack = this.#pointing.back();
    if (isBack) this.#light();
    return isBack;
  }

  #choose(name) {
    const move = this.#pointing.point(name);
    this.#light();
    if (move !== null) this.#onMove(move);
  }

  #click(element) {
    const lit = this.#litAround(element);
    if (lit) {
      this.#choose(this.#lit.get(lit).name);
      return;
    }
    // Whoever clicks on what was chosen takes it back, and may begin elsewhere instead.
    const named = element.closest?.("[data-target]")?.dataset.target;
    if (named === undefined || !this.#pointing.chosen.length) return;
    if (this.#pointing.chosen.at(-1) === named) this.back();
    else if (this.#pointing.beginWith(named)) this.#light();
  }

  #litAround(element) {
    for (let one = element; one && one !== this.#frame; one = one.parentElement) {
      if (this.#lit.has(one)) return one;
    }
    return null;
  }

  #light() {
    for (const element of this.#lit.keys()) dim(element);
    this.#lit.clear();
    const names = this.#pointing.next().filter((name) => name !== undefined);
    const missing = this.#picture ? this.#lightPicture(names) : names;
    this.#words.replaceChildren(...missing.map((name) => this.#button(name)));
    this.#onStep(this.#pointing);
    if (this.#hadFocus) this.#focusAgain();
  }

  /** Gives the names that the picture does not have. */
  #lightPicture(names) {
    const picture = this.#picture;
    const [targets, spots] = [named(picture, "target"), named(picture, "spot")];
    const chosen = this.#pointing.chosen.flatMap((name) => targets.get(name) ?? []);
    // All places are measured before anything is drawn: to draw makes the next one slow to measure.
    const places = chosen.map((element) => placeOf(picture, element));
    const missing = [];
    for (const name of names) {
      const [spot] = spots.get(name) ?? [];
      const small = spot ? placeOf(picture, spot) : null;
      for (const element of targets.get(name) ?? []) {
        const place = placeOf(picture, element);
        if (place) this.#lit.set(element, { name, place, small, mark: null });
      }
      if (!targets.has(name)) missing.push(name);
    }
    // A picture is one thing to a reader of screens, unless there is something in it to choose.
    picture.setAttribute("role", names.length ? "group" : "img");
    this.#layer = layer(picture, "lit");
    for (const place of places) if (place) mark(this.#layer, place, "chosen");
    const isCrowded = this.#isCrowded(picture);
    this.#layer.classList.toggle("crowded", isCrowded);
    for (const [element, { name }] of this.#lit) {
      light(element, name);
      if (!isCrowded) this.#markOf(element);
    }
    this.#lit.keys().next().value?.setAttribute("tabindex", "0");
    return missing;
  }

  #isCrowded(picture) {
    const box = picture.viewBox.baseVal;
    const all = box && box.width ? box.width * box.height : Infinity;
    let sum = 0;
    for (const { place, small } of this.#lit.values()) {
      if (!small && !isRound(place)) sum += place.width * place.height;
    }
    return this.#lit.size > MOST_LIT || sum > MOST_OF_THE_PICTURE * all;
  }

  /** The mark of something lit, drawn when it is first wanted. */
  #markOf(element) {
    const one = this.#lit.get(element);
    one.mark ??= mark(this.#layer, one.place, "open", one.small);
    return one.mark;
  }

  #button(name) {
    const button = make("button", { type: "button" }, name);
    button.addEventListener("click", () => this.#choose(name));
    return button;
  }

  #point(element, isOver) {
    const lit = this.#litAround(element);
    if (lit) this.#markOf(lit).classList.toggle("over", isOver);
  }

  #press(key) {
    const lit = this.#litAround(key.target);
    if (!lit || key.altKey || key.ctrlKey || key.metaKey) return;
    if (key.key === "Enter" || key.key === " ") {
      key.preventDefault();
      this.#choose(this.#lit.get(lit).name);
    } else if (key.key in WAYS) {
      key.preventDefault();
      this.#focus(this.#beside(this.#lit.get(lit).place, WAYS[key.key]) ?? lit);
    }
  }

  /** The lit element that is next in that direction, null if there is none. */
  #beside(place, [right, down]) {
    const from = middle(place);
    let best = null;
    let least = Infinity;
    for (const [element, { place: other }] of this.#lit) {
      const to = middle(other);
      const [dx, dy] = [to.x - from.x, to.y - from.y];
      const ahead = dx * right + dy * down;
      const aside = Math.abs(dx * down) + Math.abs(dy * right);
      // What lies more to the side than ahead is in another direction.
      if (ahead <= 0.01 || aside > 2 * ahead) continue;
      if (ahead + 2 * aside < least) [best, least] = [element, ahead + 2 * aside];
    }
    return best;
  }

  #focusAgain() {
    let best = this.#lit.keys().next().value ?? null;
    if (this.#lastFocus) {
      const from = middle(this.#lastFocus);
      let least = Infinity;
      for (const [element, { place }] of this.#lit) {
        const to = middle(place);
        const far = (to.x - from.x) ** 2 + (to.y - from.y) ** 2;
        if (far < least) [best, least] = [element, far];
      }
    }
    if (best) this.#focus(best);
    else this.#words.querySelector("button")?.focus();
    // Buttons lie outside the frame, but who came to them from the board goes back there.
    this.#hadFocus = true;
  }

  #focus(element) {
    element.focus({ preventScroll: true });
  }

  #focused(element) {
    const lit = this.#litAround(element);
    if (!lit) return;
    this.#hadFocus = true;
    this.#lastFocus = this.#lit.get(lit).place;
    for (const one of this.#lit.keys()) one.setAttribute("tabindex", one === lit ? "0" : "-1");
    this.#markOf(lit).classList.toggle("focus", lit.matches(":focus-visible"));
  }
}

function middle({ x, y, width, height }) {
  return { x: x + width / 2, y: y + height / 2 };
}

function light(element, name) {
  element.classList.add("lit");
  element.setAttribute("tabindex", "-1");
  element.setAttribute("role", "button");
  element.setAttribute("aria-label", name);
}

function dim(element) {
  element.classList.remove("lit");
  for (const name of ["tabindex", "role", "aria-label"]) element.removeAttribute(name);
}
