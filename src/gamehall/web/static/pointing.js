/** The composition of a move from targets: the possible next ones, and when it is complete. */

/** The legal moves, and the targets chosen so far. */
export class Pointing {
  constructor(choices = []) {
    this.choices = choices;
    this.chosen = [];
  }

  /** Return the names of the possible next targets. */
  next() {
    const at = this.chosen.length;
    return [...new Set(this.#possible(this.chosen).map((choice) => choice.targets[at]))];
  }

  /** Choose a target. Return the move if it is complete, null otherwise. */
  point(name) {
    const chosen = [...this.chosen, name];
    const possible = this.#possible(chosen);
    if (!possible.length) return null;
    this.chosen = chosen;
    return possible.find((choice) => choice.targets.length === chosen.length)?.move ?? null;
  }

  /** Take the last target back. Return whether there was one. */
  back() {
    return this.chosen.pop() !== undefined;
  }

  /** Start again with this target, if a longer move starts with it. Return whether one does. */
  beginWith(name) {
    if (!this.#possible([name]).some((choice) => choice.targets.length > 1)) return false;
    this.chosen = [name];
    return true;
  }

  /** Return whether the chosen targets are a complete move. */
  isComplete() {
    return this.chosen.length > 0 && this.wanted()[1] === 0;
  }

  /** Return the minimum and the maximum number of further targets. */
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
