// Starting searches: from the form, or from a find.

import { post } from "./api.js";
import { byId, input, pressed } from "./dom.js";

/** @typedef {import("./player.js").Find} Find */
/** @typedef {{problem: import("./question.js").Problem, do: string, certified?: boolean}} Task */

/** Scroll to the results, which lie below the form on a narrow screen. */
export function showResults() {
  if (innerWidth < 1000) byId("results").scrollIntoView({ block: "start" });
}

/** @param {Task} task */
export async function start(task) {
  const seconds = input("time").valueAsNumber;
  const open = task.problem.box.includes("*");
  const certified = task.certified ?? (task.do === "find" && input("certified").checked && !open);
  await post("search", { ...task, certified, time: seconds > 0 ? seconds : null });
  showResults();
}

/**
 * Set up the buttons of the form.
 * @param {import("./question.js").Question} question
 * @param {(error: unknown) => void} refuse
 */
export function offerSearches(question, refuse) {
  const begin = (/** @type {string} */ action) => start({ problem: question.toProblem(), do: action }).catch(refuse);
  byId("form").onsubmit = (event) => {
    event.preventDefault();
    begin("find");
  };
  pressed("fewest", () => begin("minimize"));
  pressed("most", () => begin("maximize"));
}

/** A copy of the question that a find answers; for a ship of any length, that of its bounding box. @param {Find} find */
const questionOf = (find) => structuredClone(find.problem);

/** The question of a find with the find excluded. @param {Find} find */
function excluding(find) {
  const problem = questionOf(find);
  const cells = find.rle.split("\n").filter((line) => !line.startsWith("#")).join("\n");
  return { ...problem, exclude: [...(problem.exclude ?? []), cells] };
}

/**
 * What can be done with a find, by the labels of the buttons.
 * @param {import("./question.js").Question} question
 * @returns {Record<string, (find: Find) => void | Promise<void>>}
 */
export const followUps = (question) => ({
  "Find another": (find) => start({ problem: excluding(find), do: "find" }),
  "Exclude this": (find) => question.edit(() => question.load(excluding(find))),
  "Fewest cells": (find) => start({ problem: questionOf(find), do: "minimize" }),
  Edit: (find) => edit(question, find),
});

/**
 * Load the question of a find into the editor, with the cells of the find painted.
 * @param {import("./question.js").Question} question
 * @param {Find} find
 */
function edit(question, find) {
  question.edit(() => {
    question.time = 0;
    question.load({ ...questionOf(find), exclude: undefined });
    find.start.forEach((row, y) => row.forEach((state, x) => state && question.paint([[x, y]], String(state))));
  });
}
