"""The box under construction: the tables that the merge steps share, and how tiles are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.diagnostics.allow import allowing
from rulesdsl.language.diagnostics.report import did_you_mean, listed
from rulesdsl.language.geometry.outline import derive
from rulesdsl.language.link.names import CLASSES, DeclarationEntry, EntryIndex, RulesetFamily
from rulesdsl.language.link.settings import Constants
from rulesdsl.language.model import nodes
from rulesdsl.language.model.game import (
    AttributeDef,
    EnumDef,
    FeatureKindDef,
    Roles,
    TrackDef,
    ZoneDef,
)
from rulesdsl.language.model.geometry import (
    SQUARES,
    Drawn,
    KindShape,
    Outline,
    OutlineSegment,
    Size,
)
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.nodes import Mapping as MappingNode
from rulesdsl.language.model.nodes import Node, Scalar
from rulesdsl.language.model.uses import word

MAX_PIECES = 10_000
"""Maximum number of components of one box."""

# --- palettes ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Palette:
    """The feature kinds one ruleset draws with.

    `shapes` is by the shortest unambiguous name, `full` gives the full name of each, and
    `attributes` the attributes of its segments by full name.
    """

    shapes: Mapping[str, KindShape]
    full: Mapping[str, str]
    attributes: Mapping[str, Sequence[AttributeDef]]

    @cached_property
    def text(self) -> str:
        """A key that is equal for palettes that draw the same; a text caches its hash."""
        said = {
            kind: [(each.key, each.default, each.required) for each in attributes]
            for kind, attributes in self.attributes.items()
        }
        return repr((self.shapes, self.full, said))

    def short(self, kind: str) -> str:
        """Return the name the ruleset uses for a kind's full name."""
        return self._names[kind]

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return {full: name for name, full in self.full.items()}


Draw = Callable[[str, Size, Sequence[Drawn], Palette, Span, Report], Outline]
"""The type of `draw`, or of a function with the same results."""


def draw(
    name: str, size: Size, drawn: Sequence[Drawn], colours: Palette, span: Span, report: Report
) -> Outline:
    """Derive all segments of a tile or face from its drawing, which uses the names of `colours`.

    Kinds are given by full name, with all attributes except required ones without a value. Mistakes
    are reported as by `geometry.derive`.
    """
    derived = derive(name, size, drawn, colours.shapes, span, report)
    return replace(
        derived,
        segments=tuple(_complete(segment, colours) for segment in derived.segments),
        sides={
            side: None if kind is None else colours.full[kind]
            for side, kind in derived.sides.items()
        },
    )


def _complete(segment: OutlineSegment, colours: Palette) -> OutlineSegment:
    kind, said = colours.full[segment.kind], segment.attributes
    attributes = {
        each.key: said.get(each.key, each.default)
        for each in colours.attributes[kind]
        if each.key in said or not each.required
    }
    return replace(segment, kind=kind, attributes=attributes)


# --- the box -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Extension:
    """An addition by one ruleset to an entry of another: the node under one key of `extend`."""

    ruleset: str
    key: Scalar
    node: Node


@dataclass
class BoxBuilder:
    """Tables by full name, in canonical order; each is complete before the next one is started.

    `extensions` is keyed by the full names of the extended entries, with those of house rulesets
    last. `absent` is the same as on `LinkedGame`. `undeclared` are the attributes (ruleset, owner
    and name) that were reported because nothing has such a name. Pieces have the sides of `cells`.
    """

    family: RulesetFamily
    names: EntryIndex
    constants: Constants
    roles: Roles
    report: Report
    extensions: Mapping[tuple[str, str], Sequence[Extension]]
    draw: Draw
    cells: str = SQUARES
    absent: set[str] = field(default_factory=set)
    undeclared: set[tuple[str, str, str]] = field(default_factory=set)
    enums: dict[str, EnumDef] = field(default_factory=dict)
    features: dict[str, FeatureKindDef] = field(default_factory=dict)
    attributes: dict[str, AttributeDef] = field(default_factory=dict)
    indexed: dict[str, AttributeDef] = field(default_factory=dict)
    zones: dict[str, ZoneDef] = field(default_factory=dict)
    tracks: dict[str, TrackDef] = field(default_factory=dict)
    _of: dict[str, Mapping[str, AttributeDef]] = field(default_factory=dict)
    _palettes: dict[tuple[str, frozenset[str]], Palette] = field(default_factory=dict)

    def attribute(self, key: str) -> AttributeDef | None:
        """Return an attribute as it is declared; None after a mistake that was reported."""
        return self.attributes.get(key) or self.indexed.get(key)

    def attributes_of(self, owner: str) -> Mapping[str, AttributeDef]:
        """Return the attributes of a class of pieces, of faces or of a feature kind (full name)."""
        if owner not in self._of:
            every = self.attributes.items()
            self._of[owner] = {key: each for key, each in every if owner in each.owners}
        return self._of[owner]

    def palette(self, ruleset: str, more: Iterable[str] = ()) -> Palette:
        """Return the feature kinds that a ruleset sees, in canonical order, and `more`.

        It is complete once feature kinds and attributes are.
        """
        key = ruleset, frozenset(more)
        if key not in self._palettes:
            seen = [e.key for e in self.names.seen(ruleset, "features") if e.key in self.features]
            kinds = [self.features[each] for each in dict.fromkeys((*seen, *sorted(key[1])))]
            names = [kind.name for kind in kinds]
            short = {k.key: k.name if names.count(k.name) == 1 else k.key for k in kinds}
            shapes = {
                short[kind.key]: replace(
                    kind.shape,
                    name=short[kind.key],
                    borders=frozenset(short[each] for each in kind.shape.borders if each in short),
                )
                for kind in kinds
            }
            attributes = {kind.key: tuple(self.attributes_of(kind.key).values()) for kind in kinds}
            full = {name: key for key, name in short.items()}
            self._palettes[key] = Palette(shapes, full, attributes)
        return self._palettes[key]

    def extending(self, entry: DeclarationEntry) -> Sequence[Extension]:
        """Return what other rulesets add to `entry`, in the order in which it applies."""
        return self.extensions.get((entry.space, entry.key), ())

    def member(self, enum: str, name: str, ruleset: str, span: Span) -> str | None:
        """Return the member of an enum that a ruleset calls by a name; None after reporting."""
        declared, seen = self.enums[enum], self.family.visible[ruleset]
        found = [declared.members[number] for number in declared.called(name, seen)]
        if len(found) == 1:
            return found[0]
        if found:
            message = f"`{name}` is a member of `{enum}` in more than one ruleset"
            help: tuple[str, ...] = ("write " + listed([f"`{each}`" for each in found]),)
        else:
            message = f"`{name}` is not a member of `{enum}`"
            help = did_you_mean(name, declared.members)
            help = help or (f"it may be {', '.join(declared.members)}",)
        slug = "ambiguous-name" if found else "unknown-name"
        self.report.error(slug, message, span, help=help)
        return None

    def present(self, entry: DeclarationEntry) -> bool:
        """Return whether the entry's `when` holds; if not, note the entry in `absent`."""
        there = self.constants.truth(nodes.get(entry.node, "when"), entry.ruleset)
        if not there:
            self.absent.add(entry.key)
        return there


