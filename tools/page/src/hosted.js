/** The page at a table of a server: it shows what the server tells, and sends what its player does. */

import { h, offer, the } from "./dom.js";

/** Milliseconds before the page connects again, at first and at most. */
const [SOON, LATE] = [500, 15_000];

/**
 * Joins the table of the link that was opened.
 * @param {any} page @param {string} secret what stands behind the `#` of the link
 */
export function join(page, secret) {
  document.documentElement.dataset.hosted = "yes";
  const table = new Table(page, secret);
  if (secret) table.connect();
  else lobby(page);
}

/** Shows the tables of the server with free seats, if it lists them. @param {any} page */
function lobby(page) {
  const { words } = page;
  const name = /** @type {HTMLInputElement} */ (h("input", { id: "own-name", maxlength: 40, placeholder: words.say("yourName"), "aria-label": words.say("yourName") }));
  const list = h("div", {});
  const box = h("section", { class: "talk lobby" }, name, list);
  const socket = new WebSocket(address());
  const send = (/** @type {any} */ message) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
  const sit = (/** @type {string} */ table, /** @type {number} */ seat) => (name.value.trim() ? send({ type: "sit", table, seat, name: name.value }) : name.focus());
  const people = (/** @type {any} */ { table, people }) =>
    h("p", {}, ...people.map((/** @type {any} */ each, /** @type {number} */ seat) =>
      each.free ? h("button", { click: () => sit(table, seat) }, words.say("sit", { player: words.seat(seat) })) : h("span", {}, `${words.seat(seat)}: `, isolated(each.name || words.say(each.kind === "human" ? "human" : "bot"))),
    ));
  socket.addEventListener("open", () => send({ type: "lobby" }));
  socket.addEventListener("message", (event) => {
    for (const message of JSON.parse(event.data)) take(message);
  });
  const take = (/** @type {any} */ message) => {
    if (message.type === "seat") {
      location.hash = message.secret;
      location.reload();
    } else if (message.type === "tables") {
      if (!box.isConnected) {
        document.querySelector("main")?.append(box);
        setInterval(() => send({ type: "lobby" }), 5000);
      }
      const counts = Array.from({ length: message.most - message.least + 1 }, (_, at) => message.least + at);
      const games = message.games.length > 1 ? [h("nav", {}, ...message.games.flatMap((/** @type {any} */ { path, name }) => [path === location.pathname ? h("b", {}, name) : h("a", { href: path }, name), " "]))] : [];
      list.replaceChildren(
        ...games,
        ...(message.tables.length ? message.tables.map(people) : [h("p", {}, words.say("noTables"))]),
        h("p", {}, ...counts.map((players) => h("button", { click: () => send({ type: "open", players }) }, words.say("openTable", { count: players })))),
      );
      document.documentElement.dataset.ready = "yes";
    } else page.say(box.isConnected ? message.text : words.say("noLink"), true);
  };
}

/** Returns the address of the server's connections, whatever others have put behind that of the page. */
function address() {
  return new URL("table", location.href).href.replace(/^http/, "ws");
}

/** Shows the name of somebody, which changes the direction of no other text. @param {string} name */
const isolated = (name) => h("bdi", {}, name);

/** Says whether the page may notify its player: granted, denied, or default before it has asked. */
function allowed() {
  return "Notification" in window ? Notification.permission : "denied";
}

/** Notifies the player, if the system lets pages do that. @param {string} title @param {string} body */
function notify(title, body) {
  try {
    new Notification(title, { body, tag: "rulesdsl" }); // The address has the secret of the seat.
  } catch {
    // Chrome on Android lets only service workers do that, which a page without files of its own has not.
  }
}

