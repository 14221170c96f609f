"""Hover pages about names: declaration, documentation, and the rules that win."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from rulesdsl.author.lsp.family import Family
from rulesdsl.language.builtins import EFFECTS, FORMS, FUNCTIONS, PROPERTIES, Builtin
from rulesdsl.language.check.symbols import RoutineSymbol
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.diagnostics.report import copies, visible
from rulesdsl.language.model import checked
from rulesdsl.language.model.game import (
    AttributeDef,
    Declaration,
    EnumDef,
    FeatureKindDef,
    GridDef,
    LinkedGame,
    SettingDef,
    TableDef,
    TrackDef,
    ZoneDef,
)
from rulesdsl.language.model.names import TEXT, ruleset_of, short_name
from rulesdsl.language.model.nodes import shown
from rulesdsl.language.model.types import UNIT
from rulesdsl.language.model.uses import Symbol

_MARKS = re.compile(r"[\\`*_{}\[\]<>#~!&]")
_CODE = re.compile(r"`([^`\n]+)`")
_TICKS = re.compile("`+")


def plain(text: str) -> str:
    """Escape a text so that Markdown shows it unchanged."""
    return _MARKS.sub(r"\\\g<0>", visible(text))


def authored(text: str) -> str:
    """Escape an author's text, in which code stands between backticks."""
    parts = _CODE.split(visible(text))
    return "".join(code(part) if at % 2 else plain(part) for at, part in enumerate(parts))


