/** How somebody comes to a seat: a name, a room, perhaps a bot to play against. */

import { ask, Refused } from "./api.js";
import { inAddress, part, say, show } from "./dom.js";

/** At the end of the address of a seat: a bot was asked to come there. */
export const CALLED = "#called";

const KEY = "gamehall-name";
let inMind = "";

/** The name that somebody has given here before, or nothing. */
export function rememberedName() {
  // Storage may be forbidden; then the name lasts as long as the page.
  try {
    return localStorage.getItem(KEY) || inMind;
  } catch {
    return inMind;
  }
}

function rememberName(name) {
  inMind = name;
  try {
    localStorage.setItem(KEY, name);
  } catch {
    return;
  }
}

/** Asks for a name, and gives it, or null if the person would rather not say. */
export function askName() {
  const dialog = document.getElementById("who");
  const field = document.getElementById("who-name");
  field.value = rememberedName();
  dialog.returnValue = "";
  dialog.showModal();
  field.select();
  return new Promise((resolve) => {
    dialog.addEventListener(
      "close",
      () => {
        const name = field.value.trim();
        if (dialog.returnValue !== "yes" || !name) return resolve(null);
        rememberName(name);
        resolve(name);
      },
      { once: true },
    );
  });
}

/** Makes every form with `data-sit` lead to a seat in the room that it names. */
export function seatForms(afterNaming = () => {}) {
  for (const form of document.querySelectorAll("form[data-sit]")) {
    form.addEventListener("submit", async (submit) => {
      submit.preventDefault();
      const bot = form.elements.bot?.value;
      const problem = part("problem", form.closest("article, section"));
      show(problem, false);
      const name = rememberedName() || (await askName());
      if (!name) return;
      afterNaming();
      const buttons = form.querySelectorAll("button");
      for (const button of buttons) button.disabled = true;
      try {
        await sit(form.dataset.sit, name, bot);
      } catch (refusal) {
        if (!(refusal instanceof Refused)) throw refusal;
        say(problem, refusal.message);
        show(problem, true);
      } finally {
        for (const button of buttons) button.disabled = false;
      }
    });
  }
}

async function sit(room, name, bot) {
  const seat = await ask("POST", "/api/seats", { room, name });
  let isCalled = false;
  if (bot) {
    // The seat is there whatever the bot says; its page offers to call another one.
    const call = ask("POST", `/api/rooms/${inAddress(room)}/bots`, { bot });
    isCalled = await call.then(() => true, () => false);
  }
  location.assign(`/play/${inAddress(seat.id)}${isCalled ? CALLED : ""}`);
}
