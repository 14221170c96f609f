/** An instance of a game's module: its tables, its functions, and copies of its state. */

import { Rng } from "./rng.js";

/** @import { PlayersPlan } from "./types.js" */

const ARRAYS = {
  u8: Uint8Array, u16: Uint16Array, u32: Uint32Array,
  i8: Int8Array, i16: Int16Array, i32: Int32Array, i64: BigInt64Array,
};

/** A copy of everything that a move changes. @typedef {{state: Uint8Array, told: Record<string, number[]>}} Kept */

/** Statistics since the start of the game, which are not part of the state. */
const TOLD = ["gained", "offered", "lead", "leads", "scored"];

/** A rule failed; `code` is the number of the fault. */
export class Fault extends Error {
  /** @param {number} code */
  constructor(code) {
    super(`fault ${code}`);
    this.code = code;
  }
}

export class Machine {
  /** @param {PlayersPlan} plan @param {WebAssembly.Module} module */
  constructor(plan, module) {
    this.plan = plan;
    const instance = new WebAssembly.Instance(module);
    this.exports = /** @type {any} */ (instance.exports);
    this.buffer = /** @type {WebAssembly.Memory} */ (this.exports.memory).buffer;
    this.state = new Uint8Array(this.buffer, 0, plan.state);
    this.blank = this.state.slice();
    /** @type {Record<string, any>} */
    this.tables = {};
  }

  /** Returns a table; its entries are numbers, or BigInts in tables of 64 bits. @param {string} name */
  table(name) {
    const known = this.tables[name];
    if (known) return known;
    const { type, address, size } = this.plan.tables[name];
    const Entries = ARRAYS[/** @type {keyof typeof ARRAYS} */ (type)];
    return (this.tables[name] = new Entries(this.buffer, address, size));
  }

  /** Returns an entry of a table as a number. @param {string} name @param {number} index */
  at(name, index = 0) {
    return Number(this.table(name)[index]);
  }

  /** Sets an entry of a table. @param {string} name @param {number} value @param {number} index */
  set(name, value, index = 0) {
    const table = this.table(name);
    table[index] = table instanceof BigInt64Array ? BigInt(value) : value;
  }

  /** Calls a function of the module; throws Fault. @param {string} name @param {...number} numbers */
  call(name, ...numbers) {
    try {
      return this.exports[name](...numbers.map(BigInt));
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) throw error;
      this.exports.row.value = typeof this.exports.row.value === "bigint" ? 0n : 0;
      throw new Fault(Number(this.exports.fault.value));
    }
  }

  /** Begins a game of a seed and runs to the first decision. @param {bigint} seed @param {boolean} [notes] whether the module notes its steps */
  start(seed, notes = false) {
    this.state.set(this.blank);
    this.table("rng").set(Rng.seeded(seed).state);
    this.set("resolves", 1);
    if (notes) this.noting("start_told");
    else this.call("start_told");
  }

  /** Plays a row; the module notes its steps and the terms of its points. @param {number} row */
  play(row) {
    this.noting("play_told", row);
  }

  /** Calls a function while the module notes. @param {string} name @param {...number} numbers */
  noting(name, ...numbers) {
    this.set("noted", 0);
    this.table("tracing").fill(0n, 0, 3);
    this.set("noting", 1);
    try {
      this.call(name, ...numbers);
    } finally {
      this.set("noting", 0);
    }
  }

  /** Returns the terms that a note names: quantities by number, and their values. @param {number} record @returns {[name: number, value: number][]} */
  terms(record) {
    const size = this.plan.tables.record_name.size;
    const at = (/** @type {number} */ place) => /** @type {[number, number]} */ (["record_name", "record_value"].map((name) => this.at(name, place % size)));
    if (!record) return [];
    return Array.from({ length: at(record)[0] }, (_, place) => at(record + 1 + place));
  }

  /** Returns a copy of the state. @returns {Kept} */
  keep() {
    /** @type {Record<string, number[]>} */
    const told = {};
    for (const name of TOLD) told[name] = Array.from(this.table(name), Number);
    return { state: this.state.slice(), told };
  }

  /** Restores a copy. @param {Kept} kept */
  restore(kept) {
    this.state.set(kept.state);
    for (const name of TOLD) kept.told[name].forEach((value, index) => this.set(name, value, index));
  }

  /** Returns the rows of the legal moves: the option (for chance the weight), then its arguments. */
  rows() {
    if (!this.at("waiting")) return [];
    this.call("enumerate_moves");
    const [width, count] = [this.at("move_width"), this.at("move_count")];
    const numbers = Array.from(this.table("moves").subarray(0, width * count), Number);
    return Array.from({ length: count }, (_, row) => numbers.slice(row * width, (row + 1) * width));
  }
}
