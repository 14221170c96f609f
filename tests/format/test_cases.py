"""What is written, and how it should look."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from rulesdsl.language.diagnostics import RulesError
from rulesdsl.language.format import formatted

CASES = yaml.safe_load((Path(__file__).parent / "cases.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("kind", "case"),
    [pytest.param(kind, case, id=case["name"]) for kind in CASES for case in CASES[kind]],
)
def test_cases(kind: str, case: dict[str, str]) -> None:
    text, _, wanted = case["text"].partition("...\n")
    found = formatted(text, f"case.{kind}")
    assert found == (wanted or text)
    assert formatted(found, f"case.{kind}") == found


@pytest.mark.parametrize("kind", ["rules", "yaml"])
def test_line_ends_are_those_of_the_first_line(kind: str) -> None:
    text = {"rules": "state  game.x: int\n\n\n# end\n", "yaml": "a:  1\n\n\n# end\n"}[kind]
    found = formatted(text, f"case.{kind}")
    assert "\r" not in found
    windows = text.replace("\n", "\r\n")
    assert formatted(windows, f"case.{kind}") == found.replace("\n", "\r\n")
    assert formatted("\ufeff" + windows, f"case.{kind}") == found.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("# x\nruleset :  a\n", "# x\nruleset: a\n"),
        ("scenarios:   a", "scenarios: a\n"),
        ("state  game.x: int", "state game.x: int\n"),
    ],
)
def test_a_text_without_a_name_tells_what_it_is(text: str, wanted: str) -> None:
    assert formatted(text, "-") == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a\u3000:  {b\xa0: 'c d'}\n", "a\u3000: {b\xa0: 'c d'}\n"),
        ("a: |\n b\n   \n\n", "a: |\n  b\n    \n"),
        ("a: |+\n b\n\n\n", "a: |+\n  b\n\n\n"),
        ("a: |\n b", "a: |\n  b"),
        ("a: &x\n  b: 1\nc:  *x   # d", "a: &x\n  b: 1\nc: *x  # d\n"),
        ("{a: 1,\n}", "{a: 1,\n}\n"),
        ("--- # a\na:  1\n", "---  # a\na: 1\n"),
        ("? a\n:  1\n", "? a\n: 1\n"),
    ],
)
def test_rare_yaml(text: str, wanted: str) -> None:
    assert formatted(text, "a.yaml") == wanted
    assert formatted(wanted, "a.yaml") == wanted


@pytest.mark.parametrize("char", ["\x85", "\r", "\u2028", "\u202e"])
def test_a_text_with_a_hidden_character_is_not_formatted(char: str) -> None:
    with pytest.raises(RulesError) as refused:
        formatted(f"a: 1 # b{char}c: 2\n", "a.yaml")
    assert [each.slug for each in refused.value.diagnostics] == ["hidden-character"]


@pytest.mark.parametrize(
    ("path", "text", "slugs"),
    [
        ("a.rules", "action f(:\n    x()\nvalue g()\n", ["unclosed", "bad-syntax"]),
        ("a.yaml", "ruleset: [a\n", ["yaml-syntax"]),
        ("a.yml", "a: 1\na: 2\n", ["yaml-duplicate-key"]),
        ("a.yaml", "# nothing\n", ["file-empty"]),
    ],
)
def test_what_cannot_be_parsed_is_told_of(path: str, text: str, slugs: list[str]) -> None:
    with pytest.raises(RulesError) as caught:
        formatted(text, path)
    assert [each.slug for each in caught.value.diagnostics] == slugs
    assert {each.span.source.name for each in caught.value.diagnostics if each.span} == {path}
