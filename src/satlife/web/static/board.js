// The canvas of the editor: painted cells, their copies by symmetry and period, and the cursor.

import { colour, contextOf, drawGrid } from "./cells.js";
import { byId } from "./dom.js";
import { ANY, FREE, meaning } from "./words.js";

/** @typedef {import("./question.js").Place} Place */

const MAX_DRAWN = 40_000; // cells
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
    /** @type {Place} */
    this.cursor = [0, 0];
    /** @type {{from: Place, last: Place, word: string, corner: Place | null} | null} */
    this.drag = null;
    this.pending = false;
    this.canvas.onpointerdown = (event) => this.press(event);
    this.canvas.onpointermove = (event) => this.move(event);
    this.canvas.onpointerup = () => this.release();
    this.canvas.onpointercancel = () => this.release();
    this.canvas.oncontextmenu = (event) => event.preventDefault();
    this.canvas.onfocus = this.canvas.onblur = () => this.draw();
    new ResizeObserver(() => this.draw()).observe(byId("board-frame"));
  }

  get size() {
    const { clientWidth, clientHeight } = byId("board-frame");
    const { width, height } = this.question;
    return Math.max(5, Math.min(44, Math.floor(Math.min((clientWidth - 4) / width, (clientHeight - 4) / height))));
  }

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
    const { question, canvas } = this;
    const context = contextOf(canvas);
    const scale = window.devicePixelRatio || 1;
    canvas.hidden = question.open || question.width * question.height > MAX_DRAWN;
    if (canvas.hidden) return;
    this.colours = Object.fromEntries([...Object.values(COLOURS), "free-again"].map((name) => [name, colour(name)]));
    const { width, height, time } = question;
    const size = this.size;
    canvas.style.width = `${width * size + 1}px`;
    canvas.style.height = `${height * size + 1}px`;
    canvas.width = (width * size + 1) * scale;
    canvas.height = (height * size + 1) * scale;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    drawGrid(context, 0, 0, width, height, size);
    const shown = this.literals?.[time];
    const known = shown?.length === height && shown[0].length === width ? shown : null; // else they belong to an older box
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        this.cell(context, x, y, size, known?.[y][x] ?? null, Boolean(known && this.first?.[time][y][x]));
      }
    }
    const [x, y] = this.cursor;
    if (document.activeElement === canvas && x < width && y < height) {
      context.strokeStyle = colour("accent");
      context.lineWidth = 2;
      context.strokeRect(x * size + 1, y * size + 1, size - 1, size - 1);
    }
    if (this.drag?.corner) this.outline(context, size, this.drag.from, this.drag.corner);
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
    const unpainted = word === FREE && literal !== null;
    context.fillStyle = this.colours[COLOURS[meaning(word)]];
    if (unpainted && literal !== 0 && literal !== 1 && !first) context.fillStyle = this.colours["free-again"];
    context.fillRect(x * size + 1, y * size + 1, size - 1, size - 1);
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

  /** The cell under the pointer. @param {PointerEvent} event @returns {Place} */
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    /** @param {number} offset @param {number} count */
    const at = (offset, count) => Math.max(0, Math.min(count - 1, Math.floor(offset / this.size)));
    return [at(event.clientX - box.left, this.question.width), at(event.clientY - box.top, this.question.height)];
  }

  /** @param {PointerEvent} event */
  press(event) {
    this.canvas.focus();
    this.canvas.setPointerCapture(event.pointerId);
    const at = (this.cursor = this.place(event));
    this.question.checkpoint();
    // Painting a cell again with the same brush erases it, and so does the right button.
    const again = this.question.word(...at) === this.brush && !this.rectangles;
    const word = event.button === 2 || again ? this.question.blank(this.question.time) : this.brush;
    this.drag = { from: at, last: at, word, corner: this.rectangles ? at : null };
    if (!this.rectangles) this.question.paint([at], word);
    this.draw();
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (!this.drag) return;
    const at = this.place(event);
    if (this.drag.corner) this.drag.corner = at;
    else this.question.paint(line(this.drag.last, at), this.drag.word);
    this.drag.last = this.cursor = at;
    this.draw();
  }

  release() {
    if (!this.drag) return;
    if (this.drag.corner) this.question.paint(rectangle(this.drag.from, this.drag.corner), this.drag.word);
    this.drag = null;
    this.question.changed();
  }

  /** Handle a key while the canvas has the focus; returns whether it has a meaning. @param {KeyboardEvent} event */
  key(event) {
    const { question } = this;
    if (event.key in ARROWS) {
      const [dx, dy] = ARROWS[event.key];
      const [x, y] = this.cursor;
      this.cursor = [Math.max(0, Math.min(question.width - 1, x + dx)), Math.max(0, Math.min(question.height - 1, y + dy))];
      this.draw();
      return true;
    }
    const named = /^[01*a-z]$/.test(event.key) ? event.key : null;
    const word = event.key === " " ? this.brush : event.key === "?" ? ANY : named;
    if (word === null) return false;
    question.edit(() => question.paint([this.cursor], word));
    return true;
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
