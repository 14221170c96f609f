/** The worker that plays random games of a module: it tells the running figures, or the first game that fails. */

import { inflated } from "../bytes.js";
import { Machine } from "../machine.js";
import { Rng } from "../rng.js";

/** @typedef {{sum: number, squares: number}} Sum */
/** With `check` only failures are told. @typedef {{plan: import("../types.js").Plan, module: Uint8Array, games: number, check?: boolean}} Asked */
/**
 * Sums over the games so far; `wins` are those of each seat, a tie shared.
 * @typedef {{games: number, wanted: number, moves: Sum, wins: number[], scores: Sum, sources: Sum[]}} Figures
 */

/** Games in each call, after which figures are told. */
const BATCH = 50n;
const LIMIT = 20_000n;
/** Moves after which a game is given up that is only played to see whether it fails. */
const MOVES = 600;
/** The columns before the scores. */
const COLUMNS = 6;

/** @param {Sum} sum @param {number} value */
function add(sum, value) {
  sum.sum += value;
  sum.squares += value * value;
}

const zero = () => ({ sum: 0, squares: 0 });

/** @param {Figures} figures @param {number[]} row @param {number} seats */
function count(figures, row, seats) {
  figures.games++;
  add(figures.moves, row[0]);
  const winners = Array.from({ length: seats }, (_, seat) => (row[2] >> seat) & 1);
  const share = winners.reduce((all, each) => all + each, 0) || seats;
  winners.forEach((won, seat) => { figures.wins[seat] += (share === seats ? 1 : won) / share; });
  const scores = row.slice(COLUMNS, COLUMNS + seats);
  add(figures.scores, scores.reduce((all, each) => all + each, 0) / seats);
  figures.sources.forEach((sum, source) => {
    const from = COLUMNS + seats + source * seats;
    add(sum, row.slice(from, from + seats).reduce((all, each) => all + each, 0) / seats);
  });
}

/** Returns the seed of the first random game that fails, null if none does. @param {Machine} machine @param {number} games */
function failing(machine, games) {
  for (let seed = 0; seed < games; seed++) {
    try {
      machine.state.set(machine.blank);
      machine.call("start");
      machine.table("luck").set(Rng.seeded(BigInt(seed)).state);
      machine.call("playout", MOVES);
    } catch {
      return seed;
    }
  }
  return null;
}

addEventListener("message", async ({ data }) => {
  const { plan, module, games, check } = /** @type {Asked} */ (data);
  const here = plan.games[0];
  const seats = here.players;
  const machine = new Machine(here, await WebAssembly.compile(await inflated(module).arrayBuffer()));
  if (check) return postMessage({ failing: failing(machine, games) });
  /** @type {Figures} */
  const figures = { games: 0, wanted: games, moves: zero(), wins: Array(seats).fill(0), scores: zero(), sources: plan.sources.map(zero) };
  try {
    for (let first = 0n; first < BigInt(games); first += BATCH) {
      machine.exports.playouts(1n, 0n, first, BATCH, LIMIT);
      const results = machine.table("results");
      const width = results.length / machine.at("BATCH");
      for (let game = 0; game < machine.at("results_count"); game++)
        count(figures, Array.from(results.subarray(game * width, (game + 1) * width), Number), seats);
      postMessage({ figures });
    }
    postMessage({ figures, done: true });
  } catch {
    postMessage({ figures, failed: true });
  }
});
