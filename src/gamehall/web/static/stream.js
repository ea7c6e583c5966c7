/** Server-sent events, with reconnection. */

import { say } from "./dom.js";

// Show a lost connection only after this time.
const MILLISECONDS_UNTIL_SHOWN = 1500;
// A browser does not reconnect after an HTTP error: then the page does.
const MILLISECONDS_TO_TRY_AGAIN = 5000;

const versions = new Map(); // the last version of each object

/** Follow a stream. `listeners` are functions by event name, called with the decoded value.

`onGone` is called once the resource does not exist any more, and ends the stream. `onLine` is
called with whether the server can be reached, whenever that changes; without it, the top of the page
says so.
Returns a function that ends the stream. */
export function follow(address, listeners, onGone = null, onLine = sayLine) {
  let worry = 0;
  let isLeaving = false;
  let source = null;

  addEventListener("pagehide", () => (isLeaving = true));
  // A page that is restored from the back/forward cache has lost its connection.
  addEventListener("pageshow", (shown) => {
    if (shown.persisted) location.reload();
  });
  open();
  return () => {
    isLeaving = true;
    source.close();
  };

  async function closed() {
    if (onGone && (await isGone(address))) {
      clearTimeout(worry);
      onLine(true);
      onGone();
    } else {
      setTimeout(open, MILLISECONDS_TO_TRY_AGAIN);
    }
  }

  function open() {
    if (isLeaving) return;
    source = new EventSource(address);
    source.addEventListener("open", () => {
      clearTimeout(worry);
      worry = 0;
      versions.clear();
      onLine(true);
    });
    source.addEventListener("error", () => {
      if (isLeaving) return;
      worry ||= setTimeout(() => onLine(false), MILLISECONDS_UNTIL_SHOWN);
      if (source.readyState === EventSource.CLOSED) closed();
    });
    for (const [name, listen] of Object.entries(listeners)) {
      source.addEventListener(name, (line) => listen(JSON.parse(line.data)));
    }
  }
}

function sayLine(isUp) {
  say(document.getElementById("line-state"), isUp ? "" : "connection lost");
}

/** Return whether the server says that the resource of a stream does not exist any more. */
async function isGone(address) {
  try {
    const answer = await fetch(address.replace(/\/stream(\?.*)?$/, ""), { credentials: "same-origin" });
    return answer.status === 404 || answer.status === 403;
  } catch {
    return false;
  }
}

/** Return whether this version of an object differs from the last one. A stream keeps its order, so
a later event is newer whatever its number; after a reconnection, events may repeat. */
export function isNews(key, version) {
  if (versions.get(key) === version) return false;
  versions.set(key, version);
  return true;
}
