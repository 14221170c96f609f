/** Samples: positions that look the same to a player, with everything hidden drawn at random. */

import { PIECES } from "./position.js";
import { Rng } from "./rng.js";

/** @import { Position } from "./position.js" */
/** @import { StateTable, Type } from "./types.js" */
/** @typedef {(number: number) => number} Rename */

const [NOWHERE, LAID, ON_CELL, HEADER, UNSEEN] = [-1, -2, -3, 3, 2];
const WITH_PLACE = ["place", "spot", "known", "face_down", "shuffled"];
const TRIES = 64;
const CLASSES = ["tile", "card", "die", "token", "figure"];

/** Returns groups of pieces that a player cannot tell apart. @param {Position} position @param {number} seat */
function hidden({ plan, machine }, seat) {
  /** @type {Map<string, number[]>} */
  const groups = new Map();
  plan.pieces.kind.forEach((_, piece) => {
    const place = machine.at("place", piece);
    if (!machine.at("piece_in", piece) || (machine.at("known", piece) >> seat) & 1) return;
    if (place === NOWHERE || place === LAID) return;
    const key = ["pool", "piece_class", "piece_seat"].map((name) => machine.at(name, piece)).join();
    const group = groups.get(key);
    if (group) group.push(piece);
    else groups.set(key, [piece]);
  });
  return groups.values();
}

/** Returns a function that gives the spot of a piece, without its identity. @param {Position} position @param {number} seat */
function spots(position, seat) {
  const { machine } = position;
  /** @type {Map<number, number>} */
  const order = new Map();
  position.here.zones.forEach((_, zone) => {
    if (!machine.at("zone_keeps", zone)) return;
    position.listed(zone).forEach((piece, number) => {
      if (!machine.at("shuffled", piece)) order.set(piece, number);
    });
  });
  for (const pile of piles(position)) pile.forEach((piece, number) => order.set(piece, number));
  return (/** @type {number} */ piece) => [
    machine.at("place", piece),
    machine.at("spot", piece),
    order.get(piece) ?? 0,
    ...["known", "face_down", "shuffled"].map((name) => machine.at(name, piece)),
    position.heard(piece, seat) && position.heard(piece, seat) & machine.at("piece_answers", piece),
    ...position.told(piece),
  ];
}

/** Returns the pieces on each cell from the lowest one up; alone where cells keep no order. @param {Position} position */
function piles({ plan, machine }) {
  return plan.pieces.kind.flatMap((_, piece) => {
    if (machine.at("place", piece) !== ON_CELL || machine.at("piece_before", piece) >= 0) return [];
    const pile = [piece];
    for (let above = piece; (above = machine.at("piece_next", above)) >= 0; ) pile.push(above);
    return [pile];
  });
}

/** @param {number[]} first @param {number[]} second */
function compare(first, second) {
  const at = first.findIndex((each, index) => each !== second[index]);
  return at < 0 ? 0 : first[at] - second[at];
}

/** Says whether samples for a player can differ. @param {Position} position @param {number} seat */
export function differs(position, seat) {
  const spot = spots(position, seat);
  for (const group of hidden(position, seat))
    if (new Set(group.map((piece) => spot(piece).join())).size > 1 || group.some((piece) => new Set(faces(position, piece)).size > 1)) return true;
  return false;
}

/**
 * Draws everything that is hidden from a player, in place; the generator starts anew.
 * @param {Position} position @param {number} seat @param {bigint} seed
 */
export function sample(position, seat, seed) {
  const { machine } = position;
  const drawn = Rng.seeded(seed);
  const spot = spots(position, seat);
  /** @type {Map<number, number>} */
  const becomes = new Map();
  for (const group of hidden(position, seat)) {
    const sorted = [...group].sort((a, b) => compare(spot(a), spot(b)));
    const chosen = fitting(position, seat, sorted.filter((piece) => position.heard(piece, seat)), group, drawn);
    const left = group.filter((piece) => ![...chosen.values()].includes(piece));
    const free = sorted.filter((piece) => !chosen.has(piece));
    for (const [old, now] of chosen) becomes.set(old, now);
    drawn.shuffled(left).forEach((piece, index) => becomes.set(free[index], piece));
  }
  move(position, becomes);
  for (const piece of [...becomes.keys()].sort((a, b) => a - b)) {
    const up = faces(position, piece);
    if (up.length) machine.set("face", up[drawn.below(up.length)], piece);
  }
  rename(position, becomes);
  const first = position.here.zones.length + position.spaceCount;
  if ([...becomes.keys()].some((piece) => machine.at("place", piece) >= first)) machine.call("rebuild");
  if (machine.at("resolves")) machine.table("rng").set(Rng.seeded(BigInt(drawn.word())).state);
}

