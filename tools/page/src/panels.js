/** Players, zones, tracks, states and the log. */

import { drawing, h, s } from "./dom.js";
import { indicesOf, membersOf, toldText } from "./position.js";

/** @import { View, Plan, PlayersPlan, Seen } from "./types.js" */
/** @import { Target } from "./targets.js" */
/**
 * @typedef {{plan: Plan, here: PlayersPlan, art: import("./art.js").Art, words: import("./words.js").Words, view: View,
 *   targets: Map<string, Target>, chosen: number | null, seats: string[], choose: (key: string) => void,
 *   goto: (at: number) => void, why: (entry: import("./types.js").LogEntry) => void, judged: (import("./analysis.js").Judged | null)[]}} Shown
 */

const CURVE = 60;
const MOST_SPACES = 120;

/** Returns something that can be chosen as a button, anything else as it is. @param {Shown} shown @param {string} key @param {string} label @param {(Node | string | null)[]} inner */
function choosable({ targets, chosen, choose }, key, label, inner) {
  const target = targets.get(key);
  if (!target) return h("span", { class: "thing", title: label, role: "img", "aria-label": label }, ...inner);
  const pressed = chosen !== null && target.moves.includes(chosen);
  return h(
    "button",
    { class: pressed ? "thing target chosen" : "thing target", title: label, "aria-label": label, "aria-pressed": String(pressed), "data-key": key, click: () => choose(key) },
    ...inner,
  );
}

/** Groups pieces that look alike; where order matters, only neighbours. @param {(Seen | null)[]} pieces @param {boolean} ordered @param {Map<string, Target>} targets */
export function alike(pieces, ordered, targets) {
  const look = (/** @type {Seen | null} */ seen) =>
    seen === null || seen.told ? `?${seen?.told?.map(toldText)}` : `${seen.kind} ${seen.seat} ${seen.face} ${JSON.stringify(seen.states)} ${targets.has(`piece:${seen.piece}`)}`;
  /** @type {{look: string, first: Seen | null, count: number}[]} */
  const groups = [];
  for (const seen of pieces) {
    const own = look(seen);
    const group = ordered ? [groups.at(-1)].find((each) => each?.look === own) : groups.find((each) => each.look === own);
    if (group && !(seen && targets.has(`piece:${seen.piece}`) && ordered)) group.count++;
    else groups.push({ look: own, first: seen, count: 1 });
  }
  return groups;
}

/** Returns the label of a piece. @param {Pick<Shown, "plan" | "words">} shown @param {Seen | null} seen */
export function pieceLabel({ plan, words }, seen) {
  if (!seen) return words.say("hidden");
  if (seen.told) return `${words.say("hidden")}: ${words.told(seen.told)}`;
  const kind = plan.kinds[seen.kind];
  const owner = seen.seat === null ? "" : `${words.seat(seen.seat)} `;
  return kind.faces.length ? words.value(`${kind.text}:${kind.faces[seen.face]}`) : owner + words.value(kind.text);
}

/** Returns the label of a piece with what it says. @param {Shown} shown @param {Seen | null} seen */
function pieceText(shown, seen) {
  const said = seen && !seen.told && shown.words.labels.find(`${shown.plan.kinds[seen.kind].key}.text`);
  const name = pieceLabel(shown, seen);
  return said ? `${name}: ${said}` : name;
}

/** @param {Shown} shown @param {(Seen | null)[]} pieces @param {{ordered: boolean, back: import("./types.js").Tree[]}} zone @param {number} size */
function row(shown, pieces, { ordered, back }, size) {
  return alike(pieces, ordered, shown.targets).map(({ first, count }) => {
    const name = pieceText(shown, first);
    const label = count > 1 ? shown.words.say("timesN", { name, count }) : name;
    const key = first ? `piece:${first.piece}` : "";
    const small = first && !first.told && shown.art.drawing(first.kind).stands ? 46 : size;
    const said = first && (first.told ? shown.words.told(first.told) : shown.words.states(first));
    const told = said ? h("span", { class: "count" }, said) : null;
    return choosable(shown, key, label, [shown.art.picture(first, small, 0, back), told, count > 1 ? h("span", { class: "count" }, `×${count}`) : null]);
  });
}

