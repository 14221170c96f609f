"""A game as data: its modules, the meaning of the numbers in their tables, and its rules texts."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, Generic, TypeVar
from xml.etree import ElementTree

from rulesdsl.base.cache import Cache, entry_name
from rulesdsl.base.speed import uncollected
from rulesdsl.base.texts import languages
from rulesdsl.engine.lower.plan import PLAYING, ChoicePlan, OptionPlan, Plan
from rulesdsl.engine.lower.tables.state_tables import StateTable
from rulesdsl.engine.run.plans import dump_plan, key_of, restore_plan
from rulesdsl.engine.run.wasm.layout import described
from rulesdsl.language.diagnostics import Source, Span
from rulesdsl.language.geometry.paths import MOST_SPACES
from rulesdsl.language.model.checked import (
    ActionCall,
    ActionDef,
    CallValue,
    Checked,
    Const,
    Hooks,
    Node,
    OptionDef,
    walk,
)
from rulesdsl.language.model.flow import answers, enum_given, member_source, scores, told_keys
from rulesdsl.language.model.game import IndexedDef, KindDef, LinkedGame, Picture, Style, TrackDef
from rulesdsl.language.model.geometry import Outline
from rulesdsl.language.model.types import SIDE, EnumType, IntType, OptionalType, SetType, Type
from rulesdsl.language.model.values import EnumMember, Grid, Zone
from rulesdsl.play import Game
from rulesdsl.play.names import Forms
from rulesdsl.play.table import SegmentTexts
from rulesdsl.show.draw.board import alone, printed, space_printed, space_size, track_ground
from rulesdsl.show.draw.images import embedded, gallery, pictured
from rulesdsl.show.draw.pieces import Pieces, Tile, badge_lines, die_face, frame
from rulesdsl.show.draw.shapes import Spots
from rulesdsl.show.draw.svg import CELL, Lines, Looks

STANDING = 34.0
"""The size of a piece that stands on a segment, in hundredths of a cell."""
_STANDS = 4
"""The number of points for pieces on each segment."""
_TALLEST = 1.6
_USUAL = 29.0

Drawing = dict[str, Any]
Tree = list[Any]
"""An element: its name, its attributes, then its children; a text is a string."""


_Made = TypeVar("_Made")


class KindMemo(Generic[_Made]):
    """Results for the kinds of components of the last game, by name.

    They are used again for a game with the same surroundings: an author changes few kinds at once.
    """

    def __init__(self) -> None:
        self._surroundings: list[object] = []
        self._made: dict[object, tuple[KindDef, _Made]] = {}

    def enter(self, surroundings: list[object]) -> None:
        """Forget all results unless all that they depend on, besides the kinds, is the same."""
        if surroundings != self._surroundings:
            self._surroundings = surroundings
            self._made.clear()

    def result(self, name: object, kind: KindDef, make: Callable[[], _Made]) -> _Made:
        """Return the result for a kind, made now unless there is one of an equal kind."""
        before = self._made.get(name)
        if before is None or before[0] != kind:
            before = self._made[name] = kind, make()
        return before[1]


_drawn: KindMemo[Drawing] = KindMemo()
"""The drawings by language and name."""


def drawings(game: Game, language: str) -> list[Drawing]:
    """Return the drawing of every kind of component, in order."""
    linked, pieces = game.checked.game, Pieces(game, language)
    names = [(kind.cls, kind.key) for kind in linked.kinds]
    looks: list[object] = [linked.roles.ruleset, linked.roles.colours, linked.styles, linked.labels]
    looks += [linked.attributes, linked.enums, linked.feature_kinds, names]
    _drawn.enter(looks)
    return [_drawn_before(pieces, index, kind) for index, kind in enumerate(linked.kinds)]


def _drawn_before(pieces: Pieces, index: int, kind: KindDef) -> Drawing:
    plain = kind.cls in _WITHOUT_WORDS or (kind.cls == "tile" and kind.outline is not None)
    name = "" if plain else pieces.language, f"{kind.ruleset}/{kind.text}"
    return _drawn.result(name, kind, partial(_drawing, pieces, index, kind))


_WITHOUT_WORDS = ("figure", "token", "die")
"""The classes whose drawings are the same in every language."""


def tree(lines: Lines) -> list[Tree]:
    """Return lines of SVG as trees."""
    return [node(each) for each in ElementTree.fromstring(f"<svg>{''.join(lines)}</svg>")]


def node(element: ElementTree.Element) -> Tree:
    """Return an element as a tree; names lose their namespaces."""
    attributes = {name: _number(value) for name, value in element.attrib.items()}
    words = element.text.strip() if element.text else ""
    tag = element.tag.rpartition("}")[2]
    return [tag, attributes, *([words] if words else []), *map(node, element)]


def _number(value: str) -> str | int | float:
    """Return a number as such, since it is shorter."""
    try:
        number = float(value)
    except ValueError:
        return value
    return int(number) if number.is_integer() else number


def _drawing(pieces: Pieces, index: int, kind: KindDef) -> Drawing:
    if kind.cls in ("figure", "token"):
        return {"size": [1, 1], "stands": list(_standing(pieces, kind))}
    if kind.cls == "die":
        faces = [tree(die_face(kind, face, pieces.looks)) for face in kind.faces]
        return {"size": [1, 1], "faces": faces}
    if kind.cls == "tile" and kind.outline is not None:
        tile = pieces.tile(index)
        across, down = kind.outline.size
        return {
            "size": [across, down],
            "ground": tree([*tile.ground, frame(kind.outline.size)]),
            "marks": [
                {"at": _point(mark.at), "drawn": tree(mark.lines((0.0, 0.0)))}
                for mark in tile.marks
            ],
            "spots": _spots(tile),
        }
    drawn, (width, height) = pieces.draw(kind)
    return {"size": [width / CELL, height / CELL], "ground": tree(drawn)}


Spot = list[float]

_known: dict[object, list[list[Spot]]] = {}
"""The points of tiles drawn before: searching for them takes longer than all else."""
_MOST_KNOWN = 2000


def _spots(tile: Tile) -> list[list[Spot]]:
    marks = tuple((mark.at, mark.size) for mark in tile.marks)
    shapes = tuple((ground.shape, ground.width) for ground in tile.grounds)
    key = repr(tile.outline), shapes, marks, tuple(tile.stands.items())
    found = _known.get(key)
    if found is None:
        room = tile.room()
        found = [_stands(room.copy(), segment) for segment in range(len(tile.outline.segments))]
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[key] = found
    return found


def _stands(room: Spots, segment: int) -> list[Spot]:
    return [_point(room.stand(segment, STANDING)) for _ in range(_STANDS)]


def _standing(pieces: Pieces, kind: KindDef) -> Iterator[list[Tree]]:
    size = min(_TALLEST, pieces.looks.size(kind, _USUAL) / _USUAL) * STANDING
    for seat in range(len(pieces.looks.players)) if kind.owned else [None]:
        yield tree(badge_lines(pieces.looks.stands(kind, seat), (0.0, 0.0), size))


def _point(at: tuple[float, float]) -> list[float]:
    return [round(at[0], 1), round(at[1], 1)]


FORMAT = 1
"""The version of the exported form."""

Data = dict[str, Any]


def export(game: Game, counts: Iterable[int]) -> Data:
    """Return a game as data that JSON can hold, with a module for each number of players.

    `schemas/plan.schema.json` describes it.
    """
    games = (module_of(game, count) for count in counts)
    made = [{**data, "module": b64encode(module).decode()} for module, data in games]
    return {**shared(game), "games": made}


def shared(game: Game) -> Data:
    """Return everything that does not depend on the number of players."""
    declared, looks, words = game.checked.game, Looks(game.checked.game), SegmentTable(game)
    roles, keys = declared.roles, [grid.key for grid in declared.grids]
    return {
        "plan": FORMAT,
        "ruleset": roles.ruleset,
        "digest": game.digest,
        "rulesets": [vars(info) for info in game.rulesets],
        "settings": game.settings,
        "score": game.checked.score,
        "fewest": roles.fewest,
        "limit": roles.limit,
        "colours": [
            {"name": name, "fill": fill}
            for name, fill in zip(roles.colours, looks.players, strict=True)
        ],
        "enums": {
            **{enum.key: list(enum.members) for enum in declared.enums},
            SIDE.name: list(declared.side_names),
        },
        "features": [
            {"key": kind.key, "fill": looks.grounds[kind.key].fill}
            for kind in declared.feature_kinds
        ],
        "images": [each for images in tree(embedded(gallery(declared))) for each in images[2:]],
        "grids": [
            {
                "key": grid.key,
                "name": name,
                "size": None if grid.size is None else list(grid.size),
                "cells": grid.cells,
                "over": keys.index(grid.over) if grid.over else None,
                "alone": alone(grid),
                "absent": grid.key in declared.absent,
                "drawn": tree(printed(looks, grid)),
            }
            for grid, name in zip(declared.grids, declared.texts.grids, strict=True)
        ],
        "zones": _zones(declared, looks),
        "tracks": [
            {**_track(declared, looks, track), "name": name}
            for track, name in zip(declared.tracks, declared.texts.tracks, strict=True)
        ],
        "sources": list(game.sources),
        "kinds": _kinds(game, words),
        "words": words.texts,
        "pieces": {
            key: [getattr(piece, key) for piece in declared.pieces]
            for key in ("kind", "seat", "copy")
        },
        "labels": declared.labels,
        "answers": [
            {"attribute": key, "values": list(each.values), "first": each.first}
            for key, each in answers(declared, told_keys(game.checked)).items()
        ],
        "lines": declared.lines,
        "said": _said(game),
        "rules": reasons(game.checked),
    }


def _said(game: Game) -> list[Data]:
    spoken = (game.checked.actions[key] for key in game.checked.spoken)
    return [
        {"key": each.key, "types": [_type(each.params[place].type) for place in each.said]}
        for each in spoken
    ]


def _zones(declared: LinkedGame, looks: Looks) -> list[Data]:
    return [
        {
            "key": zone.key,
            "name": name,
            "per": list(zone.per) if len(zone.per) > 1 else (*zone.per, None)[0],
            "ordered": zone.ordered,
            "visible": zone.visible,
            "absent": zone.key in declared.absent,
            "board": _board(declared, looks.style(zone.key)),
            "drawn": _whole(looks.style(zone.key).image),
            "back": _whole(looks.back(zone)),
        }
        for zone, name in zip(declared.zones, declared.texts.zones, strict=True)
    ]


def _whole(image: Picture | None) -> list[Tree]:
    """Return the drawing of a picture in a width of 100."""
    if image is None:
        return []
    return tree(pictured(image, (0.0, 0.0), (CELL, CELL * image.box[3] / image.box[2])))


def _board(declared: LinkedGame, style: Style) -> Data | None:
    """Return where a zone or track lies, in hundredths of a cell; None beside the boards."""
    if style.place is None:
        return None
    boards = {"grid": declared.grids, "track": declared.tracks}
    found: Data = {
        name: next((at for at, each in enumerate(them) if each.key == style.board), None)
        for name, them in boards.items()
    }
    return {**found, "box": [round(CELL * each, 1) for each in style.place]}


def _track(declared: LinkedGame, looks: Looks, track: TrackDef) -> Data:
    """Return a track with what is printed on its spaces, if anything, and where they lie."""
    style, shown = looks.style(track.key), range(min(track.length, MOST_SPACES))
    plain = not any(key.partition("[")[0] == track.key for key in declared.styles)
    board = _board(declared, style)
    if board is not None and style.spaces is not None:
        board["spaces"] = [_point((CELL * x, CELL * y)) for x, y in style.spaces]
        board["width"] = round(space_size(style.spaces), 1)
        board["drawn"] = tree(track_ground(looks, track))
    return {
        "key": track.key,
        "length": track.length,
        "loop": track.loop,
        "board": board,
        "printed": [] if plain else [tree(space_printed(looks, track, at)) for at in shown],
    }


_Row = tuple[str, ...]
"""A segment in the words of each language."""
_Named = list[tuple[list[str], list[_Row]]]
"""The names and the words of the segments of an outline, in all rotations."""

_named: KindMemo[list[_Named]] = KindMemo()
"""The names and words of segments by the kind they are on, which take long to find."""


class SegmentTable:
    """Segments in words, each text once: `texts` has them by language, in the same order."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._languages = sorted({*languages(), *game.labels.languages})
        self._segments = [SegmentTexts(game, language) for language in self._languages]
        self._rows: dict[_Row, int] = {}
        declared = game.checked.game
        order = [ruleset.id for ruleset in declared.rulesets]
        _named.enter([order, declared.labels, declared.enums, declared.feature_kinds])

    @property
    def texts(self) -> dict[str, list[str]]:
        """The texts of the segments that were numbered."""
        return {
            language: [row[place] for row in self._rows]
            for place, language in enumerate(self._languages)
        }

    def number(self, row: _Row) -> int:
        """Return the number of the text of a segment."""
        return self._rows.setdefault(row, len(self._rows))

    def named(self, index: int, kind: KindDef) -> list[_Named]:
        """Return the names and words of the segments of each outline of a kind, in order."""
        return _named.result(kind.key, kind, partial(self._find, index, kind))

    def _find(self, index: int, kind: KindDef) -> list[_Named]:
        faces = range(len(kind.faces)) if kind.faces else (None,)
        return [
            [self._told(index, face, at) for at in range(len(outline.segments))] if outline else []
            for face, outline in zip(faces, _outlines(kind), strict=True)
        ]

    def _told(self, kind: int, face: int | None, segment: int) -> tuple[list[str], list[_Row]]:
        turns = range(self._game.checked.game.sides)
        names = [self._game.forms.segment(kind, face, segment, turn) for turn in turns]
        return names, [
            tuple(each.text(kind, face, segment, turn) for each in self._segments) for turn in turns
        ]


