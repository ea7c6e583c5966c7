/** Taking a seat: the name, the terms, the bot, and the way back to a seat. */

import { ask, Refused } from "./api.js";
import { inAddress, make, part, say, show } from "./dom.js";

const KEY = "gamehall-name";
let nameInMemory = "";

/** Return the name that was entered in this browser before, or "". */
export function rememberedName() {
  // If the browser forbids storage, the name lasts as long as the page.
  try {
    return localStorage.getItem(KEY) || nameInMemory;
  } catch {
    return nameInMemory;
  }
}

function rememberName(name) {
  nameInMemory = name;
  try {
    localStorage.setItem(KEY, name);
  } catch {
    return;
  }
}

/** Ask for a name. Return it, or null if the dialog was cancelled. */
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

/** Return the terms selected in a form, or null if it has none. */
export function chosenTerms(form) {
  if (form.dataset.terms) return JSON.parse(form.dataset.terms);
  const chosen = [...form.querySelectorAll("[data-term]")];
  if (!chosen.length) return null;
  const terms = Object.fromEntries(
    chosen.map((select) => [select.dataset.term, JSON.parse(select.value)]),
  );
  const seat = Number(form.querySelector("[name=seat]").value) || null;
  return { terms, seat };
}

/** Return the terms selected in a form, or null if the user has changed none of them. */
function changedTerms(form) {
  const isChanged = [...(form?.querySelectorAll("[data-term], [name=seat]") ?? [])].some(
    (select) => select.selectedIndex > 0,
  );
  return isChanged ? chosenTerms(form) : null;
}

/** Select these terms in a form, as far as it has them. */
export function chooseTerms(form, terms, seat) {
  for (const select of form.querySelectorAll("[data-term]")) {
    const wanted = JSON.stringify(terms[select.dataset.term]);
    const option = [...select.options].find((one) => one.value === wanted);
    if (option) select.value = option.value;
  }
  form.querySelector("[name=seat]").value = seat ?? "";
}

/** Let forms with `data-sit` take a seat in the room, or at the table, that they name. */
export function seatForms(afterNaming = () => {}) {
  // Listen on the document, since the forms of offers are added and removed.
  document.addEventListener("submit", async (submit) => {
    const form = submit.target.closest("form[data-sit]");
    if (!form) return;
    submit.preventDefault();
    const bot = submit.submitter?.dataset.against ? form.elements.bot.value : "";
    const table = Number(form.dataset.table) || null;
    const discusses = "discuss" in (submit.submitter?.dataset ?? {});
    const terms = discusses ? null : chosenTerms(form);
    const around = form.closest("article, section") ?? document;
    const counter = discusses ? changedTerms(part("begin", around)?.form) : null;
    const problem = part("problem", around);
    show(problem, false);
    const name = form.dataset.name || rememberedName() || (await askName());
    if (!name) return;
    afterNaming();
    const buttons = form.querySelectorAll("button");
    for (const button of buttons) button.disabled = true;
    try {
      const seat = await sit({ room: form.dataset.sit, name, bot, table, ...terms }, counter);
      location.assign(`/play/${inAddress(seat.id)}`);
    } catch (refusal) {
      if (!(refusal instanceof Refused)) throw refusal;
      say(problem, refusal.message);
      show(problem, true);
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  });
}

/** Return the room without this browser's own seats among those that wait for an opponent. */
export function withoutOwn(room) {
  const seats = [...document.querySelectorAll("[data-seat-in]")]
    .map((line) => line.dataset)
    .filter((seat) => seat.seatIn === room.name);
  const tables = new Set(seats.map((seat) => Number(seat.table)));
  const names = new Set(seats.map((seat) => seat.waitsAs).filter(Boolean));
  return {
    ...room,
    waiting: room.waiting.filter((name) => !names.has(name)),
    offers: room.offers.filter((offer) => !tables.has(offer.table)),
  };
}

/** Show the players who wait in a room with the terms that they want, each with a button. */
export function showOffers(room, within = document, { own = null, name = null } = {}) {
  const offers = part("offers", within);
  const others = room.offers.filter(({ table }) => table !== own);
  const now = JSON.stringify(others);
  if (!offers || offers.dataset.shown === now) return;
  offers.dataset.shown = now;
  offers.replaceChildren(...others.map((offer) => offerForm(room, offer, name)));
  const begin = part("begin", within);
  if (!begin || !room.terms.length) return;
  say(begin, others.length ? "Wait on these terms" : "Play");
  begin.classList.toggle("primary", !others.length);
}

function offerForm(room, offer, name) {
  const { table, terms, values, seat } = offer;
  const side = seat ? `, you are ${room.seat_titles[seat - 1]}` : "";
  const player = make("bdi", {}, offer.name || "a player");
  const form = make(
    "form",
    {
      class: "offer",
      "data-sit": room.name,
      "data-table": table,
      "data-name": name,
      "data-terms": JSON.stringify({ terms: values, seat }),
    },
    make("button", { class: "primary" }, "Play ", player, `: ${terms}${side}`),
  );
  if (offer.may_counter) {
    form.append(make("button", { class: "quiet", "data-discuss": true }, "Propose other terms"));
  }
  return form;
}

/** Take a seat, and store how to return to it. `counter` are terms to propose to the player who
waits there. Throws Refused. */
export async function sit(wanted, counter = null) {
  const seat = await ask("POST", "/api/seats", wanted);
  const { bot, terms, seat: side } = { ...wanted, ...counter };
  remember(seat.id, { ...wayBack(seat), counter, wanted: { bot, terms, seat: side } });
  return seat;
}

/** Return the terms to propose from this seat, or null; and forget them, so that it happens once. */
export function takeCounterProposal(id) {
  const { counter = null, ...known } = recalled(id);
  if (counter) remember(id, known);
  return counter;
}

/** Store what is needed to return to a seat after a restart of the server. */
export function rememberSeat(seat) {
  remember(seat.id, { ...recalled(seat.id), ...wayBack(seat) });
}

/** Return to a seat that the server does not know any more. Throws Refused. */
export async function returnToSeat(id) {
  const { wanted, counter, ...known } = recalled(id);
  if (!known.room) throw new Refused("This seat is not known here. Start a game from the lobby.");
  const seat = await ask("POST", "/api/seats", known);
  remember(seat.id, { ...wayBack(seat), wanted });
  return seat;
}

/** Take a new seat with the bot and the terms of an earlier one. Throws Refused. */
export function sitAgain({ id, room, name }) {
  return sit({ ...recalled(id).wanted, room, name });
}

function wayBack({ room, joined_as: name, table, place }) {
  return { room, name, table, place };
}

function recalled(id) {
  try {
    return JSON.parse(sessionStorage.getItem(`seat ${id}`)) ?? {};
  } catch {
    return {};
  }
}

function remember(id, known) {
  try {
    sessionStorage.setItem(`seat ${id}`, JSON.stringify(known));
  } catch {
    return;
  }
}
