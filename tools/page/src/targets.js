/** What a person can point at to choose among moves: cells, segments, pieces, zones, spaces, players. */

import { CHANCE, PIECES } from "./position.js";

/** @import { View, Move } from "./types.js" */
/**
 * @typedef {{key: string, type: string, number: number, cell: {grid: string, x: number, y: number} | null, moves: number[],
 *   member: boolean}} Target `member` says that moves name it in a set
 */

/** Returns the targets of the legal moves by key, each with the moves that name it. @param {View} view @returns {Map<string, Target>} */
export function targetsOf(view) {
  /** @type {Map<string, Target>} */
  const found = new Map();
  if (view.mover === CHANCE) return found;
  view.moves.forEach((move, row) => {
    for (const arg of move.args)
      for (const target of pointedAt(arg)) {
        const known = found.get(target.key);
        if (!known) found.set(target.key, { ...target, moves: [row], member: arg.type.set === true });
        else if (known.moves.at(-1) !== row) known.moves.push(row);
      }
  });
  return found;
}

/** Returns what a person can point at for an argument: each member of a set. @param {import("./types.js").Given} given */
function pointedAt({ type, number, plain }) {
  if (plain === null) return [];
  const numbers = Array.isArray(number) ? number : [number];
  const plains = Array.isArray(number) && Array.isArray(plain) ? plain : [plain];
  return numbers.flatMap((each, at) => targetOf(type.type, each, plains[at]) ?? []);
}

/** Returns the keys of what a move names. @param {Move} move @returns {string[]} */
export function keysOf({ args }) {
  return args.flatMap((arg) => pointedAt(arg).map(({ key }) => key));
}

/** @param {string} type @param {number} number @param {any} plain @returns {Omit<Target, "moves" | "member"> | null} */
function targetOf(type, number, plain) {
  if (type === "placement" || type === "cell") {
    const cell = { grid: plain.grid, x: plain.x, y: plain.y };
    return { key: `cell:${plain.grid}:${plain.x}:${plain.y}`, type: "cell", number, cell };
  }
  if (type === "feature") type = "segment";
  if (PIECES.has(type)) type = "piece";
  return ["segment", "piece", "zone", "space", "player"].includes(type) ? { key: `${type}:${number}`, type, number, cell: null } : null;
}

/** Returns the piece that a move lays, null if it lays none. @param {View} view @param {Move} move @param {(piece: number) => number} kindOf @returns {{piece: number, kind: number} | null} */
export function laidBy(view, move, kindOf) {
  for (const { type, number } of [...move.args, ...view.about])
    if (PIECES.has(type.type) && typeof number === "number" && number >= 0) return { piece: number, kind: kindOf(number) };
  return null;
}

/** Returns the only move without arguments, such as `pass`; -1 if there is none or several. @param {View} view */
export function skipOf(view) {
  const plain = view.moves.flatMap((move, row) => (move.args.length ? [] : [row]));
  return plain.length === 1 ? plain[0] : -1;
}
