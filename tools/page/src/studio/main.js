/** The studio: editors for a project, and its game beside them, kept at the same position under the changed rules. */

import { Art } from "../art.js";
import { bytesOf, inflated } from "../bytes.js";
import { drawing, drawn, h, offer, the } from "../dom.js";
import { Balance } from "./balance.js";
import { changes } from "./changes.js";
import { Editor } from "./editor.js";
import { ServerHost } from "./host.js";
import { inline, rendered } from "./markdown.js";
import { Stage } from "./stage.js";
import { worker } from "./trusted.js";
import { carrying, CARRIED } from "./alone.js";
import { MOST_LINK, packed, quoted, unpacked, VERSION, zipped } from "./share.js";
import { WorkerHost } from "./worker_host.js";

/** @import { Edit, Finding, Outcome } from "./editor.js" */
/** @import { Told } from "./embedded.js" */
/**
 * @typedef {{id: string, group: string, title: string, text: string, main: string, with: string[], files: Record<string, string>}} Example
 * @typedef {{host: string, nonce: string, edition: number, ids: string[], python: string[], template: string, gallery: Example[]}} Boot
 */

/** The version of the protocol. */
const PROTOCOL = 1;
/** The file of Python that is a module. */
const WASM = "pyodide.asm.wasm";
/** The file with Python's memory, which is deflated. */
const SNAPSHOT = "snapshot.bin";
/** Milliseconds without typing after which the text is checked. */
const PAUSE = 120;
/** Milliseconds without typing after which random games are played, and after which they end. */
const PLAY_PAUSE = 1500;
const PLAY_DEADLINE = 10_000;
/** Random games that are played to see whether a rule fails. */
const GAMES = 100;
/** The moves that bots play at first. */
const PLIES = 20;
const KEYS = [
  ["Ctrl-Space", "complete"], ["F12, Ctrl-click", "go to the declaration"], ["F2", "rename"], ["Shift-Alt-F", "format"], ["Ctrl-Shift-M", "list of findings"],
  ["F8", "next finding"], ["Ctrl-S", "save, or make a link"], ["Ctrl-F", "search"], ["Esc, then Tab", "leave the editor"],
];

class Studio {
  /** @param {import("./host.js").StudioHost} host @param {Boot} boot @param {string} page the page that plays, without a game @param {string} playouts the program that plays many games */
  constructor(host, boot, page, playouts) {
    this.host = host;
    this.boot = boot;
    /** @type {Map<string, Editor>} */
    this.editors = new Map();
    /** @type {string[]} */
    this.manifests = [];
    /** @type {string[]} */
    this.scenarios = [];
    /** @type {Record<string, Finding[]>} */
    this.findings = {};
    /** @type {Map<string, Outcome[]>} */
    this.outcomes = new Map();
    /** @type {Map<string, number>} how many scenarios each file has */
    this.counts = new Map();
    /** @type {Set<string>} names of files that the host does not know yet */
    this.dirty = new Set();
    /** @type {Set<string>} names of files whose colours are those of an earlier text */
    this.undressed = new Set();
    this.saves = false;
    /** @type {any} */
    this.plan = null;
    /** @type {Art | null} */
    this.art = null;
    this.timer = 0;
    /** How often the host that knows the game has begun anew. */
    this.knows = 0;
    /** @type {Promise<void>} */
    this.work = Promise.resolve();
    /** A number that changes with every edit, so that older work stops. */
    this.round = 0;
    this.stage = new Stage(the("stage"), page, (told, fresh) => this.told(told, fresh), (message) => this.say(message, true));
    /** @type {Told | null} what was shown under the rules before */
    this.before = null;
    this.playouts = playouts;
    /** @type {Worker | null} the worker of the random games that show whether a rule fails */
    this.player = null;
    this.balance = new Balance(playouts, (nodes) => this.tell("balance", ...nodes));
    /** @type {{key: string, plan: any, module: Uint8Array} | null} the first game of these files, with which the balance compares */
    this.base = null;
    /** @type {{key: string, plan: any, module: Uint8Array} | null} */
    this.built = null;
    this.listen();
  }

  // --- projects ----------------------------------------------------------------------------------

