/** A move as one target after the other: what may come next, and when it is complete. */

/** The choice of a player who points: the legal moves, and what was pointed at so far. */
export class Pointing {
  constructor(choices = []) {
    this.choices = choices;
    this.chosen = [];
  }

  /** The names that may come next, each once. */
  next() {
    const at = this.chosen.length;
    return [...new Set(this.#possible(this.chosen).map((choice) => choice.targets[at]))];
  }

  /** Points at one more; gives the move if that completes it, and null if more is wanted. */
  point(name) {
    const chosen = [...this.chosen, name];
    const possible = this.#possible(chosen);
    if (!possible.length) return null;
    this.chosen = chosen;
    return possible.find((choice) => choice.targets.length === chosen.length)?.move ?? null;
  }

  /** Takes the last one back; gives whether there was one. */
  back() {
    return this.chosen.pop() !== undefined;
  }

  /** Begins anew with that name, if a move begins so; gives whether one does. */
  beginWith(name) {
    if (!this.#possible([name]).some((choice) => choice.targets.length > 1)) return false;
    this.chosen = [name];
    return true;
  }

  /** Whether what was pointed at is a whole move. */
  isComplete() {
    return this.chosen.length > 0 && this.wanted()[1] === 0;
  }

  /** How many more are wanted: the fewest, and the most. */
  wanted() {
    const lengths = this.#possible(this.chosen).map((choice) => choice.targets.length);
    const at = this.chosen.length;
    return [Math.min(...lengths) - at, Math.max(...lengths) - at];
  }

  #possible(chosen) {
    return this.choices.filter(
      ({ targets }) =>
        targets.length >= chosen.length && chosen.every((name, at) => targets[at] === name),
    );
  }
}
