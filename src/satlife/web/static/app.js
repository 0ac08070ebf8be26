// The page: the form, the editor and the results, tied together.

import { Refused, listen, post } from "./api.js";
import { Board } from "./board.js";
import { isDark } from "./cells.js";
import { button, byId, copy, debounced, element } from "./dom.js";
import { Catalogue } from "./finds.js";
import { showGallery } from "./gallery.js";
import { Player } from "./player.js";
import { ANY, FREE, KINDS, Question } from "./question.js";
import { Searches } from "./searches.js";

const BRUSHES = [["1", "Alive", 1], ["0", "Dead", 0], [FREE, "Free", 2], [ANY, "Any", 4], ["name", "Same", 3]];

const question = new Question(() => changed());
const board = new Board(question);
const player = new Player(byId("player"), {
  "Find another": (find) => start({ problem: excluding(find), do: "find" }),
  "Exclude this": (find) => question.edit(() => question.load(excluding(find))),
  "Fewest cells": (find) => start({ problem: asked(find), do: "minimize" }),
  Edit: (find) => edit(find),
});
const searches = new Searches((find) => {
  player.show(find);
  if (innerWidth < 1000 && !byId("ask").hidden) byId("results").scrollIntoView({ block: "start" });
}, start);
const catalogue = new Catalogue((find) => {
  location.hash = "#ask";
  player.show(find);
});

// What happens when the question changes: the form, the picture and the link follow, and the server has a look at it.
function changed(except) {
  fill();
  board.draw();
  link();
  check(except);
}

let asking = 0;
const check = debounced(120, async (except) => {
  const mine = ++asking;
  try {
    const answer = await post("question", { problem: question.toProblem() });
    if (mine !== asking) return;
    settle(answer, except);
  } catch (error) {
    if (mine === asking) refuse(error);
  }
});

function settle({ command, problem, literals, variables, contradiction }, except) {
  const times = question.last ? ` in ${question.last + 1} generations` : "";
  const free = variables === undefined ? "" : `${variables} cells${times} are left to the solver.`;
  const copies = question.problem.symmetry?.length ? " Pale cells are copies by symmetry." : "";
  say(contradiction ? `This contradicts itself: ${contradiction}.` : free + copies, Boolean(contradiction));
  byId("command").textContent = command;
  if (except !== "json") byId("json").value = written(problem);
  board.setLiterals(literals);
  for (const id of ["search", "fewest", "most"]) byId(id).disabled = id !== "search" && question.open;
}

function refuse(error) {
  if (!(error instanceof Refused)) throw error;
  say(`${error.message}.`, true);
  byId("command").textContent = "";
  board.setLiterals(null);
  for (const id of ["search", "fewest", "most"]) byId(id).disabled = true;
}

function say(words, bad = false) {
  byId("message").textContent = words;
  byId("message").classList.toggle("error", bad);
}

/** JSON for people: a line a field, a line a row of cells. */
function written(problem) {
  const line = ([name, value]) => {
    const text = name === "cells"
      ? `[\n${value.map((rows) => `    [${rows.map((row) => `\n      ${JSON.stringify(row)}`).join(",")}]`).join(",\n")}\n  ]`
      : JSON.stringify(value);
    return `  ${JSON.stringify(name)}: ${text}`;
  };
  return `{\n${Object.entries(problem).map(line).join(",\n")}\n}`;
}

