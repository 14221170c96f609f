"""Unparsing is the inverse of parsing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model import ast
from rulesdsl.language.parse import parse, parse_expression, unparse, unparse_expr
from tests.parse.strategies import expressions, modules

ROOT = Path(__file__).parents[2]
TEXTS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for folder in ("rulesets", "tests")
    for path in sorted((ROOT / folder).rglob("*.rules"))
}
SPECIFIED = re.findall(
    r"^```rules\n(.*?)^```",
    (ROOT / "docs" / "reference" / "language.md").read_text(encoding="utf-8"),
    re.M | re.S,
)
thorough = settings(
    max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def parsed(text: str) -> ast.Module:
    report = Report()
    module = parse(Source("text.rules", text), report)
    assert [str(finding) for finding in report] == []
    return module


@thorough
@given(expressions)
def test_an_expression_comes_back(expr: ast.Expr) -> None:
    text = unparse_expr(expr)
    source, report = Source("manifest.yaml", f'count: "{text}"\n'), Report()
    assert parse_expression(source, source.span(7, 9 + len(text)), report) == expr
    assert list(report) == []


@thorough
@given(modules)
def test_a_module_comes_back(module: ast.Module) -> None:
    text = unparse(module)
    again = parsed(text)
    assert again == module
    assert unparse(again) == text


@pytest.mark.parametrize("text", SPECIFIED)
def test_the_specification_parses(text: str) -> None:
    module = parsed(text)
    assert module.declarations
    assert parsed(unparse(module)) == module


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_every_rules_file_comes_back(name: str) -> None:
    module = parse(Source(name, TEXTS[name]), Report())
    text = unparse(module)
    again = parse(Source(name, text), Report())
    assert again == module
    assert unparse(again) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("((a))", "a"),
        ("(a) + (f(b))", "a + f(b)"),
        ("( (a + b) )", "a + b"),
        ("f((a + b))", "f(a + b)"),
        ("(a + b) * c", "(a + b) * c"),
        ("a + ( b * c )", "a + (b * c)"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a - b) - c", "(a - b) - c"),
        ("not (a and b)", "not (a and b)"),
        ("(not a) and b", "(not a) and b"),
        ("-(a.b)", "-a.b"),
        ("(-a).b", "(-a).b"),
        ("(a if b else c) if d else e", "(a if b else c) if d else e"),
        ("a if (b) else (c if d else e)", "a if b else (c if d else e)"),
        ("(1..3) == (a..b)", "(1..3) == (a..b)"),
        ("(a == b) == c", "(a == b) == c"),
        ("(previous in base) + 1", "(previous in base) + 1"),
        ("any( x in (S) where(C) )", "any(x in S where C)"),
        ("most(x in S by a,b where c)", "most(x in S by a, b where c)"),
        ("top( 1+n,x in S by a,b where c)", "top(1 + n, x in S by a, b where c)"),
        ("most(a  for x in S)", "most(a for x in S)"),
        ("alike(a for x in S where c )", "alike(a for x in S where c)"),
        ("top(x in S, 3) + alike(x)", "top(x in S, 3) + alike(x)"),
        ("f( {} , 'a-b' )", "f({}, 'a-b')"),
    ],
)
def test_parentheses_are_written_where_they_are_needed_or_part_an_operation(
    text: str, shown: str
) -> None:
    source = Source("text", text)
    expr = parse_expression(source, source.span(0, len(text)), Report())
    assert expr is not None
    assert unparse_expr(expr) == shown
