"""The box: everything the chosen rulesets declare in YAML, merged, with settings chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rulesdsl.diagnostics import Span
from rulesdsl.model.geometry import KindShape, Outline
from rulesdsl.model.names import part_id, words_of
from rulesdsl.model.ruleset import Ruleset
from rulesdsl.model.types import Type
from rulesdsl.model.values import EnumMember, Value

Plain = int | bool | str | None
"""An attribute's or setting's value as written; enum members by name."""


@dataclass(frozen=True)
class Declared:
    """Base of what has a name: short `name`, owner `ruleset`, where it stands."""

    name: str
    ruleset: str
    span: Span = field(compare=False, repr=False)

    @property
    def key(self) -> str:
        """The full name, `ruleset/name`."""
        return f"{self.ruleset}/{self.name}"


@dataclass(frozen=True)
class SettingDef(Declared):
    """`values` in declared order (booleans: false, true; a range: every integer of it)."""

    default: int | bool | str
    values: tuple[int | bool | str, ...]
    chosen: int | bool | str

    @property
    def value(self) -> Value:
        """The value that was chosen; a word is a member of the enum that all words make."""
        if isinstance(self.chosen, str):
            return EnumMember(words_of(self.key), self.values.index(self.chosen))
        return self.chosen


@dataclass(frozen=True)
class EnumDef(Declared):
    """`members` by short name in canonical order; `origins` the ruleset that added each."""

    members: tuple[str, ...]
    origins: tuple[str, ...]


@dataclass(frozen=True)
class AttributeDef(Declared):
    """`owners`: piece classes and `face`, or full names of feature kinds.

    `default` is None for optional types and, with `required`, where every component must say it.
    `fold` as in the language (empty for attributes of pieces).
    """

    owners: frozenset[str]
    type: Type
    default: Plain
    required: bool
    fold: str


@dataclass(frozen=True)
class FeatureKindDef(Declared):
    """`shape` names this kind and the kinds it borders in full, as segments do."""

    shape: KindShape


@dataclass(frozen=True)
class GridDef(Declared):
    """`match` is all, any or none.

    `touch`: a piece must share a side with one that lies there (the first piece on a grid is free);
    `size` None for unbounded; `per` is None, `player` or an enum's full name.
    """

    holds: frozenset[str]
    match: str
    touch: bool
    size: tuple[int, int] | None
    per: str | None


@dataclass(frozen=True)
class ZoneDef(Declared):
    """`visible` is all, owner or none.

    `room` is None (no limit) or a number an instance, 2^31 - 1 for an instance that a mapping of
    rooms leaves out.
    """

    holds: frozenset[str]
    per: str | None
    ordered: bool
    visible: str
    initial: bool
    room: tuple[int, ...] | None


@dataclass(frozen=True)
class TrackDef(Declared):
    """`holds` has every piece class when the manifest names none."""

    length: int
    loop: bool
    holds: frozenset[str]


@dataclass(frozen=True)
class TableDef(Declared):
    """`values[i - low]` is entry i."""

    low: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class FaceDef:
    """`attributes` holds every attribute of faces by full name; `outline` None without segments."""

    name: str
    outline: Outline | None
    attributes: Mapping[str, Plain]


@dataclass(frozen=True)
class KindDef(Declared):
    """One variant of a component entry: all copies with the same attributes.

    `cls` is the piece class; `attributes` holds every attribute of the class by full name;
    `variant` is empty, or tells variants of one id apart in texts, as in `[bonus=2]`. `outline`
    for tiles with segments (rotation 0), else None; its segments and sides name kinds in full, and
    each segment holds every attribute of its kind by full name. `faces` for dice. `owned`: each
    piece belongs to a player (`per: player`). An entry that is not there with the chosen settings
    has a kind and no pieces.
    """

    cls: str
    attributes: Mapping[str, Plain]
    variant: str = ""
    outline: Outline | None = None
    faces: tuple[FaceDef, ...] = ()
    owned: bool = False

    @property
    def text(self) -> str:
        """The name as moves and records show it: `bend[bonus=2]`."""
        return self.name + self.variant


@dataclass(frozen=True)
class PieceDef:
    """One component: its kind (index), its number among the copies of its id (from 1), the seat
    that owns it or None, and where it begins: a zone's or track's full name (the owner's zone of
    zones `per: player`, space 0 of a track), or None after a mistake that was reported."""

    kind: int
    copy: int
    seat: int | None
    start: str | None


@dataclass(frozen=True)
class Style:
    """How something is drawn, as manifests say it: colours `fill` and `edge`, the name of an
    `icon`, a short `text`, where on a piece an attribute is drawn (`at`), the `width` of a ribbon
    or the size of a figure in hundredths of a cell. None where nothing is said."""

    fill: str | None = None
    edge: str | None = None
    icon: str | None = None
    text: str | None = None
    at: str | None = None
    width: int | None = None


@dataclass(frozen=True)
class Roles:
    """The root ruleset's `game` and `players`: names as written, resolved by `check`."""

    ruleset: str
    play: str
    finish: str
    score: str
    least: int
    most: int
    colours: tuple[str, ...]
    limit: int
    """After how many decisions of players the game ends, as `finish` counts it."""
    span: Span = field(compare=False, repr=False)
    """Where the ruleset says `game`."""
    spans: Mapping[str, Span] = field(compare=False, repr=False)
    """Where it names `play`, `finish` and `score`, by these keys."""


