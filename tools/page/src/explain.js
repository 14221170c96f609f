/** Explanations of the position: what lies on a cell, and why the piece to lay does not go there. */

import { PIECES } from "./position.js";

/** @import { Outline, CellReport } from "./types.js" */
/** @import { Position } from "./position.js" */
/** @typedef {{grid: number, x: number, y: number}} Cell */

const [CELL, CENTRE] = [2 ** 24, 2048];
/** The sides clockwise from the north, and the way to the next cell there. @type {[string, number, number][]} */
const SQUARE = [["N", 0, -1], ["E", 1, 0], ["S", 0, 1], ["W", -1, 0]];
/** @type {[string, number, number][]} */
const HEXAGON = [["NE", 1, -1], ["E", 1, 0], ["SE", 0, 1], ["SW", -1, 1], ["W", -1, 0], ["NW", 0, -1]];

/** @type {[string, number, number][]} */
const TRIANGLE = [["N", 0, -1], ["NE", 1, 0], ["SE", 1, 0], ["S", 0, 1], ["SW", -1, 0], ["NW", -1, 0]];

/** @param {Position} position */
const sidesOf = ({ plan }) => (plan.enums.side.length === 4 ? SQUARE : plan.enums.side[0] === "n" ? TRIANGLE : HEXAGON);

/** Returns the pieces on grids by the cells that they cover. @param {Position} position */
function covered(position) {
  /** @type {Map<string, {piece: number, rotation: number}>} */
  const found = new Map();
  position.plan.pieces.kind.forEach((_, piece) => {
    const at = position.plays(piece) ? position.placement(piece) : null;
    if (!at) return;
    const [width, height] = position.outline(piece)?.size ?? [1, 1];
    const [across, down] = at.rotation % 2 ? [height, width] : [width, height];
    for (let x = 0; x < across; x++)
      for (let y = 0; y < down; y++) found.set(`${at.grid} ${at.x + x} ${at.y + y}`, { piece, rotation: at.rotation });
  });
  return found;
}

/** Returns what lies on a cell with its features, and why the next piece does not go there. @param {Position} position @param {Cell} cell @returns {CellReport} */
export function reportOf(position, cell) {
  const all = covered(position);
  const here = all.get(`${cell.grid} ${cell.x} ${cell.y}`);
  return {
    piece: here ? position.pieceName(here.piece) : null,
    features: here ? features(position, here.piece, [...all.values()]) : [],
    standing: standing(position, cell),
    refused: refused(position, cell, all, !!here),
  };
}

/**
 * Returns the segments of the features that have these plain names or segments, as pieces and indices.
 * @param {Position} position @param {(string | null)[]} names @param {number[]} segments @returns {[piece: number, index: number][]}
 */
export function featuresOf(position, names, segments) {
  const { machine, here } = position;
  const all = [...new Set([...covered(position).values()].map(({ piece }) => piece))].flatMap((piece) =>
    (position.outline(piece)?.segments ?? []).map((_, index) => here.segments[piece] + index));
  const wanted = new Set(segments);
  for (const segment of all) if (names.includes(String(position.short({ type: "feature" }, segment)))) wanted.add(segment);
  const leaders = new Set(all.filter((segment) => wanted.has(segment)).map((segment) => machine.at("leader", segment)));
  return all.filter((segment) => leaders.has(machine.at("leader", segment))).map((segment) => position.segment(segment));
}

/** Returns the features on a piece: their names, sizes, and who stands there. @param {Position} position @param {number} piece @param {{piece: number}[]} laid */
function features(position, piece, laid) {
  const { machine, here } = position;
  const first = here.segments[piece];
  const count = position.outline(piece)?.segments.length ?? 0;
  const pieces = [...new Set(laid.map((each) => each.piece))];
  return Array.from({ length: count }, (_, index) => {
    const leader = machine.at("leader", first + index);
    const parts = pieces.flatMap((each) =>
      Array.from({ length: position.outline(each)?.segments.length ?? 0 }, (_, at) => here.segments[each] + at)
        .filter((segment) => machine.at("leader", segment) === leader)
        .map((segment) => ({ piece: each, segment })));
    const figures = parts.flatMap(({ segment }) => position.listed(here.zones.length + position.spaceCount + segment));
    return {
      name: position.segmentName(first + index),
      pieces: new Set(parts.map((part) => part.piece)).size,
      segments: parts.map((part) => part.segment),
      standing: figures.map((figure) => position.pieceName(figure)),
    };
  });
}

