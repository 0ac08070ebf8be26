// The stage: the start, the board of the question, or its answer: the player, or a refutation.  Its headline says which.

import { blob } from "./api.js";
import { button, byId, element, pressed, save, setText } from "./dom.js";
import { capitalised, nameOf, sentenceOf } from "./names.js";
import { isOpen, isProvable } from "./question.js";

/** @typedef {import("./searches.js").Search} Search */
/** @typedef {import("./searches.js").Advice} Advice */
/** @typedef {import("./question.js").Problem} Problem */
/** @typedef {"start" | "question" | "find" | "none" | "chart"} Scene none: there is no pattern to show, but a verdict */

/** What a partial answer is. @param {Problem} problem */
export const partialWords = (problem) => (isOpen(problem)
  ? "The longest partial ship so far" : "The largest partial answer so far; hatched cells are not decided");

export class Stage {
  /**
   * @param {import("./board.js").Board} board
   * @param {import("./player.js").Player} player
   * @param {(task: import("./start.js").Task) => void} again asks a question again, with a certificate or for a core
   * @param {(problem: Problem) => void} ask asks another question
   * @param {(command: string) => void} showLong shows the command of a long search
   */
  constructor(board, player, again, ask, showLong) {
    this.board = board;
    this.player = player;
    this.again = again;
    this.ask = ask;
    this.showLong = showLong;
    /** @type {Scene} */
    this.scene = "start";
    this.searching = false; // whether a search of this tab runs
    this.said = ""; // the headline of the answer
    this.saidOfChart = "";
    this.verdict = ""; // found, none, or neither
    /** @type {Scene | null} the answer that can be shown */
    this.answer = null;
    this.source = ""; // of the answer, as the address names it
    this.moved = () => {}; // called when something else is shown
    pressed("show-question", () => this.show("question"));
    pressed("show-answer", () => {
      if (this.answer === "chart") this.source = this.source.split("&")[0]; // of which a box was shown
      this.show(this.answer ?? "question");
    });
    pressed("zoom-in", () => this.view.step(1));
    pressed("zoom-out", () => this.view.step(-1));
    pressed("zoom-fit", () => this.view.refit());
  }

  /** The view that zoom buttons and keys change. */
  get view() { return this.scene === "find" ? this.player.view : this.board.view; }

  /** What is shown, as the address names it. */
  get place() { return this.scene === "start" || this.scene === "question" ? this.scene : this.source; }

  /** @param {Scene} scene */
  show(scene) {
    if (scene !== "find") this.player.stop();
    this.scene = scene;
    const asks = scene === "question";
    byId("stage").dataset.scene = scene;
    byId("welcome").hidden = scene !== "start";
    byId("frame").hidden = scene === "start";
    for (const id of ["question-tools", "question-facts", "generations"]) byId(id).hidden = !asks;
    byId("board").hidden = !asks;
    for (const id of ["screen", "player", "playing"]) byId(id).hidden = scene !== "find";
    byId("refutation").hidden = scene !== "none";
    byId("atlas").hidden = scene !== "chart";
    byId("under").hidden = scene !== "question" && scene !== "find";
    byId("facts").hidden = scene !== "find";
    byId("scenes").hidden = !this.answer;
    byId("show-question").setAttribute("aria-pressed", String(asks));
    byId("show-answer").setAttribute("aria-pressed", String(scene !== "question" && scene !== "start"));
    setText("note", "");
    this.tell();
    this.draw();
    this.moved();
  }

  /** The headline: the answer that is shown, that one is sought, or the question. */
  tell() {
    const answered = this.scene === "none" || this.scene === "chart" || (this.scene === "find" && (this.player.find || !this.searching));
    const asked = this.scene === "start" ? "Draw something, and watch it live" : sentenceOf(this.board.question.problem);
    const said = this.scene === "chart" ? this.saidOfChart : this.said;
    setText("answer", answered ? said : this.searching ? "Searching…" : asked);
    byId("stage").dataset.verdict = answered ? this.verdict : "";
  }

  /** @param {boolean} searching whether a search of this tab runs */
  setSearching(searching) {
    this.searching = searching;
    this.tell();
  }

  draw() {
    this.board.draw();
    this.player.draw();
  }

  showQuestion() {
    if (this.scene !== "question") this.show("question");
  }

  /** Show a find. @param {import("./player.js").Find} find @param {string} source @param {string} said the headline */
  showFind(find, source, said = capitalised(nameOf(find))) {
    this.present("find", source, said);
    this.player.show(find);
    this.tell();
  }

