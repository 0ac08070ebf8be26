// The clauses of Knuth's programs, beside the tree of adders that counts the neighbours of a cell (TAOCP 7.2.2.2).

import { Refused, post } from "./api.js";
import { button, byId, element, input } from "./dom.js";

/**
 * @typedef {{program: string, arguments: number[], rows: string[]}} Call how a program is called
 * @typedef {[number, number]} Cell row and column, from 1
 * @typedef {Record<string, {at: Cell, counts: Cell[]}>} Tree by node: the cell in its name, and the cells that it counts
 * @typedef {{lines: string[], total: number, size: [number, number], trees: Record<string, Tree>,
 *   folded: Record<string, string>}} Listing of the cells that have clauses the trees; of the others, which of these they are
 */

/** Where each node of the tree is drawn. @type {Record<string, [number, number]>} */
const TREE = {
  A: [200, 20], B: [110, 75], C: [290, 75], D: [65, 130], E: [155, 130], F: [245, 130], G: [335, 130],
};
const EDGES = ["AB", "AC", "BD", "BE", "CF", "CG"];
/** @type {Record<string, string>} */
const MEANING = {
  A: "counts all eight neighbours, as far as Life needs: A2, A3, A4", B: "adds D and E: four cells of two columns",
  C: "adds F and G: the other four", D: "counts a pair of cells of one column", E: "counts a pair of cells of one column",
  F: "counts a pair of cells of one row", G: "counts the last two cells",
};
/** @type {Record<string, string>} */
const SHARED = { B: "It serves two cells.", D: "It serves four cells.", E: "It serves four cells.", F: "It serves two cells." };

/** Show the clauses that the fragment of the URL names, if it does: `#clauses=NAME,NUMBER,...`. */
export function showLinked() {
  if (!location.hash.startsWith("#clauses=")) return;
  const [program, ...numbers] = location.hash.slice("#clauses=".length).split(/,|%2C/i);
  input("clauses-call").value = [program, ...numbers].join(" ");
  showClauses({ program, arguments: numbers.map(Number), rows: [] }).catch(refused);
}

/** Let the form ask for the clauses of any program. */
export function offerClauses() {
  byId("clauses-form").onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const link = `#clauses=${input("clauses-call").value.trim().split(/[\s,]+/).join(",")}`;
    if (location.hash === link) showLinked();
    else location.hash = link;
  };
}

/** The call is wrong: say so where the clauses would be. @param {unknown} error */
function refused(error) {
  if (!(error instanceof Refused)) throw error;
  byId("clauses").replaceChildren(element("p", { role: "alert" }, [`${error.message}.`]));
}

