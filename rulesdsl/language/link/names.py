"""Names that the manifests declare, and their resolution for a ruleset."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from rulesdsl.base.records import dataclass
from rulesdsl.language.builtins import report_taken
from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.diagnostics.report import did_you_mean, listed
from rulesdsl.language.model import ast, nodes
from rulesdsl.language.model.ast import blocks, named
from rulesdsl.language.model.game import Declaration, Part, Ruleset
from rulesdsl.language.model.names import required_first
from rulesdsl.language.model.nodes import Node
from rulesdsl.language.model.uses import Symbol, Uses, What, declared


@dataclass(frozen=True)
class RulesetFamily:
    """The rulesets of a game; its fields are documented on `LinkedGame`."""

    rulesets: tuple[Ruleset, ...]
    parts: tuple[Part, ...]
    reach: Mapping[str, frozenset[str]]
    visible: Mapping[str, tuple[str, ...]]

    def related(self, one: str, other: str) -> bool:
        """Return whether one of two rulesets is, or builds on, the other."""
        return one == other or self.builds_on(one, other) or self.builds_on(other, one)

    def builds_on(self, one: str, other: str) -> bool:
        """Return whether a ruleset builds on another one; of two house rulesets, neither does."""
        return other in self.reach[one] and one not in self.reach[other]


def arrange(
    rulesets: Sequence[Ruleset],
    modules: Mapping[str, ast.Module],
    report: Report,
    *,
    backwards: bool = False,
) -> RulesetFamily:
    """Sort rulesets into canonical order; the order they are given in does not matter.

    Requirements come first and house rulesets last, the others by name, or as if their names were
    in the opposite order, if `backwards`. `modules` are their rules. Requirements and parties that
    are not loaded, and `with` blocks that name a ruleset that is always there, are reported. Each
    id is there once, and no requirements are circular.
    """
    loaded = {ruleset.id: ruleset for ruleset in rulesets}
    needs = {id: _needs(ruleset, loaded, report) for id, ruleset in loaded.items()}
    by_name = sorted(sorted(loaded, reverse=backwards), key=lambda id: loaded[id].house)
    order = required_first(by_name, needs)
    closed = {id: _closed(id, needs) for id in order}
    said = [part for id in order for part in _blocks(id, modules.get(id), closed[id], report)]
    there = [part for part in dict.fromkeys(said) if loaded.keys() >= set(part.names)]
    whole = {Part(id): frozenset(closed[id]) for id in order}
    for part in there:
        whole[part] = frozenset().union(*(closed[id] for id in (part.ruleset, *part.names)))
    parts = _placed(order, there, whole)
    houses = {id for id in order if loaded[id].house}
    reach = {part.id: _reach(part, whole, houses) for part in parts}
    visible = {part.id: _visible(part, parts, whole) for part in parts}
    return RulesetFamily(tuple(loaded[id] for id in order), parts, reach, visible)


def _blocks(
    id: str, module: ast.Module | None, closed: Collection[str], report: Report
) -> Iterator[Part]:
    """Yield the parts that the `with` blocks of a ruleset's rules make, whether active or not."""
    for block in () if module is None else blocks(module):
        for path in block.names:
            if str(path) in closed:
                report.error(
                    "with-needless",
                    f"`{path}` is on in every game with `{id}`",
                    path.span,
                    help=("`with` names rulesets that may be off: leave this one out",),
                )
        yield Part(id, named(block))


def _placed(
    order: Sequence[str], there: Sequence[Part], whole: Mapping[Part, frozenset[str]]
) -> tuple[Part, ...]:
    """Return the parts in canonical order: each block after its ruleset and those that it names."""
    after: dict[str, list[Part]] = {id: [] for id in order}
    for part in sorted(there, key=lambda part: len(whole[part])):
        after[max((part.ruleset, *part.names), key=order.index)].append(part)
    return tuple(part for id in order for part in (Part(id), *after[id]))


def _reach(
    part: Part, whole: Mapping[Part, frozenset[str]], houses: Collection[str]
) -> frozenset[str]:
    """Return the ids of the parts whose rules those of a part may override."""
    if part.ruleset in houses:
        others = (p.id for p in whole if not p.names or p.ruleset not in houses)
        lower = (p.id for p in whole if p.ruleset == part.ruleset and whole[p] < whole[part])
        return frozenset({part.id, *others, *lower})
    return whole[part].union({part.id}, _below(part, whole))


def _below(part: Part, whole: Mapping[Part, frozenset[str]]) -> set[str]:
    """Return the blocks whose rulesets are a proper subset of those of a part."""
    return {other.id for other in whole if other.names and whole[other] < whole[part]}


def _visible(
    part: Part, parts: Sequence[Part], whole: Mapping[Part, frozenset[str]]
) -> tuple[str, ...]:
    """Return the id of a part and of everything it needs, transitively, in canonical order."""
    seen = whole[part] | _below(part, whole)
    return (part.id, *(other.id for other in parts if other.id in seen and other != part))


