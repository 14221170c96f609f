"""What authors say reaches editors as text: never as a link, a picture or HTML."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from markdown_it import MarkdownIt

from rulesdsl.author.lsp.hover import authored, code, plain
from tests.harmless import ESCAPES, harmful
from tests.lsp.editor import Editor

TEXTS = st.lists(
    st.sampled_from(
        ("[x](command:y)", "![x](//y)", "<img src=x>", "``", "`", "\\", "&lt;", *ESCAPES)
    )
    | st.text(string.ascii_letters + " `_*", max_size=6),
    max_size=8,
).map("".join)
READER = MarkdownIt("commonmark", {"html": True})
ROOT = Path(__file__).parents[1] / "cli" / "rulesets"
EVIL = "[x](command:y) ![x](//y) <img src=x> `<b>` ``` code"


def kinds(text: str) -> set[str]:
    """What Markdown makes of a text."""
    inline = [child for token in READER.parse(text) for child in token.children or ()]
    return {token.type for token in inline}


@given(TEXTS)
def test_words_are_only_words(text: str) -> None:
    for written in (f"*{plain(text)}x*", authored(f"x{text}"), f"x {code(f'y{text}')}"):
        allowed = {"text", "code_inline", "em_open", "em_close", "text_special"}
        assert kinds(written) <= allowed, written
        assert harmful(written.replace("::", "").replace("##", "")) == []


def test_code_between_backticks_stays_code() -> None:
    assert authored("see `a_b` and a_b") == "see `a_b` and a\\_b"


@pytest.mark.parametrize("word", ["turn", "worth_of"])
def test_a_comment_in_an_editor(word: str, editor: Editor, tmp_path: Path) -> None:
    text = (ROOT / "hamlets.rules").read_text(encoding="utf-8")
    for head in ("action turn()", "value worth_of"):
        text = text.replace(head, f"# {EVIL}\n{head}")
    (tmp_path / "hamlets.rules").write_text(text, encoding="utf-8")
    manifest = (ROOT / "hamlets.yaml").read_text(encoding="utf-8")
    (tmp_path / "hamlets.yaml").write_text(manifest, encoding="utf-8")
    uri = editor.open(tmp_path / "hamlets.rules")
    line = next(
        n
        for n, row in enumerate(text.split("\n"))
        if row.startswith(("action turn", "value worth_of")) and word in row
    )
    place = types.Position(line, 8)
    answer = editor.ask(
        types.TEXT_DOCUMENT_HOVER, types.HoverParams(types.TextDocumentIdentifier(uri), place)
    )
    told = answer.contents.value
    assert "command:y" in told
    links = [
        child.attrs["href"]
        for token in READER.parse(told)
        for child in token.children or ()
        if child.type == "link_open"
    ]
    assert all(str(each).startswith("file:") for each in links)
    assert kinds(told).isdisjoint({"image", "html_inline"})
    editor.shut(uri)
