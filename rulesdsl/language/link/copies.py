"""Copies of component entries: how many there are, and what rulesets give some of them.

Declared totals are held against the sums of their counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from itertools import combinations, islice, product

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.link.box import MAX_PIECES, BoxBuilder, report_order, settling
from rulesdsl.language.link.keys import IN, PIECE, GivenValue, Slot
from rulesdsl.language.link.names import CLASSES, DeclarationEntry
from rulesdsl.language.link.settings import Constants, refusals
from rulesdsl.language.model import nodes
from rulesdsl.language.model.checked import PLAYERS, PREVIOUS
from rulesdsl.language.model.game import Plain, SettingDef
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.nodes import Node
from rulesdsl.language.model.types import BOOL, INT, INT_MIN


@dataclass(frozen=True)
class CopyChange:
    """Values that some copies of an entry have of their own.

    `copies` is None if the change is for all of them. `ruleset` makes the change.
    """

    copies: int | None
    says: Mapping[Slot, GivenValue]
    span: Span
    ruleset: str


@dataclass(frozen=True)
class CopyVariant:
    """Copies with the same attributes.

    `copies` maps the number of each copy, from 1, to the place it begins in, or None if it names
    none. `says` holds the attributes that differ from those of the entry, `givers` the rulesets
    that give them.
    """

    copies: Mapping[int, str | None]
    says: Mapping[Slot, Plain]
    givers: tuple[str, ...] = ()


@dataclass(frozen=True)
class CountChange:
    """A `count` under `extend`, by which a ruleset changes the number of copies of an entry.

    `builds` is set if it depends on the count before.
    """

    ruleset: str
    node: Node
    builds: bool

    def after(self, constants: Constants, count: int) -> int:
        """Return the number of copies where there were `count`; it is wrong if out of range."""
        alone = replace(constants, previous=count)
        return alone.number(self.node, self.ruleset, count, INT_MIN)


def recounts(box: BoxBuilder, entry: DeclarationEntry) -> list[CountChange]:
    """Return the changes of the count of an entry by other rulesets, in order."""
    return [
        CountChange(each.ruleset, node, PREVIOUS in box.constants.reads(node, each.ruleset, INT))
        for each in box.extending(entry)
        for item in nodes.items(each.node)
        if (node := nodes.get(item, "count")) is not None
        and box.constants.truth(nodes.get(item, "when"), each.ruleset)
    ]


def recounted(
    box: BoxBuilder,
    entry: DeclarationEntry,
    counts: Mapping[int, int],
    changes: Sequence[CountChange],
) -> dict[int, int]:
    """Return the counts of an entry, by the number of players, after the changes.

    Strangers whose changes would give another result in the other order are reported.
    """
    clashing = dict[tuple[int, int], int]()
    found = dict(counts)
    for players, count in counts.items():
        constants = replace(box.constants, players=players)
        before = [count]
        for change in changes:
            before.append(change.after(constants, before[-1]))
        for pair, first in _clashing(box, changes, constants, count):
            clashing.setdefault(pair, first)
        found[players] = min(max(before[-1], 0), MAX_PIECES)
        wrong = 1 + max(i for i, n in enumerate(before) if 0 <= n <= MAX_PIECES)
        if wrong < len(before) and not clashing:
            _report_range(box, entry, changes[:wrong], before[: wrong + 1])
            break
    for (one, other), count in clashing.items():
        _report_counts(box, entry, changes[one], changes[other], count)
    return found


_MOST_REACHED = 1024
"""The greatest number of sets of changes that are looked at: all sets of ten strangers."""


def _clashing(
    box: BoxBuilder, changes: Sequence[CountChange], constants: Constants, count: int
) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield the changes of strangers whose order matters, and the count after the first of them.

    They are looked at after every set of other changes that can come before them. Those for which a
    later change decides are left out.
    """
    related, builds_on = box.family.related, box.family.builds_on
    needed = [
        {i for i in range(j) if related(changes[i].ruleset, change.ruleset)}
        for j, change in enumerate(changes)
    ]
    after = cache(lambda index, count: changes[index].after(constants, count))
    reached = {frozenset[int](): count}
    due = [*reached]
    for done in due:
        count = reached[done]
        ready = [i for i, needs in enumerate(needed) if i not in done and needs <= done]
        for i, j in combinations(ready, 2):
            first = after(i, count)
            if after(j, first) != after(i, after(j, count)) and not any(
                builds_on(each.ruleset, changes[i].ruleset)
                and builds_on(each.ruleset, changes[j].ruleset)
                for each in changes[j:]
                if not each.builds
            ):
                yield (i, j), first
        for i in ready:
            more = done | {i}
            if more not in reached and len(due) < _MOST_REACHED:
                reached[more] = after(i, count)
                due.append(more)


