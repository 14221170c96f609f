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
_READ = re.compile(r"(?:\b(\w+)\.)?\bsettings\.(\w+)")


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
    counts: dict[tuple[str, ...], _Count] = {}
    for entry in entries:
        names = _read(box, ruleset, _said(entry))
        counts.setdefault(names, _Count(names)).entries.append(entry)
    keys = {*_read(box, ruleset, [node]), *(key for names in counts for key in names)}
    read = [each for key, each in box.constants.settings.items() if key in keys]
    for choice in islice(_choices(read), _MOST_CHOICES):
        own = Report()
        constants = replace(
            box.constants, settings={**box.constants.settings, **choice}, report=own
        )
        total = constants.number(node, ruleset, 0, 0)
        found = sum(count.under(constants) for count in counts.values())
        if own.ok and total != found and not any(refused(box.family, constants)):
            message = f"the counts of all {section} sum to {found}, not {total}{_under(choice)}"
            help = f"{abs(found - total)} too {'many' if found > total else 'few'}"
            report.error("count-total", message, node.span, help=(help,))
            return


@dataclass
class _Count:
    """How many there are of entries that `read` the same settings (by full name), worked out once
    for all choices of those that are alike."""

    read: Sequence[str]
    entries: list[Entry] = field(default_factory=list)
    _known: dict[tuple[object, ...], tuple[int, Report]] = field(default_factory=dict)

    def under(self, constants: Constants) -> int:
        """The count with the settings of `constants`, which reports what is wrong with it."""
        key = tuple(constants.settings[name].chosen for name in self.read)
        if key not in self._known:
            own = Report()
            alike = replace(constants, report=own)
            self._known[key] = sum(_count(each, alike) for each in self.entries), own
        count, found = self._known[key]
        constants.report.extend(found)
        return count


def _count(entry: Entry, constants: Constants) -> int:
    """How many there are of an entry."""
    if not constants.truth(look.get(entry.node, "when"), entry.ruleset):
        return 0
    return constants.number(look.get(entry.node, "count"), entry.ruleset, 1, 0, MAX_PIECES)


def _said(entry: Entry) -> list[Node]:
    """What says how many there are of an entry."""
    nodes = (look.get(entry.node, key) for key in ("when", "count"))
    return [node for node in nodes if node is not None]


def _read(box: Box, ruleset: str, nodes: Iterable[Node]) -> tuple[str, ...]:
    """The full names of the settings that a ruleset names inside of nodes: its own before others
    of that name."""
    settings = box.constants.settings
    found: set[str] = set()
    for owner, name in (hit for node in nodes for s in texts(node) for hit in _READ.findall(s)):
        own = f"{owner or ruleset}/{name}"
        found |= {own} if own in settings else {k for k, s in settings.items() if s.name == name}
    return tuple(key for key in settings if key in found)


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
