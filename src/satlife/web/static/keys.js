// The keyboard: keys go to the editor while its canvas has the focus, else to the player; some zoom in both.

import { byId, pressed } from "./dom.js";

/** Keys that are pressed with Ctrl. @type {Record<string, "undo" | "redo">} */
const HISTORY = { z: "undo", y: "redo" };
/** Keys that show another generation, and how many steps forward it is. @type {Record<string, number>} */
const GENERATION_KEYS = { ",": -1, ".": 1 };

/**
 * @param {import("./question.js").Question} question
 * @param {import("./board.js").Board} board
 * @param {import("./tools.js").Tools} tools
 * @param {import("./stage.js").Stage} stage
 */
export function listenToKeys(question, board, tools, stage) {
  /** @type {Record<string, () => void>} */
  const zoom = {
    "+": () => stage.view.step(1), "=": () => stage.view.step(1), "]": () => stage.view.step(1),
    "-": () => stage.view.step(-1), "[": () => stage.view.step(-1), F: () => stage.view.refit(),
  };

  /** Handle a key; returns whether it has a meaning here. @param {KeyboardEvent} event @param {Element} target */
  const handle = (event, target) => {
    if (byId("ask").hidden || stage.scene === "start") return false;
    const zooms = zoom[event.key] ?? (event.key === "f" && target !== board.canvas ? zoom.F : null);
    if (zooms) {
      zooms();
      return true;
    }
    if (target === board.canvas) {
      if (event.key in GENERATION_KEYS) tools.moveTo(question.time + GENERATION_KEYS[event.key]);
      else if (event.key === "B") tools.toggleRectangles();
      else return board.key(event);
      return true;
    }
    const presses = target.closest("button, a, summary") && [" ", "Enter"].includes(event.key);
    return !presses && stage.scene === "find" && stage.player.key(event);
  };
  document.onkeydown = (event) => {
    const target = /** @type {Element} */ (event.target);
    if (target.closest("input, textarea, select, dialog[open]")) return;
    if (event.ctrlKey || event.metaKey) {
      const step = HISTORY[event.key.toLowerCase()];
      if (!step) return;
      event.preventDefault();
      question[step]();
    } else if (!event.altKey && handle(event, target)) event.preventDefault();
  };
  pressed("keys-button", () => byId("keys", HTMLDialogElement).showModal());
}
