// The searches that this tab sees: a card for each, with result and buttons; the progress of the one that runs is told above the board.

import { post } from "./api.js";
import { drawFrame, unpack } from "./cells.js";
import { drawChart, legend } from "./chart.js";
import { button, byId, copy, element, pressed, setText } from "./dom.js";
import { capitalised, codeOf, foundWords, goalName, titleOf } from "./names.js";
import { partialWords } from "./stage.js";

/**
 * A search, as the server describes it.
 * @typedef {object} Search
 * @property {number} id
 * @property {boolean} own whether this tab has started it
 * @property {import("./question.js").Problem} problem
 * @property {import("./names.js").Goal} goal
 * @property {boolean} certified
 * @property {string} command
 * @property {string | null} long the command for a long search
 * @property {"queued" | "running" | "stopped" | "done" | "lost"} state
 * @property {boolean} pinned
 * @property {number} seconds
 * @property {Record<string, string>} progress by engine
 * @property {Find[]} finds
 * @property {import("./player.js").Frames | null} partial
 * @property {string[]} ruledOut the largest smaller questions that were refuted, in sentences
 * @property {import("./chart.js").Chart | null} chart of an atlas
 * @property {Result | null} result
 * @property {Advice[]} advice what to ask next
 * @property {boolean} [gone] whether this tab no longer sees it
 * @property {number} [receivedAt] when its last update came
 *
 * @typedef {object} Result
 * @property {"found" | "none" | "unknown"} status
 * @property {string} [words]
 * @property {string} [reason]
 * @property {string} [warning]
 * @property {{checked: boolean} | null} [proof]
 * @property {{claim: string, properties: string[], how: string, core?: import("./player.js").Frames}} [refuted] what "none" says,
 *   how it was shown, and of an orphan the core
 *
 * A question that may be answered sooner, with its command; a long search has no problem, and is started in a shell.
 * @typedef {{command: string, why: string, problem: import("./question.js").Problem | null}} Advice
 * @typedef {{all?: Search[], changed?: Search[]}} Update
 * @typedef {import("./player.js").Find} Find
 * @typedef {ReturnType<typeof makeCard>} Card
 */

/** @param {Search} search */
function makeCard(search) {
  const title = element("h3", {}, [titleOf(search)]);
  const state = element("div", { class: "state" });
  const picture = element("canvas", { "aria-hidden": "true", hidden: "" });
  const chart = element("div"); // on the stage
  const number = element("span");
  const steps = element("div", { class: "row", hidden: "" });
  const row = element("div", { class: "row" });
  const place = element("li", { "data-search": search.id }, [picture, title, state, steps, row]);
  return { shownState: "", shownButtons: "", shownChart: "", state, picture, chart, number, steps, row, place };
}

/** @param {Search} search */
const isRunning = ({ state }) => state === "queued" || state === "running";

/**
 * Whether a search has ended with something to say: that there is none, or why that is not known, what was refuted, and
 * what to ask next.  One that was stopped at once was not meant.
 * @param {Search} search
 */
const hasVerdict = ({ state, result, advice, ruledOut, seconds }) => (state === "done" && (result?.status ?? "found") !== "found")
  || ((advice?.length > 0 || ruledOut?.length > 0) && (state === "done" || (state === "stopped" && seconds > 1)));

/** The answer of a search with a find, as a headline. @param {Search} search */
function headline({ goal, finds, result, chart }) {
  if (result?.words) return capitalised(result.words);
  if (chart) return "Minimal boxes so far";
  return goalName(goal) === "all" ? `${finds.length} found so far` : foundWords(/** @type {Find} */ (finds.at(-1)));
}

/** Show the command for a long search. @param {string} command */
export function showLongSearch(command) {
  setText("long-command", command);
  pressed("long-copy", () => copy(command));
  byId("long-dialog", HTMLDialogElement).showModal();
}

