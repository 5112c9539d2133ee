// The assessor's page: keys, answers that are kept until the server has them, the next question ahead of time.
// Without this script its forms do the same, one page at a time.
import { clockOf } from "./clock.js";
import { finderOf } from "./judge_find.js";

const root = document.querySelector("[data-judge]");
const one = (selector) => root.querySelector(selector);
const form = one(".answer"), place = one(".questions"), over = one(".over"), notice = one(".notice");
const told = one(".told"), help = one(".keys"), note = form.elements.note;
const finder = finderOf(one(".find"), () => due[0] && due[0].querySelector("iframe"));
const LONGEST = 30000; // milliseconds that an answer may take, or that lie between two tries

// What is not sent yet: in the browser's own store, so that it outlives the page; of this pool and this person.
const NAME = `cranfield-judge-${root.dataset.judge}-${root.dataset.who}`;
let memory = "[]"; // where the browser keeps nothing
const box = () => {
  try { return JSON.parse(localStorage.getItem(NAME) || "[]"); } catch { return JSON.parse(memory); }
};
const keep = (items) => {
  memory = JSON.stringify(items);
  try { localStorage.setItem(NAME, memory); } catch { /* memory has it */ }
  one(".unsent").textContent = items.length && failing ? `not sent yet: ${items.length}` : "";
};
const drop = (key) => keep(box().filter((item) => item.key !== key));
const newKey = () => crypto.randomUUID ? crypto.randomUUID()
  : Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

// Questions: the first that is due is shown, others wait behind it; answered ones stay until the server has them.
let due = [...place.children], failing = false, lost = false, delay = 1000, timer = 0, begun = false;
const answered = new Map();
const same = (item, section) => item.topic === section.dataset.topic && item.document === section.dataset.document;

// Time on the document counts while there is one, and nobody reads what was right.
const clock = clockOf(() => due.length && !told.open);
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible" && box().length) send();
});

function say(words, link) {
  notice.textContent = words;
  if (link) {
    const a = document.createElement("a");
    a.href = root.dataset.logIn;
    a.textContent = link;
    notice.append(" ", a);
  }
  notice.hidden = !words;
}

function show(fresh) {
  const now = due[0];
  for (const section of place.children) section.hidden = section !== now;
  over.hidden = Boolean(now);
  form.querySelector("fieldset").disabled = !now;
  if (!fresh) return;
  clock.begin();
  note.value = "";
  finder.close();
  if (!now || !begun) return;
  now.querySelector("h2").focus({ preventScroll: true });
  if (root.getBoundingClientRect().top < 0) root.scrollIntoView();
}

function make(question) {
  const made = document.createElement("template");
  made.innerHTML = question.html;
  const section = made.content.querySelector(".question");
  section.hidden = true;
  place.append(section);
  prepare(section);
  return section;
}

// Keys are heard in its frame, too; where there is little room, the document comes first.
function prepare(section) {
  const more = section.querySelector("details");
  if (more && matchMedia("(max-width: 46rem)").matches) more.open = false;
  hear(section.querySelector("iframe"));
}

// What the server says is due, less what is answered here; who reads one is not torn away from it.
function follow(body, { turn = false } = {}) {
  const before = due[0], waiting = box();
  const open = body.questions.filter((question) => !waiting.some(
    (item) => item.topic === question.topic && item.document === question.document));
  const known = [...place.children];
  due = open.map((question) => known.find((section) => same(question, section)) || make(question));
  const stays = due.includes(before) || [...answered.values()].includes(before); // of the trial: until it is told
  if (!turn && stays) due = [before, ...due.filter((section) => section !== before)];
  const kept = new Set([...due, ...answered.values()]);
  for (const section of known) if (!kept.has(section)) section.remove();
  one(".progress").textContent = body.progress;
  over.querySelector("p").textContent = body.over;
  show(turn || due[0] !== before);
}

// One call at a time: null if the server was not reached, or does not know who asks.
async function call(what, fields) {
  const how = { headers: { Accept: "application/json" }, redirect: "manual", signal: AbortSignal.timeout(LONGEST) };
  if (fields) {
    const cookie = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
    how.method = "POST";
    how.headers["X-CSRFToken"] = cookie ? cookie[1] : form.elements.csrfmiddlewaretoken.value;
    how.body = new URLSearchParams(fields);
  }
  let answer = null, body = null;
  try {
    answer = await fetch(what, how);
    body = (answer.headers.get("Content-Type") || "").startsWith("application/json") ? await answer.json() : null;
  } catch { answer = null; }
  failing = !body;
  if (body) {
    if (lost) say("");
    lost = false;
    delay = 1000;
    return { body, refused: !answer.ok };
  }
  if (answer && (answer.type === "opaqueredirect" || answer.status === 403)) {
    lost = true;
    say("You are logged out. Nothing is lost: your answers are kept here, and sent when you are back.", "Log in");
  } else if (answer && answer.status === 404) {
    say("You may not judge here any more. Ask the organisers.");
  }
  clearTimeout(timer);
  timer = setTimeout(send, delay);
  delay = Math.min(2 * delay, LONGEST);
  return null;
}

