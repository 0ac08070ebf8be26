// The chart of an atlas: all boxes up to the largest; a click on one that has an answer plays it.

import { element } from "./dom.js";
import { codeOf } from "./names.js";
import { svg } from "./plot.js";

/**
 * What is known of the boxes: their states by height and width, "" for what is none of the boxes.
 * @typedef {{states: string[][], words: string, parity: string}} Chart
 * @typedef {import("./player.js").Find} Find
 */

const SIDE = Math.min(480, Math.max(280, innerHeight - 340)); // of a chart
const [SMALLEST, LARGEST] = [16, 56]; // sides of a box
const EDGE = 22;
/** @type {Record<string, string>} */
const WORDS = { refuted: "none", minimal: "minimal", answer: "has one", undecided: "undecided" };

/**
 * The find of a box inside another one, perhaps turned; with a symmetry, both have the same middle.
 * @param {Find[]} finds
 * @param {number} width
 * @param {number} height
 */
function findIn(finds, width, height) {
  /** @param {Find} find @param {boolean} turned */
  const fits = ({ problem: { box = [], symmetry } }, turned) => {
    const [w, h] = (turned ? [box[1], box[0]] : box).map(Number);
    return w <= width && h <= height && (!symmetry || ((width - w) % 2 === 0 && (height - h) % 2 === 0));
  };
  return finds.find((find) => fits(find, false)) ?? finds.find((find) => fits(find, true));
}

/** What the colours of the boxes mean, for those states that there are. @param {string[][]} states */
export function legend(states) {
  const there = new Set(states.flat());
  const known = Object.entries(WORDS).filter(([state]) => there.has(state));
  return element("p", { class: "legend" }, known.map(([state, words]) =>
    element("span", {}, [svg("svg", { class: "atlas", width: 12, height: 12, "aria-hidden": "true" },
      [svg("rect", { class: `box ${state}`, x: 0.5, y: 0.5, width: 11, height: 11 })]), words])));
}

/**
 * Draw a chart: widths grow to the right, heights downward.
 * @param {Chart} chart
 * @param {Find[]} finds
 * @param {(find: Find) => void} show called with the find of a box
 */
export function drawChart({ states, words }, finds, show) {
  const most = Math.max(states.length, states[0]?.length ?? 0, 1);
  const cell = Math.max(SMALLEST, Math.min(LARGEST, Math.floor(SIDE / most)));
  const width = EDGE + cell * (states[0]?.length ?? 0);
  const height = EDGE + cell * states.length;
  const known = new Map(finds.map((find) => [find.problem.box?.join("x"), find]));
  const middle = (/** @type {number} */ k) => EDGE + cell * (k + 0.5);
  const marked = (/** @type {number} */ k) => k === 0 || (k + 1) % 5 === 0;
  const parts = [
    ...(states[0] ?? []).flatMap((_, k) => (marked(k) ? [svg("text", { class: "middle", x: middle(k), y: EDGE - 6 }, [`${k + 1}`])] : [])),
    ...states.flatMap((_, k) => (marked(k) ? [svg("text", { class: "end", x: EDGE - 5, y: middle(k) + 4 }, [`${k + 1}`])] : [])),
  ];
  states.forEach((row, y) => row.forEach((state, x) => {
    if (!state) return;
    const name = `${x + 1}x${y + 1}`;
    const find = known.get(name);
    const shown = find ?? (["minimal", "answer"].includes(state) ? findIn(finds, x + 1, y + 1) : undefined);
    const told = `${name}: ${WORDS[state]}${find ? `, ${codeOf(find) ?? find.kind}, ${find.population} cells` : ""}`;
    const box = svg("rect", { class: `box ${state}`, x: EDGE + cell * x, y: EDGE + cell * y, width: cell - 1, height: cell - 1, "data-box": name },
      [svg("title", {}, [told])]);
    if (shown) {
      box.classList.add("plays");
      box.onclick = () => show(shown);
    }
    if (find) {
      for (const [key, value] of Object.entries({ role: "button", tabindex: 0, "aria-label": `Play ${told}` })) box.setAttribute(key, String(value));
      box.onkeydown = (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Enter" || event.key === " ") show(find);
      };
    }
    parts.push(box);
  }));
  return svg("svg", { class: "plot atlas", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `Boxes: ${words}` }, parts);
}
