/** A game that is being played: its moves so far, what each seat sees, and the way back. */

import { Machine } from "./machine.js";
import { beginNoted, playNoted, states } from "./events.js";
import { CHANCE, Position, text } from "./position.js";
import { differs } from "./sample.js";

/** @import { Kept } from "./machine.js" */
/** @import { GameEvent, LogEntry, Plan, View } from "./types.js" */
/**
 * @typedef {{row: number, entry: LogEntry, fair: boolean, scores: number[]}} Ply
 * @typedef {{rows: number[], taken: number[]}} Moves the numbers of the moves, and before which of them moves were taken back
 */

/** Every so many plies a copy of the state is kept; positions between are played again. */
const EVERY = 16;

export class Session {
  /** @param {Plan} plan @param {WebAssembly.Module} module @param {number} players @param {bigint} seed */
  constructor(plan, module, players, seed) {
    const here = plan.games.find((each) => each.players === players);
    if (!here) throw new RangeError(`there is no module for ${players} players`);
    this.plan = plan;
    this.seed = seed;
    this.machine = new Machine(here, module);
    this.position = new Position(plan, this.machine);
    /** What happened before the first move. */
    this.opening = beginNoted(this.position, seed);
    /** @type {Map<number, Kept>} */
    this.kept = new Map([[0, this.machine.keep()]]);
    /** @type {Ply[]} */
    this.plies = [];
    this.first = this.position.scores();
    /** Whether moves were taken back since the last one though others had decided, or chance had fallen. */
    this.taken = false;
  }

  get players() {
    return this.position.seats;
  }

  /** The moves so far, with which the game can be begun again. @returns {Moves} */
  get moves() {
    const taken = [...this.plies.map(({ entry }) => entry.taken), this.taken];
    return { rows: this.plies.map((ply) => ply.row), taken: taken.flatMap((each, at) => (each ? [at] : [])) };
  }

  /** Plays a legal move by its number; nothing changes if a rule fails. @param {number} row */
  play(row) {
    const { machine, position } = this;
    const moves = position.moves();
    const move = moves[row];
    if (!move) throw new RangeError(`there is no move ${row}`);
    const asked = position.asked();
    const by = /** @type {number} */ (position.mover);
    const before = this.look();
    const kept = machine.keep();
    let happened;
    try {
      happened = playNoted(position, row, move.args);
    } catch (error) {
      machine.restore(kept);
      throw error;
    }
    const after = this.look();
    const fair = before.rng === after.rng && !after.known.some((mask, piece) => mask & ~before.known[piece]);
    this.push({ row, fair, scores: position.scores() }, { ...asked, by, taken: this.taken }, move, happened);
    this.taken = false;
    if (this.plies.length % EVERY === 0) this.kept.set(this.plies.length, machine.keep());
  }

  /**
   * Adds a move to those so far.
   * @param {Omit<Ply, "entry">} ply @param {{key: string, about: import("./types.js").Given[], by: number, taken: boolean}} asked
   * @param {Pick<import("./types.js").Move, "name" | "args" | "secret">} move @param {Pick<LogEntry, "gains" | "events" | "segments">} happened
   */
  push(ply, { key, about, by, taken }, { name, args, secret }, happened) {
    const written = /** @type {[string, string][]} */ (args.map(({ name, plain }) => [name, text(plain)]));
    const entry = { number: this.plies.length + 1, by, move: name, args: written, hidden: false, choice: key, about, plain: args, secret, taken, ...happened };
    this.plies.push({ ...ply, entry });
  }

  /** Returns what is compared to find out what a move changed. */
  look() {
    const { machine } = this;
    const pieces = this.plan.pieces.kind.map((_, piece) => piece);
    const everybody = (1 << this.players) - 1;
    return {
      rng: machine.table("rng").join(),
      // Everybody sees a piece that was just taken and has no place yet.
      known: [
        ...pieces.map((piece) => (machine.at("place", piece) === -1 ? everybody : machine.at("known", piece))),
        ...pieces.flatMap((piece) => this.position.told(piece)),
      ],
    };
  }

  /** Goes to the position after some moves. @param {number} at */
  goto(at) {
    let from = Math.floor(at / EVERY) * EVERY;
    while (!this.kept.has(from)) from -= EVERY;
    this.machine.restore(/** @type {Kept} */ (this.kept.get(from)));
    for (const { row } of this.plies.slice(from, at)) {
      this.machine.call("enumerate_moves");
      this.machine.play(row);
    }
  }

  /** Takes back all moves after the first ones. @param {number} to @param {boolean} fair */
  cut(to, fair) {
    if (to >= this.plies.length) return; // They are taken back already.
    this.taken = !fair || this.plies.slice(to).some(({ entry }) => entry.taken);
    this.goto(to);
    this.plies.length = to;
    for (const at of this.kept.keys()) if (at > to) this.kept.delete(at);
  }