/** Show the question in the form. */
function fill() {
  const { problem, kind } = question;
  const set = (id, value) => {
    if (document.activeElement !== byId(id) || byId(id).type === "checkbox") byId(id).value = value ?? "";
  };
  set("kind", kind);
  byId("kind-words").textContent = KINDS[kind].words;
  const eats = kind === "eater";
  const [width, height] = eats ? [meal.width, meal.height] : question.open ? question.closed : problem.box;
  set("width", width);
  set("height", height);
  byId("width").disabled = question.width === "*";
  byId("height").disabled = question.height === "*";
  byId("any-length-field").classList.toggle("unused", kind !== "spaceship");
  byId("any-length").checked = question.open;
  byId("period-field").classList.toggle("unused", kind === "still life" || kind === "orphan");
  byId("period-name").textContent = eats ? "Meal" : question.periodic ? "Period" : "Generations";
  set("period", eats ? meal.generations : question.steps);
  for (const field of document.querySelectorAll(".eats")) field.hidden = !eats;
  set("lane", meal.lane);
  set("phase", meal.phase);
  const moves = ["spaceship", "torus", "wave"].includes(kind);
  for (const field of document.querySelectorAll(".moves")) {
    field.hidden = eats;
    field.classList.toggle("unused", !moves);
  }
  set("dx", problem.displacement?.[0] ?? 0);
  set("dy", problem.displacement?.[1] ?? 0);
  set("rule", problem.rule);
  const [still, timed] = [[], []];
  for (const name of problem.symmetry ?? []) (name.includes("@") ? timed : still).push(name);
  if (still.length && ![...byId("symmetry").options].some((option) => option.value === still[0])) timed.unshift(...still.splice(0));
  set("symmetry", still[0] ?? "");
  set("in-time", [...still.slice(1), ...timed].join(" "));
  set("population", (problem.population ?? []).join(", "));
  byId("strict").checked = Boolean(problem.strict);
  byId("tight").checked = Boolean(problem.tight);
  const excluded = problem.exclude?.length ?? 0;
  byId("excluded").textContent = excluded ? `${excluded} pattern${excluded > 1 ? "s" : ""}` : "none";
  byId("include-all").hidden = !excluded;
  const target = ["predecessor", "orphan"].includes(kind) && question.time === question.last ? ": the pattern itself" : "";
  byId("generation").textContent = question.open
    ? "ships of any length are found row by row"
    : question.width * question.height > 40_000 ? "too large to be drawn" : `generation ${question.time} of 0 to ${question.last}${target}`;
  byId("before").disabled = question.open || question.time === 0;
  byId("after").disabled = question.open || question.time === question.last;
  for (const id of ["rectangle", "clear", "paste", "export"]) byId(id).disabled = question.open;
  byId("undo").disabled = !question.past.length;
  byId("redo").disabled = !question.future.length;
}

// The form.
const on = (id, deed, type = "oninput") => {
  byId(id)[type] = () => question.edit(() => deed(byId(id)), id);
};
const whole = (id, otherwise) => (Number.isInteger(byId(id).valueAsNumber) ? byId(id).valueAsNumber : otherwise);

/** An eater is made by the server, which knows where the glider flies. */
let meal = { width: 8, height: 8, generations: 5, lane: 0, phase: 0 };
const cook = debounced(150, () => serveMeal());
function order(name, id = name) {
  meal[name] = whole(id, meal[name]);
  cook();
}
/** A question from elsewhere; where its glider flies we do not know, unless it is the usual one. */
function adopt(problem) {
  question.load(problem);
  if (question.kind !== "eater") return;
  meal = { width: question.width - 1, height: question.height - 1, generations: question.steps - 5, lane: 0, phase: 0 };
}
async function serveMeal() {
  try {
    const { problem } = await post("question", { family: "eater", rule: question.problem.rule, ...meal });
    question.edit(() => {
      question.time = 0;
      question.load(problem);
    }, "eater");
  } catch (error) {
    refuse(error);
  }
}

byId("kind").append(...Object.keys(KINDS).map((kind) => element("option", { value: kind }, [kind])));
byId("kind").onchange = async () => {
  const kind = byId("kind").value;
  if (!KINDS[kind].family) return question.edit(() => question.setKind(kind));
  meal = { width: 8, height: 8, generations: 5, lane: 0, phase: 0 };
  await serveMeal();
  fill();
};
const size = (input) => {
  if (question.kind === "eater") return order(input.id);
  const [width, height] = [whole("width", question.width), whole("height", question.height)];
  question.setSize(question.width === "*" ? "*" : width, question.height === "*" ? "*" : height);
};
on("width", size);
on("height", size);
on("lane", () => order("lane"));
on("phase", () => order("phase"));
on("any-length", (box) => question.setOpen(box.checked));
on("period", () => (question.kind === "eater" ? order("generations", "period") : question.setSteps(whole("period", question.steps))));
const displacement = () => {
  const [dx, dy] = [whole("dx", 0), whole("dy", 0)];
  question.set("displacement", dx || dy ? [dx, dy] : null);
  if (question.open) question.setOpen(true);
};
on("dx", displacement);
on("dy", displacement);
on("rule", (input) => question.set("rule", input.value || "B3/S23"));
const symmetry = () => question.set("symmetry",
  [byId("symmetry").value, ...byId("in-time").value.split(/[\s,]+/)].filter(Boolean));
on("symmetry", symmetry, "onchange");
on("in-time", symmetry, "onchange");
on("population", (input) => question.set("population", input.value.split(",").map((text) => text.trim()).filter(Boolean)), "onchange");
on("strict", (box) => question.set("strict", box.checked));
on("tight", (box) => question.set("tight", box.checked));
byId("include-all").onclick = () => question.edit(() => question.set("exclude", null));

