/** Rings and dots over what can be pointed at in a picture, or was played last.

They are drawn into the picture, in its own measure, so they stay in place at any size. */

const SVG = "http://www.w3.org/2000/svg";
// What is about as wide as high is marked by a circle, anything else by a frame.
const MOST_OBLONG = 1.3;
// How much of its place a circle takes.
const SMALL = 0.66;
const LARGE = 0.92;

/** What bears a name in the picture, by that name: as `target` to point at, or as `spot`. */
export function named(picture, kind) {
  const found = new Map();
  for (const element of picture.querySelectorAll(`[data-${kind}]`)) {
    const name = element.dataset[kind];
    if (found.has(name)) found.get(name).push(element);
    else found.set(name, [element]);
  }
  return found;
}

/** Where an element is in its picture, in the measure of the picture; null if it is not seen. */
export function placeOf(picture, element) {
  const whole = picture.getScreenCTM();
  const own = element.getScreenCTM?.();
  if (!whole || !own) return null;
  const box = element.getBBox();
  if (!box.width && !box.height) return null;
  const way = whole.inverse().multiply(own);
  const corners = [
    [box.x, box.y],
    [box.x + box.width, box.y],
    [box.x, box.y + box.height],
    [box.x + box.width, box.y + box.height],
  ].map(([x, y]) => new DOMPoint(x, y).matrixTransform(way));
  const [xs, ys] = [corners.map((corner) => corner.x), corners.map((corner) => corner.y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** A fresh layer for marks of one kind on top of the picture; the old one is gone. */
export function layer(picture, kind) {
  picture.querySelector(`:scope > .marks-${kind}`)?.remove();
  const group = document.createElementNS(SVG, "g");
  group.setAttribute("class", `marks marks-${kind}`);
  group.setAttribute("aria-hidden", "true");
  picture.append(group);
  return group;
}

/** Marks a place: a light line below a coloured one is seen on any ground.

It has a small circle where its spot is, if it has one, or in its middle, unless it is oblong. */
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

/** Whether a place is about as wide as high. */
export function isRound({ width, height }) {
  return Math.max(width, height) <= MOST_OBLONG * Math.min(width, height);
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

/** Rings around what was played last. */
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

// Where there are no spots, what could be pointed at may still be there; but one of several of the
// same name is as likely as another.
function playedAt(name, spots, targets) {
  const found = targets.get(name) ?? [];
  return spots.get(name) ?? (found.length === 1 ? found : []);
}
