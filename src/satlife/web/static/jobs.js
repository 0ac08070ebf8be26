// Long searches of the store: how far they have come, who works on them, what they have found.

import { post } from "./api.js";
import { UNKNOWN, drawFrame, unpack } from "./cells.js";
import { button, byId, copy, element, pressed, setText } from "./dom.js";
import { capitalised, codeOf, nameOf, titleOf } from "./names.js";
import { plot } from "./plot.js";

/**
 * A search in the list: `goal` is what it seeks beyond one pattern, and `picture` its latest find.
 * @typedef {object} Line
 * @property {number} id
 * @property {string} title
 * @property {string} state
 * @property {number} share
 * @property {string} [damaged]
 * @property {import("./question.js").Problem} [problem]
 * @property {string} [goal]
 * @property {import("./player.js").Frames | null} [picture]
 *
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

/** The name of a search. @param {Line} line */
const nameOfJob = ({ title, problem, goal }) => (problem ? [titleOf({ problem, goal: "find" }), goal].filter(Boolean).join(", ") : title);

/** The empty box of a question, where there is no find to show. @param {HTMLCanvasElement} canvas @param {Line["problem"]} problem */
function drawBox(canvas, problem) {
  const [width, height] = (problem?.box ?? ["*", "*"]).map((side) => Math.min(side === "*" ? 12 : side, 40));
  drawFrame(canvas, new Uint8Array(width * height).fill(UNKNOWN), [width, height]);
}

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
    /** @type {(() => void)[]} each draws the picture of a search */
    this.pictures = [];
    /** @type {Detail | null} */
    this.detail = null;
    pressed("job-copy", () => copy(byId("job-first").textContent ?? ""));
    document.addEventListener("visibilitychange", () => this.look());
  }

  /** Offer this view if there are long searches. */
  async offer() {
    const { searches } = await post("jobs", { id: null });
    for (const link of document.querySelectorAll("nav [data-view=jobs]")) link.toggleAttribute("hidden", !searches.length);
  }

  /** Look at the store now, and again and again as long as this is what the page shows. @param {number} chosen the search in detail, or 0 */
  async look(chosen = this.chosen) {
    this.chosen = chosen;
    if (this.looking || this.list.closest("main")?.hidden || document.hidden) return;
    this.looking = true;
    clearTimeout(this.timer);
    let again = INTERVAL;
    try {
      const { searches, chosen: detail } = await post("jobs", { id: chosen || null });
      if (this.chosen === chosen) this.receive(searches, detail);
      else again = 0; // another one was chosen meanwhile
      setText("job-error", "");
    } catch (error) {
      setText("job-error", error instanceof Error ? error.message : String(error));
    }
    this.looking = false;
    this.timer = setTimeout(() => this.look(), again);
  }

  /** @param {Line[]} searches @param {Detail | null} detail */
  receive(searches, detail) {
    byId("job-none").hidden = searches.length > 0;
    this.chosen = detail?.id ?? 0;
    this.once("list", [searches, this.chosen], () => {
      this.pictures = [];
      this.list.replaceChildren(...searches.map((line) => element("li", {}, [this.entry(line)])));
      requestAnimationFrame(() => this.draw());
    });
    byId("job").hidden = !detail;
    const chosen = searches.find(({ id }) => id === detail?.id);
    if (detail && chosen) this.present(detail, nameOfJob(chosen));
  }

  /** A search in the list. @param {Line} line */
  entry(line) {
    const words = line.damaged ?? `${line.state}, ${(100 * line.share).toFixed(1)} %`;
    const made = button("", () => { location.hash = `#job=${line.id}`; }, "", { "aria-pressed": String(line.id === this.chosen), "data-job": line.id });
    const canvas = element("canvas", { "aria-hidden": "true" });
    const { picture } = line;
    this.pictures.push(() => (picture ? drawFrame(canvas, unpack(picture.frames[0]), picture.size) : drawBox(canvas, line.problem)));
    made.append(canvas, element("div", {}, [element("b", {}, [nameOfJob(line)]), element("span", {}, [`${line.id}: ${words}`])]));
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
    for (const drawing of [...this.drawings, ...this.pictures]) drawing();
  }

  /** @param {Entry} find */
  card(find) {
    const name = capitalised(nameOf(find));
    const canvas = element("canvas", { role: "img", "aria-label": name });
    this.drawings.push(() => drawFrame(canvas, unpack(find.frames[0]), find.size, find.states));
    return element("li", {}, [
      canvas, element("h5", {}, [name]), element("p", {}, [`${codeOf(find) ?? `number ${find.id}`} · ${find.rule}`]),
      button("Show", () => this.show(find)),
    ]);
  }
}
