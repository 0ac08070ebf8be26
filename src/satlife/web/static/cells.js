// Drawing cells on a canvas, for the player, the thumbnails and the editor.

/** A colour of the style sheet. @param {string} name */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** Decode a frame from base64: its cells, row by row. @param {string} text */
export const unpack = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** Set the resolution of a canvas to that of the screen; returns its context and its size in CSS pixels. @param {HTMLCanvasElement} canvas */
export function prepare(canvas) {
  const scale = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const context = contextOf(canvas);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return { context, width, height };
}

/** @param {HTMLCanvasElement} canvas */
export function contextOf(canvas) {
  const context = canvas.getContext("2d");
  if (!context) throw new TypeError("this browser cannot draw on a canvas");
  return context;
}

/**
 * The largest cell size, in whole pixels, with which all rows and columns fit.
 * @param {number} width
 * @param {number} height
 * @param {number} columns
 * @param {number} rows
 */
export const fit = (width, height, columns, rows) =>
  Math.max(1, Math.min(32, Math.floor(Math.min((width - 2) / columns, (height - 2) / rows))));

/**
 * Draw a frame in the middle of a canvas.
 * @param {HTMLCanvasElement} canvas
 * @param {Uint8Array} cells
 * @param {[number, number]} size columns and rows
 * @param {number | null} zoom pixels a cell; null for what fits
 */
export function drawFrame(canvas, cells, [columns, rows], zoom = null, states = 2) {
  const { context, width, height } = prepare(canvas);
  const size = zoom ?? fit(width, height, columns, rows);
  const left = Math.floor((width - columns * size) / 2);
  const top = Math.floor((height - rows * size) / 2);
  const [ink, dying] = [colour("ink"), colour("dying")];
  context.fillStyle = colour("paper");
  context.fillRect(0, 0, width, height);
  if (size >= 5) drawGrid(context, left, top, columns, rows, size);
  const gap = size >= 5 ? 1 : 0;
  for (let k = 0; k < cells.length; k++) {
    if (!cells[k]) continue;
    context.globalAlpha = cells[k] === 1 ? 1 : 1 - (cells[k] - 1) / states;
    context.fillStyle = cells[k] === 1 ? ink : dying;
    context.fillRect(left + (k % columns) * size + gap, top + Math.floor(k / columns) * size + gap, size - gap, size - gap);
  }
  context.globalAlpha = 1;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} left
 * @param {number} top
 * @param {number} columns
 * @param {number} rows
 * @param {number} size
 */
export function drawGrid(context, left, top, columns, rows, size) {
  context.fillStyle = colour("grid");
  for (let x = 0; x <= columns; x++) context.fillRect(left + x * size, top, 1, rows * size + 1);
  for (let y = 0; y <= rows; y++) context.fillRect(left, top + y * size, columns * size + 1, 1);
}
