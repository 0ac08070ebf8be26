// The question: a Problem in its JSON form, the words painted on its cells, and the history for undo.

import { ACTIVE, UNKNOWN, historyOf, wordOf } from "./history.js";
import { hasAnySize, takes } from "./kinds.js";
import { ALIVE, DEAD, FREE } from "./words.js";

/**
 * A question in its JSON form; a box with `*` on one side is open there, and without a box it is about any size.
 * @typedef {object} Problem
 * @property {string} [kind]
 * @property {string} rule
 * @property {(number | "*")[]} [box]
 * @property {number} [period]
 * @property {boolean} [multiples] of ships: whether multiples of the period are allowed, too
 * @property {number} [generations]
 * @property {number[]} [displacement]
 * @property {string} [wrap]
 * @property {string[]} [symmetry]
 * @property {string[]} [population]
 * @property {string[]} [exclude]
 * @property {boolean} [nonempty]
 * @property {boolean} [open_end]
 * @property {boolean} [strict]
 * @property {boolean} [tight]
 * @property {string} [margin] of a completion: what the cells around the box may be
 * @property {string[][]} [cells] a row is a text of words
 * @property {{rows: string[]}} [catalyst] what is asked of one; a row has a mark of LifeHistory for each cell
 */

/** @typedef {[number, number]} Place */

/** Whether a question has no box, or one without end, so that no cells can be painted. @param {Problem} problem */
export const isOpen = ({ box }) => !box || box.includes("*");

/** Whether the server can certify an answer: one about a box, closed or of any length. @param {Problem} problem */
export const isProvable = ({ box, margin }) => Boolean(box) && !margin;

const DEFAULT = { kind: "still life", rule: "B3/S23", box: [8, 8], period: 1 };

/** The greatest common divisor. @param {number} a @param {number} b @returns {number} */
const divisor = (a, b) => (b ? divisor(b, a % b) : Math.abs(a));

export class Question {
  /** @param {import("./kinds.js").Kinds} kinds @param {() => void} changed called after every change */
  constructor(kinds, changed) {
    this.kinds = kinds;
    this.changed = changed;
    /** @type {string[]} */
    this.past = [];
    /** @type {string[]} */
    this.future = [];
    /** @type {string | null} the tag of the last edit: edits with the same tag are one step of undo */
    this.tag = null;
    this.loads = 0; // questions that were loaded so far
    this.time = 0; // the generation that is shown
    /** @type {Problem} */
    this.problem = DEFAULT;
    /** @type {number[]} the box; while it is open, or there is none, the one to return to */
    this.closed = DEFAULT.box;
    /** @type {(string[][] | null | undefined)[]} words by generation, row and column; rows and words may be missing;
     * of a catalyst the marks of LifeHistory */
    this.cells = [];
    this.load(DEFAULT);
  }

  /** Load a Problem in its JSON form. @param {Problem} problem */
  load(problem) {
    const { cells = [], ...rest } = problem;
    this.loads += 1;
    this.problem = rest;
    if (rest.box) this.closed = rest.box.map((side) => (side === "*" ? 8 : side));
    this.cells = rest.catalyst
      ? [rest.catalyst.rows.map((row) => [...row])]
      : cells.map((rows) => (rows.length ? rows.map((row) => row.split(/\s+/)) : null));
    this.time = Math.min(this.time, this.last);
  }

  get anySize() { return !this.problem.box; }
  get open() { return isOpen(this.problem); }
  get periodic() { return !("generations" in this.problem); }
  get steps() { return this.problem.period ?? this.problem.generations ?? 1; }
  get last() { return this.marked ? 0 : this.periodic ? this.steps - 1 : this.steps; }
  /** Whether it is about ships, which may have a multiple of their period. */
  get isShip() {
    return this.problem.kind === "spaceship";
  }

  /** Whether cells have marks of LifeHistory. */
  get marked() { return Boolean(this.problem.catalyst); }
  /** Whether nothing is left of the pattern in the last generation. */
  get dies() { return takes(this.kind, "dies") && !this.periodic; }
  get kind() { return this.kinds.of(this.problem.kind); }
  // The sides of the box, unless it is open.
  get width() { return Number(this.problem.box?.[0]); }
  get height() { return Number(this.problem.box?.[1]); }

