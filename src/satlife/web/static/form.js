// The form: it shows the fields of the question, and edits them.

import { Refused, post } from "./api.js";
import { allow, byId, debounced, element, input, pressed, select } from "./dom.js";
import { explained } from "./glossary.js";
import { hasAnySize, takes } from "./kinds.js";
import { fieldsOf, stepsOf } from "./family.js";
import { capitalised, kindName, speedOf } from "./names.js";
import { Pad, directed, turned } from "./pad.js";
import { isProvable } from "./question.js";
import { showSymmetry } from "./symmetry.js";

/** Write into a field, unless it has the focus. @param {string} id @param {string | number} value */
function put(id, value) {
  const field = /** @type {HTMLInputElement | HTMLSelectElement} */ (byId(id));
  if (document.activeElement !== field) field.value = String(value);
}

/** The whole number in a field, or a default. @template T @param {string} id @param {T} fallback */
function whole(id, fallback) {
  const value = input(id).valueAsNumber;
  return Number.isInteger(value) ? value : fallback;
}

/** @param {string} selector @param {(field: HTMLElement) => void} action */
const each = (selector, action) => document.querySelectorAll(selector).forEach((field) =>
  action(/** @type {HTMLElement} */ (field)));

/** What stands between the values of a condition. @param {string} metavar */
const separator = (metavar) => (metavar.includes(",") ? ";" : ",");

/** The attributes of the fields of parameters, by their kinds. @type {Record<string, Record<string, string>>} */
const INPUTS = { integer: { type: "number" }, flag: { type: "checkbox" }, bound: { placeholder: "0..100" }, box: { placeholder: "5x5" }, words: { placeholder: "2,2 -2,-2" } };

/**
 * What the menu beside Search offers: what to do, and in words.
 * @type {[action: string, words: string][]}
 */
const GOALS = [
  ["find", "Any one"], ["certified", "Any one, with certificate"], ["minimize", "Fewest cells"], ["maximize", "Most cells"],
  ["all", "One of each"], ["atlas", "Minimal boxes"],
];

export class Form {
  /**
   * @param {import("./question.js").Question} question
   * @param {import("./family.js").FamilyQuestion} family
   * @param {import("./board.js").Board} board
   * @param {(error: unknown, field?: string) => void} refuse
   */
  constructor(question, family, board, refuse) {
    this.question = question;
    this.family = family;
    this.board = board;
    this.refuse = refuse;
    /** @type {import("./kinds.js").Kind | null} the kind for whose parameters there are fields */
    this.offered = null;
    this.pad = new Pad((direction) => this.head(direction));
    /** @type {string | null} a speed that was typed, and is not yet that of the question */
    this.typed = null;
    this.typedAfter = 0; // so many questions were loaded: it is about the last of them
    this.speedSoon = debounced(250, () => this.setSpeed());
    this.listen();
  }

  /** Fill the list of kinds. */
  offer() {
    const options = this.question.kinds.names.map((name) => element("option", { value: name }, [kindName(name)]));
    select("kind").replaceChildren(...options);
    byId("conditions").replaceChildren(...this.question.kinds.conditions.map((condition) => this.field(condition)));
  }

  /** The field of a condition: a box to check, or a text with values. @param {import("./kinds.js").Condition} condition */
  field({ name, help, metavar }) {
    const { question } = this;
    const box = element("input", metavar ? { id: name, placeholder: metavar, spellcheck: "false" } : { id: name, type: "checkbox" });
    const between = separator(metavar);
    const value = () => (metavar ? box.value.split(between).map((text) => text.trim()).filter(Boolean) : box.checked);
    box.onchange = () => question.edit(() => question.set(/** @type {any} */ (name), value()), name);
    const label = metavar ? element("label", { class: "wide" }, [help, " ", box]) : element("label", { class: "check" }, [box, ` ${capitalised(name)}: ${help.charAt(0).toLowerCase()}${help.slice(1)}`]);
    return explained(name, label);
  }

  fillConditions() {
    const asked = /** @type {Record<string, any>} */ (this.question.problem);
    for (const { name, metavar } of this.question.kinds.conditions) {
      if (metavar) put(name, (asked[name] ?? []).join(`${separator(metavar)} `));
      else input(name).checked = Boolean(asked[name]);
    }
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
    this.fillConditions();
    const excluded = problem.exclude?.length ?? 0;
    byId("excluded").textContent = excluded ? `${excluded} pattern${excluded > 1 ? "s" : ""}` : "none";
    byId("include-all").hidden = !excluded;
    this.fillTools();
    this.fillActions();
  }

