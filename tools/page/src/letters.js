/** Games by links: each player moves on an own page, and sends the link on; the page notices a past that was altered. */

import { h, the } from "./dom.js";

/** @import { Shared } from "./link.js" */
/**
 * What a link has besides the moves: a number of its game, and for each move the digest of all before it; at last that of all.
 * @typedef {{id: string, digests: number[]}} Letter
 */

/** The bits of a digest in a link. */
const BITS = 28;

/** Returns why a game cannot be played by links: the key of a text, and its fields; null if it can. @param {import("./types.js").Plan} plan @param {import("./words.js").Words} words @returns {string | null} */
export function refusal(plan, words) {
  const zone = plan.zones.find(({ absent, visible }) => !absent && (visible === "owner" || visible === "others"));
  if (zone) return words.say("hiddenZone", { zone: words.label(zone.key, 2) });
  const secret = plan.games.some(({ choices }) => choices.some(({ options }) => options.some((option) => option.arguments.some((each) => each.secret))));
  if (secret || plan.answers.length) return words.say("hiddenMoves");
  return globalThis.crypto?.subtle ? null : words.say("needsSecure");
}

/** Returns the number of a new game. */
export const newId = () => String(crypto.getRandomValues(new BigUint64Array(1))[0]);

/** Returns for each move of a game the digest of all before it, at last that of all. @param {Shared} game @param {string} id @returns {Promise<number[]>} */
export async function chained({ digest, players, seed, seats, rows }, id) {
  const encoder = new TextEncoder();
  let chain = "";
  const digests = [];
  for (const link of [`${digest.slice(0, 12)} ${players} ${seed} ${seats.join()} ${id}`, ...rows.map(String)]) {
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(`${chain} ${link}`)));
    chain = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    digests.push(parseInt(chain.slice(0, 8), 16) >>> (32 - BITS));
  }
  return digests;
}

/**
 * Compares a game of a link with the one that this page knows: the first move that was altered, 0 for the start, null if none was,
 * and whether the page knows more moves.
 * @param {Shared & {letter: Letter}} game @param {Shared | null} known
 */
export async function compared(game, known) {
  const digests = await chained(game, game.letter.id);
  const at = digests.findIndex((digest, number) => digest !== game.letter.digests[number]);
  if (at >= 0) return { altered: at, older: false, whole: false };
  if (!known) return { altered: null, older: false, whole: true };
  const start = (/** @type {Shared} */ each) => `${each.players} ${each.seed} ${each.seats}`;
  const row = start(game) === start(known) ? game.rows.findIndex((each, number) => number < known.rows.length && each !== known.rows[number]) : -2;
  return { altered: row === -1 ? null : Math.max(0, row + 1), older: game.rows.length < known.rows.length, whole: true };
}

/** Says that a link is not as it should be, and offers to take it as it is. @param {any} page @param {string} text @param {(() => void) | null} take */
export function warn({ words }, text, take) {
  const box = /** @type {HTMLDialogElement} */ (the("why-box"));
  const accept = take && h("button", { id: "take", click: () => { box.close(); take(); } }, words.say("takeLink"));
  the("why-told").replaceChildren(h("h2", { tabindex: "-1" }, words.say("letters")), h("p", { id: "warning", role: "alert" }, text), ...(accept ? [accept] : []));
  if (!box.open) box.showModal();
}