/** Returns the image behind a zone, if it has one. @param {Shown} shown @param {number} zone */
function printed({ plan, here }, zone) {
  const image = drawing(plan.zones[here.zones[zone].of].drawn);
  for (const each of image) each.setAttribute("class", "printed");
  return image;
}

/** Returns the title of a zone with the members of enums that it is for, and perhaps with its owner. @param {Pick<Shown, "plan" | "here" | "words">} shown @param {number} zone @param {boolean} owned */
export function zoneTitle({ plan, here, words }, zone, owned = false) {
  const members = membersOf(plan, here.zones[zone]).map(([key, index]) => words.labels.member(key, plan.enums[key][index]));
  const owner = owned ? ownerOf({ plan, here }, zone) : null;
  if (owner !== null) members.unshift(words.seat(owner));
  const name = words.labels.title(plan.zones[here.zones[zone].of]);
  return members.length ? `${name}: ${members.join(", ")}` : name;
}

/** Returns the seat of the owner of a zone, or null. @param {Pick<Shown, "plan" | "here">} shown @param {number} zone */
function ownerOf({ plan, here }, zone) {
  const { of, indices } = here.zones[zone];
  return indicesOf(plan.zones[of])[0] === "player" ? indices[0] : null;
}

/** Says whether pieces are only counted: they are face down, or too many to be of use. @param {(Seen | null)[]} pieces */
const counted = (pieces) => pieces.every((piece) => piece === null);

/** Returns the panel of the players. @param {Shown} shown */
export function players(shown) {
  const { plan, here, view, words, art, seats } = shown;
  const best = plan.fewest ? Math.min(...view.scores) : Math.max(...view.scores);
  return Array.from({ length: view.players }, (_, seat) => {
    const zones = view.zones.filter(({ zone, pieces }) => {
      return ownerOf(shown, zone) === seat && !plan.zones[here.zones[zone].of].board && (pieces.length || shown.targets.has(`zone:${zone}`));
    });
    const states = view.states.filter((state) => state.owner === seat);
    /** @type {Map<string, number>} */
    const gained = new Map();
    for (const [number, source] of plan.sources.entries()) {
      const name = words.source(source);
      gained.set(name, (gained.get(name) ?? 0) + view.gained[number][seat]);
    }
    const sources = [...gained].flatMap(([name, points]) => (points ? [h("li", {}, `${name}: ${points}`)] : []));
    const name = choosable(shown, `player:${seat}`, words.seat(seat), [art.sign(seat), h("span", { class: "name" }, words.seat(seat))]);
    return h(
      "section",
      { class: view.mover === seat ? "player moves" : "player", "aria-label": words.seat(seat), "data-seat": seat },
      h("header", {}, name, h("span", { class: "who" }, words.say(seats[seat] ?? "human")),
        plan.score ? h("strong", { class: view.scores[seat] === best ? "score lead" : "score" }, String(view.scores[seat])) : null),
      ...zones.map(({ zone, pieces }) =>
        choosableZone(shown, zone, h("div", { class: "own" }, ...printed(shown, zone),
          h("span", { class: "zone-name" }, zoneTitle(shown, zone), counted(pieces) ? ` ${pieces.length}` : ""),
          h("div", { class: "pieces" }, ...row(shown, pieces, plan.zones[here.zones[zone].of], 54))))),
      states.length
        ? h("p", { class: "states" }, states.map(({ key, index, value }) => {
            const places = index.map((each) => words.value(each)).join(", ");
            return `${words.label(key)}${places ? ` (${places})` : ""}: ${words.value(value)}`;
          }).join(" · "))
        : null,
      sources.length ? h("details", { open: view.over }, h("summary", {}, words.say("points")), h("ul", {}, ...sources)) : null,
    );
  });
}

