// The player: shows a find generation by generation, its cells coloured by age.

import { OLDEST, agesOf } from "./ages.js";
import { blob } from "./api.js";
import { ageColours, drawCells, drawPlane, stateColours, unpack } from "./cells.js";
import { button, byId, copy, element, group, input, pressed, save, setText } from "./dom.js";
import { codeOf } from "./names.js";
import { isDark } from "./theme.js";
import { Viewport } from "./viewport.js";

/**
 * A pattern that was found, as the server describes it.
 * @typedef {object} Find
 * @property {string} kind
 * @property {import("./question.js").Problem} problem
 * @property {string} rle
 * @property {string} rule
 * @property {string | null} apgcode
 * @property {string} [name] what it is called
 * @property {number | null} period
 * @property {number[] | null} displacement
 * @property {number} population
 * @property {[number, number]} box
 * @property {boolean} [open] whether the question was about ships of any length
 * @property {import("./question.js").Problem} [asked] the question, if it had no box; that in `problem` has one
 * @property {number[][]} start the cells of the first generation, as they lie in the box of the question
 * @property {string[]} frames
 * @property {[number, number]} size of the frames
 * @property {[number, number][]} camera how far the window has moved at each frame
 * @property {number} states
 * @property {boolean} loops
 * @property {string[]} [remarks] what is worth knowing of it, in sentences
 * @property {string | null} long the command for a long search of all answers
 *
 * @typedef {Pick<Find, "frames" | "size">} Frames
 */

/** @typedef {[words: string, action: (find: Find) => void | Promise<void>, shown?: (find: Find) => boolean]} Action */

/** The name of a file with a find: glider.png. @param {Find} find @param {string} ending */
const fileOf = ({ name, apgcode, kind }, ending) =>
  `${(name || apgcode || kind).toLowerCase().replace(/[^a-z0-9_]+/g, "-").slice(0, 60)}.${ending}`;

export class Player {
  /** @param {Action[]} actions how to go on from a find */
  constructor(actions) {
    this.canvas = byId("screen", HTMLCanvasElement);
    this.view = new Viewport(this.canvas, () => this.draw());
    /** @type {Find | null} */
    this.find = null;
    /** @type {Uint8Array[]} */
    this.frames = [];
    /** @type {Uint8Array[] | null} the ages of the cells of each frame; null where they are not shown */
    this.ages = null;
    /** @type {[number, number]} of the frames */
    this.size = [1, 1];
    this.now = 0;
    this.speed = 4;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.offerTransport();
    this.offerActions(actions);
  }

  offerTransport() {
    pressed("play", () => this.toggle());
    pressed("rewind", () => this.rewind());
    pressed("step-back", () => this.step(-1));
    pressed("step", () => this.step(1));
    input("speed-slider").oninput = () => this.setSpeed(2 ** Number(input("speed-slider").value));
    // A clicked button gives up the focus, so that Space and Enter remain keys of the player.
    for (const place of [byId("playing"), byId("player")]) {
      place.onclick = (event) => {
        if (event.detail > 0) /** @type {Element} */ (event.target).closest("button")?.blur();
      };
    }
  }

  /** @param {Action[]} actions */
  offerActions(actions) {
    /** @type {{choice: HTMLButtonElement, shown: (find: Find) => boolean}[]} */
    this.choices = [];
    /** @param {Action} action @param {string} [title] */
    const offer = ([words, action, shown = () => true], title = "") => {
      const choice = button(words, () => this.run(action), title, { class: "quiet" });
      this.choices?.push({ choice, shown });
      return choice;
    };
    byId("find-actions").append(
      group("Copy", [
        offer(["RLE", (find) => copy(find.rle)]),
        offer(["apgcode", (find) => copy(find.apgcode ?? ""), (find) => Boolean(find.apgcode)]),
      ]),
      group("Download", [
        offer(["RLE", (find) => save(new Blob([find.rle]), fileOf(find, "rle"))]),
        offer(["PNG", (find) => this.picture(find, "png")]),
        offer(["SVG", (find) => this.picture(find, "svg")]),
        offer(["GIF", (find) => this.picture(find, "gif")]),
        offer(["HTML", (find) => this.picture(find, "html")], "A page that plays it, without a server"),
      ]),
      group("Next", actions.map((action) => offer(action))),
    );
  }

