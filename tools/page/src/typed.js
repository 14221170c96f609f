/** Moves as people type them: `at 1,0,90`, `place_tile.at(spot=(1,0,90))`, or the beginning of either. */

import { text } from "./position.js";

/** @import { Move } from "./types.js" */

/** Returns a move as it is offered for completion. @param {Move} move */
export function typedForm(move) {
  const name = move.name.includes("/") ? move.name : move.name.slice(move.name.indexOf(".") + 1);
  return [name, ...move.args.map(({ plain }) => text(plain).replace(/^\((.*)\)$/, "$1"))].join(" ");
}

/** @param {string} words */
const plainly = (words) => words.toLowerCase().replace(/[\s(),]+/g, " ").trim();

/** Returns the moves that a text may mean: exactly, or by its beginning. @param {string} typed @param {Move[]} moves @param {(move: Move) => string} inWords @returns {number[]} */
export function meant(typed, moves, inWords) {
  // `c=high[gold=true]` is `high[gold=true]`: in brackets, names belong to the name of the component.
  const unnamed = typed.replace(/\[[^\]]*\]|\b\w+=/g, (part) => (part.startsWith("[") ? part : ""));
  const wanted = plainly(unnamed.replace(/^\w+\.(?=\w)/, ""));
  const forms = moves.map((move) => [plainly(typedForm(move)), plainly(inWords(move))]);
  const exact = forms.flatMap((each, row) => (each.includes(wanted) ? [row] : []));
  return exact.length ? exact : forms.flatMap((each, row) => (each.some((form) => form.startsWith(wanted)) ? [row] : []));
}