export class Searches {
  /** @param {import("./stage.js").Stage} stage @param {() => void} answered called when an answer is shown */
  constructor(stage, answered) {
    this.stage = stage;
    this.answered = answered;
    this.list = byId("searches");
    /** @type {Map<number, Search>} */
    this.known = new Map();
    /** @type {Map<number, Card>} */
    this.cards = new Map();
    this.chosen = 0; // the search whose answer is shown
    this.partialOf = 0; // the search whose partial answer was shown last
    /** @type {Map<number, number>} which find of a list is shown, by search */
    this.steps = new Map();
    /** Ends when the server has told which searches there are. @type {Promise<void>} */
    this.told = new Promise((resolve) => { this.tellAll = resolve; });
    pressed("now-stop", () => {
      const search = this.current();
      if (search) post(`search/${search.id}/stop`);
    });
    setInterval(() => this.tick(), 500);
    new ResizeObserver(() => this.draw()).observe(this.list); // pictures that are hidden have no size
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
      if (search.own && (before || !all)) this.present(search, before);
    }
    this.tick();
    if (byId("asked").hidden === this.known.size > 0) {
      byId("asked").hidden = !this.known.size;
      byId("invitation", HTMLDetailsElement).open = !this.known.size; // not beside a search
    }
    if (all) this.tellAll?.();
  }

  /** Show what is new of a search of this tab, unless a newer one is shown. @param {Search} search @param {Search | undefined} before */
  present(search, before) {
    if (!isRunning(search) && (!before || isRunning(before))) setText("announcement", this.plain(search));
    if (search.id < this.chosen) return;
    const answer = (/** @type {Search | undefined} */ at) => (at?.chart && at.result?.status !== "none" ? "chart" : at && this.findOf(at)?.rle) ?? (at && hasVerdict(at) ? "verdict" : "");
    if (answer(search)) {
      if (answer(search) === answer(before)) {
        if (search.id === this.chosen && (search.chart || this.findOf(search))) this.stage.retell(headline(search));
        return;
      }
      this.choose(search);
      this.answered();
    } else if (search.partial && isRunning(search)) this.showPartial(search);
    else if (search.id === this.partialOf && !isRunning(search)) {
      this.partialOf = 0;
      this.stage.clear(); // it has ended without an answer
    }
  }

  /** Show the best partial answer: at first in any case, then as long as the user looks at it. @param {Search} search */
  showPartial(search) {
    const looking = this.stage.scene === "find" && !this.stage.player.find;
    if (!search.partial || (search.id === this.partialOf && !looking)) return;
    this.partialOf = search.id;
    this.mark(search);
    this.stage.showPartial(search.partial, partialWords(search.problem), `answer=${search.id}`);
  }

  /** Mark the card of the search that is shown. @param {Search} search */
  mark({ id }) {
    this.chosen = id;
    for (const [known, { place }] of this.cards) place.classList.toggle("chosen", known === id);
  }

  /** The connection is lost: the server has ended, and its searches with it. */
  lost() {
    for (const search of this.known.values()) {
      if (isRunning(search)) this.update(Object.assign(search, { state: "lost" }));
    }
    this.tick();
  }

  /** @param {number} id */
  forget(id) {
    this.known.delete(id);
    this.cards.get(id)?.place.remove();
    this.cards.delete(id);
  }

  /** Show the answer of a search: its last find, that there is none, or that it is not known. @param {Search} search */
  choose(search) {
    const found = this.findOf(search);
    this.partialOf = 0;
    this.mark(search);
    const chart = this.cards.get(search.id)?.chart;
    if (search.chart && chart && search.result?.status !== "none") this.stage.showChart(chart, this.sourceOf(search), headline(search));
    else if (found) this.stage.showFind(found, this.sourceOf(search), headline(search));
    else if (search.result?.status === "none") this.stage.showNone(search);
    else this.stage.showUndecided(search);
  }

  /** Update the card of a search.  Only what has changed is replaced, so that no click is lost. @param {Search} search */
  update(search) {
    let card = this.cards.get(search.id);
    if (!card) {
      card = makeCard(search);
      this.offerSteps(search.id, card);
      this.cards.set(search.id, card);
      this.list.prepend(card.place);
    }
    const running = isRunning(search);
    const state = JSON.stringify([search.state, search.result, search.finds.length]);
    if (state !== card.shownState) {
      card.shownState = state;
      const [kind, words] = this.words(search);
      card.state.className = `state ${kind}`;
      card.state.textContent = `${search.own ? "" : "in another tab: "}${words}`;
    }
    this.drawCard(search, card);
    this.updateSteps(search, card);
    this.updateChart(search, card);
    const buttons = `${state} ${search.pinned}`;
    if (buttons !== card.shownButtons) {
      card.shownButtons = buttons;
      card.row.replaceChildren(...this.buttons(search, running));
    }
  }

  /** The answer of a search, as the address names it. @param {Search} search */
  sourceOf({ id, goal }) { return `answer=${id}${goalName(goal) === "all" ? `&number=${(this.steps.get(id) ?? 0) + 1}` : ""}`; }

  /**
   * Show the answer that the address names, if there is one; returns whether the search is known.
   * @param {URLSearchParams} names
   */
  async restore(names) {
    await this.told;
    const search = this.known.get(Number(names.get("answer")));
    if (!search) return false;
    const number = Number(names.get("number"));
    if (number >= 1 && number <= search.finds.length) this.steps.set(search.id, number - 1);
    const boxed = search.finds.find(({ problem }) => problem.box?.join("x") === names.get("box"));
    if (boxed) this.showBox(search, boxed);
    else if (search.chart || this.findOf(search) || hasVerdict(search)) this.choose(search);
    else if (search.partial && isRunning(search)) this.showPartial(search);
    else this.stage.show("question");
    return true;
  }

  /** Show the find in a box of an atlas. @param {Search} search @param {Find} find */
  showBox(search, find) {
    this.partialOf = 0;
    this.mark(search);
    this.stage.showBox(find, `answer=${search.id}&box=${find.problem.box?.join("x")}`);
  }

  /** The find of a search that is shown: of a list the chosen one, else the last, which is the best. @param {Search} search */
  findOf({ id, goal, finds }) { return finds.at(goalName(goal) === "all" ? this.steps.get(id) ?? 0 : -1); }

  /** Buttons that show the finds of a list one after another. @param {number} id @param {Card} card */
  offerSteps(id, { steps, number }) {
    const step = (/** @type {number} */ by) => () => {
      const search = this.known.get(id);
      if (!search) return;
      const count = search.finds.length;
      this.steps.set(id, ((this.steps.get(id) ?? 0) + by + count) % count);
      this.choose(search);
      this.update(search);
    };
    steps.append(button("◀", step(-1), "The find before", { class: "small" }), number, button("▶", step(1), "The next find", { class: "small" }));
  }

  /** @param {Search} search @param {Card} card */
  updateSteps({ id, goal, finds }, { steps, number }) {
    steps.hidden = goalName(goal) !== "all" || finds.length < 2;
    number.textContent = `${(this.steps.get(id) ?? 0) + 1} of ${finds.length}`;
  }

  /** @param {Search} search @param {Card} card */
  drawCard(search, { picture }) {
    const find = this.findOf(search);
    const shown = find ?? search.partial;
    picture.hidden = !shown;
    if (shown) drawFrame(picture, unpack(shown.frames[0]), shown.size, find?.states);
  }

  /** Draw the chart of an atlas, if it has changed. @param {Search} search @param {Card} card */
  updateChart(search, card) {
    const now = JSON.stringify(search.chart);
    if (!search.chart || now === card.shownChart) return;
    card.shownChart = now;
    const show = (/** @type {Find} */ find) => this.showBox(search, find);
    const { parity, states } = search.chart;
    const hint = element("p", { class: "hint" }, [`A click on a box that has an answer plays it. ${parity}`]);
    card.chart.replaceChildren(drawChart(search.chart, search.finds, show), legend(states), hint);
  }

  /** Draw all pictures again, in other colours. */
  draw() {
    for (const search of this.known.values()) {
      const card = this.cards.get(search.id);
      if (card) this.drawCard(search, card);
    }
  }

  /**
   * The state of a search in words, after the CSS class for it.
   * @param {Search} search
   * @returns {[string, string]}
   */
  words(search) {
    const { state, result, certified, finds } = search;
    if (state === "queued") return ["", "waiting for its turn"];
    if (state === "running") return ["", "searching"];
    if (state === "stopped") return ["", finds.length ? "stopped; the best so far is shown" : "stopped"];
    if (state === "lost") return ["", "ended with the server"];
    if (!result) return ["", ""];
    const warning = result.warning ? `; ${result.warning}` : "";
    const proof = result.proof?.checked ? ", certificate checked" : certified ? ", without certificate" : "";
    const ended = `(${this.seconds(search)})${warning}`;
    if (result.status === "found") {
      const last = finds.at(-1);
      const what = result.words || ["found", last?.name ? codeOf(last) : last?.apgcode].filter(Boolean).join(" ");
      return ["found", `${what}, checked by simulation${proof} ${ended}`];
    }
    if (result.status === "none") {
      return ["none", `There is none: ${result.refuted?.how ?? "the solver says so"} ${ended}`];
    }
    return ["", `undecided: ${result.reason} ${ended}`];
  }

  /** The state of a search as one text. @param {Search} search */
  plain(search) { return `${titleOf(search)}: ${this.words(search)[1]}`; }

  /** How long a search has run. @param {Search} search */
  seconds(search) {
    const now = performance.now();
    const more = search.state === "running" ? (now - (search.receivedAt ?? now)) / 1000 : 0;
    return `${(search.seconds + more).toFixed(1)} s`;
  }

  /** The oldest search of this tab that still runs or waits. */
  current() { return [...this.known.values()].find((search) => search.own && isRunning(search)); }

  /** Update what changes with the time. */
  tick() {
    const now = this.current();
    byId("now").hidden = !now;
    this.stage.setSearching(Boolean(now));
    if (!now) return;
    setText("now-words", `${this.plain(now)}${now.state === "running" ? `, ${this.seconds(now)}` : ""}`);
    setText("now-progress", Object.entries(now.progress).map((part) => part.join(" ").trim()).join(" · "));
  }

  /** @param {Search} search @param {boolean} running */
  buttons(search, running) {
    /** @type {HTMLElement[]} */
    const row = [];
    /** @param {string} words @param {() => void} action */
    const made = (words, action) => button(words, action, "", { class: "small quiet" });
    /** @param {string} words @param {() => void} action */
    const offer = (words, action) => row.push(made(words, action));
    const { id, finds, result, pinned, long, state } = search;
    if (running) {
      offer("Stop", () => post(`search/${id}/stop`));
      offer(pinned ? "Stop with this tab" : "Run in background", () => post(`search/${id}/pin`, { pinned: !pinned }));
    }
    if (finds.length || search.chart || hasVerdict(search)) offer("Show", () => this.choose(this.known.get(id) ?? search));
    const undecided = running || state === "stopped" || state === "lost" || result?.status === "unknown";
    const shell = [made("Copy command", () => copy(search.command))];
    if (long && undecided) shell.push(made("As a long search…", () => showLongSearch(long)));
    return [...row, element("details", {}, [element("summary", {}, ["In a shell"]), ...shell])];
  }
}
