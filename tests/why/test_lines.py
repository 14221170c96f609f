"""Source lines with marks under them: wide characters, tabs, marks that meet, long lines."""

from __future__ import annotations

from rulesdsl.author.why.answer import Answer, AnswerStep, ValueMark
from rulesdsl.language.diagnostics import Source
from tests.why.asking import text


def told(line: str, *marked: str) -> list[str]:
    """The lines of a step about a line, with the number of each word under it."""
    source = Source("a.rules", f"{line}\n")
    marks = []
    for number, word in enumerate(marked):
        at = line.index(word)
        marks.append(ValueMark(source.span(at, at + len(word)), str(number)))
    step = AnswerStep("title", source.span(0, 1), tuple(marks))
    return text([Answer("when", "head", {}, (step,))]).splitlines()[3:]


def test_marks_stand_in_a_row_where_they_fit() -> None:
    assert told("    a + bbb + c", "a", "bbb", "c") == [
        "   --> a.rules:1:1",
        "  1 |     a + bbb + c",
        "    |     ^ 0       ^ 2",
        "    |         ^^^ 1",
    ]


def test_what_holds_others_stands_above_them() -> None:
    assert told("bbb * (ccc)", "ccc", "bbb * (ccc)", "bbb")[2:] == [
        "    | ^^^^^^^^^^^ 1",
        "    | ^^^ 2  ^^^ 0",
    ]


def test_columns_are_those_of_the_terminal() -> None:
    assert told("\t界 + e\u0301x + y", "y")[1:] == [
        "  1 |     界 + e\u0301x + y",
        "    |               ^ 0",
    ]


def test_of_a_long_line_the_marks_are_shown() -> None:
    _, line, marks = told(f"{'a' * 200} + word + {'b' * 200}", "word")
    assert line.startswith("  1 | …")
    assert line.endswith("b…")
    assert line[marks.index("^") :].startswith("word")
    assert len(line) < 140


def test_what_would_steer_a_terminal_is_not_written() -> None:
    assert all(each.isprintable() for each in told("\x1b[31m + x", "x"))
