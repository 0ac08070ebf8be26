// The entry point: creates the parts of the page and connects them.

import { Address, enter, kept, linkTo, linked, said, view } from "./address.js";
import { Refused, listen, post } from "./api.js";
import { Board } from "./board.js";
import { offerClauses, showLinked } from "./clauses.js";
import { byId, copy, pressed, setText, toast } from "./dom.js";
import { showMessage } from "./errors.js";
import { Catalogue } from "./finds.js";
import { FamilyQuestion } from "./family.js";
import { Form } from "./form.js";
import { invite, showGallery } from "./gallery.js";
import { offerGlossary } from "./glossary.js";
import { listenToKeys } from "./keys.js";
import { Jobs } from "./jobs.js";
import { Kinds } from "./kinds.js";
import { sentenceOf } from "./names.js";
import { offerPatterns } from "./patterns.js";
import { Player } from "./player.js";
import { Playground } from "./playground.js";
import { Question } from "./question.js";
import { Searches, showLongSearch } from "./searches.js";
import { Stage } from "./stage.js";
import { followUps, offerSearches, offerStart, showStage, start } from "./start.js";
import { offerSymmetries } from "./symmetry.js";
import { Text } from "./text.js";
import { offerThemes } from "./theme.js";
import { Tools } from "./tools.js";
import { Validation } from "./validation.js";

/** The question is refused, perhaps because of a field. @param {unknown} error @param {string} [field] */
const refuse = (error, field) => validation.refuse(error, field);

/** A request is refused; this is shown until the question changes, apart from what is said of the question. @param {unknown} error */
function complain(error) {
  if (!(error instanceof Refused)) throw error;
  byId("complaint").textContent = `${error.message}.`;
}

const kinds = new Kinds();
const question = new Question(kinds, changed);
const family = new FamilyQuestion(question, refuse);
const board = new Board(question);
const form = new Form(question, family, board, refuse);
const tools = new Tools(question, board, family, show);
const text = new Text((described) => {
  question.checkpoint();
  question.load(described.problem);
  show();
  stage.showQuestion();
  validation.accept(described);
}, refuse);
const validation = new Validation(question, board, text, (parameters) => {
  family.adopt(parameters);
  form.fill();
});
const stage = new Stage(board, new Player(followUps(question)), (task) => {
  start(task).catch(complain);
}, (problem) => runExample({ problem, goal: "find" }, true), showLongSearch);
const searches = new Searches(stage, showStage);
const playground = new Playground();
const address = new Address(question, () => stage.place);
stage.moved = () => address.write();
/** Show a find that was kept, and its question in the form. @param {import("./finds.js").Entry} find */
const open = (find) => { location.hash = `#find=${find.id}`; };
const catalogue = new Catalogue(kinds, open);
const jobs = new Jobs(open);
offerSearches(question, async () => {
  await Promise.all([form.settle(), text.soon.now()]);
  address.write();
}, complain);
offerPatterns(question, family, complain);
offerStart(playground, question, complain);
offerSharing();
offerGlossary();
offerSymmetries();
offerClauses();
listenToKeys(question, board, tools, stage);
offerThemes(() => {
  playground.draw();
  stage.draw();
  searches.draw();
  catalogue.draw();
  jobs.draw();
});

/** Set up the way to the first view, and the button that shares the question. */
function offerSharing() {
  byId("home").onclick = () => stage.show("start"); // at once: the URL may change again before its event comes
  pressed("share", () => {
    const found = linkTo(question);
    if (found) copy(found, "Link copied: it opens this question, here or where satlife serve runs at this address");
    else toast("This question is too large for a link: copy its text instead");
  });
}

/** Show the question in the form, on the board and in the URL. */
function show() {
  form.fill();
  tools.fill();
  board.tell();
  board.draw();
  address.soon();
}

/** Show a question that has changed, and let the server check it. */
function changed() {
  byId("complaint").textContent = "";
  setText("note", "");
  show();
  stage.showQuestion();
  validation.check();
}

