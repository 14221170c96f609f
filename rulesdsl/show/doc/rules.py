"""The rules of one ruleset, in the order and under the headings of its file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from markupsafe import Markup, escape

from rulesdsl.base.records import dataclass
from rulesdsl.language.builtins import EFFECTS, FORMS, FUNCTIONS, PROPERTIES
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import ast
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.ast import blocks, declared, every, named
from rulesdsl.language.model.checked import Checked, walk
from rulesdsl.language.model.names import (
    owner_of,
    part_id,
    parties_of,
    short_name,
    words_of,
    written_name,
)
from rulesdsl.language.model.types import BOOL
from rulesdsl.language.parse.grammar import WORDS
from rulesdsl.play.names import Labels
from rulesdsl.show.doc.prose import BookEntry, BookOption, BookPart, BookTexts, Section

_RULE = re.compile(r"#\s*---(.*)")
_MODELINE = re.compile(r"#\s*yaml-language-server:")


@dataclass(frozen=True)
class DeclarationComments:
    """Comments above a declaration.

    `heading` begins a section, `about` are separate paragraphs, and `own` those right above it.
    """

    heading: str = ""
    about: tuple[str, ...] = ()
    own: tuple[str, ...] = ()


def said(lines: Iterable[str]) -> DeclarationComments:
    """Return the comments in these lines (with their `#`; blank lines empty)."""
    heading, blocks, block = "", list[str](), list[str]()
    for line in lines:
        ruled = _RULE.match(line.strip())
        text = line.strip().lstrip("#").strip()
        if ruled is not None or not text:
            blocks += [" ".join(block)] if block else []
            block = []
            if ruled is not None:
                heading = ruled[1].lstrip("-").strip().rstrip("-").rstrip()
                heading, blocks = heading[:1].upper() + heading[1:], []
        elif not _MODELINE.match(line.strip()):
            block.append(text)
    return DeclarationComments(heading, tuple(blocks), (" ".join(block),) if block else ())


def under_headings(lines: Iterable[str]) -> list[list[str]]:
    """Return the lines in groups, of which every one but the first begins with a heading."""
    groups: list[list[str]] = [[]]
    for line in lines:
        if _RULE.match(line.strip()):
            groups.append([])
        groups[-1].append(line)
    return groups


_TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)|(?P<id>'[^'\n]*')|(?P<number>\b\d+\b)"
    r"|(?P<name>[^\W\d]\w*)|(?P<rest>.[^\w'#\n]*|\n)",
    re.DOTALL,
)

_CALLED = frozenset([*FUNCTIONS, *FORMS, *EFFECTS])


class CodeFormatter:
    """Formatter of code of a game, in which names of `anchors` (full names) become links."""

    def __init__(self, checked: Checked, anchors: Mapping[str, str]) -> None:
        self._visible = checked.game.visible
        self._anchors = anchors
        self._short = {_short(name): anchor for name, anchor in reversed(list(anchors.items()))}

    def write(self, text: str, ruleset: str) -> Markup:
        """Format code with the names as `ruleset` resolves them."""
        written, before = Markup(), ""
        for token in _TOKEN.finditer(text):
            kind, word = token.lastgroup or "rest", token.group()
            written += self._token(kind, word, before.rstrip(" ")[-1:] == ".", ruleset)
            before = word
        return written

    def link(self, name: str, text: str) -> Markup:
        """Return a text as a link to a declaration, by its full name, if that is in the book."""
        anchor = self._anchors.get(name)
        if anchor is None:
            return escape(text)
        return Markup('<a href="#{}">{}</a>').format(anchor, text)

    def _token(self, kind: str, word: str, member: bool, ruleset: str) -> Markup:
        if kind == "rest":
            return escape(word)
        if kind != "name":
            return Markup('<span class="{}">{}</span>').format(kind[0], word)
        anchor = self._anchor(word, member, ruleset)
        if anchor is not None:
            return Markup('<a href="#{}">{}</a>').format(anchor, word)
        if word in WORDS and not member:
            return Markup('<span class="k">{}</span>').format(word)
        if word in _CALLED or (member and word in PROPERTIES):
            return Markup('<span class="b">{}</span>').format(word)
        return escape(word)

    def _anchor(self, word: str, member: bool, ruleset: str) -> str | None:
        """Return the anchor of a name's declaration; members are found by their last part."""
        if member:
            return self._short.get(f".{word}")
        for id in self._visible.get(ruleset, ()):
            if (anchor := self._anchors.get(f"{id}/{word}")) is not None:
                return anchor
        return self._short.get(f".{word}") if word not in WORDS else None


def _short(name: str) -> str:
    """Return the name of a state or a setting as its members are written: `.score`."""
    owner, dot, last = short_name(name).rpartition(".")
    return f".{last}" if dot and owner else name


