/** The Markdown of hovers as elements; nothing in it is markup. */

import { h } from "../dom.js";

/** Returns the elements of a text. @param {string} markdown @returns {HTMLElement[]} */
export function rendered(markdown) {
  const found = [];
  for (const block of markdown.split(/\n{2,}(?![^`]*```(?:\s|$))/)) {
    const code = /^```\w*\n([\s\S]*?)\n?```$/.exec(block.trim());
    if (code) found.push(h("pre", {}, code[1]));
    else if (/^(?:- |\d+\. )/.test(block)) {
      const tag = block.startsWith("- ") ? "ul" : "ol";
      found.push(h(tag, {}, ...block.split("\n").map((line) => h("li", {}, ...inline(line.replace(/^(?:- |\d+\. )/, ""))))));
    } else if (block.trim()) found.push(h("p", {}, ...inline(block.replaceAll("\n", " "))));
  }
  return found;
}

const MARKS = /\\([\\`*_{}[\]()#+\-.!<>|~&"'$%,/:;=?@^])|``? ?(.+?) ?``?(?!`)|\*{1,2}([^*]+)\*{1,2}|\[([^\]]*)\]\([^)]*\)/g;

/** Returns the elements of a line. @param {string} text @returns {(Node | string)[]} */
export function inline(text) {
  /** @type {(Node | string)[]} */
  const found = [];
  let at = 0;
  for (const match of text.matchAll(MARKS)) {
    if (match.index > at) found.push(text.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[1] !== undefined) found.push(match[1]);
    else if (match[2] !== undefined) found.push(h("code", {}, match[2]));
    else if (match[3] !== undefined) found.push(h("em", {}, ...inline(match[3])));
    else found.push(...inline(match[4]));
  }
  if (at < text.length) found.push(text.slice(at));
  return found;
}