/** Returns the pieces of the player who decides that moves name. @param {Shown} shown */
export function hand(shown) {
  const { view, targets } = shown;
  const own = view.zones.filter(({ zone }) => ownerOf(shown, zone) === view.mover);
  return row(shown, own.flatMap(({ pieces }) => pieces).filter((seen) => seen && targets.has(`piece:${seen.piece}`)), { ordered: false, back: [] }, 54);
}

/** @param {Shown} shown @param {number} zone @param {HTMLElement} inner */
function choosableZone(shown, zone, inner) {
  const key = `zone:${zone}`;
  return shown.targets.has(key) ? h("div", {}, choosable(shown, key, zoneTitle(shown, zone), [zoneTitle(shown, zone)]), inner) : inner;
}

/** Returns what lies on the table besides the grids: zones, tracks, states of the game. @param {Shown} shown */
export function table(shown) {
  const { plan, here, view, words } = shown;
  const ringed = new Set(ringsOf(shown).map(({ key }) => key));
  const zones = view.zones.filter(({ zone, pieces }) => {
    const declared = plan.zones[here.zones[zone].of];
    const ring = typeof declared.per === "string" && ringed.has(declared.per);
    return ownerOf(shown, zone) === null && !ring && !declared.absent && !declared.board && (pieces.length || shown.targets.has(`zone:${zone}`));
  });
  const rings = ringsOf(shown);
  const drawn = new Set(rings.flatMap(({ marks }) => marks.map(({ key }) => key)));
  const states = view.states.filter(({ owner, key }) => owner === null && !drawn.has(key));
  return [
    ...rings.map((each) => ring(shown, each)),
    ...zones.map(({ zone, pieces }) =>
      choosableZone(shown, zone, h("section", { class: "zone", "aria-label": zoneTitle(shown, zone) }, ...printed(shown, zone),
        h("h3", {}, zoneTitle(shown, zone), " ", h("small", {}, String(pieces.length))),
        counted(pieces) ? null : h("div", { class: "pieces" }, ...row(shown, pieces, plan.zones[here.zones[zone].of], 64))))),
    ...tracks(shown),
    states.length
      ? h("p", { class: "states" }, states.map(({ key, value }) => `${words.label(key)}: ${words.value(value)}`).join(" · "))
      : null,
  ];
}

/** Returns the enums with a zone for each member, and a state of the game that stands on one. @param {Shown} shown */
function ringsOf({ plan, here, view }) {
  return Object.entries(plan.enums).flatMap(([key, members]) => {
    const types = new Map(here.states.map((state) => [state.key, state.type]));
    const marks = view.states.filter((state) => state.owner === null && !state.index.length && types.get(state.key)?.enum === key && !types.get(state.key)?.set);
    const zones = view.zones.filter(({ zone }) => {
      const { per, absent } = plan.zones[here.zones[zone].of];
      return per === key && !absent;
    });
    return marks.length && zones.length ? [{ key, members, marks, zones }] : [];
  });
}

/** Draws the members of an enum side by side, each with what stands on it. @param {Shown} shown @param {ReturnType<typeof ringsOf>[number]} ring */
function ring(shown, { key, members, marks, zones }) {
  const { plan, here, words } = shown;
  const title = [...new Set(zones.map(({ zone }) => words.labels.title(plan.zones[here.zones[zone].of])))].join(", ");
  return h("section", { class: "zone", "aria-label": title },
    h("h3", {}, title, " ", h("small", {}, marks.map((mark) => words.label(mark.key)).join(", "), " ", marker())),
    h("div", { class: "ring" }, ...members.map((member, index) => {
      const own = zones.filter(({ zone }) => here.zones[zone].index === index);
      const standing = marks.filter(({ value }) => value === member);
      return h("div", { class: standing.length ? "member marked" : "member" },
        ...own.flatMap(({ zone }) => printed(shown, zone)), h("span", { class: "zone-name" }, words.labels.member(key, member)),
        h("div", { class: "pieces" }, ...standing.map((mark) => h("span", { class: "thing", role: "img", "aria-label": words.label(mark.key), title: words.label(mark.key) }, marker())),
          ...own.flatMap(({ zone, pieces }) => [
            shown.targets.has(`zone:${zone}`) ? choosable(shown, `zone:${zone}`, zoneTitle(shown, zone), [zoneTitle(shown, zone)]) : null,
            ...row(shown, pieces, plan.zones[here.zones[zone].of], 46)])));
    })));
}