// Searching.
async function start(what) {
  const seconds = byId("time").valueAsNumber;
  const open = what.problem.box.includes("*");
  const certified = what.certified ?? (what.do === "find" && byId("certified").checked && !open);
  await post("search", { ...what, certified, time: seconds > 0 ? seconds : null });
  if (innerWidth < 1000) byId("results").scrollIntoView({ block: "start" });
}
const begin = (deed) => start({ problem: question.toProblem(), do: deed }).catch(refuse);
byId("form").onsubmit = (event) => {
  event.preventDefault();
  begin("find");
};
byId("fewest").onclick = () => begin("minimize");
byId("most").onclick = () => begin("maximize");

/** The question that a find answers: of a ship of any length, that of its box. */
const asked = (find) => structuredClone(find.problem);

function excluding(find) {
  const problem = asked(find);
  problem.exclude = [...(problem.exclude ?? []), find.rle.split("\n").filter((line) => !line.startsWith("#")).join("\n")];
  return problem;
}

/** Put the live cells of a find into the editor, where they lie; what was asked stays. */
function edit(find) {
  question.edit(() => {
    question.time = 0;
    question.load({ ...asked(find), exclude: undefined });
    find.start.forEach((row, y) => row.forEach((state, x) => state && question.paint([[x, y]], String(state))));
  });
}

// Editing.
function choose(brush) {
  board.brush = brush === "name" ? byId("name").value || "a" : brush;
  for (const choice of byId("brushes").children) choice.setAttribute("aria-pressed", String(choice.dataset.brush === brush));
}
for (const [brush, words, number] of BRUSHES) {
  const choice = button("", () => choose(brush), `${words} (${brush === ANY ? "?" : brush})`, { "data-brush": brush });
  choice.append(element("i", { class: `b${number}` }), words);
  byId("brushes").append(choice);
}
byId("name").oninput = () => choose("name");
byId("name").onfocus = () => choose("name");
choose("1");
function rectangles(wanted = !board.rectangles) {
  board.rectangles = wanted;
  byId("rectangle").setAttribute("aria-pressed", String(wanted));
}
byId("rectangle").onclick = () => rectangles();
byId("undo").onclick = () => question.undo();
byId("redo").onclick = () => question.redo();
byId("clear").onclick = () => question.edit(() => {
  if (question.kind === "eater") serveMeal();
  else if (!KINDS[question.kind].target) question.cells = [];
  else {
    question.cells = [];
    question.setKind(question.kind);
  }
});
function turn(by) {
  question.time = Math.max(0, Math.min(question.last, question.time + by));
  fill();
  board.draw();
  link();
}
byId("before").onclick = () => turn(-1);
byId("after").onclick = () => turn(1);

/** Put a pattern into the generation that is shown; the box grows if it must. */
async function put(text) {
  const { cells, rule } = await post("pattern", { rle: text });
  const [tall, wide] = [cells.length, cells[0]?.length ?? 0];
  const rim = question.kind === "orphan" ? 2 : 0;
  question.edit(() => {
    if (rule) question.set("rule", rule);
    question.setSize(Math.max(question.width, wide + rim), Math.max(question.height, tall + rim));
    question.cells[question.time] = undefined;
    if (KINDS[question.kind].target && question.time === question.last) {
      question.cells = [];
      question.setKind(question.kind);
    }
    const dead = question.blank(question.time) === FREE ? FREE : "0";
    const [left, top] = [Math.floor((question.width - wide) / 2), Math.floor((question.height - tall) / 2)];
    const words = { 0: dead, 255: ANY };
    cells.forEach((row, y) => row.forEach((state, x) =>
      question.paint([[left + x, top + y]], words[state] ?? String(state))));
  });
}
byId("paste").onclick = () => {
  byId("paste-error").textContent = "";
  byId("paste-dialog").showModal();
};
byId("paste-file").onchange = async () => {
  byId("paste-text").value = (await byId("paste-file").files[0]?.text()) ?? "";
};
byId("paste-ok").onclick = async () => {
  try {
    await put(byId("paste-text").value);
    byId("paste-dialog").close();
  } catch (error) {
    byId("paste-error").textContent = error.message;
  }
};
async function exported() {
  byId("export-text").value = (await post("pattern", { rle: question.rle(), to: byId("export-kind").value })).text;
}
byId("export").onclick = () => exported().then(() => byId("export-dialog").showModal(), refuse);
byId("export-kind").onchange = () => exported().catch(refuse);
byId("export-copy").onclick = () => copy(byId("export-text").value);
byId("copy-command").onclick = () => copy(byId("command").textContent);

