/** The page: it shows what the worker says, and tells it what people choose. */

import { Analysis } from "./analysis.js";
import { Art } from "./art.js";
import { Board } from "./board.js";
import { bytesOf, inflated } from "./bytes.js";
import { h, lacking, offer, the } from "./dom.js";
import { Host } from "./host.js";
import { join } from "./hosted.js";
import * as letters from "./letters.js";
import { packed, unpacked } from "./link.js";
import * as panels from "./panels.js";
import { PIECES, text } from "./position.js";
import { MOST, readRecord } from "./records.js";
import { Story } from "./story.js";
import { embed } from "./studio/embedded.js";
import { keysOf, laidBy, skipOf, targetsOf } from "./targets.js";
import { meant, typedForm } from "./typed.js";
import { cellReport, contents, pointsReport, ruleBook } from "./why.js";
import { TEXTS, Words } from "./words.js";

/** @import { LogEntry, Move, Plan, Spot, View } from "./types.js" */

/** The kinds of seats, in the order of links, with the name and the milliseconds of the bot. @type {Record<string, [string, number] | null>} */
const SEATS = { human: null, random: ["random", 0], greedy: ["greedy", 0], quick: ["search", 120], strong: ["search", 400], hard: ["search", 900] };
const KINDS = Object.keys(SEATS);
/** The names of these kinds in records: people, and the bots of `rulesdsl run`. @type {Record<string, string>} */
const NAMES = Object.fromEntries(Object.entries(SEATS).map(([kind, bot]) => [kind, bot?.[1] ? `mcts:${bot[1] / 1000}s` : kind]));
/** More moves than these are not listed before a place is chosen. */
const MOST_LISTED = 40;
/** More moves than these are folded below a hand on a phone. */
const MOST_BELOW = 8;
/** Screens on which everything is in one column, as the style sheet has them. */
const PHONE = "(max-width: 640px)";
/** Milliseconds between the moves of bots. */
const PAUSE = 180;

