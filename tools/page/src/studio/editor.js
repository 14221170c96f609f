/** An editor for one file, with the answers of the host in it. */

import { acceptCompletion, autocompletion, completionKeymap, snippet } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentService, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, gutter, GutterMarker, highlightActiveLine, hoverTooltip, keymap, lineNumbers, WidgetType } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { h } from "../dom.js";
import { rendered } from "./markdown.js";

/**
 * @typedef {{from: number, to: number, text: string, file: string | null}} Edit
 * @typedef {{file: string | null, from: number, to: number, line: number, severity: string, slug: string, message: string,
 *   fixes: {title: string, edits: Edit[]}[]}} Finding
 * @typedef {{name: string, from: number, line: number, passed: boolean, findings: Finding[]}} Outcome
 * @typedef {{kind: string, from: number, to: number, line: number}} Component
 */

/** What an editor asks of the studio. @typedef {object} Owner
 * @property {(call: string, fields: Record<string, any>) => Promise<any>} ask
 * @property {(name: string) => Promise<void>} settled waits until the host knows the text
 * @property {(name: string) => void} typed
 * @property {(name: string) => void} moved
 * @property {(edits: Edit[]) => void} apply
 * @property {(name: string, at: number) => void} define
 * @property {(name: string, at: number) => void} rename
 * @property {(name: string) => void} format
 * @property {(outcome: Outcome) => void} outcome
 * @property {(kind: string, size: number) => Element | null} picture
 */

/** Sets the tokens, the outcomes of scenarios, and the components. */
const setTokens = /** @type {import("@codemirror/state").StateEffectType<[number, number, string, boolean][]>} */ (StateEffect.define());
const setOutcomes = /** @type {import("@codemirror/state").StateEffectType<Outcome[]>} */ (StateEffect.define());
const setComponents = /** @type {import("@codemirror/state").StateEffectType<Component[]>} */ (StateEffect.define());

