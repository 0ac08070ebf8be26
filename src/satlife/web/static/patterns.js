// Pasting patterns into the editor and exporting them, in any format.

import { post } from "./api.js";
import { area, byId, copy, input, pressed, select } from "./dom.js";
import { ANY, DEAD, FREE } from "./words.js";

const UNKNOWN = -1; // a `?` cell

/**
 * Put a pattern into the generation that is shown; the box grows if necessary.
 * @param {import("./question.js").Question} question
 * @param {string} text
 */
async function insert(question, text) {
  /** @type {{cells: number[][], rule: string | null}} */
  const { cells, rule } = await post("pattern", { rle: text });
  const [tall, wide] = [cells.length, cells[0]?.length ?? 0];
  const rim = 2 * (question.kind.rim ?? 0);
  question.edit(() => {
    if (rule) question.set("rule", rule);
    question.setSize(Math.max(question.width, wide + rim), Math.max(question.height, tall + rim));
    question.cells[question.time] = undefined;
    if (question.atTarget) question.clear();
    const dead = question.blank(question.time) === FREE ? FREE : DEAD;
    const [left, top] = [Math.floor((question.width - wide) / 2), Math.floor((question.height - tall) / 2)];
    const words = new Map([[0, dead], [UNKNOWN, ANY]]);
    cells.forEach((row, y) => row.forEach((state, x) =>
      question.paint([[left + x, top + y]], words.get(state) ?? String(state))));
  });
}

/**
 * Set up the dialogs for pasting and exporting.
 * @param {import("./question.js").Question} question
 * @param {(error: unknown) => void} refuse
 */
export function offerPatterns(question, refuse) {
  const paste = byId("paste-dialog", HTMLDialogElement);
  pressed("paste", () => {
    byId("paste-error").textContent = "";
    paste.showModal();
  });
  input("paste-file").onchange = async () => {
    area("paste-text").value = (await input("paste-file").files?.[0]?.text()) ?? "";
  };
  pressed("paste-ok", () => insert(question, area("paste-text").value).then(
    () => paste.close(),
    (error) => { byId("paste-error").textContent = error.message; },
  ));

  const write = async () => {
    area("export-text").value = (await post("pattern", { rle: question.rle(), to: select("export-kind").value })).text;
  };
  pressed("export", () => write().then(() => byId("export-dialog", HTMLDialogElement).showModal(), refuse));
  select("export-kind").onchange = () => write().catch(refuse);
  pressed("export-copy", () => copy(area("export-text").value));
}
