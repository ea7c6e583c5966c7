/** What is said at a table, and a word of one's own. */

import { ask, Refused } from "./api.js";
import { make, part, say, saying, show } from "./dom.js";
import { askName, rememberedName } from "./sitting.js";

const messages = part("messages");
const form = part("say");
const { text: field } = form.elements;

let shown = []; // what is listed, as it was told; a page begins with a list of its own

/** Lists what was said since it was last told. */
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

/** Whether what is told goes on from what is listed: a hall that was opened again counts anew. */
function isContinued(talk) {
  if (!shown.length || (talk.at(-1)?.number ?? 0) < shown.at(-1).number) return false;
  const told = new Map(talk.map((one) => [one.number, one]));
  return shown.every(({ number, name, text }) => {
    const one = told.get(number);
    return !one || (one.name === name && one.text === text);
  });
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
