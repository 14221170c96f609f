/** The worker: it holds the game, so that the page never waits for rules or bots. */

import { arms, BOTS } from "./bots.js";
import { inflated } from "./bytes.js";
import { featuresOf, reportOf } from "./explain.js";
import { judge } from "./judge.js";
import { Fault } from "./machine.js";
import { moveText } from "./position.js";
import { Rng } from "./rng.js";
import { Seated } from "./seated.js";
import { Session } from "./session.js";

/** @import { Plan } from "./types.js" */
/** @typedef {{id: number, call: string, given: any}} Request */

/** @type {Plan} */
let plan;
/** @type {Map<number, Uint8Array>} */
let packed = new Map();
/** @type {Map<number, WebAssembly.Module>} */
const modules = new Map();
/** @type {Session} */
let session;
/** @type {Seated | null} */
let seated = null;
/** @type {Rng[]} */
let streams = [];

/** Returns the module for a number of players, unpacked once. @param {number} players */
async function moduleFor(players) {
  const known = modules.get(players);
  if (known) return known;
  const bytes = packed.get(players);
  if (!bytes) throw new RangeError(`no module for ${players} players`);
  const module = await WebAssembly.compile(await inflated(bytes).arrayBuffer());
  modules.set(players, module);
  return module;
}

/** Begins a game; the game before goes on if a rule or one of the moves fails. @param {number} players @param {string} seed @param {Partial<import("./session.js").Moves>} moves */
async function begin(players, seed, { rows = [], taken = [] } = {}) {
  const begun = new Session(plan, await moduleFor(players), players, BigInt(seed));
  for (const [at, row] of rows.entries()) {
    begun.taken = taken.includes(at);
    begun.play(row);
  }
  begun.taken = taken.includes(rows.length);
  session = begun;
  streams = Array.from({ length: players }, (_, seat) => Rng.seeded(BigInt(seed), BigInt(1 + seat)));
}

/** @param {string} text */
const withoutRulesets = (text) => text.replace(/\b[a-z0-9_]+\//g, "");

/** Plays a recorded move; throws if it is not legal. @param {import("./records.js").Line} line @param {number} number */
function playRecorded(line, number) {
  const moves = session.position.moves();
  const wanted = Object.entries(line.args).map(([name, value]) => `${name}=${value}`).join(", ");
  const text = wanted ? `${line.move}(${wanted})` : line.move;
  let row = moves.findIndex((move) => moveText(move) === text);
  if (row < 0) {
    // Records from before name things of two rulesets without the ruleset, if only one of them could be meant.
    const like = moves.flatMap((move, at) => (withoutRulesets(moveText(move)) === withoutRulesets(text) ? [at] : []));
    if (like.length === 1) [row] = like;
  }
  if (row < 0) throw new Error(`line ${number + 2}: ${text}`);
  session.play(row);
}

/** Milliseconds of the search for a better move when a game is judged. */
const JUDGED = 60;

/** The calls of the page by name. @type {Record<string, (given: any) => any>} */
const CALLS = {
  load({ plan: given, modules: bytes }) {
    plan = given;
    packed = bytes;
  },
  begin: ({ players, seed, ...moves }) => begin(players, seed, moves),
  /** Sits down at a table of a server. */
  async seat({ players, seat }) {
    session = seated = new Seated(plan, await moduleFor(players), players, seat);
  },
  told: (message) => seated?.tell(message),
  play: ({ row }) => session.play(row),
  bot({ name, milliseconds }) {
    const seat = session.position.mover ?? 0;
    session.play(BOTS[name](session.position, seat, streams[seat], milliseconds));
  },
  undo: ({ to, fair }) => session.cut(to, fair),
  view: ({ viewer, at, humans }) => session.view(viewer, at ?? session.plies.length, humans),
  log: ({ viewer, humans, from }) => session.log(viewer, humans, from),
  moves: () => session.moves,
  record: ({ seats }) => session.record(seats),
  /** Returns the first move that is not legal or fails, null if there is none; those before it are played. */
  async open({ players, seed, moves }) {
    await begin(players, seed);
    try {
      moves.forEach(playRecorded);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  },
  /** Plays recorded moves up to the first that is not legal, and returns that one. */
  async follow({ players, seed, lines }) {
    await begin(players, seed);
    for (const [at, line] of lines.entries()) {
      try {
        playRecorded(line, at);
      } catch {
        return { stop: { number: at + 1, text: `${line.by} ${line.move} ${Object.values(line.args).join(" ")}`.trim() } };
      }
    }
    return { stop: null };
  },
  /** Begins a game, and has bots play some moves. */
  async advance({ players, seed, plies }) {
    await begin(players, seed);
    for (let count = 0; count < plies && session.position.mover !== null; count++) {
      const seat = session.position.mover;
      session.play(BOTS[seat < 0 ? "random" : "greedy"](session.position, seat, streams[Math.max(0, seat)], 0));
    }
  },
  report: ({ at, cell }) => back(at, () => reportOf(session.position, cell)),
  features: ({ at, names, segments }) => back(at, () => featuresOf(session.position, names, segments)),
  /** Judges a move; one whose better moves the people here may not know is not judged before the end. */
  judge({ at, humans }) {
    const { row, entry } = session.plies[at] ?? {};
    if (!entry || entry.by < 0) return null; // It may have been taken back since it was asked about.
    const open = !humans.includes(true) || session.position.mover === null || (humans[entry.by] && humans.filter(Boolean).length === 1);
    return back(at, () => {
      if (!open && session.hides) return null;
      const rng = Rng.seeded(BigInt(at + 1), 98n);
      const found = arms(session.position, entry.by, rng, JUDGED);
      return { by: entry.by, ...judge(session.position, row, found.arms[0].row, rng) };
    });
  },
  best({ at, milliseconds }) {
    return back(at, () => {
      const { position } = session;
      const seat = position.mover ?? 0;
      const moves = position.moves();
      const found = arms(position, seat, Rng.seeded(BigInt(at + 1), 99n), milliseconds);
      const best = found.arms.filter((arm) => arm.visits).map((arm) => ({ ...arm, worth: expected(arm, found) }));
      return { seat, moves: best.slice(0, 5).map((arm) => ({ ...arm, move: moves[arm.row] })) };
    });
  },
};

/** Returns what a function finds in the position after some moves. @template T @param {number} at @param {() => T} look @returns {T} */
function back(at, look) {
  if (at !== session.plies.length) session.goto(at);
  try {
    return look();
  } finally {
    if (at !== session.plies.length) session.goto(session.plies.length);
  }
}

/** Returns the margin that the mean value of an arm stands for. @param {import("./bots.js").Arm} arm @param {{usual: number, scale: number}} gauge */
function expected(arm, { usual, scale }) {
  const soft = 2 * (arm.worth / arm.visits) - 1;
  return usual + (soft * scale) / Math.max(0.02, 1 - Math.abs(soft));
}

addEventListener("message", async (event) => {
  const { id, call, given } = /** @type {Request} */ (event.data);
  try {
    postMessage({ id, result: await CALLS[call](given) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    postMessage({ id, error: message, fault: error instanceof Fault ? error.code : null });
  }
});