  /** Offer what can be asked: catalysts have conditions of their own, and a list of each. */
  fillActions() {
    const { marked, open, problem } = this.question;
    for (const id of ["symmetry-field", "any-conditions"]) byId(id).hidden = marked;
    const whole = !open && !marked && !problem.margin;
    /** @type {Record<string, boolean>} */
    const offered = { find: true, certified: isProvable(problem), minimize: !open, maximize: whole, all: marked, atlas: whole };
    const goals = GOALS.filter(([action]) => offered[action]);
    const menu = select("goal");
    const before = menu.value;
    if (goals.map(([action]) => action).join() !== [...menu.options].map(({ value }) => value).join()) {
      menu.replaceChildren(...goals.map(([action, words]) => element("option", { value: action }, [words])));
      menu.value = offered[before] ? before : "find";
    }
    menu.hidden = goals.length < 2;
  }

  fillSize() {
    const { question, family } = this;
    const { kind, open, anySize } = question;
    const { box, multiples } = question.problem;
    const { width, height } = kind.start || kind.marks ? { width: question.closed[0], height: question.closed[1] } : family.parameters;
    put("width", width);
    put("height", height);
    byId("width-field").hidden = !box || box[0] === "*";
    byId("height-field").hidden = !box || box[1] === "*";
    const opens = kind.parameters.some((parameter) => parameter.kind === "open box");
    byId("any-length-field").hidden = !opens || anySize;
    input("any-length").checked = open;
    byId("dies-field").hidden = !takes(kind, "dies");
    input("dies").checked = question.dies;
    byId("any-size-field").hidden = !anySize && (!hasAnySize(kind) || open);
    input("any-size").checked = anySize;
    byId("multiples-field").hidden = !question.isShip;
    input("multiples").checked = Boolean(multiples);
    const follows = kind.parameters.some(({ name, required }) => name === "displacement" && required);
    const place = byId(follows ? "numbers" : "sizes");
    if (byId("period-field").parentElement !== place) place.insertBefore(byId("period-field"), follows ? null : byId("any-length-field"));
    byId("period-field").hidden = !takes(kind, "period", "generations");
    byId("period-name").textContent = kind.steps ?? (question.periodic ? "Period" : "Generations");
    put("period", kind.start ? question.steps : family.parameters[stepsOf(kind)] ?? "");
  }

  fillMotion() {
    const { kind, problem } = this.question;
    this.offerParameters();
    for (const { name, kind: type } of fieldsOf(kind)) {
      const value = this.family.parameters[name];
      if (type === "flag") input(name).checked = value === true;
      else put(name, value ?? "");
    }
    each(".moves", (field) => { field.hidden = !kind.start || !takes(kind, "displacement") || this.question.dies; });
    put("dx", problem.displacement?.[0] ?? 0);
    put("dy", problem.displacement?.[1] ?? 0);
    this.pad.show(problem.displacement ?? [0, 0]);
    if (this.typedAfter !== this.question.loads) this.typed = null; // another question was loaded
    if (this.typed === null) put("speed", problem.displacement?.some(Boolean) ? speedOf(problem.displacement, this.question.steps) : "");
  }

  /** Add fields for the parameters of a kind whose questions the server builds. */
  offerParameters() {
    const { kind } = this.question;
    if (kind === this.offered) return;
    this.offered = kind;
    each(".parameter", (field) => field.remove());
    for (const parameter of fieldsOf(kind)) {
      const shown = !kind.labels || parameter.name in kind.labels;
      if (shown) byId("any-length-field").before(this.parameterField(parameter));
      else byId("parameters").append(this.parameterField(parameter));
    }
  }

  /** The field of a parameter, with its label. @param {import("./kinds.js").Parameter} parameter */
  parameterField({ name, kind: type, help: written, choices, default: usual }) {
    const help = written.replaceAll("\\[", "[");
    const options = choices.map((choice) => element("option", { value: choice }, [choice]));
    const field = options.length
      ? element("select", { id: name, title: help }, options)
      : element("input", { id: name, title: help, ...INPUTS[type] });
    const typed = () => (type === "flag" ? input(name).checked : field.value.trim() || null);
    const number = () => (field.value === "" && usual === null ? null : whole(name, this.family.parameters[name] ?? null));
    field.oninput = () => this.question.edit(() => this.family.set(name, type === "integer" ? number() : typed()), name);
    const words = this.question.kind.labels?.[name] ?? `${name[0].toUpperCase()}${name.slice(1).replaceAll("_", " ")}`;
    return explained(name, type === "flag"
      ? element("label", { class: "parameter check" }, [field, ` ${words}`])
      : element("label", { class: "parameter" }, [`${words} `, field]));
  }

  /** The first spatial symmetry is chosen from a list; further ones, and those in space-time, are typed. */
  fillSymmetry() {
    /** @type {string[][]} */
    const [spatial, timed] = [[], []];
    for (const name of this.question.problem.symmetry ?? []) (name.includes("@") ? timed : spatial).push(name);
    const inList = [...select("symmetry").options].some((option) => option.value === spatial[0]);
    if (!inList) timed.unshift(...spatial.splice(0));
    put("symmetry", spatial[0] ?? "");
    showSymmetry();
    put("in-time", [...spatial.slice(1), ...timed].join(" "));
  }

