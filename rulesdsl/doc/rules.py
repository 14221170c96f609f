"""The rules of one ruleset, in the order and under the headings of its file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from markupsafe import Markup

from rulesdsl.diagnostics import Span
from rulesdsl.doc.book import Entry, Option, Part, Section
from rulesdsl.doc.code import Code
from rulesdsl.doc.comments import Said, said
from rulesdsl.doc.guards import Guards
from rulesdsl.doc.texts import Texts
from rulesdsl.model import ast
from rulesdsl.model.blocks import blocks, declared, every, named
from rulesdsl.model.checked import (
    ActionDef,
    AlwaysDef,
    Binder,
    Checked,
    ChoiceDef,
    Expr,
    Forbid,
    Hook,
    OptionDef,
    Rule,
    ValueDef,
)
from rulesdsl.model.names import (
    owner_of,
    part_id,
    parties_of,
    short_name,
    words_of,
    written_name,
)
from rulesdsl.play.labels import Labels

T = TypeVar("T", Rule, Hook, Forbid, OptionDef, AlwaysDef)


@dataclass(frozen=True)
class Writer:
    """What it takes to write of a game's rules. `comments` are those above each declaration, by
    the file and the place where it begins."""

    checked: Checked
    labels: Labels
    texts: Texts
    language: str
    code: Code
    guards: Guards
    comments: dict[tuple[str, int], Said] = field(default_factory=dict)

    def learn(self, module: ast.Module) -> None:
        """Keep the comments of a module."""
        for node in (*every(module), *blocks(module)):
            self.comments[_place(node.span)] = said(node.trivia.before)

    def sections(self, id: str, module: ast.Module) -> tuple[Section, ...]:
        """The rules of the ruleset `id`, at last what it says together with others that are on."""
        found: list[tuple[str, list[str], list[Entry]]] = []
        for number, node in enumerate(declared(module)):
            comments = self.comments[_place(node.span)]
            if comments.heading or not found:
                found.append((comments.heading, [], []))
            _, about, entries = found[-1]
            if number > 0 or comments.heading:
                about += comments.about
            entries.append(self._entry(id, node))
        own = (Section(title, tuple(about), tuple(e)) for title, about, e in found)
        return (*own, *self._blocks(id, module))

    def _blocks(self, id: str, module: ast.Module) -> Iterator[Section]:
        for block in blocks(module):
            part = part_id(id, named(block))
            if part in self.checked.game.visible:
                told = self.comments[_place(block.span)]
                entries = tuple(self._entry(part, node) for node in block.declarations)
                title = str(self._together(named(block)).striptags())
                yield Section(title[:1].upper() + title[1:], (*told.about, *told.own), entries)

    def _together(self, rulesets: Sequence[str]) -> Markup:
        """The words for rules about several rulesets."""
        links = (self.code.link(name, self.labels(name, self.language)) for name in rulesets)
        return self.texts("together", names=Markup(", ").join(links))

    def _entry(self, id: str, node: ast.Decl) -> Entry:
        text, about = self.texts, self.comments[_place(node.span)].own
        code = self.code.write(node.span.text.rstrip(), id)
        match node:
            case ast.StateDecl(owner=owner, name=name):
                key = f"{owner_of(id)}/{owner}.{name}"
                return Entry(_anchor(key), text("state"), _name(f"{owner}.{name}"), about, (), code)
            case ast.ValueDecl(name=name):
                return self._value(self.checked.values[f"{owner_of(id)}/{name}"], about, code)
            case ast.ActionDecl(name=name):
                return self._action(self.checked.actions[f"{owner_of(id)}/{name}"], about, code)
            case ast.ChoiceDecl(name=name):
                return self._choice(self.checked.choices[f"{owner_of(id)}/{name}"], about, code)
            case _:
                return self._change(id, node, about, code)

    # --- what is declared ------------------------------------------------------------------------

    def _value(self, value: ValueDef, about: tuple[str, ...], code: Markup) -> Entry:
        facts = []
        if value.policy != "unique" or len(value.rules) > 1:
            facts.append((self.texts("value"), self.texts(f"policy-{value.policy}")))
        if all(rule.verb != "base" for rule in value.rules):
            facts.append((self.texts("default"), self.texts("no-default")))
        parts = tuple(
            self._part(rule.verb, rule.ruleset, rule.span, rule.guard)
            for rule in value.rules
            if rule.verb != "base"
        )
        title = _name(short_name(value.key))
        if label := self._label(value.key):
            facts.insert(0, (self.texts("meaning"), Markup.escape(label)))
        return Entry(
            _anchor(value.key),
            self.texts("value"),
            title,
            about,
            tuple(facts),
            code,
            parts=parts,
        )

    def _action(self, action: ActionDef, about: tuple[str, ...], code: Markup) -> Entry:
        hooks = action.hooks
        parts = (
            *(self._part("require", r.ruleset, r.span, r.guard) for r in action.requires),
            *self._hooks(hooks.arounds, hooks.befores, hooks.afters),
        )
        title = _name(short_name(action.key))
        return Entry(_anchor(action.key), self.texts("action"), title, about, (), code, parts=parts)

    def _choice(self, choice: ChoiceDef, about: tuple[str, ...], code: Markup) -> Entry:
        id = choice.key.partition("/")[0]
        facts = [(self.texts("decides"), self._written(choice.by, id))]
        if label := self._label(choice.key):
            facts.insert(0, (self.texts("meaning"), Markup.escape(label)))
        if choice.repeat:
            facts.append((self.texts("choice"), self.texts("repeats")))
        options = tuple(self._option(option, id) for option in choice.options)
        hooks = choice.hooks
        parts = tuple(self._hooks(hooks.arounds, hooks.befores, hooks.afters))
        title = _name(short_name(choice.key))
        return Entry(
            _anchor(choice.key),
            self.texts("choice"),
            title,
            about,
            tuple(facts),
            code,
            options,
            parts,
        )

    def _option(self, option: OptionDef, home: str) -> Option:
        name = option.name.rpartition(".")[2]
        among = tuple(self._among(binder, option.ruleset) for binder in option.binders)
        forbidden = tuple(
            self._told(forbid.guard, forbid.ruleset) or self.texts("always")
            for forbid in option.forbids
        )
        origin = self._origin(option.ruleset) if option.ruleset != home else Markup()
        return Option(
            name,
            self._label(f"{owner_of(option.ruleset)}/{option.name}"),
            origin,
            among,
            self._told(option.guard, option.ruleset),
            forbidden,
        )

    def _among(self, binder: Binder, ruleset: str) -> Markup:
        names = ", ".join(binder.names)
        domain = self._written(binder.domain, ruleset)
        words = Markup("<var>{}</var>: {}").format(names, domain)
        if binder.where is None:
            return words
        return self.texts("such", words=words, condition=self.guards.say(binder.where, ruleset))

    # --- what changes something ------------------------------------------------------------------

    def _change(self, id: str, node: ast.Decl, about: tuple[str, ...], code: Markup) -> Entry:
        """A declaration that adds to what another has declared."""
        text = self.texts
        match node:
            case ast.Contribution(verb=verb, target=target):
                kind, thing = text(verb), self._target(target, id)
            case ast.HookDecl(when=when, target=target):
                kind, thing = text(when), self._target(target, id)
            case ast.OptionDecl(choice=target, name=name):
                kind = text("option")
                thing = Markup("{}.{}").format(self._target(target, id), name)
            case ast.ForbidDecl(target=target, option=option):
                kind = text("forbid")
                thing = Markup("{}.{}").format(self._target(target, id), option)
            case ast.AlwaysDecl():
                kind, thing = text("always"), Markup()
            case _:
                kind, thing = text("order"), Markup()
        facts: list[tuple[Markup, Markup]] = []
        guard = self._guard(node.span)
        if guard is not None:
            facts.append((text("when"), self.guards.say(guard, id)))
        return Entry(
            f"{owner_of(id)}.line-{node.span.line}", kind, thing, about, tuple(facts), code
        )

    def _target(self, target: ast.Path | None, id: str) -> Markup:
        """The name of what is changed, as a link."""
        written = str(target or "")
        for name in (f"{owner_of(other)}/{written}" for other in self.checked.game.visible[id]):
            if name in {*self.checked.values, *self.checked.actions, *self.checked.choices}:
                return self.code.link(name, written)
        return self.code.link(written.replace(".", "/", 1), written)

    def _guard(self, span: Span) -> Expr | None:
        """The condition of the rule, hook, option or prohibition that stands at a place."""
        found: list[Rule | Hook | Forbid | OptionDef] = [
            *(rule for value in self.checked.values.values() for rule in value.rules),
        ]
        for action in self.checked.actions.values():
            hooks = action.hooks
            found += (*action.requires, *hooks.arounds, *hooks.befores, *hooks.afters)
        for choice in self.checked.choices.values():
            found += (*choice.hooks.arounds, *choice.hooks.befores, *choice.hooks.afters)
            for option in choice.options:
                found += (option, *option.forbids)
                found += (*option.hooks.arounds, *option.hooks.befores, *option.hooks.afters)
        here = (each.guard for each in found if _place(each.span) == _place(span))
        return next((guard for guard in here if guard is not None), None)

    # --- what others do --------------------------------------------------------------------------

    def _hooks(
        self, arounds: tuple[Hook, ...], befores: tuple[Hook, ...], afters: tuple[Hook, ...]
    ) -> Iterator[Part]:
        for hook in (*arounds, *befores, *afters):
            yield self._part(hook.when, hook.ruleset, hook.span, hook.guard)

    def _part(self, verb: str, ruleset: str, span: Span, guard: Expr | None) -> Part:
        code = self.code.write(span.text.rstrip(), ruleset)
        about = self.comments.get(_place(span), Said()).own
        return Part(
            self.texts(verb), self._origin(ruleset), self._told(guard, ruleset), code, about
        )

    def _origin(self, ruleset: str) -> Markup:
        owner, *others = parties_of(ruleset)
        link = self.code.link(owner, self.labels(owner, self.language))
        return Markup("{} {}").format(link, self._together(others)) if others else link

    def _told(self, guard: Expr | None, ruleset: str) -> Markup | None:
        return None if guard is None else self.guards.say(guard, ruleset)

    def _written(self, expr: Expr, ruleset: str) -> Markup:
        written = " ".join(expr.span.text.split())
        return Markup("<code>{}</code>").format(self.code.write(written, ruleset))

    def _label(self, name: str) -> str:
        return self.labels.find(name, self.language) or ""


def anchors(checked: Checked) -> dict[str, str]:
    """Where everything with a full name is told of."""
    names = [
        *(ruleset.id for ruleset in checked.game.rulesets),
        *checked.states,
        *checked.values,
        *checked.actions,
        *checked.choices,
    ]
    found = {name: _anchor(name) for name in names}
    settings = ((s.key, _anchor(words_of(s.key))) for s in checked.game.settings)
    return found | {name: anchor for name, anchor in settings if name not in found}


def _anchor(name: str) -> str:
    return written_name(name)


def _name(name: str) -> Markup:
    return Markup("{}").format(name)


def _place(span: Span) -> tuple[str, int]:
    return span.source.name, span.start