// The question as text.
byId("json").oninput = debounced(300, async () => {
  try {
    const answer = await post("question", { text: byId("json").value });
    question.remember();
    adopt(answer.problem);
    fill();
    board.draw();
    link();
    settle(answer, "json");
  } catch (error) {
    refuse(error);
  }
});

// Links: the question is in the fragment of the address.
const encode = (text) => btoa([...new TextEncoder().encode(text)].map((byte) => String.fromCharCode(byte)).join(""))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const decode = (text) => new TextDecoder().decode(
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0)));

const link = debounced(150, () => { // browsers do not like it more often
  if (byId("ask").hidden) return;
  const text = JSON.stringify({ problem: question.toProblem(), time: question.time });
  try {
    sessionStorage.setItem("satlife-question", text);
  } catch {
    // No room for it; the address may still have some.
  }
  const state = encode(text);
  history.replaceState(null, "", state.length < 30000 ? `#q=${state}` : "#ask");
});

function view() {
  const name = ["gallery", "finds"].find((known) => location.hash === `#${known}`) ?? "ask";
  for (const place of document.querySelectorAll(".view")) place.hidden = place.id !== name;
  for (const item of document.querySelectorAll("nav a")) {
    if (item.dataset.view === name) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
  }
  if (name === "finds") catalogue.load();
  if (name === "gallery") showGallery(runExample).catch(refuse);
  if (name === "ask") board.draw();
}

function runExample(example, now) {
  history.pushState(null, "", "#ask");
  question.edit(() => {
    question.time = 0;
    adopt(example.problem);
    if (["predecessor", "orphan"].includes(question.kind)) question.time = question.last;
  });
  view();
  if (now) start({ problem: example.problem, do: example.do, certified: example.certified === true }).catch(refuse);
}

/** Take the question from the address, or the one this tab had; the server says whether it is one. */
async function follow() {
  view();
  try {
    const text = location.hash.startsWith("#q=") ? decode(location.hash.slice(3)) : sessionStorage.getItem("satlife-question");
    if (text) {
      sessionStorage.setItem("satlife-question", text); // for when the token comes later
      const { problem, time } = JSON.parse(text);
      const answer = await post("question", { problem });
      question.time = 0;
      adopt(answer.problem);
      question.time = Math.max(0, Math.min(question.last, Number(time) || 0));
    }
  } catch (error) {
    fill();
    say(error instanceof Refused ? `${error.message}.` : "This link cannot be read; it is cut off, perhaps.", true);
    return;
  }
  changed();
}
window.onhashchange = () => (location.hash.startsWith("#q=") ? follow() : view());

// What the server refuses without anybody waiting for it is said all the same.
window.onunhandledrejection = (event) => {
  if (!(event.reason instanceof Refused)) return;
  event.preventDefault();
  refuse(event.reason);
};

// Keys.
document.onkeydown = (event) => {
  const typing = event.target.closest("input, textarea, select, dialog[open]");
  if ((event.ctrlKey || event.metaKey) && !typing) {
    const deed = { z: () => question.undo(), y: () => question.redo() }[event.key.toLowerCase()];
    if (deed) event.preventDefault();
    deed?.();
    return;
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const onBoard = event.target === board.canvas;
  const turning = { ",": -1, ".": 1 }[event.key];
  let used = true;
  if (onBoard && turning) turn(turning);
  else if (onBoard && event.key === "B") rectangles();
  else if (onBoard) used = board.key(event);
  else if (event.target.closest("button, a, summary, [tabindex]") && [" ", "Enter"].includes(event.key)) used = false;
  else used = !byId("ask").hidden && player.key(event);
  if (used) event.preventDefault();
};
byId("keys-button").onclick = () => byId("keys").showModal();

// Light and dark.
const saved = localStorage.getItem("satlife-theme");
if (saved) document.documentElement.dataset.theme = saved;
byId("theme").onclick = () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  localStorage.setItem("satlife-theme", document.documentElement.dataset.theme);
  board.draw();
  player.draw();
};
matchMedia("(prefers-color-scheme: dark)").onchange = () => {
  board.draw();
  player.draw();
};

follow();
listen((news) => searches.hear(news), () => searches.lost());
