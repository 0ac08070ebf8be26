// Long searches of the store: how far they have come, who works on them, what they have found.

import { post } from "./api.js";
import { drawFrame, unpack } from "./cells.js";
import { button, byId, element, setText } from "./dom.js";
import { plot } from "./plot.js";

/**
 * @typedef {{id: number, title: string, state: string, share: number, damaged?: string}} Line
 * @typedef {{name: string, words: string}} Fact
 * @typedef {import("./finds.js").Entry} Entry
 *
 * @typedef {object} Detail
 * @property {number} id
 * @property {string} sentence
 * @property {Record<string, number>} units by state
 * @property {string | null} count
 * @property {string} estimate in words
 * @property {import("./plot.js").Expected | null} expected
 * @property {[number, number][]} samples seconds, and the share that was done
 * @property {string} waiting
 * @property {Fact[]} machines
 * @property {Fact[]} workers
 * @property {number} hidden workers that are not shown
 * @property {Fact[]} slowest
 * @property {number} found
 * @property {Entry[]} finds
 */

const INTERVAL = 2000; // milliseconds between two looks
const POINTS = 3; // that make a plot

export class Jobs {
  /** @param {(find: Entry) => void} show */
  constructor(show) {
    this.show = show;
    this.list = byId("job-list");
    this.chosen = 0;
    this.looking = false;
    this.timer = 0;
    /** @type {Map<string, string>} what each part shows, so that nothing is made again without need */
    this.shown = new Map();
    /** @type {(() => void)[]} each draws the picture of a find */
    this.drawings = [];
    /** @type {Detail | null} */
    this.detail = null;
    document.addEventListener("visibilitychange", () => this.look());
  }

  /** Look at the store now, and again and again as long as this is what the page shows. */
  async look() {
    if (this.looking || this.list.closest("main")?.hidden || document.hidden) return;
    this.looking = true;
    clearTimeout(this.timer);
    try {
      const { searches, chosen } = await post("jobs", { id: this.chosen || null });
      this.receive(searches, chosen);
      setText("job-error", "");
    } catch (error) {
      setText("job-error", error instanceof Error ? error.message : String(error));
    }
    this.looking = false;
    this.timer = setTimeout(() => this.look(), INTERVAL);
  }

  /** @param {Line[]} searches @param {Detail | null} detail */
  receive(searches, detail) {
    byId("job-none").hidden = searches.length > 0;
    this.chosen = detail?.id ?? 0;
    this.once("list", [searches, this.chosen], () => {
      this.list.replaceChildren(...searches.map((line) => element("li", {}, [this.entry(line)])));
    });
    byId("job").hidden = !detail;
    if (detail) this.present(detail, searches.find(({ id }) => id === detail.id)?.title ?? "");
  }

  /** A search in the list. @param {Line} line */
  entry(line) {
    const words = line.damaged ?? `${line.state}, ${(100 * line.share).toFixed(1)} %`;
    const made = button("", () => {
      this.chosen = line.id;
      this.look();
    }, "", { "aria-pressed": String(line.id === this.chosen), "data-job": line.id });
    made.append(element("b", {}, [`${line.id}  ${line.title}`]), element("span", {}, [words]));
    made.disabled = line.damaged !== undefined;
    return made;
  }

  /** @param {Detail} detail @param {string} title */
  present(detail, title) {
    this.detail = detail;
    setText("job-title", `Search ${detail.id}: ${title}`);
    setText("job-sentence", `${detail.sentence}.`);
    setText("job-count", detail.count === null ? "" : `${detail.count} patterns`);
    setText("job-waiting", detail.waiting);
    setText("job-estimate", detail.estimate);
    setText("job-command", `satlife jobs status ${detail.id} --watch`);
    byId("job-progress", HTMLProgressElement).value = detail.samples.at(-1)?.[1] ?? 0;
    const more = detail.hidden ? [{ name: `and ${detail.hidden} more`, words: "" }] : [];
    this.facts("machines", detail.machines, "nobody works on it now");
    this.facts("workers", [...detail.workers, ...more], "nothing is finished yet");
    this.facts("slowest", detail.slowest, "no unit is running");
    this.once("plot", [detail.samples, detail.expected], () => this.draw());
    setText("job-finds-title", detail.found > detail.finds.length
      ? `Finds: the last ${detail.finds.length} of ${detail.found}` : "Finds");
    byId("job-finds-title").hidden = !detail.finds.length;
    this.once("finds", detail.finds.map((find) => find.id), () => {
      this.drawings = [];
      byId("job-finds").replaceChildren(...detail.finds.map((find) => this.card(find)));
      requestAnimationFrame(() => this.draw());
    });
  }

  /** A list of facts. @param {string} name @param {Fact[]} facts @param {string} none */
  facts(name, facts, none) {
    this.once(name, facts, () => {
      const rows = facts.length ? facts : [{ name: "none", words: none }];
      byId(`job-${name}`).replaceChildren(
        ...rows.map((fact) => element("div", {}, [element("dt", {}, [fact.name]), element("dd", {}, [fact.words])])));
    });
  }

  /** Make a part of the page, unless it shows the same already. @param {string} name @param {unknown} data @param {() => void} make */
  once(name, data, make) {
    const text = JSON.stringify(data);
    if (this.shown.get(name) === text) return;
    this.shown.set(name, text);
    make();
  }

  /** Draw the plot and the finds, also when colours have changed. */
  draw() {
    const place = byId("job-plot");
    const { samples = [], expected = null } = this.detail ?? {};
    place.hidden = samples.length < POINTS;
    if (!place.hidden) place.replaceChildren(plot(samples, expected, Math.max(place.clientWidth, 280)));
    for (const drawing of this.drawings) drawing();
  }

  /** @param {Entry} find */
  card(find) {
    const canvas = element("canvas", { role: "img", "aria-label": find.apgcode ?? find.kind });
    this.drawings.push(() => drawFrame(canvas, unpack(find.frames[0]), find.size, find.states));
    return element("li", {}, [
      canvas, element("h5", {}, [find.apgcode ?? `number ${find.id}`]),
      element("p", {}, [`${find.population} cells, ${find.rule}`]), button("Show", () => this.show(find)),
    ]);
  }
}