def _report_range(
    box: BoxBuilder,
    entry: DeclarationEntry,
    changes: Sequence[CountChange],
    counts: Sequence[int],
) -> None:
    *others, last = changes
    strangers = [each for each in others if not box.family.related(each.ruleset, last.ruleset)]
    box.report.error(
        "ruleset-conflict" if strangers else "range",
        f"there would be {counts[-1]} copies of `{entry.name}`",
        last.node.span,
        labels=[Label(each.node.span, f"`{each.ruleset}` changes it too") for each in others],
        help=(
            f"`{PREVIOUS}` is {counts[-2]} here, and 0 to {MAX_PIECES} are possible",
            *(
                line
                for each in strangers[:1]
                for line in settling(
                    box, each.ruleset, last.ruleset, _count_line(entry, counts[-2])
                )
            ),
        ),
    )


def _count_line(entry: DeclarationEntry, count: int) -> str:
    return f"extend: {{{entry.key}: [{{count: {count}}}]}}"


def _report_counts(
    box: BoxBuilder, entry: DeclarationEntry, one: CountChange, other: CountChange, count: int
) -> None:
    box.report.error(
        "ruleset-conflict",
        f"the order of `{one.ruleset}` and `{other.ruleset}` decides how many copies of "
        f"`{entry.name}` there are",
        other.node.span,
        labels=(Label(one.node.span, f"`{one.ruleset}` changes it too"),),
        help=(
            f"changes such as `{PREVIOUS} - 1` in both go together",
            *settling(box, one.ruleset, other.ruleset, _count_line(entry, count)),
        ),
    )


