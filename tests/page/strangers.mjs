// Reads links and records that anybody may have written: node strangers.mjs < texts.
import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { packed, unpacked } from "../../tools/page/src/link.js";
import { readRecord } from "../../tools/page/src/records.js";

const KINDS = ["human", "random"];
const DIGEST = "0123456789ab";
const { records, games, bytes } = JSON.parse(readFileSync(0, "utf8"));

/** Returns the link of these bytes. */
const linked = (content) => `1.${DIGEST}.${deflateRawSync(Buffer.from(content)).toString("base64url")}`;
/** Returns as many of the same byte. */
const run = ([byte, count]) => new Uint8Array(count).fill(byte);

const told = { records: records.map(readRecord), games: [], links: [] };
for (const game of games) told.games.push(await unpacked(await packed({ ...game, digest: DIGEST }, KINDS), KINDS));
for (const parts of bytes) {
  const begun = performance.now();
  const game = await unpacked(linked(Buffer.concat(parts.map(run))), KINDS);
  told.links.push([game, performance.now() - begun]);
}
for (const text of ["", "1", "1.x.y", `2.${DIGEST}.`, `1.${DIGEST}.`, `1.${DIGEST}.////`, `1.${DIGEST}.${"A".repeat(100_000)}`])
  told.links.push([await unpacked(text, KINDS), 0]);
console.log(JSON.stringify(told));
