/** A project in the address of the page: deflated JSON in base64url, and as a zip file. */

import { base64url, bytesOf, piped } from "../bytes.js";

export const VERSION = 1;
/** The longest link that is made; browsers and messengers cut longer ones. */
export const MOST_LINK = 32_000;
/** The largest project that a link may unpack to. */
const MOST = 2_000_000;

/**
 * `record` are the moves of the game, as lines of a record.
 * @typedef {{version: number, edition: number, main: string, with: string[], players: number, seed: string,
 *   lines: import("./embedded.js").Line[], files: Record<string, string>}} Shared
 */

/** A link that cannot be opened, with the reason. */
export class Broken extends Error {}

/** Returns a project as text. @param {Shared} shared */
export async function packed(shared) {
  return base64url(await piped(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream("deflate-raw"), Infinity));
}

/** Returns the project of a text; throws Broken. @param {string} text @param {number} edition the newest that is known @returns {Promise<Shared>} */
export async function unpacked(text, edition) {
  let found;
  try {
    if (!/^[A-Za-z0-9_-]+$/.test(text)) throw new Broken("this link is incomplete");
    const json = await piped(bytesOf(text), new DecompressionStream("deflate-raw"), MOST);
    found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
  } catch (error) {
    if (error instanceof RangeError) throw new Broken("the project in this link is too large");
    throw error instanceof Broken ? error : new Broken("this link is incomplete or damaged");
  }
  if (found?.version > VERSION) throw new Broken("this link was made by a newer studio");
  if (found?.edition > edition) throw new Broken(`the project in this link is of edition ${found.edition} of the language, and this studio knows editions up to ${edition}`);
  const texts = (/** @type {unknown} */ value) => value !== null && typeof value === "object" && Object.values(value).every((each) => typeof each === "string");
  const fits = found?.version === VERSION && Number.isSafeInteger(found.edition) && typeof found.main === "string" && texts(found.files) && Array.isArray(found.with) && texts(found.with)
    && Number.isSafeInteger(found.players) && /^\d{1,15}$/.test(found.seed) && Array.isArray(found.lines)
    && found.lines.every((/** @type {any} */ line) => typeof line?.by === "string" && typeof line.move === "string" && texts(line.args));
  if (!fits) throw new Broken("this link is not one of a project");
  return found;
}

/** Returns a word as shells take it, whatever it holds: a stranger may have written it. @param {string} word */
export function quoted(word) {
  const shown = word.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\ufffd");
  return /^[\w.@%+/][\w.@%+/-]*$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, number) => {
  for (let bit = 0; bit < 8; bit++) number = number & 1 ? (number >>> 1) ^ 0xedb88320 : number >>> 1;
  return number;
});

/** @param {Uint8Array} bytes */
function checksum(bytes) {
  let sum = -1;
  for (const byte of bytes) sum = TABLE[(sum ^ byte) & 255] ^ (sum >>> 8);
  return (sum ^ -1) >>> 0;
}

/** Returns a zip file, without compression. @param {Record<string, string>} files */
export function zipped(files) {
  /** @type {Uint8Array[]} */
  /** @type {BlobPart[]} */
  const parts = [];
  /** @type {Uint8Array[]} */
  const index = [];
  const encoder = new TextEncoder();
  let at = 0;
  for (const [name, text] of Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [named, data] = [encoder.encode(name), encoder.encode(text)];
    // Version 2.0, names in UTF-8, stored, 1 January 1980.
    const common = [[20, 2], [0x0800, 2], [0, 2], [0, 2], [0x21, 2], [checksum(data), 4], [data.length, 4], [data.length, 4], [named.length, 2], [0, 2]];
    const local = numbers([[0x04034b50, 4], ...common]);
    parts.push(local, named, data);
    index.push(numbers([[0x02014b50, 4], [20, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]]), named);
    at += local.length + named.length + data.length;
  }
  const size = index.reduce((sum, part) => sum + part.length, 0);
  const count = index.length / 2;
  const end = numbers([[0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [size, 4], [at, 4], [0, 2]]);
  return new Blob(/** @type {BlobPart[]} */ ([...parts, ...index, end]), { type: "application/zip" });
}

/** Returns numbers with so many bytes each. @param {number[][]} given */
function numbers(given) {
  return Uint8Array.from(given.flatMap(([number, size]) => Array.from({ length: size }, (_, byte) => Math.floor(number / 256 ** byte) & 255)));
}
