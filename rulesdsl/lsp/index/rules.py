"""The names in the rules of one ruleset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rulesdsl.check.draft import Draft
from rulesdsl.check.spans import last_part, named_span, part_span
from rulesdsl.diagnostics import Span
from rulesdsl.lsp.index.meanings import (
    a_ruleset,
    declared,
    local,
    of_callee,
    of_expression,
    of_type,
    used,
    word,
)
from rulesdsl.lsp.index.symbols import Symbol, Use
from rulesdsl.model import ast
from rulesdsl.model.names import owner_of
from rulesdsl.model.walk import walk
from rulesdsl.pipeline.examined import Notes


@dataclass
class Names:
    """Finds the names in the rules of `ruleset`, the id of a part of them. `homes` are the
    parameters of choices: their options know them by the place of the choice's name."""

    ruleset: str
    draft: Draft
    notes: Notes
    homes: dict[tuple[Span, str], Span] = field(default_factory=dict)

    def uses(self, declarations: Sequence[ast.Decl]) -> Iterator[Use]:
        """Every name in these rules, some twice."""
        for node in declarations:
            if isinstance(node, ast.ChoiceDecl):
                home = named_span(node.span, node.name)
                for param in node.params:
                    span = named_span(param.span, param.name)
                    self.homes[home, param.name] = span
                    yield from used(span, local(span, param.name), True)
        for node in declarations:
            yield from self._declaration(node)
            for inner in walk(node):
                if isinstance(inner, ast.Node):
                    yield from self._node(inner)

    def locals(self, module: ast.Module) -> Iterator[Use]:
        """Where the locals of the rules are declared."""
        for context in self.draft.contexts:
            for each in context.locals:
                if each.span.source is module.source and each.span.text in each.key:
                    yield from used(each.span, local(each.span, each.span.text), True)

    # --- declarations

    def _declaration(self, node: ast.Decl) -> Iterator[Use]:
        match node:
            case ast.StateDecl():
                key = f"{owner_of(self.ruleset)}/{node.owner}.{node.name}"
                owner = named_span(node.span, node.owner)
                yield from used(owner, word("type", node.owner))
                dot = node.span.source.span(owner.end, node.span.end)
                yield from used(named_span(dot, node.name), declared("state", key), True)
            case ast.ValueDecl():
                yield from self._routine(node, "value")
            case ast.ActionDecl():
                yield from self._routine(node, "action")
            case ast.ChoiceDecl():
                yield from self._routine(node, "choice")
                for option in node.options:
                    key = f"{owner_of(self.ruleset)}/{node.name}.{option.name}"
                    yield from self._named(option, option.name, declared("option", key))
            case ast.OptionDecl(choice=ast.Path() as path):
                yield from self._option(node, path)
            case ast.Contribution():
                yield from self._target(node.target)
            case ast.HookDecl():
                yield from self._target(node.target)
            case ast.ForbidDecl():
                yield from self._forbid(node)
            case ast.OrderDecl():
                for each in (node.first, node.second):
                    yield from self._party(each)

    def _named(self, node: ast.Node, name: str, symbol: Symbol) -> Iterator[Use]:
        # The word that begins a declaration may be its name too.
        text = node.span.text
        head = len(text) - len(text.lstrip("abcdefghijklmnopqrstuvwxyz"))
        rest = node.span.source.span(node.span.start + head, node.span.end)
        yield from used(named_span(rest, name), symbol, True)

    def _routine(
        self, node: ast.ValueDecl | ast.ActionDecl | ast.ChoiceDecl, what: str
    ) -> Iterator[Use]:
        symbol = Symbol(what, f"{owner_of(self.ruleset)}/{node.name}", node.name)  # type: ignore[arg-type]
        yield from self._named(node, node.name, symbol)

    def _option(self, node: ast.OptionDecl, path: ast.Path) -> Iterator[Use]:
        yield from self._target(path)
        name = node.span.source.span(path.span.end + 1, path.span.end + 1 + len(node.name))
        key = f"{owner_of(self.ruleset)}/{path.parts[-1]}.{node.name}"
        yield from used(name, declared("option", key), True)

    def _target(self, path: ast.Path, ruleset: str = "") -> Iterator[Use]:
        """A routine, or an attribute, and perhaps an option of it."""
        symbols, parts, number = self.draft.symbols, path.parts, 0
        ruleset = ruleset or self.ruleset
        qualifier: str | None = None
        if len(parts) > 1 and not symbols.find(symbols.routines, parts[0], ruleset):
            qualifier, number = parts[0], 1
            yield from used(part_span(path, 0), a_ruleset(qualifier))
        found = symbols.find(symbols.routines, parts[number], ruleset, qualifier)
        if not found:
            attributes = symbols.find(symbols.attributes, parts[number], ruleset, qualifier)
            if len(attributes) == 1:
                symbol = declared("attribute", attributes[0].key)
                yield from used(part_span(path, number), symbol)
        if len(found) != 1:
            return
        yield from used(part_span(path, number), declared(found[0].what, found[0].key))
        if len(parts) == number + 2:
            option = self._option_of(found[0].key, parts[-1], qualifier or ruleset)
            yield from used(last_part(path), option)

    def _option_of(self, choice: str, name: str, ruleset: str) -> Symbol | None:
        options = [o for o in self.draft.options.get(choice, []) if o.name == name]
        owner = owner_of(ruleset)
        own = [option for option in options if owner_of(option.ruleset) == owner] or options
        return declared("option", own[0].key) if own else None

    def _forbid(self, node: ast.ForbidDecl) -> Iterator[Use]:
        yield from self._target(node.target)
        choice = self.draft.symbols.find(
            self.draft.symbols.routines, node.target.parts[-1], self.ruleset
        )
        end = node.target.span.end + 1
        span = node.span.source.span(end, end + len(node.option))
        if len(choice) == 1:
            yield from used(span, self._option_of(choice[0].key, node.option, self.ruleset))

    def _party(self, path: ast.Path) -> Iterator[Use]:
        """`ruleset.name`, as hooks are ordered by."""
        yield from used(part_span(path, 0), a_ruleset(path.parts[0]))
        if len(path.parts) > 1 and path.parts[0] in self.draft.symbols.game.visible:
            span = path.span.source.span(part_span(path, 1).start, path.span.end)
            yield from self._target(ast.Path(span, path.parts[1:]), path.parts[0])

    # --- what stands inside

    def _node(self, node: ast.Node) -> Iterator[Use]:
        match node:
            case ast.Name() | ast.Attribute():
                yield from self._name(node)
            case ast.Param():
                span = named_span(node.span, node.name)
                yield from used(span, local(span, node.name), True)
            case ast.Call():
                yield from self._call(node)
            case ast.Index():
                yield from self._indexed(node)
            case ast.Compare(operator="is" | "is not"):
                yield from self._test(node)
            case ast.Compare(operator="==" | "!=", left=left, right=right):
                # A component with variants is compared with each of them, and not by itself.
                for side in (left, right):
                    if isinstance(side, ast.Name) and self.notes.of(side) is None:
                        yield from used(side.span, self._component(side.name))
            case ast.Assign(target=ast.Name() as target) if self.notes.of(target) is None:
                yield from used(target.span, self._variable(target))
            case ast.TypeRef():
                symbol = of_type(self.draft.symbols, node, self.ruleset)
                yield from used(last_part(node.name), symbol)
                if len(node.name.parts) > 1:
                    first = node.name.parts[0]
                    yield from used(part_span(node.name, 0), a_ruleset(first))
            case ast.Previous(ruleset=str(name)):
                end = node.span.end
                span = node.span.source.span(end - len(name), end)
                yield from used(span, a_ruleset(name))

    def _name(self, node: ast.Name | ast.Attribute) -> Iterator[Use]:
        note = self.notes.of(node)
        if note is None:
            return
        span = last_part(node)
        if note.local is not None:
            home = self.homes.get((note.local.span, node.name), note.local.span)
            yield from used(span, local(home, node.name))
            return
        yield from used(
            span, of_expression(self.draft.symbols, note.found, node.name, self.ruleset)
        )
        if isinstance(node, ast.Attribute):
            yield from self._qualifier(node.object)

    def _qualifier(self, node: ast.Expr) -> Iterator[Use]:
        """The enum or ruleset before a dot, which is no expression."""
        if not isinstance(node, ast.Name) or self.notes.of(node) is not None:
            return
        symbols = self.draft.symbols
        enums = [
            each
            for each in symbols.find(symbols.nouns, node.name, self.ruleset)
            if each.what == "enum"
        ]
        if enums:
            yield from used(node.span, declared("enum", enums[0].key))
        elif node.name in symbols.game.visible:
            yield from used(node.span, a_ruleset(node.name))

    def _call(self, node: ast.Call) -> Iterator[Use]:
        callee, note = node.function, self.notes.of(node)
        if not isinstance(callee, ast.Name | ast.Attribute):
            return
        qualifier: str | None = None
        if isinstance(callee, ast.Attribute):
            if not isinstance(callee.object, ast.Name):
                return
            qualifier = callee.object.name
            yield from self._qualifier(callee.object)
        symbols, name = self.draft.symbols, callee.name
        symbol = of_callee(symbols, name, self.ruleset, qualifier)
        if symbol is None and note is not None:
            symbol = of_expression(symbols, note.found, name, self.ruleset)
        yield from used(last_part(callee), symbol)

    def _indexed(self, node: ast.Index) -> Iterator[Use]:
        """What an index is put to: state, or something of the box."""
        base, note = node.object, self.notes.of(node)
        while isinstance(base, ast.Index):
            base = base.object
        if note is None or not isinstance(base, ast.Name | ast.Attribute):
            return
        if self.notes.of(base) is None:
            symbol = of_expression(self.draft.symbols, note.found, base.name, self.ruleset)
            yield from used(last_part(base), symbol)
            if isinstance(base, ast.Attribute):
                yield from self._qualifier(base.object)

    def _test(self, node: ast.Compare) -> Iterator[Use]:
        note = self.notes.of(node)
        if note is None or not isinstance(node.right, ast.Name | ast.Attribute):
            return
        symbol = of_expression(self.draft.symbols, note.found, node.right.name, self.ruleset)
        yield from used(last_part(node.right), symbol)
        if isinstance(node.right, ast.Attribute):
            yield from self._qualifier(node.right.object)

    def _component(self, name: str) -> Symbol | None:
        symbols = self.draft.symbols
        found = symbols.find(symbols.components, name, self.ruleset)
        numbers = [number for each in found for number in each]
        return declared("component", symbols.game.kinds[numbers[0]].key) if numbers else None

    def _variable(self, node: ast.Name) -> Symbol | None:
        """The `var` that is assigned: of those of its name the last that is declared before."""
        spans = [
            each.span
            for context in self.draft.contexts
            if context.ruleset == self.ruleset
            for each in context.locals
            if each.span.text == node.name
            and each.span.start < node.span.start
            and each.span.source is node.span.source
        ]
        return local(max(spans, key=lambda span: span.start), node.name) if spans else None