const tokens = StateField.define({
  create: () => Decoration.none,
  update(found, change) {
    found = found.map(change.changes);
    for (const effect of change.effects)
      if (effect.is(setTokens)) {
        const length = change.newDoc.length;
        const marks = effect.value.filter(([from, to]) => from < to && to <= length);
        found = Decoration.set(marks.map(([from, to, kind, declares]) => Decoration.mark({ class: `tok-${kind}${declares ? " tok-own" : ""}` }).range(from, to)), true);
      }
    return found;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The green or red mark of a scenario in the margin. */
class OutcomeMark extends GutterMarker {
  /** @param {Outcome} outcome @param {Owner} owner */
  constructor(outcome, owner) {
    super();
    this.outcome = outcome;
    this.owner = owner;
  }

  toDOM() {
    const { passed, name } = this.outcome;
    const title = `${name}: ${passed ? "holds" : "fails"}`;
    return h("span", { class: passed ? "outcome holds" : "outcome fails", title, click: () => this.owner.outcome(this.outcome) }, passed ? "✓" : "✗");
  }
}

/** The small picture of a component behind its line. */
class Picture extends WidgetType {
  /** @param {string} kind @param {Owner} owner */
  constructor(kind, owner) {
    super();
    this.kind = kind;
    this.owner = owner;
  }

  toDOM() {
    const picture = this.owner.picture(this.kind, 18);
    return h("span", { class: "small-picture", "aria-hidden": "true" }, picture);
  }
}

/** @param {Owner} owner */
function outcomes(owner) {
  const field = StateField.define({
    create: () => /** @type {RangeSet<GutterMarker>} */ (RangeSet.empty),
    update(found, change) {
      found = found.map(change.changes);
      for (const effect of change.effects)
        if (effect.is(setOutcomes)) {
          const there = effect.value.filter(({ from }) => from <= change.newDoc.length);
          found = RangeSet.of(there.map((each) => new OutcomeMark(each, owner).range(change.newDoc.lineAt(each.from).from)), true);
        }
      return found;
    },
  });
  return [field, gutter({ class: "outcomes", markers: (view) => view.state.field(field) })];
}

/** @param {Owner} owner */
function pictures(owner) {
  return StateField.define({
    create: () => Decoration.none,
    update(found, change) {
      found = found.map(change.changes);
      for (const effect of change.effects)
        if (effect.is(setComponents)) {
          const there = effect.value.filter(({ from }) => from <= change.newDoc.length);
          found = Decoration.set(there.map(({ kind, from }) =>
            Decoration.widget({ widget: new Picture(kind, owner), side: 1 }).range(change.newDoc.lineAt(from).to)), true);
        }
      return found;
    },
    provide: (field) => EditorView.decorations.from(field),
  });
}

const HIGHLIGHTS = HighlightStyle.define([
  { tag: tags.comment, class: "tok-comment" }, { tag: tags.propertyName, class: "tok-key" }, { tag: tags.string, class: "tok-string" },
  { tag: tags.number, class: "tok-number" }, { tag: tags.punctuation, class: "tok-operator" },
]);

/** Returns the indentation of a line of rules: that of the one before, and more after a colon. @param {import("@codemirror/language").IndentContext} context @param {number} at */
function indented(context, at) {
  const before = context.lineAt(at, -1);
  const text = before.text.slice(0, at - before.from).replace(/#.*$/, "");
  return before.text.length - before.text.trimStart().length + (/:\s*$/.test(text) ? context.unit : 0);
}

export class Editor {
  /** @param {string} name @param {string} text @param {Owner} owner @param {string} nonce of the styles @param {boolean} fixed whether the text may not change */
  constructor(name, text, owner, nonce, fixed = false) {
    this.name = name;
    this.owner = owner;
    /** @type {Component[]} */
    this.components = [];
    const rules = name.endsWith(".rules");
    this.view = new EditorView({
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorView.cspNonce.of(nonce), lineNumbers(), outcomes(owner), history(), drawSelection(), bracketMatching(),
          highlightActiveLine(), highlightSelectionMatches(), indentUnit.of(rules ? "    " : "  "), EditorState.tabSize.of(4),
          rules ? indentService.of(indented) : yaml(), syntaxHighlighting(HIGHLIGHTS), tokens, pictures(owner), this.#hover(), this.#completion(),
          EditorState.readOnly.of(fixed),
          EditorView.contentAttributes.of({ "aria-label": name, tabindex: "0" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) owner.typed(name);
            if (update.docChanged || update.selectionSet || update.focusChanged) owner.moved(name);
          }),
          EditorView.domEventHandlers({
            mousedown: (event, view) => {
              if (!(event.ctrlKey || event.metaKey)) return false;
              const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
              if (at !== null) owner.define(name, at);
              return at !== null;
            },
          }),
          keymap.of([
            { key: "F12", run: () => this.#at((at) => owner.define(name, at)) },
            { key: "F2", run: () => this.#at((at) => owner.rename(name, at)) },
            { key: "Shift-Alt-f", run: () => this.#at(() => owner.format(name)) },
            { key: "Tab", run: acceptCompletion },
            ...completionKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, ...defaultKeymap,
          ]),
        ],
      }),
    });
    this.dom = this.view.dom;
  }

  /** @param {(at: number) => void} act */
  #at(act) {
    act(this.view.state.selection.main.head);
    return true;
  }

  #hover() {
    return hoverTooltip(async (view, at) => {
      await this.owner.settled(this.name);
      const found = await this.owner.ask("hover", { file: this.name, at });
      if (!found || found.to > view.state.doc.length) return null;
      return { pos: found.from, end: found.to, above: true, create: () => ({ dom: h("div", { class: "hover" }, ...rendered(found.markdown)) }) };
    }, { hideOnChange: true });
  }

  #completion() {
    return autocompletion({
      icons: false,
      override: [async (context) => {
        const word = context.matchBefore(/[\w'-]+/);
        if (!context.explicit && !word && !context.matchBefore(/[.:]\s?/)) return null;
        await this.owner.settled(this.name);
        const found = await this.owner.ask("complete", { file: this.name, at: context.pos });
        if (context.aborted || !found?.items.length) return null;
        const options = found.items.map((/** @type {any} */ item, /** @type {number} */ place) => ({
          label: item.label,
          detail: [item.detail, item.what].find((text) => text && text !== item.label),
          boost: Math.max(-99, 50 - place),
          ...(item.doc ? { info: () => h("div", { class: "hover" }, ...rendered(item.doc)) } : {}),
          ...(item.snippet ? { apply: snippet(item.snippet.replace(/\$\{?(\d+):?([^}$]*)\}?/g, "#{$2}")) } : {}),
        }));
        return { from: found.from, options, validFor: /^[\w'-]*$/ };
      }],
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    if (text !== this.text) this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  get at() {
    return this.view.state.selection.main.head;
  }

  /** Makes edits as one step that can be undone. @param {Edit[]} edits */
  edit(edits) {
    this.view.dispatch({ changes: edits.map(({ from, to, text }) => ({ from, to, insert: text })) });
  }

  /** Shows a place. @param {number} from @param {number} to */
  show(from, to) {
    const most = this.view.state.doc.length;
    this.view.dispatch({ selection: { anchor: Math.min(from, most), head: Math.min(to, most) }, effects: EditorView.scrollIntoView(Math.min(from, most), { y: "center" }) });
    this.view.focus();
  }

  /** @param {Finding[]} findings */
  find(findings) {
    const most = this.view.state.doc.length;
    this.view.dispatch(setDiagnostics(this.view.state, findings.filter(({ from, to }) => from <= to && to <= most).map((finding) => ({
      from: finding.from,
      to: finding.to,
      severity: finding.severity === "error" ? "error" : finding.severity === "warning" ? "warning" : "info",
      message: finding.message,
      source: finding.slug,
      renderMessage: () => h("div", { class: "finding" }, ...finding.message.split("\n").map((line) => h("div", {}, line))),
      actions: finding.fixes.map(({ title, edits }) => ({ name: title, apply: () => this.owner.apply(edits) })),
    }))));
  }

  /** @param {[number, number, string, boolean][]} found */
  colour(found) {
    this.view.dispatch({ effects: setTokens.of(found) });
  }

  /** @param {Outcome[]} found */
  judge(found) {
    this.view.dispatch({ effects: setOutcomes.of(found) });
  }

  /** @param {Component[]} found */
  draw(found) {
    this.components = found;
    this.view.dispatch({ effects: setComponents.of(found) });
  }

  /** Returns the component on the line of the cursor. */
  get component() {
    const line = this.view.state.doc.lineAt(this.at);
    return this.components.findLast(({ from, to }) => from <= line.to && to >= line.from) ?? null;
  }
}