class Page {
  /** @param {Plan} plan @param {string} worker @param {Map<number, Uint8Array>} modules */
  constructor(plan, worker, modules) {
    this.plan = plan;
    this.host = new Host(worker, { plan, modules });
    this.language = first(remembered("language"), navigator.language?.slice(0, 2), Object.keys(TEXTS)) ?? "en";
    this.words = new Words(plan, this.language);
    this.store = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (the("symbols")));
    this.art = new Art(plan, this.language, this.store);
    this.board = new Board(/** @type {SVGSVGElement} */ (/** @type {unknown} */ (the("board"))), plan, this, {
      choose: (key) => this.choose(key),
      turn: (by) => this.turn(by),
      ask: (cell) => void this.whyCell(cell),
    });
    this.story = new Story(this.host, the("log"));
    this.analysis = new Analysis(this.host, () => this.show(null));
    /** @type {Map<string, number>} the best moves by the place they name, with their ranks */
    this.ranks = new Map();
    /** @type {string[]} */
    this.seats = [];
    /** @type {View | null} */
    this.view = null;
    /** @type {number | null} */
    this.chosen = null;
    /** @type {string | null} */
    /** @type {string[]} the things that were pointed at */
    this.marks = [];
    /** The seat at a table of a server, null for who watches. @type {number | null | undefined} */
    this.seat = undefined;
    /** The game that is played by links: its number, and how many moves the link had. @type {{id: string, from: number} | null} */
    this.letter = null;
    /** Whether the players at a table have agreed to end the game. */
    this.agreed = false;
    /** @type {number | null} the seat that has said it holds the device */
    this.shownTo = null;
    this.at = -1;
    /** A number that changes with every game, so that bots of the last one stop. */
    this.game = 0;
    /** The number that it had when the view was taken: nothing is played on a view that is out of date. */
    this.seen = 0;
    this.seed = "0";
    this.told = 0;
    /** The line of the log whose features are lit up. */
    this.line = "";
    /** The name of the game for the server of `rulesdsl page`. */
    this.id = "";
    /** The record that is being sent to it. @type {Promise<void>} */
    this.sending = Promise.resolve();
    this.dress();
    this.listen();
  }

  get here() {
    const found = this.plan.games.find((game) => game.players === this.seats.length);
    if (!found) throw new Error("no game");
    return found;
  }

  get humans() {
    return this.seats.map((seat) => SEATS[seat] === null);
  }

  // --- games -------------------------------------------------------------------------------------

  /** Begins a game, or goes on with one that is kept; throws if a rule or one of the moves fails, and then shows the game before. @param {string[]} seats @param {string} seed @param {import("./session.js").Moves} [moves] @param {string} [id] @param {string | null} [letter] the number of a game that is played by links */
  async begin(seats, seed, moves, id, letter = null) {
    this.game++;
    try {
      await this.change("begin", { players: seats.length, seed, ...moves });
    } catch (error) {
      if (this.view) await this.refresh();
      throw error;
    }
    this.opened(seats, seed, id);
    this.letter = letter === null ? null : { id: letter, from: moves?.rows.length ?? 0 };
    this.seat = letter === null ? undefined : this.known()?.seat ?? null;
    await this.refresh();
  }

  /** Makes a change in the worker, which goes on with the game before if that takes too long. @param {string} call @param {any} given @returns {Promise<any>} */
  async change(call, given) {
    const moves = this.view ? await this.host.call("moves") : null;
    try {
      return await this.host.call(call, given);
    } catch (error) {
      if (moves && late(error)) await this.host.call("begin", { players: this.seats.length, seed: this.seed, ...moves });
      throw error;
    }
  }

  /** Begins a game, or says why there is none. @param {string[]} seats @param {string} seed @param {string | null} letter */
  async beginNew(seats, seed, letter = null) {
    try {
      await this.begin(seats, seed, undefined, undefined, letter);
    } catch (error) {
      this.say(this.words.say(late(error) ? "slow" : "failed"), true);
    }
  }

  /** @param {string[]} seats @param {string} seed @param {string} [id] */
  opened(seats, seed, id) {
    this.seats = seats;
    this.seed = seed;
    this.id = id ?? Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.at = -1;
    this.shownTo = this.humans.filter((each) => each).length > 1 ? null : this.humans.indexOf(true);
    this.board.touched = false;
    this.board.cursor = null;
    this.analysis.cut(0);
    this.story.cut(0);
    this.dark();
    this.told = 0;
    remember("seats", seats.join());
  }

  /** Returns the seat whose hidden pieces are shown: the person's, at a hot seat the one who moves, and in the past the one who holds the device. @param {number | null} mover */
  viewer(mover) {
    if (this.seat !== undefined) return this.seat;
    const humans = this.humans;
    const people = humans.filter((each) => each).length;
    if (people === 1) return humans.indexOf(true);
    if (people && this.at >= 0) return this.shownTo;
    return mover !== null && mover >= 0 && humans[mover] ? mover : null;
  }

  /** Asks for the position, shows it, and lets bots move. */
  async refresh() {
    const game = this.game;
    const at = this.at < 0 ? null : this.at;
    const common = await this.host.call("view", { viewer: null, at, humans: this.humans });
    if (this.letter) this.sit(common);
    const viewer = this.viewer(common.mover);
    const curtain = viewer !== null && common.hides && viewer !== this.shownTo && at === null;
    const view = viewer === null || curtain ? common : await this.host.call("view", { viewer, at, humans: this.humans });
    view.log = await this.story.until(view.at, view.viewer, this.humans);
    if (game !== this.game) return;
    this.seen = game;
    if (!curtain && viewer !== null) this.shownTo = common.hides ? viewer : this.shownTo;
    const bots = view.mover !== null && view.mover >= 0 && !this.humans[view.mover];
    this.view = /** @type {View} */ ({ ...view, moves: curtain || bots ? [] : view.moves });
    if (this.letter && this.view.undo && this.view.undo.to < this.letter.from) this.view.undo = null;
    this.chosen = this.view?.moves.length === 1 ? 0 : null;
    this.marks = [];
    this.ranks.clear();
    this.show(curtain ? view.mover : null);
    this.speak(view);
    void this.address();
    if (at === null) {
      void this.keep();
      void this.goOn(view, curtain); // The game of bots goes on by itself: nobody waits for its end.
    }
  }

  /** Plays for bots, and for people who want their only moves played. @param {View} view @param {boolean} curtain */
  async goOn(view, curtain) {
    if (view.mover === null || curtain) return;
    const bot = view.mover >= 0 ? SEATS[this.seats[view.mover]] : (["random", 0]);
    const only = view.moves.length === 1 && /** @type {HTMLInputElement} */ (the("auto")).checked;
    if (!bot && !only) return;
    const game = this.game;
    await new Promise((resolve) => setTimeout(resolve, quiet() ? 0 : PAUSE));
    if (game !== this.game || this.at >= 0) return;
    await this.attempt(bot ? "bot" : "play", bot ? { name: bot[0], milliseconds: bot[1] } : { row: 0 });
  }

  /** Makes a change in the worker, and shows the position. @param {string} call @param {any} given */
  async attempt(call, given) {
    this.game++;
    this.dark();
    try {
      await this.change(call, given);
    } catch (error) {
      this.say(this.words.say(late(error) ? "slow" : "failed"), true);
      if (call === "bot") return;
    }
    await this.refresh();
  }

  /** Plays the chosen move. */
  async confirm() {
    if (this.chosen !== null && this.at < 0 && this.seen === this.game) await this.attempt("play", { row: this.chosen });
  }

  async skip() {
    const row = this.view && this.seen === this.game ? skipOf(this.view) : -1;
    if (row >= 0) await this.attempt("play", { row });
  }

  /** @param {number} to @param {boolean} fair */
  async undo(to, fair) {
    this.at = -1;
    this.analysis.cut(to);
    this.story.cut(to);
    await this.attempt("undo", { to, fair });
    if (!fair) this.say(this.words.say("takenBack"));
  }

  async undoLast() {
    const undo = this.view?.undo;
    if (undo) await this.undo(undo.to, undo.fair);
  }

  /** Shows the position after some moves. @param {number} at */
  async goto(at) {
    const length = this.view?.length ?? 0;
    const wanted = Math.min(Math.max(at, 0), length);
    const was = this.at;
    if (Number(this.line.split(".")[0]) !== wanted) this.dark();
    this.at = wanted >= length ? -1 : wanted;
    if (was < 0 && this.at >= 0) this.game++;
    await this.refresh();
  }

  // --- choosing ----------------------------------------------------------------------------------

  /** Chooses a move that names a thing; again, the next of them. @param {string} key */
  choose(key) {
    const target = this.targets.get(key);
    if (!target || !this.view) return;
    if (target.member) this.mark(key);
    else {
      const rows = target.moves;
      const at = this.chosen === null || this.marks[0] !== key ? -1 : rows.indexOf(this.chosen);
      this.chosen = rows[(at + 1) % rows.length];
      this.marks = [key];
    }
    this.show(null);
  }

  /** Marks a thing that moves name in a set, or takes its mark away, and chooses the least move with all marks. @param {string} key */
  mark(key) {
    const others = this.marks.filter((each) => each !== key && this.targets.get(each)?.member);
    const marks = others.length < this.marks.length ? others : [...others, key];
    this.marks = this.marked(marks).length ? marks : [key];
    const size = (/** @type {number} */ row) => keysOf(/** @type {View} */ (this.view).moves[row]).length;
    this.chosen = this.marks.length ? this.marked(this.marks).reduce((least, row) => (size(row) < size(least) ? row : least)) : null;
  }

  /** Returns the moves that name all of some things. @param {string[]} keys */
  marked(keys) {
    const rows = this.view?.moves.map((_, row) => row) ?? [];
    return keys.reduce((left, key) => left.filter((row) => this.targets.get(key)?.moves.includes(row)), rows);
  }

  /** Chooses a move of a view, unless the game has gone on since. @param {number} row @param {View} view */
  pick(row, view) {
    if (view !== this.view) return false;
    this.chosen = row;
    this.show(null);
    return true;
  }

  /** Turns the ghost through its legal rotations. @param {number} by */
  turn(by) {
    const rows = this.rotations();
    if (rows.length < 2 || this.chosen === null) return;
    this.chosen = rows[(rows.indexOf(this.chosen) + by + rows.length) % rows.length];
    this.show(null);
  }

  /** Returns the moves that differ from the chosen one in the rotation only. @returns {number[]} */
  rotations() {
    if (!this.view || this.chosen === null) return [];
    const own = this.view.moves[this.chosen];
    const spot = own?.args.find(({ type }) => type.type === "placement");
    if (!spot) return [];
    const rest = (/** @type {Move} */ move) =>
      JSON.stringify([move.name, move.args.map(({ type, number, plain }) => (type.type === "placement" && plain ? { .../** @type {Spot} */ (plain), rotation: 0 } : number))]);
    const wanted = rest(own);
    return this.view.moves.flatMap((move, row) => (rest(move) === wanted ? [row] : []));
  }

  /** Returns the piece that the chosen move would lay. */
  ghost() {
    if (!this.view || this.chosen === null) return null;
    const move = this.view.moves[this.chosen];
    const spot = move.args.find(({ type, plain }) => type.type === "placement" && plain !== null);
    const laid = laidBy(this.view, move, (piece) => this.plan.pieces.kind[piece]);
    if (!spot || !laid) return null;
    const { grid, x, y, rotation } = /** @type {Spot} */ (spot.plain);
    const rows = this.rotations();
    const seen = this.view.zones.flatMap((zone) => zone.pieces).find((each) => each?.piece === laid.piece);
    return { kind: laid.kind, face: seen?.face ?? 0, grid, x, y, rotation: (rotation * this.plan.enums.side.length) / 360, at: rows.indexOf(this.chosen), count: rows.length };
  }

  get targets() {
    return this.view && this.at < 0 ? targetsOf(this.view) : new Map();
  }

  // --- showing -----------------------------------------------------------------------------------

  /** Shows everything. @param {number | null} curtain the seat that has to take the device first */
  show(curtain) {
    const { view } = this;
    if (!view) return;
    const shown = this.shown();
    const { targets } = shown;
    this.board.draw({
      view, targets, chosen: this.chosen, ghost: this.ghost(), owner: view.mover !== null && view.mover >= 0 ? view.mover : null,
      ranks: this.ranks, label: (target) => this.label(target), name: (grid) => this.words.value(this.here.grids[grid].name),
    }, this.here);
    replace(the("players"), panels.players(shown));
    replace(the("table"), panels.table(shown));
    replace(the("left"), panels.left(shown));
    this.story.show(shown);
    replace(the("now"), this.now(shown));
    this.looking(shown);
    this.curtain(curtain);
    for (const [id, on] of /** @type {[string, boolean][]} */ ([
      ["confirm", this.chosen !== null && this.at < 0], ["turn", this.rotations().length > 1],
      ["skip", this.at < 0 && skipOf(view) >= 0], ["undo", view.undo !== null && this.at < 0],
    ])) /** @type {HTMLButtonElement} */ (the(id)).disabled = !on;
    the("undo").textContent = this.words.say(view.undo && !view.undo.fair ? "undoTo" : "undo");
  }

  /** Returns what the panels show. @returns {panels.Shown} */
  shown() {
    if (!this.view) throw new Error("no game");
    return {
      plan: this.plan, here: this.here, art: this.art, words: this.words, view: this.view, targets: this.targets, chosen: this.chosen,
      seats: this.seats, choose: (key) => this.choose(key), goto: (at) => void this.goto(at),
      why: (entry) => this.whyPoints(entry), judged: this.analysis.judged,
    };
  }

  /** Returns what a target is called, with what lies there. @param {import("./targets.js").Target} target */
  label(target) {
    const { words, view } = this;
    if (!view) return "";
    const own = view.moves[target.moves[0]].args.find(({ number }) => number === target.number);
    const name = target.cell ? words.say("cell", { place: words.value(target.cell) }) : own ? words.given(own, view) : "";
    return target.moves.length > 1 && target.cell ? `${name}, ${words.say("turns", { at: 1, count: target.moves.length })}` : name;
  }

  /** Returns what the player is asked, the piece it is about, and the moves in words. @param {panels.Shown} shown @returns {(Node | null)[]} */
  now(shown) {
    const { view, words } = shown;
    if (view.over || (this.agreed && this.at < 0)) return [h("p", { class: "question" }, this.outcome(view)), view.cut ? h("p", {}, words.say("cut")) : null, this.send(view)];
    const mover = /** @type {number} */ (view.mover);
    const own = mover >= 0 ? this.plan.colours[mover].name : "";
    const about = view.about.filter(({ plain }) => plain !== own && plain !== null);
    const question = words.say("turnOf", { player: words.seat(mover), question: words.question(view.choice) });
    const pieces = about.filter(({ type, number }) => PIECES.has(type.type) && typeof number === "number");
    const pictures = pieces.map(({ number }) => {
      const kind = this.plan.pieces.kind[Number(number)];
      return this.art.picture({ piece: Number(number), kind, seat: this.plan.pieces.seat[Number(number)], face: 0 }, 84);
    });
    const told = about.map(({ plain }) => words.value(plain)).join(", ");
    const thinks = mover >= 0 && this.at < 0 && (this.seat === undefined ? !this.humans[mover] : mover !== this.seat);
    return [
      h("p", { class: "question" }, mover >= 0 ? this.art.sign(mover) : null, question),
      told ? h("p", { class: "about" }, told) : null,
      pictures.length ? h("div", { class: "drawn" }, ...pictures) : null,
      this.send(view) ?? (thinks ? h("p", { class: "thinks" }, words.say("thinks", { player: words.seat(mover) })) : null),
      ...(thinks ? [] : this.options(shown)),
    ];
  }

  /** Asks for the link to be sent on, where a game is played by links. @param {View} view */
  send(view) {
    const { mover, over } = view;
    if (!this.letter || this.at >= 0 || !view.length || (!over && (mover === this.seat || mover === null || mover < 0 || !this.humans[mover]))) return null;
    const text = this.words.say(over ? "sendAll" : "sendLink", { player: over || mover === null ? "" : this.words.seat(mover) });
    return h("p", { class: "send" }, text, " ", h("button", { id: "send", class: "main", click: () => void this.share() }, this.words.say("share")));
  }

  /** Returns what can be chosen: the moves in words, on a phone below the pieces in the hand that narrow them. @param {panels.Shown} shown @returns {(Node | null)[]} */
  options(shown) {
    const hand = matchMedia(PHONE).matches ? panels.hand(shown) : [];
    const list = this.list(shown);
    const count = list?.querySelectorAll("li").length ?? 0;
    if (!hand.length || !list) return [list];
    const long = count > MOST_BELOW && this.chosen === null;
    const summary = h("summary", {}, this.words.say("narrow", { count }));
    return [h("div", { class: "pieces hand" }, ...hand), long ? h("details", {}, summary, list) : list];
  }

  /** Returns the moves in words, if they are not too many. @param {panels.Shown} shown */
  list({ view, words, targets }) {
    if (this.at >= 0 || !view.moves.length) return null;
    const all = view.moves.map((_, row) => row);
    const filtered = this.marked(this.marks);
    const plain = all.filter((row) => !filtered.includes(row) && !view.moves[row].args.length);
    const rows = [...filtered, ...plain];
    const cells = new Set([...targets.values()].filter(({ cell }) => cell).map(({ key }) => key)).size;
    if (rows.length > MOST_LISTED || (!this.marks.length && cells > 6)) {
      const few = rows.filter((row) => !view.moves[row].args.some(({ type }) => type.type === "placement"));
      return h("div", {}, h("p", {}, words.say("many", { count: rows.length })), this.items(few.slice(0, MOST_LISTED), view));
    }
    return this.items(rows, view);
  }

  /** @param {number[]} rows @param {View} view */
  items(rows, view) {
    return h("ul", { class: "moves" }, ...rows.map((row) => {
      const pressed = row === this.chosen;
      return h("li", {}, h("button", {
        class: pressed ? "move chosen" : "move", "aria-pressed": String(pressed), "data-row": row,
        click: () => this.pick(row, view),
        dblclick: () => this.pick(row, view) && void this.confirm(),
      }, this.words.move(view.moves[row], view)));
    }));
  }

  /** @param {View} view */
  outcome({ winners, scores }) {
    const points = [...scores].sort((a, b) => (this.plan.fewest ? a - b : b - a)).join(" : ");
    if (this.agreed) return `${this.words.say("agreed")}${points && ", "}${points}`;
    if (!winners.length) return `${this.words.say("over")}. ${this.words.say("nobody")}`;
    const players = winners.map((seat) => this.words.seat(seat)).join(", ");
    return `${this.words.say("over")}. ${this.words.say(winners.length > 1 ? "tie" : "wins", { players })}${points && ", "}${points}`;
  }

  /** Shows where in the game the page is. @param {panels.Shown} shown */
  looking(shown) {
    const { view } = shown;
    const slider = /** @type {HTMLInputElement} */ (the("slider"));
    slider.max = String(view.length);
    slider.value = String(view.at);
    const place = this.words.say("at", { at: view.at, length: view.length });
    slider.setAttribute("aria-valuetext", place);
    the("place").textContent = place;
    const leads = this.analysis.leads(view.players);
    const expected = leads.length > 1;
    replace(the("curve"), !expected && !this.plan.score ? [] : [h("span", { class: "curve-name" }, this.words.say(expected ? "outlook" : "curve"), ...panels.legend(shown)), panels.curve(shown, expected ? leads : view.curve)]);
    the("next-mistake").toggleAttribute("hidden", !this.analysis.mistakes.length);
    const past = this.at >= 0;
    the("past").toggleAttribute("hidden", !past);
    const alone = this.humans.filter((each) => each).length === 1;
    the("from-here").toggleAttribute("hidden", !past || !alone || this.seat !== undefined);
  }

  /** Hides the page until a person takes the device. @param {number | null} seat */
  curtain(seat) {
    const curtain = /** @type {HTMLDialogElement} */ (the("curtain"));
    if (seat === null) {
      if (curtain.open) curtain.close();
      return;
    }
    const player = this.words.seat(seat);
    replace(curtain, [
      h("p", {}, this.words.say("pass", { player })),
      h("button", { class: "main", click: () => { this.shownTo = seat; void this.refresh(); } }, this.words.say("ready", { player })),
    ]);
    if (!curtain.open) curtain.showModal();
  }

  /** Speaks the moves since the last time. @param {View} view */
  speak(view) {
    if (this.at >= 0) return;
    const shown = /** @type {any} */ ({ words: this.words });
    const sentences = view.log.slice(Math.max(this.told, view.log.length - 6)).map((entry) => panels.spoken(shown, entry));
    this.told = view.log.length;
    if (view.over) sentences.push(this.outcome(view));
    if (sentences.length) the("live").textContent = sentences.join(". ");
  }

  /** Shows a message for a while. @param {string} message @param {boolean} alarm */
  say(message, alarm = false) {
    const note = the("note");
    // A message may quote a record or a link: no hidden characters, and not too much of it.
    note.textContent = message.slice(0, 500).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\ufffd");
    note.classList.toggle("alarm", alarm);
    note.classList.add("shown");
    setTimeout(() => note.classList.remove("shown"), 4000);
  }

  // --- sharing -----------------------------------------------------------------------------------

  /** Puts the game into the address. */
  async address() {
    const { id, letter, seat } = this;
    const { rows, taken } = await this.host.call("moves");
    const game = { digest: this.plan.digest, players: this.seats.length, seed: this.seed, seats: this.seats, rows };
    const own = letter && { id: letter.id, digests: await letters.chained(game, letter.id) };
    const shared = await packed({ ...game, letter: own }, KINDS);
    if (letter) remember(`letter ${letter.id}`, JSON.stringify({ seat, shared }));
    remember(this.tab, JSON.stringify({ id, taken, shared }), "sessionStorage");
    history.replaceState(null, "", `#${shared}`);
  }

  /** Sends the record to the server of `rulesdsl page`, if the page comes from one: one after the other, so that the last one stays. */
  async keep() {
    if (!document.getElementById("served") || !this.view?.length) return;
    const [id, record, before] = [this.id, await this.record(), this.sending];
    this.sending = (async () => {
      await before;
      try {
        const { status } = await fetch("record", { method: "POST", headers: { Game: id }, body: record });
        if (status >= 300) this.say(this.words.say("unsaved"), true);
      } catch {
        this.say(this.words.say("unsaved"), true);
      }
    })();
  }

  async share() {
    await this.address();
    try {
      await navigator.clipboard.writeText(location.href);
    } catch {
      const field = h("textarea", {}, location.href);
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
    this.say(this.words.say("copied"));
  }

  /** The name of the game of this tab in what the browser keeps. */
  get tab() {
    return `game ${this.plan.digest}`;
  }

  /** Returns what this browser keeps of the game that is played by links: the own seat, and the last link. @returns {{seat: number | null, shared: string} | null} */
  known(id = this.letter?.id) {
    return JSON.parse(remembered(`letter ${id}`) ?? "null");
  }

  /** Takes the seat of the person whose turn it is, unless this page has one; a game in which somebody knows more than others is not played by links. @param {View} view */
  sit({ mover, hides }) {
    if (hides) {
      [this.letter, this.seat] = [null, undefined];
      letters.warn(this, this.words.say("hiddenMoves"), null);
    } else if (this.seat === null && this.at < 0 && mover !== null && this.humans[mover]) this.seat = mover;
  }

  /** Opens a game that is played by links; says which move was altered since the last link, if any. @param {import("./link.js").Shared} game @param {string} [id] @returns {Promise<boolean>} */
  async openLetter(game, id) {
    const { letter } = game;
    const refused = letters.refusal(this.plan, this.words);
    if (!letter || refused) {
      letters.warn(this, refused ?? "", null);
      return false;
    }
    const kept = this.known(letter.id);
    const known = kept && (await unpacked(kept.shared, KINDS));
    const { altered, older, whole } = await letters.compared({ ...game, letter }, known);
    const open = (/** @type {import("./link.js").Shared} */ each) => this.begin(each.seats, each.seed, { rows: each.rows, taken: [] }, id, letter.id);
    if (altered === null && !older) await open(game);
    else {
      if (known) await open(known);
      const text = altered === null ? this.words.say("olderLink", { at: game.rows.length, length: known?.rows.length }) : this.words.say(altered ? "altered" : "alteredStart", { move: altered });
      letters.warn(this, text, known && whole ? () => void open(game).catch(() => this.say(this.words.say("broken"), true)) : null);
      return known !== null;
    }
    return true;
  }

  /**
   * Opens the game of the address, or goes on with that of the tab after a reload; says whether there is one.
   * @param {string} hash of the address: a game that is being written there may replace it meanwhile @param {boolean} reloaded
   */
  async fromAddress(hash, reloaded = false) {
    const { id, taken, shared } = (reloaded && JSON.parse(remembered(this.tab, "sessionStorage") ?? "null")) || {};
    const text = shared ?? hash.slice(1);
    if (!text) return false;
    const game = await unpacked(text, KINDS);
    if (!game || !this.plan.games.some((each) => each.players === game.players)) {
      this.say(this.words.say("broken"), true);
      return false;
    }
    if (!this.plan.digest.startsWith(game.digest)) {
      this.say(this.words.say("otherRules", { reason: game.digest }), true);
      return false;
    }
    try {
      if (game.letter) return await this.openLetter(game, id);
      await this.begin(game.seats, game.seed, { rows: game.rows, taken }, id);
      return true;
    } catch {
      this.say(this.words.say("broken"), true);
      return false;
    }
  }

  /** Returns the record of the game. @returns {Promise<string>} */
  record() {
    return this.host.call("record", { seats: this.seats.map((kind) => NAMES[kind]) });
  }

  async save() {
    const record = await this.record();
    offer(new Blob([record], { type: "application/x-ndjson" }), "game.jsonl");
    this.say(this.words.say("saved"));
  }

  /** Opens a file that somebody has chosen or dropped. @param {File | undefined} file */
  async openFile(file) {
    if (file) await this.open(file.size > MOST ? "" : await file.text());
  }

  /** Opens a record; one of other rules is refused with the reason. @param {string} text */
  async open(text) {
    const record = readRecord(text);
    if (!record) return this.say(this.words.say("broken"), true);
    const reason = this.differs(record);
    if (reason) return this.say(this.words.say("otherRules", { reason }), true);
    const { seed, moves } = record;
    const players = Number(record.players);
    this.game++;
    try {
      const illegal = await this.change("open", { players, seed, moves });
      if (illegal !== null) this.say(this.words.say("illegal", { move: illegal }), true);
    } catch (error) {
      this.say(this.words.say(late(error) ? "slow" : "failed"), true);
      if (this.view) await this.refresh();
      return;
    }
    const seats = Array.from({ length: players }, (_, seat) =>
      KINDS.find((kind) => NAMES[kind] === record.seats[this.plan.colours[seat].name]) ?? this.seats[seat] ?? "human");
    this.opened(seats, String(seed));
    [this.letter, this.seat] = [null, undefined];
    this.at = 0;
    await this.refresh();
  }

  /** Returns in what a record differs from the rules of this page, empty if in nothing. @param {import("./records.js").Recorded} head */
  differs(head) {
    const own = new Map(this.plan.rulesets.map((each) => [each.id, each]));
    const found = [];
    for (const [id, version, digest] of head.rulesets) {
      const here = own.get(id);
      if (!here) found.push(`+ ${id} ${version}`);
      else if (digest !== here.digest) found.push(`${id} ${version} ≠ ${here.version}`);
      own.delete(id);
    }
    for (const id of own.keys()) found.push(`− ${id}`);
    if (!found.length && head.settings !== JSON.stringify(this.plan.settings)) found.push(head.settings);
    if (!this.plan.games.some((game) => game.players === head.players)) found.push(`${head.players}`);
    if (head.seed === null) found.push(this.words.say("seed"));
    return found.join(", ");
  }

  // --- keys and buttons --------------------------------------------------------------------------

  /** Writes the texts of the buttons, and what the game is called. */
  dress() {
    const { words } = this;
    const title = words.label(this.plan.ruleset);
    document.title = title;
    document.documentElement.lang = this.language;
    the("title").textContent = title;
    for (const element of document.querySelectorAll("[data-text]")) element.textContent = words.say(element.getAttribute("data-text") ?? "");
    for (const element of document.querySelectorAll("[data-label]")) {
      const label = words.say(element.getAttribute("data-label") ?? "");
      element.setAttribute("aria-label", label);
      element.setAttribute("title", label);
    }
    the("typed").setAttribute("placeholder", words.say("typed"));
    replace(the("keys"), words.say("keys").split(";").map((line) => {
      const [key, effect] = line.split("|");
      return h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, effect));
    }));
  }

  listen() {
    const actions = /** @type {Record<string, () => any>} */ ({
      confirm: () => this.confirm(), turn: () => this.turn(1), skip: () => this.skip(), undo: () => this.undoLast(),
      fit: () => this.board.fit(), closer: () => this.board.zoom(1 / 1.3), farther: () => this.board.zoom(1.3),
      first: () => this.goto(0), back1: () => this.goto((this.view?.at ?? 0) - 1), on1: () => this.goto((this.view?.at ?? 0) + 1),
      last: () => this.goto(Infinity), past: () => this.goto(Infinity), "from-here": () => this.at >= 0 && this.undo(this.at, false),
      share: () => this.share(), save: () => this.save(), open: () => the("file").click(), "new-game": () => this.dialog(),
      why: () => this.why(), analyse: () => this.analyse(), "next-mistake": () => this.nextMistake(), "show-rules": () => this.rules(),
      help: () => dialog("help-box"), "show-left": () => dialog("left-box"), "show-best": () => this.best(), theme: () => this.theme(), language: () => this.nextLanguage(),
    });
    for (const [id, action] of Object.entries(actions)) the(id).addEventListener("click", () => void action());
    the("slider").addEventListener("input", (event) => void this.goto(Number(/** @type {HTMLInputElement} */ (event.target).value)));
    the("typed-form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.type();
    });
    the("typed").addEventListener("focus", () => this.complete());
    for (const name of ["focusin", "click"])
      the("log").addEventListener(name, (event) => {
        const line = /** @type {Element} */ (event.target).closest("[data-line]")?.getAttribute("data-line");
        if (line) void this.light(line);
      });
    the("auto").addEventListener("change", () => void this.refresh());
    the("curtain").addEventListener("cancel", (event) => event.preventDefault());
    the("file").addEventListener("change", async (event) => {
      const input = /** @type {HTMLInputElement} */ (event.target);
      await this.openFile(input.files?.[0]);
      input.value = "";
    });
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", async (event) => {
      event.preventDefault();
      await this.openFile(event.dataTransfer?.files[0]);
    });
    document.addEventListener("keydown", (event) => this.key(event, actions));
    addEventListener("hashchange", ({ newURL }) => void this.fromAddress(new URL(newURL).hash));
    const scheme = remembered("theme");
    if (scheme) document.documentElement.dataset.theme = scheme;
  }

  /** @param {KeyboardEvent} event @param {Record<string, () => any>} actions */
  key(event, actions) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || /** @type {HTMLDialogElement} */ (the("curtain")).open) return;
    if (target.closest("dialog[open]") || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && target.id !== "slider" && target.id !== "auto") {
      if (event.key === "Escape") target.blur();
      return;
    }
    const arrows = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] });
    if (arrows[event.key] && target.id !== "slider") {
      event.preventDefault();
      if (event.shiftKey) void this.look(...arrows[event.key]);
      else this.board.step(...arrows[event.key]);
      return;
    }
    const keys = /** @type {Record<string, () => any>} */ ({
      " ": actions.confirm, r: actions.turn, R: () => this.turn(-1), s: actions.skip, u: actions.undo, z: actions.closer, "+": actions.closer,
      "-": actions.farther, "0": actions.fit, "[": actions.back1, "]": actions.on1, Home: actions.first, End: actions.last,
      "/": () => the("typed").focus(), "?": actions.help, b: actions["show-best"], h: actions["show-best"], t: actions["show-left"], w: actions.why, a: actions.analyse, g: actions["show-rules"],
    });
    if (event.key === "Enter") {
      const key = target.closest("[data-key]")?.getAttribute("data-key");
      if (!key || target.tagName === "BUTTON") return;
      event.preventDefault();
      this.choose(key);
    } else if (keys[event.key] && !(event.key === " " && target.matches("summary, input"))) {
      event.preventDefault();
      void keys[event.key]();
    }
  }

  /** Offers the legal moves for completion. */
  complete() {
    const moves = this.view?.moves ?? [];
    replace(the("typed-moves"), moves.slice(0, 300).map((move) => h("option", { value: typedForm(move) })));
  }

  async type() {
    const field = /** @type {HTMLInputElement} */ (the("typed"));
    const moves = this.at < 0 ? this.view?.moves ?? [] : [];
    const rows = meant(field.value, moves, (move) => this.view ? this.words.move(move, this.view) : "");
    if (!rows.length) return this.say(this.words.say("illegal", { move: field.value }), true);
    field.value = "";
    this.chosen = rows[0];
    if (rows.length === 1) await this.confirm();
    else this.show(null);
  }

  /** Shows the best moves of the position, with their margins. */
  async best() {
    const { view } = this;
    if (!view || view.mover === null || view.mover < 0) return;
    if (view.hides && view.mover !== view.viewer && this.humans.includes(true)) return this.say(this.words.say("bestHidden"));
    replace(the("best"), [h("p", {}, this.words.say("thinks", { player: this.words.say("best") }))]);
    dialog("best-box");
    const found = await this.host.call("best", { at: view.at, milliseconds: 900 });
    const lines = found.moves.map((/** @type {{row: number, move: Move, worth: number}} */ { row, move, worth }) => {
      const margin = `${worth > 0 ? "+" : ""}${worth.toFixed(1)}`;
      const name = this.words.move(move, view);
      const choose = () => { /** @type {HTMLDialogElement} */ (the("best-box")).close(); this.pick(row, view); };
      return h("li", {}, this.at < 0 && this.humans[found.seat] ? h("button", { class: "move", click: choose }, name) : name, " ", h("small", {}, this.words.say("margin", { margin })));
    });
    replace(the("best"), [h("ol", {}, ...lines)]);
    if (view !== this.view) return;
    this.ranks.clear();
    found.moves.forEach((/** @type {{move: Move}} */ { move }, /** @type {number} */ rank) => {
      for (const key of keysOf(move)) if (!this.ranks.has(key)) this.ranks.set(key, rank + 1);
    });
    this.show(null);
  }

  // --- understanding -----------------------------------------------------------------------------

  /** Explains the cell under the cursor or of the chosen place; otherwise the points of the last move that gave any. */
  async why() {
    const key = document.activeElement?.closest("[data-key]")?.getAttribute("data-key") ?? this.marks[0] ?? "";
    const cell = this.board.cursor ?? this.targets.get(key)?.cell;
    if (cell) return this.whyCell(cell);
    const entry = [...(this.view?.log ?? [])].reverse().find(({ gains }) => gains.length);
    if (entry) return this.whyPoints(entry);
  }

  /** @param {{grid: string, x: number, y: number}} cell */
  async report(cell) {
    const grid = this.here.grids.findIndex(({ name }) => name === cell.grid);
    const at = this.view?.at ?? 0;
    const report = await this.host.call("report", { at, cell: { ...cell, grid } });
    return { report, legal: this.targets.has(`cell:${cell.grid}:${cell.x}:${cell.y}`) };
  }

  /** Shows what lies on a cell, and why the next piece does not go there. @param {{grid: string, x: number, y: number}} cell */
  async whyCell(cell) {
    const { report, legal } = await this.report(cell);
    const title = this.words.say("cell", { place: this.words.value(cell) });
    replace(the("why-told"), cellReport(this.plan, this.words, title, report, legal));
    dialog("why-box");
  }

  /** @param {LogEntry} entry */
  whyPoints(entry) {
    replace(the("why-told"), [h("h2", {}, this.words.say("whyPoints")), ...pointsReport(this.plan, this.words, entry, (each) => panels.told(this.words, each.events))]);
    dialog("why-box");
  }

  /** Moves the cursor of the board, and speaks what lies there. @param {number} dx @param {number} dy */
  async look(dx, dy) {
    const cell = this.board.move(dx, dy);
    if (!cell) return;
    const { report, legal } = await this.report(cell);
    const told = [this.words.say("cell", { place: this.words.value(cell) }), ...contents(this.words, report)];
    if (legal) told.push(this.words.say("legalHere"));
    the("live").textContent = told.join(". ");
  }

  /** Lights up the features that a line of the log is about: its move, or one of its gains. @param {string} line */
  async light(line) {
    if (this.line === line) return;
    this.line = line;
    const [number, place] = line.split(".").map(Number);
    const entry = this.view?.log[number - 1];
    if (!entry) return;
    const names = (place === undefined ? entry.gains : entry.gains.slice(place, place + 1)).flatMap(({ subject }) => (subject ? [text(subject)] : []));
    const segments = place === undefined || !names.length ? entry.segments : [];
    const lit = await this.host.call("features", { at: number, names, segments });
    if (this.line === line && this.view) this.board.light(lit, this.view);
  }

  /** Lights nothing up any more. */
  dark() {
    this.line = "";
    if (this.view) this.board.light([], this.view);
  }

  rules() {
    replace(the("rules"), ruleBook(this.plan, this.words));
    dialog("rules-box");
  }

  /** Judges all moves so far, and marks the mistakes. */
  async analyse() {
    const length = this.view?.length ?? 0;
    await this.analysis.start(length, this.humans);
    if (this.analysis.judged.length === length && !this.analysis.mistakes.length) this.say(this.words.say("noMistakes"));
  }

  async nextMistake() {
    const all = this.analysis.mistakes.map((number) => number - 1);
    await this.goto(all.find((at) => at > (this.view?.at ?? 0)) ?? all[0] ?? 0);
  }

  /** Asks for the players and the seed of a new game. */
  dialog() {
    const { words } = this;
    const counts = this.plan.games.map((game) => game.players);
    const box = /** @type {HTMLDialogElement} */ (the("new-box"));
    const seed = h("input", { id: "seed", inputmode: "numeric", pattern: "[0-9]{1,9}", value: String(randomSeed()) });
    const list = h("div", { class: "seats" });
    const seats = [...this.seats];
    const fill = () => replace(list, seats.map((seat, place) => h("label", {}, this.art.sign(place), " ", words.seat(place), " ",
      h("select", { "data-seat": place, change: (event) => { seats[place] = event.target.value; } },
        ...KINDS.map((kind) => h("option", { value: kind, selected: kind === seat }, words.say(kind)))))));
    const resize = (/** @type {number} */ count) => {
      while (seats.length < count) seats.push(seats.at(-1) === "human" && seats.length === 1 ? "greedy" : seats.at(-1) ?? "greedy");
      seats.length = count;
      fill();
    };
    const count = h("select", { id: "count", change: (event) => resize(Number(event.target.value)) },
      ...counts.map((each) => h("option", { value: each, selected: each === seats.length }, String(each))));
    fill();
    const byLinks = h("input", { id: "letters", type: "checkbox" });
    const begin = () => {
      const refused = byLinks.checked ? letters.refusal(this.plan, words) : null;
      box.close();
      if (refused) letters.warn(this, refused, null);
      else void this.beginNew(seats, /^\d{1,9}$/.test(seed.value) ? seed.value : String(randomSeed()), byLinks.checked ? letters.newId() : null);
    };
    replace(box, [
      h("h2", {}, words.say("newGame")), h("label", {}, words.say("players"), " ", count), list,
      h("label", {}, words.say("seed"), " ", seed), h("label", {}, byLinks, " ", words.say("byLinks")),
      h("div", { class: "buttons" }, h("button", { class: "main", id: "begin", click: begin }, words.say("begin")), h("button", { click: () => box.close() }, words.say("cancel"))),
    ]);
    box.showModal();
  }

  theme() {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
    const next = now === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    remember("theme", next);
  }

  nextLanguage() {
    const all = Object.keys(TEXTS);
    this.language = all[(all.indexOf(this.language) + 1) % all.length];
    remember("language", this.language);
    this.words = new Words(this.plan, this.language);
    this.art = new Art(this.plan, this.language, this.store);
    this.dress();
    this.show(null);
  }
}

