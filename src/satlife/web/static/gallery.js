// The gallery: worked examples, each with a button that runs it.

import { get } from "./api.js";
import { showClauses } from "./clauses.js";
import { button, byId, element } from "./dom.js";

/**
 * @typedef {object} Example
 * @property {string} title
 * @property {string} words
 * @property {import("./question.js").Problem} problem
 * @property {string} do
 * @property {boolean} [certified]
 * @property {import("./clauses.js").Call} [knuth] the program by Knuth that asks the same question
 */

/** @param {(example: Example, now: boolean) => void} run loads an example, and searches at once if `now` */
export async function showGallery(run) {
  const place = byId("examples");
  if (place.childElementCount) return;
  /** @type {Example[]} */
  const examples = await get("gallery");
  for (const example of examples) {
    const { title, words, knuth } = example;
    const buttons = element("div", { class: "row" }, [button("Run", () => run(example, true), "", { class: "main" })]);
    buttons.append(button("Open", () => run(example, false)));
    if (knuth) buttons.append(button("Clauses", () => showClauses(knuth)));
    const call = knuth ? [element("code", {}, [`${knuth.program} ${knuth.arguments.join(" ")}`])] : [];
    place.append(element("li", {}, [element("h3", {}, [title]), element("p", {}, [words]), ...call, buttons]));
  }
}
