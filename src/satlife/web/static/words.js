// The words for the cells of a question, as `problem/cell.py` writes them.

export const ALIVE = "1";
export const DEAD = "0";
export const FREE = "*"; // alive or dead
export const ANY = "*'"; // alive or dead, and not bound by the rule

/** @typedef {"alive" | "dead" | "free" | "any" | "same"} Meaning */

/** @type {Record<string, Meaning>} */
const MEANINGS = { [ALIVE]: "alive", [DEAD]: "dead", [FREE]: "free", [ANY]: "any" };

/**
 * The meaning of a word, as far as the page tells cells apart.  The server writes each of these four in one way only.
 * Other words (names, `-name`, further states of a rule, any of them with a `'`) are shown as they are.
 * @param {string} word
 */
export const meaning = (word) => MEANINGS[word] ?? "same";