@dataclass(frozen=True)
class Dealer:
    """Dealer of what rulesets give copies of the component `name`.

    `declared` is the number of copies that its entry declares, `kept` that after `recounts`.
    `offer` writes values that all copies are to have as a line of a manifest.
    """

    box: BoxBuilder
    name: str
    declared: int
    kept: int
    recounts: Sequence[CountChange]
    offer: Callable[[Mapping[Slot, GivenValue]], str]

    def deal(self, changes: Sequence[CopyChange]) -> list[dict[Slot, GivenValue]]:
        """Return the values that each copy has after `changes`.

        Those of rulesets that do not know each other go in the order of what they say, not of
        names. A change for n copies goes to the first n that have no value of the kind yet; the
        last ones are missing if there are fewer than declared.
        """
        standing = list(_standing(self.box, changes))
        first, turned = (_by_content(self.box, standing, backwards=b) for b in (False, True))
        own = Report()
        copies = replace(self, box=replace(self.box, report=own))._dealt(first)
        if own.ok and first != turned:
            other = replace(self, box=replace(self.box, report=Report()))._dealt(turned)
            if copies != other:
                pairs = zip(first, turned, strict=True)
                one, two = next(pair for pair in pairs if pair[0] != pair[1])
                do = f"change copies of `{self.name}` alike, and only their names decide which"
                help = "change all copies, or change other components"
                pair = (one.ruleset, one.span), (two.ruleset, two.span)
                report_order(self.box, *pair, f"{do} each takes", help)
        self.box.report.extend(own)
        return copies

    def _dealt(self, changes: Sequence[CopyChange]) -> list[dict[Slot, GivenValue]]:
        related = self.box.family.related
        copies: list[dict[Slot, GivenValue]] = [{} for _ in range(max(self.declared, self.kept))]
        for change in changes:
            taken = copies
            if change.copies is not None:
                free = [copy for copy in copies if copy.keys().isdisjoint(change.says)]
                taken = free[: change.copies]
                lost = [e for e in self.recounts if not related(e.ruleset, change.ruleset)]
                if len(taken) < change.copies:
                    self._report_few(copies, len(free), change)
                elif lost and any(copy is each for copy in taken for each in copies[self.kept :]):
                    self._report_lost(change, lost[0])
                elif sum(not copy for copy in copies) >= change.copies:
                    self._report_same(taken, change)
            clashes: dict[str, dict[Slot, GivenValue]] = {}
            for copy in taken:
                for slot, said in change.says.items():
                    before = copy.get(slot, said)
                    one, other = before.ruleset, said.ruleset
                    if before.value != said.value and (one == other or not related(one, other)):
                        clashes.setdefault(one, {})[slot] = before
                    copy[slot] = said
            for other, slots in clashes.items():
                self._report_clash(other, slots, change)
        return copies[: self.kept]

    def _report_same(self, taken: Sequence[Mapping[Slot, GivenValue]], change: CopyChange) -> None:
        given = [(slot, said) for copy in taken for slot, said in copy.items()]
        own = [(slot, said) for slot, said in given if said.ruleset == change.ruleset]
        if not own:
            return
        (_, before), said = own[0]
        word = "in" if before == IN else short_name(before).partition(".")[0]
        self.box.report.warning(
            "same-copies",
            f"this changes copies of `{self.name}` that already have their own `{word}`",
            change.span,
            labels=(Label(said.span, "given to the same copies"),),
            help=(
                "for the same copies, write one entry with all of it",
                f"for other copies, give `{word}` here too: copies that have it are passed over",
            ),
        )

    def _report_few(
        self, copies: Sequence[Mapping[Slot, GivenValue]], free: int, change: CopyChange
    ) -> None:
        left = f"{free} {'is' if free == 1 else 'are'} left"
        message = f"{self._requested(change)}, of which {left}"
        help = f"there {'is' if len(copies) == 1 else 'are'} {len(copies)} in all"
        given = [copy[slot] for copy in copies for slot in change.says if slot in copy]
        related = self.box.family.related
        others = [each for each in given if not related(each.ruleset, change.ruleset)]
        if others and (change.copies or 0) <= len(copies):
            label = Label(others[0].span, f"`{others[0].ruleset}` changes some too")
            lines = (help, *self._settling(change.ruleset, others[0].ruleset, change.says))
            slug = "ruleset-conflict"
            self.box.report.error(slug, message, change.span, labels=(label,), help=lines)
        else:
            self.box.report.error("bad-value", message, change.span, help=(help,))

    def _requested(self, change: CopyChange) -> str:
        copies = "copy" if change.copies == 1 else "copies"
        verb = "is" if change.copies == 1 else "are"
        return f"{change.copies} {copies} of `{self.name}` {verb} requested"

    def _report_lost(self, change: CopyChange, recount: CountChange) -> None:
        self.box.report.error(
            "ruleset-conflict",
            f"{self._requested(change)}, and `{recount.ruleset}` leaves {self.kept}",
            change.span,
            labels=(Label(recount.node.span, f"`{recount.ruleset}` changes the count"),),
            help=(
                f"request at most {self.kept}",
                *self._settling(change.ruleset, recount.ruleset, change.says),
            ),
        )

    def _report_clash(
        self, other: str, slots: Mapping[Slot, GivenValue], change: CopyChange
    ) -> None:
        slot, before = next(iter(slots.items()))
        same = other == change.ruleset
        help = "write `copies:` in both" if same else "write `copies:` in both rulesets"
        self.box.report.error(
            "bad-value" if same else "ruleset-conflict",
            f"a copy of `{self.name}` is given two values",
            change.says[slot].span,
            labels=(Label(before.span, f"the other one, by `{other}`"),),
            help=(help, *(() if same else self._settling(other, change.ruleset, slots))),
        )

    def _settling(self, one: str, other: str, says: Mapping[Slot, GivenValue]) -> tuple[str, ...]:
        return settling(self.box, one, other, self.offer(says))


