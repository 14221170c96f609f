"""Rulesets as read, and the box: their declarations in one game, merged, with settings chosen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import NamedTuple

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Source, Span
from rulesdsl.language.model import geometry, nodes
from rulesdsl.language.model.geometry import KindShape, Outline
from rulesdsl.language.model.names import owner_of, part_id, short_name, words_of
from rulesdsl.language.model.types import (
    SIDE_NAMES,
    SIDE_NAMES_OF_HEXAGON,
    SIDE_NAMES_OF_TRIANGLE,
    Type,
)
from rulesdsl.language.model.values import EnumMember, Player, Value

_VERSION = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9}){2}")
_SETTING = re.compile(r"settings\.(\w+)")


_SIDE_NAMES = {
    geometry.SQUARES: SIDE_NAMES,
    geometry.HEXAGONS: SIDE_NAMES_OF_HEXAGON,
    geometry.TRIANGLES: SIDE_NAMES_OF_TRIANGLE,
}
"""The members of `side`, by the form of the cells whose sides pieces have."""


@dataclass(frozen=True)
class Named:
    """A name with its span."""

    name: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True)
class Bound:
    """A bound of the version of a required ruleset, such as `>= 1.2`."""

    ruleset: str
    sign: str
    version: tuple[int, ...]
    span: Span = field(compare=False, repr=False)

    def allows(self, version: str) -> bool:
        """Return whether a version satisfies the bound; one that is not three numbers does."""
        if not _VERSION.fullmatch(version):
            return True
        found = tuple(map(int, version.split(".")))
        equal = found == self.version and "=" in self.sign
        less = found < self.version and "<" in self.sign
        return equal or less or (found > self.version and ">" in self.sign)


@dataclass(frozen=True)
class Artwork:
    """An image file of a ruleset, without metadata.

    `name` is its path in messages, `digest` that of its bytes, `media` its type, such as
    `image/png`. The size of an SVG is in its own units.
    """

    name: str = field(compare=False)
    digest: str
    media: str
    width: int
    height: int
    content: bytes = field(repr=False, compare=False)


IMAGE_KEYS = ("image", "sheet", "back")
"""The keys of a style that name images."""


@dataclass(frozen=True)
class Picture:
    """The part of an image that something is drawn with: from x and y, a width and a height.

    Around it is a rim of `bleed` pixels for print.
    """

    artwork: Artwork
    box: tuple[int, int, int, int]
    bleed: int = 0


@dataclass(frozen=True)
class Exclusion:
    """Rulesets that are not loaded together with another one, all of them, and the reason."""

    others: tuple[Named, ...]
    because: str


class Credits(NamedTuple):
    """The description, authors, licence and address of a ruleset; what is not given is empty.

    Strangers wrote them: escape them where they are shown.
    """

    description: str
    authors: tuple[str, ...]
    licence: str
    homepage: str


@dataclass(frozen=True)
class Ruleset:
    """A ruleset: a manifest that satisfies its schema, and the text of its rules.

    `requires` are the rulesets it extends, `bounds` those of their versions; `interaction` are the
    groups of parties whose combinations it describes (empty for an ordinary ruleset); `house`
    rulesets beat all others. `rules` is None when the manifest names no rules file. `digest` is the
    SHA-256 (hex) over the bytes of both files without the manifest's lines for editors: `images`,
    which are by their paths, change no game. `left_out` are the spans of the manifest that could
    not be used.
    """

    id: str
    version: str
    manifest: nodes.Mapping
    rules: Source | None
    digest: str
    requires: tuple[Named, ...] = ()
    interaction: tuple[tuple[Named, ...], ...] = ()
    house: bool = False
    left_out: tuple[Span, ...] = field(default=(), compare=False, repr=False)
    bounds: tuple[Bound, ...] = ()
    images: Mapping[str, Artwork] = field(default_factory=dict, repr=False)

    @property
    def needs(self) -> tuple[Named, ...]:
        """The rulesets it needs: those it extends, and the parties common to all its groups."""
        names = [{each.name for each in group} for group in self.interaction]
        first = self.interaction[0] if self.interaction else ()
        return (*self.requires, *(n for n in first if all(n.name in each for each in names)))

    @property
    def parties(self) -> tuple[Named, ...]:
        """All parties of an interaction, each as it is named first."""
        every = (each for group in reversed(self.interaction) for each in reversed(group))
        return tuple(reversed({each.name: each for each in every}.values()))

    @cached_property
    def exclusions(self) -> tuple[Exclusion, ...]:
        """The entries of `refuse` without a condition, which exclude rulesets."""
        entries = nodes.items(self.manifest.get("refuse"))
        return tuple(
            Exclusion(
                tuple(Named(nodes.shown(e.value), e.span) for e in nodes.scalars(others)),
                nodes.text(each, "because"),
            )
            for each in entries
            if (others := nodes.get(each, "with")) and nodes.get(each, "when") is None
        )

    @cached_property
    def credits(self) -> Credits:
        """The description of the ruleset in its manifest, for people who look for one."""
        return Credits(
            nodes.text(self.manifest, "description"),
            tuple(nodes.shown(each.value) for each in nodes.scalars(self.manifest.get("authors"))),
            nodes.text(self.manifest, "licence"),
            nodes.text(self.manifest, "homepage"),
        )

    @cached_property
    def settings_read(self) -> frozenset[str]:
        """The names that expressions in the manifest read as `settings.name`, of any ruleset."""
        found = (_SETTING.findall(text) for text in nodes.texts(self.manifest))
        return frozenset(name for names in found for name in names)


Plain = int | bool | str | None
"""A value of an attribute or setting as written; enum members by name."""


@dataclass(frozen=True)
class Declaration:
    """Base of declarations: short `name`, owner `ruleset`, and span."""

    name: str
    ruleset: str
    span: Span = field(compare=False, repr=False)

    @property
    def key(self) -> str:
        """The full name, `ruleset/name`."""
        return f"{self.ruleset}/{self.name}"


@dataclass(frozen=True)
class SettingDef(Declaration):
    """A setting; `values` in declared order.

    Of booleans these are false and true; of a range, every integer.
    """

    default: int | bool | str
    values: tuple[int | bool | str, ...]
    chosen: int | bool | str

    @property
    def value(self) -> Value:
        """The chosen value; a word is a member of the enum that all words make."""
        if isinstance(self.chosen, str):
            return EnumMember(words_of(self.key), self.values.index(self.chosen))
        return self.chosen


@dataclass(frozen=True)
class EnumDef(Declaration):
    """An enum; `members` by name in canonical order, `origins` the ruleset of each.

    A name has its ruleset, `ants/red`, if another ruleset adds a member of that name.
    """

    members: tuple[str, ...]
    origins: tuple[str, ...]

    def called(self, name: str, seen: Sequence[str]) -> tuple[int, ...]:
        """Return the numbers of the members that a name, short or full, may mean to a ruleset.

        `seen` are the rulesets that it sees, itself first: its own member is meant before theirs.
        """
        ruleset, _, short = name.rpartition("/")
        found = [
            number
            for number, (member, origin) in enumerate(zip(self.members, self.origins, strict=True))
            if short_name(member) == short and ruleset in ("", origin)
        ]
        for near in ((owner_of(seen[0]),), seen):
            if own := [number for number in found if self.origins[number] in near]:
                return tuple(own)
        return tuple(found)


@dataclass(frozen=True)
class AttributeDef(Declaration):
    """An attribute; `owners` are piece classes and `face`, or full names of feature kinds.

    `default` is None for optional types and, with `required`, where every component must give a
    value. `fold` as in the language (empty for attributes of pieces). An attribute with `index`,
    the full name of an enum, stands for one of each member, whose name is `attribute.member`.
    """

    owners: frozenset[str]
    type: Type
    default: Plain
    required: bool
    fold: str
    index: str = ""

    @property
    def whole(self) -> str:
        """The full name as it is declared, without the member of an index."""
        return self.key.partition(".")[0]


@dataclass(frozen=True)
class FeatureKindDef(Declaration):
    """A feature kind; `shape` names it and the kinds it borders in full, as segments do."""

    shape: KindShape


PER_PLAYER = "player"
"""The index of places that there are for each player."""


@dataclass(frozen=True)
class IndexedDef(Declaration):
    """A grid or zone, of which there may be one instance for each index, or for each pair of two.

    `per` has `player` or an enum's full name for each index; `player` comes first. `outer` is the
    number of members of the first index (of the most players), `inner` that of the second; each is
    1 without such an index.
    """

    holds: frozenset[str]
    per: tuple[str, ...]
    outer: int
    inner: int

    def instances(self, players: int) -> int:
        """Return the number of instances in a game of so many players."""
        return (players if self.owned else self.outer) * self.inner

    @property
    def owned(self) -> bool:
        """Whether each instance belongs to a player."""
        return self.per[:1] == (PER_PLAYER,)

    def seat(self, instance: int) -> int | None:
        """Return the seat of the owner of an instance; None if it has no owner."""
        return instance // self.inner if self.owned else None

    def indices(self, instance: int) -> tuple[Player | EnumMember, ...]:
        """Return the indices of an instance."""
        numbers = divmod(instance, self.inner)
        return tuple(
            Player(number) if name == PER_PLAYER else EnumMember(name, number)
            for name, number in zip(self.per, numbers, strict=False)
        )


@dataclass(frozen=True)
class GridDef(IndexedDef):
    """A grid; `match` is all, any or none.

    With `touch`, a piece must share a side with another one on the grid (the first piece is free).
    `size` is None for unbounded. With `distinct`, rotations of a piece that look equal are offered
    once. The form of `cells` is one of `geometry.FORMS`: squares, hexagons in rows, each row half a
    cell east of the one north of it, or triangles, of which (0, 0) points up and its neighbours
    point down.
    If it is `ordered`, cells keep the order of what is moved to them. `over` is the full name of
    the grid over which it lies, with the same size, cells and owners.
    """

    match: str
    touch: bool
    size: tuple[int, int] | None
    distinct: bool = False
    cells: str = geometry.SQUARES
    ordered: bool = False
    over: str = ""


@dataclass(frozen=True)
class ZoneDef(IndexedDef):
    """A zone; `visible` is all, owner, others or none.

    `room` is None (no limit) or a number for each instance, 2^31 - 1 for an instance that a mapping
    of rooms leaves out.
    """

    ordered: bool
    visible: str
    initial: bool
    room: tuple[int, ...] | None


@dataclass(frozen=True)
class TrackDef(Declaration):
    """A track; `holds` has every piece class when the manifest names none."""

    length: int
    loop: bool
    holds: frozenset[str]


@dataclass(frozen=True)
class TableDef(Declaration):
    """A table of numbers; `values[i - low]` is entry i."""

    low: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class FaceDef:
    """A face of a die, which `count` of its sides show.

    `attributes` holds every attribute of faces by full name; `outline` is None without segments.
    """

    name: str
    outline: Outline | None
    attributes: Mapping[str, Plain]
    count: int = 1


@dataclass(frozen=True)
class KindDef(Declaration):
    """A variant of a component entry: all copies with the same attributes.

    `cls` is the piece class; `attributes` holds every attribute of the class by full name.
    `variant` is empty, or distinguishes variants of one id in texts, as in `[bonus=2]`. `outline`
    is for tiles with segments (rotation 0), else None; its segments and sides name kinds in full,
    and each segment holds every attribute of its kind by full name. `faces` are those of dice. With
    `owned`, each piece belongs to a player (`per: player`). An entry that is absent with the chosen
    settings has a kind and no pieces. `extended` are the other rulesets that give these copies
    attributes, segments or a place.
    """

    cls: str
    attributes: Mapping[str, Plain]
    variant: str = ""
    outline: Outline | None = None
    faces: tuple[FaceDef, ...] = ()
    owned: bool = False
    extended: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The name with the variant: `bend[bonus=2]`."""
        return self.name + self.variant


