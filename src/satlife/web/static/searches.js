// The searches of this tab: a card for each, with progress, result and buttons.

import { blob, post } from "./api.js";
import { drawFrame, unpack } from "./cells.js";
import { button, byId, copy, element, save } from "./dom.js";

/**
 * A search, as the server describes it.
 * @typedef {object} Search
 * @property {number} id
 * @property {import("./question.js").Problem} problem
 * @property {string} do
 * @property {boolean} certified
 * @property {string} command
 * @property {"queued" | "running" | "stopped" | "done" | "lost"} state
 * @property {boolean} pinned
 * @property {number} seconds
 * @property {Record<string, string>} progress
 * @property {Find[]} finds
 * @property {{size: [number, number], frames: string[]} | null} partial
 * @property {Result | null} result
 * @property {boolean} [gone] whether this tab no longer sees it
 * @property {number} [receivedAt] when its last update came
 *
 * @typedef {object} Result
 * @property {"found" | "none" | "unknown"} status
 * @property {string} [words]
 * @property {string} [reason]
 * @property {string} [warning]
 * @property {{checked: boolean} | null} [proof]
 *
 * @typedef {{all?: Search[], changed?: Search[]}} Update
 * @typedef {import("./player.js").Find} Find
 * @typedef {ReturnType<typeof makeCard>} Card
 */

/** @type {Record<string, string>} */
const NAMES = { find: "", minimize: ", fewest cells", maximize: ", most cells" };

/** @param {import("./question.js").Problem} problem */
function titleOf({ kind, box, period, generations = 1, displacement, symmetry }) {
  const moves = displacement?.some(Boolean) ? ` moving by (${displacement})` : "";
  const steps = period === undefined
    ? `, ${generations} generation${generations > 1 ? "s" : ""}` : period > 1 ? `, period ${period}` : "";
  return `${kind} ${box.join("x")}${steps}${moves}${symmetry?.length ? `, ${symmetry.join(" ")}` : ""}`;
}

/** @param {Search} search */
function makeCard(search) {
  const title = element("div", { class: "title" }, [titleOf(search.problem) + NAMES[search.do]]);
  const state = element("div");
  const seconds = element("span", { class: "seconds" });
  const progress = element("div", { class: "progress" });
  const partial = element("canvas", { class: "partial", role: "img", "aria-label": "the longest partial ship", hidden: "" });
  const row = element("div", { class: "row" });
  const place = element("li", { "data-search": search.id }, [title, state, progress, partial, row]);
  return { shownState: "", shownButtons: "", state, seconds, progress, partial, row, place };
}

/** @param {Search} search */
const isRunning = ({ state }) => state === "queued" || state === "running";

export class Searches {
  /**
   * @param {(find: Find) => void} show plays a find
   * @param {(task: import("./start.js").Task) => void} again starts a search
   */
  constructor(show, again) {
    this.show = show;
    this.again = again;
    this.list = byId("searches");
    /** @type {Map<number, Search>} */
    this.known = new Map();
    /** @type {Map<number, Card>} */
    this.cards = new Map();
    this.chosen = 0; // the search whose find is played
    setInterval(() => this.tick(), 500);
  }

  /** An update from the server: all searches, or those that have changed. @param {Update} update */
  receive({ all, changed }) {
    if (all) for (const id of [...this.known.keys()]) if (!all.some((search) => search.id === id)) this.forget(id);
    for (const search of (all ?? changed ?? []).sort((a, b) => a.id - b.id)) {
      if (search.gone) {
        this.forget(search.id);
        continue;
      }
      const before = this.known.get(search.id);
      search.receivedAt = performance.now();
      this.known.set(search.id, search);
      this.update(search);
      const found = search.finds.at(-1);
      if (found && found.rle !== before?.finds.at(-1)?.rle && this.chosen <= search.id) this.choose(search);
    }
    byId("no-searches").hidden = this.known.size > 0;
  }

  /** The connection is lost: the server has ended, and its searches with it. */
  lost() {
    for (const search of this.known.values()) {
      if (isRunning(search)) this.update(Object.assign(search, { state: "lost" }));
    }
  }

  /** @param {number} id */
  forget(id) {
    this.known.delete(id);
    this.cards.get(id)?.place.remove();
    this.cards.delete(id);
  }

