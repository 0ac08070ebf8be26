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
  eater: { words: "A still life that eats the glider in the lower left corner and recovers.", family: true },
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
    this.time = 0;
    this.load({ kind: "still life", box: [8, 8], period: 1 });
  }

  /** Take a Problem in its JSON form. */
  load(problem) {
    const { cells = [], ...rest } = problem;
    this.problem = { rule: "B3/S23", ...rest };
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

  /** The JSON form; generations of which nothing is said are empty. */
  toProblem() {
    const said = (rows) => rows?.some((row) => row.some((word) => word !== FREE));
    const cells = this.cells.slice(0, this.last + 1).map((rows) => (said(rows) ? rows.map((row) => row.join(" ")) : []));
    while (cells.length && !cells.at(-1).length) cells.pop();
    const out = { satlife: 1, ...this.problem };
    if (cells.length && !this.open) out.cells = cells;
    return out;
  }

  word(x, y, time = this.time) { return this.cells[time]?.[y]?.[x] ?? FREE; }

  /** What a new cell of a generation says. */
  blank(time) {
    if (this.kind === "orphan" && time === this.last) return ANY;
    return this.kind === "predecessor" && time === this.last ? "0" : FREE;
  }

  blankRows(time) {
    return Array.from({ length: this.height }, () => Array(this.width).fill(this.blank(time)));
  }

  /** Paint cells [[x, y], ...] of the generation that is shown. */
  paint(places, word) {
    const rows = (this.cells[this.time] ??= this.blankRows(this.time));
    for (const [x, y] of places) if (rows[y]?.[x] !== undefined) rows[y][x] = word;
    for (let t = 0; t < this.cells.length; t++) this.cells[t] ??= null;
  }

  // History: whole questions, as text.
  remember() {
    const now = JSON.stringify(this.toProblem());
    if (this.past.at(-1) === now) return;
    this.past.push(now);
    if (this.past.length > 200) this.past.shift();
    this.future = [];
  }

  undo(from = this.past, to = this.future) {
    if (!from.length) return;
    to.push(JSON.stringify(this.toProblem()));
    this.load(JSON.parse(from.pop()));
    this.changed();
  }

  redo() { this.undo(this.future, this.past); }

  /** Do something that can be undone. */
  edit(deed) {
    this.remember();
    deed();
    this.changed();
  }

  setKind(kind) {
    const { start, target } = KINDS[kind];
    const old = this.cells[this.time]?.some((row) => row.includes("1")) ? this.cells[this.time] : null;
    const { rule } = this.problem;
    const box = this.open ? [8, 8] : this.problem.box;
    this.problem = { kind, rule, box, ...structuredClone(start) };
    this.cells = [];
    this.time = 0;
    if (target) {
      this.time = this.last;
      this.cells = Array(this.last).fill(null);
      const inside = (x, y) => kind !== "orphan" || (x > 0 && y > 0 && x < box[0] - 1 && y < box[1] - 1);
      this.cells[this.time] = this.blankRows(this.time).map((row, y) =>
        row.map((word, x) => (inside(x, y) ? (old?.[y]?.[x] === "1" ? "1" : target) : word)));
    } else if (old && kind === "search") {
      this.cells = [old];
    }
  }

  setSize(width, height) {
    this.problem.box = [width, height];
    if (this.open) return;
    this.cells = this.cells.map((rows, t) => rows && Array.from({ length: height }, (_, y) =>
      Array.from({ length: width }, (_, x) => rows[y]?.[x] ?? this.blank(t))));
  }

  /** More or fewer generations; the target of a predecessor stays the last. */
  setSteps(steps) {
    const target = this.kind === "predecessor" ? this.cells[this.last] : null;
    const shown = this.time === this.last;
    this.problem[this.periodic ? "period" : "generations"] = steps;
    if (target) {
      this.cells = [...this.cells.slice(0, -1), ...Array(steps).fill(null)].slice(0, steps);
      this.cells[steps] = target;
      if (shown) this.time = steps;
    } else {
      this.cells = this.cells.slice(0, this.last + 1);
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
    const rows = this.cells[this.time] ?? [];
    const body = rows.map((row) => row.map((word) => (word === "1" ? "o" : "b")).join("")).join("$");
    return `x = ${this.width}, y = ${this.height}, rule = ${this.problem.rule}\n${body}!\n`;
  }
}