class Table {
  /** @param {any} page @param {string} secret */
  constructor(page, secret) {
    this.page = page;
    this.secret = secret;
    this.wait = SOON;
    this.turn = -2;
    this.admin = false;
    /** @type {{name: string, kind: string, here: boolean}[]} */
    this.people = [];
    /** The messages that are taken one after the other. @type {Promise<void>} */
    this.taking = Promise.resolve();
    /** The turn that has a time, and when it is over in milliseconds of the page. */
    this.timed = -1;
    this.due = 0;
    this.clock = h("small", { class: "clock" });
    setInterval(() => (this.clock.textContent = this.timed === this.turn ? `${Math.max(0, Math.ceil((this.due - performance.now()) / 1000))} s` : ""), 250);
    this.bell = h("button", { title: this.page.words.say("notify"), "aria-label": this.page.words.say("notify"), click: () => Notification.requestPermission().then(() => this.show()) }, "🔔");
    this.ask = h("button", { id: "end", click: () => this.send({ type: "end" }) });
    this.mine = false;
    /** What everybody sees now, also while the page shows the past. @type {any} */
    this.latest = null;
    this.list = h("div", { class: "seats" });
    this.lines = h("ol", { class: "chat", "aria-live": "polite" });
    this.line = /** @type {HTMLInputElement} */ (h("input", { id: "chat", maxlength: 500, autocomplete: "off" }));
    const say = (/** @type {Event} */ event) => {
      event.preventDefault();
      if (this.line.value.trim()) this.send({ type: "say", text: this.line.value });
      this.line.value = "";
    };
    document.querySelector("main")?.append(h("section", { class: "talk" }, this.list, this.lines, h("form", { id: "chat-form", submit: say }, this.line)));
    Object.assign(page, {
      attempt: (/** @type {string} */ call, /** @type {any} */ given) => this.attempt(call, given),
      save: () => this.send({ type: "record" }),
      goOn: (/** @type {any} */ view) => this.goOn(view),
      ...Object.fromEntries(["address", "keep", "share", "best", "analyse", "nextMistake", "open", "dialog", "fromAddress"].map((name) => [name, async () => {}])),
    });
    const dress = page.dress.bind(page);
    page.dress = () => {
      dress();
      this.show();
    };
  }

  connect() {
    const socket = new WebSocket(address());
    this.socket = socket;
    socket.addEventListener("open", () => {
      this.wait = SOON;
      this.send({ type: "join", secret: this.secret });
    });
    socket.addEventListener("message", (event) => {
      const messages = JSON.parse(event.data);
      this.taking = this.taking.then(async () => {
        if (this.socket !== socket) return;
        try {
          for (const message of messages) await this.take(message);
        } catch {
          socket.close(); // The worker has ended: everything is told anew.
        }
      });
    });
    socket.addEventListener("close", () => {
      if (this.socket !== socket || this.wait === Infinity) return;
      this.page.say(this.page.words.say("away"), true);
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(LATE, 2 * this.wait);
    });
  }

  /** @param {any} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else this.page.say(this.page.words.say("away"), true);
  }

  /** Does what a message of the server tells. @param {any} message */
  async take(message) {
    const { page } = this;
    switch (message.type) {
      case "table":
        this.admin = message.admin;
        page.seat = message.seat;
        await page.host.call("seat", { players: message.players.length, seat: message.seat });
        return page.opened(message.players.map(() => "human"), "0");
      case "start":
      case "ply":
      case "cut":
        page.story.cut(message.moves ?? Infinity);
        return page.host.call("told", message);
      case "now":
        this.turn = message.turn;
        page.game++;
        page.shownTo = page.seat;
        await page.host.call("told", message);
        this.latest = await page.host.call("view", { viewer: null, at: null, humans: page.humans });
        await page.refresh();
        document.documentElement.dataset.ready = "yes";
        return this.show();
      case "people":
        this.people = message.people;
        return this.show();
      case "clock":
        [this.timed, this.due] = [message.turn, performance.now() + 1000 * message.seconds];
        return;
      case "said":
        return this.talk(this.who(message.place), message.text);
      case "asks":
        return this.asks(message);
      case "ended":
        page.agreed = true;
        return;
      case "declined":
        return page.say(page.words.say("declined", { player: String.fromCodePoint(0x2068) + this.who(message.seat) + String.fromCodePoint(0x2069) })); // files hold no such marks
      case "record":
        return offer(new Blob([message.text], { type: "application/x-ndjson" }), "game.jsonl");
      case "failed":
        this.wait = Infinity;
    }
    page.say(message.text, true);
  }

