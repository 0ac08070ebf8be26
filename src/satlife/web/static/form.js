// The form: what it shows of the question, and what its fields do to it.

import { allow, byId, element, input, pressed, select } from "./dom.js";
import { takes } from "./kinds.js";
import { fieldsOf, stepsOf } from "./order.js";

const LARGEST = 40_000; // cells that the board draws

/** Write into a field, unless somebody is typing there. @param {string} id @param {string | number} value */
function put(id, value) {
  const field = /** @type {HTMLInputElement | HTMLSelectElement} */ (byId(id));
  if (document.activeElement !== field) field.value = String(value);
}

/** @param {string} id @param {number} otherwise */
function whole(id, otherwise) {
  const value = input(id).valueAsNumber;
  return Number.isInteger(value) ? value : otherwise;
}

/** @param {string} selector @param {(field: HTMLElement) => void} deed */
const each = (selector, deed) => document.querySelectorAll(selector).forEach((field) =>
  deed(/** @type {HTMLElement} */ (field)));

export class Form {
  /** @param {import("./question.js").Question} question @param {import("./order.js").Order} order */
  constructor(question, order) {
    this.question = question;
    this.order = order;
    /** @type {import("./kinds.js").Kind | null} whose parameters have their fields */
    this.offered = null;
    this.listen();
  }

  /** The kinds to choose from. */
  offer() {
    const options = this.question.kinds.names.map((name) => element("option", { value: name }, [name]));
    select("kind").replaceChildren(...options);
  }

  /** Show the question. */
  fill() {
    const { problem, kind } = this.question;
    put("kind", kind.name);
    byId("kind-words").textContent = kind.words;
    this.fillSize();
    this.fillMotion();
    put("rule", problem.rule);
    this.fillSymmetry();
    put("population", (problem.population ?? []).join(", "));
    input("strict").checked = Boolean(problem.strict);
    input("tight").checked = Boolean(problem.tight);
    const excluded = problem.exclude?.length ?? 0;
    byId("excluded").textContent = excluded ? `${excluded} pattern${excluded > 1 ? "s" : ""}` : "none";
    byId("include-all").hidden = !excluded;
    this.fillTools();
  }

  fillSize() {
    const { question, order } = this;
    const { kind, open } = question;
    const { width, height } = kind.start ? { width: question.closed[0], height: question.closed[1] } : order.parameters;
    put("width", width);
    put("height", height);
    input("width").disabled = question.problem.box[0] === "*";
    input("height").disabled = question.problem.box[1] === "*";
    const opens = kind.parameters.some((parameter) => parameter.kind === "open box");
    byId("any-length-field").classList.toggle("unused", !opens);
    input("any-length").checked = open;
    byId("period-field").classList.toggle("unused", !takes(kind, "period", "generations"));
    byId("period-name").textContent = kind.steps ?? (question.periodic ? "Period" : "Generations");
    put("period", kind.start ? question.steps : order.parameters[stepsOf(kind)]);
  }

  fillMotion() {
    const { kind, problem } = this.question;
    this.offerParameters();
    for (const { name } of fieldsOf(kind)) put(name, this.order.parameters[name] ?? "");
    each(".moves", (field) => {
      field.hidden = !kind.start;
      field.classList.toggle("unused", !takes(kind, "displacement"));
    });
    put("dx", problem.displacement?.[0] ?? 0);
    put("dy", problem.displacement?.[1] ?? 0);
  }

  /** Fields for the parameters of a kind whose questions the server makes. */
  offerParameters() {
    const { kind } = this.question;
    if (kind === this.offered) return;
    this.offered = kind;
    each(".parameter", (field) => field.remove());
    for (const { name, help } of fieldsOf(kind)) {
      const field = element("input", { id: name, type: "number", title: help });
      const set = () => this.order.set(name, whole(name, this.order.parameters[name]));
      field.oninput = () => this.question.edit(set, name);
      const label = element("label", { class: "parameter" }, [`${name[0].toUpperCase()}${name.slice(1)} `, field]);
      byId("any-length-field").before(label);
    }
  }

  /** One symmetry of the box has a list to choose from; others, and those in time, are words. */
  fillSymmetry() {
    /** @type {string[][]} */
    const [still, timed] = [[], []];
    for (const name of this.question.problem.symmetry ?? []) (name.includes("@") ? timed : still).push(name);
    const listed = [...select("symmetry").options].some((option) => option.value === still[0]);
    if (!listed) timed.unshift(...still.splice(0));
    put("symmetry", still[0] ?? "");
    put("in-time", [...still.slice(1), ...timed].join(" "));
  }

  /** What is said above the board, and which of its tools can be used. */
  fillTools() {
    const { question } = this;
    const { open, time, last } = question;
    byId("generation").textContent = open
      ? "ships of any length are found row by row"
      : question.width * question.height > LARGEST
        ? "too large to be drawn"
        : `generation ${time} of 0 to ${last}${question.atTarget ? ": the pattern itself" : ""}`;
    allow("before", !open && time > 0);
    allow("after", !open && time < last);
    for (const id of ["rectangle", "clear", "paste", "export"]) allow(id, !open);
    allow("undo", question.past.length > 0);
    allow("redo", question.future.length > 0);
  }

  listen() {
    const { question } = this;
    /** @param {string} id @param {(field: HTMLInputElement) => void} deed @param {"oninput" | "onchange"} type */
    const on = (id, deed, type = "oninput") => {
      const field = /** @type {HTMLInputElement} */ (byId(id));
      field[type] = () => question.edit(() => deed(field), id);
    };
    select("kind").onchange = () => this.choose(select("kind").value);
    on("width", () => this.resize("width"));
    on("height", () => this.resize("height"));
    on("any-length", (box) => question.setOpen(box.checked));
    on("period", () => {
      if (question.kind.start) question.setSteps(whole("period", question.steps));
      else this.order.set(stepsOf(question.kind), whole("period", this.order.parameters[stepsOf(question.kind)]));
    });
    on("dx", () => this.move());
    on("dy", () => this.move());
    on("rule", (field) => question.set("rule", field.value || "B3/S23"));
    const symmetry = () => question.set("symmetry",
      [select("symmetry").value, ...input("in-time").value.split(/[\s,]+/)].filter(Boolean));
    on("symmetry", symmetry, "onchange");
    on("in-time", symmetry, "onchange");
    on("population", (field) =>
      question.set("population", field.value.split(",").map((text) => text.trim()).filter(Boolean)), "onchange");
    on("strict", (box) => question.set("strict", box.checked));
    on("tight", (box) => question.set("tight", box.checked));
    pressed("include-all", () => question.edit(() => question.set("exclude", null)));
  }

  /** @param {string} name */
  async choose(name) {
    const { question } = this;
    const kind = question.kinds.of(name);
    if (kind.start) return question.edit(() => question.setKind(name));
    await this.order.begin(kind);
    this.fill();
  }

  /** @param {"width" | "height"} side */
  resize(side) {
    const { question } = this;
    if (!question.kind.start) return this.order.set(side, whole(side, this.order.parameters[side]));
    question.setSize(whole("width", question.closed[0]), whole("height", question.closed[1]));
  }

  move() {
    const [dx, dy] = [whole("dx", 0), whole("dy", 0)];
    this.question.set("displacement", dx || dy ? [dx, dy] : null);
    if (this.question.open) this.question.setOpen(true);
  }
}
