/** The generator behind all chance: xoshiro128++ seeded by SplitMix64 (docs/reference/generator.md). */

const MASK = (1n << 64n) - 1n;
const STEP = 0x9e3779b97f4a7c15n;

/** @param {bigint} z */
function mix(z) {
  z &= MASK;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return z ^ (z >> 31n);
}

/** @param {number} word @param {number} by */
const rotl = (word, by) => ((word << by) | (word >>> (32 - by))) >>> 0;

/** A stream of random numbers. */
export class Rng {
  /** @param {Uint32Array} state four words, not all zero */
  constructor(state) {
    this.state = state;
  }

  /** Returns stream `stream` of a seed. @param {bigint} seed @param {bigint} stream */
  static seeded(seed, stream = 0n) {
    let z = mix(seed + STEP) ^ mix(stream * 0xd1342543de82ef95n + 1n);
    const words = new Uint32Array(4);
    for (let half = 0; half < 4; half += 2) {
      z = (z + STEP) & MASK;
      const mixed = mix(z);
      words[half] = Number(mixed & 0xffffffffn);
      words[half + 1] = Number(mixed >> 32n);
    }
    return new Rng(words.some((word) => word) ? words : Uint32Array.of(1, 2, 3, 4));
  }

  /** Returns the next 32 bits. */
  word() {
    let [a, b, c, d] = this.state;
    const out = (rotl((a + d) >>> 0, 7) + a) >>> 0;
    const t = (b << 9) >>> 0;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    this.state = Uint32Array.of(a, b, c ^ t, rotl(d >>> 0, 11));
    return out;
  }

  /** Returns a number from 0 to bound - 1. @param {number} bound */
  below(bound) {
    const limit = Math.floor(0x7fffffff / bound) * bound;
    let drawn = this.word() >>> 1;
    while (drawn >= limit) drawn = this.word() >>> 1;
    return drawn % bound;
  }

  /** Returns the items in random order. @template T @param {readonly T[]} items @returns {T[]} */
  shuffled(items) {
    const order = [...items];
    for (let last = order.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      [order[last], order[other]] = [order[other], order[last]];
    }
    return order;
  }
}
