// The player: a find, generation by generation.

import { blob } from "./api.js";
import { drawFrame, fit, fitted, isDark, unpack } from "./cells.js";
import { button, copy, element, save } from "./dom.js";

export class Player {
  /** `deeds` are what can be done with a find: {words: function of the find}. */
  constructor(place, deeds) {
    this.place = place;
    this.find = null;
    this.now = 0;
    this.speed = 4;
    this.zoom = null;
    this.timer = null;
    this.canvas = element("canvas", { role: "img" });
    this.where = element("span", { role: "status" });
    this.facts = element("p", { class: "facts" });
    this.playing = button("▶", () => this.toggle(), "Play or pause (Enter)");
    const speed = element("input", { type: "range", min: "0", max: "6", step: "0.5", value: "2", title: "Speed (- =)" });
    speed.setAttribute("aria-label", "Speed");
    speed.oninput = () => this.setSpeed(2 ** Number(speed.value));
    this.slider = speed;
    const bar = element("div", { class: "bar" }, [
      button("|◀", () => this.reset(), "Back to the beginning (R)"), button("◀", () => this.step(-1), "Back"),
      this.playing, button("▷", () => this.step(1), "Next generation (Space)"), speed,
      button("−", () => this.resize(-1), "Smaller ([)"), button("+", () => this.resize(1), "Larger (])"),
      button("Fit", () => this.fit(), "Fit (F)"), this.where,
    ]);
    this.keeps = element("div", { class: "bar" }, [
      button("Copy RLE", () => copy(this.find.rle), ""),
      (this.code = button("Copy apgcode", () => copy(this.find.apgcode), "")),
      button("RLE", () => save(new Blob([this.find.rle]), "find.rle"), "Download"),
      button("SVG", () => this.picture("svg"), "Download a moving picture"),
      button("GIF", () => this.picture("gif"), "Download a moving picture"),
      ...(this.deeds = Object.entries(deeds).map(([words, deed]) => button(words, () => this.attempt(() => deed(this.find)), ""))),
    ]);
    // Space and Enter are keys of the player, also after one of its buttons was clicked.
    place.onclick = (event) => event.detail > 0 && event.target.closest("button")?.blur();
    this.error = element("p", { class: "error", role: "alert" });
    place.append(this.canvas, bar, this.facts, this.keeps, this.error);
    for (const part of place.querySelectorAll("button, input")) part.disabled = true;
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  show(find) {
    this.stop();
    for (const part of this.place.querySelectorAll("button, input")) part.disabled = false;
    for (const deed of this.deeds) deed.disabled = Boolean(find.open);
    this.find = find;
    this.frames = find.frames.map(unpack);
    this.now = 0;
    this.zoom = null;
    this.code.hidden = !find.apgcode;
    this.error.textContent = "";
    const moves = find.displacement?.some(Boolean) ? `, moving by (${find.displacement})` : "";
    const period = find.period ? `period ${find.period}${moves}, ` : "";
    const rule = find.rule === "B3/S23" ? "" : `, ${find.rule}`;
    this.facts.textContent =
      `${find.apgcode ?? find.kind}: ${period}${find.population} cells in ${find.box.join("x")}${rule}`;
    this.canvas.setAttribute("aria-label", this.facts.textContent);
    this.draw();
    // What comes back plays; what was asked for its beginning stays there.
    if (this.frames.length > 1 && find.loops && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play();
  }

  async picture(kind) {
    const { rle, period, frames } = this.find;
    await this.attempt(async () => {
      const generations = period ? null : frames.length - 1;
      save(await blob("draw", { rle, kind, generations, theme: isDark() ? "dark" : "light" }), `find.${kind}`);
    });
  }

  /** Do something, and say below the player what went wrong. */
  async attempt(deed) {
    this.error.textContent = "";
    try {
      await deed();
    } catch (error) {
      this.error.textContent = error.message;
    }
  }

  draw() {
    if (!this.find) return;
    drawFrame(this.canvas, this.frames[this.now], this.find.size, this.zoom, this.find.states);
    this.where.textContent = `generation ${this.now}`;
  }

  step(by) {
    this.stop();
    this.go(this.now + by);
  }

  go(to) {
    const last = this.frames.length - 1;
    this.now = this.find.loops ? (to + last + 1) % (last + 1) : Math.max(0, Math.min(to, last));
    this.draw();
  }

  toggle() {
    if (this.timer) this.stop();
    else this.play();
  }

  play() {
    clearInterval(this.timer);
    const last = this.frames.length - 1;
    if (!this.find.loops && this.now === last) this.now = -1;
    this.timer = setInterval(() => {
      this.go(this.now + 1);
      if (!this.find.loops && this.now === last) this.stop();
    }, 1000 / this.speed);
    this.playing.textContent = "❚❚";
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.playing.textContent = "▶";
  }

  reset() {
    this.stop();
    this.go(0);
  }

  setSpeed(speed) {
    this.speed = Math.max(1, Math.min(64, speed));
    this.slider.value = String(Math.log2(this.speed));
    if (this.timer) this.play();
  }

  resize(by) {
    const { width, height } = fitted(this.canvas);
    const now = this.zoom ?? fit(width, height, ...this.find.size);
    this.zoom = Math.max(1, Math.min(64, by > 0 ? Math.ceil(now * 1.4) : Math.floor(now / 1.4)));
    this.draw();
  }

  fit() {
    this.zoom = null;
    this.draw();
  }

  /** The keys of LifeViewer; returns whether it was one. */
  key(event) {
    if (!this.find) return false;
    const deeds = {
      " ": () => this.step(1), Enter: () => this.toggle(), r: () => this.reset(), f: () => this.fit(),
      "[": () => this.resize(-1), "]": () => this.resize(1),
      "-": () => this.setSpeed(this.speed / 1.5), "=": () => this.setSpeed(this.speed * 1.5),
    };
    const deed = deeds[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    deed?.();
    return Boolean(deed);
  }
}
