/** A game that a server plays: the positions and moves that it tells, as a seat may know them. */

import { bytesOf, inflated } from "./bytes.js";
import { noted } from "./events.js";
import { Session } from "./session.js";

/** @import { Argument, Gain, GameEvent, Given, Plan } from "./types.js" */

/** @param {string} state in base64 */
const unpacked = async (state) => new Uint8Array(await inflated(bytesOf(state)).arrayBuffer());

export class Seated extends Session {
  /** @param {Plan} plan @param {WebAssembly.Module} module @param {number} players @param {number | null} seat */
  constructor(plan, module, players, seat) {
    super(plan, module, players, 0n);
    this.seat = seat;
    /** @type {GameEvent[]} */
    this.opening = [];
    /** The state after so many moves, with the points by source. @type {{state: Uint8Array, gained: number[]}[]} */
    this.images = [];
    /** The rows of the own moves now. @type {number[][]} */
    this.rows = [];
    /** How many moves stay if the last own one is taken back, and whether others must agree. @type {{to: number, fair: boolean} | null} */
    this.back = null;
    this.machine.rows = () => this.rows;
  }

  /** Takes what the server tells. @param {any} message */
  async tell(message) {
    if (message.type === "start") {
      const state = await unpacked(message.state);
      this.machine.state.set(this.machine.blank);
      const { events, gains } = noted(this.position, [], () => this.happen(message, state));
      this.opening = events;
      this.images = [{ state, gained: this.gained(this.plan.sources.flatMap(() => Array(this.players).fill(0)), gains) }];
      this.plies.length = 0;
      this.goto(0);
      this.first = this.position.scores();
    } else if (message.type === "ply") this.add(message, await unpacked(message.state));
    else if (message.type === "cut") {
      this.plies.length = message.moves;
      this.images.length = message.moves + 1;
      this.goto(message.moves);
    } else {
      this.rows = message.moves;
      const own = this.plies.findLastIndex(({ entry }) => entry.by === this.seat);
      this.back = message.undo !== null ? { to: message.undo, fair: true } : own >= 0 ? { to: own, fair: false } : null;
    }
  }

  /** Adds a move. @param {any} message @param {Uint8Array} state the state after it */
  add(message, state) {
    const { machine, position } = this;
    const asked = position.asked();
    const option = position.here.choices[machine.at("asked")].options[message.option];
    const args = option.arguments.map((each, at) => this.argument(each, message.arguments[at]));
    const happened = noted(position, args, () => this.happen(message, state));
    const gained = this.gained(this.images[this.images.length - 1].gained, happened.gains);
    this.images.push({ state, gained });
    const secret = option.arguments.filter((each) => each.secret).map((each) => each.name);
    this.push({ row: 0, fair: false, scores: position.scores() }, { ...asked, by: message.by, taken: message.taken }, { name: option.name, args, secret }, happened);
    this.rows = [];
    this.goto(this.plies.length);
  }

  /** Returns the points by source after more of them. @param {number[]} before @param {Gain[]} gains */
  gained(before, gains) {
    const after = [...before];
    for (const { seat, source, amount } of gains) after[this.plan.sources.indexOf(source) * this.players + seat] += amount;
    return after;
  }

  /** Sets the state after something, and the notes of it. @param {any} message @param {Uint8Array} state */
  happen({ notes, terms }, state) {
    const { machine } = this;
    machine.state.set(state);
    notes.forEach((/** @type {number} */ number, /** @type {number} */ at) => machine.set("notes", number, at));
    machine.set("noted", notes.length / 5);
    for (const [column, name] of ["record_name", "record_value"].entries())
      terms[column].forEach((/** @type {number} */ number, /** @type {number} */ at) => machine.set(name, number, at));
  }

  /** Returns an argument of a move: its numbers, its name by its place, or nothing that may be known. @param {Argument} argument @param {any} told @returns {Given} */
  argument({ name, type }, told) {
    if (Array.isArray(told)) return type.set ? this.position.members(name, type, told.filter((each) => each >= 0)) : this.position.given(name, type, told[0]);
    if (told?.each) {
      const each = told.each.map((/** @type {any} */ one) => ({ name, type: { ...type, set: false }, number: -1, ...one }));
      return { name, type, number: [], plain: each.map((/** @type {Given} */ { plain }) => plain), each };
    }
    return { name, type, number: -1, plain: "?", ...told };
  }

  /** @param {number} at */
  goto(at) {
    const { state, gained } = this.images[at];
    this.machine.state.set(state);
    gained.forEach((number, row) => this.machine.set("gained", number, row));
  }

  undo() {
    return this.back;
  }
}
