"""Rules that look at pieces that nobody sees, or that the player who moves does not see."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.language.check.conflicts.effects import ColumnPart, EffectScope, Values
from rulesdsl.language.check.graph import Contents
from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.model import checked
from rulesdsl.language.model.flow import MOST_ANSWERS, answers, told_keys

_LOOKING = frozenset({"kinds", "one", "tiles", "cards", "dice", "tokens", "figures"})
"""Functions that fail for a zone whose contents nobody sees."""


def check_hidden(game: checked.Checked, inside: Contents, report: Report) -> None:
    """Report `hidden-zone` where rules do more than count or take what lies in such a zone.

    Report `hidden-moves` where an option asks what lies in a zone that all see but its player,
    unless some rule reveals pieces to single players, and `cannot-tell` if rules tell too much.
    """
    _check_zones(game, inside, report)
    calls = [call for nodes in inside.every() for call in nodes.of(checked.EffectCall)]
    told = [call.told for call in calls if call.told is not None]
    found = answers(game.game, told_keys(game)) if told else {}
    if (count := sum(len(each.values) for each in found.values())) > MOST_ANSWERS:
        names = ", ".join(f"`{each.attribute.name}`: {len(each.values)}" for each in found.values())
        message = (
            f"{count} values can be told in this game ({names}), and {MOST_ANSWERS} are the most"
        )
        help_lines = ("tell attributes with fewer values, or give the component an enum of ranges",)
        report.error("cannot-tell", message, told[-1].span, help=help_lines)
    if not any(
        call.effect == "reveal" and call.told is None and len(call.arguments) > 1 for call in calls
    ):
        _check_options(game, report, frozenset(found))


def _check_zones(game: checked.Checked, inside: Contents, report: Report) -> None:
    found = {}
    looks = list[tuple[int, Span]]()
    for nodes in inside.every():
        for domain in _looked_into(nodes):
            match domain:
                case checked.EntryAt(what="zone", number=number, span=span):
                    if game.game.zones[number].visible == "none":
                        found[span] = game.game.zones[number].name
                    else:
                        looks.append((number, span))
    for span, name in found.items():
        report.error(
            "hidden-zone",
            f"nobody sees what lies in `{name}`, so rules cannot look into it",
            span,
            help=(
                f"count it, as in `count(c in {span.text} where …)`, draw from it with "
                f"`take({span.text})`, or move all of it with `move_all({span.text}, …)`",
                f"or give `{name}` another `visible`",
            ),
        )
    _check_shuffled(game, inside, looks, report)


def _check_shuffled(
    game: checked.Checked, inside: Contents, looks: list[tuple[int, Span]], report: Report
) -> None:
    """Report rules that look into a zone which a ruleset shuffles that they do not know."""
    named = {each.rules.name: each.id for each in game.game.rulesets if each.rules is not None}
    looks = sorted(looks, key=lambda look: (look[1].source.name, look[1].start))
    told = set[tuple[int, str, str]]()
    for call, shuffled in _shuffles(game, inside):
        other = named[call.span.source.name]
        for number, span in looks:
            own, zone = named[span.source.name], game.game.zones[number].name
            key = number, own, other
            known = other in game.game.reach[own] or key in told
            if known or game.game.zones[number].key not in shuffled:
                continue
            told.add(key)
            report.warning(
                "hidden-zone",
                f"`{other}` shuffles `{zone}`, and then rules of `{own}` cannot look into it",
                span,
                labels=(Label(call.span, "shuffles it"),),
                help=(
                    f"shuffle a zone of `{other}` instead",
                    "or allow it if nothing lies there at that time: `# allow: hidden-zone`",
                ),
            )


def _shuffles(
    game: checked.Checked, inside: Contents
) -> Iterator[tuple[checked.Node, frozenset[object]]]:
    """Yield each call that shuffles zones, and their full names; also of actions with a zone."""
    values, given = Values(game.game, inside), dict[str, ColumnPart]()
    for key, nodes in inside.actions.items():
        for effect in nodes.of(checked.EffectCall):
            if effect.effect == "shuffle":
                given[key] = EffectScope(values, nodes).part(effect.arguments[0])
    for nodes in inside.every():
        scope, found = EffectScope(values, nodes), list[tuple[checked.Node, checked.Expr]]()
        found += [
            (e, e.arguments[0]) for e in nodes.of(checked.EffectCall) if e.effect == "shuffle"
        ]
        for call in nodes.of(checked.ActionCall):
            number = given[call.action].parameter if call.action in given else None
            found += [(call, call.arguments[number])] if number is not None else []
        for node, zone in found:
            if (where := scope.known(zone).where.values) is not None:
                yield node, where


def _looked_into(nodes: checked.Nodes) -> Iterator[checked.Expr]:
    """Yield the expressions of which rules want to know the members."""
    yield from (each.domain for each in nodes.of(checked.Binder) if not each.blind)
    yield from (each.set for each in nodes.of(checked.Member))
    for call in nodes.of(checked.CallBuiltin):
        if call.function in _LOOKING:
            yield from call.arguments[:1]


def _check_options(game: checked.Checked, report: Report, told: frozenset[str]) -> None:
    """Report guards of options that read an unknown piece, except for attributes that are told."""
    for choice in game.choices.values():
        mover = choice.by.span.text
        lasting = frozenset({mover} if isinstance(choice.by, checked.ReadState) else ())
        for option in choice.options:
            asked = (option.binders, option.guard, option.forbids)
            peeks = _peeks(game, asked, lasting | {mover}, frozenset(), lasting, set(), told)
            for span in sorted(set(peeks), key=lambda each: each.start):
                report.warning(
                    "hidden-moves",
                    f"the moves of `{option.name}` depend on a piece that their player cannot see",
                    span,
                    help=(
                        "ask only for what the player knows, such as the number of cards",
                        "or show it before the choice: `reveal(c, p)`",
                    ),
                )


def _peeks(
    game: checked.Checked,
    asked: object,
    movers: frozenset[str],
    unknown: frozenset[str],
    lasting: frozenset[str],
    entered: set[object],
    told: frozenset[str],
) -> Iterator[Span]:
    """Yield the places in a tree that read pieces in a zone which the mover does not see.

    `movers` are texts that mean the mover, those in `lasting` everywhere; `unknown` are names of
    such pieces. `entered` holds the calls of values that were followed, and `told` the attributes
    that rules tell, which the mover may know.
    """
    nodes = checked.Nodes(asked)

    def is_own(place: checked.Expr) -> bool:
        match place:
            case checked.EntryAt(what="zone", number=number, index=(seat, *_)) if (
                zone := game.game.zones[number]
            ).visible != "none":
                return zone.visible == "others" and seat.span.text in movers
            case checked.EntryAt(what="zone", number=number):
                return game.game.zones[number].visible == "none"
        return False

    ranges = (each for each in nodes.of(checked.Binder) if is_own(each.domain))
    unknown = unknown.union(*(each.names for each in ranges))

    def is_unknown(read: checked.Expr | None) -> bool:
        return isinstance(read, checked.Local) and read.name in unknown

    peeked = (each for each in nodes.of(checked.ReadAttribute) if each.attribute not in told)
    yield from (each.span for each in peeked if is_unknown(each.object))
    yield from (each.span for each in nodes.of(checked.AttributeAt) if is_unknown(each.object))
    yield from (each.span for each in nodes.of(checked.ReadState) if is_unknown(each.owner))
    for test in nodes.of(checked.IsKind):
        if test.test == "kind" and is_unknown(test.object):
            yield test.span
    for call in nodes.of(checked.CallBuiltin):
        match call:
            case checked.CallBuiltin(function="kind" | "face", arguments=(first,)):
                peeks = is_unknown(first)
            case checked.CallBuiltin(function="kinds" | "one", arguments=(first, *_)):
                peeks = is_own(first)
            case _:
                peeks = False
        if peeks:
            yield call.span
    for used in nodes.of(checked.CallValue):
        given = list(zip(game.values[used.value].params, used.arguments, strict=True))
        moving = lasting.union(each.name for each, a in given if a.span.text in movers)
        hidden = frozenset(each.name for each, a in given if is_unknown(a))
        key = (used.value, moving, hidden)
        if (moving or hidden) and key not in entered:
            entered.add(key)
            rules = game.values[used.value].rules
            if any(_peeks(game, rules, moving, hidden, lasting, entered, told)):
                yield used.span