/** Draws what stands for a state of the game. */
function marker() {
  return s("svg", { viewBox: "0 0 20 24", width: 22, height: 26, class: "marker", "aria-hidden": "true" },
    s("path", { d: "M10 1.5a4.5 4.5 0 0 1 2.6 8.2L15.5 19H17v3.5H3V19h1.5l2.9-9.3A4.5 4.5 0 0 1 10 1.5z" }));
}

/** Returns the tracks with something on them. @param {Shown} shown */
function tracks(shown) {
  const { plan, view, words, art, targets } = shown;
  let start = 0;
  return plan.tracks.flatMap((track, number) => {
    const first = start;
    start += track.length;
    if (track.board) return [];
    const held = view.tracks.filter((each) => each.track === number);
    const any = held.length || Array.from({ length: track.length }, (_, index) => first + index).some((space) => targets.has(`space:${space}`));
    if (!any) return [];
    const shownSpaces = Array.from({ length: track.length }, (_, index) => index).filter(
      (index) => track.length <= MOST_SPACES || held.some((each) => each.space === index) || targets.has(`space:${first + index}`),
    );
    return [
      h("section", { class: "track", "aria-label": words.labels.title(track) },
        h("h3", {}, words.labels.title(track)),
        h("div", { class: "spaces" },
          ...shownSpaces.map((index) => {
            const standing = held.find((each) => each.space === index)?.standing ?? [];
            const name = spaceLabel(shown, number, index);
            const label = [name, ...standing.map((seen) => pieceLabel(shown, seen))].join(", ");
            const picture = s("svg", { viewBox: "0 0 46 46", width: track.length > 30 ? 25 : 32, height: track.length > 30 ? 25 : 32, "aria-hidden": "true" });
            if (track.printed[index]) picture.append(s("g", { transform: "scale(.46)" }, ...drawing(track.printed[index])));
            picture.append(...inSquare(standing, 46).map(([seen, x, y, scale]) => art.standing(seen, x, y, scale)));
            return choosable(shown, `space:${first + index}`, label, [h("span", { class: "space-name" }, name), picture]);
          }))),
    ];
  });
}

/** Returns where pieces stand on a square of a width, and how large. @param {Seen[]} standing @param {number} width @returns {[seen: Seen, x: number, y: number, scale: number][]} */
export function inSquare(standing, width) {
  const rows = Math.max(1, Math.ceil(Math.sqrt(standing.length)));
  const down = Math.ceil(standing.length / rows);
  return standing.map((seen, order) => [seen, ((order % rows) + 0.5) * (width / rows), (Math.floor(order / rows) + 0.5) * (width / down), (width / 46) * Math.min(1, 1.5 / rows)]);
}

/** @param {Pick<Shown, "plan" | "words">} shown @param {number} track @param {number} index */
export function spaceLabel({ plan, words }, track, index) {
  const key = `${plan.tracks[track].key}[${index}]`;
  return words.labels.find(key) ?? String(index);
}

/** Returns the line of a move, with the points it gave. @param {Shown} shown @param {import("./types.js").LogEntry} entry */
export function line(shown, entry) {
  const { words, art } = shown;
  const judged = shown.judged[entry.number - 1];
  return h("li", {},
    h("button", { class: "entry", "data-line": String(entry.number), click: () => shown.goto(entry.number) },
      entry.by >= 0 ? art.sign(entry.by) : null, h("span", { class: "sr" }, `${words.seat(entry.by)}: `), words.entry(entry),
      judged?.mistake ? h("span", { class: "mistake", title: words.say("mistake") }, "?!", h("span", { class: "sr" }, ` ${words.say("mistake")} `),
        ` −${judged.loss.toFixed(0)}`) : null),
    ...gains(shown, entry));
}

