/** The texts of the page in each language, and moves in the words of the rulesets. */

import { Labels, form } from "./labels.js";
import { PIECES, indicesOf, text } from "./position.js";

/** @import { Plan, Plain, Given, LogEntry } from "./types.js" */
/** @typedef {{mover: number | null, about: Given[], everybody?: boolean}} Asked who decides, what the choice is about, and whether everybody reads it */

/** @type {Record<string, Record<string, string>>} */
export const TEXTS = {
  en: {
    newGame: "New game", undo: "Undo", undoTo: "Take back", confirm: "Confirm", turn: "Turn", skip: "Skip",
    players: "Players", points: "Points", now: "What to do", log: "Moves", table: "On the table", share: "Copy link",
    save: "Save record", open: "Open record", help: "Keys", hint: "Best moves", left: "What is left", best: "Best moves", bestHidden: "Only the player who moves may see the best moves",
    seed: "Seed", begin: "Begin", cancel: "Cancel", close: "Close", language: "Language", theme: "Light or dark",
    human: "person", random: "bot: random", greedy: "bot: greedy", quick: "bot: quick", strong: "bot: strong", hard: "bot: hard",
    wins: "{players} wins", tie: "{players} win", nobody: "Nobody wins", over: "The game is over", cut: "The game ended at its limit of moves",
    thinks: "{player} is thinking …", turnOf: "{player}: {question}", chance: "chance", none: "none", yes: "yes", no: "no",
    turned: "{place} turned {degrees}", owned: "{player}'s {name}", your: "your {name}", unknown: "{piece} {number} of {place}", toldNot: "not {what}", unknownAny: "a {piece} of {place}",
    tile: "tile", card: "card", die: "die", token: "token", figure: "figure", on: "{piece} on the {place}", board: "Board", cell: "cell {place}", choose: "Choose on the board or here",
    many: "{count} moves: choose a place on the board", narrow: "{count} moves: choose a piece, or open the list", chosen: "chosen: {move}", pass: "Pass the device to {player}", ready: "I am {player}",
    copied: "The link is copied", saved: "The record is saved", unsaved: "The record could not be saved", otherRules: "This game was played with other rules: {reason}",
    broken: "This is not a game of this page", illegal: "This move is not legal: {move}", failed: "A rule failed; the game is as it was before the move",
    slow: "The rules took too long; the game is as it was before the move",
    drawn: "{0} is drawn from {1}", movedTo: "{0} goes to {1}", laid: "{0} is laid at {1}", hiddenTo: "a hidden piece goes to {0}",
    rolled: "{0} is rolled", turnedUp: "{0} is turned up", revealed: "{0} is revealed", shown: "{0} is shown to {1}", told: "{1} learns of {0}: {2}", shuffled: "{0} is shuffled", changed: "{0}: {1}", fit: "Fit", closer: "Closer", farther: "Farther", typed: "Type a move",
    at: "after move {at} of {length}", back: "Back to now", fromHere: "Play on from here", auto: "Play the only move by itself", hidden: "hidden",
    total: "total", hands: "hands are hidden", back1: "Back one move", on1: "On one move", first: "To the start", last: "To the end",
    keys: "arrows|next place to choose;Shift + arrows|any cell;Enter|choose, turn;r R|turn;space|confirm;s|skip;u|undo;w|why, or why not;z + − 0|zoom, whole board;[ ] Home End|through the game;/|type a move;b h|best moves;a|analyse;t|what is left;g|rules;?|these keys",
    margin: "expected margin {margin}", curve: "Points during the game", turns: "{at} of {count} rotations", takenBack: "moves were taken back",
    away: "The server cannot be reached; the page goes on trying", noLink: "Open the link to your seat: this address alone leads to no table", yourTurn: "your turn", chat: "Say something", yourName: "Your name", notify: "Notify me when it is my turn", sit: "Sit down as {player}", openTable: "Open a table for {count}", noTables: "No table has a free seat", watcher: "somebody who watches",
    letters: "A game by links", byLinks: "by links: each plays on an own page and sends the link on", sendLink: "Send this link to {player}.", sendAll: "Send this link to all others: it shows the end.", takeLink: "Go on with the game of this link",
    altered: "Move {move} was altered in this link. The page shows the game as it knows it.", alteredStart: "The start of the game was altered in this link.", olderLink: "This link is old: it has {at} moves, and the game here has {length}.",
    hiddenZone: "This game cannot be played by links, which show everything: only some players may see {zone}. A table of `rulesdsl host` hides it.", hiddenMoves: "This game cannot be played by links, which show everything: some of its moves are secret. A table of `rulesdsl host` hides them.", needsSecure: "Games by links need a page from a file or by https.",
    here: "here", gone: "away", bot: "bot", asksUndo: "asks to take back a move", asksEnd: "offers to end the game as it stands", end: "Offer to end", agreed: "The players ended the game as it stood", declined: "{player} does not agree",
    rules: "Rules", timesN: "{name}, {count} times", menu: "Game", otherLanguage: "Español", why: "Why?", whyNot: "Why not here?",
    nothingHere: "nothing lies here", featureOf: "{name}: pieces {count}; {who}", featureFree: "{name}: pieces {count}; nobody",
    legalHere: "The piece can be laid here", takenHere: "A piece lies here already", apart: "No piece lies beside it", rotated: "turned {degrees}",
    rulesForbid: "The piece fits, but the rules do not allow it here:", sidesDiffer: "The sides do not match:", meets: "{side}: {own} meets {other}",
    sideN: "north", sideNE: "north-east", sideSE: "south-east", sideSW: "south-west", sideNW: "north-west", sideE: "east", sideS: "south", sideW: "west", analyse: "Analyse", mistake: "mistake", lost: "loses about {points} points: the best move was {move}",
    nextMistake: "Next mistake", outlook: "Expected lead during the game", noMistakes: "No mistakes found", whyPoints: "Why these points?",
  },
  es: {
    newGame: "Nueva partida", undo: "Deshacer", undoTo: "Retirar", confirm: "Confirmar", turn: "Girar", skip: "Pasar",
    players: "Jugadores", points: "Puntos", now: "Qué hacer", log: "Jugadas", table: "Sobre la mesa", share: "Copiar enlace",
    save: "Guardar registro", open: "Abrir registro", help: "Teclas", hint: "Mejores jugadas", left: "Lo que queda", best: "Mejores jugadas", bestHidden: "Solo quien juega puede ver las mejores jugadas",
    seed: "Semilla", begin: "Empezar", cancel: "Cancelar", close: "Cerrar", language: "Idioma", theme: "Claro u oscuro",
    human: "persona", random: "bot: azar", greedy: "bot: codicioso", quick: "bot: rápido", strong: "bot: fuerte", hard: "bot: muy fuerte",
    wins: "Gana {players}", tie: "Ganan {players}", nobody: "No gana nadie", over: "La partida ha terminado", cut: "La partida terminó en su límite de jugadas",
    thinks: "{player} está pensando …", turnOf: "{player}: {question}", chance: "azar", none: "ninguno", yes: "sí", no: "no",
    turned: "{place} girada {degrees}", owned: "{name} de {player}", your: "tu {name}", unknown: "{piece} {number} de {place}", toldNot: "no {what}", unknownAny: "{piece} de {place}",
    tile: "loseta", card: "carta", die: "dado", token: "ficha", figure: "figura", on: "{piece} en {place}", board: "Tablero", cell: "casilla {place}", choose: "Elige en el tablero o aquí",
    many: "{count} jugadas: elige un lugar del tablero", narrow: "{count} jugadas: elige una pieza o abre la lista", chosen: "elegida: {move}", pass: "Pasa el aparato a {player}", ready: "Soy {player}",
    copied: "El enlace está copiado", saved: "El registro está guardado", unsaved: "No se pudo guardar el registro", otherRules: "Esta partida se jugó con otras reglas: {reason}",
    broken: "Esto no es una partida de esta página", illegal: "Esta jugada no es legal: {move}", failed: "Falló una regla; la partida está como antes de la jugada",
    slow: "Las reglas tardaron demasiado; la partida está como antes de la jugada",
    drawn: "se saca de {1}: {0}", movedTo: "pasa a {1}: {0}", laid: "se coloca en {1}: {0}", hiddenTo: "una pieza oculta va a {0}",
    rolled: "sale {0}", turnedUp: "se pone {0}", revealed: "se descubre: {0}", shown: "se muestra a {1}: {0}", told: "{1} sabe de {0}: {2}", shuffled: "se mezcla: {0}", changed: "{0}: {1}", fit: "Ajustar", closer: "Acercar", farther: "Alejar", typed: "Escribe una jugada",
    at: "tras la jugada {at} de {length}", back: "Volver al presente", fromHere: "Seguir desde aquí", auto: "Jugar sola la única jugada", hidden: "oculto",
    total: "total", hands: "las manos están ocultas", back1: "Una jugada atrás", on1: "Una jugada adelante", first: "Al principio", last: "Al final",
    keys: "flechas|siguiente lugar que elegir;Mayús + flechas|cualquier casilla;Intro|elegir, girar;r R|girar;espacio|confirmar;s|pasar;u|deshacer;w|por qué, o por qué no;z + − 0|zoom, todo el tablero;[ ] Inicio Fin|por la partida;/|escribir una jugada;b h|mejores jugadas;a|analizar;t|lo que queda;g|reglas;?|estas teclas",
    margin: "ventaja esperada {margin}", curve: "Puntos durante la partida", turns: "{at} de {count} giros", takenBack: "se retiraron jugadas",
    away: "No se alcanza el servidor; la página sigue intentándolo", noLink: "Abre el enlace de tu asiento: esta dirección sola no lleva a ninguna mesa", yourTurn: "te toca", chat: "Di algo", yourName: "Tu nombre", notify: "Avísame cuando me toque", sit: "Sentarse como {player}", openTable: "Abrir una mesa para {count}", noTables: "Ninguna mesa tiene un asiento libre", watcher: "alguien que mira",
    letters: "Una partida por enlaces", byLinks: "por enlaces: cada uno juega en su página y envía el enlace", sendLink: "Envía este enlace a {player}.", sendAll: "Envía este enlace a los demás: muestra el final.", takeLink: "Seguir con la partida de este enlace",
    altered: "La jugada {move} fue alterada en este enlace. La página muestra la partida como la conoce.", alteredStart: "El principio de la partida fue alterado en este enlace.", olderLink: "Este enlace es viejo: tiene {at} jugadas, y la partida aquí tiene {length}.",
    hiddenZone: "Esta partida no se puede jugar por enlaces, que lo muestran todo: solo algunos jugadores pueden ver {zone}. Una mesa de `rulesdsl host` lo oculta.", hiddenMoves: "Esta partida no se puede jugar por enlaces, que lo muestran todo: algunas jugadas son secretas. Una mesa de `rulesdsl host` las oculta.", needsSecure: "Las partidas por enlaces necesitan una página de un archivo o por https.",
    here: "aquí", gone: "ausente", bot: "bot", asksUndo: "pide retirar una jugada", asksEnd: "ofrece terminar la partida tal como está", end: "Ofrecer el final", agreed: "Los jugadores terminaron la partida tal como estaba", declined: "{player} no está de acuerdo",
    rules: "Reglas", timesN: "{name}, {count} veces", menu: "Partida", otherLanguage: "English", why: "¿Por qué?", whyNot: "¿Por qué aquí no?",
    nothingHere: "aquí no hay nada", featureOf: "{name}: piezas {count}; {who}", featureFree: "{name}: piezas {count}; nadie",
    legalHere: "La pieza se puede colocar aquí", takenHere: "Aquí ya hay una pieza", apart: "No hay ninguna pieza al lado", rotated: "girada {degrees}",
    rulesForbid: "La pieza encaja, pero las reglas no lo permiten aquí:", sidesDiffer: "Los lados no coinciden:", meets: "{side}: {own} con {other}",
    sideN: "norte", sideNE: "noreste", sideSE: "sureste", sideSW: "suroeste", sideNW: "noroeste", sideE: "este", sideS: "sur", sideW: "oeste", analyse: "Analizar", mistake: "error", lost: "pierde unos {points} puntos: la mejor jugada era {move}",
    nextMistake: "Siguiente error", outlook: "Ventaja esperada durante la partida", noMistakes: "No se encontraron errores", whyPoints: "¿Por qué estos puntos?",
  },
};

