// Starting searches: from the form, and with what a find suggests.

import { post } from "./api.js";
import { byId, input, pressed } from "./dom.js";

/** @typedef {import("./player.js").Find} Find */
/** @typedef {{problem: import("./question.js").Problem, do: string, certified?: boolean}} Task */

/** On a narrow screen the results lie below the form. */
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
 * The buttons of the form.
 * @param {import("./question.js").Question} question
 * @param {(error: unknown) => void} refuse
 */
export function offerSearches(question, refuse) {
  const begin = (/** @type {string} */ deed) => start({ problem: question.toProblem(), do: deed }).catch(refuse);
  byId("form").onsubmit = (event) => {
    event.preventDefault();
    begin("find");
  };
  pressed("fewest", () => begin("minimize"));
  pressed("most", () => begin("maximize"));
}

/** The question that a find answers: of a ship of any length, that of its box. @param {Find} find */
const asked = (find) => structuredClone(find.problem);

/** @param {Find} find */
function excluding(find) {
  const problem = asked(find);
  const cells = find.rle.split("\n").filter((line) => !line.startsWith("#")).join("\n");
  return { ...problem, exclude: [...(problem.exclude ?? []), cells] };
}

/**
 * What can be done with a find, by the words on its buttons.
 * @param {import("./question.js").Question} question
 * @returns {Record<string, (find: Find) => void | Promise<void>>}
 */
export const followUps = (question) => ({
  "Find another": (find) => start({ problem: excluding(find), do: "find" }),
  "Exclude this": (find) => question.edit(() => question.load(excluding(find))),
  "Fewest cells": (find) => start({ problem: asked(find), do: "minimize" }),
  Edit: (find) => edit(question, find),
});

/**
 * Put the live cells of a find into the editor, where they lie; what was asked stays.
 * @param {import("./question.js").Question} question
 * @param {Find} find
 */
function edit(question, find) {
  question.edit(() => {
    question.time = 0;
    question.load({ ...asked(find), exclude: undefined });
    find.start.forEach((row, y) => row.forEach((state, x) => state && question.paint([[x, y]], String(state))));
  });
}
