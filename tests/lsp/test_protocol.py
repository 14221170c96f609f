"""What an editor asks is answered by the protocol, in its way of counting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from rulesdsl.author.lsp.server import UTF8, UTF16, UTF32, TextLines
from rulesdsl.cli.main import main
from tests.errors.test_mistakes import FILES
from tests.lsp.editor import Editor
from tests.lsp.test_names import SCENARIOS
from tests.rulesets.shipped import FOLDER

# A remark with characters that take two units, a byte order mark, line ends of all kinds.
ODD = "# \U0001f3f0 keeps\r\n" + FILES["more.rules"].replace("\n", "\r\n", 1)


@pytest.fixture(scope="module")
def uris(editor: Editor, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    folder = tmp_path_factory.mktemp("rulesets")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    opened = {name: editor.open(folder / name) for name in FILES}
    yield opened
    for uri in opened.values():
        editor.shut(uri)


def at(uris: dict[str, str], name: str, before: str, after: str) -> dict[str, Any]:
    """The place between two texts in a file."""
    text = FILES[name]
    assert text.count(before + after) == 1
    offset = text.index(before + after) + len(before)
    position = TextLines(text).position(offset)
    return {"text_document": types.TextDocumentIdentifier(uris[name]), "position": position}


def shown(uris: dict[str, str], place: types.Location) -> tuple[str, str]:
    """The file of a place and what stands there."""
    name = next(name for name, uri in uris.items() if uri == place.uri)
    lines = TextLines(FILES[name])
    start, end = lines.offset(place.range.start), lines.offset(place.range.end)
    return name, FILES[name][start:end]


def test_what_a_name_means(editor: Editor, uris: dict[str, str]) -> None:
    place = at(uris, "more.rules", "refine stren", "gth(p, f)")
    found = editor.ask(types.TEXT_DOCUMENT_HOVER, types.HoverParams(**place))
    assert "1. `more`" in found.contents.value
    assert "2. `game`" in found.contents.value
    assert "more.rules#L6" in found.contents.value
    range_ = types.Location(uris["more.rules"], found.range)
    assert shown(uris, range_) == ("more.rules", "strength")


def test_what_a_key_is_for(editor: Editor, uris: dict[str, str]) -> None:
    place = at(uris, "game.yaml", "{id: square, cou", "nt: 1")
    found = editor.ask(types.TEXT_DOCUMENT_HOVER, types.HoverParams(**place))
    assert "an expression over settings" in found.contents.value
    assert shown(uris, types.Location(uris["game.yaml"], found.range))[1] == "count"


def test_where_it_stands(editor: Editor, uris: dict[str, str]) -> None:
    place = at(uris, "more.rules", "t.to", "wer): 3")
    found = editor.ask(types.TEXT_DOCUMENT_DEFINITION, types.DefinitionParams(**place))
    assert shown(uris, found) == ("more.yaml", "tower")
    for declared, count in ((True, 3), (False, 2)):
        context = types.ReferenceContext(declared)
        params = types.ReferenceParams(context, **place)
        found = editor.ask(types.TEXT_DOCUMENT_REFERENCES, params)
        assert [shown(uris, each)[1] for each in found] == ["tower"] * count
    marks = types.DocumentHighlightParams(**place)
    assert len(editor.ask(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, marks)) == 1
    place = at(uris, "game.rules", "value stren", "gth(p:")
    asked = types.ImplementationParams(**place)
    found = editor.ask(types.TEXT_DOCUMENT_IMPLEMENTATION, asked)
    assert [shown(uris, each)[0] for each in found] == ["more.rules", "game.rules"]


def test_another_name(editor: Editor, uris: dict[str, str]) -> None:
    place = at(uris, "game.yaml", "  - {id: shri", "ne-road")
    prepared = editor.ask(types.TEXT_DOCUMENT_PREPARE_RENAME, types.PrepareRenameParams(**place))
    assert shown(uris, types.Location(uris["game.yaml"], prepared))[1] == "shrine-road"
    place = at(uris, "game.rules", "f.we", "ll + bonus")
    params = types.RenameParams(new_name="spring", **place)
    changes = editor.ask(types.TEXT_DOCUMENT_RENAME, params).changes
    assert {uri: len(edits) for uri, edits in changes.items()} == {
        uris["game.rules"]: 1,
        uris["game.yaml"]: 2,
        uris["more.rules"]: 1,
    }
    params = types.RenameParams(new_name="worth", **place)
    with pytest.raises(JsonRpcInvalidParams, match="with that name"):
        editor.ask(types.TEXT_DOCUMENT_RENAME, params)


def test_another_name_in_scenarios(
    editor: Editor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {**FILES, "game.test.yaml": SCENARIOS}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    uris = {name: editor.open(tmp_path / name) for name in ("game.yaml",)}
    place = at(uris, "game.yaml", "{id: hou", "se, count")
    params = types.RenameParams(new_name="big-hut", **place)
    changes = editor.ask(types.TEXT_DOCUMENT_RENAME, params).changes
    editor.shut(uris["game.yaml"])
    for name, text in files.items():
        lines = TextLines(text)
        edits = changes.get((tmp_path / name).as_uri(), [])
        for edit in sorted(edits, key=lambda each: -lines.offset(each.range.start)):
            start, end = lines.offset(edit.range.start), lines.offset(edit.range.end)
            text = text[:start] + edit.new_text + text[end:]
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    assert "red.big-hut" in (tmp_path / "game.test.yaml").read_text(encoding="utf-8")
    assert main(["check", str(tmp_path / "game.yaml"), "--with", "more"]) == 0
    assert main(["test", str(tmp_path / "game.test.yaml")]) == 0
    assert "1 passed" in capsys.readouterr().out


@pytest.mark.parametrize("asks", [True, False])
def test_another_name_outside_of_the_project(asks: bool, tmp_path: Path) -> None:
    for folder, name in (("a", "game"), ("b", "more")):
        (tmp_path / folder).mkdir()
        for file in (f"{name}.yaml", f"{name}.rules"):
            (tmp_path / folder / file).write_text(FILES[file], encoding="utf-8", newline="")
    editor = Editor({"path": [str(tmp_path / "a"), str(tmp_path / "b")]}, asks=asks)
    try:
        uris = {"game.rules": editor.open(tmp_path / "a" / "game.rules")}
        place = at(uris, "game.rules", "value stren", "gth(p:")
        params = types.RenameParams(new_name="power", **place)
        if not asks:
            with pytest.raises(
                JsonRpcInvalidParams, match=r"more\.rules`, outside of your project"
            ):
                editor.ask(types.TEXT_DOCUMENT_RENAME, params)
            return
        found = editor.ask(types.TEXT_DOCUMENT_RENAME, params)
        (note,) = found.change_annotations.values()
        assert note.needs_confirmation
        asked = {
            Path(change.text_document.uri).name: [
                isinstance(edit, types.AnnotatedTextEdit) for edit in change.edits
            ]
            for change in found.document_changes
        }
        assert asked == {"game.rules": [False, False, False], "more.rules": [True]}
    finally:
        editor.close()


def test_plain_clients_get_plain_text(tmp_path: Path) -> None:
    """Clients that declare neither Markdown nor snippets get neither."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    editor = Editor({"with": ["more"]}, rich=False)
    try:
        uris = {name: editor.open(tmp_path / name) for name in FILES}
        place = at(uris, "game.yaml", "{id: square, cou", "nt: 1")
        found = editor.ask(types.TEXT_DOCUMENT_HOVER, types.HoverParams(**place)).contents
        assert found.kind == types.MarkupKind.PlainText
        assert "an expression over settings" in found.value
        assert "```" not in found.value
        text = FILES["more.rules"] + "add bonus(f) when "
        editor.write(uris["more.rules"], text)
        document = types.TextDocumentIdentifier(uris["more.rules"])
        params = types.CompletionParams(document, TextLines(text).position(len(text)))
        items = editor.ask(types.TEXT_DOCUMENT_COMPLETION, params).items
        assert items
        assert not [each.label for each in items if "$" in each.text_edit.new_text]
        assert {each.insert_text_format for each in items} == {None}
        docs = [each.documentation for each in items if each.documentation]
        assert {each.kind for each in docs} == {types.MarkupKind.PlainText}
    finally:
        editor.close()


