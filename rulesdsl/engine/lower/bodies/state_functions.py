"""The functions of states: rows of cells, sets as masks, initial values, hooks of the runtime.

They are written in the runtime's subset of Python and read from there; the parts that differ from
state to state are filled in.
"""

from __future__ import annotations

from textwrap import dedent, indent

from rulesdsl.engine.ir.subset import read_functions
from rulesdsl.engine.lower import runtime
from rulesdsl.engine.lower.bodies.statements import Locals
from rulesdsl.engine.lower.context import Lowering
from rulesdsl.engine.lower.emit import ZERO, Builder, as_number
from rulesdsl.engine.lower.expressions.expressions import ExpressionLowering
from rulesdsl.engine.lower.tables.state_tables import CELL_ROWS, CELL_SHIFT, WORD, StateTable
from rulesdsl.engine.runtime import faults, heap
from rulesdsl.engine.runtime.effects import KEY
from rulesdsl.language.model import ir, types

_CORE = """
def begin() -> int: return 0
def push(items: int, item: int) -> None: pass
def keep(top: int, items: int) -> int: return 0
def copy(items: int) -> int: return 0
def name_piece(piece: int) -> None: pass
def name_segment(segment: int) -> None: pass
def described(piece: int) -> int: return 0
def blend(key: int, number: int) -> int: return 0
"""
"""The signatures of the runtime's functions that are called."""

_HEAP = """
def keep_some(top: int, items: int) -> int:
    if items < 0:
        heap_top[0] = top
        return items
    return keep(top, items)

def copy_some(items: int) -> int:
    if items < 0:
        return items
    return copy(items)
"""
"""`keep` and `copy` for sets that can be none."""

_CELL_ROWS = """
def {find}(cell: int) -> int:
    for probe in range({rows}):
        row = ((cell ^ cell >> {shift}) + probe) % {rows}
        if {keys}[row] == cell + 1:
            return row
        if {keys}[row] == 0:
            return {rows}
    return {rows}

def {make}(cell: int) -> int:
    for probe in range({rows}):
        row = ((cell ^ cell >> {shift}) + probe) % {rows}
        if {keys}[row] == cell + 1:
            return row
        if {keys}[row] == 0:
            {keys}[row] = cell + 1
            return row
    fault(NO_SPACE)
"""


def lower_states(lowering: Lowering) -> None:
    """Add the functions of all states.

    They read and write sets and find the rows of cells. `init_states()` resets every state to
    its initial value; `mark_states`, `same_states`, `states_key` and `stateful` are the runtime's
    hooks.
    """
    states = lowering.states.values()
    sources = [_HEAP]
    for state in states:
        if state.hashed:
            sources.append(_cell_rows(lowering, state))
        if state.members is not None:
            sources += [_get(lowering, state), _set(lowering, state)]
    sources += [_mark_states(lowering), _same_states(lowering), _states_key(lowering)]
    sources.append(_stateful(lowering))
    own = {"heap", "heap_top", "piece_class", "piece_segment", "segment_piece"}
    tables = own | {*lowering.tables}
    constants = {"NO_SPACE": faults.NO_SPACE, "RANGE": faults.RANGE}
    known = read_functions({"core": _CORE}, (), {})
    header = (
        f"from core import {', '.join(known)}\n"
        f"from outside import {', '.join(sorted(tables | constants.keys()))}\n"
    )
    modules = {"states": header + "\n".join(sources), "core": _CORE}
    found = read_functions(modules, tables, constants)
    lowering.functions.update({key: made for key, made in found.items() if key not in known})
    lowering.functions["init_states"] = _init_states(lowering)


def _cell_rows(lowering: Lowering, state: StateTable) -> str:
    """Return the source of the functions that find or make the row of a cell.

    A cell without a row has `CELL_ROWS`, which holds the initial value.
    """
    return _CELL_ROWS.format(
        find=lowering.name("find_row", state.key),
        make=lowering.name("make_row", state.key),
        keys=state.keys,
        rows=CELL_ROWS,
        shift=CELL_SHIFT,
    )


# --- sets ----------------------------------------------------------------------------------------


def _entry(state: StateTable, row: str, word: str) -> str:
    if state.words == 1:
        return f"{state.data}[{row}]"
    return f"{state.data}[{row} * {state.words} + {word}]"


def _first(state: StateTable) -> int | None:
    """Return the member of bit 0 if the members are consecutive numbers, else None."""
    members = state.members or (0,)
    return members[0] if members[-1] - members[0] == len(members) - 1 else None


