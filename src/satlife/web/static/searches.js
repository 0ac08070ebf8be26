// The searches of this tab: cards with progress, results, and what to do next.

import { blob, post } from "./api.js";
import { drawFrame, unpack } from "./cells.js";
import { button, byId, copy, element, save } from "./dom.js";

const NAMES = { find: "", minimize: ", fewest cells", maximize: ", most cells" };

export function titled({ kind, box, period, generations, displacement, symmetry }) {
  const moves = displacement?.some(Boolean) ? ` moving by (${displacement})` : "";
  const steps = period === undefined ? `, ${generations} generation${generations > 1 ? "s" : ""}` : period > 1 ? `, period ${period}` : "";
  return `${kind} ${box.join("x")}${steps}${moves}${symmetry?.length ? `, ${symmetry.join(" ")}` : ""}`;
}

const isRunning = ({ state }) => state === "queued" || state === "running";

export class Searches {
  /** `show` plays a find; `again` starts a search. */
  constructor(show, again) {
    this.show = show;
    this.again = again;
    this.list = byId("searches");
    this.known = new Map();
    this.cards = new Map();
    this.chosen = null;
    setInterval(() => this.tick(), 500);
  }

  /** News from the server: all searches, or those that have changed. */
  hear({ all, changed }) {
    if (all) for (const id of [...this.known.keys()]) if (!all.some((search) => search.id === id)) this.forget(id);
    for (const search of (all ?? changed).sort((a, b) => a.id - b.id)) {
      if (search.gone) {
        this.forget(search.id);
        continue;
      }
      const before = this.known.get(search.id);
      search.heard = performance.now();
      this.known.set(search.id, search);
      this.update(search);
      const found = search.finds.at(-1);
      if (found && found.rle !== before?.finds.at(-1)?.rle && (this.chosen ?? 0) <= search.id) this.choose(search);
    }
    byId("no-searches").hidden = this.known.size > 0;
  }

  /** The server is gone, and the searches that ran with it. */
  lost() {
    for (const search of this.known.values()) {
      if (isRunning(search)) this.update(Object.assign(search, { state: "lost" }));
    }
  }

  forget(id) {
    this.known.delete(id);
    this.cards.get(id)?.place.remove();
    this.cards.delete(id);
  }

  choose(search) {
    this.chosen = search.id;
    for (const [id, { place }] of this.cards) place.classList.toggle("chosen", id === search.id);
    this.show(search.finds.at(-1), search);
  }

  /** A card is made once; afterwards only what has changed is written anew, so that no click is lost. */
  update(search) {
    let card = this.cards.get(search.id);
    if (!card) {
      card = { said: "", offered: "", state: element("div"), progress: element("div", { class: "progress" }) };
      card.seconds = element("span", { class: "seconds" });
      card.partial = element("canvas", { class: "partial", role: "img", "aria-label": "the longest partial ship", hidden: "" });
      card.row = element("div", { class: "row" });
      const title = element("div", { class: "title" }, [titled(search.problem) + NAMES[search.do]]);
      card.place = element("li", { "data-search": search.id }, [title, card.state, card.progress, card.partial, card.row]);
      this.cards.set(search.id, card);
      this.list.prepend(card.place);
    }
    const said = JSON.stringify([search.state, search.result, search.finds.length]);
    if (said !== card.said) {
      card.said = said;
      const [kind, ...words] = this.words(search, card.seconds);
      card.state.className = kind;
      card.state.replaceChildren(...words);
    }
    card.seconds.textContent = this.seconds(search);
    const running = isRunning(search);
    const lines = Object.entries(search.progress).map(([who, words]) => `${who}: ${words}`).join(" · ");
    card.progress.textContent = running ? lines : search.result?.warning ?? "";
    card.partial.hidden = !(running && search.partial);
    if (!card.partial.hidden) drawFrame(card.partial, unpack(search.partial.frames[0]), search.partial.size);
    const offered = `${said} ${search.pinned}`;
    if (offered !== card.offered) {
      card.offered = offered;
      card.row.replaceChildren(...this.buttons(search, running));
    }
  }

  /** What to say of a search, after the class of the words. */
  words({ state, result, certified, finds }, seconds) {
    if (state === "queued") return ["", "waiting for its turn"];
    if (state === "running") return ["", "searching, ", seconds];
    if (state === "stopped") return ["", finds.length ? "stopped; the best so far is shown" : "stopped"];
    if (state === "lost") return ["", "ended with the server"];
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

  seconds(search) {
    const more = search.state === "running" ? (performance.now() - search.heard) / 1000 : 0;
    return `${(search.seconds + more).toFixed(1)} s`;
  }

  tick() {
    for (const search of this.known.values()) {
      if (search.state === "running") this.cards.get(search.id).seconds.textContent = this.seconds(search);
    }
  }

  buttons(search, running) {
    const row = [];
    const offer = (words, deed) => row.push(button(words, deed, "", { class: "small" }));
    const { id, problem, finds, result, pinned } = search;
    if (running) {
      offer("Stop", () => post(`search/${id}/stop`));
      offer(pinned ? "Let go" : "Keep running when this tab is closed", () => post(`search/${id}/pin`, { pinned: !pinned }));
    }
    if (finds.length) offer("Show", () => this.choose(this.known.get(id)));
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
