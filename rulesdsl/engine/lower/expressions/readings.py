"""Numbers whose readings are gathered: the quantities that they depend on (see `runtime.terms`).

A body that gives points, or a number that points may come from, is a `GatheredBody`. The
expressions in it that matter are marked before they are lowered, and `gathered` emits their
readings. Conditions, and all else whose readings nobody asks for, are lowered as anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

from rulesdsl.engine.lower import runtime
from rulesdsl.engine.lower.emit import MINUS, ZERO, plus
from rulesdsl.engine.lower.expressions.operands import Operands
from rulesdsl.engine.lower.tables.encoding import none_of, without_none
from rulesdsl.engine.lower.terms import BELOW, SUBJECT, is_number, record_of
from rulesdsl.engine.runtime import terms
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import ir, types
from rulesdsl.language.model.checked import Expr
from rulesdsl.language.model.flow import FLOWING, domain_name
from rulesdsl.language.model.types import INT, IntType, OptionalType, Type


def is_gathered(x: Operands, node: Expr) -> bool:
    """Return whether the readings of an expression are gathered."""
    return x.gathering is not None and id(node) in x.gathering.marks


def gathered(x: Operands, node: Expr, value: Callable[[], ir.Expr]) -> ir.Expr:
    """Return the value of a marked expression, which `value` lowers, and emit its readings."""
    assert x.gathering is not None
    sign = x.gathering.marks[id(node)]
    found = _read(x, node, value)
    if sign:
        found = x.named("number", found, node.span)
        compared = found if sign > 0 else ir.Unary("-", found)
        x.builder.do(terms.compare_best, compared, span=node.span)
    return found


def _read(x: Operands, node: Expr, value: Callable[[], ir.Expr]) -> ir.Expr:
    lowering = x.lowering
    match node:
        case tree.Local(name=name) if has_record(x, name):
            x.builder.do(terms.recall_terms, _record(x, name), span=node.span)
        case tree.ReadState(state=key) if is_number(node.type):
            return _noted(x, node, key, value())
        case tree.ReadAttribute(attribute=key) if isinstance(node.type, IntType):
            return _noted(x, node, key.partition(".")[0], value())
        case tree.AttributeAt(attribute=key) if isinstance(node.type, IntType):
            return _noted(x, node, key, value())
        case tree.EntryAt(what="table", number=number):
            return _noted(x, node, lowering.game.tables[number].key, value())
        case tree.CallBuiltin(function=function, arguments=given) if function in FLOWING:
            mark(x, *given)
        case tree.CallBuiltin(function=function) if isinstance(node.type, IntType):
            return _noted(x, node, function, value())
        case tree.CallValue(value=key) if isinstance(node.type, IntType):
            lowering.quantities.wanted[key] = None
            if lowering.checked.values[key].policy in ("max", "min"):
                return _best(x, node, value)
        case tree.Negate(operand=operand) | tree.Ranged(operand=operand):
            mark(x, operand)
        case tree.Binary(left=left, right=right) if isinstance(node.type, IntType):
            mark(x, left, right)
        case tree.IfElse(then=then, otherwise=otherwise):
            mark(x, then, otherwise)
        case tree.Aggregate():
            return _aggregate(x, node, value)
    return value()


def _aggregate(x: Operands, node: tree.Aggregate, value: Callable[[], ir.Expr]) -> ir.Expr:
    function, inner = node.function, node.value
    domain = domain_name(x.lowering.game, node.binders[0].domain)
    if function in ("count", "alike"):
        return _noted(x, node, domain or function, value())
    if function in ("max", "min"):
        mark(x, inner, sign=1 if function == "max" else -1)
        mark(x, node.default)
        return value() if inner is None else _best(x, node, value)
    mark(x, inner)
    if function != "sum":
        return value()
    number = x.lowering.quantities.number(domain or "sum")
    x.builder.do(terms.open_sum, span=node.span)
    total = x.named("number", value(), node.span)
    x.builder.do(terms.close_sum, ir.Const(number), total, span=node.span)
    return total


def _best(x: Operands, node: Expr, value: Callable[[], ir.Expr]) -> ir.Expr:
    x.builder.do(terms.open_best, span=node.span)
    found = x.named("number", value(), node.span)
    x.builder.do(terms.close_best, span=node.span)
    return found


def _noted(x: Operands, node: Expr, key: str, value: ir.Expr) -> ir.Expr:
    quantity = value = x.named("number", value, node.span)
    if isinstance(node.type, OptionalType):
        there = ir.Compare("!=", value, ir.Const(none_of(node.type)))
        quantity = ir.Select(there, value, ZERO)
    number = ir.Const(x.lowering.quantities.number(key))
    x.builder.do(terms.read_term, number, quantity, span=node.span)
    return value


def mark(x: Operands, *nodes: Expr | None, sign: int = 0) -> None:
    """Note that the readings of expressions are gathered when these are lowered."""
    assert x.gathering is not None
    x.gathering.marks.update((id(node), sign) for node in nodes if node is not None)


def mark_result(x: Operands, node: Expr) -> None:
    """Note the same for a result, if it is that of a value whose readings are gathered."""
    if x.gathering is not None and x.gathering.sign is not None:
        mark(x, node, sign=x.gathering.sign)


# --- records -------------------------------------------------------------------------------------


def has_record(x: Operands, name: str) -> bool:
    """Return whether a local has a record of its readings."""
    return x.gathering is not None and name in x.gathering.recorded and not x.is_bound(name)


def _record(x: Operands, name: str) -> ir.Expr:
    return x.environment.read(record_of(name), INT)


def begin_record(x: Operands, node: Expr, *before: str) -> None:
    """Emit the start of a record: of the readings of a number, with those of locals `before`."""
    x.builder.do(terms.open_terms, span=node.span)
    for name in before:
        x.builder.do(terms.recall_terms, _record(x, name), span=node.span)
    mark(x, node)


def end_record(x: Operands, span: Span) -> ir.Expr:
    """Emit the end of a record and return it."""
    return x.builder.let("terms", runtime.call(terms.close_terms), span)


def keep_record(x: Operands, name: str, record: ir.Expr, span: Span) -> None:
    """Emit that a local has a record, if it has any."""
    if has_record(x, name):
        x.environment.write(record_of(name), INT, record, span)


def arguments(
    x: Operands,
    given: Sequence[Expr],
    wanted: Sequence[Type],
    recorded: Container[int] | None,
) -> tuple[list[ir.Expr], list[ir.Expr]]:
    """Return arguments of these types, and the records of the `recorded` ones, by place."""
    values, records = list[ir.Expr](), list[ir.Expr]()
    for place, (argument, type_) in enumerate(zip(given, wanted, strict=True)):
        if recorded is None or place not in recorded:
            values.append(x.fitted(argument, type_))
        elif not isinstance(argument.type, IntType) or isinstance(argument, tree.Const):
            values.append(x.fitted(argument, type_))
            records.append(ZERO)
        else:
            begin_record(x, argument)
            values.append(x.named("number", x.number(argument), argument.span))
            records.append(end_record(x, argument.span))
    return values, records


# --- subjects ------------------------------------------------------------------------------------

_SORTS: Mapping[Type, int] = {types.FEATURE: terms.FEATURE, types.SEGMENT: terms.SEGMENT}


def subject(x: Operands) -> ir.Expr:
    """Return what points are for: the first thing that is not none, else that of the caller."""
    assert x.gathering is not None
    found = x.environment.read(SUBJECT, INT) if x.gathering.within else ZERO
    for name, type_ in reversed(x.gathering.things):
        thing = x.environment.read(name, type_)
        sort = _SORTS.get(without_none(type_), terms.PIECE)
        code = plus(ir.Binary("*", thing, ir.Const(4)), ir.Const(1 + sort))
        if isinstance(type_, OptionalType):
            there = ir.Compare("!=", thing, ir.Const(none_of(type_)))
            code = ir.Select(there, code, found)
        found = code
    return found


def subjects(x: Operands, *, step: bool, later: bool) -> tuple[ir.Expr, ir.Expr]:
    """Return the subject and the one below, for a call that may wait for the end of the step."""
    assert x.gathering is not None
    below = x.environment.read(BELOW, INT) if x.gathering.within else MINUS
    about = _either(below, ZERO) if later else subject(x)
    return about, _either(below, about) if step or later else below


def _either(number: ir.Expr, otherwise: ir.Expr) -> ir.Expr:
    """Return a number, or another one if it is negative."""
    if number == MINUS:
        return otherwise
    return ir.Select(ir.Compare(">=", number, ZERO), number, otherwise)


def give(x: Operands, span: Span) -> None:
    """Emit that the readings since `begin_record` are those of the next change of the score."""
    x.builder.do(terms.give_terms, subject(x), span=span)