/** The texts of events whose names other texts have. @type {Record<string, string>} */
const EVENTS = { moved: "movedTo", hidden: "hiddenTo", turned: "turnedUp" };

/** The types of values that are segments. */
const PLACES = new Set(["segment", "feature"]);

/** A zone or grid of one player or member. */
const INSTANCE = /^((?:\w+\/)?[\w-]+)\[([\w-]+)\]$/;

export class Words {
  /** @param {Plan} plan @param {string} language */
  constructor(plan, language) {
    this.plan = plan;
    this.language = language;
    this.labels = new Labels(plan, language);
    this.texts = TEXTS[language] ?? TEXTS.en;
    this.grids = plan.grids.filter((grid) => !grid.absent).length;
    const dice = plan.kinds.filter((kind) => kind.faces.length);
    this.faces = new Map(dice.flatMap((die) => die.faces.map((face) => [`${die.text}:${face}`, { die, face }])));
    this.oneDie = dice.length === 1;
  }

  /** Returns a text with its fields filled. @param {string} key @param {Record<string, any>} values */
  say(key, values = {}) {
    return (this.texts[key] ?? TEXTS.en[key]).replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  }

  /** @param {string} name @param {number} count */
  label(name, count = 1) {
    return this.labels.of(name, count);
  }