# --- strangers -----------------------------------------------------------------------------------


def settling(box: BoxBuilder, one: str, other: str, line: str) -> tuple[str, ...]:
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


def report_order(
    box: BoxBuilder, one: tuple[str, Span], other: tuple[str, Span], do: str, help: str
) -> None:
    """Report what two rulesets `do` alike under different names, so that either may come first."""
    (first, there), (second, here) = one, other
    box.report.warning(
        "order-of-names",
        f"`{first}` and `{second}` {do}",
        here,
        labels=(Label(there, f"that of `{first}`"),),
        help=(
            help,
            "or, if it does not matter which, say so:",
            allowing(here, "order-of-names"),
        ),
    )


def shortest(full: str, known: Iterable[str]) -> str:
    """Return a name as manifests write it: with its ruleset if others are called the same."""
    short = short_name(full)
    return short if [short_name(each) for each in known].count(short) < 2 else full


def gather_extensions(names: EntryIndex, report: Report) -> dict[tuple[str, str], list[Extension]]:
    """Return the `extend` entries of all rulesets by namespace and full name of their targets."""
    found: dict[tuple[str, str], list[Extension]] = {}
    for ruleset in sorted(names.family.rulesets, key=lambda r: r.house):
        for key, node in nodes.entries(ruleset.manifest.get("extend")):
            target = _target(names, ruleset.id, key, node, report)
            if target is not None:
                extension = Extension(ruleset.id, key, node)
                found.setdefault((target.space, target.key), []).append(extension)
    return found


def _target(
    names: EntryIndex, ruleset: str, key: Scalar, node: Node, report: Report
) -> DeclarationEntry | None:
    """Return the entry that `key` of an `extend` names, judging by the shape of the node under it.

    None after reporting.
    """
    name = nodes.shown(key.value)
    all_sections = ("enums", "grids", "zones", *CLASSES)
    found = names.candidates(name, ruleset, _sections(node))
    if not found and names.candidates(name, ruleset, all_sections):
        report.error(
            "type-mismatch",
            f"`{name}` cannot be extended like this",
            node.span,
            help=(
                "a component: `[{copies: 1, name: value}]`",
                "an enum: `[member]`",
                "a zone: `{holds: [token]}`",
                "a grid: `{match: any}`",
            ),
        )
        return None
    owner = name.rpartition("/")[0]
    if owner in names.family.reach:
        start = key.span.start + key.quoted
        span = key.span.source.span(start, start + len(owner))
        names.uses.add(span, word("ruleset", owner))
    target = names.find(name, ruleset, key.span, *(_sections(node) if found else all_sections))
    if target is not None and target.ruleset == ruleset:
        report.error(
            "misplaced",
            f"`{name}` is declared by this ruleset itself",
            key.span,
            help=(f"write it where `{target.name}` is declared",),
        )
        return None
    return target


def _sections(node: Node) -> tuple[str, ...]:
    if isinstance(node, MappingNode):
        return ("grids", "zones")
    if len(nodes.scalars(node)) == len(nodes.items(node)):
        return ("enums",)
    return tuple(CLASSES)
