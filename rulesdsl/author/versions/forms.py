"""Rules in a form that is equal for rules of the same meaning.

It has no positions, no order of declarations, and numbers instead of names of locals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields

from rulesdsl.base.records import dataclass
from rulesdsl.language.check.conflicts.effects import Effects, EffectTable
from rulesdsl.language.check.graph import contents
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import Tree
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.values import EnumMember, Face, Grid, Kind, Piece, Space, Zone


@dataclass(frozen=True)
class RuleForm:
    """A rule of a ruleset: its name, such as `refine worth`, its key, its form and its place.

    Rules of one ruleset and `key` replace each other. `open` says that others may use its name, and
    `secret` which arguments of an option others do not see.
    """

    name: str
    key: tuple[str, ...]
    form: object
    span: Span
    open: bool = False
    secret: tuple[bool, ...] = ()


_LOCALS = ("names", "params")
"""The fields that name locals."""
_FIRST = (*_LOCALS, "binders", "binder")
"""The fields whose locals other fields use."""
_LEFT_OUT = {
    "span",
    "ruleset",
    "beats",
    "hooks",
    "precondition",
    "forbids",
    "options",
    "rules",
    "requires",
}
"""The fields that are no part of a form, or of a form of their own."""


class RuleForms:
    """All `rules` of a game.

    `orders` has the rules of a kind on a name with a key by form, in the order they run, and
    `beaten` pairs of forms, of which the first comes before the second, with the name of both.
    """

    def __init__(self, checked: tree.Checked) -> None:
        self._checked, self._game = checked, checked.game
        self.orders = dict[tuple[str, ...], dict[object, tree.Hook | tree.AlwaysDef]]()
        self.beaten = set[tuple[str, object, object]]()
        self.rules = list(self._all())

    def _all(self) -> Iterator[RuleForm]:
        checked = self._checked
        for key, state in checked.states.items():
            yield self._declared(f"state {short_name(key)}", key, state)
        for key, value in checked.values.items():
            yield from self._of_value(key, value)
        for key, action in checked.actions.items():
            yield self._declared(f"action {short_name(key)}", key, action, action.params)
            yield from self._hooks(short_name(key), key, action.hooks, {})
        for key, choice in checked.choices.items():
            yield from self._of_choice(key, choice)
        for each in checked.always:
            yield self._one("always", ("always", each.ruleset), each)
        self.orders["always",] = {self._form(each, {}): each for each in checked.always}
        for invariant in checked.invariants:
            name = f"invariant {short_name(invariant.key)}"
            yield self._one(name, ("invariant", invariant.key), invariant)

    def meet(self, key: tuple[str, ...], pairs: Sequence[tuple[object, object]]) -> bool:
        """Return whether some of these pairs of forms in an order may matter to each other."""
        if not pairs or key[0] == "arounds":
            return bool(pairs)
        table = EffectTable(self._checked, contents(self._checked))

        def effects(form: object) -> Effects:
            rule = self.orders[key][form]
            given = (rule.params, rule.guard) if isinstance(rule, tree.Hook) else ()
            return table.of(rule, *given)

        return any(effects(one).meets(effects(other)) for one, other in pairs)

    def _declared(
        self, name: str, key: str, node: tree.Node, params: Iterable[tree.Parameter] = ()
    ) -> RuleForm:
        form = self._form(node, self._locals(each.name for each in params))
        return RuleForm(name, (name, key), form, node.span, open=True)

    def _one(
        self,
        name: str,
        key: tuple[str, ...],
        node: tree.Node,
        names: Mapping[str, str] | None = None,
    ) -> RuleForm:
        return RuleForm(name, key, self._form(node, dict(names or {})), node.span)

    def _of_value(self, key: str, value: tree.ValueDef) -> Iterator[RuleForm]:
        name = short_name(key)
        if key not in self._checked.actions:
            yield self._declared(f"value {name}", key, value, value.params)
        forms = [self._form(rule, {}) for rule in value.rules]
        for rule, form in zip(value.rules, forms, strict=True):
            said = f"value {name}" if rule.verb == "base" else f"{rule.verb} {name}"
            yield RuleForm(said, (rule.verb, key, rule.ruleset), form, rule.span)
            self.beaten |= {(said, form, forms[beaten]) for beaten in rule.beats}

    def _of_choice(self, key: str, choice: tree.ChoiceDef) -> Iterator[RuleForm]:
        short = short_name(key)
        yield self._declared(f"choice {short}", key, choice, choice.params)
        yield from self._hooks(short, key, choice.hooks, {})
        for option in choice.options:
            # The names of arguments are those of moves.
            names = self._locals(each.name for each in choice.params)
            names |= {name: f"{_OWN}{name}" for each in option.binders for name in each.names}
            name = f"option {option.name}"
            form, secret = self._form(option, dict(names)), tuple(e.secret for e in option.binders)
            yield RuleForm(name, (name, option.key), form, option.span, True, secret)
            for veto in option.forbids:
                about = f"forbid {option.name}"
                yield self._one(about, ("forbid", option.key, veto.ruleset), veto, names)
            yield from self._hooks(option.name, option.key, option.hooks, names)

    def _hooks(
        self, name: str, key: str, hooks: tree.Hooks, names: Mapping[str, str]
    ) -> Iterator[RuleForm]:
        for field in fields(hooks):
            when = field.name.removesuffix("s")
            found: Sequence[tree.Hook] = getattr(hooks, field.name)
            for hook in found:
                yield self._one(f"{when} {name}", (when, key, hook.ruleset), hook, names)
            order = self.orders.setdefault((field.name, name, key), {})
            order.update((self._form(hook, dict(names)), hook) for hook in found)

    # --- forms -----------------------------------------------------------------------------------

    def _locals(self, names: Iterable[str]) -> dict[str, str]:
        found = dict[str, str]()
        for name in names:
            _bind(name, found)
        return found

    def _form(self, node: object, names: dict[str, str]) -> object:
        """Return the form of a part of a rule; `names` are the locals so far, which it extends."""
        match node:
            case tree.Const(value=value, setting=setting):
                return ("setting", setting) if setting else ("is", self._value(value))
            case tree.Local(name=name):
                return names[name]
            case tree.EntryAt(what=what, number=number, index=index):
                return getattr(self._game, f"{what}s")[number].key, self._form(index, names)
            case tree.Let(name=name, value=value):
                inner = self._form(value, names)
                return "let", _bind(name, names), inner
            case tree.SetLocal(name=name, operator=operator, value=value):
                return operator, names[name], self._form(value, names)
            case tree.Reach(name=name, start=start, step=step):
                first = self._form(start, names)
                return "reach", first, _bind(name, names), self._form(step, names)
            case tree.Perform(call=call, into=into):
                inner = self._form(call, names)
                return inner if into is None else (_bind(into, names), inner)
            case Tree():
                return self._of_node(node, names)
            case tuple():
                return tuple(self._form(each, names) for each in node)
            case tree.Parameter(type=type_):
                return str(type_)
        return repr(node)

    def _of_node(self, node: Tree, names: dict[str, str]) -> object:
        left_out = {*_LEFT_OUT, *(("type",) if isinstance(node, tree.Typed) else ())}
        left_out -= {"ruleset"} if isinstance(node, tree.Previous) else set()
        parts = [name for name in vars(node) if name not in left_out]
        found: list[object] = [type(node).__name__]
        for name in sorted(parts, key=lambda name: name not in _FIRST):
            value = getattr(node, name)
            if name in _LOCALS and not (value and isinstance(value[0], tree.Parameter)):
                found.append(tuple(_bind(each, names) for each in value))
            else:
                found.append(self._form(value, names))
        return tuple(found)

    def _value(self, value: object) -> object:
        """Return a constant by its names, since numbers change with what else there is."""
        game = self._game
        match value:
            case EnumMember(enum=enum, index=index):
                members = {each.key: each.members for each in game.enums}.get(enum)
                return enum, members[index] if members else index
            case Kind(index=index):
                return game.kinds[index].key + game.kinds[index].variant
            case Face(kind=kind, index=index):
                return game.kinds[kind].key, game.kinds[kind].faces[index].name
            case Piece(index=index):
                piece = game.pieces[index]
                return game.kinds[piece.kind].key, piece.copy, piece.seat
            case Zone(zone=at, index=index):
                return game.zones[at].key, index
            case Grid(grid=at, index=index):
                return game.grids[at].key, index
            case Space(track=at, index=index):
                return game.tracks[at].key, index
            case tuple():
                return tuple(sorted((self._value(each) for each in value), key=repr))
        return repr(value)


_OWN = "."
"""The beginning of the form of a local whose name is known outside."""


def _bind(name: str, names: dict[str, str]) -> str:
    if not names.get(name, "").startswith(_OWN):
        names[name] = f"${len(names)}"
    return names[name]
