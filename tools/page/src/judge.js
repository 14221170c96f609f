/** Judgements of positions and moves for looking back at a game, from random playouts. */

import { drawn, margin, playout } from "./bots.js";
import { Fault } from "./machine.js";
import { Rng } from "./rng.js";

/** @import { Position } from "./position.js" */
/** @typedef {{leads: number[], loss: number, mistake: boolean, best: number}} Judgement */

/** Moves of a playout, playouts of each of the two moves that are compared, and the least loss in points that counts. */
const [LENGTH, COMPARED, LEAST] = [400, 40, 2];

/**
 * Returns the lead that each seat can expect after random play, and whether the move that was played loses points
 * against the best one: more than chance explains, and at least two.
 * @param {Position} position @param {number} row the move that was played @param {number} best the best move that a search has found
 * @param {Rng} rng @returns {Judgement}
 */
export function judge(position, row, best, rng) {
  const { machine } = position;
  const seat = Math.max(0, position.mover ?? 0);
  const kept = machine.keep();
  const samples = drawn(position, seat, rng);
  try {
    const played = results(position, samples, row, rng);
    const other = best === row ? played : results(position, samples, best, rng);
    const seats = Array.from({ length: position.seats }, (_, each) => each);
    const leads = seats.map((each) => mean(played.map((scores) => margin(scores, each))));
    const [own, better] = [played, other].map((all) => all.map((scores) => margin(scores, seat)));
    const loss = best === row ? 0 : mean(better) - mean(own);
    return { leads, loss, mistake: loss >= LEAST && loss > 2 * Math.sqrt(variance(own) / own.length + variance(better) / better.length), best };
  } finally {
    machine.restore(kept);
  }
}

/** @param {Position} position @param {import("./machine.js").Kept[]} samples @param {number} row @param {Rng} rng */
function results(position, samples, row, rng) {
  const { machine } = position;
  /** @type {number[][]} */
  const found = [];
  for (let count = 0; count < COMPARED; count++) {
    machine.restore(samples[count % samples.length]);
    machine.rows();
    try {
      machine.call("play", row);
      found.push(playout(position, LENGTH, rng));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  }
  return found.length ? found : [position.standings()];
}

/** @param {number[]} numbers */
const mean = (numbers) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/** @param {number[]} numbers */
function variance(numbers) {
  const usual = mean(numbers);
  return mean(numbers.map((each) => (each - usual) ** 2));
}
