"""The list of slugs and the findings that the package makes are the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from rulesdsl.language.diagnostics import SLUGS
from tests.architecture.sources import PACKAGE, modules, place

LIST = PACKAGE / "language" / "diagnostics" / "slugs.py"
MAKERS = {"error", "warning", "note", "Diagnostic"}
SLUG = re.compile(r"[a-z]+(-[a-z]+)*")


def _strings() -> set[str]:
    """Every string constant of the package outside the list itself."""
    return {
        node.value
        for path, tree in modules(PACKAGE)
        if path != LIST
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def _made() -> Iterator[tuple[str, str]]:
    """(slug, place) wherever a finding is made with its slug written out."""
    for path, tree in modules(PACKAGE):
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Name(id=maker) | ast.Attribute(attr=maker),
                    args=[ast.Constant(value=str(slug)), *_],
                ) if maker in MAKERS and SLUG.fullmatch(slug):
                    yield slug, place(path, node.lineno)


def test_every_listed_slug_is_used() -> None:
    unused = sorted(SLUGS.keys() - _strings())
    assert not unused, f"listed in {place(LIST, 1)} and never used: {unused}"


def test_every_slug_used_is_listed() -> None:
    made = list(_made())
    unlisted = [f"{where}: {slug}" for slug, where in made if slug not in SLUGS]
    assert made
    assert not unlisted, "\n".join(unlisted)


def test_the_list_is_sorted_and_well_formed() -> None:
    assert list(SLUGS) == sorted(SLUGS)
    assert [slug for slug in SLUGS if not SLUG.fullmatch(slug)] == []