@dataclass(frozen=True)
class Part:
    """Rules of one ruleset that hold together: those outside its `with` blocks, then `names` is
    empty, or those of all blocks that name just these rulesets, sorted."""

    ruleset: str
    names: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """What its rules, hooks and options have as their `ruleset`: its id, or `a with b`."""
        return part_id(self.ruleset, self.names)


@dataclass(frozen=True)
class Game:
    """What `weave` gives.

    Tables are in canonical order; handles in `model.values` index them.

    `rulesets` in canonical order; `parts` are their rules outside and inside of `with` blocks, in
    the order in which rules count. `reach` maps the id of a part to the ids its rules stand for:
    its ruleset, what that requires, an interaction's parties, those a block names, all closed under
    `requires`, and the parts that stand for fewer of these; a house ruleset's contains every id.
    `visible` maps the id of a part to those whose bare names it sees, itself first.
    `labels[language][full name]` (full names of options are
    `ruleset/choice.option`, of enum members `ruleset/enum.member`, of faces `ruleset/die.face`, of
    a ruleset its id), and `styles` by the same names; `label_spans` has the places of those names,
    as `ruleset/key` of the ruleset that says them, which no manifest declares: they must be names
    of its rules, or of the language.
    `absent` are the full names of zones, grids and components whose `when` does not hold: they
    keep their place in the tables, so that rules may name them.
    """

    rulesets: tuple[Ruleset, ...]
    reach: Mapping[str, frozenset[str]]
    visible: Mapping[str, tuple[str, ...]]
    roles: Roles
    settings: tuple[SettingDef, ...]
    enums: tuple[EnumDef, ...] = ()
    attributes: tuple[AttributeDef, ...] = ()
    feature_kinds: tuple[FeatureKindDef, ...] = ()
    grids: tuple[GridDef, ...] = ()
    zones: tuple[ZoneDef, ...] = ()
    tracks: tuple[TrackDef, ...] = ()
    tables: tuple[TableDef, ...] = ()
    kinds: tuple[KindDef, ...] = ()
    pieces: tuple[PieceDef, ...] = ()
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    label_spans: Mapping[str, tuple[Span, ...]] = field(
        default_factory=dict, compare=False, repr=False
    )
    parts: tuple[Part, ...] = ()
    absent: frozenset[str] = frozenset()
    styles: Mapping[str, Style] = field(default_factory=dict)