  /** The answer is told otherwise, since more is known of it. @param {string} said */
  retell(said) {
    if (this.answer === "chart") this.saidOfChart = said;
    else this.said = said;
    this.tell();
  }

  /** Show the chart of an atlas. @param {HTMLElement} chart @param {string} source @param {string} said */
  showChart(chart, source, said) {
    byId("atlas").replaceChildren(chart);
    this.player.clear();
    this.present("chart", source, said);
  }

  /** Show what was found. @param {"find" | "chart"} answer @param {string} source @param {string} said */
  present(answer, source, said) {
    this.answer = answer;
    this.source = source;
    this.verdict = "found";
    setText("show-answer", "Answer");
    this.retell(said);
    this.show(answer);
  }

  /** Show the find in a box of the chart, to which "Boxes" leads back. @param {import("./player.js").Find} find @param {string} source */
  showBox(find, source) {
    this.showFind(find, source);
    this.answer = "chart";
    setText("show-answer", "Boxes");
  }

  /** Show what a running search has so far. @param {import("./player.js").Frames} partial @param {string} words @param {string} source @param {string} label */
  showPartial(partial, words, source, label = "So far") {
    const shown = this.scene === "find" && !this.player.find && this.source === source;
    this.answer = "find";
    this.source = source;
    this.said = label === "So far" ? "Undecided" : label;
    this.verdict = "";
    setText("show-answer", label);
    if (!shown) this.show("find");
    this.player.showPartial(partial, words);
    this.tell();
  }

  /** Nothing can be shown: neither a find nor a refutation. */
  clear() {
    this.answer = null;
    this.player.clear();
    this.show("question");
  }

  /** Show that there is none: what was proved, and how. @param {Search} search */
  showNone({ id, problem, result, certified, advice }) {
    const refuted = result?.refuted;
    const row = [];
    if (result?.proof?.checked) {
      row.push(button("Download the certificate", async () =>
        save(await blob(`search/${id}/bundle`), `certificate-${id}.zip`), "", { class: "main" }));
    } else if (!certified && isProvable(problem)) {
      row.push(button("Prove it", () => this.again({ problem, goal: "find", certified: true }), "", { class: "main" }));
    }
    const core = refuted?.core;
    if (core) row.push(button("Show the core", () => this.showPartial(core, `${refuted.claim} Hatched cells may be anything.`, `answer=${id}`, "Core")));
    else if (problem.kind === "orphan") row.push(button("Why?", () => this.again({ problem, goal: "core", certified: false }), "Which part of it has no past?"));
    this.source = `answer=${id}`;
    this.showVerdict("There is none", refuted?.claim ?? "", refuted?.properties ?? [], `${capitalised(refuted?.how ?? "")}.`, row, advice);
  }

  /** Show that it is not known: why, what is known, and what to ask next. @param {Search} search */
  showUndecided({ id, result, partial, problem, ruledOut, advice }) {
    const source = this.source = `answer=${id}`;
    const row = partial ? [button("The best partial answer", () => this.showPartial(partial, partialWords(problem), source))] : [];
    const reason = result?.reason ? `It is not known whether there is one: ${result.reason}.` : "The search was stopped.";
    this.showVerdict("Undecided", ruledOut.length ? `${reason} This was refuted:` : reason, ruledOut, advice.length ? "This may be answered sooner:" : "", row, advice);
  }

  /**
   * @param {string} verdict
   * @param {string} claim
   * @param {string[]} properties
   * @param {string} how
   * @param {HTMLElement[]} row
   * @param {Advice[]} advice
   */
  showVerdict(verdict, claim, properties, how, row, advice) {
    this.player.clear();
    this.answer = "none";
    this.said = verdict;
    this.verdict = "none";
    setText("show-answer", "Answer");
    setText("claim", claim);
    byId("properties").replaceChildren(...properties.map((text) => element("li", {}, [text])));
    setText("how", how);
    byId("refutation-row").replaceChildren(...row);
    byId("advice").replaceChildren(...advice.map((one) => element("li", {}, [this.advise(one)])));
    this.show("none");
  }

  /** A button that asks what is suggested. @param {Advice} advice */
  advise({ command, why, problem }) {
    const out = button(why, () => (problem ? this.ask(problem) : this.showLong(command)), command);
    if (!problem) out.append(element("code", {}, [command])); // there is nothing to be done here
    return out;
  }
}
