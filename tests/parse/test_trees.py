"""What is parsed again with the trees of an earlier version is what parsing anew gives."""

from __future__ import annotations

from random import Random

import pytest

from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model import ast
from rulesdsl.language.model.checked import walk
from rulesdsl.language.parse import Trees, parse, parser
from rulesdsl.language.parse.layout import TokenLayout
from rulesdsl.language.parse.trees import Branch
from tests.rulesets.shipped import FOLDER

TEXT = (FOLDER / "hills_and_sheep.rules").read_text(encoding="utf-8")


def told(text: str, trees: Trees | None) -> tuple[ast.Module, list[tuple[int, int]], list[str]]:
    report = Report()
    module = parse(Source("text", text), report, trees)
    nodes = [node for node in walk(module.declarations) if isinstance(node, ast.Node)]
    places = [(node.span.start, node.span.end) for node in nodes]
    return module, places, [f"{each.span} {each.message}" for each in report]


@pytest.mark.parametrize("seed", range(6))
def test_any_change_is_seen(seed: int) -> None:
    random, trees, text = Random(seed), Trees(), TEXT
    for _ in range(6):
        assert told(text, trees) == told(text, None)
        start = random.randrange(len(text))
        gone = random.choice((0, 0, 1, 5, 60))
        new = random.choice(("", "x", "\n", "# a remark\n", "  ", "value a() -> int: 1\n", "("))
        text = text[:start] + new + text[start + gone :]


def test_only_what_changed_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    tree = parser._tree

    def counted(layout: TokenLayout, start: str) -> Branch:
        parsed.append(layout.chunk.text)
        return tree(layout, start)

    monkeypatch.setattr(parser, "_tree", counted)
    trees = Trees()
    parse(Source("text", TEXT), Report(), trees)
    parsed.clear()
    parse(Source("text", "# more\n" + TEXT + "value more() -> int: 1\n"), Report(), trees)
    assert parsed == ["value more() -> int: 1\n"]
