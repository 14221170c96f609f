"""Options that other rulesets take away or widen.

Some choices lose all their options by settings, or by foreign preconditions; some options accept
foreign kinds of features although no rule mentions these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from rulesdsl.language.check.conflicts import guards
from rulesdsl.language.check.conflicts.unfolded import Closing, Unfolder, closing, preconditions
from rulesdsl.language.check.errors import bracketed, one_line, parties, pasted, places
from rulesdsl.language.check.graph import Contents
from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.diagnostics.allow import allowing
from rulesdsl.language.diagnostics.report import Fix
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.checked import walk
from rulesdsl.language.model.game import FeatureKindDef, LinkedGame, SettingDef
from rulesdsl.language.model.names import owner_of, ruleset_of, short_name, words_of, written_name
from rulesdsl.language.model.types import (
    BOOL,
    FEATURE,
    PLAYER,
    SEGMENT,
    UNIT,
    EnumType,
    IntType,
    OptionalType,
    SetType,
)
from rulesdsl.language.model.values import EnumMember


def check_options(checked: tree.Checked, contents: Contents, report: Report) -> None:
    """Report options that rulesets close, or widen, without knowing each other."""
    check_stuck(checked, contents, report)
    check_newcomers(checked, contents, report)
    check_grids(checked, contents, report)


# --- foreign kinds -------------------------------------------------------------------------------


def check_newcomers(checked: tree.Checked, contents: Contents, report: Report) -> None:
    """Report `new-kind`, a warning, for options that may take a feature of an unknown kind.

    The kind is one that the option's ruleset does not know, and no rule that knows both decides
    whether the option is open. The search ends early if it takes too long.
    """
    game, work = checked.game, guards.Work()
    with suppress(guards.TooMuch):
        for option in (each for choice in checked.choices.values() for each in choice.options):
            reach = game.reach[option.ruleset]
            kinds = [kind for kind in game.feature_kinds if kind.ruleset not in reach]
            names = [
                name
                for binder in option.binders
                if binder.item in (SEGMENT, FEATURE)
                for name in binder.names
            ]
            if not kinds or not names:
                continue
            # The kinds of features named by rules that decide whether the option is open.
            named = {
                (ruleset, node.name)
                for ruleset, rule in _said(checked, contents, option, work)
                for node in walk(rule)
                if isinstance(node, tree.IsKind) and node.test == "feature"
            }
            for kind in kinds:
                if any(name == kind.key and kind.ruleset in game.reach[r] for r, name in named):
                    continue
                for name in names:
                    unfolder = Unfolder(checked, contents, work, {name: kind.key})
                    if guards.normal(unfolder.opened(option), ()):
                        work.spend(guards.FINDING)
                        _report_newcomers(option, name, kind, game, report)
                        break


def _said(
    checked: tree.Checked, contents: Contents, option: tree.OptionDef, work: guards.Work
) -> Iterator[tuple[str, object]]:
    """Yield all rules that decide whether an option is open."""
    yield option.ruleset, (option.binders, option.guard)
    yield from ((forbid.ruleset, (forbid.guard,)) for forbid in option.forbids)
    yield from ((rule.ruleset, rule) for rule in preconditions(checked, option))
    conditions = (option.binders, option.guard, option.forbids, preconditions(checked, option))
    for value in contents.called(conditions):
        work.spend(len(contents.values[value]))
        yield from ((rule.ruleset, rule) for rule in checked.values[value].rules)


def _report_newcomers(
    option: tree.OptionDef,
    name: str,
    kind: FeatureKindDef,
    game: LinkedGame,
    report: Report,
) -> None:
    alike = [each for each in game.feature_kinds if each.name == kind.name]
    short = kind.name if len(alike) == 1 else written_name(kind.key)
    choice = short_name(option.key).partition(".")[0]
    arguments = ", ".join(_plain(n) for binder in option.binders for n in binder.names)
    where = f"in `{kind.ruleset}`"
    if option.ruleset not in game.reach[kind.ruleset]:
        where = places(kind.ruleset, option.ruleset)
    report.warning(
        "new-kind",
        f"`{short_name(option.key)}` of `{option.ruleset}` accepts the new kind `{short}` as its "
        f"`{_plain(name)}`, and no rule says whether it should",
        kind.span,
        labels=(Label(option.span, f"this option of `{choice}`"),),
        help=(
            f"to forbid it, write {where}:",
            f"    forbid {written_name(option.name)}({arguments}) when {_plain(name)} is {short}",
            "if it is intended, say so where the kind is declared:",
            allowing(kind.span, "new-kind"),
        ),
    )


def _plain(name: str) -> str:
    return name.partition("$")[0]


# --- foreign grids --------------------------------------------------------------------------------

_LOOKING = ("features", "figures", "segments", "tokens")
_SHOWN = 3
"""The most places that a finding about a grid shows."""


def check_grids(checked: tree.Checked, contents: Contents, report: Report) -> None:
    """Report `new-grid`, a warning, for grids that rules of others do not look at.

    They look at another grid on which the same pieces lie, and cannot know this one.
    """
    game = checked.game
    rulesets = {r.rules.name: r.id for r in game.rulesets if r.rules is not None}
    for grid in game.grids:
        if game.grids[0] is grid or not grid.holds.intersection(("tile", "die")):
            continue
        found: dict[Span, str] = {}
        for call in (each for nodes in contents.every() for each in nodes.of(tree.CallBuiltin)):
            match call:
                case tree.CallBuiltin(
                    function=function, arguments=(tree.EntryAt(what="grid", number=number),)
                ) if function in _LOOKING:
                    own, other = rulesets.get(call.span.source.name), game.grids[number]
                    knows = own is None or grid.ruleset in game.reach[own]
                    if not knows and other.holds.intersection(grid.holds):
                        found[call.span] = f"of `{own}`, looks at `{other.name}`"
        if found:
            places = sorted(found, key=lambda span: (span.source.name, span.start))
            report.warning(
                "new-grid",
                f"rules of others do not look at `{grid.name}`, whatever lies or stands there",
                grid.span,
                labels=tuple(Label(span, found[span]) for span in places[:_SHOWN]),
                help=(
                    f"there, `x in figures where on_board(x)` finds them on every grid; or write "
                    f"rules for what is on `{grid.name}`",
                    "if that is done, or nothing is missing, say so where the grid is declared:",
                    allowing(grid.span, "new-grid"),
                ),
            )


# --- choices without options ---------------------------------------------------------------------

_SETTING = "settings."

Values = Mapping[str, Mapping[object, str]]
"""The declared values of each setting, by its subject in guards, each with its word."""


def check_stuck(checked: tree.Checked, contents: Contents, report: Report) -> None:
    """Report `stuck-choice` and `last-option`, as far as the allowed work goes.

    `stuck-choice` is for every choice without `otherwise` whose options are all closed by
    conditions about settings, for some declared values. `last-option`, a warning, is for every
    precondition or veto of another ruleset that may close the last option.
    """
    work = guards.Work()
    values = {_SETTING + setting.key: _values(setting) for setting in checked.game.settings}
    for choice in checked.choices.values():
        if choice.otherwise is not None:
            continue
        left: guards.Guard = ({},)
        for option in choice.options:
            left = _possible(guards.both(left, _closed(checked, option)), values)
        if left:
            name = choice.key.rpartition("/")[2]
            when = _circumstance(left[0], values)
            report.error(
                "stuck-choice",
                f"`{name}` has no option{when}",
                choice.span,
                help=("say what happens then: `otherwise: nothing`",),
            )
        else:
            with suppress(guards.TooMuch):
                _check_last(checked, Unfolder(checked, contents, work), choice, values, report)


def _values(setting: SettingDef) -> dict[object, str]:
    found: dict[object, str] = {}
    for index, value in enumerate(setting.values):
        word = isinstance(value, str)
        known = EnumMember(words_of(setting.key), index) if word else value
        found[known] = str(value).lower() if isinstance(value, bool) else str(value)
    return found


def _closed(checked: tree.Checked, option: tree.OptionDef) -> guards.Guard:
    """Return the guard under which settings alone certainly close an option."""
    found: list[guards.Conjunction] = []
    if option.guard is not None:
        found += guards.normal(tree.Not(option.guard.span, BOOL, option.guard), ())
    for forbid in option.forbids:
        found += guards.normal(forbid.guard, ())
    for rule in preconditions(checked, option):
        match rule.body:
            case (tree.Return(value=tree.Typed() as value), *_):
                broken = tree.Not(rule.span, BOOL, value)
                found += guards.both(guards.normal(rule.guard, ()), guards.normal(broken, ()))
    return tuple(each for each in found if all(name.startswith(_SETTING) for name in each))


def _possible(guard: guards.Guard, values: Values) -> guards.Guard:
    """Return the conjunctions that some declared values of the settings fulfil."""
    return tuple(
        each
        for each in guard
        if all(
            name not in values or _allowed(constraint, values[name])
            for name, constraint in each.items()
        )
    )


def _allowed(constraint: guards.Constraint, values: Iterable[object]) -> list[object]:
    low, high, only = constraint.low, constraint.high, constraint.only
    return [
        value
        for value in values
        if value not in constraint.never
        and (only is None or value in only)
        and (type(value) is not int or low <= value <= high)
    ]


def _circumstance(conjunction: guards.Conjunction, values: Values) -> str:
    """Return settings under which a conjunction holds, in words."""
    parts = []
    for name, constraint in sorted(conjunction.items()):
        value = _allowed(constraint, values[name])[0]
        parts.append(f"{name.rpartition('/')[2]} is {values[name][value]}")
    return f" when {' and '.join(parts)}" if parts else ""


# --- preconditions and vetoes of other rulesets ---------------------------------------------------


_Closed = tuple[Closing, tree.OptionDef]
"""A precondition or veto, and the option that it closes."""


def _check_last(
    checked: tree.Checked,
    unfolder: Unfolder,
    choice: tree.ChoiceDef,
    values: Values,
    report: Report,
) -> None:
    """Report each foreign precondition or veto that may close the last option, once.

    Those of other rulesets that close the other options then are reported with it.
    """
    told = set[Span]()
    for option in choice.options:
        for one in _foreign(checked, choice, option):
            if one.span not in told:
                others = _may_close(checked, replace(unfolder), one, option, choice, values)
                if others is not None:
                    unfolder.work.spend(guards.FINDING)
                    told.update(each.span for each, _ in ((one, option), *others))
                    _report_last(((one, option), *others), choice, checked, report)


def _foreign(
    checked: tree.Checked, choice: tree.ChoiceDef, option: tree.OptionDef
) -> Iterator[Closing]:
    """Yield what closes an option but belongs neither to it nor to the choice."""
    # Whoever adds the choice, or the option, knows the rules of what it requires.
    known = {owner_of(option.ruleset), *checked.game.visible[ruleset_of(choice.key)]}
    yield from (one for one in closing(checked, option) if owner_of(one.ruleset) not in known)


def _may_close(
    checked: tree.Checked,
    unfolder: Unfolder,
    one: Closing,
    option: tree.OptionDef,
    choice: tree.ChoiceDef,
    values: Values,
) -> list[_Closed] | None:
    """Return by which rules of third rulesets one can close the last open option, None if none."""
    broken = tree.Not(one.span, BOOL, unfolder.spared(one, option))
    left = _possible(
        guards.both(guards.normal(unfolder.opened(option, one), ()), guards.normal(broken, ())),
        values,
    )
    found = list[_Closed]()
    for other in choice.options:
        # An option with arguments may have none left, which cannot be seen here.
        if other is not option and not other.binders:
            if _asks(other, option):
                return None
            closed = tree.Not(other.span, BOOL, unfolder.opened(other))
            left = _possible(guards.both(left, guards.normal(closed, ())), values)
            rules = _foreign(checked, choice, other)
            found += [(each, other) for each in rules if each.ruleset != one.ruleset]
    return found if left else None


def _asks(other: tree.OptionDef, option: tree.OptionDef) -> bool:
    """Return whether an option is open when the first action of another one is not allowed."""
    return option.precondition is not None and any(
        isinstance(node, tree.CallValue) and node.value == option.precondition.action
        for node in walk((other.guard,))
    )


def _report_last(
    found: Sequence[_Closed], choice: tree.ChoiceDef, checked: tree.Checked, report: Report
) -> None:
    (one, option), *others = found
    name = short_name(choice.key)
    label = "the option"
    if isinstance(one, tree.Rule) and option.precondition is not None:
        label = f"an option that begins with `{short_name(option.precondition.action)}`"
    report.warning(
        "last-option",
        f"this {'`require`' if isinstance(one, tree.Rule) else 'veto'} can close the last option "
        f"of `{name}`, which `{ruleset_of(choice.key)}` does not expect",
        one.span,
        labels=(
            Label(option.span, label),
            *(Label(each.span, f"`{each.ruleset}` can close another one") for each, _ in others),
        ),
        help=(
            *(_skipping(one, choice, checked.game) or _adding(found, choice, checked)),
            "if another option is always open, say so:",
            allowing(one.span, "last-option"),
        ),
    )


def _skipping(one: Closing, choice: tree.ChoiceDef, game: LinkedGame) -> tuple[str, ...]:
    """Return the advice for a veto of all options, which would close a further one too."""
    every = re.match(r"forbid\s+([\w.]+)\.\*", one.span.text)
    if every is None:
        return ()
    params = ", ".join(each.name for each in choice.params)
    when = "" if one.guard is None else f" when {one_line(one.guard)}"
    end = "nothing" if choice.type == UNIT else _ending(choice, game)
    line = f"instead {every[1]}({params}){when}: {end}"
    advice = "to skip the choice then, write in its place:"
    return advice, Fix(f"    {line}", line) if "…" not in line else f"    {line}"


def _adding(
    found: Sequence[_Closed], choice: tree.ChoiceDef, checked: tree.Checked
) -> tuple[str, ...]:
    """Return the advice to add an option for the case that no other one is open."""
    (one, option), *others = found
    name = short_name(choice.key)
    alike = [
        key
        for key in (*checked.choices, *checked.actions, *checked.values)
        if short_name(key) == name
    ]
    written = name if len(alike) == 1 else written_name(choice.key)
    when = " and ".join(dict.fromkeys(_closed_when(each, by) for each, by in found)) or "true"
    ending = _ending(choice, checked.game)
    line = f"    option {written}.none_allowed when {when}: {ending}"
    rulesets = {ruleset_of(choice.key), option.ruleset, *(each.ruleset for each, _ in others)}
    named = sorted(rulesets - checked.game.reach[one.ruleset])
    where, head = f"in `{owner_of(one.ruleset)}`", tuple[str, ...]()
    if others:
        where = places(one.ruleset, *named)
    elif named:
        known = [each for each in parties(one.ruleset, *named) if each != owner_of(one.ruleset)]
        head, line = (f"    with {', '.join(known)}:",), f"    {line}"
    missing = f", with a {choice.type} for `…`" if "…" in ending else ""
    return (
        f"say {where} what happens then{missing}:",
        *head,
        line if "…" in line else pasted(line, one.span, one.ruleset, *named),
    )


def _closed_when(one: Closing, option: tree.OptionDef) -> str:
    """Return the condition that nothing of an option is left, as rules write it."""
    if isinstance(one, tree.Rule):
        return _none_allowed(option)
    if one.guard is None:
        return "true"
    if {each.name for each in tree.Nodes(one.guard).of(tree.Local)}.isdisjoint(one.params):
        return bracketed(one_line(one.guard))
    return "…"


def _ending(choice: tree.ChoiceDef, game: LinkedGame) -> str:
    """Return how an option ends a choice; `…` stands for a result that an author has to find."""
    match choice.type:
        case OptionalType():
            return "return none"
        case IntType(low=low, high=high):
            return f"return {min(max(low, 0), high)}"
        case SetType():
            return "return {}"
        case EnumType(name=enum):
            members = {each.key: each.members[0] for each in game.enums}
            return f"return {members.get(enum, game.side_names[0])}"
        case type_ if type_ == PLAYER:
            return f"return {one_line(choice.by)}"
        case type_ if type_ == BOOL:
            return "return false"
        case type_ if type_ == UNIT:
            return "leave" if choice.repeat else "nothing"
    return "return …"


def _none_allowed(option: tree.OptionDef) -> str:
    """Return the condition that no arguments of an option are left, as rules write it."""
    call = option.precondition
    assert call is not None
    conditions = [each.where for each in option.binders] + [option.guard]
    texts = [bracketed(one_line(each)) for each in conditions if each is not None]
    texts.append(f"allowed({one_line(call)})")
    if not option.binders:
        return f"not ({' and '.join(texts)})" if len(texts) > 1 else f"not {texts[0]}"
    binders = ", ".join(_ranging(each) for each in option.binders)
    return f"not any({binders} where {' and '.join(texts)})"


def _ranging(binder: tree.Binder) -> str:
    names = ", ".join(name.partition("$")[0] for name in binder.names)
    domain = one_line(binder.domain)
    return f"{{{names}}} in {domain}" if len(binder.names) > 1 else f"{names} in {domain}"