  /** Shows the files of a project. @param {any} opened @param {{main?: string, with?: string[], players?: number}} chosen */
  show(opened, chosen = {}) {
    this.round++;
    for (const editor of this.editors.values()) editor.view.destroy();
    this.editors.clear();
    this.findings = {};
    this.outcomes.clear();
    this.counts.clear();
    this.dirty.clear();
    this.before = null;
    this.base = null;
    this.balance.stop();
    this.saves = opened.saves;
    the("project").textContent = opened.saves ? opened.name : "studio";
    the("save").toggleAttribute("hidden", !opened.saves);
    the("examples").toggleAttribute("hidden", opened.saves);
    for (const [name, text] of Object.entries(opened.files)) this.editors.set(name, this.editor(name, /** @type {string} */ (text)));
    this.kinds(opened);
    const main = chosen.main && this.manifests.includes(chosen.main) ? chosen.main : this.manifests[0];
    if (main) /** @type {HTMLSelectElement} */ (the("main")).value = main;
    /** @type {HTMLInputElement} */ (the("with")).value = (chosen.with ?? []).join(", ");
    this.players = chosen.players ?? 2;
    this.panes();
    if (opened.problems.length) this.say(opened.problems[0], true);
  }

  /** @param {string} name @param {string} text */
  editor(name, text) {
    return new Editor(name, text, this, this.boot.nonce);
  }

  /** Takes over which files are manifests and scenarios. @param {{manifests: string[], scenarios: string[], unsaved: string[]}} told */
  kinds({ manifests, scenarios, unsaved }) {
    const select = /** @type {HTMLSelectElement} */ (the("main"));
    if (manifests.join() !== this.manifests.join()) {
      const chosen = select.value;
      select.replaceChildren(...manifests.map((name) => h("option", { value: name }, name)));
      if (manifests.includes(chosen)) select.value = chosen;
    }
    [this.manifests, this.scenarios] = [manifests, scenarios];
    for (const [name, editor] of this.editors)
      editor.dom.closest(".pane")?.querySelector(".dot")?.toggleAttribute("hidden", !unsaved.includes(name));
    /** @type {HTMLButtonElement} */ (the("save")).disabled = !unsaved.length;
  }

  get main() {
    return /** @type {HTMLSelectElement} */ (the("main")).value;
  }

  get expansions() {
    return /** @type {HTMLInputElement} */ (the("with")).value.split(/[\s,]+/).filter((id) => id);
  }

