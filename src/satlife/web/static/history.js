// LifeHistory: the marks with which hunters of catalysts say what is active, what is given and what is unknown.

import { ALIVE, DEAD, FREE } from "./words.js";

export const ACTIVE = "A";
export const UNKNOWN = "B";
export const GIVEN = "C";

/**
 * Each mark: what it says of generation 0, its label, and what it means.  Its place in the list is the state in
 * LifeHistory, and the key that paints it.
 * @type {[mark: string, word: string, label: string, meaning: string][]}
 */
export const MARKS = [
  [".", DEAD, "Empty", "neither active nor in the catalyst"],
  [ACTIVE, ALIVE, "Active", "alive, and not in the catalyst"],
  [UNKNOWN, FREE, "Unknown", "where the catalyst may lie"],
  [GIVEN, ALIVE, "Catalyst", "in the catalyst"],
  ["D", DEAD, "Missing", "in the catalyst, and at first dead"],
  ["E", ALIVE, "Untouched", "in the catalyst, and never disturbed"],
];

const WORDS = new Map(MARKS.map(([mark, word]) => [mark, word]));

/** What a mark says of generation 0. @param {string} mark */
export const wordOf = (mark) => WORDS.get(mark) ?? FREE;

/** The marks of a board as a pattern in LifeHistory. @param {string[][]} rows */
export const historyOf = (rows) =>
  `x = ${rows[0]?.length ?? 0}, y = ${rows.length}, rule = LifeHistory\n${rows.map((row) => row.join("")).join("$\n")}!\n`;

/**
 * Draw a mark, recognisable without its colour: an active cell has a hole, a missing one is a frame, and one that is never
 * disturbed is crossed.
 * @param {CanvasRenderingContext2D} context
 * @param {string} mark
 * @param {number} left
 * @param {number} top
 * @param {number} side
 * @param {Record<string, string>} colours of the style sheet
 */
export function drawMark(context, mark, left, top, side, { paper, ink, free, young }) {
  const [right, bottom, thin] = [left + side, top + side, Math.max(1, Math.round(side / 8))];
  context.fillStyle = { A: young, B: free, C: ink, E: ink }[mark] ?? paper;
  context.fillRect(left, top, side, side);
  context.fillStyle = paper;
  context.lineWidth = thin;
  context.beginPath();
  if (mark === ACTIVE) {
    context.arc(left + side / 2, top + side / 2, side / 5, 0, 2 * Math.PI);
    context.fill();
  } else if (mark === "D") {
    context.strokeStyle = ink;
    context.strokeRect(left + thin, top + thin, side - 2 * thin, side - 2 * thin);
  } else if (mark === "E") {
    context.strokeStyle = paper;
    context.moveTo(left, top);
    context.lineTo(right, bottom);
    context.moveTo(right, top);
    context.lineTo(left, bottom);
    context.stroke();
  }
}
