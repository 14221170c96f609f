"""What comments allow, what a baseline knows, and how bad the rest counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from rulesdsl.author.lint.checking import (
    Baseline,
    Sieve,
    leveled,
    no_baseline,
    read_baseline,
    read_levels,
)
from rulesdsl.language.diagnostics import Diagnostic, Label, Report, RulesError, Severity, Source
from rulesdsl.language.diagnostics.allow import Allowance, allowances, not_allowed

W, E = Severity.WARNING, Severity.ERROR


def source(text: str, name: str = "a.rules") -> Source:
    return Source(name, text)


def at(place: Source, line: int, slug: str = "unused", severity: Severity = W) -> Diagnostic:
    start = sum(len(each) + 1 for each in place.text.split("\n")[: line - 1])
    return Diagnostic(slug, f"in line {line}", place.span(start, start + 1), severity=severity)


def slugs(found: Sequence[Diagnostic]) -> list[str]:
    return [each.slug for each in found]


# --- comments ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("x  # allow: unused", [("unused", 1)]),
        ("x  #allow:unused, arity because of that", [("unused", 1), ("arity", 1)]),
        ("# allow: unused\nx", [("unused", 2)]),
        ("# allow: unused (why)\n\n# more\n  x\ny", [("unused", 4)]),
        ("key: 'x'  # why # allow: unused", [("unused", 1)]),
        ("x#allow: unused\n'# allow'", []),
        ("# allowance: unused", []),
        ("# allow: unused", [("unused", 1)]),
        ("a  # allow: unused\nb\n# allow: arity\nc", [("unused", 1), ("arity", 4)]),
    ],
)
def test_what_a_comment_allows(text: str, allowed: list[tuple[str, int]]) -> None:
    found = list(allowances(source(text)))
    assert [(e.slug, e.line) for e in found if isinstance(e, Allowance)] == allowed
    assert len(found) == len(allowed)


@pytest.mark.parametrize(
    ("text", "marked", "help"),
    [
        ("x  # allow: unusd", "unusd", ("did you mean `unused`?",)),
        ("x  # allow: unused, zzz", "zzz", ()),
        ("x  # allow: ", "# allow: ", ()),
    ],
)
def test_a_comment_that_names_nothing(text: str, marked: str, help: tuple[str, ...]) -> None:
    (found,) = (each for each in allowances(source(text)) if isinstance(each, Diagnostic))
    assert found.span is not None
    assert (found.slug, found.span.text, found.help) == ("allow-unknown", marked, help)


def test_a_comment_allows_its_slug_in_its_line_alone() -> None:
    place = source("x  # allow: unused\ny\nz  # allow: unused")
    sieve = Sieve({})
    found = [at(place, 1), at(place, 1, "hooks-meet"), at(place, 2), at(place, 3)]
    assert sieve.sift(found, [place]).fresh == (found[1], found[2])
    assert sieve.allowed == [found[0], found[3]]
    assert sieve.end().fresh == ()


@pytest.mark.parametrize("allowing", [0, 1, 2])
def test_a_comment_at_any_place_of_a_finding_allows_it(allowing: int) -> None:
    texts = ["x  # allow: unused" if each == allowing else "x" for each in range(3)]
    one, *others = (Source(f"{number}.rules", text) for number, text in enumerate(texts))
    labels = tuple(Label(each.span(0, 1), "the other") for each in others)
    found = replace(at(one, 1), labels=labels)
    sieve = Sieve({})
    assert sieve.sift([found], [one, *others]).fresh == ()
    assert sieve.allowed == [found]
    assert sieve.end().fresh == ()
    report = Report()
    report.add(found)
    assert not_allowed(report).sorted() == []


def test_a_comment_that_allows_nothing_is_told() -> None:
    place = source("x  # allow: unused\ny")
    sieve = Sieve({})
    sieve.sift([at(place, 2)], [place])
    (left,) = sieve.end().fresh
    assert left.span is not None
    assert (left.slug, left.span.text, left.severity) == ("allow-unused", "unused", W)


def test_what_stops_a_game_is_not_allowed() -> None:
    place = source("x  # allow: arity\ny  # allow: unused")
    sieve = Sieve({})
    found = at(place, 1, "arity", E)
    assert sieve.sift([found], [place]).fresh == (found,)
    (left,) = sieve.end().fresh  # of the other one nothing can be said after an error
    assert left.slug == "allow-unused"
    assert "cannot be allowed" in left.message


def test_a_comment_used_in_one_of_several_checks_is_used() -> None:
    place = source("x  # allow: unused")
    sieve = Sieve({})
    sieve.sift([], [place])
    sieve.sift([at(source(place.text), 1)], [source(place.text)])
    assert sieve.end().fresh == ()


def test_what_is_not_looked_for_is_not_missed() -> None:
    place = source("x  # allow: hooks-meet")
    for judged, left in (
        (frozenset({"unused"}), []),
        (frozenset({"hooks-meet"}), ["allow-unused"]),
    ):
        sieve = Sieve({}, judged=judged)
        sieve.sift([], [place])
        assert slugs(sieve.end().fresh) == left


# --- levels --------------------------------------------------------------------------------------


def test_levels() -> None:
    place = source("x")
    levels = read_levels([("unused", "note"), ("hooks-meet", "off"), ("all", "error")])
    severities = {
        slug: found.severity if (found := leveled(at(place, 1, slug), levels)) else None
        for slug in ("unused", "hooks-meet", "never-applies")
    }
    assert severities == {"unused": Severity.NOTE, "hooks-meet": None, "never-applies": E}
    stops = at(place, 1, "unused", E)
    assert leveled(stops, levels) == stops
    assert leveled(at(place, 1), {}) == at(place, 1)


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (("unusd", "note"), "there is no kind of finding `unusd`"),
        (("unused", "fatal"), "`fatal` is not a level"),
    ],
)
def test_levels_that_there_are_not(pair: tuple[str, str], said: str) -> None:
    with pytest.raises(RulesError) as caught:
        read_levels([pair])
    (found,) = caught.value.diagnostics
    assert (found.slug, found.message) == ("bad-argument", said)
    assert found.help


# --- baselines -----------------------------------------------------------------------------------


def kept(found: Sequence[Diagnostic], name: str = "known.json") -> Baseline:
    """The baseline that lists what was found, written and read again."""
    return read_baseline(Source(name, no_baseline(name).text(found)))


def test_a_baseline_knows_what_it_lists_wherever_lines_move() -> None:
    before = source("state a: int\nvalue b: x  \nvalue b: x")
    sieve = Sieve({}, kept([at(before, 1), at(before, 2), at(before, 3)]))
    after = source("\n\n  value b: x\nstate a: int\nvalue b: x\nvalue b: x\nvalue c: x")
    found = [at(after, line) for line in (3, 4, 5, 6, 7)]
    assert sieve.sift(found, [after]).fresh == tuple(found[3:])
    assert sieve.known == found[:3]
    assert sieve.end().fresh == ()


def test_an_entry_that_is_not_found_any_more_is_told_at_its_place() -> None:
    place = source("x\ny")
    sieve = Sieve({}, kept([at(place, 1), at(place, 2), at(source("z", "b.rules"), 1)]))
    sieve.sift([at(place, 1)], [place])
    (left,) = sieve.end().fresh  # the other file was not looked at
    assert left.slug == "baseline-unused"
    assert left.span is not None
    assert '"text": "y"' in left.span.text


def test_a_baseline_does_not_hide_what_stops_a_game() -> None:
    place = source("x")
    stops = at(place, 1, "arity", E)
    baseline = kept([stops, at(place, 1)])
    assert [entry.slug for entry in baseline.left] == ["unused"]
    baseline.left[baseline.entry(stops)] = 1
    assert Sieve({}, baseline).sift([stops], [place]).fresh == (stops,)


def test_paths_are_those_seen_from_the_baseline() -> None:
    place = source("x", "games/a.rules")
    text = no_baseline("ci/known.json").text([at(place, 1)])
    assert '"file": "../games/a.rules"' in text
    assert read_baseline(Source("ci/known.json", text)).has(at(place, 1))


def test_a_baseline_of_hostile_lines_is_read_again() -> None:
    place = source('a: "b" \\ \t\u2028 村 # {}')
    assert kept([at(place, 1)]).has(at(place, 1))


@pytest.mark.parametrize(
    "text", ["", "[]", "format: 2\nfindings: []", "format: 1\nfindings: [{slug: a}]", "{"]
)
def test_a_file_that_is_no_baseline(text: str) -> None:
    with pytest.raises(RulesError) as caught:
        read_baseline(Source("known.json", text))
    assert all(each.span is not None for each in caught.value.diagnostics)
