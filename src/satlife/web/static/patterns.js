// Pasting patterns into the editor and exporting them, in any format.

import { post } from "./api.js";
import { area, byId, copy, input, pressed, select } from "./dom.js";
import { ANY, DEAD, FREE } from "./words.js";

const UNKNOWN = -1; // a `?` cell

/**
 * Put a pattern into the generation that is shown, where it says that it lies, else in the middle; the box grows if
 * necessary.  Its live and dead cells are known, unless dead ones are to be free, and its `?` cells are free.
 * @param {import("./question.js").Question} question
 * @param {string} text
 * @param {boolean} freeDead
 */
async function insert(question, text, freeDead = false) {
  /** @type {{cells: number[][], rule: string | null, at: [number, number] | null}} */
  const { cells, rule, at } = await post("pattern", { rle: text });
  const [tall, wide] = [cells.length, cells[0]?.length ?? 0];
  const rim = 2 * (question.kind.rim ?? 0);
  question.edit(() => {
    if (rule) question.set("rule", rule);
    question.setSize(Math.max(question.width, wide + rim), Math.max(question.height, tall + rim));
    question.cells[question.time] = undefined;
    if (question.atTarget) question.clear();
    const fits = at && at[0] >= 0 && at[1] >= 0 && at[0] + wide <= question.width && at[1] + tall <= question.height;
    const [left, top] = fits ? at : [Math.floor((question.width - wide) / 2), Math.floor((question.height - tall) / 2)];
    const words = new Map(question.atTarget ? [[0, DEAD], [UNKNOWN, ANY]] : [[0, freeDead ? FREE : DEAD], [UNKNOWN, FREE]]);
    cells.forEach((row, y) => row.forEach((state, x) =>
      question.paint([[left + x, top + y]], words.get(state) ?? String(state))));
  });
}

/**
 * Set up the dialogs for pasting and exporting.
 * @param {import("./question.js").Question} question
 * @param {import("./family.js").FamilyQuestion} family
 * @param {(error: unknown) => void} complain
 */
export function offerPatterns(question, family, complain) {
  /** @param {string} text @param {boolean} [freeDead] */
  const use = (text, freeDead) => (question.marked ? family.paste(text) : insert(question, text, freeDead));
  const paste = byId("paste-dialog", HTMLDialogElement);
  pressed("paste", () => {
    byId("paste-error").textContent = "";
    paste.showModal();
  });
  input("paste-file").onchange = async () => {
    area("paste-text").value = (await input("paste-file").files?.[0]?.text()) ?? "";
  };
  pressed("paste-ok", () => use(area("paste-text").value, input("paste-free").checked).then(
    () => paste.close(),
    (error) => { byId("paste-error").textContent = error.message; },
  ));
  document.onpaste = (event) => {
    const elsewhere = /** @type {Element} */ (event.target).closest?.("input, textarea, select, dialog[open]");
    if (elsewhere || byId("ask").hidden || question.open) return;
    event.preventDefault();
    use(event.clipboardData?.getData("text") ?? "").catch(complain);
  };

  const write = async () => {
    const to = select("export-kind").value;
    area("export-text").value = question.marked && to === "rle"
      ? question.history() : (await post("pattern", { rle: question.rle(), to })).text;
  };
  pressed("export", () => write().then(() => byId("export-dialog", HTMLDialogElement).showModal(), complain));
  select("export-kind").onchange = () => write().catch(complain);
  pressed("export-copy", () => copy(area("export-text").value));
}
