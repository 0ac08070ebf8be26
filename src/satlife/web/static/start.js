// Starting searches: from the form, or from a find.

import { enter } from "./address.js";
import { post } from "./api.js";
import { byId, input, pressed, select, setText } from "./dom.js";
import { GIVEN, UNKNOWN } from "./history.js";
import { GOALS } from "./names.js";
import { showLongSearch } from "./searches.js";
import { ALIVE } from "./words.js";

/** @typedef {import("./player.js").Find} Find */
/** @typedef {{problem: import("./question.js").Problem, goal: import("./names.js").Goal, certified?: boolean}} Task */

/** Scroll to the board, unless its upper side is in sight; it lies above the form on a narrow screen. */
export function showStage() {
  const stage = byId("stage");
  if (!byId("ask").hidden && (innerWidth < 700 || stage.getBoundingClientRect().top < 0)) stage.scrollIntoView({ block: "start" });
}

/** @param {Task} task */
export async function start(task) {
  const seconds = input("time").valueAsNumber;
  await post("search", { ...task, certified: task.certified === true, time: seconds > 0 ? seconds : null });
  showStage();
}

/** The large choices: the field that one fills first, and the box and period to begin with. @type {Record<string, {field: string, box: number[], period: number}>} */
const CHOICES = {
  spaceship: { field: "speed", box: [5, 5], period: 4 }, oscillator: { field: "period", box: [9, 9], period: 3 },
  "still life": { field: "width", box: [8, 8], period: 1 },
};
const RIM = 2; // cells around a drawing in which its past may lie

/**
 * Set up the first view: what can be asked of the drawing, and the kinds that one can look for.
 * @param {import("./playground.js").Playground} playground
 * @param {import("./question.js").Question} question
 * @param {(error: unknown) => void} complain
 */
export function offerStart(playground, question, complain) {
  /** Ask a question of a kind about the drawing. @param {string} kind @param {number} rim */
  const ask = (kind, rim) => {
    const { width, height, places } = playground.drawn;
    playground.pause();
    enter();
    question.edit(() => {
      question.time = 0;
      question.load({ kind: "search", rule: "B3/S23", box: [width + 2 * rim, height + 2 * rim], generations: 1 });
      question.paint(places.map(([x, y]) => [x + rim, y + rim]), ALIVE);
      question.setKind(kind);
    });
    start({ problem: question.toProblem(), goal: GOALS.find }).catch(complain);
  };
  pressed("ask-past", () => ask("predecessor", RIM));
  pressed("ask-whole", () => ask("complete", 0));
  pressed("ask-fate", async () => {
    try {
      setText("fate", (await post("fate", { rle: playground.rle })).words);
    } catch (error) {
      setText("fate", `${error instanceof Error ? error.message : error}.`);
    }
  });
  for (const choice of byId("choices").querySelectorAll("button")) {
    const kind = choice.dataset.choice ?? "";
    const { field, box, period } = CHOICES[kind];
    choice.onclick = () => {
      enter();
      question.edit(() => {
        question.load({ rule: "B3/S23", box, period });
        question.setKind(kind);
      });
      showStage();
      byId(field).focus({ preventScroll: innerWidth < 700 });
    };
  }
}

/**
 * Set up the button of the form: it does what the menu beside it says, with what stands in the fields at that moment.
 * @param {import("./question.js").Question} question
 * @param {() => Promise<unknown>} settled ends when all that was typed is part of the question, or refused
 * @param {(error: unknown) => void} complain
 */
export function offerSearches(question, settled, complain) {
  byId("form").onsubmit = async (event) => {
    event.preventDefault();
    try {
      await settled();
    } catch (error) {
      return complain(error);
    }
    if (byId("search", HTMLButtonElement).disabled) return; // it was refused
    const wanted = select("goal").value;
    start({ problem: question.toProblem(), goal: GOALS[wanted] ?? GOALS.find, certified: wanted === "certified" }).catch(complain);
  };
}

/** A copy of the question that a find answers; for one of any length or size, that of its bounding box. @param {Find} find */
const questionOf = (find) => structuredClone(find.problem);

/** The question of a find, as it was asked, with the find excluded. @param {Find} find */
function excluding(find) {
  const problem = structuredClone(find.asked) ?? questionOf(find);
  const cells = find.rle.split("\n").filter((line) => !line.startsWith("#")).join("\n");
  return { ...problem, exclude: [...(problem.exclude ?? []), cells] };
}

/**
 * How to go on from a find: the labels of the buttons, what they do, and for which finds.
 * @param {import("./question.js").Question} question
 * @returns {import("./player.js").Action[]}
 */
export function followUps(question) {
  const closed = (/** @type {Find} */ find) => !find.open;
  const marked = (/** @type {Find} */ find) => Boolean(find.problem.catalyst);
  const excludes = (/** @type {Find} */ find) => closed(find) && !marked(find);
  return [
    ["Find another", (find) => start({ problem: excluding(find), goal: GOALS.find }), excludes],
    ["Exclude this", (find) => question.edit(() => question.load(excluding(find))), excludes],
    ["One of each", (find) => start({ problem: questionOf(find), goal: GOALS.all }), marked],
    ["Fewest cells", (find) => start({ problem: questionOf(find), goal: GOALS.minimize }), closed],
    ["Edit", (find) => edit(question, find), closed],
    ["All, as a long search…", (find) => showLongSearch(find.long ?? ""), (find) => Boolean(find.long) && !find.open],
  ];
}

/**
 * Load the question of a find into the editor, with the cells of the find painted.
 * @param {import("./question.js").Question} question
 * @param {Find} find
 */
function edit(question, find) {
  question.edit(() => {
    question.time = 0;
    question.load({ ...questionOf(find), exclude: undefined });
    find.start.forEach((row, y) => row.forEach((state, x) => {
      if (!question.marked) state && question.paint([[x, y]], String(state));
      else if (state && question.word(x, y) === UNKNOWN) question.paint([[x, y]], GIVEN);
    }));
  });
}
