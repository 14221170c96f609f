"""Settings: the declarations in the manifests, and the values chosen for this game."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from rulesdsl.diagnostics import Report
from rulesdsl.diagnostics.wording import did_you_mean, listed
from rulesdsl.link import look
from rulesdsl.link.constants import Constants
from rulesdsl.link.names import Entry, Family, Names
from rulesdsl.model.game import SettingDef
from rulesdsl.model.names import words_of
from rulesdsl.model.nodes import Node, Scalar
from rulesdsl.model.uses import Uses, member

SettingValue = int | bool | str
MAX_VALUES = 1000
"""Maximum number of values of one setting: rules are judged over all of them."""

_INTEGER = re.compile(r"-?[0-9]{1,10}")


def choose_settings(
    names: Names, chosen: Mapping[str, SettingValue], report: Report
) -> dict[str, SettingDef]:
    """Return the settings by full name, in canonical order, with the chosen values.

    `chosen` maps `ruleset.name`, or `name` where only one ruleset has it, to a value or its text.
    Unknown settings and values that do not fit are reported.
    """
    settings = {entry.key: _declared(entry, report, names.uses) for entry in names.of("settings")}
    given: dict[str, str] = {}
    for written in sorted(chosen):
        setting = _named(written, settings, report)
        if setting is None:
            continue
        value = _converted(chosen[written], setting)
        if setting.key in given:
            report.error(
                "setting-value", f"`{given[setting.key]}` and `{written}` are the same setting"
            )
        elif value is None:
            report.error(
                "setting-value",
                f"`{written}` cannot be {look.shown(chosen[written])}",
                help=(f"it may be {_listed(setting.values)}",),
            )
        else:
            given[setting.key] = written
            settings[setting.key] = replace(setting, chosen=value)
    return settings


def _declared(entry: Entry, report: Report, uses: Uses) -> SettingDef:
    """Return the setting with its default chosen."""
    default = look.scalar(entry.node, "default")
    value = False if default is None else default.value
    listed = tuple(node.value for node in look.scalars(look.get(entry.node, "values")))
    bounds = look.get(entry.node, "range")
    if bounds is not None:
        listed = _between(entry, bounds, report)
    elif isinstance(value, bool):
        listed = (False, True)
    values = listed or (value,)
    for node in look.scalars(look.get(entry.node, "values")):
        uses.add_last(node.span, member(words_of(entry.key), look.shown(node.value)), declares=True)
    if default is not None and isinstance(value, str) and value in listed:
        uses.add_last(default.span, member(words_of(entry.key), value))
    return SettingDef(entry.name, entry.ruleset, entry.span, value, values, value)


def _between(entry: Entry, bounds: Node, report: Report) -> tuple[int, ...]:
    """Return every integer of a range, up to the limit."""
    match look.integers(bounds):
        case (low, high) if high - low < MAX_VALUES:
            return tuple(range(low, high + 1))
        case (low, high):
            report.error(
                "range",
                f"the range of `{entry.name}` holds {high - low + 1} numbers",
                bounds.span,
                help=(f"a setting has at most {MAX_VALUES} values",),
            )
            return tuple(range(low, low + MAX_VALUES))
    return ()


def _named(written: str, settings: Mapping[str, SettingDef], report: Report) -> SettingDef | None:
    owner, dot, name = written.rpartition(".")
    found = [s for s in settings.values() if s.name == name and (not dot or s.ruleset == owner)]
    if len(found) == 1:
        return found[0]
    full = [f"{setting.ruleset}.{setting.name}" for setting in settings.values()]
    if found:
        report.error(
            "ambiguous-name",
            f"more than one ruleset has a setting `{written}`",
            help=("write " + listed([f"`{s.ruleset}.{s.name}`" for s in found]),),
        )
        return None
    known = full if dot else [setting.name for setting in settings.values()]
    report.error(
        "setting-unknown",
        f"no ruleset here has a setting `{written}`",
        help=did_you_mean(written, known)
        or ((f"the settings are {', '.join(full)}",) if full else ("there are no settings",)),
    )
    return None


def _converted(value: SettingValue, setting: SettingDef) -> SettingValue | None:
    """Return `value` as one of the setting's values, or None."""
    sample = setting.values[0]
    candidate = value
    if isinstance(value, str) and isinstance(sample, bool):
        candidate = {"true": True, "false": False}.get(value, value)
    elif isinstance(value, str) and isinstance(sample, int) and _INTEGER.fullmatch(value):
        candidate = int(value)
    return candidate if _is_among(candidate, setting.values) else None


def _is_among(value: SettingValue, values: tuple[SettingValue, ...]) -> bool:
    return type(value) is type(values[0]) and value in values


def _listed(values: tuple[SettingValue, ...]) -> str:
    first = values[0]
    if isinstance(first, int) and len(values) > 2:
        return f"{first} to {values[-1]}"
    return ", ".join(look.shown(value) for value in values)


def check_refused(family: Family, constants: Constants, report: Report) -> None:
    """Report every entry of a manifest's `refuse` whose condition the chosen settings meet."""
    for ruleset, entry, condition in refused(family, constants):
        message = f"`{ruleset}` refuses these settings: {look.text(entry, 'because')}"
        report.error("setting-impossible", message, condition.span)


def refused(family: Family, constants: Constants) -> Iterator[tuple[str, Node, Scalar]]:
    """Yield the ruleset and condition of every entry of `refuse` whose condition holds."""
    for ruleset in family.rulesets:
        for entry in look.items(ruleset.manifest.get("refuse")):
            condition = look.scalar(entry, "when")
            if condition and constants.truth(condition, ruleset.id, broken=False):
                yield ruleset.id, entry, condition
