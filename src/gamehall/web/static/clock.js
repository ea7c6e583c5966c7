/** The countdown of a turn. */

import { say, show } from "./dom.js";

const SECONDS_TO_HURRY = 10;

/** A clock in an element, hidden while there is no deadline. */
export class Clock {
  #element;
  #words;
  #deadline = null;
  #timer = 0;

  /** `words` is called with the remaining time, and returns the text. */
  constructor(element, words = (time) => time) {
    this.#element = element;
    this.#words = words;
  }

  /** Set the remaining seconds; null: no deadline. */
  set(secondsLeft) {
    clearInterval(this.#timer);
    this.#deadline = secondsLeft == null ? null : performance.now() + secondsLeft * 1000;
    show(this.#element, this.#deadline !== null);
    if (this.#deadline === null) return;
    this.#tell();
    this.#timer = setInterval(() => this.#tell(), 250);
  }

  #tell() {
    const seconds = Math.max(0, Math.round((this.#deadline - performance.now()) / 1000));
    const rest = String(seconds % 60).padStart(2, "0");
    say(this.#element, this.#words(`${Math.floor(seconds / 60)}:${rest}`));
    this.#element.classList.toggle("hurry", seconds <= SECONDS_TO_HURRY);
  }
}