_VOWELS = "aeiou"
_NUMBERS = ("==", "!=", "<", "<=", ">", ">=")


class Guards:
    """Conditions of a game as sentences in one language; code is used where there are no words."""

    def __init__(
        self, labels: Labels, code: CodeFormatter, texts: BookTexts, language: str
    ) -> None:
        self._labels, self._code, self._texts = labels, code, texts
        self._language = language

    def say(self, expr: tree.Expr, ruleset: str) -> Markup:
        """Return the condition in words, as the ruleset `ruleset` wrote it."""
        return _Saying(self._labels, self._code, self._texts, self._language, ruleset).holds(expr)


class _Saying:
    def __init__(
        self, labels: Labels, code: CodeFormatter, texts: BookTexts, language: str, ruleset: str
    ) -> None:
        self._labels, self._code, self._texts = labels, code, texts
        self._language, self._ruleset = language, ruleset

    def holds(self, expr: tree.Expr, yes: bool = True) -> Markup:
        """Return a sentence for a condition that holds, or one that does not hold."""
        texts = self._texts
        match expr:
            case tree.Not(operand=tree.ReadState() as read) if yes and read.span == expr.span:
                return self._written(expr)  # `once in turn`
            case tree.Not(operand=operand):
                return self.holds(operand, not yes)
            case (
                tree.IsKind()
                | tree.ReadAttribute()
                | tree.Const()
                | tree.Member()
                | tree.Aggregate(function="any")
            ):
                return self._simple(expr, yes)
            case tree.Binary() | tree.Compare() | tree.Aggregate() if not yes:
                return texts("not", words=self.holds(expr))
            case tree.Binary(operator="and", left=left, right=right):
                return texts("and", first=self._part(left), second=self._part(right))
            case tree.Binary(operator="or", left=left, right=right):
                return texts("or", first=self.holds(left), second=self.holds(right))
            case tree.Compare(operator=sign, left=left, right=right) if sign in _NUMBERS:
                return texts(sign, first=self.thing(left), second=self.thing(right))
            case tree.Aggregate(function="all", value=value, binders=(binder,)) if (
                value is not None
            ):
                names, domain = self._domain(binder)
                return texts("every", names=names, domain=domain, words=self.holds(value))
            case _:
                return texts("true" if yes else "false", words=self._written(expr))

    def _part(self, expr: tree.Expr) -> Markup:
        """Return the words for one side of `and`."""
        words = self.holds(expr)
        wide = isinstance(expr, tree.Binary) and expr.operator == "or"
        return self._texts("either", words=words) if wide else words

    def _simple(self, expr: tree.Expr, yes: bool) -> Markup:
        """Return one clause for a condition or its negation."""
        texts = self._texts
        match expr:
            case tree.IsKind(object=object, test="none"):
                return texts("is-none" if yes else "is-some", thing=self.thing(object))
            case tree.IsKind(object=object, name=name):
                kind = self._labels(name, self._language)
                article = "an" if kind[:1].lower() in _VOWELS else "a"
                key = "is" if yes else "is-not"
                return texts(key, thing=self.thing(object), article=article, kind=kind)
            case tree.ReadAttribute(type=type_, object=object, attribute=name) if type_ == BOOL:
                label = self._labels(name, self._language)
                return texts("has" if yes else "has-not", thing=self.thing(object), attribute=label)
            case tree.Const(type=type_, setting=str() as name) if type_ == BOOL:
                return texts("on" if yes else "off", setting=self._setting(name))
            case tree.Member(item=item, set=set_):
                key = "in" if yes else "not-in"
                return texts(key, first=self.thing(item), second=self.thing(set_))
            case tree.Aggregate(function="any", value=value, binders=(binder,)):
                names, domain = self._domain(binder)
                words = texts(
                    _among("some" if yes else "no-one", binder), names=names, domain=domain
                )
                return self._such(words, value)
            case _:
                return texts("true" if yes else "false", words=self._written(expr))

    def thing(self, expr: tree.Expr) -> Markup:
        """Return the words for a value that is compared, counted or tested."""
        match expr:
            case tree.Local(name=name) if not name.startswith("$"):
                return Markup("<var>{}</var>").format(name)
            case tree.Const(setting=str() as name):
                return self._texts("setting", setting=self._setting(name))
            case tree.Const(value=int() as value) if not isinstance(value, bool):
                return escape(str(value))
            case tree.ReadAttribute(object=object, attribute=name):
                label = self._labels(name, self._language, count=2)
                return self._texts("attribute", attribute=label, thing=self.thing(object))
            case tree.Aggregate(function="count", value=value, binders=(binder,)):
                names, domain = self._domain(binder)
                words = self._texts(_among("number", binder), names=names, domain=domain)
                return self._such(words, value)
            case _:
                return self._written(expr)

    def _domain(self, binder: tree.Binder) -> tuple[Markup, Markup]:
        names = Markup(", ").join(Markup("<var>{}</var>").format(n) for n in binder.names)
        domain = self._written(binder.domain)
        if binder.where is None:
            return names, domain
        return names, self._texts("such", words=domain, condition=self.holds(binder.where))

    def _such(self, words: Markup, value: tree.Expr | None) -> Markup:
        if value is None:
            return words
        return self._texts("such", words=words, condition=self.holds(value))

    def _setting(self, name: str) -> Markup:
        return self._code.link(name, self._labels(name, self._language))

    def _written(self, expr: tree.Expr) -> Markup:
        written = " ".join(expr.span.text.split())
        return Markup("<code>{}</code>").format(self._code.write(written, self._ruleset))


