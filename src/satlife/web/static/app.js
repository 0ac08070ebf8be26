// The entry point: creates the parts of the page and connects them.

import { isLink, kept, link, linkTo, linked, view } from "./address.js";
import { Refused, listen, post } from "./api.js";
import { Board } from "./board.js";
import { offerClauses, showLinked } from "./clauses.js";
import { Demo } from "./demo.js";
import { byId, copy, pressed, toast } from "./dom.js";
import { showMessage } from "./errors.js";
import { Catalogue } from "./finds.js";
import { FamilyQuestion } from "./family.js";
import { Form } from "./form.js";
import { invite, showGallery } from "./gallery.js";
import { listenToKeys } from "./keys.js";
import { Jobs } from "./jobs.js";
import { Kinds } from "./kinds.js";
import { sentenceOf } from "./names.js";
import { offerPatterns } from "./patterns.js";
import { Player } from "./player.js";
import { Question } from "./question.js";
import { Searches, showLongSearch } from "./searches.js";
import { Stage } from "./stage.js";
import { followUps, offerSearches, showStage, start } from "./start.js";
import { Text } from "./text.js";
import { offerThemes } from "./theme.js";
import { Tools } from "./tools.js";
import { Validation } from "./validation.js";

/** The large choices: the field that one fills first, and the box and period to begin with. @type {Record<string, {field: string, box: number[], period: number}>} */
const CHOICES = {
  spaceship: { field: "speed", box: [5, 5], period: 4 }, oscillator: { field: "period", box: [9, 9], period: 3 },
  predecessor: { field: "board", box: [9, 9], period: 1 },
};

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
const demo = new Demo();
/** Show a find that was kept, and its question in the form. @param {import("./player.js").Find} find */
function open(find) {
  location.hash = "#ask";
  question.edit(() => question.load({ ...find.problem, exclude: undefined }));
  stage.showFind(find);
}
const catalogue = new Catalogue(kinds, open);
const jobs = new Jobs(open);
offerSearches(question, () => Promise.all([form.settle(), text.soon.now()]), complain);
offerPatterns(question, family, complain);
offerChoices();
offerClauses();
listenToKeys(question, board, tools, stage);
offerThemes(() => {
  demo.draw();
  stage.draw();
  searches.draw();
  catalogue.draw();
  jobs.draw();
});

/** Set up the way to the first view, its choices, and the button that shares the question. */
function offerChoices() {
  byId("home").onclick = () => stage.show("start"); // at once: the URL may change again before its event comes
  for (const choice of byId("choices").querySelectorAll("button")) {
    const kind = choice.dataset.choice ?? "";
    const { field, box, period } = CHOICES[kind];
    choice.onclick = () => {
      history.pushState(null, "", "#ask");
      question.edit(() => {
        question.load({ rule: "B3/S23", box, period });
        question.setKind(kind);
      });
      showStage();
      byId(field).focus({ preventScroll: innerWidth < 700 });
    };
  }
  pressed("share", () => {
    const address = linkTo(question);
    if (address) copy(address, "Link copied: it opens this question, here or where satlife serve runs at this address");
    else toast("This question is too large for a link: copy its text instead");
  });
}

/** Show the question in the form, on the board and in the URL. */
function show() {
  form.fill();
  tools.fill();
  board.tell();
  board.draw();
  link(question);
}

/** Show a question that has changed, and let the server check it. */
function changed() {
  byId("complaint").textContent = "";
  show();
  stage.showQuestion();
  validation.check();
}

/** Show the view that the URL names. */
function visit() {
  const name = view();
  if (name === "finds") catalogue.load();
  if (name === "jobs") jobs.look();
  if (name === "gallery") {
    showGallery(runExample).catch(complain);
    showLinked();
  }
  if (name !== "ask") return;
  if (location.hash === "#start") stage.show("start");
  else if (location.hash === "#ask" && stage.scene === "start") stage.show("question");
  stage.draw();
}

/** @param {Pick<import("./gallery.js").Example, "problem" | "goal" | "certified">} example @param {boolean} now whether to search at once */
function runExample(example, now) {
  history.pushState(null, "", "#ask");
  question.edit(() => {
    question.time = 0;
    question.load(example.problem);
    if (question.kind.target) question.time = question.last;
  });
  visit();
  if (now) start({ problem: example.problem, goal: example.goal, certified: example.certified === true }).catch(complain);
}

/** Load the question in the URL, or else the last one of this tab, once the server has checked it. */
async function follow() {
  visit();
  try {
    const saved = linked();
    if (!saved) {
      form.fill();
      validation.check();
      return;
    }
    const described = await post("question", { problem: saved.problem });
    question.time = 0;
    question.load(described.problem);
    question.time = Math.max(0, Math.min(question.last, Number(saved.time) || 0));
  } catch (error) {
    form.fill();
    stage.showQuestion();
    showMessage(error instanceof Refused ? `${error.message}.` : "This link cannot be read; perhaps it was cut off.", true);
    return;
  }
  changed();
}
window.onhashchange = () => (isLink() ? follow() : visit());

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
  invite(runExample, demo).catch(complain);
  follow();
}

await begin();
listen((update) => {
  searches.receive(update);
  if (!kinds.loaded) begin();
}, () => searches.lost());
