// The search over all pages: `ENTRIES` (address, page, heading, text) and `SYNONYMS` (groups of words) stand above.
"use strict";

const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
const stem = (word) => (word.length > 4 ? word.replace(/(?:ies|y)$/, "i").replace(/(?:ing|ed|es|s)$/, "") : word);
const read = ENTRIES.map(([address, page, heading, text]) => ({
  address, page, heading, text,
  top: words(`${page} ${heading}`).map(stem), rest: words(text).map(stem),
}));

/** Returns what a word may be called in the pages: itself first, then its synonyms. */
function forms(word) {
  const own = stem(word);
  const others = SYNONYMS.filter((group) => group.map(stem).includes(own)).flat().map(stem);
  return [...new Set([own, ...others])];
}

/** Returns how well a list of words fits one: a whole word counts more than its beginning. */
const fit = (list, form) => list.reduce((most, each) => Math.max(most, each === form ? 2 : form.length > 2 && each.startsWith(form) ? 1 : 0), 0);

/**
 * Returns the entries that have every word of a question or a synonym of it, best first. A heading that begins with a word is
 * more about it than one that has it among others.
 */
function search(question) {
  const asked = words(question).map(forms);
  const found = [];
  for (const entry of asked.length ? read : []) {
    const heading = words(entry.heading).map(stem);
    const points = asked.map((all) => Math.max(...all.map((form, at) => {
      const weight = at ? 2 : 3;
      return weight * (2 * fit(heading.slice(0, 1), form) + 6 * fit(heading, form) + 3 * fit(entry.top, form) + fit(entry.rest, form));
    })));
    if (points.every((each) => each > 0)) found.push([points.reduce((a, b) => a + b) - Math.min(3, entry.rest.length / 400), entry]);
  }
  return found.sort((a, b) => b[0] - a[0]).map(([, entry]) => entry);
}

/** Returns the part of a text around the first word of a question that it has. */
function part(text, question) {
  const all = new Set(words(question).flatMap(forms));
  const at = [...text.matchAll(/[\p{L}\p{N}_]+/gu)].find((word) => all.has(stem(word[0].toLowerCase())))?.index ?? 0;
  const from = Math.max(0, at - 60);
  return `${from ? "…" : ""}${text.slice(from, from + 200)}${text.length > from + 200 ? "…" : ""}`;
}

const [box, list, count] = ["q", "found", "count"].map((id) => document.getElementById(id));

function show() {
  const found = search(box.value);
  count.textContent = words(box.value).length ? (found.length === 1 ? "1 place" : `${found.length} places`) : "";
  list.replaceChildren(...found.slice(0, 30).map((entry) => {
    const [row, link, text] = ["li", "a", "p"].map((name) => document.createElement(name));
    link.href = entry.address;
    link.textContent = entry.page === entry.heading ? entry.page : `${entry.heading} — ${entry.page}`;
    text.textContent = part(entry.text, box.value);
    row.append(link, text);
    return row;
  }));
  history.replaceState(null, "", box.value ? `#${encodeURIComponent(box.value)}` : location.pathname);
}

try {
  box.value = decodeURIComponent(location.hash.slice(1));
} catch {
  box.value = ""; // the address was not made by this page
}
box.addEventListener("input", show);
box.form.addEventListener("submit", (event) => event.preventDefault());
show();
document.documentElement.dataset.ready = "";
