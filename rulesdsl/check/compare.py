"""Comparisons, membership and `is`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeGuard

from rulesdsl.check import errors
from rulesdsl.check.names import handles
from rulesdsl.check.ranging import domain
from rulesdsl.check.scope import Context, as_set, poison
from rulesdsl.check.types import CLASSES, fits, is_piece, join, required
from rulesdsl.diagnostics import Span
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model import ast, checked, uses
from rulesdsl.model.checked import walk
from rulesdsl.model.names import written_name
from rulesdsl.model.types import (
    BOOL,
    ERROR,
    FACE,
    FEATURE,
    INT,
    KIND,
    NONE,
    PIECE,
    SEGMENT,
    ZONE,
    OptionalType,
    SetType,
    Type,
)
from rulesdsl.model.values import Value


def compare(ctx: Context, node: ast.Compare) -> checked.Expr:
    """The test that a comparison stands for."""
    match node.operator:
        case "is":
            return _is(ctx, node)
        case "is not":
            test = _is(ctx, node)
            return checked.Not(node.span, BOOL, test) if test.type == BOOL else test
        case "in":
            return _member(ctx, node)
        case "not in":
            return checked.Not(node.span, BOOL, _member(ctx, node))
        case "==" | "!=":
            return _equal(ctx, node)
    left, right = ctx.infer(ctx, node.left, None), ctx.infer(ctx, node.right, None)
    for side in (left, right):
        if ctx.coerce(side, INT, f"a side of `{node.operator}`").type == ERROR:
            return poison(node.span)
    return checked.Compare(node.span, BOOL, node.operator, left, right)


def _previous_unbracketed(ctx: Context, node: ast.Compare) -> bool:
    """Is this `previous in RULESET` with an operator beside it that binds tighter? Reported."""
    last, first = node.left, node.right
    while isinstance(last, ast.Binary):
        last = last.right
    while isinstance(first, ast.Binary):
        first = first.left
    if not isinstance(last, ast.Previous) or not isinstance(first, ast.Name):
        return False
    if all(ruleset.id != first.name for ruleset in ctx.symbols.game.rulesets):
        return False
    before, after = node.left.span.text[: -len("previous")], node.right.span.text[len(first.name) :]
    bracketed = f"{before}(previous in {first.name}){after}"
    message = "`in` binds looser than what is beside it"
    ctx.report.error("type-mismatch", message, node.span, help=(f"write `{bracketed}`",))
    return True


def _member(ctx: Context, node: ast.Compare) -> checked.Expr:
    if _previous_unbracketed(ctx, node):
        return poison(node.span)
    what = None
    if _needs_hint(ctx, node.right) and not _needs_hint(ctx, node.left):
        what = ctx.infer(ctx, node.left, None)
    where = domain(ctx, node.right, None if what is None else SetType(required(what.type)))
    item = where.type.item if isinstance(where.type, SetType) else None
    if where.type == ZONE:
        item = ctx.held(where)
    what = what or ctx.infer(ctx, node.left, item)
    if item is not None and join(required(what.type), item) is None:
        errors.no_common_type(
            ctx.report, node.span, what.type, item, f"the sides of `{node.operator}`"
        )
    return checked.Member(node.span, BOOL, what, where)


# --- == and != ---------------------------------------------------------------------------------


def _needs_hint(ctx: Context, node: ast.Expr) -> bool:
    """Does it take the other side to tell what this one means."""
    match node:
        case ast.Name(name=name):
            data = ctx.symbols.find(ctx.symbols.data, f"game.{name}", ctx.ruleset)
            return name not in ctx.names and not data
        case ast.SetLiteral(items=items) if items:
            return all(_needs_hint(ctx, item) for item in items)
        case ast.IfElse(then=then, otherwise=otherwise):
            return _needs_hint(ctx, then) and _needs_hint(ctx, otherwise)
    return False


def _equal(ctx: Context, node: ast.Compare) -> checked.Expr:
    first, second = node.left, node.right
    if _needs_hint(ctx, first) and not _needs_hint(ctx, second):
        first, second = second, first
    one = ctx.infer(ctx, first, None)
    if isinstance(second, ast.Name) and second.name not in ctx.names:
        several = handles(ctx, second.name, required(one.type))
        if len(several) > 1:
            if not _repeatable(ctx, one):
                return poison(node.span)
            ctx.use(second.name, ctx.symbols.meaning(several[0][0]))
            return _one_of(node, one, [value for value, _ in several], second.span)
    other = ctx.infer(ctx, second, one.type)
    left, right = (one, other) if first is node.left else (other, one)
    if isinstance(one.type, SetType) or isinstance(other.type, SetType):
        left, right = as_set(ctx, left), as_set(ctx, right)
    if NONE in (left.type, right.type):
        return _none_test(ctx, node, right if left.type == NONE else left)
    if ERROR in (left.type, right.type):
        return poison(node.span)
    if join(left.type, right.type) is None:
        what = f"the sides of `{node.operator}`"
        advice = _kind_advice(ctx, node, one.type, second)
        errors.no_common_type(ctx.report, node.span, left.type, right.type, what, advice)
        return poison(node.span)
    if isinstance(left.type, OptionalType) and isinstance(right.type, OptionalType):
        for owner in (left, right):
            if _reads_owner(owner):
                if not _repeatable(ctx, owner):
                    return poison(node.span)
                return _same_owner(node, owner, left, right)
    return checked.Compare(node.span, BOOL, node.operator, left, right)


_REPEATED = 200
"""So many nodes at most are put into a checked tree twice."""


def _repeatable(ctx: Context, thing: checked.Expr) -> bool:
    """Say whether a thing can be asked twice. Things that are asked inside of each other would
    become larger and larger; reported."""
    if len(walk(thing)) <= _REPEATED:
        return True
    help_lines = ("give it a name above, with `let`, and compare that",)
    message = "this is too large to be compared where it stands"
    ctx.report.error("nested-too-deep", message, thing.span, help=help_lines)
    return False


def _reads_owner(found: checked.Expr) -> TypeGuard[checked.CallBuiltin]:
    return isinstance(found, checked.CallBuiltin) and found.function == "owner"


def _same_owner(
    node: ast.Compare, owner: checked.CallBuiltin, left: checked.Expr, right: checked.Expr
) -> checked.Expr:
    """Two owners of which both may be none: what belongs to nobody has no owner in common."""
    owned = checked.CallBuiltin(owner.span, BOOL, "owned", owner.arguments)
    same = checked.Compare(node.span, BOOL, "==", left, right)
    found = checked.Binary(node.span, BOOL, "and", owned, same)
    return found if node.operator == "==" else checked.Not(node.span, BOOL, found)


def _kind_advice(
    ctx: Context, node: ast.Compare, type_: Type | None, other: ast.Expr
) -> tuple[str, ...]:
    """Help for who compares a thing with the name of a kind."""
    if type_ not in (FEATURE, SEGMENT) or not isinstance(other, ast.Name):
        return ()
    if not ctx.symbols.find(ctx.symbols.features, other.name, ctx.ruleset):
        return ()
    word = "is" if node.operator == "==" else "is not"
    thing = node.left if other is node.right else node.right
    return (f"`{other.name}` is a kind of feature: write `{thing.span.text} {word} {other.name}`",)


def _none_test(ctx: Context, node: ast.Compare, other: checked.Expr) -> checked.Expr:
    word = "is" if node.operator == "==" else "is not"
    help_lines = (f"write `{other.span.text} {word} none`",)
    message = f"`{node.operator}` compares two things, and `none` is not one"
    ctx.report.error("type-mismatch", message, node.span, help=help_lines)
    if other.type == ERROR:
        return poison(node.span)
    test = checked.IsKind(node.span, BOOL, other, "none")
    return test if node.operator == "==" else checked.Not(node.span, BOOL, test)


def _one_of(
    node: ast.Compare, one: checked.Expr, values: Iterable[Value], span: Span
) -> checked.Expr:
    """`one` equals any of several handles of one name."""
    type_ = required(one.type)
    tests: list[checked.Expr] = [
        checked.Compare(node.span, BOOL, "==", one, checked.Const(span, type_, value))
        for value in values
    ]
    found = tests[0]
    for test in tests[1:]:
        found = checked.Binary(node.span, BOOL, "or", found, test)
    return found if node.operator == "==" else checked.Not(node.span, BOOL, found)


# --- is ----------------------------------------------------------------------------------------


def _is(ctx: Context, node: ast.Compare) -> checked.Expr:
    """The test of `left is right`, negated nowhere."""
    object_ = ctx.infer(ctx, node.left, None)
    if object_.type == ERROR:
        return poison(node.span)
    if isinstance(node.right, ast.NoneLiteral):
        if _reads_owner(object_):
            owned = checked.CallBuiltin(node.span, BOOL, "owned", object_.arguments)
            return checked.Not(node.span, BOOL, owned)
        holds_owner = isinstance(object_, checked.Local) and object_.name in ctx.owners
        if not isinstance(object_.type, OptionalType) and object_.type != NONE and not holds_owner:
            message = f"`{object_.span.text}` is never none"
            ctx.report.error("type-mismatch", message, node.span, mark=f"is `{object_.type}`")
        return checked.IsKind(node.span, BOOL, object_, "none")
    word = _word(node.right)
    if word is None:
        message = f"`{node.operator}` is followed by the name of a kind, or `none`"
        written = node.right.span.text
        advice = f"`{object_.span.text} == {written}`"
        if ctx.symbols.find(ctx.symbols.components, written, ctx.ruleset):
            advice = f"`{object_.span.text} is '{written}'`: such a name stands in quotes"
        help_lines = (f"write {advice}",)
        ctx.report.error("type-mismatch", message, node.right.span, help=help_lines)
        return poison(node.span)
    test = _kind_test(ctx, node, object_, *word)
    if isinstance(object_.type, OptionalType) and test.type == BOOL:
        if not _repeatable(ctx, object_):
            return poison(node.span)
        absent = checked.IsKind(node.span, BOOL, object_, "none")
        return checked.Binary(node.span, BOOL, "and", checked.Not(node.span, BOOL, absent), test)
    return test


def _word(node: ast.Expr) -> tuple[ast.Ident | None, ast.Ident] | None:
    """Qualifier and name of a kind; None for anything else."""
    match node:
        case ast.Name(name=name):
            return None, name
        case ast.Attribute(object=ast.Name(name=qualifier), name=name):
            return qualifier, name
    return None


def _kind_test(
    ctx: Context,
    node: ast.Compare,
    object_: checked.Expr,
    qualifier: ast.Ident | None,
    name: ast.Ident,
) -> checked.Expr:
    span, type_ = name.span, required(object_.type)
    if qualifier is not None:
        ctx.use(qualifier, uses.word("ruleset", qualifier))
    if isinstance(object_.type, OptionalType):
        object_ = _present(object_)
    if type_ == FACE:
        faces = [value for value, _ in handles(ctx, name, FACE)]
        for face in faces[:1]:
            ctx.use(name, ctx.symbols.meaning(face))
        equal = ast.Compare(node.span, "==", node.left, node.right)
        return _one_of(equal, object_, faces, span) if faces else _no_kind(ctx, type_, name, span)
    if type_ in (FEATURE, SEGMENT):
        kinds = ctx.symbols.find(ctx.symbols.features, name, ctx.ruleset, qualifier)
        keys = [kind.key for kind in kinds]
        test = "feature"
    elif is_piece(type_) or type_ == KIND:
        if qualifier is None and name in CLASSES:
            ctx.use(name, uses.word("type", name))
            return _class_test(ctx, node, object_, name)
        found = ctx.symbols.find(ctx.symbols.components, name, ctx.ruleset, qualifier)
        keys = [ctx.symbols.game.kinds[numbers[0]].key for numbers in found]
        test = "kind"
    else:
        message = f"`{object_.span.text}` is `{type_}`, which has no kinds"
        help_lines = (f"write `{object_.span.text} == {span.text}`",)
        ctx.report.error("type-mismatch", message, node.span, help=help_lines)
        return poison(node.span)
    if len(keys) != 1:
        if keys:
            errors.ambiguous(ctx.report, name, span, [written_name(key) for key in keys])
            return poison(node.span)
        return _no_kind(ctx, type_, name, span)
    ctx.use(name, uses.declared("component" if test == "kind" else "feature", keys[0]))
    if test == "kind" and not _possible(ctx, type_, keys[0]):
        return _never(ctx, node, object_, name)
    return checked.IsKind(node.span, BOOL, object_, test, keys[0])


def _present(object_: checked.Expr) -> checked.Expr:
    """A local that has just been found not to be none."""
    if isinstance(object_, checked.Local):
        return checked.Local(object_.span, required(object_.type), object_.name)
    return object_


def _class_test(ctx: Context, node: ast.Compare, object_: checked.Expr, name: str) -> checked.Expr:
    type_ = required(object_.type)
    if type_ not in (PIECE, KIND, CLASSES[name]):
        return _never(ctx, node, object_, name)
    return checked.IsKind(node.span, BOOL, object_, "class", str(name))


def _possible(ctx: Context, type_: Type, key: str) -> bool:
    classes = {kind.cls for kind in ctx.symbols.game.kinds if kind.key == key}
    return type_ in (PIECE, KIND) or any(fits(CLASSES[each], type_) for each in classes)


def _never(ctx: Context, node: ast.Compare, object_: checked.Expr, name: str) -> checked.Expr:
    message = f"`{object_.span.text}` is {errors.an(str(required(object_.type)))}, never `{name}`"
    ctx.report.error("type-mismatch", message, node.span)
    return poison(node.span)


def _no_kind(ctx: Context, type_: Type, name: str, span: Span) -> checked.Expr:
    symbols = ctx.symbols
    if type_ == FACE:
        what, known = "face", {face.name for kind in symbols.game.kinds for face in kind.faces}
    elif type_ in (FEATURE, SEGMENT):
        what, known = "kind of feature", set(symbols.seen(symbols.features, ctx.ruleset))
    else:
        what, known = "component", {*symbols.seen(symbols.components, ctx.ruleset), *CLASSES}
    message = f"there is no {what} `{name}`"
    ctx.report.error("unknown-name", message, span, help=did_you_mean(name, known))
    return poison(span)
