/** Events: the steps of a move that players see, and the lines of rules, besides the move itself. */

import { Fault } from "./machine.js";
import { PIECES, membersOf, text, toldText } from "./position.js";

/** @import { Placed, Position } from "./position.js" */
/** @import { Gain, GameEvent, Given, Plain, Said, Type } from "./types.js" */
/** @typedef {{event: string, values: Plain[], piece: number, to: string, skip: boolean, seats: number[] | null}} Step */

/** The lowest bits of the number, less one, of a subject that is a piece (rulesdsl/engine/lower/expressions/reads.py). */
const PIECE = 0;
/** What a note of the module says (rulesdsl/engine/runtime/notes.py). */
const [MOVED, ROLLED, TURNED, REVEALED, SHUFFLED, GAINED, DRAWN, SAID] = [0, 1, 2, 3, 4, 5, 6, 7];
const [SHOWN, TOLD] = [10, 11];
const WIDTH = 5;

/**
 * Plays a row and returns what happened; throws Fault, and leaves the machine as it is then.
 * @param {Position} position @param {number} row @param {Given[]} args the arguments of the move
 * @returns {{gains: Gain[], events: GameEvent[], segments: number[]}} with the segments that pieces went to or left
 */
export function playNoted(position, row, args) {
  return noted(position, args, () => position.machine.play(row));
}

/**
 * Begins a game of a seed and returns what happened before its first decision, nothing if that is too much to note.
 * @param {Position} position of a new machine @param {bigint} seed @returns {GameEvent[]}
 */
export function beginNoted(position, seed) {
  try {
    return noted(position, [], () => position.machine.start(seed, true)).events;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    position.machine.start(seed);
    return [];
  }
}

/** Says whether a list comes before another. @param {(string | number)[]} first @param {(string | number)[]} second */
function precedes(first, second) {
  const at = first.findIndex((each, index) => each !== second[index]);
  return at >= 0 && first[at] < second[at];
}

/** Returns what happens while a function runs the machine. @param {Position} position @param {Given[]} args the arguments of the move @param {() => void} run */
export function noted(position, args, run) {
  const { machine } = position;
  const scores = position.scores();
  const before = states(position);
  const faces = position.plan.pieces.kind.map((_, piece) => machine.at("face", piece));
  const placed = position.plan.pieces.kind.map((_, piece) => position.placement(piece));
  const places = position.plan.pieces.kind.map((_, piece) => position.place(piece));
  run();
  const { steps, gains, segments } = read(position, scores, faces, places, placed);
  // What was told comes in the order of places, which tells nothing about the pieces.
  const last = (/** @type {Step} */ { values }) => {
    const { place, number } = /** @type {any} */ (values[0]).unknown;
    return [text(place), number, text(values[2])];
  };
  steps.forEach((step, at) => {
    for (; at > 0 && step.event === "told" && steps[at - 1].event === "told" && precedes(last(step), last(steps[at - 1])); at--)
      [steps[at - 1], steps[at]] = [step, steps[at - 1]];
  });
  const events = told(position, steps, args).map(({ event, values, seats }) => ({ event, values, ...(seats ? { to: seats } : {}) }));
  const after = states(position);
  for (const [key, { state, values, held }] of after)
    if (held !== before.get(key)?.held) events.push({ event: "changed", values: [state, ...values] });
  return { gains, events, segments };
}

/** Returns seats, null if they are all. @param {Position} position @param {number[]} seats */
const some = (position, seats) => (seats.length < position.seats ? seats : null);

/** Reads the notes of a move. @param {Position} position @param {number[]} scores @param {number[]} faces @param {([string, number] | null)[]} places @param {Placed[]} placed */
function read(position, scores, faces, places, placed) {
  const { machine, plan, seats } = position;
  const notes = Array.from(machine.table("notes").subarray(0, WIDTH * machine.at("noted")), Number);
  /** @type {Step[]} */
  let steps = [];
  /** @type {Gain[]} */
  const gains = [];
  /** @type {number[]} */
  const segments = [];
  const name = (/** @type {number} */ piece) => position.pieceName(piece, faces[piece], places[piece]);
  const step = (/** @type {string} */ event, /** @type {Plain[]} */ values, piece = -1, to = "", skip = false, seats = /** @type {number[] | null} */ (null)) =>
    steps.push({ event, values, piece, to, skip, seats });
  for (let at = 0; at < notes.length; at += WIDTH) {
    const [what, first, second, third, last] = notes.slice(at, at + WIDTH);
    if (what === GAINED) {
      const seat = first % seats;
      scores[seat] += second;
      const read = machine.terms(third).map(([quantity, value]) => ({ name: position.here.terms[quantity], value }));
      const terms = read.filter((term) => term.name !== plan.score); // A score is not a term of its own change.
      gains.push({ seat, source: plan.sources[(first - seat) / seats], amount: second, subject: subject(position, last, faces, placed), terms });
    } else if (what === SAID) {
      const said = line(position, notes, at, first, name);
      if (said) steps.push(said);
    } else if (what === SHUFFLED) step("shuffled", [position.here.zones[first].name]);
    else if (what === SHOWN) {
      step("shown", [name(first), plan.colours[second].name], first, "", false, some(position, position.seatsIn(third)));
    } else if (what === TOLD) {
      const [to, knowing] = [Math.floor(second / 2 ** position.seats), second % 2 ** position.seats];
      const told = position.toldAnswers(first, third);
      const names = position.seatsIn(to).map((seat) => plan.colours[seat].name);
      const values = [position.byPlace(first, places[first], last, []), names, { plain: told.map(toldText).join(""), told }];
      step("told", values, -1, "", false, some(position, position.seatsIn(to | knowing)));
    } else if (what === REVEALED) step("revealed", [name(first)], first);
    else if (what === ROLLED || what === TURNED) {
      faces[first] = second;
      step(what === ROLLED ? "rolled" : "turned", [name(first)], first, `face ${position.faceStarts[plan.pieces.kind[first]] + second}`);
    } else if (what === DRAWN) {
      step("drawn", [name(first), position.here.zones[second].name], first);
      places[first] = null;
    }
    else if (what === MOVED) {
      steps = steps.filter((each) => each.event !== "drawn" || each.piece !== first);
      const [type, number] = position.placeOf(second, third);
      for (const each of [places[first], [type, number]]) if (each?.[0] === "segment") segments.push(Number(each[1]));
      places[first] = [type, number];
      if (position.hides([type, number])) faces[first] = 0;
      placed[first] = position.placementOf(second, third);
      const where = position.spoken({ type }, number);
      const event = last ? (type === "placement" ? "laid" : "moved") : "hidden";
      step(event, last ? [name(first), where] : [where], first, `${type} ${number}`, type === "space" && counts(position, first, number, scores));
    }
  }
  return { steps, gains, segments };
}

