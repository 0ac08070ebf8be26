// The catalogue of finds: thumbnails and filters.

import { post } from "./api.js";
import { drawFrame, unpack } from "./cells.js";
import { button, byId, debounced, element, input, select } from "./dom.js";
import { capitalised, codeOf, counted, kindName, nameOf } from "./names.js";

/** @typedef {import("./player.js").Find & {id: number}} Entry */

export class Catalogue {
  /** @param {import("./kinds.js").Kinds} kinds @param {(find: Entry) => void} show */
  constructor(kinds, show) {
    this.kinds = kinds;
    this.show = show;
    this.shown = ""; // the numbers of the finds that are shown
    /** @type {(() => void)[]} each draws the picture of a card */
    this.drawings = [];
    byId("filters").oninput = debounced(250, () => this.load());
    byId("filters").onsubmit = (event) => event.preventDefault();
  }

  /** Fill the list of kinds. */
  offer() {
    const options = this.kinds.names.map((name) => element("option", { value: name }, [kindName(name)]));
    select("find-kind").replaceChildren(element("option", { value: "" }, ["any"]), ...options);
  }

  draw() {
    for (const drawing of this.drawings) drawing();
  }

  async load() {
    const number = (/** @type {string} */ id) => (input(id).value ? Number(input(id).value) : undefined);
    const wanted = { rule: input("find-rule").value, period: number("find-period"), cells: number("find-cells") };
    try {
      const kind = select("find-kind").value;
      /** @type {{finds: Entry[]}} */
      const { finds: all } = await post("finds", wanted);
      const finds = all.filter((find) => !kind || find.kind === kind);
      const ids = finds.map(({ id }) => id).join();
      if (ids !== this.shown) {
        this.shown = ids; // so that no click is lost
        this.drawings = [];
        byId("catalogue").replaceChildren(...finds.map((find) => this.card(find)));
      }
      requestAnimationFrame(() => this.draw());
      const filtered = Boolean(kind) || Object.values(wanted).some(Boolean);
      byId("find-none").hidden = filtered || finds.length > 0;
      byId("filters").hidden = !filtered && !finds.length;
      byId("find-count").textContent = finds.length ? counted(finds.length, "find") : filtered ? "No find is like this." : "";
    } catch (error) {
      byId("find-count").textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** @param {Entry} find */
  card(find) {
    const name = capitalised(nameOf(find));
    const canvas = element("canvas", { role: "img", "aria-label": name });
    const facts = [codeOf(find) ?? `number ${find.id}`, `${counted(find.population, "cell")} in ${find.box.join("x")}`, find.rule];
    this.drawings.push(() => drawFrame(canvas, unpack(find.frames[0]), find.size, find.states));
    const row = element("div", { class: "row" });
    const card = element("li", {}, [canvas, element("h3", {}, [name]), element("p", {}, [facts.join(" · ")]), row]);
    const offer = () => row.replaceChildren(
      button("Show", () => this.show(find)),
      button("Delete…", () => this.confirm(find, card, row, offer), "", { class: "quiet" }));
    offer();
    return card;
  }

  /** Ask whether a find is to be deleted. @param {Entry} find @param {HTMLElement} card @param {HTMLElement} row @param {() => void} keep */
  confirm(find, card, row, keep) {
    const forget = async () => {
      try {
        await post("forget", { id: find.id });
        await this.load();
      } catch (error) {
        keep();
        card.append(element("p", { class: "error", role: "alert" }, [`${error instanceof Error ? error.message : error}.`]));
      }
    };
    const no = button("Keep it", keep);
    row.replaceChildren(button("Delete for good", forget, "", { class: "main" }), no);
    no.focus();
  }
}