  /** The JSON form.  Generations in which all cells are free are left empty, and cells outside the box are left out. */
  toProblem() {
    const { catalyst } = this.problem;
    if (catalyst) {
      const marks = this.marks();
      const words = marks.map((row) => row.map(wordOf).join(" "));
      return { satlife: 1, ...this.problem, catalyst: { ...catalyst, rows: marks.map((row) => row.join("")) }, cells: [words] };
    }
    /** @type {string[][]} */
    const cells = [];
    for (let t = 0; t <= this.last && !this.open; t++) {
      if (!this.cells[t]) continue;
      const rows = Array.from({ length: this.height }, (_, y) => Array.from({ length: this.width }, (_, x) => this.word(x, y, t)));
      if (rows.every((row) => row.every((word) => word === FREE))) continue;
      while (cells.length < t) cells.push([]);
      cells.push(rows.map((row) => row.join(" ")));
    }
    if (!cells.length) return { satlife: 1, ...this.problem };
    const { multiples, ...exact } = this.problem; // known cells are those of one period
    return { satlife: 1, ...exact, cells };
  }

  /** The marks of the box, row by row. */
  marks() { return Array.from({ length: this.height }, (_, y) => Array.from({ length: this.width }, (_, x) => this.word(x, y))); }

  /** @param {number} x @param {number} y */
  word(x, y, time = this.time) {
    const rows = this.cells[time];
    return rows ? rows[y]?.[x] ?? this.blank(time) : FREE;
  }

  /** What is painted nowhere: a free, or unknown, cell. */
  get unpainted() { return this.marked ? UNKNOWN : FREE; }

  /** Whether a painted word, or mark, is that of a live cell. @param {string} word */
  isAlive(word) { return (this.marked ? wordOf(word) : word) === ALIVE; }

  /** The word of an unpainted cell, in a generation with painted ones. @param {number} time */
  blank(time) {
    return this.marked ? UNKNOWN : (time === this.last && (this.dies ? DEAD : this.kind.around)) || FREE;
  }

  /** Whether the generation that is shown is the target of a predecessor or orphan question. */
  get atTarget() { return this.kind.target !== undefined && this.time === this.last; }

  /** Paint cells of the generation that is shown. @param {Place[]} places @param {string} word */
  paint(places, word) {
    const rows = (this.cells[this.time] ??= []);
    for (const [x, y] of places) (rows[y] ??= [])[x] = word;
  }

  /** Save the question for undo; edits with the same tag, as of keys typed into a field, are one step. @param {string | null} tag */
  checkpoint(tag = null) {
    if (tag !== null && tag === this.tag) return;
    this.tag = tag;
    const now = JSON.stringify(this.toProblem());
    if (this.past.at(-1) === now) return;
    this.past.push(now);
    if (this.past.length > 200) this.past.shift();
    this.future = [];
  }

  undo(from = this.past, to = this.future) {
    const before = from.pop();
    if (before === undefined) return;
    this.tag = null;
    to.push(JSON.stringify(this.toProblem()));
    this.load(JSON.parse(before));
    this.changed();
  }

  redo() { this.undo(this.future, this.past); }

  /** Change the question in a way that can be undone. @param {() => void} action @param {string | null} tag */
  edit(action, tag = null) {
    this.checkpoint(tag);
    action();
    this.changed();
  }

  /** Change the kind; rule, box, symmetry, period and live cells stay where they make sense. @param {string} name */
  setKind(name) {
    const { start, target, rim = 0 } = this.kinds.of(name);
    /** @type {Place[]} */
    const live = [];
    this.cells[this.time]?.forEach((row, y) => row?.forEach((word, x) => this.isAlive(word) && live.push([x, y])));
    const { rule, symmetry, period = 1 } = this.problem;
    const box = this.closed;
    const anySize = this.anySize && hasAnySize(this.kinds.of(name));
    this.problem = { kind: name, rule, box, ...structuredClone(start) };
    if (symmetry && !target) this.problem.symmetry = symmetry;
    if ((this.problem.period ?? 1) > 1 && period > 1) this.problem.period = period;
    this.cells = [];
    this.time = 0;
    if (anySize) this.setAnySize(true);
    if (!target) {
      if (name === "search" || start?.margin) this.paint(live, ALIVE);
      return;
    }
    this.time = this.last;
    /** @type {Place[]} */
    const inside = [];
    for (let y = rim; y < box[1] - rim; y++) for (let x = rim; x < box[0] - rim; x++) inside.push([x, y]);
    this.paint(inside, target);
    this.paint(live, ALIVE);
  }

