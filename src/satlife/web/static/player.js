// The player: shows a find generation by generation.

import { blob } from "./api.js";
import { drawFrame, fit, prepare, unpack } from "./cells.js";
import { button, copy, element, save } from "./dom.js";
import { isDark } from "./theme.js";

/**
 * A pattern that was found, as the server describes it.
 * @typedef {object} Find
 * @property {string} kind
 * @property {import("./question.js").Problem} problem
 * @property {string} rle
 * @property {string} rule
 * @property {string | null} apgcode
 * @property {number | null} period
 * @property {number[] | null} displacement
 * @property {number} population
 * @property {[number, number]} box
 * @property {boolean} [open] whether the question was about ships of any length
 * @property {number[][]} start the cells of the first generation, as they lie in the box of the question
 * @property {string[]} frames
 * @property {[number, number]} size of the frames
 * @property {number} states
 * @property {boolean} loops
 */

export class Player {
  /**
   * @param {HTMLElement} place
   * @param {Record<string, (find: Find) => void | Promise<void>>} actions what can be done with a find, by the labels of
   *   the buttons
   */
  constructor(place, actions) {
    this.place = place;
    /** @type {Find | null} */
    this.find = null;
    /** @type {Uint8Array[]} */
    this.frames = [];
    this.now = 0;
    this.speed = 4;
    /** @type {number | null} pixels a cell; null for what fits */
    this.zoom = null;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.canvas = element("canvas", { role: "img" });
    this.position = element("span", { role: "status" });
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
      button("Fit", () => this.fit(), "Fit (F)"), this.position,
    ]);
    this.code = this.offer("Copy apgcode", (find) => copy(find.apgcode ?? ""));
    this.actions = Object.entries(actions).map(([words, action]) => this.offer(words, action));
    const exports = element("div", { class: "bar" }, [
      this.offer("Copy RLE", (find) => copy(find.rle)),
      this.code,
      this.offer("RLE", (find) => save(new Blob([find.rle]), "find.rle"), "Download"),
      this.offer("SVG", (find) => this.picture(find, "svg"), "Download a moving picture"),
      this.offer("GIF", (find) => this.picture(find, "gif"), "Download a moving picture"),
      ...this.actions,
    ]);
    // A clicked button gives up the focus, so that Space and Enter remain keys of the player.
    place.onclick = (event) => {
      if (event.detail > 0) /** @type {Element} */ (event.target).closest("button")?.blur();
    };
    this.error = element("p", { class: "error", role: "alert" });
    place.append(this.canvas, bar, this.facts, exports, this.error);
    this.allow(false);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  /** @param {boolean} allowed */
  allow(allowed) {
    /** @type {NodeListOf<HTMLButtonElement | HTMLInputElement>} */
    const parts = this.place.querySelectorAll("button, input");
    for (const part of parts) part.disabled = !allowed;
  }

  /**
   * A button that does something with the find; an error is shown below the player.
   * @param {string} words
   * @param {(find: Find) => void | Promise<void>} action
   */
  offer(words, action, title = "") {
    return button(words, async () => {
      this.error.textContent = "";
      try {
        if (this.find) await action(this.find);
      } catch (error) {
        this.error.textContent = error instanceof Error ? error.message : String(error);
      }
    }, title);
  }

  /** @param {Find} find */
  show(find) {
    this.stop();
    this.allow(true);
    for (const action of this.actions) action.disabled = Boolean(find.open);
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
    // Periodic patterns play at once; a predecessor stays at its first generation.
    if (this.frames.length > 1 && find.loops && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play();
  }

  /** @param {Find} find @param {string} kind */
  async picture({ rle, period, frames }, kind) {
    const generations = period ? null : frames.length - 1;
    save(await blob("draw", { rle, kind, generations, theme: isDark() ? "dark" : "light" }), `find.${kind}`);
  }

  draw() {
    if (!this.find) return;
    drawFrame(this.canvas, this.frames[this.now], this.find.size, this.zoom, this.find.states);
    this.position.textContent = `generation ${this.now}`;
  }

  /** @param {number} by */
  step(by) {
    this.stop();
    this.go(this.now + by);
  }

  /** @param {number} to */
  go(to) {
    const last = this.frames.length - 1;
    this.now = this.find?.loops ? (to + last + 1) % (last + 1) : Math.max(0, Math.min(to, last));
    this.draw();
  }

  toggle() {
    if (this.timer) this.stop();
    else this.play();
  }

  play() {
    clearInterval(this.timer);
    const last = this.frames.length - 1;
    const loops = Boolean(this.find?.loops);
    if (!loops && this.now === last) this.now = -1;
    this.timer = setInterval(() => {
      this.go(this.now + 1);
      if (!loops && this.now === last) this.stop();
    }, 1000 / this.speed);
    this.playing.textContent = "❚❚";
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.playing.textContent = "▶";
  }

  reset() {
    this.stop();
    this.go(0);
  }

  /** @param {number} speed generations a second */
  setSpeed(speed) {
    this.speed = Math.max(1, Math.min(64, speed));
    this.slider.value = String(Math.log2(this.speed));
    if (this.timer) this.play();
  }

  /** @param {number} by */
  resize(by) {
    if (!this.find) return;
    const { width, height } = prepare(this.canvas);
    const now = this.zoom ?? fit(width, height, ...this.find.size);
    this.zoom = Math.max(1, Math.min(64, by > 0 ? Math.ceil(now * 1.4) : Math.floor(now / 1.4)));
    this.draw();
  }

  fit() {
    this.zoom = null;
    this.draw();
  }

  /** Handle the keys of LifeViewer; returns whether it was one. @param {KeyboardEvent} event */
  key(event) {
    if (!this.find) return false;
    /** @type {Record<string, () => void>} */
    const actions = {
      " ": () => this.step(1), Enter: () => this.toggle(), r: () => this.reset(), f: () => this.fit(),
      "[": () => this.resize(-1), "]": () => this.resize(1),
      "-": () => this.setSpeed(this.speed / 1.5), "=": () => this.setSpeed(this.speed * 1.5),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    action?.();
    return Boolean(action);
  }
}
