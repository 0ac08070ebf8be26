// The light and the dark theme.

import { pressed } from "./dom.js";

const STORAGE_KEY = "satlife-theme";
const SYSTEM = matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;

export const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : SYSTEM.matches);

/** @param {() => void} redraw called when the colours have changed */
export function offerThemes(redraw) {
  const saved = localStorage.getItem(STORAGE_KEY);
  if (saved) root.dataset.theme = saved;
  pressed("theme", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    localStorage.setItem(STORAGE_KEY, root.dataset.theme);
    redraw();
  });
  SYSTEM.onchange = redraw;
}