// --- small things ----------------------------------------------------------------------------------

/** @param {Element} element @param {(Node | string | null)[]} children */
function replace(element, children) {
  element.replaceChildren(.../** @type {(Node | string)[]} */ (children.filter((child) => child !== null)));
}

/** Opens a dialog. @param {string} id */
function dialog(id) {
  const box = /** @type {HTMLDialogElement} */ (the(id));
  if (!box.open) box.showModal();
  const heading = box.querySelector("h2");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus();
  box.scrollTop = 0;
}

/** Says whether a call was given up. @param {unknown} error */
const late = (error) => error instanceof Error && error.message === "timeout";
const quiet = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const randomSeed = () => crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000;

/** Returns the first of some texts that is among others. @param {...any} given */
function first(...given) {
  const all = given.pop();
  return given.find((each) => all.includes(each)) ?? null;
}

/** @param {string} name @param {"localStorage" | "sessionStorage"} store @returns {string | null} */
function remembered(name, store = "localStorage") {
  try {
    return globalThis[store].getItem(`rulesdsl ${name}`);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} value @param {"localStorage" | "sessionStorage"} store */
function remember(name, value, store = "localStorage") {
  try {
    globalThis[store].setItem(`rulesdsl ${name}`, value);
  } catch {
    // Nothing is remembered where the browser keeps nothing.
  }
}

/** Returns the bytes of a packed part of the page. @param {string} id */
const part = (id) => bytesOf(the(id).textContent ?? "");

async function main() {
  if (document.getElementById("embedded")) return embed(Page, the("worker").textContent ?? "");
  /** @type {Plan} */
  const plan = await inflated(part("plan")).json();
  const modules = new Map(plan.games.map(({ players }) => [players, part(`module-${players}`)]));
  const page = new Page(plan, the("worker").textContent ?? "", modules);
  const record = document.getElementById("record");
  for (const box of document.querySelectorAll("dialog .close")) box.addEventListener("click", () => box.closest("dialog")?.close());
  const counts = plan.games.map((game) => game.players);
  const last = remembered("seats")?.split(",") ?? [];
  const known = last.length && counts.includes(last.length) && last.every((seat) => seat in SEATS);
  const seats = known ? last : Array.from({ length: counts[0] }, (_, seat) => (seat ? "greedy" : "human"));
  page.seats = seats;
  if (document.getElementById("hosted")) return join(page, location.hash.slice(1));
  const reloaded = performance.getEntriesByType("navigation").some((each) => /** @type {any} */ (each).type === "reload");
  if (record) await page.open(record.textContent ?? "");
  else if (!(await page.fromAddress(location.hash, reloaded))) await page.beginNew(seats, String(randomSeed()));
  performance.mark("ready");
  document.documentElement.dataset.ready = "yes";
}

the("missing").hidden = true;
main().catch((error) => {
  lacking(error.message);
  throw error;
});
