"""Choices that lose all their options by some settings, or by foreign preconditions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace

from rulesdsl.check.compose.advice import pasted
from rulesdsl.check.compose.guards import (
    FINDING,
    Conjunction,
    Constraint,
    Guard,
    TooMuch,
    Work,
    both,
    normal,
)
from rulesdsl.check.compose.unfolded import Unfolder, preconditions
from rulesdsl.check.graph import Contents
from rulesdsl.diagnostics import Label, Report, Span
from rulesdsl.model import checked as tree
from rulesdsl.model.checked import walk
from rulesdsl.model.game import SettingDef
from rulesdsl.model.names import owner_of, ruleset_of, short_name, words_of
from rulesdsl.model.types import BOOL, UNIT
from rulesdsl.model.values import EnumMember

_SETTING = "settings."

Values = Mapping[str, Mapping[object, str]]
"""The declared values of each setting, by its subject in guards, each with its word."""


def check_stuck(checked: tree.Checked, contents: Contents, report: Report) -> None:
    """Report `stuck-choice` and `last-option`, as far as the allowed work goes.

    `stuck-choice` is for every choice without `otherwise` whose options are all closed by
    conditions about settings, for some declared values. `last-option`, a warning, is for every
    precondition of another ruleset that may close the last option.
    """
    work = Work()
    values = {_SETTING + setting.key: _values(setting) for setting in checked.game.settings}
    for choice in checked.choices.values():
        if choice.otherwise is not None:
            continue
        left: Guard = ({},)
        for option in choice.options:
            left = _possible(both(left, _closed(checked, option)), values)
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
            with suppress(TooMuch):
                _check_last(checked, Unfolder(checked, contents, work), choice, values, report)


def _values(setting: SettingDef) -> dict[object, str]:
    found: dict[object, str] = {}
    for index, value in enumerate(setting.values):
        word = isinstance(value, str)
        known = EnumMember(words_of(setting.key), index) if word else value
        found[known] = str(value).lower() if isinstance(value, bool) else str(value)
    return found


def _closed(checked: tree.Checked, option: tree.OptionDef) -> Guard:
    """Return the guard under which settings alone certainly close an option."""
    found: list[Conjunction] = []
    if option.guard is not None:
        found += normal(tree.Not(option.guard.span, BOOL, option.guard), ())
    for forbid in option.forbids:
        found += normal(forbid.guard, ())
    for rule in preconditions(checked, option):
        match rule.body:
            case (tree.Return(value=tree.Typed() as value), *_):
                broken = tree.Not(rule.span, BOOL, value)
                found += both(normal(rule.guard, ()), normal(broken, ()))
    return tuple(each for each in found if all(name.startswith(_SETTING) for name in each))


def _possible(guard: Guard, values: Values) -> Guard:
    """Return the conjunctions that some declared values of the settings fulfil."""
    return tuple(
        each
        for each in guard
        if all(
            name not in values or _allowed(constraint, values[name])
            for name, constraint in each.items()
        )
    )


def _allowed(constraint: Constraint, values: Iterable[object]) -> list[object]:
    """Return the values that fulfil a constraint."""
    low, high, only = constraint.low, constraint.high, constraint.only
    return [
        value
        for value in values
        if value not in constraint.never
        and (only is None or value in only)
        and (type(value) is not int or low <= value <= high)
    ]


def _circumstance(conjunction: Conjunction, values: Values) -> str:
    """Return settings under which a conjunction holds, in words."""
    parts = []
    for name, constraint in sorted(conjunction.items()):
        value = _allowed(constraint, values[name])[0]
        parts.append(f"{name.rpartition('/')[2]} is {values[name][value]}")
    return f" when {' and '.join(parts)}" if parts else ""


# --- preconditions of other rulesets -------------------------------------------------------------


def _check_last(
    checked: tree.Checked,
    unfolder: Unfolder,
    choice: tree.ChoiceDef,
    values: Values,
    report: Report,
) -> None:
    """Report each precondition of another ruleset that may close the last option, once."""
    told = set[Span]()
    for option in choice.options:
        for rule in preconditions(checked, option):
            own = ruleset_of(choice.key), owner_of(option.ruleset)
            if owner_of(rule.ruleset) in own or rule.span in told:
                continue
            if _may_close(replace(unfolder), rule, option, choice, values):
                unfolder.work.spend(FINDING)
                told.add(rule.span)
                _report_last(rule, option, choice, report)


def _may_close(
    unfolder: Unfolder,
    rule: tree.Rule,
    option: tree.OptionDef,
    choice: tree.ChoiceDef,
    values: Values,
) -> bool:
    """Say whether a precondition can close an option that may be the only open one."""
    broken = tree.Not(rule.span, BOOL, unfolder.holds(rule, option))
    left = _possible(both(normal(unfolder.opened(option, rule), ()), normal(broken, ())), values)
    for other in choice.options:
        # An option with arguments may have none left, which cannot be seen here.
        if other is not option and not other.binders:
            if _asks(other, option):
                return False
            closed = tree.Not(other.span, BOOL, unfolder.opened(other))
            left = _possible(both(left, normal(closed, ())), values)
    return bool(left)


def _asks(other: tree.OptionDef, option: tree.OptionDef) -> bool:
    """Say whether an option is open when the first action of another one is not allowed."""
    assert option.precondition is not None
    return any(
        isinstance(node, tree.CallValue) and node.value == option.precondition.action
        for node in walk((other.guard,))
    )


def _report_last(
    rule: tree.Rule, option: tree.OptionDef, choice: tree.ChoiceDef, report: Report
) -> None:
    assert option.precondition is not None
    action, name = short_name(option.precondition.action), short_name(choice.key)
    end = "leave" if choice.repeat else "nothing" if choice.type == UNIT else "return …"
    line = f"    option {name}.none_allowed when {_none_allowed(option)}: {end}"
    report.warning(
        "last-option",
        f"this `require` can close the last option of `{name}`, which `{ruleset_of(choice.key)}` "
        "does not expect",
        rule.span,
        labels=(Label(option.span, f"an option that begins with `{action}`"),),
        help=(
            f"say in `{owner_of(rule.ruleset)}` what happens then:",
            line if end == "return …" else pasted(line, rule.span, rule.ruleset),
            "if another option is always open, say so behind the line: `# allow: last-option`",
        ),
    )


_COMMENT = re.compile(r"#[^\n]*")
_LOOSE = re.compile(r"\b(or|if)\b")


def _none_allowed(option: tree.OptionDef) -> str:
    """Return the condition that no arguments of an option are left, as rules write it."""
    call = option.precondition
    assert call is not None
    conditions = [each.where for each in option.binders] + [option.guard]
    texts = [_text(each) for each in conditions if each is not None]
    texts = [f"({text})" if _LOOSE.search(text) else text for text in texts]
    texts.append(f"allowed({_text(call)})")
    if not option.binders:
        return f"not ({' and '.join(texts)})" if len(texts) > 1 else f"not {texts[0]}"
    binders = ", ".join(_ranging(each) for each in option.binders)
    return f"not any({binders} where {' and '.join(texts)})"


def _ranging(binder: tree.Binder) -> str:
    names = ", ".join(name.partition("$")[0] for name in binder.names)
    domain = _text(binder.domain)
    return f"{{{names}}} in {domain}" if len(binder.names) > 1 else f"{names} in {domain}"


def _text(node: tree.Node) -> str:
    """Return a node as written, in one line without comments."""
    return " ".join(_COMMENT.sub("", node.span.text).split())
