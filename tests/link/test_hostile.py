"""Whatever a manifest says that satisfies its schema, linking ends with findings or with a box."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model.game import Ruleset
from rulesdsl.language.model.nodes import plain
from tests.link.boxes import manifest
from tests.small_games import linked, parse_manifest, ruleset

HERE = Path(__file__).parent
CASES = [
    case
    for name in ("boxes.yaml", "mistakes.yaml")
    for case in yaml.safe_load((HERE / name).read_text(encoding="utf-8"))
]
DOCUMENTS: list[list[Any]] = [
    [plain(manifest(text, i == 0).manifest) for i, text in enumerate(case["rulesets"])]
    for case in CASES
]
ODD: tuple[Any, ...] = (
    0,
    -1,
    10_000,
    True,
    "none",
    "settings.n",
    "I",
    "N",
    "N-S",
    "player",
    "base/a",
    "a",
    [],
    {},
)
HEAD = ("ruleset", "edition", "version")

Path_ = tuple[str | int, ...]


def paths(data: Any, above: Path_ = ()) -> Iterator[Path_]:
    """The ways to every value in `data`."""
    entries = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for key, value in entries:
        yield (*above, key)
        yield from paths(value, (*above, key))


def at(data: Any, path: Path_) -> Any:
    for key in path:
        data = data[key]
    return data


@st.composite
def spoilt(draw: st.DrawFn) -> list[Any]:
    """The manifests of a case, one value of which was replaced, moved or taken away."""
    documents: list[Any] = copy.deepcopy(draw(st.sampled_from(DOCUMENTS)))
    document = draw(st.sampled_from(documents))
    ways = [path for path in paths(document) if path[0] not in HEAD]
    if ways:
        *above, key = draw(st.sampled_from(ways))
        parent = at(document, tuple(above))
        match draw(st.sampled_from(("replace", "borrow", "remove"))):
            case "replace":
                parent[key] = draw(st.sampled_from(ODD))
            case "borrow":
                donor = draw(st.sampled_from(draw(st.sampled_from(DOCUMENTS))))
                parent[key] = copy.deepcopy(at(donor, draw(st.sampled_from(list(paths(donor))))))
            case _:
                del parent[key]
    return documents


def read(documents: list[Any]) -> list[Ruleset]:
    """Those of the manifests that satisfy their schema."""
    found = []
    for document in documents:
        source = Source(f"{document['ruleset']}.yaml", json.dumps(document))
        node = parse_manifest(source, Report())
        if node is not None:
            found.append(ruleset(node))
    return found


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents=spoilt())
def test_a_spoilt_manifest_gives_findings_or_a_box(documents: list[Any]) -> None:
    rulesets = read(documents)
    report = Report()
    found = linked(rulesets, {}, report)
    whole = [ruleset.id for ruleset in rulesets if ruleset.manifest.get("game") is not None]
    assert (found is not None) is bool(whole)
    if found is not None:
        named = [(found.kinds[p.kind].key, p.seat, p.copy) for p in found.pieces]
        assert len(set(named)) == len(named) or not report.ok
        assert all(piece.start is not None for piece in found.pieces) or not report.ok
