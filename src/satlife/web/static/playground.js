// The first board: a plane of Life that one draws on, and that plays.  A drawing is kept while it plays: the next touch
// goes back to it, so that it grows cell by cell.

import { OLDEST } from "./ages.js";
import { ageColours, drawPlane } from "./cells.js";
import { allow, byId, pressed, setText } from "./dom.js";
import { Viewport } from "./viewport.js";

/** @typedef {[number, number]} Place */

const COLUMNS = 36; // that are in sight at first
const ROWS = 20;
const INTERVAL = 120; // milliseconds a generation
const PAUSE = 900; // milliseconds after a stroke until it plays
const MOST = 20_000; // live cells; with more it stops
const SPAN = 1 << 20; // a cell is known by one number: its row times this, and its column
const STORAGE_KEY = "satlife-drawing"; // of this tab, for a reload
/** What is on the board before the first touch, and lives for 1103 generations. @type {Place[]} */
const FIRST = [[18, 9], [19, 9], [17, 10], [18, 10], [18, 11]];
/** @type {Record<string, Place>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @param {Place} place */
export const keyOf = ([x, y]) => y * SPAN + x + SPAN / 2;

/** @param {number} key @returns {Place} */
export const placeOf = (key) => {
  const y = Math.floor(key / SPAN);
  return [key - y * SPAN - SPAN / 2, y];
};

/** The next generation in Life: the live cells with their ages. @param {Map<number, number>} live */
export function next(live) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const key of live.keys()) {
    for (const row of [-SPAN, 0, SPAN]) {
      for (const column of [-1, 0, 1]) if (row || column) counts.set(key + row + column, (counts.get(key + row + column) ?? 0) + 1);
    }
  }
  /** @type {Map<number, number>} */
  const out = new Map();
  for (const [key, count] of counts) {
    const age = live.get(key) ?? 0;
    if (count === 3 || (count === 2 && age)) out.set(key, Math.min(age + 1, OLDEST));
  }
  return out;
}

