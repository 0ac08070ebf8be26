// The stage: the board of the question, which turns into the answer when there is one: the player, or a refutation.

import { blob } from "./api.js";
import { button, byId, element, pressed, save, setText } from "./dom.js";

/** @typedef {import("./searches.js").Search} Search */
/** @typedef {"question" | "find" | "none"} Scene */

export class Stage {
  /**
   * @param {import("./board.js").Board} board
   * @param {import("./player.js").Player} player
   * @param {(problem: import("./question.js").Problem) => void} prove asks a question again, with a certificate
   */
  constructor(board, player, prove) {
    this.board = board;
    this.player = player;
    this.prove = prove;
    /** @type {Scene} */
    this.scene = "question";
    /** @type {Scene | null} the answer that can be shown */
    this.answer = null;
    pressed("show-question", () => this.show("question"));
    pressed("show-answer", () => this.show(this.answer ?? "question"));
    pressed("zoom-in", () => this.view.step(1));
    pressed("zoom-out", () => this.view.step(-1));
    pressed("zoom-fit", () => this.view.refit());
  }

  /** The view that zoom buttons and keys change. */
  get view() { return this.scene === "find" ? this.player.view : this.board.view; }

  /** @param {Scene} scene */
  show(scene) {
    if (scene !== "find") this.player.stop();
    this.scene = scene;
    const asks = scene === "question";
    byId("stage").dataset.scene = scene;
    for (const id of ["question-tools", "question-facts", "generations"]) byId(id).hidden = !asks;
    byId("board").hidden = !asks;
    for (const id of ["screen", "player", "playing"]) byId(id).hidden = scene !== "find";
    byId("refutation").hidden = scene !== "none";
    byId("under").hidden = scene === "none";
    byId("scenes").hidden = !this.answer;
    byId("show-question").setAttribute("aria-pressed", String(asks));
    byId("show-answer").setAttribute("aria-pressed", String(!asks));
    this.draw();
  }

  draw() {
    this.board.draw();
    this.player.draw();
  }

  showQuestion() {
    if (this.scene !== "question") this.show("question");
  }

  /** @param {import("./player.js").Find} find */
  showFind(find) {
    this.answer = "find";
    setText("show-answer", "Answer");
    this.show("find");
    this.player.show(find);
  }

  /** Show what a running search has so far. @param {import("./player.js").Frames} partial @param {string} words */
  showPartial(partial, words) {
    const shown = this.scene === "find" && !this.player.find;
    this.answer = "find";
    setText("show-answer", "So far");
    if (!shown) this.show("find");
    this.player.showPartial(partial, words);
  }

  /** Nothing can be shown: neither a find nor a refutation. */
  clear() {
    this.answer = null;
    this.player.clear();
    this.show("question");
  }

  /** Show that there is none: what was proved, and how. @param {Search} search */
  showNone({ id, problem, result, certified }) {
    const refuted = result?.refuted;
    this.player.clear();
    this.answer = "none";
    setText("show-answer", "Answer");
    setText("claim", refuted?.claim ?? "");
    byId("properties").replaceChildren(...(refuted?.properties ?? []).map((text) => element("li", {}, [text])));
    setText("how", `Shown by ${refuted?.how ?? ""}.`);
    const row = [];
    if (result?.proof?.checked) {
      row.push(button("Download the certificate", async () =>
        save(await blob(`search/${id}/bundle`), `certificate-${id}.zip`), "", { class: "main" }));
    } else if (!certified && !problem.box.includes("*")) {
      row.push(button("Prove it", () => this.prove(problem), "", { class: "main" }));
    }
    byId("refutation-row").replaceChildren(...row);
    this.show("none");
  }
}