def _needs(ruleset: Ruleset, loaded: Mapping[str, Ruleset], report: Report) -> tuple[str, ...]:
    for need in ruleset.needs:
        if need.name not in loaded:
            report.error(
                "ruleset-unmet",
                f"`{ruleset.id}` needs `{need.name}`, which is not loaded",
                need.span,
                help=did_you_mean(need.name, loaded) or (f"load `{need.name}` too",),
            )
    for bound in ruleset.bounds:
        found = loaded.get(bound.ruleset)
        if found and not bound.allows(found.version):
            report.error(
                "version-unmet",
                f"`{ruleset.id}` needs another version of `{found.id}` than {found.version}",
                bound.span,
                help=(f"load another version of `{found.id}`", "or change the bound"),
            )
    named = (need.name for need in ruleset.needs)
    return tuple(name for name in named if name in loaded and name != ruleset.id)


def _closed(id: str, needs: Mapping[str, tuple[str, ...]]) -> set[str]:
    seen: set[str] = set()
    todo = [id]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            todo.extend(needs[one])
    return seen


CLASSES = {
    "tiles": "tile",
    "cards": "card",
    "dice": "die",
    "tokens": "token",
    "figures": "figure",
}
"""The piece class that each component section of a manifest lists."""

# Section -> (namespace, noun for one entry, symbol). Names of one namespace never hide each other.
_SECTIONS: dict[str, tuple[str, str, What]] = {
    "settings": ("settings", "setting", "setting"),
    "enums": ("places", "enum", "enum"),
    "grids": ("places", "grid", "grid"),
    "zones": ("places", "zone", "zone"),
    "tracks": ("places", "track", "track"),
    "tables": ("places", "table", "table"),
    "attributes": ("keys", "attribute", "attribute"),
    "features": ("keys", "feature kind", "feature"),
    **{section: ("components", name, "component") for section, name in CLASSES.items()},
}

SECTIONS = tuple(_SECTIONS)
"""All sections of a manifest that declare names."""

_ENTRY_KEYS = ("id", "text", "each", "count", "per", "in", "when", "some")
OWN_KEYS: dict[str, tuple[str, ...]] = {
    "tile": (*_ENTRY_KEYS, "size", "sides", "agrees"),
    "card": _ENTRY_KEYS,
    "die": (*_ENTRY_KEYS, "faces"),
    "token": _ENTRY_KEYS,
    "figure": _ENTRY_KEYS,
    "face": ("id", "each", "count", "sides", "agrees"),
}
"""The keywords in an entry of each class, and in a face."""
CHANGE_KEYS = ("copies", "in", "when")
"""The keywords in an entry of `some`."""
SEGMENT_KEYS = ("at", "over", "borders", "new")
"""The keywords in a segment."""
_RESERVED = {*CHANGE_KEYS, *SEGMENT_KEYS, *(key for keys in OWN_KEYS.values() for key in keys)}

SYMBOLS: dict[str, What] = {section: what for section, (_, _, what) in _SECTIONS.items()}
"""The kind of symbol that an entry of each section declares."""


@dataclass(frozen=True)
class DeclarationEntry(Declaration):
    """One declaration as written: `section` of the manifest, and the node of the declaration."""

    section: str
    node: Node = field(compare=False, repr=False)

    @property
    def noun(self) -> str:
        """The noun for the declared thing in messages."""
        return _SECTIONS[self.section][1]

    @property
    def symbol(self) -> Symbol:
        """The symbol of the declared thing, for navigation in editors."""
        return declared(SYMBOLS[self.section], self.key)

    @property
    def space(self) -> str:
        """The namespace it is declared in."""
        return _SECTIONS[self.section][0]


