// Questions that the server builds from the parameters of their family, such as eaters, whose cells hold a glider.

import { post } from "./api.js";
import { debounced } from "./dom.js";
import { takes } from "./kinds.js";

/** The parameter that gives the number of generations. @param {import("./kinds.js").Kind} kind */
export const stepsOf = (kind) => (takes(kind, "generations") ? "generations" : "period");

/** The parameters for which the form has a field of their own. @param {import("./kinds.js").Kind} kind */
export const fieldsOf = (kind) => (kind.start ? [] : kind.parameters.filter((parameter) =>
  ["integer", "choice", "bound", "box", "flag", "words"].includes(parameter.kind) && parameter.name !== stepsOf(kind)
  && parameter.name !== "size" && !kind.hidden?.includes(parameter.name)));

/** @param {import("./kinds.js").Kind} kind @returns {Record<string, any>} */
function defaults({ parameters }) {
  const entries = parameters.flatMap(({ name, default: value }) => {
    if (name !== "size") return [[name, value]];
    const [width, height] = value ?? [8, 8];
    return [["width", width], ["height", height]];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

export class FamilyQuestion {
  /**
   * @param {import("./question.js").Question} question
   * @param {(error: unknown) => void} refuse
   */
  constructor(question, refuse) {
    this.question = question;
    this.refuse = refuse;
    /** @type {import("./kinds.js").Kind | null} */
    this.kind = null;
    /** @type {Record<string, any>} */
    this.values = {};
    this.edits = 0; // since the last question that the server has built
    this.requests = 0; // so far; only the response to the last one counts
    this.sendSoon = debounced(150, () => this.send());
  }

  /** The values of the parameters; the defaults, until the server has recognised them in the question. */
  get parameters() {
    const { kind } = this.question;
    if (this.kind !== kind) {
      this.kind = kind;
      this.values = defaults(kind);
    }
    return this.values;
  }

  /** Take the parameters that the server has recognised, unless others were typed. @param {Record<string, any>} recognised */
  adopt(recognised) {
    if (!this.edits) this.values = { ...defaults(this.question.kind), ...recognised };
  }

  /** Begin with the default question of a kind, and what is drawn. @param {import("./kinds.js").Kind} kind */
  async begin(kind) {
    const { question } = this;
    const drawn = kind.marks && !question.open && question.rle().includes("o") ? question.history() : kind.marks;
    this.kind = kind;
    this.values = { ...defaults(kind), ...kind.begin };
    await this.send(drawn);
  }

  /** @param {string} name @param {number | string | boolean | null} value null: it is left out */
  set(name, value) {
    if (value === null) delete this.parameters[name];
    else this.parameters[name] = value;
    this.edits += 1;
    this.sendSoon();
  }

  /** @param {string} [drawn] the board, if it is not that of the question */
  async send(drawn) {
    const { kind, question } = this;
    if (!kind?.family) return;
    const sent = this.edits;
    try {
      const { rule } = question.problem;
      await this.ask({ rule, ...this.values, ...(kind.marks ? { text: drawn ?? question.history() } : {}) });
    } catch (error) {
      this.refuse(error);
    } finally {
      if (sent === this.edits) this.edits = 0;
    }
  }

  /** Load the question with these parameters. @param {Record<string, any>} parameters */
  async ask(parameters) {
    const { kind, question } = this;
    const number = ++this.requests;
    const answer = post("question", { family: kind?.family?.name, ...parameters });
    const { problem } = await answer.catch((error) => {
      if (number === this.requests) throw error;
      return {};
    });
    if (number !== this.requests) return;
    question.edit(() => {
      question.time = 0;
      question.load(problem);
    }, kind?.name);
  }

  /** Load a pattern with marks; a file of Barrister's has its own parameters. @param {string} text */
  async paste(text) {
    const values = /^\s*pattern\s*=/m.test(text) ? {} : this.parameters;
    await this.ask({ ...values, text });
  }
}
