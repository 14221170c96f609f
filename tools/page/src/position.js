/** The position in the tables of a machine: where things are, what they are called, what is legal. */

/** @import { Machine } from "./machine.js" */
/** @import { Argument, Given, Instance, Move, Place, Plain, Plan, Said, Seen, SegmentWords, StateTable, Told, Type, Unknown } from "./types.js" */
/** @typedef {{grid: number, x: number, y: number, rotation: number} | null} Placed */

const CENTRE = 2048;
const NOWHERE = -1;
const LAID = -2;
const ON_CELL = -3;
const NO_NUMBER = -(2 ** 31) - 1;
/** The entries of a block of `store` before its items. */
const HEADER = 3;
/** The chance moves by their number: their names, and those of their argument and outcome. */
const DRAWS = /** @type {const} */ ([
  ["take", ["zone", "zone"], ["piece", "piece"]],
  ["roll", ["die", "piece"], ["face", "face"]],
]);
export const CHANCE = -1;

/** @param {number[]} starts @param {number} number @returns {[number, number]} */
function block(starts, number) {
  let [low, high] = [0, starts.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= number) low = middle;
    else high = middle;
  }
  return [low, number - starts[low]];
}

/** Returns a plain value as records write it. @param {any} value @returns {string} */
export function text(value) {
  if (value === null) return "none";
  if (Array.isArray(value)) return `{${value.map(text).join(", ")}}`;
  if (typeof value !== "object") return String(value);
  if ("plain" in value) return value.plain;
  const grid = value.full ? value.grid : "";
  return "rotation" in value ? `${grid}(${value.x},${value.y},${value.rotation})` : `${grid}(${value.x},${value.y})`;
}

/** Returns what the text of a plain value shows, of a place not its grid. @param {Plain} plain */
const shownIn = (plain) => JSON.stringify(plain, (key, value) => (key === "grid" ? undefined : value));

/** Returns the name of a move with its arguments. @param {Move} move */
export function moveText(move) {
  const inside = move.args.map(({ name, plain }) => `${name}=${text(plain)}`).join(", ");
  return inside ? `${move.name}(${inside})` : move.name;
}

export class Position {
  /** @param {Plan} plan @param {Machine} machine */
  constructor(plan, machine) {
    this.plan = plan;
    this.machine = machine;
    /** @type {Set<string> | null} */
    this.labels = null;
    this.here = machine.plan;
    this.seats = this.here.players;
    /** The number of rotations that a placement has room for. */
    this.room = plan.enums.side.length === 6 ? 8 : 4;
    let [space, face] = [0, 0];
    this.spaces = plan.tracks.map((track) => (space += track.length) - track.length);
    this.spaceCount = space;
    this.faceStarts = [0, ...plan.kinds.map((kind) => (face += kind.faces.length))];
  }

  // --- places ------------------------------------------------------------------------------------

  /** Returns the seat that decides, CHANCE, or null at the end. */
  get mover() {
    const waiting = this.machine.at("waiting");
    if (!waiting) return null;
    return waiting === 1 ? this.machine.at("asked_seat") : CHANCE;
  }

  /** Returns the kind of a piece. @param {number} piece */
  kind(piece) {
    return this.plan.kinds[this.plan.pieces.kind[piece]];
  }

  /** Says whether a piece takes part in the game. @param {number} piece */
  plays(piece) {
    return this.machine.at("piece_in", piece) === 1;
  }

  /** Returns the outline of a piece, for a die that of the face that is up. @param {number} piece */
  outline(piece) {
    const kind = this.kind(piece);
    return kind.outlines[kind.faces.length ? this.machine.at("face", piece) : 0] ?? null;
  }

  /** Returns a cell. @param {number} number @returns {{grid: number, x: number, y: number}} */
  cell(number) {
    const grid = Math.floor(number / 2 ** 24);
    return { grid, x: (number & 4095) - CENTRE, y: ((number >> 12) & 4095) - CENTRE };
  }

  /** Returns the placement of a piece, or null. @param {number} piece */
  placement(piece) {
    return this.placementOf(this.machine.at("place", piece), this.machine.at("spot", piece));
  }

