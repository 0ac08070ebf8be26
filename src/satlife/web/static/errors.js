// Errors beside the fields that they are about: a sentence that assistive technology reads with the field.

import { byId, element } from "./dom.js";

export class FieldErrors {
  constructor() {
    /** @type {Map<string, string>} the field that each sentence was about, for as long as the kind of question stays */
    this.blamed = new Map();
    /** @type {{field: HTMLElement, note: HTMLElement} | null} */
    this.shown = null;
  }

  /**
   * Show an error beside a field: the one that it was about before, else the one that was edited last.
   * @param {string} words
   * @param {string | null} edited the id of a field
   * @returns {boolean} whether there is such a field in sight
   */
  show(words, edited) {
    this.clear();
    const id = this.blamed.get(words) ?? edited;
    const field = id ? document.getElementById(id) : null;
    if (!id || !field?.matches("input, select, textarea") || !field.getClientRects().length) return false;
    this.blamed.set(words, id);
    const note = element("span", { class: "field-error", id: `${id}-error`, role: "alert" }, [words]);
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", note.id);
    (field.closest("label") ?? field).after(note);
    this.shown = { field, note };
    if (document.activeElement === field) note.scrollIntoView({ block: "nearest" });
    return true;
  }

  clear() {
    if (!this.shown) return;
    this.shown.note.remove();
    this.shown.field.removeAttribute("aria-invalid");
    this.shown.field.removeAttribute("aria-describedby");
    this.shown = null;
  }

  /** Another kind of question: its errors are about other fields. */
  forget() {
    this.blamed.clear();
    this.clear();
  }
}

/** Show a message below the board. @param {string} words */
export function showMessage(words, isError = false) {
  byId("message").textContent = words;
  byId("message").classList.toggle("error", isError);
}
