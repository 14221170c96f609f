"""Every test runs, and the project stands on its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import yaml

from tests.architecture.sources import ROOT, TESTS, modules, place, project_files

LEFT_OUT = {"skip", "skipif", "xfail", "importorskip", "skipTest", "SkipTest", "expectedFailure"}
# Written so that the pattern is not found in this file.
OUTSIDE = re.compile(r"\.\./share[d]|share[d]/data|[\"']share[d][\"']|/wor[k]/|/roo[t]/|/hom[e]/\w")


def test_no_test_is_left_out() -> None:
    found = [
        place(path, node.lineno)
        for path, tree in modules(TESTS)
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr in LEFT_OUT)
        or (isinstance(node, ast.alias | ast.Name) and _name(node) in LEFT_OUT)
    ]
    assert not found, f"a test is skipped or expected to fail at {found}"


def test_only_the_check_of_recorded_games_looks_outside() -> None:
    outside = {
        path.relative_to(ROOT): text
        for path in project_files()
        if OUTSIDE.search(text := path.read_text(encoding="utf-8", errors="replace"))
    }
    others = [str(path) for path, text in outside.items() if "human_games" not in text]
    assert not others, f"these files name places outside the project: {others}"
    assert len(outside) <= 1, f"more than one file looks outside: {[*map(str, outside)]}"


def test_any_reader_reads_every_yaml_file() -> None:
    """Also the strict one, and no key hides another one of the same mapping."""
    files = [path for path in project_files() if path.suffix in (".yaml", ".yml")]
    assert len(files) > 100
    twice = [
        f"{place(path, key.start_mark.line + 1)}: {key.value}"
        for path in files
        for key in _doubled(yaml.compose(path.read_text(encoding="utf-8"), yaml.SafeLoader))
    ]
    assert not twice, f"keys are given twice at {twice}"


def _doubled(node: yaml.Node | None) -> Iterator[yaml.Node]:
    """The keys that a mapping inside has already."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _doubled(item)
    elif isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in seen:
                    yield key
                seen.add((key.tag, key.value))
            yield from _doubled(value)


def _name(node: ast.alias | ast.Name) -> str:
    return node.id if isinstance(node, ast.Name) else node.name