  /** Returns the placement that entries of `place` and `spot` stand for. @param {number} place @param {number} spot @returns {Placed} */
  placementOf(place, spot) {
    return place === LAID ? { ...this.cell(Math.floor(spot / this.room)), rotation: spot % this.room } : null;
  }

  /**
   * Returns where a piece is: its type and number, null if it is nowhere.
   * @param {number} piece @returns {[string, number] | null}
   */
  place(piece) {
    const place = this.machine.at("place", piece);
    const spot = this.machine.at("spot", piece);
    if (place === LAID) return ["cell", Math.floor(spot / this.room)];
    return place < 0 && place !== ON_CELL ? null : this.placeOf(place, spot);
  }

  /**
   * Returns the place that entries of `place` and `spot` stand for: its type and number.
   * @param {number} number @param {number} spot @returns {[string, number]}
   */
  placeOf(number, spot) {
    if (number === LAID) return ["placement", spot];
    if (number === ON_CELL) return ["cell", spot];
    if (number < this.here.zones.length) return ["zone", number];
    number -= this.here.zones.length;
    return number < this.spaceCount ? ["space", number] : ["segment", number - this.spaceCount];
  }

  /** Returns the number of pieces below one on a cell that keeps order; 0 elsewhere. @param {number} piece */
  level(piece) {
    let found = 0;
    if (this.machine.at("place", piece) !== ON_CELL) return 0;
    while ((piece = this.machine.at("piece_before", piece)) >= 0) found++;
    return found;
  }

  /** Returns the pieces at a place, in the order of its list. @param {number} place */
  listed(place) {
    const found = [];
    for (let piece = this.machine.at("head", place); piece >= 0; piece = this.machine.at("piece_next", piece))
      found.push(piece);
    return found;
  }

  /** Says whether a seat knows a piece. @param {number} seat @param {number} piece */
  knows(seat, piece) {
    return ((this.machine.at("known", piece) >> seat) & 1) === 1;
  }

  /** Returns the seats of which a number has the bits. @param {number} bits */
  seatsIn(bits) {
    return Array.from({ length: this.seats }, (_, seat) => seat).filter((seat) => (bits >> seat) & 1);
  }

  /** Returns the answers about a piece that each seat was told; nothing in a game that tells none. @param {number} piece */
  told(piece) {
    const seats = this.machine.at("PLAYERS");
    return Array.from({ length: this.machine.at("ANSWERS") ? seats : 0 }, (_, seat) => this.machine.at("told", piece * seats + seat));
  }

  /** Returns the answers that a seat was told about a piece that is hidden from it. @param {number} piece @param {number} seat */
  heard(piece, seat) {
    return this.machine.at("place", piece) === NOWHERE || this.knows(seat, piece) ? 0 : (this.told(piece)[seat] ?? 0);
  }

  /** Returns what a seat was told of a piece that is hidden from it. @param {number} piece @param {number} seat @returns {Told[]} */
  toldOf(piece, seat) {
    return this.toldAnswers(piece, this.heard(piece, seat));
  }

  /** Returns answers about a piece, from their bits. @param {number} piece @param {number} bits @returns {Told[]} */
  toldAnswers(piece, bits) {
    const so = bits & this.machine.at("piece_answers", piece);
    return this.plan.answers.flatMap(({ attribute, values, first }) => {
      const mask = ((1 << values.length) - 1) << first;
      const own = so & mask || bits & mask;
      return values.flatMap((value, at) => ((own >> (first + at)) & 1 ? [{ attribute, value, so: (so & mask) !== 0 }] : []));
    });
  }

  /** Returns a segment of a piece. @param {number} number @returns {[piece: number, index: number]} */
  segment(number) {
    return block(this.here.segments, number);
  }

  // --- names -------------------------------------------------------------------------------------

  /** Returns the name of a segment as placed. @param {number} number @param {Placed} at */
  segmentName(number, at = this.placement(this.segment(number)[0])) {
    const [piece, index] = this.segment(number);
    return this.outline(piece)?.segments[index].names[at?.rotation ?? 0] ?? "?";
  }

