"""Component entries, converted to kinds (one for each variant) and pieces."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cache, partial
from itertools import combinations, islice, pairwise, product

from rulesdsl.builtins import report_taken
from rulesdsl.diagnostics import Diagnostic, Label, Report, Span
from rulesdsl.diagnostics.allow import allowing
from rulesdsl.diagnostics.report import did_you_mean, listed
from rulesdsl.geometry.notation import INSIDE, PieceDrawing, read_ports
from rulesdsl.link.attributes import NONE, convert
from rulesdsl.link.box import BoxBuilder, Extension, Palette
from rulesdsl.link.names import CHANGE_KEYS, CLASSES, OWN_KEYS, SEGMENT_KEYS, DeclarationEntry
from rulesdsl.link.settings import Constants, refusals
from rulesdsl.model import geometry, nodes, types
from rulesdsl.model.checked import PLAYERS, PREVIOUS
from rulesdsl.model.game import (
    PER_PLAYER,
    AttributeDef,
    FaceDef,
    FeatureKindDef,
    KindDef,
    PieceDef,
    Plain,
    Removal,
    SettingDef,
)
from rulesdsl.model.names import short_name
from rulesdsl.model.nodes import Node, Scalar
from rulesdsl.model.types import BOOL, INT, INT_MIN
from rulesdsl.model.uses import declared
from rulesdsl.records import dataclass

MAX_PIECES = 10_000
"""Maximum number of components of one box."""

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
            under = _under(choice) + (f" for {players} players" if players else "")
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
            self._known[key] = sum(_count(each, alike) for each in self.entries), own
        count, found = self._known[key]
        constants.report.extend(found)
        return count


def _count(entry: DeclarationEntry, constants: Constants) -> int:
    """Return the number of pieces of an entry."""
    if not constants.truth(nodes.get(entry.node, "when"), entry.ruleset):
        return 0
    return constants.number(nodes.get(entry.node, "count"), entry.ruleset, 1, 0, MAX_PIECES)


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


def _under(choice: Mapping[str, SettingDef]) -> str:
    """Return the choice in words, empty for the current one."""
    chosen = [f"`{each.name}: {nodes.shown(each.chosen)}`" for each in choice.values()]
    return f" with {', '.join(chosen)}" if chosen else ""


_SECTIONS = ("attributes", "features")
MAX_SIDES = 100
"""The greatest number of sides of a die that show one face."""
DRAWN = ("tile", "face")
"""The piece classes that have segments."""


def meaning(
    box: BoxBuilder, ruleset: str, owner: str, key: Scalar, value: Node, words: tuple[str, ...]
) -> AttributeDef | FeatureKindDef | None:
    """Return the attribute or feature kind that a key of an entry of `owner` names.

    `owner` is a piece class, `face` or the full name of a feature kind; `words` are the other keys
    the entry may have. None after reporting, or when its declaration is broken and was reported.
    A name that nothing resembles is reported once for each owner.
    """
    name = nodes.shown(key.value)
    found = box.names.candidates(name, ruleset, _SECTIONS, lambda e: _fits(box, e, owner))
    if len(found) > 1:
        box.names.report_ambiguous(name, key.span, found)
        return None
    if not found:
        _report_unknown(box, ruleset, owner, key, value, words)
        return None
    box.names.uses.add_last(key.span, found[0].symbol)
    return box.attribute(found[0].key) or box.features.get(found[0].key)


REST = "rest"
"""The key for the value of all members that an entry does not name."""


def attribute_values(
    box: BoxBuilder, attribute: AttributeDef, node: Node, ruleset: str
) -> dict[str, Plain]:
    """Return the values that a node of a ruleset gives an attribute, by full name; None if wrong.

    They are one value or, for an attribute with an index, the values of the members that it names.
    """
    name = attribute.name
    if not attribute.index:
        if isinstance(node, Scalar):
            return {attribute.key: convert(box, node, attribute.type, name, ruleset)[1]}
        message = f"attribute `{name}` has one value"
        box.report.error("type-mismatch", message, node.span)
        return {attribute.key: None}
    members = box.enums[attribute.index].members
    values: dict[str, Plain] = {}
    if not isinstance(node, nodes.Mapping):
        message = f"`{name}` has a value for each `{short_name(attribute.index)}`"
        said = nodes.shown(node.value) if isinstance(node, Scalar) else "…"
        help = (f"write `{name}: {{{members[0]}: {said}}}`",)
        box.report.error("type-mismatch", message, node.span, help=help)
        return {f"{attribute.key}.{member}": None for member in members}
    written = tuple(nodes.entries(node))
    rest = [pair for pair in written if pair[0].value == REST and REST not in members]
    for key, value in written:
        if (key, value) in rest:
            continue
        fits, member = convert(box, key, types.EnumType(attribute.index), name, ruleset)
        full = f"{attribute.key}.{member}"
        if full in values:
            message = f"`{name}` is given twice for `{member}`"
            box.report.error("duplicate-name", message, key.span)
        elif fits and isinstance(value, Scalar):
            named = f"{name}.{member}"
            values[full] = convert(box, value, attribute.type, named, ruleset)[1]
    for _, value in rest:
        if isinstance(value, Scalar):
            given = convert(box, value, attribute.type, f"{name}.{REST}", ruleset)[1]
            for each in members:
                values.setdefault(f"{attribute.key}.{each}", given)
    return values


def _fits(box: BoxBuilder, entry: DeclarationEntry, owner: str) -> bool:
    if entry.section == "features":
        return owner in DRAWN
    attribute = box.attribute(entry.key)
    return attribute is None or owner in attribute.owners


def _report_unknown(
    box: BoxBuilder, ruleset: str, owner: str, key: Scalar, value: Node, words: tuple[str, ...]
) -> None:
    name = nodes.shown(key.value)
    shown = short_name(owner)
    others = box.names.candidates(name, ruleset, _SECTIONS, lambda _: True)
    for other in others:
        attribute = box.attribute(other.key)
        if attribute is None:
            message = f"a {shown} has no segments"
        else:
            owners = ", ".join(sorted(short_name(o) for o in attribute.owners))
            message = f"`{name}` is an attribute of {owners}, not of {shown}"
        box.report.error("unknown-key", message, key.span)
        return
    known = [
        entry.name for entry in box.names.seen(ruleset, *_SECTIONS) if _fits(box, entry, owner)
    ]
    usual = _USUAL.get(name.lower(), "")
    help = box.names.elsewhere(name, ruleset, _SECTIONS)
    help = help or ((f"write `{usual}`",) if usual.partition(":")[0] in words else ())
    help = help or did_you_mean(name, (*known, *words))
    if not help:
        if (ruleset, owner, name) in box.undeclared:
            return
        box.undeclared.add((ruleset, owner, name))
        help = (f"declare it: `{_declaration(name, owner, value)}`",)
    box.report.error("unknown-key", f"a {shown} has no `{name}`", key.span, help=help)


_USUAL = {
    **dict.fromkeys(["amount", "copies", "number", "quantity"], "count"),
    **dict.fromkeys(["location", "place", "start", "zone"], "in"),
    "name": "id",
    "owner": "per: player",
}
"""Words that authors write for the keys of components."""


def _declaration(name: str, owner: str, value: Node) -> str:
    """Return an entry of a manifest that declares `name` for `owner` with values such as this."""
    if not isinstance(value, Scalar):
        return f"features: {{{name}: {{shape: SHAPE}}}}"
    says = {bool: "default: false", int: "default: 0"}.get(type(value.value), "type: ENUM")
    return f"attributes: {{{name}: {{of: {short_name(owner)}, {says}}}}}"


PIECE = -1
IN = "in"

Slot = tuple[int, str]
"""A value that a copy can have.

