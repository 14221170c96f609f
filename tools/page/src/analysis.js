/** The analysis of a game: what lead could be expected after each move, and which moves were mistakes. */

/** @import { Judgement } from "./judge.js" */
/** @typedef {Judgement & {by: number}} Judged */

export class Analysis {
  /** @param {import("./host.js").Host} host @param {() => void} changed called after every judged move */
  constructor(host, changed) {
    this.host = host;
    this.changed = changed;
    /** @type {(Judged | null)[]} by move */
    this.judged = [];
    this.length = 0;
    this.run = 0;
  }

  get running() {
    return this.run > 0 && this.judged.length < this.length;
  }

  /** Forgets judgements from a move on, and stops. @param {number} from */
  cut(from) {
    this.run = 0;
    this.judged.length = Math.min(this.judged.length, from);
  }

  /** Judges the first moves of the game, one after another, until another run begins. @param {number} length @param {boolean[]} humans */
  async start(length, humans) {
    this.length = length;
    const run = (this.run = Math.random());
    while (run === this.run && this.judged.length < length) {
      const found = await this.host.call("judge", { at: this.judged.length, humans });
      if (run !== this.run) return;
      this.judged.push(found);
      this.changed();
    }
  }

  /** The numbers of the moves that were mistakes, from 1. */
  get mistakes() {
    return this.judged.flatMap((each, at) => (each?.mistake ? [at + 1] : []));
  }

  /** Returns the leads to draw, by move; chance keeps the last. @param {number} players */
  leads(players) {
    let last = Array.from({ length: players }, () => 0);
    return this.judged.map((each) => (last = each?.leads ?? last));
  }
}
