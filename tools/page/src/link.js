/** Games as text for the address of the page: deflated numbers in base64url. */

const VERSION = 1;

/** @typedef {{digest: string, players: number, seed: string, seats: string[], rows: number[]}} Shared */

/** @param {number[]} bytes @param {bigint} number */
function push(bytes, number) {
  for (; number > 127n; number >>= 7n) bytes.push(Number(number & 127n) | 128);
  bytes.push(Number(number));
}

/** @param {Uint8Array} bytes @param {"deflate-raw" | "inflate"} how */
async function through(bytes, how) {
  const stream = how === "inflate" ? new DecompressionStream("deflate-raw") : new CompressionStream("deflate-raw");
  const packed = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** Returns a game as text. @param {Shared} game @param {string[]} kinds the kinds of seats */
export async function packed({ digest, players, seed, seats, rows }, kinds) {
  /** @type {number[]} */
  const bytes = [];
  push(bytes, BigInt(players));
  push(bytes, BigInt(seed));
  for (const seat of seats) push(bytes, BigInt(Math.max(0, kinds.indexOf(seat))));
  for (const row of rows) push(bytes, BigInt(row));
  const text = btoa(String.fromCharCode(...(await through(Uint8Array.from(bytes), "deflate-raw"))));
  return `${VERSION}.${digest.slice(0, 12)}.${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** Returns the game of a text, null for a text that is none. @param {string} text @param {string[]} kinds @returns {Promise<Shared | null>} */
export async function unpacked(text, kinds) {
  const parts = /^(\d+)\.([0-9a-f]{12})\.([A-Za-z0-9_-]*)$/.exec(text);
  if (!parts || Number(parts[1]) !== VERSION) return null;
  try {
    const bytes = Uint8Array.from(atob(parts[3].replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const numbers = [...read(await through(bytes, "inflate"))];
    const [players, seed, ...rest] = numbers;
    const count = Number(players);
    if (!(count >= 1 && count <= 16) || rest.length < count) return null;
    return {
      digest: parts[2],
      players: count,
      seed: String(seed),
      seats: rest.slice(0, count).map((number) => kinds[Number(number)] ?? kinds[0]),
      rows: rest.slice(count).map(Number),
    };
  } catch {
    return null;
  }
}

/** @param {Uint8Array} bytes */
function* read(bytes) {
  let [number, shift] = [0n, 0n];
  for (const byte of bytes) {
    number |= BigInt(byte & 127) << shift;
    shift += 7n;
    if (byte < 128) {
      yield number;
      [number, shift] = [0n, 0n];
    }
  }
}
