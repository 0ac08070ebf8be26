// The catalogue: thumbnails and filters.

import { post } from "./api.js";
import { drawFrame, unpack } from "./cells.js";
import { button, byId, debounced, element } from "./dom.js";
import { KINDS } from "./question.js";

export class Catalogue {
  constructor(show) {
    this.show = show;
    for (const kind of Object.keys(KINDS)) byId("find-kind").append(element("option", { value: kind }, [kind]));
    byId("filters").oninput = debounced(250, () => this.load());
    byId("filters").onsubmit = (event) => event.preventDefault();
  }

  async load() {
    const number = (id) => (byId(id).value ? Number(byId(id).value) : undefined);
    const wanted = { rule: byId("find-rule").value, period: number("find-period"), cells: number("find-cells") };
    try {
      const kind = byId("find-kind").value;
      const finds = (await post("finds", wanted)).finds.filter((find) => !kind || find.kind === kind);
      byId("catalogue").replaceChildren(...finds.map((find) => this.card(find)));
      byId("find-count").textContent = finds.length ? `${finds.length} finds` : "Nothing yet: what you find is kept here.";
    } catch (error) {
      byId("find-count").textContent = error.message;
    }
  }

  card(find) {
    const canvas = element("canvas", { role: "img", "aria-label": find.apgcode ?? find.kind });
    const moves = find.displacement?.some(Boolean) ? `, (${find.displacement})` : "";
    const facts = `${find.kind}${find.period ? `, period ${find.period}` : ""}${moves}, ${find.population} cells, ${find.rule}`;
    requestAnimationFrame(() => drawFrame(canvas, unpack(find.frames[0]), find.size, null, find.states));
    return element("li", {}, [
      canvas, element("h3", {}, [find.apgcode ?? `number ${find.id}`]), element("p", {}, [facts]),
      button("Show", () => this.show(find), ""),
    ]);
  }
}
