// Finding and making elements.  Text is inserted as text, never as markup.

/**
 * The element with this id, which must be of the given type.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function byId(id, type = /** @type {any} */ (HTMLElement)) {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new TypeError(`the page has no ${type.name} ${id}`);
}

/** @param {string} id */
export const input = (id) => byId(id, HTMLInputElement);

/** @param {string} id */
export const select = (id) => byId(id, HTMLSelectElement);

/** @param {string} id */
export const area = (id) => byId(id, HTMLTextAreaElement);

/** Set what a button does. @param {string} id @param {() => void} action */
export function pressed(id, action) {
  byId(id, HTMLButtonElement).onclick = action;
}

/** Enable or disable a button. @param {string} id @param {boolean} allowed */
export function allow(id, allowed) {
  byId(id, HTMLButtonElement).disabled = !allowed;
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 */
export function element(name, attributes = {}, children = []) {
  const out = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, String(value));
  out.append(...children);
  return out;
}

/**
 * @param {string} words
 * @param {() => void} action
 * @param {string} title
 * @param {Record<string, string | number>} attributes
 */
export function button(words, action, title = "", attributes = {}) {
  const out = element("button", { type: "button", ...attributes }, [words]);
  if (title) out.title = title;
  if (title && !/[a-z]/i.test(words)) out.setAttribute("aria-label", title);
  out.onclick = action;
  return out;
}

/** Replace the text of an element, unless it is the same. @param {string} id @param {string} words */
export function setText(id, words) {
  const place = byId(id);
  if (place.textContent !== words) place.textContent = words;
}

/** Controls that belong together, with a label. @param {string} label @param {HTMLElement[]} children */
export function group(label, children) {
  return element("div", { class: "group", role: "group", "aria-label": label }, [element("span", {}, [label]), ...children]);
}

/** Say something for a moment, at the edge of the page. @param {string} words */
export function toast(words) {
  const place = byId("toast");
  place.textContent = words;
  place.classList.remove("shown");
  void place.offsetWidth; // the browser must see it without the class, to begin again
  place.classList.add("shown");
}

/** Copy to the clipboard, and say so. @param {string} text @param {string} said */
export async function copy(text, said = "Copied") {
  await navigator.clipboard.writeText(text).catch(() => {
    const made = element("textarea");
    made.value = text;
    document.body.append(made);
    made.select();
    document.execCommand("copy");
    made.remove();
  });
  toast(said);
}

/** Download as a file. @param {Blob} data @param {string} name */
export function save(data, name) {
  const link = element("a", { href: URL.createObjectURL(data), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/**
 * Debounce: call `action` once, when there was no further call for some milliseconds.  `now` calls it at once if a call
 * waits, and ends when the last one has ended.
 * @template {unknown[]} A
 * @param {number} milliseconds
 * @param {(...args: A) => unknown} action
 */
export function debounced(milliseconds, action) {
  /** @type {number | undefined} */
  let timer;
  /** @type {A | null} */
  let waiting = null;
  let last = Promise.resolve();
  const now = () => {
    clearTimeout(timer);
    const args = waiting;
    waiting = null;
    const done = args ? Promise.resolve(action(...args)).then(() => {}) : last;
    last = done.catch(() => {}); // an error is that of one call
    return done;
  };
  const soon = (/** @type {A} */ ...args) => {
    clearTimeout(timer);
    waiting = args;
    timer = setTimeout(now, milliseconds);
  };
  return Object.assign(soon, { now });
}
