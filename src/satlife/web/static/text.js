// The question as text that can be edited, and as a command.

import { post } from "./api.js";
import { area, byId, copy, debounced, pressed } from "./dom.js";

/** JSON for people: a line a field, a line a row of cells. @param {import("./question.js").Problem} problem */
function written(problem) {
  /** @param {string[]} rows */
  const generation = (rows) => `    [${rows.map((row) => `\n      ${JSON.stringify(row)}`).join(",")}]`;
  /** @param {[string, unknown]} field */
  const line = ([name, value]) => {
    const text = name === "cells"
      ? `[\n${/** @type {string[][]} */ (value).map(generation).join(",\n")}\n  ]` : JSON.stringify(value);
    return `  ${JSON.stringify(name)}: ${text}`;
  };
  return `{\n${Object.entries(problem).map(line).join(",\n")}\n}`;
}

export class Text {
  /**
   * @param {(answer: import("./verdict.js").Answer) => void} edited what happens when somebody has written a question
   * @param {(error: unknown) => void} refuse
   */
  constructor(edited, refuse) {
    area("json").oninput = debounced(300, () => {
      post("question", { text: area("json").value }).then(edited).catch(refuse);
    });
    pressed("copy-command", () => copy(byId("command").textContent ?? ""));
  }

  /** @param {import("./question.js").Problem} problem */
  show(problem) {
    area("json").value = written(problem);
  }

  /** @param {string} command */
  showCommand(command) {
    byId("command").textContent = command;
  }
}