  /** @param {number} number @param {Placed} at */
  segmentWhere(number, at = this.placement(this.segment(number)[0])) {
    const [piece] = this.segment(number);
    return at ? `(${at.x},${at.y})` : `#${this.plan.pieces.copy[piece]}`;
  }

  /** Returns whether a place is a zone that nobody sees. @param {[string, number] | null} place */
  hides(place) {
    return place?.[0] === "zone" && this.plan.zones[this.here.zones[place[1]].of].visible === "none";
  }

  /** Returns the name of a piece with its owner and the face of a die that is up and seen. @param {number} piece @param {number} face @param {[string, number] | null} place */
  pieceName(piece, face = this.machine.at("face", piece), place = this.place(piece)) {
    const seat = this.plan.pieces.seat[piece];
    const kind = this.kind(piece);
    // `ants/red.house`: the ruleset comes before the owner.
    const origin = kind.text.startsWith(`${kind.ruleset}/`) ? `${kind.ruleset}/` : "";
    const name = seat === null ? kind.text : `${origin}${this.plan.colours[seat].name}.${kind.text.slice(origin.length)}`;
    return name + (kind.faces.length && !this.hides(place) ? `:${kind.faces[face]}` : "");
  }

  /** @param {number} piece */
  pieceInFull(piece) {
    const place = this.place(piece);
    const { kind, seat, copy } = this.plan.pieces;
    if (place && (place[0] === "segment" || place[0] === "space")) {
      const like = this.listed(this.machine.at("place", piece)).some(
        (other) => other !== piece && kind[other] === kind[piece] && seat[other] === seat[piece],
      );
      if (!like) return `${this.pieceName(piece)}:${text(this.full({ type: place[0] }, place[1]))}`;
    }
    return `${this.pieceName(piece)}#${copy[piece]}`;
  }

  /** Returns the plain form of a number of a type that is no set. @param {Type} type @param {number} number @returns {Plain} */
  short(type, number) {
    if (type.optional && number === (type.type === "int" ? NO_NUMBER : -1)) return null;
    const plan = this.plan;
    switch (type.type) {
      case "int":
        return number;
      case "bool":
        return number !== 0;
      case "enum":
        return plan.enums[type.enum ?? ""][number];
      case "player":
        return plan.colours[number].name;
      case "kind":
        return plan.kinds[number].text;
      case "face": {
        const [kind, index] = block(this.faceStarts, number);
        return plan.kinds[kind].faces[index];
      }
      case "segment":
        return this.segmentName(number);
      case "feature":
        return this.segmentName(number) + this.segmentWhere(number);
      case "cell": {
        const { grid, x, y } = this.cell(number);
        return { x, y, grid: this.here.grids[grid].name };
      }
      case "placement": {
        const { grid, x, y } = this.cell(Math.floor(number / this.room));
        return { x, y, rotation: (360 / plan.enums.side.length) * (number % this.room), grid: this.here.grids[grid].name };
      }
      case "zone":
        return this.here.zones[number].name;
      case "grid":
        return this.here.grids[number].name;
      case "space": {
        const [track, index] = this.space(number);
        return `${plan.tracks[track].name}[${index}]`;
      }
      default:
        return this.pieceName(number);
    }
  }

  /** Returns the track and the index of a space. @param {number} number @returns {[number, number]} */
  space(number) {
    return block([...this.spaces, this.spaceCount], number);
  }

  /** Returns a form that no other value of the game shares. @param {Type} type @param {number} number @returns {Plain} */
  full(type, number) {
    const plain = this.short(type, number);
    if (plain === null) return null;
    if (type.type === "cell" || type.type === "placement") return { .../** @type {Place} */ (plain), full: true };
    if (type.type === "face") return `${this.plan.kinds[block(this.faceStarts, number)[0]].text}:${plain}`;
    if (type.type === "segment") return `${plain}${this.segmentWhere(number)}`;
    return PIECES.has(type.type) ? this.pieceInFull(number) : plain;
  }

