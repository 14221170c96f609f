"""Choices among things of unrelated rulesets by the order of their names.

Components and members of enums are ordered by ruleset first. So `first`, and a loop that ends
early, prefer the ruleset whose name comes first.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.check.conflicts.effects import EffectScope, Part, Values
from rulesdsl.check.graph import Contents
from rulesdsl.diagnostics import Report
from rulesdsl.model import checked as tree
from rulesdsl.model.game import LinkedGame
from rulesdsl.model.names import ruleset_of, short_name
from rulesdsl.model.types import PIECE, PIECE_CLASSES, ZONE, EnumType, NamedType, SetType, Type


def check_name_order(checked: tree.Checked, inside: Contents, report: Report) -> None:
    """Report `order-of-names`, a warning, for `first` and loops over things of unrelated rulesets.

    Only loops that end early are reported. Two rulesets are unrelated if neither requires the
    other.
    """
    values = Values(checked.game, inside)
    for nodes in inside.every():
        choosing = [
            (aggregate.binders[0], "`first`")
            for aggregate in nodes.of(tree.Aggregate)
            if aggregate.function == "first"
        ]
        choosing += [
            (loop.binder, "this loop, which can end early,")
            for loop in nodes.of(tree.For)
            if loop.start is None and _ends_early(loop.body)
        ]
        if choosing:
            scope = EffectScope(values, nodes)
            for binder, what in choosing:
                _check(checked.game, binder, scope, what, report)


def _check(
    game: LinkedGame, binder: tree.Binder, scope: EffectScope, what: str, report: Report
) -> None:
    found = _strangers(game, _things(game, binder, scope))
    if found is None:
        return
    one, two = found
    name = binder.names[0]
    report.warning(
        "order-of-names",
        f"{what} can choose between `{one}` and `{two}`, whose rulesets do not know each other: "
        "only their names decide",
        binder.span,
        help=(
            f"say which are meant, as in `where {name} is {short_name(one)}`",
            "or let a value decide: `most(… by …)`",
        ),
    )


def _ends_early(body: tree.Block) -> bool:
    """Say whether a round can end the loop, or the code around it."""
    for statement in body:
        match statement:
            case tree.Break() | tree.Return():
                return True
            case tree.If(then=then, otherwise=otherwise):
                if _ends_early(then) or _ends_early(otherwise):
                    return True
            case tree.For(body=inner) | tree.While(body=inner):
                if any(isinstance(node, tree.Return) for node in tree.Nodes(inner).of(tree.Return)):
                    return True
    return False


def _things(game: LinkedGame, binder: tree.Binder, scope: EffectScope) -> Iterator[str]:
    """Yield the full names of the kinds and enum members that a binder ranges over."""
    type_ = binder.domain.type
    item = type_.item if isinstance(type_, SetType) else type_
    if isinstance(item, EnumType):
        for enum in game.enums:
            if enum.key == item.name:
                named = zip(enum.members, enum.origins, strict=True)
                yield from (f"{origin}/{member}" for member, origin in named)
    elif item in (ZONE, PIECE) or isinstance(item, NamedType):
        known = scope.binder(binder)
        kinds, where = known.kinds, known.where
        for kind in game.kinds:
            if kind.cls in _classes(game, item, where) and (
                not isinstance(kinds, frozenset) or kind.key in kinds
            ):
                yield kind.key


def _classes(game: LinkedGame, item: Type, where: Part) -> frozenset[str]:
    """Return the classes of components of a type, or in the zones where they are known to be."""
    if item == ZONE:
        held = [zone.holds for zone in game.zones]
        if isinstance(where, frozenset):
            held = [zone.holds for zone in game.zones if zone.key in where]
        return frozenset[str]().union(*held)
    return frozenset(PIECE_CLASSES if item == PIECE else [str(item)])


def _strangers(game: LinkedGame, names: Iterator[str]) -> tuple[str, str] | None:
    """Return two things of rulesets of which neither reaches the other, None if there are none."""
    first = dict[str, str]()
    for name in names:
        own = game.reach[ruleset_of(name)]
        for ruleset, other in first.items():
            if not (own >= game.reach[ruleset] or game.reach[ruleset] >= own):
                return other, name
        first.setdefault(ruleset_of(name), name)
    return None