  /** Play the last find of a search. @param {Search} search */
  choose(search) {
    const found = search.finds.at(-1);
    if (!found) return;
    this.chosen = search.id;
    for (const [id, { place }] of this.cards) place.classList.toggle("chosen", id === search.id);
    this.show(found);
  }

  /** Update the card of a search.  Only what has changed is replaced, so that no click is lost. @param {Search} search */
  update(search) {
    let card = this.cards.get(search.id);
    if (!card) {
      card = makeCard(search);
      this.cards.set(search.id, card);
      this.list.prepend(card.place);
    }
    const state = JSON.stringify([search.state, search.result, search.finds.length]);
    if (state !== card.shownState) {
      card.shownState = state;
      const [kind, ...words] = this.words(search, card.seconds);
      card.state.className = kind;
      card.state.replaceChildren(...words);
    }
    card.seconds.textContent = this.seconds(search);
    const running = isRunning(search);
    const lines = Object.entries(search.progress).map(([who, words]) => `${who}: ${words}`).join(" · ");
    card.progress.textContent = running ? lines : search.result?.warning ?? "";
    const partial = running ? search.partial : null;
    card.partial.hidden = !partial;
    if (partial) drawFrame(card.partial, unpack(partial.frames[0]), partial.size);
    const buttons = `${state} ${search.pinned}`;
    if (buttons !== card.shownButtons) {
      card.shownButtons = buttons;
      card.row.replaceChildren(...this.buttons(search, running));
    }
  }

  /**
   * The state of a search in words, after the CSS class for it.
   * @param {Search} search
   * @param {Node} seconds
   * @returns {[string, ...(string | Node)[]]}
   */
  words({ state, result, certified, finds }, seconds) {
    if (state === "queued") return ["", "waiting for its turn"];
    if (state === "running") return ["", "searching, ", seconds];
    if (state === "stopped") return ["", finds.length ? "stopped; the best so far is shown" : "stopped"];
    if (state === "lost") return ["", "ended with the server"];
    if (!result) return ["", ""];
    const proof = result.proof?.checked ? ", certificate checked" : certified ? ", without certificate" : "";
    if (result.status === "found") {
      const what = result.words || ["found", finds.at(-1)?.apgcode].filter(Boolean).join(" ");
      return ["found", `${what}, checked by simulation${proof} (`, seconds, ")"];
    }
    if (result.status === "none") {
      const sure = result.proof?.checked ? "proved, and the proof is checked"
        : result.words || "the solver's word; a certificate would prove it";
      return ["none", `There is none (${sure}; `, seconds, ")"];
    }
    return ["", `undecided: ${result.reason} (`, seconds, ")"];
  }

  /** How long a search has run. @param {Search} search */
  seconds(search) {
    const now = performance.now();
    const more = search.state === "running" ? (now - (search.receivedAt ?? now)) / 1000 : 0;
    return `${(search.seconds + more).toFixed(1)} s`;
  }

  tick() {
    for (const search of this.known.values()) {
      const card = this.cards.get(search.id);
      if (card && search.state === "running") card.seconds.textContent = this.seconds(search);
    }
  }

  /** @param {Search} search @param {boolean} running */
  buttons(search, running) {
    /** @type {HTMLButtonElement[]} */
    const row = [];
    /** @param {string} words @param {() => void} action */
    const offer = (words, action) => row.push(button(words, action, "", { class: "small" }));
    const { id, problem, finds, result, pinned } = search;
    if (running) {
      offer("Stop", () => post(`search/${id}/stop`));
      offer(pinned ? "Stop when this tab is closed" : "Keep running when this tab is closed", () => post(`search/${id}/pin`, { pinned: !pinned }));
    }
    if (finds.length) offer("Show", () => this.choose(this.known.get(id) ?? search));
    if (result?.status === "none" && !search.certified && !problem.box.includes("*")) {
      offer("Prove it", () => this.again({ problem, do: "find", certified: true }));
    }
    if (result?.proof?.checked) {
      offer("Certificate", async () => save(await blob(`search/${id}/bundle`), `certificate-${id}.zip`));
    }
    offer("Copy command", () => copy(search.command));
    return row;
  }
}
