// The start of the page: its parts are made here and tied together.

import { isLink, link, linked, view } from "./address.js";
import { Refused, listen, post } from "./api.js";
import { followUps, offerSearches, showResults, start } from "./asking.js";
import { Board } from "./board.js";
import { byId } from "./dom.js";
import { Catalogue } from "./finds.js";
import { Form } from "./form.js";
import { showGallery } from "./gallery.js";
import { listenToKeys } from "./keys.js";
import { Kinds } from "./kinds.js";
import { Order } from "./order.js";
import { offerPatterns } from "./patterns.js";
import { Player } from "./player.js";
import { Question } from "./question.js";
import { Searches } from "./searches.js";
import { Text } from "./text.js";
import { offerThemes } from "./theme.js";
import { Tools } from "./tools.js";
import { Verdict, say } from "./verdict.js";

/** @param {unknown} error */
const refuse = (error) => verdict.refuse(error);

const kinds = new Kinds();
const question = new Question(kinds, changed);
const order = new Order(question, refuse);
const board = new Board(question);
const form = new Form(question, order);
const tools = new Tools(question, board, order, show);
const text = new Text((answer) => {
  question.remember();
  adopt(answer.problem);
  show();
  verdict.accept(answer);
}, refuse);
const verdict = new Verdict(question, board, text);
const player = new Player(byId("player"), followUps(question));
const searches = new Searches((find) => {
  player.show(find);
  if (!byId("ask").hidden) showResults();
}, start);
const catalogue = new Catalogue(kinds, (find) => {
  location.hash = "#ask";
  player.show(find);
});
offerSearches(question, refuse);
offerPatterns(question, refuse);
listenToKeys(question, board, tools, player);
offerThemes(() => {
  board.draw();
  player.draw();
});

/** The form, the picture and the link follow the question. */
function show() {
  form.fill();
  board.draw();
  link(question);
}

/** And when it has changed, the server has a look at it. */
function changed() {
  show();
  verdict.check();
}

/** Take a question from elsewhere. @param {import("./question.js").Problem} problem */
function adopt(problem) {
  question.load(problem);
  order.forget();
}

function visit() {
  const name = view();
  if (name === "finds") catalogue.load();
  if (name === "gallery") showGallery(runExample).catch(refuse);
  if (name === "ask") board.draw();
}

/** @param {import("./gallery.js").Example} example @param {boolean} now whether to search at once */
function runExample(example, now) {
  history.pushState(null, "", "#ask");
  question.edit(() => {
    question.time = 0;
    adopt(example.problem);
    if (question.kind.target) question.time = question.last;
  });
  visit();
  if (now) start({ problem: example.problem, do: example.do, certified: example.certified === true }).catch(refuse);
}

/** Take the question from the address, or the one this tab had; the server says whether it is one. */
async function follow() {
  visit();
  try {
    const asked = linked();
    if (asked) {
      const answer = await post("question", { problem: asked.problem });
      question.time = 0;
      adopt(answer.problem);
      question.time = Math.max(0, Math.min(question.last, Number(asked.time) || 0));
    }
  } catch (error) {
    form.fill();
    say(error instanceof Refused ? `${error.message}.` : "This link cannot be read; it is cut off, perhaps.", true);
    return;
  }
  changed();
}
window.onhashchange = () => (isLink() ? follow() : visit());

// What the server refuses without anybody waiting for it is said all the same.
window.onunhandledrejection = (event) => {
  if (!(event.reason instanceof Refused)) return;
  event.preventDefault();
  refuse(event.reason);
};

/** Learn which kinds of questions there are, and take up the question; without the token, again when there is news. */
async function begin() {
  view();
  await kinds.load().catch(refuse);
  form.offer();
  catalogue.offer();
  follow();
}

await begin();
listen((news) => {
  searches.hear(news);
  if (!kinds.loaded) begin();
}, () => searches.lost());
