"""Where components begin."""

from __future__ import annotations

from rulesdsl.diagnostics import Label, Span
from rulesdsl.model.nodes import Scalar
from rulesdsl.weave import look
from rulesdsl.weave.box import Box
from rulesdsl.weave.places import PLAYER


def place(box: Box, ruleset: str, cls: str, owned: bool, node: Scalar, there: bool) -> str | None:
    """The full name of the zone or track that `in` names; None after reporting.

    `there`: is the component? What is not may name a place that is not there either.
    """
    name = look.shown(node.value)
    entry = box.names.find(name, ruleset, node.span, "zones", "tracks", "grids")
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
        message = f"`{name}` is not there with these settings"
        box.report.error("setting-impossible", message, node.span)
    elif zone and zone.per is not None and not (zone.per == PLAYER and owned):
        box.report.error(
            "type-mismatch",
            f"there is a `{name}` for each {zone.per.rpartition('/')[2]}, and none for this",
            node.span,
            help=("add `per: player` to the component",) if zone.per == PLAYER else (),
        )
    else:
        return entry.key
    return None


def initial(box: Box, ruleset: str, cls: str, owned: bool, span: Span) -> str | None:
    """The one zone in which components begin that do not say `in`; None after reporting.

    Owned components begin in a zone of their owner if there is one.
    """
    zones = [
        zone
        for entry in box.names.seen(ruleset, "zones")
        if (zone := box.zones[entry.key]).initial
        and cls in zone.holds
        and zone.key not in box.absent
    ]
    own = [zone for zone in zones if owned and zone.per == PLAYER]
    found = own or [zone for zone in zones if zone.per is None]
    if len(found) == 1:
        return found[0].key
    owner = " of each player" if owned else ""
    if found:
        box.report.error(
            "ambiguous-name",
            f"more than one zone is the first place of every {cls}{owner}",
            span,
            labels=[Label(zone.span, "`initial: true`") for zone in found],
            help=("say `in:`",),
        )
    else:
        box.report.error(
            "missing-key",
            f"a {cls}{owner} begins nowhere",
            span,
            help=(f"say `in:`, or give a zone that holds a {cls} `initial: true`",),
        )
    return None
