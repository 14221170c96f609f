"""The shipped rulesets: their texts, their contents, and the games they make."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from rulesdsl.author.testing.mutants import Keys as Keys
from rulesdsl.author.testing.mutants import scalars
from rulesdsl.engine.build.stages import build
from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model import ast
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.nodes import Mapping, Scalar, plain
from rulesdsl.language.parse import parse
from rulesdsl.language.read.find import OTHER_SUFFIXES
from rulesdsl.language.read.load import extensions_of, load_rulesets
from rulesdsl.language.read.yaml import parse_yaml
from tools.environment import ROOT

FOLDER = ROOT / "rulesets"
WORD = re.compile(r"[A-Za-z_][\w-]*")


@dataclass(frozen=True)
class Ruleset:
    """A ruleset; `loaded` are the ids of all rulesets of its game, the root first."""

    id: str
    manifest: Mapping
    yaml: Source
    rules: Source | None
    loaded: tuple[str, ...]

    @cached_property
    def module(self) -> ast.Module:
        """The syntax tree of its rules."""
        assert self.rules is not None
        return parse(self.rules, Report())

    @cached_property
    def checked(self) -> Checked:
        """The smallest game with it."""
        checked = build(FOLDER / f"{self.id}.yaml", report=Report())
        assert checked is not None
        return checked

    def sources(self) -> tuple[Source, ...]:
        """Its files."""
        return (self.yaml,) if self.rules is None else (self.yaml, self.rules)

    def scalars(self) -> Iterator[tuple[Keys, Scalar, bool]]:
        """Yield every scalar of the manifest with its path, and whether it is a key."""
        return scalars(self.manifest)


@cache
def rulesets() -> dict[str, Ruleset]:
    """Return all shipped rulesets, by id."""
    found: dict[str, Ruleset] = {}
    for path in sorted(FOLDER.glob("*.yaml")):
        if path.name.endswith(OTHER_SUFFIXES):
            continue
        loaded = load_rulesets(path, report=Report())
        yaml = _source(path.name)
        manifest = parse_yaml(yaml, Report())
        assert isinstance(manifest, Mapping)
        has_rules = manifest.get("rules") is not None
        rules = _source(f"{path.stem}.rules") if has_rules else None
        found[path.stem] = Ruleset(path.stem, manifest, yaml, rules, tuple(r.id for r in loaded))
    return found


@cache
def expansions(root: str) -> tuple[str, ...]:
    """Return all shipped extensions of a root; interactions are loaded automatically."""
    return tuple(id for id in extensions_of(FOLDER / f"{root}.yaml") if id in rulesets())


def strangers(id: str) -> list[str]:
    """Return the expansions of the same game that are unrelated to this one."""
    mine = rulesets()[id].loaded
    return [
        other
        for other in expansions(mine[0])
        if other not in mine and id not in rulesets()[other].loaded
    ]


def lines_with(word: str, ids: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Return the file and line of every occurrence of a word in these rulesets."""
    return tuple(
        (source.name, source.position(match.start())[0])
        for id in ids
        for source in rulesets()[id].sources()
        for match in WORD.finditer(source.text)
        if word in (match[0], *match[0].split("-"))
    )


def section(ruleset: Ruleset, key: str) -> dict[str, object]:
    """Return a section of a manifest as plain data; empty if missing."""
    node = ruleset.manifest.get(key)
    found = None if node is None else plain(node)
    return found if isinstance(found, dict) else {}


def _source(name: str) -> Source:
    return Source(name, (FOLDER / name).read_text(encoding="utf-8"))