_FENCE = re.compile(r"^```.*\n?", re.M)
_LINKED = re.compile(r"\[([^\[\]\n]*)\]\([^()\n]*\)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def unmarked(text: str) -> str:
    """Return a page of Markdown as plain text: without fences, the targets of links and escapes."""
    return _ESCAPED.sub(r"\1", _LINKED.sub(r"\1", _FENCE.sub("", text)))


def code(text: str) -> str:
    """Format code that stands within a line."""
    text = visible(text)
    ticks = "`" * (1 + max(map(len, _TICKS.findall(text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


# --- headlines ------------------------------------------------------------------------------------

MOST = 6
"""Settings with at most this many possible numbers have them listed."""


def heading(family: Family, symbol: Symbol) -> str:
    """Return the headline of a symbol; a word of the language has a line for each of its forms."""
    return "\n".join(_lines(family, symbol)) or f"{symbol.what} {symbol.name}"


def _lines(family: Family, symbol: Symbol) -> Iterator[str]:
    game, draft, ruleset = family.examined.game, family.examined.draft, ruleset_of(symbol.key)
    match symbol.what:
        case "function" | "effect":
            yield from forms((FUNCTIONS | FORMS | EFFECTS)[symbol.name])
        case "property":
            for owner, result, *_ in PROPERTIES[symbol.name]:
                yield f"{owner}.{symbol.name}: {result}"
        case "local":
            file, start, _ = symbol.key.rsplit(":", 2)
            found = family.locals.get((file, int(start)))
            if found is not None:
                what = {"binder": "each", "parameter": "parameter"}.get(found.what, found.what)
                yield f"{what} {symbol.name}: {found.type}"
        case "value" | "action" | "choice" if draft is not None:
            symbols = draft.symbols
            yield from map(signature, symbols.own(symbols.routines, symbol.name, ruleset)[:1])
        case "state" if draft is not None:
            symbols, name = draft.symbols, symbol.key.partition("/")[2]
            for datum in symbols.own(symbols.data, name, ruleset):
                index = "".join(f"[{each}]" for each in datum.index)
                yield f"state {datum.owner}.{datum.name}{index}: {datum.type}"
        case "invariant" if family.examined.checked is not None:
            for each in family.examined.checked.invariants:
                if each.key == symbol.key:
                    yield f"invariant {symbol.name}: {each.holds.span.text}"
        case _ if game is not None:
            yield from _of_box(game, symbol)


def forms(row: Builtin) -> Iterator[str]:
    """Yield the signatures of a function or effect of the language."""
    for each in row.signatures:
        result = "" if each.result == UNIT else f": {each.result}"
        yield f"{row.name}({', '.join(map(str, each.params))}){result}"


def signature(routine: RoutineSymbol) -> str:
    """Return the signature of a value, action or choice."""
    params = ", ".join(f"{each.name}: {each.type}" for each in routine.params)
    result = "" if routine.type == UNIT else f" -> {routine.type}"
    policy = f", {routine.policy}" if routine.policy not in ("", "unique") else ""
    return f"{routine.what} {routine.name}({params}){result}{policy}"


def _of_box(game: LinkedGame, symbol: Symbol) -> Iterator[str]:
    if symbol.what == "component":
        yield from _component(game, symbol)
        return
    tables: dict[str, tuple[Declaration, ...]] = {
        "attribute": game.declared_attributes,
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


def _component(game: LinkedGame, symbol: Symbol) -> Iterator[str]:
    for number, kind in enumerate(game.kinds):
        if kind.key == symbol.key:
            count = sum(piece.kind == number for piece in game.pieces)
            varied = game.copies[number]
            told = copies(varied) if len(varied) > 1 else f"{count} in the box"
            said = [f"{short_name(key)}: {shown(value)}" for key, value in kind.attributes.items()]
            attributes = f" ({', '.join(said)})" if said else ""
            yield f"{kind.cls} {kind.text}, {told}{attributes}"


def _told(each: Declaration) -> str:
    match each:
        case AttributeDef():
            owners = ", ".join(sorted(map(short_name, each.owners)))
            default = "" if each.required else f" = {shown(each.default)}"
            index = f"[{short_name(each.index)}]" if each.index else ""
            fold = f", {each.fold}" if each.fold else ""
            return f"{index} of {owners}: {each.type}{default}{fold}"
        case SettingDef(values=found):
            values = ", ".join(map(shown, found))
            if len(found) > MOST and not isinstance(each.default, str):
                values = f"{found[0]} to {found[-1]}"
            return f" = {shown(each.default)}, one of {values}"
        case EnumDef():
            return f": {', '.join(each.members)}"
        case FeatureKindDef():
            return f", {each.shape.shape.value}"
        case ZoneDef() | GridDef():
            holds = f" of {', '.join(sorted(each.holds))}"
            per = " and ".join(map(short_name, each.per))
            return f"{holds}, one for each {per}" if per else holds
        case TrackDef():
            return f" of {each.length} spaces{', a loop' if each.loop else ''}"
        case TableDef():
            values = ", ".join(map(str, each.values))
            return f" from {each.low}: {values}"
    return ""


def comment(span: Span) -> str:
    """Return the comment lines right above a line, and the comment at its end."""
    source, number = span.source, span.line - 1
    above: list[str] = []
    while number > 0 and (line := source.line(number).strip()).startswith("#"):
        above.insert(0, line.lstrip("#").strip())
        number -= 1
    behind = source.line(span.line).partition(" # ")[2].strip()
    return " ".join((*above, behind)).strip()


# --- aggregates -----------------------------------------------------------------------------------

AGGREGATES = {
    "any": ("any(E for x in S where C)", "whether the condition holds for any element"),
    "all": ("all(E for x in S where C)", "whether the condition holds for all elements"),
    "count": ("count(x in S where C)", "the number of elements"),
    "sum": ("sum(E for x in S where C)", "the sum of a number for each element"),
    "max": ("max(E for x in S where C else D)", "the largest number of all elements"),
    "min": ("min(E for x in S where C else D)", "the smallest number of all elements"),
    "most": (
        "most(x in S by K1, K2 where C)\nmost(E for x in S where C)",
        "the elements with the largest number, or the values that most elements have",
    ),
    "top": ("top(N, x in S by K1, K2 where C)", "so many elements with the largest numbers"),
    "alike": ("alike(E for x in S where C)", "how many elements have the same value"),
    "first": (
        "first(x in S where C)\nfirst(N, x in S where C)",
        "the first element, or the set of so many",
    ),
    "the": ("the(x in S where C)", "the only element"),
    "reach": ("reach(x from S by E)", "all elements that can be reached"),
}
"""The forms of the aggregates, and what each gives."""

_AGGREGATE = re.compile(rf"\b(?:{'|'.join(AGGREGATES)})\b(?= ?\()")


def aggregate_at(text: str, at: int) -> tuple[int, int, str] | None:
    """Return the start and end of the aggregate's name at an offset, and a page about it."""
    first = text.rfind("\n", 0, at) + 1
    last = text.find("\n", at)
    line = text[first : len(text) if last < 0 else last].partition("#")[0]
    for word in _AGGREGATE.finditer(line):
        if word.start() <= at - first <= word.end():
            form, doc = AGGREGATES[word[0]]
            page = f"{_code(form)}\n\n{doc[0].upper()}{doc[1:]}"
            return first + word.start(), first + word.end(), page
    return None


# --- calls ----------------------------------------------------------------------------------------


def called(family: Family, ruleset: str, qualifier: str | None, name: str) -> tuple[list[str], str]:
    """Return the signatures of what a name calls in a ruleset, and its documentation."""
    draft = family.examined.draft
    routines = draft.symbols.find(draft.symbols.routines, name, ruleset, qualifier) if draft else ()
    for routine in routines[:1]:
        return [signature(routine)], authored(comment(routine.span)) if routine.span else ""
    if builtin := (FUNCTIONS | FORMS | EFFECTS).get(name):
        return list(forms(builtin)), builtin.doc
    form, doc = AGGREGATES.get(name, ("", ""))
    return form.splitlines(), doc


# --- the page -------------------------------------------------------------------------------------

Link = Callable[[Span], str]
"""Converts a span to a Markdown link."""

_COMBINED = {
    "sum": "The results of the rules that apply are added",
    "max": "The largest result of the rules that apply counts",
    "min": "The smallest result of the rules that apply counts",
    "all": "True if every rule that applies is true",
    "any": "True if any rule that applies is true",
    "union": "The results of the rules that apply are combined into one set",
}


def hover(family: Family, symbol: Symbol, link: Link) -> str:
    """Return a page of Markdown about a symbol."""
    parts = [_code(heading(family, symbol)), *_doc(family, symbol), *_rules(family, symbol, link)]
    declaration = family.index.declaration(symbol)
    if declaration is not None and symbol.what != "local":
        parts.append(f"Declared in {link(declaration.span)}")
    label = _label(family, symbol)
    if label:
        parts.insert(1, f"*{plain(label)}*")
    if said := _label(family, Symbol(symbol.what, f"{symbol.key}{TEXT}", "")):
        parts.insert(1 + bool(label), plain(said))
    return "\n\n".join(part for part in parts if part)


def _code(text: str) -> str:
    return f"```rulesdsl\n{visible(text, lines=True)}\n```" if text else ""


def _label(family: Family, symbol: Symbol) -> str:
    game = family.examined.game
    several = {each.what for each in family.index.symbols if each.key == symbol.key}
    if game is None or len(several) > 1:
        return ""
    languages = ("en", *sorted(game.labels))
    texts = (game.labels.get(language, {}).get(symbol.key, "") for language in languages)
    return next((text for text in texts if text), "")


def _doc(family: Family, symbol: Symbol) -> Iterator[str]:
    name = symbol.name
    if not symbol.own:
        if declaration := family.index.declaration(symbol):
            yield authored(comment(declaration.span))
    elif symbol.what in ("function", "effect"):
        yield (FUNCTIONS | FORMS | EFFECTS)[name].doc
    elif symbol.what == "property":
        yield "\n".join(f"- of `{owner}`: {doc}" for owner, _, doc, *_ in PROPERTIES[name])


# --- the rules of a symbol --------------------------------------------------------------------


def _rules(family: Family, symbol: Symbol, link: Link) -> Iterator[str]:
    game = family.examined.checked
    if game is None:
        return
    if symbol.what in ("value", "attribute") and symbol.key in game.values:
        yield _value(game.values[symbol.key], link)
    elif symbol.what == "action" and symbol.key in game.actions:
        action = game.actions[symbol.key]
        yield from _hooks(action.hooks, link)
        yield _listed("Preconditions:", (_line(each, link) for each in action.requires))
    elif symbol.what == "choice" and symbol.key in game.choices:
        choice = game.choices[symbol.key]
        options = (
            f"`{short_name(o.key)}` of `{o.ruleset}`, {link(o.span)}" for o in choice.options
        )
        yield _listed("Options:", options)
        yield from _hooks(choice.hooks, link)
    elif symbol.what == "option":
        for choice in game.choices.values():
            for option in choice.options:
                if option.key == symbol.key:
                    yield _listed("Forbidden by:", (_line(each, link) for each in option.forbids))
                    yield from _hooks(option.hooks, link)


def _hooks(hooks: checked.Hooks, link: Link) -> Iterator[str]:
    ordered = (*hooks.arounds, *hooks.befores, *hooks.afters)
    yield _listed("Hooks, in the order they run:", (_line(each, link) for each in ordered))


def _value(value: checked.ValueDef, link: Link) -> str:
    rules = value.rules
    if value.policy != "unique":
        return _listed(f"{_COMBINED[value.policy]}:", (_line(each, link) for each in rules))
    if len(rules) < 2:
        return ""
    beaten = (", ".join(str(index + 1) for index in rule.beats) for rule in rules)
    lines = (
        _line(rule, link) + (f"; beats {others}" if others else "")
        for rule, others in zip(rules, beaten, strict=True)
    )
    return _listed("The first rule that applies wins:", lines, numbered=True)


def _line(rule: checked.Rule | checked.Hook | checked.Forbid, link: Link) -> str:
    is_base = isinstance(rule, checked.Rule) and rule.verb == "base"
    text = "as declared" if is_base else code(_head(rule.span))
    return f"`{rule.ruleset}`: {text}, {link(rule.span)}"


def _head(span: Span) -> str:
    line = span.source.line(span.line)[span.column - 1 :].partition(" # ")[0].strip()
    return line.removesuffix(":")


def _listed(title: str, lines: Iterator[str], numbered: bool = False) -> str:
    marks = [
        f"{number}. {line}" if numbered else f"- {line}" for number, line in enumerate(lines, 1)
    ]
    return "\n".join((title, "", *marks)) if marks else ""