@dataclass(frozen=True)
class EntryIndex:
    """All entries in canonical order: by namespace and full name, and by short name.

    Resolved names are recorded in `uses`.
    """

    family: RulesetFamily
    report: Report
    uses: Uses
    spaces: Mapping[str, Mapping[str, DeclarationEntry]]
    named: Mapping[str, Sequence[DeclarationEntry]]

    def of(self, *sections: str) -> Iterator[DeclarationEntry]:
        """Yield the entries of these sections in canonical order."""
        for space in dict.fromkeys(_SECTIONS[section][0] for section in sections):
            yield from (e for e in self.spaces[space].values() if e.section in sections)

    def seen(self, ruleset: str, *sections: str) -> Iterator[DeclarationEntry]:
        """Yield the entries of these sections whose bare names `ruleset` sees."""
        visible = self.family.visible[ruleset]
        return (entry for entry in self.of(*sections) if entry.ruleset in visible)

    def candidates(
        self,
        name: str,
        ruleset: str,
        sections: Collection[str],
        fits: Callable[[DeclarationEntry], bool] = lambda _: True,
    ) -> list[DeclarationEntry]:
        """Return the entries that `name`, bare or full, may mean to `ruleset`; its own first."""
        visible = self.family.visible[ruleset]
        owner, slash, short = name.rpartition("/")
        found = [
            entry
            for entry in self.named.get(short, ())
            if entry.section in sections
            and entry.ruleset in visible
            and (not slash or entry.ruleset == owner)
            and fits(entry)
        ]
        own = [entry for entry in found if entry.ruleset == ruleset]
        return own or found

    def find(
        self,
        name: str,
        ruleset: str,
        span: Span,
        *sections: str,
        more: Iterable[str] = (),
        otherwise: tuple[str, ...] = (),
    ) -> DeclarationEntry | None:
        """Return the one entry of `sections` that `name` means to `ruleset`.

        None after reporting. `more` are other words that fit there, `otherwise` is help if no name
        resembles it.
        """
        found = self.candidates(name, ruleset, sections)
        if len(found) == 1:
            self.uses.add_last(span, found[0].symbol)
            return found[0]
        if found:
            self.report_ambiguous(name, span, found)
            return None
        nouns = dict.fromkeys(_SECTIONS[section][1] for section in sections)
        self.report.error(
            "unknown-name",
            f"there is no {listed([*nouns])} `{name}`",
            span,
            help=self.elsewhere(name, ruleset, sections)
            or did_you_mean(name, (*self.spellings(ruleset, sections, full="/" in name), *more))
            or otherwise,
        )
        return None

    def report_ambiguous(self, name: str, span: Span, found: Sequence[DeclarationEntry]) -> None:
        """Report that `name` means several things."""
        self.report.error(
            "ambiguous-name",
            f"`{name}` is declared by more than one ruleset",
            span,
            labels=[Label(entry.span, f"`{entry.key}`") for entry in found],
            help=("write " + listed([f"`{entry.key}`" for entry in found]),),
        )

    def elsewhere(self, name: str, ruleset: str, sections: Iterable[str]) -> tuple[str, ...]:
        """Return help lines for a name that a ruleset declares which `ruleset` does not see."""
        visible = self.family.visible[ruleset]
        others = dict.fromkeys(
            entry.ruleset
            for entry in self.of(*sections)
            if name in (entry.name, entry.key) and entry.ruleset not in visible
        )
        return tuple(
            f"`{other}` declares it, which `{ruleset}` does not require" for other in others
        )

    def spellings(self, ruleset: str, sections: Iterable[str], full: bool = False) -> list[str]:
        """Return every name `ruleset` may write for an entry of `sections`."""
        return [entry.key if full else entry.name for entry in self.seen(ruleset, *sections)]


def gather(family: RulesetFamily, report: Report, uses: Uses) -> EntryIndex:
    """Find every entry of the manifests; report names that are declared twice."""
    spaces: dict[str, dict[str, DeclarationEntry]] = {space: {} for space, *_ in _SECTIONS.values()}
    named: dict[str, list[DeclarationEntry]] = {}
    for ruleset in family.rulesets:
        for entry in _entries(ruleset):
            names = spaces[entry.space]
            other = next(
                (
                    names[full]
                    for id in family.visible[entry.ruleset]
                    if (full := f"{id}/{entry.name}") in names
                ),
                None,
            )
            if other is not None:
                _report_twice(entry, other, report)
            uses.add_last(entry.span, entry.symbol, declares=True)
            if names.setdefault(entry.key, entry) is entry:
                named.setdefault(entry.name, []).append(entry)
            report_taken(entry.name, entry.symbol.what, entry.span, report)
    for entry in spaces["keys"].values():
        if entry.name in _RESERVED:
            report.error(
                "reserved-word",
                f"`{entry.name}` is a key of components: no {entry.noun} can have this name",
                entry.span,
                help=("choose another name",),
            )
    return EntryIndex(family, report, uses, spaces, named)


def _entries(ruleset: Ruleset) -> Iterator[DeclarationEntry]:
    for section, node in ruleset.manifest:
        name = str(section.value)
        if name in CLASSES:
            for item in nodes.items(node):
                id = nodes.scalar(item, "id")
                if id is not None:
                    yield DeclarationEntry(nodes.shown(id.value), ruleset.id, id.span, name, item)
        elif name in _SECTIONS:
            for key, value in nodes.entries(node):
                yield DeclarationEntry(str(key.value), ruleset.id, key.span, name, value)


def _report_twice(entry: DeclarationEntry, other: DeclarationEntry, report: Report) -> None:
    same = entry.ruleset == other.ruleset
    slug = "duplicate-id" if same and entry.space == "components" else "duplicate-name"
    extended: tuple[str, ...] = ()
    if entry.section == other.section == "enums":
        known = set(nodes.words(other.node))
        members = ", ".join(word for word in nodes.words(entry.node) if word not in known)
        extended = (f"to add members: `extend: {{{other.key}: [{members}]}}`",)
    where = "twice" if same else f"here and in `{other.ruleset}`, which this ruleset sees"
    used = f"settings.{other.name}" if other.section == "settings" else other.key
    report.error(
        slug,
        f"`{entry.name}` is declared {where}",
        entry.span,
        mark="declared again",
        labels=(Label(other.span, "declared first"),),
        help=("choose another name",)
        if same
        else (*extended, f"choose another name, or use `{used}`"),
    )
