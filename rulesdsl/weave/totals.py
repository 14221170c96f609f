"""What a box declares to hold, compared with its counts under all settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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
_READ = re.compile(r"settings\.(?:\w+\.)?(\w+)")


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
    written = [node, *_nodes(entries)]
    named = {name for each in written for text in texts(each) for name in _READ.findall(text)}
    read = [each for each in box.constants.settings.values() if each.name in named]
    for choice in islice(_choices(read), _MOST_CHOICES):
        own = Report()
        constants = replace(
            box.constants, settings={**box.constants.settings, **choice}, report=own
        )
        total = constants.number(node, ruleset, 0, 0)
        found = sum(_count(constants, entry) for entry in entries)
        if own.ok and total != found and not any(refused(box.family, constants)):
            message = f"the counts of all {section} sum to {found}, not {total}{_under(choice)}"
            help = f"{abs(found - total)} too {'many' if found > total else 'few'}"
            report.error("count-total", message, node.span, help=(help,))
            return


def _count(constants: Constants, entry: Entry) -> int:
    if not constants.truth(look.get(entry.node, "when"), entry.ruleset):
        return 0
    return constants.number(look.get(entry.node, "count"), entry.ruleset, 1, 0, MAX_PIECES)


def _nodes(entries: Iterable[Entry]) -> Iterator[Node]:
    """What says how many there are of these."""
    for entry in entries:
        for key in ("when", "count"):
            node = look.get(entry.node, key)
            if node is not None:
                yield node


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
