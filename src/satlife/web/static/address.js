// The address of the page: which view is shown, and the question as a link.

import { byId, debounced } from "./dom.js";

const KEPT = "satlife-question";
const LONGEST = 30_000; // letters of a question in an address

/** Base64 as it may stand in an address. @param {string} text */
const encode = (text) => btoa([...new TextEncoder().encode(text)].map((byte) => String.fromCharCode(byte)).join(""))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** @param {string} text */
const decode = (text) => new TextDecoder().decode(
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0)));

export const isLink = () => location.hash.startsWith("#q=");

/** Show the view that the address names; returns its name. */
export function view() {
  const name = ["gallery", "finds"].find((known) => location.hash === `#${known}`) ?? "ask";
  for (const place of document.querySelectorAll("main.view")) byId(place.id).hidden = place.id !== name;
  for (const item of document.querySelectorAll("nav a")) {
    if (item.getAttribute("data-view") === name) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
  }
  return name;
}

/** Write the question into the address, soon; browsers do not like it often. */
export const link = debounced(150, (/** @type {import("./question.js").Question} */ question) => {
  if (byId("ask").hidden) return;
  const text = JSON.stringify({ problem: question.toProblem(), time: question.time });
  try {
    sessionStorage.setItem(KEPT, text);
  } catch {
    // No room for it; the address may still have some.
  }
  const state = encode(text);
  history.replaceState(null, "", state.length < LONGEST ? `#q=${state}` : "#ask");
});

/**
 * The question in the address, or the one this tab had; null without any.  It is kept for when the token comes later.
 * @returns {{problem: unknown, time: unknown} | null}
 */
export function linked() {
  const text = isLink() ? decode(location.hash.slice(3)) : sessionStorage.getItem(KEPT);
  if (!text) return null;
  sessionStorage.setItem(KEPT, text);
  return JSON.parse(text);
}