  /**
   * Returns how far a person may go back: fair if nothing hidden was seen, no chance fell and nobody else
   * decided since; otherwise only where all others are bots.
   * @param {boolean[]} humans which seats people play
   */
  undo(humans) {
    const last = this.plies.at(-1);
    if (last && humans[last.entry.by] && last.fair) return { to: this.plies.length - 1, fair: true };
    if (humans.filter((each) => each).length !== 1) return null;
    for (let at = this.plies.length - 1; at >= 0; at--)
      if (humans[this.plies[at].entry.by]) return { to: at, fair: false };
    return null;
  }

  /**
   * Returns what a seat sees (null: what everybody sees) after some moves; the page adds the log.
   * @param {number | null} viewer @param {number} at @param {boolean[]} humans @returns {View}
   */
  view(viewer, at, humans) {
    if (at !== this.plies.length) this.goto(at);
    try {
      return this.seen(viewer, at, humans);
    } finally {
      if (at !== this.plies.length) this.goto(this.plies.length);
    }
  }

  /** @param {number | null} viewer @param {number} at @param {boolean[]} humans @returns {View} */
  seen(viewer, at, humans) {
    const { position, plan, machine } = this;
    const mover = position.mover;
    const now = at === this.plies.length;
    const asked = mover === null ? null : position.asked();
    const own = mover !== null && (mover === viewer || mover === CHANCE || viewer === null);
    const pieces = plan.pieces.kind.map((_, piece) => piece).filter((piece) => position.plays(piece));
    const entry = this.plies[at - 1]?.entry;
    return {
      length: this.plies.length,
      at,
      mover,
      over: mover === null,
      cut: machine.at("cut_short") === 1,
      winners: position.winners(),
      scores: position.scores(),
      choice: asked?.key ?? null,
      about: asked?.about ?? [],
      moves: own && now ? position.moves() : [],
      ...this.places(pieces),
      zones: position.here.zones.map((_, zone) => ({ zone, pieces: this.zone(zone, viewer) })),
      states: this.states(),
      unseen: pieces.filter((piece) => this.unseen(piece, viewer)).map((piece) => ({ ...position.seen(piece), face: 0 })),
      gained: plan.sources.map((_, source) =>
        Array.from({ length: this.players }, (_, seat) => machine.at("gained", source * this.players + seat)),
      ),
      log: [],
      opening: this.heard(this.opening, viewer, humans),
      curve: [this.first, ...this.plies.map((ply) => ply.scores)],
      last: entry ? this.laid(entry) : [],
      undo: now ? this.undo(humans) : null,
      hides: this.hides,
      viewer,
      seed: String(this.seed),
      players: this.players,
    };
  }

  /** Whether some seat knows what others do not. */
  get hides() {
    return this.position.seatsIn(-1).some((seat) => differs(this.position, seat) && this.hands(seat));
  }

  /** Says whether a seat knows a piece in a zone that others do not. @param {number} seat */
  hands(seat) {
    const everybody = (1 << this.players) - 1;
    return this.plan.pieces.kind.some((_, piece) => {
      const known = this.machine.at("known", piece);
      return known !== everybody && (known >> seat) & 1;
    });
  }

  /** Says whether a piece is somewhere without the viewer knowing where. @param {number} piece @param {number | null} viewer */
  unseen(piece, viewer) {
    const known = this.machine.at("known", piece);
    const seen = viewer === null ? known === (1 << this.players) - 1 : (known >> viewer) & 1;
    return !seen && this.position.place(piece) !== null;
  }

  /** @param {number} zone @param {number | null} viewer */
  zone(zone, viewer) {
    const { position } = this;
    const seats = viewer === null ? this.position.seatsIn(-1) : [viewer];
    const [first, ...others] = seats.map((seat) => position.seenIn(zone, seat));
    const key = (/** @type {typeof first[0]} */ each) => JSON.stringify(each);
    const known = first.map((each) => (others.every((other) => other.map(key).includes(key(each))) ? each : null));
    return known.map((each) => {
      if (Array.isArray(each)) return { piece: -1, kind: -1, seat: null, face: 0, told: each };
      return each === null ? null : position.seen(each);
    });
  }

  /** Returns where pieces are outside of zones. @param {number[]} pieces */
  places(pieces) {
    const { position } = this;
    /** @type {View["laid"]} */
    const laid = [];
    /** @type {Map<string, any>} */
    const segments = new Map();
    /** @type {Map<string, any>} */
    const cells = new Map();
    /** @type {Map<string, any>} */
    const spaces = new Map();
    for (const piece of pieces) {
      const at = position.placement(piece);
      if (at) {
        laid.push({ ...position.seen(piece), ...at });
        continue;
      }
      const place = position.place(piece);
      if (!place || place[0] === "zone") continue;
      const [type, number] = place;
      const [of, index] = type === "segment" ? position.segment(number) : type === "space" ? position.space(number) : [0, 0];
      const [map, entry] =
        type === "segment" ? [segments, { segment: number, piece: of, index, standing: [] }]
        : type === "space" ? [spaces, { track: of, space: index, standing: [] }]
        : [cells, { ...position.cell(number), standing: [] }];
      const key = String(number);
      if (!map.has(key)) map.set(key, entry);
      map.get(key).standing.push(position.seen(piece));
    }
    for (const cell of cells.values()) {
      cell.standing.sort((/** @type {{piece: number}} */ a, /** @type {{piece: number}} */ b) => position.level(a.piece) - position.level(b.piece));
      cell.height = position.level(cell.standing.at(-1).piece);
    }
    return { laid, segments: [...segments.values()], cells: [...cells.values()], tracks: [...spaces.values()] };
  }