/** @param {Pick<import("./gallery.js").Example, "problem" | "goal" | "certified">} example @param {boolean} now whether to search at once */
function runExample(example, now) {
  enter();
  question.edit(() => {
    question.time = 0;
    question.load(example.problem);
    if (question.kind.target) question.time = question.last;
  });
  if (now) start({ problem: example.problem, goal: example.goal, certified: example.certified === true }).catch(complain);
}

let followed = 0; // addresses so far; only the last one counts

/** Show what the address names. */
async function follow() {
  const number = ++followed;
  const name = view();
  if (name === "finds") catalogue.load();
  if (name === "jobs") jobs.look(Number(said().get("job")));
  if (name === "gallery") {
    showGallery(runExample).catch(complain);
    showLinked();
  }
  if (name === "ask") await address.hold(() => arrive(said(), () => number === followed));
}

let arrived = false; // whether an address was followed since the page was opened

/**
 * Show the start, a question, its answer, or a find that was kept.
 * @param {URLSearchParams} names
 * @param {() => boolean} current whether no other address was followed meanwhile
 */
async function arrive(names, current) {
  const first = !arrived;
  arrived = true;
  try {
    if (names.has("find")) return await arriveAtFind(Number(names.get("find")), current);
    const waited = (first || names.has("q")) && (await restore(current));
    if (!current()) return;
    if (!waited && (!names.size || names.has("start"))) return stage.show("start");
    if (names.has("ask") && stage.scene !== "start") return stage.draw();
    stage.showQuestion();
    if (!names.has("answer") || (await searches.restore(names)) || !current()) return;
    forgotten("This answer is no longer kept: Search asks again.");
  } catch (error) {
    form.fill();
    stage.showQuestion();
    showMessage(error instanceof Refused ? `${error.message}.` : "This link cannot be read; perhaps it was cut off.", true);
  }
}

/** @param {number} id @param {() => boolean} current */
async function arriveAtFind(id, current) {
  const [find] = (await post("finds", { id })).finds;
  if (!current()) return;
  if (!find) return forgotten("This find is no longer kept.");
  leaveFields();
  question.edit(() => question.load({ ...find.problem, exclude: undefined }));
  stage.showFind(find, `find=${find.id}`);
}

/** The field with the focus, which keeps what was typed, shows the next question, too. */
function leaveFields() {
  const field = document.activeElement;
  if (field instanceof HTMLElement && byId("form").contains(field)) field.blur();
}

/** What the address names is not there any more. @param {string} words */
function forgotten(words) {
  stage.show("question");
  setText("note", words);
}

/**
 * Load the question in the address, or else the last one of this tab, once the server has checked it; returns whether
 * it has waited for the token.
 * @param {() => boolean} current
 */
async function restore(current) {
  const found = linked();
  if (found && JSON.stringify(found.problem) !== JSON.stringify(question.toProblem())) {
    const { problem } = await post("question", { problem: found.problem });
    if (!current()) return false;
    leaveFields();
    question.time = 0;
    question.load(problem);
  }
  if (found) question.time = Math.max(0, Math.min(question.last, Number(found.time) || 0));
  byId("complaint").textContent = "";
  show();
  validation.check();
  return Boolean(found?.waited);
}
window.onhashchange = () => follow();

// Show refusals that no other code has caught.
window.onunhandledrejection = (event) => {
  if (!(event.reason instanceof Refused)) return;
  event.preventDefault();
  complain(event.reason);
};

/** Load the kinds and the question.  Without a token this fails, and is repeated with the first update. */
async function begin() {
  view();
  await kinds.load().catch(refuse);
  if (!byId("locked").hidden) {
    const problem = kept();
    byId("locked-question").textContent = problem ? sentenceOf(problem) : "satlife is locked";
    return;
  }
  for (const choice of byId("choices").querySelectorAll("button")) choice.disabled = !kinds.loaded;
  form.offer();
  catalogue.offer();
  invite(runExample).catch(complain);
  follow();
  jobs.offer().catch(complain);
}

await begin();
listen((update) => {
  searches.receive(update);
  if (!kinds.loaded) begin();
}, () => searches.lost());
