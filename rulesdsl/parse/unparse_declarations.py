"""Syntax tree to rules text: the inverse of parsing."""

from __future__ import annotations

from collections.abc import Iterable
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
)
from rulesdsl.parse.unparse_expressions import (
    unparse_binder,
    unparse_expr,
    unparse_params,
    unparse_type,
)

INDENT = "    "


def unparse(module: Module) -> str:
    """The text of a module, comments and blank lines included.

    Parsing the text gives `module` again; declarations that could not be parsed stand in it as
    they were written. Long lines are not broken.
    """
    lines = [line for declaration in module.declarations for line in _declaration(declaration)]
    return "".join(f"{line}\n" for line in (*lines, *module.trailing))


def _declaration(d: Decl) -> list[str]:
    match d:
        case StateDecl() | OrderDecl() | ForbidDecl():
            return _line(_one_line(d), 0, d.trivia)
        case ValueDecl():
            policy = "" if d.policy == "unique" else f", {d.policy}"
            head = f"value {d.name}{unparse_params(d.params)}{_result(d.type)}{policy}"
            return _headed(head, d.body, 0, d.trivia)
        case Contribution():
            head = f"{d.verb} {d.target}{unparse_params(d.params)}{_guard(d.guard)}"
            return _headed(head, d.body, 0, d.trivia)
        case ActionDecl():
            return _headed(_action_head(d), d.body, 0, d.trivia)
        case HookDecl():
            head = f"{d.when} {d.target}{unparse_params(d.params)}{_guard(d.guard)}"
            return _headed(head, d.body, 0, d.trivia)
        case ChoiceDecl():
            return _choice(d)
        case OptionDecl():
            return _option(d, 0)
        case AlwaysDecl():
            return _headed(f"always for {unparse_binder(d.binder)}", d.body, 0, d.trivia)
        case Broken():
            return [*d.trivia.before, *d.span.text.split("\n")]
        case _:
            assert_never(d)


def _one_line(d: StateDecl | OrderDecl | ForbidDecl) -> str:
    match d:
        case StateDecl():
            index = "".join(f"[{unparse_type(each)}]" for each in d.index)
            initial = f" = {unparse_expr(d.initial)}" if d.initial else ""
            return f"state {d.owner}.{d.name}{index}: {unparse_type(d.type)}{initial}"
        case OrderDecl():
            word, between = ("independent", ",") if d.independent else ("order", " before")
            return f"{word} {d.first}{between} {d.second}"
        case ForbidDecl():
            params = unparse_params(d.params) if d.params else ""
            return f"forbid {d.target}.{d.option}{params}{_guard(d.guard)}"
        case _:
            assert_never(d)


def _action_head(d: ActionDecl) -> str:
    step = "step " if d.step else ""
    depth = f" recursive up to {unparse_expr(d.depth)}" if d.depth else ""
    result = f"{unparse_params(d.params)}{_result(d.type)}"
    return f"{step}action {d.name}{result}{depth}{_guard(d.guard)}"


def _choice(d: ChoiceDecl) -> list[str]:
    result = f" by {unparse_expr(d.by)}{_result(d.type)}{' repeat' if d.repeat else ''}"
    lines = _line(f"choice {d.name}{unparse_params(d.params)}{result}:", 0, d.trivia)
    for option in d.options:
        lines += _option(option, 1)
    if d.otherwise:
        lines += _headed("otherwise", d.otherwise, 1, d.otherwise_trivia)
    return lines


def _option(d: OptionDecl, depth: int) -> list[str]:
    choice = f"{d.choice}." if d.choice else ""
    ranges = ", ".join(unparse_binder(binder) for binder in d.binders)
    head = f"option {choice}{d.name}{f'({ranges})' if ranges else ''}{_guard(d.guard)}"
    return _headed(head, d.body, depth, d.trivia)


def _result(type_: TypeRef | None) -> str:
    return f" -> {unparse_type(type_)}" if type_ else ""


def _guard(guard: Expr | None) -> str:
    return f" when {unparse_expr(guard)}" if guard else ""


# --- lines -------------------------------------------------------------------------------------


def _line(text: str, depth: int, trivia: Trivia) -> list[str]:
    """A line with the comments above and behind it."""
    after = f"  {trivia.after}" if trivia.after else ""
    return [*_comments(trivia.before, depth), f"{INDENT * depth}{text}{after}"]


def _comments(lines: Iterable[str], depth: int) -> list[str]:
    return [f"{INDENT * depth}{line}" if line else "" for line in lines]


def _headed(head: str, body: Block | None, depth: int, trivia: Trivia) -> list[str]:
    """A head with the block under it, or behind it."""
    if body is None:
        return _line(head, depth, trivia)
    if body.inline:
        return _line(f"{head}: {_inline(body.statements[0])}", depth, trivia)
    lines = _line(f"{head}:", depth, trivia)
    for statement in body.statements:
        lines += _statement(statement, depth + 1)
    return lines + _comments(body.trailing, depth + 1)


def _statement(s: Stmt, depth: int) -> list[str]:
    match s:
        case If():
            return _if(s, depth, "", s.trivia)
        case When():
            return [line for case in s.cases for line in _case(case, depth)]
        case For() | While():
            return _headed(_loop(s), s.body, depth, s.trivia)
        case _:
            return _line(_inline(s), depth, s.trivia)


def _if(s: If, depth: int, prefix: str, trivia: Trivia) -> list[str]:
    lines = _headed(f"{prefix}if {unparse_expr(s.condition)}", s.then, depth, trivia)
    if s.otherwise is None:
        return lines
    first = s.otherwise.statements[0]
    if s.otherwise.inline and isinstance(first, If):
        return lines + _if(first, depth, "else ", s.else_trivia)
    return lines + _headed("else", s.otherwise, depth, s.else_trivia)


def _case(case: Case, depth: int) -> list[str]:
    head = f"when {unparse_expr(case.condition)}" if case.condition else "otherwise"
    return _headed(head, case.body, depth, case.trivia)


def _loop(s: For | While) -> str:
    if isinstance(s, While):
        return f"while {unparse_expr(s.condition)}"
    start = f" from {unparse_expr(s.start)}" if s.start else ""
    return f"for {unparse_binder(s.binder)}{start}"


def _inline(s: Stmt) -> str:
    """The text of a statement that fits on one line; its own blocks are inline."""
    match s:
        case Let():
            type_ = f": {unparse_type(s.type)}" if s.type else ""
            word = "var" if s.mutable else "let"
            return f"{word} {s.name}{type_} = {unparse_expr(s.value)}"
        case Assign():
            return f"{unparse_expr(s.target)} {s.operator} {unparse_expr(s.value)}"
        case ExprStmt():
            return unparse_expr(s.value)
        case Later():
            return f"later {unparse_expr(s.call)}"
        case Return():
            return f"return {unparse_expr(s.value)}" if s.value else "return"
        case Simple():
            return s.word
        case If():
            return f"if {unparse_expr(s.condition)}: {_inline(s.then.statements[0])}"
        case For() | While():
            return f"{_loop(s)}: {_inline(s.body.statements[0])}"
        case When():
            raise ValueError("a ladder takes lines of its own")
        case _:
            assert_never(s)
