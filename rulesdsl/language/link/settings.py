"""Settings: declarations, the values chosen for a game, and constant expressions over them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import NamedTuple

from rulesdsl.base.records import dataclass
from rulesdsl.language.builtins import report_taken
from rulesdsl.language.diagnostics import Report, Span
from rulesdsl.language.diagnostics.report import did_you_mean, listed
from rulesdsl.language.link.names import DeclarationEntry, EntryIndex, RulesetFamily
from rulesdsl.language.model import checked, nodes
from rulesdsl.language.model.checked import PLAYERS, PREVIOUS, fold, walk
from rulesdsl.language.model.game import LinkedGame, SettingDef
from rulesdsl.language.model.names import words_of
from rulesdsl.language.model.nodes import Node, Scalar
from rulesdsl.language.model.types import BOOL, INT, INT_MAX, INT_MIN, Type
from rulesdsl.language.model.uses import Uses, member, word
from rulesdsl.language.model.values import Value

ConstantTyper = Callable[
    [Span, str, Type | None, LinkedGame, Uses, Report, Sequence[str]], checked.Expr | None
]
"""Type of a function that types an expression of a ruleset's manifest, of a type or of any.

Only the settings of the game are known then, and locals with these names, which are numbers. It
returns None after reporting.
"""


@dataclass(frozen=True)
class Constants:
    """Evaluator of scalars that may be expressions, over the settings of `game`.

    `typed` types the expressions. `chosen` are settings, by full name, that override those of the
    game. `players` is the number of players, `previous` the count that `extend` changes, None where
    it is not known.
    """

    game: LinkedGame
    uses: Uses
    typed: ConstantTyper
    report: Report
    chosen: Mapping[str, SettingDef] = field(default_factory=dict)
    players: int | None = None
    previous: int | None = None
    _known: dict[Span, tuple[checked.Expr | None, Report]] = field(default_factory=dict)

    def number(
        self, node: Node | None, ruleset: str, default: int, low: int, high: int = INT_MAX
    ) -> int:
        """Return the number of `node` in `ruleset`; `default` when it is missing or broken.

        A number outside `low`..`high` is reported and clamped.
        """
        value = self._value(node, ruleset, INT) if isinstance(node, Scalar) else None
        if not isinstance(node, Scalar) or not isinstance(value, int):
            return default
        if not low <= value <= high:
            slug = "range" if type(node.value) is int else "setting-impossible"
            message = f"{value} is outside {low}..{high}"
            if not INT_MIN <= value <= INT_MAX:
                slug, message = "range", "the result does not fit in 32 bits"
            self.report.error(slug, message, node.span)
            return min(max(value, low), high)
        return value

    def truth(self, node: Node | None, ruleset: str, *, broken: bool = True) -> bool:
        """Return whether the condition `node` holds.

        True without a condition, `broken` when the condition has no value.
        """
        if not isinstance(node, Scalar):
            return True
        found = self._value(node, ruleset, BOOL)
        return broken if found is None else bool(found)

    def reads(self, node: Node | None, ruleset: str, type_: Type) -> Iterator[str]:
        """Yield what a scalar of a type reads: full names of settings, `PLAYERS` and `PREVIOUS`."""
        if isinstance(node, Scalar) and isinstance(node.value, str):
            for each in walk(self._expression(node, ruleset, type_)):
                match each:
                    case checked.Const(setting=str(setting)):
                        yield setting
                    case checked.Aggregate(binders=binders) if checked.is_players(binders):
                        yield PLAYERS
                    case checked.Previous():
                        yield PREVIOUS

    def _value(self, node: Scalar, ruleset: str, wanted: Type) -> Value:
        if type(node.value) is (int if wanted == INT else bool):
            return node.value
        found = self._expression(node, ruleset, wanted)
        if found is None:
            return None
        numbers = {PLAYERS: self.players, PREVIOUS: self.previous}
        known: dict[str, Value] = {key: each.value for key, each in self.chosen.items()}
        value = fold(found, known | {k: n for k, n in numbers.items() if n is not None})
        if value is None:
            message = "this is not known before the game begins"
            help = ["use numbers, conditions and `settings.NAME` only"]
            reads = set(self.reads(node, ruleset, wanted))
            if PLAYERS in reads:
                help.append(f"`{PLAYERS}` can stand in `count`, `totals` and `refuse`")
            if PREVIOUS in reads:
                help.append(f"`{PREVIOUS}` can stand in a `count` under `extend`")
            self.report.error("bad-value", message, found.span, help=help)
        return value

    def _expression(self, node: Scalar, ruleset: str, wanted: Type) -> checked.Expr | None:
        if node.span not in self._known:
            own = Report()
            found = self.typed(node.span, ruleset, wanted, self.game, self.uses, own, ())
            self._known[node.span] = found, own
        found, own = self._known[node.span]
        self.report.extend(own)
        return found


SettingValue = int | bool | str
MAX_VALUES = 1000
"""Maximum number of values of one setting: rules are judged over all of them."""

_INTEGER = re.compile(r"-?[0-9]{1,10}")


def choose_settings(
    names: EntryIndex, chosen: Mapping[str, SettingValue], report: Report
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
                f"`{written}` cannot be {nodes.shown(chosen[written])}",
                help=(f"it may be {_listed(setting.values)}",),
            )
        else:
            given[setting.key] = written
            settings[setting.key] = replace(setting, chosen=value)
    return settings


def _declared(entry: DeclarationEntry, report: Report, uses: Uses) -> SettingDef:
    """Return the setting with its default chosen.

    A default that is not among the values is reported by `read`; the first value replaces it.
    """
    default = nodes.scalar(entry.node, "default")
    value = False if default is None else default.value
    listed = tuple(node.value for node in nodes.scalars(nodes.get(entry.node, "values")))
    bounds = nodes.get(entry.node, "range")
    if bounds is not None:
        listed = _between(entry, bounds, report)
    elif isinstance(value, bool):
        listed = (False, True)
    values = listed or (value,)
    first = value if _is_among(value, values) else values[0]
    for node in nodes.scalars(nodes.get(entry.node, "values")):
        name = nodes.shown(node.value)
        uses.add_last(node.span, member(words_of(entry.key), name), declares=True)
        report_taken(name, "member", node.span, report)
    if default is not None and isinstance(value, str) and value in listed:
        uses.add_last(default.span, member(words_of(entry.key), value))
    return SettingDef(entry.name, entry.ruleset, entry.span, first, values, first)


def _between(entry: DeclarationEntry, bounds: Node, report: Report) -> tuple[int, ...]:
    match nodes.integers(bounds):
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
    return ", ".join(nodes.shown(value) for value in values)


def refused(family: RulesetFamily, constants: Constants, report: Report) -> dict[int, str]:
    """Return the numbers of players that rulesets refuse with the chosen settings, and why.

    When they refuse every number, that is reported, and the result is empty.
    """
    found = {
        number: list(refusals(family, replace(constants, players=number)))
        for number in constants.game.numbers
    }
    if not all(found.values()):
        first = {number: each[0] for number, each in found.items() if each}
        return {number: f"`{each.ruleset}`: {each.because}" for number, each in first.items()}
    for number, each in found.items():
        for refusal in each:
            always = all(refusal in others for others in found.values())
            what = "these settings" if always else f"games of {number} players"
            slug, message, help_lines = "setting-impossible", f"refuses {what}", tuple[str, ...]()
            if refusal.others:
                others = listed([f"`{other}`" for other in refusal.others], "and")
                message += f" with {others}"
                if not refusal.conditional:
                    slug, message = "ruleset-conflict", f"is not played together with {others}"
                    help_lines = ("leave one of them out",)
            message = f"`{refusal.ruleset}` {message}: {refusal.because}"
            report.error(slug, message, refusal.span, help=help_lines)
    return {}


def check_refusals(names: EntryIndex) -> None:
    """Report rulesets in `refuse` that are always loaded, and note where others are named."""
    for ruleset in names.family.rulesets:
        for entry in nodes.items(ruleset.manifest.get("refuse")):
            for other in nodes.scalars(nodes.get(entry, "with")):
                id = nodes.shown(other.value)
                if id in names.family.reach:
                    names.uses.add_last(other.span, word("ruleset", id))
                if id in names.family.visible[ruleset.id]:
                    message = f"`{id}` is on in every game with `{ruleset.id}`"
                    help_lines = ("`with` names rulesets that may be off: leave this one out",)
                    names.report.error("with-needless", message, other.span, help=help_lines)


class Refusal(NamedTuple):
    """An entry of a manifest's `refuse` that holds; `span` is that of its condition, or `with`.

    `others` are the rulesets that it names, `conditional` is set if it has a condition.
    """

    ruleset: str
    because: str
    span: Span
    others: tuple[str, ...]
    conditional: bool


def refusals(family: RulesetFamily, constants: Constants) -> Iterator[Refusal]:
    """Yield every entry of `refuse` that holds with these rulesets, settings and players."""
    loaded = {ruleset.id for ruleset in family.rulesets}
    for ruleset in family.rulesets:
        optional = loaded.difference(family.visible[ruleset.id])
        for entry in nodes.items(ruleset.manifest.get("refuse")):
            condition, others = nodes.scalar(entry, "when"), nodes.get(entry, "with")
            shown = condition or others
            names = nodes.words(others)
            # The condition is judged, and its mistakes reported, whatever is loaded.
            holds = constants.truth(condition, ruleset.id, broken=False)
            if shown is not None and holds and optional.issuperset(names):
                because = nodes.text(entry, "because")
                yield Refusal(ruleset.id, because, shown.span, names, condition is not None)
