// Plays games of a module: node play.mjs game.wasm game.json < what to play.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const [module, layout, asked] = [process.argv[2], process.argv[3], 0].map((at) => readFileSync(at));
const { state, slots, tables } = JSON.parse(layout);
const { seed, games, words } = JSON.parse(asked);

const { instance } = await WebAssembly.instantiate(module); // It imports nothing.
const { memory, fault, start, play, playouts, save, load } = instance.exports;

const ARRAYS = {
  u8: Uint8Array, u16: Uint16Array, u32: Uint32Array,
  i8: Int8Array, i16: Int16Array, i32: Int32Array, i64: BigInt64Array,
};
const table = (name) => {
  const { type, address, size } = tables[name];
  return new ARRAYS[type](memory.buffer, address, size);
};
const digest = () => createHash("sha256").update(new Uint8Array(memory.buffer, 0, state)).digest("hex");

// Games played at random, all in one call. An int is a BigInt, as it has 64 bits.
const limit = 1n << 40n;
playouts(BigInt(seed), 0n, 0n, BigInt(games), limit);
const numbers = Array.from(table("results"), Number);
const width = numbers.length / Number(table("BATCH")[0]);
const rows = Array.from({ length: games }, (_, row) => numbers.slice(row * width, (row + 1) * width));

// A game move by move: here, of those that `moves` holds, each time another.
table("rng").set(words);
table("resolves")[0] = 1;
start();
const [waiting, count] = [table("waiting"), table("move_count")];
const counts = [];
while (waiting[0] !== 0) {
  counts.push(count[0]);
  play(BigInt((counts.length * 7) % count[0]));
}

// A fault is an error, and its number is in a global. The state is as it was kept before.
save(state * slots);
let code = 0;
try {
  play(-1n);
} catch (error) {
  code = error instanceof WebAssembly.RuntimeError ? fault.value : -1;
}
new Uint8Array(memory.buffer, 0, state).fill(7);
load(state * slots);
console.log(JSON.stringify({ rows, counts, digest: digest(), code }));
