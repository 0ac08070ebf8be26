// Questions that the server makes, because their cells depend on the family's parameters: the glider of an eater.

import { post } from "./api.js";
import { debounced } from "./dom.js";
import { takes } from "./kinds.js";

/** The name of the parameter that says how many generations there are. @param {import("./kinds.js").Kind} kind */
export const stepsOf = (kind) => (takes(kind, "generations") ? "generations" : "period");

/** Parameters that have a field of their own in the form. @param {import("./kinds.js").Kind} kind */
export const fieldsOf = (kind) => (kind.start ? [] : kind.parameters.filter((parameter) =>
  parameter.kind === "integer" && parameter.name !== stepsOf(kind)));

/** @param {import("./kinds.js").Kind} kind @returns {Record<string, any>} */
function defaults({ parameters }) {
  const entries = parameters.flatMap(({ name, default: usual }) => {
    if (name !== "size") return [[name, usual]];
    const [width, height] = usual ?? [8, 8];
    return [["width", width], ["height", height]];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

export class Order {
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
    this.given = {};
    this.soon = debounced(150, () => this.send());
  }

  /** The parameters of the question. */
  get parameters() {
    if (this.kind !== this.question.kind) this.recover();
    return this.given;
  }

  /** The question comes from elsewhere. */
  forget() {
    this.kind = null;
  }

  /** Box and generations are those of the question, less what the family adds; the others are the usual ones. */
  recover() {
    const { kind, width, height, steps } = this.question;
    const adds = kind.family?.adds ?? { width: 0, height: 0, generations: 0 };
    this.kind = kind;
    this.given = { ...defaults(kind), width: width - adds.width, height: height - adds.height };
    this.given[stepsOf(kind)] = steps - adds.generations;
  }

  /** Begin with the usual question of a kind. @param {import("./kinds.js").Kind} kind */
  async begin(kind) {
    this.kind = kind;
    this.given = defaults(kind);
    await this.send();
  }

  /** @param {string} name @param {number} value */
  set(name, value) {
    this.parameters[name] = value;
    this.soon();
  }

  async send() {
    const { kind, question } = this;
    if (!kind?.family) return;
    try {
      const asked = { family: kind.family.name, rule: question.problem.rule, ...this.given };
      const { problem } = await post("question", asked);
      question.edit(() => {
        question.time = 0;
        question.load(problem);
      }, kind.name);
    } catch (error) {
      this.refuse(error);
    }
  }
}
