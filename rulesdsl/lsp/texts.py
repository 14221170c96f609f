"""What editors ask about texts, answered in the words of the protocol."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from rulesdsl.diagnostics import RulesError, Span
from rulesdsl.format import formatted
from rulesdsl.lsp.complete.items import Item
from rulesdsl.lsp.files import path_of
from rulesdsl.lsp.findings import fixes
from rulesdsl.lsp.folding import folds
from rulesdsl.lsp.positions import Lines
from rulesdsl.lsp.server import Server
from rulesdsl.lsp.studio import RULES
from rulesdsl.lsp.tokens import KINDS, MODIFIERS, Token, tokens

_LEGEND = types.SemanticTokensLegend(list(KINDS), list(MODIFIERS))


def _complete(server: Server, params: types.CompletionParams) -> types.CompletionList:
    path = path_of(params.text_document.uri)
    offset = server.offset(path, params.position)
    start, items = server.studio.complete(path, offset)
    source = server.studio.source(path)
    place = server.locate(source.span(start, offset)).range
    return types.CompletionList(False, [_offered(item, place, n) for n, item in enumerate(items)])


def _fix(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    asked = [(each.range, each.code, each.message) for each in params.context.diagnostics]
    return [
        _action(server, shown, *fix)
        for shown, found in server.shown(params.text_document.uri)
        if (shown.range, shown.code, shown.message) in asked
        for fix in fixes(found)
    ]


def _fold(server: Server, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    text = server.studio.text(path_of(params.text_document.uri))
    return [
        types.FoldingRange(
            fold.first,
            fold.last,
            kind=types.FoldingRangeKind.Comment if fold.comment else None,
        )
        for fold in folds(text)
    ]


def _tokens(server: Server, params: types.SemanticTokensParams) -> types.SemanticTokens:
    path = path_of(params.text_document.uri)
    family = server.studio.own(path)
    uses = family.index.file(family.names.get(path, path))
    text = server.studio.source(path).text
    found = tokens(text, uses, path.endswith(RULES))
    return types.SemanticTokens(_numbers(server, path, found))


def _format(server: Server, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    path = path_of(params.text_document.uri)
    text = server.studio.text(path)
    try:
        found = formatted(text, path)
    except RulesError as error:
        message = f"what cannot be read is not formatted: {error}"
        raise JsonRpcInvalidParams(message) from None
    if found == text:
        return []
    return [types.TextEdit(server.lines(path).range(0, len(text)), found)]


def _action(
    server: Server, shown: types.Diagnostic, title: str, span: Span, text: str
) -> types.CodeAction:
    place = server.locate(span)
    edit = types.TextEdit(place.range, text)
    return types.CodeAction(
        title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[shown],
        edit=types.WorkspaceEdit(changes={place.uri: [edit]}),
        is_preferred=span.start != span.end or None,
    )


_OFFERED: dict[str, types.CompletionItemKind] = {
    "keyword": types.CompletionItemKind.Keyword,
    "value": types.CompletionItemKind.Function,
    "function": types.CompletionItemKind.Function,
    "action": types.CompletionItemKind.Method,
    "effect": types.CompletionItemKind.Method,
    "choice": types.CompletionItemKind.Event,
    "option": types.CompletionItemKind.Event,
    "state": types.CompletionItemKind.Field,
    "attribute": types.CompletionItemKind.Field,
    "property": types.CompletionItemKind.Property,
    "setting": types.CompletionItemKind.Constant,
    "enum": types.CompletionItemKind.Enum,
    "member": types.CompletionItemKind.EnumMember,
    "colour": types.CompletionItemKind.EnumMember,
    "feature": types.CompletionItemKind.Class,
    "component": types.CompletionItemKind.Class,
    "ruleset": types.CompletionItemKind.Module,
    "type": types.CompletionItemKind.TypeParameter,
}


def _offered(item: Item, place: types.Range, number: int) -> types.CompletionItem:
    """An item as the protocol has it; `number` keeps the order."""
    text = item.snippet or item.label
    doc = types.MarkupContent(types.MarkupKind.Markdown, item.doc) if item.doc else None
    is_snippet = "$" in text
    return types.CompletionItem(
        label=item.label,
        kind=_OFFERED.get(item.what, types.CompletionItemKind.Variable),
        detail=item.detail or None,
        documentation=doc,
        sort_text=f"{number:04}",
        text_edit=types.TextEdit(place, text),
        insert_text_format=types.InsertTextFormat.Snippet if is_snippet else None,
    )


def _numbers(server: Server, path: str, found: list[Token]) -> list[int]:
    """Tokens as the protocol has them: five numbers each, the place counted from the one before."""
    lines: Lines = server.lines(path)
    shift = int(lines.text[:1] == "\ufeff")
    numbers: list[int] = []
    line = character = 0
    for token in found:
        start, end = token.start + shift, token.end + shift
        place = lines.position(start)
        if place.line != line:
            character = 0
        modifiers = token.declares | token.own << 1
        length = lines.length(start, end)
        kind = KINDS.index(token.kind)
        numbers += [place.line - line, place.character - character, length, kind, modifiers]
        line, character = place.line, place.character
    return numbers


_ANSWERS: dict[str, tuple[Callable[[Server, Any], object], Any]] = {
    types.TEXT_DOCUMENT_COMPLETION: (
        _complete,
        types.CompletionOptions(trigger_characters=[".", "'"]),
    ),
    types.TEXT_DOCUMENT_CODE_ACTION: (
        _fix,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    ),
    types.TEXT_DOCUMENT_FOLDING_RANGE: (_fold, None),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (_tokens, _LEGEND),
    types.TEXT_DOCUMENT_FORMATTING: (_format, None),
}
"""What answers a request, and what an editor is told about that."""


def add(server: Server) -> None:
    """Let a server answer what is asked about texts."""
    for method, (answer, options) in _ANSWERS.items():
        server.feature(method, options)(partial(answer, server))
