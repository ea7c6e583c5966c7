/** Marks on a picture, for possible targets and for the last move.

They are drawn into the picture in its own units, so they stay in place at any size. */

const SVG = "http://www.w3.org/2000/svg";
// Places at most this many times as long as they are wide get a circle, others a frame.
const MAX_RATIO_FOR_CIRCLE = 1.3;
// The diameters of circles, as shares of their place.
const SMALL = 0.66;
const LARGE = 0.92;

/** Return the elements of a picture with `data-target` or `data-spot`, by name. */
export function named(picture, kind) {
  const found = new Map();
  for (const element of picture.querySelectorAll(`[data-${kind}]`)) {
    const name = element.dataset[kind];
    if (found.has(name)) found.get(name).push(element);
    else found.set(name, [element]);
  }
  return found;
}

/** Return the place of an element in the units of its picture; null if it is not rendered. */
export function placeOf(picture, element) {
  const whole = picture.getScreenCTM();
  const own = element.getScreenCTM?.();
  if (!whole || !own) return null;
  const box = element.getBBox();
  if (!box.width && !box.height) return null;
  const toPicture = whole.inverse().multiply(own);
  const corners = [
    [box.x, box.y],
    [box.x + box.width, box.y],
    [box.x, box.y + box.height],
    [box.x + box.width, box.y + box.height],
  ].map(([x, y]) => new DOMPoint(x, y).matrixTransform(toPicture));
  const [xs, ys] = [corners.map((corner) => corner.x), corners.map((corner) => corner.y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** Replace the layer for marks of one kind on top of the picture by an empty one. */
export function layer(picture, kind) {
  picture.querySelector(`:scope > .marks-${kind}`)?.remove();
  const group = document.createElementNS(SVG, "g");
  group.setAttribute("class", `marks marks-${kind}`);
  group.setAttribute("aria-hidden", "true");
  picture.append(group);
  return group;
}

/** Mark a place with a coloured line over a light one, which is visible on any background.

A small circle marks its spot if it has one, or the middle of a place that is not oblong. */
export function mark(group, place, kind, spot = null) {
  const one = document.createElementNS(SVG, "g");
  one.setAttribute("class", `mark ${kind}`);
  if (spot || isRound(place)) {
    one.append(ring(spot ?? place, "halo small", SMALL), ring(spot ?? place, "ring small", SMALL));
    one.classList.add("has-small");
  }
  one.append(ring(place, "halo large", LARGE), ring(place, "ring large", LARGE));
  group.append(one);
  return one;
}

/** Return whether a place is about as wide as high. */
export function isRound({ width, height }) {
  return Math.max(width, height) <= MAX_RATIO_FOR_CIRCLE * Math.min(width, height);
}

function ring(place, kind, share) {
  const { x, y, width, height } = place;
  const least = Math.min(width, height);
  const shape = document.createElementNS(SVG, "rect");
  const [across, down] = isRound(place) ? [least * share, least * share] : [width, height];
  shape.setAttribute("class", kind);
  shape.setAttribute("x", x + (width - across) / 2);
  shape.setAttribute("y", y + (height - down) / 2);
  shape.setAttribute("width", across);
  shape.setAttribute("height", down);
  shape.setAttribute("rx", isRound(place) ? across / 2 : Math.min(least * 0.12, 12));
  return shape;
}

/** Mark the targets of the last move. */
export function markLast(picture, names) {
  if (!picture) return;
  const [spots, targets] = [named(picture, "spot"), named(picture, "target")];
  const places = names.map((name) =>
    playedAt(name, spots, targets).map((element) => placeOf(picture, element)),
  );
  const group = layer(picture, "last");
  places.forEach((found, number) => {
    const kind = number === names.length - 1 ? "last" : "last earlier";
    for (const place of found) if (place) mark(group, place, kind);
  });
}

// Without spots, mark the target if it still exists and no other has its name.
function playedAt(name, spots, targets) {
  const found = targets.get(name) ?? [];
  return spots.get(name) ?? (found.length === 1 ? found : []);
}
