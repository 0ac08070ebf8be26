// Light and dark.

import { pressed } from "./dom.js";

const KEPT = "satlife-theme";
const SYSTEM = matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;

export const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : SYSTEM.matches);

/** @param {() => void} redraw what has to follow the colours */
export function offerThemes(redraw) {
  const kept = localStorage.getItem(KEPT);
  if (kept) root.dataset.theme = kept;
  pressed("theme", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    localStorage.setItem(KEPT, root.dataset.theme);
    redraw();
  });
  SYSTEM.onchange = redraw;
}
