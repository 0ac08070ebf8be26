// The kinds of questions: the families of the server, with texts and starting questions of the page.

import { get } from "./api.js";
import { ANY, DEAD } from "./words.js";

/** A glider that flies towards unknown cells: the board of a catalyst to begin with. */
const GLIDER = "x = 17, y = 12, rule = LifeHistory\n5.12B$5.12B$.A3.12B$2.A2.12B$3A2.12B$5.12B$5.12B$5.12B$5.12B$5.12B$5.12B$5.12B!";

/**
 * A parameter and a family, as the server describes them.
 * @typedef {object} Parameter
 * @property {string} name
 * @property {string} kind
 * @property {string} help
 * @property {any} default
 * @property {boolean} required
 * @property {boolean} optional whether it may be left out
 * @property {string[]} choices
 *
 * @typedef {object} Family
 * @property {string} name
 * @property {string} kind
 * @property {string} words
 * @property {Parameter[]} parameters
 *
 * @typedef {object} Condition a condition for which the form has a field, as the server describes it
 * @property {string} name
 * @property {string} help
 * @property {string} metavar empty for a flag
 *
 * @typedef {object} PageKind what the page adds to a family
 * @property {string} [words] a description, instead of that of the family
 * @property {Partial<import("./question.js").Problem>} [start] the question to begin with; without it,
 *   the server builds the questions from the parameters of the family
 * @property {string} [target] the word of a cell of the pattern that is drawn into the last generation
 * @property {string} [around] the word of a cell outside it
 * @property {number} [rim] the least number of cells around the pattern
 * @property {string} [steps] the label of the field for generations
 * @property {string} [marks] where cells have marks of LifeHistory: the board to begin with
 * @property {Record<string, any>} [begin] the parameters to begin with, instead of the defaults
 * @property {Record<string, string>} [labels] the fields next to the size, with their labels; others are under More
 * @property {string[]} [hidden] parameters without a field
 *
 * @typedef {PageKind & {name: string, words: string, parameters: Parameter[], family?: Family}} Kind
 */

/** @type {Record<string, PageKind>} */
const PAGE_KINDS = {
  "still life": { words: "A pattern that never changes.", start: { period: 1 } },
  oscillator: { words: "A pattern that comes back after exactly so many generations.", start: { period: 2 } },
  spaceship: {
    words: "A pattern that comes back somewhere else, again and again.",
    start: { period: 4, displacement: [1, 1] },
  },
  predecessor: {
    words: "What was it before? Draw (or paste) the pattern into the last generation, and ask for its past.",
    start: { generations: 1, nonempty: false }, target: DEAD, around: DEAD, rim: 0,
  },
  orphan: {
    words: "Has it any past at all? Draw the pattern; grey cells around it may become anything.",
    start: { generations: 1, nonempty: false, open_end: true }, target: DEAD, around: ANY, rim: 1,
  },
  eater: { words: "A still life that eats a glider, and recovers. The glider flies where the heading says: NE comes from the lower left.", steps: "Meal" },
  catalyst: {
    words: "A still life that an active pattern does not destroy. Draw the pattern, and where the still life may lie.",
    marks: GLIDER, begin: { first_active: "0..12", active: "0..20", ever_bounds: "4x4" },
    labels: { first_active: "Begins in", active: "Recovers after", eaten: "leaves nothing" }, hidden: ["around"],
  },
  complete: {
    words: "What may these cells be a part of? Draw what you know; all other cells, also around the box, are unknown. Fewest cells: the smallest of all.",
    start: { period: 1, margin: "free" },
  },
  becomes: {
    words: "A pattern that after some generations is copies of itself, and nothing else.",
    begin: { width: 3, height: 3, generations: 4, copies: "1,1" },
    labels: { copies: "Copies at" }, hidden: ["at"],
  },
  torus: { words: "A pattern on a torus: left meets right, top meets bottom.", start: { period: 2, wrap: "xy" } },
  wave: {
    words: "An infinitely long pattern that repeats itself every so many cells to the right.",
    start: { period: 2, wrap: "x" },
  },
};

/** The general question, for everything without a family of its own. @type {Kind} */
const SEARCH = {
  name: "search",
  words: "Anything else: paint what you know of every generation.",
  start: { generations: 2 },
  parameters: [{ name: "generations", kind: "integer", help: "", default: 2, required: true, optional: false, choices: [] }],
};

export class Kinds {
  constructor() {
    /** @type {Map<string, Kind>} */
    this.known = new Map([[SEARCH.name, SEARCH]]);
    /** @type {Condition[]} */
    this.conditions = [];
    this.loaded = false;
  }

  /** Load the families of the server.  Of those with grid files only the ones that are painted here are offered. */
  async load() {
    /** @type {Family[]} */
    const families = await get("families");
    this.known.clear();
    for (const family of families) {
      const { kind: name, words, parameters } = family;
      if (parameters.some((parameter) => parameter.kind === "grid") && !PAGE_KINDS[name]) continue;
      this.known.set(name, { name, words, parameters, family, ...PAGE_KINDS[name] });
    }
    this.known.set(SEARCH.name, SEARCH);
    this.conditions = await get("conditions");
    this.loaded = true;
  }

  get names() { return [...this.known.keys()]; }

  /** @param {string | undefined} name */
  of(name) { return this.known.get(name ?? SEARCH.name) ?? SEARCH; }
}

/** Whether the questions of a kind can do without a box. @param {Kind} kind */
export const hasAnySize = (kind) => kind.parameters.some(({ name, optional }) => name === "size" && optional);

/** Whether a kind has a parameter of one of these names. @param {Kind} kind @param {...string} names */
export const takes = (kind, ...names) => kind.parameters.some((parameter) => names.includes(parameter.name));