@dataclass(frozen=True)
class PieceDef:
    """A component.

    `kind` is an index, `copy` its number among the copies of its id (from 1), `seat` that of its
    owner or None. `start` is the full name of the zone or track where it begins (the owner's zone
    of zones `per: player`, space 0 of a track), or None after a mistake that was reported; `inner`
    is the number of the zone among those of its owner, if it has other indices.
    `numbers` are the numbers of players whose games have it, None if all do.
    """

    kind: int
    copy: int
    seat: int | None
    start: str | None
    numbers: frozenset[int] | None = None
    inner: int = 0

    def takes_part(self, players: int) -> bool:
        """Return whether a game of so many players has the component (and its owner plays)."""
        there = self.numbers is None or players in self.numbers
        return there and (self.seat is None or self.seat < players)


@dataclass(frozen=True)
class Style:
    """The drawing style of something, as declared in manifests.

    `fill` and `edge` are colours, `icon` and `texture` are names, `text` is short, and `at` is the
    place on a piece where an attribute is drawn. `width` is that of a ribbon or the size of a
    figure, in hundredths of a cell. `image` is drawn instead of everything else, with `mask` as a
    shape in the colour of the owner; `back` is that of a piece that lies face down. `stands` has
    the points at which figures stand on a tile, each with a kind of segments and a place that its
    segment holds (`Outline.called`). `cells` has the full name of a member of an enum for each cell
    of a grid, row by row, or for each space of a track, empty for none. A track with a `path`
    (points, or the name of a form) and a zone with a `place` lie on the board of the grid or track
    `board`, a track perhaps on its own; `place` is the rectangle around it and `spaces` the middles
    of spaces, in cells. A field that is not declared is None.
    """

    fill: str | None = None
    edge: str | None = None
    icon: str | None = None
    text: str | None = None
    at: str | None = None
    texture: str | None = None
    width: int | None = None
    image: Picture | None = None
    mask: bool | None = None
    back: Picture | None = None
    stands: tuple[tuple[str, str, tuple[int, int]], ...] | None = None
    cells: tuple[str, ...] | None = None
    path: str | tuple[tuple[float, float], ...] | None = None
    place: tuple[float, float, float, float] | None = None
    board: str | None = None
    spaces: tuple[tuple[float, float], ...] | None = None


