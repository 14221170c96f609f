"""What must lie on the table at the end of a scenario, and what players must see of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulesdsl.model.names import short_name
from rulesdsl.model.nodes import Mapping, Node, Scalar, plain
from rulesdsl.model.nodes import Sequence as SequenceNode
from rulesdsl.model.values import Piece, Segment, Zone
from rulesdsl.play import differences
from rulesdsl.play.game import State
from rulesdsl.play.scenario.findings import Findings, rewritten
from rulesdsl.play.scenario.layout import flow
from rulesdsl.play.scenario.places import board_entries, inside, places_of, readable
from rulesdsl.play.scenario.vocabulary import (
    Mistake,
    grid_mistake,
    piece_mistake,
    segment_mistake,
    zone_called,
    zone_mistake,
)
from rulesdsl.play.written import SEGMENT, is_segment, means
from rulesdsl.run.engine import Laid

HIDDEN = "hidden"


def board(state: State, node: Node, found: Findings) -> None:
    """This must lie on the grids, and nothing else; what stands on pieces is compared too."""
    entries = board_entries(state)
    wanted = [item for item in _items(node) if isinstance(item, Mapping)]
    left, missing, misspelt = dict(entries), list[Mapping](), False
    for entry in wanted:
        item = next((each for each in left if _is_so(entry, each, state)), None)
        if item is not None:
            del left[item]
            continue
        missing.append(entry)
        for name, mistake in _mistakes(entry, state):
            found.wrong(name.span, *mistake)
            misspelt = True
    if (missing or left) and not misspelt:
        told = [differences.of_sets([*map(_shown, missing)], [*map(flow, left.values())])]
        edits = [rewritten(node, [*entries.values()])]
        found.wrong(node.span, "the board looks otherwise", told, edits)


def _shown(entry: Mapping) -> str:
    """What is written about a piece, without a rotation by 0 degrees."""
    said = plain(entry)
    assert isinstance(said, dict), "a mapping"
    return flow({key: value for key, value in said.items() if value or key == "at"})


def _is_so(entry: Mapping, item: Laid, state: State) -> bool:
    """Whether a piece lies as it is written, and exactly what is written stands on it."""
    names, grid = state.names, entry.get("grid")
    at, rotation = _plain(entry, "at"), _plain(entry, "rotation") or 0
    if (at, rotation) != ([item.cell.x, item.cell.y], 90 * item.rotation):
        return False
    if grid is not None and plain(grid) != names.grid(item.cell.grid, item.cell.owner):
        return False
    if not means(_plain(entry, "piece"), item.piece, names):
        return False
    there = dict[Segment, list[Piece]]()
    for piece, place in places_of(state).items():
        if isinstance(place, Segment) and place.piece == item.piece.index:
            there.setdefault(place, []).append(piece)
    for key, node in _entries(entry.get("stands")):
        segments = [each for each in there if is_segment(str(key.value), each, names)]
        if len(segments) != 1 or _unlike(_texts(node), there.pop(segments[0]), False, state):
            return False
    return not there


def _mistakes(entry: Mapping, state: State) -> Iterator[tuple[Scalar, Mistake]]:
    """The names in an entry that mean nothing."""
    piece, grid, stands = entry.get("piece"), entry.get("grid"), _entries(entry.get("stands"))
    for name in [piece, *(each for _, node in stands for each in _all(node))]:
        if isinstance(name, Scalar) and (mistake := piece_mistake(str(name.value), state)):
            yield name, mistake
    for key, _ in stands:
        if not _has_segment(str(key.value), entry, state):
            yield key, segment_mistake(str(key.value), state)
    if isinstance(grid, Scalar) and (mistake := grid_mistake(str(grid.value), state)):
        yield grid, mistake


def _has_segment(name: str, entry: Mapping, state: State) -> bool:
    """Whether the piece that is meant has a segment of that name, or if none is, one may have."""
    names, written = state.names, SEGMENT.fullmatch(name)
    kinds = {short_name(each.shape.name) for each in state.game.checked.game.feature_kinds}
    if written is None or written["kind"] not in kinds:
        return False
    at, piece = _plain(entry, "at"), _plain(entry, "piece")
    lies = [
        each.piece
        for each in state.position.laid()
        if at == [each.cell.x, each.cell.y] and means(piece, each.piece, names)
    ]
    return not lies or any(is_segment(name, each, names) for each in _segments(lies[0], state))


def _segments(piece: Piece, state: State) -> Iterator[Segment]:
    outline = state.names.outline(piece)
    for index in range(len(outline.segments if outline else ())):
        yield Segment(piece.index, index)


def zones(state: State, node: Node, found: Findings) -> None:
    """This must be in the zones that are named, and nothing else."""
    position = readable(state)
    for key, wanted in _entries(node):
        zone = _zone(key, state, found)
        if zone is not None:
            there = inside(position, zone)
            _compare(f"in {key.value} is", wanted, there, zone, state, found)


def sees(state: State, node: Node, found: Findings) -> None:
    """This must be what a player sees in zones; `hidden` is what the player does not know."""
    for player, views in _entries(node):
        if player.value not in state.players:
            found.wrong(player.span, f"no player `{player.value}` takes part")
            continue
        seat = state.players.index(str(player.value))
        for key, wanted in _entries(views):
            zone = _zone(key, state, found)
            if zone is not None:
                seen = state.position.seen(zone, seat)
                begin = f"{player.value} sees in {key.value}"
                _compare(begin, wanted, seen, zone, state, found)


def _zone(key: Scalar, state: State, found: Findings) -> Zone | None:
    zone = zone_called(str(key.value), state)
    if zone is None:
        found.wrong(key.span, *zone_mistake(str(key.value), state))
    return zone


def _keeps_order(zone: Zone, state: State) -> bool:
    return state.game.checked.game.zones[zone.zone].ordered


def _compare(
    begin: str,
    node: Node,
    there: Sequence[Piece | None],
    zone: Zone,
    state: State,
    found: Findings,
) -> None:
    """What should be somewhere, and what is; the order counts where it is kept."""
    wanted, ordered = _texts(node), _keeps_order(zone, state)
    if not _unlike(wanted, there, ordered, state):
        return
    misspelt = False
    for name in _all(node):
        mistake = piece_mistake(str(name.value), state) if name.value != HIDDEN else None
        if mistake is not None:
            found.wrong(name.span, *mistake)
            misspelt = True
    if misspelt:
        return
    texts = [_text(piece, state) for piece in there]
    expected = [_as_there(name, there, state) for name in wanted]
    help = differences.of_sets(expected, texts)
    if not help:
        help = differences.side_by_side([("order", flow(wanted), flow(texts))])
    message = f"{begin} {', '.join(differences.counted(texts)) or 'nothing'}"
    found.wrong(node.span, message, [help], [rewritten(node, texts)])


def _unlike(
    wanted: Sequence[str], there: Sequence[Piece | None], ordered: bool, state: State
) -> bool:
    """Whether these are other components than those that are named."""
    if len(wanted) != len(there):
        return True
    if ordered:
        return not all(_is(name, piece, state) for name, piece in zip(wanted, there, strict=True))
    fits = [{n for n, piece in enumerate(there) if _is(name, piece, state)} for name in wanted]
    left = set(range(len(there)))
    # A name that several components have takes one that no narrower name means.
    for able in sorted(fits, key=len):
        if not able & left:
            return True
        left.remove(min(able & left))
    return False


def _is(name: str, piece: Piece | None, state: State) -> bool:
    return name == HIDDEN if piece is None else means(name, piece, state.names)


def _as_there(name: str, there: Sequence[Piece | None], state: State) -> str:
    """The name by which a component is shown that is written otherwise."""
    return next((_text(piece, state) for piece in there if _is(name, piece, state)), name)


def _text(piece: Piece | None, state: State) -> str:
    return HIDDEN if piece is None else str(state.names.short(piece))


# --- nodes ---------------------------------------------------------------------------------------


def _items(node: Node | None) -> tuple[Node, ...]:
    return node.items if isinstance(node, SequenceNode) else ()


def _all(node: Node) -> list[Scalar]:
    items = node.items if isinstance(node, SequenceNode) else (node,)
    return [item for item in items if isinstance(item, Scalar)]


def _texts(node: Node) -> list[str]:
    return [str(each.value) for each in _all(node)]


def _plain(entry: Mapping, key: str) -> object:
    node = entry.get(key)
    return None if node is None else plain(node)


def _entries(node: Node | None) -> tuple[tuple[Scalar, Node], ...]:
    return node.entries if isinstance(node, Mapping) else ()