def _kinds(game: Game, words: SegmentTable) -> list[Data]:
    drawn = {language: drawings(game, language) for language in game.labels.languages or ("en",)}
    main = "en" if "en" in drawn else next(iter(drawn))
    found = []
    for index, kind in enumerate(game.checked.game.kinds):
        usual = drawn[main][index]
        other = {name: each[index] for name, each in drawn.items() if each[index] != usual}
        outlines = zip(_outlines(kind), words.named(index, kind), strict=True)
        found.append(
            {
                "key": kind.key,
                "ruleset": kind.ruleset,
                "class": kind.cls,
                "faces": [face.name for face in kind.faces],
                "outlines": [
                    None if outline is None else _outline(words, outline, segments)
                    for outline, segments in outlines
                ],
                "text": game.checked.game.texts.kinds[index],
                "drawn": {"": usual} | other,
            }
        )
    return found


def _outlines(kind: KindDef) -> list[Outline | None]:
    return [face.outline for face in kind.faces] or [kind.outline]


def _outline(words: SegmentTable, outline: Outline, named: _Named) -> Data:
    return {
        "size": list(outline.size),
        "segments": [
            {"kind": segment.kind, "names": names, "words": list(map(words.number, rows))}
            for segment, (names, rows) in zip(outline.segments, named, strict=True)
        ],
    }


