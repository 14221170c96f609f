"""What must lie on the table at the end of a scenario, and what players must see of it."""

from __future__ import annotations

from collections.abc import Mapping as MappingType

from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model.nodes import Mapping, Node, Scalar, plain
from rulesdsl.model.values import Zone
from rulesdsl.play import differences
from rulesdsl.play.game import State
from rulesdsl.play.scenario.findings import Findings, rewritten
from rulesdsl.play.scenario.layout import flow
from rulesdsl.play.scenario.places import board_entries, zone_contents
from rulesdsl.play.things import zones as zones_of

HIDDEN = "hidden"


def board(state: State, node: Node, found: Findings) -> None:
    """This must lie on the grids, and nothing else; what stands on pieces is compared too."""
    entries = board_entries(state)
    wanted = plain(node)
    assert isinstance(wanted, list), "the schema asks for a list"
    expected = [flow(_in_order(each, entries)) for each in wanted]
    there = [flow(each) for each in entries]
    if sorted(expected) != sorted(there):
        help = differences.of_sets(expected, there)
        found.wrong(node.span, "the board looks otherwise", [help], [rewritten(node, entries)])


def _in_order(entry: MappingType[str, object], like: list[dict[str, object]]) -> dict[str, object]:
    """What a scenario says of a piece, as it is said of those that are there: without a rotation
    by 0 degrees, with the only grid where others have one, what stands there by name."""
    stands = entry.get("stands", {})
    assert isinstance(stands, dict), "the schema asks for a mapping"
    sorted_stands = {key: _sorted(stands[key]) for key in sorted(stands)}
    said = {**entry, "stands": sorted_stands}
    grid = said.get("grid")
    if grid is None and like and "grid" in like[0]:
        said["grid"] = like[0]["grid"]
    keys = ("piece", "at", "rotation", "grid", "stands")
    return {key: said[key] for key in keys if said.get(key)}


def _sorted(figures: object) -> object:
    return sorted(figures) if isinstance(figures, list) and len(figures) > 1 else figures


def zones(state: State, node: Node, found: Findings) -> None:
    """This must be in the zones that are named, and nothing else."""
    contents = zone_contents(state)
    known = {str(state.names.short(zone)): zone for zone in zones_of(state)}
    for key, wanted in _entries(node):
        zone = known.get(str(key.value))
        if zone is None:
            found.wrong(key.span, *_no_zone(key, known))
            continue
        ordered = state.game.checked.game.zones[zone.zone].ordered
        there = contents[str(key.value)]
        _compare(f"in {key.value} is", wanted, there, ordered, found)


def sees(state: State, node: Node, found: Findings) -> None:
    """This must be what a player sees in zones; `hidden` is what the player does not know."""
    known = {str(state.names.short(zone)): zone for zone in zones_of(state)}
    for player, views in _entries(node):
        if player.value not in state.players:
            found.wrong(player.span, f"no player `{player.value}` takes part")
            continue
        seat = state.players.index(str(player.value))
        for key, wanted in _entries(views):
            zone = known.get(str(key.value))
            if zone is None:
                found.wrong(key.span, *_no_zone(key, known))
                continue
            ordered = state.game.checked.game.zones[zone.zone].ordered
            begin = f"{player.value} sees in {key.value}"
            _compare(begin, wanted, _seen(state, zone, seat), ordered, found)


def _seen(state: State, zone: Zone, seat: int) -> list[str]:
    return [
        HIDDEN if piece is None else str(state.names.short(piece))
        for piece in state.position.seen(zone, seat)
    ]


def _compare(begin: str, node: Node, there: list[str], ordered: bool, found: Findings) -> None:
    """What should be somewhere, and what is; the order counts where it is kept."""
    wanted = [str(each) for each in _list(node)]
    if (wanted if ordered else sorted(wanted)) == (there if ordered else sorted(there)):
        return
    help = differences.of_sets(wanted, there)
    if not help:
        help = differences.side_by_side([("order", flow(wanted), flow(there))])
    message = f"{begin} {', '.join(differences.counted(there)) or 'nothing'}"
    found.wrong(node.span, message, [help], [rewritten(node, there)])


def _list(node: Node) -> list[object]:
    value = plain(node)
    return value if isinstance(value, list) else [value]


def _no_zone(key: Scalar, known: MappingType[str, Zone]) -> tuple[str, tuple[str, ...]]:
    return f"there is no zone `{key.value}`", did_you_mean(str(key.value), known)


def _entries(node: Node) -> tuple[tuple[Scalar, Node], ...]:
    return node.entries if isinstance(node, Mapping) else ()
