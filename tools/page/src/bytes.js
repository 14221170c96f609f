/** Bytes as text in base64, and deflated. */

/** Returns the bytes of a text in base64 or base64url. @param {string} text */
export function bytesOf(text) {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

/** Returns bytes as text in base64url. @param {Uint8Array} bytes */
export function base64url(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns what deflated bytes hold. @param {Response | Uint8Array} packed */
export function inflated(packed) {
  const { body } = packed instanceof Response ? packed : new Response(/** @type {BodyInit} */ (packed));
  return new Response(body?.pipeThrough(new DecompressionStream("deflate")));
}

/** Returns what a stream makes of bytes; throws RangeError if that is more than `most` bytes. @param {Uint8Array} bytes @param {TransformStream<any, Uint8Array>} through @param {number} most */
export async function piped(bytes, through, most) {
  const reader = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(through).getReader();
  /** @type {BlobPart[]} */
  const parts = [];
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new RangeError("it is too large");
    }
    parts.push(/** @type {BlobPart} */ (value));
  }
}
