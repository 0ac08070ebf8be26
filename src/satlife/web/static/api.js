// Requests to the server, the token of the opening link, and the stream of updates.

const TOKEN = "satlife-token";
const TAB = "satlife-tab";

const given = new URLSearchParams(location.search).get("token");
if (given) {
  localStorage.setItem(TOKEN, given);
  history.replaceState(null, "", location.pathname + location.hash);
}

/** A name for this tab, which survives a reload; a duplicate of the tab gets a new one. */
function tabName() {
  const entry = /** @type {PerformanceNavigationTiming | undefined} */ (performance.getEntriesByType("navigation")[0]);
  const reloaded = entry?.type === "reload";
  let name = reloaded ? sessionStorage.getItem(TAB) : null;
  if (!name) {
    name = [...crypto.getRandomValues(new Uint8Array(12))].map((n) => n.toString(16).padStart(2, "0")).join("");
    sessionStorage.setItem(TAB, name);
  }
  return name;
}
const tab = tabName();

/** @returns {Record<string, string>} */
const headers = () => ({ authorization: `Bearer ${localStorage.getItem(TOKEN) ?? ""}`, "x-tab": tab });

/** The server has refused a request, or does not answer; the message says why. */
export class Refused extends Error {}

/** Show or hide one of the notices at the top. @param {string} id @param {boolean} shown */
function notice(id, shown) {
  const place = document.getElementById(id);
  if (place) place.hidden = !shown;
}

/**
 * Send a request; throws Refused with the message of the server.
 * @param {string} path
 * @param {RequestInit} init
 */
async function request(path, init = {}) {
  let response;
  try {
    response = await fetch(`/api/${path}`, { ...init, headers: { ...headers(), ...init.headers } });
  } catch {
    notice("offline", true);
    throw new Refused("the server does not answer");
  }
  notice("offline", false);
  notice("locked", response.status === 403);
  if (!response.ok) {
    const words = await response.json().then((data) => data.error, () => response.statusText);
    throw new Refused(words);
  }
  return response;
}

/** @param {unknown} data @returns {RequestInit} */
const json = (data) => ({
  method: "POST", body: JSON.stringify(data), headers: { "content-type": "application/json" },
});

/** @param {string} path @returns {Promise<any>} */
export const get = async (path) => (await request(path)).json();

/** @param {string} path @param {unknown} data @returns {Promise<any>} */
export const post = async (path, data = {}) => (await request(path, json(data))).json();

/** @param {string} path @param {unknown} [data] */
export const blob = async (path, data) => (await request(path, data ? json(data) : undefined)).blob();

/**
 * Receive updates of searches, and reconnect when the stream ends.  EventSource cannot send a token, so the stream is read
 * by hand.
 * @param {(update: import("./searches.js").Update) => void} receive
 * @param {() => void} lost called when the connection is lost
 */
export async function listen(receive, lost) {
  for (;;) {
    try {
      const { body } = await request("events");
      if (!body) throw new Refused("the stream of updates is empty");
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const events = (text + value).split(/\r?\n\r?\n/);
        text = events.pop() ?? "";
        for (const event of events) {
          const data = event.split(/\r?\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5));
          if (data.length) receive(JSON.parse(data.join("\n")));
        }
      }
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof TypeError)) throw error;
    }
    lost();
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
}
