/** What is said at a table, and a word of one's own. */

import { ask, Refused } from "./api.js";
import { make, part, say, show } from "./dom.js";
import { askName, rememberedName } from "./sitting.js";

const messages = part("messages");
const form = part("say");
const { text: field } = form.elements;

/** Lists what was said since it was last told. */
export function showTalk({ talk, may_say: maySay }) {
  show(part("talk"), maySay);
  const newestShown = Number(messages.lastElementChild?.dataset.number ?? 0);
  // A hall that was opened again counts from the beginning.
  const isAnew = (talk.at(-1)?.number ?? 0) < newestShown;
  if (isAnew) messages.replaceChildren();
  const fresh = talk.filter(({ number }) => isAnew || number > newestShown);
  for (const { number, name, text } of fresh) {
    const who = make("bdi", { class: "who-said" }, name);
    messages.append(make("li", { "data-number": number }, who, ": ", make("bdi", {}, text)));
  }
  if (fresh.length) messages.scrollTop = messages.scrollHeight;
}

/** Makes the form say at that table what is written in it. */
export function talkAt(address) {
  form.addEventListener("submit", async (submit) => {
    submit.preventDefault();
    const text = field.value.trim();
    const name = text && (rememberedName() || (await askName()));
    if (!name) return;
    showName();
    show(part("problem"), false);
    try {
      await ask("POST", `${address}/say`, { name, text });
      form.reset();
    } catch (refusal) {
      if (!(refusal instanceof Refused)) throw refusal;
      say(part("problem"), refusal.message);
      show(part("problem"), true);
    }
    field.focus();
  });
  part("rename").addEventListener("click", async () => {
    await askName();
    showName();
    field.focus();
  });
  messages.scrollTop = messages.scrollHeight;
  showName();
}

function showName() {
  const name = rememberedName();
  say(part("name"), name);
  show(part("naming"), Boolean(name));
}
