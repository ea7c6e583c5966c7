/** Server-sent events, with reconnection. */

import { say } from "./dom.js";

// Show a lost connection only after this time.
const MILLISECONDS_UNTIL_SHOWN = 1500;
// After an HTTP error the browser does not reconnect by itself, so the page does, after this time.
const MILLISECONDS_TO_TRY_AGAIN = 5000;

const versions = new Map(); // the last version of each object

/** Follow a stream. `listeners` are functions by event name, called with the decoded value.

`onGone` is called when the resource does not exist any more; the stream has then ended. `onLine` is
called with true or false when the server becomes reachable or unreachable; by default the top of
the page shows it.
Returns a function that ends the stream. */
export function follow(address, listeners, onGone = null, onLine = showConnection) {
  let lossTimer = 0;
  let isStopped = false;
  let source = null;

  addEventListener("pagehide", () => (isStopped = true));
  // A page that is restored from the back/forward cache has lost its connection.
  addEventListener("pageshow", (shown) => {
    if (shown.persisted) location.reload();
  });
  open();
  return () => {
    isStopped = true;
    source.close();
  };

  async function onClosed() {
    if (onGone && (await isGone(address))) {
      clearTimeout(lossTimer);
      onLine(true);
      onGone();
    } else {
      setTimeout(open, MILLISECONDS_TO_TRY_AGAIN);
    }
  }

  function open() {
    if (isStopped) return;
    source = new EventSource(address);
    source.addEventListener("open", () => {
      clearTimeout(lossTimer);
      lossTimer = 0;
      versions.clear();
      onLine(true);
    });
    source.addEventListener("error", () => {
      if (isStopped) return;
      lossTimer ||= setTimeout(() => onLine(false), MILLISECONDS_UNTIL_SHOWN);
      if (source.readyState === EventSource.CLOSED) onClosed();
    });
    for (const [name, listen] of Object.entries(listeners)) {
      source.addEventListener(name, (line) => listen(JSON.parse(line.data)));
    }
  }
}

function showConnection(isUp) {
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