def test_shipped_rulesets_keep_their_names(editor: Editor) -> None:
    text = (FOLDER / "base.rules").read_text(encoding="utf-8")
    uri = editor.open(FOLDER / "base.rules")
    position = TextLines(text).position(text.index("value ") + len("value "))
    document = types.TextDocumentIdentifier(uri)
    params = types.RenameParams(document, position, "other_name")
    with pytest.raises(JsonRpcInvalidParams, match="of the shipped rulesets"):
        editor.ask(types.TEXT_DOCUMENT_RENAME, params)
    editor.shut(uri)


def test_what_can_be_written(editor: Editor, uris: dict[str, str]) -> None:
    text = FILES["more.rules"] + "add bonus(f) when f."
    editor.write(uris["more.rules"], text)
    position = TextLines(text).position(len(text))
    document = types.TextDocumentIdentifier(uris["more.rules"])
    params = types.CompletionParams(document, position)
    found = editor.ask(types.TEXT_DOCUMENT_COMPLETION, params).items
    editor.write(uris["more.rules"], FILES["more.rules"])
    cells = next(each for each in found if each.label == "cells")
    assert cells.detail == "feature.cells: int"
    assert cells.text_edit.range == types.Range(position, position)
    assert "worth" not in {each.label for each in found}


def test_outline_folds_colours_and_format(editor: Editor, uris: dict[str, str]) -> None:
    document = types.TextDocumentIdentifier(uris["game.rules"])
    params = types.DocumentSymbolParams(document)
    outline = editor.ask(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, params)
    build = next(each for each in outline if each.name == "build")
    assert [each.name for each in build.children] == ["put", "pass"]
    found = editor.ask(types.WORKSPACE_SYMBOL, types.WorkspaceSymbolParams("strength"))
    assert [each.name for each in found] == ["strength"]
    folds = editor.ask(types.TEXT_DOCUMENT_FOLDING_RANGE, types.FoldingRangeParams(document))
    assert len(folds) > 15
    colours = types.SemanticTokensParams(document)
    data = editor.ask(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, colours).data
    provider = editor.server.semantic_tokens_provider
    assert provider is not None
    legend = provider.legend.token_types
    first = [legend[kind] for kind in data[3 : 5 * 4 : 5]]
    assert first == ["keyword", "type", "property", "type"]
    editor.write(uris["more.rules"], "add   bonus( f ):1\n")
    format = types.DocumentFormattingParams(
        types.TextDocumentIdentifier(uris["more.rules"]), types.FormattingOptions(4, True)
    )
    (edit,) = editor.ask(types.TEXT_DOCUMENT_FORMATTING, format)
    assert edit.new_text == "add bonus(f): 1\n"
    editor.write(uris["more.rules"], "add   bonus( f :1\n")
    assert not editor.ask(types.TEXT_DOCUMENT_FORMATTING, format)
    editor.write(uris["more.rules"], FILES["more.rules"])