/** @param {Position} position @param {Cell} cell */
function standing(position, cell) {
  return position.plan.pieces.kind.flatMap((_, piece) => {
    const place = position.plays(piece) ? position.place(piece) : null;
    if (place?.[0] !== "cell" || position.placement(piece)) return [];
    const at = position.cell(place[1]);
    return at.grid === cell.grid && at.x === cell.x && at.y === cell.y ? [position.pieceName(piece)] : [];
  });
}

/**
 * Returns why the piece that the decision is about does not go to a cell, null if the decision is not about that.
 * @param {Position} position @param {Cell} cell @param {Map<string, {piece: number, rotation: number}>} all @param {boolean} taken
 * @returns {CellReport["refused"]}
 */
function refused(position, cell, all, taken) {
  if (position.mover === null || position.mover < 0) return null;
  const asked = position.asked();
  const choice = position.here.choices.find(({ key }) => key === asked.key);
  const options = choice?.options ?? [];
  const piece = asked.about.find(({ type, number }) => PIECES.has(type.type) && typeof number === "number" && number >= 0);
  const option = options.find((each) => each.arguments.some(({ type }) => type.type === "placement"));
  if (!option || typeof piece?.number !== "number") return { option: null, options: options.map(({ key }) => key), taken: false, turns: [] };
  if (taken) return { option: option.key, options: [], taken: true, turns: [] };
  const number = piece.number;
  const turns = sidesOf(position).map((_, rotation, { length }) => {
    const placement = (cell.grid * CELL + (cell.y + CENTRE) * 4096 + cell.x + CENTRE) * position.room + rotation;
    const fits = canPlace(position, number, placement);
    return { rotation: (360 / length) * rotation, fits, sides: fits ? [] : meetings(position, number, rotation, cell, all) };
  });
  return { option: option.key, options: [], taken: false, turns };
}

/** Says whether the grid takes a piece at a placement, whatever the rules say. @param {Position} position @param {number} piece @param {number} placement */
function canPlace(position, piece, placement) {
  return Boolean(position.machine.call("can_place", piece, placement));
}

/** Returns the sides on which a piece of one cell and a neighbour of one cell show different kinds. @param {Position} position @param {number} piece @param {number} rotation @param {Cell} cell @param {Map<string, {piece: number, rotation: number}>} all */
function meetings(position, piece, rotation, cell, all) {
  const outline = position.outline(piece);
  if (!outline || outline.size.join() !== "1,1") return [];
  const sides = sidesOf(position);
  return sides.flatMap(([side, dx, dy], number) => {
    // A triangle has every second side, by the way in which it points.
    if (sides === TRIANGLE && ((rotation + number) & 1) === 0) return [];
    const other = all.get(`${cell.grid} ${cell.x + dx} ${cell.y + dy}`);
    const beside = other && position.outline(other.piece);
    if (!other || !beside || beside.size.join() !== "1,1") return [];
    const own = shown(outline, rotation, side);
    const theirs = shown(beside, other.rotation, sides[(number + sides.length / 2) % sides.length][0]);
    return own.join() === theirs.join() ? [] : [{ side, own: differing(own, theirs), other: differing(theirs, own) }];
  });
}

/** @param {string[]} own @param {string[]} others */
function differing(own, others) {
  const only = own.filter((kind) => !others.includes(kind));
  return only.length ? only : own;
}

/** Returns the kinds of features at a side of a piece as it is turned. @param {Outline} outline @param {number} rotation @param {string} side */
function shown({ segments }, rotation, side) {
  const found = segments.filter(({ names }) => names[rotation].split("@")[1]?.split(".").some((port) => port.startsWith(side)));
  return [...new Set(found.map(({ kind }) => kind))].sort();
}
