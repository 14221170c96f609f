"""Checks games written in the tests: manifests and rules of one or several rulesets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from rulesdsl.build.stages import Known
from rulesdsl.check import check
from rulesdsl.diagnostics import Report, Source
from rulesdsl.link import weave
from rulesdsl.model.checked import Checked
from rulesdsl.model.game import Game
from rulesdsl.model.nodes import Node, Scalar
from rulesdsl.model.ruleset import Named, Ruleset
from rulesdsl.parse import parse
from rulesdsl.read.manifest import groups
from tests.manifests import parse_manifest


@dataclass(frozen=True)
class Outcome:
    """What came of checking: `game` is the woven box."""

    game: Game
    checked: Checked | None
    report: Report


def checked(
    texts: Mapping[str, tuple[str, str]], settings: Mapping[str, int | bool | str] | None = None
) -> Outcome:
    """The game of rulesets given as id -> (manifest, rules); the boxes must be without mistakes."""
    box = Report()
    rulesets = [_ruleset(id, manifest, rules) for id, (manifest, rules) in texts.items()]
    report = Report()
    modules = {r.id: parse(r.rules, report) for r in rulesets if r.rules is not None}
    game = weave(
        rulesets,
        settings or {},
        Known().constant,
        box,
        modules=modules,
    )
    assert game is not None
    assert box.sorted() == []
    return Outcome(game, check(game, modules, report), report)


def _ruleset(id: str, manifest: str, rules: str) -> Ruleset:
    report = Report()
    node = parse_manifest(Source(f"{id}.yaml", manifest), report)
    assert node is not None, list(report)
    return Ruleset(
        id=id,
        version="1.0.0",
        edition=1,
        manifest=node,
        rules=Source(f"{id}.rules", rules),
        digest=sha256(f"{manifest}\0{rules}".encode()).hexdigest(),
        requires=_names(node.get("requires")),
        interaction=groups(node.get("interaction"), _names),
        house=isinstance(found := node.get("house"), Scalar) and found.value is True,
    )


def _names(node: Node | None) -> tuple[Named, ...]:
    items = () if node is None else (node,) if isinstance(node, Scalar) else tuple(node)
    return tuple(Named(str(item.value), item.span) for item in items if isinstance(item, Scalar))
