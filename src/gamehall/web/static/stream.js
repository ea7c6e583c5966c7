/** What the hall tells a page for as long as it is open. */

import { say } from "./dom.js";

// A line that comes back within this time was not worth a word.
const MILLISECONDS_OF_PATIENCE = 1500;
// The browser gives up for good where it is refused; then the page tries again itself.
const MILLISECONDS_TO_TRY_AGAIN = 5000;

const told = new Map();

/** Follows a stream; `listeners` are functions by the names of what is told, given its value.

`onGone` is called, and no more is asked for, once what the stream is about is not there. `onLine`
is told whether the hall can be reached, whenever that has changed.
Returns a function that stops following. */
export function follow(address, listeners, onGone = null, onLine = () => {}) {
  const state = document.getElementById("line-state");
  let worry = 0;
  let isLeaving = false;
  let source = null;

  addEventListener("pagehide", () => (isLeaving = true));
  // A page that is shown again from the browser's memory has lost its line.
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
      say(state, "");
      onGone();
    } else {
      setTimeout(open, MILLISECONDS_TO_TRY_AGAIN);
    }
  }

  function lost() {
    say(state, "connection lost");
    onLine(false);
  }

  function open() {
    if (isLeaving) return;
    source = new EventSource(address);
    source.addEventListener("open", () => {
      clearTimeout(worry);
      worry = 0;
      told.clear();
      say(state, "");
      onLine(true);
    });
    source.addEventListener("error", () => {
      if (isLeaving) return;
      worry ||= setTimeout(lost, MILLISECONDS_OF_PATIENCE);
      if (source.readyState === EventSource.CLOSED) closed();
    });
    for (const [name, listen] of Object.entries(listeners)) {
      source.addEventListener(name, (line) => listen(JSON.parse(line.data)));
    }
  }
}

/** Whether what a stream is about is not there any more, as far as the hall can be asked. */
async function isGone(address) {
  try {
    const answer = await fetch(address.replace(/\/stream(\?.*)?$/, ""), { credentials: "same-origin" });
    return answer.status === 404 || answer.status === 403;
  } catch {
    return false;
  }
}

/** Whether that version of something was not told before. A stream keeps its order, so what comes
later is newer, whatever its number; a line that is new may repeat anything. */
export function isNews(key, version) {
  if (told.get(key) === version) return false;
  told.set(key, version);
  return true;
}
