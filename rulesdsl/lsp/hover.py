"""What there is to say about a name: what it is, what its author says of it, which rules have a
say in it and which of them win."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rulesdsl.builtins import EFFECTS, FORMS, FUNCTIONS, PROPERTIES
from rulesdsl.diagnostics import Span
from rulesdsl.diagnostics.visible import visible
from rulesdsl.lsp.family import Family
from rulesdsl.lsp.headings import comment, heading
from rulesdsl.lsp.markdown import authored, code, plain
from rulesdsl.model import checked
from rulesdsl.model.names import short_name
from rulesdsl.model.uses import Symbol

Link = Callable[[Span], str]
"""A place as a link."""

_COMBINED = {
    "sum": "The rules that apply are added up",
    "max": "The largest of the rules that apply counts",
    "min": "The smallest of the rules that apply counts",
    "all": "Every rule that applies must hold",
    "any": "One rule that applies and holds is enough",
    "union": "What the rules that apply give is put together",
}


def hover(family: Family, symbol: Symbol, link: Link) -> str:
    """A page of Markdown about a symbol."""
    parts = [_code(heading(family, symbol)), *_doc(family, symbol), *_rules(family, symbol, link)]
    declaration = family.index.declaration(symbol)
    if declaration is not None and symbol.what != "local":
        parts.append(f"Declared in {link(declaration.span)}")
    label = _label(family, symbol)
    if label:
        parts.insert(1, f"*{plain(label)}*")
    return "\n\n".join(part for part in parts if part)


def _code(text: str) -> str:
    return f"```rulesdsl\n{visible(text, lines=True)}\n```" if text else ""


def _label(family: Family, symbol: Symbol) -> str:
    """What players are told it is called."""
    game = family.examined.game
    several = {each.what for each in family.index.symbols if each.key == symbol.key}
    if game is None or len(several) > 1:
        return ""
    languages = ("en", *sorted(game.labels))
    texts = (game.labels.get(language, {}).get(symbol.key, "") for language in languages)
    return next((text for text in texts if text), "")


def _doc(family: Family, symbol: Symbol) -> Iterator[str]:
    """The comment above its declaration and behind it, or what the language says of its words."""
    if symbol.own:
        yield documentation(symbol)
        return
    declaration = family.index.declaration(symbol)
    if declaration is not None:
        yield authored(comment(declaration.span))


def documentation(symbol: Symbol) -> str:
    """What the language says of a word of its own."""
    name = symbol.name
    match symbol.what:
        case "function":
            return (FUNCTIONS | FORMS)[name].doc
        case "effect":
            return EFFECTS[name].doc
        case "property":
            lines = (f"- of {_a(owner)}: {doc}" for owner, _, doc in PROPERTIES[name])
            return "\n".join(lines)
    return ""


def _a(owner: object) -> str:
    return f"`{owner}`"


# --- which rules have a say ---------------------------------------------------------------------


def _rules(family: Family, symbol: Symbol, link: Link) -> Iterator[str]:
    game = family.examined.checked
    if game is None:
        return
    if symbol.what in ("value", "attribute") and symbol.key in game.values:
        yield _value(game.values[symbol.key], link)
    elif symbol.what == "action" and symbol.key in game.actions:
        action = game.actions[symbol.key]
        yield from _hooks(action.hooks, link)
        yield _listed("Must hold before it:", (_rule(each, link) for each in action.requires))
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
                    yield _option(option, link)


def _option(option: checked.OptionDef, link: Link) -> str:
    vetoes = (
        f"`{each.ruleset}`: {code(_head(each.span))}, {link(each.span)}" for each in option.forbids
    )
    parts = [_listed("Forbidden by:", vetoes), *_hooks(option.hooks, link)]
    return "\n\n".join(part for part in parts if part)


def _hooks(hooks: checked.Hooks, link: Link) -> Iterator[str]:
    """Hooks in the order in which they run."""
    ordered = (*hooks.arounds, *hooks.befores, *hooks.afters)
    lines = (f"`{each.ruleset}`: {code(_head(each.span))}, {link(each.span)}" for each in ordered)
    yield _listed("Hooks, in the order they run:", lines)


def _value(value: checked.ValueDef, link: Link) -> str:
    rules = value.rules
    if value.policy != "unique":
        return _listed(f"{_COMBINED[value.policy]}:", (_rule(each, link) for each in rules))
    if len(rules) < 2:
        return ""
    lines = (_ranked(number, rules, link) for number in range(len(rules)))
    return _listed("The first rule that applies wins:", lines, numbered=True)


def _ranked(number: int, rules: Sequence[checked.Rule], link: Link) -> str:
    """One rule of a value, and what it beats."""
    rule = rules[number]
    beaten = ", ".join(str(index + 1) for index in rule.beats)
    return _rule(rule, link) + (f"; beats {beaten}" if beaten else "")


def _rule(rule: checked.Rule, link: Link) -> str:
    text = "as declared" if rule.verb == "base" else code(_head(rule.span))
    return f"`{rule.ruleset}`: {text}, {link(rule.span)}"


def _head(span: Span) -> str:
    """The first line of a rule, without what its body does."""
    line = span.source.line(span.line)[span.column - 1 :].partition(" # ")[0].strip()
    return line.removesuffix(":")


def _listed(title: str, lines: Iterator[str], numbered: bool = False) -> str:
    """A list under a title; nothing, if there is nothing to list."""
    marks = [
        f"{number}. {line}" if numbered else f"- {line}" for number, line in enumerate(lines, 1)
    ]
    return "\n".join((title, "", *marks)) if marks else ""