def _standing(box: BoxBuilder, changes: Sequence[CopyChange]) -> Iterator[CopyChange]:
    """Yield the changes without values that a later one, which builds on them, gives all copies."""
    for number, change in enumerate(changes):
        decided = {
            slot
            for later in changes[number + 1 :]
            if later.copies is None and box.family.builds_on(later.ruleset, change.ruleset)
            for slot in later.says
        }
        says = {slot: said for slot, said in change.says.items() if slot not in decided}
        if says:
            yield replace(change, says=says)


def _by_content(
    box: BoxBuilder, changes: Sequence[CopyChange], *, backwards: bool
) -> list[CopyChange]:
    """Return the changes of rulesets that do not build on each other in the order of what they say.

    Of rulesets that say the same under names of their own, the first comes first, or, `backwards`,
    the last.
    """
    groups: dict[str, list[CopyChange]] = {}
    for change in changes:
        groups.setdefault(change.ruleset, []).append(change)
    found: list[CopyChange] = []
    while groups:
        free = [
            one for one in groups if not any(box.family.builds_on(one, each) for each in groups)
        ]
        content = {one: [_content(each) for each in groups[one]] for one in free}
        found += groups.pop(min(reversed(free) if backwards else free, key=content.__getitem__))
    return found


def _content(change: CopyChange) -> tuple[int, list[tuple[int, str, str]]]:
    said = ((*slot, short_name(str(each.value))) for slot, each in change.says.items())
    return change.copies or 0, sorted((at, short_name(name), value) for at, name, value in said)


def variants(
    copies: Sequence[Mapping[Slot, GivenValue]], plain: Mapping[Slot, Plain]
) -> list[CopyVariant]:
    """Group the copies by their values, in the order of the first copy of each group.

    `plain` holds the values common to all copies.
    """
    groups: dict[frozenset[tuple[Slot, Plain]], dict[int, str | None]] = {}
    givers: dict[frozenset[tuple[Slot, Plain]], dict[str, None]] = {}
    for number, copy in enumerate(copies, start=1):
        says = frozenset(
            (slot, said.value)
            for slot, said in copy.items()
            if slot != (PIECE, IN) and (slot not in plain or plain[slot] != said.value)
        )
        start = copy[PIECE, IN].value if (PIECE, IN) in copy else plain.get((PIECE, IN))
        groups.setdefault(says, {})[number] = None if start is None else str(start)
        givers.setdefault(says, {}).update(dict.fromkeys(said.ruleset for said in copy.values()))
    return [
        CopyVariant(numbers, dict(sorted(says)), tuple(givers[says]))
        for says, numbers in groups.items()
    ]


def differing(found: Sequence[CopyVariant]) -> list[Slot]:
    """Return the slots whose values distinguish variants, by their names without rulesets.

    Slots of one such name go by their values, and by full names if all of these are equal.
    """

    def values(slot: Slot) -> list[str]:
        return [repr(variant.says.get(slot, ...)) for variant in found]

    slots = {s for variant in found for s in variant.says if len(set(values(s))) > 1}
    return sorted(slots, key=lambda s: (s[0], short_name(s[1]), values(s), s[1]))


# --- totals --------------------------------------------------------------------------------------

_MOST_CHOICES = 256
"""Maximum number of choices of settings under which a total is checked."""
_FEW = 4
"""Number of values of a setting up to which all are tried.

Of a setting with more values, the ends and the default stand for all.
"""


def check_totals(box: BoxBuilder) -> None:
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
                _check_total(box, ruleset.id, section, node)


def _check_total(box: BoxBuilder, ruleset: str, section: str, node: Node) -> None:
    counts: dict[tuple[str, ...], _Count] = {}
    for entry in box.names.of(section):
        if entry.ruleset == ruleset:
            names = _read(box, entry.node, ruleset)
            counts.setdefault(names, _Count(names)).entries.append(entry)
    keys = {*box.constants.reads(node, ruleset, INT), *(key for names in counts for key in names)}
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
            box.report.error("count-total", message, node.span, help=(help,))
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