@pytest.mark.parametrize(
    ("written", "label", "argument"),
    [
        ("add bonus(f): strength(", "value strength(p: player, f: feature) -> int", 0),
        ("add bonus(f): game.strength(first(players), ", "value strength(", 1),
        ("add bonus(f): strength(next({first(players), ", "next(player): player", 0),
        ("add bonus(f): count(ring(cell_at(board, 1, ", "cell_at(grid, int, int): cell", 2),
        ("add bonus(f): count(f.cells + (1, ", "count(x in S where C)", 0),
        ("add bonus(f): 1 + nowhere(", None, 0),
        ("add bonus(f): strength('x, (', ", "value strength(", 1),
        ("add bonus(f): strength(first(players), f) + (", None, 0),
        ("add bonus(f): strength(  # the player, ", None, 0),
        ("add bonus(f): strength(\n\nadd bonus(f): 1", None, 0),
        ("add bonus(f): 1", None, 0),
    ],
)
def test_a_call_has_a_signature(
    editor: Editor, uris: dict[str, str], written: str, label: str | None, argument: int
) -> None:
    editor.write(uris["more.rules"], written)
    document = types.TextDocumentIdentifier(uris["more.rules"])
    position = types.Position(written.count("\n"), len(written.rpartition("\n")[2]))
    params = types.SignatureHelpParams(document, position)
    found = editor.ask(types.TEXT_DOCUMENT_SIGNATURE_HELP, params)
    editor.write(uris["more.rules"], FILES["more.rules"])
    if label is None:
        assert found is None
        return
    assert found.signatures[found.active_signature or 0].label.startswith(label)
    assert found.active_parameter == argument


def test_hints_are_the_types_that_are_not_written(editor: Editor, uris: dict[str, str]) -> None:
    text = "add bonus(f):\n    let n: int = 1\n    let c = count(tiles(f))\n    c + n\n"
    editor.write(uris["more.rules"], text)
    whole = types.Range(types.Position(0, 0), types.Position(9, 0))
    document = types.TextDocumentIdentifier(uris["more.rules"])
    found = editor.ask(types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintParams(document, whole))
    editor.write(uris["more.rules"], FILES["more.rules"])
    assert {(each.position.line, each.position.character, each.label) for each in found} == {
        (0, 11, ": feature"),
        (2, 9, ": int 0..2147483647"),
    }