/** @param {Call} call */
export async function showClauses({ program, arguments: given, rows }) {
  const place = byId("clauses");
  place.hidden = false;
  /** @type {Listing} */
  const { lines, total, size, trees, folded } = await post("clauses", { program, arguments: given, rows });
  const words = element("p", { class: "hint words", role: "status" }, ["Choose a cell to see how its neighbours are counted."]);
  const text = element("pre", { tabindex: "0", "aria-label": "Clauses" });
  for (const line of lines) {
    line.split(/( +)/).forEach((token) => text.append(token.trim() ? element("b", {}, [token]) : token));
    text.append("\n");
  }
  const drawing = element("div");
  const grid = element("div", { role: "grid", "aria-label": "Cells" });
  /** @type {Map<string, HTMLElement>} */
  const cells = new Map();
  /** @param {Set<string>} counted @param {string} centre @param {string} name */
  const mark = (counted, centre, name) => {
    for (const [key, cell] of cells) {
      cell.classList.toggle("counted", counted.has(key));
      cell.classList.toggle("centre", key === centre);
    }
    for (const token of text.querySelectorAll("b")) {
      token.classList.toggle("counted", token.textContent.replace("~", "").replace(/\d$/, "") === name);
    }
    text.querySelector(".counted")?.scrollIntoView({ block: "nearest" });
  };
  /** @param {string} key */
  const choose = (key) => {
    const own = folded[key] ?? key;
    const tree = trees[own];
    const [x, y] = own.split(",");
    if (!tree) return;
    const time = program === "sat-life" ? String.fromCharCode(97 + given[0]) : "a";
    /** @param {string} node */
    const hover = (node) => {
      const { at, counts } = tree[node];
      const name = `${at[0]}${time}${at[1]}${node}`;
      mark(new Set(counts.map((cell) => cell.join(","))), own, name);
      const ends = node === "A" ? "234" : "DEFG".includes(node) ? "12" : "1234";
      const [row, column] = key.split(",");
      const same = own === key ? "" : `By symmetry ${row}${time}${column} is ${x}${time}${y}. `;
      words.textContent = `${same}${name}${ends[0]}…${ends.at(-1)} ${MEANING[node]}: ${
        counts.map((cell) => cell.join(time)).join(", ") || "none that can be alive"}. “${name}${ends[0]}” reads “at least ${
        ends[0]} of them ${ends[0] === "1" ? "is" : "are"} alive”. ${SHARED[node] ?? ""}`;
      for (const group of drawing.querySelectorAll("g")) group.classList.toggle("chosen", group.dataset.node === node);
    };
    drawing.replaceChildren(treePicture(tree, time, hover));
    hover("A");
    cells.get(key)?.setAttribute("title", `${x}${time}${y}`);
  };
  const table = element("table");
  for (let x = 1; x <= size[0]; x++) {
    const row = element("tr");
    for (let y = 1; y <= size[1]; y++) {
      const key = `${x},${y}`;
      const cell = button("", () => choose(key), `row ${x}, column ${y}`, { class: key in folded ? "cell folded" : "cell" });
      cell.onmouseenter = () => choose(key);
      cells.set(key, cell);
      row.append(element("td", {}, [cell]));
    }
    table.append(row);
  }
  grid.append(table);
  const shown = lines.length < total ? `the first ${lines.length} of ${total}` : `all ${total}`;
  place.replaceChildren(
    element("h2", {}, [`${program} ${given.join(" ")}: ${shown} lines`]),
    element("p", { class: "hint" }, ["A cell is row, time (a, b, …), column: 2a3. ~ negates. ",
      "Auxiliary variables end in the node of the tree and a number."]),
    element("div", { class: "clauses" }, [element("div", {}, [grid, words, drawing]), text]),
  );
  choose(trees["2,2"] ? "2,2" : Object.keys(trees)[0] ?? ""); // its clauses are among the first
  place.scrollIntoView({ block: "start" });
}

/** @param {Tree} tree @param {string} time @param {(node: string) => void} hover */
function treePicture(tree, time, hover) {
  const SVG = "http://www.w3.org/2000/svg";
  /**
   * @template {keyof SVGElementTagNameMap} K
   * @param {K} name
   * @param {Record<string, string | number>} attributes
   * @param {...Node} children
   */
  const make = (name, attributes, ...children) => {
    const out = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, String(value));
    out.append(...children);
    return out;
  };
  const picture = make("svg", { viewBox: "0 0 400 185", width: 400, height: 185, role: "group", "aria-label": "Counting tree" });
  for (const [from, to] of EDGES) {
    const [[a, b], [c, d]] = [TREE[from], TREE[to]];
    picture.append(make("line", { x1: a, y1: b, x2: c, y2: d }));
  }
  for (const [node, [x, y]] of Object.entries(TREE)) {
    const { at, counts } = tree[node];
    const label = make("text", { x, y: y + 4 });
    label.textContent = `${at[0]}${time}${at[1]}${node}`;
    const group = make("g", { tabindex: "0", role: "button", "aria-label": `${node} ${MEANING[node]}`, "data-node": node },
      make("rect", { x: x - 38, y: y - 13, width: 76, height: 26, rx: 5 }), label);
    group.onmouseenter = group.onfocus = group.onclick = () => hover(node);
    if ("DEFG".includes(node)) {
      const leaves = make("text", { x, y: y + 36 });
      leaves.textContent = counts.map((cell) => cell.join(time)).join(" ") || "—";
      group.append(leaves);
    }
    picture.append(group);
  }
  return picture;
}