/**
 * Returns what an action says, null if its notes are cut off. @param {Position} position @param {number[]} notes
 * @param {number} from where it begins in the notes @param {number} number of its line @param {(piece: number) => string} name
 * @returns {Step | null}
 */
function line(position, notes, from, number, name) {
  const { key, types } = position.plan.said[number];
  let at = from;
  let seats = position.seatsIn(-1);
  const next = () => notes.slice((at += WIDTH), at + WIDTH);
  const value = (/** @type {Type} */ type) => {
    const [, each, mask] = next();
    seats = seats.filter((seat) => (mask >> seat) & 1);
    return PIECES.has(type.type) && each >= 0 ? name(each) : position.spoken(type, each);
  };
  /** @type {Plain[]} */
  const values = [key];
  for (const type of types) {
    if (!type.set) values.push(value(type));
    else values.push(Array.from({ length: next()[1] ?? 0 }, () => value({ ...type, set: false, optional: false })));
    if (at >= notes.length) return null;
  }
  return { event: "said", values, piece: -1, to: "", skip: false, seats: some(position, seats) };
}

/** Returns what points are about, as it was then. @param {Position} position @param {number} about @param {number[]} faces @param {Placed[]} placed */
function subject(position, about, faces, placed) {
  if (!about) return null;
  const [number, sort] = [(about - 1) >> 2, (about - 1) & 3];
  if (sort === PIECE) return position.pieceName(number, faces[number]);
  return /** @type {Said} */ (position.spoken({ type: "segment" }, number, placed[position.segment(number)[0]]));
}

/** Says whether a space is the one that the points of the piece's owner number. @param {Position} position @param {number} piece @param {number} space @param {number[]} scores */
function counts(position, piece, space, scores) {
  const seat = position.plan.pieces.seat[piece];
  const [track, index] = position.space(space);
  const { length } = position.plan.tracks[track];
  return seat !== null && ((scores[seat] % length) + length) % length === index;
}

/** Returns the steps that the move does not say itself, and that the next decision is not about. @param {Position} position @param {Step[]} steps @param {Given[]} all the arguments of the move */
function told(position, steps, all) {
  const args = all.filter(({ unknown }) => !unknown);
  const named = new Set(args.filter(({ type }) => PIECES.has(type.type)).flatMap(({ number }) => number));
  const places = new Set(args.flatMap(({ type, number }) => (typeof number === "number" && number >= 0 ? [`${type.type === "feature" ? "segment" : type.type} ${number}`] : [])));
  const members = args.flatMap(({ type, number }) => (type.type === "enum" ? [`${type.enum} ${number}`] : []));
  const asked = position.mover === null ? [] : position.asked().about;
  const next = new Set(asked.filter(({ type }) => PIECES.has(type.type)).map(({ number }) => number));
  return steps.filter(({ event, piece, to, skip }) => {
    if (named.delete(piece)) return false;
    if (skip || places.has(to) || (event === "drawn" && next.has(piece))) return false;
    const [type, number] = to.split(" ");
    if (type !== "zone") return true;
    return !membersOf(position.plan, position.here.zones[Number(number)]).some(([key, index]) => members.includes(`${key} ${index}`));
  });
}

/** Returns the states with a label and what they hold, in their order. @param {Position} position */
export function states(position) {
  const labelled = position.labelled;
  /** @type {Map<string, {state: string, values: Plain[], held: string}>} */
  const found = new Map();
  for (const state of position.here.states) {
    if (!labelled.has(state.key) || (state.owner !== "game" && state.owner !== "player")) continue;
    const per = state.sizes.reduce((product, each) => product * each, 1);
    for (let row = 0; row < state.owners * per; row++) {
      const values = [...position.stateIndex(state, row), position.stateValue(state, row)];
      found.set(`${state.key} ${row}`, { state: state.key, values, held: position.held(state, row).join() });
    }
  }
  return found;
}
