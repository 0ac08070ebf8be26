// The keys of the page: those of the editor while the box has the focus, else those of the player.

import { byId, pressed } from "./dom.js";

/** With Ctrl. @type {Record<string, "undo" | "redo">} */
const STEPS = { z: "undo", y: "redo" };
/** Generations forward. @type {Record<string, number>} */
const TURNS = { ",": -1, ".": 1 };

/**
 * @param {import("./question.js").Question} question
 * @param {import("./board.js").Board} board
 * @param {import("./tools.js").Tools} tools
 * @param {import("./player.js").Player} player
 */
export function listenToKeys(question, board, tools, player) {
  /** Whether a key was used. @param {KeyboardEvent} event @param {Element} target */
  const used = (event, target) => {
    if (target === board.canvas) {
      if (event.key in TURNS) tools.turn(TURNS[event.key]);
      else if (event.key === "B") tools.toggleRectangles();
      else return board.key(event);
      return true;
    }
    const presses = target.closest("button, a, summary, [tabindex]") && [" ", "Enter"].includes(event.key);
    return !presses && !byId("ask").hidden && player.key(event);
  };
  document.onkeydown = (event) => {
    const target = /** @type {Element} */ (event.target);
    if (target.closest("input, textarea, select, dialog[open]")) return;
    if (event.ctrlKey || event.metaKey) {
      const step = STEPS[event.key.toLowerCase()];
      if (!step) return;
      event.preventDefault();
      question[step]();
    } else if (!event.altKey && used(event, target)) event.preventDefault();
  };
  pressed("keys-button", () => byId("keys", HTMLDialogElement).showModal());
}