The number of a segment or `PIECE`, and the full name of an attribute or `IN`.
"""


@dataclass(frozen=True)
class GivenValue:
    """A value with the ruleset that gives it and its position."""

    value: Plain
    ruleset: str
    span: Span


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


Offer = Callable[[Mapping[Slot, "GivenValue"]], str]
"""Writes values that all copies of an entry are to have, as a line of a manifest."""


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
    """Report the last of some changes, after which the count is out of range."""
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
                for line in _settling(
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
            *_settling(box, one.ruleset, other.ruleset, _count_line(entry, count)),
        ),
    )


def deal(
    box: BoxBuilder,
    name: str,
    counts: tuple[int, int],
    changes: Sequence[CopyChange],
    recounts: Sequence[CountChange],
    offer: Offer,
) -> list[dict[Slot, GivenValue]]:
    """Return the values that each copy of a component has after `changes`.

    Those of rulesets that do not know each other go in the order of what they say, not of names.
    `counts` are the number of copies that its entry declares, and that after `recounts`. A change
    for n copies goes to the first n that have no value of the kind yet; the last ones are missing
    if there are fewer than declared. `offer` writes the line that settles a conflict.
    """
    changes = list(_standing(box, changes))
    own = Report()
    dealt = partial(_dealt, name=name, counts=counts, recounts=recounts, offer=offer)
    first, turned = (_by_content(box, changes, backwards=each) for each in (False, True))
    copies = dealt(replace(box, report=own), first)
    if own.ok and first != turned:
        other = dealt(replace(box, report=Report()), turned)
        if _values(copies) != _values(other):
            pairs = zip(first, turned, strict=True)
            _report_order(
                box,
                *next(pair for pair in pairs if pair[0] != pair[1]),
                f"change copies of `{name}` alike, and only their names decide which each takes",
                "change all copies, or change other components",
            )
    box.report.extend(own)
    return copies


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
    """Return what a change says, without the names of rulesets."""
    said = ((*slot, short_name(str(each.value))) for slot, each in change.says.items())
    return change.copies or 0, sorted((at, short_name(name), value) for at, name, value in said)


def _values(copies: Sequence[Mapping[Slot, GivenValue]]) -> list[dict[Slot, Plain]]:
    """Return the values of each copy."""
    return [{slot: said.value for slot, said in copy.items()} for copy in copies]


def _report_order(
    box: BoxBuilder, one: CopyChange | Addition, other: CopyChange | Addition, do: str, help: str
) -> None:
    """Report what two rulesets `do` alike under different names, so that either may come first."""
    box.report.warning(
        "order-of-names",
        f"`{one.ruleset}` and `{other.ruleset}` {do}",
        other.span,
        labels=(Label(one.span, f"that of `{one.ruleset}`"),),
        help=(
            help,
            "or, if it does not matter which, say so:",
            allowing(other.span, "order-of-names"),
        ),
    )


def _dealt(
    box: BoxBuilder,
    changes: Sequence[CopyChange],
    *,
    name: str,
    counts: tuple[int, int],
    recounts: Sequence[CountChange],
    offer: Offer,
) -> list[dict[Slot, GivenValue]]:
    kept = counts[1]
    copies: list[dict[Slot, GivenValue]] = [{} for _ in range(max(counts))]
    for change in changes:
        taken = copies
        lost = [each for each in recounts if not box.family.related(each.ruleset, change.ruleset)]
        if change.copies is not None:
            free = [copy for copy in copies if copy.keys().isdisjoint(change.says)]
            taken = free[: change.copies]
            if len(taken) < change.copies:
                _report_few(box, name, copies, len(free), change, offer)
            elif lost and any(copy is each for copy in taken for each in copies[kept:]):
                _report_lost(box, name, kept, change, lost[0], offer)
            elif sum(not copy for copy in copies) >= change.copies:
                _report_same(box, name, taken, change)
        clashes: dict[str, dict[Slot, GivenValue]] = {}
        for copy in taken:
            for slot, said in change.says.items():
                before = copy.get(slot, said)
                if before.value != said.value and not _overrides(box, said, before):
                    clashes.setdefault(before.ruleset, {})[slot] = before
                copy[slot] = said
        for other, slots in clashes.items():
            _report_clash(box, name, other, slots, change, offer)
    return copies[:kept]


def _report_same(
    box: BoxBuilder, name: str, taken: Sequence[Mapping[Slot, GivenValue]], change: CopyChange
) -> None:
    """Report a change of copies that an own change has changed too, though others are left."""
    given = [(slot, said) for copy in taken for slot, said in copy.items()]
    own = [(slot, said) for slot, said in given if said.ruleset == change.ruleset]
    if not own:
        return
    (_, before), said = own[0]
    word = "in" if before == IN else short_name(before).partition(".")[0]
    box.report.warning(
        "same-copies",
        f"this changes copies of `{name}` that already have their own `{word}`",
        change.span,
        labels=(Label(said.span, "given to the same copies"),),
        help=(
            "for the same copies, write one entry with all of it",
            f"for other copies, give `{word}` here too: copies that have it are passed over",
        ),
    )


def _overrides(box: BoxBuilder, after: GivenValue, before: GivenValue) -> bool:
    same = after.ruleset == before.ruleset
    return not same and box.family.related(before.ruleset, after.ruleset)


def _report_few(
    box: BoxBuilder,
    name: str,
    copies: Sequence[Mapping[Slot, GivenValue]],
    free: int,
    change: CopyChange,
    offer: Offer,
) -> None:
    """Report a change for more copies than are left."""
    left = f"{free} {'is' if free == 1 else 'are'} left"
    message = f"{_requested(change, name)}, of which {left}"
    help = f"there {'is' if len(copies) == 1 else 'are'} {len(copies)} in all"
    given = [copy[slot] for copy in copies for slot in change.says if slot in copy]
    others = [each for each in given if not box.family.related(each.ruleset, change.ruleset)]
    if others and (change.copies or 0) <= len(copies):
        label = Label(others[0].span, f"`{others[0].ruleset}` changes some too")
        lines = (help, *_settling(box, change.ruleset, others[0].ruleset, offer(change.says)))
        box.report.error("ruleset-conflict", message, change.span, labels=(label,), help=lines)
    else:
        box.report.error("bad-value", message, change.span, help=(help,))


def _requested(change: CopyChange, name: str) -> str:
    copies = "copy" if change.copies == 1 else "copies"
    verb = "is" if change.copies == 1 else "are"
    return f"{change.copies} {copies} of `{name}` {verb} requested"


def _report_lost(
    box: BoxBuilder,
    name: str,
    kept: int,
    change: CopyChange,
    recount: CountChange,
    offer: Offer,
) -> None:
    """Report a change for copies that a stranger takes out of the game."""
    box.report.error(
        "ruleset-conflict",
        f"{_requested(change, name)}, and `{recount.ruleset}` leaves {kept}",
        change.span,
        labels=(Label(recount.node.span, f"`{recount.ruleset}` changes the count"),),
        help=(
            f"request at most {kept}",
            *_settling(box, change.ruleset, recount.ruleset, offer(change.says)),
        ),
    )


def _report_clash(
    box: BoxBuilder,
    name: str,
    other: str,
    slots: Mapping[Slot, GivenValue],
    change: CopyChange,
    offer: Offer,
) -> None:
    """Report two values for one copy, of one ruleset or of two that do not build on each other."""
    slot, before = next(iter(slots.items()))
    same = other == change.ruleset
    help = "write `copies:` in both" if same else "write `copies:` in both rulesets"
    box.report.error(
        "bad-value" if same else "ruleset-conflict",
        f"a copy of `{name}` is given two values",
        change.says[slot].span,
        labels=(Label(before.span, f"the other one, by `{other}`"),),
        help=(help, *(() if same else _settling(box, other, change.ruleset, offer(slots)))),
    )


def _settling(box: BoxBuilder, one: str, other: str, line: str) -> tuple[str, ...]:
    """Return help with a line that decides between two rulesets; none for two house rules.

    The line has the values of `one`.
    """
    houses = {ruleset.id for ruleset in box.family.rulesets if ruleset.house}
    if houses.issuperset((one, other)):
        return ()
    parties = ", ".join(sorted((one, other)))
    return (
        f"or decide it in a ruleset with `interaction: [{parties}]`, or in a house rule:",
        f"    {line}  # any values: these are those of {one}",
    )


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


def place(
    box: BoxBuilder, ruleset: str, cls: str, owned: bool, node: Scalar, there: bool
) -> str | None:
    """Return the zone or track that `in` names, with `start` and `inner` of `PieceDef` in one text.

    It is None after reporting.

    `there` is set if the component is in the game. An absent component may name an absent place.
    """
    name = nodes.shown(node.value)
    row, _, indices = name.partition("[") if name.endswith("]") else (name, "", "")
    given = indices[:-1].split("][") if indices else []
    entry = box.names.find(row, ruleset, node.span, "zones", "tracks", "grids")
    if entry is None:
        return None
    if entry.section == "grids":
        message = f"`{name}` is a grid: components are placed on it while playing"
        box.report.error("type-mismatch", message, node.span)
        return None
    zone = box.zones.get(entry.key)
    holds = zone.holds if zone else box.tracks[entry.key].holds
    if cls not in holds:
        box.report.error(
            "type-mismatch",
            f"`{name}` does not hold a {cls}",
            node.span,
            labels=(Label(entry.span, f"holds {', '.join(sorted(holds)) or 'nothing'}"),),
            help=(f"add `{cls}` to its `holds`",),
        )
    elif entry.key in box.absent:
        if not there:
            return None
        message = f"`{name}` does not exist with these settings"
        box.report.error("setting-impossible", message, node.span)
    elif zone and zone.owned and not owned:
        help = "add `per: player` to the component"
        message = f"there is a `{row}` for each {_each(zone.per)}, and this component has no owner"
        box.report.error("type-mismatch", message, node.span, help=(help,))
    else:
        per = zone.per[zone.owned :] if zone else ()
        number = _instance(box, ruleset, node, row, per, given)
        return None if number is None else f"{entry.key}[{number}]" if per else entry.key
    return None


def _instance(
    box: BoxBuilder,
    ruleset: str,
    node: Scalar,
    row: str,
    per: Sequence[str],
    given: Sequence[str],
) -> int | None:
    """Return the number of a zone among those of its owner by its indices; None after reporting."""
    if not all(key in box.enums for key in per):
        return None  # The zone's own enum is wrong, which is reported there.
    enums = [box.enums[key] for key in per]
    if len(given) != len(per):
        message = f"there is one `{row}`, without an index"
        help = f"write `{row}`"
        if per:
            message = f"there is a `{row}` for each {_each(per)}"
            help = (
                f"write `{row}{''.join(f'[{enum.members[0]}]' for enum in enums)}` or another one"
            )
        box.report.error("type-mismatch", message, node.span, help=(help,))
        return None
    number = 0
    for enum, name in zip(enums, given, strict=True):
        member = box.member(enum.key, name, ruleset, node.span)
        if member is None:
            return None
        number = number * len(enum.members) + enum.members.index(member)
    return number


def _each(per: Sequence[str]) -> str:
    """Return the indices of a zone in words."""
    return " and ".join(index.rpartition("/")[2] for index in per)


def initial(box: BoxBuilder, ruleset: str, cls: str, owned: bool, span: Span) -> str | None:
    """Return the only zone in which components without `in` can begin; None after reporting.

    Owned components begin in a zone of their owner if there is one.
    """
    zones = [
        zone
        for entry in box.names.seen(ruleset, "zones")
        if (zone := box.zones[entry.key]).initial
        and cls in zone.holds
        and zone.key not in box.absent
    ]
    own = [zone for zone in zones if owned and zone.per == (PER_PLAYER,)]
    found = own or [zone for zone in zones if not zone.per]
    if len(found) == 1:
        return found[0].key
    owner = " of each player" if owned else ""
    if found:
        box.report.error(
            "ambiguous-name",
            f"more than one zone is the initial zone of every {cls}{owner}",
            span,
            labels=[Label(zone.span, "`initial: true`") for zone in found],
            help=("write `in:`",),
        )
    else:
        box.report.error(
            "missing-key",
            f"a {cls}{owner} has no initial zone",
            span,
            help=(f"write `in:`, or give a zone that holds a {cls} `initial: true`",),
        )
    return None


def palette(box: BoxBuilder, ruleset: str, more: Collection[str] = ()) -> Palette:
    """Return the feature kinds that `ruleset` sees, in canonical order, and `more` (full names)."""
    seen = [e.key for e in box.names.seen(ruleset, "features") if e.key in box.features]
    kinds = [box.features[key] for key in dict.fromkeys((*seen, *sorted(more)))]
    names = [kind.name for kind in kinds]
    short = {k.key: k.name if names.count(k.name) == 1 else k.key for k in kinds}
    shapes = {
        short[kind.key]: geometry.KindShape(
            short[kind.key],
            kind.shape.shape,
            frozenset(short[border] for border in kind.shape.borders if border in short),
            kind.shape.crosses,
        )
        for kind in kinds
    }
    attributes = {kind.key: tuple(box.attributes_of(kind.key).values()) for kind in kinds}
    return Palette(shapes, {name: key for key, name in short.items()}, attributes)


@dataclass(frozen=True)
class SegmentEntry:
    """One segment entry of a component: its position and its attributes."""

    at: str
    span: Span
    node: Node
    attributes: Mapping[str, Plain]


def read_segments(box: BoxBuilder, ruleset: str, kind: str, node: Node) -> Iterator[SegmentEntry]:
    """Yield the segment entries under the name of a feature kind (full name)."""
    for item in nodes.items(node):
        at = item if isinstance(item, Scalar) else nodes.scalar(item, "at")
        if at is None:
            continue
        attributes: dict[str, Plain] = {}
        for border in nodes.scalars(nodes.get(item, "borders")):
            meant = box.names.candidates(
                nodes.shown(border.value), ruleset, ["features"], lambda _: True
            )
            for each in meant if len(meant) == 1 else ():
                box.names.uses.add_last(border.span, each.symbol)
        for key, value in nodes.entries(item):
            if key.value in SEGMENT_KEYS:
                continue
            found = meaning(box, ruleset, kind, key, value, SEGMENT_KEYS)
            if isinstance(found, AttributeDef):
                attributes |= attribute_values(box, found, value, ruleset)
        yield SegmentEntry(nodes.shown(at.value), at.span, item, attributes)


def drawn(written: SegmentEntry, kind: str) -> geometry.Drawn:
    """Return a segment entry for the geometry; `kind` as in the palette."""
    borders = nodes.get(written.node, "borders")
    return geometry.Drawn(
        kind,
        written.at,
        written.span,
        nodes.text(written.node, "over") or None,
        None if borders is None else nodes.words(borders),
        written.attributes,
        added=nodes.flag(written.node, "new"),
    )


def locate(
    box: BoxBuilder,
    colours: Palette,
    name: str,
    outline: geometry.Outline,
    kind: str,
    written: SegmentEntry,
) -> int | None:
    """Return the segment of `outline` that an entry means by ports it holds.

    None after reporting.
    """
    keys = {key.value for key, _ in nodes.entries(written.node)}
    if keys <= {"at"} or keys & {"over", "borders"}:
        message = f"only attributes can be added to a segment of `{name}`"
        add = f"to add a segment: `{{at: {written.at}, new: true}}`"
        _report(box, message, written.span, f"write `{{at: {written.at}, name: value}}`", add)
        return None
    own = [i for i, segment in enumerate(outline.segments) if segment.kind == kind]
    short = colours.short(kind)
    if written.at == INSIDE:
        found = [i for i in own if not outline.segments[i].ports]
    else:
        piece = PieceDrawing(name, outline.size, colours.shapes, written.span, box.report)
        at = written.at.partition(">")[0]
        ports = read_ports(piece, at, box.features[kind].shape, written.span)
        piece.end_stage()
        if ports is None:
            return None
        found = [i for i in own if set(ports) <= set(outline.segments[i].ports)]
    if len(found) == 1:
        return found[0]
    places = [segment_name(outline, i) for i in own]
    help = f"it has {short} at {', '.join(places)}" if places else f"it has no {short}"
    add = f"to add one: `{{at: {written.at}, new: true, …}}`"
    message = f"`{written.at}` is not a single {short} of `{name}`"
    _report(box, message, written.span, help, *(() if found else (add,)))
    return None


def segment_name(outline: geometry.Outline, index: int) -> str:
    """Return a short name of a segment of an outline: its first port, or `I`."""
    segment = outline.segments[index]
    return geometry.port_name(segment.ports[0], outline.size) if segment.ports else INSIDE


def _report(box: BoxBuilder, message: str, span: Span, *help: str) -> None:
    box.report.error("segment-target", message, span, help=help)


def draws(colours: Palette, lines: list[geometry.Drawn]) -> bool:
    """Return whether a tile with these lines has any segments."""
    return bool(lines) or any(kind.shape is geometry.Shape.FILL for kind in colours.shapes.values())


NOTHING = "none"
"""The word for a side without a feature."""


def check_sides(
    entry: DeclarationEntry, said: Node, colours: Palette, outline: geometry.Outline, report: Report
) -> None:
    """Report `sides-differ` if the drawing and the listed sides differ.

    `said` lists the kind on every side, clockwise from the north.
    """
    sides = geometry.outer_sides(outline.size)
    shown = [_shown(colours, outline.sides[side]) for side in sides]
    words = nodes.scalars(said)
    help = (f"the drawing shows `sides: [{', '.join(shown)}]`",)
    if len(words) != len(sides):
        message = f"`{entry.name}` has {len(sides)} sides, and {len(words)} are listed"
        report.error("sides-differ", message, said.span, help=help)
        return
    unknown = [word for word in words if _unknown(word, colours, report)]
    if unknown:
        return
    wrong = [
        (word, geometry.side_name(side, outline.size), kind)
        for word, side, kind in zip(words, sides, shown, strict=True)
        if word.value != kind
    ]
    if wrong:
        names = listed([f"`{name}` shows {kind}" for _, name, kind in wrong], "and")
        report.error(
            "sides-differ",
            f"`{entry.name}` is not drawn as its sides are listed: {names}",
            wrong[0][0].span,
            mark=f"{wrong[0][2]} in the drawing",
            labels=[Label(entry.span, "the piece")],
            help=(*help, "correct the list or the drawing"),
        )


def agreeing(
    entry: DeclarationEntry, said: Node, outline: geometry.Outline, report: Report
) -> frozenset[geometry.Side]:
    """Return the sides that agree with every side; words that are not sides are reported."""
    named = {geometry.side_name(side, outline.size): side for side in outline.sides}
    if isinstance(said, Scalar):
        return frozenset(named.values())
    found = set()
    for word in nodes.scalars(said):
        name = nodes.shown(word.value)
        if name in named:
            found.add(named[name])
        else:
            message = f"`{name}` is not a side of `{entry.name}`"
            help = did_you_mean(name, named) or (f"sides are {listed(list(named), 'and')}",)
            report.error("port-unknown", message, word.span, help=help)
    return frozenset(found)


def _unknown(word: Scalar, colours: Palette, report: Report) -> bool:
    """Report a word that names no feature kind; return whether it was reported."""
    name = nodes.shown(word.value)
    if name == NOTHING or name in colours.full:
        return False
    help = did_you_mean(name, (*colours.full, NOTHING))
    report.error("unknown-name", f"no feature kind is called `{name}`", word.span, help=help)
    return True


def _shown(colours: Palette, kind: str | None) -> str:
    return NOTHING if kind is None else colours.short(kind)


def _lines(said: _Keys, colours: Palette) -> list[geometry.Drawn]:
    """Return the segments of an entry for the geometry."""
    return [drawn(written, colours.short(kind)) for kind, written in said.segments]


def _at_addition(found: Diagnostic, additions: Sequence[Addition]) -> Diagnostic:
    """Return a finding about a drawing at the added segment that causes it."""
    added = [each.written.span for each in additions]
    if found.span in added:
        return found
    spans = [label.span for label in found.labels if label.span in added]
    at = (spans or added)[0]
    others = tuple(label for label in found.labels if label.span != at)
    if found.span is not None:
        others = (Label(found.span, found.mark or "in the drawing"), *others)
    return replace(found, span=at, mark="", labels=others)


MOST_PARTS = 15_000
"""Maximum number of values and cells of a game's components; the largest shipped one has 1,700."""


