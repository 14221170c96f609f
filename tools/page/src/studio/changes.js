/** What a change of the rules has changed in the same position. */

/** @import { Told } from "./embedded.js" */
/** @typedef {{text: string, kind: "more" | "less" | "note"}} Change */

const MOST = 4;

/** Returns the differences between two positions in sentences; empty if there are none. @param {Told} before @param {Told} now @returns {Change[]} */
export function changes(before, now) {
  /** @type {Change[]} */
  const found = [];
  if (now.stop) found.push({ kind: "less", text: `move ${now.stop.number} is no longer legal: ${now.stop.text}` });
  now.scores.forEach((points, seat) => {
    const was = before.scores[seat];
    if (was !== undefined && was !== points) found.push({ kind: points > was ? "more" : "less", text: `${now.players[seat]}: before ${was}, now ${points}` });
  });
  const first = now.log.findIndex((entry, at) => before.log[at]?.text === entry.text && before.log[at].gains.join() !== entry.gains.join());
  if (first >= 0) {
    const [was, is] = [before.log[first].gains.join(", ") || "no points", now.log[first].gains.join(", ") || "no points"];
    found.push({ kind: "note", text: `first at move ${first + 1}, ${now.log[first].text}: before ${was}, now ${is}` });
  }
  if (before.length === now.length && !now.stop) found.push(...legal(before.moves, now.moves));
  if (!found.length && before.asked !== now.asked) found.push({ kind: "note", text: `asked before: ${before.asked}; now: ${now.asked}` });
  return found;
}

/** @param {string[]} before @param {string[]} now @returns {Change[]} */
function legal(before, now) {
  const gone = before.filter((move) => !now.includes(move));
  const more = now.filter((move) => !before.includes(move));
  return [
    ...(more.length ? [{ kind: /** @type {const} */ ("more"), text: `now legal: ${listed(more)}` }] : []),
    ...(gone.length ? [{ kind: /** @type {const} */ ("less"), text: `no longer legal: ${listed(gone)}` }] : []),
  ];
}

/** @param {string[]} texts */
function listed(texts) {
  const rest = texts.length - MOST;
  return [...texts.slice(0, MOST), ...(rest > 0 ? [`${rest} more`] : [])].join(" · ");
}