# --- one number of players -----------------------------------------------------------------------


def _instance(
    forms: Forms, declared: IndexedDef, number: int, index: int, place: Zone | Grid
) -> Data:
    """Return a zone or grid, with the number of the player or member for each of its indices."""
    indices = [
        each.index if isinstance(each, EnumMember) else each.seat
        for each in declared.indices(index)
    ]
    return {"of": number, "index": index, "indices": indices, "name": forms.lasting(place)}


def module_of(game: Game, players: int, *, optimised: bool = True) -> tuple[bytes, Data]:
    """Return the module for this number of players, and the meaning of its tables.

    One that is not `optimised` plays the same, more slowly, and is made in half the time.
    """
    module, layout, plan = _compiled(game.checked, players, optimised)
    encoding, forms = plan.encoding, game.forms
    zones = [
        Zone(number, index)
        for number, zone in enumerate(encoding.game.zones)
        for index in range(zone.instances(players))
    ]
    grids = [
        Grid(number, index)
        for number, grid in enumerate(encoding.game.grids)
        for index in range(grid.instances(players))
    ]
    data = {
        **json.loads(layout),
        "segments": list(encoding.piece_segment),
        "zones": [_instance(forms, encoding.game.zones[z.zone], z.zone, z.index, z) for z in zones],
        "grids": [_instance(forms, encoding.game.grids[g.grid], g.grid, g.index, g) for g in grids],
        "choices": list(map(_choice, plan.choices)),
        "states": [_state(state) for state in plan.states.values()],
        "actions": [[_type(type_) for _, type_ in action.arguments] for action in plan.actions],
        "terms": list(plan.terms),
    }
    return module, data


