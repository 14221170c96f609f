"""Inline: calls of small functions are replaced by the bodies of the functions.

A function that only returns an expression without a call replaces its calls. Any other is put
before the statement that calls it, its result in a local, if nothing that is evaluated earlier in
the statement reads a table or calls a function. Functions are treated after those they call.
Functions that no entry reaches any longer are dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace

from rulesdsl.base.records import dataclass
from rulesdsl.engine.ir.passes import trees
from rulesdsl.engine.ir.passes.fold import fold_function
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import ir

Give = Callable[[ir.Expr | None, Span | None], ir.Block]
"""Converts the value of a `Return` to the statements that replace it."""


@dataclass(frozen=True, eq=False)
class InlinedFunction:
    """A function that can be inlined.

    `value` is its whole body, if that is one expression without a call. `uses` counts the reads of
    each local, and `assigned` are the parameters that it assigns.
    """

    function: ir.Function
    value: ir.Expr | None
    uses: Mapping[str, int]
    assigned: frozenset[str]

    @staticmethod
    def of(function: ir.Function) -> InlinedFunction | None:
        """Return a function as a callee, always the same one; None if it cannot be inlined."""
        known = vars(function)
        if "callee" not in known:
            inlinable = without_returns(function.body, lambda *_: ()) is not None
            known["callee"] = InlinedFunction._made(function) if inlinable else None
        found: InlinedFunction | None = known["callee"]
        return found

    @staticmethod
    def _made(function: ir.Function) -> InlinedFunction:
        nodes = function.nodes
        value = None if nodes.of(ir.Call) else _as_expression(function.body)
        return InlinedFunction(
            function,
            value,
            (nodes if value is None else ir.Nodes((value,))).reads(),
            frozenset(nodes.writes()) & {name for name, _ in function.params},
        )


def _as_expression(body: ir.Block) -> ir.Expr | None:
    """Return the value of a body as one expression, None if it does more than test and return."""
    match body:
        case (ir.Return(value),):
            return value
        case (ir.If(condition, then, otherwise), *rest):
            if trees.leaves(then):
                otherwise = (*otherwise, *rest)
            elif trees.leaves(otherwise):
                then = (*then, *rest)
            elif rest:
                return None
            one, other = _as_expression(then), _as_expression(otherwise)
            if one is not None and other is not None:
                return ir.Select(condition, one, other)
    return None


def without_returns(block: ir.Block, give: Give) -> ir.Block | None:
    """Return a body with each `Return` replaced by the statements of `give`.

    Statements after a `Return` are dropped or moved into the `If` before them. The result is None
    if that is not enough.
    """
    found: list[ir.Stmt] = []
    for number, statement in enumerate(block):
        match statement:
            case ir.Return(value, span):
                return (*found, *give(value, span))
            case ir.If(condition, then, otherwise, span) if trees.returns((statement,)):
                rest = block[number + 1 :]
                if trees.leaves(then):
                    otherwise = (*otherwise, *rest)
                elif trees.leaves(otherwise):
                    then = (*then, *rest)
                elif rest:
                    return None
                one, other = without_returns(then, give), without_returns(otherwise, give)
                if one is None or other is None:
                    return None
                return (*found, ir.If(condition, one, other, span))
            case ir.For() | ir.While() if trees.returns((statement,)):
                return None
        found.append(statement)
    return tuple(found)


# --- splicing bodies into callers ----------------------------------------------------------------


@dataclass
class _Place:
    """The place in a statement at which the splicer is.

    `before` is put before the statement. `reads` and `calls` say whether an earlier part that stays
    in the statement reads tables or calls functions. `conditional`: code here may not be evaluated
    at all. `fixed`: nothing can be put before the statement.
    """

    span: Span | None
    fixed: bool
    before: list[ir.Stmt] = field(default_factory=list)
    reads: bool = False
    calls: bool = False
    conditional: bool = False


class Splicer:
    """The inliner of calls in one function; `names` has the locals that it needs."""

    def __init__(self, function: ir.Function, facts: trees.Facts) -> None:
        self.facts = facts
        self.names = trees.Names(function)
        self.place = _Place(None, True)

    # --- statements ------------------------------------------------------------------------------

    def block(self, block: ir.Block) -> ir.Block:
        """Return statements with calls inlined.

        A block that ends in a fault stays as it is: it need not be fast, and would become many
        times as long.
        """
        if block and isinstance(block[-1], ir.Trap) and _is_short(block[:-1]):
            return block
        return trees.map_block(block, self.statement)

    def statement(self, statement: ir.Stmt) -> ir.Stmt | ir.Block:
        outer = self.place
        self.place = place = _Place(statement.span, isinstance(statement, ir.While))
        new = self.whole(statement)
        if new is None:
            new = (trees.map_statement(statement, self.expression, self.block),)
        self.place = outer
        if not place.before and len(new) == 1:
            return new[0]
        return (*place.before, *new)

    def whole(self, statement: ir.Stmt) -> ir.Block | None:
        """Return a replacement for a statement that is only a call, None if that fails."""
        match statement:
            case ir.Do(ir.Call() as call) | ir.Assign(_, ir.Call() as call):
                pass
            case ir.Return(ir.Call() as call):
                pass
            case _:
                return None
        callee = self.facts.ask("callee", call.function)
        if callee is None or (callee.value is not None and not isinstance(statement, ir.Do)):
            return None
        arguments = tuple(map(self.expression, call.arguments))

        def give(value: ir.Expr | None, span: Span | None) -> ir.Block:
            match statement:
                case ir.Return():
                    return (ir.Return(value, span),)
                case ir.Assign(name) if value is not None:
                    return (ir.Assign(name, value, span),)
            return () if value is None else self.dropped(callee, value, span)

        return self.spliced(callee, arguments, give)

    def dropped(self, callee: InlinedFunction, value: ir.Expr, span: Span | None) -> ir.Block:
        """Return statements that evaluate an unused value, as it may fault."""
        kind = callee.function.result
        if kind is None or trees.safe(value, self.facts):
            return ()
        return (ir.Assign(self.names.fresh("dropped", kind), value, span),)

    # --- expressions -----------------------------------------------------------------------------

    def expression(self, expr: ir.Expr) -> ir.Expr:
        """Return an expression with calls inlined, visiting its parts in order of evaluation."""
        match expr:
            case ir.Const() | ir.Truth() | ir.Local():
                return expr
            case ir.Logic(operator, left, right):
                one = self.expression(left)
                with self.maybe():
                    other = self.expression(right)
                same = one is left and other is right
                return expr if same else ir.Logic(operator, one, other)
            case ir.Select(condition, then, otherwise):
                test = self.expression(condition)
                with self.maybe():
                    one, other = self.expression(then), self.expression(otherwise)
                same = test is condition and one is then and other is otherwise
                return expr if same else ir.Select(test, one, other)
            case ir.Call():
                return self.call(expr)
        new = trees.map_parts(expr, self.expression)
        self.place.reads = self.place.reads or isinstance(new, ir.Load)
        return new

    @contextmanager
    def maybe(self) -> Iterator[None]:
        """Mark the expressions visited within a `with` block as evaluated conditionally."""
        place, outer = self.place, self.place.conditional
        place.conditional = True
        yield
        place.conditional = outer

    def call(self, call: ir.Call) -> ir.Expr:
        place = self.place
        reads, called = place.reads, place.calls
        new = trees.map_parts(call, self.expression)
        assert isinstance(new, ir.Call)
        callee = self.facts.ask("callee", call.function)
        movable = not place.fixed and not called
        if callee is not None and callee.value is not None:
            value = self.value(callee, callee.value, new.arguments, movable, reads)
            if value is not None:
                place.reads = True
                return value
        elif callee is not None and movable and not place.conditional and not reads:
            place.reads, place.calls = reads, called
            return self.result(callee, new.arguments)
        place.reads = place.calls = True
        return new

    def value(
        self,
        callee: InlinedFunction,
        value: ir.Expr,
        arguments: tuple[ir.Expr, ...],
        movable: bool,
        reads: bool,
    ) -> ir.Expr | None:
        """Return the expression of a function for these arguments.

        Arguments that cannot stand where they are read get a local before the statement; the result
        is None if that is not possible.
        """
        place = self.place
        params = [name for name, _ in callee.function.params]
        given = dict(zip(params, arguments, strict=True))
        bound = [name for name in params if not self.stands(callee, name, given[name])]
        if bound:
            calls = any(trees.calls(given[name]) for name in bound)
            harmless = all(trees.safe(given[name], self.facts) for name in bound)
            if not movable or (place.conditional and not harmless) or (calls and reads):
                return None
            self.bind(callee, given, bound)
        return trees.substituted(value, given)

    def stands(self, callee: InlinedFunction, name: str, argument: ir.Expr) -> bool:
        """Return whether an argument can stand where its parameter is read."""
        once = callee.uses[name] <= 1
        return _simple(argument) or (once and trees.safe(argument, self.facts))

    def bind(self, callee: InlinedFunction, given: dict[str, ir.Expr], names: list[str]) -> None:
        """Bind arguments to new locals before the statement."""
        kinds = dict(callee.function.params)
        for name in names:
            own = self.names.fresh(name, kinds[name])
            self.place.before.append(ir.Assign(own, given[name], self.place.span))
            given[name] = ir.Local(own)

    def result(self, callee: InlinedFunction, arguments: tuple[ir.Expr, ...]) -> ir.Expr:
        """Put a body before the statement, and return the local that holds its result."""
        kind = callee.function.result
        assert kind is not None
        name = self.names.fresh(callee.function.name, kind)

        def give(value: ir.Expr | None, span: Span | None) -> ir.Block:
            assert value is not None
            return (ir.Assign(name, value, span),)

        self.place.before.extend(self.spliced(callee, arguments, give))
        return ir.Local(name)

    def spliced(
        self,
        callee: InlinedFunction,
        arguments: tuple[ir.Expr, ...],
        give: Give,
    ) -> ir.Block:
        """Return the body of a function for these arguments."""
        function = callee.function
        given = dict(zip((name for name, _ in function.params), arguments, strict=True))
        found: list[ir.Stmt] = []
        for name, kind in function.params:
            if name in callee.assigned or not _simple(given[name]):
                own = self.names.fresh(name, kind)
                found.append(ir.Assign(own, given[name], self.place.span))
                given[name] = ir.Local(own)
        for name, kind in function.locals:
            given[name] = ir.Local(self.names.fresh(name, kind))
        body = without_returns(trees.renamed(function.body, given, self.place.span), give)
        assert body is not None
        return (*found, *body)


def _simple(expr: ir.Expr) -> bool:
    """Return whether an expression keeps its value all through a statement, and costs nothing."""
    return isinstance(expr, ir.Const | ir.Truth | ir.Local)


def _is_short(block: ir.Block) -> bool:
    return all(isinstance(statement, ir.Do | ir.Assign) for statement in block)


# --- whole programs ------------------------------------------------------------------------------


LIMIT = 60
"""The greatest number of nodes in functions that are inlined wherever they are called."""
ONCE = 600
"""The greatest number of nodes in functions that are inlined if called in only one place."""

GROWTH = 50_000
"""The growth of all functions, in nodes, after which no further calls are inlined."""


def inline(program: ir.Program) -> ir.Program:
    """Return a program with calls inlined, and without functions that no entry reaches."""
    called = {name: function.called for name, function in program.functions.items()}
    uses = Counter[str]()
    for counted in called.values():
        uses.update(counted)
    callees: dict[str, InlinedFunction] = {}
    facts = trees.Facts(program.tables, (), callees)
    room = GROWTH
    functions: dict[str, ir.Function] = {}
    for name in _after_callees(program.entries, called):
        function = program.functions[name]
        if room > 0 and not callees.keys().isdisjoint(called[name]):
            before = len(function.nodes)
            function = facts.once("inlined", function, _inlined)
            called[name] = function.called
            room -= max(0, len(function.nodes) - before)
        functions[name] = function
        bound = ONCE if uses[name] == 1 and name not in program.entries else LIMIT
        if len(function.nodes) <= bound and name not in called[name]:
            callee = InlinedFunction.of(function)
            if callee is not None:
                callees[name] = callee
    reached = set(_after_callees(program.entries, called))
    kept = {name: functions[name] for name in program.functions if name in reached}
    return trees.with_functions(program, kept)


def prune(program: ir.Program) -> ir.Program:
    """Return a program without functions that no entry reaches."""
    called = {name: function.called for name, function in program.functions.items()}
    reached = set(_after_callees(program.entries, called))
    kept = {name: f for name, f in program.functions.items() if name in reached}
    return trees.with_functions(program, kept)


def narrow(program: ir.Program, entries: Sequence[str]) -> ir.Program:
    """Return a program with only these of its entries.

    Functions that no entry reached before, which the host may run, keep their tables. Scratch
    tables that only the removed functions use are removed too.
    """
    if tuple(entries) == program.entries:
        return program
    before = prune(program).functions
    narrowed = prune(replace(program, entries=tuple(entries)))
    removed = [f for name, f in before.items() if name not in narrowed.functions]
    rest = [f for name, f in program.functions.items() if name not in before]
    idle = _tables(removed) - _tables([*rest, *narrowed.functions.values()])
    tables = {
        name: table
        for name, table in program.tables.items()
        if table.role != "scratch" or name not in idle
    }
    return replace(narrowed, tables=tables)


def _tables(functions: Iterable[ir.Function]) -> set[str]:
    used = set[str]()
    for function in functions:
        used.update(load.table for load in function.nodes.of(ir.Load))
        used.update(store.table for store in function.nodes.of(ir.Store))
    return used


def _inlined(function: ir.Function, facts: trees.Facts) -> ir.Function:
    splicer = Splicer(function, facts)
    body = splicer.block(function.body)
    if body is function.body:
        return function
    return fold_function(trees.with_body(function, body, splicer.names.added), facts)


def _after_callees(entries: Sequence[str], called: Mapping[str, Counter[str]]) -> list[str]:
    """Return the functions that entries reach, each after the functions it calls where possible."""
    order: dict[str, None] = {}
    begun: set[str] = set()
    stack = [(name, False) for name in reversed(entries)]
    while stack:
        name, done = stack.pop()
        if done:
            order[name] = None
        elif name not in begun:
            begun.add(name)
            stack.append((name, True))
            stack.extend((callee, False) for callee in reversed(called[name]))
    return list(order)
