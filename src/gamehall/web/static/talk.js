/** The chat at a table. */

import { ask, Refused } from "./api.js";
import { make, part, say, saying, show } from "./dom.js";
import { askName, rememberedName } from "./sitting.js";

const messages = part("messages");
const form = part("say");
const { text: field } = form.elements;

let shown = []; // the listed messages; the page itself starts with those of the template

/** List the new messages. */
export function showTalk({ talk, may_say: maySay }) {
  show(part("talk"), maySay);
  const isSame = isContinued(talk);
  if (!isSame) messages.replaceChildren();
  const newest = isSame ? (shown.at(-1)?.number ?? 0) : 0;
  const fresh = talk.filter(({ number }) => number > newest);
  shown = [...(isSame ? shown : []), ...fresh];
  for (const { number, name, text } of fresh) {
    messages.append(make("li", { "data-number": number }, ...saying(name, text)));
  }
  if (fresh.length) messages.scrollTop = messages.scrollHeight;
}

/** Return whether messages continue the listed ones: a restarted server counts from 1 again. */
function isContinued(talk) {
  if (!shown.length || (talk.at(-1)?.number ?? 0) < shown.at(-1).number) return false;
  const told = new Map(talk.map((one) => [one.number, one]));
  return shown.every(({ number, name, text }) => {
    const one = told.get(number);
    return !one || (one.name === name && one.text === text);
  });
}

/** Send the form as a chat message at this table. */
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
