// The words with which a question speaks of its cells, as `problem/cell.py` writes them.

export const ALIVE = "1";
export const DEAD = "0";
export const FREE = "*"; // whatever the solver likes
export const ANY = "*'"; // and it need not follow from the generation before

/** @typedef {"alive" | "dead" | "free" | "any" | "same"} Meaning */

/** @type {Record<string, Meaning>} */
const MEANINGS = { [ALIVE]: "alive", [DEAD]: "dead", [FREE]: "free", [ANY]: "any" };

/**
 * Parse the word of a cell as far as the page tells cells apart.  The server spells each of these four in one way only;
 * what is left are names, `-name`, further states of a rule, and any of them with a `'`: they are shown as they are.
 * @param {string} word
 */
export const meaning = (word) => MEANINGS[word] ?? "same";
