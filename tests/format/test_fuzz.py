"""Formatting changes neither what a text means nor its comments, and is done at once.

That nothing is changed in meaning, and in rules that no comment is lost, is asserted by the
formatter itself.
"""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.format import formatted, formatted_rules
from rulesdsl.language.model import ast
from rulesdsl.language.parse import parse, unparse
from rulesdsl.language.read.yaml import parse_yaml
from tests.format.layouts import commented_rules, odd_yaml
from tests.parse.strategies import modules

ROOT = Path(__file__).parents[2]
TEXTS = [
    *re.findall(
        r"^```rules\n(.*?)^```",
        (ROOT / "docs/reference/language.md").read_text("utf-8"),
        re.M | re.S,
    ),
    *(path.read_text("utf-8") for path in sorted((ROOT / "rulesets").glob("*.rules"))),
    (ROOT / "tests/lower/games/questions.rules").read_text("utf-8"),
]
DECLARATIONS = [part for text in TEXTS for part in re.split(r"\n(?=\w)", text)]
quiet = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def check_rules(text: str, width: int) -> None:
    report = Report()
    module = parse(Source("text.rules", text), report)
    assert report.ok, report.sorted()[0]
    found = formatted_rules(module, width)
    assert formatted_rules(parse(Source("text.rules", found), report), width) == found
    assert re.search(r"[ \t]$|\n\n\n|\A\n", found, re.MULTILINE) is None


@settings(quiet, max_examples=80)
@given(
    commented_rules(st.lists(st.sampled_from(DECLARATIONS), max_size=2).map("\n".join)),
    st.sampled_from([1, 30, 100]),
)
def test_rules_with_comments_anywhere(text: str, width: int) -> None:
    check_rules(text, width)


@settings(quiet, max_examples=25)
@given(modules, st.sampled_from([1, 30, 100]))
def test_random_trees(module: ast.Module, width: int) -> None:
    check_rules(unparse(module), width)


@settings(quiet, max_examples=80)
@given(odd_yaml())
def test_yaml(text: str) -> None:
    report = Report()
    parse_yaml(Source("text.yaml", text), report)
    assume(report.ok)
    found = formatted(text, "text.yaml")
    assert formatted(found, "text.yaml") == found
    remarks = re.compile(r"# ?remark \d+\.")
    assert sorted(remarks.findall(found)) == sorted(remarks.findall(text))
