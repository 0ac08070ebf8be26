// The words of the page, explained: a list that opens at the word whose "?" was pressed.

import { button, byId, element } from "./dom.js";

/** The entry of each field that has one. @type {Record<string, string>} */
const ENTRIES = {
  strict: "strict", tight: "tight", lane: "lane", phase: "phase", bounds: "bounds", ever_bounds: "bounds", changes_bounds: "bounds",
};

/** Open the glossary at a word. @param {string} word */
export function explain(word) {
  byId("glossary", HTMLDialogElement).showModal();
  for (const entry of document.querySelectorAll("#glossary dt")) entry.classList.toggle("asked", entry.id === `word-${word}`);
  byId(`word-${word}`).scrollIntoView({ block: "center" });
}

/** A "?" that explains a word. @param {string} word */
const asking = (word) => button("?", () => explain(word), `What does “${word}” mean?`, { class: "explain" });

/** A field, with a "?" beside it if its name is in the glossary. @param {string} name @param {HTMLElement} label */
export const explained = (name, label) => (ENTRIES[name] ? element("div", { class: `explained ${label.className}` }, [label, asking(ENTRIES[name])]) : label);

/** Add the "?" of what is always there. */
export function offerGlossary() {
  for (const place of document.querySelectorAll("[data-explain]")) place.append(asking(place.getAttribute("data-explain") ?? ""));
}
