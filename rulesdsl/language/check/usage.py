"""Unused declarations, labels that name nothing, and labels that are lines of actions."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence, Set
from dataclasses import replace

from rulesdsl.language.builtins import EFFECTS, FORMS, FUNCTIONS, PROPERTIES
from rulesdsl.language.check.declarations import OptionDraft
from rulesdsl.language.check.graph import Contents
from rulesdsl.language.check.scope import CheckContext
from rulesdsl.language.check.symbols import Symbols
from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.diagnostics.report import did_you_mean, listed
from rulesdsl.language.model import checked
from rulesdsl.language.model.game import Declaration, LinkedGame
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.types import (
    INT,
    PLAYER,
    EnumType,
    IntType,
    OptionalType,
    SetType,
    Type,
)
from rulesdsl.language.model.uses import Symbol, declared
from rulesdsl.language.model.values import EnumMember


def check_usage(
    game: checked.Checked,
    contents: Contents,
    contexts: Iterable[CheckContext],
    absent: Mapping[str, Set[str]],
    report: Report,
) -> None:
    """Warn of declarations that nothing reads or calls.

    These are state, values, actions, choices, attributes, enums, settings and locals. A name among
    the words of `with` blocks that are not in force (`absent`, by ruleset) counts as used.
    """
    used = _used(game, contents)
    words = frozenset[str]().union(*absent.values())
    refined = game.values.keys() & {attribute.key for attribute in game.game.declared_attributes}
    values = {key: value for key, value in game.values.items() if key not in game.actions}
    tables: tuple[tuple[str, str, Mapping[str, checked.Node]], ...] = (
        ("state", "read", game.states),
        ("value", "used", values),
        ("action", "called", game.actions),
        ("choice", "asked", game.choices),
    )
    for what, verb, table in tables:
        for key, node in table.items():
            if key not in used and key not in refined and key.rpartition(".")[2] not in words:
                help = _namesakes(key, table) if what == "value" else ()
                _warn(report, f"{what} `{short_name(key)}` is never {verb}", node.span, help)
    _check_box(game.game, used, words, report)
    for ctx in contexts:
        for local in ctx.locals:
            if local.what in ("let", "var") and not local.read:
                _warn(report, f"`{local.key}` is never read", local.span)


def check_scores(game: checked.Checked, inside: Contents, report: Report) -> None:
    """Warn of winners with the wrong end of the points, and of points past the action for them.

    That is the one action of the game that takes a reason; its hooks and the log would miss them.
    Hooks on the action itself cannot call it.
    """
    for nodes in inside.every():
        for call in nodes.of(checked.EffectCall):
            if call.effect == "end_game":
                _check_winners(game, call.arguments[0], report)
    roots = (each.rules for each in game.game.rulesets if each.id == game.game.roles.ruleset)
    root = next(roots)
    given = {
        key: [each for each in nodes.of(checked.SetState) if each.state == game.score]
        for key, nodes in (*inside.actions.items(), *inside.choices.items())
    }
    payers = [key for key, found in given.items() if any(x.span.source is root for x in found)]
    payer = game.actions.get(payers[0]) if len(payers) == 1 else None
    if payer is None or not any(isinstance(each.type, EnumType) for each in payer.params):
        return
    for key, found in given.items():
        for each in found if key != payer.key else ():
            if each.span.source is not root and each.operator == "+=" and each.owner is not None:
                _warn_of_points(payer, each.owner, each, report)


def _check_winners(game: checked.Checked, winners: checked.Expr, report: Report) -> None:
    """Warn if the players with the most points win a game of the fewest, or the other way round."""
    if not isinstance(winners, checked.Aggregate) or not winners.keys:
        return
    key, fewest = winners.keys[0], game.game.roles.fewest
    negated = isinstance(key, checked.Negate)
    read = key.operand if isinstance(key, checked.Negate) else key
    if not isinstance(read, checked.ReadState) or read.state != game.score or negated == fewest:
        return
    found, other = ("fewest", "most") if negated else ("most", "fewest")
    report.warning(
        "winners-differ",
        f"the players with the {found} points win, but by `game: wins` those with the {other} do",
        key.span,
        help=(
            f"give the manifest `wins: {found}` in `game`, so that bots and summaries know it, "
            f"or end the game with `{'' if negated else '-'}{read.span.text}`",
        ),
    )


def _warn_of_points(
    payer: checked.ActionDef, owner: checked.Expr, found: checked.SetState, report: Report
) -> None:
    name = short_name(payer.key)
    words = {PLAYER: owner.span.text, INT: found.value.span.text}
    given = [INT if isinstance(param.type, IntType) else param.type for param in payer.params]
    arguments = [words.get(type_, short_name(str(type_)).upper()) for type_ in given]
    report.warning(
        "points-past",
        f"these points do not pass through `{name}`, so its hooks and the log miss their reason",
        found.span,
        labels=(Label(payer.span, "gives the points of this game"),),
        help=(f"write `{name}({', '.join(arguments)})`",),
    )


def _namesakes(key: str, values: Iterable[str]) -> tuple[str, ...]:
    """Return help for an author who declares a value again to change it."""
    name = short_name(key)
    others = (other for other in values if other != key and short_name(other) == name)
    return tuple(f"`{other}` is another value; rules change it with `refine`" for other in others)


def _warn(report: Report, message: str, span: Span, help: tuple[str, ...] = ()) -> None:
    report.warning("unused", message, span, help=help)


def _check_box(game: LinkedGame, used: set[str], words: Set[str], report: Report) -> None:
    read_by_box = {name for ruleset in game.rulesets for name in ruleset.settings_read}
    groups: tuple[tuple[str, str, tuple[Declaration, ...]], ...] = (
        ("attribute", "read", game.declared_attributes),
        ("enum", "used", game.enums),
        ("setting", "read", game.settings),
    )
    for what, verb, items in groups:
        for item in items:
            read = what == "setting" and item.name in read_by_box
            if item.key not in used and not read and item.name not in words:
                _warn(report, f"{what} `{item.name}` is never {verb}", item.span)


def _used(game: checked.Checked, contents: Contents) -> set[str]:
    """Return the full names of everything that is read, called or mentioned."""
    used = {game.play, game.finish, game.score}
    for nodes in (*contents.every(), checked.Nodes(game.invariants)):
        used.update(_mentions(nodes, game.actions))
    for attribute in game.game.attributes:
        used.update(_enums(attribute.type), {attribute.index})
    for style in game.game.styles.values():
        used.update(member.rpartition(".")[0] for member in style.cells or ())
    for places in (game.game.zones, game.game.grids):
        used.update(index for place in places for index in place.per)
    return used


def _mentions(nodes: checked.Nodes, actions: Container[str]) -> Iterable[str]:
    yield from (node.state for node in nodes.of(checked.ReadState))
    # `allowed` reads an action's preconditions, but does not call it.
    yield from (n.value for n in nodes.of(checked.CallValue) if n.value not in actions)
    yield from (node.action for node in nodes.of(checked.ActionCall))
    yield from (node.choice for node in nodes.of(checked.ChoiceCall))
    yield from (node.attribute.partition(".")[0] for node in nodes.of(checked.ReadAttribute))
    yield from (node.attribute for node in nodes.of(checked.AttributeAt))
    yield from (node.enum for node in nodes.of(checked.EnumSet))
    for const in nodes.of(checked.Const):
        if const.setting is not None:
            yield const.setting
        if isinstance(const.value, EnumMember):
            yield const.value.enum
    for state in nodes.of(checked.StateDef):
        for each in (state.type, *state.index):
            yield from _enums(each)
    routines: Iterable[checked.ValueDef | checked.ActionDef]
    for routines in (nodes.of(checked.ValueDef), nodes.of(checked.ActionDef)):
        for routine in routines:
            for each in (routine.type, *(param.type for param in routine.params)):
                yield from _enums(each)


def _enums(type_: Type) -> Iterable[str]:
    match type_:
        case EnumType(name=name):
            yield name
        case SetType(item=item) | OptionalType(item=item):
            yield from _enums(item)


# --- labels ---------------------------------------------------------------------------------------


def check_labels(
    symbols: Symbols,
    options: Mapping[str, Sequence[OptionDraft]],
    absent: Mapping[str, Set[str]],
    report: Report,
) -> None:
    """Report labels whose names neither the box nor the rules declare.

    `absent` are the words in `with` blocks that are not in force, by ruleset.
    """
    names: dict[str, set[str]] = {}
    for key, spans in symbols.game.label_spans.items():
        ruleset, _, name = key.partition("/")
        if ruleset not in symbols.game.visible:
            report.error("label-unknown", f"there is nothing called `{key}` to label", spans[0])
            continue
        if ruleset not in names:
            names[ruleset] = _names(symbols, options, ruleset)
        known = names[ruleset]
        for symbol in _meant(symbols, options, ruleset, name)[:1]:
            choice = _choice_before(symbols, options, ruleset, name)
            for span in spans:
                symbols.uses.add_dotted(span, symbol, choice)
        if name in known or set(name.split(".")) <= absent[ruleset]:
            continue
        if any(symbols.broken.get(r) for r in symbols.game.reach[ruleset]):
            continue
        message = f"there is nothing called `{name}` to label"
        report.error(
            "label-unknown",
            message,
            spans[0],
            help=did_you_mean(name, known | _box(symbols, ruleset)),
        )


def _meant(
    symbols: Symbols, options: Mapping[str, Sequence[OptionDraft]], ruleset: str, name: str
) -> list[Symbol]:
    """Return the declarations in the rules that a label's name means."""
    owner, _, short = name.rpartition(".")
    routines = symbols.find(symbols.routines, name, ruleset)
    choices = symbols.find(symbols.routines, owner, ruleset)
    return [
        *(declared(routine.what, routine.key) for routine in routines),
        *(
            declared("option", option.key)
            for choice in choices
            for option in options.get(choice.key, ())
            if option.name == short
        ),
        *(declared("state", datum.key) for datum in symbols.find(symbols.data, name, ruleset)),
    ]


