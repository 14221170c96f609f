"""What a new expansion may begin with: proposals that are made of what the root offers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rulesdsl.model.checked import Checked, IsKind, ValueDef
from rulesdsl.model.game import AttributeDef, FeatureKindDef, Game, GridDef, KindDef
from rulesdsl.model.geometry import Shape
from rulesdsl.model.names import short_name
from rulesdsl.model.types import FEATURE, INT, PLAYER, IntType, Type
from rulesdsl.model.walk import walk

PORTS = {Shape.LINE: "N-S", Shape.AREA: "N", Shape.INSIDE: "I"}
"""How a first segment of each shape is drawn."""

Attributes = Mapping[str, int | bool | str | None]


@dataclass(frozen=True)
class Rule:
    """A rule that refines `value`, of the root, called with the arguments `call` in scenarios;
    `counts` if it gives a number, to which something can be added."""

    value: ValueDef
    call: str
    counts: bool

    @property
    def name(self) -> str:
        """The value's name."""
        return short_name(self.value.key)

    @property
    def feature(self) -> str:
        """What it calls the first feature that it is about; empty if it is about none."""
        names = (each.name for each in self.value.params if each.type == FEATURE)
        return next(names, "")

    @property
    def params(self) -> str:
        """The names of its parameters, as a rule writes them."""
        return f"({', '.join(each.name for each in self.value.params)})"


@dataclass(frozen=True)
class Piece:
    """A tile with one segment of a kind of feature, drawn as `at`; both have the attributes that
    the root asks of them. It lies on the first cell of a grid, which scenarios name if they must.
    `other` is a tile of the root that shows such a feature, None if there is none."""

    feature: FeatureKindDef
    at: str
    of_tile: Attributes
    of_segment: Attributes
    grid: str | None
    other: str | None


@dataclass(frozen=True)
class Draft:
    """A first rule, about a tile of its own, or (None) about a setting."""

    rule: Rule
    piece: Piece | None


def drafts(checked: Checked) -> Iterator[Draft]:
    """What may be tried, the best first: a tile whose feature has another value; a number that
    gets higher; any value, as it was."""
    found = [
        rule
        for key, value in checked.values.items()
        if key not in checked.actions and (rule := _rule(value, checked.game))
    ]
    counting = sorted((rule for rule in found if rule.counts), key=_fitness)
    everywhere = _kinds((*checked.values.values(), *checked.actions.values()))
    for rule in counting:
        if rule.feature:
            for piece in _pieces(checked.game, [*_kinds(rule.value.rules), *everywhere]):
                yield Draft(rule, piece)
    yield from (Draft(rule, None) for rule in counting if not rule.feature)
    yield from (Draft(rule, None) for rule in found if not rule.counts)


def _fitness(rule: Rule) -> tuple[int, bool, bool]:
    """Orders rules: first those of values that tell most kinds of features apart, that are about a
    feature before all else, and that may grow without bound."""
    about = [each.type for each in rule.value.params]
    return -len(_kinds(rule.value.rules)), about[:1] != [FEATURE], rule.value.type != INT


def _rule(value: ValueDef, game: Game) -> Rule | None:
    """A rule for a value that falls back on another rule; None if there is nothing to refine, or
    scenarios could not ask for the number it gives."""
    if value.policy != "unique" or not value.rules:
        return None
    words: dict[Type, str] = {FEATURE: "f", PLAYER: game.roles.colours[0]}
    given = [words.get(each.type, "") for each in value.params]
    counts = isinstance(value.type, IntType)
    if counts and "" in given:
        return None
    return Rule(value, f"{short_name(value.key)}({', '.join(given)})", counts)


def _kinds(tree: object) -> list[str]:
    """The kinds of features that rules tell apart, each once, as they come."""
    nodes = (node for node in walk(tree) if isinstance(node, IsKind))
    return list(dict.fromkeys(node.name for node in nodes if node.test == "feature"))


def _pieces(game: Game, first: list[str]) -> Iterator[Piece]:
    """A tile for every kind of feature that can be drawn, those in `first` before others."""
    grid = next((each for each in game.grids if "tile" in each.holds), None)
    tiles = [each for each in game.kinds if each.cls == "tile" and each.outline]
    order = [*first, *(kind.key for kind in game.feature_kinds)]
    kinds = sorted(
        (kind for kind in game.feature_kinds if kind.shape.shape in PORTS),
        key=lambda kind: order.index(kind.key),
    )
    for kind in kinds if grid and tiles else ():
        assert grid is not None, "there is one where there are pieces"
        yield Piece(
            kind,
            PORTS[kind.shape.shape],
            _needed(game, "tile", tiles[0].attributes),
            _needed(game, kind.key, _segment(tiles, kind)),
            _named(game, grid),
            next((tile.name for tile in tiles if _shows(tile, kind)), None),
        )


def _shows(tile: KindDef, kind: FeatureKindDef) -> bool:
    assert tile.outline is not None, "only drawn tiles are asked"
    return any(segment.kind == kind.key for segment in tile.outline.segments)


def _segment(tiles: list[KindDef], kind: FeatureKindDef) -> Attributes:
    """The attributes of the first segment of a kind."""
    outlines = (tile.outline for tile in tiles if tile.outline)
    segments = (segment for outline in outlines for segment in outline.segments)
    return next((each.attributes for each in segments if each.kind == kind.key), {})


def _needed(game: Game, owner: str, values: Attributes) -> Attributes:
    """Of `values` those of attributes that every such component or segment must say."""
    return {each.name: values.get(each.key) for each in game.attributes if _must(each, owner)}


def _must(attribute: AttributeDef, owner: str) -> bool:
    return attribute.required and owner in attribute.owners


def _named(game: Game, grid: GridDef) -> str | None:
    """How scenarios call the grid, if they must: the first player's, or the one of several."""
    if grid.per == "player":
        return f"{grid.name}[{game.roles.colours[0]}]"
    return grid.name if len(game.grids) > 1 else None
