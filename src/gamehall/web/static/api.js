/** Requests to the API. */

/** An error response; its message is for the user. */
export class Refused extends Error {}

/** Send a request, and return the decoded response. Throws Refused. */
export async function ask(method, address, body = {}) {
  const answer = await reach(address, {
    method,
    headers: { "Content-Type": "application/json", "X-Gamehall": "1" },
    body: method === "DELETE" ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  return text ? parsed(text) : null;
}

/** Fetch a text. Throws Refused. */
export async function fetchText(address) {
  return (await reach(address, {})).text();
}

async function reach(address, how) {
  let answer;
  try {
    answer = await fetch(address, { credentials: "same-origin", ...how });
  } catch {
    throw new Refused("The server cannot be reached. Is it still running?");
  }
  if (answer.ok) return answer;
  const problem = parsed(await answer.text().catch(() => ""));
  throw new Refused(problem?.error || `The server refused the request (${answer.status}).`);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