def _compiled(checked: Checked, players: int, optimised: bool) -> tuple[bytes, str, Plan]:
    """Return the module, its layout and its plan, perhaps from the cache."""
    key = f"{key_of(checked, players, PLAYING)} {optimised}"
    name = entry_name("export", key.encode(), "wasm")

    def make() -> tuple[bytes, bytes, bytes]:
        with uncollected():
            from rulesdsl.engine.lower.program import lower
            from rulesdsl.engine.run.wasm.printer import print_module

            plan = lower(checked, players, optimised, entries=PLAYING)
            printed = print_module(plan.program)
            layout = described(printed.layout, players)
            return printed.content, layout.encode(), dump_plan(plan)

    parts = Cache.of_user().load_or_make(name, make, _joined, _split)
    return parts[0], parts[1].decode(), restore_plan(parts[2], checked)


def _joined(parts: tuple[bytes, bytes, bytes]) -> bytes:
    head = b"".join(len(part).to_bytes(8, "little") for part in parts[:2])
    return head + b"".join(parts)


def _split(data: bytes) -> tuple[bytes, bytes, bytes]:
    first, second = (int.from_bytes(data[at : at + 8], "little") for at in (0, 8))
    rest = data[16:]
    return rest[:first], rest[first : first + second], rest[first + second :]


