/** Elements of the page. Whatever players have written goes in as text, never as markup. */

/** The element that a page calls by that name in `data-part`. */
export function part(name, within = document) {
  return within.querySelector(`[data-part="${name}"]`);
}

/** A new element. Children are elements, or strings, which become text. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** What somebody has said: the name stands apart, so that it cannot look like anything else. */
export function saying(name, text) {
  return [make("bdi", { class: "who-said" }, name), ": ", make("bdi", {}, text)];
}

/** Puts a text where it is not yet, so that readers of screens hear only what is new. */
export function say(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

/** Shows an element, or hides it. */
export function show(element, isShown) {
  if (element) element.hidden = !isShown;
}

/** A part of an address, whatever letters a name has. */
export const inAddress = encodeURIComponent;

/** How many there are of something, in words. */
export function counted(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

/** What stands for somebody who has no name, or is not there. */
export const NOBODY = "nobody yet";

/** How a player is called who may have no name. */
export function called(name) {
  return name || "A player";
}

/** Whether a match goes on at a table, and both seats are taken. */
export function isInPlay(table) {
  return table.to_move !== null && !table.is_open;
}
