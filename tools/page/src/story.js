/** The moves so far: the worker tells each once, and its line stays, so that long games are as quick as short ones. */

import * as panels from "./panels.js";

/** @import { LogEntry } from "./types.js" */

export class Story {
  /** @param {import("./host.js").Host} host @param {HTMLElement} list the element of the lines */
  constructor(host, list) {
    this.host = host;
    this.list = list;
    /** @type {Map<string, LogEntry[]>} what each seat was told */
    this.told = new Map();
    /** @type {{entry: LogEntry, judged: any, words: any, item: HTMLElement}[]} the lines that are shown */
    this.lines = [];
    /** What happened before the first move. @type {HTMLElement | null} */
    this.begun = null;
    list.replaceChildren();
  }

  /** Forgets all moves after the first ones. @param {number} to */
  cut(to) {
    // An answer of the worker that comes late goes into the lists that were there before.
    for (const [who, entries] of this.told) this.told.set(who, entries.slice(0, to));
  }

  /** Returns the first moves as a seat sees them. @param {number} at @param {number | null} viewer @param {boolean[]} humans @returns {Promise<LogEntry[]>} */
  async until(at, viewer, humans) {
    const who = `${viewer} ${humans.join()}`;
    const entries = this.told.get(who) ?? [];
    this.told.set(who, entries);
    const from = entries.length;
    const more = await this.host.call("log", { viewer, humans, from });
    entries.push(...more.slice(entries.length - from));
    return entries.slice(0, at);
  }

  /** Shows the moves, and scrolls to the last one. A line that has the focus keeps it. @param {panels.Shown} shown */
  show(shown) {
    const { view, words, judged } = shown;
    const line = document.activeElement?.getAttribute("data-line");
    const same = (/** @type {LogEntry} */ entry, /** @type {number} */ at) => {
      const own = this.lines[at];
      return own?.entry === entry && own.words === words && own.judged === judged[at];
    };
    const differs = view.log.findIndex((entry, at) => !same(entry, at));
    const kept = differs < 0 ? view.log.length : differs;
    for (const { item } of this.lines.splice(kept)) item.remove();
    for (const entry of view.log.slice(kept)) {
      const item = panels.line(shown, entry);
      this.lines.push({ entry, judged: judged[entry.number - 1], words, item });
      this.list.append(item);
    }
    const begun = this.begun;
    this.begun = panels.opening(shown);
    if (begun?.isConnected) begun.replaceWith(this.begun);
    else this.list.prepend(this.begun);
    this.list.querySelector(".now")?.classList.remove("now");
    const last = this.lines.at(-1)?.item;
    last?.classList.add("now");
    if (line && !document.activeElement?.hasAttribute("data-line"))
      /** @type {HTMLElement | null} */ (this.list.querySelector(`[data-line="${CSS.escape(line)}"]`))?.focus();
    if (last) this.list.scrollTop = last.offsetTop + last.offsetHeight - this.list.clientHeight;
  }
}