  /** @param {string} call @param {any} given */
  async attempt(call, given) {
    if (call === "play") this.send({ type: "play", turn: this.turn, move: given.row });
    if (call === "undo") this.send({ type: "undo" });
  }

  /** Plays an only move, if the player wants that. @param {any} view */
  async goOn(view) {
    const only = view.moves.length === 1 && /** @type {HTMLInputElement} */ (the("auto")).checked;
    if (only) await this.attempt("play", { row: 0 });
  }

  /** Returns who sits at a place. @param {number} place */
  who(place) {
    return place < 0 ? this.page.words.say("watcher") : this.people[place]?.name || this.page.words.seat(place);
  }

  /** @param {string} who @param {string} text @param {...Node} more */
  talk(who, text, ...more) {
    this.lines.append(h("li", {}, h("b", {}, isolated(who)), " ", isolated(text), " ", ...more));
    this.lines.scrollTop = this.lines.scrollHeight;
  }

  /** Shows that a player wants to take back a move, or to end the game; the answer names what was asked. @param {{seat: number, turn: number, moves: number, end: boolean}} asked */
  asks({ seat, turn, moves, end }) {
    const { words } = this.page;
    const own = this.page.seat === null || this.page.seat === seat;
    const answer = (/** @type {boolean} */ agree) =>
      h("button", { click: (event) => { event.target.parentElement.querySelectorAll("button").forEach((/** @type {Element} */ each) => each.remove()); this.send({ type: "agree", turn, moves, agree }); } }, words.say(agree ? "yes" : "no"));
    this.talk(this.who(seat), words.say(end ? "asksEnd" : "asksUndo"), ...(own ? [] : [answer(true), answer(false)]));
  }

  /** Shows who sits where, and whose turn it is. */
  show() {
    const { page } = this;
    const { words } = page;
    const view = this.latest;
    const name = words.label(page.plan.ruleset);
    const mine = view && !view.over && !page.agreed && page.seat !== null && view.mover === page.seat;
    document.title = mine ? `● ${words.say("yourTurn")} – ${name}` : name;
    if (mine && !this.mine && document.hidden && allowed() === "granted") notify(words.say("yourTurn"), name);
    this.mine = mine;
    this.bell.hidden = page.seat === null || allowed() !== "default";
    this.ask.textContent = words.say("end");
    this.ask.hidden = page.seat === null || page.agreed || Boolean(view?.over);
    this.line.placeholder = words.say("chat");
    this.line.setAttribute("aria-label", words.say("chat"));
    if (this.list.contains(document.activeElement)) return;
    this.list.replaceChildren(...this.people.map((each, seat) => {
      const own = seat === page.seat;
      const input = h("input", { class: "name", maxlength: 40, value: each.name, placeholder: words.say("yourName"), "aria-label": words.say("yourName"), change: (event) => this.send({ type: "name", name: event.target.value }) });
      const kinds = h("select", { "aria-label": words.seat(seat), change: (event) => this.send({ type: "kind", seat, kind: event.target.value }) },
        ...Array.from(new Set(["human", "random", "greedy", "mcts", each.kind]), (kind) => h("option", { value: kind, selected: kind === each.kind }, words.say(kind === "mcts" ? "strong" : kind))));
      const state = each.kind !== "human" ? words.say("bot") : words.say(each.here ? "here" : "gone");
      return h("p", {}, page.art.sign(seat), " ", own ? input : isolated(this.who(seat)), " ", own || this.admin ? kinds : h("small", {}, state), ...(view?.mover === seat ? [this.clock] : []));
    }), this.bell, this.ask);
  }
}