  /** Returns the form that events and points have; `at` is where the piece of a segment was. @param {Type} type @param {number} number @param {Placed} [at] @returns {Plain} */
  spoken(type, number, at) {
    if ((type.type !== "segment" && type.type !== "feature") || number < 0) return this.short(type, number);
    at = at === undefined ? this.placement(this.segment(number)[0]) : at;
    return { plain: this.segmentName(number, at) + this.segmentWhere(number, at), segment: this.segmentWords(number, at) };
  }

  /**
   * Returns the name of a piece that a seat does not know, or of its segment, by its place; null for any other value.
   * @param {Type} type @param {number} number @param {number} seat @returns {{plain: string, unknown: Unknown} | null}
   */
  unknown(type, number, seat) {
    if (number < 0) return null;
    if (type.type === "segment" || type.type === "feature") {
      const [piece, index] = this.segment(number);
      const found = this.unknown({ type: "piece" }, piece, seat);
      return found && { ...found, plain: `${found.plain}.${index + 1}` };
    }
    const place = this.machine.at("place", number);
    if (!PIECES.has(type.type) || place === NOWHERE || this.knows(seat, number)) return null;
    const at = place >= 0 && place < this.here.zones.length && this.machine.at("zone_keeps", place) ? this.listed(place).indexOf(number) + 1 : 0;
    return this.byPlace(number, this.place(number), at, this.toldOf(number, seat));
  }

  /**
   * Returns the name of a piece by its place and its position there.
   * @param {number} piece @param {[string, number] | null} place @param {number} at @param {Told[]} told
   */
  byPlace(piece, place, at, told) {
    const own = this.plan.pieces.seat[piece];
    const owner = own === null ? null : this.plan.colours[own].name;
    const cls = this.kind(piece).class;
    const full = place && this.full({ type: place[0] }, place[1]);
    const name = text(full);
    const unknown = { cls, owner, place: full, number: at, told };
    const what = owner === null ? cls : `${owner}.${cls}`;
    return { plain: `${name}#${at || what + told.map(toldText).join("")}`, unknown };
  }

  // --- the decision ------------------------------------------------------------------------------

  /** Returns the choice that is asked (for chance the effect), and its arguments. */
  asked() {
    const { machine } = this;
    if (this.mover === CHANCE) {
      const [name, [given, type]] = DRAWS[machine.at("asked")];
      const number = machine.at("asked_given");
      return { key: name, about: [this.given(given, { type }, number)] };
    }
    const choice = this.here.choices[machine.at("asked")];
    const frame = machine.at("top");
    const about = choice.arguments.map(({ name, offset, type }) => {
      const number = machine.at("stack", frame + offset);
      return type.set ? this.givenSet(name, type, number) : this.given(name, type, number);
    });
    return { key: choice.key, about };
  }

  /** @param {string} name @param {Type} type @param {number} number @returns {Given} */
  given(name, type, number) {
    const unknown = this.mover === CHANCE ? null : this.unknown(type, number, this.mover ?? 0);
    if (unknown) return { name, type, number, ...unknown };
    const said = this.said(type, number);
    return { name, type, number, plain: this.short(type, number), ...(said ? { said } : {}) };
  }

  /** Returns what people read of a segment, a feature or a piece, null for other values. @param {Type} type @param {number} number @returns {Said | null} */
  said(type, number) {
    if (number < 0) return null;
    if (type.type === "segment" || type.type === "feature") return { plain: String(this.short(type, number)), segment: this.segmentWords(number) };
    if (!PIECES.has(type.type)) return null;
    const [kind, place] = [this.kind(number), this.place(number)];
    return {
      plain: this.pieceName(number),
      ...(kind.faces.length ? {} : { own: { seat: this.plan.pieces.seat[number], name: kind.text } }),
      ...(place?.[0] === "segment" ? { segment: this.segmentWords(place[1]) } : {}),
      ...(place?.[0] === "cell" && !this.placement(number) ? { cell: this.short({ type: "cell" }, place[1]) } : {}),
    };
  }

  /** @param {number} number @param {Placed} at @returns {SegmentWords} */
  segmentWords(number, at = this.placement(this.segment(number)[0])) {
    const [piece, index] = this.segment(number);
    return { text: this.outline(piece)?.segments[index].words[at?.rotation ?? 0] ?? 0, piece, at: at ? this.segmentWhere(number, at) : "" };
  }

