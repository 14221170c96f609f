/** Records of games that are dropped on the page: anybody may have written them. */

/** The most characters of a record. */
export const MOST = 8_000_000;

/** @typedef {{move: string, args: Record<string, unknown>}} Line */
/**
 * @typedef {{rulesets: string[][], settings: string, players: unknown, seed: string | null, seats: Record<string, unknown>,
 *   moves: Line[]}} Recorded
 */

/** Returns a record; null for a text that is none. Its seed is null if chance is in its moves. @param {string} text @returns {Recorded | null} */
export function readRecord(text) {
  if (text.length > MOST) return null;
  const [first, ...others] = text.split("\n").filter((line) => line.trim());
  try {
    const head = JSON.parse(first);
    const lines = others.map((line) => JSON.parse(line));
    if (!named(head) || typeof head.record !== "number" || !Array.isArray(head.rulesets) || !head.rulesets.every(Array.isArray)) return null;
    const moves = lines.filter((line) => named(line) && typeof line.move === "string" && (line.args === undefined || named(line.args)));
    return {
      rulesets: head.rulesets.map((/** @type {unknown[]} */ each) => [0, 1, 2].map((at) => String(each[at]))),
      settings: JSON.stringify(head.settings), players: head.players, seed: seedOf(first, head.seed),
      seats: named(head.seats) ? head.seats : {},
      moves: moves.map(({ move, args }) => ({ move, args: args ?? {} })),
    };
  } catch {
    return null;
  }
}

/** @param {unknown} value @returns {value is Record<string, any>} */
const named = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a seed with all its digits, of which JSON.parse keeps some. @param {string} head @param {unknown} seed */
function seedOf(head, seed) {
  const all = [...head.matchAll(/"seed"\s*:\s*(-?\d{1,40})(?![\d.eE])/g)].map((found) => found[1]);
  return all.find((digits) => Number(digits) === seed) ?? null;
}
