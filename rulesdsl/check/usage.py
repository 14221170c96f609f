"""What is declared and never used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rulesdsl.check.scope import Context
from rulesdsl.diagnostics import Report, Span
from rulesdsl.model import checked
from rulesdsl.model.game import Declared, Game
from rulesdsl.model.names import short_name
from rulesdsl.model.nodes import Mapping as YamlMapping
from rulesdsl.model.nodes import Node as YamlNode
from rulesdsl.model.nodes import Scalar, Sequence
from rulesdsl.model.types import EnumType, OptionalType, SetType, Type
from rulesdsl.model.values import EnumMember
from rulesdsl.model.walk import walk

_SETTING = re.compile(r"settings\.(\w+)")


def check_usage(game: checked.Checked, contexts: Iterable[Context], report: Report) -> None:
    """Warn of state, values, actions, choices, attributes, enums, settings and locals that nothing
    reads or calls."""
    used = _used(game)
    refined = game.values.keys() & {attribute.key for attribute in game.game.attributes}
    tables: tuple[tuple[str, str, Mapping[str, checked.Node]], ...] = (
        ("state", "read", game.states),
        ("value", "used", game.values),
        ("action", "called", game.actions),
        ("choice", "asked", game.choices),
    )
    for what, verb, table in tables:
        for key, node in table.items():
            unused = key not in used and key not in refined
            help = _namesakes(key, table) if what == "value" else ()
            _warn(report, unused, f"{what} `{short_name(key)}` is never {verb}", node.span, help)
    _check_box(game.game, used, report)
    for ctx in contexts:
        for local in ctx.locals:
            unused = local.what in ("let", "var") and not local.read
            _warn(report, unused, f"`{local.key}` is never read", local.span)


def _namesakes(key: str, values: Iterable[str]) -> tuple[str, ...]:
    """Help for who declares a value anew to change it."""
    name = short_name(key)
    others = (other for other in values if other != key and short_name(other) == name)
    return tuple(f"`{other}` is another value; rules change it with `refine`" for other in others)


def _warn(
    report: Report, unused: bool, message: str, span: Span, help: tuple[str, ...] = ()
) -> None:
    if unused:
        report.warning("unused", message, span, help=help)


def _check_box(game: Game, used: set[str], report: Report) -> None:
    read_by_box = set(_settings_in_manifests(game))
    groups: tuple[tuple[str, str, tuple[Declared, ...]], ...] = (
        ("attribute", "read", game.attributes),
        ("enum", "used", game.enums),
        ("setting", "read", game.settings),
    )
    for what, verb, items in groups:
        for item in items:
            unused = item.key not in used
            if what == "setting":
                unused = unused and item.name not in read_by_box
            _warn(report, unused, f"{what} `{item.name}` is never {verb}", item.span)


def _settings_in_manifests(game: Game) -> Iterable[str]:
    """Names that expressions in manifests read as `settings.name`."""
    for ruleset in game.rulesets:
        for text in _texts(ruleset.manifest):
            yield from _SETTING.findall(text)


def _texts(node: YamlNode) -> Iterable[str]:
    match node:
        case Scalar(value=str(text)):
            yield text
        case Sequence():
            for item in node:
                yield from _texts(item)
        case YamlMapping():
            for _, value in node:
                yield from _texts(value)


def _used(game: checked.Checked) -> set[str]:
    """Full names of all that is read, called or mentioned."""
    used = {game.play, game.finish, game.score}
    for tables in (game.states, game.values, game.actions, game.choices):
        for thing in tables.values():
            used.update(_mentions(thing))
    used.update(_mentions(game.always))
    for attribute in game.game.attributes:
        used.update(_enums(attribute.type))
    for places in (game.game.zones, game.game.grids):
        used.update(place.per for place in places if place.per is not None)
    return used


def _mentions(thing: object) -> Iterable[str]:
    for node in walk(thing):
        match node:
            case checked.ReadState(state=key):
                yield key
            case checked.CallValue(value=key):
                yield key
            case checked.ActionCall(action=key):
                yield key
            case checked.ChoiceCall(choice=key):
                yield key
            case checked.ReadAttribute(attribute=key):
                yield key
            case checked.EnumSet(enum=key):
                yield key
            case checked.Const(value=value, setting=setting):
                if setting is not None:
                    yield setting
                if isinstance(value, EnumMember):
                    yield value.enum
            case checked.StateDef(type=type_, index=index):
                for each in (type_, *index):
                    yield from _enums(each)
            case (
                checked.ValueDef(type=type_, params=params)
                | checked.ActionDef(type=type_, params=params)
            ):
                for each in (type_, *(param.type for param in params)):
                    yield from _enums(each)


def _enums(type_: Type) -> Iterable[str]:
    match type_:
        case EnumType(name=name):
            yield name
        case SetType(item=item) | OptionalType(item=item):
            yield from _enums(item)
