/** A board to click: highlights the possible targets, and composes a move from the clicks. */

import { make } from "./dom.js";
import { isRound, layer, mark, markLast, named, placeOf } from "./marks.js";
import { hang } from "./picture.js";
import { Pointing } from "./pointing.js";

// With more targets than this, marks would hide the picture: show only the one under the pointer.
const MAX_LIT = 30;
const MAX_LIT_SHARE = 0.35;
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The board of a page. `frame` holds the picture, `words` the buttons for what is not in it. */
export class Board {
  #frame;
  #words;
  #onMove;
  #onStep;
  #pointing = new Pointing();
  #layer = null; // for marks, on top of the picture
  #lit = new Map(); // clickable elements, with their names, places and marks
  #hadFocus = false;
  #lastFocus = null; // the place of the last focused element

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

  /** The steps chosen so far, and the possible next ones. */
  get pointing() {
    return this.#pointing;
  }

  /** Show a position, with rings around the last move. */
  show(picture, lastTargets) {
    if (hang(this.#frame, picture)) this.#lit.clear();
    if (this.#picture) markLast(this.#picture, lastTargets);
  }

  /** Offer moves from their first step; no moves if it is not the player's turn. */
  offer(choices) {
    this.#pointing = new Pointing(choices);
    this.#light();
  }

  /** Highlight the targets again in a new picture. */
  relight() {
    if (!this.#lit.size && this.#pointing.choices.length) this.#light();
  }

  /** Take the last step back. Return whether there was one. */
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
    // A click on the chosen target takes it back; on another first target, it starts there instead.
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

  /** Highlight targets in the picture. Return the names that it does not have. */
  #lightPicture(names) {
    const picture = this.#picture;
    const [targets, spots] = [named(picture, "target"), named(picture, "spot")];
    const chosen = this.#pointing.chosen.flatMap((name) => targets.get(name) ?? []);
    // Measure all places before drawing: each drawing would make the next measurement slow.
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
    // To screen readers a picture is an image, unless it contains targets.
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
    return this.#lit.size > MAX_LIT || sum > MAX_LIT_SHARE * all;
  }

  /** Return the mark of a target, drawn at the first call. */
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
    } else if (key.key in DIRECTIONS) {
      key.preventDefault();
      this.#focus(this.#beside(this.#lit.get(lit).place, DIRECTIONS[key.key]) ?? lit);
    }
  }

  /** Return the nearest target in a direction, null if there is none. */
  #beside(place, [right, down]) {
    const from = middle(place);
    let best = null;
    let least = Infinity;
    for (const [element, { place: other }] of this.#lit) {
      const to = middle(other);
      const [dx, dy] = [to.x - from.x, to.y - from.y];
      const ahead = dx * right + dy * down;
      const aside = Math.abs(dx * down) + Math.abs(dy * right);
      // A target that is more to the side than ahead is in another direction.
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
    // Buttons are outside the frame; a user who came from the board returns to it.
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
