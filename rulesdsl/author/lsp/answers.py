"""Answers to the requests of editors, as types of the protocol."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcInvalidParams

from rulesdsl.author.lsp.completion import Item
from rulesdsl.author.lsp.family import Edits, Family, Refused, check_renamable
from rulesdsl.author.lsp.hover import plain, unmarked
from rulesdsl.author.lsp.server import Server, TextLines, path_of
from rulesdsl.author.lsp.workspace import (
    KINDS,
    MODIFIERS,
    EditorOptions,
    OutlineEntry,
    Token,
    fixes,
    folds,
    is_shipped,
    outline,
)
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model.checked import Node
from rulesdsl.language.model.uses import Use
from rulesdsl.language.read.files import lies_in

# --- names ----------------------------------------------------------------------------------------

_KINDS = {
    what: kind
    for kind, names in {
        "Keyword": ("keyword",),
        "Function": ("value", "function"),
        "Method": ("action", "effect"),
        "Event": ("choice", "option"),
        "Field": ("state", "attribute"),
        "Property": ("invariant", "property"),
        "Constant": ("setting",),
        "Enum": ("enum",),
        "EnumMember": ("member", "face", "colour"),
        "Class": ("feature", "component"),
        "Module": ("ruleset",),
        "TypeParameter": ("type",),
    }.items()
    for what in names
}
"""The kind of each symbol and word, as the protocol names it for outlines and completions."""


def _kind(what: str) -> str:
    return _KINDS.get(what, "Variable")


def _hover(server: Server, params: types.HoverParams) -> types.Hover | None:
    path, offset = _place(server, params)
    found = server.studio.hover(path, offset, partial(_link, server))
    if found is None:
        return None
    span, text = found
    able = server.client_capabilities
    formats = get_capability(able, "text_document.hover.content_format")
    return types.Hover(_content(text, formats), server.locate(span).range)


def _content(text: str, formats: Sequence[types.MarkupKind] | None) -> types.MarkupContent:
    if types.MarkupKind.Markdown in (formats or ()):
        return types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.MarkupContent(types.MarkupKind.PlainText, unmarked(text))


def _definition(server: Server, params: types.DefinitionParams) -> types.Location | None:
    found = server.studio.definition(*_place(server, params))
    return None if found is None else server.locate(found)


def _implementation(server: Server, params: types.ImplementationParams) -> list[types.Location]:
    family, use = _at(server, params)
    game = family.examined.checked
    if game is None or use is None:
        return []
    key, what, found = use.symbol.key, use.symbol.what, list[Node]()
    if key in game.values and what != "action":
        found += game.values[key].rules
    action = game.actions.get(key) if what == "action" else None
    choice = game.choices.get(key) if what == "choice" else None
    if rule := action or choice:
        parts = (*(action.requires if action else ()), *(choice.options if choice else ()))
        found += [rule, *parts, *rule.hooks.arounds, *rule.hooks.befores, *rule.hooks.afters]
    return [server.locate(each.span) for each in found]


def _references(server: Server, params: types.ReferenceParams) -> list[types.Location]:
    family, use = _at(server, params)
    uses = [] if use is None else family.index.of(use.symbol)
    wanted = params.context.include_declaration
    return [server.locate(each.span) for each in uses if wanted or not each.declares]


def _highlight(
    server: Server, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight]:
    family, use = _at(server, params)
    uses = [] if use is None else family.index.of(use.symbol)
    return [
        types.DocumentHighlight(server.locate(each.span).range)
        for each in uses
        if use is not None and each.span.source is use.span.source
    ]


def _prepare(server: Server, params: types.PrepareRenameParams) -> types.Range | None:
    _, use = _at(server, params)
    if use is None:
        return None
    with _refusing():
        check_renamable(use.symbol)
    return server.locate(use.span).range


def _rename(server: Server, params: types.RenameParams) -> types.WorkspaceEdit | None:
    family, use = _at(server, params)
    if use is None:
        return None
    with _refusing():
        edits, unsure = server.studio.rename(family, use.symbol, params.new_name)
        outside = _outside(server, path_of(params.text_document.uri), edits)
    if unsure:
        message = (
            f"`{use.symbol.name}` may also be meant in {', '.join(unsure)}: "
            "change the places that are left there yourself"
        )
        server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))
    changes: dict[str, list[types.TextEdit]] = {}
    asking = set[str]()
    for path, spans in edits.items():
        for span, text in spans:
            place = server.locate(span)
            changes.setdefault(place.uri, []).append(types.TextEdit(place.range, text))
            if path in outside:
                asking.add(place.uri)
    return _confirmed(server, changes, asking) if asking else types.WorkspaceEdit(changes=changes)


def _outside(server: Server, asked: str, edits: Edits) -> set[str]:
    """Return the edited files outside of the user's project, which the editor must ask about.

    The project is the folder of the file that was asked about, and the folders of the editor.
    Raises `Refused` for files of shipped rulesets, and if the editor cannot ask.
    """
    shipped = [os.path.basename(path) for path in edits if is_shipped(path)]
    if shipped:
        raise Refused(
            f"the name is also in {_listed(shipped)} of the shipped rulesets, which are not "
            "changed: copy the ruleset into your folder, and rename there"
        )
    folders = [os.path.dirname(asked), *map(path_of, server.workspace.folders)]
    if server.workspace.root_uri:
        folders.append(path_of(server.workspace.root_uri))
    outside = {path for path in edits if not any(lies_in(path, each) for each in folders)}
    able = server.client_capabilities.workspace
    edit = able and able.workspace_edit
    if outside and not (edit and edit.document_changes and edit.change_annotation_support):
        raise Refused(
            f"the name is also in {_listed(sorted(outside))}, outside of your project, and this "
            "editor cannot ask before it changes them: open their folder in the editor too"
        )
    return outside


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _confirmed(
    server: Server, changes: Mapping[str, list[types.TextEdit]], asking: set[str]
) -> types.WorkspaceEdit:
    note = types.ChangeAnnotation(
        "Rename outside of the project",
        needs_confirmation=True,
        description="other rulesets use the name",
    )
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri, server.version_of(uri)),
                [
                    types.AnnotatedTextEdit(_OUTSIDE, each.range, each.new_text)
                    if uri in asking
                    else each
                    for each in edits
                ],
            )
            for uri, edits in changes.items()
        ],
        change_annotations={_OUTSIDE: note},
    )


_OUTSIDE = "outside"


def _outline(server: Server, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    path = path_of(params.text_document.uri)
    entries = outline(server.studio.source(path))
    return [_outlined(server, entry) for entry in entries]


def _symbols(server: Server, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    wanted = params.query.lower()
    return [
        types.WorkspaceSymbol(
            server.locate(use.span),
            use.symbol.name,
            types.SymbolKind[_kind(use.symbol.what)],
        )
        for use in _declared(server)
        if wanted in use.symbol.name.lower()
    ]


class _Asked(Protocol):
    @property
    def text_document(self) -> types.TextDocumentIdentifier: ...

    @property
    def position(self) -> types.Position: ...


def _place(server: Server, params: _Asked) -> tuple[str, int]:
    path = path_of(params.text_document.uri)
    return path, server.offset(path, params.position)


def _at(server: Server, params: _Asked) -> tuple[Family, Use | None]:
    return server.studio.at(*_place(server, params))


@contextmanager
def _refusing() -> Iterator[None]:
    """Make `Refused` an error response, which editors show."""
    try:
        yield
    except Refused as error:
        raise JsonRpcInvalidParams(str(error)) from None


def _link(server: Server, span: Span) -> str:
    place = server.locate(span)
    name = span.source.name.replace("\\", "/").rpartition("/")[2]
    uri = place.uri.replace("(", "%28").replace(")", "%29")
    return f"[{plain(name)}:{span.line}]({uri}#L{span.line})"


def _declared(server: Server) -> Iterator[Use]:
    """Yield all declarations of the games of open files, each once."""
    seen: set[tuple[str, int]] = set()
    for path in server.studio.opened:
        index = server.studio.family(path).index
        for symbol in index.symbols:
            use = index.declaration(symbol)
            if use is None or symbol.what == "local":
                continue
            place = use.span.source.name, use.span.start
            if place not in seen:
                seen.add(place)
                yield use


def _outlined(server: Server, entry: OutlineEntry) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=entry.name,
        detail=entry.detail,
        kind=types.SymbolKind[_kind(entry.what)],
        range=server.locate(entry.whole).range,
        selection_range=server.locate(entry.span).range,
        children=[_outlined(server, each) for each in entry.inside],
    )


# --- texts ----------------------------------------------------------------------------------------

_LEGEND = types.SemanticTokensLegend(list(KINDS), list(MODIFIERS))


def _complete(server: Server, params: types.CompletionParams) -> types.CompletionList:
    path, offset = _place(server, params)
    start, items = server.studio.complete(path, offset)
    source = server.studio.source(path)
    place = server.locate(source.span(start, offset)).range
    able = server.client_capabilities
    item = get_capability(able, "text_document.completion.completion_item")
    snippets = bool(item and item.snippet_support)
    formats = item.documentation_format if item else None
    return types.CompletionList(
        False, [_offered(each, place, n, snippets, formats) for n, each in enumerate(items)]
    )


def _fix(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return the fixes of the findings that were asked about, and of those on the same lines."""
    asked = [(each.range, each.code, each.message) for each in params.context.diagnostics]
    first, last = params.range.start.line, params.range.end.line
    actions = list[types.CodeAction]()
    for shown, found in server.shown(params.text_document.uri):
        near = shown.range.start.line <= last and first <= shown.range.end.line
        if not near and (shown.range, shown.code, shown.message) not in asked:
            continue
        for title, span, text in fixes(found):
            place = server.locate(span)
            edit = types.WorkspaceEdit(changes={place.uri: [types.TextEdit(place.range, text)]})
            action = types.CodeAction(
                title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[shown],
                edit=edit,
                is_preferred=span.start != span.end or None,
            )
            actions.append(action)
    return actions


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
    return types.SemanticTokens(_numbers(server, path, server.studio.tokens(path)))