def _argument(option: OptionPlan, name: str, types: Sequence[Type]) -> Data:
    own = {"name": name, "type": _type(types[0]), "secret": name in option.secret}
    if name not in option.sets:
        return own
    assert isinstance(types[0], OptionalType), "each number of a set may be none"
    return {**own, "type": {**_type(types[0].item), "set": True}, "room": len(types)}


def _choice(choice: ChoicePlan) -> Data:
    return {
        "key": choice.key,
        "arguments": [
            {"name": slot.name, "offset": slot.offset, "type": _type(slot.type)}
            for slot in choice.arguments
        ],
        "options": [
            {
                "key": option.key,
                "name": option.name,
                "arguments": [
                    _argument(option, name, [type_ for _, type_ in own])
                    for name, own in groupby(option.arguments, key=itemgetter(0))
                ],
            }
            for option in choice.options
        ],
    }


def _state(state: StateTable) -> Data:
    definition = state.definition
    return {
        "key": state.key,
        "owner": definition.owner,
        "type": _type(definition.type),
        "index": [_type(each) for each in definition.index],
        "sizes": list(state.sizes),
        "table": state.data,
        "cells": state.keys if state.hashed else None,
        "first": state.first,
        "owners": state.owners,
        "members": None if state.members is None else list(state.members),
    }


def _type(type_: Type) -> Data:
    """Return a type: its name, for an enum its full name, and whether it is a set or optional."""
    found: Data = {}
    while True:
        match type_:
            case OptionalType(item):
                found["optional"] = True
                type_ = item
            case SetType(item):
                found["set"] = True
                type_ = item
            case EnumType(name):
                return {"type": "enum", "enum": name, **found}
            case IntType():
                return {"type": "int", **found}
            case _:
                return {"type": str(type_), **found}


# --- the rules behind options and points ---------------------------------------------------------


MOST_REASONS = 12
"""The most declarations that are given as a reason."""

TextLineNumbers = list[int]
"""The number of a text, its first line and its last."""


def reasons(checked: Checked) -> Data:
    """Return the rules texts, and the lines that decide about each option and source of points."""
    texts = Texts(checked)
    options = {
        option.key: texts.lines(_of_option(checked, option))
        for choice in checked.choices.values()
        for option in choice.options
    }
    return {
        "texts": texts.data(),
        "options": options,
        "sources": {name: texts.lines(found) for name, found in _of_sources(checked).items()},
    }


