/** Dots beside the players, in the colours of their pieces. */

const SEATS = ["first", "second"];
const SHAPES = "path, rect, circle, ellipse, polygon";
const known = new Map(); // the colours of the seats, from the first picture with their pieces

/** Add dots to a list of players, for colours that are known. */
export function showPieces(list, picture) {
  for (const [at, seat] of SEATS.entries()) {
    if (picture && !known.has(seat)) {
      const colour = colourOf(picture, seat);
      if (colour) known.set(seat, colour);
    }
    const badge = list.querySelector(`[data-seat="${at + 1}"] .seat`);
    if (!badge || !known.has(seat)) continue;
    badge.classList.add("has-piece");
    badge.style.setProperty("--piece", known.get(seat));
  }
}

function colourOf(picture, seat) {
  for (const piece of picture.querySelectorAll(`[data-seat="${seat}"]`)) {
    const shapes = piece.matches(SHAPES) ? [piece] : piece.querySelectorAll(SHAPES);
    for (const shape of shapes) {
      const { fill, opacity } = getComputedStyle(shape);
      // Transparent shapes are shadows and highlights.
      const colour = Number(opacity) < 1 ? null : plain(picture, fill);
      if (colour) return colour;
    }
  }
  return null;
}

/** Return the colour of a fill, or the middle colour of a gradient; null if there is none. */
function plain(picture, fill) {
  if (/^rgb\(/.test(fill)) return fill;
  const name = /^url\("?#([\w-]+)"?\)/.exec(fill)?.[1];
  const stops = name ? picture.querySelectorAll(`[id="${name}"] stop`) : [];
  if (!stops.length) return null;
  return getComputedStyle(stops[Math.floor(stops.length / 2)]).stopColor;
}
