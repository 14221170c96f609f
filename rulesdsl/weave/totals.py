"""What a box declares to hold, compared with its counts under all settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product

from rulesdsl.diagnostics import Report
from rulesdsl.model.game import SettingDef
from rulesdsl.model.nodes import Node, texts
from rulesdsl.weave import look
from rulesdsl.weave.box import Box
from rulesdsl.weave.constants import Constants
from rulesdsl.weave.names import CLASSES, Entry
from rulesdsl.weave.refusals import refused

MAX_PIECES = 10_000
"""How many components one box may hold."""

_MOST_CHOICES = 256
"""Under so many choices of settings a total is looked at."""
_FEW = 4
"""Of a setting with more values than this, the ends and the default stand for all."""
_READ = re.compile(r"(?:(\w+)\.)?\bsettings\.(\w+)")


def check_totals(box: Box, report: Report) -> None:
    """Report `count-total` for every total that its counts do not sum to: under the chosen
    settings, or under others that could be chosen."""
    for ruleset in box.family.rulesets:
        for key, node in look.entries(ruleset.manifest.get("totals")):
            section = str(key.value)
            box.constants.number(node, ruleset.id, 0, 0)  # for what is wrong with it itself
            if section in CLASSES:
                entries = [e for e in box.names.of(section) if e.ruleset == ruleset.id]
                _check_total(box, ruleset.id, section, node, entries, report)


def _check_total(
    box: Box, ruleset: str, section: str, node: Node, entries: Sequence[Entry], report: Report
) -> None:
    counts = [_Count(entry, _read(box, ruleset, _said(entry))) for entry in entries]
    keys = {each.key for each in _read(box, ruleset, [node])}
    keys |= {each.key for count in counts for each in count.read}
    read = [each for key, each in box.constants.settings.items() if key in keys]
    same = Report()
    alike = replace(box.constants, report=same)
    always = sum(count.of(alike) for count in counts if not count.read)
    others = [count for count in counts if count.read]
    for choice in islice(_choices(read), _MOST_CHOICES):
        own = Report()
        own.extend(same)
        constants = replace(
            box.constants, settings={**box.constants.settings, **choice}, report=own
        )
        total = constants.number(node, ruleset, 0, 0)
        found = always + sum(count.under(constants) for count in others)
        if own.ok and total != found and not any(refused(box.family, constants)):
            message = f"the counts of all {section} sum to {found}, not {total}{_under(choice)}"
            help = f"{abs(found - total)} too {'many' if found > total else 'few'}"
            report.error("count-total", message, node.span, help=(help,))
            return


@dataclass
class _Count:
    """How many there are of an entry, worked out once for all choices of the settings it `read`s
    that are alike."""

    entry: Entry
    read: Sequence[SettingDef]
    _known: dict[tuple[object, ...], tuple[int, Report]] = field(default_factory=dict)

    def under(self, constants: Constants) -> int:
        """The count with the settings of `constants`, which reports what is wrong with it."""
        key = tuple(constants.settings[each.key].chosen for each in self.read)
        if key not in self._known:
            own = Report()
            self._known[key] = self.of(replace(constants, report=own)), own
        count, found = self._known[key]
        constants.report.extend(found)
        return count

    def of(self, constants: Constants) -> int:
        """The count, worked out anew."""
        node, ruleset = self.entry.node, self.entry.ruleset
        if not constants.truth(look.get(node, "when"), ruleset):
            return 0
        return constants.number(look.get(node, "count"), ruleset, 1, 0, MAX_PIECES)


def _said(entry: Entry) -> list[Node]:
    """What says how many there are of an entry."""
    nodes = (look.get(entry.node, key) for key in ("when", "count"))
    return [node for node in nodes if node is not None]


def _read(box: Box, ruleset: str, nodes: Iterable[Node]) -> list[SettingDef]:
    """The settings that a ruleset names inside of nodes: its own before others of that name."""
    settings = box.constants.settings
    found: set[str] = set()
    for owner, name in (hit for node in nodes for s in texts(node) for hit in _READ.findall(s)):
        own = f"{owner or ruleset}/{name}"
        found |= {own} if own in settings else {k for k, s in settings.items() if s.name == name}
    return [each for key, each in settings.items() if key in found]


def _choices(settings: Sequence[SettingDef]) -> Iterator[Mapping[str, SettingDef]]:
    """What may be chosen for these settings: nothing else than is chosen first, told by an empty
    mapping."""
    yield {}
    for values in product(*(_values(each) for each in settings)):
        yield {
            setting.key: replace(setting, chosen=value)
            for setting, value in zip(settings, values, strict=True)
        }


def _values(setting: SettingDef) -> Sequence[int | bool | str]:
    values = setting.values
    if len(values) <= _FEW:
        return values
    return tuple(dict.fromkeys((setting.default, values[0], values[1], values[-1])))


def _under(choice: Mapping[str, SettingDef]) -> str:
    """The choice in words; nothing for the one that was made."""
    chosen = [f"`{each.name}: {look.shown(each.chosen)}`" for each in choice.values()]
    return f" with {', '.join(chosen)}" if chosen else ""
