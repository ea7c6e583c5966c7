/** Pictures of positions: the only markup that a page inserts. */

import { say } from "./dom.js";

const DRAWN = new Set(
  ("svg g path rect circle ellipse line polyline polygon text tspan title desc defs " +
    "linearGradient radialGradient stop clipPath mask pattern symbol marker filter " +
    "feDropShadow feGaussianBlur feOffset feMerge feMergeNode feFlood feComposite feBlend " +
    "feColorMatrix").split(" "),
);
const MAX_HEIGHT_RATIO = 1.15;
const FORBIDDEN = new Set(["href", "src", "style"]);
const SVG = "http://www.w3.org/2000/svg";

/** Return an SVG text as an element, null if it is not SVG or contains forbidden parts. */
export function readPicture(text) {
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (root.localName !== "svg" || root.namespaceURI !== SVG) return null;
  if (![root, ...root.querySelectorAll("*")].every(isHarmless)) return null;
  return document.importNode(root, true);
}

function isHarmless(element) {
  if (element.namespaceURI !== SVG || !DRAWN.has(element.localName)) return false;
  return [...element.attributes].every(({ localName, value }) => {
    const name = localName.toLowerCase();
    if (name.startsWith("on") || FORBIDDEN.has(name)) return false;
    // References are allowed only within the picture.
    return !/url\(/i.test(value) || /^url\(["']?#[\w-]+["']?\)$/i.test(value.trim());
  });
}

/** Show a picture in a frame. Return whether it is a new one. */
export function hang(frame, text) {
  if (frame.pictureText === text) return false;
  frame.pictureText = text;
  const picture = text ? readPicture(text) : null;
  if (picture) frame.replaceChildren(picture);
  else frame.replaceChildren();
  tellInWords(frame);
  fit(frame);
  return true;
}

/**
 * Move the description of a picture to its place on the page. In the picture, screen readers would
 * read all of it at every step on the board.
 */
export function tellInWords(frame) {
  const description = frame.querySelector("svg > desc");
  const { words } = frame.dataset;
  if (words) say(document.getElementById(words), description?.textContent ?? "");
  description?.remove();
}

/** Let a picture that is higher than wide be as high as it needs to be. */
export function fit(frame) {
  const box = frame.querySelector("svg")?.viewBox.baseVal;
  frame.classList.toggle("is-tall", Boolean(box) && box.height > MAX_HEIGHT_RATIO * box.width);
}