/**
 * Returns pieces of a group for the places of those of which a player was told something.
 * @param {Position} position @param {number} seat @param {number[]} told @param {number[]} group @param {Rng} drawn
 */
function fitting(position, seat, told, group, drawn) {
  const so = (/** @type {number} */ piece) => position.machine.at("piece_answers", piece);
  const fits = new Map(
    told.map((old) => [old, group.filter((now) => ((so(now) ^ so(old)) & position.heard(old, seat)) === 0)]),
  );
  for (let tries = 0; tries < TRIES; tries++) {
    const chosen = new Map([...fits].map(([old, pieces]) => [old, pieces[drawn.below(pieces.length)]]));
    if (new Set(chosen.values()).size === chosen.size) return chosen;
  }
  const mixed = new Map([...fits].map(([old, pieces]) => [old, drawn.shuffled(pieces)]));
  /** @type {Map<number, number>} */
  const at = new Map();
  for (const old of mixed.keys()) findRoom(old, mixed, at, new Set());
  return new Map([...at].map(([now, old]) => [old, now]));
}

/**
 * Gives a place a piece that fits, and other places other pieces if that needs them.
 * @param {number} old @param {Map<number, number[]>} fits @param {Map<number, number>} at @param {Set<number>} tried @returns {boolean}
 */
function findRoom(old, fits, at, tried) {
  for (const now of fits.get(old) ?? []) {
    if (tried.has(now)) continue;
    tried.add(now);
    const other = at.get(now);
    if (other === undefined || findRoom(other, fits, at, tried)) {
      at.set(now, old);
      return true;
    }
  }
  return false;
}

/** Returns the faces that a hidden die may show where it is, each as often as it has it. @param {Position} position @param {number} piece */
function faces({ machine, here }, piece) {
  const [place, kind] = [machine.at("place", piece), machine.at("piece_kind", piece)];
  const [first, count] = [machine.at("kind_face", kind), machine.at("kind_faces", kind)];
  if (count && place >= 0 && place < here.zones.length && machine.at("zone_visible", place) === UNSEEN) return [0];
  return Array.from({ length: count }, (_, face) => Array(machine.at("face_count", first + face)).fill(face)).flat();
}

/** Gives every piece the place of another one. @param {Position} position @param {Map<number, number>} becomes */
function move(position, becomes) {
  const { machine } = position;
  const places = [...new Set([...becomes.keys()].map((piece) => machine.at("place", piece)))].sort((a, b) => a - b);
  const lists = places.filter((place) => place >= 0).map((place) => /** @type {const} */ ([place, position.listed(place)]));
  const standing = piles(position);
  for (const name of WITH_PLACE) {
    const before = [...becomes].map(([old, now]) => /** @type {const} */ ([now, machine.at(name, old)]));
    for (const [piece, value] of before) machine.set(name, value, piece);
  }
  const told = [...becomes].map(([old, now]) => /** @type {const} */ ([now, position.told(old)]));
  for (const [piece, row] of told) row.forEach((bits, seat) => machine.set("told", bits, piece * row.length + seat));
  for (const [place, pieces] of lists) {
    const now = pieces.map((piece) => becomes.get(piece) ?? piece);
    const ordered = place < position.here.zones.length && machine.at("zone_keeps", place) === 1;
    const free = (/** @type {number} */ piece) => !ordered || machine.at("shuffled", piece) === 1;
    const loose = now.filter(free).sort((a, b) => a - b).values();
    const order = now.map((piece) => (free(piece) ? /** @type {number} */ (loose.next().value) : piece));
    machine.set("head", order[0], place);
    machine.set("tail", order[order.length - 1], place);
    chain(machine, order);
  }
  for (const pile of standing) chain(machine, pile.map((piece) => becomes.get(piece) ?? piece));
}

/** Links pieces with those before and after them. @param {import("./machine.js").Machine} machine @param {number[]} order */
function chain(machine, order) {
  order.forEach((piece, index) => {
    machine.set("piece_before", order[index - 1] ?? -1, piece);
    machine.set("piece_next", order[index + 1] ?? -1, piece);
  });
}