def _each_member(lowering: Lowering, state: StateTable, row: str, done: str) -> str:
    """Return the source of a loop over the set of a row; `done` uses each `item`."""
    first = _first(state)
    lines = []
    for word in range(state.words):
        lines += [
            f"mask = {_entry(state, row, str(word))}",
            f"bit = {WORD * word + (first or 0)}",
            "while mask > 0:",
            "    if mask & 1 != 0:",
            f"        item = {'bit' if first is not None else _members(lowering, state) + '[bit]'}",
            f"        {done}",
            "    mask >>= 1",
            "    bit += 1",
        ]
    return "\n".join(lines)


def _members(lowering: Lowering, state: StateTable) -> str:
    return lowering.const_table(f"{state.data}_members", state.members or ())


def _bits(lowering: Lowering, state: StateTable) -> str:
    """Return the const table of the bits by member, from the first member on."""
    members = state.members or (0,)
    bits = [0] * (members[-1] - members[0] + 1)
    for bit, member in enumerate(members):
        bits[member - members[0]] = bit
    return lowering.const_table(f"{state.data}_bits", tuple(bits))


def _get(lowering: Lowering, state: StateTable) -> str:
    lines = ["made = begin()", _each_member(lowering, state, "row", "push(made, item)")]
    if isinstance(state.definition.type, types.OptionalType):
        lines.insert(0, f"if {_entry(state, 'row', '0')} < 0:\n    return -1")
    body = indent("\n".join((*lines, "return made")), "    ")
    return f"def {lowering.name('get', state.key)}(row: int) -> int:\n{body}\n"


def _set(lowering: Lowering, state: StateTable) -> str:
    lines = [f"{_entry(state, 'row', str(word))} = 0" for word in range(state.words)]
    if isinstance(state.definition.type, types.OptionalType):
        lines.append(f"if items < 0:\n    {_entry(state, 'row', '0')} = -1\n    return")
    members = state.members or ()
    if members:
        lines += [
            "for at in range(items + 1, items + 1 + heap[items]):",
            f"    bit = heap[at] - {members[0]}",
        ]
        if isinstance(state.item, types.IntType):
            lines += [f"    if bit < 0 or bit >= {len(members)}:", "        fault(RANGE)"]
        if _first(state) is None:
            lines.append(f"    bit = {_bits(lowering, state)}[bit]")
        lines.append(f"    {_entry(state, 'row', f'bit // {WORD}')} |= 1 << bit % {WORD}")
    body = indent("\n".join(lines), "    ")
    return f"def {lowering.name('set', state.key)}(row: int, items: int) -> None:\n{body}\n"


# --- hooks of the runtime ------------------------------------------------------------------------

_PIECES: tuple[types.Type, ...] = (
    types.PIECE,
    *(types.NamedType(name) for name in types.PIECE_CLASSES),
)


def _mark_states(lowering: Lowering) -> str:
    """Return the source of the hook that names every piece held by a state, directly or by segment.

    Initial values hold no pieces.
    """
    lines = ["pass"]
    for state in lowering.states.values():
        kept = state.definition.type
        while isinstance(kept, types.OptionalType | types.SetType):
            kept = kept.item
        if kept not in (*_PIECES, types.SEGMENT, types.FEATURE):
            continue
        name = "name_piece" if kept in _PIECES else "name_segment"
        rows = state.tables[0].size // state.words
        if state.members is not None:
            done = _each_member(lowering, state, "row", f"{name}(item)")
        else:
            done = f"if {state.data}[row] >= 0:\n    {name}({state.data}[row])"
        lines.append(f"for row in range({rows}):\n" + indent(done, "    "))
    return "def mark_states() -> None:\n" + indent("\n".join(lines), "    ")


def _same_states(lowering: Lowering) -> str:
    """Return the source of the hook that compares the states of two pieces and their segments."""
    lines = ["pass"]
    for state in lowering.states.values():
        owner, entries = state.definition.owner, state.per_owner * state.words
        if owner in lowering.classes:
            compare = _compare(state, f"a - {state.first}", f"b - {state.first}", str(entries))
            number = lowering.classes[owner]
            lines.append(f"if piece_class[a] == {number}:\n" + indent(compare, "    "))
        elif owner == types.SEGMENT.name:
            count = f"(piece_segment[a + 1] - piece_segment[a]) * {entries}"
            lines.append(_compare(state, "piece_segment[a]", "piece_segment[b]", count))
    lines.append("return True")
    return "def same_states(a: int, b: int) -> bool:\n" + indent("\n".join(lines), "    ")


