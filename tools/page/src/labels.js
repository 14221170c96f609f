/** Labels by language; English and then the id are the fallbacks. */

/** @import { Plan } from "./types.js" */

const FALLBACK = "en";

/** Returns the singular or plural of a text `singular | plural`. @param {string} text @param {number} count */
export function form(text, count) {
  const bar = text.indexOf("|");
  if (bar < 0) return text.trim();
  return (count === 1 ? text.slice(0, bar) : text.slice(bar + 1)).trim();
}

export class Labels {
  /** @param {Plan} plan @param {string} language */
  constructor(plan, language) {
    this.language = language;
    this.texts = [language, FALLBACK].map((each) => new Map(Object.entries(plan.labels[each] ?? {})));
    this.order = plan.rulesets.map((each) => each.id);
    this.enums = Object.keys(plan.enums);
    /** The full name of each component and place; a name that two of them have stands for none. @type {Map<string, string | null>} */
    this.things = new Map();
    for (const { name, key } of [...plan.kinds.map(({ text, key }) => ({ name: text, key })), ...plan.zones, ...plan.grids, ...plan.tracks])
      this.things.set(name, this.things.has(name) && this.things.get(name) !== key ? null : key);
  }

  /** Returns the label of a member of an enum, without one its name. @param {string} key @param {string} member */
  member(key, member) {
    return this.find(`${key}.${member}`) ?? member;
  }

  /** Returns the label of a name, or null. @param {string} name @param {number} count */
  find(name, count = 1) {
    const thing = this.things.get(name);
    const own = thing ? [thing] : name.includes("/") ? [] : this.order.map((id) => `${id}/${name}`);
    const keys = [...own, name, ...this.enums.map((key) => `${key}.${name}`)];
    for (const texts of this.texts)
      for (const key of keys) {
        const text = texts.get(key);
        if (text !== undefined) return form(text, count);
      }
    return null;
  }

  /** Returns the label of a name, or the part of it after the last `/`. @param {string} name @param {number} count */
  of(name, count = 1) {
    return this.find(name, count) ?? name.slice(name.indexOf("/") + 1);
  }

  /** Returns the label of a place by its key, with its ruleset if its name has that. @param {{key: string, name: string}} place */
  title({ key, name }) {
    return name.includes("/") ? this.plain(name) : this.of(key);
  }

  /** Replaces the names in a plain form by their labels; a ruleset that is written before a name comes behind it. @param {string} text @param {string} ruleset @returns {string} */
  plain(text, ruleset = "") {
    const origin = /^([a-z0-9_]+)\//.exec(text);
    if (origin) return this.plain(text.slice(origin[0].length), origin[1]);
    const whole = ruleset ? null : this.find(text);
    if (whole !== null) return whole;
    const dot = text.indexOf(".");
    if (dot > 0 && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(text.slice(0, dot))) {
      const owner = this.find(text.slice(0, dot));
      if (owner !== null) return `${owner} ${this.plain(text.slice(dot + 1), ruleset)}`;
    }
    const name = /^[^@[#:]+/.exec(text)?.[0] ?? text;
    const after = text.slice(name.length);
    const shown = ruleset ? `${this.of(`${ruleset}/${name}`)} (${this.of(ruleset)})` : this.of(name);
    if (after.startsWith(":")) return `${shown}: ${this.plain(after.slice(1))}`;
    return shown + after.replace(/\[([^[\]]*)\]/g, (_, index) => `[${this.plain(index)}]`);
  }
}