def _format(server: Server, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    path = path_of(params.text_document.uri)
    text = server.studio.text(path)
    try:
        found = server.studio.formatted(path)
    except Refused:  # its diagnostics say so; editors that format on saving need no message
        return []
    if found == text:
        return []
    return [types.TextEdit(server.lines(path).range(0, len(text)), found)]


def _call(server: Server, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    found = server.studio.call(*_place(server, params))
    if found is None or not found[0]:
        return None
    labels, doc, argument = found
    able = server.client_capabilities
    formats = get_capability(
        able, "text_document.signature_help.signature_information.documentation_format"
    )
    shown = [
        types.SignatureInformation(
            label,
            documentation=_content(doc, formats) if doc else None,
            parameters=[types.ParameterInformation(each) for each in _parameters(label)],
        )
        for label in labels
    ]
    fits = (n for n, each in enumerate(shown) if len(each.parameters or ()) > argument)
    return types.SignatureHelp(shown, next(fits, 0), argument)


def _parameters(label: str) -> list[str]:
    """Return the parameters in a signature; an aggregate has none, but a form."""
    inside = label[label.find("(") + 1 : label.rfind(")")]
    return inside.split(", ") if inside and " in S" not in inside else []


def _hints(server: Server, params: types.InlayHintParams) -> list[types.InlayHint]:
    path = path_of(params.text_document.uri)
    places = [(server.locate(span).range.end, text) for span, text in server.studio.hints(path)]
    return [
        types.InlayHint(place, text, kind=types.InlayHintKind.Type)
        for place, text in places
        if params.range.start.line <= place.line <= params.range.end.line
    ]


_PLACEHOLDER = re.compile(r"\$(?:\d+|\{\d+:([^{}$]*)\})")


def _offered(
    item: Item,
    place: types.Range,
    number: int,
    snippets: bool,
    formats: Sequence[types.MarkupKind] | None,
) -> types.CompletionItem:
    """Return an item as the protocol has it; `number` keeps the order.

    Clients that do not declare `snippets` get the names of the placeholders as text.
    """
    text = item.snippet or item.label
    doc = _content(item.doc, formats) if item.doc else None
    is_snippet = snippets and "$" in text
    if not snippets:
        text = _PLACEHOLDER.sub(lambda found: found[1] or "", text)
    return types.CompletionItem(
        label=item.label,
        kind=types.CompletionItemKind[_kind(item.what)],
        detail=item.detail or None,
        documentation=doc,
        sort_text=f"{number:04}",
        text_edit=types.TextEdit(place, text),
        insert_text_format=types.InsertTextFormat.Snippet if is_snippet else None,
    )


def _numbers(server: Server, path: str, found: list[Token]) -> list[int]:
    """Return tokens as the protocol encodes them: five numbers each, with relative positions."""
    lines: TextLines = server.lines(path)
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
    types.TEXT_DOCUMENT_HOVER: (_hover, None),
    types.TEXT_DOCUMENT_DEFINITION: (_definition, None),
    types.TEXT_DOCUMENT_IMPLEMENTATION: (_implementation, None),
    types.TEXT_DOCUMENT_REFERENCES: (_references, None),
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (_highlight, None),
    types.TEXT_DOCUMENT_PREPARE_RENAME: (_prepare, None),
    types.TEXT_DOCUMENT_RENAME: (_rename, types.RenameOptions(prepare_provider=True)),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (_outline, None),
    types.WORKSPACE_SYMBOL: (_symbols, None),
    types.TEXT_DOCUMENT_COMPLETION: (
        _complete,
        types.CompletionOptions(trigger_characters=[".", "'"]),
    ),
    types.TEXT_DOCUMENT_SIGNATURE_HELP: (
        _call,
        types.SignatureHelpOptions(trigger_characters=["(", ","]),
    ),
    types.TEXT_DOCUMENT_INLAY_HINT: (_hints, None),
    types.TEXT_DOCUMENT_CODE_ACTION: (
        _fix,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    ),
    types.TEXT_DOCUMENT_FOLDING_RANGE: (_fold, None),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (_tokens, _LEGEND),
    types.TEXT_DOCUMENT_FORMATTING: (_format, None),
}
"""The handlers of requests, and the options that editors are told of each."""


# --- the server with all handlers -----------------------------------------------------------------


def create() -> Server:
    """Return a new server, not yet connected."""
    server = Server()

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.studio.options = options(params.initialization_options)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        server.open(document.uri, document.version, document.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        server.change(document.uri, document.version, params.content_changes)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        server.close(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        server.look_again()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_files(params: types.DidChangeWatchedFilesParams) -> None:
        server.look_again()

    for method, (answer, told) in _ANSWERS.items():
        server.feature(method, told)(partial(answer, server))
    return server


def options(given: object) -> EditorOptions:
    """Return the options that an editor sends: `{"with": [ID, …], "path": [FOLDER, …]}`."""
    told: Mapping[str, object] = given if isinstance(given, dict) else {}
    return EditorOptions(_words(told.get("with")), _words(told.get("path")))


def _words(given: object) -> tuple[str, ...]:
    items = given if isinstance(given, list) else [given]
    return tuple(item for item in items if isinstance(item, str) and item)
