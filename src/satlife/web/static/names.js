// Questions, searches and finds in words, as the page calls them.

/** @typedef {import("./question.js").Problem} Problem */
/** @typedef {import("./player.js").Find} Find */

/** The name of a kind on the page; the general question is called "search" in files. @param {string | undefined} kind */
export const kindName = (kind = "search") => (kind === "search" ? "custom" : kind);

/** What a question of a kind finds, where that has another name: of an orphan, what it would not have. @type {Record<string, string>} */
const FINDS = { search: "pattern", torus: "pattern on a torus", orphan: "predecessor", complete: "completion" };

/** @param {string} text */
export const capitalised = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A noun with its article. @param {string} noun */
const one = (noun) => `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;

/** Something that may stand in more than one place, counted. @param {number} count @param {string} noun */
export const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/**
 * A speed without its direction, in the spelling of the field: c/3, 2c/5, c/4d, (2,1)c/6.
 * @param {number[]} displacement
 * @param {number} period
 */
export function speedOf([dx, dy], period) {
  const [less, more] = [Math.abs(dx), Math.abs(dy)].sort((a, b) => a - b);
  const slowness = period > 1 ? `c/${period}` : "c";
  if (less && less !== more) return `(${more},${less})${slowness}`;
  return `${more > 1 ? more : ""}${slowness}${less ? "d" : ""}`;
}

/** How a pattern moves and repeats itself. @param {Pick<Problem, "period" | "displacement">} motion */
function motionOf({ period = 1, displacement }) {
  if (displacement?.some(Boolean)) return speedOf(displacement, period);
  return period > 1 ? `period ${period}` : "";
}

/**
 * What is wanted: the name of a goal, or a table of its name and what is not as usual.
 * @typedef {string | {name: string, largest?: boolean, most?: number}} Goal
 */

/** The goals of the buttons. @type {Record<string, Goal>} */
export const GOALS = { find: "find", all: "all", core: "core", atlas: "atlas", minimize: "optimise", maximize: { name: "optimise", largest: true } };

/** The name of a goal. @param {Goal} goal */
export const goalName = (goal) => (typeof goal === "string" ? goal : goal.name);

/** What is wanted beyond one pattern. @param {Goal} goal */
function goalWords(goal) {
  const most = typeof goal !== "string" && goal.largest;
  /** @type {Record<string, string>} */
  const words = { find: "", all: "one of each", core: "why it has no past", optimise: `${most ? "most" : "fewest"} cells`, atlas: "minimal boxes" };
  return words[goalName(goal)];
}

/** The title of a search. @param {{goal: Goal, problem: Problem}} search */
export function titleOf({ goal, problem }) {
  const { kind, box, period, multiples, generations = 1, symmetry, catalyst } = problem;
  const steps = period === undefined && !catalyst ? counted(generations, "generation") : motionOf(problem);
  const sides = kind === "eater" ? box?.map((side) => Number(side) - 1) : box; // the glider comes from outside
  const parts = [
    `${capitalised(kindName(kind))} ${sides ? sides.join("x") : "of any size"}`, steps, multiples ? "or a multiple" : "",
    (symmetry ?? []).join(" "), goalWords(goal),
  ];
  return parts.filter(Boolean).join(", ");
}

/** A question as a sentence. @param {Problem} problem */
export function sentenceOf(problem) {
  const { kind = "search", box, generations = 1 } = problem;
  if (kind === "predecessor") return generations > 1 ? `What was it ${generations} generations before?` : "What came before?";
  if (kind === "orphan") return "Has it any past?";
  if (kind === "eater") return "What eats the glider?";
  if (kind === "complete") return "What may it be a part of?";
  const noun = kind === "search" ? "pattern like this" : FINDS[kind] ?? kind;
  const motion = motionOf(problem);
  const moves = problem.displacement?.some(Boolean) ? ` at ${motion}` : motion ? ` of ${motion}` : "";
  return `Is there ${one(noun)}${moves}${box ? ` in ${box.map((side) => (side === "*" ? "any" : side)).join("x")}` : " of any size"}?`;
}

/** The name of a find, or what it is, and how it moves. @param {Pick<Find, "kind" | "name" | "period" | "displacement" | "population">} find */
export function nameOf({ kind, name, period, displacement, population }) {
  const motion = period ? motionOf({ period, displacement: displacement ?? undefined }) : "";
  return `${name || (FINDS[kind] ?? kind)}, ${motion || counted(population, "cell")}`;
}

/** What a find is called if it has a name, and its apgcode. @param {Pick<Find, "apgcode" | "name">} find */
export const codeOf = ({ apgcode, name }) => (name ? `${name} (${apgcode})` : apgcode);

/** That something was found: the glider, Kok's galaxy, or a spaceship. @param {Find} find */
export const foundWords = (find) => `Found ${!find.name ? one(nameOf(find)) : `${find.name.includes("'s ") ? "" : "the "}${nameOf(find)}`}`;
