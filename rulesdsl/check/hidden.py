"""Rules that look into zones whose contents nobody sees."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.check.graph import Contents
from rulesdsl.diagnostics import Report
from rulesdsl.model import checked

_LOOKING = frozenset({"kinds", "one", "tiles", "cards", "dice", "tokens", "figures"})
"""Functions that fail for a zone whose contents nobody sees."""


def check_hidden(game: checked.Checked, inside: Contents, report: Report) -> None:
    """Report `hidden-zone` where rules do more than count or take what lies in such a zone."""
    found = {}
    for nodes in inside.every():
        for domain in _looked_into(nodes):
            match domain:
                case checked.EntryAt(what="zone", number=number, span=span):
                    if game.game.zones[number].visible == "none":
                        found[span] = game.game.zones[number].name
    for span, name in found.items():
        report.error(
            "hidden-zone",
            f"nobody sees what lies in `{name}`, so rules cannot look into it",
            span,
            help=(
                f"count it with `count({span.text})`, or draw from it with `take({span.text})`",
                f"or give `{name}` another `visible`",
            ),
        )


def _looked_into(nodes: checked.Nodes) -> Iterator[checked.Expr]:
    """Yield the expressions of which rules want to know the members."""
    counted = {
        id(each.binders[0])
        for each in nodes.of(checked.Aggregate)
        if each.function == "count" and len(each.binders) == 1
        if len(each.binders[0].names) == 1 and each.binders[0].where is None
    }
    yield from (each.domain for each in nodes.of(checked.Binder) if id(each) not in counted)
    yield from (each.set for each in nodes.of(checked.Member))
    for call in nodes.of(checked.CallBuiltin):
        if call.function in _LOOKING:
            yield from call.arguments[:1]
