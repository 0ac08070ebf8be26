// The address of the page: its fragment names what is shown, so that Back, Forward, a reload and a link lead to it again.
// #start, #finds, #gallery and the like are views, #find=7 is a find that was kept, #q=... a question, and with &answer=7
// the answer of search 7 to it.

import { byId, debounced } from "./dom.js";

/** @typedef {import("./question.js").Question} Question */
/** @typedef {import("./question.js").Problem} Problem */

const STORAGE_KEY = "satlife-question";
const MAX_LINK = 30_000; // characters of a question in a URL
/** The view of each word that an address may begin with; all others are of the search. @type {Record<string, string>} */
const VIEWS = { gallery: "gallery", clauses: "gallery", finds: "finds", jobs: "jobs", job: "jobs" };

/** URL-safe base64. @param {string} text */
const encode = (text) => btoa([...new TextEncoder().encode(text)].map((byte) => String.fromCharCode(byte)).join(""))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** @param {string} text */
const decode = (text) => new TextDecoder().decode(
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0)));

/** What the address says: names with their values. */
export const said = () => new URLSearchParams(location.hash.slice(1));

/** What of an address makes an entry of the history: the view, the search or the find, and not the question. @param {URLSearchParams} names */
function entryOf(names) {
  for (const name of ["find", "answer"]) if (names.has(name)) return `${name}=${names.get(name)}&${names.get("box") ?? ""}`;
  return names.has("q") ? "question" : [...names.keys()][0] ?? "start";
}

let viewed = ""; // the address that was shown or written last

/** Show the view that the address names; returns its name. */
export function view() {
  viewed = location.hash;
  const name = VIEWS[[...said().keys()][0] ?? ""] ?? "ask";
  const before = document.querySelector("main.view:not([hidden])")?.id;
  for (const place of document.querySelectorAll("main.view")) byId(place.id).hidden = place.id !== name;
  if (before !== name) scrollTo(0, 0); // each view begins at its top
  for (const item of document.querySelectorAll("nav a")) {
    if (item.getAttribute("data-view") === name) {
      item.setAttribute("aria-current", "page");
      item.removeAttribute("hidden");
    } else item.removeAttribute("aria-current");
  }
  return name;
}

/** Begin an entry of the history for a question that is about to be loaded. */
export function enter() {
  history.pushState(null, "", "#ask");
  view();
}

/** The question as text, with the generation that is shown. @param {Question} question */
const textOf = (question) => JSON.stringify({ problem: question.toProblem(), time: question.time });

/** The fragment of a link to the question; null if it is too long for one. @param {string} text */
function fragment(text) {
  const state = encode(text);
  return state.length < MAX_LINK ? `#q=${state}` : null;
}

/** A link to the question, for others; null if it is too large for one. @param {Question} question */
export function linkTo(question) {
  const found = fragment(textOf(question));
  return found && location.origin + location.pathname + found;
}

/**
 * The question in the URL, or else the last one of this tab, or one that has waited for the token; null if there is none.
 * @returns {{problem: Problem, time: unknown, waited: boolean} | null}
 */
export function linked() {
  const q = said().get("q");
  const waiting = localStorage.getItem(STORAGE_KEY);
  const text = q === null ? waiting ?? sessionStorage.getItem(STORAGE_KEY) : decode(q);
  if (!left) localStorage.removeItem(STORAGE_KEY);
  if (!text) return null;
  sessionStorage.setItem(STORAGE_KEY, text);
  return { ...JSON.parse(text), waited: q === null && waiting !== null };
}

let left = false; // whether this tab has left its question for another, which takes it

/** Leave the question of a link for the tab that is opened with the token; null if there is none that can be read. */
export function kept() {
  try {
    const text = decode(said().get("q") ?? "");
    const { problem } = JSON.parse(text);
    localStorage.setItem(STORAGE_KEY, text);
    left = true;
    return /** @type {Problem} */ (problem);
  } catch {
    return null;
  }
}

export class Address {
  /** @param {Question} question @param {() => string} shown what the stage shows: "start", "question", or an answer, such as answer=7 */
  constructor(question, shown) {
    this.question = question;
    this.shown = shown;
    this.held = 0; // as long as an address is followed, none is written
    /** Write what is shown into the address, after a pause: browsers limit how often it may change. */
    this.soon = debounced(150, () => this.write());
  }

  /**
   * Write what is shown into the address: in a new entry of the history, unless that is what it names already.
   * An address that has just changed is not overwritten: its event is still to come.
   */
  write(entry = true) {
    if (this.held || byId("ask").hidden || location.hash !== viewed) return;
    const shown = this.shown();
    const to = this.fragment(shown);
    const [before, after] = [entryOf(said()), entryOf(new URLSearchParams(to.slice(1)))];
    if (to === location.hash || (shown === "start" && before === "start")) return;
    if (entry && before !== after && before !== "ask") history.pushState(null, "", to);
    else history.replaceState(null, "", to);
    viewed = location.hash;
  }

  /** @param {string} shown */
  fragment(shown) {
    if (shown === "start" || shown.startsWith("find=")) return `#${shown}`;
    const text = textOf(this.question);
    try {
      sessionStorage.setItem(STORAGE_KEY, text);
    } catch {
      // The storage is full or forbidden; the URL still holds the question.
    }
    const question = fragment(text);
    if (shown === "question") return question ?? "#ask";
    return question ? `${question}&${shown}` : `#${shown}`;
  }

  /** Write nothing until the action has ended; then what is shown replaces what was followed. @param {() => Promise<void>} action */
  async hold(action) {
    this.held += 1;
    try {
      await action();
    } finally {
      this.held -= 1;
    }
    this.write(false);
  }
}