@dataclass(frozen=True)
class Roles:
    """The root ruleset's `game` and `players`: names as written, resolved by `check`."""

    ruleset: str
    play: str
    finish: str
    score: str
    """Empty in a game without points."""
    fewest: bool
    """Whether the fewest points win."""
    least: int
    most: int
    colours: tuple[str, ...]
    limit: int
    """Number of decisions after which the game ends, as `finish` counts it."""
    span: Span = field(compare=False, repr=False)
    """Span of `game` in the ruleset."""
    spans: Mapping[str, Span] = field(compare=False, repr=False)
    """Spans of the names of `play`, `finish` and `score`, by these keys."""


@dataclass(frozen=True)
class Part:
    """A group of rules of one ruleset.

    It has the rules outside its `with` blocks if `names` is empty, otherwise those of all blocks
    that name exactly these rulesets, sorted.
    """

    ruleset: str
    names: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The `ruleset` of its rules, hooks and options: its id, or `a with b`."""
        return part_id(self.ruleset, self.names)


class ShownNames(NamedTuple):
    """The names of components and places as moves, records and messages show them.

    They are in the order of the game's tables; those of kinds of features are by full name. A name
    has its ruleset, `ants/row`, if another ruleset gives it to something of the same table.
    """

    kinds: tuple[str, ...]
    zones: tuple[str, ...]
    grids: tuple[str, ...]
    tracks: tuple[str, ...]
    features: Mapping[str, str]


def _texts(rows: Sequence[Declaration]) -> tuple[str, ...]:
    short = [row.text if isinstance(row, KindDef) else row.name for row in rows]
    count = Counter(short)
    return tuple(
        text if count[text] == 1 else f"{row.ruleset}/{text}"
        for row, text in zip(rows, short, strict=True)
    )


@dataclass(frozen=True)
class Removal:
    """A count by which a ruleset takes all copies of a component out of the game.

    `kind` is the full name of the component, `start` that of the zone in which its copies begin.
    """

    kind: str
    start: str
    ruleset: str
    span: Span


@dataclass(frozen=True)
class LinkedGame:
    """The merged game, the result of `link`.

    Tables are in canonical order; handles in `model.values` index them.

    `rulesets` are in canonical order; `parts` are their rules outside and inside of `with` blocks,
    in order of precedence. `reach` maps the id of a part to the ids its rules build on: its
    ruleset, its requirements, an interaction's parties, those a block names, all closed under
    `requires`, and the parts that build on fewer of these; a house ruleset's contains every id.
    `visible` maps the id of a part to those whose bare names it sees, itself first.

    `labels[language][full name]` are the labels (full names of options are `ruleset/choice.option`,
    of enum members `ruleset/enum.member`, of faces `ruleset/die.face`, of a ruleset its id), and
    `styles` are by the same names. `label_spans` has the spans of those names, as `ruleset/key` of
    the labelling ruleset, that no manifest declares: they must be names of its rules, or of the
    language.

    `lines[language][full name of an action]` are the lines that actions say to players, with `{0}`
    for the first value that is named. `text_spans` has the spans of labels with braces by language
    and full name.

    `absent` are the full names of zones, grids and components whose `when` does not hold: they keep
    their place in the tables, so that rules may name them.

    `refused[number of players]` says which ruleset refuses games of so many players, and why.

    `removed` are the components of which rulesets leave no copy, for some number of players.

    `cells` are those whose sides pieces have: hexagons if a grid of them holds tiles with features,
    or if there are no features and all grids have hexagons; triangles if a grid has them; otherwise
    squares.
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
    lines: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    text_spans: Mapping[tuple[str, str], Span] = field(
        default_factory=dict, compare=False, repr=False
    )
    parts: tuple[Part, ...] = ()
    absent: frozenset[str] = frozenset()
    styles: Mapping[str, Style] = field(default_factory=dict)
    refused: Mapping[int, str] = field(default_factory=dict)
    cells: str = geometry.SQUARES
    removed: tuple[Removal, ...] = field(default=(), compare=False, repr=False)

    @property
    def side_names(self) -> tuple[str, ...]:
        """The members of `side`, clockwise."""
        return _SIDE_NAMES[self.cells]

    @property
    def sides(self) -> int:
        """The number of the members of `side`, and of the rotations of a piece."""
        return len(self.side_names)

    @cached_property
    def blank(self) -> geometry.Outline:
        """The outline of a piece without a drawing, which has all sides, whatever it lies on."""
        sides = {(0, 0, side): None for side in range(self.sides)}
        return Outline(geometry.CELL_OF[self.cells], (), sides)

    @property
    def degrees(self) -> int:
        """The degrees of a turn by one side."""
        return 360 // self.sides

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of players that the game is for, the fewest first."""
        every = range(self.roles.least, self.roles.most + 1)
        return tuple(number for number in every if number not in self.refused)

    @cached_property
    def declared_attributes(self) -> tuple[AttributeDef, ...]:
        """The attributes as they are declared: those with an index once for all members."""
        found = {each.whole: each for each in reversed(self.attributes)}
        return tuple(
            replace(each, name=each.name.partition(".")[0]) for each in reversed(found.values())
        )

    @cached_property
    def copies(self) -> tuple[Mapping[int, tuple[int, ...]], ...]:
        """For each kind, how many components there are, and for which numbers of players.

        Of a kind `per: player`, those of one player.
        """
        counts = [dict.fromkeys(self.numbers, 0) for _ in self.kinds]
        for piece in self.pieces:
            for players in self.numbers if not piece.seat else ():
                counts[piece.kind][players] += piece.takes_part(players)
        return tuple(
            {count: tuple(n for n in found if found[n] == count) for count in found.values()}
            for found in counts
        )

    @cached_property
    def texts(self) -> ShownNames:
        """The names of components and places as moves, records and messages show them."""
        return ShownNames(
            _texts(self.kinds),
            _texts(self.zones),
            _texts(self.grids),
            _texts(self.tracks),
            {
                kind.key: text
                for kind, text in zip(self.feature_kinds, _texts(self.feature_kinds), strict=True)
            },
        )

    def strangers(self, one: str, other: str) -> bool:
        """Return whether two parts have different authors, of whom neither knows the other's rules.

        Two house rulesets, each of which beats everything else, are strangers.
        """
        first, second = self.reach[one], self.reach[other]
        return owner_of(one) != owner_of(other) and not (first > second or second > first)
