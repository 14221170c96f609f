/** Runs the worker that plays random games outside of a browser: a game comes in, what it tells goes out. */

import { readFileSync } from "node:fs";

const [script] = process.argv.slice(2);
const { plan, module } = JSON.parse(readFileSync(0, "utf8"));
let listen;
globalThis.addEventListener = (_, listener) => { listen = listener; };
globalThis.postMessage = (told) => console.log(JSON.stringify(told));
(0, eval)(readFileSync(script, "utf8"));
await listen({ data: { plan, module: Uint8Array.from(Buffer.from(module, "base64")), games: 100, check: true } });
