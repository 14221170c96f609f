"""Checked code: what it contains, where it leaves, and when two parts of it are the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields

from rulesdsl.model import checked
from rulesdsl.model.checked import walk

# --- control -------------------------------------------------------------------------------------


def contains(code: object, *kinds: type[checked.Node]) -> bool:
    """Return whether a node of one of these kinds is in a statement, block or expression."""
    return any(isinstance(node, kinds) for node in walk(code))


def ends_early(body: checked.Block) -> bool:
    """Return whether a round of a loop with this body can end the loop, or the code around it."""
    return contains(body, checked.Return, checked.Leave) or _breaks(body)


def _breaks(block: checked.Block) -> bool:
    """Return whether a block can end the loop around it; loops inside end themselves."""
    return any(
        isinstance(each, checked.Break)
        or (isinstance(each, checked.If) and (_breaks(each.then) or _breaks(each.otherwise)))
        for each in block
    )


def proceeds(block: checked.Block) -> bool:
    """Return whether every path through a block proceeds before it leaves."""
    for statement in block:
        match statement:
            case checked.Perform(call=checked.ProceedCall()):
                return True
            case checked.If(then=then, otherwise=otherwise):
                if proceeds(then) and proceeds(otherwise):
                    return True
        if contains(statement, checked.Return):
            return False
    return False


# --- identity ------------------------------------------------------------------------------------

Names = Mapping[str, str]
Written = Callable[[str], str]


def structure(node: object, names: Names, free: Written = str) -> str:
    """Return the structure of a checked node or block as text, without places and types.

    Code with the same text means the same. `names` has names for the locals declared around it;
    `free` gives those of all others. `previous` differs from rule to rule, so each is equal to
    itself alone.
    """
    match node:
        case checked.Local(name=name):
            return names.get(name, free(name))
        case str(text):
            return repr(free(text))
        case checked.Const(value=value, setting=setting):
            return f"settings.{setting}" if setting else repr(value)
        case checked.Previous(span=span):
            return f"previous at {span}"
        case checked.Ranged(operand=operand):
            return structure(operand, names, free)
        case checked.Aggregate() | checked.Comprehension():
            text, inside = ranged(node.binders, names, free)
            return f"({_fields(node, inside, free, but='binders')} for {text})"
        case checked.Reach(name=name, start=start, step=step):
            begin = structure(start, names, free)
            inside = {**names, name: f"#{len(names)}"}
            return f"reach({begin} by {structure(step, inside, free)})"
        case checked.Node():
            return _fields(node, names, free)
        case tuple():
            return f"({','.join(structure(each, names, free) for each in node)})"
    return repr(node)


def ranged(
    binders: tuple[checked.Binder, ...], names: Names, free: Written = str
) -> tuple[str, Names]:
    """Return the text of a range as `structure` does, and names for all locals inside it."""
    texts = []
    for binder in binders:
        domain = structure(binder.domain, names, free)
        places = {name: f"#{len(names) + number}" for number, name in enumerate(binder.names)}
        names = {**names, **places}
        where = structure(binder.where, names, free)
        texts.append(f"{len(places)} in {domain} where {where}")
    return ", ".join(texts), names


def _fields(node: checked.Node, names: Names, free: Written, but: str = "") -> str:
    parts = [
        structure(getattr(node, each.name), names, free)
        for each in fields(node)
        if each.name not in ("span", "type", but)
    ]
    return f"{type(node).__name__}({','.join(parts)})"