  /** Do something with the find; an error is shown below the player. @param {(find: Find) => void | Promise<void>} action */
  async run(action) {
    setText("find-error", "");
    try {
      if (this.find) await action(this.find);
    } catch (error) {
      setText("find-error", error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {Find} find */
  show(find) {
    this.stop();
    this.find = find;
    this.load(find);
    const [count, plays] = [this.frames.length, this.frames.length > 1];
    this.ages = plays && find.states === 2 ? agesOf(this.frames, find.size, find.camera, find.loops) : null;
    byId("find-actions").hidden = false;
    byId("transport").hidden = byId("position").hidden = !plays;
    byId("ages").hidden = !this.ages;
    for (const { choice, shown } of this.choices ?? []) choice.hidden = !shown(find);
    const moves = find.displacement?.some(Boolean) ? `, moving by (${find.displacement})` : "";
    const period = find.period ? `period ${find.period}${moves}, ` : "";
    const rule = find.rule === "B3/S23" ? "" : `, ${find.rule}`;
    this.tell(`${codeOf(find) ?? find.kind}: ${period}${find.population} cells in ${find.box.join("x")}${rule}`, find.remarks);
    setText("find-error", "");
    this.draw();
    if (count > 1 && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play();
  }

  /** Show the best of a search that still runs, such as the longest partial ship. @param {Frames} partial @param {string} words */
  showPartial(partial, words) {
    this.clear();
    this.load(partial);
    this.tell(words);
    this.draw();
  }

  clear() {
    this.stop();
    this.find = this.ages = null;
    this.frames = [];
    for (const id of ["find-actions", "transport", "position", "ages"]) byId(id).hidden = true;
    this.tell("");
    setText("find-error", "");
  }

  /** @param {Frames} film */
  load({ frames, size }) {
    this.frames = frames.map(unpack);
    this.size = size;
    this.now = 0;
  }

  /** @param {string} facts @param {string[]} remarks */
  tell(facts, remarks = []) {
    setText("facts", facts);
    byId("remarks").replaceChildren(...remarks.map((words) => element("li", {}, [words])));
    this.canvas.setAttribute("aria-label", [facts, ...remarks].filter(Boolean).join("; ") || "Nothing to play yet");
  }

  /** @param {Find} find @param {string} kind */
  async picture(find, kind) {
    const { rle, period, frames } = find;
    const generations = period ? null : frames.length - 1;
    save(await blob("draw", { rle, kind, generations, theme: isDark() ? "dark" : "light" }), fileOf(find, kind));
  }

  draw() {
    if (!this.frames.length || !this.canvas.clientWidth) return;
    const { view, size } = this;
    view.show(...size);
    const { context, width, height } = view.prepare();
    drawPlane(context, width, height, view);
    const colours = this.ages ? ageColours(OLDEST) : stateColours(this.find?.states ?? 2);
    drawCells(context, (this.ages ?? this.frames)[this.now], size[0], view, colours);
    setText("position", `generation ${this.now}`);
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
    if (last < 1) return;
    const loops = Boolean(this.find?.loops);
    if (!loops && this.now === last) this.now = -1;
    this.timer = setInterval(() => {
      this.go(this.now + 1);
      if (!loops && this.now === last) this.stop();
    }, 1000 / this.speed);
    setText("play", "❚❚ Pause");
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    setText("play", "▶ Play");
  }

  rewind() {
    this.stop();
    this.go(0);
  }

  /** @param {number} speed generations a second */
  setSpeed(speed) {
    this.speed = Math.max(1, Math.min(64, speed));
    input("speed-slider").value = String(Math.log2(this.speed));
    if (this.timer) this.play();
  }

  /** Handle a key; returns whether it has a meaning. @param {KeyboardEvent} event */
  key(event) {
    const far = 3 * this.view.size;
    /** @type {Record<string, () => void>} */
    const actions = {
      " ": () => this.step(1), Enter: () => this.toggle(), r: () => this.rewind(),
      ".": () => this.step(1), ",": () => this.step(-1),
      "<": () => this.setSpeed(this.speed / 1.5), ">": () => this.setSpeed(this.speed * 1.5),
      ArrowLeft: () => this.view.pan(far, 0), ArrowRight: () => this.view.pan(-far, 0),
      ArrowUp: () => this.view.pan(0, far), ArrowDown: () => this.view.pan(0, -far),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    action?.();
    return Boolean(action);
  }
}
