"""Choices that some settings leave without an option."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rulesdsl.check.compose.guards import Conjunction, Constraint, Guard, both, normal
from rulesdsl.diagnostics import Report
from rulesdsl.model import checked as tree
from rulesdsl.model.game import SettingDef
from rulesdsl.model.names import words_of
from rulesdsl.model.types import BOOL
from rulesdsl.model.values import EnumMember

_SETTING = "settings."

Values = Mapping[str, Mapping[object, str]]
"""The declared values of each setting, by its subject in guards; each with its word."""


def check_stuck(checked: tree.Checked, report: Report) -> None:
    """Report `stuck-choice` for every choice without `otherwise` of which, for some declared values
    of the settings, vetoes and guards about settings close every option."""
    values = {_SETTING + setting.key: _values(setting) for setting in checked.game.settings}
    for choice in checked.choices.values():
        if choice.otherwise is not None:
            continue
        left: Guard = ({},)
        for option in choice.options:
            left = _possible(both(left, _closed(option)), values)
        if left:
            name = choice.key.rpartition("/")[2]
            when = _circumstance(left[0], values)
            report.error(
                "stuck-choice",
                f"`{name}` has no option{when}",
                choice.span,
                help=("say what happens then: `otherwise: nothing`",),
            )


def _values(setting: SettingDef) -> dict[object, str]:
    found: dict[object, str] = {}
    for index, value in enumerate(setting.values):
        word = isinstance(value, str)
        known = EnumMember(words_of(setting.key), index) if word else value
        found[known] = str(value).lower() if isinstance(value, bool) else str(value)
    return found


def _closed(option: tree.OptionDef) -> Guard:
    """Where settings alone close an option, as far as can be seen."""
    found: list[Conjunction] = []
    if option.guard is not None:
        found += normal(tree.Not(option.guard.span, BOOL, option.guard), ())
    for forbid in option.forbids:
        found += normal(forbid.guard, ())
    return tuple(each for each in found if all(name.startswith(_SETTING) for name in each))


def _possible(guard: Guard, values: Values) -> Guard:
    """The conjunctions that some declared values fulfil."""
    return tuple(
        each
        for each in guard
        if all(_allowed(constraint, values[name]) for name, constraint in each.items())
    )


def _allowed(constraint: Constraint, values: Iterable[object]) -> list[object]:
    """The values that fulfil a constraint."""
    low, high, only = constraint.low, constraint.high, constraint.only
    return [
        value
        for value in values
        if value not in constraint.never
        and (only is None or value in only)
        and (type(value) is not int or low <= value <= high)
    ]


def _circumstance(conjunction: Conjunction, values: Values) -> str:
    """Values for which it holds, in words."""
    parts = []
    for name, constraint in sorted(conjunction.items()):
        value = _allowed(constraint, values[name])[0]
        parts.append(f"{name.rpartition('/')[2]} is {values[name][value]}")
    return f" when {' and '.join(parts)}" if parts else ""
