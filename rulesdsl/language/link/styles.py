"""Styles: what `draw` in manifests says of components, attributes, players and places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from rulesdsl.language.diagnostics.report import did_you_mean, listed
from rulesdsl.language.link.attributes import Disputes, Meanings, extent
from rulesdsl.language.link.boards import lay_out
from rulesdsl.language.link.box import BoxBuilder
from rulesdsl.language.link.names import CLASSES, DeclarationEntry
from rulesdsl.language.model import nodes
from rulesdsl.language.model.checked import Expr, IfElse, fold
from rulesdsl.language.model.game import (
    IMAGE_KEYS,
    Artwork,
    GridDef,
    KindDef,
    Picture,
    Ruleset,
    Style,
)
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.nodes import Node, Scalar
from rulesdsl.language.model.types import NONE, EnumType, OptionalType
from rulesdsl.language.model.values import EnumMember, Value

_IMAGE = ("image", "sheet", "cell", "size", "bleed")
_PLACES = {
    "grids": (*_IMAGE, "cells", "fill"),
    "zones": (*_IMAGE, "place", "board"),
    "tracks": (*_IMAGE, "cells", "fill", "path", "place", "board"),
}
"""The keys of the styles of places, by section; those of a cell or space are below."""
_OF_CELLS = (*_IMAGE, "fill", "icon", "text")
_OF_PLACES = ("cells", "path", "place", "board")
"""The keys that only the styles of places have."""
_DRAWN = ("features", "attributes", *CLASSES, *_PLACES)
"""The sections whose names can be drawn."""


def styles(box: BoxBuilder, grids: Sequence[GridDef], kinds: Sequence[KindDef]) -> dict[str, Style]:
    """Return the styles under `draw` of the manifests, key by key; report unknown names."""
    found: dict[str, Style] = {}
    disputes = Disputes(box)
    for ruleset in box.family.rulesets:
        meanings = Meanings(box, ruleset, _DRAWN)
        said = nodes.entries(ruleset.manifest.get("draw"))
        # A dotted name is more specific than a bare one and comes after it.
        for name, node in sorted(said, key=lambda entry: "." in str(entry[0].value)):
            names = meanings.of(name)
            if not names:
                _report_unknown(box, ruleset.id, name, meanings)
            if names and nodes.get(node, "stands"):
                _check_stands(box, ruleset, node, [kind for kind in kinds if kind.key in names])
            keys = list(_style(box, ruleset, node)) if names else []
            for full in names:
                place = _place(box, full)
                _check_place(box, place, full, name, node)
                own = [*keys, *_cells(box, ruleset.id, place, node), *_lies(box, ruleset.id, node)]
                changed: dict[str, Any] = {
                    slot: value
                    for key, slot, value in own
                    if disputes.counts((full, slot), ruleset.id, key, value)
                }
                found[full] = replace(found.get(full, Style()), **changed)
    disputes.report(lambda slot: f"`{slot[0]}` is drawn with two different `{slot[1]}`")
    lay_out(box, grids, found, {slot: key.span for slot, (_, key, _) in disputes.used.items()})
    return dict(sorted(found.items()))


_Key = tuple[Scalar, str, object]
"""A key of a style, the field that it sets, and its value."""


def _style(box: BoxBuilder, ruleset: Ruleset, node: Node) -> Iterator[_Key]:
    """Yield the keys of a style; images that cannot be used are left out, and reported."""
    for key, value in nodes.entries(node):
        said = value.value if isinstance(value, Scalar) else None
        if key.value in IMAGE_KEYS:
            artwork = ruleset.images.get(str(said))
            picture = None if artwork is None else _picture(box, node, key, artwork)
            if picture is not None:
                yield key, "back" if key.value == "back" else "image", picture
        elif key.value == "stands":
            points = _stands(box, ruleset, node)
            yield (
                key,
                "stands",
                tuple((kind, str(place.value), at) for kind, place, at, _ in points),
            )
        elif key.value == "bleed":
            if not any(nodes.get(node, each) for each in IMAGE_KEYS):
                help = "name the image: `image: FILE`"
                box.report.error(
                    "bad-value", "there is no image with a bleed", key.span, help=(help,)
                )
        elif key.value not in ("cell", "size", *_OF_PLACES):
            yield key, str(key.value), str(said) if key.value == "text" else said


def _stands(
    box: BoxBuilder, ruleset: Ruleset, node: Node
) -> Iterator[tuple[str, Scalar, tuple[int, int], Node]]:
    """Yield the full names of kinds of segments, their places, and the points of figures."""
    for kind, places in nodes.entries(nodes.get(node, "stands")):
        name = nodes.shown(kind.value)
        meant = box.names.candidates(name, ruleset.id, ["features"])
        for each in meant:
            box.names.uses.add_last(kind.span, each.symbol)
        for place, point in nodes.entries(places):
            x, y = nodes.integers(point)
            yield meant[0].key if meant else name, place, (x, y), point


def _check_stands(box: BoxBuilder, ruleset: Ruleset, node: Node, kinds: Sequence[KindDef]) -> None:
    """Report places for figures on segments that these tiles do not have, or outside of them."""
    outlines = [each.outline for each in kinds if each.outline is not None]
    first = dict[object, Scalar]()
    for kind, place, (x, y), point in _stands(box, ruleset, node):
        if not outlines:
            message = "only tiles with segments have places for figures"
            box.report.error("bad-value", message, place.span, help=("leave out `stands`",))
            return
        if all(outline.called(kind, str(place.value)) is None for outline in outlines):
            there = dict.fromkeys(
                f"`{short_name(segment.kind)}: {{{outline.place(index)}: …}}`"
                for outline in outlines
                for index, segment in enumerate(outline.segments)
            )
            message = f"`{kinds[0].name}` has no single `{short_name(kind)}` at `{place.value}`"
            help = f"it has {', '.join(there)}"
            box.report.error("segment-target", message, place.span, help=(help,))
        called = tuple(outline.called(kind, str(place.value)) for outline in outlines)
        if called != (None,) * len(called) and first.setdefault(called, place) is not place:
            message = f"`{first[called].value}` and `{place.value}` are the same segment"
            box.report.error("duplicate-name", message, place.span, help=("write one place",))
        if not all(outline.holds(x, y) for outline in outlines):
            across, down = (100 * cells for cells in outlines[0].size)
            message = f"[{x}, {y}] is outside of `{kinds[0].name}`"
            help = f"its middle is [{across // 2}, {down // 2}], in hundredths of a cell"
            box.report.error("bad-value", message, point.span, help=(help,))


def _picture(box: BoxBuilder, node: Node, key: Scalar, artwork: Artwork) -> Picture | None:
    """Return a whole image, or a cell of a sheet; None, reported, for one outside of it."""
    if key.value != "sheet":
        return _trimmed(box, node, Picture(artwork, (0, 0, artwork.width, artwork.height)))
    cell, sizes = nodes.get(node, "cell"), nodes.get(node, "size")
    assert cell is not None, "the schema asks for it"
    column, row = nodes.integers(cell)
    width, height = (2 * nodes.integers(sizes))[:2]
    columns, rows = artwork.width // width, artwork.height // height
    if column < columns and row < rows:
        whole = Picture(artwork, (column * width, row * height, width, height))
        return _trimmed(box, node, whole)
    there = f"columns 0 to {columns - 1} and rows 0 to {rows - 1}" if columns and rows else "none"
    box.report.error(
        "bad-image",
        f"the sheet has no cell [{column}, {row}]",
        cell.span,
        help=(
            f"`{artwork.name}` has {artwork.width} x {artwork.height} pixels",
            f"cells of {width} x {height} pixels: {there}",
        ),
    )
    return None


def _trimmed(box: BoxBuilder, node: Node, picture: Picture) -> Picture | None:
    """Return a picture without its bleed; None, reported, if nothing is left of it."""
    said, bleed = nodes.scalar(node, "bleed"), nodes.number(node, "bleed", 0)
    x, y, width, height = picture.box
    if said is not None and 2 * bleed >= min(width, height):
        message = f"a bleed of {bleed} leaves nothing of {width} x {height} pixels"
        help = f"write at most {(min(width, height) - 1) // 2}"
        box.report.error("bad-image", message, said.span, help=(help,))
        return None
    inner = (x + bleed, y + bleed, width - 2 * bleed, height - 2 * bleed)
    return Picture(picture.artwork, inner, bleed)


def _place(box: BoxBuilder, full: str) -> DeclarationEntry | None:
    """Return the grid, zone or track with a full name, or that of a cell or space, if it is one."""
    whole = full.partition("[")[0]
    found = [each for each in box.names.named.get(short_name(whole), ()) if each.key == whole]
    return found[0] if found and all(each.section in _PLACES for each in found) else None


def _check_place(
    box: BoxBuilder, place: DeclarationEntry | None, full: str, name: Scalar, node: Node
) -> None:
    noun, allowed = "component", None
    if place is not None:
        noun, allowed = place.noun, _PLACES[place.section]
        if full != place.key:
            noun, allowed = "space" if place.section == "tracks" else "cell", _OF_CELLS
    for key, _ in nodes.entries(node):
        if key.value in allowed if allowed else key.value not in _OF_PLACES:
            continue
        message = f"a {noun} is not drawn with `{key.value}`"
        help_lines = [f"it has {listed([f'`{each}`' for each in allowed])}"] if allowed else []
        box.report.error("bad-value", message, key.span, help=help_lines)
    if place is not None and place.section == "grids" and not extent(box, place):
        message = f"the grid `{name.value}` has no size, so nothing can be printed on it"
        help_line = "draw the grid that it lies over" if nodes.get(place.node, "over") else None
        box.report.error("bad-value", message, name.span, help=(help_line or "give it a `size`",))


def _cells(
    box: BoxBuilder, ruleset: str, place: DeclarationEntry | None, node: Node
) -> Iterator[_Key]:
    """Yield the members of an enum that `cells` gives for the cells of a grid or track, if any."""
    said = {key.value: (key, value) for key, value in nodes.entries(node)}
    key, written = said.get("cells", (None, None))
    if key is None or not isinstance(written, Scalar) or place is None or not extent(box, place):
        return
    room = extent(box, place)
    names = ("x", "y")[: len(room)] if len(room) > 1 else ("index",)
    constants = box.constants
    game = replace(constants.game, enums=tuple(box.enums.values()))
    typed = constants.typed(
        written.span, ruleset, None, game, box.names.uses, box.report, names
    )  # fmt: skip
    if typed is None:
        return
    enum = typed.type.item if isinstance(typed.type, OptionalType) else typed.type
    if not isinstance(enum, EnumType) or enum.name not in box.enums:
        message = f"`cells` gives a member of an enum for each cell, not `{typed.type}`"
        help_line = "write a member, such as `dark if (x + y) mod 2 == 1 else light`"
        box.report.error("type-mismatch", message, typed.span, help=(help_line,))
        return
    known: dict[str, Value] = {f"count({each.key})": len(each.members) for each in game.enums}
    found = []
    for number in range(prod(room)):
        at = (number % room[0], number // room[0])
        member = _member(box, typed, known | dict(zip(names, at, strict=False)))
        if member is None:
            return
        found.append(member)
    yield key, "cells", tuple(found)


def _member(box: BoxBuilder, found: Expr, known: Mapping[str, Value]) -> str | None:
    """Return the full name of the member that an expression gives, empty for none.

    None, reported, if it is not known before the game begins.
    """
    while isinstance(found, IfElse):
        truth = fold(found.condition, known)
        if not isinstance(truth, bool):
            found = found.condition
            break
        found = found.then if truth else found.otherwise
    if found.type == NONE:
        return ""
    value = fold(found, known)
    if isinstance(value, EnumMember):
        enum = box.enums[value.enum]
        return f"{enum.key}.{enum.members[value.index]}"
    message = "this is not known before the game begins"
    at = ", ".join(f"{name} {known[name]}" for name in ("x", "y", "index") if name in known)
    help_lines = (
        "use numbers, conditions, members, `forward` and `settings.NAME` only",
        f"at {at}",
    )
    box.report.error("bad-value", message, found.span, help=help_lines)
    return None


def _lies(box: BoxBuilder, ruleset: str, node: Node) -> Iterator[_Key]:
    for key, value in nodes.entries(node):
        match key.value:
            case "path" if isinstance(value, Scalar):
                yield key, "path", str(value.value)
            case "path":
                yield key, "path", tuple(tuple(_in_cells(each)) for each in nodes.items(value))
            case "place":
                yield key, "place", tuple(_in_cells(value))
            case "board" if isinstance(value, Scalar):
                name, sections = nodes.shown(value.value), ("grids", "tracks")
                if found := box.names.find(name, ruleset, value.span, *sections):
                    yield key, "board", found.key


def _in_cells(node: Node) -> list[float]:
    """Return distances, which are written in hundredths of a cell."""
    return [each / 100 for each in nodes.integers(node)]


def _report_unknown(box: BoxBuilder, ruleset: str, name: Scalar, meanings: Meanings) -> None:
    shown = nodes.shown(name.value)
    box.report.error(
        "unknown-name",
        f"nothing that can be drawn is called `{shown}`",
        name.span,
        help=box.names.elsewhere(shown, ruleset, _DRAWN)
        or _there(box, shown, ruleset)
        or did_you_mean(shown, meanings.spellings())
        or (
            "names are those of kinds of segments, attributes, components, members, faces, "
            "players, zones, grids with their cells, and tracks with their spaces",
        ),
    )


def _there(box: BoxBuilder, name: str, ruleset: str) -> tuple[str, ...]:
    """Return which cells or spaces there are, for a name such as `board[9,9]`."""
    whole, bracket, _ = name.partition("[")
    for place in box.names.candidates(whole, ruleset, ("grids", "tracks")):
        room = extent(box, place)
        if bracket and room:
            last = ",".join(str(each - 1) for each in room)
            return (f"there are `{whole}[{','.join('0' for _ in room)}]` to `{whole}[{last}]`",)
    return ()
