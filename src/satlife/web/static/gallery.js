// The gallery: worked examples as thumbnails that move under the pointer, each with a button that runs it.

import { get } from "./api.js";
import { showClauses } from "./clauses.js";
import { button, byId, element } from "./dom.js";

/**
 * @typedef {object} Example
 * @property {string} title
 * @property {string} words
 * @property {import("./question.js").Problem} problem
 * @property {import("./names.js").Goal} goal
 * @property {string} thumbnail SVG
 * @property {boolean} [certified]
 * @property {boolean} [template] whether it is meant to be changed before it is searched
 * @property {import("./clauses.js").Call} [knuth] the program by Knuth that asks the same question
 *
 * @typedef {(example: Example, now: boolean) => void} Run loads an example, and searches at once if `now`
 */

const INVITATIONS = ["The glider", "An oscillator of period 3", "A spaceship at a third of the speed of light", "An eater",
  "The densest still life", "There is none"]; // and all templates

/** @type {Promise<Example[]> | null} */
let loading = null;
const load = () => (loading ??= get("gallery").catch((error) => {
  loading = null;
  throw error;
}));

/** The picture of an example; it moves while the pointer or the focus is on its surroundings. @param {Example} example @param {HTMLElement} around */
function thumbnail({ thumbnail: text }, around) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const picture = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(parsed, true)));
  picture.setAttribute("aria-hidden", "true");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const pause = () => {
    picture.pauseAnimations();
    picture.setCurrentTime(0);
  };
  const play = () => { if (!still.matches) picture.unpauseAnimations(); };
  around.addEventListener("pointerenter", play);
  around.addEventListener("focusin", play);
  around.addEventListener("pointerleave", pause);
  around.addEventListener("focusout", pause);
  requestAnimationFrame(pause);
  return picture;
}

/** Fill the view of all examples. @param {Run} run */
export async function showGallery(run) {
  const examples = await load();
  const place = byId("examples");
  if (place.childElementCount) return;
  for (const example of examples) {
    const { title, words, knuth } = example;
    const buttons = element("div", { class: "row" }, [button("Run", () => run(example, true), "", { class: "main" })]);
    buttons.append(button("Open", () => run(example, false)));
    if (knuth) buttons.append(button("Clauses", () => showClauses(knuth)));
    const call = knuth ? [element("code", {}, [`${knuth.program} ${knuth.arguments.join(" ")}`])] : [];
    const card = element("li");
    card.append(thumbnail(example, card), element("h3", {}, [title]), element("p", {}, [words]), ...call, buttons);
    place.append(card);
  }
}

/** Fill the list of examples beside the board. @param {Run} run */
export async function invite(run) {
  /** @type {Example[]} */
  const examples = await load();
  const place = byId("invitations");
  if (place.childElementCount) return;
  for (const example of examples) {
    if (!example.template && !INVITATIONS.includes(example.title)) continue;
    const choice = button("", () => run(example, !example.template), example.words);
    choice.removeAttribute("aria-label");
    choice.append(thumbnail(example, choice), element("span", {}, [example.title]));
    place.append(element("li", {}, [choice]));
  }
}