@dataclass(frozen=True)
class _Keys:
    """The keys of an entry that are not keywords of the language.

    `attributes` are by full name, `segments` by the full name of their kind.
    """

    attributes: Mapping[str, tuple[Plain, Span]]
    segments: Sequence[tuple[str, SegmentEntry]]


@dataclass(frozen=True)
class _Item:
    """An entry while its kinds are made.

    `owned` is set if players own it, `present` if it is in the game with these settings. `drawing`
    has the segments that other rulesets add, `bare` is without them.
    """

    entry: DeclarationEntry
    cls: str
    owned: bool
    present: bool
    bare: geometry.Outline | None
    drawing: geometry.Outline | None
    additions: Sequence[Addition]


@dataclass(frozen=True)
class Addition:
    """A segment that a ruleset adds to a tile of another one; `kind` is its full name."""

    ruleset: str
    kind: str
    written: SegmentEntry

    @property
    def span(self) -> Span:
        """The place where it is written."""
        return self.written.span


@dataclass(frozen=True)
class _Said:
    """An entry of `some` or `extend` by a ruleset, which is `there` if its `when` holds."""

    ruleset: str
    node: Node
    there: bool
    keys: _Keys


def _beside(written: SegmentEntry) -> dict[object, object]:
    """Return what a segment entry says beside its position."""
    return {k.value: nodes.plain(v) for k, v in nodes.entries(written.node) if k.value != "at"}


