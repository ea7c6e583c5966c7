/** Pictures of positions: the only markup that a page takes in while it is open. */

import { say } from "./dom.js";

const DRAWN = new Set(
  ("svg g path rect circle ellipse line polyline polygon text tspan title desc defs " +
    "linearGradient radialGradient stop clipPath mask pattern symbol marker filter " +
    "feDropShadow feGaussianBlur feOffset feMerge feMergeNode feFlood feComposite feBlend " +
    "feColorMatrix").split(" "),
);
const MOST_UPRIGHT = 1.15;
const FORBIDDEN = new Set(["href", "src", "style"]);
const SVG = "http://www.w3.org/2000/svg";

/** The picture as an element of this page, null if it is none or has what no picture needs. */
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
    // Paint may be named within the picture, and nowhere else.
    return !/url\(/i.test(value) || /^url\(["']?#[\w-]+["']?\)$/i.test(value.trim());
  });
}

/** Shows a picture in a frame, unless it is shown already; gives whether it is a new one. */
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
 * Writes what the picture in a frame says of itself to where the page has room for it. Not left in
 * the picture: whoever moves about on the board would be read all of it again and again.
 */
export function tellInWords(frame) {
  const description = frame.querySelector("svg > desc");
  const { words } = frame.dataset;
  if (words) say(document.getElementById(words), description?.textContent ?? "");
  description?.remove();
}

/** Lets a picture that is higher than wide be as high as it must be to be read. */
export function fit(frame) {
  const box = frame.querySelector("svg")?.viewBox.baseVal;
  frame.classList.toggle("is-tall", Boolean(box) && box.height > MOST_UPRIGHT * box.width);
}
