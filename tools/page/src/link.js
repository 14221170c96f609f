/** Games as text for the address of the page: deflated numbers in base64url. */

import { base64url, bytesOf, piped } from "./bytes.js";

/** The version of a link, and of one of a game that is played by links. */
const [VERSION, LETTER] = [1, 2];

/** The most bytes of a link when unpacked, and of a number in it: anybody may have written it. */
const MOST = 1_000_000;
const LONGEST = 10;

/** @typedef {{digest: string, players: number, seed: string, seats: string[], rows: number[], letter?: import("./letters.js").Letter | null}} Shared */

/** @param {number[]} bytes @param {bigint} number */
function push(bytes, number) {
  for (; number > 127n; number >>= 7n) bytes.push(Number(number & 127n) | 128);
  bytes.push(Number(number));
}

/** Returns a game as text. @param {Shared} game @param {string[]} kinds the kinds of seats */
export async function packed({ digest, players, seed, seats, rows, letter }, kinds) {
  /** @type {number[]} */
  const bytes = [];
  push(bytes, BigInt(players));
  push(bytes, BigInt.asUintN(64, BigInt(seed)));
  for (const seat of seats) push(bytes, BigInt(Math.max(0, kinds.indexOf(seat))));
  if (letter) push(bytes, BigInt(letter.id));
  for (const [at, row] of rows.entries()) for (const number of letter ? [letter.digests[at], row] : [row]) push(bytes, BigInt(number));
  if (letter) push(bytes, BigInt(letter.digests[rows.length]));
  const made = await piped(Uint8Array.from(bytes), new CompressionStream("deflate-raw"), MOST);
  return `${letter ? LETTER : VERSION}.${digest.slice(0, 12)}.${base64url(made)}`;
}

/** Returns the game of a text, null for a text that is none. @param {string} text @param {string[]} kinds @returns {Promise<Shared | null>} */
export async function unpacked(text, kinds) {
  const parts = /^(\d+)\.([0-9a-f]{12})\.([A-Za-z0-9_-]*)$/.exec(text);
  const version = Number(parts?.[1]);
  if (!parts || (version !== VERSION && version !== LETTER)) return null;
  try {
    const numbers = [...read(await piped(bytesOf(parts[3]), new DecompressionStream("deflate-raw"), MOST))];
    const [players, seed, ...rest] = numbers;
    const count = Number(players);
    const after = rest.slice(count);
    if (!(count >= 1 && count <= 64) || rest.length < count || (version === LETTER && (!after.length || after.length % 2))) return null;
    const moves = version === LETTER ? after.slice(1).map(Number) : [];
    return {
      digest: parts[2],
      players: count,
      seed: String(seed),
      seats: rest.slice(0, count).map((number) => kinds[Number(number)] ?? kinds[0]),
      ...(version === LETTER
        ? { rows: moves.filter((_, at) => at % 2), letter: { id: String(after[0]), digests: moves.filter((_, at) => at % 2 === 0) } }
        : { rows: after.map(Number) }),
    };
  } catch {
    return null;
  }
}

/** @param {Uint8Array} bytes */
function* read(bytes) {
  let [number, length] = [0n, 0];
  for (const byte of bytes) {
    if (length === LONGEST) throw new RangeError("a number is too long");
    number |= BigInt(byte & 127) << BigInt(7 * length);
    length++;
    if (byte < 128) {
      yield number;
      [number, length] = [0n, 0];
    }
  }
}
