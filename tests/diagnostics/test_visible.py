"""No text that went through the filter steers a terminal, a reader or a build server."""

from __future__ import annotations

import json
import sys
import unicodedata
from html import escape, unescape
from xml.etree import ElementTree

from hypothesis import example, given
from hypothesis import strategies as st

from rulesdsl.cli.console import plain_text
from rulesdsl.language.diagnostics import Diagnostic, Label, Source
from rulesdsl.language.diagnostics.render import columns, render, shown
from rulesdsl.language.diagnostics.report import (
    described,
    first_steering,
    inert,
    inert_json,
    inert_markup,
    visible,
)
from tests.harmless import ESCAPES, harmful

BIDIRECTIONAL = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
WORDS = (
    "::error::x",
    "##[error]",
    "##vso[task]",
    "##teamcity[",
    "\n",
    "\r\n",
    "<b>",
    "&",
    '"',
    "%",
)
TEXTS = st.lists(
    st.sampled_from((*ESCAPES, *WORDS, "#", ":", " ", "\xa0")) | st.text(max_size=5), max_size=8
).map("".join)


def test_the_characters_are_those_of_unicode() -> None:
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        category = unicodedata.category(char)
        if category in ("Cc", "Cs", "Zl", "Zp") or char in BIDIRECTIONAL:
            assert first_steering(char) == 0, f"U+{code:04X}"
        elif category[0] in "LNPS" and char not in "\u115f\u1160\u3164\uffa0":
            assert first_steering(char) is None, f"U+{code:04X}"
    allowed = [chr(c) for c in range(0x2000, 0x2070) if first_steering(chr(c)) is None]
    assert [c for c in allowed if unicodedata.category(c) == "Cf"] == ["\u200c", "\u200d"]


def test_scripts_and_emoji_stay_as_they_are() -> None:
    for text in ("می‌خواهم", "क्‍ष", "👩‍👩‍👧 ❤️", "村 é ñ", "שלום", "葛\U000e0100"):
        assert visible(text) == inert(text) == text


def test_characters_have_names() -> None:
    assert described("\x1b") == "U+001B (ESCAPE)"
    assert described("\u202e") == "U+202E (RIGHT-TO-LEFT OVERRIDE)"
    assert described("\x01") == "U+0001"


@given(TEXTS)
@example("  \u2003::error::x")
@example("###[x")
def test_lines_are_harmless(text: str) -> None:
    assert harmful(inert(text)) == []
    assert harmful(visible(text).replace("::", "").replace("##", "")) == []
    assert inert(inert(text)) == inert(text)


@given(st.lists(st.tuples(TEXTS, st.sampled_from(["error", "title", "help"])), max_size=4))
@example([("#", "error"), ("#[x]", "title")])
@example([(" ", "error"), (":", "title"), (":error::", "help")])
def test_a_console_writes_harmless_lines(pieces: list[tuple[str, str]]) -> None:
    text = plain_text([pieces])
    assert harmful(text) == []
    assert text.count("\n") == 1


@given(TEXTS)
def test_markup_keeps_what_it_means(text: str) -> None:
    document = inert_markup(f"<p>{escape(visible(text, lines=True))}</p>")
    assert harmful(document) == []
    assert unescape(document) == f"<p>{visible(text, lines=True)}</p>"
    assert ElementTree.fromstring(document).text in (visible(text, lines=True), None)


@given(st.dictionaries(TEXTS, TEXTS))
def test_json_keeps_what_it_means(value: dict[str, str]) -> None:
    for indent in (None, 2):
        text = inert_json(value, indent)
        assert text.isascii()
        assert harmful(text) == []
        assert json.loads(text) == value


@given(TEXTS, TEXTS, TEXTS)
def test_findings_are_harmless(text: str, word: str, after: str) -> None:
    source = Source(f"{word}.yaml", f"{text}{word}{after}")
    span = source.span(len(text), len(text) + len(word))
    found = Diagnostic("bad-value", text, span, word, (Label(span, after),), (text, after))
    assert harmful(render([found])) == []
    assert first_steering(found.message + found.mark + found.labels[0].text) is None


def test_marks_stand_under_what_is_shown() -> None:
    source = Source("x", "a\x1b[2J \u202e BAD\u200b here")
    at = source.text.index("BAD")
    row, mark = render([Diagnostic("unused", "no", source.span(at, at + 4))]).splitlines()[2:]
    assert row == r" 1 | a\u{1b}[2J \u{202e} BAD\u{200b} here"
    assert row[mark.index("^") : mark.rindex("^") + 1] == r"BAD\u{200b}"
    assert columns(shown("e\u0301 👩\u200d👧\ufe0f")) == 6