export class Playground {
  constructor() {
    this.canvas = byId("playground", HTMLCanvasElement);
    /** @type {Set<number>} what was drawn */
    this.drawing = new Set(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null") ?? FIRST.map(keyOf));
    /** @type {Map<number, number>} what has become of it: live cells with their ages */
    this.live = new Map();
    this.generation = 0;
    this.touched = sessionStorage.getItem(STORAGE_KEY) !== null;
    this.paints = true; // whether the stroke paints; else it erases
    /** @type {Place | null} where the keyboard draws */
    this.cursor = null;
    /** @type {Place} */
    this.last = [0, 0];
    /** @type {number | undefined} */
    this.timer = undefined;
    this.playing = false;
    this.view = new Viewport(this.canvas, () => this.draw(), {
      takes: () => true, press: (event) => this.press(event), move: (event) => this.move(event),
      release: () => this.release(), cancel: () => this.release(),
    });
    this.view.show(COLUMNS, ROWS);
    this.canvas.onkeydown = (event) => this.key(event);
    pressed("playground-play", () => (this.playing ? this.pause() : this.play()));
    pressed("playground-back", () => this.rewind());
    pressed("playground-clear", () => {
      this.begin();
      this.drawing.clear();
      this.rewind();
    });
    this.rewind();
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.play();
  }

  /** The drawing in its box: its columns, rows, and live cells. */
  get drawn() {
    const cells = [...this.drawing].map(placeOf);
    const [left, right] = [Math.min(...cells.map(([x]) => x)), Math.max(...cells.map(([x]) => x))];
    const [top, bottom] = [Math.min(...cells.map(([, y]) => y)), Math.max(...cells.map(([, y]) => y))];
    const places = cells.map(([x, y]) => /** @type {Place} */ ([x - left, y - top]));
    return { width: right - left + 1, height: bottom - top + 1, places };
  }

  /** The drawing as RLE. */
  get rle() {
    const { width, height, places } = this.drawn;
    let [text, column, row] = ["", 0, 0];
    for (const [x, y] of places.sort(([x, y], [u, v]) => y - v || x - u)) {
      if (y > row) [text, column, row] = [`${text}${y - row}$`, 0, y];
      if (x > column) text += `${x - column}b`;
      text += "o";
      column = x + 1;
    }
    return `x = ${width}, y = ${height}, rule = B3/S23\n${text}!`;
  }

  /** Somebody draws: the pattern that was there at first makes room, and what plays goes back to the drawing. */
  begin() {
    if (!this.touched) this.drawing.clear();
    this.touched = true;
    setText("fate", "");
    this.rewind();
  }

  /** @param {PointerEvent} event */
  press(event) {
    this.begin();
    this.last = this.view.cell(event);
    this.paints = event.button !== 2 && !this.drawing.has(keyOf(this.last));
    this.mark([this.last]);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const [x, y] = this.view.cell(event);
    const [fromX, fromY] = this.last;
    const steps = Math.max(Math.abs(x - fromX), Math.abs(y - fromY), 1);
    this.mark(Array.from({ length: steps + 1 }, (_, k) =>
      [Math.round(fromX + ((x - fromX) * k) / steps), Math.round(fromY + ((y - fromY) * k) / steps)]));
    this.last = [x, y];
  }

  /** It plays, as soon as nobody draws any more. */
  release() {
    clearTimeout(this.timer);
    if (this.drawing.size) this.timer = setTimeout(() => this.play(), PAUSE);
  }

  /** @param {Place[]} places */
  mark(places) {
    for (const place of places) {
      if (this.paints) this.drawing.add(keyOf(place));
      else this.drawing.delete(keyOf(place));
    }
    this.rewind();
  }

  /** Back to the drawing. */
  rewind() {
    this.pause();
    this.live = new Map([...this.drawing].map((key) => [key, 1]));
    if (this.touched) sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...this.drawing]));
    this.generation = 0;
    for (const id of ["ask-past", "ask-fate", "ask-whole", "playground-play"]) allow(id, this.drawing.size > 0);
    this.draw();
  }

  play() {
    this.pause();
    this.playing = true;
    setText("playground-play", "❚❚ Pause");
    this.timer = setInterval(() => this.step(), INTERVAL);
  }

  pause() {
    clearInterval(this.timer);
    this.playing = false;
    setText("playground-play", "▶ Play");
  }

  step() {
    if (!this.canvas.clientWidth || document.hidden) return;
    this.live = next(this.live);
    this.generation += 1;
    if (!this.live.size || this.live.size > MOST) this.pause();
    this.draw();
  }

  draw() {
    if (!this.canvas.clientWidth) return;
    const { context, width, height } = this.view.prepare();
    const { left, top, size } = this.view;
    drawPlane(context, width, height, this.view);
    const colours = ageColours(OLDEST);
    const gap = size >= 5 ? 1 : 0;
    for (const [key, age] of this.live) {
      const [x, y] = placeOf(key);
      const [px, py] = [left + x * size, top + y * size];
      if (px < -size || py < -size || px > width || py > height) continue;
      context.fillStyle = colours[age];
      context.fillRect(px + gap, py + gap, size - gap, size - gap);
    }
    if (this.cursor && document.activeElement === this.canvas) {
      context.strokeStyle = colours[1];
      context.lineWidth = 2;
      context.strokeRect(left + this.cursor[0] * size + 1, top + this.cursor[1] * size + 1, size - 1, size - 1);
    }
    const end = this.generation && !this.live.size ? ": nothing is left" : "";
    setText("playground-generation", this.touched || this.generation ? `generation ${this.generation}${end}` : "");
  }

  /** Arrows move a cursor, and Space draws at it. @param {KeyboardEvent} event */
  key(event) {
    const step = ARROWS[event.key];
    if (!step && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    const [x, y] = this.cursor ?? [Math.floor(COLUMNS / 2), Math.floor(ROWS / 2)];
    if (step) {
      this.cursor = this.cursor ? [x + step[0], y + step[1]] : [x, y];
      return this.draw();
    }
    this.cursor = [x, y];
    this.begin();
    this.paints = !this.drawing.has(keyOf(this.cursor));
    this.mark([this.cursor]);
    this.release();
  }
}
