/** Bots, which are given a sample of the position and never see what is hidden from their player. */

import { Fault } from "./machine.js";
import { Rng } from "./rng.js";
import { differs, sample } from "./sample.js";

/** @import { Position } from "./position.js" */

const MAX_TRIES = 400;
/** The number of samples of a search if something is hidden. */
const SAMPLES = 8;
/** The moves of a playout before it is scored, as far as its length is not measured. */
const [SHORTEST, LONGEST, FIRST] = [24, 384, 16];
const EXPLORE = 0.5;

/** @param {number[]} scores @param {number} seat */
export const margin = (scores, seat) =>
  scores[seat] - Math.max(...scores.filter((_, other) => other !== seat), scores.length > 1 ? -Infinity : 0);

/** The bots by name. @type {Record<string, (position: Position, seat: number, rng: Rng, milliseconds: number) => number>} */
export const BOTS = { random, greedy, search };

/** @param {Position} position @param {number} _seat @param {Rng} rng */
function random(position, _seat, rng) {
  return rng.below(position.machine.rows().length);
}

/**
 * Returns the first move of the sequence of own moves with the largest margin if the game ended after it.
 * @param {Position} position @param {number} seat @param {Rng} rng
 */
function greedy(position, seat, rng) {
  const { machine } = position;
  const kept = machine.keep();
  try {
    sample(position, seat, BigInt(rng.word()));
    withoutChance(machine);
    let [best, row] = [-Infinity, 0];
    for (const [worth, first] of ways(position, seat, MAX_TRIES)) if (worth > best) [best, row] = [worth, first];
    return row;
  } finally {
    machine.restore(kept);
  }
}

/** Offers outcomes of chance as moves. @param {import("./machine.js").Machine} machine */
function withoutChance(machine) {
  machine.table("rng").fill(0);
  machine.set("resolves", 0);
}

/** @param {Position} position @param {number} own @param {number} tries @returns {Iterable<[number, number]>} */
function* ways(position, own, tries) {
  const { machine } = position;
  const count = machine.rows().length;
  const kept = machine.keep();
  for (let row = 0; row < count; row++) {
    machine.restore(kept);
    machine.rows();
    try {
      machine.call("play", row);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      continue;
    }
    for (const worth of margins(position, own, Math.floor(tries / (count - row)))) {
      tries--;
      yield [worth, row];
    }
  }
  machine.restore(kept);
}

/** @param {Position} position @param {number} own @param {number} tries @returns {Iterable<number>} */
function* margins(position, own, tries) {
  const { machine } = position;
  if (position.mover === own && machine.rows().length <= tries) {
    for (const [worth] of ways(position, own, tries)) yield worth;
    return;
  }
  const scores = ended(position);
  if (scores) yield margin(scores, own);
}

/** Returns how the seats stand if the game ended now, null if a rule fails. @param {Position} position */
function ended(position) {
  const { machine } = position;
  try {
    if (machine.at("waiting")) {
      machine.table("rng").set(Rng.seeded(0n).state);
      machine.set("resolves", 1);
      machine.call("finish");
    }
    return position.standings();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return null;
  }
}

/** A move of a search: its playouts, and the sum of their values. @typedef {{row: number, visits: number, worth: number}} Arm */

/**
 * Returns the arms of a decision after playouts from samples of the position, the best first.
 * @param {Position} position @param {number} seat @param {Rng} rng @param {number} milliseconds
 */
export function arms(position, seat, rng, milliseconds) {
  const { machine } = position;
  const kept = machine.keep();
  /** @type {Arm[]} */
  const found = machine.rows().map((_, row) => ({ row, visits: 0, worth: 0 }));
  if (found.length < 2) return { arms: found, usual: 0, scale: 1 };
  const samples = drawn(position, seat, rng);
  try {
    const gauge = measured(position, samples[0], seat, rng);
    const end = performance.now() + milliseconds;
    let total = 0;
    let live = found;
    while (performance.now() < end) {
      const arm = chosen(live, total);
      machine.restore(samples[total % samples.length]);
      machine.rows();
      try {
        machine.call("play", arm.row);
        const scores = playout(position, gauge.length, rng);
        arm.worth += soft(margin(scores, seat) - gauge.usual, gauge.scale);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        live = live.filter((each) => each !== arm);
        if (!live.length) break;
        continue;
      }
      arm.visits++;
      total++;
    }
    found.sort((a, b) => b.visits - a.visits || b.worth - a.worth || a.row - b.row);
    return { arms: found, usual: gauge.usual, scale: gauge.scale };
  } finally {
    machine.restore(kept);
  }
}

/** @param {Position} position @param {number} seat @param {Rng} rng @param {number} milliseconds */
function search(position, seat, rng, milliseconds) {
  return arms(position, seat, rng, milliseconds).arms[0].row;
}

/** @param {Position} position @param {number} seat @param {Rng} rng */
export function drawn(position, seat, rng) {
  const { machine } = position;
  const kept = machine.keep();
  const samples = [];
  const count = differs(position, seat) ? SAMPLES : 1;
  while (samples.length < count) {
    machine.restore(kept);
    sample(position, seat, BigInt(rng.word()));
    withoutChance(machine);
    samples.push(machine.keep());
  }
  return samples;
}

/** @param {Position} position @param {import("./machine.js").Kept} from @param {number} seat @param {Rng} rng */
function measured(position, from, seat, rng) {
  let length = SHORTEST;
  for (;;) {
    /** @type {number[]} */
    const margins = [];
    for (let count = 0; count < FIRST; count++) {
      position.machine.restore(from);
      position.machine.rows();
      margins.push(margin(playout(position, length, rng), seat));
    }
    if (length >= LONGEST || margins.some((each) => each !== margins[0])) {
      const usual = margins.reduce((sum, each) => sum + each, 0) / margins.length;
      const square = margins.reduce((sum, each) => sum + (each - usual) ** 2, 0) / margins.length;
      return { length, usual, scale: Math.max(1, Math.sqrt(square)) };
    }
    length *= 2;
  }
}

/** Plays at random for some moves and ends the game. @param {Position} position @param {number} length @param {Rng} rng */
export function playout(position, length, rng) {
  const { machine } = position;
  machine.table("luck").set(Rng.seeded(BigInt(rng.word())).state);
  if (machine.at("waiting")) {
    machine.call("enumerate_moves");
    machine.call("playout", length);
  }
  const scores = ended(position);
  if (!scores) throw new Fault(0);
  return scores;
}

/** @param {number} more @param {number} scale */
const soft = (more, scale) => 0.5 + (0.5 * more) / (Math.abs(more) + scale);

/** Returns the arm to try next: every one once, then by value and uncertainty. @param {Arm[]} live @param {number} total */
function chosen(live, total) {
  let [best, found] = [-Infinity, live[0]];
  for (const arm of live) {
    if (!arm.visits) return arm;
    const worth = arm.worth / arm.visits + EXPLORE * Math.sqrt(Math.log(total + 1) / arm.visits);
    if (worth > best) [best, found] = [worth, arm];
  }
  return found;
}