  /** The files of the chosen ruleset: its manifest, rules and scenarios, then all others. */
  get own() {
    const stem = this.main.replace(/\.ya?ml$/, "");
    const rules = /^rules:\s*["']?([\w./-]+)/m.exec(this.editors.get(this.main)?.text ?? "")?.[1];
    const folder = this.main.slice(0, this.main.lastIndexOf("/") + 1);
    const wanted = [this.main, rules ? folder + rules : `${stem}.rules`, `${stem}.test.yaml`, `${stem}.test.yml`];
    return wanted.filter((name) => this.editors.has(name));
  }

  /** Puts the editors of the chosen ruleset side by side, and offers the other files. */
  panes() {
    const own = this.own;
    const others = [...this.editors.keys()].filter((name) => !own.includes(name) && !this.manifests.includes(name));
    const panes = own.map((name) => this.pane(name, name.endsWith(".rules")));
    if (others.length) {
      const select = h("select", { "aria-label": "Another file", change: () => this.other(select.value) },
        h("option", { value: "" }, "another file …"), ...others.map((name) => h("option", { value: name }, name)));
      panes.at(-1)?.querySelector("header")?.append(select);
    }
    document.querySelector(".texts")?.replaceChildren(...panes);
    for (const [name, listed] of Object.entries(this.findings)) this.editors.get(name)?.find(listed);
  }

  /** @param {string} name @param {boolean} large */
  pane(name, large) {
    const editor = /** @type {Editor} */ (this.editors.get(name));
    const section = h("section", { class: large ? "pane large" : "pane", "data-file": name, "aria-label": name },
      h("header", {}, h("span", {}, name), h("span", { class: "dot", hidden: true, title: "not saved" }, "●"), h("button", { class: "judged", hidden: true, click: () => this.judged(name) })), editor.dom);
    section.style.flexGrow = String(Math.min(Math.max(editor.view.state.doc.lines, 8), 24) * (large ? 1.5 : 1));
    return section;
  }

  /** Shows a file that is not one of the chosen ruleset, instead of the last one. @param {string} name */
  other(name) {
    if (!name || !this.editors.has(name)) return;
    if (!document.querySelector(`.pane[data-file="${CSS.escape(name)}"]`)) {
      const texts = /** @type {Element} */ (document.querySelector(".texts"));
      if (texts.children.length > 2) texts.lastElementChild?.remove();
      texts.append(this.pane(name, false));
      void this.dress(name);
    }
    this.editors.get(name)?.view.focus();
  }

  // --- the editors ask ---------------------------------------------------------------------------

  /** @param {string} call @param {Record<string, any>} fields */
  async ask(call, fields = {}) {
    try {
      return await this.host.ask(call, fields);
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error), true);
      return null;
    }
  }

  /** @param {string} name */
  typed(name) {
    this.dirty.add(name);
    this.round++;
    clearTimeout(this.timer);
    this.timer = Number(setTimeout(() => this.look(), PAUSE));
  }

  /** @param {string} name */
  moved(name) {
    const editor = this.editors.get(name);
    const pane = editor?.dom.closest(".pane");
    if (!editor || !pane) return;
    pane.querySelector(".preview")?.remove();
    const component = editor.view.hasFocus ? editor.component : null;
    const picture = component ? this.picture(component.kind, 110) : null;
    if (!component || !picture) return;
    const preview = h("div", { class: "preview" }, picture);
    pane.append(preview);
    this.over(component.kind, preview);
  }

  /** Adds a second picture of a tile that has an image, with what the rules know of it. @param {string} kind @param {HTMLElement} preview */
  async over(kind, preview) {
    const found = await this.ask("over", { kind });
    const picture = found?.drawn.length && preview.isConnected ? this.picture(kind, 150) : null;
    if (!picture) return;
    picture.append(...drawing(found.drawn));
    preview.append(picture);
  }

  /** Sends what has been typed and is not known to the host. @param {string} [name] */
  async settled(name) {
    if (name === undefined || this.dirty.has(name)) await this.send();
  }

  async send() {
    for (const name of [...this.dirty]) {
      this.dirty.delete(name);
      const editor = this.editors.get(name);
      if (!editor) continue;
      const told = await this.ask("change", { file: name, text: editor.text });
      if (!told) continue;
      if (told.manifests.join() !== this.manifests.join()) {
        this.kinds(told);
        this.panes();
      }
      this.kinds(told);
      this.found(told.findings);
      this.undressed.add(name);
    }
  }

  /** Takes over findings by file. @param {Record<string, Finding[]>} findings */
  found(findings) {
    Object.assign(this.findings, findings);
    for (const [name, listed] of Object.entries(findings)) this.editors.get(name)?.find(listed);
  }

  /** Asks for colours and components of a file. @param {string} name */
  async dress(name) {
    const editor = this.editors.get(name);
    if (!editor || !editor.dom.isConnected) return;
    const coloured = await this.ask("colours", { file: name });
    if (coloured) editor.colour(coloured.tokens);
    if (this.manifests.includes(name)) {
      const found = await this.ask("components", { file: name });
      if (found) editor.draw(found.components);
      this.moved(name);
    }
  }

  /** Returns the picture of a component. @param {string} kind @param {number} size */
  picture(kind, size) {
    const index = this.plan?.kinds.findIndex((/** @type {any} */ each) => each.key === kind) ?? -1;
    return index < 0 || !this.art ? null : this.art.picture({ piece: -1, kind: index, seat: 0, face: 0 }, size);
  }

  /** Makes edits in files of the project. @param {Edit[]} edits */
  apply(edits) {
    for (const file of new Set(edits.map((edit) => edit.file)))
      this.editors.get(file ?? "")?.edit(edits.filter((edit) => edit.file === file));
  }

  /** @param {string} name @param {number} at */
  async define(name, at) {
    await this.settled(name);
    const found = await this.ask("definition", { file: name, at });
    if (!found) return;
    if (found.file) this.goto(found);
    else this.read(found);
  }

  /** @param {{file: string | null, from: number, to: number}} place */
  goto({ file, from, to }) {
    if (!file || !this.editors.has(file)) return;
    delete document.documentElement.dataset.side;
    if (this.manifests.includes(file) && !this.own.includes(file)) {
      /** @type {HTMLSelectElement} */ (the("main")).value = file;
      this.panes();
    }
    this.other(file);
    this.editors.get(file)?.show(from, to);
  }

  /** Shows a text outside of the project. @param {{title: string, text: string, from: number, to: number}} found */
  read({ title, text, from, to }) {
    const editor = new Editor(title, text, { ...this, ask: async () => null, settled: async () => {}, typed() {}, moved() {}, picture: () => null, apply() {}, define() {}, rename() {}, format() {}, outcome() {} }, this.boot.nonce, true);
    const box = this.box(h("h2", {}, title), editor.dom);
    box.addEventListener("close", () => editor.view.destroy(), { once: true });
    editor.show(from, to);
  }

  /** @param {string} name @param {number} at */
  async rename(name, at) {
    await this.settled(name);
    const old = this.editors.get(name)?.view.state.wordAt(at);
    const field = h("input", { value: old ? this.editors.get(name)?.view.state.sliceDoc(old.from, old.to) : "", "aria-label": "New name", spellcheck: "false" });
    const rename = async () => {
      const found = await this.ask("rename", { file: name, at, name: field.value });
      if (!found) return;
      box.close();
      for (const edits of Object.values(found.edits)) this.apply(edits);
      if (found.also.length) this.say(`the name is also in ${found.also.join(", ")}, which you have to change yourself`);
    };
    const box = this.box(h("h2", {}, "Rename everywhere"), field,
      h("div", { class: "buttons" }, h("button", { class: "main", click: rename }, "Rename"), h("button", { click: () => box.close() }, "Cancel")));
    field.addEventListener("keydown", (event) => entered(event, () => void rename()));
    field.select();
  }

  /** @param {string} name */
  async format(name) {
    await this.settled(name);
    const found = await this.ask("format", { file: name });
    const editor = this.editors.get(name);
    if (found && editor) editor.text = found.text;
  }

  // --- check, build, try, play -------------------------------------------------------------------

  /** Checks, builds, tries the scenarios and shows the game, one after the other; newer edits come first. */
  look() {
    clearTimeout(this.timer);
    this.work = this.work.then(() => this.cycle()).catch((error) => this.say(String(error?.message ?? error), true));
    return this.work;
  }

  async cycle() {
    const [round, begun] = [this.round, performance.now()];
    this.stage.prepare();
    await this.send();
    if (round !== this.round || !this.main) return;
    const built = await this.ask("build", { main: this.main, with: this.expansions, players: this.players });
    this.knows = this.host.begun;
    if (round !== this.round) return;
    the("stage").classList.toggle("stale", !built?.plan);
    if (!built) this.status("not built", "alarm");
    else if (!built.plan) {
      this.status(`${built.findings.length === 1 ? "1 error" : `${built.findings.length} errors`}`, "alarm");
      this.list(built.findings);
    } else {
      if (this.panel === "findings") the("panel").replaceChildren();
      await this.play(built);
      performance.measure("shown", { start: begun });
    }
    for (const name of [...this.undressed]) {
      if (round !== this.round) return;
      this.undressed.delete(name);
      await this.dress(name);
    }
    if (built?.plan) for (const file of this.scenarios.filter((name) => this.own.includes(name) || this.editors.get(name)?.dom.isConnected)) {
      if (round !== this.round) return;
      await this.try(file, round);
    }
    if (round !== this.round) return;
    if (built?.plan) {
      const failing = [...this.outcomes.values()].flat().filter(({ passed }) => !passed).length;
      const warnings = Object.values(this.findings).flat().length;
      const text = failing ? `${failing} of ${[...this.counts.values()].reduce((all, each) => all + each, 0)} scenarios fail` : warnings ? `plays; ${warnings} findings` : "plays, every scenario holds";
      this.status(text, failing ? "alarm" : "good");
    }
    performance.measure("look", { start: begun });
    document.documentElement.dataset.ready = String(round);
    if (built?.plan) setTimeout(() => this.games(round), PLAY_PAUSE);
  }

  /** Plays random games of what was built, and shows how a rule fails in one of them. @param {number} round */
  games(round) {
    this.player?.terminate();
    if (round !== this.round || !this.built) return;
    const { plan, module } = this.built;
    const player = this.player = worker(this.playouts);
    const end = setTimeout(() => player.terminate(), PLAY_DEADLINE);
    player.addEventListener("message", async ({ data }) => {
      clearTimeout(end);
      player.terminate();
      const game = { main: this.main, with: this.expansions, players: this.players };
      const told = data.failing === null ? await this.compare(round, game) : round === this.round && await this.ask("play", { ...game, seed: data.failing });
      if (!told?.findings.length || round !== this.round) return;
      for (const finding of told.findings) if (finding.file) this.found({ [finding.file]: [...(this.findings[finding.file] ?? []), finding] });
      this.status(data.failing === null ? "names decide a random game" : "a random game fails", "alarm");
      this.list(told.findings);
    });
    player.postMessage({ plan, module, games: GAMES, check: true });
  }

  /** Compares random games under both orders of names, for as long as nothing is asked. @param {number} round @param {Record<string, any>} game @returns {Promise<any>} */
  async compare(round, game) {
    const end = performance.now() + PLAY_DEADLINE;
    for (let first = 0; first !== null && round === this.round && performance.now() < end;) {
      const told = await this.ask("compare", { ...game, first });
      if (!told || told.findings.length) return told;
      first = told.next;
    }
    return null;
  }

  /** @param {any} built */
  async play({ plan, module, players, counts }) {
    const bytes = bytesOf(module);
    this.before = this.stage.told;
    const shown = this.stage.begin(plan, bytes, players, PLIES);
    this.plan = plan;
    const store = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (the("symbols")));
    store.replaceChildren();
    this.art = new Art(plan, "en", store);
    for (const editor of this.editors.values()) if (editor.components.length) editor.draw([...editor.components]);
    this.players = players;
    const select = /** @type {HTMLSelectElement} */ (the("players"));
    select.replaceChildren(...counts.map((/** @type {number} */ count) => h("option", { value: count, selected: count === players }, String(count))));
    this.built = { key: [this.main, this.expansions, players].join(), plan, module: bytes };
    if (this.base?.key !== this.built.key) this.base = this.built;
    await shown;
  }

  /** Shows what changed in the position. @param {Told} told @param {boolean} fresh whether the rules are new */
  told(told, fresh) {
    if (!fresh) return void the("changes").replaceChildren();
    const found = this.before && this.before.seed === told.seed && this.before.players.length === told.players.length ? changes(this.before, told) : [];
    const same = this.before ? [h("span", { class: "change" }, "nothing changes in this position")] : [];
    the("changes").replaceChildren(...(found.length ? found.map(({ kind, text }) => h("span", { class: `change ${kind}` }, text)) : same));
  }

  /** Runs the scenarios of a file, some at a time, until there is something newer to do. @param {string} file @param {number} round */
  async try(file, round) {
    /** @type {Outcome[]} */
    const outcomes = [];
    for (let next = /** @type {number | null} */ (0); next !== null; ) {
      const tried = await this.ask("test", { file, first: next });
      if (!tried || round !== this.round) return;
      outcomes.push(...tried.outcomes);
      next = tried.next;
      this.tried(file, outcomes, tried);
    }
  }

  /** @param {string} file @param {Outcome[]} outcomes those that are known @param {{findings: Finding[], count: number, next: number | null}} tried */
  tried(file, outcomes, { findings, count, next }) {
    this.outcomes.set(file, outcomes);
    this.counts.set(file, count);
    const editor = this.editors.get(file);
    editor?.judge(outcomes);
    editor?.find([...(this.findings[file] ?? []), ...findings, ...outcomes.flatMap((outcome) => outcome.findings)].filter((finding) => finding.file === file));
    const failing = outcomes.filter(({ passed }) => !passed).length;
    const told = editor?.dom.closest(".pane")?.querySelector(".judged");
    if (!told) return;
    told.toggleAttribute("hidden", false);
    const left = next === null ? "took too long" : "…";
    told.textContent = outcomes.length < count ? `${outcomes.length} of ${count} ${left}` : failing ? `${failing} of ${count} fail` : `${count} hold`;
    told.className = `judged ${failing ? "fails" : "holds"}`;
  }

  /** Lists the scenarios of a file. @param {string} file */
  judged(file) {
    this.tell("scenarios", ...(this.outcomes.get(file) ?? []).map((outcome) =>
      h("button", { class: `line ${outcome.passed ? "" : "error"}`, click: () => this.outcome(outcome) }, `${outcome.passed ? "✓" : "✗"} ${outcome.name}`)));
  }

  /** Shows the board of a scenario. @param {Outcome} outcome */
  async outcome(outcome) {
    const found = await this.ask("board", { file: /** @type {any} */ (outcome).file, name: outcome.name });
    if (!found) return;
    const lines = outcome.findings.flatMap((finding) => finding.message.split("\n"));
    const picture = drawn(found.picture);
    this.tell("board", h("p", { class: "title" }, `${outcome.name}: ${outcome.passed ? "holds" : "fails"}`), lines.length ? h("pre", {}, lines.join("\n")) : null, picture);
  }

  /** Lists findings in the panel. @param {Finding[]} findings */
  list(findings) {
    this.tell("findings", ...findings.flatMap((finding) => [
      h("button", { class: `line ${finding.severity}`, click: () => this.goto(finding) }, `${finding.file ?? ""}${finding.file ? `:${finding.line}: ` : ""}${finding.message}`),
      ...finding.fixes.map(({ title, edits }) => h("button", { class: "fix", click: () => this.apply(edits) }, title)),
    ]));
  }

  /** @param {string} what @param {...(Node | null)} nodes */
  tell(what, ...nodes) {
    if (what !== "balance") this.balance.stop();
    const same = this.panel === what;
    this.panel = what;
    the("panel").replaceChildren(.../** @type {Node[]} */ (nodes.filter((node) => node)));
    if (!same) the("panel").scrollTop = 0;
  }

  /** Lists the moves; each says why it gave points. */
  log() {
    const told = this.stage.told;
    if (!told) return;
    this.tell("log", h("p", { class: "title" }, "Click on a move to see why it gave points"), ...told.log.map(({ text, gains }, at) =>
      h("button", { class: "line", click: () => this.why("", at + 1) }, `${at + 1}. ${text}`, gains.length ? h("b", {}, ` ${gains.join(", ")}`) : "")));
  }

  /** Explains the points of the turn with a move, or why another move is not legal. @param {string} move @param {number} number */
  async why(move = "", number = -1) {
    const told = this.stage.told;
    if (!told) return;
    await this.again();
    const found = await this.ask("why", { record: told.record, number, move });
    if (!found) return;
    const none = h("p", {}, move ? "there is no answer" : "nobody got points in this turn");
    this.tell("why", number > 0 ? h("button", { class: "back", click: () => this.log() }, "← all moves") : null, ...(found.answers.length ? found.answers.flatMap((/** @type {any} */ answer) => [
      h("p", { class: "title" }, answer.when),
      h("pre", {}, ...answer.lines.flatMap((/** @type {[string, string][]} */ line) => [...line.map(([text, role]) => h("span", { class: role }, text)), "\n"])),
    ]) : [none]));
  }

  /** Builds the game for a host that has begun anew. */
  async again() {
    if (this.knows !== this.host.begun && this.main) await this.ask("build", { main: this.main, with: this.expansions, players: this.players });
    this.knows = this.host.begun;
  }

  async scenario() {
    const told = this.stage.told;
    if (!told) return;
    await this.again();
    const name = await this.prompt("Name of the scenario", `after move ${told.length}`);
    if (name === null) return;
    const file = this.own.find((each) => this.scenarios.includes(each)) ?? this.main.replace(/\.ya?ml$/, ".test.yaml");
    const found = await this.ask("scenario", { file, record: told.record, name });
    if (!found) return;
    if (!this.editors.has(file)) {
      this.editors.set(file, this.editor(file, ""));
      this.panes();
    }
    const editor = /** @type {Editor} */ (this.editors.get(file));
    editor.text = found.text;
    editor.show(found.text.length, found.text.length);
    if (found.fallback) this.say(`all moves before the turn are played: ${found.fallback}`);
  }

  // --- sharing -----------------------------------------------------------------------------------

  get files() {
    return Object.fromEntries([...this.editors].map(([name, editor]) => [name, editor.text]));
  }

  /** The project with its game, as links and files hold it. @returns {import("./share.js").Shared} */
  get project() {
    return { version: VERSION, edition: this.boot.edition, main: this.main, with: this.expansions, players: this.players, seed: this.stage.seed, lines: this.stage.lines ?? [], files: this.files };
  }

  async share() {
    const text = await packed(this.project);
    if (text.length > MOST_LINK) {
      const size = (/** @type {number} */ length) => Math.ceil(length / 1000).toLocaleString("en");
      return this.download(`The project is too long for a link: it would have ${size(text.length)},000 characters, and programs cut links that are longer than ${size(MOST_LINK)},000. Send a file instead.`);
    }
    const address = `${location.href.split("#")[0]}#${text}`;
    history.replaceState(null, "", `#${text}`);
    try {
      await navigator.clipboard.writeText(address);
      this.say("the link is copied");
    } catch {
      const field = h("textarea", { rows: 6, cols: 60, readonly: true, "aria-label": "Link" }, address);
      this.box(h("h2", {}, "Link"), field);
      field.select();
    }
  }

  /** Offers the project as files. @param {string} reason why, if it cannot be a link */
  download(reason = "") {
    const name = this.main.replace(/^.*\//, "").replace(/\.ya?ml$/, "") || "rules";
    const box = this.box(h("h2", {}, "Download"), h("p", {}, reason), h("ul", { class: "gallery" },
      h("li", {}, h("button", { id: "as-page", click: () => { box.close(); void this.page(name); } }, h("b", {}, "One HTML file"), h("span", {}, "The studio with this project and position in it. It opens from disk, without a server or the network, and can be changed and shared again."))),
      h("li", {}, h("button", { id: "as-zip", click: () => { box.close(); offer(zipped(this.files), `${name}.zip`); } }, h("b", {}, "The files as a zip"), h("span", {}, "Unpack it and use the folder on the command line: rulesdsl studio, check, test, play."))),
      h("li", {}, h("button", { id: "as-table", click: () => this.table() }, h("b", {}, "A table for friends"), h("span", {}, "The command that opens one: each player gets a link, and plays in any browser.")))));
  }

  /** Shows the command that opens a table of this game. */
  table() {
    const expansions = this.expansions.length ? ` --with ${this.expansions.map(quoted).join(",")}` : "";
    const command = `rulesdsl host ${quoted(this.main)}${expansions} --players ${this.players}`;
    const field = h("textarea", { id: "command", rows: 2, cols: 60, readonly: true, "aria-label": "Command" }, command);
    this.box(h("h2", {}, "A table for friends"), h("p", {}, "In the folder of these files, this opens a table and prints a link for each seat:"), field);
    field.select();
  }

  /** Offers the studio with this project as one file. @param {string} name */
  async page(name) {
    try {
      this.say("the file is being made …");
      const shell = await this.host.alone(this.boot);
      offer(await carrying(shell, await packed(this.project)), `${name}.html`);
      this.say(`${name}.html is ready`);
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error), true);
    }
  }

  async save() {
    if (!this.saves) return this.share();
    await this.settled();
    const told = await this.ask("save");
    if (!told) return;
    this.kinds(told);
    this.say(told.saved.length ? `saved: ${told.saved.join(", ")}` : "nothing to save");
  }

  /** Opens the project of a link; says why if that fails. @param {string} text */
  async link(text) {
    try {
      const shared = await unpacked(text, this.boot.edition);
      const opened = await this.host.ask("load", { files: shared.files });
      if (shared.lines.length) this.stage.follow(shared.seed, shared.lines);
      else this.stage.forget(shared.seed);
      this.show(opened, shared);
      await this.first();
      return true;
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error), true);
      return false;
    }
  }

  /** @param {Example} example */
  async example(example) {
    const opened = await this.ask("load", { files: example.files });
    if (!opened) return;
    history.replaceState(null, "", location.href.split("#")[0]);
    this.stage.forget();
    this.show(opened, example);
    this.tell("example", h("p", { class: "title" }, example.title), ...example.text.split("\n").flatMap(rendered));
    await this.first();
  }

  /** Checks and shows a project that was just opened. */
  async first() {
    const told = await this.ask("check");
    if (told) this.found(told.findings);
    this.undressed = new Set(this.own);
    await this.look();
  }

  // --- the page ----------------------------------------------------------------------------------

  listen() {
    const actions = /** @type {Record<string, () => any>} */ ({
      share: () => this.share(), download: () => this.download(), save: () => this.save(), why: () => this.why(), balance: () => this.base && this.built && this.balance.run(this.base, this.built), examples: () => this.gallery(),
      "to-scenario": () => this.scenario(), log: () => this.log(), help: () => this.keys(), add: () => this.add(), theme: () => this.theme(),
      format: async () => { for (const name of this.own) await this.format(name); },
      fresh: () => { this.stage.forget(String(crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000)); return this.look(); },
      refused: async () => { const move = await this.prompt("Which move is not legal? For example: at 1,0,90", ""); if (move) await this.why(move); },
    });
    for (const [id, action] of Object.entries(actions)) the(id).addEventListener("click", () => void action());
    the("main").addEventListener("change", () => { this.panes(); this.stage.forget(); void this.first(); });
    the("with").addEventListener("change", () => { this.round++; this.stage.forget(); void this.look(); });
    the("players").addEventListener("change", () => { this.players = Number(/** @type {HTMLSelectElement} */ (the("players")).value); this.stage.forget(); void this.look(); });
    the("ids").replaceChildren(...this.boot.ids.map((id) => h("option", { value: id })));
    addEventListener("hashchange", () => location.hash.length > 1 && void this.link(location.hash.slice(1)));
    addEventListener("beforeunload", (event) => {
      if (this.saves && !(/** @type {HTMLButtonElement} */ (the("save")).disabled)) event.preventDefault();
    });
    document.addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "s") {
        event.preventDefault();
        void this.save();
      }
    });
    const sides = /** @type {Element} */ (document.querySelector(".sides"));
    for (const [side, text] of [["texts", "Files"], ["game", "Game"]]) sides.append(h("button", { click: () => { document.documentElement.dataset.side = side; } }, text));
  }

  keys() {
    this.box(h("h2", {}, "Keys"), h("dl", { class: "keys" }, ...KEYS.flatMap(([key, text]) => [h("dt", {}, key), h("dd", {}, text)])));
  }

  gallery() {
    const groups = new Set(this.boot.gallery.map(({ group }) => group));
    const box = this.box(h("h2", {}, "Examples"), ...[...groups].flatMap((group) => [
      h("h3", {}, group),
      h("ul", { class: "gallery" }, ...this.boot.gallery.filter((example) => example.group === group).map((example) =>
        h("li", {}, h("button", { click: () => { box.close(); void this.example(example); } }, h("b", {}, ...inline(example.title)), ...example.text.split("\n").map((line) => h("span", {}, ...inline(line))))))),
    ]));
  }

  async add() {
    const name = await this.prompt("Name of the file, which ends in .rules, .yaml or .test.yaml", "");
    if (!name) return;
    if (!this.editors.has(name)) {
      if (!(await this.ask("change", { file: name, text: "" }))) return;
      this.editors.set(name, this.editor(name, ""));
    }
    this.panes();
    this.other(name);
  }

  theme() {
    const root = document.documentElement;
    const now = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    void this.look();
  }

  /** Asks for a text. @param {string} question @param {string} given @returns {Promise<string | null>} */
  prompt(question, given) {
    return new Promise((resolve) => {
      const field = h("input", { value: given, "aria-label": question, spellcheck: "false" });
      const done = (/** @type {string | null} */ text) => { resolve(text); box.close(); };
      const box = this.box(h("h2", {}, question), field,
        h("div", { class: "buttons" }, h("button", { class: "main", click: () => done(field.value) }, "OK"), h("button", { click: () => done(null) }, "Cancel")));
      box.addEventListener("close", () => resolve(null), { once: true });
      field.addEventListener("keydown", (event) => entered(event, () => done(field.value)));
      field.select();
    });
  }

  /** Opens a dialog. @param {...(Node | string)} nodes */
  box(...nodes) {
    const box = /** @type {HTMLDialogElement} */ (the("box"));
    if (box.open) box.close();
    box.replaceChildren(...nodes, h("div", { class: "buttons" }, h("button", { class: "close", click: () => box.close() }, "Close")));
    box.showModal();
    return box;
  }

  /** @param {string} text @param {string} kind */
  status(text, kind) {
    the("state").textContent = text;
    the("state").className = kind;
  }

  /** Shows a message for a while. @param {string} message @param {boolean} alarm */
  say(message, alarm = false) {
    const note = the("note");
    note.textContent = message;
    note.classList.toggle("alarm", alarm);
    note.classList.add("shown");
    clearTimeout(this.noted);
    this.noted = Number(setTimeout(() => note.classList.remove("shown"), 6000));
  }
}

