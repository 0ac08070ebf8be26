// Small helpers.  Text goes into the page as text, never as markup.

export const byId = (id) => document.getElementById(id);

export function element(name, attributes = {}, children = []) {
  const out = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, value);
  out.append(...children);
  return out;
}

export function button(words, deed, title, attributes = {}) {
  const out = element("button", { type: "button", ...attributes }, [words]);
  if (title) {
    out.title = title;
    out.setAttribute("aria-label", title);
  }
  out.onclick = deed;
  return out;
}

export async function copy(text) {
  await navigator.clipboard.writeText(text).catch(() => {
    const area = element("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  });
}

export function save(data, name) {
  const link = element("a", { href: URL.createObjectURL(data), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Wait until nothing has happened for a moment. */
export function debounced(milliseconds, deed) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => deed(...args), milliseconds);
  };
}
