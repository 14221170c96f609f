"""Games made in tests: from texts, or from files that hold a game without mistakes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from rulesdsl.engine.build import build
from rulesdsl.engine.build.stages import StageMemo
from rulesdsl.language.check import check
from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.link import link
from rulesdsl.language.model import nodes
from rulesdsl.language.model.ast import Module
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.game import LinkedGame, Named, Ruleset
from rulesdsl.language.parse import parse
from rulesdsl.language.read.load import load_rulesets
from rulesdsl.language.read.manifest import groups, read_manifest, required_rulesets, version_bounds

Settings = Mapping[str, int | bool | str]


@dataclass(frozen=True)
class Outcome:
    """What came of checking: `game` is the linked box."""

    game: LinkedGame
    checked: Checked | None
    report: Report


def checked(texts: Mapping[str, tuple[str, str]], settings: Settings | None = None) -> Outcome:
    """The game of rulesets given as id -> (manifest, rules); the boxes must be without mistakes."""
    rulesets = [_written(id, manifest, rules) for id, (manifest, rules) in texts.items()]
    box, report = Report(), Report()
    modules = {r.id: parse(r.rules, report) for r in rulesets if r.rules is not None}
    game = linked(rulesets, settings or {}, box, modules)
    assert game is not None
    assert box.sorted() == []
    return Outcome(game, check(game, modules, report), report)


def write_only(folder: Path, files: Mapping[str, str]) -> None:
    """Write these files into a folder, and remove all others."""
    for old in folder.iterdir():
        old.unlink()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


@cache
def built(path: Path, **settings: int | bool | str) -> Checked:
    """The checked game of a file."""
    report = Report()
    game = build(path, settings=settings, report=report)
    assert game is not None, [f"{found.slug}: {found.message}" for found in report]
    return game


@cache
def box_of(path: Path) -> LinkedGame:
    """The linked box of a file, its rules not looked at."""
    report = Report()
    game = linked(load_rulesets(path, report=report), {}, report)
    assert game is not None, [str(found) for found in report]
    return game


def linked(
    rulesets: Iterable[Ruleset],
    settings: Settings,
    report: Report,
    modules: Mapping[str, Module] | None = None,
) -> LinkedGame | None:
    """Link with the parser of the language."""
    return link(list(rulesets), settings, StageMemo().constant, report, modules=modules or {})


def parse_manifest(source: Source, report: Report) -> nodes.Mapping | None:
    """The manifest in `source`, which satisfies its schema, or None with the reasons reported."""
    own = Report()
    read = read_manifest(source, own)
    report.extend(own)
    return read.manifest if read is not None and own.ok else None


def ruleset(manifest: nodes.Mapping, rules: Source | None = None) -> Ruleset:
    """A ruleset from its manifest, and the text of its rules."""
    (id,) = _names(manifest.get("ruleset"))
    house = manifest.get("house")
    text = f"{manifest.span.source.text}\0{rules.text if rules else ''}"
    return Ruleset(
        id=id.name,
        version="1.0.0",
        manifest=manifest,
        rules=rules,
        digest=sha256(text.encode()).hexdigest(),
        requires=required_rulesets(manifest.get("requires")),
        interaction=groups(manifest.get("interaction"), _names),
        house=isinstance(house, nodes.Scalar) and house.value is True,
        bounds=tuple(version_bounds(manifest.get("requires"))),
    )


def _written(id: str, manifest: str, rules: str) -> Ruleset:
    report = Report()
    node = parse_manifest(Source(f"{id}.yaml", manifest), report)
    assert node is not None, list(report)
    return ruleset(node, Source(f"{id}.rules", rules))


def _names(node: nodes.Node | None) -> tuple[Named, ...]:
    items = () if node is None else (node,) if isinstance(node, nodes.Scalar) else tuple(node)
    return tuple(
        Named(str(item.value), item.span) for item in items if isinstance(item, nodes.Scalar)
    )