def _choice_before(
    symbols: Symbols, options: Mapping[str, Sequence[OptionDraft]], ruleset: str, name: str
) -> Symbol | None:
    """Return the choice in a label's name of the form `choice.option`."""
    before, _, short = name.rpartition(".")
    for choice in symbols.find(symbols.routines, before, ruleset):
        if any(option.name == short for option in options.get(choice.key, ())):
            return declared("choice", choice.key)
    return None


def _box(symbols: Symbols, ruleset: str) -> set[str]:
    """Return all names that a ruleset sees declared in manifests, and the words of settings."""
    game = symbols.game
    settings = [each for each in game.settings if each.ruleset in game.visible[ruleset]]
    return {
        *symbols.seen(symbols.settings, ruleset),
        *(f"{each.name}.{value}" for each in settings for value in each.values),
        *symbols.seen(symbols.nouns, ruleset),
        *symbols.seen(symbols.components, ruleset),
        *symbols.seen(symbols.features, ruleset),
    }


def _names(
    symbols: Symbols, options: Mapping[str, Sequence[OptionDraft]], ruleset: str
) -> set[str]:
    """Return all names that a ruleset may label.

    They are the names it sees declared in rules, its options, and words of the language.
    """
    names = {*FUNCTIONS, *FORMS, *EFFECTS, *PROPERTIES}
    for part in (each.id for each in symbols.game.parts if each.ruleset == ruleset):
        names.update(symbols.seen(symbols.routines, part))
        for name in symbols.seen(symbols.data, part):
            names |= {name, name.partition(".")[2]}
    for found in options.values():
        names.update(f"{option.choice.name}.{option.name}" for option in found)
    return names


