/** Elements of the page. Text of players is inserted as text, never as markup. */

/** Return the element with this `data-part`. */
export function part(name, within = document) {
  return within.querySelector(`[data-part="${name}"]`);
}

/** Create an element. Children are elements or strings. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** Return the nodes of a chat message. The name is set apart, so that it cannot imitate others. */
export function saying(name, text) {
  return [make("bdi", { class: "who-said" }, name), ": ", make("bdi", {}, text)];
}

/** Set the text of an element if it differs, so that screen readers read only changes. */
export function say(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

/** Show or hide an element. */
export function show(element, isShown) {
  if (element) element.hidden = !isShown;
}

/** Encode a part of an address. */
export const inAddress = encodeURIComponent;

/** Return a number with its noun. */
export function counted(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

/** Shown instead of a name where no player sits. */
export const FREE_SEAT = "free seat";

/** Return the name of a waiting player, who may have none. */
export function called(name) {
  return name || "A player";
}

/** Return whether a match is in progress at a table with two players. */
export function isInPlay(table) {
  return table.to_move !== null && !table.is_open;
}
