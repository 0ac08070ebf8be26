// Validation: the server checks the question and says how many cells are free, or what is wrong with it.

import { Refused, post } from "./api.js";
import { allow, debounced } from "./dom.js";
import { FieldErrors, showMessage } from "./errors.js";

/**
 * @typedef {object} Description
 * @property {import("./question.js").Problem} problem
 * @property {string} command
 * @property {Record<string, any>} [parameters] with which its family asks it
 * @property {number[][][]} [literals] of each cell: 0 dead, 1 alive, else ±(variable + 1)
 * @property {number} [variables]
 * @property {string | null} [contradiction]
 */

export class Validation {
  /**
   * @param {import("./question.js").Question} question
   * @param {import("./board.js").Board} board
   * @param {import("./text.js").Text} text
   * @param {(parameters: Record<string, any>) => void} recognised called with the parameters of the question's family
   */
  constructor(question, board, text, recognised) {
    this.question = question;
    this.board = board;
    this.text = text;
    this.recognised = recognised;
    this.errors = new FieldErrors();
    this.kind = question.kind;
    this.changes = 0; // so far, and refusals; what is said of the question before the last one no longer counts
    const soon = debounced(120, (/** @type {number} */ change) => this.send(change));
    this.check = () => {
      if (this.kind !== question.kind) this.errors.forget();
      this.kind = question.kind;
      soon(++this.changes);
    };
  }

  /** @param {number} change */
  async send(change) {
    if (change !== this.changes) return;
    try {
      const described = await post("question", { problem: this.question.toProblem() });
      if (change !== this.changes) return;
      this.text.show(described.problem);
      this.accept(described);
    } catch (error) {
      if (change === this.changes) this.refuse(error);
    }
  }

  /** @param {Description} described */
  accept({ command, parameters, literals, variables, contradiction }) {
    const { question } = this;
    this.errors.clear();
    if (parameters) this.recognised(parameters);
    const times = question.last ? ` in ${question.last + 1} generations` : "";
    const unknown = question.marked ? question.marks().flat().filter((mark) => mark === question.unpainted).length : 0;
    const free = question.marked
      ? `The catalyst may use ${unknown} unknown cell${unknown === 1 ? "" : "s"}.`
      : variables === undefined ? "" : `${variables} cells${times} are left to the solver.`;
    const copies = literals && question.problem.symmetry?.length ? " Pale cells are copies by symmetry." : "";
    showMessage(contradiction ? `This contradicts itself: ${contradiction}.` : free + copies, Boolean(contradiction));
    this.text.showCommand(command);
    this.board.setLiterals(literals);
    allow("search", true);
  }

  /** The question is refused: beside the field that is to blame, else below the board. @param {unknown} error @param {string | null} field */
  refuse(error, field = this.question.tag) {
    if (!(error instanceof Refused)) throw error;
    this.changes += 1;
    const words = `${error.message}.`;
    const beside = this.errors.show(words, field);
    showMessage(beside ? "" : words, true);
    this.text.showCommand("");
    this.board.setLiterals(null);
    allow("search", false);
  }
}