  /** Show the generation above the board, and enable the tools that apply. */
  fillTools() {
    const { question } = this;
    const { open, anySize, time, last } = question;
    byId("generation").textContent = anySize
      ? "boxes grow until something is found"
      : open
      ? "patterns of any length are found row by row"
      : !this.board.drawn
      ? "too large to be drawn"
      : last ? `generation ${time} of ${last}${question.atTarget ? ": the pattern itself" : ""}` : "";
    allow("before", !open && time > 0);
    allow("after", !open && time < last);
    byId("before").hidden = byId("after").hidden = open || !last;
    const painted = !open && question.cells.some((rows) => rows?.some((row) => row?.some((word) => word !== question.unpainted)));
    for (const id of ["brushes", "rectangle", "paste"]) byId(id).hidden = open;
    for (const id of ["clear", "export"]) byId(id).hidden = !painted;
    if (open) input("name").hidden = true;
    byId("undo").hidden = !question.past.length;
    byId("redo").hidden = !question.future.length;
  }

  listen() {
    const { question } = this;
    /** @param {string} id @param {(field: HTMLInputElement) => void} action @param {"oninput" | "onchange"} type */
    const on = (id, action, type = "oninput") => {
      const field = /** @type {HTMLInputElement} */ (byId(id));
      field[type] = () => {
        if (field.type === "number" && !Number.isInteger(field.valueAsNumber)) this.refuse(new Refused("a whole number is missing here"), id);
        else question.edit(() => action(field), id);
      };
    };
    select("kind").onchange = () => this.choose(select("kind").value);
    on("width", () => this.resize("width"));
    on("height", () => this.resize("height"));
    on("any-length", (box) => question.setOpen(box.checked));
    on("dies", (box) => question.setDies(box.checked));
    on("any-size", (box) => question.setAnySize(box.checked));
    on("multiples", (box) => question.set("multiples", box.checked));
    on("period", () => {
      question.set("multiples", null); // a period that is given is meant
      if (question.kind.start) question.setSteps(whole("period", question.steps));
      else this.family.set(stepsOf(question.kind), whole("period", this.family.parameters[stepsOf(question.kind)]));
    });
    input("speed").oninput = () => {
      this.typed = input("speed").value;
      this.typedAfter = question.loads;
      this.speedSoon();
    };
    on("dx", () => this.move());
    on("dy", () => this.move());
    on("rule", (field) => question.set("rule", field.value || "B3/S23"));
    const symmetry = () => question.set("symmetry",
      [select("symmetry").value, ...input("in-time").value.split(/[\s,]+/)].filter(Boolean));
    on("symmetry", symmetry, "onchange");
    on("in-time", symmetry, "onchange");
    pressed("include-all", () => question.edit(() => question.set("exclude", null)));
  }

  /** @param {string} name */
  async choose(name) {
    const { question } = this;
    const kind = question.kinds.of(name);
    if (kind.start) return question.edit(() => question.setKind(name));
    await this.family.begin(kind);
    this.fill();
  }

  /** @param {"width" | "height"} side */
  resize(side) {
    const { question } = this;
    if (!question.kind.start && !question.marked) return this.family.set(side, whole(side, this.family.parameters[side]));
    question.setSize(whole("width", question.closed[0]), whole("height", question.closed[1]));
  }

  /** Ends when what was typed is part of the question, or refused. */
  async settle() {
    await Promise.all([this.speedSoon.now(), this.family.sendSoon.now()]);
  }

  /** Take period and displacement from the speed that was typed, such as c/3. */
  async setSpeed() {
    const text = this.typed;
    if (text === null) return;
    try {
      if (!text.trim()) throw new Refused("a speed is missing, such as c/3");
      const { displacement, period } = await post("speed", { speed: text });
      if (text !== this.typed) return; // another one was typed meanwhile
      this.typed = null;
      this.question.edit(() => {
        this.question.setSteps(period);
        this.question.set("displacement", directed(text, displacement, this.question.problem.displacement ?? [0, 0]));
        if (this.question.isShip) this.question.set("multiples", true);
        this.turn();
      }, "speed");
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (text !== this.typed) return;
      this.typed = null;
      this.refuse(error, "speed");
    }
  }

  /** Turn the ship. @param {number[]} direction */
  head(direction) {
    const { question } = this;
    question.edit(() => {
      question.set("displacement", turned(question.problem.displacement ?? [0, 0], direction));
      this.turn();
    }, "pad");
  }

  move() {
    const [dx, dy] = [whole("dx", 0), whole("dy", 0)];
    this.question.set("displacement", dx || dy ? [dx, dy] : null);
    if (!dx && !dy) this.question.set("multiples", null);
    this.turn();
  }

  /** The ship moves otherwise: a box without end turns with it. */
  turn() {
    if (this.question.open && !this.question.anySize) this.question.setOpen(true);
  }
}