  /** @param {string} name @param {Type} type @param {number} handle @returns {Given} */
  givenSet(name, type, handle) {
    if (handle === -1) return { name, type, number: [], plain: null };
    const count = handle ? this.machine.at("store", handle + HEADER - 1) : 0;
    const numbers = Array.from({ length: count }, (_, at) => this.machine.at("store", handle + HEADER + at));
    return this.members(name, type, numbers);
  }

  /** @param {string} name @param {Type} type @param {number[]} numbers @returns {Given} */
  members(name, type, numbers) {
    const each = numbers.map((number) => this.given(name, { ...type, set: false }, number));
    return { name, type, number: numbers, plain: each.map(({ plain }) => plain), each };
  }

  /** Returns the arguments of a move from the numbers of its row. @param {Argument[]} args @param {number[]} numbers @returns {Given[]} */
  args(args, numbers) {
    let at = 0;
    return args.map(({ name, type, room }) => {
      if (!room) return this.given(name, type, numbers[at++]);
      const own = numbers.slice(at, (at += room));
      const member = { ...type, set: false, optional: true };
      return this.members(name, type, own.filter((each) => this.short(member, each) !== null));
    });
  }

  /** Returns the legal moves with their names, in canonical order. @returns {Move[]} */
  moves() {
    const rows = this.machine.rows();
    if (!rows.length) return [];
    if (this.mover === CHANCE) {
      const [name, , [drawn, type]] = DRAWS[this.machine.at("asked")];
      return this.named(
        rows.map(([weight, number]) => ({ name, weight, secret: [], args: [this.given(drawn, { type }, number)] })),
      );
    }
    const { options } = this.here.choices[this.machine.at("asked")];
    return this.named(
      rows.map(([number, ...numbers]) => {
        const option = options[number];
        return {
          name: option.name,
          weight: 1,
          secret: option.arguments.filter((each) => each.secret).map((each) => each.name),
          args: this.args(option.arguments, numbers),
        };
      }),
    );
  }

  /** Writes values in full where two of one argument share a short form. @param {Move[]} moves */
  named(moves) {
    /** @type {Map<string, string>} */
    const first = new Map();
    const shared = new Set();
    for (const { args } of moves)
      for (const { name, type, number, plain } of args) {
        const form = `${name}\0${shownIn(plain)}`;
        const value = plain === null ? "none" : `${PIECES.has(type.type) ? "piece" : type.type}\0${type.enum ?? ""}\0${number}`;
        const other = first.get(form);
        if (other === undefined) first.set(form, value);
        else if (other !== value) shared.add(form);
      }
    if (shared.size)
      for (const { args } of moves)
        for (const arg of args)
          if (!arg.unknown && shared.has(`${arg.name}\0${shownIn(arg.plain)}`))
            arg.plain = Array.isArray(arg.number)
              ? arg.number.map((each) => this.full({ ...arg.type, set: false }, each))
              : this.full(arg.type, arg.number);
    return moves;
  }

  // --- what is seen ------------------------------------------------------------------------------

  /** Returns the points of each seat; none for a game without points. */
  scores() {
    if (!this.plan.score) return [];
    const state = this.here.states.find((each) => each.key === this.plan.score);
    return Array.from({ length: this.seats }, (_, seat) => this.machine.at(state?.table ?? "", seat));
  }

  /** Returns the numbers by which players compare, the largest the best: points, negated where the fewest win, or 1 for winners. */
  standings() {
    const won = this.winners();
    if (!this.plan.score) return Array.from({ length: this.seats }, (_, seat) => Number(won.includes(seat)));
    return this.scores().map((points) => (this.plan.fewest ? -points : points));
  }

  /** Returns the seats that have won. */
  winners() {
    const mask = this.machine.at("winners");
    return Array.from({ length: this.seats }, (_, seat) => seat).filter((seat) => (mask >> seat) & 1);
  }

  /** @param {number} piece @returns {Seen} */
  seen(piece) {
    const { kind, seat } = this.plan.pieces;
    const states = this.statesOf(piece);
    return { piece, kind: kind[piece], seat: seat[piece], face: this.machine.at("face", piece), ...(states.length ? { states } : {}) };
  }

