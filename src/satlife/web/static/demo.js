// The find that plays on the first view: a formation of ships that flies across the plane, again and again.

import { OLDEST, agesOf } from "./ages.js";
import { ageColours, drawCells, drawPlane, prepare, unpack } from "./cells.js";
import { byId, pressed, setText } from "./dom.js";

/** @typedef {import("./player.js").Frames & {camera: [number, number][], words: string}} Film */

const SIZE = 9; // pixels a cell
const GAP = 7; // cells between two ships
const INTERVAL = 180; // milliseconds a generation

export class Demo {
  constructor() {
    this.canvas = byId("demo", HTMLCanvasElement);
    /** @type {Film | null} */
    this.film = null;
    /** @type {Uint8Array[]} */
    this.ages = [];
    this.now = 0;
    this.paused = matchMedia("(prefers-reduced-motion: reduce)").matches;
    pressed("demo-pause", () => this.pause(!this.paused));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    setInterval(() => this.step(), INTERVAL);
  }

  /** @param {Film} film */
  load(film) {
    this.film = film;
    this.ages = agesOf(film.frames.map(unpack), film.size, film.camera, true);
    setText("demo-words", film.words);
    this.pause(this.paused);
    this.draw();
  }

  /** @param {boolean} paused */
  pause(paused) {
    this.paused = paused;
    setText("demo-pause", paused ? "Play" : "Pause");
  }

  step() {
    if (this.paused || !this.film || !this.canvas.clientWidth || document.hidden) return;
    this.now += 1;
    this.draw();
  }

  /** Ships side by side, every other one a little behind; what leaves the picture on one side comes back on the other. */
  draw() {
    const { film, ages, now } = this;
    if (!film || !this.canvas.clientWidth) return;
    const { context, width, height } = prepare(this.canvas);
    drawPlane(context, width, height, { left: 0, top: 0, size: SIZE });
    const [columns, rows] = film.size;
    const [laps, phase] = [Math.floor(now / ages.length), now % ages.length];
    const [endX, endY] = film.camera[ages.length] ?? [0, 0];
    const [x, y] = [laps * endX + film.camera[phase][0], laps * endY + film.camera[phase][1]];
    const around = Math.ceil(height / SIZE) + rows + 2;
    const count = Math.max(1, Math.floor((width / SIZE + GAP) / (columns + GAP)));
    const margin = Math.floor((width / SIZE - count * columns - (count - 1) * GAP) / 2);
    for (let k = 0; k < count; k++) {
      const down = Math.floor(around / 2) + (k % 2 ? rows + 3 : 0) + y;
      const top = (((down % around) + around) % around) - rows;
      drawCells(context, ages[phase], columns, { left: (margin + k * (columns + GAP) + x) * SIZE, top: top * SIZE, size: SIZE }, ageColours(OLDEST));
    }
  }
}
