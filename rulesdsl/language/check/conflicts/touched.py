"""The columns that the programs of rules touch, by the forms of their nodes.

`touched.json` is recorded by `python3 -m tools touched` from lowered programs: for each form, the
columns whose tables its code loads and stores. A form is a node without its operands: what it is,
and the types of these.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files

from rulesdsl.base.records import dataclass
from rulesdsl.language.builtins import word
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import types

_TABLE = "touched.json"

_THINGS = frozenset(
    (how, word)
    for how in ("of", "over")
    for word in (
        *("cell", "feature", "grid", "piece", "placement"),
        *("segment", "space", "zone", "zones"),
    )
)
"""The words of what can lie somewhere, or where something can lie."""
_WHERE = frozenset({"contents", "place"})
_LYING = _WHERE | {"board", "faces", "features", "links", "standing"}
_ALL = _LYING | {"decisions", "end", "locals", "noted", "queue"}


@dataclass(frozen=True)
class Touched:
    """The columns that a node itself loads and stores, without its operands."""

    loads: frozenset[str] = frozenset()
    stores: frozenset[str] = frozenset()

    def __or__(self, other: Touched) -> Touched:
        return Touched(self.loads | other.loads, self.stores | other.stores)

    def __bool__(self) -> bool:
        return bool(self.loads or self.stores)

    def __le__(self, other: Touched) -> bool:
        return self.loads <= other.loads and self.stores <= other.stores


def touched(node: tree.Node) -> Touched:
    """Return what a node of rules touches, without its operands and the states that it names."""
    found = Touched()
    for form in forms(node):
        found |= _table().get(form, _unknown(form))
    return found


def _unknown(form: str) -> Touched:
    """Return everything about the operands of a form that is not in the table."""
    everything = _WHERE if form.endswith((" space", " zone", " zones")) else _LYING
    everything = _ALL if form.endswith(")") or "->" in form else everything
    return Touched(everything, everything)


@cache
def _table() -> Mapping[str, Touched]:
    text = files(__package__).joinpath(_TABLE).read_text(encoding="utf-8")
    return {
        form: Touched(*(frozenset(columns.split()) for columns in key.split("/")))
        for key, same in json.loads(text).items()
        for form in same.split("; ")
    }


def forms(node: tree.Node) -> Iterator[str]:
    """Yield the forms of a node: one for a call, otherwise one for each thing it is about."""
    match node:
        case tree.CallBuiltin(function=name, arguments=arguments, type=result):
            yield f"{name}({_words(arguments)}) -> {_word(result)}"
        case tree.Perform(call=tree.EffectCall(effect=name, arguments=arguments, told=told)):
            yield f"{name}{' told' if told is not None else ''}({_words(arguments)})"
        case tree.ReadState() | tree.SetState() | tree.Later():
            pass  # what they touch is named in them
        case tree.Binder() | tree.ActionCall() | tree.ChoiceCall() | tree.EffectCall():
            pass  # they belong to the node around them
        case _:
            what = ["For" if isinstance(node, tree.AlwaysDef) else type(node).__name__]
            what += [str(getattr(node, name)) for name in _SORTS if hasattr(node, name)]
            words = {(how, about(each.type)) for each, how in _operands(node)}
            named = (f"{' '.join(what)} {how} {each}" for how, each in sorted(words & _THINGS))
            yield from named


_SORTS = ("function", "operator", "test", "what", "offered")
"""The fields that tell nodes of one class apart."""


def operands(node: object) -> Iterator[tree.Typed]:
    """Yield the expressions of which a node is made, with the domains of its binders."""
    return (each for each, _ in _operands(node))


def _operands(node: object) -> Iterator[tuple[tree.Typed, str]]:
    """Yield the operands of a node, and whether it asks `of` them or goes `over` them."""
    call = node.call if isinstance(node, tree.Perform | tree.Later) else node
    for name, part in vars(call).items():
        if name == "item":
            continue  # of a membership test, which is about the set
        for each in part if isinstance(part, tuple) else (part,):
            if isinstance(each, tree.Binder):
                yield each.domain, "over"
            elif isinstance(each, tree.Typed):
                yield each, "over" if name == "set" else "of"


def about(type_: types.Type) -> str:
    """Return the word for a type, the same one for a set; a zone is another thing than zones."""
    found = _word(type_)
    return found if found == "zones" else found.rstrip("s")


def _words(found: Iterable[tree.Typed]) -> str:
    return ", ".join(_word(each.type) for each in found)


def _word(type_: types.Type) -> str:
    return "" if type_ in (types.NONE, types.UNIT) else word(type_)