def _with(
    segment: geometry.OutlineSegment, attributes: Mapping[str, Plain]
) -> geometry.OutlineSegment:
    """Return the segment with these attributes; the same one if it has them."""
    return segment if segment.attributes == attributes else replace(segment, attributes=attributes)


def _parts(node: Node) -> int:
    """Measure an entry: the number of its values and the cells of its drawing."""
    width, height = (*nodes.integers(nodes.get(node, "size")), 1, 1)[:2]
    return nodes.size(node) + width * height


@dataclass
class Maker:
    """Maker of the kinds and pieces of all entries, whose tiles have the sides of `cells`."""

    box: BoxBuilder
    cells: str = geometry.SQUARES
    kinds: list[KindDef] = field(default_factory=list)
    pieces: list[PieceDef] = field(default_factory=list)
    removed: list[Removal] = field(default_factory=list)
    _parts: int = 0
    _recounted: Span | None = None
    _full: bool = False
    _lacking: set[tuple[Span, str]] = field(default_factory=set)
    _palettes: dict[str, Palette] = field(default_factory=dict)
    _starts: dict[tuple[str, str, bool], str | None] = field(default_factory=dict)
    _owned: dict[str, Mapping[str, AttributeDef]] = field(default_factory=dict)

    def add(self, entry: DeclarationEntry) -> None:
        """Add the kinds and the pieces of one entry; an absent entry has a kind but no pieces.

        When all entries together are too large, that is reported once and the others are left out.
        """
        before = self._parts
        self._parts += _parts(entry.node)
        if self._parts > MOST_PARTS:
            if before <= MOST_PARTS:
                message = f"the components have more than {MOST_PARTS} values and cells together"
                help_lines = (
                    "write equal components once, with `count`",
                    "or remove some",
                )
                self.box.report.error("too-large", message, entry.span, help=help_lines)
            return
        cls = CLASSES[entry.section]
        said = self._read(entry.ruleset, cls, entry.node, OWN_KEYS[cls])
        bare, present = self._drawing(entry, cls, said), self.box.present(entry)
        changing = list(self._changing(entry, cls))
        added = self._additions(entry, changing)
        drawing = self._extended(entry, said, added, bare) if added else bare
        owned = nodes.text(entry.node, "per") == PER_PLAYER
        item = _Item(entry, cls, owned, present, bare, drawing, added)
        plain = self._plain(cls, said, item.drawing)
        if (where := nodes.scalar(entry.node, "in")) is not None:
            plain[PIECE, IN] = place(self.box, entry.ruleset, cls, owned, where, present)
        changes = list(self._changes(item, changing))
        recounting = recounts(self.box, entry) if item.present else []
        declared = self._counts(item)
        if recounting:
            self._recounted = recounting[-1].node.span
        counts = self._limited(item, recounted(self.box, entry, declared, recounting))
        if recounting and any(declared[n] > 0 == count for n, count in counts.items()):
            last = recounting[-1]
            start = str(plain.get((PIECE, IN)) or self._initial(item)).partition("[")[0]
            self.removed.append(Removal(entry.key, start, last.ruleset, last.node.span))
        most = max(declared.values(), default=0), max(counts.values(), default=0)
        changes = changes if item.present else []
        offer = partial(self._offered, item)
        copies = deal(self.box, entry.name, most, changes, recounting, offer)
        found = variants(copies, plain) or [CopyVariant({}, {})]
        shown = differing(found)
        faces = self._faces(entry)
        for variant in found:
            says = plain | dict(variant.says)
            attributes = self._complete(entry, cls, PIECE, says)
            outline = self._outline(entry, item.drawing, says)
            text = self._text(item.drawing, variant, shown)
            head = (entry.name, entry.ruleset, entry.span)
            givers = dict.fromkeys((*variant.givers, *(each.ruleset for each in added)))
            others = tuple(each for each in givers if each != entry.ruleset)
            self.kinds.append(
                KindDef(*head, cls, attributes, text, outline, faces, item.owned, others)
            )
            self._add_pieces(item, variant, counts)

    def _counts(self, item: _Item) -> dict[int, int]:
        """Return the declared count by the number of players, empty for an absent entry."""
        box, entry = self.box, item.entry
        node = nodes.get(entry.node, "count")
        counts: dict[int, int] = {}
        for players in box.constants.game.numbers if item.present else ():
            constants = replace(box.constants, players=players)
            counts[players] = constants.number(node, entry.ruleset, 1, 0, MAX_PIECES)
        return counts

    def _limited(self, item: _Item, counts: Mapping[int, int]) -> dict[int, int]:
        """Return the counts, after reporting, once, that the box does not hold so many.

        That stands at the last change of a count, if one was made.
        """
        seats = self.box.roles.most if item.owned else 1
        room = max(0, (MAX_PIECES - len(self.pieces)) // seats)
        if max(counts.values(), default=0) > room and not self._full:
            self._full = True
            message = f"a box holds at most {MAX_PIECES} components"
            self.box.report.error("range", message, self._recounted or item.entry.span)
        return {players: min(count, room) for players, count in counts.items()}

    def _read(self, ruleset: str, owner: str, node: Node, words: tuple[str, ...]) -> _Keys:
        """Read the attributes and segments of an entry, a face or a change.

        Its other keys are those in `words`.
        """
        attributes: dict[str, tuple[Plain, Span]] = {}
        drawn: list[tuple[str, SegmentEntry]] = []
        for key, value in nodes.entries(node):
            if key.value in words:
                continue
            found = meaning(self.box, ruleset, owner, key, value, words)
            if found is None:
                continue
            if isinstance(found, AttributeDef):
                given = attribute_values(self.box, found, value, ruleset)
                if attributes.keys() & given.keys():
                    message = f"`{found.key}` is given twice"
                    self.box.report.error("duplicate-name", message, key.span)
                else:
                    attributes |= {name: (said, value.span) for name, said in given.items()}
            elif isinstance(value, nodes.Mapping):
                message = f"the segments of a kind are a list, not a mapping: `{found.name}`"
                help = (f"write `{found.name}: [{{at: N}}]`",)
                self.box.report.error("type-mismatch", message, value.span, help=help)
            else:
                written = read_segments(self.box, ruleset, found.key, value)
                drawn += [(found.key, one) for one in written]
        return _Keys(attributes, drawn)

    def _palette(self, ruleset: str) -> Palette:
        if ruleset not in self._palettes:
            self._palettes[ruleset] = palette(self.box, ruleset)
        return self._palettes[ruleset]

    def _drawing(self, entry: DeclarationEntry, cls: str, said: _Keys) -> geometry.Outline | None:
        """Return the outline of a tile, or of a face with segments; None without a drawing.

        Attributes without a value are left out.
        """
        if cls not in DRAWN:
            return None
        colours = self._palette(entry.ruleset)
        agrees = nodes.get(entry.node, "agrees")
        lines = _lines(said, colours)
        if agrees is None and not lines and (cls == "face" or not draws(colours, lines)):
            return None
        own = Report()
        for _, written in said.segments:
            if (new := nodes.get(written.node, "new")) is not None:
                message = "`new` adds a segment to a tile of another ruleset, under `extend`"
                own.error("misplaced", message, new.span, help=("leave out `new`",))
        outline = self.box.draw(entry.name, self._size(entry, own), lines, colours, entry.span, own)
        sides = nodes.get(entry.node, "sides")
        if sides is not None and own.ok:
            check_sides(entry, sides, colours, outline, own)
        if agrees is not None:
            outline = replace(outline, agreeing=agreeing(entry, agrees, outline, own))
        self.box.report.extend(own)
        return outline

    def _size(self, entry: DeclarationEntry, report: Report) -> geometry.Size:
        size = nodes.integers(nodes.get(entry.node, "size"))
        covered = (size[0], size[1]) if len(size) == 2 else (1, 1)
        if self.cells == geometry.SQUARES:
            return covered
        if covered != (1, 1):
            message = f"`{entry.name}` has several cells, and tiles of {self.cells} have one"
            report.error("bad-value", message, entry.span, help=("leave out `size`",))
        return geometry.CELL_OF[self.cells]

    # --- added segments

    def _additions(self, entry: DeclarationEntry, changing: Iterable[_Said]) -> list[Addition]:
        """Return the segments that other rulesets add to a tile, in an order without rulesets.

        One of a ruleset that builds on another replaces that of the same kind and ports.
        """
        said_of: dict[tuple[tuple[str, str], str], list[tuple[Addition, Scalar]]] = {}
        for said in changing:
            for kind, written in said.keys.segments:
                new = nodes.scalar(written.node, "new")
                if new is not None and self._may_add(entry, said, kind, new):
                    addition = Addition(said.ruleset, kind, written)
                    slot = self._ports(entry, kind, written), kind
                    said_of.setdefault(slot, []).append((addition, new))
        known = [*self.box.features]
        slots = sorted(said_of, key=lambda s: (s[0], short_name(s[1]), known.index(s[1])))
        found = [each for s in slots if (each := self._chosen(entry, said_of[s])) is not None]
        for one, other in pairwise(found):
            name, at = short_name(one.kind), one.written.at
            alike = (name, at) == (short_name(other.kind), other.written.at)
            if alike and not self.box.family.related(one.ruleset, other.ruleset):
                do = f"add a `{name}` to `{entry.name}` at `{at}`, and only their names decide "
                help = "add it to other tiles, or give it another name"
                _report_order(self.box, one, other, f"{do}which comes first", help)
        return found

    def _ports(self, entry: DeclarationEntry, kind: str, written: SegmentEntry) -> tuple[str, str]:
        """Return the ports at which a segment is added, however they are written, and its end."""
        at, size = written.at, self._size(entry, Report())
        text, _, end = at.partition(">")
        piece = PieceDrawing(entry.name, size, {}, written.span, Report())
        shape = self.box.features[kind].shape
        ports = None if at == INSIDE else read_ports(piece, text, shape, written.span)
        if ports is None:
            return at, ""
        return " ".join(sorted(geometry.port_name(port, size) for port in ports)), end

    def _chosen(
        self, entry: DeclarationEntry, said: Sequence[tuple[Addition, Scalar]]
    ) -> Addition | None:
        """Return the segment that rulesets add at one place, None if one leaves it out."""
        builds_on = self.box.family.builds_on
        for number, (addition, new) in enumerate(said):
            before = [each.ruleset for each, _ in said[:number]]
            if new.value is False and not any(builds_on(addition.ruleset, b) for b in before):
                message = f"no ruleset that `{addition.ruleset}` builds on adds this segment"
                help = ("`new: false` leaves out a segment that another ruleset adds",)
                self.box.report.error("segment-target", message, new.span, help=help)
        left = [
            (one, new)
            for one, new in said
            if not any(builds_on(other.ruleset, one.ruleset) for other, _ in said)
        ]
        (first, _), *others = left
        for other, _ in others:
            if first.ruleset == other.ruleset or _beside(first.written) != _beside(other.written):
                self._report_two(entry, first, other)
        return first if left[0][1].value else None

    def _may_add(self, entry: DeclarationEntry, said: _Said, kind: str, new: Scalar) -> bool:
        """Return whether an entry may add a segment of a kind, and report it if not."""
        if said.ruleset == entry.ruleset:
            message, help = "`new` adds a segment to a tile of another ruleset", "draw it there"
        elif nodes.get(said.node, "copies") is not None:
            message = f"a segment is added to all copies of `{entry.name}`"
            help = "for some, take them out with `count: previous - 1`, and declare another tile"
        elif self.box.features[kind].shape.shape is geometry.Shape.FILL:
            message = "a fill takes what the drawing leaves free, and cannot be added"
            help = "add a line or an area"
        else:
            return said.there
        self.box.report.error("misplaced", message, new.span, help=(help,))
        return False

    def _report_two(self, entry: DeclarationEntry, one: Addition, other: Addition) -> None:
        """Report different segments at one place, by one ruleset or by strangers."""
        same = one.ruleset == other.ruleset
        self.box.report.error(
            "bad-value" if same else "ruleset-conflict",
            f"two segments are added to `{entry.name}` at the same place",
            other.written.span,
            labels=(Label(one.written.span, f"that of `{one.ruleset}`"),),
            help=("leave out one of them",) if same else self._left_out(entry, one, other),
        )

    def _left_out(self, entry: DeclarationEntry, one: Addition, other: Addition) -> tuple[str, ...]:
        """Return help with a line that decides between the segments of two strangers."""
        if self.box.family.related(one.ruleset, other.ruleset):
            return ()
        kind = self._written(other.kind, self.box.features)
        line = f"extend: {{{entry.key}: [{{{kind}: [{{at: {other.written.at}, new: false}}]}}]}}"
        lines = _settling(self.box, other.ruleset, one.ruleset, line)
        return tuple(each.partition("  # any values")[0] for each in lines)

    def _extended(
        self,
        entry: DeclarationEntry,
        said: _Keys,
        additions: Sequence[Addition],
        bare: geometry.Outline | None,
    ) -> geometry.Outline | None:
        """Return the outline of a tile with the segments that other rulesets add.

        What does not fit is reported where it is added: first for each ruleset, with those that it
        builds on, then for all together.
        """
        colours = palette(self.box, entry.ruleset, {each.kind for each in additions})

        def draw(added: Sequence[Addition], report: Report) -> geometry.Outline:
            lines = _lines(said, colours)
            lines += [drawn(each.written, colours.short(each.kind)) for each in added]
            size = self._size(entry, Report())
            return self.box.draw(entry.name, size, lines, colours, entry.span, report)

        fits, builds_on = True, self.box.family.builds_on
        for ruleset in dict.fromkeys(each.ruleset for each in additions):
            own, mine = Report(), [each for each in additions if each.ruleset == ruleset]
            draw([e for e in additions if e in mine or builds_on(ruleset, e.ruleset)], own)
            self.box.report.extend(_at_addition(each, mine) for each in own)
            fits &= own.ok
        own = Report()
        outline = draw(additions, own)
        for each in own if fits else ():
            self._report_unfit(entry, _at_addition(each, additions), additions)
        return replace(outline, agreeing=bare.agreeing if bare else frozenset()) if own.ok else bare

    def _report_unfit(
        self, entry: DeclarationEntry, found: Diagnostic, additions: Sequence[Addition]
    ) -> None:
        """Report that additions of strangers do not fit together, by a finding about them."""
        spans = (found.span, *(label.span for label in found.labels))
        met = [each for span in spans for each in additions if each.written.span == span]
        one = met[0]
        others = [*met, *additions]
        related = self.box.family.related
        other = next((e for e in others if not related(e.ruleset, one.ruleset)), one)
        message = f"what `{one.ruleset}` and `{other.ruleset}` add to `{entry.name}` does not fit"
        labels = found.labels
        if all(label.span != other.written.span for label in labels):
            labels = (*labels, Label(other.written.span, f"added by `{other.ruleset}`"))
        help = (*found.help, *self._left_out(entry, other, one))
        self.box.report.add(
            replace(
                found,
                slug="ruleset-conflict",
                message=f"{message}: {found.message}",
                labels=labels,
                help=help,
            )
        )

    def _changing(self, entry: DeclarationEntry, cls: str) -> Iterator[_Said]:
        """Yield the entries of `some`, then those of other rulesets, without counts."""
        said = [(entry.ruleset, node) for node in nodes.items(nodes.get(entry.node, "some"))]
        for extension in self.box.extending(entry):
            said += [(extension.ruleset, node) for node in self._attributing(extension)]
        for ruleset, node in said:
            there = self.box.constants.truth(nodes.get(node, "when"), ruleset)
            yield _Said(ruleset, node, there, self._read(ruleset, cls, node, CHANGE_KEYS))

    def _changes(self, item: _Item, changing: Iterable[_Said]) -> Iterator[CopyChange]:
        """Yield what these entries give to copies."""
        for said in changing:
            change = self._change(item, said)
            if said.there and change.says:
                yield change

    def _attributing(self, extension: Extension) -> Iterator[Node]:
        """Yield the items of an extension that give attributes, not those that give a count."""
        for node in nodes.items(extension.node):
            count = node.key("count") if isinstance(node, nodes.Mapping) else None
            if count is None:
                yield node
            elif any(key.value not in ("count", "when") for key, _ in nodes.entries(node)):
                message = "an entry with `count` changes how many copies there are, nothing else"
                help = ("write another entry for the rest", "for some copies, write `copies`")
                self.box.report.error("misplaced", message, count.span, help=help)

    def _change(self, item: _Item, said: _Said) -> CopyChange:
        ruleset, node, read = said.ruleset, said.node, said.keys
        says = {
            (PIECE, name): GivenValue(value, ruleset, span)
            for name, (value, span) in read.attributes.items()
        }
        if (where := nodes.scalar(node, "in")) is not None:
            there = said.there and item.present
            start = place(self.box, ruleset, item.cls, item.owned, where, there)
            if start is not None:
                says[PIECE, IN] = GivenValue(start, ruleset, where.span)
        for kind, written in read.segments:
            if nodes.get(written.node, "new") is not None:
                continue
            index = self._segment(item, ruleset, kind, written)
            if index is not None:
                says |= {
                    (index, name): GivenValue(value, ruleset, written.span)
                    for name, value in written.attributes.items()
                }
        if all(key.value in ("copies", "when") for key, _ in nodes.entries(node)):
            message = f"no attribute is given for these copies of `{item.entry.name}`"
            self.box.report.error("missing-key", message, node.span, help=("name an attribute",))
        copies = nodes.get(node, "copies")
        if copies is None:
            return CopyChange(None, says, node.span, ruleset)
        number = self.box.constants.number(copies, ruleset, 0, 0, MAX_PIECES)
        return CopyChange(number, says, copies.span, ruleset)

    def _offered(self, item: _Item, says: Mapping[Slot, GivenValue]) -> str:
        """Write values that all copies of an entry are to have, as a line of a manifest."""
        parts: dict[int, list[str]] = {}
        members: dict[tuple[int, str], list[str]] = {}
        for (index, name), said in says.items():
            value = NONE if said.value is None else nodes.shown(said.value)
            if name == IN:
                value = self._written(value, (*self.box.zones, *self.box.tracks))
            whole, dot, member = name.partition(".")
            known = (*self.box.attributes, *self.box.indexed, *self.box.features)
            word = self._written(whole, known)
            given = members.setdefault((index, word), []) if dot else None
            if given is None:
                parts.setdefault(index, []).append(f"{word}: {value}")
            else:
                given.append(f"{member}: {value}")
        for (index, word), given in members.items():
            parts.setdefault(index, []).append(f"{word}: {{{', '.join(given)}}}")
        own = parts.pop(PIECE, [])
        drawn: dict[str, list[str]] = {}
        for index, words in parts.items():
            assert item.drawing is not None, "the values belong to segments"
            at = segment_name(item.drawing, index)
            kind = self._written(item.drawing.segments[index].kind, self.box.features)
            entries = drawn.setdefault(kind, [])
            entries.append(f"{{at: {at}, {', '.join(words)}}}")
        own += [f"{kind}: [{', '.join(entries)}]" for kind, entries in drawn.items()]
        return f"extend: {{{item.entry.key}: [{{{', '.join(own)}}}]}}"

    def _written(self, full: str, known: Iterable[str]) -> str:
        """Return a name as manifests write it: with its ruleset if others are called the same."""
        short = short_name(full)
        return short if [short_name(each) for each in known].count(short) < 2 else full

    def _segment(self, item: _Item, ruleset: str, kind: str, written: SegmentEntry) -> int | None:
        """Return the segment of the finished drawing that a change means; None after reporting."""
        colours, name, own = self._palette(ruleset), item.entry.name, Report()
        if item.drawing is None:
            message = f"`{name}` has no segments"
            self.box.report.error("segment-target", message, written.span)
            return None
        box = replace(self.box, report=own)
        found = locate(box, colours, name, item.drawing, kind, written)
        quiet = replace(self.box, report=Report())
        if found is None and item.additions and item.bare is not None:
            before = locate(quiet, colours, name, item.bare, kind, written)
            if before is not None:
                self._report_divided(item, ruleset, written)
                return None
        self.box.report.extend(own)
        return found

    def _report_divided(self, item: _Item, ruleset: str, written: SegmentEntry) -> None:
        """Report segments added to a tile that divide one to which a ruleset gives attributes."""
        strangers = [e for e in item.additions if not self.box.family.related(e.ruleset, ruleset)]
        by = (strangers or list(item.additions))[0]
        self.box.report.error(
            "ruleset-conflict" if strangers else "segment-target",
            f"what `{by.ruleset}` adds to `{item.entry.name}` divides a segment that `{ruleset}` "
            "gives attributes",
            by.written.span,
            labels=(Label(written.span, "the segment"),),
            help=self._left_out(item.entry, Addition(ruleset, by.kind, written), by),
        )

    def _faces(self, entry: DeclarationEntry) -> tuple[FaceDef, ...]:
        faces: dict[str, FaceDef] = {}
        for node in nodes.items(nodes.get(entry.node, "faces")):
            id = nodes.scalar(node, "id")
            if id is None:
                continue
            name = nodes.shown(id.value)
            face = DeclarationEntry(name, entry.ruleset, id.span, entry.section, node)
            symbol = declared("face", f"{entry.key}.{name}")
            self.box.names.uses.add_last(id.span, symbol, declares=True)
            report_taken(name, "face", id.span, self.box.report)
            said = self._read(entry.ruleset, "face", node, OWN_KEYS["face"])
            drawing = self._drawing(face, "face", said)
            plain = self._plain("face", said, drawing)
            if name in faces:
                self.box.report.error("duplicate-id", f"face `{name}` is listed twice", id.span)
            full = self._complete(face, "face", PIECE, plain)
            told = nodes.get(node, "count")
            count = self.box.constants.number(told, entry.ruleset, 1, 1, MAX_SIDES)
            faces[name] = FaceDef(name, self._outline(face, drawing, plain), full, count)
        return tuple(faces.values())

    def _attributes(self, owner: str) -> Mapping[str, AttributeDef]:
        if owner not in self._owned:
            self._owned[owner] = self.box.attributes_of(owner)
        return self._owned[owner]

    def _plain(
        self, owner: str, said: _Keys, drawing: geometry.Outline | None
    ) -> dict[Slot, Plain]:
        """Return the values that all copies of an entry, or a face, have: defaults and its own."""
        plain: dict[Slot, Plain] = {
            (index, name): value
            for index, segment in enumerate(drawing.segments if drawing else ())
            for name, value in segment.attributes.items()
        }
        for name, known in self._attributes(owner).items():
            if not known.required:
                plain[PIECE, name] = known.default
        for name, (value, _) in said.attributes.items():
            plain[PIECE, name] = value
        return plain

    def _outline(
        self, entry: DeclarationEntry, drawing: geometry.Outline | None, says: Mapping[Slot, Plain]
    ) -> geometry.Outline | None:
        """Return `drawing` with every attribute of each segment's kind."""
        if drawing is None:
            return None
        segments = tuple(
            _with(segment, self._complete(entry, segment.kind, index, says))
            for index, segment in enumerate(drawing.segments)
        )
        return drawing if segments == drawing.segments else replace(drawing, segments=segments)

    def _complete(
        self, entry: DeclarationEntry, owner: str, index: int, says: Mapping[Slot, Plain]
    ) -> dict[str, Plain]:
        """Return every attribute of `owner` with its value, and report those without one."""
        full: dict[str, Plain] = {}
        for key, attribute in self._attributes(owner).items():
            slot = (index, key)
            # Members of one entry with `each` stand at one place: one finding is enough.
            if slot not in says and (entry.span, key) not in self._lacking:
                self._lacking.add((entry.span, key))
                self.box.report.error(
                    "missing-key",
                    f"`{entry.name}` has no value for `{attribute.name}`",
                    entry.span,
                    help=(f"`{key}` has no default: {self._lacks(entry, attribute)}",),
                )
            full[key] = says.get(slot)
        return full

    def _lacks(self, entry: DeclarationEntry, attribute: AttributeDef) -> str:
        """Return what to type for an attribute of an entry whose ruleset may not know it."""
        giver, family = attribute.ruleset, self.box.family
        if giver in family.visible[entry.ruleset]:
            return f"add `{attribute.name}: ...`"
        knows = entry.ruleset in family.visible[giver]
        parties = f"a ruleset with `interaction: [{giver}, {entry.ruleset}]`"
        where, name = (f"`{giver}`", attribute.name) if knows else (parties, attribute.key)
        return f"give it one, or add to {where} `extend: {{{entry.key}: [{{{name}: ...}}]}}`"

    def _text(
        self, drawing: geometry.Outline | None, variant: CopyVariant, shown: Sequence[Slot]
    ) -> str:
        """Return the text that distinguishes a variant from the others."""
        words = []
        for slot in shown:
            if slot in variant.says:
                index, name = slot
                value = variant.says[slot]
                where = ""
                if index != PIECE and drawing is not None:
                    kind = drawing.segments[index].kind
                    place = segment_name(drawing, index)
                    where = f"{self.box.features[kind].name}.{place}."
                short = short_name(name)
                same = {full for i, full in shown if i == index and short_name(full) == short}
                shortest = name if len(same) > 1 else short
                words.append(f"{where}{shortest}={NONE if value is None else nodes.shown(value)}")
        return f"[{','.join(words)}]" if words else ""

    def _add_pieces(self, item: _Item, variant: CopyVariant, counts: Mapping[int, int]) -> None:
        """Add the copies of a variant: a game has the first ones, as many as `counts` says."""
        kind = len(self.kinds) - 1
        least = min(counts.values(), default=0)
        says_in = nodes.get(item.entry.node, "in") is not None
        seats: Sequence[int | None] = range(self.box.roles.most) if item.owned else (None,)
        for seat in seats:
            for copy, place in variant.copies.items():
                start = self._initial(item) if place is None and not says_in else place
                numbers = frozenset(n for n, count in counts.items() if copy <= count)
                always = None if copy <= least else numbers
                key, _, inner = (start or "").rstrip("]").partition("[")
                self.pieces.append(PieceDef(kind, copy, seat, key or None, always, int(inner or 0)))

    def _initial(self, item: _Item) -> str | None:
        key = (item.entry.ruleset, item.cls, item.owned)
        if key not in self._starts:
            self._starts[key] = initial(self.box, *key, item.entry.span)
        return self._starts[key]