def _states_key(lowering: Lowering) -> str:
    """Return the source of the hook that hashes the states of a piece and its segments.

    Of a piece that is a state it takes what all players see of it, so that it does not matter which
    of several equal ones it is.
    """
    lines = ["key = 0"]
    for state in lowering.states.values():
        owner = state.definition.owner
        if owner in lowering.classes:
            body = _hash(lowering, state, f"piece - {state.first}", str(state.per_owner))
            lines.append(f"if piece_class[piece] == {lowering.classes[owner]}:")
            lines.append(indent(body, "    "))
        elif owner == types.SEGMENT.name:
            count = f"(piece_segment[piece + 1] - piece_segment[piece]) * {state.per_owner}"
            lines.append(_hash(lowering, state, "piece_segment[piece]", count))
    lines.append("return key")
    return "def states_key(piece: int) -> int:\n" + indent("\n".join(lines), "    ")


def _hash(lowering: Lowering, state: StateTable, owner: str, count: str) -> str:
    """Return source that adds a number of rows of an owner to `key`."""
    kept = state.definition.type
    while isinstance(kept, types.OptionalType | types.SetType):
        kept = kept.item
    whole = kept in _PIECES
    if state.members is not None and whole:
        body = f"total = 1 if {_entry(state, 'row', '0')} < 0 else 0\n" + _each_member(
            lowering, state, "row", f"total = total + described(item) & {KEY}"
        )
        body += "\nkey = blend(key, total)"
    elif state.members is not None:
        words = (f"key = blend(key, {_entry(state, 'row', str(n))})" for n in range(state.words))
        body = "\n".join(words)
    else:
        body = f"item = {state.data}[row]\n"
        if whole:
            body += "key = blend(key, described(item) if item >= 0 else item)"
        elif kept in (types.SEGMENT, types.FEATURE):
            body += (
                "if item >= 0:\n    key = blend(key, described(segment_piece[item]))\n"
                "    item -= piece_segment[segment_piece[item]]\nkey = blend(key, item)"
            )
        else:
            body += "key = blend(key, item)"
    head = (
        f"for row in range(({owner}) * {state.per_owner}, ({owner}) * {state.per_owner} + {count}):"
    )
    return head + "\n" + indent(body, "    ")


def _stateful(lowering: Lowering) -> str:
    owners = {state.definition.owner for state in lowering.states.values()}
    every = types.SEGMENT.name in owners
    mask = sum(1 << number for name, number in lowering.classes.items() if every or name in owners)
    return f"def stateful() -> int:\n    return {mask}\n"


def _compare(state: StateTable, one: str, other: str, count: str) -> str:
    """Return source that returns False unless a number of entries of two owners are equal."""
    entries = state.per_owner * state.words
    left, right = (f"{state.data}[({at}) * {entries} + entry]" for at in (one, other))
    text = f"""
        for entry in range({count}):
            if {left} != {right}:
                return False
    """
    return dedent(text).strip()


# --- how states begin ----------------------------------------------------------------------------


def _init_states(lowering: Lowering) -> ir.Function:
    """Return the function that fills the rows of all states.

    Each initial value is computed once, for the first row, and copied to the others.
    """
    builder = Builder()
    expressions = ExpressionLowering(lowering, builder, Locals(builder))
    for state in lowering.states.values():
        _begin(expressions, state)
    return builder.function("init_states", "Reset every state to its initial value.")


def _begin(expressions: ExpressionLowering, state: StateTable) -> None:
    builder, definition = expressions.builder, state.definition
    span = definition.span
    size = state.tables[0].size
    top = builder.let("top", runtime.call(heap.mark)) if state.members is not None else None
    kept = definition.type
    value = as_number(expressions.fitted(definition.initial, kept), kept)
    if size == 0:
        builder.let("unused", value, span)
    elif state.members is not None:
        builder.do(expressions.lowering.name("set", state.key), ZERO, value, span=span)
    else:
        builder.emit(ir.Store(state.data, ZERO, value, span))
    if top is not None:
        builder.do(heap.release, top)
    if size > state.words:
        entry = builder.fresh("entry")
        before = ir.Binary("-", ir.Local(entry), ir.Const(state.words))
        copy = ir.Store(state.data, ir.Local(entry), ir.Load(state.data, before), span)
        builder.emit(ir.For(entry, ir.Const(state.words), ir.Const(size), (copy,), span))
    if state.hashed:
        entry = builder.fresh("entry")
        clear = ir.Store(state.keys, ir.Local(entry), ZERO, span)
        builder.emit(ir.For(entry, ZERO, ir.Const(CELL_ROWS), (clear,), span))
