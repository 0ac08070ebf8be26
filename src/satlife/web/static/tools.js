// The toolbar of the editor: brushes, rectangles, undo and redo, the generation that is shown.

import { button, byId, element, input, pressed } from "./dom.js";
import { ALIVE, ANY, DEAD, FREE } from "./words.js";

/** Each brush: the word it paints (`name` for the one in the text field), its label, its colour class in the style sheet. */
const BRUSHES = [[ALIVE, "Alive", 1], [DEAD, "Dead", 0], [FREE, "Free", 2], [ANY, "Any", 4], ["name", "Same", 3]];

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
    for (const [brush, words, number] of BRUSHES) {
      const title = `${words} (${brush === ANY ? "?" : brush})`;
      const choice = button("", () => this.choose(String(brush)), title, { "data-brush": brush });
      choice.append(element("i", { class: `b${number}` }), String(words));
      byId("brushes").append(choice);
    }
    input("name").oninput = () => this.choose("name");
    this.choose(ALIVE);
    pressed("rectangle", () => this.toggleRectangles());
    pressed("hand", () => {
      board.moves = !board.moves;
      byId("hand").setAttribute("aria-pressed", String(board.moves));
    });
    pressed("undo", () => question.undo());
    pressed("redo", () => question.redo());
    pressed("clear", () => question.edit(() => {
      if (question.kind.start) question.clear();
      else family.send();
    }));
    pressed("before", () => this.moveTo(question.time - 1));
    pressed("after", () => this.moveTo(question.time + 1));
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
