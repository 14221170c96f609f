/** The rules texts as the page shows them: in a drawer, and in parts as the reasons of points and refusals. */

import { h } from "./dom.js";

/** @import { Plan, Lines, CellReport, LogEntry } from "./types.js" */
/** @import { Words } from "./words.js" */
/**
 */

/** The most declarations that are shown as a reason. */
const MOST = 6;

/** Returns lines of rules with the comment above them. @param {Plan} plan @param {Lines[]} all @returns {Node[]} */
export function excerpts({ rules }, all) {
  return all.slice(0, MOST).map(([text, first, last]) => {
    const { file, text: whole } = rules.texts[text];
    const lines = whole.split("\n");
    let begin = first;
    while (begin > 1 && lines[begin - 2].startsWith("#")) begin--;
    const said = lines.slice(begin - 1, first - 1).map((line) => line.replace(/^#+ ?/, ""));
    return h("div", { class: "rule" },
      said.length ? h("p", {}, said.join(" ")) : null,
      h("small", {}, `${file}:${first}`),
      h("pre", {}, lines.slice(first - 1, last).join("\n")));
  });
}

/** Returns the rules of all rulesets: comments as paragraphs, rules as they are written. @param {Plan} plan @param {Words} words */
export function ruleBook(plan, words) {
  return plan.rules.texts.map(({ ruleset, text }, number) => {
    const settings = Object.entries(plan.settings).filter(([name]) => name.startsWith(`${ruleset}.`));
    return h("details", { open: number === 0 },
      h("summary", {}, words.label(ruleset)),
      settings.length ? h("p", {}, settings.map(([name, value]) => `${words.label(name.slice(name.indexOf(".") + 1)).replaceAll("_", " ")}: ${words.value(value)}`).join(" · ")) : null,
      ...paragraphs(text));
  });
}

/** @param {string} text @returns {Node[]} */
function paragraphs(text) {
  return text.split(/\n\s*\n/).filter((part) => part.trim()).map((part) => {
    const lines = part.replace(/^\n+/, "").split("\n");
    const count = lines.findIndex((line) => !line.startsWith("#"));
    const said = (count < 0 ? lines : lines.slice(0, count)).map((line) => line.replace(/^#+ ?/, ""));
    const code = count < 0 ? [] : lines.slice(count);
    const heading = /^-{2,} *(.*?) *-{2,}$/.exec(said[0] ?? "");
    if (heading) return h("div", {}, h("h3", {}, heading[1]), ...block(said.slice(1), code));
    return h("div", {}, ...block(said, code));
  });
}

/** @param {string[]} said @param {string[]} code */
const block = (said, code) => [
  ...(said.length ? [h("p", {}, said.join(" "))] : []),
  ...(code.length ? [h("pre", {}, code.join("\n"))] : []),
];

/** Returns why a move gave points: what happened, and the rules that give them. @param {Plan} plan @param {Words} words @param {LogEntry} entry @param {(text: LogEntry) => string[]} told*/
export function pointsReport(plan, words, entry, told) {
  const sources = [...new Set(entry.gains.map(({ source }) => source))];
  const events = told(entry);
  return [
    h("p", {}, `${words.seat(entry.by)}: ${words.entry(entry)}`),
    events.length ? h("ul", {}, ...events.map((event) => h("li", {}, event))) : null,
    ...sources.flatMap((source) => [
      h("h3", {}, words.label(source, 2)),
      ...entry.gains.filter((gain) => gain.source === source).map((gain) => h("p", {}, `${words.seat(gain.seat)} ${words.gain(gain)}`)),
      ...excerpts(plan, plan.rules.sources[source] ?? []),
    ]),
  ];
}

/** Returns what lies on a cell, and why the next piece does not go there. @param {Plan} plan @param {Words} words @param {string} title @param {CellReport} report @param {boolean} legal */
export function cellReport(plan, words, title, report, legal) {
  return [h("h2", {}, title), ...contents(words, report).map((line) => h("p", {}, line)), ...reasons(plan, words, report, legal)];
}

/** Returns what lies on a cell, line by line. @param {Words} words @param {CellReport} report */
export function contents(words, { piece, features, standing }) {
  const who = (/** @type {string[]} */ names) => names.map((name) => words.value(name)).join(", ");
  return [
    piece === null ? words.say("nothingHere") : words.value(piece),
    ...(standing.length ? [who(standing)] : []),
    ...features.map(({ name, pieces, standing: on }) => words.say(on.length ? "featureOf" : "featureFree", { name: words.value(name), count: pieces, who: who(on) })),
  ];
}

/** @param {Plan} plan @param {Words} words @param {CellReport} report @param {boolean} legal @returns {Node[]} */
function reasons(plan, words, { refused }, legal) {
  if (!refused || legal) return legal ? [h("p", {}, words.say("legalHere"))] : [];
  if (refused.option === null)
    return [h("h3", {}, words.say("whyNot")), ...refused.options.slice(0, 3).flatMap((option) => excerpts(plan, plan.rules.options[option] ?? []))];
  if (refused.taken) return [h("h3", {}, words.say("whyNot")), h("p", {}, words.say("takenHere"))];
  const fitting = refused.turns.filter(({ fits }) => fits);
  const told = refused.turns.filter(({ sides }) => sides.length);
  const turn = (/** @type {number} */ rotation) => words.say("rotated", { degrees: rotation });
  const meets = (/** @type {{side: string, own: string[], other: string[]}} */ { side, own, other }) =>
    words.say("meets", { side: words.say(`side${side}`), own: own.map((kind) => words.label(kind)).join(", "), other: other.map((kind) => words.label(kind)).join(", ") });
  return [
    h("h3", {}, words.say("whyNot")),
    fitting.length ? h("p", {}, words.say("rulesForbid")) : h("p", {}, words.say(told.length ? "sidesDiffer" : "apart")),
    ...(told.length ? [h("ul", {}, ...told.map(({ rotation, sides }) => h("li", {}, `${turn(rotation)}: ${sides.map(meets).join("; ")}`)))] : []),
    ...(fitting.length || !told.length ? excerpts(plan, plan.rules.options[refused.option] ?? []) : []),
  ];
}
