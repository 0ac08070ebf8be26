// The searches of this tab: cards with progress, results, and what to do next.

import { blob, post } from "./api.js";
import { drawFrame, unpack } from "./cells.js";
import { button, byId, element, save } from "./dom.js";

const NAMES = { find: "", minimize: ", fewest cells", maximize: ", most cells" };

export function titled({ kind, box, period, generations, displacement, symmetry }) {
  const moves = displacement?.some(Boolean) ? ` moving by (${displacement})` : "";
  const steps = period === undefined ? `, ${generations} generations` : period > 1 ? `, period ${period}` : "";
  return `${kind} ${box.join("x")}${steps}${moves}${symmetry?.length ? `, ${symmetry.join(" ")}` : ""}`;
}

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

  /** News from the server. */
  hear(searches) {
    for (const search of searches.sort((a, b) => a.id - b.id)) {
      const before = this.known.get(search.id);
      search.heard = performance.now();
      this.known.set(search.id, search);
      this.card(search);
      const found = search.finds.at(-1);
      if (found && found.rle !== before?.finds.at(-1)?.rle && (this.chosen ?? 0) <= search.id) this.choose(search);
    }
    byId("no-searches").hidden = this.known.size > 0;
  }

  choose(search) {
    this.chosen = search.id;
    for (const [id, card] of this.cards) card.classList.toggle("chosen", id === search.id);
    this.show(search.finds.at(-1), search);
  }

  card(search) {
    let card = this.cards.get(search.id);
    if (!card) {
      card = element("li", { "data-search": search.id });
      this.cards.set(search.id, card);
      this.list.prepend(card);
    }
    const focused = card.contains(document.activeElement) ? document.activeElement.textContent : null;
    card.classList.toggle("chosen", search.id === this.chosen);
    const title = titled(search.problem) + NAMES[search.do];
    const rows = [element("div", { class: "title" }, [title]), this.state(search)];
    const running = search.state === "queued" || search.state === "running";
    if (running) {
      const lines = Object.entries(search.progress).map(([who, words]) => element("div", {}, [`${who}: ${words}`]));
      rows.push(element("div", { class: "progress" }, lines));
      if (search.partial) rows.push(this.partial(search.partial));
    }
    card.replaceChildren(...rows, this.buttons(search, running));
    if (focused) [...card.querySelectorAll("button")].find((b) => b.textContent === focused)?.focus();
  }

  state(search) {
    const { state, result, certified, finds } = search;
    const seconds = element("span", { class: "seconds" }, [this.seconds(search)]);
    if (state === "queued") return element("div", {}, ["waiting for its turn"]);
    if (state === "running") return element("div", {}, ["searching, ", seconds]);
    if (state === "stopped") return element("div", {}, [finds.length ? "stopped; the best so far is shown" : "stopped"]);
    const proof = result.proof?.checked ? ", certificate checked" : certified ? ", without certificate" : "";
    if (result.status === "found") {
      const what = result.words || ["found", finds.at(-1)?.apgcode].filter(Boolean).join(" ");
      return element("div", { class: "found" }, [`${what}, checked by simulation${proof} (`, seconds, ")"]);
    }
    if (result.status === "none") {
      const sure = result.proof?.checked ? "proved, and the proof is checked"
        : result.words ? `${result.words}; every one was considered` : "the solver's word; a certificate would prove it";
      return element("div", { class: "none" }, [`There is none (${sure}; `, seconds, ")"]);
    }
    return element("div", {}, [`undecided: ${result.reason} (`, seconds, ")"]);
  }

  seconds(search) {
    const more = search.state === "running" ? (performance.now() - search.heard) / 1000 : 0;
    return `${(search.seconds + more).toFixed(1)} s`;
  }

  tick() {
    for (const search of this.known.values()) {
      if (search.state !== "running") continue;
      const place = this.cards.get(search.id)?.querySelector(".seconds");
      if (place) place.textContent = this.seconds(search);
    }
  }

  partial(partial) {
    const canvas = element("canvas", { class: "partial", role: "img", "aria-label": "the longest partial ship" });
    canvas.width = 300;
    requestAnimationFrame(() => canvas.isConnected && drawFrame(canvas, unpack(partial.frames[0]), partial.size));
    return canvas;
  }

  buttons(search, running) {
    const row = element("div", { class: "row" });
    const { id, problem, finds, result, pinned } = search;
    if (running) {
      row.append(button("Stop", () => post(`search/${id}/stop`), "", { class: "small" }));
      const words = pinned ? "Let go" : "Keep running when this tab is closed";
      row.append(button(words, () => post(`search/${id}/pin`, { pinned: !pinned }), "", { class: "small" }));
    }
    if (finds.length) row.append(button("Show", () => this.choose(search), "", { class: "small" }));
    if (result?.status === "none" && !search.certified && !problem.box.includes("*")) {
      row.append(button("Prove it", () => this.again({ problem, do: "find", certified: true }), "", { class: "small" }));
    }
    if (result?.proof?.checked) {
      const fetched = async () => save(await blob(`search/${id}/bundle`), `certificate-${id}.zip`);
      row.append(button("Certificate", fetched, "", { class: "small" }));
    }
    return row;
  }
}
