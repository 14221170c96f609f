"""Syntax tree to rules text: the inverse of parsing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import assert_never

from rulesdsl.model.ast import (
    ActionDecl,
    AlwaysDecl,
    Assign,
    Block,
    Broken,
    Case,
    ChoiceDecl,
    Contribution,
    Decl,
    Expr,
    ExprStmt,
    For,
    ForbidDecl,
    HookDecl,
    If,
    Inner,
    Later,
    Let,
    Module,
    OptionDecl,
    OrderDecl,
    Return,
    Simple,
    StateDecl,
    Stmt,
    Trivia,
    TypeRef,
    ValueDecl,
    When,
    While,
    WithDecl,
)
from rulesdsl.parse.breaking import (
    INDENT,
    Brackets,
    Text,
    flat,
    lay_out,
    with_remarks,
    words_in,
)
from rulesdsl.parse.unparse_expressions import (
    binder,
    expression,
    listed,
    parameters,
    type_text,
)


def unparse(module: Module, width: int | None = None) -> str:
    """The text of a module, comments and blank lines included.

    Lines are broken where they are longer than `width` columns (None: nowhere), and at comments
    inside of them. Parsing the text gives `module` again, but for bodies that stood behind their
    colon and are too long for that; declarations that could not be parsed stand in it as they were
    written.
    """
    printer = _Printer(width)
    lines = [line for each in module.declarations for line in printer.declaration(each)]
    return "".join(f"{line}\n" for line in (*lines, *module.trailing))


# --- what stands on a line -----------------------------------------------------------------------


def _declaration(d: Decl) -> Text:
    """The head of a declaration, or all of one that has no body."""
    match d:
        case StateDecl():
            index = tuple(("[", type_text(each), "]") for each in d.index)
            initial: Text = (" = ", expression(d.initial)) if d.initial else ""
            return (f"state {d.owner}.{d.name}", index, ": ", type_text(d.type), initial)
        case OrderDecl():
            word, between = ("independent", ",") if d.independent else ("order", " before")
            return f"{word} {d.first}{between} {d.second}"
        case ForbidDecl():
            params = parameters(d.params) if d.params else ""
            return (f"forbid {d.target}.{d.option}", params, _guard(d.guard))
        case ValueDecl():
            policy = "" if d.policy == "unique" else f", {d.policy}"
            return (f"value {d.name}", parameters(d.params), _result(d.type), policy)
        case Contribution():
            return (f"{d.verb} {d.target}", parameters(d.params), _guard(d.guard))
        case ActionDecl():
            return _action(d)
        case HookDecl():
            return (f"{d.when} {d.target}", parameters(d.params), _guard(d.guard))
        case ChoiceDecl():
            by: Text = (" by ", expression(d.by), _result(d.type), " repeat" if d.repeat else "")
            return (f"choice {d.name}", parameters(d.params), by)
        case OptionDecl():
            return _option(d)
        case AlwaysDecl():
            return ("always for ", binder(d.binder, within=False))
        case WithDecl():
            return f"with {', '.join(map(str, d.names))}"
        case Broken():
            return d.span.text
        case _:
            assert_never(d)


def _action(d: ActionDecl) -> Text:
    step = "step " if d.step else ""
    depth: Text = (" recursive up to ", expression(d.depth)) if d.depth else ""
    result = (parameters(d.params), _result(d.type))
    return (f"{step}action {d.name}", result, depth, _guard(d.guard))


def _option(d: OptionDecl) -> Text:
    choice = f"{d.choice}." if d.choice else ""
    ranges = [binder(each) for each in d.binders]
    brackets: Text = Brackets("(", listed(ranges), ")") if ranges else ""
    return (f"option {choice}{d.name}", brackets, _guard(d.guard))


def _result(type_: TypeRef | None) -> Text:
    return (" -> ", type_text(type_)) if type_ else ""


def _guard(guard: Expr | None) -> Text:
    return (" when ", expression(guard)) if guard else ""


def _loop(s: For | While) -> Text:
    if isinstance(s, While):
        return ("while ", expression(s.condition))
    start: Text = (" from ", expression(s.start)) if s.start else ""
    return ("for ", binder(s.binder, within=False), start)


def _simple(s: Let | Assign | ExprStmt | Later | Return | Simple) -> Text:
    match s:
        case Let():
            type_: Text = (": ", type_text(s.type)) if s.type else ""
            return (f"{'var' if s.mutable else 'let'} {s.name}", type_, " = ", expression(s.value))
        case Assign():
            return (expression(s.target), f" {s.operator} ", expression(s.value))
        case ExprStmt():
            return expression(s.value)
        case Later():
            return ("later ", expression(s.call))
        case Return():
            return ("return ", expression(s.value)) if s.value else "return"
        case Simple():
            return s.word
        case _:
            assert_never(s)


def _inline(s: Stmt) -> Text:
    """The text of a statement that stands behind a colon; so do its own blocks."""
    match s:
        case If():
            return ("if ", expression(s.condition), ": ", _inline(s.then.statements[0]))
        case For() | While():
            return (_loop(s), ": ", _inline(s.body.statements[0]))
        case When():
            raise ValueError("a ladder takes lines of its own")
        case _:
            return _simple(s)


# --- lines ---------------------------------------------------------------------------------------


def _comments(lines: Iterable[str], depth: int) -> list[str]:
    return [f"{' ' * INDENT * depth}{line}" if line else "" for line in lines]


@dataclass(frozen=True)
class _Printer:
    """Makes lines that are at most `width` columns long, if they can be broken so."""

    width: int | None

    def declaration(self, d: Decl, depth: int = 0) -> list[str]:
        """The lines of a declaration."""
        match d:
            case ChoiceDecl():
                lines = self.line((_declaration(d), ":"), depth, d.trivia, head=True)
                for option in d.options:
                    lines += self.headed(
                        _declaration(option), option.body, depth + 1, option.trivia
                    )
                if d.otherwise:
                    lines += self.headed("otherwise", d.otherwise, depth + 1, d.otherwise_trivia)
                return lines
            case StateDecl() | OrderDecl() | ForbidDecl():
                return self.line(_declaration(d), depth, d.trivia)
            case WithDecl():
                lines = self.line((_declaration(d), ":"), depth, d.trivia, head=True)
                inside = (line for each in d.declarations for line in self.declaration(each, 1))
                return [*lines, *inside, *_comments(d.trailing, 1)]
            case Broken():
                first, *rest = d.span.text.split("\n")
                return [*_comments((*d.trivia.before, first), depth), *rest]
            case _:
                return self.headed(_declaration(d), d.body, depth, d.trivia)

    def line(self, text: Text, depth: int, trivia: Trivia, *, head: bool = False) -> list[str]:
        """A line with its comments, broken if need be; what follows a `head` is a block, from
        which its broken lines are told by more indentation."""
        text, left = with_remarks(text, trivia.inner)
        after = [trivia.after] if trivia.after else []
        rest = [each.text for each in left]
        if not after and rest:
            after = [rest.pop()]
        lines = lay_out(text, INDENT * depth, INDENT if head else 0, self.width)
        lines[-1] = "  ".join((lines[-1], *after))
        return [*_comments((*trivia.before, *rest), depth), *lines]

    def headed(self, head: Text, body: Block | None, depth: int, trivia: Trivia) -> list[str]:
        """A head with the block under it, or behind it if that was written so and fits."""
        if body is None:
            return self.line(head, depth, trivia)
        first = body.statements[0]
        if body.inline:
            whole: Text = (head, ": ", _inline(first))
            if not trivia.inner and self._fits(whole, depth):
                return self.line(whole, depth, trivia)
            trivia, inner = _parted(trivia, words_in(head) + 1)
            first = replace(first, trivia=Trivia(inner=inner))
        lines = self.line((head, ":"), depth, trivia, head=True)
        for statement in (first, *body.statements[1:]):
            lines += self.statement(statement, depth + 1)
        return lines + _comments(body.trailing, depth + 1)

    def statement(self, s: Stmt, depth: int) -> list[str]:
        """The lines of a statement."""
        match s:
            case If():
                return self._if(s, depth, "", s.trivia)
            case When():
                return [line for case in s.cases for line in self._case(case, depth)]
            case For() | While():
                return self.headed(_loop(s), s.body, depth, s.trivia)
            case _:
                return self.line(_simple(s), depth, s.trivia)

    def _if(self, s: If, depth: int, prefix: str, trivia: Trivia) -> list[str]:
        lines = self.headed((f"{prefix}if ", expression(s.condition)), s.then, depth, trivia)
        if s.otherwise is None:
            return lines
        first = s.otherwise.statements[0]
        if s.otherwise.inline and isinstance(first, If):
            return lines + self._if(first, depth, "else ", s.else_trivia)
        return lines + self.headed("else", s.otherwise, depth, s.else_trivia)

    def _case(self, case: Case, depth: int) -> list[str]:
        head: Text = ("when ", expression(case.condition)) if case.condition else "otherwise"
        return self.headed(head, case.body, depth, case.trivia)

    def _fits(self, text: Text, depth: int) -> bool:
        return self.width is None or INDENT * depth + len(flat(text)) <= self.width


def _parted(trivia: Trivia, count: int) -> tuple[Trivia, tuple[Inner, ...]]:
    """The comments of a line of which the first `count` words stay, and those of the rest."""
    rest = tuple(replace(each, after=each.after - count) for each in trivia.inner)
    stays = tuple(each for each in trivia.inner if each.after < count)
    return replace(trivia, inner=stays), tuple(each for each in rest if each.after >= 0)