def _among(key: str, binder: tree.Binder) -> str:
    """Return the key of a text about the members of a set; invented names are not shown."""
    return f"{key}-in" if binder.names[0].startswith("$") else key


@dataclass(frozen=True)
class RulesFormatter:
    """Formatter of the rules of a game.

    `comments` are those above each declaration, by the file and the place where it begins.
    """

    checked: Checked
    labels: Labels
    texts: BookTexts
    language: str
    code: CodeFormatter
    guards: Guards
    comments: dict[tuple[str, int], DeclarationComments] = field(default_factory=dict)

    def learn(self, module: ast.Module) -> None:
        """Record the comments of a module."""
        for node in (*every(module), *blocks(module)):
            self.comments[_place(node.span)] = said(node.trivia.before)

    def sections(self, id: str, module: ast.Module) -> tuple[Section, ...]:
        """Return the sections of the ruleset `id`, ending with its `with` blocks."""
        found: list[tuple[str, list[str], list[BookEntry]]] = []
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
        links = (self.code.link(name, self.labels(name, self.language)) for name in rulesets)
        return self.texts("together", names=Markup(", ").join(links))

    def _entry(self, id: str, node: ast.Decl) -> BookEntry:
        text, about = self.texts, self.comments[_place(node.span)].own
        code = self.code.write(node.span.text.rstrip(), id)
        match node:
            case ast.StateDecl(owner=owner, name=name):
                key = f"{owner_of(id)}/{owner}.{name}"
                title = escape(f"{owner}.{name}")
                return BookEntry(written_name(key), text("state"), title, about, (), code)
            case ast.InvariantDecl(name=name):
                anchor = written_name(f"{owner_of(id)}/{name}.invariant")
                return BookEntry(anchor, text("invariant"), escape(name), about, (), code)
            case ast.ValueDecl(name=name):
                return self._value(self.checked.values[f"{owner_of(id)}/{name}"], about, code)
            case ast.ActionDecl(name=name):
                return self._action(self.checked.actions[f"{owner_of(id)}/{name}"], about, code)
            case ast.ChoiceDecl(name=name):
                return self._choice(self.checked.choices[f"{owner_of(id)}/{name}"], about, code)
            case _:
                return self._change(id, node, about, code)

    # --- declarations ----------------------------------------------------------------------------

    def _value(self, value: tree.ValueDef, about: tuple[str, ...], code: Markup) -> BookEntry:
        facts = self._meaning(value.key)
        if value.policy != "unique" or len(value.rules) > 1:
            facts.append((self.texts("value"), self.texts(f"policy-{value.policy}")))
        if all(rule.verb != "base" for rule in value.rules):
            facts.append((self.texts("default"), self.texts("no-default")))
        parts = tuple(
            self._part(rule.verb, rule.ruleset, rule.span, rule.guard)
            for rule in value.rules
            if rule.verb != "base"
        )
        return self._called(value.key, "value", about, facts, code, parts=parts)

    def _action(self, action: tree.ActionDef, about: tuple[str, ...], code: Markup) -> BookEntry:
        required = (self._part("require", r.ruleset, r.span, r.guard) for r in action.requires)
        parts = (*required, *self._hooks(action.hooks))
        return self._called(action.key, "action", about, [], code, parts=parts)

    def _choice(self, choice: tree.ChoiceDef, about: tuple[str, ...], code: Markup) -> BookEntry:
        id = choice.key.partition("/")[0]
        facts = self._meaning(choice.key)
        facts.append((self.texts("decides"), self._written(choice.by, id)))
        if choice.repeat:
            facts.append((self.texts("choice"), self.texts("repeats")))
        options = tuple(self._option(option, id) for option in choice.options)
        parts = tuple(self._hooks(choice.hooks))
        return self._called(choice.key, "choice", about, facts, code, options=options, parts=parts)

    def _called(
        self,
        key: str,
        kind: str,
        about: tuple[str, ...],
        facts: Sequence[tuple[Markup, Markup]],
        code: Markup,
        **more: Any,
    ) -> BookEntry:
        """Return the entry of a declaration that is called by its name."""
        anchor, title = written_name(key), escape(short_name(key))
        return BookEntry(anchor, self.texts(kind), title, about, tuple(facts), code, **more)

    def _meaning(self, key: str) -> list[tuple[Markup, Markup]]:
        label = self._label(key)
        return [(self.texts("meaning"), escape(label))] if label else []

    def _option(self, option: tree.OptionDef, home: str) -> BookOption:
        name = option.name.rpartition(".")[2]
        among = tuple(self._among(binder, option.ruleset) for binder in option.binders)
        forbidden = tuple(
            self._told(forbid.guard, forbid.ruleset) or self.texts("always")
            for forbid in option.forbids
        )
        origin = self._origin(option.ruleset) if option.ruleset != home else Markup()
        return BookOption(
            name,
            self._label(option.key),
            origin,
            among,
            self._told(option.guard, option.ruleset),
            forbidden,
        )

    def _among(self, binder: tree.Binder, ruleset: str) -> Markup:
        names = ", ".join(binder.names)
        domain = self._written(binder.domain, ruleset)
        words = Markup("<var>{}</var>: {}").format(names, domain)
        if binder.where is None:
            return words
        return self.texts("such", words=words, condition=self.guards.say(binder.where, ruleset))

    # --- changes ---------------------------------------------------------------------------------

    def _change(self, id: str, node: ast.Decl, about: tuple[str, ...], code: Markup) -> BookEntry:
        """Return the part for a declaration that changes another one."""
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
        return BookEntry(
            f"{owner_of(id)}.line-{node.span.line}", kind, thing, about, tuple(facts), code
        )

    def _target(self, target: ast.Path | None, id: str) -> Markup:
        written = str(target or "")
        for name in (f"{owner_of(other)}/{written}" for other in self.checked.game.visible[id]):
            if name in {*self.checked.values, *self.checked.actions, *self.checked.choices}:
                return self.code.link(name, written)
        return self.code.link(written.replace(".", "/", 1), written)

    def _guard(self, span: Span) -> tree.Expr | None:
        """Return the condition of the rule, hook, option or veto at a place."""
        checked = self.checked
        trees = (*checked.values.values(), *checked.actions.values(), *checked.choices.values())
        for node in walk(trees):
            match node:
                case tree.Rule() | tree.Hook() | tree.Forbid() | tree.OptionDef():
                    if node.guard is not None and _place(node.span) == _place(span):
                        return node.guard
        return None

    # --- changes by others -----------------------------------------------------------------------

    def _hooks(self, hooks: tree.Hooks) -> Iterator[BookPart]:
        for hook in (*hooks.arounds, *hooks.befores, *hooks.afters):
            yield self._part(hook.when, hook.ruleset, hook.span, hook.guard)

    def _part(self, verb: str, ruleset: str, span: Span, guard: tree.Expr | None) -> BookPart:
        code = self.code.write(span.text.rstrip(), ruleset)
        about = self.comments.get(_place(span), DeclarationComments()).own
        return BookPart(
            self.texts(verb), self._origin(ruleset), self._told(guard, ruleset), code, about
        )

    def _origin(self, ruleset: str) -> Markup:
        owner, *others = parties_of(ruleset)
        link = self.code.link(owner, self.labels(owner, self.language))
        return Markup("{} {}").format(link, self._together(others)) if others else link

    def _told(self, guard: tree.Expr | None, ruleset: str) -> Markup | None:
        return None if guard is None else self.guards.say(guard, ruleset)

    def _written(self, expr: tree.Expr, ruleset: str) -> Markup:
        written = " ".join(expr.span.text.split())
        return Markup("<code>{}</code>").format(self.code.write(written, ruleset))

    def _label(self, name: str) -> str:
        return self.labels.find(name, self.language) or ""


def anchors(checked: Checked) -> dict[str, str]:
    """Return the anchors of everything with a full name."""
    names = [
        *(ruleset.id for ruleset in checked.game.rulesets),
        *checked.states,
        *checked.values,
        *checked.actions,
        *checked.choices,
    ]
    found = {name: written_name(name) for name in names}
    settings = ((s.key, written_name(words_of(s.key))) for s in checked.game.settings)
    return found | {name: anchor for name, anchor in settings if name not in found}


def _place(span: Span) -> tuple[str, int]:
    return span.source.name, span.start