  /** Clear all generations, except for the cells that the kind begins with. */
  clear() {
    this.cells = this.marked ? [[]] : [];
    if (this.dies) this.cells[this.last] = [];
    if (this.kind.target) this.setKind(this.kind.name);
  }

  /** @param {number} width @param {number} height */
  setSize(width, height) {
    this.closed = [width, height];
    this.problem.box = this.problem.box?.map((side, axis) => (side === "*" ? side : this.closed[axis]));
  }

  /** Make the box open in the direction of the ship, for patterns of any length, or close it again; a wave stays rolled up.
   * @param {boolean} open */
  setOpen(open) {
    const { kind, rule, period, displacement, symmetry, wrap, multiples } = this.problem;
    const [width, height] = this.closed;
    const [dx, dy] = displacement ?? [0, 0];
    /** @type {(number | "*")[]} */
    const box = !open ? this.closed : dx && !dy ? ["*", height] : [width, "*"];
    this.problem = { kind, rule, box, period, displacement, ...(multiples && { multiples }) };
    if (symmetry) this.problem.symmetry = symmetry;
    if (wrap) this.problem.wrap = !open ? wrap : box[0] === "*" ? "y" : "x";
    this.cells = [];
    this.time = 0;
  }

  /** Ask about patterns of any size, or in a box again; known cells need one.  A ship may then also have a multiple of the
   * least period of its speed.  @param {boolean} anySize */
  setAnySize(anySize) {
    const { box, ...rest } = this.problem;
    this.problem = anySize ? rest : { ...rest, box: this.closed };
    if (!anySize) return;
    this.cells = [];
    this.time = 0;
    if (rest.displacement && [rest.period ?? 1, ...rest.displacement].reduce(divisor) === 1) this.problem.multiples = true;
  }

  /** Ask for a pattern that dies in a generation, or for one that recurs. @param {boolean} dies */
  setDies(dies) {
    const { period, generations, displacement, ...rest } = this.problem;
    this.problem = { ...rest, ...(dies ? { generations: 1 } : this.kind.start) };
    this.cells = dies ? [null, []] : [];
    this.time = 0;
  }

  /** More or fewer generations; the target of a predecessor stays the last. @param {number} steps */
  setSteps(steps) {
    const target = this.kind.target || this.dies ? this.cells[this.last] : null;
    const shown = this.time === this.last;
    if (target) this.cells[this.last] = undefined;
    this.problem[this.periodic ? "period" : "generations"] = steps;
    if (target) {
      this.cells[steps] = target;
      if (shown) this.time = steps;
    }
    this.time = Math.min(this.time, this.last);
  }

  /**
   * Set a field of the Problem, or drop it.
   * @template {keyof Problem} K
   * @param {K} name
   * @param {Problem[K] | null} value
   */
  set(name, value) {
    const empty = value === "" || value === false || value === null || (Array.isArray(value) && !value.length);
    if (empty) delete /** @type {Partial<Problem>} */ (this.problem)[name];
    else this.problem[name] = value;
  }

  /** The live cells of the generation that is shown, as RLE. */
  rle() {
    const row = (/** @type {number} */ y) => Array.from({ length: this.width }, (_, x) => (this.isAlive(this.word(x, y)) ? "o" : "b")).join("");
    const body = Array.from({ length: this.height }, (_, y) => row(y)).join("$");
    return `x = ${this.width}, y = ${this.height}, rule = ${this.problem.rule}\n${body}!\n`;
  }

  /** What is drawn as LifeHistory; live cells without marks become active. */
  history() {
    if (this.marked) return historyOf(this.marks());
    return historyOf(this.marks().map((row) => row.map((word) => (this.isAlive(word) ? ACTIVE : "."))));
  }
}