/** Returns the points and events of a move. @param {Shown} shown @param {import("./types.js").LogEntry} entry */
function gains({ words, art, why }, entry) {
  return [
    ...entry.gains.map((gain, place) =>
      h("button", { class: "gain", "data-line": `${entry.number}.${place}`, title: words.say("whyPoints"), click: () => why(entry) }, art.sign(gain.seat), h("span", { class: "sr" }, `${words.seat(gain.seat)} `), words.gain(gain))),
    ...told(words, entry.events).map((event) => h("div", { class: "event" }, event)),
  ];
}

/** Returns what happened before the first move. @param {Shown} shown */
export function opening({ view, words }) {
  return h("li", {}, ...told(words, view.opening).map((event) => h("div", { class: "event" }, event)));
}

/** Returns events in words, equal neighbours once with their number. @param {import("./words.js").Words} words @param {import("./types.js").GameEvent[]} events */
export function told(words, events) {
  /** @type {{text: string, count: number}[]} */
  const runs = [];
  for (const text of events.map((event) => words.event(event))) {
    const last = runs.at(-1);
    if (last?.text === text) last.count++;
    else runs.push({ text, count: 1 });
  }
  return runs.map(({ text, count }) => (count > 1 ? `${text} ×${count}` : text));
}

/** Returns the sentence that is spoken for a move. @param {Shown} shown @param {import("./types.js").LogEntry} entry */
export function spoken({ words }, entry) {
  const points = entry.gains.map((gain) => `${words.seat(gain.seat)} ${words.gain(gain)}`);
  return [`${words.seat(entry.by)}: ${words.entry(entry)}`, ...points, ...told(words, entry.events)].join(". ");
}

/** Draws numbers of all players over the game. @param {Shown} shown @param {number[][]} numbers by move, then by seat */
export function curve({ view, plan, judged }, numbers) {
  const high = Math.max(1, ...numbers.flat());
  const low = Math.min(0, ...numbers.flat());
  const across = Math.max(1, view.length);
  const y = (/** @type {number} */ points) => CURVE - 3 - ((points - low) / (high - low)) * (CURVE - 6);
  const lines = Array.from({ length: view.players }, (_, seat) => {
    const points = numbers.map((scores, at) => `${((at / across) * 1000).toFixed(1)},${y(scores[seat]).toFixed(1)}`);
    return s("g", {},
      s("path", { d: `M${points.join("L")}`, class: "curve-rim" }),
      s("path", { d: `M${points.join("L")}`, stroke: plan.colours[seat].fill, class: `curve dash${seat}` }));
  });
  const now = (view.at / across) * 1000;
  return s("svg", { viewBox: `0 0 1000 ${CURVE}`, preserveAspectRatio: "none", class: "curves", "aria-hidden": "true" },
    ...judged.flatMap((each, at) => (each?.mistake ? [s("path", { d: `M${(at / across) * 1000} ${CURVE}v-12`, class: "curve-mistake" })] : [])),
    ...lines, s("path", { d: `M${now} 0V${CURVE}`, class: "curve-now" }));
}

/** Returns how the line of each player is drawn. @param {Shown} shown */
export function legend({ view, plan, art }) {
  return Array.from({ length: view.players }, (_, seat) => {
    const line = s("svg", { viewBox: "0 0 30 8", width: 30, height: 8, "aria-hidden": "true" },
      s("path", { d: "M0 4H30", class: "curve-rim" }), s("path", { d: "M0 4H30", stroke: plan.colours[seat].fill, class: `curve dash${seat}` }));
    return h("span", { class: "legend" }, art.sign(seat), line);
  });
}

/** Returns what the viewer does not see, by kind: what is left in piles and in the hands of others. @param {Shown} shown */
export function left(shown) {
  const { view, words } = shown;
  if (!view.unseen.length) return [h("p", {}, words.say("none"))];
  return [h("div", { class: "pieces" }, ...row({ ...shown, targets: new Map() }, view.unseen, { ordered: false, back: [] }, 56))];
}
