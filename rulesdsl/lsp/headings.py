"""What something is, in a line, as it would be declared, and what its author says of it."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.builtins import EFFECTS, FORMS, FUNCTIONS, PROPERTIES, Builtin
from rulesdsl.check.symbols import Routine
from rulesdsl.diagnostics import Span
from rulesdsl.lsp.family import Family
from rulesdsl.model.game import (
    AttributeDef,
    Declared,
    EnumDef,
    FeatureKindDef,
    Game,
    GridDef,
    KindDef,
    SettingDef,
    TableDef,
    TrackDef,
    ZoneDef,
)
from rulesdsl.model.names import ruleset_of, short_name
from rulesdsl.model.types import UNIT
from rulesdsl.model.uses import Symbol

MOST = 6
"""So many numbers a setting can be are listed one by one."""


def heading(family: Family, symbol: Symbol) -> str:
    """The line for a symbol; a word of the language has a line for each of its forms."""
    return "\n".join(_lines(family, symbol)) or f"{symbol.what} {symbol.name}"


def _lines(family: Family, symbol: Symbol) -> Iterator[str]:
    game = family.examined.game
    match symbol.what:
        case "function" | "effect":
            yield from forms((FUNCTIONS | FORMS | EFFECTS)[symbol.name])
        case "property":
            for owner, result, _ in PROPERTIES[symbol.name]:
                yield f"{owner}.{symbol.name}: {result}"
        case "local":
            file, start, _ = symbol.key.rsplit(":", 2)
            found = family.locals.get((file, int(start)))
            if found is not None:
                what = {"binder": "each", "parameter": "parameter"}.get(found.what, found.what)
                yield f"{what} {symbol.name}: {found.type}"
        case "value" | "action" | "choice":
            routine = _routine(family, symbol)
            if routine is not None:
                yield signature(routine)
        case "state":
            yield from _state(family, symbol)
        case _ if game is not None:
            yield from _of_box(game, symbol)


def forms(row: Builtin) -> Iterator[str]:
    """How a function or effect of the language is called."""
    for each in row.signatures:
        result = "" if each.result == UNIT else f": {each.result}"
        yield f"{row.name}({', '.join(map(str, each.params))}){result}"


def _routine(family: Family, symbol: Symbol) -> Routine | None:
    draft = family.examined.draft
    if draft is None:
        return None
    symbols = draft.symbols
    return next(iter(symbols.own(symbols.routines, symbol.name, ruleset_of(symbol.key))), None)


def signature(routine: Routine) -> str:
    """How a value, action or choice is declared."""
    params = ", ".join(f"{each.name}: {each.type}" for each in routine.params)
    result = "" if routine.type == UNIT else f" -> {routine.type}"
    policy = f", {routine.policy}" if routine.policy not in ("", "unique") else ""
    return f"{routine.what} {routine.name}({params}){result}{policy}"


def _state(family: Family, symbol: Symbol) -> Iterator[str]:
    draft = family.examined.draft
    if draft is None:
        return
    name, symbols = symbol.key.partition("/")[2], draft.symbols
    for datum in symbols.own(symbols.data, name, ruleset_of(symbol.key)):
        index = "".join(f"[{each}]" for each in datum.index)
        yield f"state {datum.owner}.{datum.name}{index}: {datum.type}"


def _of_box(game: Game, symbol: Symbol) -> Iterator[str]:
    """What manifests declare."""
    if symbol.what == "component":
        yield from _component(game, symbol)
        return
    tables: dict[str, tuple[Declared, ...]] = {
        "attribute": game.attributes,
        "setting": game.settings,
        "enum": game.enums,
        "feature": game.feature_kinds,
        "grid": game.grids,
        "zone": game.zones,
        "track": game.tracks,
        "table": game.tables,
    }
    for each in tables.get(symbol.what, ()):
        if each.key == symbol.key:
            yield f"{symbol.what} {symbol.name}{_told(each)}"


def _component(game: Game, symbol: Symbol) -> Iterator[str]:
    for number, kind in enumerate(game.kinds):
        if kind.key == symbol.key:
            count = sum(piece.kind == number for piece in game.pieces)
            yield f"{kind.cls} {kind.text}, {count} in the box{_attributes(kind)}"


def _attributes(kind: KindDef) -> str:
    said = [f"{short_name(name)}: {_written(value)}" for name, value in kind.attributes.items()]
    return f" ({', '.join(said)})" if said else ""


def _told(each: Declared) -> str:
    """What is said of something beside its name."""
    match each:
        case AttributeDef():
            owners = ", ".join(sorted(map(short_name, each.owners)))
            default = "" if each.required else f" = {_written(each.default)}"
            return f" of {owners}: {each.type}{default}{f', {each.fold}' if each.fold else ''}"
        case SettingDef():
            return f" = {_written(each.default)}, one of {_values(each)}"
        case EnumDef():
            return f": {', '.join(each.members)}"
        case FeatureKindDef():
            return f", {each.shape.shape.value}"
        case ZoneDef() | GridDef():
            holds = f" of {', '.join(sorted(each.holds))}"
            return f"{holds}, one for each {short_name(each.per)}" if each.per else holds
        case TrackDef():
            return f" of {each.length} spaces{', a loop' if each.loop else ''}"
        case TableDef():
            values = ", ".join(map(str, each.values))
            return f" from {each.low}: {values}"
    return ""


def _values(setting: SettingDef) -> str:
    if len(setting.values) > MOST and not isinstance(setting.default, str):
        return f"{setting.values[0]} to {setting.values[-1]}"
    return ", ".join(map(_written, setting.values))


def _written(value: object) -> str:
    """A value as manifests have it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "none" if value is None else str(value)


def comment(span: Span) -> str:
    """The comment lines right above a line, and the comment at its end."""
    source, number = span.source, span.line - 1
    above: list[str] = []
    while number > 0 and (line := source.line(number).strip()).startswith("#"):
        above.insert(0, line.lstrip("#").strip())
        number -= 1
    behind = source.line(span.line).partition(" # ")[2].strip()
    return " ".join((*above, behind)).strip()
