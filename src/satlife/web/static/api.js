// Talking to the server: the token of the opening link, requests, and news.

const TOKEN = "satlife-token";
const TAB = "satlife-tab";

const given = new URLSearchParams(location.search).get("token");
if (given) {
  localStorage.setItem(TOKEN, given);
  history.replaceState(null, "", location.pathname + location.hash);
}

/** A name for this tab that a reload keeps; a duplicate of the tab gets another one. */
function tabName() {
  const entry = /** @type {PerformanceNavigationTiming | undefined} */ (performance.getEntriesByType("navigation")[0]);
  const again = entry?.type === "reload";
  let name = again ? sessionStorage.getItem(TAB) : null;
  if (!name) {
    name = [...crypto.getRandomValues(new Uint8Array(12))].map((n) => n.toString(16).padStart(2, "0")).join("");
    sessionStorage.setItem(TAB, name);
  }
  return name;
}
const tab = tabName();

/** @returns {Record<string, string>} */
const headers = () => ({ authorization: `Bearer ${localStorage.getItem(TOKEN) ?? ""}`, "x-tab": tab });

export class Refused extends Error {}

/** Show or hide one of the notices at the top. @param {string} id @param {boolean} shown */
function notice(id, shown) {
  const place = document.getElementById(id);
  if (place) place.hidden = !shown;
}

/**
 * Ask the server; what it refuses comes back as an error with its sentence.
 * @param {string} path
 * @param {RequestInit} init
 */
async function ask(path, init = {}) {
  let answer;
  try {
    answer = await fetch(`/api/${path}`, { ...init, headers: { ...headers(), ...init.headers } });
  } catch {
    notice("offline", true);
    throw new Refused("the server does not answer");
  }
  notice("offline", false);
  if (!answer.ok) {
    if (answer.status === 403) notice("locked", true);
    const words = await answer.json().then((data) => data.error, () => answer.statusText);
    throw new Refused(words);
  }
  return answer;
}

/** @param {unknown} data @returns {RequestInit} */
const sent = (data) => ({
  method: "POST", body: JSON.stringify(data), headers: { "content-type": "application/json" },
});

/** @param {string} path @returns {Promise<any>} */
export const get = async (path) => (await ask(path)).json();

/** @param {string} path @param {unknown} data @returns {Promise<any>} */
export const post = async (path, data = {}) => (await ask(path, sent(data))).json();

/** @param {string} path @param {unknown} [data] */
export const blob = async (path, data) => (await ask(path, data ? sent(data) : undefined)).blob();

/**
 * News of searches, for ever; EventSource cannot send a token, so the stream is read by hand.
 * @param {(news: import("./searches.js").News) => void} hear
 * @param {() => void} lost called when the server is gone
 */
export async function listen(hear, lost) {
  for (;;) {
    try {
      const { body } = await ask("events");
      if (!body) throw new Refused("no news");
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const events = (text + value).split(/\r?\n\r?\n/);
        text = events.pop() ?? "";
        for (const event of events) {
          const data = event.split(/\r?\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5));
          if (data.length) hear(JSON.parse(data.join("\n")));
        }
      }
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof TypeError)) throw error;
    }
    lost();
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
}
