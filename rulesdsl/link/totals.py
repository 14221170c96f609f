"""The declared totals of components, held against the sums of their counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice, product

from rulesdsl.diagnostics import Report
from rulesdsl.link.box import MAX_PIECES, BoxBuilder
from rulesdsl.link.names import CLASSES, DeclarationEntry
from rulesdsl.link.settings import Constants, refusals
from rulesdsl.model import nodes
from rulesdsl.model.checked import PLAYERS
from rulesdsl.model.game import SettingDef
from rulesdsl.model.nodes import Node
from rulesdsl.model.types import BOOL, INT
from rulesdsl.records import dataclass

_MOST_CHOICES = 256
"""Maximum number of choices of settings under which a total is checked."""
_FEW = 4
"""Number of values of a setting up to which all are tried.

Of a setting with more values, the ends and the default stand for all.
"""


def check_totals(box: BoxBuilder, report: Report) -> None:
    """Report `count-total` for every total that differs from the sum of its counts.

    The chosen settings are checked first, then others that could be chosen; where the number of
    players is read, every number.
    """
    for ruleset in box.family.rulesets:
        for key, node in nodes.entries(ruleset.manifest.get("totals")):
            section = str(key.value)
            for players in box.constants.game.numbers:  # to report its own mistakes
                replace(box.constants, players=players).number(node, ruleset.id, 0, 0)
            if section in CLASSES:
                entries = [e for e in box.names.of(section) if e.ruleset == ruleset.id]
                _check_total(box, ruleset.id, section, node, entries, report)


def _check_total(
    box: BoxBuilder,
    ruleset: str,
    section: str,
    node: Node,
    entries: Sequence[DeclarationEntry],
    report: Report,
) -> None:
    counts: dict[tuple[str, ...], _Count] = {}
    for entry in entries:
        names = _read(box, entry.node, ruleset)
        counts.setdefault(names, _Count(names)).entries.append(entry)
    keys = {
        *box.constants.reads(node, ruleset, INT),
        *(key for names in counts for key in names),
    }
    read = [each for each in box.constants.game.settings if each.key in keys]
    roles = box.roles
    numbers = range(roles.least, roles.most + 1)
    for choice, players in product(
        islice(_choices(read), _MOST_CHOICES), numbers if PLAYERS in keys else (None,)
    ):
        own = Report()
        constants = replace(box.constants, chosen=choice, players=players, report=own)
        total = constants.number(node, ruleset, 0, 0)
        found = sum(count.under(constants) for count in counts.values())
        if own.ok and total != found and _playable(box, constants, numbers):
            chosen = [f"`{each.name}: {nodes.shown(each.chosen)}`" for each in choice.values()]
            under = f" with {', '.join(chosen)}" if chosen else ""
            under += f" for {players} players" if players else ""
            message = f"the counts of all {section} sum to {found}, not {total}{under}"
            help = f"{abs(found - total)} too {'many' if found > total else 'few'}"
            report.error("count-total", message, node.span, help=(help,))
            return


def _playable(box: BoxBuilder, constants: Constants, numbers: Iterable[int]) -> bool:
    """Return whether nothing refuses the settings with the players, or with one of `numbers`."""
    tried = numbers if constants.players is None else (constants.players,)
    return not all(
        any(refusals(box.family, replace(constants, players=number))) for number in tried
    )


@dataclass
class _Count:
    """The number of pieces of entries that `read` the same (as from `Constants.reads`).

    It is computed once for all choices with the same values of what they read.
    """

    read: Sequence[str]
    entries: list[DeclarationEntry] = field(default_factory=list)
    _known: dict[tuple[object, ...], tuple[int, Report]] = field(default_factory=dict)

    def under(self, constants: Constants) -> int:
        """Return the count with the settings of `constants`, which reports its mistakes."""
        key = tuple(
            constants.players if name == PLAYERS else constants.chosen.get(name)
            for name in self.read
        )
        if key not in self._known:
            own = Report()
            alike = replace(constants, report=own)
            there = (e for e in self.entries if alike.truth(nodes.get(e.node, "when"), e.ruleset))
            counts = (
                alike.number(nodes.get(each.node, "count"), each.ruleset, 1, 0, MAX_PIECES)
                for each in there
            )
            self._known[key] = sum(counts), own
        count, found = self._known[key]
        constants.report.extend(found)
        return count


def _read(box: BoxBuilder, node: Node, ruleset: str) -> tuple[str, ...]:
    """Return what the number of pieces of an entry depends on, as `Constants.reads` does."""
    constants = box.constants
    counts = constants.reads(nodes.get(node, "count"), ruleset, INT)
    return tuple(sorted({*counts, *constants.reads(nodes.get(node, "when"), ruleset, BOOL)}))


def _choices(settings: Sequence[SettingDef]) -> Iterator[Mapping[str, SettingDef]]:
    """Yield the choices of values for these settings.

    The first is an empty mapping: the values that are chosen now.
    """
    yield {}
    for values in product(*(_total_values(each) for each in settings)):
        yield {
            setting.key: replace(setting, chosen=value)
            for setting, value in zip(settings, values, strict=True)
        }


def _total_values(setting: SettingDef) -> Sequence[int | bool | str]:
    values = setting.values
    if len(values) <= _FEW:
        return values
    return tuple(dict.fromkeys((setting.default, values[0], values[1], values[-1])))