def test_hints_and_signatures_are_declared_to_clients_that_know_them(editor: Editor) -> None:
    assert editor.server.signature_help_provider is not None
    assert editor.server.inlay_hint_provider is not None
    poor = Editor(rich=False)
    try:
        assert poor.server.signature_help_provider is None
        assert poor.server.inlay_hint_provider is None
    finally:
        poor.close()


def test_what_mends_it(editor: Editor, uris: dict[str, str]) -> None:
    uri, document = uris["more.rules"], types.TextDocumentIdentifier(uris["more.rules"])
    text = FILES["more.rules"].replace("t.tower", "t.towr") + "value spare() -> int: 1\n"
    for title, before, after in (
        ("write `tower`", "t.towr", "t.tower"),
        ("allow `unused` here", "int: 1\n", "int: 1  # allow: unused\n"),
    ):
        editor.write(uri, text)
        (found,) = editor.told(uri)
        params = types.CodeActionParams(document, found.range, types.CodeActionContext([found]))
        (action,) = editor.ask(types.TEXT_DOCUMENT_CODE_ACTION, params)
        begin = types.Position(found.range.start.line, 0)
        elsewhere = types.Range(begin, begin)
        params = types.CodeActionParams(document, elsewhere, types.CodeActionContext([]))
        assert editor.ask(types.TEXT_DOCUMENT_CODE_ACTION, params) == (action,), "on the line"
        assert action.title == title
        (edit,) = action.edit.changes[uri]
        lines = TextLines(text)
        start, end = lines.offset(edit.range.start), lines.offset(edit.range.end)
        mended = text[:start] + edit.new_text + text[end:]
        assert mended == text.replace(before, after)
        text = mended
    editor.write(uri, text)
    assert editor.told(uri) == []
    editor.write(uri, FILES["more.rules"])


def test_odd_characters_are_counted_as_editors_do(editor: Editor, uris: dict[str, str]) -> None:
    uri = uris["more.rules"]
    wrong = "\ufeff" + ODD.replace("t.tower): 3", "t.towr): 3  # \U0001f3f0")
    wrong = wrong.replace("refine strength(p, f)", "refine strenth(p, f)")
    editor.write(uri, wrong)
    found = sorted(editor.told(uri), key=lambda each: each.range.start.line)
    lines = TextLines(wrong)
    said = [wrong[lines.offset(f.range.start) : lines.offset(f.range.end)] for f in found]
    assert said == ["towr", "strenth"]
    quoted = wrong.replace("t.towr", "t is '\U0001f3f0' and t.towr")
    editor.write(uri, quoted)
    (first, *_) = sorted(editor.told(uri), key=lambda each: each.range.start.line)
    lines = TextLines(quoted)
    where = quoted[lines.offset(first.range.start) : lines.offset(first.range.end)]
    assert where == "'\U0001f3f0'"
    assert first.range.end.character - first.range.start.character == 4
    editor.write(uri, FILES["more.rules"])
    assert editor.told(uri) == []


def test_a_file_that_is_new_is_part_of_the_ruleset(editor: Editor, uris: dict[str, str]) -> None:
    editor.write(uris["more.yaml"], FILES["more.yaml"].replace("more.rules", "other.rules"))
    assert [each.code for each in editor.told(uris["more.yaml"])] == ["file-missing"]
    folder = Path(uris["more.yaml"].removeprefix("file://")).parent
    other = editor.open(folder / "other.rules", "add bonus(f): 1 +\n")
    (found,) = editor.told(other)
    assert found.code == "bad-syntax"
    editor.shut(other)
    editor.write(uris["more.yaml"], FILES["more.yaml"])
    assert editor.told(uris["more.yaml"]) == []
    assert editor.found[other] == []


@pytest.mark.parametrize("encoding", [UTF8, UTF16, UTF32])
@pytest.mark.parametrize("text", ["", "a", "é\n\U0001f3f0x\r\n\ry\r", "\u2028\x0b\x85z\n"])
def test_places_are_counted_there_and_back(text: str, encoding: types.PositionEncodingKind) -> None:
    lines = TextLines(text, encoding)
    units = {UTF8: 1, UTF16: 2, UTF32: 4}[encoding]
    for offset in range(len(text) + 1):
        position = lines.position(offset)
        inside_line_end = text[offset - 1 : offset + 1] == "\r\n"
        assert lines.offset(position) == offset - inside_line_end
        ended = text[:offset].replace("\r\n", "\n").replace("\r", "\n").split("\n")
        if not inside_line_end:
            assert position.line == len(ended) - 1
            assert (
                position.character
                == len(ended[-1].encode(encoding.value + "-le" * (units > 1))) // units
            )
    assert lines.offset(types.Position(99, 0)) == len(text)