let line = Promise.resolve();
const inLine = (act) => { line = line.then(act, act); return line; };
const refresh = () => inLine(async () => {
  const got = await call("next");
  if (got && !got.refused) follow(got.body);
});

const send = () => inLine(flush);
async function flush() {
  let stale = !box().length;
  for (let item; (item = box()[0]);) {
    keep(box().map((other) => other.key === item.key ? { ...other, tried: "yes" } : other));
    const got = await call(item.what, item);
    if (!got) {
      leave(answered.get(item.key));
      break;
    }
    drop(item.key);
    const section = answered.get(item.key);
    answered.delete(item.key);
    if (got.refused) {
      say(got.body.said);
      stale = true;
      leave(section);
    } else {
      if (got.body.told) await tell(got.body.told);
      follow(got.body);
    }
  }
  keep(box());
  if (stale && !failing) {
    const got = await call("next");
    if (got && !got.refused) follow(got.body);
  }
}

// The trial: whether it was right is read before one goes on.
function tell(words) {
  told.className = `told ${words.right ? "right" : "wrong"}`;
  told.querySelector("h2").textContent = words.said;
  told.querySelector(".why").textContent = words.why;
  told.showModal();
  clock.tick();
  return new Promise((done) => told.addEventListener("close", () => done(), { once: true }));
}

function leave(section) {
  if (!section || due[0] !== section) return;
  due.shift();
  show(true);
  if (!due.length) {
    over.querySelector("p").textContent = failing ? "The next document comes when the connection is back."
      : "The next document is on its way.";
  }
}

function answer(what, grade) {
  const now = due[0];
  if (!now || [...answered.values()].includes(now)) return; // of the trial: it is on its way
  say("");
  const key = newKey(), { topic, document } = now.dataset;
  answered.set(key, now);
  keep([...box(), { what, key, topic, document, grade, note: note.value, seconds: clock.seconds() }]);
  if (!("trial" in now.dataset) || what === "later" || failing) leave(now);
  send();
}

// What has not left is unsaid here. What has, even if nobody knows whether it came in, is unsaid by the server.
function undo() {
  say("");
  inLine(async () => {
    const last = box().at(-1);
    if (last && !last.tried) return unsay(last);
    if (last) await flush();
    const got = box().length ? null : await call("undo", {});
    if (!got) return say(lost ? notice.textContent : "Undo needs the connection: try again.");
    say(got.body.said);
    if (!got.refused) follow(got.body, { turn: true });
  });
}

function unsay(item) {
  const section = answered.get(item.key);
  drop(item.key);
  answered.delete(item.key);
  if (!section) return void refresh();
  due = [section, ...due.filter((other) => other !== section)];
  show(true);
  note.value = item.note;
}

// Keys, here and in the document.
const guidelines = one(".guidelines");
const acts = {
  u: undo,
  n: () => note.focus(),
  f: finder.open,
  "/": finder.open,
  g: () => { if (guidelines) { guidelines.open = !guidelines.open; guidelines.querySelector("summary").focus(); } },
  "?": () => help.showModal(),
};

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || told.open || help.open) return;
  if (event.key === "Escape") return escape(event);
  if (event.target.closest && event.target.closest("input, textarea, select")) return;
  // A key is known by what it writes; on keyboards that write other letters, or digits with Shift, by where it lies.
  const where = /^[ -~]$/.test(event.key) ? /^Digit(.)$/ : /^(?:Key|Digit)(.)$/;
  const lies = event.shiftKey ? null : event.code.match(where);
  const known = (key) => acts[key] || form.querySelector(`[data-key="${CSS.escape(key)}"]`);
  const key = [event.key, lies ? lies[1] : ""].map((name) => name.toLowerCase()).find(known);
  const act = acts[key], button = !act && key && known(key);
  if (!act && !button) return;
  event.preventDefault();
  if (act) act();
  else if (!button.matches(":disabled")) button.click();
}

function escape(event) {
  if (finder.isOpen()) finder.close();
  else if (event.target !== note) return;
  if (due.length) due[0].querySelector("h2").focus({ preventScroll: true });
}

function hear(frame) {
  const listen = () => frame.contentDocument && frame.contentDocument.addEventListener("keydown", press);
  if (!frame) return;
  frame.addEventListener("load", listen);
  listen();
}

const buttons = {
  find: finder.open, help: acts["?"], previous: finder.back, close: finder.close,
  on: () => told.close(), "close-help": () => help.close(),
};
root.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  if (button) buttons[button.dataset.do]();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const { key } = event.submitter.dataset;
  if (key === "u") undo();
  else if (key === "l") answer("later", "");
  else answer("say", event.submitter.value);
});
document.addEventListener("keydown", press);
window.addEventListener("online", () => { delay = 1000; send(); });

const unsent = box();
due.forEach(prepare);
due = due.filter((section) => !unsent.some((item) => same(item, section)));
show(true);
begun = true;
if (unsent.length) send();
refresh();
