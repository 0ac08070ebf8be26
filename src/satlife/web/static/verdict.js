// What the server says of the question: how much is left to the solver, or what is wrong with it.

import { Refused, post } from "./api.js";
import { allow, byId, debounced } from "./dom.js";

/**
 * @typedef {object} Answer
 * @property {import("./question.js").Problem} problem
 * @property {string} command
 * @property {number[][][]} [literals] what became of each cell: 0 dead, 1 alive, else the number of a variable + 1
 * @property {number} [variables]
 * @property {string | null} [contradiction]
 */

/** @param {string} words */
export function say(words, bad = false) {
  byId("message").textContent = words;
  byId("message").classList.toggle("error", bad);
}

export class Verdict {
  /**
   * @param {import("./question.js").Question} question
   * @param {import("./board.js").Board} board
   * @param {import("./text.js").Text} text
   */
  constructor(question, board, text) {
    this.question = question;
    this.board = board;
    this.text = text;
    this.asked = 0; // how often; only the last answer counts
    this.check = debounced(120, () => this.ask());
  }

  async ask() {
    const mine = ++this.asked;
    try {
      const answer = await post("question", { problem: this.question.toProblem() });
      if (mine !== this.asked) return;
      this.text.show(answer.problem);
      this.accept(answer);
    } catch (error) {
      if (mine === this.asked) this.refuse(error);
    }
  }

  /** @param {Answer} answer */
  accept({ command, literals, variables, contradiction }) {
    const { question } = this;
    const times = question.last ? ` in ${question.last + 1} generations` : "";
    const free = variables === undefined ? "" : `${variables} cells${times} are left to the solver.`;
    const copies = question.problem.symmetry?.length ? " Pale cells are copies by symmetry." : "";
    say(contradiction ? `This contradicts itself: ${contradiction}.` : free + copies, Boolean(contradiction));
    this.text.showCommand(command);
    this.board.setLiterals(literals);
    allow("search", true);
    for (const id of ["fewest", "most"]) allow(id, !question.open);
  }

  /** @param {unknown} error */
  refuse(error) {
    if (!(error instanceof Refused)) throw error;
    say(`${error.message}.`, true);
    this.text.showCommand("");
    this.board.setLiterals(null);
    for (const id of ["search", "fewest", "most"]) allow(id, false);
  }
}
