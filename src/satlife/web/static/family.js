// Questions that the server builds from the parameters of their family, such as eaters, whose cells hold a glider.

import { post } from "./api.js";
import { debounced } from "./dom.js";
import { takes } from "./kinds.js";

/** The parameter that gives the number of generations. @param {import("./kinds.js").Kind} kind */
export const stepsOf = (kind) => (takes(kind, "generations") ? "generations" : "period");

/** The parameters for which the form has a field of their own. @param {import("./kinds.js").Kind} kind */
export const fieldsOf = (kind) => (kind.start ? [] : kind.parameters.filter((parameter) =>
  parameter.kind === "integer" && parameter.name !== stepsOf(kind)));

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
    this.sendSoon = debounced(150, () => this.send());
  }

  /** The values of the parameters. */
  get parameters() {
    if (this.kind !== this.question.kind) this.reconstruct();
    return this.values;
  }

  /** A new question was loaded, with parameters of its own. */
  reset() {
    this.kind = null;
  }

  /** Take box and generations from the question, less what the family adds; the others are the defaults. */
  reconstruct() {
    const { kind, width, height, steps } = this.question;
    const adds = kind.family?.adds ?? { width: 0, height: 0, generations: 0 };
    this.kind = kind;
    this.values = { ...defaults(kind), width: width - adds.width, height: height - adds.height };
    this.values[stepsOf(kind)] = steps - adds.generations;
  }

  /** Begin with the default question of a kind. @param {import("./kinds.js").Kind} kind */
  async begin(kind) {
    this.kind = kind;
    this.values = defaults(kind);
    await this.send();
  }

  /** @param {string} name @param {number} value */
  set(name, value) {
    this.parameters[name] = value;
    this.sendSoon();
  }

  async send() {
    const { kind, question } = this;
    if (!kind?.family) return;
    try {
      const request = { family: kind.family.name, rule: question.problem.rule, ...this.values };
      const { problem } = await post("question", request);
      question.edit(() => {
        question.time = 0;
        question.load(problem);
      }, kind.name);
    } catch (error) {
      this.refuse(error);
    }
  }
}
