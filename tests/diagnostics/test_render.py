"""Findings as text."""

from __future__ import annotations

from rulesdsl.language.diagnostics import Diagnostic, Label, Severity, Source
from rulesdsl.language.diagnostics.render import WIDEST, render

TEXT = "first line\n  second line\n" + "\n" * 9 + "thirteenth\tline\n"
SOURCE = Source("some.rules", TEXT)


def _at(word: str, source: Source = SOURCE) -> Diagnostic:
    start = source.text.index(word)
    return Diagnostic("unknown-name", "no such name", source.span(start, start + len(word)))


def test_without_a_place() -> None:
    found = Diagnostic("file-missing", "there is no file `x`", help=("look again",))
    assert render([found]) == "error[file-missing]: there is no file `x`\n   = look again\n"


def test_nothing() -> None:
    assert render([]) == ""


def test_places_labels_and_help() -> None:
    other = Source("other.yaml", "a: 1\n")
    start = TEXT.index("line")
    found = Diagnostic(
        "value-clash",
        "two rules",
        SOURCE.span(TEXT.index("second"), TEXT.index("second") + 6),
        "gives 2",
        (Label(SOURCE.span(start, start + 4), "gives 3"), Label(other.span(3, 4), "and 4")),
        ("say which\nin two lines", "or remove one"),
        Severity.WARNING,
    )
    assert render([found]) == (
        "warning[value-clash]: two rules\n"
        "  --> some.rules:2:3\n"
        " 2 |   second line\n"
        "   |   ^^^^^^ gives 2\n"
        " 1 | first line\n"
        "   |       ---- gives 3\n"
        "  --> other.yaml:1:4\n"
        " 1 | a: 1\n"
        "   |    - and 4\n"
        "   = say which\n"
        "     in two lines\n"
        "   = or remove one\n"
    )


def test_two_findings_have_an_empty_line_between_them() -> None:
    assert render([_at("first"), _at("second")]).count("\n\n") == 1


def test_the_gutter_fits_the_line_number_and_tabs_are_spaces() -> None:
    assert render([_at("line\n", Source("x", TEXT.replace("line", "row", 2)))]) == (
        "error[unknown-name]: no such name\n"
        "   --> x:12:12\n"
        " 12 | thirteenth    line\n"
        "    |               ^^^^\n"
    )


def test_the_end_of_the_text() -> None:
    source = Source("x", "word")
    found = Diagnostic("unclosed", "not closed", source.span(4, 4))
    assert render([found]).splitlines()[2:] == [" 1 | word", "   |     ^"]


def test_a_mark_over_several_lines_ends_with_the_first() -> None:
    found = Diagnostic("bad-syntax", "no", SOURCE.span(6, 20), "here")
    assert render([found]).splitlines()[3] == "   |       ^^^^ here"


def test_a_long_line_is_cut_around_the_mark() -> None:
    source = Source("x", "a" * 5000 + "BAD" + "c" * 5000)
    row, mark = render([_at("BAD", source)]).splitlines()[2:]
    assert row.startswith(" 1 | …a")
    assert row.endswith("c…")
    assert len(row) < WIDEST + 10
    assert row[mark.index("^") :].startswith("BAD")
    assert mark.count("^") == 3


def test_a_long_mark_is_cut() -> None:
    source = Source("x", "a" * 5000)
    row, mark = render([Diagnostic("bad-syntax", "no", source.span(0, 5000))]).splitlines()[2:]
    assert len(row) < WIDEST + 10
    assert len(mark) < WIDEST + 10


def test_wide_characters_take_two_columns_and_combining_ones_none() -> None:
    source = Source("x", "村 e\u0301 BAD")
    mark = render([_at("BAD", source)]).splitlines()[3]
    assert mark == "   |      ^^^"


def test_nothing_in_a_file_steers_the_terminal() -> None:
    hostile = "a\x1b[2J\x07\u202e\u2028 BAD"
    source = Source("evil\x1b]0;\n.yaml", hostile)
    found = Diagnostic("bad-value", f"`{hostile}`", source.span(9, 12), hostile, help=(hostile,))
    text = render([found])
    assert not any(char in text for char in "\x1b\x07\u202e\u2028")
    assert len(text.splitlines()) == 5
