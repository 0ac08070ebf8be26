// The canvas of the editor: painted cells, their copies by symmetry and period, and the cursor.

import { colour, drawGrid } from "./cells.js";
import { byId, setText } from "./dom.js";
import { MARKS, drawMark } from "./history.js";
import { Viewport } from "./viewport.js";
import { ANY, FREE, meaning } from "./words.js";

/** @typedef {import("./question.js").Place} Place */

const MAX_DRAWN = 40_000; // cells
const OPEN_CELLS = 16; // that are drawn of the side of a box without end
const COLOURS = { alive: "ink", dead: "paper", free: "free", any: "any", same: "same" };
/** @type {Record<string, Place>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Board {
  /** @param {import("./question.js").Question} question */
  constructor(question) {
    this.question = question;
    this.canvas = byId("board", HTMLCanvasElement);
    /** @type {number[][][] | null} */
    this.literals = null;
    /** @type {boolean[][][] | null} */
    this.first = null;
    /** @type {Record<string, string>} */
    this.colours = {};
    this.brush = "1";
    this.rectangles = false;
    this.moves = false; // whether dragging moves the view instead of painting
    /** @type {Place} */
    this.cursor = [0, 0];
    /** @type {{from: Place, last: Place, word: string, corner: Place | null, painted: boolean} | null} */
    this.stroke = null;
    this.pending = false;
    /** @type {Viewport} */
    this.view = new Viewport(this.canvas, () => this.draw(), {
      takes: (event) => !this.moves && this.drawn && !this.question.open && this.inside(this.view.cell(event)),
      press: (event) => this.press(event), move: (event) => this.move(event),
      release: () => this.release(), cancel: () => this.cancel(),
    });
    this.canvas.onfocus = this.canvas.onblur = () => {
      this.tell();
      this.draw();
    };
  }

  /** Whether the box is drawn; a very large one is not. */
  get drawn() { return this.question.open || this.question.width * this.question.height <= MAX_DRAWN; }

  /** Marks the first cell of each variable; the other cells of it are copies by symmetry or period. @param {number[][][]} literals */
  firstOfEach(literals) {
    const seen = new Set();
    const out = literals.map((rows) => rows.map((row) => row.map(() => false)));
    literals.forEach((rows, t) => rows.forEach((row, y) => row.forEach((literal, x) => {
      const variable = Math.abs(literal);
      if (variable > 1 && !seen.has(variable)) {
        seen.add(variable);
        out[t][y][x] = true;
      }
    })));
    return out;
  }

  /** Set the literals of the cells; null while they are not known. @param {number[][][] | null | undefined} literals */
  setLiterals(literals) {
    this.literals = literals ?? null;
    this.first = literals ? this.firstOfEach(literals) : null;
    this.draw();
  }

  draw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.redraw();
    });
  }

  redraw() {
    const { question, view } = this;
    if (!this.canvas.clientWidth) return; // it is not shown
    const { box = ["*", "*"] } = question.problem;
    const [width, height] = box.map((side) => (side === "*" ? OPEN_CELLS : side));
    view.show(this.drawn ? width : 1, this.drawn ? height : 1);
    const { context, width: across, height: down } = view.prepare();
    context.fillStyle = colour("around");
    context.fillRect(0, 0, across, down);
    if (!this.drawn) return;
    this.colours = Object.fromEntries([...Object.values(COLOURS), "free-again", "young"].map((name) => [name, colour(name)]));
    context.save();
    context.translate(view.left, view.top);
    if (question.open) this.openBox(context, width, height);
    else this.box(context, width, height);
    context.restore();
  }

  /** A box without end, or none: its cells fade out. @param {CanvasRenderingContext2D} context @param {number} width @param {number} height */
  openBox(context, width, height) {
    const { size } = this.view;
    const fades = this.fading();
    context.fillStyle = this.colours.free;
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        context.globalAlpha = Math.max(0, 1 - fades(x, y));
        context.fillRect(x * size + 1, y * size + 1, size - 1, size - 1);
      }
    }
    context.globalAlpha = 1;
  }

  /** How far a cell has faded out: from the middle, or behind the front of the ship. @returns {(x: number, y: number) => number} */
  fading() {
    const { box, displacement: [dx = 0, dy = 0] = [] } = this.question.problem;
    const middle = (OPEN_CELLS - 1) / 2;
    if (!box) return (x, y) => Math.hypot(x - middle, y - middle) / middle;
    const along = (/** @type {number} */ k, /** @type {number} */ step) => (step < 0 ? k : OPEN_CELLS - 1 - k) / OPEN_CELLS;
    return (x, y) => (box[1] === "*" ? along(y, dy) : along(x, dx));
  }

  /** @param {CanvasRenderingContext2D} context @param {number} width @param {number} height */
  box(context, width, height) {
    const { time } = this.question;
    const { size } = this.view;
    if (size >= 4) drawGrid(context, 0, 0, width, height, size);
    const shown = this.literals?.[time];
    const known = shown?.length === height && shown[0].length === width ? shown : null; // else they belong to an older box
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        this.cell(context, x, y, size, known?.[y][x] ?? null, Boolean(known && this.first?.[time][y][x]));
      }
    }
    const [x, y] = this.cursor;
    if (document.activeElement === this.canvas && x < width && y < height) this.outline(context, size, [x, y], [x, y]);
    if (this.stroke?.corner) this.outline(context, size, this.stroke.from, this.stroke.corner);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} x
   * @param {number} y
   * @param {number} size
   * @param {number | null} literal
   * @param {boolean} first whether it is the first cell of its variable
   */
  cell(context, x, y, size, literal, first) {
    const word = this.question.word(x, y);
    const gap = size >= 4 ? 1 : 0;
    if (this.question.marked) return drawMark(context, word, x * size + gap, y * size + gap, size - gap, this.colours);
    const unpainted = word === FREE && literal !== null;
    context.fillStyle = this.colours[COLOURS[meaning(word)]];
    if (unpainted && literal !== 0 && literal !== 1 && !first) context.fillStyle = this.colours["free-again"];
    context.fillRect(x * size + gap, y * size + gap, size - gap, size - gap);
    if (unpainted && (literal === 0 || literal === 1)) {
      // Not painted, but fixed by symmetry or period.
      const inset = Math.max(2, Math.floor(size / 4));
      context.fillStyle = this.colours[literal ? "ink" : "paper"];
      context.fillRect(x * size + 1 + inset, y * size + 1 + inset, size - 1 - 2 * inset, size - 1 - 2 * inset);
    } else if (meaning(word) === "same" && size > 12 && word.length <= 3) {
      context.fillStyle = this.colours.ink;
      context.font = `${Math.floor(size / 2)}px ui-monospace, monospace`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillText(word, (x + 0.5) * size, (y + 0.5) * size);
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {number} size @param {Place} from @param {Place} to */
  outline(context, size, [a, b], [c, d]) {
    context.strokeStyle = colour("accent");
    context.lineWidth = 2;
    const [left, top] = [Math.min(a, c) * size, Math.min(b, d) * size];
    context.strokeRect(left + 1, top + 1, (Math.abs(a - c) + 1) * size - 1, (Math.abs(b - d) + 1) * size - 1);
  }

  /** While the board has the focus, say where the cursor is, and what is there. */
  tell() {
    const { question, cursor: [x, y] } = this;
    const there = document.activeElement === this.canvas && !question.open && this.drawn && this.inside([x, y]);
    setText("cell", there ? `Column ${x + 1}, row ${y + 1}: ${this.state(x, y)}` : "");
  }

  /** The state of a cell in words. @param {number} x @param {number} y */
  state(x, y) {
    const { question } = this;
    const word = question.word(x, y);
    if (question.marked) return MARKS.find(([mark]) => mark === word)?.[2].toLowerCase() ?? word;
    const literal = word === FREE ? this.literals?.[question.time]?.[y]?.[x] : undefined;
    if (literal === 0 || literal === 1) return `${literal ? "alive" : "dead"}, as symmetry or period make it`;
    const known = meaning(word);
    return known === "same" ? `the same as all ${word}` : known;
  }

  /** @param {Place} place */
  inside([x, y]) { return x >= 0 && y >= 0 && x < this.question.width && y < this.question.height; }

  /** The cell of the box that is nearest to the pointer. @param {PointerEvent} event @returns {Place} */
  place(event) {
    const [x, y] = this.view.cell(event);
    /** @param {number} value @param {number} count */
    const at = (value, count) => Math.max(0, Math.min(count - 1, value));
    return [at(x, this.question.width), at(y, this.question.height)];
  }

  /** @param {PointerEvent} event */
  press(event) {
    const at = (this.cursor = this.place(event));
    // Painting a cell again with the same brush erases it, and so does the right button.
    const again = this.question.word(...at) === this.brush && !this.rectangles;
    const word = event.button === 2 || again ? this.question.blank(this.question.time) : this.brush;
    this.stroke = { from: at, last: at, word, corner: this.rectangles ? at : null, painted: false };
    if (event.pointerType !== "touch") this.begin(); // a finger may be the first of two
    this.tell();
    this.draw();
  }

  begin() {
    if (!this.stroke || this.stroke.painted) return;
    this.stroke.painted = true;
    this.question.checkpoint();
    if (!this.rectangles) this.question.paint([this.stroke.from], this.stroke.word);
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (!this.stroke) return;
    const at = this.place(event);
    if (at[0] === this.stroke.last[0] && at[1] === this.stroke.last[1]) return;
    this.begin();
    if (this.stroke.corner) this.stroke.corner = at;
    else this.question.paint(line(this.stroke.last, at), this.stroke.word);
    this.stroke.last = this.cursor = at;
    this.draw();
  }

  release() {
    if (!this.stroke) return;
    this.begin();
    if (this.stroke.corner) this.question.paint(rectangle(this.stroke.from, this.stroke.corner), this.stroke.word);
    this.stroke = null;
    this.question.changed();
    this.tell();
  }

  /** The stroke has become a pinch: what was painted so far stays, and can be undone. */
  cancel() {
    const painted = this.stroke?.painted;
    this.stroke = null;
    if (painted) this.question.changed();
    else this.draw();
  }

  /** Handle a key while the canvas has the focus; returns whether it has a meaning. @param {KeyboardEvent} event */
  key(event) {
    const { question } = this;
    if (event.key in ARROWS) {
      const [dx, dy] = ARROWS[event.key];
      if (event.shiftKey) {
        this.view.pan(-dx * this.view.size, -dy * this.view.size);
        return true;
      }
      if (question.open) return false;
      const [x, y] = this.cursor;
      this.cursor = [Math.max(0, Math.min(question.width - 1, x + dx)), Math.max(0, Math.min(question.height - 1, y + dy))];
      this.tell();
      this.draw();
      return true;
    }
    const word = event.key === " " ? this.brush : this.keyWord(event.key);
    if (word === null || question.open || !this.drawn) return false;
    question.edit(() => question.paint([this.cursor], word));
    this.tell();
    return true;
  }

  /** The word, or mark, that a key paints; null if it paints none. @param {string} key */
  keyWord(key) {
    if (this.question.marked) return /^[0-5]$/.test(key) ? MARKS[Number(key)][0] : null;
    return key === "?" ? ANY : /^[01*a-z]$/.test(key) ? key : null;
  }
}

/**
 * The cells on the line between two cells, so that a fast stroke has no gaps.
 * @param {Place} from
 * @param {Place} to
 * @returns {Place[]}
 */
function line([x, y], [toX, toY]) {
  const steps = Math.max(Math.abs(toX - x), Math.abs(toY - y), 1);
  return Array.from({ length: steps + 1 }, (_, k) =>
    [Math.round(x + ((toX - x) * k) / steps), Math.round(y + ((toY - y) * k) / steps)]);
}

/** @param {Place} from @param {Place} to */
function rectangle([a, b], [c, d]) {
  /** @type {Place[]} */
  const out = [];
  for (let y = Math.min(b, d); y <= Math.max(b, d); y++) {
    for (let x = Math.min(a, c); x <= Math.max(a, c); x++) out.push([x, y]);
  }
  return out;
}
