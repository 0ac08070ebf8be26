// Drawing cells on a canvas, for the player, the thumbnails and the editor, in the colours of the style sheet.

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
 * The colours of the states of a rule: dead, alive, and the dying ones, which fade.
 * @param {number} states
 */
export function stateColours(states) {
  const [paper, ink, dying] = ["paper", "ink", "dying"].map(colour);
  return [paper, ink, ...Array.from({ length: Math.max(states - 2, 0) }, (_, k) => mixed(dying, paper, (k + 1) / states))];
}

/** The colours of ages 0 to `oldest`, from the young to the old. @param {number} oldest */
export function ageColours(oldest) {
  const [paper, young, middle, old] = ["paper", "young", "grown", "old"].map(colour);
  const shade = (/** @type {number} */ part) => (part < 0.5 ? mixed(young, middle, 2 * part) : mixed(middle, old, 2 * part - 1));
  return [paper, ...Array.from({ length: oldest }, (_, k) => shade(k / (oldest - 1)))];
}

/** A mixture of two colours, both written as #rrggbb. @param {string} from @param {string} to @param {number} part of the second */
function mixed(from, to, part) {
  const channels = [1, 3, 5].map((k) => {
    const [a, b] = [from, to].map((text) => parseInt(text.slice(k, k + 2), 16));
    return Math.round(a + (b - a) * part).toString(16).padStart(2, "0");
  });
  return `#${channels.join("")}`;
}

export const UNKNOWN = 255; // in place of a state: a partial answer does not decide the cell

/**
 * Draw cells in the colours of their values; those of value 0 are the paper, and unknown ones are hatched.
 * @param {CanvasRenderingContext2D} context
 * @param {Uint8Array} cells
 * @param {number} columns
 * @param {{left: number, top: number, size: number}} view
 * @param {string[]} colours
 */
export function drawCells(context, cells, columns, { left, top, size }, colours) {
  const gap = size >= 5 ? 1 : 0;
  for (let k = 0; k < cells.length; k++) {
    if (!cells[k]) continue;
    const [x, y] = [left + (k % columns) * size + gap, top + Math.floor(k / columns) * size + gap];
    context.fillStyle = cells[k] === UNKNOWN ? colour("any") : colours[Math.min(cells[k], colours.length - 1)];
    context.fillRect(x, y, size - gap, size - gap);
    if (cells[k] === UNKNOWN && size >= 8) hatch(context, x, y, size - gap);
  }
}

/** A diagonal stroke through an unknown cell. @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {number} side */
function hatch(context, x, y, side) {
  context.strokeStyle = colour("paper");
  context.beginPath();
  context.moveTo(x, y + side);
  context.lineTo(x + side, y);
  context.stroke();
}

/**
 * Draw a thumbnail: a frame in the middle of a canvas, as large as it fits.
 * @param {HTMLCanvasElement} canvas
 * @param {Uint8Array} cells
 * @param {[number, number]} size columns and rows
 */
export function drawFrame(canvas, cells, [columns, rows], states = 2) {
  const { context, width, height } = prepare(canvas);
  const size = fit(width, height, columns, rows);
  const left = Math.floor((width - columns * size) / 2);
  const top = Math.floor((height - rows * size) / 2);
  context.fillStyle = colour("paper");
  context.fillRect(0, 0, width, height);
  if (size >= 5) drawGrid(context, left, top, columns, rows, size, "plane");
  drawCells(context, cells, columns, { left, top, size }, stateColours(states));
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} left
 * @param {number} top
 * @param {number} columns
 * @param {number} rows
 * @param {number} size
 */
export function drawGrid(context, left, top, columns, rows, size, name = "grid") {
  context.fillStyle = colour(name);
  for (let x = 0; x <= columns; x++) context.fillRect(left + x * size, top, 1, rows * size + 1);
  for (let y = 0; y <= rows; y++) context.fillRect(left, top + y * size, columns * size + 1, 1);
}

/**
 * The grid of the whole plane.
 * @param {CanvasRenderingContext2D} context
 * @param {number} width
 * @param {number} height
 * @param {{left: number, top: number, size: number}} view
 */
export function drawPlane(context, width, height, { left, top, size }) {
  context.fillStyle = colour("paper");
  context.fillRect(0, 0, width, height);
  if (size < 5) return;
  const [x, y] = [left, top].map((edge) => edge - Math.ceil(edge / size) * size);
  drawGrid(context, x, y, Math.ceil(width / size) + 1, Math.ceil(height / size) + 1, size, "plane");
}
