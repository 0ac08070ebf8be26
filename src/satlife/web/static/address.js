// The URL of the page: its fragment names the view, or holds the question.

import { byId, debounced } from "./dom.js";

const STORAGE_KEY = "satlife-question";
const MAX_LINK = 30_000; // characters of a question in a URL

/** URL-safe base64. @param {string} text */
const encode = (text) => btoa([...new TextEncoder().encode(text)].map((byte) => String.fromCharCode(byte)).join(""))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** @param {string} text */
const decode = (text) => new TextDecoder().decode(
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0)));

export const isLink = () => location.hash.startsWith("#q=");

/** Show the view that the URL names; returns its name. */
export function view() {
  const hash = location.hash.startsWith("#clauses=") ? "#gallery" : location.hash;
  const name = ["gallery", "finds", "jobs"].find((known) => hash === `#${known}`) ?? "ask";
  const before = document.querySelector("main.view:not([hidden])")?.id;
  for (const place of document.querySelectorAll("main.view")) byId(place.id).hidden = place.id !== name;
  if (before !== name) scrollTo(0, 0); // each view begins at its top
  for (const item of document.querySelectorAll("nav a")) {
    if (item.getAttribute("data-view") === name) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
  }
  return name;
}

/** The question as text, with the generation that is shown. @param {import("./question.js").Question} question */
const textOf = (question) => JSON.stringify({ problem: question.toProblem(), time: question.time });

/** The fragment of a link to the question; null if it is too long for one. @param {string} text */
function fragment(text) {
  const state = encode(text);
  return state.length < MAX_LINK ? `#q=${state}` : null;
}

/** A link to the question, for others; null if it is too large for one. @param {import("./question.js").Question} question */
export function linkTo(question) {
  const found = fragment(textOf(question));
  return found && location.origin + location.pathname + found;
}

/** Write the question into the URL, after a pause: browsers limit how often it may change. */
export const link = debounced(150, (/** @type {import("./question.js").Question} */ question) => {
  if (byId("ask").hidden || !byId("welcome").hidden) return; // another view, or the first one
  const text = textOf(question);
  try {
    sessionStorage.setItem(STORAGE_KEY, text);
  } catch {
    // The storage is full or forbidden; the URL still holds the question.
  }
  history.replaceState(null, "", fragment(text) ?? "#ask");
});

/**
 * The question in the URL, or else the last one of this tab, or one that waits for the token; null if there is none.
 * @returns {{problem: unknown, time: unknown} | null}
 */
export function linked() {
  const text = isLink() ? decode(location.hash.slice(3)) : sessionStorage.getItem(STORAGE_KEY) ?? localStorage.getItem(STORAGE_KEY);
  localStorage.removeItem(STORAGE_KEY);
  if (!text) return null;
  sessionStorage.setItem(STORAGE_KEY, text);
  return JSON.parse(text);
}

/** Leave the question of a link for the tab that is opened with the token; null if there is none that can be read. */
export function kept() {
  if (!isLink()) return null;
  try {
    const text = decode(location.hash.slice(3));
    const { problem } = JSON.parse(text);
    localStorage.setItem(STORAGE_KEY, text);
    return /** @type {import("./question.js").Problem} */ (problem);
  } catch {
    return null;
  }
}