  /** Returns the pieces that a move has laid and that are still there. @param {LogEntry} entry */
  laid(entry) {
    const { position } = this;
    const spots = new Set(entry.plain.filter(({ type }) => type.type === "placement").map(({ plain }) => text(plain)));
    if (!spots.size) return [];
    return this.plan.pieces.kind.flatMap((_, piece) => {
      const at = position.placement(piece);
      return at && spots.has(`(${at.x},${at.y},${(360 / this.plan.enums.side.length) * at.rotation})`) ? [{ ...position.seen(piece), ...at }] : [];
    });
  }

  /** Returns the states that have a label in some language and hold something. @returns {View["states"]} */
  states() {
    const owned = new Map(this.position.here.states.map((state) => [state.key, state.owner === "player"]));
    return [...states(this.position).values()].flatMap(({ state, values }) => {
      const value = values[values.length - 1];
      const index = values.slice(owned.get(state) ? 1 : 0, -1);
      const owner = owned.get(state) ? this.plan.colours.findIndex(({ name }) => name === values[0]) : null;
      return (value || (value === 0 && !index.length)) && (!Array.isArray(value) || value.length) ? [{ key: state, owner, index, value }] : [];
    });
  }

  /** Returns the moves after the first ones as a seat sees them. @param {number | null} viewer @param {boolean[]} humans @param {number} from */
  log(viewer, humans, from) {
    return this.plies.slice(from).map(({ entry }) => this.told(entry, viewer, humans));
  }

  /** Hides the secret arguments of others, and lines that are not for the viewer. @param {LogEntry} entry @param {number | null} viewer @param {boolean[]} humans */
  told(entry, viewer, humans) {
    const hidden = entry.secret.length > 0 && entry.by !== viewer && humans.some((each) => each);
    const events = this.heard(entry.events, viewer, humans);
    if (!hidden) return events.length < entry.events.length ? { ...entry, events } : entry;
    const plain = entry.plain.map((each) => (entry.secret.includes(each.name) ? { ...each, plain: "?", said: undefined } : each));
    return { ...entry, events, hidden, plain, args: [] };
  }

  /** Returns the events that are for the viewer. @param {GameEvent[]} events @param {number | null} viewer @param {boolean[]} humans */
  heard(events, viewer, humans) {
    return events.filter(({ to }) => !to || !humans.some((each) => each) || (viewer !== null && to.includes(viewer)));
  }

  /** Returns the game as the lines of a record (schemas/record.schema.json). @param {string[]} seats who plays each colour */
  record(seats) {
    const { plan } = this;
    const colours = plan.colours.slice(0, this.players).map((each) => each.name);
    const [root, ...rest] = [plan.ruleset, ...plan.rulesets.filter((each) => each.id !== plan.ruleset && !each.interaction).map((each) => each.id)];
    const head = {
      record: 1,
      root,
      expansions: rest,
      settings: plan.settings,
      rulesets: plan.rulesets.map(({ id, version, digest }) => [id, version, digest]),
      interactions: plan.rulesets.filter((each) => each.interaction).map((each) => each.id),
      players: this.players,
    };
    // A seed can be larger than the numbers that JSON.stringify writes exactly.
    const who = JSON.stringify(Object.fromEntries(colours.map((colour, seat) => [colour, seats[seat]])));
    const first = `${JSON.stringify(head).slice(0, -1)},"seed":${this.seed},"seats":${who}}\n`;
    const lines = this.plies.map(({ entry }) => ({
      by: entry.by === CHANCE ? "chance" : plan.colours[entry.by].name,
      move: entry.move,
      args: Object.fromEntries(entry.args),
      ...(entry.taken ? { taken_back: true } : {}),
      ...(entry.events.length ? { events: entry.events.map(({ event, values, to }) => ({ event, values: values.map(text), ...(to ? { to: to.map((seat) => plan.colours[seat].name) } : {}) })) } : {}),
    }));
    const end = this.position.mover === null
      ? [{
          scores: Object.fromEntries(this.position.scores().map((points, seat) => [colours[seat], points])),
          winners: this.position.winners().map((seat) => colours[seat]),
        }]
      : [];
    return first + [...lines, ...end].map((line) => `${JSON.stringify(line)}\n`).join("");
  }
}