  /** Returns the name of a source of points as a heading, the same for all actions and choices without a label. @param {string} name */
  source(name) {
    const member = name.slice(name.indexOf("/") + 1).includes(".") && name !== this.plan.score;
    return this.labels.find(name, 2) ?? (member ? this.label(name, 2) : this.say("points"));
  }

  /** Returns the text of the name of a move, with its ruleset if that belongs to the name. @param {string} name */
  option(name) {
    const slash = name.indexOf("/");
    return (this.label(name) + (slash < 0 ? "" : ` (${this.label(name.slice(0, slash))})`)).replaceAll("_", " ");
  }

  /** Returns the name of a seat. @param {number} seat */
  seat(seat) {
    return seat < 0 ? this.say("chance") : this.label(this.plan.colours[seat].name);
  }

  /** Returns the text of a plain value. @param {Plain} value @returns {string} */
  value(value) {
    if (value === null) return this.say("none");
    if (typeof value === "boolean") return this.say(value ? "yes" : "no");
    if (typeof value === "number") return String(value);
    if (typeof value === "string") return this.face(value) ?? this.instance(value) ?? this.labels.plain(value);
    if (Array.isArray(value)) return `{${value.map((each) => this.value(each)).join(", ")}}`;
    if ("plain" in value && value.told) return this.told(value.told);
    if ("plain" in value && value.unknown) return this.unknown(value.unknown, null);
    if ("plain" in value) return value.segment ? this.segment(value.segment, []) : this.value(value.plain);
    const name = this.labels.find(`${value.grid.split("[")[0]}[${value.x},${value.y}]`);
    const place = `${this.grids > 1 ? this.value(value.grid) : ""}${name === null ? "" : ` ${name} `}(${value.x},${value.y})`.trim();
    return "rotation" in value && value.rotation ? this.say("turned", { place, degrees: value.rotation }) : place;
  }