/** Replaces each piece everywhere by the one it becomes. @param {Position} position @param {Map<number, number>} becomes */
function rename(position, becomes) {
  const { machine, here } = position;
  /** @type {Map<number, number>} */
  const segments = new Map();
  for (const [old, now] of becomes) {
    const size = Math.min(...[old, now].map((each) => here.segments[each + 1] - here.segments[each]));
    for (let index = 0; index < size; index++) segments.set(here.segments[old] + index, here.segments[now] + index);
  }
  /** @type {Rename} */
  const piece = (number) => becomes.get(number) ?? number;
  /** @type {Rename} */
  const segment = (number) => segments.get(number) ?? number;
  const byType = (/** @type {Type} */ { type }) =>
    PIECES.has(type) ? piece : type === "segment" || type === "feature" ? segment : null;
  for (const state of here.states) {
    const renamed = byType(state.type);
    if (renamed) renameState(position, state, renamed, state.owner === "segment" ? segments : becomes);
  }
  renameStack(position, piece, segment);
  const count = machine.at("queue_free");
  for (let at = 0; at < count; ) {
    const types = here.actions[machine.at("queue", at++)];
    for (const type of types) {
      const many = type.set ? Math.max(machine.at("queue", at++), 0) : 1;
      const renamed = byType(type);
      if (renamed)
        Array.from({ length: many }, (_, index) => renamed(machine.at("queue", at + index)))
          .sort((a, b) => a - b)
          .forEach((number, index) => machine.set("queue", number, at + index));
      at += many;
    }
  }
  if (machine.at("asked") === 1 && machine.at("waiting") === 2)
    machine.set("asked_given", piece(machine.at("asked_given")));
}

/**
 * Renames the values of a state, except those of pieces that become other ones, and of their segments.
 * @param {Position} position @param {StateTable} state @param {Rename} renamed @param {Map<number, number>} becomes
 */
function renameState({ machine }, state, renamed, becomes) {
  const words = state.members === null ? 1 : Math.max(1, Math.ceil(state.members.length / 32));
  const width = words * state.sizes.reduce((product, each) => product * each, 1);
  const size = machine.plan.tables[state.table].size;
  const { members } = state;
  const ofPieces = state.owner === "segment" || CLASSES.includes(state.owner);
  const stays = (/** @type {number} */ at) => ofPieces && becomes.has(state.first + Math.floor(at / width));
  if (members === null) {
    for (let at = 0; at < size; at++) {
      const number = machine.at(state.table, at);
      if (number >= 0 && !stays(at)) machine.set(state.table, renamed(number), at);
    }
    return;
  }
  const bits = new Map(members.map((member, bit) => [member, bit]));
  for (let row = 0; row < size; row += words) {
    if (machine.at(state.table, row) === -1 || stays(row)) continue;
    const held = members.filter((_, bit) => (machine.at(state.table, row + (bit >> 5)) >>> (bit & 31)) & 1);
    const mask = new Uint32Array(words);
    for (const member of held) {
      const bit = bits.get(renamed(member)) ?? 0;
      mask[bit >> 5] |= 1 << (bit & 31);
    }
    mask.forEach((word, index) => machine.set(state.table, word, row + index));
  }
}

/** Renames the slots of frames. @param {Position} position @param {Rename} piece @param {Rename} segment */
function renameStack({ machine }, piece, segment) {
  for (let frame = machine.at("top"); frame >= 0; frame = machine.at("stack", frame + 1)) {
    const point = machine.at("stack", frame);
    const end = machine.at("live_first", point + 1);
    for (let row = machine.at("live_first", point); row < end; row++) {
      const slot = frame + machine.at("live_slot", row);
      const what = machine.at("live_what", row);
      const renamed = what % 2 ? segment : piece;
      const held = machine.at("stack", slot);
      if (what < 2) machine.set("stack", renamed(held), slot);
      else if (held > 0) {
        const begin = held + HEADER;
        const items = Array.from({ length: machine.at("store", held + HEADER - 1) }, (_, index) =>
          renamed(machine.at("store", begin + index)),
        );
        if (what < 4) items.sort((a, b) => a - b);
        items.forEach((item, index) => machine.set("store", item, begin + index));
      }
    }
  }
}