# --- lines that actions say -----------------------------------------------------------------------

_BRACES = re.compile(r"\{([^{}]*)\}")


def with_lines(found: checked.Checked, report: Report) -> checked.Checked:
    """Return the game with its lines: labels of actions that name parameters in braces.

    They are no longer labels. Names in braces that are not parameters are reported.
    """
    labels = {language: dict(texts) for language, texts in found.game.labels.items()}
    lines: dict[str, dict[str, str]] = {}
    said: dict[str, tuple[int, ...]] = {}
    for (language, key), span in found.game.text_spans.items():
        action = found.actions.get(key)
        if action is None:
            continue
        params = [param.name for param in action.params]
        wanted = _BRACES.findall(labels[language][key])
        for name in dict.fromkeys(wanted):
            if name not in params:
                _not_a_parameter(action, name, language, span, report)
        if wanted:
            named = {params.index(name) for name in wanted if name in params}
            said[key] = tuple(sorted(named.union(said.get(key, ()))))
            lines.setdefault(language, {})[key] = labels[language].pop(key)
    if not said:
        return found
    actions = {
        key: replace(action, said=said[key]) if key in said else action
        for key, action in found.actions.items()
    }
    numbered = {
        language: {key: _numbered(actions[key], text) for key, text in sorted(texts.items())}
        for language, texts in sorted(lines.items())
    }
    game = replace(found.game, labels=labels, lines=numbered)
    return replace(found, game=game, actions=actions)


def _not_a_parameter(
    action: checked.ActionDef, name: str, language: str, span: Span, report: Report
) -> None:
    names = [param.name for param in action.params]
    text = short_name(action.key)
    help_lines = did_you_mean(name, names) or (
        f"its parameters are {listed([f'`{each}`' for each in names], 'and')}"
        if names
        else "it has no parameters: a label without braces names it",
    )
    message = f"the line of `{text}` in `{language}` names `{name}`, which is not a parameter of it"
    labels = (Label(action.span, "declared here"),)
    report.error("label-unknown", message, span, labels=labels, help=help_lines)


def _numbered(action: checked.ActionDef, text: str) -> str:
    """Return a line with the place among the values that are said for each name in braces."""
    names = [action.params[place].name for place in action.said]

    def number(match: re.Match[str]) -> str:
        name = match.group(1)
        return f"{{{names.index(name)}}}" if name in names else match.group()

    return _BRACES.sub(number, text)
