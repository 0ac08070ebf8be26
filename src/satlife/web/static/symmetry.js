// Symmetries as small pictures: a shape that has none, with its images.

import { button, byId, select } from "./dom.js";
import { svg } from "./plot.js";

/** @typedef {[number, number]} Place from the middle */

/** @type {Place[]} */
const SHAPE = [[-1, -3], [-2, -3], [-1, -2]];
/** What makes each group: images of a place. @type {Record<string, ((place: Place) => Place)[]>} */
const GENERATORS = {
  "": [], C2: [([x, y]) => [-x, -y]], C4: [([x, y]) => [-y, x]],
  "D2|": [([x, y]) => [-x, y]], "D2-": [([x, y]) => [x, -y]],
  "D2/": [([x, y]) => [-y, -x]], "D2\\": [([x, y]) => [y, x]],
  "D4+": [([x, y]) => [-x, y], ([x, y]) => [x, -y]], D4x: [([x, y]) => [y, x], ([x, y]) => [-y, -x]],
  D8: [([x, y]) => [-x, y], ([x, y]) => [y, x]],
};

/** All images of the shape. @param {string} name @returns {Place[]} */
export function orbit(name) {
  const out = [...SHAPE];
  for (const place of out) { // which grows meanwhile
    for (const image of GENERATORS[name].map((move) => move(place))) {
      if (!out.some(([x, y]) => x === image[0] && y === image[1])) out.push(image);
    }
  }
  return out;
}

/** @param {string} name */
function picture(name) {
  const cell = (/** @type {string} */ look) => (/** @type {Place} */ [x, y]) => svg("rect", { class: look, x: x + 3.5, y: y + 3.5, width: 1, height: 1 });
  return svg("svg", { viewBox: "0 0 8 8", "aria-hidden": "true" }, [...orbit(name).slice(SHAPE.length).map(cell("image")), ...SHAPE.map(cell("shape"))]);
}

/** Offer a picture of each symmetry; a click chooses it in the list. */
export function offerSymmetries() {
  const list = select("symmetry");
  for (const { value, textContent } of list.options) {
    const choice = button("", () => {
      list.value = value;
      list.dispatchEvent(new Event("change"));
    }, "", { title: textContent ?? "", "aria-label": textContent ?? "", "data-symmetry": value });
    choice.append(picture(value));
    byId("symmetries").append(choice);
  }
}

/** Show which one is chosen. */
export function showSymmetry() {
  for (const choice of byId("symmetries").children) {
    choice.setAttribute("aria-pressed", String(choice.getAttribute("data-symmetry") === select("symmetry").value));
  }
}
