// The toolbar of the editor: brushes, rectangles, undo and redo, the generation that is shown.

import { button, byId, element, input, pressed } from "./dom.js";
import { MARKS } from "./history.js";
import { ALIVE, ANY, DEAD, FREE } from "./words.js";

/**
 * Each brush: the word it paints (`name` for the one in the text field), its label, its class in the style sheet, its title.
 * @typedef {[word: string, label: string, look: string, title: string]} Brush
 */

/** @type {Brush[]} */
const BRUSHES = [
  [ALIVE, "Alive", "b1", "Alive: the cell lives in this generation (1)"], [DEAD, "Dead", "b0", "Dead: the cell does not live (0)"],
  [FREE, "Free", "b2", "Free: the search chooses (*)"],
  [ANY, "Any", "b4", "Any: the search chooses, and the cell need not follow from its past (?)"],
  ["name", "Same", "b3", "Same: cells with the same letter are equal (a letter)"],
];
/** The brushes for marks, the active pattern first. @type {Brush[]} */
const MARK_BRUSHES = [1, 2, 3, 0, 4, 5].map((key) => {
  const [mark, , label, meaning] = MARKS[key];
  return [mark, label, `m${key}`, `${label}: ${meaning} (${key})`];
});
const KEYS = "Arrow keys move, 1, 0, star, question mark and letters paint.";
const MARK_KEYS = `Arrow keys move; ${MARKS.map(([, , label], key) => `${key} paints ${label.toLowerCase()}`).join(", ")}.`;

export class Tools {
  /**
   * @param {import("./question.js").Question} question
   * @param {import("./board.js").Board} board
   * @param {import("./family.js").FamilyQuestion} family
   * @param {() => void} moved called when another generation is shown
   */
  constructor(question, board, family, moved) {
    this.question = question;
    this.board = board;
    this.moved = moved;
    this.marks = false; // whether the brushes are those for marks
    this.offer(BRUSHES);
    input("name").oninput = () => this.choose("name");
    pressed("rectangle", () => this.toggleRectangles());
    pressed("hand", () => {
      board.moves = !board.moves;
      byId("hand").setAttribute("aria-pressed", String(board.moves));
    });
    pressed("undo", () => question.undo());
    pressed("redo", () => question.redo());
    pressed("clear", () => question.edit(() => {
      if (question.kind.start || question.marked) question.clear();
      else family.send();
    }));
    pressed("before", () => this.moveTo(question.time - 1));
    pressed("after", () => this.moveTo(question.time + 1));
  }

  /** Offer the brushes of the question. */
  fill() {
    if (this.marks === this.question.marked) return;
    this.marks = this.question.marked;
    this.offer(this.marks ? MARK_BRUSHES : BRUSHES);
    this.board.canvas.setAttribute("aria-label", `The box. ${this.marks ? MARK_KEYS : KEYS}`);
  }

  /** @param {Brush[]} brushes */
  offer(brushes) {
    byId("brushes").replaceChildren(...brushes.map(([brush, label, look, title]) => {
      const choice = button("", () => this.choose(brush), title, { "data-brush": brush });
      choice.append(element("i", { class: look }), label);
      return choice;
    }));
    this.choose(brushes[0][0]);
  }

  /** @param {string} brush */
  choose(brush) {
    this.board.brush = brush === "name" ? input("name").value || "a" : brush;
    input("name").hidden = brush !== "name";
    for (const choice of byId("brushes").children) {
      choice.setAttribute("aria-pressed", String(choice.getAttribute("data-brush") === brush));
    }
  }

  toggleRectangles() {
    this.board.rectangles = !this.board.rectangles;
    byId("rectangle").setAttribute("aria-pressed", String(this.board.rectangles));
  }

  /** Show another generation, the first or last if there is no such one. @param {number} time */
  moveTo(time) {
    const { question } = this;
    question.time = Math.max(0, Math.min(question.last, time));
    this.moved();
  }
}
