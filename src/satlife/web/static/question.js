// The question: a Problem as the server knows it, what is painted on its cells, and its history.

export const FREE = "*";
export const ANY = "*'";

/** Every kind: what it asks, and the Problem it begins with. */
export const KINDS = {
  "still life": { words: "A pattern that never changes.", start: { period: 1 } },
  oscillator: { words: "A pattern that comes back after exactly so many generations.", start: { period: 2 } },
  spaceship: {
    words: "A pattern that comes back somewhere else: to the right and down by so many cells; up and left are negative.",
    start: { period: 4, displacement: [1, 1] },
  },
  predecessor: {
    words: "What was it before? Draw (or paste) the pattern into the last generation, and ask for its past.",
    start: { generations: 1, nonempty: false }, target: "0",
  },
  orphan: {
    words: "Has it any past at all? Draw the pattern; grey cells around it may become anything.",
    start: { generations: 1, nonempty: false, open_end: true }, target: "0",
  },
  eater: { words: "A still life that eats a glider coming from the lower left, and recovers.", family: true },
  torus: { words: "A pattern on a torus: left meets right, top meets bottom.", start: { period: 2, wrap: "xy" } },
  wave: { words: "An infinitely long pattern that repeats itself every so many cells to the right.",
    start: { period: 2, wrap: "x" } },
  search: { words: "Anything else: paint what you know of every generation.", start: { generations: 2 } },
};

export class Question {
  constructor(changed) {
    this.changed = changed;
    this.past = [];
    this.future = [];
    this.tag = null;
    this.time = 0;
    this.closed = [8, 8];
    this.load({ kind: "still life", box: [8, 8], period: 1 });
  }

  /** Take a Problem in its JSON form. */
  load(problem) {
    const { cells = [], ...rest } = problem;
    this.problem = { rule: "B3/S23", ...rest };
    this.closed = this.open ? rest.box.map((side) => (side === "*" ? 8 : side)) : rest.box;
    this.cells = cells.map((rows) => (rows.length ? rows.map((row) => row.split(/\s+/)) : null));
    this.time = Math.min(this.time, this.last);
  }

  get open() { return this.problem.box.includes("*"); }
  get periodic() { return !("generations" in this.problem); }
  get steps() { return this.problem.period ?? this.problem.generations ?? 1; }
  get last() { return this.periodic ? this.steps - 1 : this.steps; }
  get kind() { return this.problem.kind in KINDS ? this.problem.kind : "search"; }
  get width() { return this.problem.box[0]; }
  get height() { return this.problem.box[1]; }

  /** The JSON form; generations of which nothing is said are empty.  Cells outside the box are kept here, not there. */
  toProblem() {
    const cells = [];
    for (let t = 0; t <= this.last && !this.open; t++) {
      if (!this.cells[t]) continue;
      const rows = Array.from({ length: this.height }, (_, y) => Array.from({ length: this.width }, (_, x) => this.word(x, y, t)));
      if (rows.every((row) => row.every((word) => word === FREE))) continue;
      while (cells.length < t) cells.push([]);
      cells.push(rows.map((row) => row.join(" ")));
    }
    const out = { satlife: 1, ...this.problem };
    if (cells.length) out.cells = cells;
    return out;
  }

  word(x, y, time = this.time) {
    const rows = this.cells[time];
    return rows ? rows[y]?.[x] ?? this.blank(time) : FREE;
  }

  /** What a cell says that nobody has painted, in a generation of which something is known. */
  blank(time) {
    if (this.kind === "orphan" && time === this.last) return ANY;
    return this.kind === "predecessor" && time === this.last ? "0" : FREE;
  }

  /** Paint cells [[x, y], ...] of the generation that is shown. */
  paint(places, word) {
    const rows = (this.cells[this.time] ??= []);
    for (const [x, y] of places) (rows[y] ??= [])[x] = word;
  }

  // History: whole questions, as text.
  remember(tag = null) {
    if (tag !== null && tag === this.tag) return; // one step for all keys typed into a field
    this.tag = tag;
    const now = JSON.stringify(this.toProblem());
    if (this.past.at(-1) === now) return;
    this.past.push(now);
    if (this.past.length > 200) this.past.shift();
    this.future = [];
  }

  undo(from = this.past, to = this.future) {
    if (!from.length) return;
    this.tag = null;
    to.push(JSON.stringify(this.toProblem()));
    this.load(JSON.parse(from.pop()));
    this.changed();
  }

  redo() { this.undo(this.future, this.past); }

  /** Do something that can be undone. */
  edit(deed, tag = null) {
    this.remember(tag);
    deed();
    this.changed();
  }

  /** Another kind of question: rule, box, symmetry and period stay where they make sense, and so does a target. */
  setKind(kind) {
    const { start, target } = KINDS[kind];
    const live = [];
    this.cells[this.time]?.forEach((row, y) => row?.forEach((word, x) => word === "1" && live.push([x, y])));
    const { rule, symmetry, period } = this.problem;
    const box = this.open ? this.closed : this.problem.box;
    this.problem = { kind, rule, box, ...structuredClone(start) };
    if (symmetry && !target) this.problem.symmetry = symmetry;
    if (this.problem.period > 1 && period > 1) this.problem.period = period;
    this.cells = [];
    this.time = 0;
    if (!target) {
      if (kind === "search") this.paint(live, "1");
      return;
    }
    this.time = this.last;
    const rim = kind === "orphan" ? 1 : 0; // grey cells around it
    const inside = [];
    for (let y = rim; y < box[1] - rim; y++) for (let x = rim; x < box[0] - rim; x++) inside.push([x, y]);
    this.paint(inside, target);
    this.paint(live, "1");
  }

  setSize(width, height) {
    this.problem.box = [width, height];
  }

  /** A box, or a width and any length along the way of the ship. */
  setOpen(open) {
    if (open && !this.open) this.closed = this.problem.box;
    const { kind, rule, period, displacement, symmetry } = this.problem;
    const [width, height] = this.closed;
    const [dx, dy] = displacement ?? [0, 0];
    const box = !open ? this.closed : dx && !dy ? ["*", height] : [width, "*"];
    this.problem = { kind, rule, box, period, displacement };
    if (symmetry) this.problem.symmetry = symmetry;
    this.cells = [];
    this.time = 0;
  }

  /** More or fewer generations; the target of a predecessor stays the last. */
  setSteps(steps) {
    const target = this.kind === "predecessor" ? this.cells[this.last] : null;
    const shown = this.time === this.last;
    if (target) this.cells[this.last] = undefined;
    this.problem[this.periodic ? "period" : "generations"] = steps;
    if (target) {
      this.cells[steps] = target;
      if (shown) this.time = steps;
    }
    this.time = Math.min(this.time, this.last);
  }

  /** Set a field of the Problem, or drop it. */
  set(name, value) {
    const empty = value === "" || value === false || value === null || (Array.isArray(value) && !value.length);
    if (empty) delete this.problem[name];
    else this.problem[name] = value;
  }

  /** The live cells of the generation that is shown, as RLE. */
  rle() {
    const row = (y) => Array.from({ length: this.width }, (_, x) => (this.word(x, y) === "1" ? "o" : "b")).join("");
    const body = Array.from({ length: this.height }, (_, y) => row(y)).join("$");
    return `x = ${this.width}, y = ${this.height}, rule = ${this.problem.rule}\n${body}!\n`;
  }
}
