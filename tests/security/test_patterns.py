"""No regular expression takes long to fail, and none takes a line end for the end of a text."""

from __future__ import annotations

import re
from collections import Counter
from time import process_time

import pytest

from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.read.schema import validate
from rulesdsl.language.read.yaml import parse_yaml
from tests.security.backtracking import Use, slowness
from tests.security.found import Pattern, patterns, schema_patterns

BEGINNINGS = {"^[-+]"}
"""The patterns of schemas that say how a text begins, and nothing about the rest."""


def test_all_patterns_are_found() -> None:
    places = Counter(each.where.split(":")[0].split(" ")[0].split("/")[0] for each in patterns())
    assert places["rulesdsl"] > 100
    assert places["schemas"] > 10
    terminals = {each.where.split(" ")[1] for each in patterns() if ".lark " in each.where}
    assert {"NAME", "QUOTED", "INT", "_LINE_END"} < terminals


@pytest.mark.parametrize(
    ("pattern", "use", "expected"),
    [
        (r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*%", "match", "exponential"),
        (r"(a*)*b", "match", "exponential"),
        (r"(a|a)*b", "match", "exponential"),
        (r"(?:a|ab|b)*c", "match", "exponential"),
        (r"(?:\r\n|[\r\n])*%", "match", "exponential"),
        (r"(?:\r\n?+|\n)*%", "match", ""),
        (r"[ \t]*:?[ \t]+#", "match", "quadratic"),
        (r"(?:[ \t]++|[ \t]*+:[ \t]++)#", "match", ""),
        (r"#(.*?)\s*-*\s*", "fullmatch", "quadratic"),
        (r"a+b", "match", ""),
        (r"a+b", "search", "quadratic"),
        (r"\ba+b", "search", ""),
        (r"(?<!a)a+b", "search", ""),
        (r"a+", "scan", ""),
        (r"#[^\n]*\Z", "search", "quadratic"),
        (r"(?=a*a*b)c", "match", "quadratic"),
    ],
)
def test_slow_patterns_are_known(pattern: str, use: Use, expected: str) -> None:
    assert slowness(pattern, 0, use) == expected


def test_no_pattern_takes_long_to_fail() -> None:
    slow = [
        f"{each.where}: {each.text!r} by {use}: {found}"
        for each in patterns()
        for use in sorted(each.uses)
        if (found := slowness(each.text, each.flags, use))
    ]
    assert not slow


def ends_before_a_line_end(pattern: Pattern) -> bool:
    r"""Whether a `$` in it means the end, or the line end before it: `\Z` does not."""
    plain = re.sub(r"\\.", "", pattern.text)
    return re.sub(r"\[[^\]]+\]", "", plain).find("$") >= 0 and not pattern.flags & re.M


def test_patterns_in_modules_end_where_the_text_does() -> None:
    of_modules = (each for each in patterns() if not each.where.startswith("schemas/"))
    assert not [each.where for each in of_modules if ends_before_a_line_end(each)]


@pytest.mark.parametrize(("where", "text"), list(schema_patterns()))
def test_a_pattern_of_a_schema_is_about_the_whole_text(where: str, text: str) -> None:
    assert text in BEGINNINGS or re.fullmatch(r"\^([^$\\]|\\.)*\$", text), where
    # Only parts in parentheses have alternatives: `^` and `$` hold for each.
    text = re.sub(r"\\.", "", text)
    while "(" in text:
        text = re.sub(r"\([^()]*\)", "", text)
    assert "|" not in text


@pytest.mark.parametrize(
    "line",
    [
        'ruleset: "stones\\n"',
        'version: "1.0.0\\n"',
        'requires: ["base\\n"]',
        'tiles: [{id: "a\\n"}]',
    ],
)
def test_a_text_with_a_line_end_is_another_one(line: str) -> None:
    for text, wrong in ((line, 1), (line.replace("\\n", ""), 0)):
        node, report = parse_yaml(Source("a.yaml", text), Report()), Report()
        assert node is not None
        validate(node, "ruleset", report)
        assert sum(found.slug in ("bad-value", "hidden-character") for found in report) == wrong


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_comments_before_a_manifest_take_no_time(end: str) -> None:
    """Even if there are many of them, and a directive below."""
    text = f"# a comment{end}" * 10_000
    began = process_time()
    node = parse_yaml(Source("a.yaml", f"{text}ruleset: a{end}"), report := Report())
    assert node is not None
    assert not list(report)
    parse_yaml(Source("a.yaml", f"{text}%YAML 1.1{end}---{end}ruleset: a{end}"), report)
    assert [found.slug for found in report] == ["yaml-tag"]
    assert process_time() - began < 2