/** Acts when Enter is pressed, and only here: the button that has the focus afterwards does not. @param {KeyboardEvent} event @param {() => void} act */
function entered(event, act) {
  if (event.key !== "Enter") return;
  event.preventDefault();
  act();
}

/**
 * Returns the host that answers: the server from which the page came, or Python in a worker, with its files from beside
 * the page or inside of it. From then on nothing can be fetched.
 * @param {string} kind @param {string[]} names the files of Python @returns {Promise<import("./host.js").StudioHost>}
 */
async function hostOf(kind, names) {
  if (kind === "server") return new ServerHost();
  /** @param {string} name */
  const file = async (name) => {
    if (kind === "single") return part(`python-${name}`);
    const response = await fetch(`python/${name}`);
    return name === SNAPSHOT ? inflated(response) : response;
  };
  /** @type {Map<string, Blob>} */
  const source = new Map();
  const [module, ...parts] = await Promise.all([
    file(WASM).then(async (response) => {
      const copy = kind === "site" ? response.clone() : null;
      const made = await compiled(response);
      if (copy) source.set(WASM, await copy.blob());
      return made;
    }),
    ...names.filter((name) => name !== WASM).map(async (name) => /** @type {const} */ ([name, new Uint8Array(await (await file(name)).arrayBuffer())])),
  ]);
  const closed = h("meta", { "http-equiv": "Content-Security-Policy", content: "connect-src 'none'" });
  document.head.append(closed);
  return WorkerHost.begin(await (await part("python")).text(), { module, files: Object.fromEntries(parts), source });
}

/** Returns the module of Python; browsers keep the code of one that they compile while it arrives. @param {Response} response */
async function compiled(response) {
  const typed = response.headers.get("content-type") === "application/wasm";
  return typed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Returns a packed part of the page. @param {string} id */
const part = async (id) => inflated(bytesOf(the(id).textContent ?? ""));

async function main() {
  /** @type {Boot} */
  const boot = await (await part("boot")).json();
  const page = await (await part("page")).text();
  the("state").textContent = "starting …";
  const host = await hostOf(boot.host, boot.python);
  const studio = new Studio(host, boot, page, await (await part("playouts")).text());
  Object.assign(globalThis, { studio });
  const opened = await studio.ask("open", { version: PROTOCOL });
  if (!opened) return;
  host.files = () => studio.files;
  const carried = document.getElementById(CARRIED)?.textContent ?? "";
  const given = location.hash.length > 1 ? location.hash.slice(1) : carried;
  if (given && !opened.saves && (await studio.link(given))) return;
  if (Object.keys(opened.files).length || !boot.gallery.length) {
    studio.show(opened);
    await studio.first();
  } else await studio.example(boot.gallery[0]);
}

void main();
