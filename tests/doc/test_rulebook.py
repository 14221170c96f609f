"""The rule book for people who play."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulesdsl.language.diagnostics import Report
from rulesdsl.play import load
from rulesdsl.show.doc import rule_book
from tests.doc.conftest import BoxOf, Page, words

ROOT = Path(__file__).parents[2]
WITH = ["inns_and_cathedrals", "river"]


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_book_of_the_base_game(language: str) -> None:
    report = Report()
    game = load("base", WITH, engine="python")
    book = Page(rule_book(game, language, (), report))
    assert not list(report)
    titles = [words(each) for each in book.all("h3")]
    fields = {"en": "Fields", "es": "Campos"}
    assert fields[language] in titles
    assert len(book.all("figure", class_="example")) >= 11
    assert not book.all("code")
    assert not book.all("pre")
    points = words(book.all("section", class_="glance")[0])
    assert {"en": "a completed city 2 a tile", "es": "una ciudad completa 2 por loseta"}[
        language
    ] in points


def test_texts_are_whole_in_every_language() -> None:
    """Every ruleset has its text in both languages, with the same sections, examples and rows."""
    manifests = {path for path in (ROOT / "rulesets").glob("*.yaml") if "." not in path.stem}
    assert manifests
    for file in (path.with_name(f"{path.stem}.book.en.md") for path in sorted(manifests)):
        other = file.with_name(file.name.replace(".en.", ".es."))
        marks = [
            [
                line.partition(":")[0] if line[0] == ">" else line[0]
                for line in text
                if line and line[0] in "#>|"
            ]
            for text in (file.read_text().split("\n"), other.read_text().split("\n"))
        ]
        assert marks[0] == marks[1], file.name


def test_what_is_missing_is_reported(made: BoxOf) -> None:
    path = made()
    path.with_name("glade.book.en.md").write_text("# One\n\nA < b.\n\n> nothing: x\n\n# Two\n")
    path.with_name("glade.book.es.md").write_text("# Uno\n")
    report = Report()
    text = rule_book(load(path, engine="python"), "es", (), report)
    assert [each.message for each in report] == [
        "`glade.book.es.md` has 1 sections of 2",
    ]
    report = Report()
    text = rule_book(load(path, engine="python"), "en", (), report)
    assert "A &lt; b." in text
    assert [each.message for each in report] == [
        "the rule book shows `nothing`, but there is no such scenario"
    ]


def test_without_texts_comments_are_the_prose(made: BoxOf) -> None:
    path = made(rules="\n# --- the lake ---\n\n# Boats go home.\naction sail(): nothing\n")
    report = Report()
    book = Page(rule_book(load(path, engine="python"), "en", (), report))
    assert "The lake" in [words(each) for each in book.all("h3")]
    assert re.search("Boats go home", book.text)
    assert [each.message for each in report] == [
        "`glade` has no `glade.book.en.md`: its chapter is made of comments"
    ]


EXPANSION = """# Whoever lays a tile closes a gap.
after placed(t):
    score(active, settings.extra, road)

# Before the heading.

# --- surveyors ---

# A follower may be put on a road.
allow may_stand(k, s) when s is road:
    s.feature.cells > 2

# The river gives nothing.
with river:
    # Not here.
    after placed(t):
        nothing

# The last word.
"""


def test_every_declaration_of_an_expansion_is_in_its_chapter_in_order(tmp_path: Path) -> None:
    path = tmp_path / "pond.yaml"
    path.write_text(
        "ruleset: pond\nedition: 1\nversion: 1.0.0\nrules: pond.rules\nrequires: [base]\n"
        "settings: {extra: {default: 1, range: [1, 3]}}\n"
        "labels: {en: {pond: Pond, extra: extra}}\n"
    )
    path.with_name("pond.rules").write_text(EXPANSION)
    game = load("base", [str(path)], engine="python")
    book = Page(rule_book(game, "en", (), Report()))
    (chapter,) = (
        each for each in book.all("section") if "Pond" in [words(e) for e in each.iter("h2")]
    )
    assert [words(each) for each in chapter.iter("p")] == [
        "Whoever lays a tile closes a gap.",
        "Before the heading.",
        "A follower may be put on a road.",
        "The last word.",
    ]
    assert [words(each) for each in chapter.iter("h3")] == ["Surveyors"]
    (settings,) = book.all("table", class_="settings")
    assert [words(each) for each in settings.iter("tr")][-2:] == ["Pond", "extra 1 … 3 1"]