  /** Returns the labelled states of a piece that are not empty, 0 or false. @param {number} piece @returns {{state: string, value: Plain}[]} */
  statesOf(piece) {
    const cls = this.kind(piece).class;
    return this.here.states
      .filter(({ key, owner, index }) => owner === cls && !index.length && this.labelled.has(key))
      .map((state) => ({ state: state.key, value: this.stateValue(state, piece - state.first) }))
      .filter(({ value }) => value && !(Array.isArray(value) && !value.length));
  }

  /**
   * Returns the pieces in a zone as a seat sees them; for one that it does not know what it was told of it, null for nothing.
   * @param {number} zone @param {number} seat @returns {(number | Told[] | null)[]}
   */
  seenIn(zone, seat) {
    const found = this.listed(zone).map((piece) => {
      const told = this.toldOf(piece, seat);
      return this.knows(seat, piece) ? piece : told.length ? told : null;
    });
    if (this.machine.at("zone_keeps", zone)) return found;
    const order = (/** @type {typeof found[0]} */ each) => (typeof each === "number" ? "" : `?${(each ?? []).map(toldText).join("")}`);
    return found.sort((a, b) => (order(a) < order(b) ? -1 : Number(order(a) > order(b))));
  }

  /** The names of the states that have a label in some language, without that of the points. */
  get labelled() {
    if (!this.labels) {
      this.labels = new Set(Object.values(this.plan.labels).flatMap((texts) => Object.keys(texts)));
      this.labels.delete(this.plan.score);
    }
    return this.labels;
  }

  /** Returns the owner, if it is a player, and the indexes of a row of a state. @param {StateTable} state @param {number} row @returns {Plain[]} */
  stateIndex(state, row) {
    const per = state.sizes.reduce((product, each) => product * each, 1);
    let rest = row % per;
    const index = [...state.index.keys()].reverse().map((place) => {
      const number = rest % state.sizes[place];
      rest = Math.floor(rest / state.sizes[place]);
      return this.spoken(state.index[place], number);
    });
    const owner = state.owner === "player" ? [this.plan.colours[Math.floor(row / per)].name] : [];
    return [...owner, ...index.reverse()];
  }

  /** Returns the numbers that a row of a state holds. @param {StateTable} state @param {number} row */
  held({ members, table }, row) {
    const words = Math.max(1, Math.ceil((members?.length ?? 0) / 32));
    return Array.from({ length: words }, (_, word) => this.machine.at(table, row * words + word));
  }

  /**
   * Returns the value of a row of a state. @param {StateTable} state @param {number} row
   * @returns {Plain}
   */
  stateValue(state, row) {
    const held = this.held(state, row);
    if (state.members === null) return this.spoken(state.type, held[0]);
    if (held[0] === -1) return null;
    return state.members
      .filter((_, bit) => (held[bit >> 5] >>> (bit & 31)) & 1)
      .map((number) => this.spoken({ ...state.type, set: false, optional: false }, number));
  }
}

export const PIECES = new Set(["piece", "tile", "card", "die", "token", "figure"]);

/** Returns an answer as text. @param {Told} told */
export function toldText({ attribute, value, so }) {
  const bare = typeof value === "boolean";
  return `[${attribute.slice(attribute.indexOf("/") + 1)}${so || bare ? "=" : "!="}${bare ? so : (value ?? "none")}]`;
}

/** Returns the indices of a zone: `player`, or the full names of enums. @param {Plan["zones"][0]} declared @returns {string[]} */
export function indicesOf({ per }) {
  return Array.isArray(per) ? per : per === null ? [] : [per];
}

/**
 * Returns the members of enums that a zone is for: the full name of the enum, and the number of the member.
 * @param {Plan} plan @param {Instance} zone @returns {[string, number][]}
 */
export function membersOf(plan, { of, indices }) {
  return indicesOf(plan.zones[of]).flatMap((key, at) => (key === "player" ? [] : [/** @type {[string, number]} */ ([key, indices[at]])]));
}