class Texts:
    """The rules texts of a game by number.

    Declarations that were parsed for an earlier game have sources of their own with the same names.
    """

    def __init__(self, checked: Checked) -> None:
        self._rulesets = [each for each in checked.game.rulesets if each.rules is not None]
        self._numbers = {
            each.rules.name: number for number, each in enumerate(self._rulesets) if each.rules
        }

    def data(self) -> list[Data]:
        """Return the texts with their rulesets and the names of their files."""
        return [
            {
                "ruleset": each.id,
                "file": each.rules.name.rpartition("/")[2],
                "text": each.rules.text,
            }
            for each in self._rulesets
            if each.rules is not None
        ]

    def lines(self, nodes: Iterable[Node]) -> list[TextLineNumbers]:
        """Return the lines of declarations, without repeats."""
        found = dict[tuple[int, int, int], None]()
        for node in nodes:
            for source, first, last in _extents(node):
                number = self._numbers.get(source.name)
                if number is not None:
                    found[number, first, last] = None
        return [list(each) for each in list(found)[:MOST_REASONS]]


def _extents(node: Node) -> Iterator[tuple[Source, int, int]]:
    """Yield the first and the last line of a declaration in each text that has a part of it."""
    parts: list[object] = [node]
    rules = getattr(node, "rules", ())
    parts = [*rules] or parts
    for part in parts:
        found = [getattr(each, "span", None) for each in walk(part)]
        spans = [span for span in found if isinstance(span, Span)]
        own = [span for span in spans if span.source == spans[0].source]
        if own:
            last = max(own, key=lambda span: span.end)
            ends = last.line + last.text.count("\n")
            yield own[0].source, min(span.line for span in own), ends


def _of_option(checked: Checked, option: OptionDef) -> Iterator[Node]:
    yield replace(option, forbids=(), hooks=Hooks())
    yield from option.forbids
    asked = (*option.binders, option.guard, *option.forbids, option.precondition)
    yield from _values_used(checked, asked)


def _values_used(checked: Checked, trees: object) -> Iterator[Node]:
    """Yield the values that trees use, each before those that it uses itself."""
    waiting, known = [trees], set[str]()
    while waiting:
        for node in walk(waiting.pop(0)):
            if isinstance(node, CallValue) and node.value not in known:
                known.add(node.value)
                value = checked.values[node.value]
                yield value
                waiting.append(value)


def _of_sources(checked: Checked) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = {}
    for action in checked.actions.values():
        if not scores(checked, action):
            continue
        for name, nodes in _given_by(checked, action):
            found.setdefault(name, []).extend(nodes)
    for choice in checked.choices.values():
        scoring = [option for option in choice.options if scores(checked, option)]
        if scoring:
            found[choice.key] = [*scoring, *_values_used(checked, tuple(scoring))]
    always = [each for each in checked.always if scores(checked, each)]
    if always:
        found[checked.score] = [*always, *_values_used(checked, tuple(always))]
    return found


def _given_by(checked: Checked, action: ActionDef) -> Iterator[tuple[str, list[Node]]]:
    """Yield the sources of an action that gives points, each with its reasons."""
    named = enum_given(action)
    calls = [
        (caller, call)
        for caller in (*checked.actions.values(), *checked.choices.values())
        for call in walk(caller)
        if isinstance(call, ActionCall) and call.action == action.key
    ]
    if named is None:
        yield action.key, [*_reasons(checked, calls), action]
        return
    place, enum, _ = named
    for index, member in enumerate(next(e.members for e in checked.game.enums if e.key == enum)):
        found = EnumMember(enum, index)
        own = [each for each in calls if _may_be(each[1], place, found)]
        own.sort(key=lambda each: not isinstance(each[1].arguments[place], Const))
        yield member_source(enum, member), [*_reasons(checked, own), action]


def _may_be(call: ActionCall, place: int, member: EnumMember) -> bool:
    given = call.arguments[place] if place < len(call.arguments) else None
    return not isinstance(given, Const) or given.value == member


def _reasons(checked: Checked, calls: Iterable[tuple[Node, ActionCall]]) -> list[Node]:
    """Return the statements that call, and the values of the arguments."""
    statements = [call for _, call in calls]
    return [*statements, *_values_used(checked, tuple(each.arguments for each in statements))]
