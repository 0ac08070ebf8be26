// The part of the plane that a canvas shows: zoomed with the wheel, two fingers or keys, moved by dragging.

import { prepare } from "./cells.js";

const [SMALLEST, LARGEST] = [1, 120]; // pixels a cell; what does not fit otherwise may be smaller
const TINIEST = 0.01;
const LARGEST_FITTED = 56;
const MARGIN = 8; // pixels around what is fitted
const KEY_FACTOR = 1.25; // of a key or button
const WHEEL_FACTOR = 1.0016; // of a pixel of the wheel
const PINCH_FACTOR = 1.01; // of a pixel of a pinch on a touchpad, which arrives as a wheel with Ctrl
const KEPT = 32; // pixels of the cells that stay in view

/**
 * What a drag with one pointer does instead of moving the view.
 * @typedef {object} Tool
 * @property {(event: PointerEvent) => boolean} takes whether the tool is for this pointer; else it moves the view
 * @property {(event: PointerEvent) => void} press
 * @property {(event: PointerEvent) => void} move
 * @property {() => void} release
 * @property {() => void} cancel the drag has become a pinch
 */

/** @param {number} value @param {number} least @param {number} most */
const clamp = (value, least, most) => Math.max(least, Math.min(most, value));

export class Viewport {
  /** @param {HTMLCanvasElement} canvas @param {() => void} draw @param {Tool | null} tool */
  constructor(canvas, draw, tool = null) {
    this.canvas = canvas;
    this.draw = draw;
    this.tool = tool;
    this.columns = this.rows = 1; // of what is shown
    this.zoom = 1; // pixels a cell; `size` is what is drawn
    this.left = this.top = 0; // of cell (0, 0), in pixels of the canvas
    this.fitted = true; // until the user zooms or moves
    /** @type {Map<number, [number, number]>} where the pointers are that are down */
    this.pointers = new Map();
    /** @type {"move" | "tool" | null} what the pointer does */
    this.drag = null;
    canvas.onpointerdown = (event) => this.press(event);
    canvas.onpointermove = (event) => this.follow(event);
    canvas.onpointerup = canvas.onpointercancel = (event) => this.release(event);
    canvas.oncontextmenu = (event) => event.preventDefault();
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    new ResizeObserver(() => {
      if (this.fitted) this.fit();
      this.draw();
    }).observe(canvas);
  }

  /** Pixels a cell, whole ones unless cells are tiny, so that the grid stays sharp. */
  get size() { return this.zoom >= 4 ? Math.round(this.zoom) : this.zoom; }

  /** Show a number of columns and rows; if it changes, they are fitted. @param {number} columns @param {number} rows */
  show(columns, rows) {
    if (this.columns === columns && this.rows === rows) return;
    this.columns = columns;
    this.rows = rows;
    this.fit();
  }

  /** The zoom at which all cells are in view. */
  get fitting() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const zoom = Math.min((width - 2 * MARGIN) / this.columns, (height - 2 * MARGIN) / this.rows);
    return Math.max(zoom >= 4 ? Math.floor(zoom) : zoom, TINIEST);
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.zoom = Math.min(this.fitting, LARGEST_FITTED);
    this.left = Math.floor((width - this.columns * this.size) / 2);
    this.top = Math.floor((height - this.rows * this.size) / 2);
    this.fitted = true;
  }

  /** Prepare the canvas for drawing; returns its context and its size in CSS pixels. */
  prepare() {
    Object.assign(this.canvas.dataset, { left: String(this.left), top: String(this.top), size: String(this.size) });
    return prepare(this.canvas);
  }

  /** The cell under a pointer, which may lie outside of what is shown. @param {PointerEvent} event @returns {[number, number]} */
  cell(event) {
    const [x, y] = this.point(event);
    return [Math.floor((x - this.left) / this.size), Math.floor((y - this.top) / this.size)];
  }

  /** @param {MouseEvent} event @returns {[number, number]} */
  point(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** One step larger or smaller, about the middle. @param {1 | -1} step */
  step(step) {
    const zoom = step > 0 ? Math.ceil(this.size * KEY_FACTOR) : Math.floor(this.size / KEY_FACTOR);
    this.zoomTo(zoom, this.canvas.clientWidth / 2, this.canvas.clientHeight / 2);
  }

  /** Another zoom, at which the point (x, y) of the canvas shows the same cell. @param {number} zoom @param {number} x @param {number} y */
  zoomTo(zoom, x, y) {
    const before = this.size;
    this.zoom = clamp(zoom, Math.min(SMALLEST, this.fitting), LARGEST);
    const factor = this.size / before;
    this.moveTo(x - (x - this.left) * factor, y - (y - this.top) * factor);
  }

  /** @param {number} dx @param {number} dy pixels */
  pan(dx, dy) { this.moveTo(this.left + dx, this.top + dy); }

  /** @param {number} left @param {number} top */
  moveTo(left, top) {
    const { clientWidth, clientHeight } = this.canvas;
    this.left = Math.round(clamp(left, KEPT - this.columns * this.size, clientWidth - KEPT));
    this.top = Math.round(clamp(top, KEPT - this.rows * this.size, clientHeight - KEPT));
    this.fitted = false;
    this.draw();
  }

  refit() {
    this.fit();
    this.draw();
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1);
    this.zoomTo(this.zoom * (event.ctrlKey ? PINCH_FACTOR : WHEEL_FACTOR) ** -pixels, ...this.point(event));
  }

  /** @param {PointerEvent} event */
  press(event) {
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, this.point(event));
    if (this.pointers.size > 1) {
      if (this.drag === "tool") this.tool?.cancel();
      this.drag = "move";
    } else if (this.tool && event.button !== 1 && this.tool.takes(event)) {
      this.drag = "tool";
      this.tool.press(event);
    } else this.drag = "move";
  }

  /** @param {PointerEvent} event */
  follow(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    if (this.drag === "tool") return this.tool?.move(event);
    const now = this.point(event);
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.pointers.set(event.pointerId, now);
    if (other) {
      const distance = (/** @type {[number, number]} */ at) => Math.hypot(at[0] - other[0], at[1] - other[1]);
      this.zoomTo((this.zoom * distance(now)) / Math.max(distance(before), 1), other[0], other[1]);
    } else this.pan(now[0] - before[0], now[1] - before[1]);
  }

  /** @param {PointerEvent} event */
  release(event) {
    this.pointers.delete(event.pointerId);
    if (this.drag === "tool") this.tool?.release();
    this.drag = this.pointers.size ? "move" : null;
  }
}