  /** Returns a zone or grid of a player as `Red's supply`, one for members as `row: north`. @param {string} value */
  instance(value) {
    const [name, ...index] = value.replace(/\]$/, "").split(/\]?\[/);
    const seat = this.plan.colours.findIndex((colour) => colour.name === index[0]);
    const zone = this.plan.zones.find((each) => each.name === name);
    const owned = zone ? indicesOf(zone)[0] === "player" : index.length === 1 && seat >= 0;
    if (!index.length || !(zone || owned)) return null;
    if (owned) index.shift();
    const text = [this.labels.plain(name), index.map((each) => this.value(each)).join(", ")].filter(Boolean).join(": ");
    return owned ? this.say("owned", { player: this.seat(seat), name: text }) : text;
  }

  /** @param {string} value */
  face(value) {
    const found = this.faces.get(value);
    if (!found) return null;
    const face = this.labels.find(`${found.die.key}.${found.face}`) ?? found.face;
    return this.oneDie ? face : `${this.labels.title({ key: found.die.key, name: found.die.text })}: ${face}`;
  }

  /** Returns the text of a move: its label and its arguments. @param {{name: string, args: Given[]}} move @param {Asked} asked */
  move({ name, args }, asked) {
    let shown = "";
    for (const each of args) {
      const own = this.given(each, asked);
      if (!shown) shown = own;
      else if (each.said?.segment && PLACES.has(each.type.type)) shown = this.say("on", { piece: shown, place: own });
      else shown = `${shown}, ${own}`;
    }
    return `${this.option(name)} ${shown}`.trim();
  }

  /** Returns the text of an argument of a move. @param {Given} given @param {Asked} asked @returns {string} */
  given({ type, plain, said, unknown, each }, { mover, about, everybody }) {
    if (each) return each.map((one) => this.given(one, { mover, about, everybody })).join(", ") || this.say("none");
    if (unknown) return this.unknown(unknown, everybody ? null : mover);
    if (!said) return this.value(plain);
    const place = said.segment ? this.segment(said.segment, type.type === "feature" ? [] : about) : "";
    if (PLACES.has(type.type)) return place;
    const name = this.value(said.own?.seat === mover ? said.own.name : said.plain);
    if (said.cell !== undefined) return `${name} ${this.value(said.cell)}`;
    return place ? this.say("on", { piece: name, place }) : name;
  }

  /** Returns a piece by its place, for a seat that may be the owner of that. @param {import("./types.js").Unknown} unknown @param {number | null} reader */
  unknown({ cls, owner, place, number, told }, reader) {
    const own = INSTANCE.exec(String(place));
    const yours = own && reader !== null && reader >= 0 && this.plan.colours[reader].name === own[2];
    const where = yours ? this.say("your", { name: this.labels.plain(own[1]) }) : this.value(place);
    const seat = this.plan.colours.findIndex(({ name }) => name === owner);
    const piece = seat < 0 ? this.say(cls) : this.say("owned", { player: this.seat(seat), name: this.say(cls) });
    const text = this.say(number ? "unknown" : "unknownAny", { piece, number, place: where });
    return number || !told.length ? text : `${text} (${this.told(told)})`;
  }

  /** Returns the labelled states of a piece. @param {import("./types.js").Seen} seen */
  states({ states = [] }) {
    return states.map(({ state, value }) => (value === true ? this.label(state) : `${this.label(state)} ${this.value(value)}`)).join(", ");
  }

  /** Returns what a player was told of a piece. @param {import("./types.js").Told[]} told */
  told(told) {
    const texts = told.map(({ attribute, value, so }) => {
      const name = this.label(attribute);
      const own = typeof value === "boolean" ? name : this.value(value);
      const text = value === null || typeof value === "number" ? `${name} ${own}` : own;
      return so ? text : this.say("toldNot", { what: text });
    });
    return texts.join(", ");
  }

  /** Returns a segment in words, with the cell of a piece that the choice is not about. @param {import("./types.js").SegmentWords} segment @param {Given[]} about */
  segment({ text, piece, at }, about) {
    const own = (this.plan.words[this.language] ?? this.plan.words.en)[text];
    const known = about.some(({ type, number }) => PIECES.has(type.type) && number === piece);
    return at && !known ? `${own} ${at}` : own;
  }

  /** Returns the question of a choice. @param {string | null} choice */
  question(choice) {
    if (choice === null) return "";
    return this.labels.find(choice) ?? choice.slice(choice.lastIndexOf("/") + 1).replaceAll("_", " ");
  }

  /** Returns a move of the log in words. @param {LogEntry} entry */
  entry(entry) {
    const own = entry.by >= 0 ? this.plan.colours[entry.by].name : "";
    const about = entry.about.filter(({ plain }) => plain !== own).map(({ plain }) => this.value(plain)).join(", ");
    return `${about ? `${about}: ` : ""}${this.move({ name: entry.move, args: entry.plain }, { mover: entry.by, about: entry.about, everybody: true })}`;
  }

  /** Returns points with their reason, their subject and their terms. @param {import("./types.js").Gain} gain */
  gain({ amount, source, subject, terms }) {
    const said = this.label(source, Math.abs(amount));
    const about = typeof subject === "string" ? this.labels.plain(subject) : subject ? this.value(subject) : said;
    // A feature of the kind that the reason is called after says what its points are for.
    const [name] = (typeof subject === "string" ? subject : String(subject?.plain ?? "")).split("@");
    const reason = source.replace(/^[^/]*\/?/, "").replace(/^[^.]*\.?/, "");
    const whole = subject && reason && reason !== name.slice(name.lastIndexOf("/") + 1) ? `${said} (${about})` : about;
    const read = terms.map(({ name, value }) => `${value} ${this.label(name, value)}`).join(", ");
    return `${amount < 0 ? "" : "+"}${amount} ${whole}${read ? `: ${read}` : ""}`;
  }

  /** Returns what happened besides a move. @param {import("./types.js").GameEvent} event */
  event({ event, values }) {
    if (event === "said") return this.line(values);
    let words = values.map((value) => this.value(value));
    if (event === "told" && Array.isArray(values[1])) words[1] = values[1].map((each) => this.value(each)).join(", ");
    if (event === "changed") {
      const [state, given, value] = [this.label(String(values[0])), words.slice(1, -1).join(", "), words[words.length - 1]];
      words = [given ? `${state} (${given})` : state, value];
    }
    return this.say(EVENTS[event] ?? event, Object.fromEntries(words.entries()));
  }

  /** Returns a line as an action says it; the first number it names decides on the plural. @param {Plain[]} values */
  line([action, ...given]) {
    const words = given.map((each) => (Array.isArray(each) ? each.map((one) => this.value(one)).join(", ") : this.value(each)));
    const [key, lines] = [String(action), this.plan.lines];
    const found = lines[this.language]?.[key] ?? lines.en?.[key];
    if (found === undefined) return `${key.slice(key.lastIndexOf("/") + 1)}: ${words.join(", ")}`;
    const count = given.find((each) => typeof each === "number");
    return form(found, typeof count === "number" ? count : 1).replace(/\{(\d+)\}/g, (_, place) => words[Number(place)]);
  }

  /** Returns a plain value as it can be typed. @param {Plain} value */
  typed(value) {
    return text(value);
  }
}
