// The direction pad: eight arrows that turn a displacement, and show where it goes.

import { button, byId } from "./dom.js";
import { capitalised } from "./names.js";

/** The arrows, row by row; the middle is no direction. */
const ARROWS = ["↖", "↑", "↗", "←", "", "→", "↙", "↓", "↘"];
const NAMES = ["up and left", "up", "up and right", "left", "", "right", "down and left", "down", "down and right"];

/**
 * A displacement turned into a direction: along an axis it has the longer of its sides, and diagonally both, which are equal
 * unless it is oblique.
 * @param {number[]} displacement
 * @param {number[]} direction -1, 0 or 1 to the right, and down
 */
export function turned([dx, dy], [right, down]) {
  const longest = Math.max(Math.abs(dx), Math.abs(dy), 1);
  const oblique = dx && dy && right && down;
  return oblique ? [right * Math.abs(dx), down * Math.abs(dy)] : [right * longest, down * longest];
}

/**
 * A typed speed in the direction that the pad shows, if it can have it; one that is written with a sign stays.
 * @param {string} text
 * @param {number[]} typed
 * @param {number[]} shown
 */
export function directed(text, typed, shown) {
  const diagonal = (/** @type {number[]} */ [dx, dy]) => Boolean(dx && dy);
  if (/[+-]/.test(text) || !shown.some(Boolean) || diagonal(typed) !== diagonal(shown)) return typed;
  return turned(typed, shown.map(Math.sign));
}

export class Pad {
  /** @param {(direction: number[]) => void} turn called with the direction that was pressed */
  constructor(turn) {
    this.arrows = ARROWS.flatMap((arrow, k) => {
      const direction = [(k % 3) - 1, Math.floor(k / 3) - 1];
      return arrow ? [button(arrow, () => turn(direction), capitalised(NAMES[k]), { "data-direction": direction.join() })] : [];
    });
    byId("pad").append(...this.arrows);
  }

  /** Show where a displacement goes. @param {number[]} displacement */
  show(displacement) {
    const direction = displacement.map(Math.sign).join();
    for (const arrow of this.arrows) arrow.setAttribute("aria-pressed", String(arrow.dataset.direction === direction));
  }
}

