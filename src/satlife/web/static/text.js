// The question as JSON that can be edited, and as a shell command.

import { post } from "./api.js";
import { area, byId, copy, debounced, pressed } from "./dom.js";

/** JSON with one line for each field and each row of cells. @param {import("./question.js").Problem} problem */
function format(problem) {
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
   * @param {(described: import("./validation.js").Description) => void} edited called with a valid question that was typed
   * @param {(error: unknown, field: string) => void} refuse called with the error of an invalid one
   */
  constructor(edited, refuse) {
    this.soon = debounced(300, () => post("question", { text: area("json").value }).then(edited).catch((error) => refuse(error, "json")));
    area("json").oninput = () => this.soon();
    pressed("copy-command", () => copy(byId("command").textContent ?? ""));
  }

  /** @param {import("./question.js").Problem} problem */
  show(problem) {
    area("json").value = format(problem);
  }

  /** @param {string} command */
  showCommand(command) {
    byId("command").textContent = command;
  }
}
