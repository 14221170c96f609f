/** The balance of a game: random games before and after a change, with intervals, while they are played. */

import { h } from "../dom.js";
import { Words } from "../words.js";
import { worker } from "./trusted.js";

/** @import { Sum } from "./playouts.js" */
/** @typedef {import("./playouts.js").Figures} Figures */
/** @typedef {{plan: import("../types.js").Plan, module: Uint8Array}} Built */
/** A figure with the half of its 95 % interval. @typedef {{mean: number, half: number}} Estimate */

export const GAMES = 2000;
/** Milliseconds without a figure after which the games are given up. */
const DEADLINE = 20_000;
const NORMAL = 1.96;

/** Returns the mean of a sum. @param {Sum} sum @param {number} count @returns {Estimate} */
export function mean({ sum, squares }, count) {
  const average = sum / count;
  const variance = Math.max(0, squares / count - average * average);
  return { mean: average, half: NORMAL * Math.sqrt(variance / Math.max(1, count - 1)) };
}

/** Returns a share in per cent, by the interval of Wilson. @param {number} wins @param {number} count @returns {Estimate} */
export function share(wins, count) {
  const p = wins / count;
  const square = NORMAL * NORMAL;
  const scale = 1 + square / count;
  const half = (NORMAL * Math.sqrt((p * (1 - p)) / count + square / (4 * count * count))) / scale;
  return { mean: (100 * (p + square / (2 * count))) / scale, half: 100 * half };
}

export class Balance {
  /** @param {string} code the program of the worker @param {(nodes: Node[]) => void} show */
  constructor(code, show) {
    this.code = code;
    this.show = show;
    /** @type {Worker[]} */
    this.workers = [];
  }

  /** Ends the games that are being played. */
  stop() {
    for (const each of this.workers.splice(0)) each.terminate();
  }

  /** Plays games of both, and shows the figures. @param {Built} before @param {Built} now */
  run(before, now) {
    this.stop();
    const both = before === now ? [now] : [before, now];
    /** @type {(Figures | null)[]} */
    const found = both.map(() => null);
    const words = new Words(now.plan, "en");
    let failed = "";
    const show = () => this.show(table(found, both.map(({ plan }) => plan.sources), words, failed));
    both.forEach(({ plan, module }, at) => {
      const made = worker(this.code);
      this.workers.push(made);
      let timer = 0;
      const wait = () => {
        clearTimeout(timer);
        timer = Number(setTimeout(() => { failed = "the games take too long and were stopped"; this.stop(); show(); }, DEADLINE));
      };
      made.addEventListener("message", ({ data }) => {
        found[at] = data.figures;
        wait();
        if (data.failed) failed = "a rule fails in a game: the figures are those before it";
        if (data.done || data.failed) { clearTimeout(timer); made.terminate(); }
        show();
      });
      made.postMessage({ plan, module, games: GAMES });
      wait();
    });
  }
}

/**
 * @param {(Figures | null)[]} found @param {readonly (readonly string[])[]} sources @param {Words} words @param {string} failed
 * @returns {Node[]}
 */
function table(found, sources, words, failed) {
  /** @type {[string, (Estimate | null)[], string][]} */
  const rows = [
    ["moves", found.map((each) => each && each.games ? mean(each.moves, each.games) : null), ""],
    ["the first player wins", found.map((each) => each && each.games ? share(each.wins[0], each.games) : null), " %"],
  ];
  if (sources.flat().length) rows.push(["points of a player", found.map((each) => each && each.games ? mean(each.scores, each.games) : null), ""]);
  for (const source of new Set(sources.flat()))
    rows.push([`· ${words.label(source, 2)}`, found.map((each, at) => {
      const index = sources[at].indexOf(source);
      return each && each.games && index >= 0 ? mean(each.sources[index], each.games) : null;
    }), ""]);
  const heads = found.length > 1 ? ["before", "now"] : ["now"];
  const played = found.map((each) => `${each?.games ?? 0} of ${GAMES}`).join(" and ");
  return [
    h("p", { class: "title" }, `${played} games of random players; ± is a 95 % interval`),
    failed ? h("p", { class: "error" }, failed) : h("span"),
    h("table", { class: "balance" },
      h("thead", {}, h("tr", {}, h("th", {}), ...heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, ...rows.map(([name, estimates, unit]) => h("tr", { class: differ(estimates) ? "differs" : null },
        h("th", { scope: "row" }, name), ...estimates.map((each) => h("td", {}, each ? `${each.mean.toFixed(1)} ± ${each.half.toFixed(1)}${unit}` : "")))))),
  ];
}

/** Says whether two estimates differ more than by chance. @param {(Estimate | null)[]} estimates */
function differ([before, now]) {
  return Boolean(before && now && Math.abs(before.mean - now.mean) > Math.hypot(before.half, now.half));
}
